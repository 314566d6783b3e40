"""Stores of conversations: the floor, what one would write by hand, other packages, and ours, behind one interface."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from types import MappingProxyType
from typing import Any, Final, TypeAlias
from uuid import uuid4

from _kit import Workshop, module, postgres_bytes, redis_bytes, sqlite_bytes
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from redis import Redis

from langchain_agentmem import Scope
from langchain_agentmem.chat_history import RedisChatMessageHistory, SQLChatMessageHistory

FLOOR: Final = "floor: one raw SQLite row"
TTL_S: Final = 7 * 86_400  # the expiry that ours has by default
BATCH: Final = 1_000  # messages in one call, while filling
OWNER: Final = Scope("bench")
_TYPES: Final[Mapping[str, type[BaseMessage]]] = MappingProxyType({"human": HumanMessage, "ai": AIMessage})


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation, opened."""

    add: Callable[[BaseMessage], Any]
    fill: Callable[[Sequence[BaseMessage]], Any]
    read: Callable[[], Sequence[Any]]
    last: Callable[[int], Sequence[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """Conversations in a file, database or server of their own: open one by its id, ask for all their bytes."""

    session: Callable[[str], Session]
    size: Callable[[], int]


Open: TypeAlias = Callable[[Workshop], Store]
Build: TypeAlias = Callable[[Iterable[dict[str, Any]]], list[Any]]


# ------------------------------------------------------------------------------------------------------------- by hand
def _dumps(message: BaseMessage) -> str:
    return json.dumps({"type": message.type, "content": message.content})


def _as_messages(values: Iterable[dict[str, Any]]) -> list[Any]:
    return [_TYPES[value["type"]](content=value["content"]) for value in values]


def raw_sqlite(build: Build, name: str, bench: Workshop) -> Store:
    """One row of JSON per message, one statement per call; the caller knows the next number."""
    path = bench.folder / f"{name}.db"
    connection = sqlite3.connect(path, isolation_level=None)
    bench.stack.callback(connection.close)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("CREATE TABLE messages (session TEXT, seq INTEGER, data TEXT, PRIMARY KEY (session, seq))")
    return Store(session=lambda session: _raw_rows(connection, session, build), size=sqlite_bytes(path))


def _raw_rows(connection: sqlite3.Connection, session: str, build: Build) -> Session:
    insert = "INSERT INTO messages VALUES (?, ?, ?)"
    select = "SELECT data FROM messages WHERE session = ? ORDER BY seq"
    seq = 0

    def add(message: BaseMessage) -> None:
        nonlocal seq
        seq += 1
        connection.execute(insert, (session, seq, _dumps(message)))

    def fill(messages: Sequence[BaseMessage]) -> None:
        connection.execute("BEGIN")
        for message in messages:
            add(message)
        connection.execute("COMMIT")

    def read() -> list[Any]:
        return build(json.loads(row[0]) for row in connection.execute(select, (session,)).fetchall())

    def last(count: int) -> list[Any]:
        rows = connection.execute(f"{select} DESC LIMIT ?", (session, count)).fetchall()
        return build(json.loads(row[0]) for row in reversed(rows))

    return Session(add=add, fill=fill, read=read, last=last)


def raw_redis(build: Build, bench: Workshop) -> Store:
    """One RPUSH of JSON per message, LRANGE to read; no expiry."""
    client, size = _redis(bench)

    def session(key: str) -> Session:
        return Session(
            add=lambda message: client.rpush(key, _dumps(message)),
            fill=lambda messages: client.rpush(key, *map(_dumps, messages)),
            read=lambda: build(map(json.loads, client.lrange(key, 0, -1))),
            last=lambda count: build(map(json.loads, client.lrange(key, -count, -1))),
        )

    return Store(session=session, size=size)


_SCRIPT: Final = """
for number = 3, #ARGV, 2 do
  redis.call('ZADD', KEYS[2], number, ARGV[number])
  redis.call('RPUSH', KEYS[1], ARGV[number + 1])
end
redis.call('HSET', KEYS[3], 'used', ARGV[2])
redis.call('ZADD', KEYS[4], ARGV[2], KEYS[1])
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[1]) end
"""


def scripted_redis(bench: Workshop) -> Store:
    """One script per call, which writes message, id, last use, place in the user's list and expiries, unasked."""
    client, size = _redis(bench)
    digest, numbers = client.script_load(_SCRIPT), count()

    def fill(keys: Sequence[str], messages: Sequence[BaseMessage]) -> None:
        for start in range(0, len(messages), BATCH):
            pairs = [it for message in messages[start : start + BATCH] for it in (str(uuid4()), _dumps(message))]
            client.evalsha(digest, len(keys), *keys, TTL_S * 1_000, next(numbers), *pairs)

    def session(name: str) -> Session:
        keys = [f"{{user}}:{name}:{part}" for part in ("messages", "ids", "meta")] + ["{user}:sessions"]
        return Session(
            add=lambda message: fill(keys, [message]),
            fill=lambda messages: fill(keys, messages),
            read=lambda: list(map(json.loads, client.lrange(keys[0], 0, -1))),
            last=lambda number: list(map(json.loads, client.lrange(keys[0], -number, -1))),
        )

    return Store(session=session, size=size)


def naive_redis(bench: Workshop) -> Store:
    """The whole conversation is one value: GET, append, SETEX. Of two writers at once, one loses."""
    client, size = _redis(bench)

    def load(key: str) -> list[Any]:
        return list(json.loads(client.get(key) or "[]"))

    def fill(key: str, messages: Sequence[BaseMessage]) -> None:
        values = [*load(key), *({"type": message.type, "content": message.content} for message in messages)]
        client.setex(key, TTL_S, json.dumps(values))

    def session(key: str) -> Session:
        return Session(
            add=lambda message: fill(key, [message]),
            fill=partial(fill, key),
            read=lambda: _as_messages(load(key)),
            last=lambda count: _as_messages(load(key)[-count:]),
        )

    return Store(session=session, size=size)


def _redis(bench: Workshop) -> tuple[Any, Callable[[], int]]:
    url = bench.new_redis()
    client = Redis.from_url(url)
    bench.stack.callback(client.close)
    return client, redis_bytes(url)


# -------------------------------------------------------------------------------------------------------------- peers
def community_redis(bench: Workshop) -> Store:
    """`langchain_community.chat_message_histories.RedisChatMessageHistory`, without an expiry."""
    package, url = module("langchain_community.chat_message_histories"), bench.new_redis()
    open_ = partial(package.RedisChatMessageHistory, url=url)
    return Store(session=lambda name: _untailed(open_(name)), size=redis_bytes(url))


def langchain_redis(bench: Workshop) -> Store:
    """`langchain_redis.RedisChatMessageHistory` without an expiry; its second construction fails on RESP 3."""
    package, url = module("langchain_redis"), bench.new_redis(with_modules=True)
    client = Redis.from_url(url, protocol=2)
    bench.stack.callback(client.close)
    open_ = partial(package.RedisChatMessageHistory, redis_client=client)
    return Store(session=lambda name: _untailed(open_(name)), size=redis_bytes(url))


def community_sqlite(bench: Workshop) -> Store:
    """`langchain_community.chat_message_histories.SQLChatMessageHistory` on SQLite."""
    path = bench.folder / "community.db"
    return Store(session=_community_sql(bench, f"sqlite:///{path}"), size=sqlite_bytes(path))


def community_postgres(bench: Workshop) -> Store:
    """`langchain_community.chat_message_histories.SQLChatMessageHistory` on PostgreSQL."""
    url = bench.new_database("community")
    session = _community_sql(bench, url.replace("postgresql:", "postgresql+psycopg:"))
    return Store(session=session, size=postgres_bytes(url))


def _community_sql(bench: Workshop, url: str) -> Callable[[str], Session]:
    package, sqlalchemy = module("langchain_community.chat_message_histories"), module("sqlalchemy")
    engine = sqlalchemy.create_engine(url)
    bench.stack.callback(engine.dispose)
    return lambda name: _untailed(package.SQLChatMessageHistory(name, connection=engine))


def _untailed(history: Any) -> Session:  # noqa: ANN401  (a peer's class)
    """Wrap a history of LangChain's interface; without a tail read, its last messages are the last of all."""

    def last(count: int) -> list[Any]:
        found: list[Any] = history.messages[-count:]
        return found

    return Session(add=history.add_message, fill=history.add_messages, read=lambda: history.messages, last=last)


# --------------------------------------------------------------------------------------------------------------- ours
def ours_sqlite(bench: Workshop) -> Store:
    """Our `SQLChatMessageHistory` on SQLite."""
    path = bench.folder / "ours.db"
    return Store(session=_ours_sql(bench, f"sqlite:///{path}"), size=sqlite_bytes(path))


def ours_postgres(bench: Workshop) -> Store:
    """Our `SQLChatMessageHistory` on PostgreSQL."""
    url = bench.new_database("ours")
    return Store(session=_ours_sql(bench, url), size=postgres_bytes(url))


def ours_redis(bench: Workshop) -> Store:
    """Our `RedisChatMessageHistory`, on a server without modules, with its expiry."""
    url = bench.new_redis()

    def session(name: str) -> Session:
        return _ours(bench, RedisChatMessageHistory(name, scope=OWNER, url=url))

    return Store(session=session, size=redis_bytes(url))


def _ours_sql(bench: Workshop, url: str) -> Callable[[str], Session]:
    return lambda name: _ours(bench, SQLChatMessageHistory(name, scope=OWNER, url=url))


def _ours(bench: Workshop, history: SQLChatMessageHistory | RedisChatMessageHistory) -> Session:
    bench.stack.callback(history.close)

    def fill(messages: Sequence[BaseMessage]) -> None:
        for start in range(0, len(messages), BATCH):
            history.add_messages(messages[start : start + BATCH])

    return Session(
        add=lambda message: history.add_messages([message]), fill=fill, read=history.get_messages, last=history.last
    )


STORES: Final[Mapping[str, Open]] = MappingProxyType(
    {
        FLOOR: partial(raw_sqlite, list, "floor"),
        "floor, messages built": partial(raw_sqlite, _as_messages, "floor-messages"),
        "raw RPUSH / LRANGE": partial(raw_redis, list),
        "raw RPUSH / LRANGE, messages built": partial(raw_redis, _as_messages),
        "floor: one script, Redis": scripted_redis,
        "naive GET, append, SETEX": naive_redis,
        "langchain-community Redis": community_redis,
        "langchain-redis": langchain_redis,
        "langchain-community SQL, SQLite": community_sqlite,
        "langchain-community SQL, PostgreSQL": community_postgres,
        "ours, SQLite": ours_sqlite,
        "ours, PostgreSQL": ours_postgres,
        "ours, Redis": ours_redis,
    }
)
