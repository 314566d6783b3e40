"""Whom a request names by what they are to the user: "my brother" is Ben, where memory tells so, and of one alone.

"My brothers" are all of them, and "my pets" each. Who they are is told by a relation, or in words: "a sister called
Anna", "my sister Anna". What is told of the name alone is told of them then ("Anna had her baby"), unless it is
another's too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.people.beings import ANIMALS, BEING, NAME
from langchain_agentmem.english.people.several import several_in
from langchain_agentmem.english.people.whose import clauses_of, names_in
from langchain_agentmem.english.reading.naming import USER, key_of, role_in
from langchain_agentmem.english.reading.relations import ROLES, canonical_role
from langchain_agentmem.english.text.sentences import split_sentences
from langchain_agentmem.english.words.kin_words import kin_of
from langchain_agentmem.english.words.number_words import TWO_OR_MORE
from langchain_agentmem.english.words.patterns import FULL_NAME
from langchain_agentmem.types import Candidate, Memory

_NAMED: Final = lazy_pattern(
    rf"(?:about )?(?P<who>(?:[Mm]y|[Oo]ur) (?:[a-z]+ )?(?P<role>[a-z-]+)),?(?: (?P<name>{FULL_NAME}))?"
)
_KIDS: Final = kin_of("child")
_OF_ONE: Final = lazy_pattern(r"\b(?:my|our) [a-z-]+", re.IGNORECASE)
_GROUPS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("kids", "children"), _KIDS),
    "parents": frozenset({"mother", "father"}),
    "siblings": kin_of("sibling"),
    "pets": ANIMALS,
}
"""Words for several who are each something else to the user."""

_ROLES: Final = ROLES | ANIMALS | _KIDS
_OWNED: Final = lazy_pattern(
    rf"\b(?P<owner>my|our|(?:the )?user's(?: family's)?|{FULL_NAME}'s) (?:[a-z-]+ ){{0,2}}?(?P<role>{BEING})"
    rf"(?:,? | (?:is|was) (?:called|named) |'s name is )(?P<name>{NAME})",
    re.IGNORECASE,
)
_IS_OWNED: Final = lazy_pattern(
    rf"(?P<name>{NAME}) (?:is|was) (?P<owner>my|our|(?:the )?user's(?: family's)?|{FULL_NAME}'s) "
    rf"(?:[a-z-]+ ){{0,2}}?(?P<role>{BEING})\b",
    re.IGNORECASE,
)
_HAD: Final = lazy_pattern(
    rf"\b(?:an?|one) (?:[a-z-]+ ){{0,2}}?(?P<role>{BEING}),? (?:called|named|whose name is) (?P<name>{NAME})",
    re.IGNORECASE,
)
_HAS: Final = lazy_pattern(
    rf"(?P<owner>I|we|(?:the )?user(?:'s family)?|{FULL_NAME}) (?:(?:also|now|still) )?"
    r"(?:has|have|had|owns?|keeps?|got|adopted)\b",
    re.IGNORECASE,
)
_DID: Final = lazy_pattern(
    r" (?:[a-z]+ed|broke|fell|came|told|gave|took|made|bought|found|lost|met|ate|ran|said|began|became|felt|sold|won"
    r"|bit|slept|wrote|sent|flew|drove|chose|hid|hurt|spent|thought|knew|left|kept)\b"
)
_SELF: Final = frozenset({"i", "we", "my", "our", "user", "the user", "user's family", "the user's family"})
_MANY: Final = rf"(?:{TWO_OR_MORE}|several|many|some|both|all|more|\d+|has|have|my|our|user's)(?: of)?"
"""Before whom somebody has several of."""


class _Told(NamedTuple):
    """Whom a text tells of by name, and what they are to whom; `owner`: the key of their name."""

    owner: str
    role: str
    key: str


class Kin(NamedTuple):
    """Somebody whom the user has.

    Attributes:
        roles: What they may be to the user.
        key: Of their name; see `key_of`.
        called: What the user may be called, besides what a memory tells.
    """

    roles: frozenset[str]
    key: str
    called: frozenset[str]

    def is_told_of_in(self, memory: Memory) -> bool:
        """Whether a memory is about them, by its subject, or in each of its clauses."""
        if memory.subject is not None and key_of(memory.subject) == self.key:
            return True
        return memory.kind != "episode" and self._is_about(memory.content, names_in(memory).union(self.called))

    def is_told_of_by(self, turn: Memory) -> bool:
        """Whether the user says something about them in a turn of a conversation."""
        return any(self._is_about(it, self.called) for it in said_by_user(turn))

    def is_another_in(self, memory: Memory) -> bool:
        """Whether a memory tells of somebody of that name who is something else to the user, or to somebody else."""
        return any(self._is_another(it) for it in _told_in(memory, self.called))

    def _is_another(self, told: _Told) -> bool:
        return told.key == self.key and (told.owner != USER or told.role not in self.roles)

    def _is_about(self, text: str, names: Collection[str]) -> bool:
        if any(self._is_another(it) for it in _introduced(text, names)):
            return False
        if text.casefold().startswith(self.key) and _DID.match(text[len(self.key) :]):
            return len(clauses_of(text, names)) == 1
        terms = frozenset(tokenize(self.key))
        return bool(terms) and all(it.people == terms for it in clauses_of(text, names))


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
    several = re.compile(rf"\b{_MANY} (?:[a-z-]+ )?{re.escape(found['role'])}s\b(?!['\u2019])", re.IGNORECASE)
    is_of_several = one and not found["name"] and any(several.search(it.content) for it in memories)
    told = {it for each in memories for it in _told_in(each, called)}
    people = {it.key for it in told if it.owner == USER and it.role in roles}
    if found["name"] is not None:
        people &= {key_of(found["name"])}
    each = tuple(Kin(roles, name, frozenset(called)) for name in sorted(people))
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
    name = next((it.object for it in memories if it.object and key_of(it.object) == named.people[0].key), None)
    if name is None:
        return None  # told in words alone
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
    bare = word.removesuffix("s")
    if word in ANIMALS or bare in ANIMALS:
        return word in ANIMALS, frozenset({word if word in ANIMALS else bare})
    one, each = role_in(f"my {word}"), role_in(f"my {bare}")
    role = one or each
    return one is not None, frozenset() if role is None else frozenset({role[1]})


def _told_in(memory: Memory, called: Collection[str]) -> Iterator[_Told]:
    """Yield whom a memory tells of by name, by its relation and in its words."""
    names = names_in(memory).union(called)
    relation = None if memory.relation is None else canonical_role(memory.relation)
    if memory.object is not None and relation in _ROLES:
        yield _Told(_owner(memory.subject or USER, names), relation, key_of(memory.object))
    for text in said_by_user(memory) if memory.kind == "episode" else (memory.content,):
        yield from _introduced(text, names)


def said_by_user(turn: Memory) -> list[str]:
    """Return the sentences of the user in a turn of a conversation."""
    return split_sentences(turn.content.partition("\nassistant: ")[0].partition(": ")[2])


def _introduced(text: str, names: Collection[str]) -> Iterator[_Told]:
    several = several_in(text)
    for part in (text, *(several.parts if several is not None else ())):
        plain = part.replace("\u2019", "'")
        has = _HAS.match(plain)
        had = [(has["owner"], it) for it in _HAD.finditer(plain)] if has is not None else []
        owned = [(it["owner"], it) for each in (_OWNED, _IS_OWNED) for it in each.finditer(plain)]
        for owner, it in (*had, *owned):
            yield _Told(_owner(owner, names), canonical_role(it["role"].casefold()), key_of(it["name"]))


def _owner(name: str, names: Collection[str]) -> str:
    bare = name.removesuffix("'s")
    key = USER if bare.casefold() in _SELF else key_of(bare)
    return USER if key in {USER, *map(key_of, names)} else key
