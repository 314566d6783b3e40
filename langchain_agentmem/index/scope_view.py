"""The view of one scope: every memory of one user in columns, searched exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem._search import Proposal, SearchColumns, SearchFilter, SearchQuery, SearchRow
from langchain_agentmem._terms import TERM_BYTES, decode_terms, encode_terms, purpose_hash, tag_hash
from langchain_agentmem.errors import ConfigurationError, IntegrityError
from langchain_agentmem.index.bm25 import Mask, Postings, Slots, bm25_shares
from langchain_agentmem.index.relevance import Relevance, Scores
from langchain_agentmem.index.row_table import RowTable
from langchain_agentmem.index.snapshot import Snapshot

_LABEL_BYTES: Final = 8
_EMPTY_BYTES: Final = 4_500
"""What a view without rows takes."""

_USUAL: Final = Relevance()
_DIGITS: Final = 6
_STEP: Final = 1e-6
"""Decimals of a relevance, and their step: finer differences would order by rounding errors of float32."""


class ScopeView:
    """All memories of one (tenant, user), kept up to date row by row.

    Vectors are compared exactly (cosine) and so are words (BM25); a filter is a mask laid on before the cut. Statistics
    of BM25 are taken from the rows that the asking agent may see and that are active and not expired: what another
    agent keeps for itself moves no score, and narrowing a filter moves none either. A row's scores do not depend on
    where it stands. Not thread-safe: its owner holds a lock.

    Args:
        relevance: How the two signals are fused.
    """

    def __init__(self, relevance: Relevance | None = None) -> None:
        self._relevance = relevance or _USUAL
        self._table = RowTable()
        self._terms = Postings()
        self._labels = Postings()
        self._revision = 0
        self._renewed_at = 0

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._table)

    @property
    def ids(self) -> Sequence[str]:
        """Return the ids of all rows, in no order; it is the view's own list."""
        return self._table.ids

    @property
    def revision(self) -> int:
        """Return the content revision that was applied last."""
        return self._revision

    @property
    def renewed_at(self) -> int:
        """Return as of when rows that had no vector have one here."""
        return self._renewed_at

    @property
    def dim(self) -> int | None:
        """Return the size of the vectors, `None` before the first."""
        return self._table.dim

    @property
    def nbytes(self) -> int:
        """Return the bytes of all arrays, spare capacity included."""
        return _EMPTY_BYTES + self._table.nbytes + self._terms.nbytes + self._labels.nbytes

    # ------------------------------------------------------------------------------------------------------- change
    def apply(self, rows: Sequence[SearchRow], revision: int) -> None:
        """Bring the view to a revision: rows are inserted or replaced by id, erased ones removed without a trace.

        `rows` are all that changed since some revision not after the view's own. A delta that leads no further than the
        view already is will be ignored, so that two threads may bring theirs in any order.

        Raises:
            ConfigurationError: A vector has another size than those already here; nothing is changed.
            IntegrityError: Stored terms or labels are malformed; nothing is changed.
        """
        self.apply_columns(SearchColumns.of(rows), revision)

    def apply_columns(self, rows: SearchColumns, revision: int) -> None:
        """Do what `apply` does.

        Raises:
            ConfigurationError: As for `apply`.
            IntegrityError: As for `apply`.
        """
        if rows.kept is not None and not self._revision:
            self._restore(rows.kept)
        if self._revision and revision <= self._revision:
            return
        if rows.memory_id:
            self._put(rows)
        if rows.erased:
            self._remove(rows.erased)
        self._renewed_at, self._revision = max(self._renewed_at, rows.renewed_at), revision

    def discard(self, memory_ids: Iterable[str]) -> None:
        """Remove rows at once, without a trace, before the delta that says so arrives; unknown ids are no error."""
        self._remove(list(memory_ids))

    def snapshot(self) -> Snapshot:
        """Return all that the view holds; it is the view's own, until the next change."""
        at = {"revision": self._revision, "renewed_at": self._renewed_at}
        return Snapshot(table=self._table, terms=self._terms, labels=self._labels, **at)

    def _restore(self, kept: Snapshot) -> None:
        self._table, self._terms, self._labels = kept.table, kept.terms, kept.labels
        self._revision, self._renewed_at = kept.revision, kept.renewed_at

    def _put(self, rows: SearchColumns) -> None:
        term_counts, label_counts = _counts(rows, rows.terms, TERM_BYTES), _counts(rows, rows.labels, _LABEL_BYTES)
        known = self._table.slots_of(rows.memory_id)
        slots = self._table.put(rows)
        if known.size:
            same = np.arange(len(self._table), dtype=np.intp)
            same[known] = -1
            self._terms.remap(same)
            self._labels.remap(same)
        self._put_terms(rows.terms, np.repeat(slots, term_counts), slots)
        self._put_labels(rows.labels, np.repeat(slots, label_counts), slots)

    def _put_terms(self, terms: Sequence[bytes], owners: Slots, slots: Slots) -> None:
        hashes, counts = decode_terms(b"".join(terms))
        self._terms.add(hashes, owners, counts)
        lengths = np.bincount(owners, weights=counts, minlength=len(self._table))[slots]
        self._table.fill("length", slots, lengths)

    def _put_labels(self, labels: Sequence[bytes], owners: Slots, slots: Slots) -> None:
        if not owners.size:
            self._table.fill("is_purposed", slots, np.zeros(slots.size, np.bool_))
            return
        hashes = np.frombuffer(b"".join(labels), "<u8").astype(np.uint64)
        self._labels.add(hashes, owners, np.ones(hashes.size, np.uint16))
        is_purposed = np.zeros(len(self._table), np.bool_)
        is_purposed[owners[(hashes & np.uint64(1)).astype(np.bool_)]] = True
        self._table.fill("is_purposed", slots, is_purposed[slots])

    def _remove(self, memory_ids: Sequence[str]) -> None:
        slots = self._table.slots_of(memory_ids)
        if slots.size:
            new_slot_of = self._table.remove(slots)
            self._terms.remap(new_slot_of)
            self._labels.remap(new_slot_of)

    # ------------------------------------------------------------------------------------------------------- search
    def search(self, query: SearchQuery, known_shares: Mapping[str, float] | None = None) -> list[Proposal]:
        """Return at most `query.limit` proposals after `query.offset`, best first, equals by id, none of relevance 0.

        Args:
            query: What is looked for.
            known_shares: BM25 shares by id, of a view that holds all words, where this one holds some rows only; 0
                where an id is missing.

        Raises:
            ConfigurationError: The query's vector has another size than the rows' vectors.
        """
        visible = self._table.visible(query.filter.agent_id)
        cosines = self._cosines(query.vector, visible)
        allowed = visible & self._table.admitted(query.filter) & self._labelled(query.filter)
        if not allowed.any():
            return []
        if known_shares is None:
            shares = self._shares(query, visible & self._table.live(query.filter.now))
        else:
            shares = np.array([known_shares.get(memory_id, 0.0) for memory_id in self._table.ids])
            if cosines is None and query.vector is not None:  # rows that are not here have vectors
                cosines = np.zeros(len(self._table))
        relevance = self._relevance.fuse(cosines, shares, is_of_oneself=query.is_of_oneself)
        if relevance is None:
            return []
        relevance[~allowed] = 0
        best = self._best(relevance, query.offset + query.limit)[query.offset :]
        return self._proposals(best, relevance, cosines, shares)

    def shares_of(self, query: SearchQuery, memory_ids: Iterable[str]) -> dict[str, float] | None:
        """Return the BM25 share of rows, those that the query does not admit included; `None` without words to match.

        Unknown ids are left out.
        """
        live = self._table.visible(query.filter.agent_id) & self._table.live(query.filter.now)
        shares = self._shares(query, live)
        if shares is None:
            return None
        ids, slots = self._table.ids, self._table.slots_of(memory_ids)
        return {ids[slot]: share for slot, share in zip(slots.tolist(), shares[slots].tolist(), strict=True)}

    def _cosines(self, vector: NDArray[np.float32] | None, visible: Mask) -> Scores | None:
        """Return the cosine of every row; `None` where no visible row has a vector: then words alone decide."""
        if vector is None:
            return None
        if vector.ndim != 1 or (self.dim is not None and vector.size != self.dim):
            msg = (
                f"the query's vector has shape {vector.shape} where the scope's have {self.dim} numbers; "
                "run reindex() with one embedding model"
            )
            raise ConfigurationError(msg)
        vectors = self._table.vectors
        if vectors is None or not (visible & self._table.column("has_vector")).any():
            return None
        # One dot product per row: single-threaded by construction (a threaded product collapses on a busy machine),
        # and a row's result is the same wherever it stands, which a blocked matrix product does not promise.
        products: NDArray[np.float32] = np.vecdot(vectors, vector.astype(np.float32, copy=False))
        np.maximum(products, 0, out=products)  # the two take a third of what `clip` takes
        return np.minimum(products, 1, out=products)

    def _shares(self, query: SearchQuery, population: Mask) -> Scores | None:
        terms, _ = decode_terms(encode_terms(query.text)) if query.text else (None, None)
        if terms is None or not terms.size:
            return None
        return bm25_shares(terms, self._terms, self._table.column("length"), population, query.wording)

    def _labelled(self, wanted: SearchFilter) -> Mask:
        """Return which rows carry all tags, and either name one of the purposes or name none."""
        mask: Mask = ~self._table.column("is_purposed")
        if wanted.purposes is None:
            mask = np.ones(len(self._table), np.bool_)
        for purpose in wanted.purposes or ():
            mask |= self._carrying(purpose_hash(purpose))
        for tag in wanted.tags:
            mask &= self._carrying(tag_hash(tag))
        return mask

    def _carrying(self, label: int) -> Mask:
        mask = np.zeros(len(self._table), np.bool_)
        ((slots, _),) = self._labels.find(np.array([label], np.uint64))
        mask[slots] = True
        return mask

    def _best(self, relevance: Scores, limit: int) -> list[int]:
        """Return the slots of the most relevant rows, ties at the cut decided by id."""
        found = np.flatnonzero(relevance > _STEP / 2)
        if found.size > limit:
            candidates = relevance[found]
            cut = np.partition(candidates, found.size - limit)[found.size - limit]
            found = found[candidates >= cut - _STEP]  # a step below: rounding may still lift it to the cut
        ids, scores = self._table.ids, np.round(relevance[found].astype(np.float64), _DIGITS).tolist()
        best = sorted(zip(scores, found.tolist(), strict=True), key=lambda hit: (-hit[0], ids[hit[1]]))
        return [slot for score, slot in best if score > 0][:limit]

    def _proposals(
        self, slots: list[int], relevance: Scores, cosines: Scores | None, shares: Scores | None
    ) -> list[Proposal]:
        signals = {"vector": cosines, "lexical": shares}
        told = {name: _rounded(values[slots]) for name, values in signals.items() if values is not None}
        vectors = [None] * len(slots) if self._table.vectors is None else self._table.vectors[slots]
        has_vector, ids = self._table.column("has_vector")[slots], self._table.ids
        return [
            Proposal(
                memory_id=ids[slot],
                relevance=score,
                parts={name: values[place] for name, values in told.items()},
                vector=vectors[place] if has_vector[place] else None,
            )
            for place, (slot, score) in enumerate(zip(slots, _rounded(relevance[slots]), strict=True))
        ]


def _rounded(scores: Scores) -> list[float]:
    return [round(score, _DIGITS) for score in scores.tolist()]


def _counts(rows: SearchColumns, blobs: Sequence[bytes], item_bytes: int) -> NDArray[np.intp]:
    """Return how many items each blob holds."""
    if not any(blobs):
        return np.zeros(len(blobs), np.intp)
    counts, rest = np.divmod(np.fromiter(map(len, blobs), np.intp, len(blobs)), item_bytes)
    if rest.any():
        memory_id = rows.memory_id[int(np.argmax(rest))]
        msg = f"the stored terms or labels of memory {memory_id!r} are malformed; run reindex()"
        raise IntegrityError(msg)
    return counts
