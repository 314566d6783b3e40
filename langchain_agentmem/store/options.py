"""What the owner of a store may choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias, TypedDict

from langgraph.store.base import IndexConfig, TTLConfig

from langchain_agentmem._checks import CheckedClock, check_callable, check_flag, check_known, utc_now
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.items.paths import Namespace
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.store.indexing import Indexing, check_index, read_index
from langchain_agentmem.types import Scope
from langchain_agentmem.types.scope import Owner
from langchain_agentmem.vault.base import Vault, vault_of

MICROS_PER_MINUTE: Final = 60_000_000
MAX_MINUTES: Final = 36_500 * 24 * 60
"""A hundred years; what is to be kept longer is kept until it is deleted."""

_TTL_KEYS: Final = ("refresh_on_read", "omit_expired", "default_ttl", "sweep_interval_minutes")

Subject: TypeAlias = Callable[[Namespace], Scope | None]
Redact: TypeAlias = Callable[[Mapping[str, Any]], dict[str, Any]]


class StoreSettings(TypedDict, total=False):
    """The fields of `StoreOptions` as keyword arguments of a store."""

    index: IndexConfig | None
    ttl: TTLConfig | None
    subject: Subject | None
    shared: bool
    vault: Vault | None
    redact: Redact | None
    clock: Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """How items are kept.

    Args:
        index: LangGraph's `IndexConfig`: `embed`, `dims` and `fields`. Without `embed`, words alone are searched.
        ttl: LangGraph's `TTLConfig`, in minutes. An item that has expired is never returned, whatever `omit_expired`
            says; with `sweep_interval_minutes` batches also delete what has expired, that long after the last time.
        subject: Whose a namespace is, as a `Scope`; `None` for one that is nobody's. What is written there is the
            user's from then on, and `erase` finds it.
        shared: Namespaces whose template names no user, such as `("team", "{team_id}")`, are everybody's for whom it is
            filled alike; else they are refused, unless `subject` says whose they are.
        vault: Encrypts what is stored; each namespace then needs a subject.
        redact: Given a value, returns what is stored in its place. If it raises, nothing of the batch is stored.
        clock: Gives the time, aware UTC.

    Raises:
        ConfigurationError: A field has a value that cannot work.
    """

    index: IndexConfig | None = None
    ttl: TTLConfig | None = None
    subject: Subject | None = None
    shared: bool = False
    vault: Vault | None = None
    redact: Redact | None = None
    clock: Callable[[], datetime] = utc_now

    def __post_init__(self) -> None:
        """Check every field before anything is opened."""
        check_index(self.index)
        _check_ttl(self.ttl)
        check_flag("shared", self.shared)
        vault_of(self.vault)
        object.__setattr__(self, "clock", CheckedClock(self.clock))
        if self.subject is not None:
            check_callable("subject", self.subject, "lambda namespace: Scope(namespace[1])")
        if self.redact is not None:
            check_callable("redact", self.redact, "lambda value: {**value, 'text': redact(value['text'])}")

    def indexing(self) -> Indexing:
        """Return how items are made findable."""
        return read_index(self.index)

    def keeps(self) -> Vault:
        """Return the vault."""
        return vault_of(self.vault)

    def now(self) -> int:
        """Return the time in microseconds."""
        return to_micros(self.clock()) or 0

    def owner(self, namespace: Namespace) -> Owner | None:
        """Return whose a namespace is, as `subject` says.

        Raises:
            ScopeError: It says that it is an anonymous visitor's.
            ConfigurationError: It returned something else than a `Scope` or `None`.
        """
        scope = None if self.subject is None else self.subject(namespace)
        if scope is None:
            return None
        if not isinstance(scope, Scope):
            msg = f"subject must return a Scope or None, got {type(scope).__name__}; for example Scope(namespace[1])"
            raise ConfigurationError(msg)
        return owner_of(scope)


def owner_of(scope: object) -> Owner:
    """Return the owner that a scope names.

    Raises:
        ScopeError: It is anonymous.
        ConfigurationError: It is no scope.
    """
    if not isinstance(scope, Scope):
        msg = f"scope must be a Scope, got {type(scope).__name__}; for example Scope('alice')"
        raise ConfigurationError(msg)
    if scope.is_anonymous:
        msg = "an anonymous visitor has no namespace of a store; pass a Scope with a user_id"
        raise ScopeError(msg)
    return Owner(scope.tenant_id, scope.user_id)


def read_settings(given: Mapping[str, Any]) -> StoreOptions:
    """Return options of keyword arguments.

    Raises:
        ConfigurationError: One is unknown, or has a value that cannot work.
    """
    check_known(given, StoreOptions)
    return StoreOptions(**given)


def micros_of(name: str, minutes: object) -> int | None:
    """Return a number of minutes in microseconds; `None` stays.

    Raises:
        ConfigurationError: It is no number above 0 and up to a hundred years.
    """
    if minutes is None:
        return None
    is_number = isinstance(minutes, (int, float)) and not isinstance(minutes, bool)
    if not is_number or not 0 < minutes <= MAX_MINUTES:  # type: ignore[operator]  # a number by then
        msg = f"{name} must be minutes, above 0 and at most {MAX_MINUTES}, got {minutes!r:.40}; or None for ever"
        raise ConfigurationError(msg)
    return max(1, round(minutes * MICROS_PER_MINUTE))  # type: ignore[operator]  # likewise


def _check_ttl(ttl: object) -> None:
    if ttl is None:
        return
    if not isinstance(ttl, Mapping):
        msg = f"ttl must be a dict, got {type(ttl).__name__}; for example {{'default_ttl': 60}}"
        raise ConfigurationError(msg)
    unknown = sorted(map(str, set(ttl) - set(_TTL_KEYS)))
    if unknown:
        msg = f"ttl has an unknown key {unknown[0]!r}; use one of {', '.join(_TTL_KEYS)}"
        raise ConfigurationError(msg)
    for name in ("refresh_on_read", "omit_expired"):
        check_flag(name, ttl.get(name, True))
    for name in ("default_ttl", "sweep_interval_minutes"):
        micros_of(name, ttl.get(name))
