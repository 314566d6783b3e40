"""What a transaction has decided to write and not written yet: many rows go to the database together.

A row at a time, most of the time is the way there and back. Whatever reads or deletes sees these rows written first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection

from langchain_agentmem.errors import ConflictError
from langchain_agentmem.ledger.sql import rows, upserts
from langchain_agentmem.sql.prepared import Prepared, change_all, listed
from langchain_agentmem.types import Memory

MAX_HELD: Final = 512
"""Rows; by then the way there and back is a small part of it (measured: from some 50 on), and they are a few MB."""


class _MemoryRow(NamedTuple):
    memory: Memory
    row: Mapping[str, Any]
    is_new: bool


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
        self._rows: dict[Prepared, list[Mapping[str, Any]]] = {}
        self._memories: dict[str, _MemoryRow] = {}
        self._vectors: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._size = 0

    def add(self, statement: Prepared, row: Mapping[str, Any]) -> None:
        """Hold a row that is written once."""
        self._rows.setdefault(statement, []).append(row)
        self._grow()

    def put_memory(self, memory: Memory, row: Mapping[str, Any], *, is_new: bool) -> None:
        """Hold what the row of a memory becomes.

        Raises:
            ConflictError: The memory is new, and its id is that of another one.
        """
        held = self._memories.get(memory.id)
        if is_new and held is not None:
            raise _taken(memory.id)
        self._memories[memory.id] = _MemoryRow(memory, row, is_new or (held is not None and held.is_new))
        self._grow()

    def put_vector(self, memory_id: str, model: str, sealed: bytes) -> None:
        """Hold a vector of a memory."""
        row = {"subject_id": self._subject, "memory_id": memory_id, "model": model, "vector": sealed}
        self._vectors[memory_id, model] = row
        self._grow()

    def memory(self, memory_id: str) -> Memory | None:
        """Return what a memory becomes, if its row is held."""
        held = self._memories.get(memory_id)
        return None if held is None else held.memory

    def write(self) -> None:
        """Write everything; then nothing is held.

        Raises:
            ConflictError: The id of a new memory is taken.
        """
        if not self._size:
            return
        self._check_new()
        changes: dict[Prepared, list[Mapping[str, Any]]] = {**self._rows}
        place = {"subject_id": self._subject}
        changes[rows.INSERT_MEMORY] = [{**place, **it.row} for it in self._memories.values() if it.is_new]
        place = {"subject": self._subject}
        changes[rows.UPDATE_MEMORY] = [
            {**place, "id": memory_id, **it.row} for memory_id, it in self._memories.items() if not it.is_new
        ]
        changes[upserts.PUT_VECTOR] = [*self._vectors.values()]
        change_all(self._connection, [(statement, items) for statement, items in changes.items() if items])
        self._rows, self._memories, self._vectors, self._size = {}, {}, {}, 0

    def _grow(self) -> None:
        self._size += 1
        if self._size >= MAX_HELD:
            self.write()

    def _check_new(self) -> None:
        new = [memory_id for memory_id, it in self._memories.items() if it.is_new]
        if new:
            values = {"subject": self._subject, "ids": listed(self._connection, new)}
            for (memory_id,) in rows.SELECT_TAKEN.rows(self._connection, values):
                raise _taken(memory_id)


def _taken(memory_id: str) -> ConflictError:
    return ConflictError(f"memory {memory_id!r} is or was in the log already; give a new memory a new id")
