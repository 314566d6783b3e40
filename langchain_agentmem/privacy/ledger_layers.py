"""What the ledger keeps of a user: a layer per table, each one statement away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from sqlalchemy import ColumnElement, Connection, Table, delete, func, or_, select, tuple_

from langchain_agentmem._checks import (
    check_flag,
)
from langchain_agentmem._flow import Flow, work
from langchain_agentmem.english.reading.relations import Relations
from langchain_agentmem.ledger.base import LedgerWriter
from langchain_agentmem.ledger.episodes import EpisodeDraft
from langchain_agentmem.ledger.sql import rows
from langchain_agentmem.ledger.sql.ending import EndingWriter, owner_of
from langchain_agentmem.ledger.sql.ledger import SQLLedger
from langchain_agentmem.ledger.standing import ERASE_JOBS
from langchain_agentmem.long_term.write.approval_questions import queue_end
from langchain_agentmem.privacy import asked, leaving, lived, reading, restoring
from langchain_agentmem.privacy.admitting import Admission
from langchain_agentmem.privacy.layers import Layer, Record, Records, Restored, Screen, Take
from langchain_agentmem.privacy.meeting import Coming, Standing, standing
from langchain_agentmem.sql.emptied import HERE
from langchain_agentmem.sql.schema import (
    ACCESS,
    EPISODES,
    EVENTS,
    JOBS,
    MEMORIES,
    PAYLOADS,
    RECEIPTS,
    REQUESTS,
    RUN_STEPS,
    SNAPSHOTS,
    SUBJECTS,
    TOKENS,
    VECTORS,
)
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import Vault

AT_ONCE: Final = 1_000
"""Rows deleted in one transaction, so that writers of other users need not wait long for it."""

ENDING: Final = ("erasure_begun", "subject_erased", "hold_placed", "hold_released")
"""Events that tell of the user's rights, and nothing of what the user told."""

PAGE: Final = 200
"""Rows read in one transaction for an export."""

Read: TypeAlias = Callable[[reading.Rows, Any], Record]
Queue: TypeAlias = Callable[[LedgerWriter, str], None]
Link: TypeAlias = Callable[[LedgerWriter, Scope, int], object]
MakeRow: TypeAlias = Callable[[Record, Callable[[bytes, str], bytes]], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Taking:
    """What an import into the ledger needs.

    Attributes:
        queue: Tells an external index of a memory that is written.
        link: See `EpisodeLayer`.
        admission: What may be taken in.
        ends: Says when what is asked now is no longer decided.
        relations: Of how many objects there may be one at a time.
    """

    queue: Queue
    link: Link
    admission: Admission
    ends: Callable[[], datetime | None]
    relations: Relations


class LedgerLayer(Layer):
    """One table of the ledger's.

    Args:
        ledger: Where it is.
        vault: Opens what is exported.
        table: Has a column `subject_id`, first in its primary key or in an index.
        read: Makes a record of a row; `None`: it is made of others, and is not exported.
        where: Which of its rows tell anything.
    """

    def __init__(
        self,
        ledger: SQLLedger,
        vault: Vault,
        table: Table,
        *,
        read: Read | None = None,
        where: Sequence[ColumnElement[bool]] = (),
    ) -> None:
        """Nothing is opened yet."""
        name = table.name.removeprefix("agentmem_")
        super().__init__(name, tables=(table.name,))
        self._ledger = ledger
        self._vault = vault
        self._table = table
        self._read = read
        self._where = self._exported = tuple(where)
        self._order = [it for it in table.primary_key.columns if it.name != "subject_id"]

    def count(self, scope: Scope) -> Flow[int]:
        """Count the rows that tell anything."""
        found = yield from self._rows(scope, self._counted)
        return found or 0

    def export(self, scope: Scope, take: Take) -> Flow[None]:
        """Give the rows by their primary key, a page in each transaction."""
        read, after = self._read, None
        while read is not None and (page := (yield from self._rows(scope, partial(self._page, read, after)))):
            yield from take([record for _, record in page])
            after = page[-1][0]

    def erase(self, scope: Scope) -> Flow[None]:
        """Delete some rows after the other."""
        key = next(it for it in self._table.primary_key.columns if it.name != "subject_id")
        mine = [self._table.c.subject_id == reading.SUBJECT, *self._where]
        some = select(key).where(*mine).limit(AT_ONCE)
        statement = delete(self._table).where(*mine, key.in_(some.correlate(None)))
        while (yield from self._ledger.end(owner_of(scope), lambda writer: writer.remove(statement))):
            pass

    def _page(self, read: Read, after: tuple[Any, ...] | None, it: reading.Rows) -> list[tuple[Any, Record]]:
        """Return the next records, each with the key of its row."""
        keys = self._order
        chosen = select(self._table).where(self._table.c.subject_id == reading.SUBJECT, *self._exported)
        if after is not None:
            chosen = chosen.where(tuple_(*keys) > after)
        found = it.connection.execute(chosen.order_by(*keys).limit(PAGE), {"subject": it.subject})
        return [(tuple(getattr(row, key.name) for key in keys), read(it, row)) for row in found]

    def _counted(self, it: reading.Rows) -> int:
        chosen = (
            select(func.count())
            .select_from(self._table)
            .where(self._table.c.subject_id == reading.SUBJECT, *self._where)
        )
        return int(it.connection.execute(chosen, {"subject": it.subject}).scalar_one())

    def _rows(self, scope: Scope, body: Callable[[reading.Rows], Any]) -> Flow[Any]:
        owner = owner_of(scope)
        cipher = yield from self._vault.cipher(owner)

        def read(connection: Connection) -> Any:  # noqa: ANN401  (whatever the body returns)
            subject = rows.find_subject(connection, owner)
            if subject is None:
                return None
            return body(reading.Rows(connection, subject.subject_id, owner, rows.RowCodec(owner, cipher)))

        return (yield from self._ledger.database.read(read))


class EventLayer(LedgerLayer):
    """The payloads of the log; the chain of headers and commitments stays, and verifies."""

    def __init__(self, ledger: SQLLedger, vault: Vault) -> None:
        """Nothing is opened yet."""
        ours = select(EVENTS.c.seq).where(EVENTS.c.subject_id == reading.SUBJECT, EVENTS.c.type.in_(ENDING))
        super().__init__(ledger, vault, PAYLOADS, read=reading.event, where=[PAYLOADS.c.seq.not_in(ours)])
        self.name = "events"
        self.tables = frozenset({SUBJECTS.name, EVENTS.name, PAYLOADS.name})

    def _page(self, read: Read, after: tuple[Any, ...] | None, it: reading.Rows) -> list[tuple[Any, Record]]:
        """Return the next events, those too whose payload is gone."""
        values = {"subject": it.subject, "after": after[0] if after else 0, "limit": PAGE}
        found = it.connection.execute(rows.SELECT_EVENTS, values)
        return [((row.seq,), read(it, row)) for row in found]


_KEPT: Final = (MEMORIES.c.status != "erased",)


def known_memories(ledger: SQLLedger, vault: Vault) -> LedgerLayer:
    """Return memories of every agent and status as they are, without what the log tells of them."""
    return LedgerLayer(ledger, vault, MEMORIES, read=reading.memory, where=_KEPT)


class MemoryLayer(LedgerLayer):
    """Memories of every agent and status; of an erased one only its id stays.

    Args:
        ledger: Where they are.
        vault: Opens what is exported.
        taking: What an import needs.
    """

    def __init__(self, ledger: SQLLedger, vault: Vault, taking: Taking) -> None:
        """Nothing is opened yet."""
        super().__init__(ledger, vault, MEMORIES, read=reading.memory, where=_KEPT)
        self._taking = taking
        self._known = known_memories(ledger, vault)

    def erase(self, scope: Scope) -> Flow[None]:
        """Take everything out of the rows, in one transaction: views elsewhere hear of it by what is left."""

        def empty(writer: EndingWriter) -> None:
            writer.check_erasing()
            writer.empty_memories(writer.now(), writer.head.seq)

        yield from self._ledger.end(owner_of(scope), empty)

    def _page(self, read: Read, after: tuple[Any, ...] | None, it: reading.Rows) -> list[tuple[Any, Record]]:
        """Return the next memories, each with what the log tells of it."""
        found = super()._page(read, after, it)
        told = lived.with_lives(it, [record for _, record in found])
        return [(key, record) for (key, _), record in zip(found, told, strict=True)]

    def check(self, scope: Scope, record: Record) -> None:
        """Read it as a memory."""
        asked.question(record, restoring.memory(record, scope), None)
        lived.check(record)

    def restore(self, scope: Scope, records: Records) -> Flow[Restored]:
        """Remember what may be kept, beside what stood here before: what that says too is not brought again."""
        come = yield from work(lived.Together.of, records)
        seq = yield from self._ledger.read(owner_of(scope), lambda reader: reader.head.seq)
        here = yield from standing(self._known, scope, Standing(self._taking.relations, come.agents.keys(), seq))
        done, batches = Restored(), records.batches()
        while batch := (yield from work(next, batches, None)):
            coming = yield from work(self._coming, scope, batch, records.export_id, here, come)
            done = done.and_((yield from self._bring(scope, coming)))
        return done

    def _coming(
        self, scope: Scope, batch: Sequence[Record], export_id: str, here: Standing, come: lived.Together
    ) -> Coming:
        """Read memories of a file, and hold them against what stands here, before anybody has to wait for it."""
        memories, ends = [restoring.memory(record, scope) for record in batch], self._taking.ends()
        return Coming(
            memories=memories,
            notes={
                it.id: {"export": export_id, "event": it.data.get("revision"), **come.note(it, here.ids)}
                for it in batch
            },
            questions={it.id: asked.question(told, it, ends) for told, it in zip(batch, memories, strict=True)},
            here=here,
            agents={*come.agents.values()},
            rivals={it.id: here.rivals(it) for it in memories if here.twin(it) is None},
        )

    def _bring(self, scope: Scope, coming: Coming) -> Flow[Restored]:
        """Remember each that may be kept under its id, with all of its fields; one that is there stays as it is."""
        put = partial(self._put, scope, coming)
        done, coming.here.seq = yield from self._ledger.end(owner_of(scope), put, is_erasure=False)
        return done

    def _put(self, scope: Scope, before: Coming, writer: EndingWriter) -> tuple[Restored, int]:
        """Return what became of them, and the last event."""
        coming, contradicting = before.caught_up(writer), 0
        untold = coming.untold(writer)
        taken = writer.taken([it.id for it in untold])
        new = [it for it in untold if it.id not in taken]
        admitted = list(self._taking.admission.memories(new, writer.head.consent, scope))
        writer.make_room([it.id for it, _ in admitted])
        for memory, tokens in admitted:
            with writer.seeing(memory.scope.agent_id):
                others = coming.remember(memory, writer)
            contradicting += bool(others)
            writer.sensitive.put(memory.id, tokens)
            if (question := coming.questions[memory.id]) is not None:
                queue_end(writer, memory, question.expires_at)
            for memory_id in (memory.id, *others):
                self._taking.queue(writer, memory_id)
        done = Restored(
            added=len(admitted),
            present=len(coming.memories) - len(new),
            skipped=len(new) - len(admitted),
            contradicting=contradicting,
        )
        return done, writer.head.seq


class EpisodeLayer(LedgerLayer):
    """Turns of conversations; of an erased one only its id stays.

    Args:
        ledger: Where they are.
        vault: Opens what is exported.
        admission: What may be taken in.
        link: Finds what turns that a transaction kept update, of a user whose turns had some revision before.
    """

    def __init__(self, ledger: SQLLedger, vault: Vault, admission: Admission, link: Link) -> None:
        """Nothing is opened yet."""
        self._admission = admission
        self._link = link
        told = [or_(EPISODES.c.is_gone == HERE, EPISODES.c.session_id != "")]
        super().__init__(ledger, vault, EPISODES, read=reading.episode, where=told)
        self._exported = (EPISODES.c.is_gone == HERE,)  # of one that is gone no word is left
        self._order = [EPISODES.c.session_id, EPISODES.c.place, EPISODES.c.episode_id]  # as they were said

    def erase(self, scope: Scope) -> Flow[None]:
        """Take everything out of the rows."""

        def empty(writer: EndingWriter) -> None:
            writer.check_erasing()
            writer.empty_episodes()

        yield from self._ledger.end(owner_of(scope), empty)

    def check(self, scope: Scope, record: Record) -> None:
        """Read it as a turn."""
        check_flag("is_in_conversation", record.data["is_in_conversation"])
        restoring.episode(record, scope)

    def put(self, scope: Scope, batch: Sequence[Record], export_id: str) -> Flow[Restored]:
        """Keep copies as they were; what only points into a conversation is made anew from that."""
        copies = [restoring.episode(record, scope) for record in batch if not record.data["is_in_conversation"]]
        drafts = sorted(copies, key=lambda it: (it.episode.scope.session_id or "", it.episode.place))
        done = Restored(skipped=len(batch) - len(drafts))
        for agent in {it.episode.scope.agent_id: it.episode.scope for it in drafts}.values():
            mine = [it for it in drafts if it.episode.scope.agent_id == agent.agent_id]
            owner = replace(agent, session_id=None)
            put = yield from self._ledger.append(owner, partial(self._put, owner, mine))
            done = done.and_(put)
        return done

    def _put(self, scope: Scope, drafts: Sequence[EpisodeDraft], writer: LedgerWriter) -> Restored:
        if not self._admission.takes_turns(writer.head.consent):
            return Restored(skipped=len(drafts))
        before = writer.episodes.revision
        kept = writer.episodes.put(drafts, None)
        if kept:
            self._link(writer, scope, before)
        return Restored(added=kept, present=len(drafts) - kept)


class Form(NamedTuple):
    """Ways between rows and records of a layer; see `PlainLayer`."""

    read: Read
    row: MakeRow
    screen: Screen


class PlainLayer(LedgerLayer):
    """Rows that are imported as they were exported, where memory may be kept at all.

    Args:
        form: How a row is made a record, a record a row, and what of a record stays away with memories that do.
        admission: What may be taken in.
    """

    def __init__(self, ledger: SQLLedger, vault: Vault, table: Table, form: Form, admission: Admission) -> None:
        """Nothing is opened yet."""
        super().__init__(ledger, vault, table, read=form.read)
        self._row = form.row
        self.screen = form.screen
        self._admission = admission

    def check(self, scope: Scope, record: Record) -> None:
        """Make a row of it."""
        self._row(record, lambda data, _: data)

    def put(self, scope: Scope, batch: Sequence[Record], export_id: str) -> Flow[Restored]:
        """Write the rows that are not there."""

        def bring(writer: EndingWriter) -> Restored:
            kept = self._admission.records(batch, writer.head.consent)
            added = writer.bring(self._table, [self._row(it, writer.sealed) for it in kept])
            return Restored(added=added, present=len(kept) - added, skipped=len(batch) - len(kept))

        return (yield from self._ledger.end(owner_of(scope), bring, is_erasure=False))


class JobLayer(LedgerLayer):
    """What waits to be done for the user, but for the erasure itself."""

    def __init__(self, ledger: SQLLedger, vault: Vault) -> None:
        """Nothing is opened yet."""
        super().__init__(ledger, vault, JOBS, read=reading.job, where=[JOBS.c.kind.not_in(ERASE_JOBS)])


def ledger_layers(ledger: SQLLedger, vault: Vault, taking: Taking) -> list[LedgerLayer]:
    """Return the layers of the ledger, in the order in which they are erased: what is made of others first."""
    rules = taking.admission
    return [
        JobLayer(ledger, vault),
        PlainLayer(ledger, vault, RECEIPTS, Form(reading.receipt, restoring.receipt_row, leaving.receipt), rules),
        LedgerLayer(ledger, vault, REQUESTS, read=reading.request),
        PlainLayer(ledger, vault, TOKENS, Form(reading.token, restoring.token_row, leaving.token), rules),
        PlainLayer(ledger, vault, RUN_STEPS, Form(reading.run_step, restoring.step_row, leaving.run_step), rules),
        PlainLayer(ledger, vault, ACCESS, Form(reading.use, restoring.use_row, leaving.use), rules),
        LedgerLayer(ledger, vault, SNAPSHOTS),
        LedgerLayer(ledger, vault, VECTORS),
        EpisodeLayer(ledger, vault, rules, taking.link),
        MemoryLayer(ledger, vault, taking),
        EventLayer(ledger, vault),
    ]
