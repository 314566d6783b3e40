"""Times as somebody types them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from langchain_agentmem.errors import ConfigurationError

A_TIME: Final = "2027-01-31, or 2027-01-31T12:00, in UTC unless it says otherwise"
"""What is told to who has to type one."""


def read_time(text: str) -> datetime | None:
    """Return the time that a text is, aware; `None`: it is none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def check_time(name: str, text: str) -> datetime:
    """Return the time that an option says.

    Raises:
        ConfigurationError: It says none.
    """
    found = read_time(text)
    if found is None:
        msg = f"{name} must be a date or a time, got {text!r}; for example {A_TIME}"
        raise ConfigurationError(msg)
    return found


def looks_like_time(text: str) -> bool:
    """Whether a text begins with a year, and is of nothing but what times are written with."""
    return text[:4].isdigit() and not set(text) - set("0123456789-:./+ TZ")
