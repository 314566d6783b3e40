"""Where a sentence ends: not at the full stop of an abbreviation, an initial or a number in a list.

One rule for every reader of sentences. English; a full stop that stands within a word (3.11, main.py, example.com) is
never looked at, because a sentence ends before a space.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.calendar_words import MONTH, SHORT_MONTH, SHORT_WEEKDAY, WEEKDAY
from langchain_agentmem.english.words.patterns import CAPITAL, LETTER

__all__ = ["SENTENCE_END", "is_full_stop", "is_shortening", "split_sentences", "without_shortenings"]

SENTENCE_END: Final = lazy_pattern(r"(?<=[.!?])\s+|\n+")
"""What stands between two sentences of plain text."""

_STOPPED: Final = lazy_pattern(r"\.(?= )")
_HEAD_CHARS: Final = 16
"""Characters before a full stop that are read: the longest abbreviation, a bracket and an initial before it."""

_BEFORE_ANYTHING: Final = lazy_pattern(
    r"(?<![\w.])(?:(?:Dr|Mr|Mrs|Ms|Mx|Messrs|Prof|Rev|Hon|Gen|Col|Capt|Lt|Sgt|Sen|Gov|Mt|Ft)"
    r"|(?i:dr|mr|mrs|prof|e\.g|e\. g|i\.e|i\. e|vs|viz|approx|ca|cf|incl|excl|esp|w))\.$"
)
"""Abbreviations that something must follow: they end no sentence."""

_BEFORE_NAME: Final = lazy_pattern(
    r"(?<![\w.])(?:(?i:ms|mt|gen|capt|lt|sgt|st|jr|sr|bros|ph\.d)"
    rf"|(?!I\.$){CAPITAL}|{LETTER}(?:\. ?{CAPITAL})+|u\.(?:s|k)(?:\.a)?)\.$"
)
"""Abbreviations and initials that a name may follow ("St. Mary", "J. R. Smith", "U.S. Embassy") or a new sentence."""

_BEFORE_SMALL: Final = lazy_pattern(
    r"(?<![\w.])(?:etc|a\.m|p\.m|a\. m|p\. m|inc|ltd|corp|co|ave|blvd|rd|dept|est)\.$", re.IGNORECASE
)
"""Abbreviations that end a phrase: a capital after them begins a sentence, unless it is a day, a month or a zone."""

_BEFORE_NUMBER: Final = lazy_pattern(
    rf"(?<![\w.])(?:(?i:nos?|nr|fig|vol|pp?|chap|ch|sect?|ver|v|ext|apt|tel)|(?i:{SHORT_MONTH}|{SHORT_WEEKDAY}))\.$"
)
"""Abbreviations before a number: "no. 1", "Jan. 5"; elsewhere some of them are words."""

_DATE_WORD: Final = lazy_pattern(rf"(?<![\w.])(?={CAPITAL})(?i:{SHORT_MONTH}|{SHORT_WEEKDAY})\.$")
_ELLIPSIS: Final = lazy_pattern(r"\.\.\.$")
_LISTED: Final = lazy_pattern(r"(?:^|[\n:])\s*\(?\d{1,2}\.$")
_NUMBERED: Final = lazy_pattern(r"(?<![\w.,:])\d{1,2}\.$")
_DATED: Final = lazy_pattern(rf"(?i:(?:{SHORT_WEEKDAY}|{SHORT_MONTH}|{WEEKDAY}s?|{MONTH})\b)|{CAPITAL}{{2,4}}\b")
_OPENER: Final = lazy_pattern(
    r"(?:what|where|when|who|whom|whose|why|which|how|i|i['\u2019]\w+|my|we|our|you|your|he|she|it|its|they|their|the"
    r"|this|that|these|those|there|is|are|am|was|were|do|does|did|don['\u2019]t|can|could|would|should|have|has|had"
    r"|and|but|so|also|then|now|please|tell|remind|if|in|on|at|for|from|after|before|because|yes|no)\b",
    re.IGNORECASE,
)
"""Words that begin a sentence with a capital and are no names."""


def is_full_stop(text: str, at: int) -> bool:
    """Whether the full stop at a place of a text, with a space or nothing after it, ends a sentence.

    Example:
        >>> is_full_stop("Ask Dr. Smith.", 6), is_full_stop("Ask Dr. Smith.", 13)
        (False, True)
    """
    after = text[at + 1 : at + 1 + _HEAD_CHARS].lstrip(" \t")
    if not after.rstrip("\"')]") or after[0] == "\n":
        return True
    head = text[max(0, at + 1 - _HEAD_CHARS) : at + 1]
    if _BEFORE_ANYTHING.search(head) or (after[0].isdecimal() and _BEFORE_NUMBER.search(head)):
        return False
    if _ELLIPSIS.search(head):
        return not after[0].islower()
    return not (_is_listed(head, after, is_whole=at < _HEAD_CHARS) or _goes_on(head, after))


def is_shortening(text: str, at: int) -> bool:
    """Whether the full stop at a place of a text only shortens the word before it, within a sentence."""
    return text[at - 1 : at].isalpha() and text[at + 1 : at + 2] == " " and not is_full_stop(text, at)


def without_shortenings(text: str) -> str:
    """Return a text in which every full stop behind a word, and before a space, ends a sentence.

    Example:
        >>> without_shortenings("I saw Dr. Lee. It was fine.")
        'I saw Dr Lee. It was fine.'
    """
    return _STOPPED.sub(lambda found: "" if is_shortening(text, found.start()) else ".", text)


def split_sentences(text: str, end: re.Pattern[str] = SENTENCE_END) -> list[str]:
    """Return a text in parts, as `end.split` does, but whole where a full stop ends no sentence.

    Args:
        text: Any text.
        end: What stands between two sentences, after the sign that ends the first; without groups.

    Example:
        >>> split_sentences("I saw Dr. Lee at 5 p.m. today. It was fine.")
        ['I saw Dr. Lee at 5 p.m. today.', 'It was fine.']
    """
    parts, start = [], 0
    for found in end.finditer(text):
        before = found.start() - 1
        if before >= 0 and text[before] == "." and not is_full_stop(text, before):
            continue
        parts.append(text[start : found.start()])
        start = found.end()
    return [*parts, text[start:]]


def _is_listed(head: str, after: str, *, is_whole: bool) -> bool:
    """Whether a number with a full stop counts what follows; a head that is not whole is the end of a longer one."""
    listed = _LISTED.search(head)
    if listed is not None and (is_whole or listed.start()):
        return True
    return after[0].islower() and _NUMBERED.search(head) is not None and _OPENER.match(after) is None


def _goes_on(head: str, after: str) -> bool:
    """Whether an abbreviation that may end a sentence does not end one here."""
    is_small = not after[0].isupper()
    if _BEFORE_SMALL.search(head):
        return is_small or (_DATED.match(after) is not None and _OPENER.match(after) is None)
    if is_small and _DATE_WORD.search(head):
        return True
    return _BEFORE_NAME.search(head) is not None and (is_small or _OPENER.match(after) is None)
