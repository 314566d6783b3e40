"""The contract of recorded runs: what an agent did is read step by step, and is what the checkpointer kept of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, TypeAlias

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.graph import START as FIRST
from langgraph.graph import MessagesState, StateGraph
from langgraph.types import interrupt
from sqlalchemy import text

from langchain_agentmem import AgentMemory, ConfigurationError, NotFoundError, Scope, ScopeError, create_memory_graph
from langchain_agentmem._flow import Flow, run
from langchain_agentmem.errors import StorageError
from langchain_agentmem.ledger.base import LedgerWriter
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.runs import RunRecorder
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types.paging import Order
from langchain_agentmem.types.runs import RunStep
from tests.conftest import Call, Colour
from tests.contracts.history_backends import ReversingVault
from tests.contracts.profiles_contract import ANA, BOB, Clock
from tests.fake_chat_model import ScriptedChatModel
from tests.paged import paged, walked
from tests.spelled import spelled

TALK: Final = replace(ANA, session_id="t")
Act: TypeAlias = Callable[..., Awaitable[RunRecorder]]
DEAR: Final = "the train at 9:12 costs 40 euros"


@tool
def price(of: str) -> str:
    """Say what something costs."""
    if of == "moon":
        msg = f"nobody sells the {of}"
        raise LookupError(msg)
    return f"the {of} costs 40 euros"


def asks(*things: str) -> AIMessage:
    """A model that asks for prices, of all at once."""
    calls = [{"name": "price", "args": {"of": it}, "id": f"call-{it}"} for it in things]
    return AIMessage("", tool_calls=calls)


def put(run_id: str, steps: Sequence[RunStep], writer: LedgerWriter) -> None:
    """Keep a run that nobody watches."""
    writer.runs.put(run_id, steps)


class RunsContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    async def memory(self, sql_url: str, clock: Clock, own_call: Call) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(clock=clock, vault=ReversingVault(), threads={"vault": None})
        async with AgentMemory(Database(sql_url), embeddings=None, options=options) as memory:
            for scope in (ANA, BOB):
                await own_call(memory.consent, "grant", scope)
            yield memory

    @pytest.fixture
    def act(self, memory: AgentMemory, colour: Colour) -> Act:
        """Let an agent take a turn, recorded; return the recorder."""

        async def act(graph: Any, said: str = "hello", user: str = "ana", **given: Any) -> RunRecorder:  # noqa: ANN401  (a compiled graph)
            recorder = given.pop("recorder", None) or memory.runs.recorder()
            config: RunnableConfig = {"callbacks": [recorder], "configurable": {"thread_id": "t", "user_id": user}}
            if colour == "sync":
                graph.invoke({"messages": [("user", said)]}, config, **given)
            else:
                await graph.ainvoke({"messages": [("user", said)]}, config, **given)
            return recorder

        return act

    # ------------------------------------------------------------------------------------------------------- recording
    async def test_a_run_is_told_step_by_step(self, memory: AgentMemory, act: Act, call: Call) -> None:
        """Thoughts, actions and observations in order; nothing is lost, and the checkpoint has the same."""
        model = ScriptedChatModel(script=[asks("train", "bus"), "The bus."])
        recorder = await act(create_agent(model, [price], checkpointer=memory.checkpointer))
        [found] = await call(memory.runs, "list", ANA)
        assert (found.status, found.lost, recorder.lost, found.thread_id) == ("ended", 0, 0, "t")
        steps = await call(memory.runs, "steps", found.id, scope=ANA)
        kinds = [it.kind for it in steps if it.kind != "moved"]
        assert kinds[:2] + kinds[-2:] == ["began", "thought", "thought", "ended"]
        assert sorted(kinds[2:-2]) == ["action", "action", "observation", "observation"]
        assert await walked(call, memory.runs, "steps", found.id, scope=ANA, limit=3) == [*steps]
        state = await call(memory.runs, "state", found.id, scope=ANA)
        assert [it.type for it in state.messages] == ["human", "ai", "tool", "tool", "ai"]
        assert ([it["id"] for it in state.answered], state.pending) == (["call-train", "call-bus"], ())
        assert (await call(memory.runs, "compare", found.id, scope=ANA)).is_equal

    async def test_runs_of_one_thread_are_each_compared(self, memory: AgentMemory, act: Act, call: Call) -> None:
        """What was said before a run, and after it ended, is no difference."""
        agent = create_agent(ScriptedChatModel(script=["One.", "Two."]), [], checkpointer=memory.checkpointer)
        for said in ("first", "second"):
            await act(agent, said)
        second, first = await call(memory.runs, "list", ANA)
        for found, places in ((first, (0, 2)), (second, (2, 0))):
            compared = await call(memory.runs, "compare", found.id, scope=ANA)
            assert (compared.differences, (compared.earlier, compared.later)) == ((), places)

    async def test_however_many_runs_there_are_all_are_listed(
        self, memory: AgentMemory, clock: Clock, call: Call
    ) -> None:
        """Each page begins behind the last run of the page before, though both began at once, or a clock went back."""
        now = clock()
        for name, began, ended in (("z", 0, 0), ("d", 3, 2), ("c", 1, 1), ("b", 2, 1), ("a", 1, 1)):
            steps = [
                RunStep(no=1, kind="began", at=now + timedelta(began)),
                RunStep(no=2, kind="ended", at=now + timedelta(ended)),
            ]
            run(memory.runs._parts.ledger.append(ANA, partial(put, name, steps)))
        assert [it.id for it in await paged(call, memory.runs, ANA, limit=1)] == ["d", "c", "b", "a", "z"]
        every = await call(memory.runs, "list", ANA)
        gone = Order("runs.list", (datetime, str)).cursor((now + timedelta(1), "bb"))
        assert (await call(memory.runs, "list", ANA, cursor=gone)).items == every[2:]
        with pytest.raises(ConfigurationError, match=r"cursor.*runs\.list"):
            await call(memory.runs, "list", ANA, cursor="d")

    async def test_a_checkpoint_that_says_otherwise_is_told(self, memory: AgentMemory, act: Act, call: Call) -> None:
        """A message that is changed, missing, or was not recorded is named by its id; its words are not said."""
        agent = create_agent(ScriptedChatModel(script=[DEAR]), [], checkpointer=memory.checkpointer)
        await act(agent)
        [found] = await call(memory.runs, "list", ANA)
        kept = memory.checkpointer.get_tuple({"configurable": {"thread_id": "t", "checkpoint_ns": ""}})
        assert kept is not None
        said, answer = kept.checkpoint["channel_values"]["messages"]
        for messages, telling in (
            ([said, answer.model_copy(update={"content": "free"})], "differs in content"),
            ([said], "not in the checkpoint"),
            ([said, AIMessage("so?", id="x"), answer], "'x' (ai) of the checkpoint was not recorded"),
            ([], "none of the run's messages"),
        ):
            kept.checkpoint["channel_values"]["messages"] = messages
            differs = (await call(memory.runs, "compare", found.id, kept, scope=ANA)).differences
            assert any(telling in it for it in differs), telling
            assert DEAR not in spelled(differs)

    async def test_the_memory_graph_and_subgraphs_are_recorded(self, memory: AgentMemory, act: Act, call: Call) -> None:
        """Nodes of a graph inside a node are told as within it; the state is the outer graph's."""
        inner = create_memory_graph(ScriptedChatModel(script=[asks("bus"), "The bus."]), tools=[price], memory=memory)
        outer: StateGraph[Any] = StateGraph(MessagesState)
        outer.add_node("assistant", inner)
        outer.add_edge(FIRST, "assistant")
        await act(outer.compile(checkpointer=memory.checkpointer), "what does the bus cost?")
        [found] = await call(memory.runs, "list", ANA)
        steps = await call(memory.runs, "steps", found.id, scope=ANA)
        assert {it.body["within"] for it in steps if it.kind == "action"} != {""}
        assert (await call(memory.runs, "compare", found.id, scope=ANA)).differences == ()

    async def test_a_streamed_run_is_recorded_alike(self, memory: AgentMemory, call: Call) -> None:
        """How its output is read makes no difference."""
        agent = create_agent(ScriptedChatModel(script=["One."]), [], checkpointer=memory.checkpointer)
        config: RunnableConfig = {"callbacks": [memory.runs.recorder(ANA)], "configurable": {"thread_id": "t"}}
        given: Any = {"messages": [("user", "hello")]}
        if call.colour == "sync":
            list(agent.stream(given, config, stream_mode="messages"))
        else:
            _ = [it async for it in agent.astream(given, config, stream_mode=["updates", "messages"])]
        [found] = await call(memory.runs, "list", ANA)
        assert (found.status, (await call(memory.runs, "compare", found.id, scope=ANA)).is_equal) == ("ended", True)

    # --------------------------------------------------------------------------------------------------------- failing
    async def test_a_failed_run_is_read_step_by_step(self, memory: AgentMemory, act: Act, call: Call) -> None:
        """Where it failed, with what, and what it had done until then."""
        model = ScriptedChatModel(script=[asks("train"), asks("moon")])
        with pytest.raises(LookupError):
            await act(create_agent(model, [price], checkpointer=memory.checkpointer))
        [found] = await call(memory.runs, "list", ANA)
        state = await call(memory.runs, "state", found.id, scope=ANA)
        assert (found.status, state.status, state.error) == ("failed", "failed", "LookupError: nobody sells the moon")
        [failed] = [it for it in await call(memory.runs, "steps", found.id, scope=ANA) if it.no == state.failed_at]
        assert (failed.kind, failed.body["where"], failed.body["tool"]) == ("error", "tool", "price")
        assert [it["id"] for it in state.pending] == ["call-moon"]
        before = await call(memory.runs, "state", found.id, scope=ANA, at=failed.no - 2)
        assert [it["id"] for it in before.answered] == ["call-train"]

    async def test_a_run_that_waits_for_a_person_has_not_failed(
        self, memory: AgentMemory, act: Act, call: Call
    ) -> None:
        """An interrupt is a pause."""

        def ask(state: MessagesState) -> dict[str, Any]:
            return {"messages": [*state["messages"], interrupt("may I?")]}

        graph = StateGraph(MessagesState)
        graph.add_node("ask", ask)
        graph.add_edge(FIRST, "ask")
        await act(graph.compile(checkpointer=memory.checkpointer), recorder=memory.runs.recorder(ANA))
        [found] = await call(memory.runs, "list", ANA)
        state = await call(memory.runs, "state", found.id, scope=ANA)
        assert (state.status, state.is_paused, state.error) == ("ended", True, None)

    async def test_a_process_that_ends_leaves_what_was_written(
        self, memory: AgentMemory, act: Act, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The run stays open, and the comparison says that the checkpoint goes on."""
        write = RunRecorder._flush

        def killed(recorder: RunRecorder, opened: Any) -> None:  # noqa: ANN401  (a run that goes on)
            if opened.no < 5:
                write(recorder, opened)

        monkeypatch.setattr(RunRecorder, "_flush", killed)
        model = ScriptedChatModel(script=[asks("train"), "40 euros."])
        await act(create_agent(model, [price], checkpointer=memory.checkpointer))
        [found] = await call(memory.runs, "list", ANA)
        assert found.status == "open"
        assert [it["id"] for it in (await call(memory.runs, "state", found.id, scope=ANA)).pending] == ["call-train"]
        [told] = (await call(memory.runs, "compare", found.id, scope=ANA)).differences
        assert "goes on by 2 messages" in told

    async def test_a_database_that_is_away_stops_no_run(
        self, memory: AgentMemory, act: Act, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Steps wait, and are written once it is back; what had no room is counted, here and in the run."""
        away = iter([True] * 4 + [False] * 99)
        append = type(memory.long_term._flows._parts.ledger).append

        def failing(ledger: Any, scope: Scope, body: Any) -> Flow[Any]:  # noqa: ANN401  (as the ledger's)
            if next(away):
                msg = "the database is away"
                raise StorageError(msg)
            return append(ledger, scope, body)

        monkeypatch.setattr("langchain_agentmem.runs.recorder.MAX_HELD", 3)
        monkeypatch.setattr(type(memory.long_term._flows._parts.ledger), "append", failing)
        recorder = await act(create_agent(ScriptedChatModel(script=[asks("train"), "40 euros."]), [price]))
        [found] = await call(memory.runs, "list", ANA)
        steps = await call(memory.runs, "steps", found.id, scope=ANA)
        assert recorder.lost == found.lost > 0
        assert sum(it.body["steps"] for it in steps if it.kind == "lost") == found.lost
        assert (await call(memory.runs, "state", found.id, scope=ANA)).lost == found.lost

    # ------------------------------------------------------------------------------------------------------- governed
    async def test_a_memory_points_to_the_run_that_wrote_it(self, memory: AgentMemory, act: Act, call: Call) -> None:
        """Its provenance names the recorded run, and a rollback to the run takes it back."""
        kept = (await call(memory.long_term, "remember", "Ana owns a boat", scope=ANA)).require()
        graph = create_memory_graph(ScriptedChatModel(script=["Noted."]), tools=[], memory=memory)
        await act(graph, "Remember that I live in Graz.")
        await call(memory.jobs, "run")
        [found] = await call(memory.runs, "list", ANA)
        [new] = [it for it in await call(memory.long_term, "list", scope=ANA) if it.id != kept.id]
        assert new.provenance.run_id == found.id
        await call(memory.timeline, "rollback", ANA, to=found.id)
        assert [it.id for it in await call(memory.long_term, "list", scope=ANA)] == [kept.id]

    async def test_nothing_is_recorded_without_consent_or_user(self, memory: AgentMemory, act: Act, call: Call) -> None:
        """Not of somebody who was not asked, nor while memory is off, nor of a run that names nobody; it is counted."""
        agent = create_agent(ScriptedChatModel(script=["Hi."] * 3), [])
        for user, recorder in (("carl", None), ("ana", "off"), ("ana", "nobody")):
            if recorder == "nobody":
                given = memory.runs.recorder()
                agent.invoke({"messages": [HumanMessage("hello")]}, {"callbacks": [given]})
            else:
                context = {"context": {"memory_mode": "off"}} if recorder == "off" else {}
                given = await act(agent, user=user, **context)
            assert given.lost > 0
        assert not any([await call(memory.runs, "list", Scope(it)) for it in ("ana", "carl")])

    async def test_consent_that_has_expired_records_nothing(
        self, memory: AgentMemory, act: Act, clock: Clock, call: Call
    ) -> None:
        """From that moment on, whether anybody noted its end or not."""
        await call(memory.consent, "grant", ANA, expires_at=clock() + timedelta(days=1))
        clock.now += timedelta(days=2)
        given = await act(create_agent(ScriptedChatModel(script=["Hi."]), []))
        assert given.lost > 0
        assert not await call(memory.runs, "list", ANA)

    async def test_runs_are_their_users_and_agents(self, memory: AgentMemory, act: Act, call: Call) -> None:
        """Nobody else lists, reads, rebuilds or compares one."""
        agent = create_agent(ScriptedChatModel(script=["Hi."] * 2), [], checkpointer=memory.checkpointer)
        coder = replace(ANA, agent_id="coder")
        await act(agent, recorder=memory.runs.recorder(coder))
        [found] = await call(memory.runs, "list", coder)
        for other in (ANA, BOB, replace(ANA, agent_id="writer"), replace(ANA, tenant_id="x")):
            assert not await call(memory.runs, "list", other)
            for method in ("steps", "state", "compare"):
                with pytest.raises(NotFoundError):
                    await call(memory.runs, method, found.id, scope=other)
        with pytest.raises(ScopeError):
            memory.runs.recorder(Scope.anonymous("s"))
        with pytest.raises(ConfigurationError):
            await call(memory.runs, "list", ANA, limit=0)

    async def test_steps_are_sealed_and_end_with_what_they_say(self, memory: AgentMemory, act: Act, call: Call) -> None:
        """No word stands in the clear; an erased memory leaves no step that may say it; the log knows nothing of it."""
        kept = (await call(memory.long_term, "remember", f"Ana knows that {DEAR}", scope=ANA)).require()
        await act(create_agent(ScriptedChatModel(script=[f"Ana knows that {DEAR}"]), []))
        stored = run(memory._database.read(lambda it: it.execute(text("SELECT sealed FROM agentmem_run_steps")).all()))
        assert not any(b"9:12" in bytes(it[0]) for it in stored)
        [found] = await call(memory.runs, "list", ANA)
        await call(memory.long_term, "erase", kept.id, scope=ANA)
        steps = await call(memory.runs, "steps", found.id, scope=ANA)
        assert "9:12" not in spelled(steps)
        assert any(it.is_erased for it in steps)
        assert (await call(memory.long_term, "verify", scope=ANA)).is_intact

    async def test_a_run_of_which_steps_were_erased_is_compared_as_such(
        self, memory: AgentMemory, act: Act, call: Call
    ) -> None:
        """It never counts as equal; where the step is gone that named the thread, that is why none is found."""
        kept = (await call(memory.long_term, "remember", f"Ana knows that {DEAR}", scope=ANA)).require()
        agent = create_agent(ScriptedChatModel(script=["I see."]), [], checkpointer=memory.checkpointer)
        await act(agent, f"Ana knows that {DEAR}")
        [found] = await call(memory.runs, "list", ANA)
        assert (await call(memory.runs, "compare", found.id, scope=ANA)).is_equal
        thread = memory.checkpointer.get_tuple({"configurable": {"thread_id": found.thread_id}})
        await call(memory.long_term, "erase", kept.id, scope=ANA)
        with pytest.raises(ConfigurationError, match="its first step was erased; pass the checkpoint"):
            await call(memory.runs, "compare", found.id, scope=ANA)
        erased = (await call(memory.runs, "state", found.id, scope=ANA)).erased
        compared = await call(memory.runs, "compare", found.id, thread, scope=ANA)
        assert compared.differences[0] == f"{erased} steps of the run were erased: what they told is not compared"

    async def test_runs_are_kept_as_long_as_receipts(
        self, memory: AgentMemory, act: Act, call: Call, clock: Clock
    ) -> None:
        """When the time has come they go, by another run or by the hourly round."""
        agent = create_agent(ScriptedChatModel(script=["Hi."] * 2), [])
        await act(agent)
        clock.now += timedelta(days=91)
        await act(agent)
        assert len(await call(memory.runs, "list", ANA)) == 1
        clock.now += timedelta(days=91)
        await call(memory.jobs, "run")
        assert not await call(memory.runs, "list", ANA)
