"""What a clause gives a value to, where it speaks of nothing else: "the wedding" of "the wedding is on 5 June".

There one word tells what it is about. English; whole clauses alone, from "the", "my" or "our" to what ends a clause,
in words of being and moving. What tells more ("the deadline for the grant"), or may mean another each time ("the next
meeting"), is none.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.reading.moving import DAY, MOVED, TIME
from langchain_agentmem.english.words.calendar_words import WEEKDAY

_LEAD: Final = (
    r"\W*(?:(?:so|and|but|well|oh|hey|hi|okay|ok|sorry|also|update|(?:good |bad |great )?news|by the way|btw|fyi"
    r"|just so you know|[a-z]{3,}ly)\b[\s,:!-]+){0,3}"
)
_SET: Final = r"(?:raised|lowered|reduced|increased|cut)"
_LINK: Final = (
    rf"(?:{MOVED}|{_SET}|is|are|was|were|be|been|being|has|have|will|got|gets|went|goes|costs?|starts?|begins?|ends?"
    r"|now|currently|just|actually|officially|finally|again|already|due|set|scheduled|booked|planned|fixed|dropped"
    r"|fell|rose|grew|improved|up|down|back|forward|on|at|for|to|until|till)"
)
_OF_MANY: Final = r"next|last|other|another|same|old|former|previous|only|thing|one|rest"
_NOUN: Final = rf"(?!(?:{_LINK}|{_OF_MANY})\b)[a-z][\w-]*"
_THING: Final = rf"(?:the|my|our) (?:(?:new|current|latest) )?(?P<what>{_NOUN}(?: {_NOUN}){{0,2}})"
_FROM: Final = r"(?: from [^,;]{1,20}(?= to $))?"
_BEFORE: Final = (
    lazy_pattern(rf"{_LEAD}{_THING}(?: {_LINK})+{_FROM}(?: to)? ", re.IGNORECASE),
    lazy_pattern(
        rf"{_LEAD}(?:I|we)(?:['\u2019]ve| have)?(?: just)? (?:{MOVED}|{_SET}) {_THING}(?: (?:back|forward|up|down))?"
        rf"{_FROM} (?:to|until|till) ",
        re.IGNORECASE,
    ),
)
_AFTER: Final = lazy_pattern(
    rf"(?P<unit> (?!(?:now|so|and|but|because|since|as|or|at|on|in|of|for|to|not|with)\b)[a-z]+)?"
    rf"(?: (?:an?|per) (?:hour|day|week|month|year))?(?:,? (?:at {TIME}|on (?!{WEEKDAY}){DAY}))?(?: (?:now|instead))?"
    r"(?:[.!]*\W*$|[;:]|(?:,| [\u2013-]| (?=(?:because|since|as|so|and|but)\b))"
    r"(?! ?(?:(?:and|but|or|with|for|of|in|on|at|from)\b|(?:and |but |or )?\d)))",
    re.IGNORECASE,
)
"""What may follow a value in its clause, and end it: "700 euros a month, because …", and not "700 for the garage"."""


def valued_alone(before: str, after: str, *, is_amount: bool) -> frozenset[str]:
    """Return the terms of the one thing that a clause gives a value, or none.

    Args:
        before: What stands in its sentence before the value.
        after: What stands there after it.
        is_amount: A unit may follow the value.

    Example:
        >>> valued_alone("The wedding was moved to ", ".", is_amount=False)
        frozenset({'wed'})
        >>> valued_alone("The deadline is ", " for the grant.", is_amount=False)
        frozenset()
    """
    rest = _AFTER.match(after)
    if rest is None or "?" in after or (rest["unit"] and not is_amount):
        return frozenset()
    found = next(filter(None, (it.fullmatch(before) for it in _BEFORE)), None)
    return frozenset(tokenize(found["what"])) if found is not None else frozenset()
