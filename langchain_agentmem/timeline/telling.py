"""The log of a user, told again from its beginning: what each memory was after each event."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from langchain_agentmem.errors import ConfigurationError, NotFoundError
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.codec import EPOCH, fold
from langchain_agentmem.timeline.records import Moment
from langchain_agentmem.types import Event, Memory, Scope

WHOLE: Final = frozenset({"remembered", "cleaned"})
"""Events that say all of a memory, whatever was said of it before."""

_BATCH: Final = 1_000


class Telling:
    """The memories of one user as a fold over events, of every agent; what is asked for is what the scope sees.

    Attributes:
        seq: The last event that was heard.
    """

    def __init__(self, scope: Scope) -> None:
        """Nothing is told yet."""
        self.seq = 0
        self._scope = scope
        self._memories: dict[str, Memory] = {}
        self._wordless: set[str] = set()
        self._erased: dict[str, bool] = {}

    def hear(self, event: Event) -> None:
        """Take one event in."""
        self.seq = event.seq
        memory_id = event.memory_id
        if event.type == "subject_erased":  # from here on nothing of before is there
            self._memories.clear()
            self._wordless.clear()
        if memory_id is None:
            return
        if event.type == "erased":
            self._memories.pop(memory_id, None)
            self._erased[memory_id] = self._saw(event)
        elif event.payload is None:
            self._wordless.add(memory_id)
        else:
            known = self._memories.get(memory_id)
            if known is not None or event.type in WHOLE:
                self._wordless.discard(memory_id)
                self._memories[memory_id] = fold(known, memory_id, self._scope, event.payload, event.seq)

    def memory(self, memory_id: str) -> Memory | None:
        """Return what a memory is by now; `None` where it is unknown here."""
        memory = self._memories.get(memory_id)
        return memory if memory is not None and self._is_seen(memory.scope.agent_id) else None

    def memories(self) -> dict[str, Memory]:
        """Return what is visible by now, of every status but `erased`."""
        return {id_: it for id_, it in self._memories.items() if self._is_seen(it.scope.agent_id)}

    def wordless(self) -> frozenset[str]:
        """Return memories that are there by now, but of which no word is left."""
        return frozenset(self._wordless - self._erased.keys())

    def is_erased(self, memory_id: str) -> bool:
        """Whether a memory that the scope saw is erased by now; of an agent's, older logs do not say so."""
        return self._erased.get(memory_id, False)

    def _saw(self, erased: Event) -> bool:
        note = erased.note
        return self._is_seen(note["agent_id"]) if "agent_id" in note else self._scope.agent_id is None

    def _is_seen(self, agent_id: str | None) -> bool:
        return agent_id in {None, self._scope.agent_id}


def told(reader: LedgerReader, after: int = 0) -> Iterator[Event]:
    """Yield the events of a user, of every agent, in order."""
    while True:
        batch = reader.events(after=after, limit=_BATCH)
        yield from batch
        if len(batch) < _BATCH:
            return
        after = batch[-1].seq


def told_until(reader: LedgerReader, cut: int, scope: Scope) -> Telling:
    """Return what was told up to an event."""
    telling = Telling(scope)
    for event in told(reader):
        if event.seq > cut:
            break
        telling.hear(event)
    return telling


def seq_of(reader: LedgerReader, moment: Moment, name: str) -> int:
    """Return the last event that counts for a moment.

    Raises:
        ConfigurationError: The log does not have so many events.
    """
    if isinstance(moment, datetime):
        return reader.seq_at(moment)
    if moment > reader.head.seq:
        msg = f"{name}={moment}, and the log of this user ends at event {reader.head.seq}; `timeline` shows it"
        raise ConfigurationError(msg)
    return moment


def time_of(reader: LedgerReader, moment: Moment) -> datetime:
    """Return the time that a moment stands for."""
    if isinstance(moment, datetime):
        return moment
    found = reader.events(after=moment - 1, limit=1) if moment else ()
    return found[0].at if found else EPOCH


def before_run(reader: LedgerReader, run_id: str) -> int:
    """Return the last event before the first memory that a run wrote, and before what that memory replaced ended.

    Of a run that wrote no memory and was recorded: the last event before it began.

    Raises:
        NotFoundError: It wrote none, and was not recorded.
    """
    ended: list[Event] = []
    for event in told(reader):
        if event.type == "remembered" and _run_of(event) == run_id:
            replaced = [it for it in ended if it.note.get("by") == event.memory_id]
            return event.seq - 1 - len(replaced)
        ended = [*ended, event] if event.type == "superseded" else []
    recorded = reader.runs.steps(run_id, limit=1)
    if recorded:
        return reader.seq_at(recorded[0].at)
    msg = (
        f"{run_id!r} is no run that wrote a memory of this user, or it was erased; pass a time such as "
        "datetime(2026, 3, 1, 12, tzinfo=UTC), in the shell 2026-03-01T12:00, or the number of an event such as 12"
    )
    raise NotFoundError(msg)


def _run_of(event: Event) -> object:
    return ((event.payload or {}).get("provenance") or {}).get("run_id")


def reason_of(event: Event) -> str:
    """Return why an event is there, without a memory's content."""
    reason = event.note.get("reason")
    return str(reason) if reason else event.rule or event.type
