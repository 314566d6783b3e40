"""The end of a turn: what follows from it and was not done yet is done, or waits as a job."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any, Final

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.errors import StorageError
from langchain_agentmem.nodes.evaluate import Evaluate
from langchain_agentmem.nodes.forget import Forget
from langchain_agentmem.nodes.intent import intent_of
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.settling import SettlingParts, due_of, queue_turn
from langchain_agentmem.nodes.turn import Failure, MemoryNode, Turn, attempt
from langchain_agentmem.nodes.update import Update
from langchain_agentmem.nodes.write import Write

_FAILED: Final = "memory failed after the answer ({status}); the answer stands, what it would have left is not kept"


class Queue(MemoryNode):
    """Sees to it that all that follows from a turn is done: what no node before it did, and what failed of it.

    The last node of a turn's memory: behind `Evaluate`, `Write`, `Update` and `Forget`, or in the place of any of them,
    which note in the report that they are `done`. With `writes="background"` what is left waits as a job. With
    `writes="inline"`, and where the user asks to forget something, it is done here, and only what fails waits.

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
        self._parts: tuple[MemoryNode, ...] = (
            Evaluate(memory, ignore=ignore, settings=settings),
            Write(memory, settings=settings),
            Update(memory, settings=settings),
            Forget(memory, settings=settings),
        )

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        if not turn.may_write:
            return turn.update()
        is_at_once = self._settings.writes == "inline" or intent_of(turn).is_forget_request
        ended = (yield from self._done(turn)) if is_at_once else turn
        due = due_of(ended)
        return _changed(turn, ended.after((yield from self._queued(ended, due))) if due else ended)

    def _queued(self, turn: Turn, due: Collection[str]) -> Flow[dict[str, Any]]:
        """Let what is due wait as a job; return the update of the state."""
        queueing = partial(queue_turn, flows_of(self._memory.turns), turn, due, self._ignore)
        if self._settings.raise_on_error:
            return self._checked(turn, (yield from queueing()))
        queued = yield from attempt(queueing)
        return turn.update(status=queued.status) if isinstance(queued, Failure) else turn.update(queued=queued)

    def _done(self, turn: Turn) -> Flow[Turn]:
        """Return the turn with what is due done at once; what failed already is not tried again here."""
        for node in self._parts:
            if node.name in due_of(turn) and node.name not in turn.report["left"]:
                turn = turn.after((yield from flows_of(node).work(turn)))
        return turn

    def _checked(self, turn: Turn, queued: bool) -> dict[str, Any]:  # noqa: FBT001  (whether it waits)
        """Return the update of the state, unless something failed that does not wait."""
        if turn.report["left"] and not queued:
            raise StorageError(_FAILED.format(status=turn.report["status"]))
        return turn.update(queued=queued)


def _changed(begun: Turn, ended: Turn) -> dict[str, Any]:
    """Return the update of the state that makes a turn from what it was to what it is."""
    changes = {name: it for name, it in ended.report.items() if begun.report.get(name) != it}
    text = ended.state.get("memory_text")
    is_told = text is not None and text != begun.state.get("memory_text")
    return {**begun.update(**changes), **({"memory_text": text} if is_told else {})}
