"""The view of one user's conversations: every episode in columns, searched with what stands around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from langchain_agentmem._search import EpisodeQuery, EpisodeRow, Period, Proposal
from langchain_agentmem._terms import purpose_hash
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.bm25 import Mask, Slots
from langchain_agentmem.index.dates_fit import DAY
from langchain_agentmem.index.episode_evidence import better_elsewhere, evidence_of
from langchain_agentmem.index.episode_signals import (
    NEIGHBOUR_SHARE,
    EpisodeWeights,
    Matched,
    Scores,
    Signals,
    fused,
    weighed,
)
from langchain_agentmem.index.episode_table import EpisodeTable
from langchain_agentmem.index.episode_updates import UPDATE_WITHIN, Updates
from langchain_agentmem.index.surroundings import Said, Surroundings
from langchain_agentmem.policies.answering import likelihood

_DIGITS: Final = 6
_EMPTY_BYTES: Final = 7_500
"""What a view without rows takes."""

FALL: Final = 2.0
"""How far the relevance of an average episode lies below that of the best, in powers of e: it is no answer. Of few
episodes none can have a high z-score, so what is far from the best is told by what is usual among them."""

MIN_SPAN: Final = 1.0
"""Where the best is hardly better than the others, what they differ by is chance."""


class EpisodeView:
    """All episodes of one (tenant, user), kept up to date row by row.

    Statistics are taken from the episodes that the asker may see and use: what another agent keeps for itself, or
    serves another purpose, moves no score, and narrowing a search moves no order. A relevance is how likely anything
    that may answer does, less the further an episode's fused score is from the best of it. Not thread-safe: its owner
    holds a lock.

    Args:
        weights: What each signal counts.
    """

    def __init__(self, weights: EpisodeWeights | None = None) -> None:
        self._weights = weights or EpisodeWeights()
        self._table = EpisodeTable()
        self._around = Surroundings()
        self._norms: Scores | None = None
        self._revision = 0

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._table)

    @property
    def revision(self) -> int:
        """Return the revision of the user's episodes that was applied last."""
        return self._revision

    @property
    def nbytes(self) -> int:
        """Return the bytes of all arrays, and of what holds them."""
        norms = 0 if self._norms is None else self._norms.nbytes
        return _EMPTY_BYTES + self._table.nbytes + self._around.nbytes + norms

    def speakers(self, agent_id: str | None) -> frozenset[int] | None:
        """Return the hashes of the names of those who speak, and of their first names; `None` where nobody does."""
        visible = self._table.visible(agent_id)
        if not visible.any():
            return None
        names = (self._table.column(name)[visible] for name in ("speaker", "first_name"))
        return frozenset(np.union1d(*names).tolist())

    def days(self, agent_id: str | None, utc_offset: int = 0) -> Period | None:
        """Return from when to when anything was said that an agent may see; `None` where nothing was."""
        at = self._table.column("at")[self._table.visible(agent_id)] + utc_offset
        return Period(first=int(at.min()) // DAY, last=int(at.max()) // DAY) if at.size else None

    def apply(self, rows: Sequence[EpisodeRow], revision: int) -> None:
        """Bring the view to a revision: rows are inserted or replaced by id, those that are gone removed.

        Raises:
            ConfigurationError: A vector has another size than those already here; nothing is changed.
        """
        if (self._revision and revision <= self._revision) or not rows:
            self._revision = max(self._revision, revision)
            return
        latest = {row.episode_id: row for row in sorted(rows, key=lambda row: row.revision)}
        here = [row for row in latest.values() if not row.is_gone]
        if here:
            slots = self._table.put(here)
            self._follow(self._around.put(slots, self._said()))
        self.discard([row.episode_id for row in latest.values() if row.is_gone])
        self._revision = revision

    def discard(self, episode_ids: Iterable[str]) -> None:
        """Remove rows at once, before the delta that says so arrives; unknown ids are no error."""
        new_slot_of = self._table.remove(episode_ids)
        if new_slot_of is not None:
            if self._norms is not None:
                kept = new_slot_of >= 0
                self._norms[new_slot_of[kept]] = self._norms[kept]
            self._follow(self._around.remap(new_slot_of, self._said()))

    def search(self, query: EpisodeQuery) -> list[Proposal]:
        """Return at most `query.limit` proposals, best first, equals by id.

        Raises:
            ConfigurationError: The query's vector has another size than the rows' vectors.
        """
        self._drop_expired(query.now)
        visible = self._visible(query)
        may_answer = visible & self._is_wanted(query)
        if not may_answer.any():
            return []
        self._check_vector(query)
        signals, matched = Signals(self._table, self._around, self._norms, visible).of(query, may_answer)
        parts = weighed(signals, self._weights)
        scores = np.round(fused(parts, self._weights), _DIGITS)
        wanted, updates = np.flatnonzero(may_answer), Updates(self._table, visible, query)
        if not query.asks_for_past and len(self._table.links):
            scores = updates.ordered(scores, self._best(wanted, scores, UPDATE_WITHIN))
        relevance, signals["likelihood"] = self._relevance(matched, may_answer, parts, scores)
        return [self._proposal(it, relevance, signals, updates) for it in self._best(wanted, scores, query.limit)]

    def marks(self, episode_ids: Iterable[str], query: EpisodeQuery) -> list[Proposal]:
        """Return what some episodes surely update, and what updated them, as the asker sees it; nothing is ranked."""
        self._drop_expired(query.now)
        visible, ids = self._visible(query), self._table.ids
        updates = Updates(self._table, visible, query)
        found: list[Proposal] = []
        for slot in map(self._table.slot, episode_ids):
            if slot is not None and visible[slot]:
                by, updated = updates.by(slot), tuple(ids[it.old] for it in updates.of(slot))
                by_id = None if by is None else ids[by.new]
                found.append(Proposal(memory_id=ids[slot], relevance=0.0, updates=updated, updated_by=by_id))
        return found

    def around(self, episode_ids: Iterable[str], count: int, now: int) -> dict[str, tuple[str, ...]]:
        """Return, of those that are here, the ids of so many on either side, in the order in which they were said.

        They are of the same conversation and agent; what has expired `now` is not among them.
        """
        self._drop_expired(now)
        talks, ids, found = self._table.column("talk"), self._table.ids, dict[str, tuple[str, ...]]()
        for episode_id in episode_ids:
            slot = self._table.slot(episode_id)
            if slot is not None:
                near = self._around.near(slot, count)
                found[episode_id] = tuple(ids[it] for it in near[talks[near] == talks[slot]].tolist())
        return found

    def linked(self, episode_id: str, agent_id: str | None) -> frozenset[str]:
        """Return the ids of those that an episode may update, and that may update it, as far as an agent sees them."""
        links = self._table.links
        ids = {*(it.old_id for it in links.of(episode_id)), *links.to(episode_id)}
        seen = np.flatnonzero(self._table.visible(agent_id) & self._table.mask_of(ids))
        return frozenset(self._table.ids[slot] for slot in seen.tolist())

    def _relevance(
        self, matched: Matched, may_answer: Mask, parts: Mapping[str, Scores], scores: Scores
    ) -> tuple[Scores, Scores]:
        """Return how relevant each episode is, and how likely anything of what may answer does.

        That a question was asked before says nothing of whether anything else answers it, and is no measure for what
        does: other episodes are held against each other.
        """
        likely, shares = self._likelihood(matched, may_answer, parts), _shares(scores, may_answer)
        likelihoods, others = np.full(len(self._table), likely), may_answer & ~matched.echoes
        if others.any() and not others[may_answer].all():
            by_themselves = self._likelihood(matched, others, parts)
            likelihoods = np.where(matched.echoes, likely, by_themselves)
            shares = np.where(matched.echoes, shares, _shares(scores, others))
        return likelihoods * shares, likelihoods

    def _likelihood(self, matched: Matched, may_answer: Mask, parts: Mapping[str, Scores]) -> float:
        """Return how likely any of what may answer does, in [0, 1]; who says a turn counts in full, as was fitted."""
        fits = np.round(sum(parts.values(), np.zeros(len(self._table))), _DIGITS)
        (best,) = self._best(np.flatnonzero(may_answer), fits, 1)
        elsewhere = better_elsewhere(fits - parts["speaker"], parts["speaker"] > 0, may_answer)
        return likelihood(evidence_of(matched, may_answer, best, elsewhere))

    def _visible(self, query: EpisodeQuery) -> Mask:
        """Return what the asker may see: of others' episodes, and of what serves another purpose, nothing is told."""
        purposes = None if query.purposes is None else frozenset(map(purpose_hash, query.purposes))
        return self._table.visible(query.agent_id) & self._table.serving(purposes)

    def _said(self) -> Said:
        column = self._table.column
        return Said(column("talk"), column("at"), column("place"), column("said_length") + column("reply_length"))

    def _follow(self, slots: Slots) -> None:
        """Bring the lengths of blocks of vectors to what is here now: those of some slots have changed."""
        vectors, size = self._table.vectors, len(self._table)
        if vectors is None:
            self._norms = None
            return
        if self._norms is None:
            self._norms, slots = np.zeros(size), np.arange(size)
        self._norms = np.concatenate([self._norms[:size], np.zeros(max(0, size - self._norms.size))])
        self._norms[slots] = self._around.block_norms(slots, vectors, NEIGHBOUR_SHARE)

    def _drop_expired(self, now: int) -> None:
        expired = np.flatnonzero(self._table.column("expires_at") <= now)
        if expired.size:
            self.discard([self._table.ids[slot] for slot in expired.tolist()])

    def _check_vector(self, query: EpisodeQuery) -> None:
        dim = self._table.dim
        if query.vector is not None and dim is not None and query.vector.shape != (dim,):
            msg = (
                f"the query's vector has shape {query.vector.shape} where the episodes' have {dim} numbers; "
                "run reindex() with one embedding model"
            )
            raise ConfigurationError(msg)

    def _is_wanted(self, query: EpisodeQuery) -> Mask:
        at = self._table.column("at")
        mask = ~self._table.mask_of(query.without)
        if query.since is not None:
            mask &= at >= query.since
        if query.until is not None:
            mask &= at < query.until
        if query.as_of is not None:
            mask &= at <= query.as_of
        return mask

    def _best(self, allowed: np.ndarray[tuple[int], np.dtype[np.intp]], scores: Scores, limit: int) -> list[int]:
        ids = self._table.ids
        if allowed.size > limit:
            cut = np.partition(scores[allowed], allowed.size - limit)[allowed.size - limit]
            allowed = allowed[scores[allowed] >= cut]
        best = sorted(allowed.tolist(), key=lambda slot: (-scores[slot], ids[slot]))
        return best[:limit]

    def _proposal(self, slot: int, relevance: Scores, signals: dict[str, Scores], updates: Updates) -> Proposal:
        ids, parts = self._table.ids, {name: round(float(values[slot]), _DIGITS) for name, values in signals.items()}
        updated, by = updates.of(slot), updates.by(slot)
        if updated:
            parts["updates"] = max(it.strength for it in updated)
        if by is not None:
            parts["updated"] = by.strength
        vectors = self._table.vectors
        is_known = vectors is not None and bool(self._table.column("has_vector")[slot])
        return Proposal(
            memory_id=ids[slot],
            relevance=round(float(relevance[slot]), _DIGITS),
            parts=parts,
            updates=tuple(ids[it.old] for it in updated),
            updated_by=None if by is None else ids[by.new],
            vector=vectors.of(np.array([slot]))[0] if vectors is not None and is_known else None,
        )


def _shares(scores: Scores, among: Mask) -> Scores:
    """Return what share of the best of some each episode is, at most 1."""
    best, usual = scores[among].max(), scores[among].mean()
    shares: Scores = np.minimum(1.0, np.exp(FALL * (scores - best) / max(MIN_SPAN, best - usual)))
    return shares
