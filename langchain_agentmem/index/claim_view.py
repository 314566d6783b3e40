"""What was stated in one user's conversations, held in memory: to find what a new statement updates at once.

Telling words lead to the claims that have them, by speaker and kind of value, so that a new turn is held against a
handful of earlier ones and never against all. The answer depends on what was said and when, not on when it came here.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from langchain_agentmem._search import ClaimRow
from langchain_agentmem.english.reading.claims import Claim, unpack_claims
from langchain_agentmem.policies.updates import MIN_SHARED, Update, is_update, telling, update_between

EXAMINED: Final = 100
"""Statements compared whole with a new one, those that share most and the latest of them first: whoever notes their
weight every day has thousands that look alike."""

CONSIDERED: Final = 300
"""Claims looked up for that, those that share most and the latest of them first: more are left out only where hundreds
share as much, so that a turn costs about the same however many there are."""

_EMPTY_BYTES: Final = 1_000
_ROW_BYTES: Final = 550
_POSTING_BYTES: Final = 10
"""About what nothing, a row and one word of a claim take."""

Numbers: TypeAlias = NDArray[np.int64]
Topic: TypeAlias = tuple[int, str, str]
"""Speaker, kind of value and unit: only claims of one topic update each other."""


class FoundUpdate(NamedTuple):
    """An earlier and a later episode, and what the later one changes."""

    old: ClaimRow
    new: ClaimRow
    update: Update

    @property
    def order(self) -> tuple[int, int, int, str]:
        """What shares most comes first, then what was said last."""
        return -len(self.update.terms), -self.old.at, -self.old.place, self.old.episode_id


class ClaimView:
    """The claims of one (tenant, user), kept up to date row by row. Not thread-safe: its owner holds a lock."""

    def __init__(self) -> None:
        self._rows: list[ClaimRow | None] = []
        self._number_of: dict[str, int] = {}
        self._owner: list[int] = []
        self._value: list[int] = []
        self._is_update = bytearray()
        self._at, self._place = array("q"), array("q")
        self._topics: dict[Topic, dict[int, array[int]]] = {}
        self._alone: dict[tuple[Topic, frozenset[int]], array[int]] = {}
        self._postings = 0
        self._last = 0
        self._revision = 0

    def __len__(self) -> int:
        """Return the number of episodes that state anything."""
        return len(self._number_of)

    @property
    def revision(self) -> int:
        """Return the revision of the user's episodes that was applied last."""
        return self._revision

    @property
    def nbytes(self) -> int:
        """Return about how many bytes are held."""
        return _EMPTY_BYTES + _ROW_BYTES * len(self._rows) + _POSTING_BYTES * self._postings

    def row(self, episode_id: str) -> ClaimRow | None:
        """Return an episode, if it is here."""
        number = self._number_of.get(episode_id)
        return None if number is None else self._rows[number]

    def apply(self, rows: Iterable[ClaimRow], revision: int) -> None:
        """Bring the view to a revision: rows are inserted or replaced by id, those that state nothing removed."""
        for row in sorted(rows, key=lambda it: it.revision):
            known = self.row(row.episode_id)
            if known is not None and known._replace(revision=row.revision) == row:
                continue
            if known is not None:
                self.discard(row.episode_id)
            if row.claims:
                self._put(row)
        self._revision = max(self._revision, revision)

    def discard(self, episode_id: str) -> None:
        """Remove an episode; an unknown id is no error. What is left of it are numbers that lead nowhere."""
        number = self._number_of.pop(episode_id, None)
        if number is not None:
            self._rows[number] = None

    def _put(self, row: ClaimRow) -> None:
        number = self._number_of[row.episode_id] = len(self._rows)
        self._rows.append(row)
        self._last = max(self._last, row.at)
        for claim in unpack_claims(row.claims):
            claim_number = len(self._owner)
            self._owner.append(number)
            self._value.append(claim.value)
            self._is_update.append(is_update(claim))
            self._at.append(row.at)
            self._place.append(row.place)
            topic = row.speaker, claim.kind, claim.unit
            postings = self._topics.setdefault(topic, {})
            terms = telling(claim)
            self._postings += len(terms) + bool(claim.alone)
            if claim.alone:
                self._alone.setdefault((topic, claim.alone), array("q")).append(claim_number)
            for term in terms:
                postings.setdefault(term, array("q")).append(claim_number)

    # ------------------------------------------------------------------------------------------------------- search
    def updated_by(self, row: ClaimRow, most: int) -> list[FoundUpdate]:
        """Return the earlier episodes here that one updates, in order, at most so many."""
        claims = unpack_claims(row.claims)
        new = [claim for claim in claims if is_update(claim)]
        found: list[FoundUpdate] = []
        before = self._sharing(row.speaker, new, lambda numbers: _column(self._at, numbers) <= row.at)
        for shared, old in self._alike(row, claims, before, lambda old: _may_update(row, old)):
            if len(found) >= most and shared < len(found[most - 1].update.terms):
                break
            update = update_between(unpack_claims(old.claims), claims)
            if update is not None:
                found = sorted([*found, FoundUpdate(old, row, update)], key=lambda it: it.order)
        return found[:most]

    def updating(self, row: ClaimRow) -> list[FoundUpdate]:
        """Return the later episodes of its agent that update one: there are some where a conversation comes late."""
        if row.at > self._last:
            return []
        claims = unpack_claims(row.claims)
        after = self._sharing(row.speaker, claims, lambda numbers: self._updates(numbers, row.at))
        alike = self._alike(row, claims, after, lambda new: _may_update(new, row))
        found = ((new, update_between(claims, unpack_claims(new.claims))) for _, new in alike)
        return [FoundUpdate(row, new, it) for new, it in found if it is not None and new.agent_id == row.agent_id]

    def _alike(
        self,
        row: ClaimRow,
        said: Sequence[Claim],
        sharing: Iterable[tuple[int, int]],
        is_wanted: Callable[[ClaimRow], bool],
    ) -> Iterator[tuple[int, ClaimRow]]:
        """Yield those that may share enough, with how much at most: most first, then the latest."""
        values, most = {claim.value for claim in said}, dict[str, tuple[int, ClaimRow]]()
        for claim, shared in sharing:
            other = self._rows[self._owner[claim]]
            if other is None or self._value[claim] in values or other.episode_id == row.episode_id:
                continue
            if most.get(other.episode_id, (0,))[0] < shared and is_wanted(other):
                most[other.episode_id] = (shared, other)
        best = sorted(most.values(), key=lambda it: (-it[0], -it[1].at, -it[1].place, it[1].episode_id))
        yield from best[:EXAMINED]

    def _sharing(
        self, speaker: int, by: Sequence[Claim], is_wanted: Callable[[Numbers], NDArray[np.bool_]]
    ) -> Iterator[tuple[int, int]]:
        """Yield wanted claims of the same speaker and kind that share enough words with one of some, and how many."""
        for claim in by:
            topic = speaker, claim.kind, claim.unit
            if (topic, claim.alone) in self._alone:
                same = np.array(self._alone[topic, claim.alone], np.int64)
                same = same[is_wanted(same)]
                yield from self._most(same, np.full_like(same, len(claim.alone)))
            postings = self._topics.get(topic, {})
            found = [np.frombuffer(postings[term], np.int64) for term in telling(claim) if term in postings]
            if len(found) < MIN_SHARED:
                continue
            numbers, counts = np.unique(np.concatenate(found), return_counts=True)
            found.clear()  # an array that somebody looks into cannot grow
            chosen = (counts >= MIN_SHARED) & is_wanted(numbers)
            yield from self._most(numbers[chosen], counts[chosen])

    def _updates(self, numbers: Numbers, at: int) -> NDArray[np.bool_]:
        """Return which claims say that they are new, and were not said before a time."""
        is_new = np.frombuffer(self._is_update, np.bool_)[numbers]
        return is_new & (_column(self._at, numbers) >= at)

    def _most(self, numbers: Numbers, counts: Numbers) -> Iterator[tuple[int, int]]:
        """Return those that share most, the latest of them first, and what stands level with the last of them."""
        if len(numbers) > CONSIDERED:
            at, place = _column(self._at, numbers), _column(self._place, numbers)
            last = np.lexsort((place, at, counts))[-CONSIDERED]
            is_as_late = (at > at[last]) | ((at == at[last]) & (place >= place[last]))
            chosen = (counts > counts[last]) | ((counts == counts[last]) & is_as_late)
            numbers, counts = numbers[chosen], counts[chosen]
        return zip(numbers.tolist(), counts.tolist(), strict=True)


def _column(values: array[int], numbers: Numbers) -> Numbers:
    """Return the values of some claims."""
    return np.frombuffer(values, np.int64)[numbers]


def is_later(one: ClaimRow, other: ClaimRow) -> bool:
    """Whether one was said after another; at the same moment only the order of one conversation tells."""
    if one.at != other.at:
        return one.at > other.at
    return (one.session_id, one.agent_id) == (other.session_id, other.agent_id) and one.place > other.place


def _may_update(new: ClaimRow, old: ClaimRow) -> bool:
    """Whether one was said after another, and whoever sees the later one may see the earlier."""
    return old.agent_id in {None, new.agent_id} and is_later(new, old)
