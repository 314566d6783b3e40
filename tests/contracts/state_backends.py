"""Stores of working states under test, and what a test may do to each behind its back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from langchain_agentmem._flow import run
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import STATES
from langchain_agentmem.states.base import States
from langchain_agentmem.states.redis import RedisStates
from langchain_agentmem.states.sql import SQLStates
from langchain_agentmem.working.service import WorkingMemory
from tests.contracts.history_backends import START, every_row


class StateBackend(ABC):
    """Where the states of one test are; its clock ticks once a second, and jumps where the test says so."""

    def __init__(self) -> None:
        self.time = START

    def clock(self) -> Any:  # noqa: ANN401  (a time)
        self.time += timedelta(seconds=1)
        return self.time - timedelta(seconds=1)

    @abstractmethod
    def states(self, **settings: Any) -> States:
        """The port."""

    def working(self, **settings: Any) -> WorkingMemory:
        return WorkingMemory(self.states(**settings))

    @abstractmethod
    def pass_time(self, time: timedelta) -> None:
        """Let time go by, for whoever decides what has expired."""

    @abstractmethod
    def stored(self) -> str:
        """Everything that is stored, readable."""

    @abstractmethod
    def swap(self) -> None:
        """Put the content of state `s` where that of `t` was."""


class SQLStateBackend(StateBackend):
    def __init__(self, database: Database) -> None:
        super().__init__()
        self.database = database

    def states(self, **settings: Any) -> States:
        return SQLStates(self.database, **{"clock": self.clock, **settings})

    def pass_time(self, time: timedelta) -> None:
        self.time += time

    def stored(self) -> str:
        return repr(run(self.database.read(partial(every_row, table=STATES))))

    def swap(self) -> None:
        statement = (
            "UPDATE agentmem_states SET sealed = (SELECT sealed FROM agentmem_states AS other "
            "WHERE other.session_id = 's') WHERE session_id = 't'"
        )
        run(self.database.write(lambda connection: connection.exec_driver_sql(statement)))


class RedisStateBackend(StateBackend):
    def __init__(self, database: RedisDatabase) -> None:
        super().__init__()
        self.database = database

    def states(self, **settings: Any) -> States:
        return RedisStates(self.database, **{"clock": self.clock, **settings})

    def pass_time(self, time: timedelta) -> None:
        """Move every expiry towards now."""
        self.time += time
        for key in self.names():
            left = self.ask("PTTL", key)
            if left >= 0:
                self.ask("PEXPIRE", key, left - time // timedelta(milliseconds=1))

    def stored(self) -> str:
        readers = {b"hash": ("HGETALL",), b"zset": ("ZRANGE", 0, -1)}
        types = [(key, readers[self.ask("TYPE", key)]) for key in self.names()]
        return repr([(key, self.ask(how[0], key, *how[1:])) for key, how in types])

    def swap(self) -> None:
        one, two = sorted(key for key in self.names() if key.endswith((b":working:s", b":working:t")))
        self.ask("HSET", two, "state", self.ask("HGET", one, "state"))

    def names(self) -> Sequence[bytes]:
        """Return the keys there are, but the one that says whether they are sealed: it stays."""
        return [it for it in run(self.database.scan(b"*")) if it != self.database.key("sealed")]

    def ask(self, *command: Any) -> Any:  # noqa: ANN401  (whatever the server answers)
        return run(self.database.write(command))[0]
