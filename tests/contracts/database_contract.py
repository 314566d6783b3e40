"""What a database that several connections share promises: a SQLite file, or PostgreSQL."""

from __future__ import annotations

import asyncio
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, MetaData, Table, create_engine, func, inspect, select, text

from langchain_agentmem._flow import arun, run
from langchain_agentmem._marks import Marks
from langchain_agentmem.errors import MigrationError, StorageError
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sql import schema_version
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import METADATA, SUBJECTS
from langchain_agentmem.sql.sqlite import VERSION_TABLE
from tests.children import fork_while_open, write_one
from tests.conftest import Call, Colour
from tests.fixtures.make_database import FOLDER
from tests.ledgers import (
    ALICE,
    BOB,
    KEY,
    Clock,
    Drive,
    change,
    drive_of,
    dump,
    every_event,
    fetch,
    length_of,
    memory,
    put,
    sql,
)
from tests.processes import Process, together

OLDER: Final = [it.stem for it in sorted(FOLDER.glob("*.db")) if it.stem < schema_version.HEAD]
"""Every schema but that of the code; of each there is a database."""

OLD_SUBJECT = """
    INSERT INTO agentmem_subjects
    (tenant_id, user_id, genesis, head_seq, head_digest, consent_status, consent_purposes, created_at)
    VALUES ('default', 'zoe', :empty, 0, :empty, 'granted', '[]', 0)
"""
"""A user, as every schema knows one."""


class DatabaseContract:
    """Laws of several connections, threads, event loops and processes. `open_handles` says how to count them."""

    @staticmethod
    def open_handles(url: str) -> int:
        """Return how many files or connections are open on a database."""
        raise NotImplementedError

    @pytest.fixture
    def shared_url(self) -> str:
        """URL of an empty database that several connections can share."""
        raise NotImplementedError

    @pytest.fixture
    def opened(self, shared_url: str) -> Iterator[Callable[[], SQLLedger]]:
        """Open the same database anew, as another process would."""
        databases: list[Database] = []

        def reopen() -> SQLLedger:
            databases.append(Database(shared_url))
            return SQLLedger(databases[-1], key=KEY, clock=Clock())

        yield reopen
        for database in databases:
            database.close()

    @pytest.fixture
    def drive(self, colour: Colour) -> Drive:
        return drive_of(colour)

    # --------------------------------------------------------------------------------------------------- transactions
    async def test_a_read_sees_one_moment(self, opened: Callable[[], SQLLedger], drive: Drive) -> None:
        """What others commit while a read runs is not in it."""
        reader, writer = opened(), opened()
        run(put(writer, memory("before")))

        def twice(view: LedgerReader) -> tuple[int, list[int], list[int]]:
            first = every_event(view)
            blocking(lambda: run(put(writer, memory("meanwhile"))))
            return view.head.seq, first, every_event(view)

        assert await drive(reader.read(ALICE, twice)) == (1, [1], [1])
        assert await drive(length_of(reader)) == 2

    def test_writers_of_one_chain_take_turns(self, opened: Callable[[], SQLLedger]) -> None:
        """Threads with connections of their own append to one chain: nothing is lost, and it stays intact."""
        ledgers = [opened() for _ in range(4)]

        def write(number: int) -> None:
            for count in range(10):
                run(put(ledgers[number % 4], memory(f"m{number}-{count}")))

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(write, range(6)))
        verification = run(ledgers[0].verify(ALICE))
        assert (verification.events, verification.problems) == (60, ())

    async def test_awaited_writers_of_one_chain_take_turns(self, opened: Callable[[], SQLLedger]) -> None:
        """The same with tasks of one event loop, more of them than connections in the pool."""
        ledger = opened()
        await asyncio.gather(*[arun(put(ledger, memory(f"m{number}"))) for number in range(24)])
        verification = await arun(ledger.verify(ALICE))
        assert (verification.events, verification.problems) == (24, ())

    def test_verify_finds_nothing_while_others_write(self, opened: Callable[[], SQLLedger]) -> None:
        """Checking and rebuilding a chain that grows meanwhile raises no false alarm."""
        checker, writer = opened(), opened()
        run(put(writer, memory()))
        done = threading.Event()

        def write() -> None:
            for number in range(40):
                run(change(writer, "m1", sightings=number))
            done.set()

        thread = threading.Thread(target=write)
        thread.start()
        problems: list[Any] = []
        while not done.is_set():
            problems += run(checker.verify(ALICE)).problems
            run(checker.replay(ALICE))
        thread.join()
        assert problems == []
        assert run(checker.verify(ALICE)).events == 41

    # -------------------------------------------------------------------------------------------------- loops, closing
    def test_event_loops_follow_each_other(self, opened: Callable[[], SQLLedger]) -> None:
        """One object serves loop after loop, and sync calls between them."""
        ledger = opened()
        for number in range(3):
            asyncio.run(write_and_read(ledger, f"async-{number}"))
            run(put(ledger, memory(f"sync-{number}")))
        assert run(length_of(ledger)) == 6

    def test_event_loops_run_side_by_side(self, opened: Callable[[], SQLLedger]) -> None:
        """Two loops in two threads use one object at the same time."""
        ledger = opened()

        def serve(name: str) -> None:
            async def several() -> None:
                await asyncio.gather(*[write_and_read(ledger, f"{name}-{number}") for number in range(5)])

            asyncio.run(several())

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(serve, ("one", "two")))
        assert run(length_of(ledger)) == 10

    async def test_closing_releases_every_connection(self, shared_url: str, call: Call) -> None:
        """After close, by either colour, nothing of this process holds the database."""
        database = Database(shared_url)
        ledger = SQLLedger(database)
        run(put(ledger, memory("sync")))
        await arun(put(ledger, memory("async")))
        await asyncio.to_thread(lambda: asyncio.run(write_and_read(ledger, "other loop")))
        assert self.open_handles(shared_url) > 0
        await call(database, "close")
        await call(database, "close")
        assert comes_true(lambda: self.open_handles(shared_url) == 0)

    async def test_a_closed_database_says_so(self, shared_url: str, call: Call, drive: Drive) -> None:
        """Every use after close is an error of ours, and opens nothing."""
        database = Database(shared_url)
        ledger = SQLLedger(database)
        await drive(put(ledger, memory()))
        await call(database, "close")
        for flow in (put(ledger, memory("late")), length_of(ledger), ledger.verify(ALICE), ledger.replay(ALICE)):
            with pytest.raises(StorageError, match="closed"):
                await drive(flow)
        assert comes_true(lambda: self.open_handles(shared_url) == 0)

    async def test_a_failure_quotes_no_value(self, shared_url: str, call: Call, drive: Drive) -> None:
        """Neither its message nor what it came from: tracebacks end up in logs."""
        database, word = Database(shared_url), "quokka"
        insert = text("INSERT INTO nowhere VALUES (:it)")
        with pytest.raises(StorageError) as caught:
            await drive(database.write(lambda it: it.execute(insert, {"it": word})))
        await call(database, "close")
        told = "".join(traceback.format_exception(caught.value))
        assert ("nowhere" in told, word in told) == (True, False)

    async def test_a_database_closed_before_its_first_use_stays_closed(
        self, shared_url: str, call: Call, drive: Drive
    ) -> None:
        """Closing does not open, and what was never opened does not open later."""
        database = Database(shared_url)
        await call(database, "close")
        with pytest.raises(StorageError, match="closed"):
            await drive(length_of(SQLLedger(database)))

    def test_a_forked_child_leaves_its_parents_connections_alone(self, shared_url: str) -> None:
        """A child writes and closes with connections of its own; the parent goes on with its."""
        assert together([Process(fork_while_open, shared_url)]) == [[4]]

    # ----------------------------------------------------------------------------------------------------------- schema
    async def test_databases_are_opened_side_by_side(
        self, urls: list[str], drive: Drive, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each is migrated as if it were the only one of the process."""
        monkeypatch.setattr(schema_version, "_upgrade", partial(schema_version._upgrade))  # none is a copy
        databases = list(map(Database, urls))
        if drive is arun:
            await asyncio.gather(*[arun(database.open()) for database in databases])
        else:
            with ThreadPoolExecutor(len(urls)) as pool:
                list(pool.map(lambda database: run(database.open()), databases))
        for database in databases:
            assert run(database.read(differences)) == []
            database.close()

    async def test_first_openers_share_one_migration(self, shared_url: str, drive: Drive) -> None:
        """Whoever comes first makes the tables, the others wait for them."""
        databases = [Database(shared_url) for _ in range(4)]
        if drive is arun:
            await asyncio.gather(*[arun(database.open()) for database in databases])
        else:
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(lambda database: run(database.open()), databases))
        assert {str(dump(database)) for database in databases} == {str({name: [] for name in tables()})}
        for database in databases:
            database.close()

    def test_the_migrations_make_the_schema_that_the_code_uses(self, opened: Callable[[], SQLLedger]) -> None:
        """Alembic finds no difference between the migrated database and the tables in the code."""
        database = opened().database
        assert run(database.read(differences)) == []
        assert set(run(database.read(lambda connection: inspect(connection).get_table_names()))) == {
            *tables(),
            VERSION_TABLE,
        }

    @pytest.fixture(params=OLDER)
    def older(
        self, opened: Callable[[], SQLLedger], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
    ) -> tuple[str, Database]:
        """A database of each earlier schema, and which it is."""
        revision: str = request.param
        with monkeypatch.context() as patch:
            patch.setattr(schema_version, "HEAD", revision)
            patch.setattr(Marks, "expect", lambda *args, **named: None)
            patch.setattr(schema_version, "_upgrade", lambda connection: upgrade(connection, revision))
            database = opened().database
            run(database.open())
        return revision, database

    def test_four_processes_bring_an_older_schema_up_to_date_once(
        self, shared_url: str, opened: Callable[[], SQLLedger], older: tuple[str, Database]
    ) -> None:
        """All of them come up and keep what they write, and the rows that were there stay."""
        sql(older[1], OLD_SUBJECT, empty=b"")
        together([Process(write_one, shared_url, f"m{number}") for number in range(4)])
        ledger = opened()
        assert run(ledger.database.read(differences)) == []
        assert run(length_of(ledger)) == 4
        assert run(SQLLedger(ledger.database).verify(ALICE)).is_intact
        assert [row[2] for row in dump(ledger.database, SUBJECTS)[SUBJECTS.name]] == ["zoe", "alice"]

    def test_an_older_schema_is_brought_up_to_date(
        self, opened: Callable[[], SQLLedger], older: tuple[str, Database]
    ) -> None:
        """Its rows stay, the tables become those of the code, and new rows go in."""
        sql(older[1], OLD_SUBJECT, empty=b"")
        ledger = opened()
        assert run(ledger.database.read(differences)) == []
        run(put(ledger, memory()))
        assert [row[2] for row in dump(ledger.database, SUBJECTS)[SUBJECTS.name]] == ["zoe", "alice"]

    async def test_what_an_earlier_release_wrote_is_there_today(
        self, opened: Callable[[], SQLLedger], older: tuple[str, Database], drive: Drive
    ) -> None:
        """The rows of the database that was kept of that schema: none is lost, and the log verifies and goes on."""
        revision, database = older
        before = run(database.write(lambda connection: moved_in(connection, revision)))
        ledger = opened()
        assert run(ledger.database.read(differences)) == []
        assert {name: len(rows) for name, rows in dump(ledger.database).items() if name in before} == before
        results = [await drive(ledger.verify(scope)) for scope in (ALICE, BOB)]
        assert [(it.events, it.problems, it.is_authenticated) for it in results] == [(10, (), True), (2, (), True)]
        assert [await drive(ledger.replay(scope)) for scope in (ALICE, BOB)] == [5, 1]
        assert (await drive(fetch(ledger, "m2"))).content == "prefers coffee"
        await drive(put(ledger, memory("new")))
        assert (await drive(ledger.verify(ALICE))).is_intact

    async def test_a_schema_newer_than_the_code_is_refused(self, opened: Callable[[], SQLLedger], drive: Drive) -> None:
        """An old release does not touch what a new one wrote."""
        ledger = opened()
        run(put(ledger, memory()))
        sql(ledger.database, "UPDATE agentmem_schema SET version_num = '9999'")
        before = dump(ledger.database)
        for flow in (length_of(opened()), put(opened(), memory("m2"))):
            with pytest.raises(MigrationError, match="9999"):
                await drive(flow)
        assert dump(ledger.database) == before

    async def test_a_migration_that_fails_leaves_nothing(
        self, shared_url: str, drive: Drive, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Half a schema is no schema: the tables made before the failure are gone, and the next try works."""

        def broken(connection: Connection) -> None:
            METADATA.create_all(connection)
            connection.exec_driver_sql("SELECT * FROM a_table_that_is_not_there")

        database = Database(shared_url)
        with monkeypatch.context() as patch:
            patch.setattr(schema_version, "_upgrade", broken)
            with pytest.raises(MigrationError, match="rolled back"):
                await drive(database.open())
        await drive(put(SQLLedger(database), memory()))
        assert await drive(length_of(SQLLedger(database))) == 1
        database.close()


def moved_in(connection: Connection, name: str) -> dict[str, int]:
    """Copy the rows of a kept database into empty tables of its schema; return how many each table has."""
    kept = create_engine(f"sqlite:///{FOLDER / name}.db")
    tables = MetaData()
    tables.reflect(connection)
    with kept.connect() as old:
        rows = {table: old.execute(table.select()).mappings().all() for table in tables.sorted_tables}
    kept.dispose()
    for table, found in rows.items():
        if found and table.name != VERSION_TABLE:
            connection.execute(table.insert(), [dict(row) for row in found])
    if connection.dialect.name == "postgresql":
        for table in tables.sorted_tables:
            count_on(connection, table)
    return {table.name: len(found) for table, found in rows.items() if table.name != VERSION_TABLE}


def count_on(connection: Connection, table: Table) -> None:
    """Have numbers that the server gives begin after those that were copied."""
    for column in table.c:
        serial = func.pg_get_serial_sequence(table.name, column.name)
        if connection.execute(select(serial)).scalar() is not None:
            connection.execute(select(func.setval(serial, select(func.max(column)).scalar_subquery())))


def differences(connection: Connection) -> Any:  # noqa: ANN401
    """Return what Alembic finds to differ between a database and the tables in the code."""
    options = {"version_table": VERSION_TABLE, "compare_type": True, "compare_server_default": True}
    return compare_metadata(MigrationContext.configure(connection, opts=options), METADATA)


def upgrade(connection: Connection, revision: str) -> None:
    """Apply migrations up to one of them, as the release did for which it was the last."""
    config = schema_version._config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def tables() -> list[str]:
    """Return the names of our tables."""
    return [table.name for table in METADATA.sorted_tables]


async def write_and_read(ledger: SQLLedger, memory_id: str) -> None:
    """Write one memory and check that it is there."""
    await arun(put(ledger, memory(memory_id)))
    assert await arun(ledger.read(ALICE, lambda reader: reader.memory(memory_id)))


def blocking(call: Callable[[], object]) -> None:
    """Call on another thread and wait."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(call).result()


def comes_true(condition: Callable[[], bool], *, within_s: float = 60.0) -> bool:
    """Whether a condition comes true in time: a server ends a connection a moment after its client did."""
    deadline = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
