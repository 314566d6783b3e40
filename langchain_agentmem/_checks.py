"""Checks of what comes from outside: each returns the value it was given, or raises an error that names the remedy."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final, TypeVar

from langchain_agentmem.errors import ConfigurationError, ScopeError

T = TypeVar("T")
MAX_ID_BYTES: Final = 512
MAX_CONTENT_CHARS: Final = 10_000
MAX_TAGS: Final = 64
MAX_LABEL_CHARS: Final = 200
MIN_KEY_BYTES: Final = 16
MAX_TIMEOUT_S: Final = 86_400.0
"""A day; whoever waits longer waits for ever."""

MAX_COUNT: Final = 2**63 - 1
"""What a database can hold."""

MAX_SHOWN: Final = 80
"""Characters of a wrong value in an error."""

MIN_TTL: Final = timedelta(milliseconds=1)
MAX_TTL: Final = timedelta(days=36_500)
"""A hundred years; what is to be kept longer is kept until it is deleted."""

_AUTHENTICATED: Final = "pass the id your application authenticated"
_IDS: Final = {
    "agent_id": "pass the name of the agent, such as 'planner'",
    "session_id": "pass the id of the conversation, such as 'session-1'",
    "thread_id": "pass the id of the thread, such as 'thread-1'; a run has it in its config: "
    "{'configurable': {'thread_id': 'thread-1'}}",
}
_KEYS: Final = {
    "memory_id": "pass the id of a memory, such as decision.memory.id; `list` shows them",
    "receipt_id": "pass the receipt_id of a recall; it is None where memory was not asked",
}
_A_TEXT: Final = "pass a text of one word or more"


def install_hint(extra: str, *more: str) -> str:
    """Return how what an extra brings is installed: from an index of packages, or in a clone of this one."""
    named, cloned = (" ".join([f'"{package}[{extra}]"', *more]) for package in ("langchain-agentmem", "."))
    return f"run: pip install {named} (in a clone: pip install -e {cloned})"


def shown(value: object) -> str:
    """Return how a wrong value of an option is named in an error, cut short; of what somebody said: `given`."""
    try:
        text = repr(value)
    except ValueError:  # Python writes out no integer of more than some thousand digits
        text = "a number of thousands of digits"
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def given(value: object) -> str:
    """Return how a value of a wrong type is named: a number and None as they are, what may hold words by its type."""
    return shown(value) if value is None or isinstance(value, (bool, int, float)) else type(value).__name__


def check_id(name: str, value: object) -> str:
    """Return `value` if it can be an id, else raise.

    Raises:
        ScopeError: Not a str, empty, over 512 bytes in UTF-8, or with NUL or a lone surrogate in it.
    """
    if not isinstance(value, str):
        msg = f"{name} must be a str, got {given(value)}; {_IDS.get(name, _AUTHENTICATED)}"
        raise ScopeError(msg)
    if not value:
        msg = f"{name} is empty; {_IDS.get(name, _AUTHENTICATED)}"
        raise ScopeError(msg)
    if "\x00" in value or _has_surrogate(value):
        msg = f"{name} {shown(value)} holds NUL or a lone surrogate; remove it"
        raise ScopeError(msg)
    if len(value.encode()) > MAX_ID_BYTES:
        msg = f"{name} {value[:40]!r}… is longer than {MAX_ID_BYTES} bytes; shorten or hash it"
        raise ScopeError(msg)
    return str.__str__(value)  # of an enum member its value: drivers would differ about what to store


def check_text(name: str, value: object, *, max_chars: int = MAX_CONTENT_CHARS, hint: str = _A_TEXT) -> str:
    """Return `value` if it is text that can be stored, else raise; `hint` says what to pass instead.

    Raises:
        ConfigurationError: Not a str, blank, over `max_chars`, or with NUL or a lone surrogate in it.
    """
    if not isinstance(value, str):
        msg = f"{name} must be a str, got {given(value)}; {hint}"
        raise ConfigurationError(msg)
    if not value.strip():
        msg = f"{name} is empty; {hint}"
        raise ConfigurationError(msg)
    if len(value) > max_chars:
        msg = f"{name} has {len(value)} characters; at most {max_chars} are kept, split it"
        raise ConfigurationError(msg)
    if "\x00" in value or _has_surrogate(value):
        msg = (
            f"{name} holds NUL or a lone surrogate; clean it first, for example with "
            "value.replace('\\x00', '').encode('utf-8', 'replace').decode()"
        )
        raise ConfigurationError(msg)
    return value


def check_secret(name: str, value: object) -> bytes:
    """Return `value` if it is bytes, enough of them to authenticate with, else raise `ConfigurationError`."""
    if isinstance(value, bytes) and len(value) >= MIN_KEY_BYTES:
        return value
    found = f"has {len(value)} bytes" if isinstance(value, bytes) else f"is a {type(value).__name__}"
    msg = f"{name} {found}; pass at least {MIN_KEY_BYTES} bytes, for example secrets.token_bytes(32)"
    raise ConfigurationError(msg)


def check_unit(name: str, value: object) -> float:
    """Return `value` as a float if it lies in [0, 1], else raise `ConfigurationError`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:  # NaN is in no range
        msg = f"{name} must be a number in [0, 1], got {given(value)}; for example 0.9"
        raise ConfigurationError(msg)
    return float(value)


def check_share(name: str, value: object) -> None:
    """Raise `ConfigurationError` unless `value` is a number of 0 or more, and no infinite one."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        msg = f"{name} must be a number of 0 or more, got {shown(value)}; for example 0.4"
        raise ConfigurationError(msg)


def check_time(name: str, value: object) -> datetime:
    """Return `value` in UTC if it is an aware datetime, else raise `ConfigurationError`."""
    if not isinstance(value, datetime):
        msg = f"{name} must be a datetime, got {given(value)}; for example datetime.now(UTC)"
        raise ConfigurationError(msg)
    if value.tzinfo is None or value.utcoffset() is None:
        msg = f"{name} {value.isoformat()} has no time zone; add one, for example value.replace(tzinfo=UTC)"
        raise ConfigurationError(msg)
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        msg = f"{name} {value.isoformat()} lies beyond the years 1 to 9999 in UTC; choose a time inside them"
        raise ConfigurationError(msg) from error


def check_local_time(name: str, value: object) -> datetime:
    """Return an aware datetime, as far from UTC as it is there: it says which day it is where it was taken.

    Raises:
        ConfigurationError: It is none.
    """
    at = check_time(name, value)
    offset = value.utcoffset() if isinstance(value, datetime) else None
    return at.astimezone(timezone(offset)) if offset else at


def check_key(name: str, value: object) -> str:
    """Return `value` if it can be the id of something stored, else raise `ConfigurationError`."""
    hint = _KEYS.get(name, "pass the id of what is meant")
    if isinstance(value, str) and len(value) > MAX_ID_BYTES:
        msg = f"{name} {value[:40]!r}… is longer than the {MAX_ID_BYTES} characters of any id; {hint}"
        raise ConfigurationError(msg)
    return check_text(name, value, hint=hint)


def check_ttl(value: object) -> timedelta | None:
    """Return how long something is kept, `None` for ever, else raise `ConfigurationError`."""
    if value is None or (isinstance(value, timedelta) and MIN_TTL <= value <= MAX_TTL):
        return value
    bounds = f"from {MIN_TTL} to {MAX_TTL}"
    msg = f"ttl must be None or a timedelta {bounds}, got {shown(value)}; for example timedelta(days=7)"
    raise ConfigurationError(msg)


def check_flag(name: str, value: object) -> bool:
    """Return `value` if it is a bool, else raise `ConfigurationError`: a text such as "no" would count as yes."""
    if not isinstance(value, bool):
        msg = f"{name} must be True or False, got {shown(value)}"
        raise ConfigurationError(msg)
    return value


def check_count(name: str, value: object, least: int = 1, most: int | None = None, *, hint: str = "") -> int:
    """Return `value` if it is an int between bounds, else raise `ConfigurationError`, which ends with the hint."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        bounds = f"of at least {least}" if most is None or most == MAX_COUNT else f"from {least} to {most}"
        msg = f"{name} must be an int {bounds}, got {shown(value)}{hint and f'; {hint}'}"
        raise ConfigurationError(msg)
    return value


def check_timeout(name: str, value: object) -> float | None:
    """Return a time to wait in seconds, up to a day; `None` waits for ever.

    Raises:
        ConfigurationError: It is neither.
    """
    is_time = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= MAX_TIMEOUT_S
    if value is not None and not is_time:
        msg = f"{name} must be a positive number of seconds, or None for ever, got {shown(value)}; for example 30"
        raise ConfigurationError(msg)
    return value if isinstance(value, (int, float)) else None


def check_patience(name: str, value: object) -> float:
    """Return a time to wait in seconds, up to a day; 0 waits for nothing.

    Raises:
        ConfigurationError: It is none.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= MAX_TIMEOUT_S:
        return value
    msg = f"{name} must be a number of seconds, 0 or more, got {shown(value)}; for example 30"
    raise ConfigurationError(msg)


def check_instance(name: str, value: object, kind: type[T], example: str = "") -> T:
    """Return `value` if it is an instance of `kind`, else raise `ConfigurationError`, with what to pass instead."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOUaeiou" else "a"
        remedy = f"; for example {example}" if example else ""
        msg = f"{name} must be {article} {kind.__name__}, got {given(value)}{remedy}"
        raise ConfigurationError(msg)
    return value


def check_options(value: object, kind: type[T], name: str = "options") -> T:
    """Return a record of options, the defaults for `None`; raise `ConfigurationError` for what is none, also a dict."""
    return kind() if value is None else check_instance(name, value, kind, f"{kind.__name__}(**{name})")


def check_callable(name: str, value: object, example: str) -> None:
    """Raise `ConfigurationError` unless `value` can be called."""
    if not callable(value):
        msg = f"{name} must be callable, got {value!r:.40}; for example {example}"
        raise ConfigurationError(msg)


def check_known(given: Iterable[str], record: type, beside: Iterable[str] = ()) -> None:
    """Raise `ConfigurationError` for the name of an option that is no field of a record, and no other that is known."""
    check_among(given, [*beside, *(it.name for it in fields(record))])


def check_among(given: Iterable[str], known: Sequence[str]) -> None:
    """Raise `ConfigurationError` for the name of an option that is not known, with the nearest one that is."""
    unknown = sorted(set(given) - set(known))
    if unknown:
        near = difflib.get_close_matches(unknown[0], known, n=1)
        meant = f"did you mean {near[0]!r}? Known are" if near else "use one of"
        msg = f"unknown option {unknown[0]!r}; {meant} {', '.join(known)}"
        raise ConfigurationError(msg)


def utc_now() -> datetime:
    """Return the time, aware and in UTC."""
    return datetime.now(UTC)


def check_progress(value: object) -> None:
    """Raise `ConfigurationError` unless `value` is `None` or can be told how far something has come."""
    if value is not None:
        check_callable("progress", value, "print")


@dataclass(frozen=True, slots=True)
class CheckedClock:
    """A clock of the application's: what it gives is an aware time in UTC, or an error that names the clock.

    Args:
        clock: Called without arguments.

    Raises:
        ConfigurationError: It cannot be called.
    """

    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        """Do not read it yet."""
        if isinstance(self.clock, CheckedClock):  # of options that were made of others
            object.__setattr__(self, "clock", self.clock.clock)
        check_callable("clock", self.clock, "lambda: datetime.now(UTC)")

    def __call__(self) -> datetime:
        """Return the time.

        Raises:
            ConfigurationError: It gave something else.
        """
        return check_time("the time that clock gives", self.clock())


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise `ConfigurationError` unless `value` is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        msg = f"{name} {shown(value)} is unknown; use one of {', '.join(choices)}"
        raise ConfigurationError(msg)


def _has_surrogate(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


def check_labels(name: str, values: object) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, (tuple, list, Sequence)):  # an ABC is asked last: it is slow
        msg = f"{name} must be a sequence of str, got {given(values)}; for example ('work',)"
        raise ConfigurationError(msg)
    if len(values) > MAX_TAGS:
        msg = f"{name} has {len(values)} items; at most {MAX_TAGS}"
        raise ConfigurationError(msg)
    return tuple([check_text(name, value, max_chars=MAX_LABEL_CHARS) for value in values])


def check_chosen(name: str, values: Collection[str] | None) -> list[str] | None:
    """Return the ids that were chosen, each once; `None`: all there are.

    Raises:
        ConfigurationError: It is a str, or no collection of str.
    """
    if values is None:
        return None
    is_one = isinstance(values, (str, bytes)) or not isinstance(values, Collection)
    if is_one or not all(isinstance(value, str) for value in values):
        msg = f"{name} must be a collection of str, got {shown(values)}; for example ['thread-1']"
        raise ConfigurationError(msg)
    return list(dict.fromkeys(values))


def check_interval(valid_at: datetime | None, invalid_at: datetime | None) -> None:
    if valid_at is not None and invalid_at is not None and invalid_at < valid_at:
        msg = f"invalid_at {invalid_at.isoformat()} is before valid_at {valid_at.isoformat()}; swap or drop one"
        raise ConfigurationError(msg)


def check_wanted_kinds(kinds: object, known: Sequence[str]) -> tuple[Any, ...] | None:
    """Return kinds to look for, `None` for all; raise for none at all: nothing would be found, and nobody told why."""
    chosen = check_kinds(kinds, known)
    if chosen == ():
        msg = "kinds names no kind, and so nothing could be found; leave it out for all kinds, or pass ['fact']"
        raise ConfigurationError(msg)
    return chosen


def check_kinds(kinds: object, known: Sequence[str]) -> tuple[Any, ...] | None:
    """Return kinds as a tuple, one alone as a tuple of one, and `None` (all) as it is; raise for an unknown one."""
    if kinds is None:
        return None
    if not isinstance(kinds, Sequence):
        msg = f"kinds must be a kind, a sequence of them or None for all, got {shown(kinds)}; for example ['fact']"
        raise ConfigurationError(msg)
    chosen = (kinds,) if isinstance(kinds, str) else kinds
    for kind in chosen:
        check_choice("kinds", kind, known)
    return check_labels("kinds", chosen)
