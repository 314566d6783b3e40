"""What rewrites a working state: it reads new messages and proposes a change, and stores nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.types.working import WorkingState
from langchain_agentmem.types.working_update import StateUpdate


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """What new messages change.

    Attributes:
        failures: Model calls that raised or answered nonsense; rules did it then.
        source: Who spoke last: the rules, or the model.
    """

    update: StateUpdate
    failures: int = 0
    source: Literal["rules", "model"] = "rules"


class Rewriter(Protocol):
    """Finds out what new messages change in a working state.

    Nothing is taken from system messages, from messages that carry memories, or from hostile text.
    """

    def rewrite_flow(self, state: WorkingState, messages: Sequence[BaseMessage], *, new_from: int = 0) -> Flow[Rewrite]:
        """Return what `messages[new_from:]` change; what stands before explains them."""
        ...


class FlowRewriter(ABC):
    """Gives a rewriter both colours over its one flow."""

    @abstractmethod
    def rewrite_flow(self, state: WorkingState, messages: Sequence[BaseMessage], *, new_from: int = 0) -> Flow[Rewrite]:
        """Return what `messages[new_from:]` change: what a subclass writes."""

    def rewrite(self, state: WorkingState, messages: Sequence[BaseMessage], *, new_from: int = 0) -> StateUpdate:
        """Return what `messages[new_from:]` change."""
        return run(self.rewrite_flow(state, messages, new_from=new_from)).update

    async def arewrite(self, state: WorkingState, messages: Sequence[BaseMessage], *, new_from: int = 0) -> StateUpdate:
        """Return what `messages[new_from:]` change."""
        return (await arun(self.rewrite_flow(state, messages, new_from=new_from))).update
