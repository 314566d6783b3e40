"""Vectors of another size than their model's: an earlier release kept what a faulty answer held beside good ones.

Whoever compares vectors takes them for missing, so that nothing else is disturbed; a re-index makes them anew. Only
opened ones can be measured: how much longer a sealed one is, its vault alone knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import bindparam, delete, select

from langchain_agentmem.sql.prepared import Prepared, Transaction
from langchain_agentmem.sql.schema import MODELS, VECTORS
from langchain_agentmem.vault.base import Cipher

_FLOAT_BYTES: Final = 4
_SIZE: Final = Prepared(select(MODELS.c.dimension).where(MODELS.c.model == bindparam("model")))
_OF_MODEL: Final = (VECTORS.c.subject_id == bindparam("subject"), VECTORS.c.model == bindparam("model"))
_VECTORS: Final = Prepared(select(VECTORS.c.memory_id, VECTORS.c.vector).where(*_OF_MODEL))
_DROP: Final = Prepared(delete(VECTORS).where(*_OF_MODEL, VECTORS.c.memory_id == bindparam("id")))


def vector_bytes(connection: Transaction, model: str | None) -> int | None:
    """Return how long a vector of a model is, `None` where the model is unknown."""
    found = _SIZE.rows(connection, {"model": model or ""})
    return found[0][0] * _FLOAT_BYTES if found else None


def sized(rows: Sequence[Sequence[Any]], size: int | None) -> Sequence[Sequence[Any]]:
    """Return rows that end with an opened vector, those of another size without it."""
    if size is None or all(row[-1] is None or len(row[-1]) == size for row in rows):
        return rows
    return [row if row[-1] is None or len(row[-1]) == size else (*row[:-1], None) for row in rows]


def misfits(connection: Transaction, subject: int, cipher: Cipher, model: str) -> list[str]:
    """Return of what a subject has vectors of another size than the model's."""
    size = vector_bytes(connection, model)
    found = [] if size is None else _VECTORS.rows(connection, {"subject": subject, "model": model})
    return [id_ for id_, sealed in found if len(cipher.open(sealed, f"vector/{id_}")) != size]


def drop_vectors(connection: Transaction, subject: int, model: str, ids: Iterable[str]) -> None:
    """Delete vectors of a model."""
    values = [{"subject": subject, "model": model, "id": id_} for id_ in ids]
    if values:
        _DROP.change(connection, values)
