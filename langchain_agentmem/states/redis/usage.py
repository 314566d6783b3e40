"""How much of working states is on Redis."""

from __future__ import annotations

from datetime import datetime

from langchain_agentmem._flow import Flow
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.sizes import weights_of
from langchain_agentmem.states.redis.keys import index_key, state_keys
from langchain_agentmem.types import Scope
from langchain_agentmem.types.watching import Usage


class RedisStateUsage:
    """Measures the working states of one Redis, without the indexes that name them."""

    def __init__(self, database: RedisDatabase) -> None:
        """Nothing is opened yet."""
        self._database = database

    def of(self, scope: Scope | None, at: datetime) -> Flow[Usage]:
        """Return what is stored of the scope's user; `None`: of all, visitors too, which visits every key."""
        prefix = self._database.prefix
        if scope is None:
            keys = yield from self._database.scan(f"{prefix}:{{*}}:working:*".encode())
        else:
            [ids] = yield from self._database.read(("ZRANGE", index_key(prefix, scope), 0, -1))
            keys = [state_keys(prefix, scope, id.decode()).state for id in ids]
        size = yield from weights_of(self._database, keys)
        return Usage(at=at, layers={"working": size})
