"""Whether a later statement updates an earlier one of the same speaker, and whether a question is about what holds now.

A statement updates another where it gives the same thing another value, says that something changed, and shares the
words that tell what the value is of: two of them at least, unless both speak of one thing alone ("the wedding was moved
to 12 June"). No words of a language model are needed, and none are trusted: a link orders and marks, it never removes
what was said.

Measured on the ten conversations of BEAM's first half: 113 links, 11 of its 18 labelled pairs among them; in LoCoMo's
five, where hardly anything changes in numbers, none. Nothing here depends on how common a word is: the links are the
same in whatever order conversations arrive. How sure a link is, is weighed when a question is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import term_hash, tokenize
from langchain_agentmem.english.reading.claims import OTHERS, OWN, Claim, ClaimKind
from langchain_agentmem.english.words.calendar_words import MONTHS

LATER_VALUE: Final = "later_value"
"""Name of the rule, in the log."""

MIN_SHARED: Final = 2
"""Telling terms that both statements must have, unless both give one thing alone a value. BEAM: with 1, some more links
and no question more in which the update comes first; with 3, 72 of 100 instead of 78; with 4, 50."""

MIN_SHARE: Final = 0.3
"""Those terms, as a share of the telling terms of the statement that has fewer; 0.1 to 0.3 find the same, with more
links."""

_APPOINTMENT_WORDS: Final = """
deadline due meeting call session appointment interview scheduled schedule booked sprint launch release event flight
exam test class workshop webinar visit submission submit delivery target reservation ceremony wedding party trip move
date milestone festival review
"""
_FRAME_WORDS: Final = """
kinda kind sort wonder wondering worried worry try trying understand already given consider considering especially since
enough sure figure out over after before use used using help make making want need get got getting trouble complete
completed finish finished feel feeling think thinking know like good great well really currently recently now new add
added further up down set start started plan planning planned manage ensure review project time work working day week
month year hour improve improved improvement increase increased reduce reduced adjust adjusted change changed update
updated move moved total first last next per each while still much many lot bit struggling struggle current reach
reached achieve achieved around through regarding due am pm effectively impact better different within
"""
_APPOINTMENTS: Final = frozenset(map(term_hash, tokenize(_APPOINTMENT_WORDS)))
_FRAME: Final = frozenset(map(term_hash, tokenize(" ".join((_FRAME_WORDS, *MONTHS)))))
"""Words in which people talk about anything: that two statements share them says nothing."""

_OWNERS: Final = frozenset({OWN, OTHERS})

_VALUE_ASKED: Final = lazy_pattern(
    r"\b(?:how (?:many|much|long|often|old|far|big|large|high|fast)|what|which|when|where|who)\b", re.IGNORECASE
)
_PAST_ASKED: Final = lazy_pattern(
    r"\b(?:initial(?:ly)?|original(?:ly)?|at first|first (?:say|said|mention\w*)|happened first|previous(?:ly)?|before"
    r"|used to|old|earlier|chang(?:e|ed|es)|evolve\w*|develop\w*|progress\w*|improve|difference|compar\w+|between"
    r"|across|summar\w+|order in which|over time)\b",
    re.IGNORECASE,
)


class Update(NamedTuple):
    """What a later statement changes.

    Attributes:
        terms: Hashes of the telling terms that both statements have.
        old, new: The values, where the claims still show them.
    """

    kind: ClaimKind
    terms: frozenset[int]
    old: str = ""
    new: str = ""


def update_between(earlier: Sequence[Claim], later: Sequence[Claim]) -> Update | None:
    """Return what a later statement changes of an earlier one, by the pair of values that share most; or nothing."""
    before, after = {claim.value for claim in earlier}, {claim.value for claim in later}
    changed = [claim for claim in later if is_update(claim) and claim.value not in before]
    ended = [claim for claim in earlier if claim.value not in after]
    found = (_replaced(old, new) for new in changed for old in ended)
    return max((it for it in found if it is not None), key=lambda it: len(it.terms), default=None)


def is_update(claim: Claim) -> bool:
    """Whether a claim says by itself that it is new: what was moved must be said to have moved."""
    return claim.is_change and (claim.is_move or not _is_dated(claim))


def telling(claim: Claim) -> frozenset[int]:
    """Return the terms around a value that tell what it is the value of."""
    return claim.near - _FRAME


def asks_for_value(question: str) -> bool:
    """Whether a question asks for something that may have changed, as it is now."""
    return _VALUE_ASKED.search(question) is not None and not asks_for_past(question)


def asks_for_past(question: str) -> bool:
    """Whether a question asks for what was, or for how something changed."""
    return _PAST_ASKED.search(question) is not None


def _replaced(old: Claim, new: Claim) -> Update | None:
    """Return what one value changes of another."""
    if (old.kind, old.unit) != (new.kind, new.unit) or not _is_of_same_owner(old, new):
        return None
    shared = telling(old) & telling(new) if _is_of_same(old, new) else frozenset()
    if len(shared) < max(MIN_SHARED, MIN_SHARE * min(len(telling(old)), len(telling(new)))):
        shared = new.alone if old.alone == new.alone and _may_count_same(old, new) else frozenset()
    return Update(old.kind, shared, old.shown, new.shown) if shared else None


def _may_count_same(old: Claim, new: Claim) -> bool:
    """Whether two clauses that speak of one thing alone count in one unit, or one of them in none."""
    counted = [it.counted - _FRAME for it in (old, new)]
    return not all(counted) or counted[0] == counted[1]


def _is_of_same(old: Claim, new: Claim) -> bool:
    """Whether both can be of the same thing: a number counts what the other counts, dates are of an appointment.

    A state that is denied ends only the value it denies.
    """
    if new.kind == "state":
        return not old.counted and (not new.counted or old.value in new.counted)
    if _is_dated(new):
        return bool(old.near & new.near & _APPOINTMENTS)
    return old.kind != "number" or bool(old.unit) or bool(old.counted & (new.counted | new.near))


def _is_of_same_owner(old: Claim, new: Claim) -> bool:
    """Whether nothing says that one is somebody else's, or meant for something else."""
    of_old, of_new = old.limits & _OWNERS, new.limits & _OWNERS
    if of_old and of_new and of_old != of_new:
        return False
    named_old, named_new = (it.limits - _OWNERS - _FRAME for it in (old, new))
    return named_new <= old.near and (OWN not in of_new or named_old <= new.near)


def _is_dated(claim: Claim) -> bool:
    return claim.kind in {"date", "time"}
