"""What one call adds to a session: checked, redacted and encoded before anything is opened."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from langchain_core.messages import BaseMessage

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.sessions.messages import as_stored, check_message, decode, title_of
from langchain_agentmem.sessions.options import SessionOptions


class Entry(NamedTuple):
    """One message: its id, what is stored of it (of one of the known classes), and the same as bytes."""

    id: str
    message: BaseMessage
    plain: bytes


class Batch(NamedTuple):
    """The entries of a call, the title they would give a session without one, and the time in microseconds."""

    entries: list[Entry]
    title: bytes | None
    at: int


def prepare(messages: Iterable[BaseMessage], options: SessionOptions) -> Batch:
    """Return what is to be stored of some messages; each message is given an id where it has none.

    Raises:
        ConfigurationError: Something is no message that can be stored, or `redact` returned no such message.
    """
    if isinstance(messages, (str, BaseMessage)) or not isinstance(messages, Iterable):
        msg = f"messages must be a sequence of messages, got {type(messages).__name__}; put it in a list"
        raise ConfigurationError(msg)
    checked = [check_message(message) for message in messages]
    entries = [_entry(message, options) for message in checked]
    return Batch(entries, _title(entries), now(options))


def _title(entries: list[Entry]) -> bytes | None:
    for entry in entries:
        title = title_of(entry.message)
        if title is not None:
            return title.encode("utf-8", "surrogatepass")
    return None


def now(options: SessionOptions) -> int:
    """Return the time of the options' clock in microseconds since 1970."""
    return to_micros(options.clock()) or 0


def _entry(message: BaseMessage, options: SessionOptions) -> Entry:
    id = message.id
    if not id:
        message.id = id = options.new_id()
    plain, stored = as_stored(message)
    if options.redact is not None:
        redacted = check_message(options.redact(decode(plain)))  # a copy, also of what copy.deepcopy cannot copy
        redacted.id = id
        plain, stored = as_stored(redacted)
    return Entry(id, stored, plain)
