"""The items of a namespace, and of all below it, as columns in memory: searched exactly."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem._terms import TERM_BYTES, decode_terms
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.bm25 import Hashes, Mask, Postings, Slots, bm25_shares
from langchain_agentmem.index.relevance import Relevance, Scores
from langchain_agentmem.items.base import Delta, Fresh, News
from langchain_agentmem.items.facts import LABEL_BYTES, Labels
from langchain_agentmem.items.values import Texts, unpack_texts

NEVER: Final = 2**63 - 1
_DIGITS: Final = 6
"""Decimals of a score: finer differences would order by rounding errors of float32."""

_NO_OWNER: Final = -1
_NAME_BYTES: Final = 200
"""Bytes of a name in memory beside its letters: a tuple and two texts (measured)."""

_MIN_CAPACITY: Final = 16
_ITEM_COLUMNS: Final = ("ref", "namespace", "updated_at", "expires_at", "revision", "other_dim")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked: words, a vector of the view's model, or both; at what time.

    Args:
        labels: Of facts that must be true of an answer; they move no score.
        limit: How many at most; `None`: all, in order.
    """

    terms: Hashes
    vector: NDArray[np.float32] | None
    at: int
    labels: Labels | None = None
    limit: int | None = None


class Ranked(NamedTuple):
    """An item that answers a question; the higher the score, in [0, 1], the better."""

    ref: int
    revision: int
    score: float


class PrefixView:
    """The items under one prefix, brought up to date change by change.

    A text is compared by its vector (exact cosine) and its words (exact BM25), and an item is as good as its best text.
    Statistics of BM25 are taken from the texts of the items under this prefix that have not expired: nothing else can
    move a score. Not thread-safe: its owner holds a lock.

    Args:
        model: Number of the model whose vectors are compared; vectors of another one are left out.
        dim: The numbers of a vector; those of another size are left out too. 0: no vector is compared.
        relevance: How the two signals are fused.
    """

    def __init__(self, model: int = 0, relevance: Relevance | None = None, *, dim: int = 0) -> None:
        self._model = model
        self._dim = dim
        self._relevance = relevance or Relevance()
        self.known: dict[int, int] = {}
        self._clear()

    def _clear(self) -> None:
        self._slot_of: dict[int, int] = {}
        self._names: list[tuple[str, str]] = []
        self._name_bytes = 0
        self._items = {name: np.zeros(0, np.int64) for name in _ITEM_COLUMNS}
        self._owners = np.zeros(0, np.int64)
        self._lengths = np.zeros(0, np.int64)
        self._has_vector = np.zeros(0, np.bool_)
        self._vectors: NDArray[np.float32] | None = None
        self._postings = Postings()
        self._labels = Postings()
        self._text_count = 0
        self._most_texts = 1

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._slot_of)

    @property
    def nbytes(self) -> int:
        """Return the bytes held, spare capacity included."""
        columns = (*self._items.values(), self._owners, self._lengths, self._has_vector)
        vectors = 0 if self._vectors is None else self._vectors.nbytes
        postings = self._postings.nbytes + self._labels.nbytes
        return sum(it.nbytes for it in columns) + vectors + postings + self._name_bytes

    # ------------------------------------------------------------------------------------------------------- change
    def apply(self, delta: Delta) -> None:
        """Take in what has changed; what the view has seen already changes nothing, so that threads may compete.

        Raises:
            IntegrityError: Stored terms are malformed.
        """
        gone = self.known.keys() - set(delta.namespaces)
        news = [it for it in delta.news if it.since <= self.known.get(it.ref, 0) < it.revision]
        unpacked = [[(it, unpack_texts(it.terms)) for it in one.items if it.terms is not None] for one in news]
        self._remove(gone, news)
        for one, items in zip(news, unpacked, strict=True):
            self._put(one, items)
            self.known[one.ref] = one.revision
        for ref in gone:
            del self.known[ref]
        self._compact()

    def _remove(self, gone: Collection[int], news: Sequence[News]) -> None:
        """Remove namespaces that are gone, items that were taken out, and those whose new form is about to come."""
        refs, namespaces = (self._items[name][: len(self._names)] for name in ("ref", "namespace"))
        lost = np.isin(namespaces, list(gone)) if gone else np.zeros(refs.size, np.bool_)
        for one in news:
            if one.kept is not None:
                lost |= (namespaces == one.ref) & ~np.isin(refs, list(one.kept))
        removed = set(refs[lost & (refs > 0)].tolist())
        removed |= {item.ref for one in news for item in one.items} & self._slot_of.keys()
        if removed:
            self._forget([self._slot_of.pop(ref) for ref in removed])

    def _forget(self, slots: Sequence[int]) -> None:
        """Overwrite what items held; their slots stay empty until the view is compacted."""
        for slot in slots:
            self._name_bytes -= _size(self._names[slot])
            self._names[slot] = ("", "")
        for column in self._items.values():
            column[slots] = 0
        texts = np.flatnonzero(np.isin(self._owners[: self._text_count], slots))
        self._owners[texts] = _NO_OWNER
        self._lengths[texts] = 0
        self._has_vector[texts] = False
        if self._vectors is not None:
            self._vectors[texts] = 0
        new_slot_of = np.arange(self._text_count, dtype=np.intp)
        new_slot_of[texts] = -1
        self._postings.remap(new_slot_of)
        new_item = np.arange(len(self._names), dtype=np.intp)
        new_item[slots] = -1
        self._labels.remap(new_item)

    def _put(self, news: News, items: Sequence[tuple[Fresh, Texts]]) -> None:
        if not items:
            return
        first = len(self._names)
        self._names += [(news.path, item.key) for item, _ in items]
        self._name_bytes += sum(map(_size, self._names[first:]))
        self._slot_of.update((item.ref, first + place) for place, (item, _) in enumerate(items))
        columns = {
            "ref": [item.ref for item, _ in items],
            "namespace": [news.ref] * len(items),
            "updated_at": [item.updated_at for item, _ in items],
            "expires_at": [NEVER if item.expires_at is None else item.expires_at for item, _ in items],
            "revision": [item.revision for item, _ in items],
            "other_dim": [self._other_dim(texts) for _, texts in items],
        }
        for name, values in columns.items():
            self._items[name] = _with_room(self._items[name], first + len(items))
            self._items[name][first : first + len(items)] = values
        self._put_labels(first, [texts.labels for _, texts in items])
        self._put_texts(first, [texts for _, texts in items])

    def _put_labels(self, first: int, labels: Sequence[bytes]) -> None:
        slots = np.repeat(np.arange(first, first + len(labels)), [len(it) // LABEL_BYTES for it in labels])
        self._labels.add(np.frombuffer(b"".join(labels), "<u8"), slots, np.ones(slots.size, np.uint16))

    def _put_texts(self, first: int, items: Sequence[Texts]) -> None:
        counts = [len(texts.terms) for texts in items]
        start, end = self._text_count, self._text_count + sum(counts)
        self._owners, self._lengths, self._has_vector = (
            _with_room(column, end) for column in (self._owners, self._lengths, self._has_vector)
        )
        self._owners[start:end] = np.repeat(np.arange(first, first + len(items)), counts)
        blobs = [terms for texts in items for terms in texts.terms]
        hashes, frequencies = decode_terms(b"".join(blobs))
        slots = np.repeat(np.arange(end - start), [len(blob) // TERM_BYTES for blob in blobs])
        self._lengths[start:end] = np.bincount(slots, weights=frequencies, minlength=end - start)
        self._postings.add(hashes, slots + start, frequencies)
        self._put_vectors(start, end, items, counts)
        self._text_count = end
        self._most_texts = max(self._most_texts, *counts)

    def _put_vectors(self, start: int, end: int, items: Sequence[Texts], counts: Sequence[int]) -> None:
        ours = [None if self._other_dim(texts) else texts.vectors.get(self._model) for texts in items]
        packed = b"".join([it.data for it in ours if it is not None])
        if not packed and self._vectors is None:
            return
        current = np.zeros((0, self._dim), np.float32) if self._vectors is None else self._vectors
        self._vectors = _with_room(current, max(end, self._owners.size))
        self._has_vector[start:end] = np.repeat([it is not None for it in ours], counts)
        places = np.flatnonzero(self._has_vector[start:end]) + start
        self._vectors[places] = np.frombuffer(packed, "<f4").reshape(-1, self._dim)

    def _other_dim(self, texts: Texts) -> int:
        """Return the size of an item's vectors that are of the model, but not of the view's size; 0: they are."""
        ours = texts.vectors.get(self._model)
        return 0 if ours is None or not ours.data or ours.dim == self._dim else ours.dim

    def _compact(self) -> None:
        """Close the gaps, once there are more of them than items."""
        if len(self._names) <= max(2 * len(self._slot_of), _MIN_CAPACITY):
            return
        kept = np.array(sorted(self._slot_of.values()), np.int64)
        texts = np.flatnonzero(self._owners[: self._text_count] != _NO_OWNER)
        new_item = np.full(len(self._names), _NO_OWNER)
        new_item[kept] = np.arange(kept.size)
        new_text = np.full(self._text_count, -1, np.intp)
        new_text[texts] = np.arange(texts.size)
        self._names = [self._names[slot] for slot in kept.tolist()]
        self._items = {name: column[kept] for name, column in self._items.items()}
        self._slot_of = {ref: slot for slot, ref in enumerate(self._items["ref"].tolist())}
        self._owners = new_item[self._owners[texts]]
        self._lengths, self._has_vector = self._lengths[texts], self._has_vector[texts]
        self._vectors = None if self._vectors is None else self._vectors[texts]
        self._postings.remap(new_text)
        self._labels.remap(new_item)
        self._text_count = int(texts.size)

    # ------------------------------------------------------------------------------------------------------- search
    def rank(self, question: Question) -> list[Ranked]:
        """Return the items that answer a question, best first; equals: changed last first, then by path and key.

        With vectors to compare, every item that has one is an answer, however poor; else those that share a word.

        Raises:
            ConfigurationError: Items have vectors, and none has the size of the question's.
        """
        scores = self._scores(question)
        if scores is None:
            return []
        for slots, _ in [] if question.labels is None else self._labels.find(question.labels):
            scores[~_mask(slots, scores.size)] = -1
        found = np.flatnonzero(scores >= 0)
        scores = np.round(scores[found], _DIGITS)
        limit = question.limit
        if limit is not None and found.size > limit:
            cut = np.partition(scores, found.size - limit)[found.size - limit] if limit else np.inf
            best = scores >= cut
            found, scores = found[best], scores[best]
        order = self._ordered(found, scores)[:limit]
        refs, revisions = (self._items[name][found[order]].tolist() for name in ("ref", "revision"))
        return list(map(Ranked, refs, revisions, scores[order].tolist()))

    def _scores(self, question: Question) -> NDArray[np.float64] | None:
        """Return the score of every item by slot, -1 where it is no answer; `None`: none is."""
        owners = self._owners[: self._text_count]
        items = len(self._names)
        is_live = self._items["expires_at"][:items] > question.at
        population = owners != _NO_OWNER
        population[population] = is_live[owners[population]]
        cosines = self._cosines(question.vector, population)
        shares = self._shares(question.terms, population)
        relevance = self._relevance.fuse(cosines, shares)
        if relevance is None:
            return None
        answers = population & (relevance > 0)
        if cosines is not None:
            answers |= population & self._has_vector[: self._text_count]
        scores = np.full(items, -1.0)
        places, values = owners[answers], relevance[answers].astype(np.float64)
        if self._most_texts == 1:
            scores[places] = values
        else:
            np.maximum.at(scores, places, values)
        return scores

    def _cosines(self, vector: NDArray[np.float32] | None, population: Mask) -> Scores | None:
        if vector is None:
            return None
        if self._vectors is None or not self._has_vector[: self._text_count].any():
            self._check_others(vector)
            return None
        if not (population & self._has_vector[: self._text_count]).any():
            return None
        # One dot product per row: what it gives for a row does not depend on where the row stands.
        products: NDArray[np.float32] = np.vecdot(self._vectors[: self._text_count], vector)
        return np.clip(products, 0, 1, out=products)

    def _check_others(self, vector: NDArray[np.float32]) -> None:
        """Refuse to leave out every vector that there is; single ones of another size are those of a faulty answer."""
        dim = int(self._items["other_dim"][: len(self._names)].max(initial=0))
        if dim:
            msg = f"the query's vector has {vector.size} numbers where {dim} are stored; run reindex() of the store"
            raise ConfigurationError(msg)

    def _shares(self, terms: Hashes, population: Mask) -> Scores | None:
        if not terms.size:
            return None
        return bm25_shares(terms, self._postings, self._lengths[: self._text_count], population)

    def _ordered(self, found: Slots, scores: NDArray[np.float64]) -> Slots:
        """Return the order: score, last change, path and key. The names are compared only if it takes them."""
        updated = self._items["updated_at"][found]
        order = np.lexsort((-updated, -scores))
        is_tie = (scores[order[1:]] == scores[order[:-1]]) & (updated[order[1:]] == updated[order[:-1]])
        if not is_tie.any():
            return order
        by_name = sorted(range(found.size), key=lambda place: self._names[found[place]])
        places = np.empty(found.size, np.int64)
        places[by_name] = np.arange(found.size)
        return np.lexsort((places, -updated, -scores))


def _mask(slots: Slots, size: int) -> Mask:
    mask = np.zeros(size, np.bool_)
    mask[slots] = True
    return mask


def _size(name: tuple[str, str]) -> int:
    return len(name[0]) + len(name[1]) + _NAME_BYTES


def _with_room(array: NDArray[Any], wanted: int) -> NDArray[Any]:
    """Return an array of at least that many rows; what is left behind is overwritten, so that nothing lingers."""
    if len(array) >= wanted:
        return array
    larger = np.zeros((max(wanted, 2 * len(array), _MIN_CAPACITY), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    array[...] = 0
    return larger
