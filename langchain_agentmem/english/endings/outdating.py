"""How likely it is that a later statement leaves an earlier one out of date, where no rule reads either.

People seldom say that something changed in words that a rule could know: "my girlfriend moved in with me" ends "I live
alone". What speaks for it are signs: both are about the same people and share what they speak of, the later one has
words of change, denies what the earlier one says, gives another number or day. None of them decides; a logistic
regression weighs them, fitted by `benchmarks/updates.py --fit` on one half of what it is measured on. It knows nothing
of the world: it marks, and ends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import exp
from typing import Final, NamedTuple

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.people.whose import clauses_of
from langchain_agentmem.english.text.quantities import dimension, match_quantity
from langchain_agentmem.english.words.calendar_words import MONTHS, WEEKDAYS
from langchain_agentmem.english.words.change_words import CHANGE_WORDS, NOT_DONE
from langchain_agentmem.english.words.kin_words import KIN_WORDS
from langchain_agentmem.english.words.patterns import CAPITALIZED
from langchain_agentmem.english.words.thesaurus import sorts_of, standing_for
from langchain_agentmem.english.words.word_forms import PAST

LIKELY: Final = 0.6
"""From here on a statement is marked. Nine of ten marks are right on the half that was not fitted on."""

_WEIGHTS: Final = {
    "meets": 1.31,
    "meets_nothing": -2.39,
    "share_old": 2.79,
    "says_less": -0.30,
    "says_more": -0.77,
    "is_short": 0.22,
    "one_sort": 0.51,
    "share_new": 1.15,
    "same_people": 0.67,
    "stranger": -0.61,
    "left_out": -0.75,
    "same_name": 0.89,
    "other_name": 0.24,
    "other_day": 1.41,
    "same_day": 0.11,
    "other_number": 1.38,
    "same_number": -0.11,
    "denial": 0.49,
    "orders": 0.16,
    "order_and_fact": 0.05,
    "was_past": -0.54,
    "past": 0.64,
    "denies": 0.47,
    "over": 0.09,
    "changed": -0.27,
    "now": 0.72,
    "lately": 0.41,
    "corrects": 0.09,
    "achieved": 0.01,
    "all": 0.18,
    "over_shared": 0.94,
    "changed_shared": 0.53,
    "corrects_shared": 0.29,
    "all_shared": 0.95,
    "was_over": -0.40,
    "says_change": 0.68,
}
_BIAS: Final = -3.63

_OF_WHAT_IS_SHARED: Final = ("over", "changed", "corrects", "all")
"""Words of change that count more, the more both statements share."""

_IN_WORDS: Final = ("denies", "over", "changed", "corrects", "denial")
_CLEAR: Final = (*_IN_WORDS, "other_number", "other_day")
_OF_CHANGE: Final = (*CHANGE_WORDS, *_CLEAR, "one_sort", "orders", "past")
"""Signs of which there is one at least where something changed: a clear one, where a statement says what the other says
and more; a word, where it says only a part of that, as a budget may be another one than "the budget for the trip"."""

_TAKEN_BACK: Final = ("corrects", "denial")
"""Signs of which there is one where what happened is taken back: it happened, whatever happened since."""

_ORDER: Final = lazy_pattern(
    r"(?:please |from now on,? |always |never |don't |do not |stop |use |make |call |keep |give |show |send |write "
    r"|set |address |answer |reply |remind |respond |speak |explain |format |skip |avoid |the assistant )",
    re.IGNORECASE,
)
_PAST: Final = lazy_pattern(rf"\b(?:was|were|had|did|{'|'.join(sorted(PAST))}|\w{{3,}}ed)\b", re.IGNORECASE)
_NAME: Final = lazy_pattern(rf"(?<![.!?:] )(?<!^)\b{CAPITALIZED}")
_WORD: Final = lazy_pattern(r"\S+")
_LETTERS: Final = lazy_pattern(r"[^\W\d_]+")
_LABEL: Final = lazy_pattern(
    r"\b(?!(?:is|are|was|were|be|at|to|of|by|about|only|around|for|from|have|has|had|got|in|on|and|or|than|the|a|my"
    r"|our|with|takes?|took|turned|over|under|every|all|just|now|currently|costs?|weighs?|runs?|ran|reads?)\b)[a-z]+"
    r" #?\d+\b(?![%.:,/-]| ?(?!(?:is|was|are|were|has|have|runs?|and|or|in|on|at|for|to|with|needs?)\b)[a-z])",
    re.IGNORECASE,
)
"""What is one of several by its number: "room 3", "port 8000"."""

_WORDS_TOO: Final = frozenset({"may", "march"})
"""Months that in small letters are other words."""

_FRAME: Final = frozenset(
    tokenize(
        "new now longer anymore user assistant actually really just finally start stop quit switch move change go get"
        " take make use day week month year time last next every still already today yesterday thing way lot"
    )
)
"""Terms that say of anything that it changes, or when: two statements share them by chance."""

_RELATIVES: Final = frozenset(tokenize(" ".join(("friend", *(it.name for it in KIN_WORDS.values())))))
"""Whose news are their own; a landlord, a boss or a doctor decides on what is the user's."""

_KEPT: Final = 4_096


class Told(NamedTuple):
    """What a statement shows of itself.

    Attributes:
        terms: What it speaks of. `sorts`: of those, things of one sort each.
        people: Terms of whom it is about; empty where it is the user.
        numbers: Quantities, by what they measure. `labels`: things that a number tells apart.
        days: Weekdays and months. `names`: words in capital letters.
        changes: Which of `CHANGE_WORDS` it has.
        is_order: Whether it tells somebody what to do. `is_past`: whether it tells what was.
    """

    terms: frozenset[str]
    sorts: Mapping[int, frozenset[str]]
    people: frozenset[str]
    numbers: Mapping[str, frozenset[str]]
    labels: frozenset[str]
    days: frozenset[str]
    names: frozenset[str]
    changes: frozenset[str]
    is_order: bool
    is_past: bool


@of_texts(_KEPT)
def chance_outdated(old: str, new: str) -> float:
    """Return how likely it is, in [0, 1], that who knows what was said later does not believe what was said first.

    Args:
        old: What was said first, in the user's own voice.
        new: What was said later, likewise.

    Example:
        >>> chance_outdated("I live alone", "I like jazz"), chance_outdated("Room 3 is cold", "Room 4 is cold now")
        (0.0, 0.0)
    """
    if NOT_DONE.search(new):
        return 0.0
    found = signs(old, new)
    needed = _CLEAR if found["says_more"] else _IN_WORDS if found["says_less"] else _OF_CHANGE
    needed = _TAKEN_BACK if found["was_past"] else needed
    if not any(found[sign] for sign in needed) or _is_of_another(told_in(old), told_in(new)):
        return 0.0
    return 1 / (1 + exp(-_BIAS - sum(_WEIGHTS[sign] * value for sign, value in found.items() if value)))


def _is_of_another(one: Told, other: Told) -> bool:
    """Whether a statement is of somebody's family, or of a thing with a number, of which the earlier one is not."""
    return one.labels != other.labels or not _RELATIVES.isdisjoint(_strangers(one, other))


def _strangers(one: Told, other: Told) -> frozenset[str]:
    return other.people - one.people - one.terms - one.names


def signs(old: str, new: str) -> dict[str, float]:
    """Return what speaks for and against it that `new` leaves `old` out of date, each in [0, 1]."""
    one, other = told_in(old), told_in(new)
    overlap = sum(_matched(term, other.terms) for term in one.terms)
    meets, share = min(overlap, 3) / 3, overlap / max(1, len(one.terms))
    back = sum(_matched(term, one.terms) for term in other.terms)
    return {
        **_of_terms(one, other, meets, share),
        "share_new": back / max(1, len(other.terms)),
        **_of_people(one, other),
        **_of_values(one, other, meets),
        **_of_words(one, other, meets, share),
    }


def _of_terms(one: Told, other: Told, meets: float, share: float) -> dict[str, float]:
    return {
        "meets": meets,
        "meets_nothing": float(not meets),
        "share_old": share,
        "says_less": float(one.terms >= other.terms),
        "says_more": float(one.terms <= other.terms),
        "is_short": 1 / (1 + len(other.terms)),
        "one_sort": float(_are_rivals(one.sorts, other.sorts)),
    }


def _of_people(one: Told, other: Told) -> dict[str, float]:
    return {
        "same_people": float(bool(one.people) and one.people == other.people),
        "stranger": float(bool(_strangers(one, other))),
        "left_out": float(not one.people <= other.people | other.terms | other.names),
        "same_name": float(bool(one.names & other.names)),
        "other_name": float(bool(one.names and other.names) and not one.names & other.names),
    }


def _of_values(one: Told, other: Told, meets: float) -> dict[str, float]:
    return {
        "other_day": float(bool(one.days and other.days) and one.days != other.days),
        "same_day": float(bool(one.days & other.days)),
        "other_number": float(_differ(one.numbers, other.numbers)) * meets,
        "same_number": float(any(one.numbers.get(it) == values for it, values in other.numbers.items())),
    }


def _of_words(one: Told, other: Told, meets: float, share: float) -> dict[str, float]:
    new = other.changes - one.changes
    return {
        "denial": float(("denies" in one.changes) != ("denies" in other.changes)) * share,
        "orders": float(one.is_order and other.is_order) * meets,
        "order_and_fact": float(one.is_order != other.is_order),
        "was_past": float(one.is_past),
        "past": float(other.is_past and not one.is_past),
        **{word: float(word in new) for word in CHANGE_WORDS},
        **{f"{word}_shared": float(word in new) * share for word in _OF_WHAT_IS_SHARED},
        "was_over": float(bool(one.changes & {"over", "changed", "corrects"})),
        "says_change": float(bool(new & {"over", "changed", "corrects", "now"})) * meets,
    }


@of_texts(_KEPT)
def told_in(text: str) -> Told:
    """Return what a statement shows of itself."""
    terms = frozenset(_same_kin(it) for it in tokenize(text) if not it[0].isdigit()) - _FRAME
    words = {it if it.casefold() in _WORDS_TOO else it.casefold() for it in _LETTERS.findall(text)}
    days = frozenset(day for day in (*WEEKDAYS, *MONTHS) if words & {day, f"{day}s", day.title()} - _WORDS_TOO)
    return Told(
        terms=terms,
        sorts=sorts_of(terms),
        people=frozenset(_same_kin(it) for clause in clauses_of(text, ()) for it in clause.people),
        numbers=_numbers(text),
        labels=frozenset(it.casefold() for it in _LABEL.findall(text)),
        days=days,
        names=frozenset(it.casefold() for it in _NAME.findall(text)) - days,
        changes=frozenset(word for word, pattern in CHANGE_WORDS.items() if pattern.search(text)),
        is_order=_ORDER.match(text) is not None,
        is_past=_PAST.search(text) is not None,
    )


def _numbers(text: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for word in _WORD.finditer(text):
        quantity = match_quantity(text, word.start())
        if quantity is not None:
            kind = dimension(quantity[0])
            found[kind] = found.get(kind, frozenset()) | {quantity[0]}
    return found


def _same_kin(term: str) -> str:
    word = KIN_WORDS.get(term)
    return term if word is None else next(iter(tokenize(word.name)), term)


def _matched(term: str, others: frozenset[str]) -> float:
    """Return how far one of the others says the same as a term, in [0, 1]."""
    if term in others:
        return 1.0
    return max((share for it, share in standing_for(term).items() if it in others), default=0.0)


def _differ(old: Mapping[str, frozenset[str]], new: Mapping[str, frozenset[str]]) -> bool:
    """Whether each gives one number of a kind, and not the same: of several, one may tell which thing is meant."""
    return any(len(old[kind]) == len(it) == 1 and old[kind] != it for kind, it in new.items() if kind in old)


def _are_rivals(old: Mapping[int, frozenset[str]], new: Mapping[int, frozenset[str]]) -> bool:
    """Whether each has something of one sort that the other has not."""
    return any(old[sort] - it and it - old[sort] for sort, it in new.items() if sort in old)
