"""The episodes of one scope as columns, in slots without gaps."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem._search import EpisodeRow
from langchain_agentmem._terms import decode_terms
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.bm25 import Mask, Postings, Slots
from langchain_agentmem.index.episode_links import EpisodeLinks

END: Final = 2**63 - 1
"""The open end of time: after every time a row can hold."""

SHARED: Final = 0
"""Code of rows that belong to no single agent."""

_FLOAT32: Final = np.dtype("<f4")

K = TypeVar("K", bound=Hashable)
Reader = Callable[[EpisodeRow], Any]
_COLUMNS: Final[tuple[tuple[str, type[np.generic], Reader], ...]] = (
    ("place", np.int64, attrgetter("place")),
    ("at", np.int64, attrgetter("at")),
    ("expires_at", np.int64, lambda row: END if row.expires_at is None else row.expires_at),
    ("signs", np.uint8, attrgetter("signs")),
    ("speaker", np.uint64, attrgetter("speaker")),
    ("first_name", np.uint64, attrgetter("first_name")),
    ("has_vector", np.bool_, lambda row: row.vector is not None),
)
_OWN: Final[tuple[tuple[str, type[np.generic]], ...]] = (
    ("talk", np.int32),
    ("agent", np.int32),
    ("said_length", np.int64),
    ("pairs_length", np.int64),
    ("reply_length", np.int64),
)


class EpisodeTable:
    """Columns, vectors and terms by slot. Removing rows closes the gaps; every change gives new arrays.

    Attributes:
        ids: Episode id per slot.
        said: Which slots hold a term in what was said; `pairs`: two neighbouring ones; `replied`: in what was replied.
        vectors: Of what was said, by slot (zeros where a row has none); `None` before the first.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.said, self.pairs, self.replied = Postings(), Postings(), Postings()
        self.links = EpisodeLinks()
        self.vectors: NDArray[np.float32] | None = None
        self._slot_of: dict[str, int] = {}
        self._talks: dict[tuple[str, str | None], int] = {}
        self._agents: dict[str | None, int] = {None: SHARED}
        names = [(name, dtype) for name, dtype, _ in _COLUMNS] + list(_OWN)
        self._columns: dict[str, NDArray[Any]] = {name: np.zeros(0, dtype) for name, dtype in names}

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.ids)

    @property
    def dim(self) -> int | None:
        """Return the size of the vectors, `None` before the first."""
        return None if self.vectors is None else self.vectors.shape[1]

    @property
    def nbytes(self) -> int:
        """Return the bytes of all arrays."""
        columns = sum(column.nbytes for column in self._columns.values())
        vectors = 0 if self.vectors is None else self.vectors.nbytes
        return columns + vectors + self.links.nbytes + self.said.nbytes + self.pairs.nbytes + self.replied.nbytes

    def column(self, name: str) -> NDArray[Any]:
        """Return one column by slot."""
        return self._columns[name]

    def slot(self, episode_id: str) -> int | None:
        """Return where a row is, `None` where it is not here."""
        return self._slot_of.get(episode_id)

    def visible(self, agent_id: str | None) -> Mask:
        """Return which rows an agent may see: its own, and those shared by the user's agents."""
        agents = self._columns["agent"]
        mask: Mask = agents == SHARED
        if agent_id is not None and agent_id in self._agents:
            mask |= agents == self._agents[agent_id]
        return mask

    def mask_of(self, episode_ids: Iterable[str]) -> Mask:
        """Return which rows have one of some ids; ids that are not here are no error."""
        mask: Mask = np.zeros(len(self.ids), np.bool_)
        mask[[self._slot_of[it] for it in episode_ids if it in self._slot_of]] = True
        return mask

    # ------------------------------------------------------------------------------------------------------- change
    def put(self, rows: Sequence[EpisodeRow]) -> None:
        """Insert rows or replace them by id (ids distinct).

        Raises:
            ConfigurationError: A vector has another size than those already here; nothing is changed.
        """
        dim = self._checked_dim(rows)
        self.remove([row.episode_id for row in rows])
        first = len(self.ids)
        for slot, row in enumerate(rows, first):
            self._slot_of[row.episode_id] = slot
            self.ids.append(row.episode_id)
            self.links.put(row.episode_id, row.updates)
        for name, dtype, read in _COLUMNS:
            self._extend(name, np.fromiter(map(read, rows), dtype, len(rows)))
        talks = [_code(self._talks, (row.session_id, row.agent_id)) for row in rows]
        self._extend("talk", np.array(talks, np.int32))
        self._extend("agent", np.array([_code(self._agents, row.agent_id) for row in rows], np.int32))
        self._put_terms(self.said, "said_length", [row.terms for row in rows], first)
        self._put_terms(self.pairs, "pairs_length", [row.pairs for row in rows], first)
        self._put_terms(self.replied, "reply_length", [row.reply_terms for row in rows], first)
        if dim is not None:
            self._put_vectors(rows, dim, first)

    def remove(self, episode_ids: Sequence[str]) -> bool:
        """Remove rows without a trace, and return whether there were any; unknown ids are no error."""
        gone = [self._slot_of[episode_id] for episode_id in episode_ids if episode_id in self._slot_of]
        if not gone:
            return False
        for slot in gone:
            self.links.remove(self.ids[slot])
        kept = np.ones(len(self.ids), np.bool_)
        kept[gone] = False
        new_slot_of: Slots = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.intp)
        self.said.remap(new_slot_of)
        self.pairs.remap(new_slot_of)
        self.replied.remap(new_slot_of)
        self._columns = {name: column[kept] for name, column in self._columns.items()}
        if self.vectors is not None:
            self.vectors = self.vectors[kept] if self._columns["has_vector"].any() else None
        self.ids = [episode_id for episode_id, is_kept in zip(self.ids, kept.tolist(), strict=True) if is_kept]
        self._slot_of = {episode_id: slot for slot, episode_id in enumerate(self.ids)}
        self._talks = _still_used(self._talks, self._columns["talk"])
        self._agents = {None: SHARED, **_still_used(self._agents, self._columns["agent"])}
        return True

    def _extend(self, name: str, values: NDArray[Any]) -> None:
        self._columns[name] = np.concatenate([self._columns[name], values])

    def _put_terms(self, postings: Postings, name: str, blobs: Sequence[bytes], first: int) -> None:
        decoded = [decode_terms(blob) for blob in blobs]
        sizes = [hashes.size for hashes, _ in decoded]
        owners = np.repeat(np.arange(first, first + len(blobs)), sizes)
        hashes = np.concatenate([hashes for hashes, _ in decoded])
        counts = np.concatenate([counts for _, counts in decoded])
        postings.add(hashes, owners, counts)
        self._extend(name, np.bincount(owners - first, counts, len(blobs)).astype(np.int64))

    def _put_vectors(self, rows: Sequence[EpisodeRow], dim: int, first: int) -> None:
        empty = np.zeros(dim, np.float32)
        said = [empty if row.vector is None else np.frombuffer(row.vector, _FLOAT32) for row in rows]
        before = np.zeros((first, dim), np.float32) if self.vectors is None else self.vectors
        self.vectors = np.concatenate([before, np.stack(said)])

    def _checked_dim(self, rows: Sequence[EpisodeRow]) -> int | None:
        sizes = {len(row.vector) // _FLOAT32.itemsize for row in rows if row.vector is not None}
        sizes |= {self.dim} if self.dim is not None else set()
        if len(sizes) > 1:
            msg = f"episodes have vectors of {sorted(sizes)} numbers; run reindex() with one embedding model"
            raise ConfigurationError(msg)
        return next(iter(sizes), None)


def _code(codes: dict[K, int], key: K) -> int:
    """Return the number of a key, a new one where it has none."""
    if key not in codes:
        codes[key] = max(codes.values(), default=-1) + 1
    return codes[key]


def _still_used(codes: Mapping[K, int], column: NDArray[np.int32]) -> dict[K, int]:
    used = set(np.unique(column).tolist())
    return {key: code for key, code in codes.items() if code in used}
