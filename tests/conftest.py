"""Fixtures of every test folder.

* `call`: one test for both colours. `await call(memory, "recall", query, scope=alice)` runs `memory.recall(...)` in the
  variant `sync` and awaits `memory.arecall(...)` in the variant `async`.
  Where a law has other parameters too, they take turns with the colours: `tests.whole`.
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
import shutil
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
import redis.utils
from hypothesis import HealthCheck, settings
from sqlalchemy import Dialect, Engine
from sqlalchemy.util import LRUCache

from langchain_agentmem import _storing
from langchain_agentmem._flow import run
from langchain_agentmem._marks import Marks
from langchain_agentmem.index import snapshot
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.testing import laws
from tests import servers, templates, vaults
from tests.whole import IS_WHOLE, ON_SERVERS, has_turn, taking_turns

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["HF_HUB_OFFLINE"] = "1"  # no test depends on what a hub answers

MEMORY: Final = Path("/dev/shm")  # noqa: S108  (Linux keeps it in memory)
ROOM: Final = 2 * 1024**3  # bytes; measured were 124 MiB for a worker and its servers

if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ.setdefault("TMPDIR", str(MEMORY))  # nothing of a test has to reach a disk, nor wait until it has
    tempfile.tempdir = None

pytest.register_assert_rewrite("tests.contracts")

# A law holds on a slow machine too: no example is refused for the time it takes. By default the examples are the same
# in every run, and a change is judged by what it changes; where the whole is asked for, they are others each time.
settings.register_profile(
    "agentmem",
    deadline=None,
    max_examples=100 if IS_WHOLE else 25,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not IS_WHOLE,
)
settings.load_profile("agentmem")

Colour: TypeAlias = laws.Colour
Call: TypeAlias = laws.Call
LLM_VARIABLE: Final = "AGENTMEM_TEST_MODEL"
STATEMENTS: Final = 10_000  # more than the suite has; a statement with a list of its own is one more

GARBAGE: Final = 50_000, 10, 100
"""Objects, in place of 700, and how many such looks there are to one at what is older: a test leaves few, and to look
through what is kept takes long."""

snapshot.KEPT_FROM = 1
"""Views of any size are kept: what must not be left of somebody is looked for in these copies, too."""

gc.disable()  # until everything is collected: it is all kept, and to look through it takes seconds


def pytest_collection_finish() -> None:
    """Collect garbage from here on, and look at nothing that is as old as this."""
    gc.freeze()
    gc.set_threshold(*GARBAGE)
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that need a chat model where none is named."""
    if os.environ.get(LLM_VARIABLE):
        return
    out = [item for item in items if item.get_closest_marker("llm")]
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if item not in out]


@pytest.fixture(scope="session", autouse=True)
def _copied() -> Iterator[None]:
    """Let Alembic make our tables once, and open copies of them: that takes a tenth of the time."""
    with templates.copying():
        yield


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, name: str) -> Generator[None, Any, Any]:
    """Make no test whose turn it is not; before others (`trylast`: the innermost) make something else of each."""
    made = yield
    if not isinstance(made, list):
        return made
    if not has_turn(getattr(collector, "cls", None), name):
        return []
    return taking_turns(name, made, is_served=ON_SERVERS in collector.nodeid)


@pytest.fixture(autouse=True)
def _sealed_by_turns(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run some tests of contracts under a vault."""
    if not vaults.is_sealed(request.node):
        yield
        return
    with vaults.chosen():
        yield


@pytest.fixture(scope="session", autouse=True)
def _warned_of_what_is_plain() -> None:
    """Warn of no test's database that it is not encrypted; the law of that clears it."""
    _storing._warned.add("plain")


@pytest.fixture
def old_kept() -> None:
    """Let `gc.collect` look at nothing older than this test: what other tests left would take it seconds."""
    gc.freeze()


@pytest.fixture
def unmarked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a database be used with a vault and without one: what is refused then is a row alone."""
    monkeypatch.setattr(Marks, "expect", lambda *args, **named: None)


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

    def make_sharing(engine: Engine, pool: Any, dialect: Any, url: Any, hide_parameters: Any = None) -> None:  # noqa: ANN401  (SQLAlchemy looks for the names that it knows)
        make(engine, pool, dialect, url, hide_parameters=bool(hide_parameters))
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


@pytest.fixture
def own_call(request: pytest.FixtureRequest) -> Call:
    """Give a fixture what calls a method in the colour of its test, if that has one: the other needs a connection."""
    return laws.Call(request.getfixturevalue("colour") if "colour" in request.fixturenames else "sync")


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
    with templates.emptied(reused_postgres.url()) as url:
        yield url
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
