"""What callers of long-term memory give, as it may be used: checked before anything is read or written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from langchain_agentmem._checks import check_instance, check_key, check_labels, check_text, check_wanted_kinds, given
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.ledger.verification import Anchor
from langchain_agentmem.policies.redact import redact
from langchain_agentmem.types import KINDS, Candidate, Kind, Kinds, RecallQuery, Source

R = TypeVar("R", Candidate, RecallQuery)


def checked_id(memory_id: str, name: str = "memory_id") -> str:
    """Return an id that can be looked for."""
    return check_key(name, memory_id)


def checked_ids(memory_ids: Sequence[str]) -> tuple[str, ...]:
    """Return ids that can be looked for."""
    return check_labels("memory_ids", memory_ids)


def checked_reason(reason: str) -> str:
    """Return a reason as it may be stored: what is no memory for being sensitive is no reason either."""
    return redact(check_text("reason", reason))


def checked_use(used: Mapping[str, bool | None]) -> dict[str, bool | None]:
    """Return what an answer used, by memory id."""
    if not isinstance(used, Mapping):
        msg = f"used must be a mapping of memory ids to True, False or None, got {type(used).__name__}"
        raise ConfigurationError(msg)
    wrong = next((value for value in used.values() if value is not None and not isinstance(value, bool)), None)
    if wrong is not None:
        msg = f"used must say True, False or None of each memory, got {wrong!r}"
        raise ConfigurationError(msg)
    return {checked_id(memory_id): value for memory_id, value in used.items()}


def checked_anchor(anchor: Anchor | None) -> Anchor | None:
    """Return a head exported earlier, if one is given."""
    return None if anchor is None else check_instance("anchor", anchor, Anchor)


def candidate_from(
    content: str | Candidate, kind: Kind | None, source: Source | None, confidence: float | None
) -> Candidate:
    """Return the candidate that is given, or that of a statement."""
    fields = _told(kind=kind, source=source, confidence=confidence)
    return _alone(content, fields) if isinstance(content, Candidate) else Candidate(content=content, **fields)


def query_from(query: str | RecallQuery, limit: int | None, kinds: Kinds | None) -> RecallQuery:
    """Return the query that is given, or that of a question."""
    fields = _told(limit=limit, kinds=kinds)
    if isinstance(query, RecallQuery):
        return _alone(query, fields)
    if not isinstance(query, str):
        msg = f"query must be a str or a RecallQuery, got {given(query)}; for example 'where does Alice live?'"
        raise ConfigurationError(msg)
    return RecallQuery(text=query, **{**fields, "kinds": check_wanted_kinds(kinds, KINDS)})


def _told(**fields: object) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _alone(record: R, beside: Mapping[str, object]) -> R:
    """Return a record, unless fields are told beside it that would be ignored."""
    if beside:
        names, kind = ", ".join(beside), type(record).__name__
        fields = ", ".join(f"{name}=…" for name in beside)
        msg = f"{names} cannot be given beside a {kind}; say it there: {kind}(…, {fields}), or replace(…, {fields})"
        raise ConfigurationError(msg)
    return record
