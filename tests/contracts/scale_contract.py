"""What a user's memory promises when thousands of memories of others are in the same database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from langchain_agentmem import AgentMemory, RecallQuery, Weights
from langchain_agentmem._flow import run
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE, START
from tests.population import EACH, USERS, recorded, said, settle, whole_scans
from tests.talks import TALK, turn

QUESTIONS = [said(number) for number in (3, 8, 21, 400)]
"""The last are words that nobody said in this order."""


class ScaleContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def database(self, sql_url: str) -> Iterator[Database]:
        database = Database(sql_url)
        yield database
        database.close()

    @pytest.fixture
    def memory(self, database: Database) -> AgentMemory:
        memory = self.opened(database)
        for number in range(12):
            memory.long_term.remember(said(number), scope=ALICE)
        memory.episodes.ingest([it for n in range(12) for it in turn(n, said(n), "I see")], scope=TALK, at=START)
        return memory

    @staticmethod
    def opened(database: Database) -> AgentMemory:
        """Open a memory whose clock stands still, and which does not mind how often it was asked."""
        options = MemoryOptions(clock=lambda: START, consent="assumed", weights=Weights(frequency=0.0))
        return AgentMemory(database, embeddings=WordEmbeddings(dim=32), options=options)

    async def test_others_change_neither_ids_nor_scores(
        self, memory: AgentMemory, database: Database, call: Call
    ) -> None:
        """Alice's answers are the same before and after a crowd moved in that says what she says, warm and cold."""

        async def answers(asked: AgentMemory) -> list[Any]:
            found = [await call(asked.long_term, "recall", it, scope=ALICE, limit=8) for it in QUESTIONS]
            return [[(hit.memory.id, hit.score, hit.parts | {"frequency": 0.0}) for hit in each] for each in found]

        before = await answers(memory)
        settle(database, WordEmbeddings(dim=32))
        assert all(before)
        assert await answers(memory) == before
        assert await answers(self.opened(database)) == before
        assert memory.metrics.totals().users == USERS + 1

    async def test_a_warm_recall_costs_as_many_statements_as_before(
        self, memory: AgentMemory, database: Database, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """However many others there are; and a remember likewise."""
        counts = []
        for number in range(3):
            memory.long_term.recall(QUESTIONS[0], scope=ALICE)
            with recorded(monkeypatch) as asked:
                await call(memory.long_term, "recall", QUESTIONS[0], scope=ALICE)
            with recorded(monkeypatch) as told:
                await call(memory.long_term, "remember", f"Alice keeps {number} quite unusual hedgehogs", scope=ALICE)
            counts.append((len(asked), len(told)))
            if number == 1:
                settle(database, WordEmbeddings(dim=32))
        assert counts[1] == counts[2]
        assert 0 < counts[0][0] < 40

    async def test_no_call_reads_the_tables_of_all_users_from_end_to_end(
        self, memory: AgentMemory, database: Database, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Every statement of a recall, cold and warm, of a remember, of what follows and of verify goes by an index."""
        settle(database, WordEmbeddings(dim=32))
        cold = self.opened(database)
        with recorded(monkeypatch) as executed:
            for _ in range(2):
                await call(cold.long_term, "recall", RecallQuery(text=QUESTIONS[1], action="send it"), scope=ALICE)
            decision = await call(cold.long_term, "remember", "Alice plays the cello on Sundays", scope=ALICE)
            await call(cold.long_term, "forget", decision.memory.id, scope=ALICE)
            await call(cold.long_term, "erase", decision.memory.id, scope=ALICE)
            await call(cold.episodes, "ingest", turn(99, "The cello is called Bert"), scope=TALK)
            await call(cold.background, "ingest", turn(100, "I live in Rome."), scope=TALK)
            await call(cold.jobs, "run")
            await call(cold.long_term, "list", scope=ALICE)
            assert (await call(cold.long_term, "verify", scope=ALICE)).is_intact
        assert len(executed) > EACH
        assert whole_scans(database, executed) == []

    async def test_the_look_for_whole_scans_finds_one(
        self, memory: AgentMemory, database: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A statement that has to read every row is noticed: the law above is no empty one."""
        settle(database, WordEmbeddings(dim=32))
        statement = "SELECT memory_id FROM agentmem_memories WHERE confidence > 2"
        with recorded(monkeypatch) as executed:
            run(database.read(lambda connection: connection.exec_driver_sql(statement).all()))
        assert len(whole_scans(database, executed)) == 1
