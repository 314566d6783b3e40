"""Memories as fields of an event's payload, and back; and the fold that makes a memory out of its events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.types import GoalProgress, Memory, Provenance, Scope

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_TIMES: Final = frozenset({"valid_at", "invalid_at", "created_at", "expired_at", "expires_at"})
_TUPLES: Final = frozenset({"tags", "purposes", "supersedes", "links", "contradicts"})
_WORDS_OF_QUERY: Final = frozenset({"text", "action", "task", "purpose", "tags"})
_NAMED_IN_QUERY: Final = frozenset({"speakers", "dates"})
_NOT_STORED: Final = frozenset({"id", "scope", "revision"})
_PROVENANCE: Final = fields(Provenance)
_GOAL: Final = fields(GoalProgress)
_FIELDS: Final = frozenset(field.name for field in fields(Memory)) - _NOT_STORED | {"agent_id", "session_id"}


def to_micros(moment: datetime | None) -> int | None:
    """Return microseconds since 1970 UTC, exactly."""
    return None if moment is None else (moment - EPOCH) // _MICROSECOND


def from_micros(micros: int | None) -> datetime | None:
    """Return the aware UTC datetime of microseconds since 1970."""
    return None if micros is None else EPOCH + timedelta(microseconds=micros)


def dump(value: object) -> bytes:
    """Return canonical JSON: the same value always gives the same bytes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def load(data: bytes) -> dict[str, Any]:
    """Return what `dump` was given.

    Raises:
        IntegrityError: The bytes are no JSON object.
    """
    try:
        value = json.loads(data)
    except (TypeError, ValueError) as error:  # SQLite keeps a number where bytes belong
        msg = "a stored payload is no JSON any more; run verify() and restore the database from a backup"
        raise IntegrityError(msg) from error
    if not isinstance(value, dict):
        msg = "a stored payload is no JSON object; verify() tells more, restore the database from a backup"
        raise IntegrityError(msg)
    return value


def without_words(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plan of a receipt without what its query said in the user's or the program's words."""
    said = {"query": _WORDS_OF_QUERY, "conversations": _NAMED_IN_QUERY}
    bare = {
        part: {name: value for name, value in plan[part].items() if name not in words}
        for part, words in said.items()
        if part in plan
    }
    return {**plan, **bare}


def fields_of(memory: Memory) -> dict[str, Any]:
    """Return all stored fields of a memory, as values of `Memory`."""
    named = {name: getattr(memory, name) for name in _FIELDS - {"agent_id", "session_id"}}
    if memory.goal is None:
        del named["goal"]  # few memories have one
    return {**named, "agent_id": memory.scope.agent_id, "session_id": memory.scope.session_id}


def encode_fields(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON form of field values."""
    return {name: _encode(name, value) for name, value in changes.items()}


def fold(memory: Memory | None, memory_id: str, owner: Scope, payload: Mapping[str, Any], seq: int) -> Memory:
    """Return what a memory is after one more event; `owner` gives tenant and user.

    Raises:
        IntegrityError: The payload is not one that this package wrote.
    """
    try:
        return _folded(memory, memory_id, owner, payload, seq)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        msg = f"what is stored of memory {memory_id!r} cannot be read; run verify() and restore a backup"
        raise IntegrityError(msg) from error


def _folded(memory: Memory | None, memory_id: str, owner: Scope, payload: Mapping[str, Any], seq: int) -> Memory:
    changes = {name: _decode(name, value) for name, value in payload.items() if name in _FIELDS}
    scope = memory.scope if memory else owner
    if {"agent_id", "session_id"} & changes.keys():
        agent_id = changes.pop("agent_id", scope.agent_id)
        session_id = changes.pop("session_id", scope.session_id)
        scope = Scope(owner.user_id, tenant_id=owner.tenant_id, agent_id=agent_id, session_id=session_id)
    if memory is None:
        return Memory(id=memory_id, scope=scope, revision=seq, **changes)
    return replace(memory, scope=scope, revision=seq, **changes)


def _encode(name: str, value: Any) -> object:  # noqa: ANN401  (any field of a memory)
    if name in _TIMES:
        return to_micros(value)
    if name in _TUPLES:
        return list(value)
    if name == "provenance":
        return {field.name: getattr(value, field.name) for field in _PROVENANCE}
    if name == "goal" and value is not None:
        return {field.name: getattr(value, field.name) for field in _GOAL}
    return value


def _decode(name: str, value: Any) -> Any:  # noqa: ANN401  (any field of a memory)
    if name in _TIMES:
        return from_micros(value)
    if name in _TUPLES:
        return tuple(value)
    if name == "provenance":
        return Provenance(**{**value, "message_ids": tuple(value["message_ids"])})
    if name == "goal" and value is not None:
        return GoalProgress(**{**value, "steps": tuple(value["steps"]), "completed": tuple(value["completed"])})
    return value
