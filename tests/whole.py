"""How much of a product of backends, colours, kinds of id and other parameters is run.

In every colour, on every backend and for every kind of id, of agent or of fault, the laws take longer than all other
tests together. So these take turns, unless the whole is asked for: `make test-all`, or `AGENTMEM_TEST_WHOLE=1`.
"""

from __future__ import annotations

import os
from typing import Any, Final, TypeAlias, TypeVar
from zlib import crc32

T = TypeVar("T")
ByTurns: TypeAlias = tuple[type[Any], int] | tuple[type[Any], int, int]
"""A contract whose laws a class runs by turns with others, which number it is, from 0 on, and of how many; of two."""

IS_WHOLE: Final = bool(os.environ.get("AGENTMEM_TEST_WHOLE"))

COLOURS: Final = frozenset(("colour", "durability"))
"""Parameters that say how a law is run: they take turns with all others."""

KINDS: Final = COLOURS | {"make", "face"}
"""With the kind of agent: of what is said to any kind, in any colour, each case is said in one way, by turns."""

TWINS: Final = ("valkey", "redis")
"""Servers of one protocol, of which a law has one."""

ON_SERVERS: Final = "tests/integration_tests"
"""Where contracts are run on servers, which unit tests run in both colours on SQLite or alone."""

CONTRACTS: Final = ("tests.contracts.", "langchain_agentmem.testing.")
"""Modules of laws that are run on SQLite too (`tests/meta_tests/test_turns.py`)."""


def few(some: T, *, of: T) -> T:
    """Return some of the parameters of a suite, or all of them where the whole is asked for."""
    return of if IS_WHOLE else some


def taking_turns(law: str, tests: list[Any], *, is_served: bool = False) -> list[Any]:
    """Return every other test of a law, as on a chessboard of colours and whatever else it is run for.

    Where there are many cases for two kinds of agent, each case has one kind and one colour. Else each backend, fault,
    kind of agent or question, and what goes together of them, has one colour, and each colour has its turn; where it
    begins differs by law. A law for which that is not so, as it is run in one colour only, is run for all of them; but
    a contract's law on a server has its other colour without one. Of two servers of one protocol a law has one.
    """
    if IS_WHOLE:
        return tests
    first = crc32(law.encode()) >> 2  # the last bits say which class has a turn
    tests = _without_twin(tests, TWINS[first // 2 % 2])
    is_elsewhere = is_served and all(it.function.__module__.startswith(CONTRACTS) for it in tests)
    if not all(_has_colour(it, and_more=not is_elsewhere) for it in tests):
        return tests
    needed = {(name, value) for name, value in _values(tests) if not (is_elsewhere and name in COLOURS)}
    for fields, every in (*_by_kind(tests), (_places(tests), 2), (_order(tests, COLOURS), 2)):
        turns = [it for it, field in zip(tests, fields, strict=True) if (first + field) % every == 0]
        if _values(turns) >= needed:
            return turns
    return tests


def has_turn(cls: Any, law: str) -> bool:  # noqa: ANN401  (a class, or nothing)
    """Whether a class runs a law. Of the contract that its `by_turns` names, it runs every other one.

    A class with another number runs others. Each law has so a class of each number.
    """
    contract, number, *count = getattr(cls, "by_turns", (object, 0))
    return IS_WHOLE or not hasattr(contract, law) or crc32(law.encode()) % (count[0] if count else 2) == number


def _without_twin(tests: list[Any], kept: str) -> list[Any]:
    """Return the tests but those on the server that has no turn, where both of them are among their parameters."""
    servers = {value for it in tests for value in _params(it).values() if isinstance(value, str) and value in TWINS}
    gone = servers - {kept} if len(servers) > 1 else set()
    return [it for it in tests if gone.isdisjoint(it for it in _params(it).values() if isinstance(it, str))]


def _params(test: Any) -> dict[str, Any]:  # noqa: ANN401  (a test of any kind)
    return test.callspec.params if hasattr(test, "callspec") else {}


def _has_colour(test: Any, *, and_more: bool) -> bool:  # noqa: ANN401  (a test of any kind)
    return len(_params(test)) > and_more and not COLOURS.isdisjoint(_params(test))


def _places(tests: list[Any]) -> list[int]:
    """Return the field of each test: as far from the first as all of its parameters together."""
    places: dict[str, list[int]] = {}
    for name, value in (pair for it in tests for pair in it.callspec.params.items()):
        if id(value) not in places.setdefault(name, []):
            places[name].append(id(value))
    return [sum(places[name].index(id(value)) for name, value in it.callspec.params.items()) for it in tests]


def _by_kind(tests: list[Any]) -> list[tuple[list[int], int]]:
    """Return the fields where kind and colour together take turns, and how many these are; nothing for few cases."""
    ways, cases = _apart(tests, KINDS)
    count = max(ways) + 1
    return [([way + case for way, case in zip(ways, cases, strict=True)], count)] * (max(cases) + 1 >= 2 * count > 4)


def _order(tests: list[Any], apart: frozenset[str]) -> list[int]:
    """Return the fields where two parameters go together, so that what counts is in which order they come."""
    return [way + case for way, case in zip(*_apart(tests, apart), strict=True)]


def _apart(tests: list[Any], names: frozenset[str]) -> tuple[list[int], list[int]]:
    """Return of each test the number of how it is run, by parameters of these names, and of what is run."""
    ways: list[dict[str, int]] = []
    cases: list[dict[str, int]] = []
    numbers: tuple[list[int], list[int]] = ([], [])
    for params in (it.callspec.params for it in tests):
        way = {name: id(value) for name, value in params.items() if name in names}
        case = {name: id(value) for name, value in params.items() if name not in names}
        for seen, part, found in zip((ways, cases), (way, case), numbers, strict=True):
            if part not in seen:
                seen.append(part)
            found.append(seen.index(part))
    return numbers


def _values(tests: list[Any]) -> set[tuple[str, int]]:
    return {(name, id(value)) for it in tests for name, value in it.callspec.params.items()}
