"""How much of threads is on Redis."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.redis.thread import PARTS
from langchain_agentmem.checkpoints.redis.threads import RedisThreads
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.keys import name_key
from langchain_agentmem.redis.sizes import sizes_of
from langchain_agentmem.types import Scope
from langchain_agentmem.types.scope import Owner
from langchain_agentmem.types.watching import Usage

PAGE: Final = 500
"""Threads of a user that are looked up in one round trip."""

_META: Final = b":meta"
_ORDER: Final = ("checkpoints", "meta", *(part for part in PARTS if part not in {"checkpoints", "meta"}))
_EMPTY: Final = ""
"""No field: there are no empty places among checkpoints."""


class RedisThreadUsage:
    """Measures the threads of one Redis, without the indexes that name them."""

    def __init__(self, database: RedisDatabase) -> None:
        """Nothing is opened yet."""
        self._database = database
        self._threads = RedisThreads(database)

    def of(self, scope: Scope | None, at: datetime) -> Flow[Usage]:
        """Return what is stored of the scope's user; `None`: of all, which visits every key there is.

        Rows are checkpoints.
        """
        bases = yield from self._all() if scope is None else self._of_user(scope)
        groups = (tuple(base + b":" + part.encode() for part in _ORDER) for base in bases)
        size = yield from sizes_of(self._database, groups, empty=_EMPTY)
        return Usage(at=at, layers={"threads": size})

    def _of_user(self, scope: Scope) -> Flow[Iterator[bytes]]:
        owner, ids = Owner(scope.tenant_id, scope.user_id), list[str]()
        while found := (yield from self._threads.threads(owner=owner, after=ids[-1] if ids else None, limit=PAGE)):
            ids += [it.thread_id for it in found]
        return (name_key(self._database.prefix, it, "thread") for it in ids)

    def _all(self) -> Flow[Iterator[bytes]]:
        found = yield from self._database.scan(f"{self._database.prefix}:{{*}}:thread:*".encode())
        return (it.removesuffix(_META) for it in found if it.endswith(_META))
