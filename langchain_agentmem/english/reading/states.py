"""How somebody is, of which there is one way at a time: married or single, vegan or vegetarian.

The object of each pattern is one of a closed list of words, so that what differs can be told from what may both hold.
What was so at a time of its own ("got married in 2010") is history, and no state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.calendar_words import MONTHS, SEASONS
from langchain_agentmem.english.words.kin_words import A_PARTNER, PARTNERS, any_of
from langchain_agentmem.english.words.lexicon import stem
from langchain_agentmem.english.words.thesaurus import WORKERS

MARITAL_STATUS: Final = "marital_status"
DIET: Final = "diet"
STATE_RELATIONS: Final[frozenset[str]] = frozenset({MARITAL_STATUS, DIET})

_MARITAL: Final = "single married engaged divorced widowed separated"
_SPOKEN_FOR: Final = PARTNERS - {"partner"}
_ATTACHED: Final = any_of(_SPOKEN_FOR)
_A_STATUS: Final = any_of(_MARITAL.split())
_DIETS: Final = "vegan vegetarian pescatarian pescetarian flexitarian omnivore carnivore"
_A_DIET: Final = any_of(_DIETS.split())
_MANNER: Final = r"(?:(?:happily|newly|legally|officially|finally|strictly|fully|completely|strict|an?) ){0,2}"

STATE_PATTERNS: Final[Sequence[tuple[str, str, str]]] = (
    (
        MARITAL_STATUS,
        _MARITAL,
        rf"(?:is|am|are|(?:has |have )?(?:just )?(?:been|become|got|gotten|became)) {_MANNER}(?P<o>{_A_STATUS})",
    ),
    (MARITAL_STATUS, " ".join(_SPOKEN_FOR), rf"(?:has|have) an? (?:new )?(?P<o>{_ATTACHED})"),
    (
        DIET,
        _DIETS,
        rf"(?:is|am|are|(?:has |have )?(?:just )?(?:been|become|gone|turned|became|went)) {_MANNER}(?P<o>{_A_DIET})",
    ),
    (DIET, "meat", r"(?:(?:is|am|are|started|began|resumed) )?(?:eats?|eating) (?P<o>meat) again"),
)
"""The relation, words of which one is there, and the pattern behind a subject, in the normal form of words.

They say nothing of where, how long and since when.
"""

_GOES_ON: Final = lazy_pattern(
    r"(?: ?,| (?:and|but|with|to|for|since|in|on|at|last|this|from|by|because|so|after|again|yesterday|over|\d).*)"
)
_OF_A_STATE: Final = lazy_pattern(
    rf" (?:separated from (?:user 's|their|the|a) (?!{A_PARTNER}\b)[a-z]+"
    r"|divorced from (?:reality|this|that|the|it)|engaged (?:in|with|by)"
    r"|married to (?:[^ ]+ ){0,2}(?:job|work|idea|career))\b"
)
_OTHER_TIME: Final = lazy_pattern(r" (?:when|while|before|until|as|then|in (?:my|his|her|their))\b")
_EVENT: Final = lazy_pattern(r"\b(?:got|gotten|became|became|become|been|went|turned|gone)\b")
_LATELY: Final = lazy_pattern(r"\b\d+s ago\b")
_SPAN: Final = lazy_pattern(r" (?:for|since) .*")
_COUNTED: Final = lazy_pattern(r"(?<![\w])-?-?\d")


def is_state(clause: str, tail: str) -> bool:
    """Whether a clause that a pattern fits says how somebody is; `tail` is what stands behind the state.

    Example:
        >>> is_state("user got married last week", " last week"), is_state("user got married in 2010", " in 2010")
        (True, False)
    """
    if (tail and not _GOES_ON.match(tail)) or _OF_A_STATE.search(clause) or _OTHER_TIME.search(tail):
        return False
    when = _SPAN.sub("", _LATELY.sub("", tail))
    return _EVENT.search(clause) is None or _COUNTED.search(when) is None


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


_SINGLE: Final = _stems("single")
_ALONE: Final = _stems("single divorced widowed separated")
_ATTACHED_STEMS: Final = _stems(" ".join(_SPOKEN_FOR))


def may_both_be(new: frozenset[str], old: frozenset[str]) -> bool:
    """Whether two words for how somebody is can both be right: who is divorced may well be single."""
    if (new | old) & _ATTACHED_STEMS:
        return not (new | old) & _SINGLE
    return bool((new | old) & _SINGLE) and new | old <= _ALONE


WHEN_STEMS: Final = _stems(
    "again ago since last next this week month year day yesterday today recent late"
) | frozenset(map(stem, (*SEASONS, *MONTHS)))
"""Words that tell since when something is so, and not in which case."""

_TOLD_BY: Final[Mapping[str, str]] = {
    "lives_in": "lives in moved to",
    "works_at": f"works at for employed joined job {WORKERS}",
    "works_as": "works as job",
    "trade": f"works as job {WORKERS}",
    "age": "years old turned age",
    "partner": f"married to engaged {' '.join(PARTNERS)}",
    MARITAL_STATUS: "single married engaged divorced widowed separated",
    DIET: "vegan vegetarian pescatarian diet meat",
    "name": "called name",
    "called": "call go by",
    "email": "email",
    "phone": "phone number",
}


def told_by(relation: str) -> str:
    """Return words with which another value of a relation may have been told; they need not be those of this one."""
    return _TOLD_BY.get(relation, "")
