"""Near-duplicates in an answer: what says the same takes one place, and what resembles a better hit stands a bit lower.

    value = score * (1 - weight * redundancy)

Redundancy is the greatest similarity to what stands above: the cosine where both have vectors, else the share of the
words they have in common. Places are given one by one, each to the greatest value left (maximal marginal relevance).

Source: Carbonell and Goldstein, *The Use of MMR, Diversity-Based Reranking* (SIGIR 1998), with a factor in place of a
difference, because scores of different questions do not share a scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DUPLICATE_FROM: Final = 0.9
"""Similarity from which two texts are compared word by word: below it they differ in more than a word in ten."""

ADDED_SHARE: Final = 0.1
"""Words that a near-duplicate may have more than the other, as a share of the longer one. What each has and the other
has not is a difference ("to Paris", "to Berlin"), and so is a number, a denial or another order."""

COMPARED_CHARS: Final = 2_000
"""Of texts without vectors, what tells how much they resemble each other; whether they are the same, all of it does."""

_WORD: Final = lazy_pattern(r"\w+(?:['\u2019]\w+)*")
_DENIALS: Final = frozenset("no not never none nobody nothing neither nor without cannot".split())
_DIGITS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """Something that may take a place.

    Args:
        score: In [0, 1].
        content: What it says. `vector`: of unit length; `None` where there is none.
        after: Ids of contenders that stand before it, and have to.
    """

    id: str
    score: float
    content: str
    vector: NDArray[np.float32] | None = None
    after: frozenset[str] = frozenset()


class Placed(NamedTuple):
    """What has a place: its value, and how much of it is said above."""

    id: str
    score: float
    redundancy: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Diversified:
    """What has a place, in order, and by the id of each duplicate the id of what says the same."""

    placed: tuple[Placed, ...] = ()
    duplicates: dict[str, str] = field(default_factory=dict)


def diversify(contenders: Sequence[Contender], *, weight: float, places: int | None = None) -> Diversified:
    """Return contenders in the order of their value, without duplicates of what stands above them.

    Deterministic: equals stay in the order given. The answer is a fixed point: diversified again, nothing changes.
    Behind the places wanted all the others follow by value; of them duplicates of each other are not looked for.

    Args:
        contenders: Best first.
        weight: Share of its score that an exact repetition would lose, in [0, 1]; 0 returns all as they are.
        places: How many places there are; `None`: one for each.
    """
    if weight == 0:
        return Diversified(placed=tuple(Placed(it.id, it.score, 0.0) for it in contenders))
    return _Places(contenders, weight).fill(len(contenders) if places is None else places)


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


def _is_same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two texts have the same words in the same order, but for a few that one of them adds."""
    if one == other:
        return True
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    if len(longer) - len(shorter) > ADDED_SHARE * len(longer) or not shorter:
        return False
    rest, added = iter(shorter), []
    wanted = next(rest, None)
    for word in longer:
        if word == wanted:
            wanted = next(rest, None)
        else:
            added.append(word)
    return wanted is None and not any(map(_matters, added))


def _matters(word: str) -> bool:
    """Whether a word changes what is said by itself: a number, or a denial."""
    return word in _DENIALS or word.endswith(("n't", "n\u2019t")) or any(map(str.isdigit, word))


class _Places:
    """Fills places one by one; a contender is compared only once it could be next."""

    def __init__(self, contenders: Sequence[Contender], weight: float) -> None:
        self._all = contenders
        self._weight = weight
        self._words: dict[int, tuple[str, ...]] = {}
        self._bags: dict[int, frozenset[str]] = {}
        self._left = sorted(range(len(contenders)), key=lambda place: (-contenders[place].score, place))
        self._waiting = {it.id for it in contenders}
        self._chosen: list[int] = []
        self._placed: list[Placed] = []
        self._redundancy = dict.fromkeys(self._left, 0.0)
        self._compared = dict.fromkeys(self._left, 0)
        self._duplicates: dict[str, str] = {}

    def fill(self, places: int) -> Diversified:
        while self._left and len(self._placed) < places:
            best = self._next()
            if best is not None:
                self._chosen.append(best)
                self._placed.append(self._as_placed(best))
                self._leave(best)
        rest = sorted(self._left, key=lambda place: (-self._value(place), place))
        return Diversified(placed=(*self._placed, *map(self._as_placed, rest)), duplicates=self._duplicates)

    def _next(self) -> int | None:
        """Return the best that is left; no value exceeds its score, so what scores less need not be compared."""
        best, most, twins = None, (-1.0, 0), list[int]()
        for place in self._left:
            if self._all[place].score < most[0]:
                break
            if not self._all[place].after.isdisjoint(self._waiting):
                continue
            if self._is_twin(place):
                twins.append(place)
            elif (self._value(place), -place) > most:
                best, most = place, (self._value(place), -place)
        for place in twins:
            self._leave(place)
        if best is None and not twins:  # each waits for another: then none has to
            self._waiting.clear()
        return best

    def _leave(self, place: int) -> None:
        self._left.remove(place)
        self._waiting.discard(self._all[place].id)

    def _as_placed(self, place: int) -> Placed:
        value = self._value(place)
        last = self._placed[-1].score if self._placed else value
        return Placed(self._all[place].id, min(value, last), round(self._redundancy[place], _DIGITS))

    def _value(self, place: int) -> float:
        return round(self._all[place].score * (1 - self._weight * self._redundancy[place]), _DIGITS)

    def _is_twin(self, place: int) -> bool:
        """Compare one with what has got a place since it was compared last."""
        for other in self._chosen[self._compared[place] :]:
            similarity = self._similarity(place, other)
            if self._are_same(place, other, similarity):
                self._duplicates[self._all[place].id] = self._all[other].id
                return True
            self._redundancy[place] = max(self._redundancy[place], similarity)
        self._compared[place] = len(self._chosen)
        return False

    def _are_same(self, one: int, other: int, similarity: float) -> bool:
        if self._all[one].content == self._all[other].content:
            return True
        return similarity >= DUPLICATE_FROM and _is_same(self._words_of(one), self._words_of(other))

    def _similarity(self, one: int, other: int) -> float:
        left, right = self._all[one].vector, self._all[other].vector
        if left is not None and right is not None and left.shape == right.shape:
            return min(1.0, max(0.0, float(left @ right)))
        here, there = self._bag_of(one), self._bag_of(other)
        return 2 * len(here & there) / ((len(here) + len(there)) or 1)

    def _bag_of(self, place: int) -> frozenset[str]:
        if place not in self._bags:
            self._bags[place] = frozenset(_words(self._all[place].content[:COMPARED_CHARS]))
        return self._bags[place]

    def _words_of(self, place: int) -> tuple[str, ...]:
        if place not in self._words:
            self._words[place] = _words(self._all[place].content)
        return self._words[place]
