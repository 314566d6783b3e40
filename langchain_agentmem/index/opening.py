"""Opening the vector stores whose dialects are known, laid out as an index needs them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any, Final, NamedTuple

from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from langchain_agentmem.index.layouts import postgres_columns, postgres_table, redis_schema
from langchain_agentmem.sql.url import parse_url

ANSWER_TIMEOUT_S: Final = 30.0
"""How long a Redis may take: a search among a million rows takes a second; and a Chroma, to say that it is there."""

_ONE_AT_A_TIME: Final = "SELECT pg_advisory_xact_lock(hashtext(:table))"
IS_THERE: Final = "SELECT to_regclass(:name) IS NOT NULL"


class Opened(NamedTuple):
    """A store, and how to let go of it."""

    store: VectorStore
    close: Callable[[], object]
    aclose: Callable[[], Awaitable[object]] | None = None


def open_chroma(embeddings: Embeddings, *, path: str | None, host: str | None, collection: str, **http: Any) -> Opened:
    """Return a collection with cosine distance; `http` is how to reach a server: port, ssl, headers."""
    chromadb, langchain = import_module("chromadb"), import_module("langchain_chroma")
    settings = chromadb.Settings(anonymized_telemetry=False)
    if path is not None:
        client = chromadb.PersistentClient(path, settings=settings)
    else:
        _greet_chroma(str(host), **http)
        client = chromadb.HttpClient(host, settings=settings, **http)
    cosine = {"hnsw": {"space": "cosine"}}
    store = langchain.Chroma(collection, embedding_function=embeddings, client=client, collection_configuration=cosine)
    return Opened(store, lambda: _close_chroma(client))


def _greet_chroma(host: str, *, port: int, ssl: bool, headers: dict[str, str]) -> None:
    """See that a server answers: a client that was made for one that does not is kept by its package for ever."""
    url = host if "://" in host else f"{'https' if ssl else 'http'}://{host}:{port}"
    import_module("httpx").get(f"{url}/api/v2/heartbeat", headers=headers, timeout=ANSWER_TIMEOUT_S)


def open_redis(embeddings: Embeddings, *, url: str, dim: int, name: str) -> Opened:
    """Return an index with the fields declared that are filtered by."""
    langchain, redis = import_module("langchain_redis"), import_module("redis")
    client = redis.Redis.from_url(url, socket_timeout=ANSWER_TIMEOUT_S, socket_connect_timeout=ANSWER_TIMEOUT_S)
    config = langchain.RedisConfig(
        index_name=name, redis_client=client, embedding_dimensions=dim, metadata_schema=redis_schema()
    )
    try:
        return Opened(langchain.RedisVectorStore(embeddings, config=config), client.close)
    except BaseException:
        client.close()
        raise


def open_pgvector(embeddings: Embeddings, *, url: str, dim: int, table: str) -> Opened:
    """Return a table with the columns that are filtered by; it and pgvector are made where they are missing."""
    langchain = import_module("langchain_postgres")
    engine = langchain.PGEngine.from_connection_string(parse_url(url))
    try:
        engine._run_as_sync(_make_table(engine, table, dim))  # noqa: SLF001  (its public calls fail on a table that is there)
        store = langchain.PGVectorStore.create_sync(engine, embeddings, table, **postgres_columns())
    except BaseException:
        _dispose(engine)
        raise
    return Opened(store, lambda: _dispose(engine), engine.close)


async def _make_table(engine: Any, table: str, dim: int) -> None:  # noqa: ANN401  (langchain-postgres is an extra)
    """Make the table; of two processes that come at once, one makes it."""
    from sqlalchemy import text

    async with engine._pool.begin() as connection:  # noqa: SLF001
        await connection.execute(text(_ONE_AT_A_TIME), {"table": table})
        if not await connection.scalar(text(IS_THERE), {"name": f"public.{table}"}):
            await engine._ainit_vectorstore_table(table, dim, **postgres_table())  # noqa: SLF001
        if not await connection.scalar(text(IS_THERE), {"name": f"public.{table}_subject"}):
            await connection.execute(text(f"CREATE INDEX {table}_subject ON public.{table} (subject)"))


def _dispose(engine: Any) -> None:  # noqa: ANN401
    engine._run_as_sync(engine._pool.dispose())  # noqa: SLF001


def _close_chroma(client: Any) -> None:  # noqa: ANN401  (chromadb is an extra)
    """Close a client, and the connections to a server, which it leaves open: its own, and those of its other half."""
    halves = (client, getattr(client, "_admin_client", None))
    sessions = [getattr(getattr(half, "_server", None), "_session", None) for half in halves]
    client.close()
    for session in filter(None, sessions):
        session.close()
