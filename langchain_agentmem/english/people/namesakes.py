"""Two of one name: "my brother Tom" and "my friend Tom" are told apart by what each is to the user.

What is told of the name alone may be about either, and says nothing against what is known of one of them. "Tom is my
boss" and "my boss is Tom now" say more of a Tom who is known, and make no other one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Final, NamedTuple, TypeVar

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.beings import ADJECTIVES, BEING, NAME
from langchain_agentmem.english.people.whose import names_told
from langchain_agentmem.english.reading.naming import USER, key_of
from langchain_agentmem.english.reading.relations import canonical_role
from langchain_agentmem.types import Candidate, Memory

_INTRODUCED: Final = lazy_pattern(
    rf"\b(?:my|our|(?:the )?user's(?: family's)?) {ADJECTIVES}(?P<role>{BEING})"
    rf"(?:,? (?P<name>{NAME})"
    rf"|(?: (?:is|was)(?: (?:called|named))?|'s name (?:is|was)) (?P<is>{NAME})(?!['\w-]| now\b))",
    re.IGNORECASE,
)
_SHOWN: Final = lazy_pattern(rf"(?i:the user's) (?P<role>{BEING}) (?P<name>{NAME})")
_NAME_ALONE: Final = lazy_pattern(rf"(?:about )?(?P<name>{NAME})[.!]*")
_ANY: Final = frozenset({"child", "kid", "baby", "twin", "pet"})
"""Words for one who may be called by a closer one as well: a kid is a son."""


_Record = TypeVar("_Record", Candidate, Memory)


class Known(NamedTuple):
    """Somebody by the key of their name, and what they are to the user, where that is told."""

    key: str
    role: str | None


def shown_apart(candidates: Iterable[Candidate], texts: Iterable[str]) -> Iterator[Candidate]:
    """Yield candidates, those about one of two of one name with what each is to the user.

    Args:
        candidates: What is told of a name alone, and in whose words nobody is told apart, stays as it is.
        texts: What the user said.
    """
    roles = _by_name(it for text in texts for it in _introduced(text))
    for candidate in candidates:
        known = known_in(candidate)
        is_one_of_two = known is not None and known.role is not None and _are_several(roles.get(known.key, ()))
        yield _shown(candidate, str(known.role)) if known is not None and is_one_of_two else candidate


def known_in(record: Candidate | Memory) -> Known | None:
    """Return about whom a fact is, by its subject and the words it was taken from; `None` where that is the user."""
    subject = record.subject
    if record.kind != "fact" or subject is None or key_of(subject) == USER:
        return None
    evidence = record.provenance.evidence or ""
    shown = _SHOWN.fullmatch(subject)
    if shown is not None:
        return Known(key_of(shown["name"]), canonical_role(shown["role"].casefold()))
    if not subject[:1].isupper() or names_told(subject, evidence):
        return None
    told = {it.role for it in _introduced(evidence) if it.key == key_of(subject)}
    return Known(key_of(subject), told.pop() if len(told) == 1 else None)


class Namesakes:
    """Tells whether a memory may be about another one of the name that a candidate tells of.

    Args:
        candidate: What is told.
        memories: All that may tell who bears the name.
    """

    def __init__(self, candidate: Candidate, memories: Iterable[Memory]) -> None:
        """Read whom the memories introduce."""
        self._known = known_in(candidate)
        roles = set[str]() if self._known is None else {*self._roles(memories), *filter(None, [self._known.role])}
        self._are_several = _are_several(roles)

    def may_be_another(self, memory: Memory) -> bool:
        """Whether a memory may be about another one of that name."""
        told = self._of_that_name(memory)
        if told is None or self._known is None:
            return False
        if told.role is None or self._known.role is None:
            return self._are_several
        return _are_apart(told.role, self._known.role)

    def is_same(self, memory: Memory) -> bool:
        """Whether a memory is about the same one, by what they are to the user."""
        told = self._of_that_name(memory)
        return told is not None and told.role is not None and told == self._known

    def _of_that_name(self, memory: Memory) -> Known | None:
        told = None if self._known is None else known_in(memory)
        return told if told is not None and self._known is not None and told.key == self._known.key else None

    def _roles(self, memories: Iterable[Memory]) -> Iterator[str]:
        for memory in memories:
            if memory.kind == "fact":
                found = (*_introduced(memory.content), *_introduced(memory.provenance.evidence or ""))
                yield from (str(it.role) for it in found if self._known is not None and it.key == self._known.key)


def are_namesakes(what: str, memories: Iterable[Memory]) -> bool:
    """Whether a phrase is a name alone that two bear, by what memories tell: one of the two may be meant.

    Args:
        what: Of a request: "Tom", "about Tom".
        memories: Which it means by its words.
    """
    found = _NAME_ALONE.fullmatch(what.strip())
    texts = (it for memory in memories for it in (memory.content, memory.provenance.evidence or ""))
    told = (it for text in texts for it in _introduced(text)) if found is not None else ()
    return found is not None and _are_several({str(it.role) for it in told if it.key == key_of(found["name"])})


def by_name_alone(record: _Record) -> _Record:
    """Return what is told of "the user's brother Tom" as told of Tom."""
    subject = record.subject or ""
    shown = _SHOWN.fullmatch(subject)
    if shown is None or not record.content.casefold().startswith(subject.casefold()):
        return record
    rest = record.content[len(subject) :]
    return replace(record, content=f"{shown['name']}{rest}", subject=shown["name"])


def _shown(candidate: Candidate, role: str) -> Candidate:
    """Return what is told of Tom as told of the user's brother Tom."""
    name = candidate.subject or ""
    if _SHOWN.fullmatch(name) or not candidate.content.startswith(f"{name} "):
        return candidate
    who = f"the user's {role} {name}"
    return replace(candidate, content=f"T{who[1:]}{candidate.content[len(name) :]}", subject=who)


def _introduced(text: str) -> Iterator[Known]:
    for it in _INTRODUCED.finditer(text.replace("\u2019", "'")):
        yield Known(key_of(it["name"] or it["is"]), canonical_role(it["role"].casefold()))


def _by_name(told: Iterable[Known]) -> Mapping[str, Collection[str]]:
    found: dict[str, set[str]] = {}
    for it in told:
        found.setdefault(it.key, set()).add(str(it.role))
    return found


def _are_several(roles: Collection[str]) -> bool:
    return any(_are_apart(one, other) for one, other in combinations(sorted(roles), 2))


def _are_apart(one: str, other: str) -> bool:
    return one != other and _ANY.isdisjoint({one, other})
