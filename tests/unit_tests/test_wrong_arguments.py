"""Whatever is passed by mistake to what governs a memory: one of our errors, which quotes little of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError, MemoryMiddleware, Scope, ScopeError, create_memory_graph
from langchain_agentmem.nodes.retrieve import Retrieve
from langchain_agentmem.nodes.working import UpdateWorkingMemory
from langchain_agentmem.sql.engine import Database
from tests.unit_tests.faces.scripted import ScriptedModel

Call: TypeAlias = Callable[[], object]
ALICE = Scope("alice")
JUNK: tuple[Any, ...] = (5, -1, True, 1.5, "", "x\0", "\ud800", b"b", [], {}, object(), datetime(2020, 1, 1))  # noqa: DTZ001


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Alice owns a boat", scope=ALICE)
        yield memory


@pytest.mark.parametrize("value", [*JUNK, None], ids=lambda it: type(it).__name__)
def test_what_is_no_scope_is_refused_everywhere(memory: AgentMemory, value: Any) -> None:  # noqa: ANN401  (anything)
    """Before anything is asked of the database."""
    calls: list[Call] = [
        partial(memory.consent.status, value),
        partial(memory.timeline.events, value),
        partial(memory.approvals.list, scope=value),
        partial(memory.forgetting.forget_cycle, value),
        partial(memory.privacy.report, value),
        partial(memory.sensitive.scan, value),
        partial(memory.quarantine.list, value),
        partial(memory.runs.list, value),
        partial(memory.vault.rotate, value),
    ]
    for it in calls:
        with pytest.raises(ScopeError):
            it()


@pytest.mark.parametrize("value", JUNK, ids=lambda it: type(it).__name__)
@pytest.mark.parametrize("is_dry", [True, False])
def test_what_is_no_time_foresees_nothing(memory: AgentMemory, value: Any, is_dry: bool) -> None:  # noqa: ANN401, FBT001
    """Neither in a dry run nor in another."""
    with pytest.raises(ConfigurationError, match="now"):
        memory.forgetting.forget_cycle(ALICE, now=value, dry_run=is_dry)


@pytest.mark.parametrize("value", [*JUNK, {"tools": False}, {"writes": "inline"}], ids=lambda it: type(it).__name__)
def test_what_is_no_record_of_options_is_refused_by_every_face(memory: AgentMemory, value: Any) -> None:  # noqa: ANN401  (anything)
    """Before anything is opened, with what to write in its place; `None` is the defaults."""
    faces: list[tuple[str, Callable[[Any], object]]] = [
        (
            "GraphOptions(**options)",
            lambda it: create_memory_graph(ScriptedModel(script=[]), memory=memory, options=it),
        ),
        ("MiddlewareOptions(**options)", lambda it: MemoryMiddleware(memory, it)),
        ("MemoryOptions(**options)", lambda it: AgentMemory(Database("sqlite://"), embeddings=None, options=it)),
        ("NodeSettings(**settings)", lambda it: Retrieve(memory, settings=it)),
        ("NodeSettings(**settings)", lambda it: UpdateWorkingMemory(settings=it)),
    ]
    for remedy, face in faces:
        face(None)
        with pytest.raises(ConfigurationError, match=re.escape(f"for example {remedy}")):
            face(value)


@pytest.mark.parametrize("mode", ["bogus", None, 5, []])
def test_what_is_no_mode_builds_no_graph(memory: AgentMemory, mode: Any) -> None:  # noqa: ANN401  (anything)
    """It is named, with those there are."""
    with pytest.raises(ConfigurationError, match="mode"):
        create_memory_graph(ScriptedModel(script=[]), memory=memory, mode=mode)


def test_numbers_that_no_database_holds_are_refused(memory: AgentMemory) -> None:
    """They are no events and no steps."""
    calls: list[Call] = [
        partial(memory.timeline.events, ALICE, since=10**30),
        partial(memory.timeline.undo, 10**30, scope=ALICE),
        partial(memory.runs.steps, "run", scope=ALICE, limit=10**30),
    ]
    for it in calls:
        with pytest.raises(ConfigurationError):
            it()


def test_an_error_quotes_little_of_what_was_passed(memory: AgentMemory) -> None:
    """A text that was passed in the place of a name stands in no log as a whole."""
    text: Any = "I take lithium, and nobody may know it. " * 20
    calls: list[Call] = [
        partial(memory.consent.grant, ALICE, kinds=text),
        partial(memory.consent.grant, ALICE, purposes=text),
        partial(memory.timeline.as_of, text, scope=ALICE),
        partial(memory.timeline.events, ALICE, limit=text),
        partial(memory.privacy.hold, ALICE, reason="case", until=text),
    ]
    for it in calls:
        with pytest.raises(ConfigurationError) as caught:
            it()
        assert len(str(caught.value)) < 400
