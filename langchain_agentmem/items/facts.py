"""Facts: that a field of a value is some text, number or truth value.

Of a fact there are two short forms. Its label is a hash, the same for every way to write the same JSON; a view keeps
those of the items that it holds. Its needle is how it stands in the bytes of a stored value, where a database can look
for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Path: TypeAlias = tuple[str, ...]
Labels: TypeAlias = NDArray[np.uint64]

LABEL_BYTES: Final = 8
_MAX_INT: Final = 2**63
"""Numbers from here on are no facts: few filters name one, and it may be too long to be written down."""

_MAX_NEEDLE: Final = 10**15
"""Whole numbers below it look the same at their beginning, whether they are stored as `7` or as `7.0`."""

MAX_DEPTH: Final = 8
"""Labels in a path at most: what is nested deeper is asked of the value alone."""

_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Fact(NamedTuple):
    """What stands at a path through the mappings of a value."""

    path: Path
    value: str | float | bool


def is_plain(value: object) -> bool:
    """Return whether equality with this value makes a fact; subclasses may be equal to whatever they like."""
    if type(value) in {int, float}:
        return bool(-_MAX_INT < value < _MAX_INT)  # type: ignore[operator]  # a number; not so of NaN
    return type(value) in {str, bool}


def facts_of(value: Mapping[str, Any], path: Path = ()) -> Iterator[Fact]:
    """Return all facts about a value that was decoded."""
    for key, inner in value.items():
        if isinstance(inner, dict):
            if len(path) < MAX_DEPTH - 1:
                yield from facts_of(inner, (*path, key))
        elif is_plain(inner):
            yield Fact((*path, key), inner)


def labels_of(facts: Iterable[Fact]) -> Labels:
    """Return the labels of facts, each once, ascending."""
    return np.array(sorted({_label(fact) for fact in facts}), np.uint64)


def needle_of(facts: Iterable[Fact]) -> bytes:
    """Return how one of the facts stands in the bytes of any value it is true of: the longest, which is the rarest.

    Empty where there is none that is always written alike.
    """
    return max(map(_needle, facts), key=len, default=b"")


def _label(fact: Fact) -> int:
    value = fact.value
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # as JSON, 7.0 is 7
    text = _ENCODE([fact.path, value]).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=LABEL_BYTES, person=b"store-label").digest(), "little")


def _needle(fact: Fact) -> bytes:
    value = fact.value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not 0 < abs(value) < _MAX_NEEDLE:  # zero may be stored as -0.0
            return b""
        if float(value).is_integer():
            value = int(value)
    return f"{_ENCODE(fact.path[-1])}:{_ENCODE(value)}".encode("utf-8", "surrogatepass")
