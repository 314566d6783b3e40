"""What is recorded of a user's answer: what it is about, where they gave it, and until when it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langchain_agentmem._checks import check_kinds, check_labels, check_text, check_time
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.redact import redact
from langchain_agentmem.types import KINDS, Kinds

MAX_SOURCE_CHARS = 64


def named(purposes: Sequence[str] | None) -> Sequence[str]:
    """Return the purposes that somebody names; none: every purpose.

    Raises:
        ConfigurationError: They name none: of a form without a tick nobody can tell whether it means all, or nothing.
    """
    if purposes is None:
        return ()
    if isinstance(purposes, Sequence) and not purposes:
        msg = "purposes must name a purpose, got none; leave it out for every purpose, or pass for example ['support']"
        raise ConfigurationError(msg)
    return purposes


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A user's answer, checked before any I/O.

    Args:
        purposes: What it is about; empty: every purpose.
        kinds: Of which memories; `None`: all.
        source: Where it was given: a label of the application's, kept in clear, never personal.
        expires_at: Until when it holds; `None`: until another one is given.
        reason: How it was given; any text, sensitive data in it is masked.
        origin: Ids of the run and the conversation in which it was given, where it was.

    Raises:
        ConfigurationError: A field has a value that cannot work.
    """

    purposes: Sequence[str] = ()
    kinds: Kinds | None = None
    source: str = "application"
    expires_at: datetime | None = None
    reason: str = ""
    origin: Mapping[str, str | None] | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        set_ = object.__setattr__
        set_(self, "purposes", tuple(dict.fromkeys(check_labels("purposes", self.purposes))))
        kinds = check_kinds(self.kinds, KINDS)
        if kinds == ():
            msg = "kinds must name a kind of memory, got none; leave it out for all kinds, or pass for example ['fact']"
            raise ConfigurationError(msg)
        set_(self, "kinds", kinds)
        set_(self, "source", redact(check_text("source", self.source, max_chars=MAX_SOURCE_CHARS)))
        set_(self, "reason", redact(check_text("reason", self.reason)))
        if self.expires_at is not None:
            set_(self, "expires_at", check_time("expires_at", self.expires_at))

    def note(self) -> dict[str, Any]:
        """Return it as the log has it."""
        told = {"purposes": list(self.purposes), "reason": self.reason, "source": self.source}
        kinds = {} if self.kinds is None else {"kinds": list(self.kinds)}
        until = {} if self.expires_at is None else {"expires_at": self.expires_at.isoformat()}
        origin = {name: value for name, value in (self.origin or {}).items() if value is not None}
        return {**told, **kinds, **until, **origin}

    def check_is_to_come(self, now: datetime) -> None:
        """Raise `ConfigurationError` where it would end before it begins."""
        if self.expires_at is not None and self.expires_at <= now:
            msg = f"expires_at {self.expires_at.isoformat()} is over already; pass a time to come, or withdraw"
            raise ConfigurationError(msg)
