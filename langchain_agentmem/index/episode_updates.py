"""Updates among episodes: which statement was replaced by which, and how that orders what is found.

A link says that a later statement gives another value to what an earlier one was about. How surely is decided here, by
the words both have: one that no other turn has weighs 1, one that is common in the user's conversations little. Chance
resemblances grow with the number of turns, and so does what a link needs. Where one word is all that both speak of, it
weighs as two: enough to order them as long as it is not common, and never to mark one.

BEAM's first half, 113 links in ten chats, 77 of strength 1 or more: of the 26 of 1.8 or more 17 are right by eye, of
the 14 of 2.25 or more 12. Questions about what was updated (18) find the update above the stale statement in 78 of 100
cases instead of 44, without a model in 83 instead of 39; recall loses nothing: at 5 and 10 63.8 and 70.3 instead of
63.2 and 69.9, without a model 52.7 and 61.9 instead of 52.2 and 61.3. LoCoMo has no links.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from langchain_agentmem._search import EpisodeLink, EpisodeQuery
from langchain_agentmem._terms import decode_terms
from langchain_agentmem.index.bm25 import Mask, idf
from langchain_agentmem.index.episode_signals import Scores
from langchain_agentmem.index.episode_table import EpisodeTable
from langchain_agentmem.policies.updates import MIN_SHARED

ORDERED_FROM: Final = 1.0
"""Strength from which an update is put above what it replaced, where the question is about it."""

MARKED_FROM: Final = 2.25
"""Strength from which the earlier statement is marked as superseded, and stands below its update whatever is asked but
the past. It is returned all the same: of 14 such links two are wrong, and what was replaced answers questions too."""

ABOUT: Final = 0.5
ABOUT_SHARE: Final = 0.4
"""What those of the words that stand in the question must weigh; and as a share of the link's strength."""

STALE_WITHIN: Final = 20
UPDATE_WITHIN: Final = 50
"""Ranks up to which a stale statement is held against what updates it, and at which that may stand; a sure update may
stand anywhere."""

MIN_DOCUMENTS: Final = 100
"""Of fewer turns (BEAM's chats have 94 to 172) it cannot be told which words are common."""

ABOVE: Final = 0.01
"""How far above: less than any two episodes differ by more than chance."""


class Weighed(NamedTuple):
    """A link between two slots, and how sure it is."""

    old: int
    new: int
    strength: float
    terms: frozenset[int]


class Updates:
    """The updates of one scope, as one question sees them: between episodes its asker may see, said by then.

    Args:
        table: The episodes.
        visible: Which of them the asking agent may see.
        query: What is asked.
    """

    def __init__(self, table: EpisodeTable, visible: Mask, query: EpisodeQuery) -> None:
        """Compose; nothing is computed yet."""
        self._table = table
        self._visible = visible
        self._query = query
        self._asked = query.slots.union(decode_terms(query.terms)[0].tolist())
        self._weights: dict[int, float] = {}
        self.moved: list[Weighed] = []

    def ordered(self, scores: Scores, best: Sequence[int]) -> Scores:
        """Return scores by which updates stand just above what they surely replaced, or what the question is about.

        Args:
            scores: By slot.
            best: The first `UPDATE_WITHIN` slots, best first.
        """
        stale, near = list(best[:STALE_WITHIN]), frozenset(best)
        links: list[Weighed] = []
        for old in stale:  # grows: what is put above a stale statement may be stale as well
            found = [it for it in self._to(old) if self._orders(it, near)]
            links += found
            stale += [it.new for it in found if it.new not in stale]
        ordered = scores.copy() if links else scores
        for link in sorted(links, key=lambda it: (self._time(it.old), self._time(it.new, -1))):
            if ordered[link.new] <= ordered[link.old]:
                ordered[link.new] = ordered[link.old] + ABOVE
                self.moved.append(link)
        return ordered

    def by(self, slot: int) -> Weighed | None:
        """Return the last update that surely replaced an episode."""
        found = [it for it in self._to(slot) if it.strength >= MARKED_FROM]
        return max(found, key=lambda it: self._time(it.new), default=None)

    def of(self, slot: int) -> list[Weighed]:
        """Return what an episode surely updates, or was put above of."""
        sure = [it for it in self._from(slot) if it.strength >= MARKED_FROM]
        return list(dict.fromkeys([*sure, *(it for it in self.moved if it.new == slot)]))

    # -------------------------------------------------------------------------------------------------------- links
    def _from(self, new: int) -> Iterable[Weighed]:
        for link in self._table.links.of(self._table.ids[new]):
            yield from self._weighed(link, self._table.slot(link.old_id), new)

    def _to(self, old: int) -> Iterable[Weighed]:
        old_id = self._table.ids[old]
        for new_id in sorted(self._table.links.to(old_id)):
            new = self._table.slot(new_id)
            for link in self._table.links.of(new_id):
                if link.old_id == old_id and new is not None:
                    yield from self._weighed(link, old, new)

    def _weighed(self, link: EpisodeLink, old: int | None, new: int) -> Iterable[Weighed]:
        if old is None or not (self._is_said(old) and self._is_said(new)):
            return
        strength = self._weight(link.terms) * (MIN_SHARED if len(link.terms) == 1 else 1)
        if strength >= ORDERED_FROM:
            yield Weighed(old, new, strength, link.terms)

    def _is_said(self, slot: int) -> bool:
        as_of = self._query.as_of
        return bool(self._visible[slot]) and (as_of is None or int(self._table.column("at")[slot]) <= as_of)

    def _orders(self, link: Weighed, near: frozenset[int]) -> bool:
        """Whether an update is to stand above: a sure one always, another where the question is about it."""
        is_sure = link.strength >= MARKED_FROM
        return is_sure or (self._query.asks_for_value and link.new in near and self._is_about(link))

    def _is_about(self, link: Weighed) -> bool:
        return self._weight(link.terms & self._asked) >= max(ABOUT, ABOUT_SHARE * link.strength)

    def _time(self, slot: int, sign: int = 1) -> tuple[int, int]:
        return sign * int(self._table.column("at")[slot]), sign * int(self._table.column("place")[slot])

    def _weight(self, terms: Iterable[int]) -> float:
        new = np.array(sorted(set(terms) - self._weights.keys()), np.uint64)
        documents = max(MIN_DOCUMENTS, int(np.count_nonzero(self._visible)))
        for term, (slots, _) in zip(new.tolist(), self._table.said.find(new), strict=True):
            frequency = max(2, int(np.count_nonzero(self._visible[slots])))
            self._weights[term] = idf(documents, frequency) / idf(documents, 2)
        return round(sum(self._weights[term] for term in sorted(terms)), 6)
