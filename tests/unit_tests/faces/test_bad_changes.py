"""A tool's change of the task that cannot be costs the change alone: the run goes on, and the model is told."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.types import Command

from langchain_agentmem import AgentMemory
from langchain_agentmem.types.working import MAX_SCRATCHPAD_CHARS
from tests.unit_tests.faces.conftest import contents
from tests.unit_tests.faces.either import USER, Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import call

BAD: dict[str, Any] = {"field": {"goalz": "x"}, "text": "x", "step": {"add_completed": ["z" * 1_001]}}


@tool
def note(what: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Note something."""
    return Command(update={"working": BAD[what], "messages": [ToolMessage("noted", tool_call_id=tool_call_id)]})


@tool
def write(length: int, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Write on the scratchpad."""
    change = {"scratchpad": f"{'a' * length}\nlast"}
    return Command(update={"working": change, "messages": [ToolMessage("written", tool_call_id=tool_call_id)]})


@pytest.mark.parametrize("what", BAD)
async def test_a_change_that_cannot_be_is_left_out(memory: AgentMemory, make: Make, what: str) -> None:
    """The tool ran: its answer stands, with why; what the user said is kept, and the thread can be read."""
    made = make([call("note", what=what), "Fine."], note, working=True)
    state = await made.say("I prefer tea. Go on.")
    memory.jobs.run()
    answer = next(it for it in state["messages"] if isinstance(it, ToolMessage))
    assert answer.text.startswith("noted\n\nNote: the working memory was not changed by this call: ")
    assert (answer.status, state["working_report"]["status"]) == ("success", "success")
    assert "The user prefers tea" in contents(memory)
    assert made.graph.get_state(USER).next == ()


@pytest.mark.parametrize("length", [9_000, MAX_SCRATCHPAD_CHARS])
async def test_of_a_scratchpad_that_is_too_long_the_end_is_kept(make: Make, length: int) -> None:
    """As where a note joins others: the model wrote it, and nobody could have told it."""
    made = make([call("write", length=length), "Fine."], write, working=True)
    assert (await made.say("Go on."))["working"]["scratchpad"] == "last"
