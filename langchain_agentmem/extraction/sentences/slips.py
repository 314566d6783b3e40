"""Slips that are put right in a word: "*Cork", "13 june*", "three actually", "oops 35", "not this, I meant that"."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.calendar_words import SURE_MONTH, WEEKDAY
from langchain_agentmem.english.words.number_words import TWO_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL

_VALUE: Final = (
    rf"(?:\d[\d:.,/]{{0,15}}(?:st|nd|rd|th|am|pm)?|{TWO_OR_MORE}"
    rf"|{WEEKDAY}s?|{SURE_MONTH})"
)
_NOT_STARRED: Final = (
    r"(?!(?:lol|lmao|haha|hehe|sighs?|yawns?|hugs?|cries|laughs?|smiles?|winks?|shrugs?|gasps?|coughs?|waves?|nods?|note|ps"
    r"|edit|important|terms|conditions)\b)"
)
_STARRED: Final = lazy_pattern(
    rf"\*\s?(?P<before>{_NOT_STARRED}[^\W_][\w' -]{{0,30}})|(?P<behind>{_NOT_STARRED}[^\W_][\w' -]{{0,30}})\*",
    re.IGNORECASE,
)
_OOPS: Final = lazy_pattern(rf"(?:oops|whoops|sorry|typo|my bad),? (?P<value>{_VALUE})", re.IGNORECASE)
_ACTUALLY: Final = lazy_pattern(rf"(?:it's )?(?P<value>{_VALUE}),? actually", re.IGNORECASE)
_NOT_THAT: Final = lazy_pattern(
    r"\bnot (?P<wrong>[\w'-]+(?: [\w'-]+){0,2})[,;.] (?:I|i) (?:actually |really )?meant\b", re.IGNORECASE
)
_I_MEANT: Final = lazy_pattern(r"I meant (?!to (?!say\b)|it\b|that\b|no\b|well\b|for\b|every|what\b)", re.IGNORECASE)
"""Behind it stands what should have been said, whether or not more words say that a correction comes."""

_NAMED: Final = rf"(?:(?:in|at|on) )?{CAPITAL}[\w'-]+(?: {CAPITAL}[\w'-]+)?"
_HALF: Final = lazy_pattern(rf"(?:no, )?not {_NAMED}", re.IGNORECASE)
_OTHER_HALF: Final = lazy_pattern(rf"\. {_NAMED}(?=[.!]?\s?\Z)", re.IGNORECASE)
_BEHIND: Final = lazy_pattern(
    r"(?:\b(?:to|in|at|for|with|as|like|have|take|eat|play|speak|drink|love|hate|use|learn|study|be"
    r"|become|visit|read|buy|run|prefer|wear|drive|own|teach|is|are|am)|\w'(?:m|s|re)) (?:(?:an?|the) )?"
    rf"(?P<last>(?-i:[a-z][a-z'-]*|{CAPITAL}[\w.'-]*(?: {CAPITAL}[\w.'-]*){{0,3}}))$",
    re.IGNORECASE,
)
NO_VALUE: Final = lazy_pattern(
    r"(?:I|we|you|he|she|it|they|this|that|these|those|me|us|him|her|them|my|our|your|his|its|their|to|no|not|nothing"
    r"|none|every|everything|well|what|when|where|how|why|who|which|if|so|about|now|then|later|soon|today|tonight"
    r"|tomorrow|yesterday|next|last|one|kidding|joking)\b"
    r"|.*\b(?-i:is|are|was|were|has|have|had|do|does|did|will|would|should|can|could|must|might|I|we)\b",
    re.IGNORECASE | re.DOTALL,
)
"""Such words take nobody's place in a statement: they point at something, or are a sentence."""

_NO_CHOICE: Final = frozenset(
    """
    thanks thank please fine good great ok okay sure yes yeah forget stop go wait leave skip cancel ignore help hang
    hold never maybe perhaps sorry right wrong true false bad both all neither either whatever anything something
    anyway though too again more less enough better worse same different first last other here there nope nevermind
    continue done agreed cool nice but and or because think know see want need do don't it's i'm that's let's lol also
    only just even still
    """.split()
)
"""What somebody may answer behind "actually no" without naming what they choose."""

_OF_TWO: Final = lazy_pattern(r"\w (?:at|in|for|with|from|of|to) \w", re.IGNORECASE)

_TYPES: Final = tuple(
    lazy_pattern(rf"(?<![\w.-])(?:{words})(?![\w.-])", re.IGNORECASE)
    for words in (
        rf"\d+|{TWO_OR_MORE}",
        rf"{WEEKDAY}s?",
        rf"{SURE_MONTH}",
    )
)
"""Words that all say one sort of value, each of which can only stand for another of them."""


def slip_in(text: str) -> tuple[str, bool] | None:
    """Return the right word of a clause that is nothing but one, and whether it may as well answer a question.

    Example:
        >>> slip_in("*Cork"), slip_in("three actually"), slip_in("*really*")
        (('Cork', False), ('three', True), None)
    """
    starred = _STARRED.fullmatch(text)
    if starred is not None:
        return (starred["before"] or starred["behind"]).strip(), False
    found = _OOPS.fullmatch(text) or _ACTUALLY.fullmatch(text)
    return None if found is None else (found["value"], True)


def named_wrong(since: str) -> str | None:
    """Return what a sentence says was not meant before it says what was: "not a cafe, I meant a bakery"."""
    found = _NOT_THAT.search(since)
    return None if found is None else found["wrong"]


def says_what_was_meant(text: str) -> bool:
    """Whether a clause says by itself that another value was meant.

    Example:
        >>> says_what_was_meant("I meant Bath"), says_what_was_meant("I meant no harm")
        (True, False)
    """
    return _I_MEANT.match(text) is not None


def is_half_said(text: str, start: int, stop: int) -> bool:
    """Whether a sentence only names what was wrong, and the next only what is right: "Not Bath. Leeds."."""
    return _HALF.fullmatch(text, start, stop) is not None and _OTHER_HALF.match(text, stop) is not None


def last_word(text: str) -> str:
    """Return the one word behind a verb or a preposition at the end of a statement, for which another may be meant."""
    found = _BEHIND.search(text)
    return "" if found is None else found["last"]


def is_choice(value: str) -> bool:
    """Whether a word or two may name what somebody chooses instead: "green tea", and not "never mind" or "really"."""
    words = value.casefold().split()
    is_short = 0 < len(words) <= 2 and _NO_CHOICE.isdisjoint(words)  # noqa: PLR2004
    return is_short and not any(it.endswith("ly") for it in words)


def is_of_two(value: str) -> bool:
    """Whether a value names two things, of which a bare word may stand for either: "part time job at a cafe"."""
    return _OF_TWO.search(value) is not None


def of_one_type(value: str, text: str) -> re.Match[str] | None:
    """Return the one number, day or month of a statement in whose place another one stands: "I meant three"."""
    for each in _TYPES:
        number = each.match(value)
        if number is None:
            continue
        behind = value[number.end() :]
        found = [it for it in each.finditer(text) if text[it.end() :].casefold().startswith(behind.casefold())]
        if len(found) != 1 or found[0][0].casefold() == number[0].casefold():
            return None
        whole = re.compile(re.escape(f"{found[0][0]}{behind}"), re.IGNORECASE).search(text, found[0].start())
        return whole if len(list(each.finditer(text))) == 1 else None
    return None
