"""What is special about an index in Redis or PostgreSQL: its layout, what it is told, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from langchain_postgres import PGEngine, PGVectorStore
from langchain_postgres.v2.indexes import DistanceStrategy, HNSWIndex
from langchain_redis import RedisConfig, RedisVectorStore
from redis import Redis
from sqlalchemy.ext.asyncio import create_async_engine

from langchain_agentmem import ConfigurationError, Scope, StorageError
from langchain_agentmem._flow import arun, run
from langchain_agentmem._search import SearchQuery
from langchain_agentmem.index import postgres_columns, postgres_table, redis_schema
from langchain_agentmem.index.shim import PreparedEmbeddings
from langchain_agentmem.index.vector_store import VectorStoreIndex
from langchain_agentmem.testing.rows import NEAR, query, row
from tests import servers

ALICE = Scope("alice")


def found(index: VectorStoreIndex, asked: SearchQuery | None = None) -> list[str]:
    return [proposal.memory_id for proposal in run(index.search(ALICE, asked or query(NEAR)))]


def redis_store(url: str, **config: Any) -> Callable[[Any], RedisVectorStore]:
    settings = {
        "index_name": "memories",
        "redis_url": url,
        "embedding_dimensions": 4,
        "metadata_schema": redis_schema(),
    }
    return lambda it: RedisVectorStore(it, config=RedisConfig(**(settings | config)))


# ------------------------------------------------------------------------------------------------------------- Redis
@pytest.mark.parametrize("metric", ["COSINE", "IP", "L2"])
def test_every_distance_of_redis_gives_the_same_relevance(redis_search_url: str, metric: str) -> None:
    """The distance is read from the server's index and turned into the cosine."""
    index = VectorStoreIndex(redis_store(redis_search_url, distance_metric=metric), "m")
    run(index.upsert(ALICE, [row("a", [3, 4, 0, 0])]))
    (proposal,) = run(index.search(ALICE, query(NEAR)))
    assert proposal.parts["vector"] == pytest.approx(0.6, abs=1e-5)


@pytest.mark.parametrize(
    "schema",
    [
        None,
        [{"name": "subject", "type": "tag"}],
        [field | ({"type": "text", "attrs": {}} if field["name"] == "kind" else {}) for field in redis_schema()],
        [field | {"attrs": {"separator": ","}} if field["type"] == "tag" else field for field in redis_schema()],
    ],
    ids=["none", "one field", "a text", "commas"],
)
def test_an_index_without_the_layout_is_refused(redis_search_url: str, schema: list[dict[str, Any]] | None) -> None:
    """A field that is not declared finds nothing in silence; the error names the fields and the remedy."""
    with pytest.raises(ConfigurationError, match=r"does not declare .*kind.*redis_schema\(\)"):
        VectorStoreIndex(redis_store(redis_search_url, metadata_schema=schema), "m")


def test_the_layout_is_looked_for_on_the_server(redis_search_url: str) -> None:
    """An index that is there already keeps its own layout and size, whatever the store is told."""
    redis_store(redis_search_url, embedding_dimensions=8)(PreparedEmbeddings())
    index = VectorStoreIndex(redis_store(redis_search_url), "m")
    with pytest.raises(ConfigurationError, match="4 numbers where the store's have 8"):
        run(index.upsert(ALICE, [row("a", NEAR)]))


def test_an_index_whose_rows_expire_is_refused(redis_search_url: str) -> None:
    """How long a memory lives is decided in the ledger."""
    config = RedisConfig(redis_url=redis_search_url, embedding_dimensions=4, metadata_schema=redis_schema())
    with pytest.raises(ConfigurationError, match="ttl=60"):
        VectorStoreIndex(lambda it: RedisVectorStore(it, config=config, ttl=60), "m")


def test_a_store_that_would_embed_by_itself_is_told_so(redis_search_url: str) -> None:
    """Without a size it embeds a sentence of its own; the error says how to avoid it."""
    with pytest.raises(ConfigurationError, match="give it the vector size"):
        VectorStoreIndex(redis_store(redis_search_url, embedding_dimensions=None), "m")


@pytest.mark.parametrize("storage", ["hash", "json"])
@pytest.mark.parametrize("harm", ["without", "cut", "filtered", "of another type"])
def test_a_row_that_others_harmed_is_brought_again(redis_search_url: str, storage: str, harm: str) -> None:
    """Among rows that are whole it is the one that is damaged; brought again, it is whole."""
    index = VectorStoreIndex(redis_store(redis_search_url, storage_type=storage, distance_metric="L2"), "m")
    rows = [row(name, NEAR) for name in ("a", "b", "c")]
    run(index.upsert(ALICE, rows))
    with Redis.from_url(redis_search_url) as client:
        [key] = [it for it in client.scan_iter() if it.decode().endswith(index._names.document(ALICE, "b"))]
        if harm == "of another type":
            client.delete(key)
            client.set(key, "x")
        elif storage == "json":
            changed = {"without": ("embedding", None), "cut": ("embedding", [0.5]), "filtered": ("status", "archived")}
            client.json().set(key, f"$.{changed[harm][0]}", changed[harm][1])
        elif harm == "without":
            client.hdel(key, "embedding")
        else:
            client.hset(key, mapping={"embedding": b"abc"} if harm == "cut" else {"status": "archived"})
    before = run(index.damaged(ALICE, rows))
    run(index.upsert(ALICE, [rows[1]]))
    assert (before, run(index.damaged(ALICE, rows)), found(index)) == (["b"], [], ["a", "b", "c"])


def test_redis_is_told_no_text(redis_search_url: str) -> None:
    """Neither words nor names of users, agents, tags and models are in any key or value."""
    index = VectorStoreIndex(redis_store(redis_search_url), "secret-model", key=b"secret")
    run(index.upsert(ALICE, [row("m1", NEAR, agent_id="coder", tags=["hush"])]))
    with Redis.from_url(redis_search_url) as client:
        held = repr([(key, client.hgetall(key)) for key in client.scan_iter()])
    assert "m1" in held
    assert not [word for word in ("alice", "coder", "hush", "secret-model") if word in held]


def test_keys_that_a_lost_index_left_behind_do_not_come_back(redis_search_url: str) -> None:
    """A rebuild removes what is under the prefix, also where the index that knew it is gone, and no other key."""
    index = VectorStoreIndex(redis_store(redis_search_url), "m")
    run(index.upsert(ALICE, [row("old", NEAR)]))
    with Redis.from_url(redis_search_url) as client:
        client.set("memories-of-others:1", "kept")
        client.execute_command("FT.DROPINDEX", "memories")
        run(index.reset(4))
        assert client.keys() == [b"memories-of-others:1"]
    assert found(index) == []


# -------------------------------------------------------------------------------------------------------- PostgreSQL
@pytest.fixture
def engine(postgres_url: str) -> Iterator[PGEngine]:
    made = PGEngine.from_connection_string(postgres_url)
    made.init_vectorstore_table("memories", 4, **postgres_table())
    yield made
    made._run_as_sync(made.close())


def pg_store(engine: PGEngine, **options: Any) -> Callable[[Any], PGVectorStore]:
    return lambda it: PGVectorStore.create_sync(engine, it, "memories", **(postgres_columns() | options))


@pytest.mark.parametrize("strategy", list(DistanceStrategy))
def test_every_distance_of_pgvector_gives_the_same_relevance(engine: PGEngine, strategy: DistanceStrategy) -> None:
    """The distance strategy of the store is turned into the cosine."""
    index = VectorStoreIndex(pg_store(engine, distance_strategy=strategy), "m")
    run(index.upsert(ALICE, [row("a", [3, 4, 0, 0])]))
    (proposal,) = run(index.search(ALICE, query(NEAR)))
    assert proposal.parts["vector"] == pytest.approx(0.6, abs=1e-5)


def test_a_table_without_the_columns_is_refused(engine: PGEngine) -> None:
    """What is in the JSON column cannot be compared as it has to be; the error names the columns and the remedy."""
    engine.init_vectorstore_table("plain", 4)
    with pytest.raises(ConfigurationError, match=r"'plain' does not have agent, .*postgres_table\(\)"):
        VectorStoreIndex(lambda it: PGVectorStore.create_sync(engine, it, "plain"), "m")


def test_a_table_of_other_types_is_refused(engine: PGEngine) -> None:
    """An id that is a UUID, or a time of 32 bits, would fail with the first row."""
    layout = postgres_table() | {"id_column": "langchain_id"}
    layout["metadata_columns"][7]["data_type"] = "INTEGER"
    engine.init_vectorstore_table("small", 4, **layout)
    with pytest.raises(ConfigurationError, match="'small' does not have langchain_id, start_at as needed"):
        VectorStoreIndex(lambda it: PGVectorStore.create_sync(engine, it, "small", **postgres_columns()), "m")


def test_an_index_over_all_users_vectors_is_refused(engine: PGEngine) -> None:
    """HNSW takes the nearest rows of everybody first: one user's rows would vanish among those of others."""
    pg_store(engine)(PreparedEmbeddings()).apply_vector_index(HNSWIndex(name="near"))
    with pytest.raises(ConfigurationError, match=r"'near' finds the nearest rows of all users.*\(subject\)"):
        VectorStoreIndex(pg_store(engine), "m")


async def test_an_async_engine_is_looked_at_by_the_first_call(engine: PGEngine, postgres_url: str) -> None:
    """What cannot be asked when the store is opened is asked before it is used, and no row gets there."""
    pg_store(engine)(PreparedEmbeddings()).apply_vector_index(HNSWIndex(name="near"))
    own = PGEngine.from_engine(create_async_engine(postgres_url))
    store = await PGVectorStore.create(own, PreparedEmbeddings(), "memories", **postgres_columns())
    index = VectorStoreIndex(lambda _: store, "m")
    for _ in range(2):
        with pytest.raises(ConfigurationError, match="'near' finds the nearest rows of all users"):
            await arun(index.upsert(ALICE, [row("a", NEAR)]))
    await store.adrop_vector_index("near")
    await arun(index.upsert(ALICE, [row("a", NEAR)]))
    await own.close()


def test_an_index_made_later_is_refused_where_the_store_is_emptied(engine: PGEngine) -> None:
    """It was not there when the store was opened; nothing is deleted before it is gone."""
    index = VectorStoreIndex(pg_store(engine), "m")
    run(index.upsert(ALICE, [row("a", NEAR)]))
    pg_store(engine)(PreparedEmbeddings()).apply_vector_index(HNSWIndex(name="near"))
    with pytest.raises(ConfigurationError, match="'near' finds"):
        run(index.reset(4))
    assert found(index) == ["a"]


def test_vectors_of_another_size_leave_the_table_as_it_was_made(engine: PGEngine, postgres_url: str) -> None:
    """Indexes, grants and triggers are the user's own: only rows go, and the column takes other vectors."""
    index = VectorStoreIndex(pg_store(engine), "m")
    run(index.upsert(ALICE, [row("a", NEAR)]))
    with psycopg.connect(postgres_url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("CREATE INDEX of_subject ON memories (subject)")
        connection.execute("GRANT SELECT ON memories TO pg_monitor")
        run(index.reset(2))
        run(index.upsert(ALICE, [row("b", [1, 0])]))
        made = connection.execute("SELECT indexname FROM pg_indexes WHERE tablename = 'memories'").fetchall()
        granted = connection.execute("SELECT has_table_privilege('pg_monitor', 'memories', 'SELECT')").fetchone()
    assert ("of_subject",) in made
    assert granted == (True,)
    assert found(index, query([1, 0])) == ["b"]


def test_postgresql_is_told_no_text(engine: PGEngine, postgres_url: str) -> None:
    """Neither words nor names of users, agents and tags are in the table."""
    index = VectorStoreIndex(pg_store(engine), "m", key=b"secret")
    run(index.upsert(ALICE, [row("m1", NEAR, agent_id="coder", tags=["hush"])]))
    with psycopg.connect(postgres_url.replace("+psycopg", "")) as connection:
        held = repr(connection.execute("SELECT * FROM memories").fetchall())
    assert "m1" in held
    assert not [word for word in ("alice", "coder", "hush") if word in held]


@pytest.mark.usefixtures("engine")
async def test_an_async_engine_is_awaited(postgres_url: str) -> None:
    """A store made by a coroutine around prepared embeddings works on the caller's own loop; calling it is refused."""
    own = PGEngine.from_engine(create_async_engine(postgres_url))
    store = await PGVectorStore.create(own, PreparedEmbeddings(), "memories", **postgres_columns())
    index = VectorStoreIndex(lambda _: store, "m")
    rows = [row("a", NEAR), row("b", NEAR)]
    await arun(index.upsert(ALICE, rows))
    await arun(index.delete(ALICE, ["b"]))
    assert [it.memory_id for it in await arun(index.search(ALICE, query(NEAR)))] == ["a"]
    assert await arun(index.damaged(ALICE, rows)) == ["b"]
    await arun(index.reset(4))
    for flow in (index.search(ALICE, query(NEAR)), index.reset(4), index.damaged(ALICE, rows)):
        with pytest.raises(ConfigurationError, match="can only be awaited"):
            run(flow)
    await own.close()


def test_a_redis_that_is_gone_is_a_retryable_storage_error() -> None:
    """A connection that fails may be tried again, and nothing of the driver's words comes out."""
    with servers.redis_search() as server:
        index = VectorStoreIndex(redis_store(f"redis://{server.host}:{server.port}"), "m")
        servers.kill(server)
        with pytest.raises(StorageError, match="the vector store failed with RedisSearchError") as caught:
            found(index)
    assert caught.value.is_retryable


def test_a_row_without_a_vector_has_lost_it(engine: PGEngine, postgres_url: str) -> None:
    """The table may allow it; the row is brought again."""
    index, rows = VectorStoreIndex(pg_store(engine), "m"), [row("a", NEAR), row("b", NEAR)]
    run(index.upsert(ALICE, rows))
    with psycopg.connect(postgres_url.replace("+psycopg", "")) as connection:
        connection.execute("ALTER TABLE memories ALTER embedding DROP NOT NULL")
        connection.execute("UPDATE memories SET embedding = NULL WHERE memory = 'b'")
    assert run(index.damaged(ALICE, rows)) == ["b"]


def test_a_table_that_is_gone_is_a_storage_error(engine: PGEngine) -> None:
    """Nothing of the statement or its values comes out."""
    index = VectorStoreIndex(pg_store(engine), "m")
    engine.drop_table("memories")
    with pytest.raises(StorageError, match="the vector store failed with ProgrammingError") as caught:
        found(index)
    assert "SELECT" not in str(caught.value)
