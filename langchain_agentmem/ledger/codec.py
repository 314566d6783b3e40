"""Memories as fields of an event's payload, and back; and the fold that makes a memory out of its events."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any, Final

import orjson

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._search import found_by
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.types import GoalProgress, Memory, Provenance, Scope

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_TIMES: Final = ("valid_at", "invalid_at", "created_at", "expired_at", "expires_at", "faded_at")
_TUPLES: Final = ("tags", "purposes", "supersedes", "links", "contradicts")
_WORDS_OF_QUERY: Final = frozenset({"text", "action", "task", "purpose", "tags"})
_NAMED_IN_QUERY: Final = frozenset({"speakers", "dates"})
_NOT_STORED: Final = frozenset({"id", "scope", "revision"})
_PROVENANCE: Final = tuple(field.name for field in fields(Provenance))
_RARE_PROVENANCE: Final = frozenset({"tools", "trust_class"})
"""Left out where they are empty: what earlier releases wrote has none."""

_GOAL: Final = tuple(field.name for field in fields(GoalProgress))
_OF_MEMORY: Final = tuple(field.name for field in fields(Memory) if field.name not in _NOT_STORED)
_RARE: Final = ("goal", "held_by", "faded_at")
"""Few memories have one."""

CLEAR_FIELDS: Final = (
    *("agent_id", "session_id", "kind", "status", "source", "confidence", "importance", "trust", "sightings"),
    *("created_at", "valid_at", "invalid_at", "expired_at", "expires_at"),
)
"""Those that a row has columns for."""

_KEPT_MEMORIES: Final = 1_024
_OF_SCOPE: Final = frozenset({"agent_id", "session_id"})
_FIELDS: Final = _OF_SCOPE.union(_OF_MEMORY)
_IN_MEMORY: Final = attrgetter(*_OF_MEMORY, "scope.agent_id", "scope.session_id")
_STORED: Final = (*_OF_MEMORY, "agent_id", "session_id")
_IN_PROVENANCE: Final = attrgetter(*_PROVENANCE)
_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
_OPTIONS: Final = orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def to_micros(moment: datetime | None) -> int | None:
    """Return microseconds since 1970 UTC, exactly."""
    return None if moment is None else (moment - EPOCH) // _MICROSECOND


def from_micros(micros: int | None) -> datetime | None:
    """Return the aware UTC datetime of microseconds since 1970."""
    return None if micros is None else EPOCH + timedelta(microseconds=micros)


def dump(value: object) -> bytes:
    """Return canonical JSON: the same value always gives the same bytes."""
    return _JSON.encode(value).encode()


def dump_own(value: object) -> bytes:
    """Return canonical JSON of what this package made, NaN being none of it, in an eighth of the time.

    Texts and integers are written as `dump` writes them, floats with as many digits. What `orjson` refuses, integers
    beyond 64 bits among it, `dump` writes.
    """
    try:
        return orjson.dumps(value, option=_OPTIONS)
    except TypeError:
        return dump(value)


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
    named = dict(zip(_STORED, _IN_MEMORY(memory), strict=True))
    for name in _RARE:
        if named[name] is None:
            del named[name]
    return named


def encode_fields(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON form of field values."""
    return {**changes, **{name: encode(changes[name]) for name, encode in _ENCODE.items() if name in changes}}


def stored_of(memory: Memory) -> dict[str, Any]:
    """Return all stored fields of a memory in their JSON form."""
    return encode_fields(fields_of(memory))


def stored_after(memory: Memory | None, owner: Scope, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stored fields of what `fold` returns, without a detour by its values."""
    if memory is None:
        return {**_UNSAID, "agent_id": owner.agent_id, "session_id": owner.session_id, **payload}
    return {**stored_of(memory), **payload}


def words_of(stored: Mapping[str, Any]) -> str:
    """Return the words by which a memory of these stored fields is found: those of `search_text`."""
    return found_by(stored["content"], stored["subject"], stored["relation"], stored["object"])


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


@of_texts(_KEPT_MEMORIES)
def memory_of(owner: Scope, memory_id: str, revision: int, clear: tuple[Any, ...], body: bytes) -> Memory:
    """Return the memory that a row holds; those that are recalled again and again are kept, as long as they stay so.

    Args:
        owner: Gives tenant and user.
        memory_id: Its id.
        revision: Of the event that wrote the row.
        clear: The values of `CLEAR_FIELDS`, and whether it is pinned.
        body: The other fields, as `dump` gives them; nothing of what was erased.

    Raises:
        IntegrityError: They are not what this package wrote.
    """
    *columns, pinned = clear
    stored = dict(zip(CLEAR_FIELDS, columns, strict=True))
    words = load(body) if body else {}
    return fold(None, memory_id, owner, {"content": "", **stored, "pinned": bool(pinned), **words}, revision)


def _folded(memory: Memory | None, memory_id: str, owner: Scope, payload: Mapping[str, Any], seq: int) -> Memory:
    changes = {name: value for name, value in payload.items() if name in _FIELDS}
    changes |= {name: decode(changes[name]) for name, decode in _DECODE.items() if name in changes}
    scope = memory.scope if memory else owner
    if not _OF_SCOPE.isdisjoint(changes):
        agent_id = changes.pop("agent_id", scope.agent_id)
        session_id = changes.pop("session_id", scope.session_id)
        if scope is not owner or (agent_id, session_id) != (owner.agent_id, owner.session_id):
            scope = Scope(owner.user_id, tenant_id=owner.tenant_id, agent_id=agent_id, session_id=session_id)
    if memory is None:
        return Memory(id=memory_id, scope=scope, revision=seq, **changes)
    return replace(memory, scope=scope, revision=seq, **changes)


def _provenance(value: Mapping[str, Any]) -> Provenance:
    tools = {"tools": tuple(value["tools"])} if "tools" in value else {}
    return Provenance(**{**value, "message_ids": tuple(value["message_ids"]), **tools})


def _of_provenance(value: Provenance) -> dict[str, Any]:
    named = zip(_PROVENANCE, _IN_PROVENANCE(value), strict=True)
    return {name: it for name, it in named if it or name not in _RARE_PROVENANCE}


def _goal(value: Mapping[str, Any] | None) -> GoalProgress | None:
    if value is None:
        return None
    return GoalProgress(**{**value, "steps": tuple(value["steps"]), "completed": tuple(value["completed"])})


_ENCODE: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(_TIMES, to_micros),
    **dict.fromkeys(_TUPLES, list),
    "provenance": _of_provenance,
    "goal": lambda value: None if value is None else {name: getattr(value, name) for name in _GOAL},
}
_DECODE: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(_TIMES, from_micros),
    **dict.fromkeys(_TUPLES, tuple),
    "provenance": _provenance,
    "goal": _goal,
}
"""How fields of a memory that JSON has no form for are written, and read again."""

_UNSAID: Final = encode_fields(
    {it.name: it.default for it in fields(Memory) if it.name in _FIELDS and it.default is not MISSING}
)
"""What stands of a new memory where its event says nothing."""
