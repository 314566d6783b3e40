"""What an application's `authorize` is asked about, and what each yes implies."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, Literal, TypeAlias

Action: TypeAlias = Literal["read", "write", "export", "erase"]

ACTIONS: Final[tuple[Action, ...]] = ("read", "write", "export", "erase")

Asks: TypeAlias = Mapping[str, Action | None]
"""What each public name of a port asks about; `None`: it concerns no user."""

_IMPLIED_BY: Final[Mapping[Action, frozenset[Action]]] = {
    "read": frozenset(ACTIONS),
    "write": frozenset({"write", "erase"}),
    "export": frozenset({"export"}),
    "erase": frozenset({"erase"}),
}


def is_implied(action: Action, allowed: Collection[Action]) -> bool:
    """Return whether something allowed implies an action: who erases also writes, and whoever does anything reads."""
    return not _IMPLIED_BY[action].isdisjoint(allowed)
