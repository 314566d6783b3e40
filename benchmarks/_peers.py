"""The memories of other packages, filled with the same data and asked the same questions."""

from __future__ import annotations

import json
import os
import sqlite3
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
from _kit import UnavailableError, Workshop, module
from _memories import DIM, PreparedEmbeddings, Space
from langgraph.store.base import BaseStore, PutOp
from langgraph.store.memory import InMemoryStore

HITS: Final = 5
BATCH: Final = 1_000

Call: TypeAlias = Callable[[int], Any]


@dataclass(frozen=True, slots=True)
class Peer:
    """A filled memory: `search` asks the question of a number, `put` stores the spare text of a number."""

    search: Call | None = None
    put: Call | None = None

    def hits(self) -> int | None:
        """Return how many memories the first question finds: a fast search that finds nothing is no search."""
        if self.search is None:
            return None
        found = self.search(0)
        return len(json.loads(found) if isinstance(found, str) else found)


@dataclass(kw_only=True)
class Kit(Workshop):
    """What peers share besides: embeddings, stores that another peer uses too."""

    embeddings: PreparedEmbeddings
    stores: dict[str, InMemoryStore] = field(default_factory=dict)

    @cached_property
    def redis_url(self) -> str:
        """Return the URL of a server that speaks Redis, with the query engine and JSON."""
        return self.new_redis(with_modules=True)


def batches(places: Sequence[int]) -> Iterator[Sequence[int]]:
    """Cut places into pieces of a size that every peer takes at once."""
    for start in range(0, len(places), BATCH):
        yield places[start : start + BATCH]


# ------------------------------------------------------------------------------------------------------------- floors
def best(matrix: Any, question: list[float]) -> list[int]:  # noqa: ANN401  (an array of any length)
    """Return the places of the best rows: one product, one partition."""
    scores = matrix @ np.asarray(question, np.float32)
    cut = min(HITS, len(scores))
    found = np.argpartition(scores, len(scores) - cut)[-cut:]
    places: list[int] = found[np.argsort(-scores[found])].tolist()
    return places


def floor(space: Space, kit: Kit) -> Peer:
    """Search with one numpy product over the scope's matrix, already in memory; a put fills the next spare row."""
    matrix = np.ascontiguousarray(space.vectors[space.own])
    spare = np.empty((len(space.spare), DIM), np.float32)
    ask = kit.embeddings.embed_query

    def put(number: int) -> None:
        spare[number] = np.asarray(ask(space.spare[number]), np.float32)

    return Peer(lambda number: best(matrix, ask(space.questions[number])), put)


def sqlite_rows(space: Space, kit: Kit) -> Peer:
    """Read the scope's rows from SQLite for every query, and search them with one numpy product."""
    connection = sqlite3.connect(kit.folder / f"rows-{space.name}.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("CREATE TABLE memories (owner TEXT, id TEXT, text TEXT, vector BLOB, PRIMARY KEY (owner, id))")
    rows = zip(space.owners, map(str, range(len(space.texts))), space.texts, space.vectors, strict=False)
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO memories VALUES (?, ?, ?, ?)", ((o, i, t, v.tobytes()) for o, i, t, v in rows))
    connection.execute("COMMIT")
    ask = kit.embeddings.embed_query

    def search(number: int) -> list[str]:
        found = connection.execute("SELECT text, vector FROM memories WHERE owner = ?", (space.owner,)).fetchall()
        matrix = np.frombuffer(b"".join([row[1] for row in found]), np.float32).reshape(-1, DIM)
        return [found[place][0] for place in best(matrix, ask(space.questions[number]))]

    def put(number: int) -> None:
        text = space.spare[number]
        vector = np.asarray(ask(text), np.float32).tobytes()
        connection.execute("INSERT INTO memories VALUES (?, ?, ?, ?)", (space.other, f"new-{number}", text, vector))

    return Peer(search, put)


# ------------------------------------------------------------------------------------------------------ vector stores
def redis_vectors(space: Space, kit: Kit) -> Peer:
    """`langchain_redis.RedisVectorStore` with a tag filter on the user."""
    package, filters = module("langchain_redis"), module("redisvl.query.filter")
    config = package.RedisConfig(
        index_name=space.name, redis_url=kit.redis_url, metadata_schema=[{"name": "owner", "type": "tag"}]
    )
    store = package.RedisVectorStore(kit.embeddings, config=config)
    for places in batches(range(len(space.texts))):
        store.add_texts([space.texts[i] for i in places], [{"owner": space.owners[i]} for i in places])
    mine = filters.Tag("owner") == space.owner
    return Peer(
        lambda number: store.similarity_search(space.questions[number], k=HITS, filter=mine),
        lambda number: store.add_texts([space.spare[number]], [{"owner": space.other}]),
    )


def chroma(space: Space, kit: Kit) -> Peer:
    """`langchain_chroma.Chroma`, embedded, with a filter on the user."""
    settings = module("chromadb.config").Settings(anonymized_telemetry=False, is_persistent=True)
    store = module("langchain_chroma").Chroma(
        space.name,
        kit.embeddings,
        persist_directory=str(kit.folder / f"chroma-{space.name}"),
        client_settings=settings,
        collection_configuration={"hnsw": {"space": "cosine"}},
    )
    for places in batches(range(len(space.texts))):
        store.add_texts([space.texts[i] for i in places], [{"owner": space.owners[i]} for i in places])
    mine = {"owner": space.owner}
    return Peer(
        lambda number: store.similarity_search(space.questions[number], k=HITS, filter=mine),
        lambda number: store.add_texts([space.spare[number]], [{"owner": space.other}]),
    )


# --------------------------------------------------------------------------------------------------- LangGraph stores
def in_memory_store(space: Space, kit: Kit) -> Peer:
    """LangGraph's `InMemoryStore`."""
    store = kit.stores[space.name] = InMemoryStore(index={"dims": DIM, "embed": kit.embeddings, "fields": ["text"]})
    return _of_store(store, space)


def redis_store(space: Space, kit: Kit) -> Peer:
    """LangGraph's `RedisStore`."""
    package = module("langgraph.store.redis")
    index = {"dims": DIM, "embed": kit.embeddings, "fields": ["text"], "distance_type": "cosine"}
    names = {"store_prefix": f"s-{space.name}", "vector_prefix": f"v-{space.name}"}
    store = kit.stack.enter_context(package.RedisStore.from_conn_string(kit.redis_url, index=index, **names))
    store.setup()
    return _of_store(store, space)


def sqlite_store(space: Space, kit: Kit) -> Peer:
    """LangGraph's `SqliteStore`, which needs sqlite-vec and a Python that loads SQLite extensions."""
    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        msg = "this Python's sqlite3 cannot load extensions, which sqlite-vec is"
        raise UnavailableError(msg)
    package = module("langgraph.store.sqlite")
    path = str(kit.folder / f"store-{space.name}.db")
    index = {"dims": DIM, "embed": kit.embeddings, "fields": ["text"]}
    store = kit.stack.enter_context(package.SqliteStore.from_conn_string(path, index=index))
    store.setup()
    return _of_store(store, space)


def postgres_store(space: Space, kit: Kit) -> Peer:
    """LangGraph's `PostgresStore` with an HNSW index."""
    package = module("langgraph.store.postgres")
    index = {
        "dims": DIM,
        "embed": kit.embeddings,
        "fields": ["text"],
        "distance_type": "cosine",
        "ann_index_config": {"kind": "hnsw"},
    }
    url = kit.new_database(f"store-{space.name}")
    store = kit.stack.enter_context(package.PostgresStore.from_conn_string(url, index=index))
    store.setup()
    return _of_store(store, space)


def _of_store(store: BaseStore, space: Space) -> Peer:
    for places in batches(range(len(space.texts))):
        store.batch([PutOp(_namespace(space.owners[i]), str(i), {"text": space.texts[i]}) for i in places])
    mine, others = _namespace(space.owner), _namespace(space.other)
    return Peer(
        lambda number: store.search(mine, query=space.questions[number], limit=HITS),
        lambda number: store.put(others, f"new-{number}", {"text": space.spare[number]}),
    )


def _namespace(owner: str) -> tuple[str, str]:
    return ("memories", owner)


# ---------------------------------------------------------------------------------------------------- memory packages
def langmem(space: Space, kit: Kit) -> Peer:
    """The tools of langmem on the `InMemoryStore` that was filled before."""
    package, store = module("langmem"), kit.stores[space.name]
    search = package.create_search_memory_tool(_namespace(space.owner), store=store)
    manage = package.create_manage_memory_tool(_namespace(space.other), store=store)
    return Peer(
        lambda number: search.invoke({"query": space.questions[number], "limit": HITS}),
        lambda number: manage.invoke({"content": space.spare[number], "action": "create"}),
    )


def mem0(space: Space, kit: Kit) -> Peer:
    """Run mem0 on local Qdrant without its language model: `infer=False`, and the bulk straight into Qdrant."""
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(kit.folder / "mem0")}
    fake = module("langchain_core.language_models").FakeListChatModel(responses=["{}"])
    folder = kit.folder / f"mem0-{space.name}"
    qdrant = {"collection_name": space.name, "embedding_model_dims": DIM, "path": str(folder / "qdrant")}
    config = {
        "embedder": {"provider": "langchain", "config": {"model": kit.embeddings, "embedding_dims": DIM}},
        "llm": {"provider": "langchain", "config": {"model": fake}},
        "vector_store": {"provider": "qdrant", "config": qdrant},
        "history_db_path": str(folder / "history.db"),
    }
    folder.mkdir()
    memory = module("mem0").Memory.from_config(config)
    for places in batches(range(len(space.texts))):
        payloads = [{"data": space.texts[i], "user_id": space.owners[i], "hash": str(i)} for i in places]
        ids = [str(uuid.uuid4()) for _ in places]
        memory.vector_store.insert([space.vectors[i].tolist() for i in places], payloads, ids)
    mine = {"user_id": space.owner}
    return Peer(
        lambda number: memory.search(space.questions[number], filters=mine, top_k=HITS, threshold=0.0)["results"],
        lambda number: memory.add(space.spare[number], user_id=space.other, infer=False),
    )


Open: TypeAlias = Callable[[Space, Kit], Peer]
PEERS: Final[dict[str, Open]] = {
    "SQLite rows read per query": sqlite_rows,
    "langchain-redis vector store": redis_vectors,
    "LangGraph RedisStore": redis_store,
    "LangGraph SqliteStore": sqlite_store,
    "LangGraph InMemoryStore": in_memory_store,
    "langmem on InMemoryStore": langmem,
    "LangGraph PostgresStore, hnsw": postgres_store,
    "Chroma with a user filter": chroma,
    "mem0 on local Qdrant": mem0,
}
