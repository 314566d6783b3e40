from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem import Scope
from langchain_agentmem._flow import run
from langchain_agentmem.errors import StorageError
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.states.redis import RedisStates
from langchain_agentmem.states.redis.usage import RedisStateUsage
from langchain_agentmem.states.sql import SQLStates
from langchain_agentmem.working.service import WorkingMemory
from tests import servers
from tests.conftest import Call
from tests.contracts.history_backends import START
from tests.contracts.history_contract import EXAMPLES
from tests.contracts.state_backends import RedisStateBackend, SQLStateBackend
from tests.contracts.states_contract import ALICE, HOUR, SQLStatesContract, StatesContract
from tests.contracts.working_transfer_contract import WorkingTransferContract
from tests.processes import Process, Say
from tests.proxy import proxy

ROUNDS = 20


def working_in(url: str) -> WorkingMemory:
    is_redis = url.startswith("redis")
    return WorkingMemory(RedisStates(RedisDatabase(url)) if is_redis else SQLStates(Database(url)))


def write_beside(_say: Say, url: str) -> None:
    """Add steps to a task of which another process is at work too."""
    working = working_in(url)
    for number in range(ROUNDS):
        working.update(ALICE, add_completed=[f"b{number}"])


class TestSQLStates(SQLStatesContract):
    """The contract on PostgreSQL."""


class TestRedisStates(StatesContract):
    """The contract on Valkey, Redis and a cluster."""

    @pytest.fixture
    def backend(self, redis_url: str) -> Iterator[RedisStateBackend]:
        database = RedisDatabase(redis_url)
        yield RedisStateBackend(database)
        database.close()


@pytest.fixture
def valkey(valkey_url: str) -> Iterator[RedisStateBackend]:
    database = RedisDatabase(valkey_url)
    yield RedisStateBackend(database)
    database.close()


@pytest.fixture
def postgres(prepared_postgres_url: str) -> Iterator[SQLStateBackend]:
    database = Database(prepared_postgres_url)
    yield SQLStateBackend(database)
    database.close()


class TestFromPostgresToRedis(WorkingTransferContract):
    """Moving states, when a system grows."""

    @pytest.fixture
    def source(self, postgres: SQLStateBackend) -> WorkingMemory:
        return postgres.working()

    @pytest.fixture
    def target(self, valkey: RedisStateBackend) -> WorkingMemory:
        return valkey.working()


class TestFromRedisToPostgres(WorkingTransferContract):
    """Moving states back."""

    @pytest.fixture
    def source(self, valkey: RedisStateBackend) -> WorkingMemory:
        return valkey.working()

    @pytest.fixture
    def target(self, postgres: SQLStateBackend) -> WorkingMemory:
        return postgres.working()


DEEDS: dict[str, Callable[[WorkingMemory, Scope], object]] = {
    "update": lambda working, scope: working.update(scope, note="x"),
    "get": lambda working, scope: working.get(scope),
    "clear": lambda working, scope: working.clear(scope),
    "list": lambda working, scope: working.sessions(scope),
}


@EXAMPLES
@given(st.lists(st.tuples(st.sampled_from(sorted(DEEDS)), st.sampled_from("stu"), st.booleans())))
def test_no_key_is_ever_without_its_end(valkey: RedisStateBackend, done: list[tuple[str, str, bool]]) -> None:
    """Whatever is done, in three sessions that pass away meanwhile; at last nothing is left."""
    for name, session, is_long in done:
        working = valkey.working(ttl=2 * HOUR if is_long else HOUR, refresh_on_read=is_long)
        scope = Scope("alice", session_id=session)
        DEEDS[name](working, scope)
        assert all(0 < valkey.ask("PTTL", key) <= 2 * HOUR // timedelta(milliseconds=1) for key in valkey.names())
        valkey.pass_time(timedelta(minutes=25))
    valkey.pass_time(2 * HOUR)
    assert valkey.names() == []


async def test_the_index_forgets_tasks_that_expired(valkey: RedisStateBackend, call: Call) -> None:
    """For a user who lists, and for one who only begins another."""
    for session in "abc":
        await call(valkey.working(ttl=HOUR), "update", Scope("alice", session_id=f"old {session}"), goal="x")
    await call(valkey.working(ttl=9 * HOUR), "update", ALICE, goal="young")
    valkey.pass_time(2 * HOUR)
    await call(valkey.working(), "update", Scope("alice", session_id="new"), goal="x")
    assert "old" not in valkey.stored()
    await call(valkey.working(ttl=HOUR), "update", Scope("alice", session_id="old"), goal="x")
    valkey.pass_time(2 * HOUR)
    assert [it.session_id for it in await call(valkey.working(), "sessions", ALICE)] == ["new", "s"]
    assert "old" not in valkey.stored()


async def test_a_key_of_a_foreign_type_changes_no_other(valkey: RedisStateBackend, call: Call) -> None:
    """Whoever wrote it: the change fails, and nothing of it is stored."""
    await call(valkey.working(), "update", ALICE, goal="x")
    [index] = [name for name in valkey.names() if name.endswith(b":working")]
    valkey.ask("SET", index, "foreign")
    with pytest.raises(StorageError):
        await call(valkey.working(), "update", ALICE, note="needle")
    state = await call(valkey.working(), "get", ALICE)
    assert (state.version, state.scratchpad) == (1, "")


async def test_a_line_that_breaks_anywhere_loses_and_doubles_nothing(
    valkey_server: servers.Server, valkey_url: str, call: Call
) -> None:
    """What was acknowledged is there once; what failed is there once or not at all."""
    with proxy(valkey_server.port) as line:
        database = RedisDatabase(valkey_url.replace(str(valkey_server.port), str(line.port)), timeout_s=2)
        working = RedisStateBackend(database).working()
        acknowledged = []
        for number in range(ROUNDS):
            line.cut_after(**{"replies" if number % 2 else "requests": 61 * number % 900})
            try:
                await call(working, "update", ALICE, note=f"<{number}>")
                acknowledged.append(number)
            except StorageError as error:
                assert error.is_retryable  # noqa: PT017  (some of them go through)
            line.heal()
        state = await call(working, "get", ALICE)
        lines = state.scratchpad.splitlines()
        assert len(lines) == len(set(lines))
        assert {f"<{number}>" for number in acknowledged} <= set(lines)
        await call(database, "close")


@pytest.mark.parametrize("place", ["sqlite", "postgresql", "valkey"])
def test_two_processes_at_one_task_lose_nothing(place: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Both change it at once; either finds it by its user, with what both did."""
    urls = {"postgresql": "prepared_postgres_url", "valkey": "valkey_url"}
    url = f"sqlite:///{tmp_path / 'a.db'}" if place == "sqlite" else request.getfixturevalue(urls[place])
    working, other = working_in(url), Process(write_beside, url)
    working.update(ALICE, goal="Move")
    other.go()
    for number in range(ROUNDS):
        working.update(ALICE, add_completed=[f"a{number}"])
    other.end()
    [session] = working.sessions(Scope("alice"))
    state = working.get(Scope("alice", session_id=session.session_id))
    assert state is not None
    assert (session.goal, state.version, len(state.completed_steps)) == ("Move", 2 * ROUNDS + 1, 2 * ROUNDS)
    working._flows._states.database.close()  # type: ignore[attr-defined]  # both kinds have one


async def test_usage_counts_states_on_redis(redis_url: str, call: Call) -> None:
    """Each is a row; a user's are theirs, and a visitor's only in the total."""
    database = RedisDatabase(redis_url)
    working, usage = RedisStateBackend(database).working(), RedisStateUsage(database)
    for scope in (ALICE, Scope("alice", session_id="t"), Scope("bob", session_id="s"), Scope.anonymous("s")):
        await call(working, "update", scope, goal="x")
    rows = [run(usage.of(scope, START)).layers["working"] for scope in (ALICE, Scope("carol"), None)]
    assert [size.rows for size in rows] == [2, 0, 4]
    assert rows[2].bytes > rows[0].bytes > 0
    await call(database, "close")
