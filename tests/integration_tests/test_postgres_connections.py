from __future__ import annotations

import asyncio
import gc
import os
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from sqlalchemy import text

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.errors import StorageError
from langchain_agentmem.sql import postgres
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.prepared import Prepared, Transaction
from tests.conftest import Call, Colour
from tests.contracts.database_contract import comes_true
from tests.integration_tests.test_database import END, OPEN, asked
from tests.ledgers import Drive, drive_of
from tests.processes import Process, Say, together

ADD = Prepared(text("INSERT INTO agentmem_leases (thread_id, holder, until) VALUES (:name, '', 0)"))
COUNT = Prepared(text("SELECT count(*) FROM agentmem_leases"))
SLEEP = Prepared(text("SELECT pg_sleep(:seconds)"))
IN_TRANSACTION = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE '%in tran%'"


@pytest.fixture
def database(prepared_postgres_url: str) -> Iterator[Database]:
    database = Database(prepared_postgres_url)
    yield database
    database.close()


@pytest.fixture
def drive(colour: Colour) -> Drive:
    return drive_of(colour)


def add(database: Database, name: str, *, singly: bool = False) -> Flow[int]:
    return database.write_prepared(lambda it: ADD.change(it, [{"name": name}]), singly=singly)


def count(database: Database, *, singly: bool = False) -> Flow[int]:
    def body(connection: Transaction) -> int:
        [(found,)] = COUNT.rows(connection, {})
        return int(found)

    return database.read_prepared(body, singly=singly)


@pytest.mark.parametrize("singly", [False, True])
async def test_a_connection_that_the_server_has_ended_is_replaced(
    database: Database, prepared_postgres_url: str, drive: Drive, *, singly: bool
) -> None:
    """Nobody is told of it: the next call opens another."""
    await drive(add(database, "before", singly=singly))
    asked(prepared_postgres_url, END)
    assert comes_true(lambda: asked(prepared_postgres_url, OPEN) == "0")
    await drive(add(database, "after", singly=singly))
    asked(prepared_postgres_url, END)
    assert await drive(count(database, singly=singly)) == 2


@pytest.mark.parametrize("singly", [False, True])
async def test_what_may_have_been_written_is_never_repeated(
    database: Database, prepared_postgres_url: str, drive: Drive, *, singly: bool
) -> None:
    """Where the answer to a write is lost, the call fails as retryable, after one try."""
    await drive(add(database, "before", singly=singly))
    tries: list[int] = []

    def lost(connection: Transaction) -> None:
        tries.append(ADD.change(connection, [{"name": "lost"}]))
        asked(prepared_postgres_url, END)
        COUNT.rows(connection, {})

    with pytest.raises(StorageError) as error:
        await drive(database.write_prepared(lost, singly=singly))
    assert (error.value.is_retryable, tries) == (True, [1])
    assert await drive(count(database)) == 1 + singly


async def test_a_read_of_single_statements_is_begun_again_once(
    database: Database, prepared_postgres_url: str, drive: Drive
) -> None:
    """A connection lost under it is replaced; if that is lost as well, the call fails as retryable."""
    tries: list[int] = []

    def cut(connection: Transaction, *, times: int) -> int:
        tries.append(1)
        if len(tries) <= times:
            asked(prepared_postgres_url, END)
        return len(COUNT.rows(connection, {}))

    await drive(count(database))
    assert await drive(database.read_prepared(lambda it: cut(it, times=1), singly=True)) == 1
    assert len(tries) == 2
    tries.clear()
    with pytest.raises(StorageError) as error:
        await drive(database.read_prepared(lambda it: cut(it, times=9), singly=True))
    assert (error.value.is_retryable, len(tries)) == (True, 2)


async def test_a_body_that_raises_leaves_nothing(database: Database, drive: Drive, prepared_postgres_url: str) -> None:
    """What it wrote is rolled back, and its connection is used again."""

    def refuse(connection: Transaction) -> None:
        ADD.change(connection, [{"name": "refused"}])
        raise LookupError

    for _ in range(3):
        with pytest.raises(LookupError):
            await drive(database.write_prepared(refuse))
    await drive(add(database, "twice"))
    with pytest.raises(StorageError):
        await drive(add(database, "twice"))
    assert await drive(count(database)) == 1
    assert asked(prepared_postgres_url, OPEN) == "1"


async def test_a_cancelled_call_leaves_no_transaction_open(database: Database, prepared_postgres_url: str) -> None:
    """Neither what it wrote nor its locks are there when the cancellation is known."""

    def slow(connection: Transaction) -> None:
        ADD.change(connection, [{"name": "slow"}])
        SLEEP.rows(connection, {"seconds": 60})

    for pause_s in (0.0, 0.05, 0.2):
        running = asyncio.ensure_future(arun(database.write_prepared(slow)))
        await asyncio.sleep(pause_s)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert comes_true(lambda: asked(prepared_postgres_url, IN_TRANSACTION) == "0")
    assert await arun(count(database)) == 0
    await database.aclose()


async def test_more_callers_than_connections_take_turns(database: Database, prepared_postgres_url: str) -> None:
    """Threads and tasks each have their own few connections, and all of them are served."""
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda number: run(add(database, f"thread {number}")), range(60)))
    await asyncio.gather(*[arun(add(database, f"task {number}")) for number in range(60)])
    assert run(count(database)) == 120
    assert int(asked(prepared_postgres_url, OPEN)) <= 2 * postgres.MAX_OPEN + 2
    await database.aclose()


async def test_waiting_for_a_connection_ends(database: Database, drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every connection is in use for long, the call fails as retryable, and the next is served."""
    monkeypatch.setattr(postgres, "TURN_TIMEOUT_S", 0.05)
    monkeypatch.setattr(postgres, "MAX_OPEN", 1)
    database._postgres = connections = postgres.PostgresConnections(database.url)
    failed: list[Exception] = []

    async def occupy() -> None:
        with pytest.raises(StorageError, match="in use") as error:
            await drive_of("async")(count(database))
        failed.append(error.value)

    def body(_: Transaction) -> None:
        other = threading.Thread(target=lambda: failed.append(error_of(lambda: run(count(database)))))
        other.start()
        other.join()

    if drive is arun:
        holding = asyncio.ensure_future(arun(database.read_prepared(lambda it: SLEEP.rows(it, {"seconds": 60}))))
        while not connections._loops.current().permits.locked():  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.01)
        await occupy()
        holding.cancel()
        await asyncio.wait([holding])
    else:
        run(database.read_prepared(body))
    assert [isinstance(it, StorageError) and it.is_retryable for it in failed] == [True]
    assert await drive(count(database)) == 0


def error_of(act: Callable[[], object]) -> Exception:
    with pytest.raises(StorageError, match="in use") as error:
        act()
    return error.value


async def test_closing_releases_every_connection_of_ours(prepared_postgres_url: str, call: Call) -> None:
    """Of threads, of this event loop, and of others; afterwards the database says that it is closed."""
    database = Database(prepared_postgres_url)
    run(add(database, "sync"))
    await arun(add(database, "async"))
    await asyncio.to_thread(lambda: asyncio.run(arun(add(database, "another loop"))))
    await call(database, "close")
    assert comes_true(lambda: asked(prepared_postgres_url, OPEN) == "0")
    with pytest.raises(StorageError, match="closed"):
        run(count(database))


@pytest.mark.usefixtures("old_kept")
def test_a_loop_that_ended_leaves_no_connection_of_ours(database: Database, prepared_postgres_url: str) -> None:
    """However many loops came and went, only the connections of the last one are open."""
    for number in range(4):
        asyncio.run(arun(add(database, f"{number}")))
        gc.collect()
    assert comes_true(lambda: asked(prepared_postgres_url, OPEN) == "1")


def fork_while_open(say: Say, url: str) -> None:
    """Write in every way, and in a child; say how many rows there are."""
    warnings.simplefilter("ignore", DeprecationWarning)  # Python's, about threads of a process that forks
    database = Database(url)
    run(add(database, "sync"))

    async def work() -> None:
        await arun(add(database, "async"))
        if (child := os.fork()) == 0:
            run(add(database, "child"))
            database.close()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0  # noqa: ASYNC222  (nothing else runs)
        await arun(add(database, "parent, async"))
        run(add(database, "parent, sync"))
        say(await arun(count(database)))
        await database.aclose()

    asyncio.run(work())


def test_a_forked_child_opens_connections_of_its_own(prepared_postgres_url: str) -> None:
    """A child writes and closes; the parent goes on with its connections."""
    assert together([Process(fork_while_open, prepared_postgres_url)]) == [[5]]


def test_what_the_url_says_of_a_connection_is_heeded(prepared_postgres_url: str) -> None:
    """Parameters of libpq reach the connections that are ours too."""
    database = Database(f"{prepared_postgres_url}?application_name=the-agent")
    run(count(database))
    with psycopg.connect(prepared_postgres_url.replace("+psycopg", "")) as admin:
        rows = admin.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'the-agent'").fetchall()
    database.close()
    assert rows == [(2,)]
