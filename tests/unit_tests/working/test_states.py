from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from langchain_agentmem import (
    AgentMemory,
    ConfigurationError,
    ConflictError,
    GovernanceError,
    Outcome,
    Scope,
    StateUpdate,
    WorkingMemory,
    WorkingState,
)
from langchain_agentmem._flow import Flow, run
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.states.sql import SQLStates
from tests.conftest import Call
from tests.contracts.states_contract import SQLStatesContract

ALICE = Scope("alice", session_id="s")


class TestStates(SQLStatesContract):
    """The contract on SQLite, in a file and in memory."""


@pytest.fixture
def states() -> Iterator[SQLStates]:
    database = Database("sqlite://")
    yield SQLStates(database)
    database.close()


@pytest.mark.parametrize("mode", ["frozen", "off"])
async def test_a_mode_that_forbids_it_changes_nothing(states: SQLStates, call: Call, mode: Any) -> None:  # noqa: ANN401
    """Frozen states can be read, those that are off cannot; both can be deleted."""
    WorkingMemory(states).update(ALICE, goal="x")
    working = WorkingMemory(states, mode=lambda scope: mode if scope == ALICE else "on")
    for name, arguments in (("update", ({"note": "y"},)), ("put", (WorkingState(),)), ("complete", ())):
        with pytest.raises(GovernanceError, match=mode) as raised:
            await call(working, name, ALICE, *arguments)
        assert raised.value.rule == "mode"
    assert (await call(working, "get", ALICE) is None) is (mode == "off")
    assert (not await call(working, "sessions", ALICE)) is (mode == "off")
    assert await call(working, "clear", ALICE)


@pytest.mark.parametrize("mode", ["on", "frozen"])
async def test_a_frozen_read_prolongs_nothing(states: SQLStates, call: Call, mode: Any) -> None:  # noqa: ANN401
    """Reading where reading prolongs is a write, and in a frozen memory there is none."""
    WorkingMemory(states).update(ALICE, goal="x")
    later = SQLStates(states.database, clock=lambda: datetime.now(UTC) + timedelta(hours=2))
    assert (await call(WorkingMemory(later, mode=mode), "get", ALICE)).goal == "x"
    [session] = WorkingMemory(states).sessions(ALICE)
    assert session.accesses == (2 if mode == "on" else 1)


async def test_a_state_is_read_while_nothing_can_be_written(tmp_path: Path, call: Call) -> None:
    """Another process writes for long: the state is there, and its life is prolonged by a later read."""
    path = tmp_path / "agent.db"
    later = Database(f"sqlite:///{path}", busy_timeout_s=0)
    working = WorkingMemory(SQLStates(later, clock=lambda: datetime.now(UTC) + timedelta(hours=2)))
    with AgentMemory.embedded(path, embeddings=None) as memory, closing(later):
        memory.working.update(ALICE, goal="x")
        with closing(sqlite3.connect(path, isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            assert (await call(working, "get", ALICE)).goal == "x"
        assert (await call(working, "get", ALICE)).goal == "x"
        assert [it.accesses for it in memory.working.sessions(ALICE)] == [2]


async def test_a_damaged_state_hides_no_other(states: SQLStates, call: Call) -> None:
    """It is listed without its title, and can be cleared."""
    working = WorkingMemory(states)
    for session in "st":
        working.update(replace(ALICE, session_id=session), goal=session)
    damage = "UPDATE agentmem_states SET title = x'00' WHERE session_id = 's'"
    run(states.database.write(lambda connection: connection.exec_driver_sql(damage).rowcount))
    assert [(it.session_id, it.goal) for it in await call(working, "sessions", ALICE)] == [("t", "t"), ("s", "")]
    assert await call(working, "clear", ALICE)


async def test_a_task_is_completed_while_somebody_reads(tmp_path: Path, call: Call) -> None:
    """What is left in the log of the file goes with the next sweep, and the outcome is learned once."""
    with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None, consent="assumed") as memory:
        memory.working.update(ALICE, goal="Deploy the needle")
        with closing(sqlite3.connect(tmp_path / "agent.db", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM agentmem_states").fetchone()
            done = await call(memory.working, "complete", ALICE, Outcome(action="deploy it", succeeded=True))
            assert [it.verdict for it in done.decisions] == ["written"]
            assert b"needle" in (tmp_path / "agent.db-wal").read_bytes()
        await call(memory.jobs, "run")
        assert not any(b"needle" in it.read_bytes() for it in tmp_path.glob("agent*"))  # noqa: ASYNC240  (small)


@pytest.mark.parametrize(
    "options", [{"ttl": None}, {"ttl": 24}, {"ttl": timedelta(0)}, {"refresh_on_read": "no"}, {"clock": 1}, {"tll": 1}]
)
def test_an_option_that_cannot_be_is_refused(options: dict[str, Any]) -> None:
    """Before anything is opened, wherever it is given."""
    for make in (lambda: SQLStates(Database("sqlite://"), **options), lambda: AgentMemory.in_memory(working=options)):
        with pytest.raises(ConfigurationError, match=next(iter(options))):
            make()


@pytest.mark.parametrize("expected", [-1, True, "1", 1.0])
async def test_an_expectation_that_cannot_be_is_refused(states: SQLStates, call: Call, expected: Any) -> None:  # noqa: ANN401
    """It is a version, or a state."""
    with pytest.raises(ConfigurationError, match="expected"):
        await call(WorkingMemory(states), "update", ALICE, expected=expected, goal="x")


async def test_fields_come_in_one_way(states: SQLStates, call: Call) -> None:
    """As a record, as a dict, or by name; not as two of them."""
    working = WorkingMemory(states)
    await call(working, "update", ALICE, StateUpdate(goal="x"))
    await call(working, "update", ALICE, {"phase": "y"})
    with pytest.raises(ConfigurationError, match="not both: goal"):
        await call(working, "update", ALICE, {"phase": "z"}, goal="z")
    state = await call(working, "get", ALICE)
    assert (state.goal, state.phase) == ("x", "y")


async def test_a_task_that_changes_while_it_is_completed_is_kept(
    states: SQLStates, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who completes it is told; completing it again ends it."""
    working = WorkingMemory(states)
    first = await call(working, "update", ALICE, goal="x")
    read, reads = states.read, [0]

    def read_then_change(scope: Scope) -> Flow[Any]:
        found = yield from read(scope)
        if not reads[0]:
            reads[0] += 1
            yield from states.change(scope, lambda state: replace(state or first, phase="late"))
        return found

    monkeypatch.setattr(states, "read", read_then_change)
    with pytest.raises(ConflictError, match="version 1, but version 2"):
        await call(working, "complete", ALICE)
    assert (await call(working, "complete", ALICE)).state.phase == "late"
    with pytest.raises(ConflictError, match="none is stored"):
        await call(working, "complete", ALICE, expected=first)
