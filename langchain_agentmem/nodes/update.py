"""What the turn's outcomes teach: results of actions are remembered, and the memories that guided them follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.errors import GovernanceError, NotFoundError
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.state import ActionOutcome
from langchain_agentmem.nodes.turn import Failure, MemoryNode, MemoryParts, Turn, attempt
from langchain_agentmem.nodes.write import Written, moved_memory
from langchain_agentmem.policies.confidence import Signal
from langchain_agentmem.types import Memory, Outcome, Provenance


class Update(MemoryNode):
    """Learns from what `Evaluate` found: outcomes, confirmations and contradictions.

    Args:
        memory: An `AgentMemory`.
        settings: For whom, and in which mode.
    """

    name = "update"

    def __init__(self, memory: MemoryParts, *, settings: NodeSettings | None = None) -> None:
        super().__init__(settings)
        self._long_term = flows_of(memory.long_term)

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        done = Written()
        if not turn.may_write:
            return turn.update()
        for learned, lesson in enumerate(self._lessons(turn)):
            failure = yield from attempt(lesson, done)
            if isinstance(failure, Failure):
                return done.update(turn, self.name, failure, learned=learned)
        return done.update(turn, self.name)

    def _lessons(self, turn: Turn) -> Iterator[Callable[[Written], Flow[None]]]:
        """Yield what teaches: outcomes first, then what the user says of memories."""
        for found in turn.report["outcomes"]:
            yield partial(self._learn, turn, found)
        for memory_id, signal in signals_in(turn):
            yield partial(self._follow, turn, memory_id, signal)

    def _learn(self, turn: Turn, found: ActionOutcome, done: Written) -> Flow[None]:
        outcome = replace(outcome_of(found), began=turn.report.get("began"))
        for decision in (yield from self._long_term.learn(outcome, turn.scope, turn.mode)):
            done.note("outcome", decision)

    def _follow(self, turn: Turn, memory_id: str, signal: Signal, done: Written) -> Flow[None]:
        reason = f"the user {signal} it"
        memory = yield from self._feedback(turn, memory_id, signal, reason)
        if memory is not None:
            done.updated.append(moved_memory(memory, reason))

    def _feedback(self, turn: Turn, memory_id: str, signal: Signal, reason: str) -> Flow[Memory | None]:
        try:
            return (yield from self._long_term.feedback(memory_id, signal, turn.scope, reason))
        except (NotFoundError, GovernanceError):
            return None  # erased since it was recalled, or not to be changed: consent withdrawn, memory read-only


def signals_in(turn: Turn) -> Iterator[tuple[str, Signal]]:
    """Yield what the user said of recalled memories; one that was replaced in this turn has had its answer."""
    replaced = {*turn.report["superseded"], *turn.report["forgetting"]}
    signals: tuple[tuple[Signal, list[str]], ...] = (
        ("confirmed", turn.report["confirmed"]),
        ("contradicted", turn.report["contradicted"]),
    )
    for signal, memory_ids in signals:
        yield from ((memory_id, signal) for memory_id in memory_ids if memory_id not in replaced)


def outcome_of(found: ActionOutcome) -> Outcome:
    """Return an outcome of the report as what can be learned from."""
    origin = Provenance(
        speaker="tool",
        message_ids=tuple(found["message_ids"]),
        evidence=found["evidence"],
        tools=tuple(found.get("tools", ())),
    )
    return Outcome(
        action=found["action"],
        succeeded=found["succeeded"],
        detail=found["detail"],
        memory_ids=tuple(found["memory_ids"]),
        provenance=origin,
    )
