"""The rights of users on PostgreSQL, and where Redis has what is fast."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from redis import Redis

from langchain_agentmem import AgentMemory
from langchain_agentmem._flow import run
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
        layers = memory.privacy._parts.moving._layers
        assert {layer.name for layer in layers} == COVERED.keys() | WORDLESS.keys()  # or a scan leaves one out
        with Redis.from_url(valkey_url) as client:
            families = {decode(key.decode().split("}")[1].split(":")[1]) for key in client.scan_iter()}
        assert families <= {family for layer in layers for family in layer.families}
        memory.privacy.erase(ALICE)
        with Redis.from_url(valkey_url) as client:
            left = {key for key in client.scan_iter() if b"alice" in key}
        assert [key.endswith(b":profile") for key in left] == [True]
