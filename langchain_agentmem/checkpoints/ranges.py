"""Lists of numbers as a few bytes: runs of consecutive numbers, and segments that versions of a list share.

A conversation that only grows is one run, or a few, however long it is. A list of very many runs is cut into chunks;
each full chunk is stored once, as a segment with a number of its own, and the list names the segments by their numbers
and holds only its last chunk itself. Where it is cut depends on what is cut, not on where in the list it stands, so
that a list and one that lost or gained something in front have nearly all segments in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

Run: TypeAlias = tuple[int, int]
"""The first number, and how many follow one another."""

MAX_CHUNK: Final = 32
"""Runs in one chunk at most; a list of no more has no segments."""

_CUT_EVERY: Final = 16
"""Runs in one chunk on average: what a list holds itself is in every header, what a segment holds is stored once."""

_MIXER: Final = 0x9E3779B1  # the golden ratio in 32 bits: spreads what is regular over all residues (Knuth, TAOCP 6.4)
_WORD: Final = 0xFFFFFFFF
_MORE: Final = 0x80
_LOW: Final = 0x7F


def to_runs(numbers: Sequence[int]) -> list[Run]:
    """Return numbers, in their order, as runs."""
    if numbers and [*numbers] == [*range(numbers[0], numbers[0] + len(numbers))]:  # nearly always
        return [(numbers[0], len(numbers))]
    runs: list[Run] = []
    first = expected = None
    for number in numbers:
        if number != expected:
            if first is not None and expected is not None:
                runs.append((first, expected - first))
            first = number
        expected = number + 1
    if first is not None and expected is not None:
        runs.append((first, expected - first))
    return runs


def to_numbers(runs: Iterable[Run]) -> list[int]:
    """Return the numbers of runs, in their order."""
    return [number for first, count in runs for number in range(first, first + count)]


def pack_runs(runs: Iterable[Run]) -> bytes:
    """Return runs as bytes: of each the distance from the end of the one before, and its length."""
    packed, expected = bytearray(), 0
    for first, count in runs:
        distance = first - expected
        sign = distance << 1 if distance >= 0 else (-distance << 1) - 1
        if sign < _MORE and count < _MORE:
            packed += bytes((sign, count))
        else:
            _append(packed, sign)
            _append(packed, count)
        expected = first + count
    return bytes(packed)


def unpack_runs(packed: bytes) -> list[Run]:
    """Return the runs of `pack_runs`.

    Raises:
        ValueError: The bytes end within a number, or after half a run.
    """
    runs: list[Run] = []
    expected = place = 0
    while place < len(packed):
        if place and max(packed[place:]) < _MORE:  # but for the first run, nearly all take two bytes
            return runs + _unpack_short(packed[place:], expected)
        sign, place = read_varint(packed, place)
        count, place = read_varint(packed, place)
        first = expected + (-((sign + 1) >> 1) if sign & 1 else sign >> 1)
        runs.append((first, count))
        expected = first + count
    return runs


def _unpack_short(packed: bytes, expected: int) -> list[Run]:
    """Return runs of which no distance and no length takes more than a byte."""
    runs = []
    for sign, count in zip(packed[::2], packed[1::2], strict=True):
        first = expected + (-((sign + 1) >> 1) if sign & 1 else sign >> 1)
        runs.append((first, count))
        expected = first + count
    return runs


def pack_numbers(numbers: Sequence[int], number_of: Callable[[bytes], int]) -> bytes:
    """Return a list of numbers as bytes, few whatever its length.

    Args:
        numbers: The list.
        number_of: Stores a segment, if it is new, and returns its number.
    """
    runs = to_runs(numbers)
    levels = []
    while len(runs) > MAX_CHUNK:
        *full, last = _chunks(runs)
        levels.append(pack_runs(last))
        runs = to_runs([number_of(pack_runs(chunk)) for chunk in full])
    levels.append(pack_runs(runs))
    packed = bytearray()
    for level in reversed(levels):
        _append(packed, len(level))
        packed += level
    return bytes(packed)


class Listed:
    """A stored list of numbers, opened level by level: the upper levels name the segments of the level below.

    Args:
        packed: What `pack_numbers` returned.

    Raises:
        ValueError: It is damaged.
    """

    __slots__ = ("_levels", "runs")

    def __init__(self, packed: bytes) -> None:
        levels, place = [], 0
        while place < len(packed):
            length, place = read_varint(packed, place)
            if place + length > len(packed):
                msg = "a list of numbers is cut off"
                raise ValueError(msg)
            levels.append(unpack_runs(packed[place : place + length]))
            place += length
        if not levels:
            msg = "a list of numbers is empty"
            raise ValueError(msg)
        self._levels = levels[:0:-1]
        self.runs: Sequence[Run] = levels[0]

    @property
    def is_open(self) -> bool:
        """Whether `runs` are those of the list; else they are of segments that `expand` waits for."""
        return not self._levels

    def expand(self, segment: Callable[[int], Sequence[Run]]) -> None:
        """Replace the segments by what they hold."""
        inner = [run for number in to_numbers(self.runs) for run in segment(number)]
        self.runs = [*inner, *self._levels.pop()]


def read_varint(packed: bytes, place: int) -> tuple[int, int]:
    """Return the number that begins at a place, and the place behind it.

    Raises:
        ValueError: The bytes end within it.
    """
    value = shift = 0
    while place < len(packed):
        byte = packed[place]
        place += 1
        value |= (byte & _LOW) << shift
        if byte < _MORE:
            return value, place
        shift += 7
    msg = "a number is cut off"
    raise ValueError(msg)


def pack_varint(value: int) -> bytes:
    """Return a number that is not negative as bytes, seven bits each, the lowest first."""
    packed = bytearray()
    _append(packed, value)
    return bytes(packed)


def merged(runs: Iterable[Run]) -> list[range]:
    """Return the numbers of runs as ranges, ascending, without overlaps and gapless where they touch."""
    ranges, start, stop = [], 0, 0
    for first, count in sorted(runs):
        if first > stop:
            if start < stop:
                ranges.append(range(start, stop))
            start = first
        stop = max(stop, first + count)
    if start < stop:
        ranges.append(range(start, stop))
    return ranges


def _append(packed: bytearray, value: int) -> None:
    while value >= _MORE:
        packed.append(value & _LOW | _MORE)
        value >>= 7
    packed.append(value)


def _chunks(runs: Sequence[Run]) -> list[Sequence[Run]]:
    """Cut before each run that says so by its first number, and where a chunk would grow too long."""
    chunks, begin = [], 0
    for place, (first, _) in enumerate(runs):
        length = place - begin
        if length == MAX_CHUNK or (length and (first * _MIXER & _WORD) * _CUT_EVERY <= _WORD):
            chunks.append(runs[begin:place])
            begin = place
    chunks.append(runs[begin:])
    return chunks
