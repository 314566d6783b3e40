"""What is right and what was wrong, said in a few words: "TypeScript, not JavaScript", "not Leeds but Bath"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.extraction.books.rulebook import trimmed
from langchain_agentmem.extraction.sentences.slips import NO_VALUE

_MAX_WORDS: Final = 6  # of a bare value: longer is a sentence of its own
_MAX_CHARS: Final = 160
"""Of a text that is nothing but a contrast: two values, and what leads them."""

LEAD: Final = (
    r"(?:(?:it|that|this|he|she|they|(?:his|her|its|their|the) name)"
    r"(?:'s| is| was| should be| should have been|'re| are)"
    r"|(?:I )?meant(?: to say)?|I mean|make (?:it|that)|make that|change (?:it|that) to|should be|rather"
    r"|say|correct that to)\s+"
)
_SORRY: Final = r"(?:(?:oh|no|wait|sorry|oops|actually|my (?:bad|mistake))[,:.]? ){0,3}"
_CONTRAST: Final = (
    lazy_pattern(
        (
            rf"(?:{LEAD})?(?P<right>[^,;]+?)(?:,? and)?,? (?:not|instead of|rather than|and not) (?:(?:in|at"
            r"|on|a|an|the) )?(?P<wrong>[^,;]+)(?:, [^,;]{1,60})?"
        ),
        re.IGNORECASE,
    ),
    lazy_pattern(rf"(?:{LEAD})?not (?P<wrong>[^,;]+?),? but (?:rather )?(?P<right>[^,;]+)", re.IGNORECASE),
    lazy_pattern(rf"not (?P<wrong>[^,;.]+)[,;.] {_SORRY}(?:{LEAD}|but )?(?P<right>[^,;]+)", re.IGNORECASE),
)
MARK: Final = lazy_pattern(
    r"^(?:(?:actually|no|nope|oh|well|wait|sorry|oops|correction|rather|I mean)[,:]?\s+){1,3}(?=\w)", re.IGNORECASE
)
"""Words that say that a correction comes, and are no part of it: "Actually TypeScript, not JavaScript"."""

_LED: Final = lazy_pattern(LEAD, re.IGNORECASE)
_NOT: Final = lazy_pattern(r"\b(?:not|instead of|rather than)\b", re.IGNORECASE)
_NO_PART: Final = r"(?<![\w.@#/])(?<!\w-)"
_ENDS: Final = r"(?![\w+#@/]|[.-]\w)"
_SMALL: Final = lazy_pattern(r"^(?:(?:in|at|on|for|to|with|from|by|as|an?|the|of)\s+){1,2}", re.IGNORECASE)
_TELLS: Final = lazy_pattern(r"[:;()\"]|\w not (?:in|at|on)\b", re.IGNORECASE)
"""In a text that says of what it speaks ("Alice: tea, not coffee"), or only what is not so ("Alice not in Rome")."""

_VERBAL: Final = lazy_pattern(r"\w [a-z]+(?:[^su\W]s (?=\w)|[^\W\d_]ed\b)")
"""A word in the form of a verb behind another: "API returns XML", "Bob resigned"."""

_CIRCUMSTANCE: Final = lazy_pattern(
    r"(?:before|after|until|when|if|because|since|while|unless|during|even|too|very|so|only|just|always|really|yet|be)\b",
    re.IGNORECASE,
)
"""Behind "not" it tells more of what stands before, and names no other value: "coffee, not too strong"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """What is right, and what was wrong, in the words in which both were said."""

    right: str
    wrong: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfSaid:
    """A text that is nothing but a contrast, and says by no word of whom or what.

    `is_marked`: words say that it corrects something.
    """

    contrast: Contrast
    is_marked: bool


def contrast_in(text: str) -> Contrast | None:
    """Return the contrast that a clause consists of; it may still be a sentence of its own."""
    found = _found(text)
    return None if found is None else _contrast(found)


def half_said(text: str) -> HalfSaid | None:
    """Return the contrast that a text is, where it means something only beside what was said before.

    Example:
        >>> half_said("Actually TypeScript, not JavaScript").contrast
        Contrast(right='TypeScript', wrong='JavaScript')
        >>> half_said("Alice prefers TypeScript, not JavaScript"), half_said("Use tabs, not spaces")
        (None, None)
    """
    plain = text.replace("\u2019", "'").strip(" .!")
    if len(plain) > _MAX_CHARS or _NOT.search(plain) is None or _TELLS.search(plain) is not None:
        return None
    bare = MARK.sub("", plain)
    found = _found(bare)
    if found is None or (found.end("wrong") != len(bare) and found.start("wrong") > found.start("right")):
        return None
    is_marked = bare != plain or _LED.match(bare) is not None
    contrast = _contrast(found)
    return HalfSaid(contrast=contrast, is_marked=is_marked) if _are_values(contrast, spare=int(is_marked)) else None


def put_right(text: str, contrast: Contrast) -> str:
    """Return a statement with the right words in the place of the wrong ones; as it is, where it has none of these."""
    return whole(contrast.wrong).sub(lambda found: _behind(found["to"] or "", contrast.right), text)


def whole(value: str) -> re.Pattern[str]:
    """Return what finds a value by whole words, with the word before it; "C++" does not hold "C"."""
    return re.compile(rf"(?P<to>\b\w+ )?{_NO_PART}{re.escape(value)}{_ENDS}", re.IGNORECASE)


def is_short(text: str) -> bool:
    """Whether words may be a value, and no sentence."""
    return 0 < len(text.split()) <= _MAX_WORDS


def _found(text: str) -> re.Match[str] | None:
    found = (pattern.fullmatch(text) for pattern in _CONTRAST)
    return next((it for it in found if it and is_short(it["right"]) and is_short(it["wrong"])), None)


def _contrast(found: re.Match[str]) -> Contrast:
    return Contrast(right=trimmed(MARK.sub("", found["right"])), wrong=trimmed(found["wrong"]))


def _are_values(contrast: Contrast, *, spare: int) -> bool:
    """Whether both are values of one thing, of about as many words; the right one may be a name of any length."""
    right, wrong = (_SMALL.sub("", it) for it in (contrast.right, contrast.wrong))
    if NO_VALUE.match(right) or NO_VALUE.match(wrong) or _CIRCUMSTANCE.match(wrong) or _VERBAL.search(right):
        return False
    words = right.split()
    is_name = all(it[:1].isupper() or it[:1].isdigit() for it in words)
    return (is_name or len(words) <= len(wrong.split()) + spare) and not parse_statement(contrast.right).facts


def _behind(word: str, right: str) -> str:
    return right if word and right.casefold().startswith(word.casefold()) else f"{word}{right}"
