"""Conversations in Redis under test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

from langchain_agentmem._flow import run
from langchain_agentmem.chat_history.redis import RedisChatMessageHistory
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sessions.base import RewritableSessions
from langchain_agentmem.sessions.redis import RedisSessions
from langchain_agentmem.sessions.redis.keys import session_keys
from tests.contracts.history_backends import ALICE, Backend

READERS: Final[Mapping[bytes, tuple[str | int, ...]]] = {
    b"string": ("GET",),
    b"list": ("LRANGE", 0, -1),
    b"hash": ("HGETALL",),
    b"zset": ("ZRANGE", 0, -1, "WITHSCORES"),
}


class RedisBackend(Backend):
    history_class = RedisChatMessageHistory
    modules = ("langchain_agentmem.sessions.redis.sessions",)

    def __init__(self, database: RedisDatabase) -> None:
        super().__init__()
        self.database = database

    @property
    def place(self) -> Mapping[str, Any]:
        return {"database": self.database}

    def sessions(self, **settings: Any) -> RewritableSessions:
        return RedisSessions(self.database, **{"clock": self.clock, **settings})

    def pass_time(self, time: timedelta) -> None:
        """Move every expiry towards now."""
        self.time += time
        ms = time // timedelta(milliseconds=1)
        for key in self.names():
            left = self.ask("PTTL", key)
            if left >= 0:
                self.ask("PEXPIRE", key, left - ms)

    def stored(self) -> str:
        types = [(key, self.ask("TYPE", key)) for key in self.names()]
        return repr([(key, self.ask(READERS[type][0], key, *READERS[type][1:])) for key, type in types])

    def displace(self) -> None:
        """Write one message under the id of the other."""
        key = session_keys(self.database.prefix, ALICE, "s").messages
        one, two = (element.split(b"\0", 2) for element in self.ask("LRANGE", key, 0, -1))
        self.ask("LSET", key, 0, b"\0".join([*one[:2], two[2]]))

    def alter(self, message_id: str, change: Callable[[bytes], bytes], session_id: str = "s") -> bytes:
        key = session_keys(self.database.prefix, ALICE, session_id).messages
        elements: list[list[bytes]] = [it.split(b"\0", 2) for it in self.ask("LRANGE", key, 0, -1)]
        [place] = [place for place, (_, id, _) in enumerate(elements) if id == message_id.encode()]
        links, id, stored = elements[place]
        self.ask("LSET", key, place, b"\0".join([links, id, change(stored)]))
        return stored

    @contextmanager
    def broken(self) -> Iterator[None]:
        """Put a text where the list of messages was."""
        key = session_keys(self.database.prefix, ALICE, "s").messages
        self.ask("RENAME", key, key + b":hidden")
        self.ask("SET", key, "foreign")
        yield
        self.ask("RENAME", key + b":hidden", key)

    def names(self) -> Sequence[bytes]:
        """Return the keys there are, but the one that says whether they are sealed: it stays."""
        return [it for it in run(self.database.scan(b"*")) if it != self.database.key("sealed")]

    def ask(self, *command: Any) -> Any:  # noqa: ANN401  (whatever the server answers)
        return run(self.database.write(command))[0]
