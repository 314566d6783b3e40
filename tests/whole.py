"""How much of a product of backends, colours, kinds of id and other parameters is run.

In every colour, on every backend and for every kind of id, of agent or of fault, the laws take longer than all other
tests together. So these take turns, unless the whole is asked for: `make test-all`, or `AGENTMEM_TEST_WHOLE=1`.
"""

from __future__ import annotations

import os
from typing import Any, Final, TypeAlias, TypeVar
from zlib import crc32

T = TypeVar("T")
ByTurns: TypeAlias = tuple[type[Any], int]
"""A contract whose laws a class runs by turns with another one, and which number it is, 0 or 1."""

IS_WHOLE: Final = bool(os.environ.get("AGENTMEM_TEST_WHOLE"))

COLOURS: Final = frozenset(("colour", "durability"))
"""Parameters that say how a law is run: they take turns with all others."""

SERVED: Final = "postgresql"
"""What `sql_url` is where it is a server's; where the same contract is run on SQLite, it is run in both colours."""

CONTRACTS: Final = ("tests.contracts.", "langchain_agentmem.testing.")
"""Modules of laws that are run on SQLite too (`tests/meta_tests/test_turns.py`)."""


def few(some: T, *, of: T) -> T:
    """Return some of the parameters of a suite, or all of them where the whole is asked for."""
    return of if IS_WHOLE else some


def taking_turns(law: str, tests: list[Any]) -> list[Any]:
    """Return every other test of a law, as on a chessboard of colours and whatever else it is run for.

    Each backend, fault, kind of agent or question, and what goes together of them, has one colour, and each colour has
    its turn; where it begins differs by law. A law for which that is not so, as it is run in one colour only, is run
    for all of them; but a contract's law on PostgreSQL has its other colour on SQLite.
    """
    if IS_WHOLE or not all(_has_colour_and_more(it) for it in tests):
        return tests
    first, needed = crc32(law.encode()) >> 1, _needed(tests)  # the last bit says which class has a turn
    for fields in (_places(tests), _order(tests)):
        turns = [it for it, field in zip(tests, fields, strict=True) if (first + field) % 2 == 0]
        if _values(turns) >= needed:
            return turns
    return tests


def has_turn(cls: Any, law: str) -> bool:  # noqa: ANN401  (a class, or nothing)
    """Whether a class runs a law. Of the contract that its `by_turns` names, it runs every other one.

    A class with the other number runs the others. Each law has so a class of either number.
    """
    contract, number = getattr(cls, "by_turns", (object, 0))
    return IS_WHOLE or not hasattr(contract, law) or crc32(law.encode()) % 2 == number


def _has_colour_and_more(test: Any) -> bool:  # noqa: ANN401  (a test of any kind)
    params = test.callspec.params if hasattr(test, "callspec") else {}
    return len(params) > 1 and not COLOURS.isdisjoint(params)


def _places(tests: list[Any]) -> list[int]:
    """Return the field of each test: as far from the first as all of its parameters together."""
    places: dict[str, list[int]] = {}
    for name, value in (pair for it in tests for pair in it.callspec.params.items()):
        if id(value) not in places.setdefault(name, []):
            places[name].append(id(value))
    return [sum(places[name].index(id(value)) for name, value in it.callspec.params.items()) for it in tests]


def _order(tests: list[Any]) -> list[int]:
    """Return the same where two parameters go together, so that what counts is in which order they come."""
    seen: dict[str, list[object]] = {"colours": [], "others": []}
    fields = []
    for params in (it.callspec.params for it in tests):
        colours = {name: id(value) for name, value in params.items() if name in COLOURS}
        parts = {"colours": colours, "others": {name: id(it) for name, it in params.items() if name not in COLOURS}}
        for name, part in parts.items():
            if part not in seen[name]:
                seen[name].append(part)
        fields.append(sum(seen[name].index(part) for name, part in parts.items()))
    return fields


def _needed(tests: list[Any]) -> set[tuple[str, int]]:
    """Return what has to have a turn here: colours have theirs elsewhere, where they have."""
    is_elsewhere = all(
        it.callspec.params.get("sql_url") == SERVED and it.function.__module__.startswith(CONTRACTS) for it in tests
    )
    return {(name, value) for name, value in _values(tests) if not (is_elsewhere and name in COLOURS)}


def _values(tests: list[Any]) -> set[tuple[str, int]]:
    return {(name, id(value)) for it in tests for name, value in it.callspec.params.items()}
