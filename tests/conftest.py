"""Fixtures of every test folder.

* `call`: one test for both colours. `await call(memory, "recall", query, scope=alice)` runs `memory.recall(...)` in the
  variant `sync` and awaits `memory.arecall(...)` in the variant `async`.
  Where a fixture has several backends, one colour is enough for some of them: `ONE_COLOUR`.
* `sql_url`: the URL of an empty database of this test's own. Under `unit_tests` a SQLite file and SQLite in memory,
  under `integration_tests` PostgreSQL. A contract is a class in `tests/contracts` whose tests use it; a class in each
  of the two folders (`class TestLedger(LedgerContract)`) inherits the contract, and so runs it where it belongs.
* `redis_url`: the URL of an empty Redis of this test's own turn: plain Valkey, plain Redis 8, then a cluster of three
  nodes (`redis+cluster://…`). A test for which one of them is enough asks for `valkey_url`.
* `redis_search_url`: the URL of an empty Redis protocol server with the query engine.
* `postgres_url`, `prepared_postgres_url`, `chroma_server`, `valkey_server`, `redis_server`, `redis_cluster`: real
  servers, started once, when the first test asks for them. `tests.servers` starts one with other options;
  `tests.proxy` stands before one.
"""

from __future__ import annotations

import functools
import gc
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import pytest
import redis.utils
from hypothesis import HealthCheck, settings
from sqlalchemy import Connection, Dialect, Engine
from sqlalchemy.util import LRUCache

from langchain_agentmem._flow import run
from langchain_agentmem.sql import schema_version
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.sqlite import VERSION_TABLE
from langchain_agentmem.testing import laws
from tests import servers
from tests.whole import IS_WHOLE, few

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["HF_HUB_OFFLINE"] = "1"  # no test depends on what a hub answers

pytest.register_assert_rewrite("tests.contracts")

# A law holds on a slow machine too: no example is refused for the time it takes. By default the examples are the same
# in every run, and a change is judged by what it changes; where the whole is asked for, they are others each time.
settings.register_profile(
    "agentmem", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=not IS_WHOLE
)
settings.load_profile("agentmem")

Colour: TypeAlias = laws.Colour
Call: TypeAlias = laws.Call
LLM_VARIABLE: Final = "AGENTMEM_TEST_MODEL"
STATEMENTS: Final = 10_000  # more than the suite has; a statement with a list of its own is one more

ONE_COLOUR: Final[Sequence[Mapping[str, str]]] = few(
    (
        {"colour": "sync", "sql_url": "sqlite-memory"},  # a file has both, and so has who has no URL: it is in memory
        {"colour": "sync", "redis_url": "redis"},  # the client, and so the colour, is that of Valkey
        {"colour": "sync", "open_saver": "redis"},
    ),
    of=(),
)
"""Products of which no test is made, unless the whole is asked for: one colour shows a backend, another one both."""

gc.disable()  # until everything is collected: it is all kept, and to look through it takes seconds


def pytest_collection_finish() -> None:
    """Collect garbage from here on, and look at nothing that is as old as this."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that need a chat model where none is named."""
    if os.environ.get(LLM_VARIABLE):
        return
    out = [item for item in items if item.get_closest_marker("llm")]
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if item not in out]


@pytest.fixture(scope="session", autouse=True)
def _migrated_once() -> Iterator[None]:
    """Let Alembic make SQLite's tables once; an empty database gets the same by their statements, ten times as fast."""
    upgrade, made = schema_version._upgrade, dict[str, list[str]]()

    def upgrade_or_copy(connection: Connection) -> None:
        is_empty = connection.dialect.name == "sqlite" and schema_version._version(connection) is None
        if is_empty and made:
            for statement in made["statements"]:
                connection.exec_driver_sql(statement)
            return
        upgrade(connection)
        if is_empty:
            found = connection.exec_driver_sql(
                "SELECT sql FROM sqlite_master WHERE sql NOT NULL AND name NOT LIKE 'sqlite%'"
            )
            version = f"INSERT INTO {VERSION_TABLE} VALUES ('{schema_version.HEAD}')"  # noqa: S608  (constants)
            made["statements"] = [*(sql for (sql,) in found), version]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema_version, "_upgrade", upgrade_or_copy)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem() -> Generator[None, Any, Any]:
    """Make no test of what others show: see `ONE_COLOUR`."""
    made = yield
    return [item for item in made if not _is_repetition(item)] if isinstance(made, list) else made


def _is_repetition(item: pytest.Item) -> bool:
    """Whether a test has a product of parameters that others cover."""
    params: Mapping[str, Any] = item.callspec.params if hasattr(item, "callspec") else {}
    return any(params.items() >= product.items() for product in ONE_COLOUR)


class Compiled(LRUCache[Any, Any]):
    """What SQLAlchemy compiled, by statement and kind of database: two engines of one kind compile it to the same."""

    def get(self, key: Any, default: Any = None) -> Any:  # noqa: ANN401  (SQLAlchemy's own key: the dialect comes first)
        return super().get(self._of_kind(*key), default)

    def __setitem__(self, key: Any, value: Any) -> None:  # noqa: ANN401  (as above)
        super().__setitem__(self._of_kind(*key), value)

    @staticmethod
    def _of_kind(dialect: Dialect, *statement: Any) -> tuple[Any, ...]:
        return (type(dialect), dialect.paramstyle, dialect.server_version_info, *statement)


@pytest.fixture(scope="session", autouse=True)
def _compiled_once() -> Iterator[None]:
    """Let SQLAlchemy compile a statement once for a kind of database, and not again for the engine of each test."""
    make, compiled = Engine.__init__, Compiled(STATEMENTS)

    def make_sharing(engine: Engine, *args: Any, **kwargs: Any) -> None:
        make(engine, *args, **kwargs)
        engine._compiled_cache = compiled

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "__init__", make_sharing)
        yield


@pytest.fixture(scope="session", autouse=True)
def _redis_version_read_once() -> Iterator[None]:
    """Let redis-py read its own version from the disk once, and not for every connection."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redis.utils, "get_lib_version", functools.cache(redis.utils.get_lib_version))
        yield


@pytest.fixture(params=["sync", "async"])
def colour(request: pytest.FixtureRequest) -> Colour:
    """Run the test once per colour; most tests want `call` instead."""
    colour: Colour = request.param
    return colour


@pytest.fixture
def call(colour: Colour) -> Call:
    """Give what calls a method in this test's colour and returns what it returns."""
    return laws.Call(colour)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[servers.Server]:
    """A PostgreSQL server for the whole run; tests want `postgres_url`."""
    with servers.postgres() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: servers.Server) -> Iterator[str]:
    """URL of an empty PostgreSQL database, dropped after the test."""
    with servers.postgres_database(postgres_server) as url:
        yield url


@pytest.fixture(scope="session")
def postgres_template(postgres_server: servers.Server) -> Iterator[str]:
    """Name of a PostgreSQL database with our tables and nothing in them."""
    with servers.postgres_database(postgres_server) as url:
        database = Database(url)
        run(database.open())
        database.close()
        yield url.rpartition("/")[2]


@pytest.fixture(scope="session")
def reused_postgres(postgres_server: servers.Server, postgres_template: str) -> Iterator[servers.ReusedDatabase]:
    """A PostgreSQL database with our tables for the whole run; tests want `prepared_postgres_url`."""
    database = servers.ReusedDatabase(postgres_server, postgres_template)
    yield database
    database.drop()


@pytest.fixture
def prepared_postgres_url(reused_postgres: servers.ReusedDatabase) -> Iterator[str]:
    """URL of a PostgreSQL database with our tables and without a row."""
    yield reused_postgres.url()
    reused_postgres.empty()


@pytest.fixture(scope="session")
def chroma_server() -> Iterator[servers.Server]:
    """A Chroma server for the whole run; use collections with names of your own."""
    with servers.chroma() as server:
        yield server


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[servers.Server]:
    """A plain Valkey server for the whole run; tests want `valkey_url` or `redis_url`."""
    with servers.valkey() as server:
        yield server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[servers.Server]:
    """A plain Redis 8 server for the whole run; tests want `redis_url`."""
    with servers.redis() as server:
        yield server


@pytest.fixture(scope="session")
def redis_cluster() -> Iterator[tuple[servers.Server, ...]]:
    """A cluster of three Valkey nodes for the whole run; tests want `redis_cluster_url` or `redis_url`."""
    with servers.redis_cluster() as nodes:
        yield nodes


@pytest.fixture(scope="session")
def redis_search_server() -> Iterator[servers.Server]:
    """A server with Redis' query engine for the whole run; tests want `redis_search_url`."""
    with servers.redis_search() as server:
        yield server


@pytest.fixture
def redis_search_url(redis_search_server: servers.Server) -> str:
    """URL of an empty server with the query engine."""
    servers.empty_redis(redis_search_server)
    return f"redis://{redis_search_server.host}:{redis_search_server.port}"


@pytest.fixture
def valkey_url(valkey_server: servers.Server) -> str:
    """URL of an empty Valkey."""
    servers.empty_redis(valkey_server)
    return f"redis://{valkey_server.host}:{valkey_server.port}/0"


@pytest.fixture
def redis_cluster_url(redis_cluster: tuple[servers.Server, ...]) -> str:
    """URL of an empty cluster."""
    servers.empty_redis(*redis_cluster)
    return f"redis+cluster://{redis_cluster[0].host}:{redis_cluster[0].port}"


@pytest.fixture(params=["valkey", "redis", "cluster"])
def redis_url(request: pytest.FixtureRequest) -> str:
    """URL of an empty Valkey, then Redis, then cluster."""
    if request.param == "redis":
        server: servers.Server = request.getfixturevalue("redis_server")
        servers.empty_redis(server)
        return f"redis://{server.host}:{server.port}/0"
    url: str = request.getfixturevalue("valkey_url" if request.param == "valkey" else "redis_cluster_url")
    return url
