"""Turns of conversations that could not be saved, until they are."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from langchain_core.messages import BaseMessage

from langchain_agentmem.errors import AgentMemError, ConfigurationError, StorageError

MAX_UNSAVED_SESSIONS: Final = 1_000
"""Only the latest sessions with unsaved turns are remembered: a bound on memory, not a measured figure."""

SessionKey: TypeAlias = tuple[str, str, str | None]
"""Tenant, user and session."""

LOGGER: Final = logging.getLogger("langchain_agentmem")


@dataclass(slots=True)
class _Turns:
    """What is not saved of one session."""

    error: Exception | None = None
    messages: list[BaseMessage] = field(default_factory=list)


class Unsaved:
    """The turns of one wrapped chain that could not be saved, by session; bounded, shared by its threads."""

    def __init__(self) -> None:
        self._turns: dict[SessionKey, _Turns] = {}
        self._lock = threading.Lock()

    def note(self, key: SessionKey, error: Exception, messages: Sequence[BaseMessage]) -> None:
        """Keep the messages of a turn, and why they could not be saved."""
        with self._lock:
            turns = self._turns.pop(key, None) or _Turns()
            self._turns[key] = turns  # now the latest
            turns.error = error
            turns.messages.extend(messages)
            if len(self._turns) > MAX_UNSAVED_SESSIONS:
                del self._turns[next(iter(self._turns))]
                LOGGER.warning("more than %d sessions have unsaved turns; the oldest is dropped", MAX_UNSAVED_SESSIONS)

    def take_error(self, key: SessionKey) -> Exception | None:
        """Return the error that has not been raised yet, once."""
        with self._lock:
            turns = self._turns.get(key)
            if turns is None:
                return None
            error, turns.error = turns.error, None
            if not turns.messages:
                del self._turns[key]
            return error

    def messages(self, key: SessionKey) -> list[BaseMessage]:
        """Return what is to be saved of a session."""
        with self._lock:
            turns = self._turns.get(key)
            return [] if turns is None else list(turns.messages)

    def forget(self, key: SessionKey, saved: Sequence[BaseMessage]) -> None:
        """Forget messages that are saved now; others may have been noted meanwhile."""
        with self._lock:
            turns = self._turns.get(key)
            if turns is not None:
                turns.messages = [message for message in turns.messages if not any(message is it for it in saved)]
                if not turns.messages and turns.error is None:
                    del self._turns[key]


def lost_turn(error: Exception, *, is_kept: bool) -> StorageError:
    """Return the error of a turn that was not saved, for whoever calls next."""
    remedy = "they are kept in this process, call again and they are written first" if is_kept else "they were not kept"
    why = f"{type(error).__name__}: {error}" if isinstance(error, AgentMemError) else type(error).__name__
    msg = f"the messages of the turn before could not be saved ({why}); {remedy}"
    return StorageError(msg, is_retryable=not isinstance(error, ConfigurationError))
