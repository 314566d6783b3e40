"""A view as bytes: read back, it is the view, without a look at any row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from langchain_agentmem._search import KIND_CODES, STATUS_CODES
from langchain_agentmem._terms import ANALYZER
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.index.bm25 import Postings
from langchain_agentmem.index.row_table import ROWS, RowTable

LAYOUT: Final = ["scope-view/2", ANALYZER, *KIND_CODES, *STATUS_CODES]
"""What the numbers in it mean: bytes of another layout, which another release wrote, are no snapshot."""

KEPT_FROM = 16
"""Rows from which a view is kept: fewer than half of it are read as fast one by one, and to keep these takes 0.7 ms,
once, where each process that reads them saves 0.02 ms; of a hundred 0.2 ms."""

KEPT_SHARE: Final = 4
"""A view is kept anew when one in so many of its rows had to be read."""

_DTYPES: Final = {ROWS.str: ROWS, **{name: np.dtype(name) for name in ("<i4", "<u2", "<u8", "<f4")}}
_LENGTH_BYTES: Final = 8
_ALIGNED: Final = 64
_SEPARATOR: Final = "\0"  # no id has it
_PARTS: Final = ("table", "terms", "labels")


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A view of one scope at a revision.

    Attributes:
        renewed_at: As of when rows that had no vector have one.
        table: Its rows. `terms`, `labels`: which of them hold which.
    """

    revision: int
    renewed_at: int
    table: RowTable
    terms: Postings
    labels: Postings


def dump(snapshot: Snapshot) -> bytes:
    """Return a snapshot as bytes: a header in JSON behind its length, the ids, the arrays, each from a round offset."""
    parts = (snapshot.table.arrays(), snapshot.terms.arrays(), snapshot.labels.arrays())
    arrays = {
        (part, name): np.ascontiguousarray(it, it.dtype.newbyteorder("<"))
        for part, of in zip(_PARTS, parts, strict=True)
        for name, it in of.items()
    }
    ids = _SEPARATOR.join(snapshot.table.ids).encode()
    header = {
        "layout": LAYOUT,
        "revision": snapshot.revision,
        "renewed_at": snapshot.renewed_at,
        "agents": snapshot.table.agents,
        "rows": len(snapshot.table),
        "ids": len(ids),
        "arrays": [[*name, it.dtype.str, list(it.shape)] for name, it in arrays.items()],
    }
    encoded = orjson.dumps(header)
    first = len(encoded).to_bytes(_LENGTH_BYTES, "little") + encoded
    pieces: list[tuple[Any, int]] = [(first, len(first)), (ids, len(ids)), *((it, it.nbytes) for it in arrays.values())]
    return b"".join(part for piece, size in pieces for part in (piece, bytes(_padded(size) - size)))


def load(data: bytes) -> Snapshot | None:
    """Return what `dump` was given; `None` of bytes in the layout of another release.

    Raises:
        IntegrityError: They were not made by `dump`, or not all of them are there.
    """
    try:
        size = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
        header = orjson.loads(data[_LENGTH_BYTES:size])
        return _read(data, header, _padded(size)) if header["layout"] == LAYOUT else None
    except (LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
        msg = "the stored bytes of a view are damaged"
        raise IntegrityError(msg) from error


def _read(data: bytes, header: Mapping[str, Any], start: int) -> Snapshot:
    counts = [prod(shape) for *_, shape in header["arrays"]]
    dtypes = [_DTYPES[dtype] for _, _, dtype, _ in header["arrays"]]
    sizes = [header["ids"], *(count * dtype.itemsize for count, dtype in zip(counts, dtypes, strict=True))]
    id_start, *starts, end = accumulate(map(_padded, sizes), initial=start)
    joined = data[id_start : id_start + header["ids"]].decode()
    ids = joined.split(_SEPARATOR) if header["rows"] else []
    if len(ids) != header["rows"] or end != len(data):
        raise ValueError(len(data))
    parts: dict[str, dict[str, NDArray[Any]]] = {part: {} for part in _PARTS}
    for (part, name, _, shape), dtype, count, at in zip(header["arrays"], dtypes, counts, starts, strict=True):
        array = np.frombuffer(data, dtype, count, at)
        parts[part][name] = array if len(shape) == 1 else array.reshape(shape)
    return Snapshot(
        revision=header["revision"],
        renewed_at=header["renewed_at"],
        table=RowTable.restored(ids, header["agents"], parts["table"]),
        terms=Postings.restored(parts["terms"], len(ids)),
        labels=Postings.restored(parts["labels"], len(ids)),
    )


def _padded(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED
