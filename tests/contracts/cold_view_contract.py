"""What a view promises that is built from a ledger's rows, on every database and in both colours."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from langchain_agentmem._search import SearchFilter, SearchQuery
from langchain_agentmem._vectors import pack_vector, unit_vector
from langchain_agentmem.index.scope_view import ScopeView
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.long_term.index.loading import load_from
from langchain_agentmem.sql import prepared
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Scope
from tests.conftest import Colour
from tests.contracts.history_backends import ReversingVault
from tests.ledgers import ALICE, KEY, MODEL, START, Clock, Drive, drive_of, erase, history, memory, put

KINDS = ("fact", "preference", "goal")
AGENTS = (None, None, "helper")
NOW = to_micros(START) or 0


def asked(text: str, *numbers: float, agent_id: str | None = None) -> SearchQuery:
    vector = unit_vector(numbers) if numbers else None
    return SearchQuery(text=text, vector=vector, filter=SearchFilter(now=NOW, at=NOW, agent_id=agent_id), limit=50)


QUESTIONS = (
    asked("tea number", 1, 0.3),
    asked("tea number n7"),
    asked("", -1, 2),
    asked("number n3", 1, 1, agent_id="helper"),
)


class ColdViewContract:
    """Laws of one view. A subclass lives where its database does."""

    @pytest.fixture(autouse=True)
    def small_blocks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(prepared, "BLOCK", 3)

    @pytest.fixture(params=[None, ReversingVault()], ids=["plain", "sealed"])
    def ledger(self, sql_url: str, request: pytest.FixtureRequest) -> Iterator[SQLLedger]:
        database = Database(sql_url)
        yield SQLLedger(database, vault=request.param, key=KEY, clock=Clock())
        database.close()

    @pytest.fixture
    def drive(self, colour: Colour) -> Drive:
        return drive_of(colour)

    async def test_a_view_read_by_columns_answers_like_one_of_single_rows(
        self, ledger: SQLLedger, drive: Drive
    ) -> None:
        """Ids, order, scores and vectors are the same, of rows with and without a vector, erased ones among them."""
        ids = [f"n{number}" for number in range(11)]
        for number, memory_id in enumerate(ids):
            scope = Scope("alice", agent_id=AGENTS[number % 3])
            kept = memory(memory_id, scope, kind=KINDS[number % 3], purposes=(), confidence=number / 11)
            await drive(put(ledger, kept, pack_vector(unit_vector([number - 5, 2])) if number % 4 else None))
        await drive(erase(ledger, "n4"))
        revision, columns = await drive(load_from(ledger)(ALICE, 0, MODEL.name))
        rows = await drive(ledger.read(ALICE, lambda reader: reader.search_rows_of(ids, MODEL.name)))
        cold, single = ScopeView(), ScopeView()
        cold.apply_columns(columns, revision)
        single.apply(rows[::-1], revision)
        for question in QUESTIONS:
            found, expected = cold.search(question), single.search(question)
            assert found == expected != []
            assert [it.vector is None for it in found] == [it.vector is None for it in expected]

    async def test_what_a_search_begins_with_is_the_same_by_prepared_statements(
        self, ledger: SQLLedger, drive: Drive
    ) -> None:
        """`read_prepared` reads what `read` reads."""
        history(ledger)
        for scope in (ALICE, Scope("nobody")):
            for ask in (
                lambda reader: (reader.head, reader.models(), reader.has_more_than(2)),
                lambda reader: (reader.search_columns(0, MODEL.name), reader.search_columns(5, None)),
                lambda reader: (reader.episodes.revision, reader.episodes.rows(0, MODEL.name)),
            ):
                assert await drive(ledger.read_prepared(scope, ask)) == await drive(ledger.read(scope, ask))
