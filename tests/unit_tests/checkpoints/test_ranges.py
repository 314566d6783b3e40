from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.checkpoints.ranges import (
    Listed,
    merged,
    pack_numbers,
    pack_runs,
    pack_varint,
    read_varint,
    to_numbers,
    to_runs,
    unpack_runs,
)
from tests.savers import error_of

NUMBERS = st.lists(st.integers(1, 2**40) | st.integers(1, 300), max_size=400)


class Shelf:
    """Stores segments as a thread does: each once, under a number of its own."""

    def __init__(self) -> None:
        self.numbers: dict[bytes, int] = {}

    def number(self, runs: bytes) -> int:
        return self.numbers.setdefault(runs, 2**41 + len(self.numbers))

    def read(self, packed: bytes) -> list[int]:
        segments = {no: unpack_runs(runs) for runs, no in self.numbers.items()}
        listed = Listed(packed)
        while not listed.is_open:
            listed.expand(segments.__getitem__)
        return to_numbers(listed.runs)


@given(NUMBERS)
def test_a_list_of_numbers_comes_back(numbers: list[int]) -> None:
    """Whatever their order, with gaps and repetitions, however many levels it takes."""
    shelf = Shelf()
    assert shelf.read(pack_numbers(numbers, shelf.number)) == numbers
    assert to_numbers(unpack_runs(pack_runs(to_runs(numbers)))) == numbers


def test_a_conversation_takes_a_few_bytes() -> None:
    """Ten thousand messages in a row are one run; with others between them, a list is still small."""
    shelf = Shelf()
    assert len(pack_numbers(range(1, 10_001), shelf.number)) <= 5
    assert max(len(pack_numbers(range(1, count * 3, 3), shelf.number)) for count in range(1, 5_000, 7)) <= 500


def test_versions_of_a_list_share_their_beginning() -> None:
    """All versions of a growing list together take room in proportion to the last one."""
    shelf, sizes = Shelf(), {}
    for count in range(1, 2_001):
        pack_numbers(range(1, count * 3, 3), shelf.number)
        sizes[count] = sum(map(len, shelf.numbers))
    assert sizes[2_000] <= 2.2 * sizes[1_000]
    assert sizes[2_000] <= 4 * 2_000


def test_a_list_that_loses_its_beginning_shares_the_rest() -> None:
    """Of each step of a sliding window hardly more than a segment is new."""
    shelf = Shelf()
    for first in range(200):
        pack_numbers(range(1 + first * 3, 3_000 + first * 3, 3), shelf.number)
    assert len(shelf.numbers) <= 600


@given(st.binary(max_size=40))
def test_damaged_numbers_are_an_error(packed: bytes) -> None:
    """Any bytes are numbers or a `ValueError`, never anything else."""
    for read in (unpack_runs, Listed):
        assert isinstance(error_of(read, packed), ValueError | None)


@given(st.integers(0, 2**70))
def test_a_number_comes_back(number: int) -> None:
    """And a number that is cut off is an error."""
    packed = pack_varint(number)
    assert read_varint(packed, 0) == (number, len(packed))
    with pytest.raises(ValueError, match="cut off"):
        read_varint(packed[:-1], 0)


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(1, 9)), max_size=20))
def test_merged_ranges_hold_the_same_numbers(runs: list[tuple[int, int]]) -> None:
    """Ascending, and never two where one is enough."""
    ranges = merged(runs)
    assert [no for numbers in ranges for no in numbers] == sorted(set(to_numbers(runs)))
    assert all(before.stop < after.start for before, after in pairwise(ranges))
