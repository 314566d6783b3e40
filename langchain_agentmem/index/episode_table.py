"""The episodes of one scope as columns, in slots without gaps."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem._search import EpisodeRow
from langchain_agentmem._terms import TERM_BYTES, decode_terms
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.bm25 import Mask, Slots
from langchain_agentmem.index.episode_links import EpisodeLinks
from langchain_agentmem.index.episode_postings import EpisodePostings
from langchain_agentmem.index.growing import closed, with_room
from langchain_agentmem.index.unit_vectors import UnitVectors

END: Final = 2**63 - 1
"""The open end of time: after every time a row can hold."""

SHARED: Final = 0
"""Code of rows that belong to no single agent."""

_FLOAT32: Final = np.dtype("<f4")

_ID_BYTES: Final = 165
"""About what an id takes, in the list and as a key (measured)."""

K = TypeVar("K", bound=Hashable)
Reader = Callable[[Any], Sequence[Any]]
"""Reads a column of rows that were turned into columns."""

_COLUMNS: Final[tuple[tuple[str, type[np.generic], Reader], ...]] = (
    ("place", np.int64, attrgetter("place")),
    ("at", np.int64, attrgetter("at")),
    ("expires_at", np.int64, lambda given: [END if it is None else it for it in given.expires_at]),
    ("signs", np.uint8, attrgetter("signs")),
    ("speaker", np.uint64, attrgetter("speaker")),
    ("first_name", np.uint64, attrgetter("first_name")),
    ("has_vector", np.bool_, lambda given: [it is not None for it in given.vector]),
)
_OWN: Final[tuple[tuple[str, type[np.generic]], ...]] = (
    ("talk", np.int32),
    ("agent", np.int32),
    ("purposes", np.int32),
    ("said_length", np.int32),
    ("pairs_length", np.int32),
    ("reply_length", np.int32),
    ("said_print", np.int64),
    ("pairs_print", np.int64),
    ("reply_print", np.int64),
)


class EpisodeTable:
    """Columns, vectors and terms in slots 0 … n-1: removing a row moves the last one into its place.

    A change costs what is put, not what is here: arrays have room for more, and a row that comes again, with a reply
    or as updated, keeps its slot and the terms that are the same (a fingerprint of each tells).

    Attributes:
        ids: Episode id per slot.
        said: Which slots hold a term in what was said; `pairs`: two neighbouring ones; `replied`: in what was replied.
        vectors: Of what was said, by slot; `None` before the first.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.said, self.pairs, self.replied = EpisodePostings(), EpisodePostings(), EpisodePostings()
        self._terms = {"said": self.said, "pairs": self.pairs, "reply": self.replied}
        self.links = EpisodeLinks()
        self.vectors: UnitVectors | None = None
        self._slot_of: dict[str, int] = {}
        self._talks: dict[tuple[str, str | None], int] = {}
        self._agents: dict[str | None, int] = {None: SHARED}
        self._purposes: dict[tuple[int, ...], int] = {(): SHARED}
        names = [(name, dtype) for name, dtype, _ in _COLUMNS] + list(_OWN)
        self._columns: dict[str, NDArray[Any]] = {name: np.zeros(0, dtype) for name, dtype in names}

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.ids)

    @property
    def dim(self) -> int | None:
        """Return the size of the vectors, `None` before the first."""
        return None if self.vectors is None else self.vectors.dim

    @property
    def nbytes(self) -> int:
        """Return the bytes of all arrays, room for more included, and about those of ids and links."""
        arrays = sum(it.nbytes for it in self._columns.values()) + sum(it.nbytes for it in self._terms.values())
        vectors = 0 if self.vectors is None else self.vectors.nbytes
        return arrays + vectors + self.links.nbytes + _ID_BYTES * len(self.ids)

    def column(self, name: str) -> NDArray[Any]:
        """Return one column by slot."""
        return self._columns[name][: len(self.ids)]

    def slot(self, episode_id: str) -> int | None:
        """Return where a row is, `None` where it is not here."""
        return self._slot_of.get(episode_id)

    def visible(self, agent_id: str | None) -> Mask:
        """Return which rows an agent may see: its own, and those shared by the user's agents."""
        agents = self.column("agent")
        mask: Mask = agents == SHARED
        if agent_id is not None and agent_id in self._agents:
            mask |= agents == self._agents[agent_id]
        return mask

    def serving(self, purposes: frozenset[int] | None) -> Mask:
        """Return which rows may be used for one of some purposes (hashes): also those that name none; `None`: all."""
        if purposes is None or len(self._purposes) == 1:
            return np.ones(len(self.ids), np.bool_)
        codes = [code for named, code in self._purposes.items() if not named or not purposes.isdisjoint(named)]
        mask: Mask = np.isin(self.column("purposes"), codes)
        return mask

    def mask_of(self, episode_ids: Iterable[str]) -> Mask:
        """Return which rows have one of some ids; ids that are not here are no error."""
        mask: Mask = np.zeros(len(self.ids), np.bool_)
        mask[[self._slot_of[it] for it in episode_ids if it in self._slot_of]] = True
        return mask

    # ------------------------------------------------------------------------------------------------------- change
    def put(self, rows: Sequence[EpisodeRow]) -> Slots:
        """Insert rows, of which there is one at least, or replace them by id (ids distinct); return their slots.

        Raises:
            ConfigurationError: A vector has another size than those already here; nothing is changed.
        """
        dim = self._checked_dim(rows)
        given: Any = EpisodeRow._make(zip(*rows, strict=True))  # columns: a tuple of every field
        for episode_id, links in zip(given.episode_id, given.updates, strict=True):
            if episode_id not in self._slot_of:
                self._slot_of[episode_id] = len(self.ids)
                self.ids.append(episode_id)
            else:
                self.links.remove(episode_id)
            if links:
                self.links.put(episode_id, links)
        slots = np.array([self._slot_of[it] for it in given.episode_id], np.intp)
        self._columns = {name: with_room(column, len(self)) for name, column in self._columns.items()}
        for name, dtype, read in _COLUMNS:
            self._columns[name][slots] = np.array(read(given), dtype)
        self._columns["talk"][slots] = _codes(self._talks, list(zip(given.session_id, given.agent_id, strict=True)))
        self._columns["agent"][slots] = _codes(self._agents, given.agent_id)
        self._columns["purposes"][slots] = _codes(self._purposes, given.purposes)
        for name, blobs in (("said", given.terms), ("pairs", given.pairs), ("reply", given.reply_terms)):
            self._put_terms(name, blobs, slots)
        if dim is not None:
            self.vectors = self.vectors or UnitVectors(dim)
            self.vectors.put(slots, given.vector, len(self))
        return slots

    def remove(self, episode_ids: Iterable[str]) -> Slots | None:
        """Remove rows without a trace; unknown ids are no error.

        Returns:
            The new slot of each that was here, -1 where its row is gone; `None` where nothing has changed.
        """
        gone = sorted({self._slot_of[episode_id] for episode_id in episode_ids if episode_id in self._slot_of})
        if not gone:
            return None
        before, left = len(self), len(self) - len(gone)
        new_slot_of: Slots = np.arange(before, dtype=np.intp)
        new_slot_of[gone] = -1
        holes: Slots = np.array([slot for slot in gone if slot < left], np.intp)
        movers: Slots = np.flatnonzero(new_slot_of[left:] >= 0) + left
        new_slot_of[movers] = holes
        for array in self._columns.values():
            closed(array, holes, movers, (before, left))
        if self.vectors is not None:
            self.vectors.close(holes, movers, (before, left))
        self._rename(gone, holes, movers)
        for postings in (self.said, self.pairs, self.replied):
            postings.remap(new_slot_of)
        self._drop_unused()
        return new_slot_of

    def _rename(self, gone: Sequence[int], holes: Slots, movers: Slots) -> None:
        for slot in gone:
            self.links.remove(self.ids[slot])
            del self._slot_of[self.ids[slot]]
        for hole, mover in zip(holes.tolist(), movers.tolist(), strict=True):
            self.ids[hole] = self.ids[mover]
            self._slot_of[self.ids[hole]] = hole
        del self.ids[len(self.ids) - len(gone) :]

    def _drop_unused(self) -> None:
        self._talks = _renumbered(self._talks, self.column("talk"))
        self._agents = _renumbered(self._agents, self.column("agent"), SHARED)
        self._purposes = _renumbered(self._purposes, self.column("purposes"), SHARED)
        if not self.column("has_vector").any():
            self.vectors = None

    def _put_terms(self, name: str, blobs: Sequence[bytes], slots: Slots) -> None:
        """Overwrite the terms of some slots; those that stay as they were are left alone."""
        postings, lengths, prints = self._terms[name], self._columns[f"{name}_length"], self._columns[f"{name}_print"]
        known = np.fromiter(map(hash, blobs), np.int64, len(blobs))
        changed = np.flatnonzero(known != prints[slots])
        prints[slots] = known
        self._drop_terms(postings, slots[changed][lengths[slots[changed]] > 0])
        some = [blobs[it] for it in changed.tolist()]
        sizes = np.fromiter(map(len, some), np.int64, len(some)) // TERM_BYTES
        hashes, counts = decode_terms(b"".join(some))
        owners = np.repeat(np.arange(len(some)), sizes)
        postings.add(hashes, slots[changed][owners], counts)
        lengths[slots[changed]] = np.bincount(owners, counts, len(some))

    def _drop_terms(self, postings: EpisodePostings, slots: Slots) -> None:
        if slots.size:
            same: Slots = np.arange(len(self), dtype=np.intp)
            same[slots] = -1
            postings.remap(same)

    def _checked_dim(self, rows: Sequence[EpisodeRow]) -> int | None:
        sizes = {len(row.vector) // _FLOAT32.itemsize for row in rows if row.vector is not None}
        sizes |= {self.dim} if self.dim is not None else set()
        if len(sizes) > 1:
            msg = f"episodes have vectors of {sorted(sizes)} numbers; run reindex() with one embedding model"
            raise ConfigurationError(msg)
        return next(iter(sizes), None)


def _codes(codes: dict[K, int], keys: Sequence[K]) -> list[int]:
    """Return the numbers of keys; those that are new get the next ones."""
    for key in dict.fromkeys(keys):
        codes.setdefault(key, len(codes))
    return [codes[key] for key in keys]


def _renumbered(codes: Mapping[K, int], column: NDArray[np.int32], *always: int) -> dict[K, int]:
    """Return the codes that are used, without gaps and in the same order, and bring a column to them."""
    used = np.union1d(column, np.array(always, np.int32))
    column[:] = np.searchsorted(used, column)
    kept = set(used.tolist())
    return {key: int(np.searchsorted(used, code)) for key, code in codes.items() if code in kept}
