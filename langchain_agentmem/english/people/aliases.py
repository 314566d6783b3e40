"""Which names are one entity, by what reason; and which might be, but are not taken for it.

A name that two could bear is never given to either: "Anna" stays apart as long as both Anna Berg and Anna Lind are
known. What was said ("Bob is another name of Robert Berg") stands before every rule, and two names that were told apart
are never joined by one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from langchain_agentmem.english.reading.naming import (
    SHOWN_USER,
    USER,
    has_title,
    is_address,
    key_of,
    role_in,
    shown_as,
    without_title,
    words_of_address,
)
from langchain_agentmem.english.reading.relations import PERSON

REASONS: Final[Mapping[str, str]] = {
    "said": "it was said that they are the same",
    "user_name": "it is the user's name",
    "named": "it was said to be the name",
    "email": "it was said to be their e-mail address",
    "role": "it is the only one known to stand in this relation",
    "short_name": "it is the only person known whose name begins so",
    "titled_name": "it is the only person known with this family name",
    "address": "the e-mail address holds the name",
    "spelling": "they differ in case, spacing, or a title only",
}
"""Why two names are one, by rule; the first of them is stronger than the next."""

_ROLE_DEPTH: Final = 3
"""How long "my sister's boss's wife" may be."""

AMBIGUOUS: Final = "it is one of several whose name fits"
_TOLD_APART: Final = "it was said that they are different, or what they are to each other"
_ANOTHER_SORT: Final = "the name fits, but nothing says that it is a person"


class Mention(NamedTuple):
    """A name as it occurs: how it is written, and what sort of thing it is, where that is known."""

    name: str
    type: str | None = None


class Statement(NamedTuple):
    """Something said about two names, and the memory that says it.

    Attributes:
        rule: `said`, `user_name`, `named`, `email` or `role`; `apart` where they were told apart.
        of: For `role`, the role's own name ("Tom's boss").
    """

    name: str
    other: str
    rule: str
    memory_id: str


class AliasLink(NamedTuple):
    """Two names that are one entity: by which rule, why, and which memory says so, if one does."""

    name: str
    other: str
    rule: str
    reason: str
    memory_id: str | None = None


class AliasCandidate(NamedTuple):
    """Two names that might be one entity and are not taken for it, and why not."""

    name: str
    other: str
    rule: str
    reason: str


class Naming(NamedTuple):
    """Every name's entity.

    Attributes:
        entity: Key of the entity, by key of a name.
        shown: Name of an entity as it is shown, by its key. `names`: every way it is written, that one first.
        apart: What was said to be different.
    """

    entity: Mapping[str, str]
    shown: Mapping[str, str]
    names: Mapping[str, tuple[str, ...]]
    links: tuple[AliasLink, ...] = ()
    candidates: tuple[AliasCandidate, ...] = ()
    apart: tuple[Statement, ...] = ()


def resolve(mentions: Iterable[Mention], statements: Sequence[Statement]) -> Naming:
    """Return which names are one; the same mentions and statements, in whatever order, always give the same."""
    return _Resolving(mentions, statements).naming()


class _Resolving:
    """Names on their way to entities."""

    def __init__(self, mentions: Iterable[Mention], statements: Sequence[Statement]) -> None:
        self._forms: dict[str, dict[str, None]] = {}
        self._types: defaultdict[str, set[str]] = defaultdict(set)
        self._parent: dict[str, str] = {}
        self._links: list[AliasLink] = []
        self._candidates: dict[tuple[str, str], AliasCandidate] = {}
        self._statements = sorted(statements, key=lambda it: (it.memory_id, it.name, it.other))
        for mention in sorted(mentions, key=lambda it: it.name):
            self._add(mention)
        for statement in self._statements:
            self._add(Mention(statement.name))
            self._add(Mention(statement.other))
        self._others: defaultdict[str, set[str]] = defaultdict(set)
        for it in self._statements:
            if it.rule == "apart":
                self._tell_apart(key_of(it.name), key_of(it.other))
        for it, (owner, _) in self._roles():
            self._tell_apart(owner, key_of(it.other))
        self._owners, self._bearers = defaultdict[str, dict[str, str]](dict), defaultdict[str, dict[str, str]](dict)
        for it in self._statements:
            if it.rule == "email":
                self._owners[key_of(it.name)].setdefault(key_of(it.other), it.memory_id)
            elif it.rule == "named":
                self._bearers[key_of(it.other)].setdefault(key_of(it.name), it.memory_id)
        self._second = {key_of(it.name) for it in self._statements if it.rule in {"said", "named"}}

    def naming(self) -> Naming:
        for rule in ("said", "user_name"):
            for it in self._statements:
                if it.rule == rule:
                    self._join(key_of(it.name), key_of(it.other), rule, it.memory_id)
        self._join_owned(self._bearers, "named")
        self._join_roles()
        self._join_short_names()
        self._join_roles()  # "Nora's boss", now that Nora is known to be Nora Berg
        self._join_owned(self._bearers, "named")
        self._join_owned(self._owners, "email")
        self._join_addresses()
        return self._result()

    def _add(self, mention: Mention) -> None:
        key = key_of(mention.name)
        self._forms.setdefault(key, {})[shown_as(mention.name)] = None
        self._parent.setdefault(key, key)
        if mention.type is not None:
            self._types[key].add(mention.type)

    # ---------------------------------------------------------------------------------------------------------- joining
    def _root(self, key: str) -> str:
        while self._parent[key] != key:
            self._parent[key] = self._parent[self._parent[key]]
            key = self._parent[key]
        return key

    def _join(self, one: str, other: str, rule: str, memory_id: str | None = None) -> None:
        """Take two names for one, unless they are already, or were told apart and only a rule says so."""
        roots = self._root(one), self._root(other)
        if roots[0] == roots[1]:
            return  # also where a circle of aliases closes: it says nothing new
        if rule != "said" and self._are_apart(*roots):
            self._suggest(one, other, "told_apart", _TOLD_APART)
            return
        self._links.append(AliasLink(self._form(one), self._form(other), rule, REASONS[rule], memory_id))
        self._parent[max(roots)] = min(roots)
        self._others[min(roots)] |= self._others.pop(max(roots), set())

    def _are_apart(self, one: str, other: str) -> bool:
        return any(self._known(it) == other for it in self._others.get(one, ()))

    def _tell_apart(self, one: str, other: str) -> None:
        self._others[one].add(other)
        self._others[other].add(one)

    def _suggest(self, one: str, other: str, rule: str, reason: str) -> None:
        if self._root(one) != self._root(other):
            self._candidates[one, other] = AliasCandidate(self._form(one), self._form(other), rule, reason)

    def _roles(self) -> Iterator[tuple[Statement, tuple[str, str]]]:
        """Yield who is said to be what to whom, where somebody is named."""
        for it in self._statements:
            role = role_in(it.name) if it.rule == "role" else None
            if role is not None and role_in(it.other) is None:
                yield it, role

    def _join_roles(self) -> None:
        """Take "my sister" for Nora, where one sister is known, and then "my sister's boss" for whom she works for."""
        named = sorted((role_in(key), key) for key in self._parent if role_in(key) is not None and key != USER)
        for _ in range(_ROLE_DEPTH):
            holders: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
            for it, (owner, role) in self._roles():
                holders[self._known(owner), role][key_of(it.other)] = it.memory_id
            for found, key in named:
                if found is not None:
                    self._choose(key, holders.get((self._known(found[0]), found[1]), {}), "role")

    def _known(self, key: str) -> str:
        return self._root(key) if key in self._parent else key

    def _choose(self, key: str, known: Mapping[str, str | None], rule: str) -> None:
        """Join a name with the one entity that fits; of several, name each and join none."""
        if self._root(key) in {self._root(it) for it in known}:
            return
        if len({self._root(it) for it in known}) == 1:
            fitting = min(known)
            self._join(key, fitting, rule, known[fitting])
            return
        for fitting in known:
            self._suggest(key, fitting, "ambiguous", AMBIGUOUS)

    def _join_short_names(self) -> None:
        """Take "Nora" and "Dr. Berg" for Nora Berg, where no other person is called so."""
        by_first, by_last = defaultdict[str, dict[str, None]](dict), defaultdict[str, dict[str, None]](dict)
        full = [it for it in sorted(self._parent) if _is_full(it)]
        for key in full:
            words = key.split()
            by_first[words[0]][key] = None
            by_last[words[-1]][key] = None
        for key in sorted(self._parent):
            if key == USER or role_in(key) is not None or is_address(key):
                continue
            if " " not in key:
                self._choose_person(key, by_first.get(key, {}), "short_name")
            elif has_title(key) and " " not in (bare := without_title(key)):
                self._choose_person(key, by_last.get(bare, {}), "titled_name")

    def _choose_person(self, key: str, fitting: Iterable[str], rule: str) -> None:
        """Join a part of a name with a whole one, where both can be a person and one is known to be."""
        possible = {it: None for it in fitting if it != key}
        people = {it: None for it in possible if self._can_be_person(key, it)}
        for it in possible.keys() - people.keys():
            self._suggest(key, it, "other_sort", _ANOTHER_SORT)
        if people:
            self._choose(key, people, rule)

    def _can_be_person(self, one: str, other: str) -> bool:
        types = self._types_of(one) | self._types_of(other)
        return PERSON in types and types <= {PERSON}

    def _types_of(self, key: str) -> set[str]:
        return self._types.get(key, set()) | ({PERSON} if has_title(key) else set())

    def _join_owned(self, owners: Mapping[str, Mapping[str, str]], rule: str) -> None:
        """Take a name or an address for whose it was said to be, where that is one: several may have the same."""
        for key, each in owners.items():
            self._choose(key, each, rule)

    def _join_addresses(self) -> None:
        """Take nora.berg@acme.com for Nora Berg, and nora@acme.com for the only Nora."""
        people = [it for it in sorted(self._parent) if not is_address(it) and role_in(it) is None and it != USER]
        for key in sorted(self._parent):
            words = words_of_address(key)
            if not words or key in self._owners:
                continue
            fits = {
                it: None
                for it in people
                if tuple(it.split()) == words or (len(words) == 1 and it.split()[0] == words[0])
            }
            if fits:
                self._choose(key, fits, "address")

    # ----------------------------------------------------------------------------------------------------------- result
    def _result(self) -> Naming:
        groups: defaultdict[str, list[str]] = defaultdict(list)
        for key in self._parent:
            groups[self._root(key)].append(key)
        ordered = {self._head(keys): sorted(keys, key=self._rank) for keys in groups.values()}
        entity = {key: head for head, keys in ordered.items() for key in keys}
        names = {head: tuple(form for key in keys for form in self._forms[key]) for head, keys in ordered.items()}
        names = {head: _user_last(forms) if head == USER else forms for head, forms in names.items()}
        spelt = (
            AliasLink(form, self._form(key), "spelling", REASONS["spelling"])
            for key in sorted(self._forms)
            for form in list(self._forms[key])[1:]
        )
        candidates = [it for (one, other), it in sorted(self._candidates.items()) if entity[one] != entity[other]]
        shown = {head: forms[0] for head, forms in names.items()}
        apart = tuple(it for it in self._statements if it.rule == "apart")
        return Naming(entity, shown, names, (*self._links, *spelt), tuple(candidates), apart)

    def _head(self, keys: Sequence[str]) -> str:
        return min(keys, key=self._rank)

    def _rank(self, key: str) -> tuple[bool, bool, bool, bool, int, str]:
        """Order names of one entity: what is known of the user, then whole names, then parts, roles and addresses."""
        is_role = key != USER and role_in(key) is not None
        return key != USER, is_role, is_address(key), key in self._second, -len(key.split()), key

    def _form(self, key: str) -> str:
        return next(iter(self._forms[key]))


def _is_full(key: str) -> bool:
    return " " in key and key != USER and role_in(key) is None and not has_title(key)


def _user_last(forms: tuple[str, ...]) -> tuple[str, ...]:
    """Return how the user is called, by name where one is known."""
    return tuple(sorted(forms, key=lambda it: it == SHOWN_USER))
