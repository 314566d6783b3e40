"""What memory keeps in an agent's state."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from langchain.agents.middleware.types import AgentState, OmitFromInput, PrivateStateAttr
from langgraph.channels.untracked_value import UntrackedValue

from langchain_agentmem.nodes.state import MemoryReport, Unshown, join_ran, merge_reports
from langchain_agentmem.nodes.working import WorkingReport
from langchain_agentmem.policies.working import merge_working
from langchain_agentmem.procedural.left import join_left


class MemoryAgentState(AgentState[Any]):
    """State of an agent with memory.

    Attributes:
        memory: The report of the turn, as `create_memory_graph` gives it: ids and numbers; in the agent's output.
        memory_ran: Which calls of tools ran, for policies that require one; in no input and no output.
        memory_skills: How far runs of skills came that failed; likewise.
        memory_text: In no checkpoint, no input and no output.

    LangGraph takes a reducer for one only where it stands last.
    """

    memory: NotRequired[Annotated[MemoryReport, OmitFromInput, merge_reports]]
    memory_text: NotRequired[Annotated[Unshown, UntrackedValue, PrivateStateAttr]]
    memory_ran: NotRequired[Annotated[list[str], PrivateStateAttr, join_ran]]
    memory_skills: NotRequired[Annotated[dict[str, Any] | None, PrivateStateAttr, join_left]]


class WorkingAgentState(MemoryAgentState):
    """State of an agent that keeps working memory, too.

    Attributes:
        working: The state of the conversation's task; tools may change it by a command.
        working_report: How it was rewritten after the answer.
    """

    working: NotRequired[Annotated[dict[str, Any], OmitFromInput, merge_working]]
    working_report: NotRequired[Annotated[WorkingReport, OmitFromInput]]
