"""Whether a memory is there, and what is said where it is not."""

from __future__ import annotations

from typing import Protocol

from langchain_agentmem.errors import ConflictError, NotFoundError
from langchain_agentmem.ledger.episodes import PREFIX
from langchain_agentmem.types import Memory


class Reading(Protocol):
    """What is needed of a transaction."""

    def memory(self, memory_id: str) -> Memory | None:
        """Return a visible memory; `None` where there is none."""


def must_have(reader: Reading, memory_id: str) -> Memory:
    """Return a memory that is about to change.

    Raises:
        NotFoundError: It is unknown here, or erased.
    """
    memory = reader.memory(memory_id)
    if memory is None:
        raise missing(memory_id)
    return memory


def missing(memory_id: str) -> NotFoundError:
    """Return the error that says that a memory is not there."""
    if memory_id.startswith(PREFIX):
        msg = f"{memory_id!r} is no memory but a turn of a conversation, if it is there; memory.episodes.forget ends it"
        return NotFoundError(msg)
    return NotFoundError(f"memory {memory_id!r} does not exist in this scope, or is erased; `list` shows what does")


def must_be_at(reader: Reading, memory_id: str, revision: int) -> Memory:
    """Return the memory with an id, if nothing happened to it since a revision.

    Raises:
        NotFoundError: See `must_have`.
        ConflictError: Something did.
    """
    memory = must_have(reader, memory_id)
    if memory.revision != revision:
        msg = f"memory {memory_id!r} was changed meanwhile; read it and decide again"
        raise ConflictError(msg, is_retryable=True)
    return memory
