"""What the owner of conversations may choose: how long they are kept, how much of them, and what of their text."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, TypedDict

from langchain_core.messages import BaseMessage

from langchain_agentmem._checks import CheckedClock, check_flag, check_known, check_ttl, utc_now
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.sessions.base import check_number

_VARIANTS: Final = {digit: "89ab"[int(digit, 16) % 4] for digit in "0123456789abcdef"}
_MILLISECOND: Final = timedelta(milliseconds=1)
_MICROSECOND: Final = timedelta(microseconds=1)


def new_uuid() -> str:
    """Return a fresh id for a message: a random UUID.

    Written out from its bits, as RFC 9562 has them for version 4: the first use of `uuid.uuid4` after other work takes
    four times as long (18 against 4 µs, measured), and every message pays for it.
    """
    bits = os.urandom(16).hex()
    return f"{bits[:8]}-{bits[8:12]}-4{bits[13:16]}-{_VARIANTS[bits[16]]}{bits[17:20]}-{bits[20:]}"


class SessionSettings(TypedDict, total=False):
    """The fields of `SessionOptions` as keyword arguments of what stores conversations."""

    ttl: timedelta | None
    refresh_on_read: bool
    max_messages: int | None
    redact: Callable[[BaseMessage], BaseMessage] | None
    clock: Callable[[], datetime]
    new_id: Callable[[], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """How conversations are kept.

    Args:
        ttl: How long a session lives after its last write; `None`: until it is cleared. A session has one expiry for
            all it holds; each write sets it anew, by the options of the one who writes.
        refresh_on_read: Reading messages prolongs an expiry like a write.
        max_messages: The most messages a session holds: with the next one the oldest goes, and with a tool call its
            results. `None`: all are kept.
        redact: Given a copy of each message, returns what is stored in its place (its id stays). If it raises, nothing
            of the call is stored.
        clock: Gives the time, aware UTC.
        new_id: Gives the id of a message that has none.

    Raises:
        ConfigurationError: A field is outside its range, or cannot be called.
    """

    ttl: timedelta | None = None
    refresh_on_read: bool = False
    max_messages: int | None = None
    redact: Callable[[BaseMessage], BaseMessage] | None = None
    clock: Callable[[], datetime] = utc_now
    new_id: Callable[[], str] = new_uuid

    def __post_init__(self) -> None:
        """Check every field before anything is opened."""
        check_ttl(self.ttl)
        check_flag("refresh_on_read", self.refresh_on_read)
        if self.max_messages is not None:
            check_number("max_messages", self.max_messages)
        object.__setattr__(self, "clock", CheckedClock(self.clock))
        for name in ("redact", "new_id"):
            value = getattr(self, name)
            if not callable(value) and (value is not None or name != "redact"):
                msg = f"{name} must be callable, got {type(value).__name__}"
                raise ConfigurationError(msg)

    @property
    def ttl_ms(self) -> int | None:
        """The lifetime in whole milliseconds."""
        return None if self.ttl is None else self.ttl // _MILLISECOND

    def expiry(self, at: int) -> int | None:
        """Return when what is written at `at` expires; both in microseconds since 1970."""
        return None if self.ttl is None else at + self.ttl // _MICROSECOND


def read_settings(given: SessionSettings, default: SessionOptions) -> SessionOptions:
    """Return options of keyword arguments; what they do not say is as in `default`.

    Raises:
        ConfigurationError: One is unknown, or has a value that cannot work.
    """
    if not given:
        return default
    check_known(given, SessionOptions)
    return replace(default, **given)
