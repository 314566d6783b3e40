"""LangGraph's checkpointer on plain Redis, Valkey, or a cluster of either."""

from __future__ import annotations

from typing import Self, Unpack

from langchain_agentmem._checks import check_instance
from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoint.options import SaverSettings, read_settings
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.checkpoints.redis import RedisThreads
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.redis.database import DEFAULT_PREFIX, RedisDatabase
from langchain_agentmem.vault.base import use_database


class RedisSaver(StoredSaver):
    """Threads of LangGraph in Redis, for sync and async graphs alike.

    Plain commands only: any Redis from 6.2 on, Valkey, a cluster, managed services; no modules, and nothing to set up.
    Usable at once.

    Args:
        database: Where; closing it is its owner's. `RedisSaver.from_url(url)` opens one of its own.
        settings: Fields of `SaverOptions`: `ttl`, `refresh_on_read`, `on_conflict`, `allowed_types`, `serde`, `vault`,
            `clock`.

    Raises:
        ConfigurationError: A setting cannot work.

    Example:
        ```python
        with RedisSaver.from_url("redis://localhost:6379/0", ttl=timedelta(days=7)) as saver:
            graph = builder.compile(checkpointer=saver)
        ```
    """

    def __init__(self, database: RedisDatabase, **settings: Unpack[SaverSettings]) -> None:
        """No I/O."""
        options = read_settings(settings)
        if isinstance(database, str):
            msg = "database is a URL; pass it to RedisSaver.from_url, for example RedisSaver.from_url('redis://localhost:6379/0')"
            raise ConfigurationError(msg)
        self._database = check_instance("database", database, RedisDatabase)
        use_database(database, "threads", options.vault)
        self._is_owner = False
        super().__init__(options.setting(RedisThreads(database, clock=options.clock)))

    @classmethod
    def from_url(cls, url: str, *, prefix: str = DEFAULT_PREFIX, **settings: Unpack[SaverSettings]) -> Self:
        """Return a checkpointer with connections of its own; use it as a context manager, or close it.

        Args:
            url: `redis://host:port/db`, `rediss://…`, `unix:///path`, or `redis+cluster://host:port`.
            prefix: What every key begins with.
            settings: As of the class.

        Raises:
            ConfigurationError: The URL, the prefix or a setting cannot work.
        """
        saver = cls(RedisDatabase(url, prefix=prefix), **settings)
        saver._is_owner = True
        return saver

    def _release(self) -> RedisDatabase | None:
        return self._database if self._is_owner else None

    def _open(self) -> Flow[None]:
        yield from ()  # there are no tables, and a connection is opened by whoever needs it
