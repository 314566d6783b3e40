"""How memory is governed and measured: one record of options, each of which has a default that works."""

from __future__ import annotations

import importlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from langchain_agentmem._checks import check_choice, check_instance, check_text
from langchain_agentmem.errors import ConfigurationError

if TYPE_CHECKING:
    from langchain_agentmem.long_term.parts import ConsentMode, ModeChoice
    from langchain_agentmem.policies.rank import Weights
    from langchain_agentmem.policies.write import WritePolicy
    from langchain_agentmem.vault.base import Vault

MAX_RECEIPTS_DAYS: Final = 36_500
"""A hundred years; what is to be kept longer is kept for ever."""

_RECORDS: Final = {
    "sessions": ("langchain_agentmem.sessions.options", "SessionOptions"),
    "threads": ("langchain_agentmem.checkpoint.options", "SaverOptions"),
}
"""Which settings there are for conversations and threads; imported where some are given, and not before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOptions:
    """How memory is governed and measured; every default works.

    Args:
        consent: `required`: nothing long-term is kept before `memory.consent.grant(scope)`; `assumed`: the application
            has asked its users itself.
        mode: `on`, `frozen` (read-only) or `off`, for all or by a callable per scope.
        policy: The write policy. `weights`: the order of a recall.
        vault: Encrypts what is stored. `audit_key`: authenticates the log's heads, at least 16 bytes, kept elsewhere.
        model: A chat model for extraction and evaluation; without one, rules.
        sessions: How conversations are kept: fields of `SessionOptions`, for example `{"ttl": timedelta(days=30)}`.
        threads: How LangGraph's threads are kept: fields of `SaverOptions`, for example `{"on_conflict": "fork"}`.
        receipts_days: How long receipts of recalls are kept; `None`: for ever.
        embedding_name: Recorded with the vectors instead of the embeddings' own name.
        clock: Gives the time, aware UTC. `new_id`: gives ids.
    """

    consent: ConsentMode = "required"
    mode: ModeChoice = "on"
    policy: WritePolicy | None = None
    weights: Weights | None = None
    vault: Vault | None = None
    audit_key: bytes | None = None
    model: Any = None
    sessions: Mapping[str, Any] = field(default_factory=dict)
    threads: Mapping[str, Any] = field(default_factory=dict)
    receipts_days: float | None = 90.0
    embedding_name: str | None = None
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex

    def __post_init__(self) -> None:
        """Check what can be checked before anything is opened."""
        check_choice("consent", self.consent, ("required", "assumed"))
        if not callable(self.mode):
            check_choice("mode", self.mode, ("on", "frozen", "off"))
        if self.audit_key is not None:
            check_instance("audit_key", self.audit_key, bytes)
        for name in ("sessions", "threads"):
            if not isinstance(getattr(self, name), Mapping):
                msg = f"{name} must be a dict, got {getattr(self, name)!r}; for example {{'ttl': timedelta(days=30)}}"
                raise ConfigurationError(msg)
            _check_settings(name, getattr(self, name))
        if self.embedding_name is not None:
            check_text("embedding_name", self.embedding_name)
        for name in ("clock", "new_id"):
            if not callable(getattr(self, name)):
                msg = f"{name} must be callable without arguments, got {type(getattr(self, name)).__name__}"
                raise ConfigurationError(msg)
        _check_days(self.receipts_days)


def read_options(given: dict[str, Any]) -> MemoryOptions:
    """Return options from keyword arguments; an unknown one is refused by its name."""
    try:
        return MemoryOptions(**given)
    except TypeError as error:
        known = ", ".join(MemoryOptions.__dataclass_fields__)
        unknown = sorted(set(given) - set(MemoryOptions.__dataclass_fields__))
        msg = f"unknown option {unknown[0]!r}; use one of {known}"
        raise ConfigurationError(msg) from error


def _check_settings(name: str, given: Mapping[str, Any]) -> None:
    """Refuse settings that no store of conversations or threads would take."""
    if not given:
        return
    module, record = _RECORDS[name]
    settings = getattr(importlib.import_module(module), record)
    known = settings.__dataclass_fields__
    unknown = [key for key in given if key not in known]
    if unknown:
        msg = f"{name} has no option {unknown[0]!r}; use one of {', '.join(known)}"
        raise ConfigurationError(msg)
    settings(**given)


def _check_days(days: object) -> None:
    if days is None:
        return
    if isinstance(days, bool) or not isinstance(days, (int, float)) or not 0 <= days <= MAX_RECEIPTS_DAYS:
        msg = f"receipts_days must be from 0 to {MAX_RECEIPTS_DAYS}, or None for ever, got {days!r}; for example 90"
        raise ConfigurationError(msg)
