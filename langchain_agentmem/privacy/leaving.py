"""What an import leaves out with a memory that it leaves out: what else the file has of that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Connection, select

from langchain_agentmem._flow import Flow, work
from langchain_agentmem.ledger.codec import without_words
from langchain_agentmem.ledger.sql import rows
from langchain_agentmem.ledger.sql.ledger import SQLLedger
from langchain_agentmem.ledger.sql.runs import GONE
from langchain_agentmem.long_term.remove.ending import said_in
from langchain_agentmem.policies.waiting import may_say
from langchain_agentmem.privacy import restoring
from langchain_agentmem.privacy.layers import LeftOut, Record, Records, Screen
from langchain_agentmem.privacy.meeting import Standing
from langchain_agentmem.sql.emptied import HERE
from langchain_agentmem.sql.schema import EPISODES, MEMORIES
from langchain_agentmem.types import Memory, Scope

_KEPT: Final = {
    "memories": (MEMORIES.c.subject_id, MEMORIES.c.memory_id, MEMORIES.c.status != "erased"),
    "episodes": (EPISODES.c.subject_id, EPISODES.c.episode_id, EPISODES.c.is_gone == HERE),
}
"""By layer: whose a row is, its id, and whether it still tells anything."""


def receipt(record: Record, left: LeftOut) -> Record:
    """Return a receipt without the words that were asked, where they may say what was left out."""
    if not left.ids:
        return record
    plan = without_words(record.data["plan"])
    return record._replace(data={**record.data, "plan": plan, "unsupported": []})


def run_step(record: Record, left: LeftOut) -> Record:
    """Return a step of a run, emptied where it says what was left out: as an erasure leaves it."""
    words, told = said_in(record.data["body"])
    is_told = any(not told.isdisjoint(it.provenance.message_ids) or may_say(words, it) for it in left.memories)
    return record._replace(data={**record.data, "body": GONE}) if is_told else record


def token(record: Record, left: LeftOut) -> Record | None:
    """Return what a token stands for, unless what names it is not here."""
    return None if record.data["holder"] in left.ids | left.twins else record


def use(record: Record, left: LeftOut) -> Record | None:
    """Return how often a memory was used, unless it is not here."""
    return None if record.id in left.ids | left.twins else record


class Screened:
    """Records as they are taken in.

    Args:
        records: As they are in the file.
        screen: Returns what is taken in of one. `left`: what was left out before.

    Attributes:
        dropped: How many were not taken in, of those that were read.
    """

    def __init__(self, records: Records, screen: Screen, left: LeftOut) -> None:
        """Nothing is read yet."""
        self.export_id = records.export_id
        self.dropped = 0
        self._records, self._screen, self._left = records, screen, left

    def batches(self) -> Iterator[list[Record]]:
        """Return them in order."""
        for batch in self._records.batches():
            taken = [it for it in (self._screen(it, self._left) for it in batch) if it is not None]
            self.dropped += len(batch) - len(taken)
            if taken:
                yield taken

    def by_id(self) -> Iterator[tuple[str, Records]]:
        """Return those of each id."""
        for name, records in self._records.by_id():
            yield name, Screened(records, self._screen, self._left)


def left_out(
    ledger: SQLLedger, owner: Scope, records: Callable[[str], Records], standing: Callable[[], Flow[Standing]]
) -> Flow[LeftOut]:
    """Return what of a file's memories and turns is not here; what only points into a conversation is not among it.

    Args:
        ledger: Where they would be.
        owner: Whose they would be.
        records: Returns the records of a layer.
        standing: Returns the memories that count here; asked where one of the file is not.
    """
    memories: list[Memory] = []
    ids: set[str] = set()
    twins: set[str] = set()
    for layer in _KEPT:
        batches = records(layer).batches()
        while batch := (yield from work(next, batches, None)):
            own = {it.id: it for it in batch if not it.data.get("is_in_conversation")}
            here = yield from _here(ledger, owner, layer, list(own))
            gone = [it for name, it in own.items() if name not in here]
            ids |= {it.id for it in gone}
            memories += [restoring.memory(it, owner) for it in gone if layer == "memories"]
    if memories:
        known = yield from standing()
        twins = {it.id for it in memories if known.twin(it) is not None}
    kept = tuple(it for it in memories if it.id not in twins)
    return LeftOut(ids=frozenset(ids - twins), memories=kept, twins=frozenset(twins))


def _here(ledger: SQLLedger, owner: Scope, layer: str, ids: Sequence[str]) -> Flow[set[str]]:
    of_subject, key, is_kept = _KEPT[layer]

    def read(connection: Connection) -> set[str]:
        subject = rows.find_subject(connection, owner)
        if subject is None:
            return set()
        chosen: Any = select(key).where(of_subject == subject.subject_id, is_kept, key.in_(ids))
        return set(connection.execute(chosen).scalars())

    return (yield from ledger.database.read(read))
