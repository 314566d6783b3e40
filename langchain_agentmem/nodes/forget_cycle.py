"""Lets go of what is no longer needed, at the end of a turn."""

from __future__ import annotations

from typing import Any, Protocol

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.forgetting import Forgetting
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.state import MovedMemory
from langchain_agentmem.nodes.turn import Failure, MemoryNode, Turn, attempt
from langchain_agentmem.policies.forget_fates import Fate


class ForgettingParts(Protocol):
    """What the node needs of an `AgentMemory`."""

    @property
    def forgetting(self) -> Forgetting:
        """Forgets by itself."""
        ...


class ForgetCycle(MemoryNode):
    """Fades, archives and erases what is due of the turn's user and agent; see `memory.forgetting`.

    With `writes="background"` the cycle waits as a durable job, one for each user and agent. With `inline` it is done
    here, and the report lists as `forgotten` what is not recalled any more. What fails costs no turn.

    Args:
        memory: An `AgentMemory`.
        settings: For whom, in which mode, and when.
    """

    name = "forget_cycle"

    def __init__(self, memory: ForgettingParts, *, settings: NodeSettings | None = None) -> None:
        super().__init__(settings)
        self._forgetting = flows_of(memory.forgetting)

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        if not turn.may_write:
            return turn.update()
        if self._settings.writes == "background":
            queued = yield from attempt(self._forgetting.schedule, turn.scope)
            return turn.failed(self.name, queued) if isinstance(queued, Failure) else turn.update()
        report = yield from attempt(self._forgetting.cycle, turn.scope)
        if isinstance(report, Failure):
            return turn.failed(self.name, report)
        gone = [_moved(it) for it in report.moves if it.move == "archive" and it.memory_id not in report.changed]
        return turn.update(forgotten=[*turn.report.get("forgotten", ()), *gone])


def _moved(fate: Fate) -> MovedMemory:
    return {"id": fate.memory_id, "kind": fate.kind, "confidence": fate.confidence, "reason": fate.reason}
