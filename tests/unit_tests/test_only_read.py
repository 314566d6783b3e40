"""Recalls of a SQLite file that is only read, or locked."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event
from sqlalchemy.pool import Pool

from langchain_agentmem import StorageError
from langchain_agentmem._flow import arun
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call
from tests.contracts.only_read_contract import QUESTION, OnlyReadContract, opened
from tests.ledgers import ALICE


class TestOnlyRead(OnlyReadContract):
    """The contract on a file that cannot be written."""

    @pytest.fixture
    def only_read_url(self, tmp_path: Path) -> Iterator[str]:
        url = f"sqlite:///{tmp_path / 'agent.db'}"
        self.fill(url)
        event.listen(Pool, "connect", _forbid_writing)
        yield url
        event.remove(Pool, "connect", _forbid_writing)


class TestWithoutPermission(OnlyReadContract):
    """The contract on a file that this process has no permission to write, and on the log that its owner has open."""

    @pytest.fixture(params=["closed", "in use"])
    def only_read_url(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
    ) -> Iterator[str]:
        url = f"sqlite:///{tmp_path / 'agent.db'}"
        self.fill(url)
        owner = sqlite3.connect(tmp_path / "agent.db")
        if request.param == "in use":
            owner.execute("PRAGMA user_version = 0")
        there = sorted(tmp_path.iterdir())
        monkeypatch.setattr(os, "access", may_only_read)
        yield url
        assert sorted(tmp_path.iterdir()) == there  # what it made would be in its owner's way
        owner.close()


def may_only_read(path: Any, mode: int) -> bool:  # noqa: ANN401  (a path)
    """Answer like the system for somebody else's file; whoever runs these tests may be allowed everything."""
    return mode != os.W_OK or not Path(path).exists()


def test_what_is_in_a_log_that_cannot_be_read_in_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log was copied without its index, which takes permission to write: what to do is said before a read."""
    url = f"sqlite:///{tmp_path / 'agent.db'}"
    with opened(url) as memory:
        memory.consent.grant(ALICE)
        copied = tmp_path / "copied"
        copied.mkdir()
        for name in ("agent.db", "agent.db-wal"):
            shutil.copy(tmp_path / name, copied)
    monkeypatch.setattr(os, "access", may_only_read)
    with pytest.raises(StorageError, match="open it once where it can be written") as refused:
        opened(f"sqlite:///{copied / 'agent.db'}")
    assert refused.value.is_read_only


async def test_what_is_read_without_a_lock_is_of_one_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner begins to write meanwhile: the read is refused, and repeated it says what is there."""
    url = f"sqlite:///{tmp_path / 'agent.db'}"
    OnlyReadContract.fill(url)
    monkeypatch.setattr(os, "access", may_only_read)
    database = Database(url)

    def read(connection: Connection) -> int:
        number = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        if not number:
            with closing(sqlite3.connect(tmp_path / "agent.db")) as owner:
                owner.execute("PRAGMA user_version = 2")
        return int(number)

    with pytest.raises(StorageError, match="written by another process") as torn:
        await arun(database.read(read))
    assert torn.value.is_retryable
    assert await arun(database.read(read)) == 2
    database.close()


def _forbid_writing(connection: Any, _record: object) -> None:  # noqa: ANN401  (a driver's)
    connection.execute("PRAGMA query_only = ON")


@pytest.mark.parametrize("mode", ["on", "frozen"])
async def test_a_frozen_recall_needs_no_lock(tmp_path: Path, call: Call, mode: str) -> None:
    """Another writer that does not end costs a recall of frozen memory its receipt; any other says that it is busy."""
    url = f"sqlite:///{tmp_path / 'agent.db'}"
    OnlyReadContract.fill(url)
    other = sqlite3.connect(tmp_path / "agent.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    async with opened(url, mode=mode, busy_timeout_s=0.05) as memory:
        if mode == "on":
            with pytest.raises(StorageError, match="another writer") as busy:
                await call(memory.long_term, "recall", QUESTION, scope=ALICE)
            assert not busy.value.is_read_only
        else:
            found = await call(memory.long_term, "recall", QUESTION, scope=ALICE)
            assert (found.status, found.receipt_id, found[0].memory.kind) == ("degraded", None, "fact")
    other.close()


@pytest.fixture
def full_url(tmp_path: Path) -> Iterator[str]:
    """A file that may not grow any more."""
    url = f"sqlite:///{tmp_path / 'agent.db'}"
    OnlyReadContract.fill(url)
    event.listen(Pool, "connect", _forbid_growing)
    yield url
    event.remove(Pool, "connect", _forbid_growing)


def _forbid_growing(connection: Any, _record: object) -> None:  # noqa: ANN401  (a driver's)
    connection.execute("PRAGMA max_page_count = 1")


async def test_a_full_disk_costs_a_recall_its_receipt_alone(full_url: str, call: Call) -> None:
    """It answers whole and says so; what is to be written names the remedy, and may be repeated."""
    async with opened(full_url) as memory:
        with pytest.raises(StorageError, match="disk is full") as full:  # noqa: PT012  (nobody knows which one it is)
            for number in range(200):
                await call(memory.long_term, "remember", f"alice owns the ticket {number * 7919}", scope=ALICE)
        assert (full.value.is_read_only, full.value.is_retryable) == (True, True)
        found = [await call(memory.long_term, "recall", QUESTION, scope=ALICE) for _ in range(40)]
        assert {it[0].memory.kind for it in found} == {"fact"}
        assert {(it.status, it.receipt_id is None) for it in found} <= {("ok", False), ("degraded", True)}
        assert (found[-1].status, found[-1].receipt_id) == ("degraded", None)
