"""A look at a vector store before it is opened: nothing is made or changed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from langchain_agentmem.errors import StorageError
from langchain_agentmem.index.opening import ANSWER_TIMEOUT_S, IS_THERE
from langchain_agentmem.sql.url import parse_url

_CHROMA_FILE: Final = "chroma.sqlite3"
_EXTENSION: Final = "SELECT installed_version, default_version FROM pg_available_extensions WHERE name = 'vector'"


class Reached(NamedTuple):
    """What a store is, and whether it has the collection, index or table yet."""

    server: str
    is_there: bool


def reach_chroma(*, path: str | None, host: str | None, collection: str, **http: Any) -> Reached:
    """Return what a Chroma is."""
    chromadb = import_module("chromadb")
    settings = chromadb.Settings(anonymized_telemetry=False)
    if path is None:
        client = chromadb.HttpClient(host, settings=settings, **http)
        server = f"Chroma {client.get_version()} at {host}:{http['port']}"
    else:
        server = f"Chroma {chromadb.__version__} in {path}"
        if not (Path(path) / _CHROMA_FILE).is_file():
            return Reached(server, is_there=False)
        client = chromadb.PersistentClient(path, settings=settings)
    try:
        return Reached(server, is_there=collection in {it.name for it in client.list_collections()})
    finally:
        client.close()


def reach_redis(*, url: str, dim: int, name: str) -> Reached:
    """Return what a Redis is.

    Raises:
        StorageError: It has no query engine.
    """
    redis = import_module("redis")
    options = {"socket_timeout": ANSWER_TIMEOUT_S, "socket_connect_timeout": ANSWER_TIMEOUT_S}
    with redis.Redis.from_url(url, decode_responses=True, **options) as client:
        try:
            names = client.execute_command("FT._LIST")
        except redis.ResponseError as error:
            msg = "this Redis has no query engine; take Redis 8 or Redis Stack, or name chroma or pgvector"
            raise StorageError(msg) from error
        version = client.info("server").get("redis_version", "of an unknown version")
    return Reached(f"Redis {version} with the query engine, {dim} dimensions", is_there=name in names)


def reach_pgvector(*, url: str, dim: int, table: str) -> Reached:
    """Return what a PostgreSQL has.

    Raises:
        StorageError: pgvector is not installed beside it.
    """
    engine = create_engine(parse_url(url), poolclass=NullPool)
    try:
        with engine.connect() as connection:
            version = str(connection.scalar(text("SHOW server_version"))).partition(" ")[0]
            extension = connection.execute(text(_EXTENSION)).first()
            is_there = bool(connection.scalar(text(IS_THERE), {"name": f"public.{table}"}))
    finally:
        engine.dispose()
    if extension is None:
        msg = f"PostgreSQL {version} has no pgvector; install its package on the server, or name chroma or redis"
        raise StorageError(msg)
    known = f"pgvector {extension[0] or f'{extension[1]}, to be made'}"
    return Reached(f"PostgreSQL {version} with {known}, {dim} dimensions", is_there=is_there)
