"""What the rows of the ledger say of a user, as records of an export."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from sqlalchemy import BindParameter, Connection, bindparam

from langchain_agentmem.ledger.codec import encode_fields, fields_of, from_micros, load
from langchain_agentmem.ledger.sql import rows
from langchain_agentmem.ledger.sql.due import due_at
from langchain_agentmem.ledger.sql.episode_rows import EpisodeCodec
from langchain_agentmem.ledger.sql.reader import event_of
from langchain_agentmem.ledger.sql.runs import step_name
from langchain_agentmem.ledger.sql.sensitive import token_name
from langchain_agentmem.privacy.layers import Record
from langchain_agentmem.types import Scope

SUBJECT: Final[BindParameter[int]] = bindparam("subject")


class Rows(NamedTuple):
    """Some rows of one user's, read in one transaction."""

    connection: Connection
    subject: int
    scope: Scope
    codec: rows.RowCodec


def event(it: Rows, row: Any) -> Record:  # noqa: ANN401  (a row, here and below)
    """Give an event of the log."""
    found = event_of(row, it.codec)
    told = {"type": found.type, "memory_id": found.memory_id, "rule": found.rule, "payload": found.payload}
    return Record(str(found.seq), {**told, "at": time_of(row.at), "digest": found.digest})


def memory(it: Rows, row: Any) -> Record:  # noqa: ANN401
    """Give a memory, and the number of the event that changed it last."""
    found = it.codec.memory(row)
    return Record(found.id, {**encode_fields(fields_of(found)), "revision": found.revision})


def episode(it: Rows, row: Any) -> Record:  # noqa: ANN401
    """Give a turn of a conversation, and which earlier ones it updates."""
    codec = EpisodeCodec(it.scope, it.codec.cipher)
    stored = codec.stored(row)
    turn = stored.episode
    said = {"speaker": turn.speaker, "text": turn.text, "reply": turn.reply}
    place = {"agent_id": row.agent_id, "session_id": row.session_id, "place": row.place, "at": time_of(row.at)}
    kept = {"expires_at": time_of(row.expires_at), "purposes": list(turn.purposes)}
    names = {"message_ids": list(turn.message_ids), "is_in_conversation": stored.is_pointer}
    return Record(turn.id, {**said, **place, **kept, **names})


def receipt(it: Rows, row: Any) -> Record:  # noqa: ANN401
    """Give why something was recalled."""
    stored = load(it.codec.cipher.open(row.sealed, f"receipt/{row.receipt_id}"))
    return Record(row.receipt_id, {"at": time_of(row.at), **stored})


def request(_: Rows, row: Any) -> Record:  # noqa: ANN401
    """Give when something was asked to be forgotten; what was asked is kept as keyed digests only."""
    return Record(str(row.seq), {"expires_at": time_of(row.expires_at)})


def use(_: Rows, row: Any) -> Record:  # noqa: ANN401
    """Give how often a memory was used."""
    return Record(row.memory_id, {"uses": row.uses, "last_used_at": time_of(row.last_used_at)})


def job(_: Rows, row: Any) -> Record:  # noqa: ANN401
    """Give what waits."""
    told = {"kind": row.kind, "status": row.status, "attempts": row.attempts}
    return Record(str(row.job_id), {**told, "run_at": due_at(row).isoformat(), "created_at": time_of(row.created_at)})


def token(it: Rows, row: Any) -> Record:  # noqa: ANN401
    """Give what a token stands for; a record for each of its holders."""
    value = it.codec.cipher.open(row.sealed, token_name(row.token, row.holder)).decode("utf-8", "surrogatepass")
    return Record(f"{row.token}/{row.holder}", {"token": row.token, "holder": row.holder, "value": value})


def run_step(it: Rows, row: Any) -> Record:  # noqa: ANN401
    """Give a step of a recorded run, of any agent."""
    body = load(it.codec.cipher.open(row.sealed, step_name(row._asdict())))
    place = {"run_id": row.run_id, "no": row.no, "agent_id": row.agent_id, "at": time_of(row.at)}
    return Record(f"{row.run_id}/{row.no}", {**place, "kind": row.kind, "body": body})


def time_of(at: int | None) -> str | None:
    """Return a time as it is exported."""
    moment = from_micros(at)
    return None if moment is None else moment.isoformat()
