"""What the user does together with somebody: "my wife and I live in Leeds" is said of the user, and of the wife."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.calendar_words import SEASON
from langchain_agentmem.english.words.number_words import TWO_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL
from langchain_agentmem.extraction.words.lexicon import KIN, NAME

_ONE: Final = (
    rf"(?:{KIN}|family|friends?|flatmate|roommate|neighbou?r|boss|manager|colleague|co-?worker|business partner"
    r"|co-?founder|dog)"
)
_WHO: Final = (
    r"(?:my|our) (?:(?:older|younger|elder|little|big|eldest|oldest|youngest|twin|new|best|good|close|dear|lovely"
    rf"|{TWO_OR_MORE}) ){{0,2}}{_ONE}(?:,? {NAME},?)?"
)
_TOGETHER: Final = lazy_pattern(
    rf"(?:(?P<other>{_WHO}) and (?:I|me|myself)|(?:me|myself) and (?P<second>{_WHO}))\b"
    r"(?: both)?(?: (?P<verb>are|were|aren't|weren't|are not|were not)\b)?(?: both\b)?",
    re.IGNORECASE,
)
_NAMED: Final = lazy_pattern(
    rf"(?:(?P<other>{NAME}) and (?:I|me)|(?:me|I) and (?P<second>{NAME}))\b(?: both)?"
    r"(?: (?P<verb>are|were|aren't|weren't|are not|were not)\b)?(?: both\b)?",
    re.IGNORECASE,
)
_WED: Final = lazy_pattern(
    r"(?: (?:have|just|recently|finally|now|also|both|happily|getting|got|been)){0,4} (?:married|engaged)\b"
    rf"(?! (?:to|in(?! (?:the )?(?:{CAPITAL}|\d|{SEASON}))|with|by)\b)"
)
"""What two are to each other, whoever they are."""

_COUPLE: Final = lazy_pattern(
    r"we(?:'ve| have) been (?:(?P<other>together)|a couple|dating) (?P<long>(?:for|since) .+)", re.IGNORECASE
)
_GROUP: Final = lazy_pattern(
    r"\b(?:bands?|teams?|choirs?|orchestra|ensemble|quartet|trio|duo|crew|squad|clubs?|compan(?:y|ies)|business(?:es)?"
    r"|start-?ups?|firms?|groups?|(?:co-?)?founders?|colleagues?|co-?workers?|friends|mates|dogs?|cats?|horses?|meetings?"
    r"|calls?|projects?)\b",
    re.IGNORECASE,
)
"""Those who are together and no couple."""

_OF_ONE: Final = {
    "are": "am",
    "were": "was",
    "aren't": "am not",
    "weren't": "was not",
    "are not": "am not",
    "were not": "was not",
}


class Apart(NamedTuple):
    """What is said of two, as said of the user alone, and who the other one is."""

    text: str
    other: str


def told_apart(text: str, known: frozenset[str] | None = None) -> Apart | None:
    """Return what a clause about the user and somebody close says of each; `None` where it is about nobody else.

    A team or colleagues stay one group with the user: what they do is not the user's own.

    Args:
        text: The clause.
        known: Names of people who were introduced, in small letters. Who is told of by such a name alone is looked for;
            whoever is married to the user needs no introduction.
    """
    both = (_TOGETHER if known is None else _NAMED).match(text)
    if both is None:
        return None
    verb = (both["verb"] or "").casefold()
    said, rest = _OF_ONE.get(verb), text[both.end() :]
    head, other = f"I {said}" if said else "I", (both["other"] or both["second"]).rstrip(",")
    wed = None if known is None else _WED.match(rest)
    if wed is not None:
        return Apart(f"{head}{wed[0]} to {other}{rest[wed.end() :]}", "")
    is_close = known is None or other.casefold() in known
    return Apart(f"{head}{rest}", other) if is_close else None


def of_couple(text: str, before: str) -> str | None:
    """Return how long a couple has been one as said of the user; `None` where it says no such thing.

    Args:
        text: The clause.
        before: What was said before it: a band has been together, too.

    Example:
        >>> (
        ...     of_couple("we've been together since 2015", "I'm married."),
        ...     of_couple("we've been together", "My band plays."),
        ... )
        ("I've been with my partner since 2015", None)
    """
    found = _COUPLE.fullmatch(text)
    if found is None or (found["other"] and _GROUP.search(f"{before} {text}")):
        return None
    return f"I've been with my partner {found['long']}"
