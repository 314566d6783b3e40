from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from redis import Redis
from sqlalchemy import create_engine

from langchain_agentmem._patience import REST_RATIO
from langchain_agentmem.chat_history import RedisChatMessageHistory, SQLChatMessageHistory
from langchain_agentmem.checkpoint import RedisSaver, SQLSaver
from langchain_agentmem.errors import StorageError
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sql.engine import Database
from tests import servers
from tests.conftest import Call
from tests.integration_tests.by_hand import contents, steps
from tests.integration_tests.conversing import answering, on, pair_of, question, said_in
from tests.proxy import proxy

SLOW_S = 0.5
"""How long Redis may take here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Troubled:
    """A database, how its trouble begins and ends, and how long nobody waits for it after that."""

    database: Database | RedisDatabase
    begin: Callable[[], object]
    end: Callable[[], object]
    rest_s: float = 0.0


@contextmanager
def away_postgres(url: str, _folder: Path) -> Iterator[Troubled]:
    port = psycopg.conninfo.conninfo_to_dict(url.replace("+psycopg", ""))["port"]
    with proxy(int(str(port))) as line:
        database = Database(url.replace(f":{port}/", f":{line.port}/"))
        yield Troubled(database=database, begin=line.refuse, end=line.heal)


@contextmanager
def locked_postgres(url: str, _folder: Path) -> Iterator[Troubled]:
    """Someone else holds the tables, and whoever waits for a lock gives up soon."""
    with psycopg.connect(url.replace("+psycopg", "")) as admin:

        def lock() -> None:
            found = admin.execute("SELECT tablename FROM pg_tables WHERE tablename LIKE 'agentmem%'").fetchall()
            admin.execute(f"LOCK TABLE {', '.join(name for (name,) in found)} IN EXCLUSIVE MODE".encode())

        database = Database(f"{url}?options=-c%20lock_timeout%3D50")
        yield Troubled(database=database, begin=lock, end=admin.rollback)


@contextmanager
def standby_postgres(url: str, _folder: Path) -> Iterator[Troubled]:
    """The server has become one that is only read; who connected meanwhile stays a reader when that is over."""
    root, _, name = url.replace("+psycopg", "").rpartition("/")
    with psycopg.connect(f"{root}/postgres", autocommit=True) as admin:
        altered = f'ALTER DATABASE "{name}" {{}} default_transaction_read_only'

        def close() -> None:
            admin.execute(f"{altered.format('SET')} = on".encode())
            admin.execute("SELECT pg_terminate_backend(pid, 10_000) FROM pg_stat_activity WHERE datname = %s", (name,))

        yield Troubled(database=Database(url), begin=close, end=lambda: admin.execute(altered.format("RESET").encode()))


@contextmanager
def busy_sqlite(_url: str, folder: Path) -> Iterator[Troubled]:
    """Another process is writing, for longer than one waits."""
    url = f"sqlite:///{folder / 'busy.db'}"
    engine = create_engine(url)
    with engine.connect() as other:
        begin, end = (lambda: other.exec_driver_sql("BEGIN IMMEDIATE")), other.rollback
        yield Troubled(database=Database(url, busy_timeout_s=0.05), begin=begin, end=end)
    engine.dispose()


@contextmanager
def slow_redis(_url: str, _folder: Path) -> Iterator[Troubled]:
    with servers.valkey() as server, proxy(server.port) as line:
        database = RedisDatabase(f"redis://{servers.HOST}:{line.port}/0", timeout_s=SLOW_S, connect_timeout_s=SLOW_S)
        yield Troubled(database=database, begin=line.pause, end=line.heal, rest_s=REST_RATIO * 2 * SLOW_S)


@contextmanager
def full_redis(_url: str, _folder: Path) -> Iterator[Troubled]:
    with servers.redis("--maxmemory-policy", "noeviction") as server, Redis(port=server.port) as admin:
        begin, end = (lambda: admin.config_set("maxmemory", "1")), (lambda: admin.config_set("maxmemory", "0"))
        yield Troubled(database=RedisDatabase(f"redis://{servers.HOST}:{server.port}/0"), begin=begin, end=end)


@contextmanager
def replica_redis(_url: str, _folder: Path) -> Iterator[Troubled]:
    """The server has become a replica of one that it does not reach, as the old primary after a failover."""
    with servers.valkey() as server, Redis(port=server.port) as admin:
        begin, end = (lambda: admin.replicaof(servers.HOST, 1)), (lambda: admin.replicaof("NO", "ONE"))
        yield Troubled(database=RedisDatabase(f"redis://{servers.HOST}:{server.port}/0"), begin=begin, end=end)


TROUBLES = [away_postgres, locked_postgres, standby_postgres, busy_sqlite, slow_redis, full_redis, replica_redis]


@pytest.fixture(params=TROUBLES, ids=lambda it: it.__name__)
def troubled(request: pytest.FixtureRequest, postgres_url: str, tmp_path: Path) -> Iterator[Troubled]:
    with request.param(postgres_url, tmp_path) as found:
        yield found
        found.database.close()


async def test_trouble_is_told_changes_nothing_and_passes(troubled: Troubled, call: Call) -> None:
    """Every write fails retryably and leaves nothing behind; afterwards the same objects go on."""
    is_redis = isinstance(troubled.database, RedisDatabase)
    history_class: Any = RedisChatMessageHistory if is_redis else SQLChatMessageHistory
    saver_class: Any = RedisSaver if is_redis else SQLSaver
    history, saver = history_class("s", database=troubled.database), saver_class(troubled.database)
    graph, [put, put_writes] = answering(saver), steps("other", 1)
    await call(history, "add_messages", pair_of(0, 0))
    await call(graph, "invoke", question("one"), on("t"))
    before = contents(saver, "t")
    troubled.begin()
    writes = [("add_messages", (pair_of(0, 1),)), ("invoke", (question("two"), on("t"))), put, put_writes]
    for thing, (name, arguments) in zip((history, graph, saver, saver), writes, strict=True):
        with pytest.raises(StorageError) as failed:
            await call(thing, name, *arguments)
        assert failed.value.is_retryable, repr(failed.value)
    troubled.end()
    await asyncio.sleep(troubled.rest_s)
    assert (contents(saver, "t"), contents(saver, "other")) == (before, ([], [], {}))
    await call(history, "add_messages", pair_of(0, 1))
    await call(graph, "invoke", question("two"), on("t"))
    assert await call(history, "get_messages") == [*pair_of(0, 0), *pair_of(0, 1)]
    assert said_in(graph) == ["one", "re one", "two", "re two"]
