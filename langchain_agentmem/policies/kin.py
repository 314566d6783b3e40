"""Whom a request names by what they are to the user: "my brother" is Ben, where memory tells so, and of one alone.

"My brothers" are all of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from langchain_agentmem.policies._lexicon import PETS
from langchain_agentmem.policies.forgotten import names_in
from langchain_agentmem.policies.naming import USER, key_of, role_in
from langchain_agentmem.policies.relations import ROLES, canonical_role
from langchain_agentmem.types import Candidate, Memory

_NAMED: Final = re.compile(
    r"(?:about )?(?P<who>(?:[Mm]y|[Oo]ur) (?:[a-z]+ )?(?P<role>[a-z-]+)),?(?: (?P<name>[A-Z][\w-]*(?: [A-Z][\w-]*)?))?"
)
_OF_ONE: Final = re.compile(r"\b(?:my|our) [a-z-]+", re.IGNORECASE)
_GROUPS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("kids", "children"), frozenset({"son", "daughter", "child"})),
    "parents": frozenset({"mother", "father"}),
    "siblings": frozenset({"brother", "sister", "twin"}),
    "pets": PETS,
}
"""Words for several who are each something else to the user."""


class Kin(NamedTuple):
    """Somebody whom the user has.

    Attributes:
        role: What they are to the user.
        key: Of their name; see `key_of`.
        called: What the user may be called, besides what a memory tells.
    """

    role: str
    key: str
    called: frozenset[str]

    def is_told_of_in(self, memory: Memory) -> bool:
        """Whether a memory is about them."""
        return memory.subject is not None and key_of(memory.subject) == self.key

    def is_another_in(self, memory: Memory) -> bool:
        """Whether a memory tells of somebody of that name who is something else to the user, or to somebody else."""
        relation = None if memory.relation is None else canonical_role(memory.relation)
        if memory.object is None or relation not in ROLES or key_of(memory.object) != self.key:
            return False
        return relation != self.role or not _is_of_user(memory, self.called)


class NamedKin(NamedTuple):
    """Whom a request names.

    Attributes:
        people: Who they may be, by what memories tell.
        is_each: All of them are meant, and not one.
        is_of_several: One is meant without a name, and a memory tells of several: "two brothers, Tom and Peter".
    """

    people: tuple[Kin, ...] = ()
    is_each: bool = False
    is_of_several: bool = False

    @property
    def is_open(self) -> bool:
        """Whether one is meant, and nothing tells which."""
        return not self.is_each and (self.is_of_several or len(self.people) > 1)


def kin_named(what: str, memories: Iterable[Memory], called: Collection[str] = ()) -> NamedKin:
    """Return whom a request may name, by what memories tell; several where these know several of them.

    Args:
        what: Of the request: "my brother", "my older brother Ben".
        memories: Which it means by its words.
        called: What the user may be called, besides what a memory tells.
    """
    found = _NAMED.fullmatch(" ".join(what.split()).strip(" .,!?"))
    if found is None:
        return NamedKin()
    one, roles = _roles(found["role"])
    if not roles:
        return NamedKin()
    several = re.compile(rf"\b{re.escape(found['role'])}s\b(?!['\u2019])", re.IGNORECASE)
    is_of_several = one and not found["name"] and any(several.search(it.content) for it in memories)
    told = (it for it in memories if it.object and it.relation and canonical_role(it.relation) in roles)
    people = {(key_of(it.object or ""), canonical_role(it.relation or "")) for it in told if _is_of_user(it, called)}
    if found["name"] is not None:
        people = {it for it in people if it[0] == key_of(found["name"])}
    each = tuple(Kin(role, name, frozenset(called)) for name, role in sorted(people))
    return NamedKin(each, is_each=not one, is_of_several=is_of_several)


def told_by_name(candidate: Candidate, memories: Sequence[Memory]) -> Candidate | None:
    """Return what is told of "the user's brother" as told of Ben, where memory knows of him alone by that name.

    Args:
        candidate: What is told. "My older brother" may be another one, and so may one of whom the same was told before,
            who has no name.
        memories: What is in force.
    """
    whose = role_in(candidate.subject or "")
    said = _OF_ONE.search(candidate.provenance.evidence or "")
    if whose is None or said is None or role_in(said[0]) != whose or whose[0] != USER:
        return None
    named = kin_named(said[0].casefold(), memories)
    if named.is_each or named.is_open or len(named.people) != 1 or any(map(named.people[0].is_another_in, memories)):
        return None
    if any(role_in(it.subject or "") == whose and it.relation == candidate.relation for it in memories):
        return None
    name = next(it.object for it in memories if it.object and key_of(it.object) == named.people[0].key)
    content = re.sub(
        rf"^{re.escape(candidate.subject or '')}(?= )", name, candidate.content, count=1, flags=re.IGNORECASE
    )
    return None if content == candidate.content else replace(candidate, content=content, subject=name)


def is_of_kin(told: Candidate) -> bool:
    """Whether a candidate tells of somebody by no more than what they are to the user."""
    return told.kind == "fact" and told.relation is not None and role_in(told.subject or "") is not None


def _roles(word: str) -> tuple[bool, frozenset[str]]:
    """Return whether a word is for one alone, and what those are to the user whom it may stand for."""
    group = _GROUPS.get(word)
    if group is not None:
        return False, group
    one, each = role_in(f"my {word}"), role_in(f"my {word.removesuffix('s')}")
    role = one or each
    return one is not None, frozenset() if role is None else frozenset({role[1]})


def _is_of_user(memory: Memory, called: Collection[str]) -> bool:
    return key_of(memory.subject or USER) in {USER, *map(key_of, names_in(memory).union(called))}
