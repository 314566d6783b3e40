"""What stands around an episode, against a reference that looks at one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.index.surroundings import BLOCK_STEPS, BLOCK_TERMS, Said, Surroundings
from langchain_agentmem.index.unit_vectors import UnitVectors

SLOTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 70)), max_size=25)
"""For each slot its conversation and its number of terms; places are given in the order of a shuffle."""


def said(slots: list[tuple[int, int]], places: list[int]) -> Said:
    talks, lengths = (np.array([it[column] for it in slots], np.int64) for column in (0, 1))
    times = np.array(places, np.int64) // 3  # some were said at one moment
    return Said(talks.astype(np.int32), times, np.array(places, np.int64), lengths)


def build(slots: list[tuple[int, int]], places: list[int]) -> Surroundings:
    around = Surroundings()
    around.put(np.arange(len(slots)), said(slots, places))
    return around


def reference(slots: list[tuple[int, int]], places: list[int]) -> tuple[list[int], dict[int, set[int]]]:
    """Return who was before each slot, and each slot's neighbours, as the docstring tells it."""
    previous, neighbours = [-1] * len(slots), {}
    for slot, (talk, _) in enumerate(slots):
        order = sorted((it for it in range(len(slots)) if slots[it][0] == talk), key=lambda it: places[it])
        at, left, found = order.index(slot), BLOCK_TERMS, set()
        previous[slot] = order[at - 1] if at else -1
        for steps in range(1, BLOCK_STEPS + 1):
            has_fitted = False
            for there in (at - steps, at + steps):
                if 0 <= there < len(order) and slots[order[there]][1] <= left:
                    left -= slots[order[there]][1]
                    found.add(order[there])
                    has_fitted = True
            if not has_fitted:
                break
        neighbours[slot] = found
    return previous, neighbours


@given(SLOTS.flatmap(lambda slots: st.tuples(st.just(slots), st.permutations(range(len(slots))))))
def test_blocks_are_those_of_the_reference(given_slots: tuple[list[tuple[int, int]], list[int]]) -> None:
    """Nearest first, before and after in turn, while their terms fit; the one before, of the same conversation."""
    slots, places = given_slots
    previous, neighbours = reference(slots, places)
    around = build(slots, places)
    before = around.before(np.arange(1.0, len(slots) + 1)) - 1
    assert before.tolist() == previous
    assert {slot: set(around.block(slot)) for slot in range(len(slots))} == neighbours


@given(SLOTS.flatmap(lambda slots: st.tuples(st.just(slots), st.permutations(range(len(slots))))))
def test_sums_over_blocks_are_the_same_by_pairs_and_by_index(
    given_slots: tuple[list[tuple[int, int]], list[int]],
) -> None:
    """Spreading a few values is summing all of them, where the others are 0."""
    slots, places = given_slots
    around, rng = build(slots, places), np.random.default_rng(len(slots))
    values = rng.integers(0, 3, len(slots)).astype(np.float64)
    here = np.flatnonzero(values)
    neighbours = reference(slots, places)[1]
    wanted = [sum(values[it] for it in neighbours[slot]) for slot in range(len(slots))]
    assert around.summed(values).tolist() == wanted
    assert around.spread(here, values[here]).tolist() == wanted


def test_what_changes_touches_those_beside_it_alone() -> None:
    """However many there are: a turn that comes, changes or goes, at the end or in between."""
    slots, places = [(it // 100, 3) for it in range(1_000)], list(range(1_000))
    around = build(slots, places)
    near = 2 * BLOCK_STEPS + 1
    assert around.put(np.array([1_000]), said([*slots, (9, 3)], [*places, 1_000])).tolist() == list(range(994, 1_001))
    assert around.put(np.array([500]), said([*slots, (9, 3)], [*places, 1_000])).size == near
    new_slot_of = np.concatenate([np.arange(500), [-1], np.arange(500, 1_000)])
    left = [*slots[:500], *slots[501:], (9, 3)], [*places[:500], *places[501:], 1_000]
    assert around.remap(new_slot_of, said(*left)).size == near - 1


def test_lengths_of_blocks_are_those_of_their_sums() -> None:
    """A vector and a share of each of its neighbours', together."""
    vectors = UnitVectors(4)
    vectors.put(np.arange(4), [it.astype("<f4").tobytes() for it in np.eye(4)], 4)
    norms = build([(0, 5)] * 4, [0, 1, 2, 3]).block_norms(np.arange(4), vectors, 0.5)
    assert norms == pytest.approx(np.full(4, np.sqrt(1 + 3 * 0.25)))
