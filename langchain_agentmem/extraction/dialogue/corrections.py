"""Short corrections: "Actually, TypeScript." means something only beside what was said before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.orders import LANGUAGES
from langchain_agentmem.english.reading.relations import ROLES
from langchain_agentmem.english.words.calendar_words import MONTH, WEEKDAY
from langchain_agentmem.english.words.lexicon import PETS
from langchain_agentmem.english.words.patterns import CAPITAL, CAPITALIZED
from langchain_agentmem.extraction.books.rulebook import Draft
from langchain_agentmem.extraction.dialogue.contrasts import (
    LEAD,
    MARK,
    Contrast,
    contrast_in,
    is_short,
    put_right,
    whole,
)
from langchain_agentmem.extraction.dialogue.heard import Heard, Said
from langchain_agentmem.extraction.dialogue.referring import OTHER_SEX
from langchain_agentmem.extraction.record.conversation import Passage
from langchain_agentmem.extraction.sentences.clauses import Clause, clauses
from langchain_agentmem.extraction.sentences.slips import (
    NO_VALUE,
    is_choice,
    is_of_two,
    last_word,
    named_wrong,
    of_one_type,
    says_what_was_meant,
    slip_in,
)
from langchain_agentmem.extraction.sentences.voice import Voice
from langchain_agentmem.extraction.words.given_names import is_spoken_to

_LED: Final = lazy_pattern(rf"{LEAD}(?P<right>[^,;]+)", re.IGNORECASE)
_BARE: Final = lazy_pattern(r"(?P<right>[^,;]+)")
_SENTENCE: Final = lazy_pattern(
    (
        r"^(?:I|we|my|our|you|he|she|they|there|please|can|could|let|don't|never|always|what|how|not|no"
        r"|yes|the (?:problem|issue|error)|good|bad|great|nothing|never mind|forget|thanks)\b"
    ),
    re.IGNORECASE,
)
_RESTATED: Final = lazy_pattern(
    r"(?:the|my|our) (?:[\w'-]+ ){1,4}?(?:is|are|starts?|ends?|opens?|closes?|costs?|leaves?|arrives?) (?:now "
    r"|actually )?"
    rf"(?:(?:on|at|in|by|from|for|called) .{{1,80}}|[$€£]?\d.{{0,80}}|{CAPITAL}.{{1,80}})",
    re.IGNORECASE,
)
_PREPOSITION: Final = lazy_pattern(r"^(?:in|at|on|for|to|with|from|by|as|a|an|the|of)\s+", re.IGNORECASE)
_DATE: Final = lazy_pattern(
    rf"(?:{WEEKDAY}|{MONTH})\b",
    re.IGNORECASE,
)
_IN_NAMES: Final = frozenset("de del la le of the am an upon and van von".split())
_OF_PLACES: Final = frozenset({"lives_in", "works_at", "from"})
_NAMED: Final = frozenset({*_OF_PLACES, *ROLES, *PETS})
"""Relations whose object is a name."""

_VALUE_COMES: Final = lazy_pattern(r"(?:I )?mean|make|change|should|correct", re.IGNORECASE)
"""So begins a lead behind which a value stands; behind "it's" may stand anything ("it's late")."""

_NAMELESS: Final = lazy_pattern(r"(?:his|her|its|their) name\b", re.IGNORECASE)
_ONE_NAME: Final = rf"(?-i:(?P<name>{CAPITALIZED}))"
_RENAMING: Final = lazy_pattern(
    rf"(?P<whose>the|my|our) (?P<what>{'|'.join(sorted(PETS | ROLES, key=len, reverse=True))})(?:'s name)?"
    rf" is(?: now| actually)?(?: called| named)? {_ONE_NAME}",
    re.IGNORECASE,
)
_MEANT: Final = lazy_pattern(r"\b(?:meant|mistyped|misspoke|mistake|typo)\b", re.IGNORECASE)
_BACK: Final = (
    r"(?:(?:oh|well|ah|hmm|wait|sorry)[, ]+)*(?:actually,? no|no,? (?:wait|actually)|(?:scratch|strike) that)\b"
)
_TAKES_BACK: Final = lazy_pattern(_BACK, re.IGNORECASE)
_TAKEN_BACK: Final = lazy_pattern(rf"(?:\A|[.!?,;]\s){_BACK}[\s,.:!]*(?:an? |the )?\Z", re.IGNORECASE)
_OF_DEEDS: Final = frozenset({"goal", "constraint"})
_CHOSEN: Final = _OF_DEEDS | {"preference"}
_SEVERAL: Final = lazy_pattern(r"\b(?:and|or)\b", re.IGNORECASE)
_ARTICLE: Final = lazy_pattern(r"\ban? \Z", re.IGNORECASE)
_LANGUAGE: Final = lazy_pattern(LANGUAGES, re.IGNORECASE)
_SENTENCE_END: Final = lazy_pattern(r"[.!?\n]\s*\Z")
_ASIDE_WORDS: Final = 3  # "Hi there!", "Thanks.": beside a statement, what is longer may be what was corrected


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What is right, and what was wrong where that was named.

    `is_led`: words say that a value comes. `may_answer`: the same words answer a question.
    """

    right: str
    wrong: str | None = None
    is_led: bool = False
    may_answer: bool = False


def read_correction(clause: Clause) -> Correction | None:
    """Return the correction a clause consists of, or `None` where it is a sentence of its own."""
    slip = slip_in(clause.text)
    if slip is not None and not NO_VALUE.match(slip[0]):
        return Correction(right=slip[0], is_led=True, may_answer=slip[1])
    if _SENTENCE.match(clause.text) and not re.match(r"I meant?|not\b", clause.text, re.IGNORECASE):
        return None
    contrast = contrast_in(clause.text)
    if contrast is not None:
        is_value = not NO_VALUE.match(contrast.right)
        return Correction(right=contrast.right, wrong=contrast.wrong) if is_value else None
    led = _LED.fullmatch(clause.text)
    match = led or _BARE.fullmatch(clause.text)
    if (clause.is_correction or says_what_was_meant(clause.text)) and match and is_short(match.group("right")):
        if NO_VALUE.match(match["right"]):
            return None
        is_led = led is not None and _VALUE_COMES.match(clause.text) is not None
        right = MARK.sub("", match["right"]).strip(" .!,")
        return Correction(
            right=right,
            wrong=named_wrong(clause.since) if is_led else None,
            is_led=is_led,
            may_answer=not clause.is_correction,
        )
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """A statement with the right words in place, and all that was made of it when it had the wrong ones."""

    clause: Clause
    wrong: tuple[Draft, ...]


def corrected(correction: Correction, clause: Clause, heard: Sequence[Heard]) -> Mended | None:
    """Return the one statement that is corrected, with the right words in place; `None` where it may be another.

    A wrong value that is named is looked for in all that was heard, the latest first. A bare value can only stand for
    one of the same sort, in the one thing that was said right before.
    """
    said = _with_wrong(correction, clause, heard) if correction.wrong else _just_said(correction, clause, heard)
    found = [it for it in said if _may_be(clause, it)]
    if len({_key(it) for it in found}) != 1:
        return None
    earlier = found[-1]
    text = _mend(earlier, correction, clause)
    if text is None:
        return None
    mended = replace(
        earlier.clause,
        text=text,
        speaker=clause.speaker,
        evidence=clause.since if clause.since and clause.since == earlier.clause.since else clause.evidence,
        quote="",
        message_ids=tuple(dict.fromkeys((*clause.message_ids, *earlier.clause.message_ids))),
        is_correction=True,
    )
    of_same = (it.draft for each in heard for it in each.said if it.clause == earlier.clause)
    return Mended(clause=mended, wrong=tuple(dict.fromkeys(of_same)))


def names_taken_back(passages: Iterable[Passage]) -> frozenset[str]:
    """Return the wrong names that a user puts right of whom only a pronoun names: "her name is Hannah, not Anna".

    Whom it means was perhaps said in another conversation.
    """
    said = (clause for passage in passages if passage.speaker == "user" for clause in clauses(passage))
    found = ((clause, read_correction(clause)) for clause in said if _NAMELESS.match(clause.text))
    return frozenset(it.wrong for _, it in found if it is not None and it.wrong is not None)


def renaming(clause: Clause, heard: Sequence[Heard]) -> Correction | None:
    """Return which name a correction of "the dog is called Max" puts another in the place of, where one was heard.

    Where several were, nobody knows which is meant, and the correction is of none.
    """
    found = _RENAMING.fullmatch(clause.text) if clause.is_correction else None
    if found is None:
        return None
    named = re.compile(rf"\b{found['what']}(?:'s name)?(?: is| was|,)?(?: called| named)? {_ONE_NAME}", re.IGNORECASE)
    said = (it.clause.text for each in heard for it in each.said if each.passage.speaker == "user")
    names = {name["name"] for text in said for name in named.finditer(text)} - {found["name"]}
    if not names or (len(names) > 1 and found["whose"].casefold() != "the"):  # "my friend": the last one named
        return None
    return Correction(right=found["name"], wrong=names.pop() if len(names) == 1 else None)


def corrects(new: Said, heard: Sequence[Heard]) -> str | None:
    """Return what a whole sentence takes the place of: the same said right before, of another thing.

    That of which one may have several is taken back in so many words: "actually no, I like coffee".
    """
    clause, value = new.clause, _value(new)
    is_meant = _TAKES_BACK.match(clause.since) or _MEANT.search(clause.since) or re.match(r"I prefer\b", clause.text)
    if not clause.is_correction or not value or not is_meant or re.search(r"\b(?:too|also|as well)\b", clause.text):
        return None
    before = next((it for it in reversed(heard[:-1]) if it.passage.speaker == "user"), None)
    framed = [
        it.draft.content
        for it in (heard[-1].said or (before.said if before else []))
        if _value(it) and it.clause.text.casefold().replace(_value(it).casefold(), value.casefold()) == _folded(clause)
    ]
    return framed[0] if len(framed) == 1 and framed[0] != new.draft.content else None


def _folded(clause: Clause) -> str:
    return clause.text.casefold()


def restated(clause: Clause, voice: Voice) -> Draft | None:
    """Return what a correction says of a thing by name: "Correction: the kickoff is on Thursday"."""
    if not clause.is_correction or not _RESTATED.fullmatch(clause.text):
        return None
    return Draft(kind="fact", content=voice.retell(clause.text), is_correction=True)


def _with_wrong(correction: Correction, clause: Clause, heard: Sequence[Heard]) -> list[Said]:
    """Return the statements with the wrong value that were made last; nothing where it was named for more since."""
    wrong = whole(correction.wrong or "")
    own = clause.since if named_wrong(clause.since) == correction.wrong else clause.evidence
    is_repeated = False
    for utterance in reversed(heard):
        found = [it for it in utterance.said if wrong.search(_of_user(it)) and _may_be(clause, it)]
        words = utterance.passage.original
        words = words.partition(own)[0] if utterance is heard[-1] else words
        is_named = wrong.search(_beside(words, utterance.said)) is not None
        if utterance.passage.speaker == "user" and (is_named or (is_repeated and not found)):
            return []
        if found:
            return list({it.clause.text: it for it in found}.values())
        is_repeated |= is_named
    return []


def _may_be(clause: Clause, said: Said) -> bool:
    """Whether the pronoun of "her name is …" may stand for whom a statement names."""
    pronoun = re.split(r"['\u2019 ]", clause.text, maxsplit=1)[0].casefold()
    words = re.sub(r"['\u2019]s (?=name\b)", " ", said.clause.text.casefold()).split()
    return OTHER_SEX.get(pronoun, frozenset()).isdisjoint(words)


def _just_said(correction: Correction, clause: Clause, heard: Sequence[Heard]) -> Sequence[Said]:
    """Return what was stated right before a bare value; nothing where the value may be meant for other words."""
    *earlier, now = heard
    if now.said:
        words, _, _ = now.passage.original.partition(clause.evidence)
        return [] if _says_more(words, now.said) else _behind_same(correction, now.said)
    own = next((at for at in range(len(earlier) - 1, -1, -1) if earlier[at].passage.speaker == "user"), None)
    replies = earlier if own is None else earlier[own + 1 :]
    is_asked = bool(replies) and replies[-1].passage.text.rstrip().endswith("?")
    if is_asked and (correction.may_answer or not correction.is_led):  # "No, Milan." answers what was asked
        return []
    if own is not None and _says_more(earlier[own].passage.original, earlier[own].said):
        return []
    said = [*([] if own is None else earlier[own].said), *(it for each in replies for it in each.said)]
    return _behind_same(correction, said)


def _behind_same(correction: Correction, said: Sequence[Said]) -> Sequence[Said]:
    """Return the statements with a value behind the preposition that the right one has, where there are any."""
    link = _PREPOSITION.match(correction.right)
    if link is None:
        return said
    return [it for it in said if f"{link[0]}{_value(it)}".casefold() in it.clause.text.casefold()] or said


def _says_more(words: str, said: Sequence[Said]) -> bool:
    """Whether somebody said more than the statements that were understood."""
    return len(re.findall(r"\w+", _beside(words, said))) > _ASIDE_WORDS


def _beside(words: str, said: Sequence[Said]) -> str:
    """Return what of somebody's words is no part of the statements."""
    for evidence in {it.clause.evidence for it in said}:
        words = words.replace(evidence, " ", 1)
    return words


def _value(said: Said) -> str:
    return _PREPOSITION.sub("", said.draft.object or "")


def _key(said: Said) -> str:
    """Return what is the same where the assistant says a statement again, with more behind a comma."""
    return said.draft.content.casefold().partition(",")[0]


def _mend(earlier: Said, correction: Correction, clause: Clause) -> str | None:
    text = _of_user(earlier)
    if correction.wrong is not None:
        return put_right(text, Contrast(right=correction.right, wrong=correction.wrong))
    bare = _PREPOSITION.sub("", correction.right)
    same = of_one_type(bare, text) if correction.is_led or clause.is_correction else None
    if same is not None:
        return f"{text[: same.start()]}{bare}{text[same.end() :]}"
    target = _target(correction, earlier)
    at = text.casefold().rfind(target.casefold())
    if not target or at < 0 or not _fits(correction, clause, earlier, target):
        return None
    article = _ARTICLE.search(text, 0, at) if _ARTICLE.search(f"{correction.right.split()[0]} ") else None
    if article is not None:  # "a vet" becomes "an engineer"
        return f"{text[: article.start()]}{correction.right}{text[at + len(target) :]}"
    return f"{text[:at]}{bare if at > 0 else correction.right}{text[at + len(target) :]}"


def _target(correction: Correction, earlier: Said) -> str:
    """Return the words of a statement for which a bare value may stand: its object, of a deed the last word."""
    text, value = _of_user(earlier), _value(earlier)
    if earlier.draft.kind in _OF_DEEDS:
        return "" if _SEVERAL.search(value) else last_word(text)
    return value or (last_word(text) if correction.is_led else "")


def _of_user(earlier: Said) -> str:
    text = earlier.clause.text
    if earlier.clause.speaker == "assistant":
        text = text.split(",", maxsplit=1)[0]  # behind it stands what the assistant made of it
    return text


def _fits(correction: Correction, clause: Clause, earlier: Said, target: str) -> bool:
    """Whether a bare value is of the sort of that which it would replace."""
    right = _PREPOSITION.sub("", correction.right)
    if right.casefold() == target.casefold() or _sort(right) != _sort(target) or is_of_two(target):
        return False
    if _sort(right) == "name":
        of_somebody = earlier.draft.relation not in _OF_PLACES
        if not correction.is_led and is_spoken_to(right, beside=target, of_somebody=of_somebody):
            return False
        ahead = clause.since[: clause.since.rfind(correction.right)]
        return correction.is_led or _SENTENCE_END.search(ahead) is None  # any word has a capital behind a full stop
    is_named = earlier.draft.relation in _NAMED
    is_led = correction.is_led or (earlier.draft.kind in _CHOSEN and _is_choice(right, clause))
    return _sort(right) != "word" or (is_led and not is_named)


def _is_choice(right: str, clause: Clause) -> bool:
    """Whether a word or two behind words that take something back stand for another choice: "actually no, coffee"."""
    ahead = clause.since[: clause.since.rfind(right)]
    return is_choice(right) and _TAKEN_BACK.search(ahead) is not None


def _sort(value: str) -> str:
    if "@" in value:
        return "address"
    if _DATE.match(value) or re.search(r"\d", value):
        return "date" if _DATE.search(value) else "number"
    if _LANGUAGE.fullmatch(value):
        return "language"
    words = [word for word in value.split() if word not in _IN_NAMES]
    return "name" if words and all(any(map(str.isupper, word)) for word in words) else "word"
