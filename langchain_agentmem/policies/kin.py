"""Whom a request names by what they are to the user: "my brother" is Ben, where memory tells so, and of one alone.

"My brothers" are all of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from langchain_agentmem.policies.forgotten import names_in
from langchain_agentmem.policies.naming import USER, key_of, role_in
from langchain_agentmem.policies.relations import ROLES, canonical_role
from langchain_agentmem.types import Memory

_NAMED: Final = re.compile(
    r"(?:about )?(?P<who>(?:[Mm]y|[Oo]ur) (?:[a-z]+ )?(?P<role>[a-z-]+)),?(?: (?P<name>[A-Z][\w-]*(?: [A-Z][\w-]*)?))?"
)


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
    one, each = role_in(f"my {found['role']}"), role_in(f"my {found['role'].removesuffix('s')}")
    role = one or each
    if role is None:
        return NamedKin()
    several = re.compile(rf"\b{re.escape(found['role'])}s\b(?!['\u2019])", re.IGNORECASE)
    is_of_several = one is not None and not found["name"] and any(several.search(it.content) for it in memories)
    told = (it for it in memories if it.object and it.relation and canonical_role(it.relation) == role[1])
    names = {key_of(it.object or "") for it in told if _is_of_user(it, called)}
    if found["name"] is not None:
        names &= {key_of(found["name"])}
    people = tuple(Kin(role[1], it, frozenset(called)) for it in sorted(names))
    return NamedKin(people, is_each=one is None, is_of_several=is_of_several)


def _is_of_user(memory: Memory, called: Collection[str]) -> bool:
    return key_of(memory.subject or USER) in {USER, *map(key_of, names_in(memory).union(called))}
