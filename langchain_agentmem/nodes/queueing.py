"""The end of a turn: what follows from it waits as a job, or what of it failed."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any, Final

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.errors import StorageError
from langchain_agentmem.nodes.intent import intent_of
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.settling import SettlingParts, queue_turn
from langchain_agentmem.nodes.turn import Failure, MemoryNode, Turn, attempt

_FAILED: Final = "memory failed after the answer ({status}); the answer stands, what it would have left is not kept"


class Queue(MemoryNode):
    """Queues what follows from a turn, where that is to wait; else what failed of it, so that it is tried again.

    The last node of a turn's memory. With `writes="background"` it stands in the place of `Evaluate`, `Write`, `Update`
    and `Forget`, but where the user asks to forget something; with `writes="inline"` behind them.

    Args:
        memory: An `AgentMemory`.
        ignore: Names of tools whose results are no outcomes.
        settings: For whom, in which mode, and when it is written.
    """

    name = "queue"

    def __init__(
        self, memory: SettlingParts, *, ignore: Collection[str] = (), settings: NodeSettings | None = None
    ) -> None:
        super().__init__(settings)
        self._memory = memory
        self._ignore = frozenset(ignore)

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        left = turn.report.get("left", [])
        if not turn.may_write or (is_written_at_once(turn, self._settings) and not left):
            return turn.update()
        queueing = partial(queue_turn, flows_of(self._memory.turns), turn, self._ignore)
        if self._settings.raise_on_error:
            return self._checked(turn, (yield from queueing()))
        queued = yield from attempt(queueing)
        return turn.update(status=queued.status) if isinstance(queued, Failure) else turn.update(queued=queued)

    def _checked(self, turn: Turn, queued: bool) -> dict[str, Any]:  # noqa: FBT001  (whether it waits)
        """Return the update of the state, unless something failed that does not wait."""
        if turn.report.get("left") and not queued:
            raise StorageError(_FAILED.format(status=turn.report["status"]))
        return turn.update(queued=queued)


def is_written_at_once(turn: Turn, settings: NodeSettings) -> bool:
    """Whether what follows from a turn is written before it ends."""
    return settings.writes == "inline" or intent_of(turn).is_forget_request
