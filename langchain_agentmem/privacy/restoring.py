"""What records of an export become again: what `reading` made of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, get_args

from langchain_agentmem._checks import (
    MAX_COUNT,
    check_choice,
    check_count,
    check_flag,
    check_instance,
    check_text,
    check_unit,
)
from langchain_agentmem.english.reading.claims import pack_claims
from langchain_agentmem.ledger.codec import dump, fold
from langchain_agentmem.ledger.episodes import EpisodeDraft
from langchain_agentmem.ledger.sql import rows
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.ledger.sql.runs import step_name
from langchain_agentmem.ledger.sql.sensitive import token_name
from langchain_agentmem.policies.stated import stated_in
from langchain_agentmem.privacy.layers import Record
from langchain_agentmem.types import Episode, Kind, Memory, Scope, Source, Status

_AMONG: Final[dict[str, tuple[str, ...]]] = {
    "kind": get_args(Kind),
    "status": tuple(it for it in get_args(Status) if it != "erased"),
    "source": get_args(Source),
}


def memory(record: Record, scope: Scope) -> Memory:
    """Return the memory that `reading.memory` told of, under its id."""
    fields: Mapping[str, Any] = record.data
    for name, among in _AMONG.items():
        check_choice(name, fields[name], among)
    for name in ("confidence", "importance", "trust"):
        check_unit(name, fields[name])
    check_text("content", fields["content"])
    check_flag("pinned", fields["pinned"])
    for name in ("tags", "purposes", "supersedes", "links", "contradicts"):
        for text in check_instance(name, fields.get(name, []), list):
            check_text(name, text)
    for name in ("subject", "relation", "object", "legal_basis", "held_by"):
        if fields.get(name) is not None:
            check_text(name, fields[name])
    return fold(None, Scope(scope.user_id, session_id=record.id).session_id or "", owner_of(scope), fields, 0)


def episode(record: Record, scope: Scope) -> EpisodeDraft:
    """Return the turn that `reading.episode` told of, as it is kept."""
    said = record.data
    episode = Episode(
        id=Scope(scope.user_id, session_id=record.id).session_id or "",
        scope=replace(owner_of(scope), agent_id=said["agent_id"], session_id=said["session_id"]),
        place=int(said["place"]),
        at=datetime.fromisoformat(said["at"]),
        speaker=check_text("speaker", said["speaker"]),
        text=str(said["text"]),
        reply=str(said["reply"]),
        message_ids=tuple(map(str, said["message_ids"])),
        purposes=tuple(map(str, said["purposes"])),
        expires_at=None if said["expires_at"] is None else datetime.fromisoformat(said["expires_at"]),
    )
    return EpisodeDraft(episode=episode, claims=pack_claims(stated_in(episode.text)))


def receipt_row(record: Record, seal: Callable[[bytes, str], bytes]) -> dict[str, Any]:
    """Return the row of what `reading.receipt` told."""
    stored = {name: value for name, value in record.data.items() if name != "at"}
    at = rows.micros(datetime.fromisoformat(record.data["at"]))
    return {"receipt_id": record.id, "at": at, "sealed": seal(dump(stored), f"receipt/{record.id}")}


def use_row(record: Record, _: object) -> dict[str, Any]:
    """Return the row of what `reading.use` told."""
    at = rows.micros(datetime.fromisoformat(record.data["last_used_at"]))
    return {"memory_id": record.id, "uses": int(record.data["uses"]), "last_used_at": at}


def token_row(record: Record, seal: Callable[[bytes, str], bytes]) -> dict[str, Any]:
    """Return the row of what `reading.token` told."""
    token, holder = check_text("token", record.data["token"]), check_text("holder", record.data["holder"])
    value = str(record.data["value"]).encode("utf-8", "surrogatepass")
    return {"token": token, "holder": holder, "sealed": seal(value, token_name(token, holder))}


def step_row(record: Record, seal: Callable[[bytes, str], bytes]) -> dict[str, Any]:
    """Return the row of what `reading.run_step` told."""
    said = record.data
    run_id, no = check_text("run_id", said["run_id"]), check_count("no", said["no"], 1, MAX_COUNT)
    body = dump(dict(said["body"]))
    place = {"run_id": run_id, "no": no, "agent_id": said["agent_id"], "kind": check_text("kind", said["kind"])}
    place["at"] = rows.micros(datetime.fromisoformat(said["at"]))
    return {**place, "sealed": seal(body, step_name(place))}
