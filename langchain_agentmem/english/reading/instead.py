"""What is so instead, said right behind a denial: "I don't live in Leeds any more, I moved to York"."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern

_DENIAL: Final = (
    r"(?P<denial>(?:[^,;.!?]{0,80}?\b(?:no longer|stopped|quit|g[ai]ven? up|not|never)\b|[^,;.!?]{0,80}?n['\u2019]t\b)"
    r"[^,;.!?]{1,80}?)"
)
_SUBJECT: Final = r"(?:(?:I|we|he|she|they|the user|user)(?:['\u2019](?:m|ve|re|s|d|ll))?(?= )|my (?=\w))"
_INSTEAD: Final = lazy_pattern(
    rf"{_DENIAL}(?:[,;.!?]+ (?:and |but |so |now |instead,? )?{_SUBJECT}"
    r"|,? and (?:have |has |'ve )?(?:now )?(?:moved|switched|changed|started|went|joined|took|bought|got)\b)",
    re.IGNORECASE,
)
_IN_JEST: Final = lazy_pattern(r"[,;.!?]+ (?:I|we|he|she|they) (?:just )?\w+ (?:it|them|him|her)[.!]*$", re.IGNORECASE)
_FOR_GOOD: Final = lazy_pattern(r"\b(?:any ?more|no longer|stopped|quit|g[ai]ven? up)\b", re.IGNORECASE)


def denials_before(text: str) -> list[str]:
    """Return the denial that a text begins with, where what is so instead follows; else nothing.

    Example:
        >>> denials_before("I'm no longer vegetarian, I eat fish now"), denials_before("I don't drink coffee or tea")
        (["I'm no longer vegetarian"], [])
        >>> denials_before("I don't drink coffee, I inhale it")
        []
    """
    found = _INSTEAD.match(text)
    if found is None or (_IN_JEST.search(text) and not _FOR_GOOD.search(found["denial"])):
        return []
    return [found["denial"]]
