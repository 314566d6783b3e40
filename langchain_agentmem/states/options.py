"""What the owner of working states may choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, TypedDict

from langchain_agentmem._checks import CheckedClock, check_flag, check_known, check_ttl, utc_now
from langchain_agentmem.errors import ConfigurationError

DEFAULT_TTL: Final = timedelta(hours=24)
"""A task that nobody touched for a day is over, or is told again."""

_READS_PER_LIFE: Final = 24
"""How often reading alone writes while a state lives: reads stay reads, and its end is off by 4 % at most."""

_MICROSECOND: Final = timedelta(microseconds=1)
_MILLISECOND: Final = timedelta(milliseconds=1)


class WorkingSettings(TypedDict, total=False):
    """The fields of `WorkingOptions` as keyword arguments of what stores working states."""

    ttl: timedelta
    refresh_on_read: bool
    clock: Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingOptions:
    """How working states are kept.

    Args:
        ttl: How long a state lives after its last use; each change sets its end anew.
        refresh_on_read: Reading a state prolongs its life like a change, and counts as an access: with one write at
            most per 24th of `ttl`, an hour of a day. `False`: only changes prolong it.
        clock: Gives the time, aware UTC.

    Raises:
        ConfigurationError: A field is outside its range, or cannot be called.
    """

    ttl: timedelta = DEFAULT_TTL
    refresh_on_read: bool = True
    clock: Callable[[], datetime] = utc_now

    def __post_init__(self) -> None:
        """Check every field before anything is opened."""
        if self.ttl is None:
            msg = "ttl must be a timedelta: what an agent works on ends some time; for example timedelta(days=7)"
            raise ConfigurationError(msg)
        check_ttl(self.ttl)
        check_flag("refresh_on_read", self.refresh_on_read)
        object.__setattr__(self, "clock", CheckedClock(self.clock))

    @property
    def ttl_ms(self) -> int:
        """The lifetime in whole milliseconds."""
        return self.ttl // _MILLISECOND

    def is_due(self, left: timedelta) -> bool:
        """Return whether reading prolongs a state that has so much of its life left: its last use is some time ago."""
        return self.refresh_on_read and left < self.ttl - self.ttl / _READS_PER_LIFE

    def expiry(self, at: int) -> int:
        """Return when what is written at `at` expires; both in microseconds since 1970."""
        return at + self.ttl // _MICROSECOND


DEFAULT_OPTIONS: Final = WorkingOptions()


def read_settings(given: WorkingSettings) -> WorkingOptions:
    """Return options of keyword arguments.

    Raises:
        ConfigurationError: One is unknown, or has a value that cannot work.
    """
    check_known(given, WorkingOptions)
    return replace(DEFAULT_OPTIONS, **given)
