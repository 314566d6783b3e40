"""The rows of one scope as columns: what filters and cosines are computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from operator import attrgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem._search import KIND_CODES, STATUS_CODES, SearchColumns, SearchFilter
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.bm25 import Mask, Slots

BEGINNING: Final = -(2**63)
END: Final = 2**63 - 1
"""Open ends of time: before and after every time a row can hold."""

SHARED: Final = 0
"""Code of rows that belong to no single agent."""

_FLOAT32: Final = np.dtype("<f4")
_ROWS: Final = "rows"
_VECTORS: Final = "vectors"
_MIN_CAPACITY: Final = 16
_nbytes_of: Final = attrgetter("nbytes")


def _known(times: Sequence[int | None], unknown: int) -> Iterable[int]:
    return [unknown if at is None else at for at in times]


def _starts(rows: SearchColumns) -> Iterable[int]:
    return [created if at is None else at for created, at in zip(rows.created_at, rows.valid_at, strict=True)]


Reader = Callable[[SearchColumns], Iterable[Any]]
_COLUMNS: Final[tuple[tuple[str, type[np.generic], Reader], ...]] = (
    ("kind", np.int8, lambda rows: map(KIND_CODES.__getitem__, rows.kind)),
    ("status", np.int8, lambda rows: map(STATUS_CODES.__getitem__, rows.status)),
    ("confidence", np.float64, lambda rows: rows.confidence),
    ("start", np.int64, _starts),
    ("valid_at", np.int64, lambda rows: _known(rows.valid_at, BEGINNING)),
    ("invalid_at", np.int64, lambda rows: _known(rows.invalid_at, END)),
    ("expires_at", np.int64, lambda rows: _known(rows.expires_at, END)),
    ("has_vector", np.bool_, lambda rows: rows.has_vector),
)
_OWN_COLUMNS: Final[tuple[tuple[str, type[np.generic]], ...]] = (
    ("agent", np.int32),
    ("length", np.int64),
    ("is_purposed", np.bool_),
)
_DTYPES: Final = [(name, dtype) for name, dtype, _ in _COLUMNS] + list(_OWN_COLUMNS)
ROWS: Final = np.dtype(_DTYPES, align=True).newbyteorder("<")
"""A row of all columns, as it is kept."""

_NO_ROWS: Final[Mapping[str, NDArray[Any]]] = {name: np.zeros(0, dtype) for name, dtype in _DTYPES}
"""Columns of a table without rows; there is nothing in them to change."""


class RowTable:
    """Columns and vectors in slots 0 … n-1, without gaps: removing a row moves the last one into its place.

    Attributes:
        ids: Memory id per slot.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._found_slots: dict[str, int] | None = {}
        self._agents: dict[str | None, int] = {None: SHARED}
        self._columns: dict[str, NDArray[Any]] = dict(_NO_ROWS)
        self._vectors: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.ids)

    def __contains__(self, memory_id: object) -> bool:
        """Return whether a row has this id."""
        return memory_id in self._slot_of

    @property
    def _slot_of(self) -> dict[str, int]:
        """Return the slot of each id; a table that was restored and is only searched needs none of them."""
        if self._found_slots is None:
            self._found_slots = dict(zip(self.ids, count(), strict=False))
        return self._found_slots

    @property
    def dim(self) -> int | None:
        """Return the size of the vectors, `None` before the first."""
        return None if self._vectors is None else self._vectors.shape[1]

    @property
    def nbytes(self) -> int:
        """Return the bytes of columns and vectors, spare capacity included."""
        return sum(map(_nbytes_of, self._arrays()))

    @property
    def vectors(self) -> NDArray[np.float32] | None:
        """Return the vectors by slot (zeros where a row has none)."""
        return None if self._vectors is None else self._vectors[: len(self)]

    def column(self, name: str) -> NDArray[Any]:
        """Return one column by slot."""
        return self._columns[name][: len(self)]

    def slots_of(self, memory_ids: Iterable[str]) -> Slots:
        """Return the slots of those ids that are known."""
        found = map(self._slot_of.get, memory_ids)
        return np.array([slot for slot in found if slot is not None], np.intp)

    # ------------------------------------------------------------------------------------------------------- change
    def put(self, rows: SearchColumns) -> Slots:
        """Insert or overwrite rows (ids distinct) and return their slots.

        Raises:
            ConfigurationError: A vector has another size than those already here; nothing is changed.
        """
        dim = self._checked_dim(rows.vector_sizes)
        if not self.ids:
            return self._put_first(rows, dim)
        fresh = [memory_id for memory_id in rows.memory_id if memory_id not in self._slot_of]
        self._slot_of.update(zip(fresh, count(len(self.ids)), strict=False))
        self.ids += fresh
        self._reserve(len(self.ids))
        size = len(rows.memory_id)
        slots = np.fromiter(map(self._slot_of.__getitem__, rows.memory_id), np.intp, size)
        for name, dtype, read in _COLUMNS:
            self._columns[name][slots] = np.fromiter(read(rows), dtype, size)
        self._columns["agent"][slots] = self._codes(rows.agent_id)
        self._put_vectors(rows.vectors, dim, slots)
        return slots

    def _put_first(self, rows: SearchColumns, dim: int | None) -> Slots:
        """Insert the rows of a table that has none: their columns are its columns."""
        size = len(rows.memory_id)
        self.ids, self._found_slots = list(rows.memory_id), None
        self._columns = {name: np.zeros(size, dtype) for name, dtype in _OWN_COLUMNS}
        self._columns |= {name: np.fromiter(read(rows), dtype, size) for name, dtype, read in _COLUMNS}
        self._columns["agent"] = self._codes(rows.agent_id)
        slots = np.arange(size, dtype=np.intp)
        self._vectors = None
        self._put_vectors(rows.vectors, dim, slots)
        return slots

    def _codes(self, agent_ids: Sequence[str | None]) -> NDArray[np.int32]:
        for agent_id in dict.fromkeys(agent_ids):
            self._agents.setdefault(agent_id, len(self._agents))
        return np.fromiter(map(self._agents.__getitem__, agent_ids), np.int32, len(agent_ids))

    def fill(self, name: str, slots: Slots, values: NDArray[Any]) -> None:
        """Overwrite one column at some slots."""
        self._columns[name][slots] = values

    def remove(self, slots: Slots) -> Slots:
        """Remove rows, overwrite what they held, and return the new slot of each old one (-1: removed)."""
        before = len(self)
        new_slot_of = np.arange(before, dtype=np.intp)
        new_slot_of[slots] = -1
        kept = before - slots.size
        holes, movers = slots[slots < kept], np.flatnonzero(new_slot_of[kept:] >= 0) + kept
        new_slot_of[movers] = holes
        for memory_id in [self.ids[slot] for slot in slots.tolist()]:
            del self._slot_of[memory_id]
        for hole, mover in zip(holes.tolist(), movers.tolist(), strict=True):
            self.ids[hole] = self.ids[mover]
            self._slot_of[self.ids[hole]] = hole
        del self.ids[kept:]
        for array in self._arrays():
            array[holes] = array[movers]
            array[kept:before] = 0
        return new_slot_of

    # ----------------------------------------------------------------------------------------------------- snapshot
    @property
    def agents(self) -> list[str | None]:
        """Return the agents by their code."""
        return list(self._agents)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return rows of all columns, and vectors, without spare capacity, for `restored`."""
        rows = np.zeros(len(self), ROWS)
        for name, _ in _DTYPES:
            rows[name] = self.column(name)
        return {_ROWS: rows} if self.vectors is None else {_ROWS: rows, _VECTORS: self.vectors}

    @classmethod
    def restored(cls, ids: list[str], agents: Sequence[str | None], arrays: Mapping[str, NDArray[Any]]) -> RowTable:
        """Return a table of the rows of `arrays`, which stay as they are.

        Raises:
            KeyError: There are no rows.
            ValueError: Rows or vectors are of another shape.
        """
        rows = arrays[_ROWS]
        if rows.dtype != ROWS or any(len(it) != len(ids) for it in arrays.values()):
            raise ValueError(len(ids))
        table = cls()
        table.ids, table._found_slots = ids, None
        table._agents = dict(zip(agents, count(), strict=False))
        table._columns = {name: rows[name].astype(dtype) for name, dtype in _DTYPES}
        if (vectors := arrays.get(_VECTORS)) is not None:
            table._vectors = _unpacked([vectors], vectors.shape[1])
        return table

    def _arrays(self) -> list[NDArray[Any]]:
        return [*self._columns.values(), *([] if self._vectors is None else [self._vectors])]

    def _checked_dim(self, sizes: Iterable[int]) -> int | None:
        """Return the numbers of each vector, after checking that all have one size, in bytes."""
        dim = self.dim
        for size in sorted(sizes):
            dim = size // _FLOAT32.itemsize if dim is None else dim
            if size != dim * _FLOAT32.itemsize or not dim:
                msg = (
                    f"a stored vector has {size / _FLOAT32.itemsize:g} numbers where the scope's have {dim}; "
                    "run reindex() with one embedding model"
                )
                raise ConfigurationError(msg)
        return dim

    def _put_vectors(self, packed: Sequence[bytes], dim: int | None, slots: Slots) -> None:
        if dim is None:
            return
        has_vector = self._columns["has_vector"][slots]
        fresh = _unpacked(packed, dim)
        if self._vectors is None and len(fresh) == len(self) and bool((slots[1:] > slots[:-1]).all()):
            self._vectors = fresh  # a whole scope at once: this is the matrix
            return
        self._reserve_vectors(dim)
        assert self._vectors is not None  # noqa: S101  (tells mypy what _reserve_vectors did)
        self._vectors[slots[~has_vector]] = 0
        self._vectors[slots[has_vector]] = fresh

    def _reserve(self, wanted: int) -> None:
        capacity = self._columns["agent"].size
        if wanted <= capacity:
            return
        for name, column in self._columns.items():
            self._columns[name] = _grown(column, max(wanted, 2 * capacity, _MIN_CAPACITY))

    def _reserve_vectors(self, dim: int) -> None:
        if self._vectors is None:
            self._vectors = np.zeros((self._columns["agent"].size, dim), np.float32)
        elif len(self._vectors) < len(self):
            self._vectors = _grown(self._vectors, max(len(self), 2 * len(self._vectors)))

    # ------------------------------------------------------------------------------------------------------- filter
    def visible(self, agent_id: str | None) -> Mask:
        """Return which rows an agent may see: its own and the shared ones."""
        agent = self.column("agent")
        mask: Mask = agent == SHARED
        code = self._agents.get(agent_id, SHARED)
        return mask if code == SHARED else mask | (agent == code)

    def live(self, now: int) -> Mask:
        """Return which rows are active and not past their expiry."""
        mask: Mask = (self.column("status") == STATUS_CODES["active"]) & (self.column("expires_at") > now)
        return mask

    def admitted(self, wanted: SearchFilter) -> Mask:
        """Return which rows pass status, kind, confidence and time of a filter (not agent, tags and purpose)."""
        mask: Mask = (self.column("expires_at") > wanted.now) & (self.column("valid_at") <= wanted.at)
        if not wanted.ended:
            mask &= self.column("invalid_at") > wanted.at
        mask &= _among(self.column("status"), [STATUS_CODES[status] for status in wanted.statuses])
        if wanted.kinds is not None:
            mask &= _among(self.column("kind"), [KIND_CODES[kind] for kind in wanted.kinds])
        if wanted.min_confidence > 0:
            mask &= self.column("confidence") >= wanted.min_confidence
        if wanted.since is not None:
            mask &= self.column("start") >= wanted.since
        if wanted.until is not None:
            mask &= self.column("start") < wanted.until
        return mask


def _unpacked(blocks: Sequence[bytes | NDArray[np.float32]], dim: int) -> NDArray[np.float32]:
    """Return blocks of stored vectors as one array.

    It is numpy's own: for a large one numpy asks the system for large pages, and a product of ten thousand vectors is
    up to twice as fast as from small ones.
    """
    every = [np.frombuffer(block, _FLOAT32).reshape(-1, dim) for block in blocks]
    vectors = np.empty((sum(map(len, every)), dim), np.float32)
    first = 0
    for some in every:
        vectors[first : first + len(some)] = some
        first += len(some)
    return vectors


def _among(column: NDArray[Any], codes: Sequence[int]) -> Mask:
    if not codes:
        return np.zeros(column.size, np.bool_)
    mask: Mask = column == codes[0]
    for code in codes[1:]:
        mask |= column == code
    return mask


def _grown(array: NDArray[Any], capacity: int) -> NDArray[Any]:
    """Return a larger copy and overwrite the old array, so that freed memory keeps no rows."""
    larger = np.zeros((capacity, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    if array.size:
        array[...] = 0
    return larger
