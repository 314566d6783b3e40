"""What a request names by a name of somebody who has another one, too, as it was said to memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from langchain_agentmem.english.reading.naming import USER, key_of
from langchain_agentmem.english.reading.relations import SAME_AS
from langchain_agentmem.english.reading.statements import canonical_relation
from langchain_agentmem.types import Memory

MAX_NAMES: Final = 8
"""Of one entity beside the one in a request; who has more is asked for by each."""


def same_names(memories: Iterable[Memory]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of names that memories in force say to be one, the user's own apart."""
    for it in memories:
        if it.status != "active" or it.relation is None or canonical_relation(it.relation) != SAME_AS:
            continue
        if it.subject and it.object and USER not in {key_of(it.subject), key_of(it.object)}:
            yield it.subject, it.object


def by_other_names(what: str, same: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return a request once more by each further name of whom it names, also around several corners.

    Example:
        >>> by_other_names("that Nora works at Acme", [("Nora", "Norinha"), ("Nori", "Norinha")])
        ('that Norinha works at Acme', 'that Nori works at Acme')
    """
    pairs = [*same]
    made: list[str] = []
    for name in dict.fromkeys(it for pair in pairs for it in pair):
        named = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
        if named.search(what):
            made += (named.sub(lambda _, other=other: other, what) for other in _others(name, pairs))  # type: ignore[misc]  # a name is no template
    return tuple(dict.fromkeys(made))[:MAX_NAMES]


def _others(name: str, pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the names that were said to be one with a name, the nearest first."""
    known = {key_of(name): name}
    for _ in range(MAX_NAMES):
        found = [it for pair in pairs for it in pair if known.keys() & set(map(key_of, pair))]
        new = {key_of(it): it for it in found if key_of(it) not in known}
        if not new:
            return
        known |= new
        yield from new.values()
