"""What was done once and is done no more, in one sentence: "I used to smoke but I quit three years ago".

Neither half tells it: the first names what is not so, and the second does not say what is over.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.beings import BEING
from langchain_agentmem.english.words.number_words import ONE_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL

_STOPPED: Final = (
    r"(?:quit|stopped|gave (?:it|that|them) up|don't any ?more|no longer do|kicked the habit)"
    rf"(?:,? (?:when|after|last|because|once|since|at (?:the age|\d+)|in (?:\d+|my|the|early|late|{CAPITAL}\w*)"
    rf"|for good|an?|{ONE_OR_MORE}|some|many|\d+|years|months|ages|recently"
    r"|completely)\b[^.!?\n]*)?[.! ]*"
)
_ONCE: Final = lazy_pattern(r"(?:I|we) used to [^.!?\n]{1,100}", re.IGNORECASE)
_NO_MORE: Final = lazy_pattern(
    rf"(?:I|we)(?:'ve| have)? (?:(?:just|finally|luckily|happily) )?{_STOPPED}", re.IGNORECASE
)
FORMERLY: Final = (
    rf"(?:I|we) used to (?!(?:it|that|this)\b)(?P<object>[^.!?]{{1,100}}?),? but (?:(?:I|we)(?:'ve| have)? )?"
    rf"(?:(?:just|finally|luckily|happily) )?{_STOPPED}$"
)
"""As a rule reads it."""


_WITH_SOMEBODY: Final = lazy_pattern(rf"\bwith (?:my|our) {BEING}s?(?:,? (?!is\b|was\b)[\w-]+)?$", re.IGNORECASE)
_SOMEBODY_TOO: Final = lazy_pattern(
    rf"(?:my|our) (?:[\w-]+ )?{BEING}s?(?:,? (?!\w+(?:ed|s)\b|(?:is|are|was|were|died|left|ran|got|had|can|will"
    r"|may)\b)[\w-]+)?"
    r"(?: (?:in|near|outside) [\w ]{2,40})?[.! ]*",
    re.IGNORECASE,
)
"""With whom one lives, the second of two: "with my partner Dan and our cat Miso in Brixton"."""


def is_of_one_piece(head: str, text: str, start: int, end: int) -> bool:
    """Whether what stands before a joint tells only together with what stands behind it, from `start` to `end`."""
    if _WITH_SOMEBODY.search(head) and _SOMEBODY_TOO.fullmatch(text, start, end):
        return True
    return _ONCE.fullmatch(head) is not None and _NO_MORE.fullmatch(text, start, end) is not None
