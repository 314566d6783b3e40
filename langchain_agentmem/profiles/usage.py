"""How much of profiles is on Redis."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.profiles.redis import PROFILE, profile_key
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.scripts import Script
from langchain_agentmem.redis.sizes import weights_of
from langchain_agentmem.types import Scope
from langchain_agentmem.types.watching import Usage

_COPIES: Final = Script("""
local rows = redis.call('HLEN', KEYS[1]) - redis.call('HEXISTS', KEYS[1], 'floor')
return {rows, rows > 0 and redis.call('MEMORY', 'USAGE', KEYS[1]) or 0}
""")
"""What an erasure leaves, the revision it was at, is no copy."""


class RedisProfileUsage:
    """Measures the copies of profiles on one Redis: one for all agents of a user, and one for each of them."""

    def __init__(self, database: RedisDatabase) -> None:
        """Nothing is opened yet."""
        self._database = database

    def of(self, scope: Scope | None, at: datetime) -> Flow[Usage]:
        """Return what is stored of the scope's user; `None`: of all, which visits every key."""
        if scope is None:
            keys = yield from self._database.scan(f"{self._database.prefix}:{{*}}:{PROFILE}".encode())
        else:
            keys = [profile_key(self._database, scope)]
        size = yield from weights_of(self._database, keys, _COPIES)
        return Usage(at=at, layers={"profiles": size})
