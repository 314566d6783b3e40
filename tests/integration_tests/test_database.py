from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Callable, Iterator

import psycopg
import pytest

from langchain_agentmem._flow import run
from langchain_agentmem.errors import ConfigurationError, StorageError
from langchain_agentmem.ledger.base import LedgerWriter
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sql.engine import Database
from tests.contracts.database_contract import DatabaseContract, comes_true, write_and_read
from tests.ledgers import ALICE, START, Drive, length_of, memory, put
from tests.servers import TESTS, Server, postgres_database

OTHERS = (
    "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
    f"AND application_name <> '{TESTS}'"
)
OPEN = f"SELECT count(*) {OTHERS}"
END = f"SELECT pg_terminate_backend(pid, 10_000) {OTHERS}"  # returns when they have ended


class TestDatabase(DatabaseContract):
    """The contract on PostgreSQL, and what only a server can do."""

    @pytest.fixture
    def shared_url(self, postgres_url: str) -> str:
        return postgres_url

    @pytest.fixture
    def urls(self, postgres_server: Server) -> Iterator[list[str]]:
        with contextlib.ExitStack() as stack:
            yield [stack.enter_context(postgres_database(postgres_server)) for _ in range(3)]

    @staticmethod
    def open_handles(url: str) -> int:
        return int(asked(url, OPEN))

    @pytest.mark.usefixtures("old_kept")
    def test_a_loop_that_ended_leaves_no_connection_behind(
        self, shared_url: str, opened: Callable[[], SQLLedger]
    ) -> None:
        """However many loops came and went, only the connections of the last one are open."""
        ledger = opened()
        for number in range(4):
            asyncio.run(write_and_read(ledger, f"m{number}"))
            gc.collect()
        assert comes_true(lambda: self.open_handles(shared_url) == 1)

    async def test_a_server_that_ended_the_connection_is_no_lasting_harm(
        self, shared_url: str, opened: Callable[[], SQLLedger], drive: Drive
    ) -> None:
        """After a restart of the server, or a cut connection, the next call opens another."""
        ledger = opened()
        await drive(put(ledger, memory("before")))
        asked(shared_url, END)
        await drive(put(ledger, memory("after")))
        assert await drive(length_of(ledger)) == 2

    async def test_a_connection_lost_in_mid_write_is_retryable_and_leaves_nothing(
        self, shared_url: str, opened: Callable[[], SQLLedger], drive: Drive
    ) -> None:
        """The call says that a retry may help, and nothing of it was written."""
        ledger = opened()
        await drive(put(ledger, memory("before")))

        def cut(writer: LedgerWriter) -> None:
            asked(shared_url, END)
            writer.touch(["before"], START)

        with pytest.raises(StorageError) as lost:
            await drive(ledger.append(ALICE, cut))
        assert lost.value.is_retryable
        assert await drive(length_of(ledger)) == 1

    async def test_a_server_that_is_away_is_a_retryable_error(self, drive: Drive) -> None:
        """Nobody listens at port 1; the message holds no password."""
        database = Database("postgresql://user:secret@127.0.0.1:1/name")
        with pytest.raises(StorageError) as away:
            await drive(database.open())
        assert away.value.is_retryable
        assert "secret" not in str(away.value)

    def test_a_database_that_does_not_exist_is_an_error_of_ours(self, shared_url: str) -> None:
        """A wrong name in the URL is told as what it is, without a password."""
        with pytest.raises(StorageError, match="not-there"):
            run(Database(f"{shared_url}-not-there").open())

    def test_a_missing_driver_names_the_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without psycopg, the URL is refused at once, and the message says what to install."""
        monkeypatch.setattr("langchain_agentmem.sql.url.find_spec", lambda name: None)
        with pytest.raises(ConfigurationError, match=r"langchain-agentmem\[postgres\]"):
            Database("postgresql://user@host/name")


def asked(url: str, question: str) -> str:
    """Ask the server on a connection of its own."""
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        row = connection.execute(question.encode()).fetchone()
        return str(row[0]) if row else ""
