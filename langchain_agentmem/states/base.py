"""The port of working states: what a backend that stores them has to promise.

There is one state per conversation of one (tenant, user); its name is the scope's `session_id`. Those of different
users never mix, whatever they are called. A visitor's state is a user-less one of its own. An `agent_id` changes
nothing here: the agents of a conversation work on one task.

A state expires when it was not used for the time its last writer gave it. An expired one is as if it were not there,
for every method; the next change begins a new one, at version 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol, TypeAlias

from langchain_agentmem._flow import Flow
from langchain_agentmem.types import Scope
from langchain_agentmem.types.asking import Asks
from langchain_agentmem.types.paging import LastUsed
from langchain_agentmem.types.working import WorkingSession, WorkingState
from langchain_agentmem.vault.base import Cipher

DEFAULT_PAGE: Final = 100
"""Conversations per page of a listing, unless asked for more."""

ASKS: Final[Asks] = {
    **dict.fromkeys(("read", "sessions", "cipher"), "read"),
    "change": "write",
    "delete": "erase",
    "sweep": None,
}
"""What each method of `States` asks the application about."""

Apply: TypeAlias = Callable[[WorkingState | None], WorkingState]
"""Makes the next state out of the one that is stored; it may be asked several times, and must not wait."""


class StoredState(NamedTuple):
    """A state as it is stored, and how often it was used."""

    state: WorkingState
    accesses: int


class States(Protocol):
    """Stores one state per conversation; each change is of the state that is stored at that moment."""

    def read(self, scope: Scope, *, prolongs: bool = True) -> Flow[StoredState | None]:
        """Return the state of a conversation; `None` where there is none.

        With `refresh_on_read` its life begins anew, unless that was done a short time ago. Where it cannot be written
        down, the state is returned all the same.

        Args:
            scope: Whose.
            prolongs: `False` writes nothing, whatever the option says.

        Raises:
            IntegrityError: It was changed, moved, or sealed with another key.
            ScopeError: The scope names no session.
        """
        ...

    def change(self, scope: Scope, apply: Apply, *, erases: bool = False) -> Flow[StoredState]:
        """Store what `apply` makes of the stored state, and return it with its version and times.

        Nobody comes between: of two changes at once, in two processes, the later one is applied to what the earlier one
        left. What `apply` raises is raised, and nothing is stored. All of it is stored, or nothing; repeated after a
        lost connection it is stored once.

        Args:
            scope: Whose.
            apply: What is to be made of it.
            erases: Whether no file may hold what it was; else that is so once the state is deleted.

        Raises:
            ConflictError: Others changed the state again and again; retryable.
            IntegrityError: What is stored cannot be read.
            ScopeError: The scope names no session.
        """
        ...

    def delete(self, scope: Scope, *, known: WorkingState | None = None) -> Flow[bool]:
        """Delete a state for good; return whether there was one. After a failure, call it again.

        Args:
            scope: Whose.
            known: Delete only the version that this one is, and return whether it was.

        Raises:
            ScopeError: The scope names no session.
        """
        ...

    def sessions(
        self, scope: Scope, *, limit: int = DEFAULT_PAGE, before: LastUsed | None = None
    ) -> Flow[list[WorkingSession]]:
        """Return the user's conversations with a state, last changed first; the scope's own session narrows nothing.

        An anonymous scope sees its own only: visitors are not one user.

        Args:
            scope: Whose.
            limit: How many at most.
            before: Where the last one of the page before stands.

        Raises:
            ConfigurationError: `limit` is no int of at least 1.
        """
        ...

    def cipher(self, scope: Scope) -> Flow[Cipher | None]:
        """Return what seals a user's states, so that no export shows what the store hides; `None`: nothing does."""
        yield from ()
        return None

    def sweep(self) -> Flow[int]:
        """Remove what is left of expired states, of every user; return how many. It frees the space, nothing else."""
        ...
