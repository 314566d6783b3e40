"""What another agent's word stands for: nobody in this scope sees that word, and nothing comes back beside it."""

from __future__ import annotations

from dataclasses import replace

from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.lives import read_life
from langchain_agentmem.policies.reverting import Changed, differences
from langchain_agentmem.timeline.records import Reverted
from langchain_agentmem.types import Memory
from langchain_agentmem.types.memories import LIVE_STATUSES


class Elsewhere:
    """Follows what replaced memories to what is in force, each of them once."""

    def __init__(self, reader: LedgerReader) -> None:
        """Nothing is known yet."""
        self._reader = reader
        self._known: dict[str, bool] = {}

    def has(self, memory_id: str) -> bool:
        """Whether a memory is over, and another agent's word stands for it in the end."""
        path: list[str] = []
        at: str | None = memory_id
        while at is not None and at not in self._known:
            path.append(at)
            self._known[at] = False  # until it is known; a file may say what no log would
            life = read_life(self._reader, at)
            if life.status == "active":
                self._known[at] = self._reader.memory(at) is None
                break
            is_over = "superseded" in {life.status, life.was if life.status == "archived" else None}
            at = life.ended_by if is_over else None
        found = at is not None and self._known[at]
        self._known |= dict.fromkeys(path, found)
        return found

    def bars(self, step: Reverted) -> bool:
        """Whether a memory would come back beside that word."""
        return step.status in LIVE_STATUSES and self.has(step.memory_id)

    def own_times(self, memory: Memory) -> dict[str, Changed]:
        """Return what gives a memory its own times, where it is over by now, and its end is taken back with it."""
        if memory.status != "superseded" or self.has(memory.id):
            return {}
        again = read_life(self._reader, memory.id).again
        own = {name: it for name, it in again.items() if name in {"valid_at", "invalid_at"}}
        return differences(memory, replace(memory, **own))


def said_of(memory_id: str) -> str:
    """Say why a memory stays as it is; whose word it is, and which, is no concern of others."""
    return f"another agent's word stands for memory {memory_id!r}, which stays as it is; `remember` says it anew"
