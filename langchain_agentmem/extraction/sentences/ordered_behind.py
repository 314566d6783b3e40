"""An order to the assistant behind a statement: "I speak French at work, but reply to me in English".

Whoever speaks would say "myself" of what they do themselves, and what somebody does is told by a verb in "-s": behind
both, a bare verb whose object is "me" is an order. Where several others are spoken of, it is they who do it: "my kids
live in Rome but call me on Sundays".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.beings import BEING
from langchain_agentmem.english.words.kin_words import RELATIVES
from langchain_agentmem.english.words.number_words import TWO_OR_MORE
from langchain_agentmem.extraction.words.lexicon import COLLEAGUE

_VERB: Final = (
    r"(?:answer|reply|respond|write|speak|talk|chat|text|e-?mail|message|call|phone|contact|address|greet|tell|show|give"
    r"|send|explain|teach|remind|help|correct|translate|format|summari[sz]e|quote|spell|ask)"
)
_OBJECT: Final = r"(?:(?!(?:who|that|which|what|where|whom|he|she|they|I|we|you|and|but|or|if|when|as)\b)[\w'-]+ ){1,4}"
_TO_ME: Final = rf"{_VERB} (?:(?:(?:back )?(?:to|with|for) )?me|{_OBJECT}(?:to|with|for) me)\b(?! and\b)"
_JOINT: Final = lazy_pattern(
    rf"\s*,?\s+(?P<word>but|and|so|yet|though|although|because|plus)\s+(?:(?:please|pls|kindly|always|only|just|also|then|now)"
    rf" )*(?={_TO_ME})|,\s+(?:(?:please|pls|kindly|always|only|just) )*(?={_VERB} (?:(?:to|with) )?me\b)",
    re.IGNORECASE,
)
_OF_ONES_OWN: Final = lazy_pattern(r"(?:[\w']+,? ){0,3}?(?:I|we|my|our)(?:'\w+)? ", re.IGNORECASE)
_SUBORDINATE: Final = lazy_pattern(
    r"(?:before|after|when(?:ever)?|if|unless|until|while|once|as|since|because|for)\b", re.IGNORECASE
)
_PEOPLE: Final = (
    rf"(?:(?:{BEING}|{COLLEAGUE}|friend|colleague|teammate|client|customer|user|guest|visitor|relative|guy|other|boy|girl"
    rf"|pupil|tenant|follower|reader|fan|buddy|mate|in-law)s|{RELATIVES}|children|people|folks?|men|women|buddies"
    r"|most|some|everyone|everybody)"
)
_OWN: Final = r"(?:my|our|the|his|her|their)"
_SEVERAL: Final = lazy_pattern(
    r"(?:.*\b(?:and|but|because|so|while|when|if)\s+)?(?:they\b"
    rf"|(?:(?:{_OWN}|all|most|some|both|many|{TWO_OR_MORE}|these|those) ){{0,3}}(?:[\w-]+ ){{0,2}}?{_PEOPLE} "
    r"(?!is\b|has\b)"
    rf"|{_OWN} [\w-]+ and (?:{_OWN} )?(?!I\b)[\w-]+ )",
    re.IGNORECASE,
)
_OF_OTHERS: Final = lazy_pattern(
    r"\b(?:who|whom|which|(?<=\ws )that|(?:want|need|like|let|make|have|help|ask|tell|see|hear|get|expect|teach)"
    r" (?:my|our|the|them|him|her|it|people|everyone|everybody|someone|somebody) )",
    re.IGNORECASE,
)
"""A relative clause, or what others are to do, which goes on behind the joint."""

_BARE: Final = lazy_pattern(rf"(?:use|keep|avoid|be|book|reach|ping|{_VERB})\b", re.IGNORECASE)


def ordered_behind(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where a statement, and each order behind it, begins and ends; what has none comes back as it is.

    Example:
        >>> text = "We use Dutch in the shop but speak English with me"
        >>> [text[first:last] for first, last in ordered_behind(text, 0, len(text))]
        ['We use Dutch in the shop', 'speak English with me']
    """
    for joint in _JOINT.finditer(text, start, end):
        head = text[start : joint.start()]
        is_statement = joint["word"] or (_OF_ONES_OWN.match(head) and not _SUBORDINATE.match(head))
        if head and is_statement and not _is_done_by_others(head):
            yield start, joint.start()
            start = joint.end()
    yield start, end


def is_done_by_others(head: str, text: str, at: int) -> bool:
    """Whether a bare verb at a place goes on with a subject before it, of several: "they live far off but call me"."""
    return _BARE.match(text, at) is not None and _is_done_by_others(head)


def _is_done_by_others(head: str) -> bool:
    return _SEVERAL.match(head) is not None or _OF_OTHERS.search(head) is not None
