"""What was erased is in no part of a SQLite file, nor in its log; what is left to do of that, a file says itself."""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from math import inf
from pathlib import Path
from typing import Any, Final, cast

import pytest
from sqlalchemy import Connection

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.checkpoints.sql import SQLThreads
from langchain_agentmem.errors import StorageError
from langchain_agentmem.privacy.reporting import MARKED, SQLITE
from langchain_agentmem.sql import scrubbing
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.scrubbing import REWRITTEN_AT_ONCE
from langchain_agentmem.sweeps import REWRITE_EVERY
from tests.conftest import Call, Colour
from tests.contracts.sweep_contract import HOUR, Time, opened
from tests.ledgers import ALICE, Drive, drive_of, raw
from tests.threads import Put

CHURNED: Final = "CREATE TABLE churned (id INT PRIMARY KEY, body) WITHOUT ROWID"
EVERY: Final = range(300)


class Churn:
    """Rows that come, change and go at random; with this seed, SQLite leaves copies of some in free parts of pages."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = Database(f"sqlite:///{path}")
        self.kept = dict[int, int]()

    def fill(self) -> Flow[None]:
        yield from self.database.write(lambda it: it.exec_driver_sql(CHURNED))
        yield from self.database.erase(self._churn)

    def _churn(self, connection: Connection) -> None:
        chance = random.Random(19)
        for number in EVERY:
            place = chance.choice(sorted(self.kept)) if self.kept and chance.random() < 0.5 else chance.randrange(10**6)
            if self.kept.pop(place, None) is None or chance.random() < 0.5:
                self.kept[place] = number
            body = f"<{number:03}>" * chance.randint(1, 150)
            connection.exec_driver_sql("DELETE FROM churned WHERE id = ?", (place,))
            if place in self.kept:
                connection.exec_driver_sql("INSERT INTO churned VALUES (?, ?)", (place, body))

    @property
    def copies(self) -> set[int]:
        """Rows that are gone, and are in a file."""
        return self.told - {*self.kept.values()}

    @property
    def told(self) -> set[int]:
        return {it for it in EVERY if f"<{it:03}>".encode() in raw(self.path)}

    @property
    def mark(self) -> int:
        with closing(sqlite3.connect(self.path)) as other:
            (found,) = other.execute("PRAGMA user_version").fetchone()
            return int(found)

    @contextmanager
    def beside(self, statement: str) -> Iterator[None]:
        """Let another process be in a transaction."""
        with closing(sqlite3.connect(self.path, isolation_level=None)) as other:
            other.execute("BEGIN" if statement.startswith("SELECT") else "BEGIN IMMEDIATE")
            other.execute(statement).fetchall()
            yield
            other.execute("ROLLBACK")


@pytest.fixture
def churn(tmp_path: Path) -> Iterator[Churn]:
    churn = Churn(tmp_path / "agent.db")
    yield churn
    churn.database.close()


# ---------------------------------------------------------------------------------------------------------------- files
async def test_a_scrub_leaves_no_copy_in_the_free_part_of_a_page(churn: Churn, drive: Drive) -> None:
    """The erasure says in its transaction that there may be copies; the scrub leaves none, and says so."""
    await drive(churn.fill())
    assert churn.mark % 2 == 1
    await drive(churn.database.scrub_erased())
    assert (churn.mark, churn.copies, churn.told) == (0, set(), {*churn.kept.values()})


async def test_a_large_file_is_written_anew_later_by_whoever_comes(churn: Churn, drive: Drive) -> None:
    """At once its log is emptied; copies stay, which the file says, until somebody takes the time."""
    await drive(churn.fill())
    await drive(churn.database.scrub_erased(up_to=1_000))
    left = churn.mark
    assert (left > 0, left % 2, churn.copies != set()) == (True, 0, True)
    await drive(churn.database.scrub_erased())  # nothing more was erased, and the log is empty: nothing to do
    assert churn.mark == left
    churn.database.close()
    other = Database(f"sqlite:///{churn.path}")
    await drive(other.scrub_erased(up_to=inf))
    other.close()
    assert (churn.mark, churn.copies) == (0, set())


@pytest.mark.parametrize("size", [100, REWRITTEN_AT_ONCE])
async def test_what_is_in_use_decides_and_not_the_size_of_the_file(churn: Churn, drive: Drive, size: int) -> None:
    """Where most of a file is free, writing it anew is quick."""

    def grow(connection: Connection) -> None:
        connection.exec_driver_sql("INSERT INTO churned VALUES (-1, zeroblob(?))", (REWRITTEN_AT_ONCE,))

    await drive(churn.fill())
    await drive(churn.database.write(grow))
    gone = "DELETE FROM churned WHERE id = -1" if size == 100 else "DELETE FROM churned WHERE id = -2"
    await drive(churn.database.erase(lambda it: it.exec_driver_sql(gone)))
    await drive(churn.database.scrub_erased())
    assert (churn.mark == 0) is (size == 100)


# ---------------------------------------------------------------------------------------------------------------- marks
async def test_what_erases_nothing_leaves_no_mark(churn: Churn, drive: Drive) -> None:
    """Nor what is rolled back, or only writes."""

    def fails(connection: Connection) -> None:
        connection.exec_driver_sql("DELETE FROM churned")
        raise ZeroDivisionError

    database = churn.database
    await drive(database.write(lambda it: it.exec_driver_sql(CHURNED)))
    await drive(database.write(lambda it: it.exec_driver_sql("INSERT INTO churned VALUES (1, 'body')")))
    await drive(database.erase(lambda it: it.exec_driver_sql("DELETE FROM churned WHERE id = 2")))
    with pytest.raises(ZeroDivisionError):
        await drive(database.erase(fails))
    assert churn.mark == 0


async def test_an_erasure_during_a_scrub_stays_marked(
    churn: Churn, drive: Drive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who scrubs takes back the mark it found, and nobody else's."""
    unmark = scrubbing._unmark

    def late(connection: sqlite3.Connection, done: int, left: int) -> None:
        with closing(sqlite3.connect(churn.path)) as other:
            scrubbing.mark(other)
        unmark(connection, done, left)

    await drive(churn.fill())
    first = churn.mark
    monkeypatch.setattr(scrubbing, "_unmark", late)
    await drive(churn.database.scrub_erased())
    assert churn.mark not in {0, first}
    assert churn.mark % 2 == 1


# --------------------------------------------------------------------------------------------------------------- others
async def test_a_scrub_that_failed_is_made_up_for(tmp_path: Path, drive: Drive) -> None:
    """Who repeats a deletion while nothing is left to delete empties the log all the same, in another process too."""
    path = tmp_path / "agent.db"
    threads = SQLThreads(Database(f"sqlite:///{path}"))
    await drive(threads.change("t", Put("1", [b"xyzzy" * 99]), at=0, expires_at=None))
    with sqlite3.connect(path) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM agentmem_items").fetchall()
        with pytest.raises(StorageError, match="write-ahead log") as refused:
            await drive(threads.delete("t"))
        reader.rollback()
    reader.close()
    assert (refused.value.is_retryable, b"xyzzy" in raw(path)) == (True, True)
    threads.database.close()
    again = SQLThreads(Database(f"sqlite:///{path}"))
    assert not await drive(again.delete("t"))
    assert b"xyzzy" not in raw(path)
    again.database.close()


@pytest.mark.parametrize("up_to", [REWRITTEN_AT_ONCE, inf])
async def test_while_others_write_nothing_is_lost_of_what_is_left_to_do(
    churn: Churn, drive: Drive, up_to: float
) -> None:
    """Whoever comes again does it."""
    await drive(churn.fill())
    found = churn.mark
    busy = pytest.raises(StorageError, match="another connection is in use")
    with churn.beside("UPDATE churned SET body = body"), busy as refused:
        await drive(churn.database.scrub_erased(up_to))
    assert (refused.value.is_retryable, churn.mark) == (True, found)
    await drive(churn.database.scrub_erased(up_to))
    assert (churn.mark, churn.copies) == (0, set())


def test_a_checkpoint_of_somebody_else_is_waited_for(churn: Churn) -> None:
    """SQLite itself tells at once that another one is going on, as where two processes erase."""
    run(churn.fill())
    begun = threading.Event()

    def empty() -> None:
        with closing(sqlite3.connect(churn.path, timeout=10)) as other:
            begun.set()
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()  # goes on until nobody reads any more

    with ThreadPoolExecutor() as threads:
        with churn.beside("SELECT * FROM churned"):
            emptied = threads.submit(empty)
            begun.wait()
            time.sleep(0.1)
            scrubbed = threads.submit(run, churn.database.scrub_erased(up_to=0))
            time.sleep(0.1)
        assert (emptied.result(), scrubbed.result()) == (None, None)
    assert churn.mark % 2 == 0


class _Full:
    """A connection on whose disk a second copy of the file has no room."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, statement: str) -> sqlite3.Cursor:
        if statement != "VACUUM":
            return self._connection.execute(statement)
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error


async def test_without_room_for_a_copy_the_file_stays_marked(
    churn: Churn, drive: Drive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who erases is done; who must have it written anew is told."""
    scrub = scrubbing.scrub
    await drive(churn.fill())
    with monkeypatch.context() as patch:
        patch.setattr(scrubbing, "scrub", lambda connection, up_to: scrub(cast(Any, _Full(connection)), up_to))
        await drive(churn.database.scrub_erased())
        with pytest.raises(StorageError, match="disk is full") as refused:
            await drive(churn.database.scrub_erased(up_to=inf))
    assert refused.value.is_retryable
    await drive(churn.database.scrub_erased(up_to=inf))
    assert (churn.mark, churn.copies) == (0, set())


# --------------------------------------------------------------------------------------------------------------- rounds
async def test_a_large_file_is_written_anew_within_a_day(tmp_path: Path, call: Call) -> None:
    """By whoever runs the jobs: what was left for later is done then."""
    clock = Time()
    with opened(f"sqlite:///{tmp_path / 'agent.db'}", clock) as memory:
        churn = Churn(tmp_path / "agent.db")
        churn.database = memory._database
        assert (await call(memory.jobs, "run")).failed == 0
        await arun(churn.fill())
        await arun(churn.database.scrub(up_to=0))
        clock.now += REWRITE_EVERY - HOUR
        await call(memory.jobs, "run")
        assert churn.copies
        clock.now += HOUR
        await call(memory.jobs, "run")
        assert (churn.mark, churn.copies) == (0, set())


async def test_a_report_says_what_is_left_to_do(tmp_path: Path, call: Call) -> None:
    """Whoever is told that a user was erased is told, too, that the file is to be written anew, until that is done."""
    path, clock = tmp_path / "agent.db", Time()
    with opened(f"sqlite:///{path}", clock) as memory:
        memory.long_term.remember("Alice keeps a xyzzy", scope=ALICE)
        done = await call(memory.privacy, "erase", ALICE)
        assert (b"xyzzy" in raw(path), MARKED in done.remains, SQLITE in done.remains) == (False, False, True)
        await arun(memory._database.scrub(up_to=0))
        left = await call(memory.privacy, "report", ALICE)
        assert (MARKED in left.remains, SQLITE in left.remains) == (True, False)
        clock.now += REWRITE_EVERY
        assert (await call(memory.jobs, "run")).failed == 0
        assert (await call(memory.privacy, "report", ALICE)).remains == done.remains


async def test_an_erased_user_leaves_a_mark_until_the_file_is_written_anew(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the transaction that ends the erasure: whoever ends right after it leaves that to others."""
    path = tmp_path / "agent.db"
    with opened(f"sqlite:///{path}", Time()) as memory:
        memory.long_term.remember("Alice keeps a xyzzy", scope=ALICE)
        with monkeypatch.context() as patch:
            patch.setattr(Database, "scrub", _nothing)
            assert MARKED in (await call(memory.privacy, "erase", ALICE)).remains
        await arun(memory._database.scrub_erased())
        assert b"xyzzy" not in raw(path)


def _nothing(_database: Database, up_to: float = 0) -> Flow[None]:
    del up_to
    yield from ()


@pytest.fixture
def drive(colour: Colour) -> Drive:
    return drive_of(colour)
