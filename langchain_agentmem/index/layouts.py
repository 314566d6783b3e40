"""How a vector store has to be laid out before it can hold an index: only what is declared can be filtered by.

Chroma needs no layout. Redis and PostgreSQL compare declared fields only: these functions give the declarations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

FieldType: TypeAlias = Literal["name", "integer", "number", "labels"]

LABEL_SEPARATOR: Final = "|"
"""Between the labels of a row where a store knows no lists; a label's name holds none."""

FIELDS: Final[Mapping[str, FieldType]] = {
    "subject": "name",
    "memory": "name",
    "model": "name",
    "agent": "name",
    "kind": "name",
    "status": "name",
    "confidence": "number",
    "start_at": "integer",
    "valid_at": "integer",
    "invalid_at": "integer",
    "expires_at": "integer",
    "labels": "labels",
}
"""Every metadata field of a row, and what is in it."""

UNCOMPARED: Final = "memory"
"""The memory's id: it comes back with a hit, and no filter names it."""

_SQL_TYPES: Final[Mapping[FieldType, str]] = {
    "name": "TEXT",
    "integer": "BIGINT",
    "number": "DOUBLE PRECISION",
    "labels": "TEXT",
}
_ID_COLUMN: Final = "langchain_id"  # PGVectorStore's own default, which it makes a UUID unless told otherwise


def redis_schema() -> list[dict[str, Any]]:
    """Return what langchain-redis has to declare: `RedisConfig(metadata_schema=redis_schema(), …)`.

    Example:
        >>> [field["name"] for field in redis_schema() if field["type"] == "numeric"]
        ['confidence', 'start_at', 'valid_at', 'invalid_at', 'expires_at']
    """
    return [_redis_field(name, type) for name, type in FIELDS.items() if name != UNCOMPARED]


def postgres_table() -> dict[str, Any]:
    """Return how `PGEngine.init_vectorstore_table(name, size, **postgres_table())` has to make the table."""
    columns = [{"name": name, "data_type": _SQL_TYPES[type], "nullable": False} for name, type in FIELDS.items()]
    id_column = {"name": _ID_COLUMN, "data_type": "TEXT", "nullable": False}
    return {"id_column": id_column, "metadata_columns": columns, "store_metadata": False}


def postgres_columns() -> dict[str, Any]:
    """Return how `PGVectorStore.create_sync(engine, embeddings, name, **postgres_columns())` has to open the table."""
    return {"metadata_columns": list(FIELDS)}


def _redis_field(name: str, type: FieldType) -> dict[str, Any]:
    if type in {"integer", "number"}:
        return {"name": name, "type": "numeric"}
    return {"name": name, "type": "tag", "attrs": {"separator": LABEL_SEPARATOR, "case_sensitive": True}}
