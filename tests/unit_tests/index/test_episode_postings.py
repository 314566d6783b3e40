"""Which episodes hold a term, against a dict that is told the same."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem.index.episode_postings import EpisodePostings

PER_SLOT = 40
"""Hashes of one slot; a hundred slots at once are more than a tail holds."""

STEPS = st.lists(st.tuples(st.integers(0, 150), st.sets(st.integers(0, 300), max_size=5)), max_size=5)
"""How many slots come, and which go then."""


@settings(max_examples=20)
@given(STEPS, st.integers(0, 99))
def test_what_was_put_is_found_where_it_is_now(steps: list[tuple[int, set[int]]], seed: int) -> None:
    """Sorted or not, moved or not; what is gone is not found."""
    rng, postings, model = np.random.default_rng(seed), EpisodePostings(), dict[int, dict[int, int]]()
    for coming, going in steps:
        first = len(model)
        for slot in range(first, first + coming):
            hashes = rng.choice(200, PER_SLOT, replace=False).astype(np.uint64)
            model[slot] = {int(it): slot % 7 + 1 for it in hashes}
        fresh = [(it, slot, count) for slot in range(first, len(model)) for it, count in model[slot].items()]
        columns = np.array(fresh, np.int64).reshape(-1, 3).T
        postings.add(columns[0].astype(np.uint64), columns[1], columns[2].astype(np.uint16))
        left = [slot for slot in model if slot not in going]
        new_slot_of = np.full(len(model), -1, np.intp)
        new_slot_of[left] = np.arange(len(left))
        postings.remap(new_slot_of)
        model = {new: model[old] for new, old in enumerate(left)}
    for key, (slots, counts) in enumerate(postings.find(np.arange(201, dtype=np.uint64))):
        wanted = {slot: terms[key] for slot, terms in model.items() if key in terms}
        assert dict(zip(slots.tolist(), counts.tolist(), strict=True)) == wanted
        assert slots.size == len(wanted)
