"""PostgreSQL and Redis behind lines that break: the agent answers, and the next turn goes on."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, Never, TypeAlias

import pytest
from sqlalchemy import Connection, Text, cast, func, make_url, select

from langchain_agentmem import AgentMemory, StorageError
from langchain_agentmem._flow import step
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.patient import unhurried
from langchain_agentmem.sql.prepared import Prepared, Transaction
from tests.conftest import Colour
from tests.contracts.degradation_contract import DegradationContract
from tests.degraded import LAYERS, World
from tests.faulty import AHEAD, FaultyEmbeddings, FaultyModel, Switch, impatient
from tests.ledgers import drive_of
from tests.proxy import Proxy, proxy
from tests.whole import few

Body: TypeAlias = Callable[[Any], None]

FAULTS: Final = (
    "ledger down",
    "ledger cut",
    "ledger slow",
    "store down",
    "store slow",
    "embeddings raise",
    "brain raises",
    "policies unreadable",
)
SLEEP = Prepared(select(cast(func.pg_sleep(1), Text)))
SLOW_S = 0.5
"""How long a server may take here."""


def through(line: Proxy, url: str) -> str:
    return url.replace(f":{make_url(url).port}", f":{line.port}")


def unreadable() -> Never:
    msg = "no such folder: my secret"
    raise OSError(msg)


class TestDegradation(DegradationContract):
    """Every fault in layers that have little in common; in every layer it is on SQLite."""

    @pytest.fixture(params=few(("graph", "queueing", "working", "chain"), of=LAYERS))
    def layer(self, request: pytest.FixtureRequest) -> str:
        layer: str = request.param
        return layer

    @pytest.fixture(params=FAULTS)
    def fault(self, request: pytest.FixtureRequest) -> str:
        fault: str = request.param
        return fault

    @pytest.fixture
    async def world(self, prepared_postgres_url: str, valkey_url: str, colour: Colour) -> AsyncIterator[World]:
        postgres, valkey = make_url(prepared_postgres_url), make_url(valkey_url)
        with impatient(), proxy(postgres.port or 0) as ledger, proxy(valkey.port or 0) as store:
            url = make_url(through(ledger, prepared_postgres_url)).update_query_dict(
                {"connect_timeout": "2"}
            )  # the least
            database = Database(url.render_as_string(hide_password=False), answer_timeout_s=SLOW_S)
            fast = RedisDatabase(through(store, valkey_url), timeout_s=SLOW_S, connect_timeout_s=SLOW_S)
            embeddings, brain = FaultyEmbeddings(), Switch()
            options = MemoryOptions(consent="assumed", model=FaultyModel(switch=brain))
            async with AgentMemory(database, embeddings=embeddings, redis=fast, options=options) as memory:
                library: Any = memory.procedural._library
                break_ = {
                    "ledger down": ledger.refuse,
                    "ledger cut": lambda: ledger.cut_after(replies=2_000),
                    "ledger slow": ledger.pause,
                    "store down": store.refuse,
                    "store slow": store.pause,
                    "embeddings raise": lambda: embeddings.break_("raises"),
                    "brain raises": lambda: brain.break_("raises"),
                    "policies unreadable": lambda: library.__dict__.update(current=unreadable),
                }

                def heal() -> None:
                    ledger.heal()
                    store.heal()
                    library.__dict__.pop("current", None)

                world = World(
                    memory=memory, colour=colour, break_=break_, heal_=heal, embeddings=embeddings, brain=brain
                )
                yield world
                world.heal()


def sleep(connection: Connection) -> None:
    connection.exec_driver_sql("SELECT pg_sleep(1)")


def one(connection: Connection) -> int:
    found: int = connection.exec_driver_sql("SELECT 1").scalar_one()
    return found


def sleep_prepared(link: Transaction) -> None:
    SLEEP.rows(link, {})


@pytest.mark.parametrize(("way", "body"), [("read", sleep), ("write", sleep), ("write_prepared", sleep_prepared)])
async def test_a_server_that_does_not_answer_is_waited_for_no_longer_than_said(
    prepared_postgres_url: str, colour: Colour, way: str, body: Body
) -> None:
    """A statement that waits, for a lock or for a server that stands still, is an error; the next ones are told it."""
    database = Database(prepared_postgres_url, answer_timeout_s=SLOW_S)
    drive = drive_of(colour)
    await drive(database.open())
    with impatient():
        with pytest.raises(StorageError, match="has not answered for") as failed:
            await drive(getattr(database, way)(body))
        with pytest.raises(StorageError, match=re.escape(str(failed.value))) as again:
            await drive(database.read(one))
        AHEAD.rest()
        assert await drive(database.read(one)) == 1
    assert failed.value.is_retryable
    assert again.value.is_retryable
    await drive(step(database.close, database.aclose))


async def test_a_migration_takes_as_long_as_it_takes(prepared_postgres_url: str, colour: Colour) -> None:
    """Making an index of a large table is no sign of trouble."""
    database = Database(prepared_postgres_url, answer_timeout_s=SLOW_S)
    drive = drive_of(colour)
    await drive(database.write(unhurried(sleep)))
    with pytest.raises(StorageError):
        await drive(database.write(sleep))
    await drive(step(database.close, database.aclose))
