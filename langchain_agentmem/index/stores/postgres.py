"""langchain-postgres' `PGVectorStore`, on PostgreSQL with pgvector.

It compares columns; what is in its JSON column it would compare as 32-bit integers. It knows no lists, so that labels
are one text in which a label stands between separators. With a `PGEngine` made of an async engine it can only be
awaited.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from langchain_agentmem._flow import Flow, step
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.dialect import (
    Cosine,
    Held,
    StoreDialect,
    awaited_only,
    from_cosine_distance,
    from_distance,
)
from langchain_agentmem.index.filters import Clause, Comparison, joined
from langchain_agentmem.index.layouts import LABEL_SEPARATOR, postgres_table

_COSINES: Final[Mapping[str, Cosine]] = {
    "COSINE_DISTANCE": from_cosine_distance,
    "EUCLIDEAN": from_distance,
    "INNER_PRODUCT": lambda product: product,
}
_COLUMNS: Final = """
SELECT a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = :schema AND c.relname = :table AND a.attnum > 0 AND NOT a.attisdropped
"""
_GRAPHS: Final = """
SELECT i.relname FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam
JOIN pg_class c ON c.oid = x.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = :schema AND c.relname = :table AND m.amname IN ('hnsw', 'ivfflat') ORDER BY i.relname
"""
"""Indexes that cut before they filter: they look for the nearest rows of everybody, and then for those of one user."""

_SIZED: Final = lazy_pattern(r"vector\((\d+)\)")
_ALL: Final = {"subject": {"$exists": True}}

T = TypeVar("T")


def postgres_filter(clauses: Sequence[Clause]) -> dict[str, Any]:
    """Return the filter as PGVectorStore takes it: Chroma's, but that a label is looked for in a text."""
    return joined("$and", [joined("$or", [_comparison(comparison) for comparison in clause]) for clause in clauses])


def postgres_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return metadata as the layout has it: each label between separators."""
    return {**metadata, "labels": _between(metadata["labels"])}


def _comparison(comparison: Comparison) -> dict[str, Any]:
    if comparison.operator == "contains":
        return {comparison.field: {"$like": f"%{_between([str(comparison.value)])}%"}}
    return {comparison.field: {f"${comparison.operator}": comparison.value}}


def _between(labels: Sequence[str]) -> str:
    return LABEL_SEPARATOR.join(["", *labels, ""])


def _table(store: Any) -> Any:  # noqa: ANN401  (langchain-postgres is an extra)
    """Return what knows the table: PGVectorStore is a face of it, and keeps it to itself."""
    return store._PGVectorStore__vs  # noqa: SLF001


def _to_cosine(store: Any) -> Cosine:  # noqa: ANN401
    return _COSINES[_table(store).distance_strategy.name]


def _is_awaited_only(store: Any) -> bool:  # noqa: ANN401
    """Whether there is no loop that could be waited for: the engine has none, or this code runs on it."""
    loop = store._engine._loop  # noqa: SLF001  (PGEngine has no public way to say so)
    try:
        return loop is None or loop is asyncio.get_running_loop()
    except RuntimeError:
        return False


def _flow(store: Any, make: Callable[[], Coroutine[Any, Any, T]]) -> Flow[T]:  # noqa: ANN401
    """Run a coroutine where the store's engine runs its own."""
    engine = store._engine  # noqa: SLF001
    found: T = yield from _either(
        store,
        lambda: engine._run_as_sync(make()),  # noqa: SLF001
        lambda: engine._run_as_async(make()),  # noqa: SLF001
    )
    return found


def _either(store: Any, blocking: Callable[[], T], awaitable: Callable[[], Awaitable[T]]) -> Flow[T]:  # noqa: ANN401
    """Wait in either colour, but that a store around an async engine refuses to block."""

    def block() -> T:
        if _is_awaited_only(store):
            raise awaited_only(store)
        return blocking()

    return (yield from step(block, awaitable))


async def _asked(store: Any, query: str) -> list[Any]:  # noqa: ANN401
    """Return the rows that a query about the store's table gives."""
    from sqlalchemy import text

    table = _table(store)
    values = {"schema": table.schema_name, "table": table.table_name}
    async with store._engine._pool.connect() as connection:  # noqa: SLF001
        return list(await connection.execute(text(query), values))


def _now(store: Any, query: str) -> list[Any] | None:  # noqa: ANN401
    """Return the rows at once, `None` where they can only be awaited."""
    if _is_awaited_only(store):
        return None
    rows: list[Any] = store._engine._run_as_sync(_asked(store, query))  # noqa: SLF001
    return rows


def _size(store: Any, columns: Mapping[str, str]) -> int | None:  # noqa: ANN401
    sized = _SIZED.fullmatch(columns.get(_table(store).embedding_column, ""))
    return int(sized[1]) if sized else None


def _types(rows: Sequence[Any] | None) -> dict[str, str]:
    return {row[0]: row[1] for row in rows or ()}


def _dim(store: Any) -> int | None:  # noqa: ANN401
    return _size(store, _types(_now(store, _COLUMNS)))


def _check(store: Any) -> Flow[None]:  # noqa: ANN401
    """Refuse a table whose columns could not hold or compare what is to be in them."""
    table, layout = _table(store), postgres_table()
    wanted = {column["name"]: column["data_type"].lower() for column in layout["metadata_columns"]}
    wrong = sorted(wanted.keys() - set(table.metadata_columns))
    columns = _types((yield from _flow(store, partial(_asked, store, _COLUMNS))))
    if columns and not wrong:
        wanted[table.id_column] = layout["id_column"]["data_type"].lower()
        wrong = sorted(name for name, type in wanted.items() if columns.get(name) != type)
    if wrong:
        msg = (
            f"the table {table.table_name!r} does not have {', '.join(wrong)} as needed; make it with PGEngine."
            "init_vectorstore_table(…, **postgres_table()) and open it with PGVectorStore.create_sync(…, "
            "**postgres_columns()), both from langchain_agentmem.index"
        )
        raise ConfigurationError(msg)
    for index in (yield from _flow(store, partial(_asked, store, _GRAPHS))):
        msg = (
            f"the index {index[0]!r} finds the nearest rows of all users before it looks for one user's, and so loses "
            f"rows; drop it, and make one for the rows of a user: CREATE INDEX ON {table.table_name} (subject)"
        )
        raise ConfigurationError(msg)


def _empty(store: Any, dim: int | None) -> Flow[None]:  # noqa: ANN401
    """Delete every row; make room for vectors of another size, and the table anew where it is gone."""
    columns = _types((yield from _flow(store, partial(_asked, store, _COLUMNS))))
    size = _size(store, columns)
    if columns and (dim is None or size in {None, dim}):
        yield from _either(store, partial(store.delete, filter=_ALL), partial(store.adelete, filter=_ALL))
        return
    if columns and dim is not None:
        yield from _flow(store, partial(_resized, store, dim))
        return
    if dim is None:
        msg = "the table is gone, and with it the size of its vectors; make it with PGEngine.init_vectorstore_table"
        raise ConfigurationError(msg)
    engine, layout = store._engine, _layout(_table(store), dim)  # noqa: SLF001
    make, amake = engine.init_vectorstore_table, engine.ainit_vectorstore_table
    yield from _either(store, partial(make, **layout), partial(amake, **layout))


async def _resized(store: Any, dim: int) -> None:  # noqa: ANN401
    """Empty the table, and let its column take other vectors: indexes, grants and triggers stay."""
    from sqlalchemy import text

    name, column = _quoted(store), _identifier(_table(store).embedding_column)
    async with store._engine._pool.begin() as connection:  # noqa: SLF001
        await connection.execute(text(f"DELETE FROM {name}"))  # noqa: S608  (quoted)
        await connection.execute(text(f"ALTER TABLE {name} ALTER COLUMN {column} TYPE vector({int(dim)})"))


def _quoted(store: Any) -> str:  # noqa: ANN401
    table = _table(store)
    return f"{_identifier(table.schema_name)}.{_identifier(table.table_name)}"


def _identifier(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))


def _layout(table: Any, dim: int) -> dict[str, Any]:  # noqa: ANN401
    layout = postgres_table()
    return {
        **layout,
        "table_name": table.table_name,
        "vector_size": dim,
        "schema_name": table.schema_name,
        "content_column": table.content_column,
        "embedding_column": table.embedding_column,
        "id_column": {**layout["id_column"], "name": table.id_column},
    }


def _count(store: Any) -> Flow[int]:  # noqa: ANN401
    counted = f"SELECT count(*) FROM {_quoted(store)}"  # noqa: S608  (quoted)
    rows = yield from _flow(store, partial(_asked, store, counted))
    return int(rows[0][0])


def _holds(store: Any, wanted: dict[str, Any], count: int) -> Flow[bool]:  # noqa: ANN401
    asked = {"where": wanted, "limit": 1, "offset": count - 1, "include": []}
    found = yield from _either(store, partial(store.get, **asked), partial(store.aget, **asked))
    return bool(found["ids"])


def _read(store: Any, ids: list[str]) -> Flow[dict[str, Held]]:  # noqa: ANN401
    asked = {"ids": ids, "include": ["metadatas", "embeddings"]}
    found = yield from _either(store, partial(store.get, **asked), partial(store.aget, **asked))
    rows = zip(found["ids"], found["metadatas"], found["embeddings"], strict=True)
    return {document_id: Held(metadata, _numbers(vector)) for document_id, metadata, vector in rows}


def _numbers(vector: Any) -> Sequence[float] | None:  # noqa: ANN401
    """Return a vector that the driver gave as text, or as what a registered type makes of it; `None` for NULL."""
    numbers: Sequence[float] | None = json.loads(vector) if isinstance(vector, str) else vector
    return numbers


def _reopen(_store: Any, error: BaseException | None) -> bool:  # noqa: ANN401
    """Whether a prepared statement outlived the table it was for; asyncpg drops it then, and prepares it anew."""
    return "cached statement plan is invalid" in str(error)


POSTGRES: Final = StoreDialect(
    compile=postgres_filter,
    to_cosine=_to_cosine,
    is_cosine=lambda store: _table(store).distance_strategy.name == "COSINE_DISTANCE",
    metadata=postgres_metadata,
    dim=_dim,
    check=_check,
    empty=_empty,
    read=_read,
    gives_vectors=True,
    count=_count,
    holds=_holds,
    reopen=_reopen,
    is_awaited_only=_is_awaited_only,
)
