from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, ClassVar
from unicodedata import normalize

import pytest

from langchain_agentmem import AgentMemory, ApprovalPolicy, ConflictError, Scope
from langchain_agentmem.policies.approve import BySpeaker
from langchain_agentmem.testing import (
    COLOURS,
    DIMENSIONS,
    Colour,
    Dimension,
    GovernanceLeakSuite,
    LeakSuite,
    WorkingSuite,
)
from langchain_agentmem.working.service import WorkingMemory
from tests.ledgers import Clock
from tests.whole import ByTurns, few

ASKING = ApprovalPolicy(rules=[BySpeaker({"tool": "ask"})])


class TestLeaks(LeakSuite):
    """The blocking methods on SQLite, searched by words; ids that are joined have their turn on PostgreSQL."""

    colours: tuple[Colour, ...] = few(("sync",), of=COLOURS)
    dimensions: tuple[Dimension, ...] = few(("user_id", "agent_id"), of=DIMENSIONS)

    @pytest.fixture
    def memory(self) -> Iterator[AgentMemory]:
        with AgentMemory.in_memory(embeddings=None, clock=Clock()) as memory:
            yield memory


class TestAwaitedLeaks(TestLeaks):
    """The awaited methods, for tenants."""

    by_turns: ClassVar[ByTurns] = (LeakSuite, 1)

    colours: tuple[Colour, ...] = ("async",)
    dimensions: tuple[Dimension, ...] = ("tenant_id",)


class TestGovernanceLeaks(GovernanceLeakSuite):
    """What governs, on SQLite, for users and agents; the awaited methods have their turn on PostgreSQL."""

    colours: tuple[Colour, ...] = few(("sync",), of=COLOURS)
    dimensions: tuple[Dimension, ...] = few(("user_id", "agent_id"), of=DIMENSIONS)

    @pytest.fixture
    def memory(self) -> Iterator[AgentMemory]:
        with AgentMemory.in_memory(embeddings=None, clock=Clock(), approval=ASKING) as memory:
            yield memory


class TestWorkingLeaks(WorkingSuite):
    """Working memory on SQLite; the awaited methods have their turn on servers."""

    colours: tuple[Colour, ...] = few(("sync",), of=COLOURS)

    @pytest.fixture
    def working(self) -> Iterator[WorkingMemory]:
        with AgentMemory.in_memory(embeddings=None) as memory:
            yield memory.working


class Leaky:
    """A part of a memory that takes some scopes for others."""

    def __init__(self, part: Any, confuse: Callable[[str], str]) -> None:  # noqa: ANN401
        self._part, self._confuse = part, confuse

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        def method(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
            given = [self._taken(it) for it in args]
            return getattr(self._part, name)(*given, **{key: self._taken(it) for key, it in kwargs.items()})

        return method

    def _taken(self, value: Any) -> Any:  # noqa: ANN401
        return replace(value, user_id=self._confuse(value.user_id)) if isinstance(value, Scope) else value


@pytest.mark.parametrize(
    "confuse",
    [str.casefold, str.strip, lambda it: it[:2], lambda it: normalize("NFC", it), lambda it: it.split(":")[0]],
    ids=["case", "spaces", "prefix", "normal form", "separator"],
)
def test_the_suite_finds_a_backend_that_leaks(confuse: Callable[[str], str]) -> None:
    """A backend that takes one user for another in one way only does not pass."""
    with AgentMemory.in_memory(embeddings=None, clock=Clock()) as memory:
        leaky: Any = SimpleNamespace(long_term=Leaky(memory.long_term, confuse), consent=Leaky(memory.consent, confuse))
        with pytest.raises(AssertionError):
            LeakSuite().test_reads_stay_inside(leaky, "sync", "user_id")
        with pytest.raises(AssertionError):
            LeakSuite().test_consent_stays_inside(leaky, "sync", "user_id")
        working: Any = Leaky(memory.working, confuse)
        for law in ("reads", "changes", "ends"):
            with pytest.raises((AssertionError, ConflictError)):
                getattr(WorkingSuite(), f"test_{law}_stay_inside")(working, "sync", "user_id")
