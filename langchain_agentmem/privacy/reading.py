"""What the rows of the ledger say of a user, as records of an export."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from sqlalchemy import BindParameter, ColumnElement, Connection, Table, bindparam, select

from langchain_agentmem.ledger.codec import encode_fields, fields_of, from_micros, load
from langchain_agentmem.ledger.sql import rows
from langchain_agentmem.ledger.sql.episode_rows import EpisodeCodec
from langchain_agentmem.ledger.sql.runs import step_name
from langchain_agentmem.ledger.sql.sensitive import token_name
from langchain_agentmem.ledger.standing import ERASE_JOB
from langchain_agentmem.privacy.layers import Record
from langchain_agentmem.sql.emptied import HERE
from langchain_agentmem.sql.schema import ACCESS, EPISODES, JOBS, MEMORIES, RECEIPTS, REQUESTS, RUN_STEPS, TOKENS
from langchain_agentmem.types import Scope

AT_ONCE: Final = 1_000
"""Events read at a time."""

SUBJECT: Final[BindParameter[int]] = bindparam("subject")


class Rows(NamedTuple):
    """A transaction that reads one user's rows."""

    connection: Connection
    subject: int
    scope: Scope
    codec: rows.RowCodec

    def of(self, table: Table, *where: ColumnElement[bool]) -> Iterable[Any]:
        """Return the user's rows of a table, in the order of its primary key."""
        chosen = select(table).where(table.c.subject_id == SUBJECT, *where).order_by(*table.primary_key.columns)
        return self.connection.execute(chosen, {"subject": self.subject})


def events(it: Rows) -> Iterator[Record]:
    """Give the log."""
    after = 0
    while batch := it.connection.execute(
        rows.SELECT_EVENTS, {"subject": it.subject, "after": after, "limit": AT_ONCE}
    ).all():
        for row in batch:
            payload = None if row.sealed is None else load(it.codec.payload(row.sealed, row.seq)[1])
            told = {"type": row.type, "memory_id": row.memory_id, "rule": row.rule, "payload": payload}
            yield Record(str(row.seq), {**told, "at": time_of(row.at), "digest": row.digest.hex()})
        after = batch[-1].seq


def memories(it: Rows) -> Iterator[Record]:
    """Give memories of every agent and status."""
    for row in it.of(MEMORIES, MEMORIES.c.status != "erased"):
        memory = it.codec.memory(row)
        yield Record(memory.id, encode_fields(fields_of(memory)))


def episodes(it: Rows) -> Iterator[Record]:
    """Give turns of conversations."""
    codec = EpisodeCodec(it.scope, it.codec.cipher)
    for row in it.of(EPISODES, EPISODES.c.is_gone == HERE):
        stored = codec.stored(row)
        episode = stored.episode
        said = {"speaker": episode.speaker, "text": episode.text, "reply": episode.reply}
        place = {"agent_id": row.agent_id, "session_id": row.session_id, "place": row.place, "at": time_of(row.at)}
        kept = {"expires_at": time_of(row.expires_at), "purposes": list(episode.purposes)}
        names = {"message_ids": list(episode.message_ids), "is_in_conversation": stored.is_pointer}
        yield Record(episode.id, {**said, **place, **kept, **names})


def receipts(it: Rows) -> Iterator[Record]:
    """Give why something was recalled."""
    for row in it.of(RECEIPTS):
        stored = load(it.codec.cipher.open(row.sealed, f"receipt/{row.receipt_id}"))
        yield Record(row.receipt_id, {"at": time_of(row.at), **stored})


def requests(it: Rows) -> Iterator[Record]:
    """Give when something was asked to be forgotten."""
    for row in it.of(REQUESTS):  # what was asked is kept as keyed digests only
        yield Record(str(row.seq), {"expires_at": time_of(row.expires_at)})


def uses(it: Rows) -> Iterator[Record]:
    """Give how often memories were used."""
    for row in it.of(ACCESS):
        yield Record(row.memory_id, {"uses": row.uses, "last_used_at": time_of(row.last_used_at)})


def jobs(it: Rows) -> Iterator[Record]:
    """Give what waits."""
    for row in it.of(JOBS, JOBS.c.kind != ERASE_JOB):
        told = {"kind": row.kind, "status": row.status, "attempts": row.attempts}
        yield Record(str(row.job_id), {**told, "run_at": time_of(row.run_at), "created_at": time_of(row.created_at)})


def tokens(it: Rows) -> Iterator[Record]:
    """Give what tokens stand for; a record for each of their holders."""
    for row in it.of(TOKENS):
        value = it.codec.cipher.open(row.sealed, token_name(row.token, row.holder)).decode("utf-8", "surrogatepass")
        yield Record(f"{row.token}/{row.holder}", {"token": row.token, "holder": row.holder, "value": value})


def run_steps(it: Rows) -> Iterator[Record]:
    """Give the steps of every recorded run, of every agent."""
    for row in it.of(RUN_STEPS):
        body = load(it.codec.cipher.open(row.sealed, step_name(row._asdict())))
        place = {"run_id": row.run_id, "no": row.no, "agent_id": row.agent_id, "at": time_of(row.at)}
        yield Record(f"{row.run_id}/{row.no}", {**place, "kind": row.kind, "body": body})


def time_of(at: int | None) -> str | None:
    """Return a time as it is exported."""
    moment = from_micros(at)
    return None if moment is None else moment.isoformat()
