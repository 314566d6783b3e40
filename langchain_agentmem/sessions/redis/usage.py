"""How much of conversations is on Redis."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.sizes import sizes_of
from langchain_agentmem.sessions.redis.keys import index_key, session_keys
from langchain_agentmem.types import Scope
from langchain_agentmem.types.watching import Usage

_MESSAGES: Final = b":messages"
_OTHERS: Final = (b":meta", b":ids")


class RedisSessionUsage:
    """Measures the conversations of one Redis, without the indexes that name them."""

    def __init__(self, database: RedisDatabase) -> None:
        """Nothing is opened yet."""
        self._database = database

    def of(self, scope: Scope | None, at: datetime) -> Flow[Usage]:
        """Return what is stored of the scope's user; `None`: of all and of visitors, which visits every key there is.

        Rows are messages, without the places of those that went.
        """
        bases = yield from self._all() if scope is None else self._of_user(scope)
        groups = ((base + _MESSAGES, *(base + other for other in _OTHERS)) for base in bases)
        size = yield from sizes_of(self._database, groups, empty="holes")
        return Usage(at=at, layers={"conversations": size})

    def _of_user(self, scope: Scope) -> Flow[Iterator[bytes]]:
        prefix = self._database.prefix
        [ids] = yield from self._database.read(("ZRANGE", index_key(prefix, scope), 0, -1))
        keys = (session_keys(prefix, scope, id.decode()) for id in ids)
        return (it.messages.removesuffix(_MESSAGES) for it in keys)

    def _all(self) -> Flow[Iterator[bytes]]:
        found = yield from self._database.scan(f"{self._database.prefix}:{{*}}:session:*".encode() + _MESSAGES)
        return (it.removesuffix(_MESSAGES) for it in found)
