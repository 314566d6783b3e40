"""What no durable checkpointer can leave out: every call serialises what it is given, and is one committed row.

Nothing is checked, shared between checkpoints, encrypted or owned; two writers take each other's place. How far a real
checkpointer is from this is what its promises cost; how far this is from InMemorySaver, nobody can spare.
"""

from __future__ import annotations

import random
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import psycopg
from _savers import Kind, database, file, redis
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from redis import Redis

_TABLES: Final = (
    "CREATE TABLE checkpoints (thread TEXT, id TEXT, data {blob}, PRIMARY KEY (thread, id))",
    "CREATE TABLE writes (thread TEXT, id TEXT, task TEXT, data {blob}, PRIMARY KEY (thread, id, task))",
)
_PUT: Final = "INSERT INTO checkpoints VALUES ({0}, {0}, {0})"
_WRITE: Final = "INSERT INTO writes VALUES ({0}, {0}, {0}, {0})"
_LAST: Final = "SELECT data FROM checkpoints WHERE thread = {0} ORDER BY id DESC LIMIT 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """How to store a checkpoint, by thread and id, and writes, by thread, id and task; the last checkpoint."""

    put: Callable[[str, str, bytes], object]
    write: Callable[[str, str, str, bytes], object]
    last: Callable[[str], bytes | None]


class FloorSaver(BaseCheckpointSaver[str]):
    """As much of a checkpointer as turns on threads without subgraphs, forks and interrupts need."""

    def __init__(self, rows: Rows) -> None:
        super().__init__(serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        self._rows = rows

    def get_next_version(self, current: str | None, channel: None) -> str:
        """As InMemorySaver."""
        counter = 0 if current is None else int(current.split(".")[0])
        return f"{counter + 1:032}.{random.random():016}"  # noqa: S311  (no secret)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read the last row of the thread."""
        data = self._rows.last(config["configurable"]["thread_id"])
        if data is None:
            return None
        checkpoint, metadata = self.serde.loads_typed(("msgpack", data))
        return CheckpointTuple(_config(config, checkpoint), checkpoint, metadata, None, [])

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Write one row."""
        _, data = self.serde.dumps_typed((checkpoint, metadata))
        self._rows.put(config["configurable"]["thread_id"], checkpoint["id"], data)
        return _config(config, checkpoint)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Write one row."""
        _, data = self.serde.dumps_typed((task_path, list(writes)))
        place = config["configurable"]
        self._rows.write(place["thread_id"], place["checkpoint_id"], task_id, data)


def _config(config: RunnableConfig, checkpoint: Checkpoint) -> RunnableConfig:
    thread = config["configurable"]["thread_id"]
    return {"configurable": {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": checkpoint["id"]}}


# ---------------------------------------------------------------------------------------------------------------- rows
def _in_sqlite(path: str, stack: ExitStack) -> FloorSaver:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    stack.callback(connection.close)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    for table in _TABLES:
        connection.execute(f"{table.format(blob='BLOB')} WITHOUT ROWID")
    return FloorSaver(_rows_of(connection.execute, "?"))


def _in_postgres(url: str, stack: ExitStack) -> FloorSaver:
    connection = stack.enter_context(psycopg.connect(url, autocommit=True))
    for table in _TABLES:
        connection.execute(table.format(blob="BYTEA"))
    return FloorSaver(_rows_of(connection.cursor(binary=True).execute, "%s"))


def _rows_of(execute: Callable[..., Any], mark: str) -> Rows:
    """Return rows behind one connection, which one thread uses at a time."""
    lock, texts = threading.Lock(), [it.format(mark) for it in (_PUT, _WRITE, _LAST)]

    def change(sql: str, *values: object) -> None:
        with lock:
            execute(sql, values)

    def last(thread: str) -> bytes | None:
        with lock:
            found = execute(texts[2], (thread,)).fetchone()
        return None if found is None else found[0]

    return Rows(put=partial(change, texts[0]), write=partial(change, texts[1]), last=last)


def _in_redis(url: str, stack: ExitStack) -> FloorSaver:
    client: Any = stack.enter_context(Redis.from_url(url))
    return FloorSaver(
        Rows(
            put=lambda thread, _id, data: client.rpush(f"{thread}:checkpoints", data),
            write=lambda thread, id_, task, data: client.hset(f"{thread}:writes", f"{id_}{task}", data),
            last=lambda thread: client.lindex(f"{thread}:checkpoints", -1),
        )
    )


FLOORS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "floor: one row a call, SQLite": Kind(place=file, open=_in_sqlite, size=lambda _url, _saver: 0),
        "floor: one row a call, PostgreSQL": Kind(place=database, open=_in_postgres, size=lambda _url, _saver: 0),
        "floor: one command a call, Redis": Kind(place=redis, open=_in_redis, size=lambda _url, _saver: 0),
    }
)
"""Take part in early turns only: what they keep grows with the square of a conversation."""
