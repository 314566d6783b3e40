from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from langchain_agentmem.checkpoint.sql import SQLSaver
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.testing import SaverSuite
from tests.contracts.saver_contract import SaverContract
from tests.contracts.saver_graph_contract import SaverGraphContract
from tests.contracts.saver_life_contract import SaverLifeContract
from tests.contracts.saver_moves_contract import SaverMovesContract
from tests.contracts.saver_reach_contract import SaverReachContract
from tests.contracts.sql_saver_contract import SQLSaverContract
from tests.savers import Open


@pytest.fixture
def open_saver(sql_url: str) -> Iterator[Open]:
    """Open checkpointers on an empty database, and close them after the test."""
    opened: list[SQLSaver] = []

    def open_one(**settings: Any) -> SQLSaver:
        opened.append(SQLSaver.from_url(sql_url, **settings))
        return opened[-1]

    yield open_one
    for saver in opened:
        saver.close()


class TestSaver(SaverSuite):
    """The public laws on SQLite, in a file and in memory."""

    @pytest.fixture
    def saver(self, open_saver: Open) -> StoredSaver:
        return open_saver()


class TestSaverBeside(SaverContract):
    """What is ours beside them."""


class TestSaverGraph(SaverGraphContract):
    """The contract of graphs on SQLite."""


class TestSaverLife(SaverLifeContract):
    """The contract of what becomes of threads on SQLite."""


class TestSaverMoves(SaverMovesContract):
    """The contract of many threads on SQLite."""


class TestSaverReach(SaverReachContract):
    """The contract of how far a call reaches, on SQLite."""


class TestSQLSaver(SQLSaverContract):
    """The contract of SQL on SQLite."""
