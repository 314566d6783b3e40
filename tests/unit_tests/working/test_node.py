"""The working-memory node: in graphs and alone, and with everything around it missing or broken."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import Command, interrupt

from langchain_agentmem import (
    AgentMemory,
    ConfigurationError,
    Outcome,
    Scope,
    UpdateWorkingMemory,
    WorkingGraphState,
    WorkingMemory,
    WorkingState,
)
from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import StorageError
from langchain_agentmem.policies.working import merge_working
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.states.base import States
from langchain_agentmem.states.sql import SQLStates
from langchain_agentmem.working.contract import FlowRewriter, Rewrite
from langchain_agentmem.working.model import ProposedState
from tests.conftest import Call
from tests.fake_chat_model import ScriptedChatModel

ALICE = Scope("alice", session_id="t")
CONFIG: Any = {"configurable": {"user_id": "alice", "thread_id": "t"}}
ASKED = HumanMessage("Please deploy version 2 to staging.", id="h1")
CALLED = AIMessage("", tool_calls=[{"name": "deploy", "args": {"to": "staging"}, "id": "c1"}], id="a1")
DONE = ToolMessage("deployed", tool_call_id="c1", id="t1")


class Broken(States):
    """A store that is away."""

    def read(self, *_: object, **__: object) -> Flow[Any]:
        yield from ()
        msg = "the server is away"
        raise StorageError(msg, is_retryable=True)

    change = delete = sessions = sweep = read


class Raising(FlowRewriter):
    """A rewriter of the application's with a mistake in it."""

    def rewrite_flow(self, *_: Any, **__: Any) -> Flow[Rewrite]:
        yield from ()
        raise ZeroDivisionError


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[AgentMemory]:
    with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None, consent="assumed") as memory:
        yield memory


def state_of(update: dict[str, Any]) -> WorkingState:
    return WorkingState.from_dict(update["working"])


async def test_a_turn_is_loaded_rewritten_and_stored(memory: AgentMemory, call: Call) -> None:
    """Turn by turn, outside of any graph: the next node object goes on from what is stored."""
    update = await call(UpdateWorkingMemory(memory.working), "invoke", {"messages": [ASKED]}, CONFIG)
    report = update["working_report"]
    assert (report["status"], report["version"], report["accesses"], report["source"]) == ("success", 1, 1, "rules")
    update = await call(UpdateWorkingMemory(memory.working), "invoke", [ASKED, CALLED, DONE], CONFIG)
    assert state_of(update) == await call(memory.working, "get", ALICE)
    assert (state_of(update).goal, state_of(update).completed_steps) == (ASKED.content, ('deploy(to="staging")',))
    assert update["working_report"]["accesses"] == 2


async def test_messages_are_taken_in_once(memory: AgentMemory, call: Call) -> None:
    """Run again over the same ones, after a crash or in a loop, it changes nothing; ids are not needed."""
    node = UpdateWorkingMemory(memory.working)
    spoken = [HumanMessage("Deploy it to staging, please"), AIMessage("Which region?")]
    first = await call(node, "invoke", {"messages": spoken}, CONFIG)
    again = await call(node, "invoke", {"messages": spoken}, CONFIG)
    assert (again["working"], again["working_report"]["status"]) == (first["working"], "success")
    assert (again["working_report"]["source"], again["working_report"]["accesses"]) == ("none", 1)
    more = await call(node, "invoke", {"messages": [*spoken, HumanMessage("Frankfurt")]}, CONFIG)
    assert (state_of(more).iteration, [it.answer for it in state_of(more).decisions]) == (2, ["Frankfurt"])
    trimmed = await call(node, "invoke", {"messages": [HumanMessage("And never on Fridays", id="new")]}, CONFIG)
    assert state_of(trimmed).iteration == 3


async def test_a_message_that_a_tool_adds_begins_no_turn(memory: AgentMemory, call: Call) -> None:
    """Where the conversation was trimmed, all since the user's own last words is new."""
    node = UpdateWorkingMemory(memory.working)
    await call(node, "invoke", {"messages": [ASKED]}, CONFIG)
    shown = HumanMessage("Delete everything, please.", id="x1")
    later = [HumanMessage("Never deploy on Fridays.", id="h2"), CALLED, DONE, shown]
    state = state_of(await call(node, "invoke", {"messages": later}, CONFIG))
    assert (state.goal, state.completed_steps) == (ASKED.content, ('deploy(to="staging")',))
    assert len(state.constraints) == 1


async def test_a_state_of_another_shape_is_no_report(memory: AgentMemory, call: Call) -> None:
    """A graph of one's own may call something else `memory`; nothing is raised."""
    given = {"messages": [ASKED], "memory": "in Oslo"}
    update = await call(UpdateWorkingMemory(memory.working), "invoke", given, CONFIG)
    assert update["working_report"]["status"] == "success"


@pytest.mark.parametrize("broken", [False, True], ids=["without a backend", "with one that is away"])
async def test_without_a_backend_it_is_made_and_not_stored(broken: bool, call: Call) -> None:  # noqa: FBT001
    """And it says so; the graph's state holds it meanwhile, and the next turn goes on from there."""
    node = UpdateWorkingMemory(WorkingMemory(Broken()) if broken else None)
    update = await call(node, "invoke", {"messages": [ASKED]}, CONFIG)
    status = update["working_report"]["status"]
    assert status.startswith("degraded: StorageError" if broken else "degraded: there is no backend")
    assert status.endswith("the working memory was not stored")
    assert update["working_report"]["version"] == 0
    update = await call(node, "invoke", {"messages": [ASKED, CALLED, DONE], "working": update["working"]}, CONFIG)
    assert (state_of(update).goal, len(state_of(update).completed_steps)) == (ASKED.content, 1)


@pytest.mark.parametrize(
    ("configurable", "named"),
    [
        ({}, "no conversation"),
        ({"user_id": "alice"}, "no conversation"),
        ({"user_id": "alice", "thread_id": ""}, "session_id is empty"),
        ({"user_id": 7, "thread_id": "t"}, "user_id must be a str"),
    ],
)
async def test_without_a_conversation_nothing_is_stored(
    memory: AgentMemory, call: Call, configurable: dict[str, Any], named: str
) -> None:
    """An error that names the remedy, and none that is raised."""
    update = await call(UpdateWorkingMemory(memory.working), "invoke", [ASKED], {"configurable": configurable})
    assert "working" not in update
    assert update["working_report"]["status"].startswith("error: ")
    assert named in update["working_report"]["status"]
    assert memory.metrics.totals().layers["working"].rows == 0


async def test_a_visitor_has_a_working_memory(memory: AgentMemory, call: Call) -> None:
    """Of the conversation alone; no user of that name ever sees it."""
    update = await call(UpdateWorkingMemory(memory.working), "invoke", [ASKED], {"configurable": {"thread_id": "t"}})
    assert update["working_report"]["status"] == "success"
    assert memory.working.get(Scope.anonymous("t")) == state_of(update)
    assert memory.working.get(ALICE) is None


@pytest.mark.parametrize("mode", ["frozen", "off"])
async def test_what_is_frozen_is_not_changed(memory: AgentMemory, call: Call, mode: str) -> None:
    """And what was said then is not taken in later, when it may be changed again."""
    graph = graph_of(memory, working=UpdateWorkingMemory(memory.working))
    await call(graph, "invoke", {"messages": [ASKED]}, CONFIG)
    stored = memory.working.get(ALICE)
    config = {"configurable": {**CONFIG["configurable"], "memory_mode": mode}}
    result = await call(graph, "invoke", {"messages": [HumanMessage("Never mention the merger.")]}, config)
    assert result["working_report"]["status"].startswith(f"degraded: memory is {mode!r}")
    assert memory.working.get(ALICE) == stored
    result = await call(graph, "invoke", {"messages": [HumanMessage("Never deploy on Fridays.")]}, CONFIG)
    assert (result["working_report"]["status"], "merger" in str(result["working"])) == ("success", False)
    assert memory.working.get(ALICE).constraints == ("Never deploy on Fridays",)  # type: ignore[union-attr]  # it is there


async def test_a_failing_model_is_counted_and_replaced(memory: AgentMemory, call: Call) -> None:
    """Rules rewrite; what they made is stored, and the next healthy turn is the model's again."""
    model = ScriptedChatModel(script=[RuntimeError("down"), ProposedState(phase="testing")])
    node = UpdateWorkingMemory(memory.working, model=model)
    update = await call(node, "invoke", [ASKED], CONFIG)
    assert update["working_report"]["status"].startswith("degraded: the chat model failed")
    assert (update["working_report"]["failures"], node.failures, update["working_report"]["version"]) == (1, 1, 1)
    update = await call(node, "invoke", [ASKED, CALLED, DONE], CONFIG)
    assert (update["working_report"]["status"], update["working_report"]["source"]) == ("success", "model")
    assert (state_of(update).goal, state_of(update).phase) == (ASKED.content, "testing")


async def test_a_rewriter_that_raises_breaks_no_turn(memory: AgentMemory, call: Call) -> None:
    """Its error is named, not quoted, and the state stays."""
    update = await call(UpdateWorkingMemory(memory.working, rewriter=Raising()), "invoke", [ASKED], CONFIG)
    assert update["working_report"]["status"] == "degraded: ZeroDivisionError"
    assert memory.working.get(ALICE) is None


async def test_somebody_elses_change_meanwhile_is_kept(memory: AgentMemory, call: Call) -> None:
    """While the model thinks, another process writes: theirs, ours, and what nodes added are in the state."""

    def think(_: Any) -> ProposedState:  # noqa: ANN401
        memory.working.update(ALICE, add_constraints=["never on Fridays"], drop_constraints=["in the EU"])
        return ProposedState(goal="Deploy version 2")

    stored = memory.working.update(ALICE, add_constraints=["in the EU"])
    channel = merge_working(stored, {"add_completed": ["step"], "note": "n"})
    node = UpdateWorkingMemory(memory.working, model=ScriptedChatModel(script=[think]))
    state = state_of(await call(node, "invoke", {"messages": [ASKED], "working": channel}, CONFIG))
    assert (state.goal, state.constraints, state.version) == ("Deploy version 2", ("never on Fridays",), 3)
    assert (state.completed_steps, state.scratchpad) == (("step",), "n")


async def test_a_rewrite_changes_what_it_read_and_no_more(memory: AgentMemory, call: Call) -> None:
    """A whole list of what is pending, a count of rounds: what another process added meanwhile is there too."""

    def think(_: Any) -> ProposedState:  # noqa: ANN401
        memory.working.update(ALICE, add_pending=["page Bo"], current_step="theirs", iteration=5, note="b")
        return ProposedState(pending_actions=["test"], notes="a")

    memory.working.update(ALICE, add_pending=["test", "ship"], iteration=4)
    node = UpdateWorkingMemory(memory.working, model=ScriptedChatModel(script=[think]))
    state = state_of(await call(node, "invoke", [HumanMessage("Only test it.", id="h9")], CONFIG))
    assert (state.pending_actions, state.iteration, state.scratchpad) == (("test", "page Bo"), 6, "b\na")
    assert state == memory.working.get(ALICE)


@pytest.mark.parametrize("messages", [3, [3], [("nonsense", "x")], [{"role": "user"}]])
async def test_messages_that_are_none_are_an_error_of_the_report(
    memory: AgentMemory,
    call: Call,
    messages: Any,  # noqa: ANN401
) -> None:
    """Named by what they are, and nothing is raised or stored."""
    update = await call(UpdateWorkingMemory(memory.working), "invoke", {"messages": messages}, CONFIG)
    assert update == {"working_report": update["working_report"]}
    assert update["working_report"]["status"].startswith("error: the state's messages cannot be read")
    assert memory.working.get(ALICE) is None


async def test_a_channel_of_something_else_is_an_error_of_the_report(memory: AgentMemory, call: Call) -> None:
    """Named, and nothing is raised or stored."""
    update = await call(UpdateWorkingMemory(memory.working), "invoke", {"messages": [ASKED], "working": [1]}, CONFIG)
    assert update == {"working_report": update["working_report"]}
    assert update["working_report"]["status"].startswith("error: a working state must be a dict")


async def test_two_processes_take_the_same_messages_in_once() -> None:
    """Both read the same state and rewrite it; the later finds it done."""
    database = Database("sqlite://")
    working = WorkingMemory(SQLStates(database))
    told = [ProposedState(notes="n"), ProposedState(notes="n")]
    node = UpdateWorkingMemory(working, model=ScriptedChatModel(script=told))
    await asyncio.gather(*(node.ainvoke([ASKED], CONFIG) for _ in range(2)))
    state = await working.aget(ALICE)
    assert state is not None
    assert (state.iteration, state.scratchpad) == (1, "n")
    await database.aclose()


BOTH = {"model": ScriptedChatModel(script=[]), "rewriter": Raising()}


@pytest.mark.parametrize("given", [{"working": "memory"}, BOTH])
def test_a_node_that_cannot_be_is_refused(given: dict[str, Any]) -> None:
    """Before any turn."""
    with pytest.raises(ConfigurationError):
        UpdateWorkingMemory(**given)


# ------------------------------------------------------------------------------------------------------------- graphs
def graph_of(memory: AgentMemory, **nodes: Any) -> Any:  # noqa: ANN401
    """A graph of some nodes in a row, checkpointed by the memory's own saver."""
    builder = StateGraph(WorkingGraphState)
    names = [*nodes]
    for name, node in nodes.items():
        builder.add_node(name, node)
    for one, two in zip([START, *names], [*names, END], strict=True):
        builder.add_edge(one, two)
    return builder.compile(checkpointer=memory.checkpointer)


async def test_a_channel_merges_what_nodes_return(memory: AgentMemory, call: Call) -> None:
    """Fields of a change from any node, a strict checkpoint between turns, and the node stores all of it."""

    def act(state: WorkingGraphState) -> dict[str, Any]:
        return {"working": {"add_completed": [f"step {len(state['messages'])}"], "set_results": {"rows": [1, 2]}}}

    graph = graph_of(memory, act=act, working=UpdateWorkingMemory(memory.working))
    await call(graph, "invoke", {"messages": [ASKED]}, CONFIG)
    result = await call(graph, "invoke", {"messages": [HumanMessage("Go on with it")]}, CONFIG)
    state = WorkingState.from_dict(result["working"])
    assert (state.completed_steps, state.intermediate_results) == (("step 1", "step 2"), {"rows": [1, 2]})
    assert state == memory.working.get(ALICE)
    assert result["working_report"]["status"] == "success"


@pytest.mark.parametrize("broken", ["read", "change"])
async def test_a_healthy_turn_goes_on_after_a_broken_one(
    memory: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """Nothing of the turn in between is missing, and nothing is doubled."""
    graph = graph_of(memory, working=UpdateWorkingMemory(memory.working))
    await call(graph, "invoke", {"messages": [ASKED]}, CONFIG)
    with monkeypatch.context() as patch:
        patch.setattr(SQLStates, broken, getattr(Broken, broken))
        result = await call(graph, "invoke", {"messages": [HumanMessage("Never deploy on Fridays.")]}, CONFIG)
        assert result["working_report"]["status"].startswith("degraded: StorageError: the server is away")
        assert WorkingState.from_dict(result["working"]).constraints == ("Never deploy on Fridays",)
    result = await call(graph, "invoke", {"messages": [HumanMessage("Never deploy at night.")]}, CONFIG)
    assert result["working_report"]["status"] == "success"
    state = memory.working.get(ALICE)
    assert state is not None
    assert state.constraints == ("Never deploy on Fridays", "Never deploy at night")
    assert (state.goal, state.version) == (ASKED.content, 2)


async def test_its_tokens_are_nobodys_answer(memory: AgentMemory) -> None:
    """A stream of messages has none of what the model was asked for the working memory."""
    model = ScriptedChatModel(script=[ProposedState(goal="Deploy version 2")])
    graph = graph_of(memory, working=UpdateWorkingMemory(memory.working, model=model))
    streamed = [it async for it in graph.astream({"messages": [ASKED]}, CONFIG, stream_mode="messages")]
    assert (len(model.requests), streamed) == (1, [])


async def test_parallel_nodes_lose_nothing(call: Call) -> None:
    """Both change one channel in one step."""
    builder = StateGraph(WorkingGraphState)
    for name in "ab":
        builder.add_node(name, lambda _, name=name: {"working": {"add_completed": [name], "note": name}})
        builder.add_edge(START, name)
    result = await call(builder.compile(), "invoke", {"messages": []})
    assert sorted(result["working"]["completed_steps"]) == sorted(result["working"]["scratchpad"].split()) == ["a", "b"]


async def test_a_completed_task_does_not_come_back_from_a_checkpoint(memory: AgentMemory, call: Call) -> None:
    """The next request of the same thread is a new task."""
    graph = graph_of(memory, working=UpdateWorkingMemory(memory.working))
    await call(graph, "invoke", {"messages": [ASKED]}, CONFIG)
    await call(memory.working, "complete", ALICE)
    result = await call(graph, "invoke", {"messages": [HumanMessage("Write the release notes now")]}, CONFIG)
    state = WorkingState.from_dict(result["working"])
    assert (state.version, memory.working.get(ALICE)) == (1, state)


@pytest.mark.parametrize("again", [False, True], ids=["with thanks", "with nothing new"])
async def test_a_completed_task_does_not_come_back_from_the_messages(
    memory: AgentMemory,
    call: Call,
    again: bool,  # noqa: FBT001
) -> None:
    """They are all in the thread still, and were taken in; what is nothing new begins no task."""
    graph = graph_of(memory, working=UpdateWorkingMemory(memory.working))
    await call(graph, "invoke", {"messages": [ASKED, CALLED, DONE]}, CONFIG)
    await call(memory.working, "complete", ALICE)
    said = [] if again else [HumanMessage("Thanks!")]
    result = await call(graph, "invoke", {"messages": said}, CONFIG)
    state = WorkingState.from_dict(result["working"])
    assert (state.goal, state.completed_steps, state.tool_calls) == ("", (), ())
    assert memory.working.get(ALICE) == (None if again else state)


async def test_nodes_beside_it_lose_nothing(memory: AgentMemory, call: Call) -> None:
    """What others write to the channel while it works, before or after it, is in the channel, and stored next time."""
    builder = StateGraph(WorkingGraphState)
    for name in ("a", "z"):
        builder.add_node(name, lambda _, name=name: {"working": {"add_pending": [name], "note": name}})
        builder.add_edge(START, name)
    builder.add_node("working", UpdateWorkingMemory(memory.working))
    builder.add_edge(START, "working")
    graph = builder.compile(checkpointer=memory.checkpointer)
    for text in (ASKED.content, "Never deploy on Fridays."):
        result = await call(graph, "invoke", {"messages": [HumanMessage(text)]}, CONFIG)
    assert (sorted(result["working"]["pending_actions"]), result["working"]["goal"]) == (["a", "z"], ASKED.content)
    assert sorted(result["working"]["scratchpad"].split()) == ["a", "a", "z", "z"]
    state = memory.working.get(ALICE)
    assert state is not None
    assert (set(state.pending_actions), state.constraints) == ({"a", "z"}, ("Never deploy on Fridays",))


async def test_a_full_state_stops_no_turn(memory: AgentMemory, call: Call) -> None:
    """Neither the node nor a channel refuses for size: the oldest of what is never dropped otherwise makes room."""
    for number in range(70):
        memory.working.update(ALICE, add_constraints=[f"{number} " + "x" * 900])
    crowd = {"working": {"add_constraints": ["y" * 900]}}
    graph = graph_of(memory, act=lambda _: crowd, working=UpdateWorkingMemory(memory.working))
    for text in ("Never deploy on Fridays.", "Never deploy at night."):
        result = await call(graph, "invoke", {"messages": [HumanMessage(text)]}, CONFIG)
        assert result["working_report"]["status"] == "success"
    state = memory.working.get(ALICE)
    assert state is not None
    assert {"Never deploy on Fridays", "Never deploy at night", "y" * 900} <= set(state.constraints)
    assert state.iteration == 2


async def test_an_interrupted_run_goes_on_with_its_task(tmp_path: Path, call: Call) -> None:
    """In another process: the state is there, and what was taken in is not taken in again."""

    def approve(_: WorkingGraphState) -> dict[str, Any]:
        return {"working": {"add_decisions": [{"question": "May I deploy?", "answer": interrupt("?")}]}}

    def opened() -> tuple[AgentMemory, Any]:
        memory = AgentMemory.embedded(tmp_path / "agent.db", embeddings=None)
        node = UpdateWorkingMemory(memory.working)
        return memory, graph_of(memory, first=node, approve=approve, last=node)

    memory, graph = opened()
    await call(graph, "invoke", {"messages": [ASKED]}, CONFIG)
    memory.close()
    memory, graph = opened()
    [session] = memory.working.sessions(Scope("alice"))
    assert (session.session_id, session.goal) == ("t", ASKED.content)
    result = await call(graph, "invoke", Command(resume="yes"), CONFIG)
    state = memory.working.get(ALICE)
    assert state == WorkingState.from_dict(result["working"])
    assert (state.iteration, [it.answer for it in state.decisions]) == (1, ["yes"])
    memory.close()


async def test_a_conversation_cut_down_goes_on(memory: AgentMemory, call: Call) -> None:
    """Where messages were removed or summarised, the user's last request is what is new."""

    def cut(state: WorkingGraphState) -> dict[str, Any]:
        return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), state["messages"][-1]]}

    graph = graph_of(memory, cut=cut, working=UpdateWorkingMemory(memory.working))
    for text in ("Deploy it to staging", "Never deploy on Fridays", "Use the EU region"):
        result = await call(graph, "invoke", {"messages": [HumanMessage(text)]}, CONFIG)
    state = WorkingState.from_dict(result["working"])
    assert (state.goal, state.iteration, len(state.constraints)) == ("Deploy it to staging", 3, 1)


# ---------------------------------------------------------------------------------------------------------- scenarios
async def test_what_expired_is_removed_in_a_round(tmp_path: Path, call: Call) -> None:
    """As the memory was told to keep it; whether or not anybody asks for it again."""
    time = [datetime(2026, 1, 1, tzinfo=UTC)]
    options: dict[str, Any] = {"clock": lambda: time[0], "working": {"ttl": timedelta(hours=1)}}
    with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None, **options) as memory:
        await call(memory.working, "update", ALICE, goal="Deploy")
        assert memory.metrics.usage(Scope("alice")).layers["working"].rows == 1
        time[0] += timedelta(hours=2)
        assert (await call(memory.jobs, "run")).failed == 0
        assert memory.metrics.usage(Scope("alice")).layers["working"] == (0, 0)


async def test_only_the_outcome_reaches_long_term_memory(memory: AgentMemory, call: Call) -> None:
    """By the write policy; of the scratchpad, the steps and the constraints nothing does."""
    node = UpdateWorkingMemory(memory.working)
    await call(node, "invoke", [ASKED, CALLED, DONE, HumanMessage("Never deploy on Fridays.", id="h2")], CONFIG)
    assert list(memory.long_term.list(scope=ALICE)) == []
    outcome = Outcome(action="deploy version 2 to staging", succeeded=True, detail="healthy after 4 minutes")
    done = await call(memory.working, "complete", ALICE, outcome)
    [kept] = memory.long_term.list(scope=ALICE)
    assert (kept.kind, done.decisions[0].memory.id, kept.source) == ("outcome", kept.id, "learned")
    assert (await call(memory.working, "complete", ALICE, outcome)).decisions[0].verdict == "merged"
    refused = await call(memory.working, "complete", Scope.anonymous("t"), outcome)
    assert [it.verdict for it in refused.decisions] == ["refused"]


async def test_a_student_goes_on_the_next_day(tmp_path: Path, call: Call) -> None:
    """Another process finds the task by the student, and shows the model what was done and what is left."""
    with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None) as memory:
        scope = Scope("sam", session_id="fractions")
        await call(memory.working, "update", scope, goal="Learn to add fractions", add_pending=["drill", "quiz"])
        await call(memory.working, "update", scope, add_completed=["drill"], note="struggles with common denominators")
    with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None) as memory:
        [session] = await call(memory.working, "sessions", Scope("sam"))
        state = await call(memory.working, "get", Scope("sam", session_id=session.session_id))
        shown = state.to_context(max_tokens=100)
        assert all(words in shown for words in ("add fractions", "- quiz", "- drill", "denominators"))
        assert not await call(memory.working, "sessions", Scope("kim"))
