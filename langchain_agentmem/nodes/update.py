"""What the turn's outcomes teach: results of actions are remembered, and the memories that guided them follow."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from langchain_agentmem._flow import Flow, step
from langchain_agentmem.errors import GovernanceError, NotFoundError
from langchain_agentmem.nodes.state import ActionOutcome
from langchain_agentmem.nodes.turn import Failure, MemoryNode, MemoryParts, NodeSettings, Turn, attempt
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
        self._long_term = memory.long_term

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        done = Written()
        if not turn.may_write:
            return done.update(turn, None)
        failure = yield from self._learn(turn, done)
        if failure is None:
            failure = yield from self._follow(turn, done)
        return done.update(turn, failure)

    def _learn(self, turn: Turn, done: Written) -> Flow[Failure | None]:
        for found in turn.report["outcomes"]:
            decisions = yield from attempt(self._long_term.learn_flow, outcome_of(found), turn.scope, turn.mode)
            if isinstance(decisions, Failure):
                return decisions
            for decision in decisions:
                done.note("outcome", decision)
        return None

    def _follow(self, turn: Turn, done: Written) -> Flow[Failure | None]:
        for memory_id, signal in signals_in(turn):
            reason = f"the user {signal} it"
            memory = yield from attempt(self._feedback, turn, memory_id, signal, reason)
            if isinstance(memory, Failure):
                return memory
            if memory is not None:
                done.updated.append(moved_memory(memory, reason))
        return None

    def _feedback(self, turn: Turn, memory_id: str, signal: Signal, reason: str) -> Flow[Memory | None]:
        call = (memory_id, signal)
        told: dict[str, Any] = {"scope": turn.scope, "reason": reason}
        blocking = partial(self._long_term.feedback, *call, **told)
        try:
            return (yield from step(blocking, partial(self._long_term.afeedback, *call, **told)))
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
    origin = Provenance(speaker="tool", message_ids=tuple(found["message_ids"]), evidence=found["evidence"])
    return Outcome(
        action=found["action"],
        succeeded=found["succeeded"],
        detail=found["detail"],
        memory_ids=tuple(found["memory_ids"]),
        provenance=origin,
    )
