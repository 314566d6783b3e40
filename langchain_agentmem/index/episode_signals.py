"""What says that an episode answers a question: signals by slot, each a z-score over the conversations, or a flag.

A turn alone says little ("Yes, last week!"): what stands around it says what it is about. Z-scores order best among the
episodes of one user; what they mean is decided elsewhere. A signal that has nothing to say is 0 everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem._search import (
    ASKS,
    ENDS_ASKING,
    FIRST_PERSON,
    HAS_REPLY,
    EpisodeQuery,
    NamedDate,
    Period,
)
from langchain_agentmem._terms import decode_terms
from langchain_agentmem.index.bm25 import Found, Mask, Slots, found_in_any_word, idf
from langchain_agentmem.index.dates_fit import NEXT_DAY, dates_fit
from langchain_agentmem.index.episode_table import EpisodeTable
from langchain_agentmem.index.surroundings import BLOCK_TERMS, Surroundings

NEIGHBOUR_SHARE: Final = 0.5
"""Weight of a neighbour's vector beside an episode's own, in the vector of its block."""

K1: Final = 1.2
SAID_B: Final = 0.3
CONTEXT_B: Final = 0.5
"""Saturation and length normalisation of BM25: turns are short, what stands around them differs more in length."""

NAMES_WHEN: Final = 0.8
"""From which fit on a turn was said when the question says; a whole year or season is no such time, unless the question
asks for nothing else."""

MIN_TURNS: Final = 100
"""Of fewer turns (BEAM's chats have 94 to 172, and weights were fitted there) none can have a high z-score: words are
weighed as if there were so many, in whose other turns nothing of the question was said; and that somebody speaks of
themselves, which is no word of any question, by the share of so many that there are."""

_BY_WORDS: Final = ("said", "pairs", "block", "session", "asked")
_BY_VECTORS: Final = ("vector", "block_vector")
_BY_SPEAKER: Final = ("speaker", "question", "first_person")
"""What a question is about, by words and by vectors; and who says a turn, and how. The latter tells apart what is about
it, and counts as much beside words alone as beside both. A day or an identifier that is named finds by itself."""

QUIET: Final = 0.01
"""What is left of every other signal where a question asks for nothing but a time: they order what was said on one day,
and together say less than a day more or less does."""

_FLAT: Final = 1e-9
"""A standard deviation below it is that of values which are all the same."""

Scores: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeWeights:
    """What each signal counts, in standard deviations of itself (flags: as they are).

    Args:
        said: BM25 of what was said. `pairs`: of pairs of neighbouring words in it. `block`: of it, its reply and its
            neighbours. `session`: of the whole conversation. `asked`: of the question that was said just before.
        vector: Cosine of what was said. `block_vector`: of it and half of each neighbour.
        speaker: The question names who said it. `date`: it names when, or shortly before.
        identifier: It, or its reply, has the invoice number or the like that the question names.
        question: It is nothing but a question itself. `first_person`: who speaks, speaks of themselves.
    """

    said: float = 0.1
    pairs: float = 0.05
    block: float = 0.3
    session: float = 0.2
    asked: float = 0.1
    vector: float = 0.4
    block_vector: float = 0.5
    speaker: float = 3.0
    date: float = 3.0
    identifier: float = 3.0
    question: float = -0.75
    first_person: float = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """What a question was found by, before it is scored.

    Attributes:
        said: Of each of its terms, the episodes in which it was said, and how often. `replied`: in their replies.
        blocks: In them, their replies and their neighbours.
        cosines: By slot, minus infinity where there is no vector; `None` without a model.
        echoes: The episodes that end by asking, and have words of the question there alone: none in their reply. They
            lend nothing to what stands around them: it is asked again, and that is no reason why it was answered there.
        is_named: It names when, by whom or under which identifier something was said, and something was.
    """

    said: Sequence[Found]
    replied: Sequence[Found]
    blocks: Sequence[Found]
    cosines: Scores | None
    echoes: Mask
    is_named: bool


class Signals:
    """The signals of one scope for one question, over the episodes that the asking agent may see.

    Args:
        table: The episodes.
        around: Their neighbours. `block_norms`: the lengths of the vectors of their blocks, where there are vectors.
        visible: Which of them the asking agent may see.
    """

    def __init__(self, table: EpisodeTable, around: Surroundings, block_norms: Scores | None, visible: Mask) -> None:
        """Compose; nothing is computed yet."""
        self._table = table
        self._around = around
        self._block_norms = block_norms
        self._visible = visible

    def of(self, query: EpisodeQuery, may_answer: Mask) -> tuple[dict[str, Scores], Matched]:
        """Return every signal by its name in `EpisodeWeights`, and what they were taken from.

        Args:
            query: What is asked.
            may_answer: Which episodes may be returned: how likely any of them answers is told by what they say alone.
        """
        hashes, _ = decode_terms(query.terms)
        words = [found_in_any_word(it, hashes, query.wording) for it in (self._table.said, self._table.replied)]
        said, replied = (self._of_days(it, hashes.tolist(), query) for it in words)
        echoes = self._echoes(said, replied)
        silent = echoes | ~self._visible
        blocks = [self._in_blocks(*pair, silent) for pair in zip(said, replied, strict=True)]
        cosines = self._cosines(query)
        by_words = self._by_words(said, blocks, silent)
        signals = {**by_words, **self._by_vectors(cosines, silent), **self._by_signs(query)}
        pairs = self._table.pairs.find(decode_terms(query.pairs)[0])
        signals["pairs"] = self._z_of_words(bm25(pairs, self._table.column("pairs_length"), self._visible, SAID_B))
        asked = ["identifier", "speaker"] if query.is_of_speaker else ["identifier"]
        is_then = bool((self._when(query)[may_answer] >= NAMES_WHEN).any())
        if is_then and query.is_of_time:
            signals = self._by_time(signals, said, hashes.tolist(), query)
        if query.days or not np.array_equal(may_answer, self._visible):
            said, replied = words  # how likely there is an answer was fitted on every word
            blocks = [self._in_blocks(*pair, echoes | ~may_answer) for pair in zip(said, replied, strict=True)]
        counts = [place for place, term in enumerate(hashes.tolist()) if term not in query.dated]
        return signals, Matched(
            said=[said[it] for it in counts],
            replied=[replied[it] for it in counts],
            blocks=[blocks[it] for it in counts],
            cosines=None if cosines is None else np.where(self._known(), cosines, -np.inf),
            echoes=echoes,
            is_named=is_then or any((signals[it][may_answer] == 1).any() for it in asked),
        )

    def _by_signs(self, query: EpisodeQuery) -> dict[str, Scores]:
        signs = self._table.column("signs")
        bare = (signs & np.uint8(ENDS_ASKING | HAS_REPLY)) == ENDS_ASKING
        named = np.array(sorted(query.speakers), np.uint64)
        speaks = np.isin(self._table.column("speaker"), named) | np.isin(self._table.column("first_name"), named)
        return {
            "speaker": speaks.astype(np.float64),
            "date": self._fit(query, query.dates),
            "identifier": self._identified(query),
            "question": bare.astype(np.float64),
            "first_person": self._share_of_turns() * ((signs & np.uint8(FIRST_PERSON)) != 0),
        }

    def _by_time(
        self, signals: Mapping[str, Scores], said: Sequence[Found], terms: Sequence[int], query: EpisodeQuery
    ) -> dict[str, Scores]:
        """Return signals by which the time decides; what names a day was as good as said on the one after it."""
        quiet = {*_BY_WORDS, *_BY_VECTORS, "question", "first_person"}
        decided = {name: it * (QUIET if name in quiet else 1.0) for name, it in signals.items()}
        decided["date"] = self._when(query)
        for (slots, counts), term in zip(said, terms, strict=True):
            if term in query.days:
                named = slots[counts >= 1]
                decided["date"][named] = np.maximum(decided["date"][named], NEXT_DAY)
        return decided

    def _fit(self, query: EpisodeQuery, dates: Sequence[NamedDate | Period]) -> Scores:
        return dates_fit(self._table.column("at") + query.utc_offset, dates)

    def _when(self, query: EpisodeQuery) -> Scores:
        """Return how well each episode was said when the question says: where it asks for that alone, in any of it."""
        dates = [replace(it, weight=1.0) for it in query.dates] if query.is_of_time else query.dates
        return self._fit(query, dates)

    def _of_days(self, found: Sequence[Found], terms: Sequence[int], query: EpisodeQuery) -> Sequence[Found]:
        """Return where terms stand; the number of a day only where its month does: "8 April" is not about 8 people."""
        if not query.days:
            return found
        here = list(found)
        for place, term in enumerate(terms):
            if term in query.days:
                months = np.array(sorted(query.days[term]), np.uint64)
                named = [slots for it in (self._table.said, self._table.replied) for slots, _ in it.find(months)]
                slots, counts = here[place]
                kept = np.isin(slots, np.concatenate(named))
                here[place] = slots[kept], counts[kept]
        return here

    def _echoes(self, said: Sequence[Found], replied: Sequence[Found]) -> Mask:
        signs = self._table.column("signs") & np.uint8(ENDS_ASKING | HAS_REPLY)
        echoes = np.zeros(len(self._table), np.bool_)
        for slots, _ in said:
            echoes[slots] = True
        for slots, _ in replied:
            echoes[slots] = False
        mask: Mask = echoes & (signs == np.uint8(ENDS_ASKING | HAS_REPLY))
        return mask

    def _share_of_turns(self) -> float:
        return min(1.0, np.count_nonzero(self._visible) / MIN_TURNS)

    def _identified(self, query: EpisodeQuery) -> Scores:
        """Return the share of the identifiers named that stand in each episode, its reply included."""
        hashes, _ = decode_terms(query.identifiers)
        shares = np.zeros(len(self._table))
        for said, replied in zip(self._table.said.find(hashes), self._table.replied.find(hashes), strict=True):
            shares[np.union1d(said[0], replied[0])] += 1.0 / hashes.size
        return shares

    # -------------------------------------------------------------------------------------------------------- words
    def _by_words(self, said: Sequence[Found], blocks: Sequence[Found], silent: Mask) -> dict[str, Scores]:
        lengths = (self._table.column(name) for name in ("said_length", "reply_length"))
        said_length, reply_length = (np.where(self._visible, it, 0) for it in lengths)
        whole = said_length + reply_length
        spoken = bm25(said, said_length, self._visible, SAID_B)
        block = bm25(blocks, self._block_lengths(whole), self._visible, CONTEXT_B)
        asks = ((self._table.column("signs") & np.uint8(ASKS)) != 0) & ~silent
        asked = self._around.before(np.where(asks, spoken, 0.0))
        return {
            "said": self._z_of_words(spoken),
            "block": self._z_of_words(block),
            "session": self._z_of_words(self._by_session(_without(said, silent), said_length)),
            "asked": self._z_of_words(asked),
        }

    def _block_lengths(self, whole: NDArray[Any]) -> NDArray[np.float64]:
        """Return the terms of each block; of one that the conversation cuts off, as if it were as long as any there.

        A first or last turn has few neighbours, and is no better for it: it would win whatever is asked.
        """
        talks, lengths = self._table.column("talk"), whole + self._around.summed(whole)
        most = np.zeros(int(talks.max(initial=-1)) + 1)
        np.maximum.at(most, talks, lengths)
        full = np.minimum(most[talks], whole + BLOCK_TERMS)
        return np.where(self._around.is_cut, np.maximum(lengths, full), lengths)

    def _in_blocks(self, said: Found, replied: Found, silent: Mask) -> Found:
        """Return where a term stands in a block, and how often: in an episode, its reply and its neighbours."""
        own = np.zeros(len(self._table))
        own[said[0]] += said[1]
        own[replied[0]] += replied[1]
        here = np.flatnonzero(np.where(silent, 0.0, own))
        counts = own + self._around.spread(here, own[here])
        slots = np.flatnonzero(counts)
        return slots, counts[slots]

    def _by_session(self, said: Sequence[Found], lengths: NDArray[Any]) -> Scores:
        talks = self._table.column("talk")
        size = int(talks.max(initial=-1)) + 1
        visible = np.bincount(talks, self._visible, size) > 0
        found = [_grouped(talks[slots], counts, size) for slots, counts in said]
        by_talk = bm25(found, np.bincount(talks, lengths, size), visible, CONTEXT_B)
        scores: Scores = by_talk[talks]
        return scores

    # ------------------------------------------------------------------------------------------------------ vectors
    def _cosines(self, query: EpisodeQuery) -> Scores | None:
        vectors = self._table.vectors
        if query.vector is None or vectors is None or not self._known().any():
            return None
        return vectors.products(query.vector, len(self._table))

    def _by_vectors(self, cosines: Scores | None, silent: Mask) -> dict[str, Scores]:
        known = self._known()
        if cosines is None or self._block_norms is None:
            return {}
        norms = np.maximum(self._block_norms, _FLAT)
        block = (cosines + NEIGHBOUR_SHARE * self._around.summed(np.where(silent, 0.0, cosines))) / norms
        return {"vector": z_scores(cosines, known), "block_vector": z_scores(block, known)}

    def _known(self) -> Mask:
        mask: Mask = self._table.column("has_vector") & self._visible
        return mask

    def _z_of_words(self, values: Scores) -> Scores:
        return z_scores(values, self._visible, MIN_TURNS)


def _without(found: Sequence[Found], left_out: Mask) -> Sequence[Found]:
    return [(slots[kept], counts[kept]) for slots, counts in found for kept in (~left_out[slots],)]


def z_scores(values: Scores, known: Mask, at_least: int = 0) -> Scores:
    """Return how many standard deviations each value lies above the mean of those known; 0 for the others.

    Where fewer are known than `at_least`, so many others are taken to be 0.
    """
    population = values[known]
    population = np.concatenate([population, np.zeros(max(0, at_least - population.size))])
    spread = float(population.std()) if population.size else 0.0
    if spread < _FLAT:
        return np.zeros(values.size)
    scores: Scores = np.where(known, (values - population.mean()) / spread, 0.0)
    return scores


def bm25(found: Sequence[Found], lengths: NDArray[Any], population: Mask, b: float) -> Scores:
    """Return the BM25 score of every document.

    Args:
        found: Of each term of the query, the documents that hold it, and how often.
        lengths: Terms per document.
        population: The documents that statistics are taken from.
        b: Length normalisation.
    """
    scores = np.zeros(lengths.size)
    documents = int(np.count_nonzero(population))
    mean = max(1.0, float(lengths[population].sum()) / max(1, documents))
    norms = K1 * (1 - b + b * lengths / mean)
    for slots, counts in found:
        if slots.size:
            frequency = int(np.count_nonzero(population[slots[counts >= 1]]))
            scores[slots] += idf(documents, frequency) * (K1 + 1) * counts / (counts + norms[slots])
    return scores


def _grouped(groups: NDArray[np.int32], counts: NDArray[Any], size: int) -> Found:
    summed = np.bincount(groups, counts, size)
    present: Slots = np.flatnonzero(summed)
    return present, summed[present]


def weighed(signals: Mapping[str, Scores], weights: EpisodeWeights) -> dict[str, Scores]:
    """Return what each signal there is counts."""
    return {
        each.name: getattr(weights, each.name) * signals[each.name] for each in fields(weights) if each.name in signals
    }


def fused(parts: Mapping[str, Scores], weights: EpisodeWeights) -> Scores:
    """Return the sum of what signals count, by which episodes are ordered.

    Without vectors, who says a turn, and how, counts less: by the share that words have of words and vectors.
    """
    by_words, by_vectors = (sum(getattr(weights, it) for it in names) for names in (_BY_WORDS, _BY_VECTORS))
    has_less = "vector" not in parts and by_words > 0
    share = by_words / (by_words + by_vectors) if has_less else 1.0
    shared = (part * (share if name in _BY_SPEAKER else 1.0) for name, part in parts.items())
    scores: Scores = np.sum(list(shared), axis=0)
    return scores
