"""What a transaction has decided to write and not written yet: many rows go to the database together.

A row at a time, most of the time is the way there and back. Whatever reads or deletes sees these rows written first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection

from langchain_agentmem.errors import ConflictError
from langchain_agentmem.ledger.codec import fold
from langchain_agentmem.ledger.sql import rows, upserts
from langchain_agentmem.sql.prepared import Prepared, change_all, listed
from langchain_agentmem.types import Memory, Scope

MAX_HELD: Final = 512
"""Rows; by then the way there and back is a small part of it (measured: from some 50 on), and they are a few MB."""


class HeldMemory(NamedTuple):
    """What a memory becomes: its fields in their JSON form, and the event that made it so."""

    stored: Mapping[str, Any]
    revision: int


class HeldRows:
    """Rows of one subject, in any order: no two are the same row.

    Args:
        connection: In a transaction that has locked the subject.
        subject: Its number.
    """

    def __init__(self, connection: Connection, subject: int) -> None:
        """Nothing is held."""
        self._connection = connection
        self._subject = subject
        self._clear()

    def _clear(self) -> None:
        self._rows: dict[Prepared, dict[object, Mapping[str, Any]]] = {}
        self._memories: dict[str, HeldMemory] = {}
        self._new: dict[str, Mapping[str, Any]] = {}
        self._size = 0

    def add(self, statement: Prepared, key: object, row: Mapping[str, Any]) -> None:
        """Hold a row of the subject, in place of one with the same key."""
        self._rows.setdefault(statement, {})[key] = row
        self._grow()

    def put_memory(self, memory_id: str, memory: HeldMemory, row: Mapping[str, Any], *, is_new: bool) -> None:
        """Hold what the row of a memory becomes.

        Raises:
            ConflictError: The memory is new, and its id is that of another one.
        """
        if is_new and memory_id in self._memories:
            raise _taken(memory_id)
        row = {"subject_id": self._subject, **row}
        self._memories[memory_id] = memory
        if is_new or memory_id in self._new:
            self._new[memory_id] = row
        else:
            self._rows.setdefault(rows.UPDATE_MEMORY, {})[memory_id] = row
        self._grow()

    def memory(self, memory_id: str, owner: Scope) -> Memory | None:
        """Return what a memory becomes, if its row is held."""
        held = self._memories.get(memory_id)
        return None if held is None else fold(None, memory_id, owner, held.stored, held.revision)

    def write(self) -> None:
        """Write everything; then nothing is held.

        Raises:
            ConflictError: The id of a new memory is taken.
        """
        if not self._size:
            return
        if self._new and upserts.ADD_MEMORY.change(self._connection, [*self._new.values()]) < len(self._new):
            raise _taken(self._old())
        change_all(self._connection, [(statement, [*items.values()]) for statement, items in self._rows.items()])
        self._clear()

    def _grow(self) -> None:
        self._size += 1
        if self._size >= MAX_HELD:
            self.write()

    def _old(self) -> str:
        """Return the id of a new memory whose row is that of another one: no two are of one event."""
        values = {"subject": self._subject, "ids": listed(self._connection, self._new)}
        found = rows.SELECT_TAKEN.rows(self._connection, values)
        old = [memory_id for memory_id, revision in found if revision != self._new[memory_id]["revision"]]
        return str(old[0] if old else next(iter(self._new)))


def _taken(memory_id: str) -> ConflictError:
    return ConflictError(f"memory {memory_id!r} is or was in the log already; give a new memory a new id")
