"""What every planner promises: queries out of a conversation, within what the caller set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.policies.querying import Dialogue
from langchain_agentmem.types import RecallQuery

RULES = "rules"
"""Name of the plans that rules make; a model's that fell back to them carry it too."""


@runtime_checkable
class Planner(Protocol):
    """Fills in what is asked of memory from a conversation.

    It reads the words of one conversation and nothing else. Its queries are at least one and at most `MAX_QUESTIONS`,
    and each says in `planned_by` who planned it; fields that the caller set stay as they are.
    """

    def plan_flow(self, dialogue: Dialogue, base: RecallQuery) -> Flow[Sequence[RecallQuery]]:
        """Plan as a flow, for a caller that waits on more than this."""
        ...


class FlowPlanner(ABC):
    """Gives a planner both colours over its one flow."""

    @abstractmethod
    def plan_flow(self, dialogue: Dialogue, base: RecallQuery) -> Flow[Sequence[RecallQuery]]:
        """Plan as a flow: what a subclass writes."""

    def plan(self, dialogue: Dialogue, base: RecallQuery | None = None) -> Sequence[RecallQuery]:
        """Return what to ask memory.

        Args:
            dialogue: What is said now, and what was said before.
            base: What every query is asked with; its fields that differ from their defaults win.
        """
        return run(self.plan_flow(dialogue, base or RecallQuery()))

    async def aplan(self, dialogue: Dialogue, base: RecallQuery | None = None) -> Sequence[RecallQuery]:
        """Return what to ask memory; see `plan`."""
        return await arun(self.plan_flow(dialogue, base or RecallQuery()))
