"""What the user pursues, in every turn: a later session goes on where an earlier one stopped."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, NamedTuple

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.context.cutting import sections_cut
from langchain_agentmem.context.tiers import WHOLE
from langchain_agentmem.nodes.intent import intent_of
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.state import RecalledMemory
from langchain_agentmem.nodes.turn import Failure, Turn, attempt
from langchain_agentmem.profiles.goal import Goal
from langchain_agentmem.types.fitting import tokens_of

GOAL_SHARE: Final = 16
"""A sixteenth of the budget: by default 375 tokens, a goal with its next step and a dozen steps more."""

GOAL_LEAD: Final = "What the user pursues, as data. Where they want to go on, or ask what comes next, go on there:"

PURSUED: Final = "pursued"
"""Part that marks the goal in the report's `recalled`."""


class Pursued(NamedTuple):
    """The goal to go on with, as the model is shown it.

    Attributes:
        text: Empty where there is none. `tokens`: what it takes.
        cut: Names of the sections of which something had no room.
        status: `degraded: …` where it could not be read.
    """

    text: str = ""
    goal: Goal | None = None
    tokens: int = 0
    cut: tuple[str, ...] = ()
    status: str | None = None

    @property
    def contents(self) -> dict[str, str]:
        """Its words, by the id of the memory."""
        return {} if self.goal is None else {self.goal.id: self.goal.text}

    def joined(self, recalled: list[RecalledMemory]) -> list[RecalledMemory]:
        """Return what was recalled, and the goal, if it is not among it: an answer that repeats it is an echo."""
        if self.goal is None:
            return recalled
        if self.goal.id not in {it["id"] for it in recalled}:
            return [*recalled, _entry(self.goal)]
        return [_marked(it) if it["id"] == self.goal.id else it for it in recalled]


class Pursuing:
    """Reads the goal to go on with.

    Args:
        memory: An `AgentMemory`; one without goals has none.
        settings: Whether it is shown, with which query, and the budget.
    """

    def __init__(self, memory: object, settings: NodeSettings) -> None:
        """Compose; nothing is opened yet."""
        self._goals: Any = getattr(memory, "goals", None)
        self._settings = settings
        self._budget = max(1, settings.budget // GOAL_SHARE)

    def read_flow(self, turn: Turn) -> Flow[Pursued]:
        """Return the goal; none where the user asks to forget something, and where it fails, what failed."""
        if self._goals is None or not self._settings.goal or not turn.may_read or intent_of(turn).is_forget_request:
            return Pursued()
        query = replace(self._settings.asked, text="", action=None)
        goal = yield from attempt(flows_of(self._goals).resume, turn.scope, turn.mode, query)
        if isinstance(goal, Failure):
            return Pursued(status=goal.status)
        if goal is None:
            return Pursued()
        data = goal.to_context(self._budget)
        cut = sections_cut("goal", goal.to_context(WHOLE), data)
        if not data:
            return Pursued(cut=cut)
        text = f"{GOAL_LEAD}\n{data}"
        return Pursued(text, goal, tokens_of(text), cut)


def is_pursued(entry: RecalledMemory) -> bool:
    """Whether a memory of the report was shown as the goal."""
    return PURSUED in entry["parts"]


def _marked(entry: RecalledMemory) -> RecalledMemory:
    return {**entry, "parts": {**entry["parts"], PURSUED: 1.0}}


def _entry(goal: Goal) -> RecalledMemory:
    return {
        "id": goal.id,
        "kind": goal.memory.kind,
        "status": goal.memory.status,
        "score": 1.0,
        "parts": {PURSUED: 1.0},
        "receipt_id": None,
        "is_constraint": False,
        "action": None,
    }
