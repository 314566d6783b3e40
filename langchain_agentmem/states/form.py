"""Working states as bytes, and back; and what a listing shows of one."""

from __future__ import annotations

import json
import logging
from typing import Final, NamedTuple

from langchain_agentmem.errors import AgentMemError, IntegrityError
from langchain_agentmem.ledger.codec import EPOCH, from_micros
from langchain_agentmem.types.working import WorkingSession, WorkingState
from langchain_agentmem.vault.base import Cipher, open_as

LOGGER: Final = logging.getLogger("langchain_agentmem")

MAX_TITLE_CHARS: Final = 80
"""Of a goal, in a listing."""


class Sealed(NamedTuple):
    """A state as a backend keeps it: what a listing shows of it, and the whole."""

    title: bytes
    state: bytes


class Place(NamedTuple):
    """Which row it is, and of which conversation where its name does not say; with the version, what it is sealed as.

    Earlier releases left the conversation out: those are the names behind the first.
    """

    name: str
    version: int
    session_id: str | None = None

    @property
    def of_state(self) -> tuple[str, ...]:
        """What the whole is sealed as."""
        return self._names("working")

    @property
    def of_title(self) -> tuple[str, ...]:
        """What its title is sealed as."""
        return self._names("working-title")

    def _names(self, word: str) -> tuple[str, ...]:
        plain = f"{word}/{self.name}\0{self.version}"
        return (plain,) if self.session_id is None else (f"{plain}\0{self.session_id}", plain)


class Times(NamedTuple):
    """What a listing shows of a state beside its title; times in microseconds since 1970."""

    created_at: int
    last_used_at: int
    accesses: int


def seal(state: WorkingState, cipher: Cipher, place: Place) -> Sealed:
    """Return a state as bytes that only its owner's key opens, at its place."""
    title = {"goal": " ".join(state.goal.split())[:MAX_TITLE_CHARS], "phase": state.phase}
    whole = cipher.seal(_dump(state.to_dict()), place.of_state[0])
    return Sealed(cipher.seal(_dump(title), place.of_title[0]), whole)


def unseal(sealed: bytes, cipher: Cipher, place: Place) -> WorkingState:
    """Return the state in some bytes.

    Raises:
        IntegrityError: They hold none, or were changed, moved, or sealed with another key.
    """
    opened = open_as(cipher, sealed, place.of_state)
    try:
        state = WorkingState.from_dict(json.loads(opened))
    except (ValueError, RecursionError, AgentMemError) as error:
        msg = "a stored working state cannot be read back; clear() ends it, and the next change begins a new one"
        raise IntegrityError(msg) from error
    if state.version != place.version:
        msg = "a stored working state is of another version than its row; clear() ends it"
        raise IntegrityError(msg)
    return state


def listed(session_id: str, title: bytes, cipher: Cipher, place: Place, times: Times) -> WorkingSession:
    """Return a state as a listing shows it; one whose title cannot be read hides no other, and has none."""
    try:
        shown = json.loads(open_as(cipher, title, place.of_title))
        goal, phase = shown["goal"], shown["phase"]
    except (IntegrityError, ValueError, TypeError, KeyError, RecursionError):
        LOGGER.warning("the title of working state %r cannot be read back; clear() ends it", session_id)
        goal = phase = ""
    return WorkingSession(
        session_id=session_id,
        goal=goal,
        phase=phase,
        version=place.version,
        started_at=from_micros(times.created_at) or EPOCH,
        last_used_at=from_micros(times.last_used_at) or EPOCH,
        accesses=times.accesses,
    )


def _dump(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
