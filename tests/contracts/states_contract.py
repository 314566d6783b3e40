"""What working memory promises, on every database and in both colours."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from langchain_agentmem._flow import arun, run
from langchain_agentmem.errors import ConfigurationError, ConflictError, IntegrityError, ScopeError
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.states.options import DEFAULT_TTL
from langchain_agentmem.types import Scope
from langchain_agentmem.types.working import MAX_ITEMS, WorkingState
from tests.conftest import Call, Colour
from tests.contracts.history_backends import ReversingVault
from tests.contracts.state_backends import SQLStateBackend, StateBackend
from tests.paged import walked

ALICE = Scope("alice", session_id="s")
ELSEWHERE = (
    Scope("alice", session_id="t"),
    Scope("bob", session_id="s"),
    Scope("alice", tenant_id="other", session_id="s"),
    Scope.anonymous("s"),
)
HOUR = timedelta(hours=1)
WRITERS, EACH = 4, 8


class StatesContract:
    """Subclass it beside a fixture `backend`."""

    async def test_a_state_comes_back_as_it_was_stored(self, backend: StateBackend, call: Call) -> None:
        """Every field, in another object as in another process."""
        state = WorkingState(
            goal="Deploy «v2» \U0001f680",
            phase="acting",
            completed_steps=("read",),
            intermediate_results={"rows": [1, {"a": None}]},
            decisions=({"question": "Where?", "answer": "EU", "rationale": "law"},),  # type: ignore[arg-type]  # a dict will do
            tool_calls=({"action": "grep(x)", "succeeded": False},),  # type: ignore[arg-type]  # likewise
            scratchpad="note\nnote",
        )
        stored = await call(backend.working(), "put", ALICE, state)
        assert (stored.version, stored.started_at) == (1, stored.updated_at)
        assert await call(backend.working(), "get", ALICE) == stored
        assert replace(stored, version=0, started_at=None, updated_at=None) == state

    async def test_a_change_leaves_the_rest(self, backend: StateBackend, call: Call) -> None:
        """Each has the next version, and begins where there was nothing."""
        working = backend.working()
        await call(working, "update", ALICE, goal="Deploy", add_pending=["test", "ship"])
        state = await call(working, "update", ALICE, phase="acting", add_completed=["test"])
        assert (state.goal, state.phase, state.pending_actions, state.version) == ("Deploy", "acting", ("ship",), 2)
        assert await call(working, "get", ALICE) == state

    async def test_scopes_are_apart(self, backend: StateBackend, call: Call) -> None:
        """A state of another user, tenant, session or visitor is another one; an agent's is the conversation's."""
        working = backend.working()
        await call(working, "update", ALICE, goal="mine")
        for scope in ELSEWHERE:
            assert await call(working, "get", scope) is None
            await call(working, "update", scope, goal="theirs")
            assert await call(working, "clear", scope)
        assert (await call(working, "get", replace(ALICE, agent_id="planner"))).goal == "mine"

    async def test_a_late_writer_is_told_both_versions(self, backend: StateBackend, call: Call) -> None:
        """With `expected` nothing is overwritten that its writer had not read; what was stored stays."""
        working = backend.working()
        first = await call(working, "update", ALICE, expected=0, goal="one")
        second = await call(working, "update", ALICE, expected=first, note="two")
        for stale in (0, 1, first):
            with pytest.raises(ConflictError, match=rf"for version {getattr(stale, 'version', stale)}, but version 2"):
                await call(working, "update", ALICE, expected=stale, goal="lost")
        with pytest.raises(ConflictError, match="version 2"):
            await call(working, "put", ALICE, replace(first, goal="lost"))
        assert await call(working, "get", ALICE) == second

    async def test_a_state_of_an_earlier_task_is_not_the_one_expected(self, backend: StateBackend, call: Call) -> None:
        """Whatever its version says: what was cleared does not come back over what began since."""
        working = backend.working()
        old = await call(working, "update", ALICE, goal="old")
        assert await call(working, "clear", ALICE)
        with pytest.raises(ConflictError, match="none is stored"):
            await call(working, "put", ALICE, old)
        await call(working, "update", ALICE, goal="new")
        with pytest.raises(ConflictError, match="another task"):
            await call(working, "update", ALICE, expected=old, goal="old")
        assert (await call(working, "get", ALICE)).goal == "new"

    def test_nothing_is_lost_under_many_writers(self, backend: StateBackend) -> None:
        """Threads with an object each: every change is in the state, and each has its version."""

        def write(writer: int) -> None:
            working = backend.working()
            for number in range(EACH):
                working.update(ALICE, add_completed=[f"{writer}.{number}"], note="tick")

        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(write, range(WRITERS)))
        state = backend.working().get(ALICE)
        assert state is not None
        assert set(state.completed_steps) == {f"{w}.{n}" for w in range(WRITERS) for n in range(EACH)}
        assert (state.version, state.scratchpad.count("tick")) == (WRITERS * EACH, WRITERS * EACH)

    async def test_nothing_is_lost_under_many_tasks(self, backend: StateBackend) -> None:
        """The same in one event loop."""
        working = backend.working()
        await asyncio.gather(*(working.aupdate(ALICE, note=f"{number}") for number in range(EACH)))
        state = await working.aget(ALICE)
        assert state is not None
        assert sorted(state.scratchpad.split()) == [str(number) for number in range(EACH)]

    async def test_a_state_lives_for_a_day_after_its_last_use(self, backend: StateBackend, call: Call) -> None:
        """Changed or read; expired it is as if it were not there."""
        working = backend.working()
        await call(working, "update", ALICE, goal="one")
        for name, fields in (("update", {"phase": "acting"}), ("get", {}), ("get", {})):
            backend.pass_time(DEFAULT_TTL - HOUR)
            assert await call(working, name, ALICE, **fields) is not None
        backend.pass_time(DEFAULT_TTL + HOUR)
        assert await call(working, "get", ALICE) is None

    async def test_reading_again_writes_nothing_for_an_hour(self, backend: StateBackend, call: Call) -> None:
        """Reads stay reads: what was used a moment ago lives long enough."""
        working = backend.working()
        await call(working, "update", ALICE, goal="one")
        before = backend.stored()
        backend.pass_time(HOUR / 2)
        assert await call(working, "get", ALICE)
        assert backend.stored() == before
        backend.pass_time(HOUR)
        for _ in range(3):
            assert await call(working, "get", ALICE)
        [listed] = await call(working, "sessions", ALICE)
        assert (listed.accesses, listed.version) == (2, 1)

    async def test_reading_prolongs_nothing_where_it_is_not_to(self, backend: StateBackend, call: Call) -> None:
        """With `refresh_on_read=False` only changes count; after the end, the next one begins at version 1."""
        working = backend.working(refresh_on_read=False)
        await call(working, "update", ALICE, goal="one")
        backend.pass_time(DEFAULT_TTL - HOUR)
        await call(working, "update", ALICE, phase="acting")
        backend.pass_time(DEFAULT_TTL - HOUR)
        assert (await call(working, "get", ALICE)).goal == "one"
        backend.pass_time(2 * HOUR)
        assert await call(working, "get", ALICE) is None
        assert not await call(working, "sessions", ALICE)
        assert not await call(working, "clear", ALICE)
        state = await call(working, "update", ALICE, note="new")
        assert (state.goal, state.version) == ("", 1)

    async def test_reading_prolongs_where_it_is_to(self, backend: StateBackend, call: Call) -> None:
        """Such a read counts as an access, a change always does."""
        working = backend.working(ttl=HOUR)
        await call(working, "update", ALICE, goal="one")
        for _ in range(3):
            backend.pass_time(HOUR / 2)
            assert await call(working, "get", ALICE)
        [listed] = await call(working, "sessions", ALICE)
        assert (listed.accesses, listed.version) == (4, 1)
        backend.pass_time(HOUR)
        assert await call(working, "get", ALICE) is None

    async def test_a_user_sees_their_tasks(self, backend: StateBackend, call: Call) -> None:
        """Last changed first, with the goal's beginning and the phase; page by page, whatever goes on in between."""
        working = backend.working()
        for number in range(7):
            scope = replace(ALICE, session_id=f"s{number}")
            await call(working, "update", scope, goal=f"goal {number} " + "x" * 100, phase="acting")
        for scope in ELSEWHERE[1:]:
            await call(working, "update", scope, goal="theirs")
        await call(working, "update", replace(ALICE, session_id="s2"), note="again")
        found = await walked(call, working, "sessions", ALICE, limit=3)
        assert [it.session_id for it in found] == ["s2", "s6", "s5", "s4", "s3", "s1", "s0"]
        assert (found[0].goal[:6], len(found[0].goal), found[0].phase, found[0].version) == ("goal 2", 80, "acting", 2)
        assert [it.goal for it in await call(working, "sessions", Scope.anonymous("s"))] == ["theirs"]

    async def test_a_completed_task_is_gone(self, backend: StateBackend, call: Call) -> None:
        """Of its words nothing is stored any more, and completing it again does nothing."""
        working = backend.working()
        await call(working, "update", ALICE, goal="Deploy the needle")
        done = await call(working, "complete", ALICE)
        assert done.state.goal == "Deploy the needle"
        assert "needle" not in backend.stored()
        assert await call(working, "get", ALICE) is None
        assert (await call(working, "complete", ALICE)).state is None

    async def test_a_change_that_cannot_be_changes_nothing(self, backend: StateBackend, call: Call) -> None:
        """Whatever it raises, the state stays, and where there was none, none begins."""
        working = backend.working()
        for bad in ({"gaol": "x"}, {"goal": 1}, {"add_completed": "x"}, {"note": "\0"}, {"set_results": {"x": {1}}}):
            with pytest.raises(ConfigurationError):
                await call(working, "update", ALICE, **bad)
        huge = {f"r{number}": "x" * 3_900 for number in range(MAX_ITEMS["intermediate_results"])}
        with pytest.raises(ConfigurationError, match="larger than"):
            await call(working, "put", ALICE, WorkingState(intermediate_results=huge))
        for scope in (Scope("alice"), "alice"):
            with pytest.raises(ScopeError):
                await call(working, "update", scope, goal="x")
        assert not await call(working, "sessions", ALICE)

    async def test_states_are_sealed_where_they_stand(self, backend: StateBackend, call: Call) -> None:
        """Under a vault no word is readable, and a state in another's place is not taken for its own."""
        working = backend.working(vault=ReversingVault())
        for session in ("s", "t"):
            await call(working, "update", replace(ALICE, session_id=session), goal=f"needle {session}", phase="needle")
        assert "needle" not in backend.stored()
        assert [it.goal for it in await call(working, "sessions", ALICE)] == ["needle t", "needle s"]
        backend.swap()
        assert (await call(working, "get", ALICE)).goal == "needle s"
        for name, fields in (("get", {}), ("update", {"note": "x"})):
            with pytest.raises(IntegrityError):
                await call(working, name, replace(ALICE, session_id="t"), **fields)
        assert await call(working, "clear", replace(ALICE, session_id="t"))

    async def test_a_session_may_have_any_name(self, backend: StateBackend, call: Call) -> None:
        """No name is a pattern, a separator, or part of another's."""
        working = backend.working()
        names = ["s*", "s:t", "s{t}", "S", "s  s", "'; DROP TABLE x; --", "ü%_", "working"]
        for name in names:
            await call(working, "update", replace(ALICE, session_id=name), goal=f"<{name}>", note=name)
        assert {it.session_id for it in await call(working, "sessions", ALICE)} == set(names)
        assert [(await call(working, "get", replace(ALICE, session_id=it))).scratchpad for it in names] == names


class SQLStatesContract(StatesContract):
    """The laws on a SQL database, whose expired rows somebody has to remove."""

    @pytest.fixture
    def backend(self, sql_url: str) -> Iterator[SQLStateBackend]:
        database = Database(sql_url)
        yield SQLStateBackend(database)
        database.close()

    async def test_a_sweep_removes_what_expired(self, backend: SQLStateBackend, colour: Colour) -> None:
        """Of every user, and nothing else."""
        for scope, ttl in ((ALICE, HOUR), (ELSEWHERE[1], HOUR), (ELSEWHERE[0], 3 * HOUR)):
            backend.working(ttl=ttl).update(scope, goal="x")
        backend.pass_time(2 * HOUR)
        swept = run(backend.states().sweep()) if colour == "sync" else await arun(backend.states().sweep())
        assert swept == 2
        assert backend.stored().count("alice") == 1
