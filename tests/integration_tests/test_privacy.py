"""The rights of users on PostgreSQL, and where Redis has what is fast."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from redis import Redis

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem._flow import run
from langchain_agentmem.errors import StorageError
from langchain_agentmem.redis.keys import decode
from langchain_agentmem.sensitive.coverage import COVERED, WORDLESS
from langchain_agentmem.sql.engine import Database
from tests.contracts.privacy_contract import ALICE, WORD, Open, PrivacyContract, Stored, fill, subject
from tests.fake_embeddings import WordEmbeddings
from tests.integration_tests.test_erasure import every_byte


def bytes_in_tables(url: str) -> bytes:
    """What all rows hold."""
    database = Database(url)
    try:
        return run(database.read(every_byte))
    finally:
        database.close()


def bytes_in_redis(url: str) -> bytes:
    """What all keys are called and hold."""
    with Redis.from_url(url) as client:
        return b"\n".join(key + repr(value_of(client, key)).encode() for key in client.scan_iter())


def value_of(client: Any, key: bytes) -> object:  # noqa: ANN401  (its types say str where there are bytes)
    """Return what a key holds, uncompressed."""
    kind = client.type(key)
    if kind == b"list":
        return client.lrange(key, 0, -1)
    return client.zrange(key, 0, -1) if kind == b"zset" else client.hgetall(key) if kind == b"hash" else client.get(key)


class TestOnPostgres(PrivacyContract):
    """No row of any table."""

    by_turns = (PrivacyContract, 0)

    @pytest.fixture
    def opened(self, prepared_postgres_url: str) -> Open:
        return partial(AgentMemory.connect, sql=prepared_postgres_url)

    @pytest.fixture
    def stored(self, prepared_postgres_url: str) -> Stored:
        return partial(bytes_in_tables, prepared_postgres_url)


class TestOnPostgresAndValkey(PrivacyContract):
    """No row of any table, and no key."""

    by_turns = (PrivacyContract, 1)

    @pytest.fixture
    def opened(self, prepared_postgres_url: str, valkey_url: str) -> Open:
        return partial(AgentMemory.connect, sql=prepared_postgres_url, redis=valkey_url)

    @pytest.fixture
    def stored(self, prepared_postgres_url: str, valkey_url: str) -> Stored:
        return lambda: bytes_in_tables(prepared_postgres_url) + bytes_in_redis(valkey_url)


def test_every_key_of_redis_is_some_layers(valkey_url: str) -> None:
    """A new family of keys cannot be forgotten: claim it in a layer, see `privacy/layers.py`."""
    with AgentMemory.connect(
        sql="sqlite://", redis=valkey_url, embeddings=WordEmbeddings(dim=16), store={"subject": subject}
    ) as memory:
        fill(memory, ALICE, WORD)
        layers = memory.privacy._parts.moving._layers()
        assert {layer.name for layer in layers} == COVERED.keys() | WORDLESS.keys()  # or a scan leaves one out
        with Redis.from_url(valkey_url) as client:
            named = [key.decode() for key in client.scan_iter() if not key.endswith(b"{sealed}")]  # that is nobody's
        families = {decode(key.split("}")[1].split(":")[1]) for key in named}
        assert families <= {family for layer in layers for family in layer.families}
        memory.privacy.erase(ALICE)
        with Redis.from_url(valkey_url) as client:
            left = {key for key in client.scan_iter() if b"alice" in key}
        assert [key.endswith(b":profile") for key in left] == [True]


def test_an_erasure_waits_for_a_process_that_reaches_all_of_it(tmp_path: Path, valkey_url: str) -> None:
    """A worker without the Redis leaves it alone, and calls nobody erased whose words are still there."""
    settings: dict[str, Any] = {"embeddings": None, "consent": "assumed"}
    url, talk = f"sqlite:///{tmp_path / 'agent.db'}", Scope("alice", session_id="talk")
    with AgentMemory.connect(sql=url, redis=valkey_url, **settings) as whole:
        whole.history(talk).add_messages([HumanMessage(f"I love {WORD} tea")])
        run(whole.privacy._parts.erasure.begin(ALICE, "asked"))
        with AgentMemory.connect(sql=url, **settings) as worker:
            worker.jobs.run()
            with pytest.raises(StorageError, match="Redis beside the database"):
                worker.privacy.erase(ALICE)
        assert (whole.privacy.report(ALICE).status, len(whole.history(talk).messages)) == ("erasing", 1)
        whole.jobs.run()
        report = whole.privacy.report(ALICE)
        assert (report.status, report.is_empty, whole.history(talk).messages) == ("erased", True, [])


def test_an_erasure_that_reached_less_is_done_again(tmp_path: Path, valkey_url: str) -> None:
    """Whoever has the Redis, and asks for the same, gets all of it erased, however far the other one is."""
    settings: dict[str, Any] = {"embeddings": None, "consent": "assumed"}
    url, talk = f"sqlite:///{tmp_path / 'agent.db'}", Scope("alice", session_id="talk")
    with AgentMemory.connect(sql=url, redis=valkey_url, **settings) as whole:
        whole.history(talk).add_messages([HumanMessage(f"I love {WORD} tea")])
        with AgentMemory.connect(sql=url, **settings) as lesser:
            run(lesser.privacy._parts.erasure.begin(ALICE, "asked"))
        assert whole.privacy.erase(ALICE).is_empty
        assert whole.history(talk).messages == []
