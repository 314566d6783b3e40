"""A denial that is narrower than what it seems to deny: who plays no golf with Bob, and no guitar well, plays on."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.statements import Statement
from langchain_agentmem.english.reading.states import WHEN_STEMS
from langchain_agentmem.english.words.calendar_words import MONTHS, WEEKDAYS
from langchain_agentmem.english.words.lexicon import GENERIC, stem

_DEGREES: Final = frozenset(
    "well very fluently properly perfectly always usually often exactly quite enough daily regularly".split()
)
"""How well, how much or how often something is done: who does not do it so may do it otherwise."""

_VERY_MUCH: Final = lazy_pattern(r"\bvery much\b", re.IGNORECASE)
_REASON: Final = lazy_pattern(
    r",|;|\b(?:because|since|due|so|as|after|but|thanks|now that|until|once|for (?:good|ever|now|[\w ]{0,20}\breasons?)"
    r"|on (?:my |the )?[\w'-]{1,20} (?:advice|orders?|recommendations?)|on (?:advice|orders)|with (?:age|the help)"
    r"|for (?:my|their|his|her|our) (?:health|heart|back|knees?|skin|stomach|weight|sake|kids|family))\b",
    re.IGNORECASE,
)
"""What stands behind it tells why, and of nothing else."""

_WITHIN: Final = lazy_pattern(
    r"\b(?:in|at|on|with|from|for|without|during|before|when|while|near|by|except)\b(?P<what>(?: [\w'-]+){1,4})",
    re.IGNORECASE,
)
_WHEN: Final = WHEN_STEMS | {stem(it) for it in (*MONTHS, *WEEKDAYS, "end", "beginning", "start", "age", "lent")}
_LITTLE: Final = frozenset("a an the my their his her our your any some this that it them all".split())
_OWN_ONE: Final = lazy_pattern(r"\b(?:to|like|likes|love|loves) (?:my|their|his|her|our|this|that)\b", re.IGNORECASE)
_ARE_ALL: Final = frozenset({"allergic_to"})


def denies_less(denial: Statement, claim: Statement) -> bool:
    """Whether a denial leaves room for what is claimed: it says of how, where, with whom, or of which one it is.

    Example:
        >>> from langchain_agentmem.english.reading.statements import parse_statement
        >>> claim = parse_statement("I play golf")
        >>> denies_less(parse_statement("I stopped playing golf with Bob"), claim)
        True
        >>> denies_less(parse_statement("I stopped playing golf last year"), claim)
        False
    """
    said = frozenset(map(stem, claim.words)) | frozenset(claim.content)
    if is_of_a_sort(denial, claim) or is_other_habit(denial, claim):
        return True
    if (denial.words & _DEGREES) - claim.words and not _VERY_MUCH.search(denial.text):
        return True
    if "without" in denial.words - claim.words:
        return True
    return _is_within(denial, said) or _is_of_another(denial, claim) or _is_of_one(denial, claim)


def _is_within(denial: Statement, said: frozenset[str]) -> bool:
    """Whether it is denied only somewhere, with somebody or for some purpose, of which nothing is claimed."""
    head = _REASON.split(denial.text.replace("\u2019", "'"), maxsplit=1)[0]
    for found in _WITHIN.finditer(head):
        words = [it.casefold() for it in found["what"].split() if it.casefold() not in _LITTLE]
        stems = {stem(it) for it in words if not it[0].isdigit()}
        if stems and said.isdisjoint(stems) and _WHEN.isdisjoint(stems):
            return True
    return False


def _is_of_another(denial: Statement, claim: Statement) -> bool:
    """Whether both say what they do in one way, and of things that have no word in common."""
    pairs = [(new, old) for new in denial.facts for old in claim.facts if new.key == old.key]
    return bool(pairs) and all(new.words.isdisjoint(old.words) and new.words <= GENERIC for new, old in pairs)


def _is_of_one(denial: Statement, claim: Statement) -> bool:
    """Whether what is denied of one's own is claimed of all: "not allergic to my cat"."""
    is_of_all = any(it.relation in _ARE_ALL for it in denial.facts)
    return is_of_all and bool(_OWN_ONE.search(denial.text)) and not _OWN_ONE.search(claim.text)


_ABSTAINS: Final = lazy_pattern(
    r".*\b(?:not|never|n't|no longer) (?P<does>drink|smoke)s?(?: at all| any ?more| any longer)?[.! ]*", re.IGNORECASE
)
_DOES: Final = lazy_pattern(
    r"\b(?P<does>drink|smoke)s? (?:(?:a lot|lots|plenty|too much|a bit) of )?(?P<what>.+)", re.IGNORECASE
)
_OTHER: Final = lazy_pattern(
    r"(?:(?:\w+ )?(?:coffee|tea|water|milk|juice|cola|coke|soda|lemonade|cocoa|squash|smoothies?|espresso|salmon|fish"
    r"|meat|ham|cheese|brisket|ribs|bacon))\b(?! and )",
    re.IGNORECASE,
)
_MEANT: Final = lazy_pattern(
    r"\b(?:alcohol|wine|beers?|cider|whisky|whiskey|vodka|gin|rum|spirits|cocktails?|pints?|champagne|prosecco|ale|lager"
    r"|cigarettes?|cigars?|pipe|weed|pot|joints?|packs?|tobacco|socially|again|now|too much|a lot(?! of)|every|daily"
    r"|on|at|when|with|occasionally|sometimes|heavily|regularly)\b",
    re.IGNORECASE,
)
"""What a smoker smokes, and a drinker drinks; and how often."""


def is_other_habit(denial: Statement, claim: Statement) -> bool:
    """Whether who does not drink, or smoke, is said to drink coffee, or to smoke salmon.

    Example:
        >>> from langchain_agentmem.english.reading.statements import parse_statement
        >>> never = parse_statement("I don't drink")
        >>> [is_other_habit(never, parse_statement(it)) for it in ("I drink a lot of coffee", "I drink wine")]
        [True, False]
    """
    abstains = _ABSTAINS.fullmatch(denial.text.replace("\u2019", "'").replace("n't ", " not "))
    does = _DOES.search(claim.text)
    if abstains is None or does is None or does["does"].casefold() != abstains["does"].casefold():
        return False
    return _MEANT.search(does["what"]) is None or _OTHER.match(does["what"]) is not None


_TASTE: Final = lazy_pattern(
    r"\b(?:hates?|dislikes?|(?:not|n't) (?:really )?(?:like|love|enjoy|stand)|cannot stand|likes?|loves?|enjoys?"
    r"|adores?)"
    r" (?P<what>[a-z-]+(?: [a-z-]+){0,3})[.! ]*$",
    re.IGNORECASE,
)
_NO_SORT: Final = frozenset(
    "now again too so very much really in on at with after before but and or to for the a an my all any most more again"
    " lot anymore these days still actually".split()
)


def is_of_a_sort(denial: Statement, claim: Statement) -> bool:
    """Whether what somebody likes is a sort of what they do not like: who hates fish may love fish fingers.

    Example:
        >>> from langchain_agentmem.english.reading.statements import parse_statement
        >>> fish = parse_statement("I hate fish")
        >>> [is_of_a_sort(fish, parse_statement(it)) for it in ("I love fish fingers", "I love fish now")]
        [True, False]
    """
    general, sort = (_TASTE.search(it.text.replace("\u2019", "'")) for it in (denial, claim))
    if general is None or sort is None:
        return False
    less, more = ({stem(word) for word in it["what"].casefold().split()} for it in (general, sort))
    return less < more and _NO_SORT.isdisjoint(sort["what"].casefold().split())
