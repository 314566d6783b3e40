"""Short corrections: "Actually, TypeScript." means something only beside what was said before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from langchain_agentmem.extraction.clauses import Clause
from langchain_agentmem.extraction.rulebook import Draft, trimmed
from langchain_agentmem.extraction.voice import Voice

_MAX_RIGHT_WORDS: Final = 6  # of a bare correction: longer is a sentence of its own

_LEAD: Final = (
    r"(?:(?:it|that|this|he|she|they)(?:'s| is| was| should be| should have been|'re| are)"
    r"|(?:I )?meant(?: to say)?|I mean|make (?:it|that)|make that|change (?:it|that) to|should be|rather"
    r"|say|correct that to)\s+"
)
_CONTRAST: Final = (
    re.compile(
        (
            rf"(?:{_LEAD})?(?P<right>[^,;]+?)(?:,? and)?,? (?:not|instead of|rather than|and not) (?:(?:in|at"
            r"|on|a|an|the) )?(?P<wrong>[^,;]+)(?:, (?P<topic>[^,;]{1,60}))?"
        ),
        re.IGNORECASE,
    ),
    re.compile(rf"(?:{_LEAD})?not (?P<wrong>[^,;]+?),? but (?:rather )?(?P<right>[^,;]+)", re.IGNORECASE),
    re.compile(rf"not (?P<wrong>[^,;.]+)[,;.] (?:{_LEAD}|but )?(?P<right>[^,;]+)", re.IGNORECASE),
)
_LED: Final = re.compile(rf"{_LEAD}(?P<right>[^,;]+)", re.IGNORECASE)
_BARE: Final = re.compile(r"(?P<right>[^,;]+)")
_SENTENCE: Final = re.compile(
    (
        r"^(?:I|we|my|our|you|he|she|they|there|please|can|could|let|don't|never|always|what|how|not|no"
        r"|yes|the (?:problem|issue|error)|good|bad|great|nothing|never mind|forget|thanks)\b"
    ),
    re.IGNORECASE,
)
_RESTATED: Final = re.compile(
    r"(?:the|my|our) (?:[\w'-]+ ){1,4}?(?:is|are|starts?|ends?|opens?|closes?|costs?|leaves?|arrives?) (?:now "
    r"|actually )?"
    r"(?:(?:on|at|in|by|from|for|called) .{1,80}|[$€£]?\d.{0,80}|(?-i:[A-Z]).{1,80})",
    re.IGNORECASE,
)
_MARK: Final = re.compile(
    r"^(?:(?:actually|no|nope|oh|well|wait|sorry|correction|rather|I mean)[,:]?\s+){1,3}(?=\w)", re.IGNORECASE
)
"""Words that say that a correction comes, and are no part of it: "Actually TypeScript, not JavaScript"."""

_PREPOSITION: Final = re.compile(r"^(?:in|at|on|for|to|with|from|by|as|a|an|the|of)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A statement already heard, and what a rule made of it."""

    clause: Clause
    draft: Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What was wrong, where it was named, and what is right, and what it is about where that is said behind."""

    right: str
    wrong: str | None = None
    topic: str = ""


def read_correction(clause: Clause) -> Correction | None:
    """Return the correction a clause consists of, or `None` where it is a sentence of its own."""
    if _SENTENCE.match(clause.text) and not re.match(r"I mean|not\b", clause.text, re.IGNORECASE):
        return None
    for pattern in _CONTRAST:
        match = pattern.fullmatch(clause.text)
        if match and _is_short(match.group("right")) and _is_short(match.group("wrong")):
            topic = match.groupdict().get("topic") or ""
            right = trimmed(_MARK.sub("", match.group("right")))
            return Correction(right=right, wrong=trimmed(match.group("wrong")), topic=topic)
    match = _LED.fullmatch(clause.text) or _BARE.fullmatch(clause.text)
    if clause.is_correction and match and _is_short(match.group("right")):
        return Correction(right=_MARK.sub("", match.group("right")).strip(" .!,"))
    return None


def corrected(correction: Correction, clause: Clause, said: Sequence[Said]) -> Iterator[Clause]:
    """Yield earlier statements with the right words in place, the latest first; nothing where none fits."""
    for earlier in reversed(said):
        text = _mend(earlier, correction)
        if text is not None:
            yield replace(
                earlier.clause,
                text=text,
                speaker=clause.speaker,
                evidence=clause.evidence,
                message_ids=tuple(dict.fromkeys((*clause.message_ids, *earlier.clause.message_ids))),
                is_correction=True,
            )


def restated(clause: Clause, voice: Voice) -> Draft | None:
    """Return what a correction says of a thing by name: "Correction: the kickoff is on Thursday"."""
    if not clause.is_correction or not _RESTATED.fullmatch(clause.text):
        return None
    return Draft(kind="fact", content=voice.retell(clause.text), is_correction=True)


def unresolved(correction: Correction, clause: Clause, voice: Voice) -> Draft | None:
    """Return a correction of something that was never heard, kept in its own words."""
    if correction.wrong is None or not clause.is_correction:
        return None
    content = f"{voice.subject} means {voice.bare(correction.right)}, not {voice.bare(correction.wrong)}"
    about = f" ({voice.bare(correction.topic)})" if correction.topic else ""
    return Draft(kind="fact", content=f"{content[:1].upper()}{content[1:]}{about}", is_correction=True)


def _mend(earlier: Said, correction: Correction) -> str | None:
    text = earlier.clause.text
    if earlier.clause.speaker == "assistant":
        text = text.split(",", maxsplit=1)[0]  # behind it stands what the assistant made of it
    if correction.wrong is not None:
        pattern = re.compile(rf"(?<!\w){re.escape(correction.wrong)}(?!\w)", re.IGNORECASE)
        return pattern.sub(lambda _: correction.right, text) if pattern.search(text) else None
    target = earlier.draft.object
    if target is None or target.casefold() == correction.right.casefold():
        return None
    at = text.casefold().rfind(target.casefold())
    right = _PREPOSITION.sub("", correction.right) if at > 0 else correction.right
    return f"{text[:at]}{right}{text[at + len(target) :]}" if at >= 0 else None


def _is_short(text: str) -> bool:
    return 0 < len(text.split()) <= _MAX_RIGHT_WORDS
