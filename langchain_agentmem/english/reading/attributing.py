"""Of whom something is said: what a sister does is told of nobody else."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.english.reading.about import things_in
from langchain_agentmem.english.reading.facts import OF_PEOPLE
from langchain_agentmem.english.reading.reading import USER
from langchain_agentmem.english.reading.statements import KEPT_STEMS, Fact, Statement
from langchain_agentmem.english.words.lexicon import PETS, ROLES, stem

_SOMEBODY: Final = frozenset(stem(word) for word in ROLES | PETS) | {"he", "she"}
"""Words for one person or animal; a family or a team may hold the user."""

_PERSONAL: Final = OF_PEOPLE | {"birthday"}
"""Relations of people: a name that has one is a person's, while a project can "use" something as its user does."""

_STATE: Final = {"is_a": "is"}
"""Both say what somebody is; which one depends on how the subject is written."""


def same_people(one: str, other: str) -> bool:
    """Whether two subjects may be one: the same, unsaid, or the same role with and without a name.

    Example:
        >>> same_people("user sister", "user sister nora"), same_people("user", "user sister")
        (True, False)
    """
    first, second = one.split(), other.split()
    if not first or not second or first == second:
        return True
    if len(first) == 1 or len(second) == 1:
        return False
    is_longer = USER in first and USER in second and (set(first) <= set(second) or set(second) <= set(first))
    return is_longer and [it for it in first if it in KEPT_STEMS] == [it for it in second if it in KEPT_STEMS]


def are_of_one(one: Statement, other: Statement) -> bool:
    """Whether two statements may be about the same person or thing.

    What is told of a name is told of nobody else, the user least of all: "Emma is not diabetic" says nothing of who
    else is. A thing may lead the one and be the user's in the other: "the rent is 700", "my rent was 650".

    Example:
        >>> from langchain_agentmem.english.reading.statements import parse_statement
        >>> are_of_one(parse_statement("Emma is not diabetic"), parse_statement("I am diabetic"))
        False
        >>> are_of_one(parse_statement("Emma is not diabetic"), parse_statement("Emma is diabetic"))
        True
    """
    if not one.led_by and not other.led_by:
        return same_people(one.subject, other.subject)
    mine, theirs = _whom(one), _whom(other)
    if not mine or not theirs or mine <= theirs or theirs <= mine:
        return True
    return one.led_by <= things_in(other.text) if one.led_by else other.led_by <= things_in(one.text)


def _whom(statement: Statement) -> frozenset[str]:
    return statement.led_by or frozenset(statement.subject.split())


def is_of_same(told: Statement, claim: Statement) -> bool:
    """Whether what was told can be about whom a claim is about."""
    alike = _alike(told, claim)
    if alike:
        return any(not _is_of_other(old, new) for old, new in alike)
    return any(fact.subject == USER for fact in told.facts) or are_of_one(told, claim)


def is_of_another(told: Statement, claim: Statement) -> bool:
    """Whether a claim is just what was told of somebody else."""
    return bool(_alike(told, claim)) and not is_of_same(told, claim)


def _alike(told: Statement, claim: Statement) -> list[tuple[Fact, Fact]]:
    return [
        (old, new)
        for old in told.facts
        for new in claim.facts
        if _kind(old) == _kind(new) and not old.words.isdisjoint(new.words)
    ]


def _kind(fact: Fact) -> str:
    return _STATE.get(fact.relation, fact.relation)


def _is_of_other(told: Fact, claim: Fact) -> bool:
    """Whether a fact is of somebody, and somebody else than a claim's."""
    if same_people(told.subject, claim.subject):
        return False
    words = told.subject.split()
    return not _SOMEBODY.isdisjoint(words) or (told.relation in _PERSONAL and words[0] not in {USER, "we"})
