"""Stores of conversations under test, and what a test may do to each behind its back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, Table, and_, select, update

from langchain_agentmem._flow import Flow, run
from langchain_agentmem.chat_history.sql import SQLChatMessageHistory
from langchain_agentmem.chat_history.stored import StoredChatMessageHistory
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.sessions.base import RewritableSessions
from langchain_agentmem.sessions.sql import SQLSessions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import MESSAGES, SESSIONS
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import Cipher, NullCipher

ALICE, BOB = Scope("alice"), Scope("bob")
START = datetime(2026, 1, 1, tzinfo=UTC)


class Reversing(NullCipher):
    """A cipher that one can see working: bytes backwards, behind the row they belong to."""

    def seal(self, plaintext: bytes, identity: str) -> bytes:
        return identity.encode().hex().encode() + b"\n" + plaintext[::-1]

    def open(self, sealed: bytes, identity: str) -> bytes:
        name, _, reversed_ = sealed.partition(b"\n")
        if name != identity.encode().hex().encode():
            msg = "moved from another row"
            raise IntegrityError(msg)
        return reversed_[::-1]

    def fingerprint(self, plaintext: bytes) -> bytes:
        return super().fingerprint(b"keyed" + plaintext)


class ReversingVault:
    def cipher(self, scope: Scope) -> Flow[Cipher]:
        yield from ()
        return Reversing()

    def destroy(self, scope: Scope, lineage: str | None = None) -> Flow[None]:
        yield from ()


class Backend(ABC):
    """Where the conversations of one test are; its clock ticks once a second, and jumps where the test says so."""

    history_class: type[Any]
    modules: tuple[str, ...]
    """Where its constants stand."""

    def __init__(self) -> None:
        self.time = START

    def clock(self) -> datetime:
        self.time += timedelta(seconds=1)
        return self.time - timedelta(seconds=1)

    @property
    @abstractmethod
    def place(self) -> Mapping[str, Any]:
        """The arguments that say where a history is."""

    def history(self, session_id: str = "s", scope: Scope | None = ALICE, **settings: Any) -> StoredChatMessageHistory:
        history: StoredChatMessageHistory = self.history_class(
            session_id, scope=scope, **self.place, **{"clock": self.clock, **settings}
        )
        return history

    @abstractmethod
    def sessions(self, **settings: Any) -> RewritableSessions:
        """The port that the histories stand on."""

    def set(self, monkeypatch: pytest.MonkeyPatch, name: str, value: int) -> None:
        for module in self.modules:
            monkeypatch.setattr(f"{module}.{name}", value, raising=False)

    @abstractmethod
    def pass_time(self, time: timedelta) -> None:
        """Let time go by, for whoever decides what has expired."""

    @abstractmethod
    def stored(self) -> str:
        """Everything that is stored, readable."""

    @abstractmethod
    def displace(self) -> None:
        """Put alice's two messages of session `s` where they do not belong."""

    @abstractmethod
    def alter(self, message_id: str, change: Callable[[bytes], bytes], session_id: str = "s") -> bytes:
        """Change the bytes of one of alice's messages where they are, and return what they were."""

    @abstractmethod
    def broken(self) -> AbstractContextManager[None]:
        """Let the store of messages fail for a while."""


class SQLBackend(Backend):
    history_class = SQLChatMessageHistory
    modules = ("langchain_agentmem.sessions.sql.sessions", "langchain_agentmem.sessions.sql.room")

    def __init__(self, database: Database) -> None:
        super().__init__()
        self.database = database

    @property
    def place(self) -> Mapping[str, Any]:
        return {"database": self.database}

    def sessions(self, **settings: Any) -> RewritableSessions:
        return SQLSessions(self.database, **{"clock": self.clock, **settings})

    def pass_time(self, time: timedelta) -> None:
        self.time += time

    def stored(self) -> str:
        return repr([run(self.database.read(partial(every_row, table=table))) for table in (SESSIONS, MESSAGES)])

    def displace(self) -> None:
        self._change("UPDATE agentmem_messages SET seq = seq + 10")

    def alter(self, message_id: str, change: Callable[[bytes], bytes], session_id: str = "s") -> bytes:
        of_session = select(SESSIONS.c.session_ref).where(SESSIONS.c.session_id == session_id).scalar_subquery()
        is_it = and_(MESSAGES.c.session_ref == of_session, MESSAGES.c.message_id == message_id)

        def body(connection: Connection) -> bytes:
            stored: bytes = connection.execute(select(MESSAGES.c.sealed).where(is_it)).scalar_one()
            connection.execute(update(MESSAGES).where(is_it).values(sealed=change(stored)))
            return stored

        return run(self.database.write(body))

    @contextmanager
    def broken(self) -> Iterator[None]:
        self._change("ALTER TABLE agentmem_messages RENAME TO hidden")
        yield
        self._change("ALTER TABLE hidden RENAME TO agentmem_messages")

    def _change(self, statement: str) -> None:
        run(self.database.write(lambda connection: connection.exec_driver_sql(statement)))


def every_row(connection: Connection, table: Table) -> list[object]:
    return [tuple(row) for row in connection.execute(select(table)).all()]
