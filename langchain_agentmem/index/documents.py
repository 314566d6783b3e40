"""What a vector store is told about a memory: opaque names, numbers and labels, never text."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from functools import cached_property
from typing import Any, Final

import numpy as np

from langchain_agentmem._search import SearchFilter, SearchRow
from langchain_agentmem._terms import purpose_hash, tag_hash
from langchain_agentmem.index.filters import Clause, Comparison
from langchain_agentmem.types import Scope

OPEN_START: Final = -(10**18)
OPEN_END: Final = 10**18
"""Open ends of time in microseconds, beyond the years 1 and 9999: stores have no null that can be compared."""

NO_PURPOSE: Final = "-"
"""Label of a row that names no purpose; it also keeps the list of labels from being empty, which stores refuse."""

_LABEL_BYTES: Final = 8
_PUBLIC_KEY: Final = b"langchain-agentmem"
"""Without a key of the application names are opaque, but who knows a user's id can compute its name."""


class OpaqueNames:
    """Names under which users, agents, memories and labels stand in a foreign store.

    Args:
        key: Secret that makes the names unguessable, or what gives it when the first name is asked for; keep it as
            long as the store.
    """

    def __init__(self, key: bytes | Callable[[], bytes] | None = None) -> None:
        self._given = key or _PUBLIC_KEY

    @cached_property
    def _key(self) -> bytes:
        return self._given() if callable(self._given) else self._given

    @property
    def is_guessable(self) -> bool:
        """Whether who knows a user's id can compute its name."""
        return self._given == _PUBLIC_KEY

    def subject(self, scope: Scope) -> str:
        """Return the name of a (tenant, user)."""
        return self._name("subject", scope.tenant_id, scope.user_id)

    def agent(self, scope: Scope, agent_id: str | None) -> str:
        """Return the name of a user's agent, or of what all of them share."""
        shared = agent_id is None
        return self._name("shared" if shared else "agent", scope.tenant_id, scope.user_id, agent_id or "")

    def document(self, scope: Scope, memory_id: str) -> str:
        """Return the id of a memory's document: memories of two users never meet, even under equal ids."""
        return self._name("document", scope.tenant_id, scope.user_id, memory_id)

    def label(self, scope: Scope, label: int) -> str:
        """Return the name of a tag or purpose, from its hash."""
        return self._name("label", scope.tenant_id, scope.user_id, str(label))

    def _name(self, *parts: str) -> str:
        return hmac.digest(self._key, "\x00".join(parts).encode(), "sha256").hex()  # ids hold no NUL


def metadata_of(names: OpaqueNames, scope: Scope, model: str, row: SearchRow) -> dict[str, Any]:
    """Return a row's metadata. Every key is always there: a store may merge new metadata into old."""
    return {
        "subject": names.subject(scope),
        "memory": row.memory_id,
        "model": model,
        "agent": names.agent(scope, row.agent_id),
        "kind": row.kind,
        "status": row.status,
        "confidence": float(row.confidence),
        "start_at": row.created_at if row.valid_at is None else row.valid_at,
        "valid_at": OPEN_START if row.valid_at is None else row.valid_at,
        "invalid_at": OPEN_END if row.invalid_at is None else row.invalid_at,
        "expires_at": OPEN_END if row.expires_at is None else row.expires_at,
        "labels": _labels(names, scope, row.labels),
    }


def clauses_of_user(names: OpaqueNames, scope: Scope, model: str) -> list[Clause]:
    """Return as clauses that a row is one of this (tenant, user), with a vector of this model."""
    return [(Comparison("subject", "eq", names.subject(scope)),), (Comparison("model", "eq", model),)]


def clauses_of(names: OpaqueNames, scope: Scope, model: str, wanted: SearchFilter) -> list[Clause]:
    """Return a filter as clauses over that metadata; all must hold."""
    agents = {names.agent(scope, None), names.agent(scope, wanted.agent_id)}
    clauses: list[Clause] = [
        *clauses_of_user(names, scope, model),
        (Comparison("agent", "in", sorted(agents)),),
        (Comparison("status", "in", list(wanted.statuses)),),
        (Comparison("expires_at", "gt", wanted.now),),
        (Comparison("valid_at", "lte", wanted.at),),
    ]
    if wanted.purposes is not None:
        purposes = [NO_PURPOSE, *(names.label(scope, purpose_hash(it)) for it in wanted.purposes)]
        clauses.append(tuple(Comparison("labels", "contains", label) for label in purposes))
    clauses += [(Comparison("labels", "contains", names.label(scope, tag_hash(tag))),) for tag in wanted.tags]
    if not wanted.ended:
        clauses.append((Comparison("invalid_at", "gt", wanted.at),))
    if wanted.kinds is not None:
        clauses.append((Comparison("kind", "in", list(wanted.kinds)),))
    if wanted.min_confidence > 0:
        clauses.append((Comparison("confidence", "gte", wanted.min_confidence),))
    if wanted.since is not None:
        clauses.append((Comparison("start_at", "gte", wanted.since),))
    if wanted.until is not None:
        clauses.append((Comparison("start_at", "lt", wanted.until),))
    return clauses


def _labels(names: OpaqueNames, scope: Scope, blob: bytes) -> list[str]:
    hashes = np.frombuffer(blob, f"<u{_LABEL_BYTES}").tolist()
    labels = [names.label(scope, label) for label in hashes]
    return labels if any(label & 1 for label in hashes) else [NO_PURPOSE, *labels]
