from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from sqlalchemy import Connection

from langchain_agentmem._flow import Flow, run
from langchain_agentmem.errors import ConfigurationError, IntegrityError, StorageError
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.peeking import peek
from langchain_agentmem.sql.sqlite import APPLICATION_ID
from tests.children import recall_at_limit, write_one
from tests.contracts.database_contract import DatabaseContract
from tests.ledgers import ALICE, Drive, change, drive_of, erase, length_of, memory, put, raw
from tests.processes import Process, together


class TestDatabase(DatabaseContract):
    """The contract on a SQLite file."""

    @pytest.fixture
    def shared_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'agent.db'}"

    @pytest.fixture
    def urls(self, tmp_path: Path) -> list[str]:
        return [f"sqlite:///{tmp_path / f'{number}.db'}" for number in range(6)]

    @staticmethod
    def open_handles(url: str) -> int:
        path = url.removeprefix("sqlite:///")
        return sum(file.path.startswith(path) for file in psutil.Process().open_files())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


@pytest.fixture
def ledger(path: Path) -> Iterator[SQLLedger]:
    ledger = SQLLedger(Database(f"sqlite:///{path}"))
    yield ledger
    ledger.database.close()


# ----------------------------------------------------------------------------------------------------------- bad paths
def foreign_tables(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE invoices (id INTEGER PRIMARY KEY, amount REAL)")
        connection.execute("INSERT INTO invoices (amount) VALUES (9.99)")
    connection.close()


def foreign_wal(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    connection.close()
    foreign_tables(path)


def foreign_application(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA application_id = 42")
    connection.close()


UNUSABLE: dict[str, Callable[[Path], object]] = {
    "another application's tables": foreign_tables,
    "another application's tables in WAL mode": foreign_wal,
    "another application's id": foreign_application,
    "a text file": lambda path: path.write_text("dear diary\n" * 100),
    "a short text file": lambda path: path.write_text("x"),
    "a header without a database": lambda path: path.write_bytes(b"SQLite format 3\x00" + b"?" * 200),
    "a folder": lambda path: path.mkdir(),
    "a pipe": os.mkfifo,
}


@pytest.mark.parametrize("what", UNUSABLE)
def test_what_is_not_ours_is_refused_and_left_as_it_is(path: Path, what: str) -> None:
    """A path that holds something else is an error at once; not a byte of it changes and no file appears beside it."""
    UNUSABLE[what](path)
    before = files(path.parent)
    with pytest.raises(ConfigurationError, match=r"agent\.db"):
        Database(f"sqlite:///{path}")
    assert files(path.parent) == before


@pytest.mark.parametrize("place", ["no/such/folder/agent.db", "agent\x00.db", "long" * 100, "file.txt/agent.db"])
def test_a_path_that_cannot_be_is_refused(tmp_path: Path, place: str) -> None:
    """A missing folder, NUL, a name that is too long: an error of ours before anything is created."""
    (tmp_path / "file.txt").write_text("text")
    before = files(tmp_path)
    with pytest.raises(ConfigurationError):
        Database(f"sqlite:///{tmp_path}/{place}")
    assert files(tmp_path) == before


@pytest.mark.parametrize("exists", [True, False])
def test_a_path_without_permission_is_refused(path: Path, exists: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001
    """A file or folder that this process may not write is refused when the database is named."""
    if exists:
        path.touch()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ConfigurationError, match="cannot be written"):
        Database(f"sqlite:///{path}")


def test_a_file_that_cannot_be_read_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A permission to write without one to read is no use."""
    path.touch()
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.R_OK)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        Database(f"sqlite:///{path}")


def test_naming_a_file_again_takes_no_lock_from_who_has_it_open(ledger: SQLLedger, path: Path) -> None:
    """Another process that comes and goes leaves the log of a file that is open here, however often it is named."""
    run(put(ledger, memory()))
    Database(f"sqlite:///{path}").close()
    command = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT * FROM agentmem_jobs').fetchall()"
    subprocess.run([sys.executable, "-c", command, str(path)], check=True)
    assert path.with_name(f"{path.name}-wal").exists()
    assert run(length_of(ledger)) == 1


@pytest.mark.parametrize(
    "url",
    [
        "",
        "agent.db",
        "mysql://user@host/name",
        "postgresql://user@host:port/name",
        "oracle://x",
        "sqlite:///file:agent.db?mode=memory&uri=true",
        "://",
        None,
        7,
    ],
)
def test_a_url_of_nothing_we_know_is_refused(url: str) -> None:
    """A malformed URL or another backend: the message says what works."""
    with pytest.raises(ConfigurationError, match="sqlite"):
        Database(url)


def test_an_empty_file_becomes_ours(path: Path) -> None:
    """A file made beforehand, with permissions of one's own, is used; from then on its header says whose it is."""
    path.touch()
    database = Database(f"sqlite:///{path}")
    run(database.open())
    database.close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    connection.close()


def test_naming_a_database_creates_nothing(path: Path) -> None:
    """The file appears with the first transaction."""
    Database(f"sqlite:///{path}").close()
    assert files(path.parent) == {}


def test_a_relative_path_stays_where_it_was_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that changes its folder later goes on with the same file."""
    monkeypatch.chdir(tmp_path)
    database = Database("sqlite:///agent.db")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    run(database.open())
    database.close()
    assert "agent.db" in files(tmp_path)


# ----------------------------------------------------------------------------------------------------- failing storage
def pragma(ledger: SQLLedger, setting: str) -> Flow[object]:
    """Set up the connection that the next transaction is given too."""
    return ledger.database.read(lambda connection: connection.exec_driver_sql(f"PRAGMA {setting}"))


async def test_a_full_disk_writes_nothing_and_may_be_retried(ledger: SQLLedger, drive: Drive) -> None:
    """Where no page can be added, the call fails whole; with room again the same call works."""
    await drive(put(ledger, memory()))
    await drive(pragma(ledger, "max_page_count = 1"))
    big = memory("big", content="x" * 500_000)
    with pytest.raises(StorageError, match="full") as full:
        await drive(put(ledger, big))
    assert full.value.is_retryable
    assert await drive(length_of(ledger)) == 1
    await drive(pragma(ledger, "max_page_count = 1000000"))
    await drive(put(ledger, big))
    assert (await drive(ledger.verify(ALICE))).is_intact


async def test_a_file_that_became_read_only_is_an_error(ledger: SQLLedger, drive: Drive) -> None:
    """A write that the file system refuses is told as such, and is not called retryable."""
    await drive(put(ledger, memory()))
    await drive(pragma(ledger, "query_only = ON"))
    with pytest.raises(StorageError, match="cannot be written") as refused:
        await drive(put(ledger, memory("m2")))
    assert not refused.value.is_retryable
    assert await drive(length_of(ledger)) == 1


async def test_a_locked_database_may_be_retried(path: Path, ledger: SQLLedger, drive: Drive) -> None:
    """Where another writer does not end in time, the call fails as retryable and says what helps; readers go on."""
    await drive(put(ledger, memory()))
    impatient = SQLLedger(Database(f"sqlite:///{path}", busy_timeout_s=0.05))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match="busy_timeout_s") as locked:
        await drive(put(impatient, memory("m2")))
    assert locked.value.is_retryable
    assert await drive(length_of(impatient)) == 1
    other.close()
    await drive(put(impatient, memory("m2")))
    impatient.database.close()


async def test_a_writer_waits_for_another_one(path: Path, ledger: SQLLedger, drive: Drive) -> None:
    """A lock that ends in time is no error at all."""
    await drive(put(ledger, memory()))
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.1, other.close).start()
    await drive(put(ledger, memory("m2")))
    assert await drive(length_of(ledger)) == 2


async def test_a_damaged_file_is_an_integrity_error(path: Path, ledger: SQLLedger, drive: Drive) -> None:
    """Pages overwritten with something else are found when they are read, and named as damage."""
    for number in range(50):
        run(put(ledger, memory(f"m{number}")))
    ledger.database.close()
    overwrite(path)
    damaged = SQLLedger(Database(f"sqlite:///{path}"))
    with pytest.raises(IntegrityError, match="backup"):
        await drive(length_of(damaged))
    damaged.database.close()


def test_a_file_of_which_not_even_the_error_can_be_read_is_an_integrity_error(path: Path, ledger: SQLLedger) -> None:
    """What SQLite says of a damaged schema may be no UTF-8: it is damage all the same, for who opens and who looks."""
    run(put(ledger, memory()))
    ledger.database.close()
    whole = bytearray(path.read_bytes())
    begin = whole.index(b"CREATE TABLE agentmem_jobs")
    whole[begin : begin + 3], whole[whole.rindex(b"agentmem_jobsagentmem_jobs", 0, begin)] = b"XYZ", 0x92
    path.write_bytes(whole)
    damaged = Database(f"sqlite:///{path}")
    for look in (damaged.read(lambda it: it.exec_driver_sql("SELECT 1")), peek(damaged)):
        with pytest.raises(IntegrityError, match="backup"):
            run(look)
    damaged.close()


def test_a_limit_of_file_sizes_lets_what_is_there_be_read(path: Path) -> None:
    """Where no file may grow, as where the disk is full, nothing is written, and a recall answers without a receipt."""
    ((error, status, hits),) = together([Process(recall_at_limit, str(path))])
    assert "SQLITE_IOERR_WRITE" in error
    assert (status, hits) == ("degraded", 1)


def test_messages_hold_no_memory_text(ledger: SQLLedger) -> None:
    """What fails in the database is told without what was to be written."""
    run(put(ledger, memory()))
    run(pragma(ledger, "query_only = ON"))
    with pytest.raises(StorageError) as refused:
        run(put(ledger, memory("m2", content="xyzzy")))
    assert "xyzzy" not in str(refused.value)


def test_a_durable_database_syncs_every_commit(path: Path) -> None:
    """`durable=True` is SQLite's FULL; the default is NORMAL."""
    for durable, level in ((True, 2), (False, 1)):
        database = Database(f"sqlite:///{path}", durable=durable)
        assert run(database.read(lambda it: it.exec_driver_sql("PRAGMA synchronous").scalar())) == level
        database.close()


# ------------------------------------------------------------------------------------------------------------- erasure
async def test_no_byte_of_an_erased_memory_is_in_a_file(path: Path, ledger: SQLLedger, drive: Drive) -> None:
    """Database, write-ahead log and shared memory hold nothing of its text, subject, tags or evidence any more."""
    for number in range(40):
        secret = f"xyzzy-{number:03}-"
        kept = memory(f"m{number}", content=secret + "lorem " * (number * 37 % 900), subject=secret, tags=(secret,))
        await drive(put(ledger, kept))
        await drive(change(ledger, f"m{number}", content=secret + "later " * (number * 53 % 700)))
    assert b"xyzzy-003-" in raw(path)
    for number in range(0, 40, 3):
        await drive(erase(ledger, f"m{number}"))
    await drive(ledger.scrub())
    left = raw(path)
    assert [number for number in range(0, 40, 3) if f"xyzzy-{number:03}-".encode() in left] == []
    assert [number for number in range(1, 40, 3) if f"xyzzy-{number:03}-".encode() not in left] == []
    assert (await drive(ledger.verify(ALICE))).is_intact


async def test_references_are_looked_for_again_after_an_erasure(ledger: SQLLedger, drive: Drive) -> None:
    """Only the transaction that erases does without, on a connection that others use after it."""

    def checks(connection: Connection) -> object:
        return connection.exec_driver_sql("PRAGMA foreign_keys").scalar()

    database = ledger.database
    runs = (database.read, database.erase, database.write, database.erase, database.read)
    assert [await drive(mode(checks)) for mode in runs] == [1, 0, 1, 0, 1]


# --------------------------------------------------------------------------------------------------- several processes
def test_four_processes_open_a_new_file_at_once(path: Path) -> None:
    """Each of four first openers finds the tables and keeps what it writes."""
    together([Process(write_one, f"sqlite:///{path}", f"m{number}") for number in range(4)])
    ledger = SQLLedger(Database(f"sqlite:///{path}"))
    assert run(length_of(ledger)) == 4
    assert run(ledger.verify(ALICE)).is_intact
    ledger.database.close()


@pytest.fixture
def drive(colour: str) -> Drive:
    return drive_of("sync" if colour == "sync" else "async")


def overwrite(path: Path) -> None:
    """Put something else into all pages but the first."""
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))


def files(folder: Path) -> dict[str, str]:
    """Return the name and the content's hash of everything in a folder."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else "no file"
        for file in sorted(folder.rglob("*"))
    }
