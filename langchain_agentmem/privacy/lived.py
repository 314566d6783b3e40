"""How memories hang together, as the log tells it: an export tells it of each, and an import notes it in its own log.

What was merged of a memory, or remained of it, goes with it when it is erased or forgotten, wherever that is done.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple, get_args

from sqlalchemy import and_, bindparam, select

from langchain_agentmem._checks import check_choice, check_flag, check_id, check_instance
from langchain_agentmem.ledger.codec import fold, from_micros
from langchain_agentmem.ledger.lives import IMPORTED_LIFE, Life
from langchain_agentmem.ledger.sql.reader import event_of
from langchain_agentmem.privacy import asked, reading
from langchain_agentmem.privacy.layers import Record, Records
from langchain_agentmem.sql.schema import EVENTS, PAYLOADS
from langchain_agentmem.types import Event, Memory, Scope, Source
from langchain_agentmem.types.memories import KEPT_STATUSES, LIVE_STATUSES

LIFE: Final = "life"
"""The field of a memory's record that holds it, where it says more than the memory does."""

_SELECT_EVENTS: Final = (
    select(EVENTS, PAYLOADS.c.sealed)
    .outerjoin(PAYLOADS, and_(PAYLOADS.c.subject_id == EVENTS.c.subject_id, PAYLOADS.c.seq == EVENTS.c.seq))
    .where(EVENTS.c.subject_id == reading.SUBJECT, EVENTS.c.memory_id.in_(bindparam("ids", expanding=True)))
    .order_by(EVENTS.c.seq)
)
_IDS: Final = ("by", "with", "back_with", "left_of")
_FLAGS: Final = ("merged_into", "in_part", "forgotten")
_AMONG: Final[Mapping[str, Sequence[str]]] = {
    "was": KEPT_STATUSES,
    "before": LIVE_STATUSES,
    "began": get_args(Source),
}
_TIMES: Final = frozenset({"valid_at", "invalid_at"})


class Together(NamedTuple):
    """What all memories of a file tell of each other.

    Attributes:
        agents: Of each, by its id, the agent. `left`: the ids of what remained of one.
    """

    agents: Mapping[str, str | None]
    left: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, records: Records) -> Together:
        """Read them, some at a time."""
        agents: dict[str, str | None] = {}
        left: defaultdict[str, list[str]] = defaultdict(list)
        for record in (it for batch in records.batches() for it in batch):
            agents[record.id] = record.data.get("agent_id")
            if (source := _said(record).get("left_of")) is not None:
                left[source].append(record.id)
        return cls(agents, left)

    def note(self, record: Record, here: Collection[str]) -> dict[str, Any]:
        """Return what the log is to say of the life of a memory.

        Args:
            record: Of the memory.
            here: Ids of memories that are here and not in the file: what happens to this one is nothing to them.
        """
        said = {name: it for name, it in _said(record).items() if name not in _IDS or it not in here}
        left = {"left": self.left[record.id]} if record.id in self.left else {}
        return {IMPORTED_LIFE: {**said, **left}} if said or left else {}


def with_lives(it: reading.Rows, records: Sequence[Record]) -> list[Record]:
    """Add to some memories what is asked of them, and what happened to them that they do not say themselves."""
    events: dict[str, list[Event]] = {record.id: [] for record in records}
    for row in it.connection.execute(_SELECT_EVENTS, {"subject": it.subject, "ids": [*events]}):
        events[row.memory_id].append(event_of(row, it.codec))
    return [_with_life(record, Life.of(events[record.id]), it.scope) for record in records]


def _with_life(record: Record, life: Life, owner: Scope) -> Record:
    memory = fold(None, record.id, owner, record.data, 0)
    return record._replace(data={**record.data, **asked.told(life, memory), **_told(life, memory)})


def check(record: Record) -> None:
    """Look at what a record says of the life of its memory.

    Raises:
        Exception: Of any kind, where it is none of `with_lives`.
    """
    said = _said(record)
    for name in filter(said.__contains__, _IDS):
        check_id(name, said[name])
    for name in filter(said.__contains__, _FLAGS):
        check_flag(name, said[name])
    for name in filter(said.__contains__, _AMONG):
        check_choice(name, said[name], _AMONG[name])
    for micros in said.get("held", {}).values():
        from_micros(None if micros is None else check_instance("held", micros, int))


def _told(life: Life, memory: Memory) -> dict[str, Any]:
    """Return what a life tells and the memory does not; nothing of most.

    What remained of it, that says itself.
    """
    said = life.carried
    said.pop("left", None)
    if memory.status in LIVE_STATUSES:
        del said["held"]
    if said["before"] in {memory.status, "active"}:
        del said["before"]
    if said.get("began") == memory.source:
        del said["began"]
    return {LIFE: said} if said else {}


def _said(record: Record) -> dict[str, Any]:
    """Return what a record says of a life, and this release knows; nothing in exports of earlier ones."""
    said = check_instance(LIFE, record.data.get(LIFE, {}), dict)
    known = {name: it for name, it in said.items() if name in {*_IDS, *_FLAGS, *_AMONG}}
    held = check_instance("held", said.get("held", {}), dict)
    times = {name: it for name, it in held.items() if name in _TIMES}
    return {**known, **({"held": times} if times else {})}
