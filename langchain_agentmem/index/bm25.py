"""Exact BM25 over one scope.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009); the idf is Lucene's,
ln(1 + (N - n + 0.5) / (n + 0.5)), which is never negative.

A score is expressed as a share: of what a document would score that consists of the query's words and nothing else.
That gives it a meaning without any other document to compare it with, 1 for "says exactly this".

Of one thing only its own words are said again and again ("Ann likes tea"): a term that all documents have still counts
a little, else a single word that none has ("drink") would outweigh all that is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem._search import PLAIN, Wording

K1: Final = 0.9
B: Final = 0.4
"""Term saturation and length normalisation. Trotman, Puurula and Burgess, "Improvements to BM25 and Language Models
Examined" (2014), tuned them to about these values; on short memories they find more than the customary 1.5 and 0.75
(LoCoMo, words alone: recall at 5 of 57.0 % against 54.2 %)."""

COMMON_SHARE: Final = 0.025
"""What a term counts at least, of what one counts that no document has. With a least relevance of 0.03, a document that
has nothing but such terms answers a question of whose terms it has more than half; terms in less than three of four
documents count more by themselves."""

FAINT_SHARE: Final = 0.25
"""What a term that says little counts of what its rarity says."""

MIN_TAIL: Final = 4_096
"""Postings appended since the last sort are scanned; below this many that costs less than sorting."""

Hashes = NDArray[np.uint64]
Slots = NDArray[np.intp]
Counts = NDArray[np.uint16]
Mask = NDArray[np.bool_]
Found: TypeAlias = tuple[NDArray[Any], NDArray[Any]]
"""Slots that hold a term, and how often each does."""


class Findable(Protocol):
    """What tells where terms stand."""

    def find(self, hashes: Hashes) -> Sequence[Found]:
        """Return, for each hash, the slots that hold it and its count in each."""


_NO_POSTINGS: Final[tuple[Hashes, Slots, Counts]] = (
    np.empty(0, np.uint64),
    np.empty(0, np.intp),
    np.empty(0, np.uint16),
)


class Postings:
    """Which slots hold a hash, and how often: a sorted part, and a short unsorted tail of what came since.

    A long tail is sorted when somebody asks for words: who has none waits for no sorting.
    """

    def __init__(self) -> None:
        self._hashes, self._slots, self._counts = _NO_POSTINGS
        self._sorted = 0

    @property
    def nbytes(self) -> int:
        """Return the bytes held."""
        return self._hashes.nbytes + self._slots.nbytes + self._counts.nbytes

    def add(self, hashes: Hashes, slots: Slots, counts: Counts) -> None:
        """Append postings; a slot must not hold one of these hashes yet."""
        if not self._hashes.size:
            self._hashes, self._slots, self._counts = hashes, slots, counts
            return
        self._hashes = np.concatenate([self._hashes, hashes])
        self._slots = np.concatenate([self._slots, slots])
        self._counts = np.concatenate([self._counts, counts])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all postings, sorted, for `restored`."""
        self._sort()
        return {"hashes": self._hashes, "slots": self._slots.astype(np.int32), "counts": self._counts}

    @classmethod
    def restored(cls, arrays: Mapping[str, NDArray[Any]], slots: int) -> Postings:
        """Return postings of `arrays`, copied: they are parts of more than is to stay in memory.

        Raises:
            KeyError: An array is missing.
            ValueError: They are not of one size, or of other slots than the first so many.
        """
        hashes, places, counts = arrays["hashes"], arrays["slots"].astype(np.intp), arrays["counts"]
        if not hashes.size == places.size == counts.size:
            raise ValueError(slots)
        postings = cls()
        if not places.size:
            return postings
        if places.min() < 0 or places.max() >= slots:
            raise ValueError(slots)
        postings._hashes, postings._slots, postings._counts = hashes.copy(), places, counts.copy()
        postings._sorted = int(places.size)
        return postings

    def remap(self, new_slot_of: Slots) -> None:
        """Move every posting to its slot's new number; those of slots that map to -1 are removed for good."""
        moved = new_slot_of[self._slots]
        kept = moved >= 0
        self._sorted = int(np.count_nonzero(kept[: self._sorted]))
        self._hashes, self._slots, self._counts = self._hashes[kept], moved[kept], self._counts[kept]

    def find(self, hashes: Hashes) -> list[tuple[Slots, Counts]]:
        """Return, for each hash, the slots that hold it and its count in each."""
        if self._hashes.size - self._sorted > max(MIN_TAIL, self._sorted // 4):
            self._sort()
        head = self._hashes[: self._sorted]
        starts, ends = np.searchsorted(head, hashes, "left"), np.searchsorted(head, hashes, "right")
        return [self._one(*args) for args in zip(hashes, starts.tolist(), ends.tolist(), strict=True)]

    def _one(self, key: np.uint64, start: int, end: int) -> tuple[Slots, Counts]:
        slots, counts = self._slots[start:end], self._counts[start:end]
        tail = self._hashes[self._sorted :]
        if tail.size:
            found = np.flatnonzero(tail == key) + self._sorted
            if found.size:
                return np.concatenate([slots, self._slots[found]]), np.concatenate([counts, self._counts[found]])
        return slots, counts

    def _sort(self) -> None:
        order = np.argsort(self._hashes)
        self._hashes, self._slots, self._counts = self._hashes[order], self._slots[order], self._counts[order]
        self._sorted = int(self._hashes.size)


def bm25_shares(
    terms: Hashes,
    postings: Postings,
    lengths: NDArray[np.int64],
    population: Mask,
    wording: Wording = PLAIN,
) -> NDArray[np.float64]:
    """Return for every slot its BM25 score as a share of the ideal document's, in [0, 1].

    Args:
        terms: The query's distinct terms, ascending; the order fixes the order of summation, hence the last digit.
        postings: Which slots hold which terms.
        lengths: Terms per slot.
        population: The slots that statistics (number of documents, document frequency, mean length) are taken from.
        wording: What else may stand for a term, and which terms count little. A term is as frequent as it is itself.
    """
    scores = np.zeros(lengths.size, np.float64)
    documents = int(np.count_nonzero(population))
    mean_length = max(1.0, int(lengths[population].sum()) / max(1, documents))
    norms = _norms(lengths, mean_length)
    total = 0.0
    for term, (slots, counts) in zip(terms.tolist(), found_in_any_word(postings, terms, wording), strict=True):
        weight = rarity(documents, int(np.count_nonzero(population[slots] & (counts >= 1))))
        weight *= FAINT_SHARE if term in wording.faint else 1.0
        scores[slots] += weight * (counts / (counts + norms[slots]))
        total += weight
    if not total:
        return scores
    ideal = total / (1 + _norms(terms.size, mean_length))
    shares: NDArray[np.float64] = np.minimum(1.0, scores / ideal)
    return shares


def found_in_any_word(postings: Findable, hashes: Hashes, wording: Wording) -> list[Found]:
    """Return, for each term, the slots that hold it or what stands for it, and how often, as much as each counts."""
    found = list(postings.find(hashes))
    for place, term in enumerate(hashes.tolist()):
        related = wording.related.get(term)
        if related:
            others = postings.find(np.fromiter(related, np.uint64, len(related)))
            counted = [(slots, share * counts) for share, (slots, counts) in zip(related.values(), others, strict=True)]
            slots, counts = map(np.concatenate, zip(found[place], *counted, strict=True))
            each, places = np.unique(slots, return_inverse=True)
            found[place] = each, np.bincount(places, counts, each.size)
    return found


def idf(documents: int, frequency: int) -> float:
    """Return how much a term says that some of the documents have."""
    return log1p((documents - frequency + 0.5) / (frequency + 0.5))


def rarity(documents: int, frequency: int) -> float:
    """Return the same, of a term that nearly all of them have no less than `COMMON_SHARE`."""
    return max(idf(documents, frequency), COMMON_SHARE * idf(documents, 0))


def _norms(lengths: Any, mean_length: float) -> Any:  # noqa: ANN401  (a number or an array of them)
    return K1 * (1 - B) + (K1 * B / mean_length) * lengths
