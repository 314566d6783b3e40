"""Vectors that nobody can compare: of another size than their model's, or of another length than all are stored with.

An earlier release kept what a faulty answer held beside good ones; a disk or a hand may alter what is there. Whoever
compares vectors takes such a one for missing, so that nothing else is disturbed; a re-index makes it anew. Only opened
ones can be measured: how much longer a sealed one is, its vault alone knows. One that was altered and has the length of
a good one is taken for good.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from sqlalchemy import bindparam, delete, select

from langchain_agentmem.sql.prepared import BLOCK, Prepared, Transaction
from langchain_agentmem.sql.schema import MODELS, VECTORS
from langchain_agentmem.vault.base import Cipher

LOGGER: Final = logging.getLogger("langchain_agentmem")

_FLOAT32: Final = np.dtype("<f4")
_LENGTH_SLACK: Final = 0.001
"""How far the square of a vector's length may be from 1: float32 of 4,096 numbers is off by less than 0.000001."""

_SIZE: Final = Prepared(select(MODELS.c.dimension).where(MODELS.c.model == bindparam("model")))
_OF_MODEL: Final = (VECTORS.c.subject_id == bindparam("subject"), VECTORS.c.model == bindparam("model"))
_VECTORS: Final = Prepared(select(VECTORS.c.memory_id, VECTORS.c.vector).where(*_OF_MODEL))
_DROP: Final = Prepared(delete(VECTORS).where(*_OF_MODEL, VECTORS.c.memory_id == bindparam("id")))


def vector_bytes(connection: Transaction, model: str | None) -> int | None:
    """Return how long a vector of a model is, `None` where the model is unknown."""
    found = _SIZE.rows(connection, {"model": model or ""})
    return found[0][0] * _FLOAT32.itemsize if found else None


def fitting(rows: Sequence[Sequence[Any]], size: int | None) -> Sequence[Sequence[Any]]:
    """Return rows that end with an opened vector, without it where nobody can compare it; `size`: its bytes."""
    bad = set() if size is None else _misfits([row[-1] for row in rows], size)
    if bad:
        LOGGER.warning("%d stored vectors cannot be compared: words find what they are of; run reindex()", len(bad))
    return [(*row[:-1], None) if place in bad else row for place, row in enumerate(rows)] if bad else rows


def misfits(connection: Transaction, subject: int, cipher: Cipher, model: str) -> list[str]:
    """Return of what a subject has vectors of a model that nobody can compare."""
    size = vector_bytes(connection, model)
    found = [] if size is None else _VECTORS.rows(connection, {"subject": subject, "model": model})
    opened = [cipher.open(sealed, f"vector/{id_}") for id_, sealed in found]
    return [found[place][0] for place in sorted(_misfits(opened, size or 0))]


def _misfits(vectors: Sequence[bytes | None], size: int) -> set[int]:
    """Return the places of those that are not so many bytes, or not of length 1; a missing one is none of them."""
    starts = range(0, len(vectors), BLOCK)
    return {start + place for start in starts for place in _misfits_of(vectors[start : start + BLOCK], size)}


def _misfits_of(vectors: Sequence[bytes | None], size: int) -> set[int]:
    here = {place: vector for place, vector in enumerate(vectors) if vector is not None}
    whole = [place for place, vector in here.items() if len(vector) == size]
    values = np.frombuffer(b"".join([here[it] for it in whole]), _FLOAT32).reshape(-1, size // _FLOAT32.itemsize)
    with np.errstate(over="ignore", invalid="ignore"):  # what is infinite or no number has no length
        is_unit = np.abs(np.vecdot(values, values) - 1) <= _LENGTH_SLACK
    return here.keys() - {place for place, fits in zip(whole, is_unit.tolist(), strict=True) if fits}


def drop_vectors(connection: Transaction, subject: int, model: str, ids: Iterable[str]) -> None:
    """Delete vectors of a model."""
    values = [{"subject": subject, "model": model, "id": id_} for id_ in ids]
    if values:
        _DROP.change(connection, values)
