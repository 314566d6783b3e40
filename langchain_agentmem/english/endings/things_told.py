"""What somebody uses of which they have one of a kind at a time, as a sentence tells it, or that they went over to it.

A later turn of a conversation updates an earlier one by it: "I use Chrome", then "I switched to Firefox". English.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from langchain_agentmem.english.endings.ending_words import any_case, plain
from langchain_agentmem.english.endings.in_doubt import MAX_CHARS, changes_read, is_used, of_kind, purposes_of
from langchain_agentmem.english.people.beings import OWNER, WHO
from langchain_agentmem.english.words.kinds import kinds_in

_OF_ONESELF: Final = any_case(rf"(?:\S+ ){{0,3}}?(?:{WHO}|{OWNER}|I['\u2019]\w+|we['\u2019]\w+)\b")


class Thing(NamedTuple):
    """One thing, by its kind and name; `is_change`: it was another one before, whatever that was."""

    kind: str
    name: str
    is_change: bool


def things_told(text: str) -> Iterator[Thing]:
    """Yield what a sentence of the user, in their own voice, tells to be used, or to be used by now.

    Example:
        >>> [it.name for it in things_told("I switched to Firefox")], [*things_told("My sister uses Chrome")]
        (['firefox'], [])
    """
    if len(text) > MAX_CHARS or _OF_ONESELF.match(text) is None:
        return
    said = plain(text).rstrip(".! ")
    held = [*_things(said, is_change=False)]
    if not held:
        return
    changes = [found for it, found in changes_read(text) if it.means is of_kind]
    for found in changes:
        is_of_part = any(found.groupdict().get(it) for it in ("from", "moved")) or purposes_of(found)
        yield from _things(found["to"], is_change=not is_of_part)
    yield from held if not changes and is_used(said) else ()


def _things(text: str, *, is_change: bool) -> Iterator[Thing]:
    """Yield the things that are the only ones of their kind in a text."""
    for kind, names in kinds_in(text).items():
        if len(names) == 1:
            yield Thing(kind, next(iter(names)), is_change)
