"""A task that begins after another: what its own nodes and tools write is kept, and nothing of the one before."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, InjectedToolCallId, tool
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send

from langchain_agentmem import AgentMemory, Outcome, Scope, UpdateWorkingMemory, WorkingGraphState, WorkingState
from langchain_agentmem.policies.working import going_on, merge_working
from langchain_agentmem.types.working_update import StateUpdate
from tests.conftest import Call
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import call as called
from tests.unit_tests.working.test_node import ALICE, ASKED, CONFIG, graph_of
from tests.unit_tests.working.test_node import memory as memory  # noqa: PLC0414  (a fixture)

NEXT = HumanMessage("Now deploy version 5", id="h2")
OUTCOME = Outcome(action="deploy version 3", succeeded=True, detail="ok")


def act(_: object) -> dict[str, Any]:
    return {"working": {"add_completed": ["act"], "set_results": {"a": 1}}}


def stored(memory: AgentMemory, scope: Scope = ALICE) -> WorkingState:
    found = memory.working.get(scope)
    assert found
    return found


@pytest.mark.parametrize("end", ["complete", "clear"])
async def test_the_first_turn_of_the_next_task_keeps_what_its_nodes_wrote(
    memory: AgentMemory, call: Call, end: str
) -> None:
    """A step of the task before is a step of this one, in the store and in the channel; the notes are gone."""
    graph = graph_of(memory, act=act, working=UpdateWorkingMemory(memory.working))
    await call(graph, "invoke", {"messages": [ASKED], "working": {"note": "old"}}, CONFIG)
    await call(memory.working, end, ALICE, *([OUTCOME] if end == "complete" else []))
    result = await call(graph, "invoke", {"messages": [NEXT]}, CONFIG)
    state = stored(memory)
    assert (state.goal, state.completed_steps, dict(state.intermediate_results)) == (NEXT.text, ("act",), {"a": 1})
    assert (state.scratchpad, result["working"]) == ("", state.to_dict())


async def test_what_workers_wrote_side_by_side_is_kept(memory: AgentMemory, call: Call) -> None:
    """Sent in parallel, in the first turn after a task is over."""
    builder = StateGraph(WorkingGraphState)
    builder.add_node("work", lambda given: {"working": {"add_completed": [given["step"]], "note": given["step"]}})
    builder.add_node("working", UpdateWorkingMemory(memory.working))
    builder.add_conditional_edges(START, lambda _: [Send("work", {"step": f"s{n}"}) for n in range(3)], ["work"])
    builder.add_edge("work", "working")
    builder.add_edge("working", END)
    graph = builder.compile(checkpointer=memory.checkpointer)
    await call(graph, "invoke", {"messages": [ASKED]}, CONFIG)
    await call(memory.working, "complete", ALICE)
    await call(graph, "invoke", {"messages": [NEXT]}, CONFIG)
    state = stored(memory)
    assert (sorted(state.completed_steps), sorted(state.scratchpad.split())) == (["s0", "s1", "s2"],) * 2


async def test_what_an_agents_tool_wrote_is_kept(memory: AgentMemory, make: Make, call: Call) -> None:
    """A tool of either kind of agent, which answers with a command."""

    @tool
    def note(tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Note."""
        answer = ToolMessage("noted", tool_call_id=tool_call_id)
        return Command(update={"messages": [answer], "working": {"add_completed": ["act"]}})

    tools: list[BaseTool] = [note]
    made = make([called("note", "1"), "So.", called("note", "2"), "So."], *tools, working=True)
    await made.say(ASKED.text)
    await call(memory.working, "complete", ALICE)
    await made.say(NEXT.text)
    assert "act" in stored(memory).completed_steps


def test_only_what_was_written_since_stands_beside_a_state() -> None:
    """A change, a whole state and a record; nothing where the state was never stored, or is the same."""
    new, old = WorkingState(), WorkingState(version=1, goal="Old", completed_steps=("old",), seen="k")
    change = StateUpdate(add_completed=("step",), drop_constraints=("x",))
    assert merge_working(new, change) == merge_working(new, change) == WorkingState(completed_steps=("step",)).to_dict()
    whole = replace(old, completed_steps=("old", "step"))
    for channel in (
        merge_working(old.to_dict(), change),
        merge_working(old, whole),
        merge_working(old, whole.to_dict()),
    ):
        assert WorkingState.from_dict(channel) == whole
        assert going_on(None, channel, is_read=True) == WorkingState(completed_steps=("step",), seen="k")
        assert going_on(old, channel, is_read=True) == whole
    assert merge_working(old, {}) == merge_working(old, old) == old.to_dict()
