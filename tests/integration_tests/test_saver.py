from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from langchain_agentmem.checkpoint.redis import RedisSaver
from langchain_agentmem.checkpoint.sql import SQLSaver
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.testing import SaverSuite
from tests import servers
from tests.contracts.saver_contract import SaverContract
from tests.contracts.saver_graph_contract import SaverGraphContract
from tests.contracts.saver_life_contract import SaverLifeContract
from tests.contracts.saver_moves_contract import SaverMovesContract
from tests.contracts.saver_reach_contract import SaverReachContract
from tests.contracts.sql_saver_contract import SQLSaverContract
from tests.savers import Open


@pytest.fixture(params=["postgresql", "valkey", "redis", "cluster"])
def open_saver(request: pytest.FixtureRequest) -> Iterator[Open]:
    """Open checkpointers on an empty PostgreSQL, Valkey, Redis or cluster, and close them after the test."""
    opened: list[StoredSaver] = []
    url = _url(request)
    kind: type[StoredSaver] = SQLSaver if request.param == "postgresql" else RedisSaver

    def open_one(**settings: Any) -> StoredSaver:
        opened.append(kind.from_url(url, **settings))  # type: ignore[attr-defined]  # both have it
        return opened[-1]

    yield open_one
    for saver in opened:
        saver.close()


def _url(request: pytest.FixtureRequest) -> str:
    if request.param == "redis":
        server = request.getfixturevalue("redis_server")
        servers.empty_redis(server)
        return f"redis://{server.host}:{server.port}/0"
    names = {"postgresql": "prepared_postgres_url", "valkey": "valkey_url", "cluster": "redis_cluster_url"}
    url: str = request.getfixturevalue(names[request.param])
    return url


class TestSaver(SaverSuite):
    """The public laws on PostgreSQL, Valkey, Redis and a cluster."""

    @pytest.fixture
    def saver(self, open_saver: Open) -> StoredSaver:
        return open_saver()


class TestSaverBeside(SaverContract):
    """What is ours beside them."""


class TestSaverGraph(SaverGraphContract):
    """The contract of graphs on them."""


class TestSaverLife(SaverLifeContract):
    """The contract of what becomes of threads on them."""


class TestSaverMoves(SaverMovesContract):
    """The contract of many threads on PostgreSQL, Valkey, Redis and a cluster."""


class TestSaverReach(SaverReachContract):
    """The contract of how far a call reaches, on PostgreSQL, Valkey, Redis and a cluster."""


class TestSQLSaver(SQLSaverContract):
    """The contract of SQL on PostgreSQL."""
