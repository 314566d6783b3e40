"""The vector stores that an index is tested in, each made as its users make it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args
from uuid import uuid4

import chromadb
import psycopg
from chromadb.errors import NotFoundError
from langchain_chroma import Chroma
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore
from langchain_postgres import PGEngine, PGVectorStore
from langchain_redis import RedisConfig, RedisVectorStore
from redis import Redis

from langchain_agentmem.index import postgres_columns, postgres_table, redis_schema

Build: TypeAlias = Callable[[Embeddings], VectorStore]
StoreName: TypeAlias = Literal["chroma", "chroma-server", "redis", "postgresql"]

STORES: Final[tuple[StoreName, ...]] = get_args(StoreName)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a vector store is: a folder, `host:port`, or the URL of a Redis or PostgreSQL."""

    store: StoreName
    where: str
    dim: int = 4
    name: str = "memories"


@contextlib.contextmanager
def opened(place: Place, **options: Any) -> Iterator[Build]:
    """Give what builds the store, as often as it is called, and close what it opened."""
    with _OPENERS[place.store](place, options) as build:
        yield build


@contextlib.contextmanager
def _chroma(place: Place, options: dict[str, Any]) -> Iterator[Build]:
    client = client_of(place.store, place.where)
    settings = {"collection_configuration": {"hnsw": {"space": "cosine"}}, **options}
    yield lambda it: Chroma(place.name, embedding_function=it, client=client, **settings)


@contextlib.contextmanager
def _redis(place: Place, options: dict[str, Any]) -> Iterator[Build]:
    with Redis.from_url(place.where) as client:
        settings = {
            "index_name": place.name,
            "redis_client": client,
            "embedding_dimensions": place.dim,
            "metadata_schema": redis_schema(),
            **options,
        }
        yield lambda it: RedisVectorStore(it, config=RedisConfig(**settings))


@contextlib.contextmanager
def _postgres(place: Place, options: dict[str, Any]) -> Iterator[Build]:
    engine = PGEngine.from_connection_string(place.where)
    with contextlib.suppress(Exception):  # it is there
        engine.init_vectorstore_table(place.name, place.dim, **postgres_table())
    yield lambda it: PGVectorStore.create_sync(engine, it, place.name, **postgres_columns(), **options)
    asyncio.run(engine.close())


_OPENERS: Final = {"chroma": _chroma, "chroma-server": _chroma, "redis": _redis, "postgresql": _postgres}


@contextlib.contextmanager
def collection(store: StoreName, where: str, dim: int = 4) -> Iterator[Place]:
    """Give a place of its own in a Chroma, and lose it after use: each that is there slows every other down."""
    place = Place(store=store, where=where, dim=dim, name=f"c{uuid4().hex}")
    yield place
    with contextlib.suppress(NotFoundError):  # a test lost it
        lose(place)


def lose(place: Place) -> None:
    """Take the store away behind everybody's back, with all that is in it."""
    if place.store == "redis":
        with Redis.from_url(place.where) as client:
            client.flushall()
    elif place.store == "postgresql":
        with psycopg.connect(place.where.replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute(f'DROP TABLE "{place.name}"'.encode())
    else:
        client_of(place.store, place.where).delete_collection(place.name)


@functools.cache  # making one takes longer than most tests
def client_of(store: StoreName, where: str) -> chromadb.ClientAPI:
    """Return a client of Chroma, embedded or of its server; it writes its place into the settings given."""
    settings = chromadb.Settings(anonymized_telemetry=False)
    if store == "chroma":
        return chromadb.PersistentClient(where, settings=settings)
    host, _, port = where.partition(":")
    return chromadb.HttpClient(host, int(port), settings=settings)
