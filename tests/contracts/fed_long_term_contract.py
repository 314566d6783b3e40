"""What long-term memory promises besides, where its index is in a vector store that has to be fed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import update

from langchain_agentmem import AgentMemory, ConfigurationError, Recall, RecallQuery, Scope, StorageError
from langchain_agentmem._search import SearchRow
from langchain_agentmem.index.vector_store import VectorStoreIndex
from langchain_agentmem.options import DEFAULT_INDEX_ABOVE, MemoryOptions
from langchain_agentmem.sql.schema import JOBS
from tests.conftest import Call, Colour
from tests.contracts.long_term_contract import (
    ALICE,
    BOB,
    BuildIndex,
    Clock,
    LongTermContract,
    LongTermFixtures,
    RecallContract,
)
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import Drive, drive_of
from tests.vector_stores import Place, lose, opened

DIM = 512
"""Of the fake embeddings."""


def fail(*_: object) -> object:
    msg = "down"
    raise StorageError(msg, is_retryable=True)


async def remember(memory: AgentMemory, call: Call, *things: str, scope: Scope = ALICE) -> None:
    for thing in things:
        await call(memory.long_term, "remember", f"{scope.user_id} owns a {thing}", scope=scope)


async def recalled(memory: AgentMemory, call: Call, text: str = "cat", scope: Scope = ALICE) -> list[str]:
    return [hit.memory.content for hit in await call(memory.long_term, "recall", text, scope=scope)]


def worth_of(found: Recall) -> list[tuple[object, ...]]:
    """Return ids and what they are worth, but for what changes with time and use."""
    return [(it.memory.id, *(it.parts.get(name) for name in ("relevance", "vector", "lexical"))) for it in found]


async def rows_of(memory: AgentMemory, call: Call, drive: Drive) -> list[SearchRow]:
    """Return alice's rows in the order of their ids."""
    page = await call(memory.long_term, "list", scope=ALICE)
    searching = memory.long_term._flows._writing._searching
    rows: list[SearchRow] = await drive(searching.rows(ALICE, sorted(it.id for it in page)))
    return sorted(rows, key=lambda row: row.memory_id)


def index_of(memory: AgentMemory) -> VectorStoreIndex:
    index = memory.long_term._flows._writing._searching.index
    assert isinstance(index, VectorStoreIndex)
    return index


class FedFixtures(LongTermFixtures):
    """A memory on a database, `sql_url`, and a vector store for vectors of `DIM` numbers, at `place`."""

    @pytest.fixture
    def index(self, place: Place) -> Iterator[BuildIndex]:
        with opened(place) as build:
            yield build


class FewMemoriesContract(FedFixtures, RecallContract):
    """What a recall promises of users who have few memories, beside the same fixtures: a view answers them."""


class FeedingContract(FedFixtures):
    """What concerns the store, beside the same fixtures."""

    @pytest.fixture
    def index_above(self) -> int:
        """Every user's memories are searched in the vector store, however few."""
        return 0

    @pytest.fixture
    def drive(self, colour: Colour) -> Drive:
        return drive_of(colour)

    async def test_the_index_answers(self, memory: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
        """What was written is in the vector store when `remember` returns, and there a recall looks for it."""
        await remember(memory, call, "cat", "boat")
        assert await call(memory.jobs, "counts") == {}
        monkeypatch.setattr(memory.long_term._flows._writing._searching._view, "search", None)
        assert await recalled(memory, call) == ["alice owns a cat"]

    async def test_ids_and_scores_are_those_of_a_memory_without_an_index(
        self, memory: AgentMemory, index: BuildIndex, options: MemoryOptions, call: Call
    ) -> None:
        """On both sides of the threshold, whether words, meaning, or nothing answers the question."""
        await remember(memory, call, "cat", "boat", "piano called Zanzibar", "boat and a cat", "drone of Zanzibar")
        await remember(memory, call, "Zanzibar", scope=BOB)
        above = replace(options, index_above=DEFAULT_INDEX_ABOVE)
        below = AgentMemory(memory._database, embeddings=WordEmbeddings(), index=index, options=above)
        plain = AgentMemory(memory._database, embeddings=WordEmbeddings(), options=options)
        for text in ("Zanzibar", "does alice own a cat?", "which boat", "volcano"):
            answers = [await call(it.long_term, "recall", text, scope=ALICE, limit=3) for it in (memory, below, plain)]
            assert worth_of(answers[0]) == worth_of(answers[1]) == worth_of(answers[2]), text
        receipt = await call(memory.long_term, "receipt", answers[0].receipt_id, scope=ALICE)
        assert receipt.plan["index"] == "vector_store"

    async def test_words_alone_decide_where_nothing_that_is_seen_has_a_vector(
        self, memory: AgentMemory, options: MemoryOptions, call: Call
    ) -> None:
        """What another agent keeps with vectors moves no score of memories without, beside a store as without one."""
        words, plain = (
            AgentMemory(memory._database, embeddings=it, options=options) for it in (None, WordEmbeddings())
        )
        await remember(memory, call, "cat", scope=replace(ALICE, agent_id="helper"))
        await remember(words, call, "boat", "piano", scope=replace(ALICE, agent_id="writer"))
        answers = [
            worth_of(await call(it.long_term, "recall", "which boat", scope=replace(ALICE, agent_id=agent)))
            for agent in ("writer", "helper")
            for it in (memory, plain)
        ]
        assert answers[0] == answers[1] != []
        assert answers[2] == answers[3]

    async def test_what_the_index_has_not_got_yet_is_found(
        self, memory: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """While the index fails, writes are kept, searched beside it, and brought to it afterwards."""
        with monkeypatch.context() as broken:
            broken.setattr(VectorStoreIndex, "upsert", fail)
            await remember(memory, call, "cat")
        assert await call(memory.jobs, "counts") == {"waiting": 1}
        assert await recalled(memory, call) == ["alice owns a cat"]

    async def test_what_waits_for_the_index_hides_nothing(
        self, memory: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Rows that the index holds as they were take no place of those it holds as they are."""
        await remember(memory, call, "cat", "boat", "piano")
        page = await call(memory.long_term, "list", scope=ALICE)
        monkeypatch.setattr(VectorStoreIndex, "upsert", fail)
        for number, old in enumerate(it for it in page if "piano" not in it.content):
            await call(memory.long_term, "revise", old.id, content=f"Day {number} of the fair", scope=ALICE)
        found = await call(memory.long_term, "recall", RecallQuery(text="alice owns", limit=1), scope=ALICE)
        assert [hit.memory.content for hit in found] == ["alice owns a piano"]

    async def test_a_lost_index_is_rebuilt_from_the_ledger(self, memory: AgentMemory, call: Call, place: Place) -> None:
        """Gone with its table, collection or keys, it is not missed in an answer, and can be made and filled again."""
        await remember(memory, call, "cat", "boat")
        await remember(memory, call, "cat", scope=BOB)
        before = await call(memory.long_term, "recall", "cat", scope=ALICE)
        lose(place)
        without = await call(memory.long_term, "recall", "cat", scope=ALICE)
        receipt = await call(memory.long_term, "receipt", without.receipt_id, scope=ALICE)
        await call(memory.long_term, "rebuild_index")
        again = await call(memory.long_term, "recall", "cat", scope=ALICE)
        assert [found.status for found in (before, without, again)] == ["ok", "degraded", "ok"]
        assert worth_of(before) == worth_of(without) == worth_of(again)
        assert (receipt.plan["index"], "the ledger was searched" in receipt.reason) == ("scope_view", True)

    async def test_what_a_degraded_recall_left_out_has_its_own_reason(
        self, memory: AgentMemory, call: Call, place: Place
    ) -> None:
        """Where the index is gone, the ledger was searched all the same: why not tells what it says of any recall."""
        await remember(memory, call, "cat", "boat")
        boat = next(it for it in await call(memory.long_term, "list", scope=ALICE) if "boat" in it.content)
        await call(memory.long_term, "forget", boat.id, scope=ALICE)
        lose(place)
        found = await call(memory.long_term, "recall", "cat", scope=ALICE)
        told = await call(memory.long_term, "why_not", found.receipt_id, boat.id, scope=ALICE)
        assert (found.status, "'status_archived'" in told) == ("degraded", True)

    async def test_what_others_took_from_the_index_or_altered_costs_no_answer(
        self, memory: AgentMemory, index: BuildIndex, call: Call, drive: Drive
    ) -> None:
        """One row, its vector, a field of it, or all: the ledger answers, says so, and a job brings it again."""
        await remember(memory, call, "cat", "boat", "piano")
        before = await call(memory.long_term, "recall", "cat", scope=ALICE)
        rows, others = await rows_of(memory, call, drive), VectorStoreIndex(index, "words")
        others._names = index_of(memory)._names  # under a vault too: it is somebody who knows them
        altered = [rows[0]._replace(vector=rows[1].vector)], [rows[2]._replace(kind="goal")]
        harms = [others.delete(ALICE, [rows[1].memory_id]), *(others.upsert(ALICE, it) for it in altered)]
        for harm in (*harms, others.reset(DIM)):
            await drive(harm)
            found = await call(memory.long_term, "recall", "cat", scope=ALICE)
            receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
            assert (worth_of(found), found.status) == (worth_of(before), "degraded")
            assert "long_term.repair_index()" in receipt.reason
            await call(memory.jobs, "run")
            again = await call(memory.long_term, "recall", "cat", scope=ALICE)
            assert (worth_of(again), again.status) == (worth_of(before), "ok")
        assert (await call(memory.long_term, "repair_index", dry_run=True)).damaged == 0

    async def test_what_the_index_lost_or_altered_is_repaired(
        self, memory: AgentMemory, call: Call, drive: Drive
    ) -> None:
        """Missing rows, other vectors and other fields are counted and brought again; then there is nothing to mend."""
        await remember(memory, call, "cat", "boat", "piano", "drone")
        await remember(memory, call, "cat", scope=BOB)
        rows = await rows_of(memory, call, drive)
        await drive(index_of(memory).delete(ALICE, [rows[0].memory_id]))
        altered = [rows[1]._replace(vector=rows[2].vector), rows[3]._replace(kind="goal")]
        await drive(index_of(memory).upsert(ALICE, altered))
        reports = [await call(memory.long_term, "repair_index", dry_run=dry_run) for dry_run in (True, False, False)]
        assert [(report.checked, report.damaged) for report in reports] == [(5, 3), (5, 3), (5, 0)]

    async def test_what_was_erased_is_taken_out_of_the_index(
        self, memory: AgentMemory, call: Call, drive: Drive
    ) -> None:
        """A repair counts rows of erased memories that the index has got back, and they are gone after it."""
        await remember(memory, call, "cat", "boat")
        await remember(memory, call, "piano", scope=BOB)
        gone, kept = await rows_of(memory, call, drive)
        await call(memory.long_term, "erase", gone.memory_id, scope=ALICE)
        await drive(index_of(memory).upsert(ALICE, [gone]))
        reports = [await call(memory.long_term, "repair_index", dry_run=dry_run) for dry_run in (True, False, False)]
        assert [(report.checked, report.damaged) for report in reports] == [(2, 1), (2, 1), (2, 0)]
        erased = gone._replace(status="erased")
        assert await drive(index_of(memory).damaged(ALICE, [gone, erased, kept])) == [gone.memory_id]

    async def test_however_long_the_index_was_away_it_is_brought_what_it_missed(
        self, memory: AgentMemory, clock: Clock, call: Call, drive: Drive, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """After two days too: what was erased meanwhile is out, what was remembered is in, and no job was given up."""
        await remember(memory, call, "cat", "boat")
        gone, _ = await rows_of(memory, call, drive)
        with monkeypatch.context() as broken:
            for name in ("upsert", "delete"):
                broken.setattr(VectorStoreIndex, name, fail)
            await call(memory.long_term, "erase", gone.memory_id, scope=ALICE)
            await remember(memory, call, "piano")
            for wait_s in (5,) * 12 + (60,) * 10 + (86_400,) * 2:
                clock.now += timedelta(seconds=wait_s)
                await call(memory.jobs, "run")
            assert await call(memory.jobs, "counts") == {"waiting": 2}
        clock.now += timedelta(minutes=2)
        await call(memory.jobs, "run")
        assert await call(memory.jobs, "counts") == {}
        rows = [gone._replace(status="erased"), *(await rows_of(memory, call, drive))]
        assert (len(rows), await drive(index_of(memory).damaged(ALICE, rows))) == (3, [])

    async def test_a_process_with_the_old_model_leaves_the_index_to_the_new_one(
        self,
        memory: AgentMemory,
        index: BuildIndex,
        options: MemoryOptions,
        *,
        clock: Clock,
        call: Call,
        drive: Drive,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """After a change of the model it has no vectors to feed the index with, and takes no row out of it either."""
        await remember(memory, call, "cat", "boat")
        other = AgentMemory(memory._database, embeddings=WordEmbeddings("other", dim=32), index=index, options=options)
        with monkeypatch.context() as broken:
            broken.setattr(VectorStoreIndex, "reset", fail)
            await call(other.long_term, "reindex")
        assert await recalled(other, call) == ["alice owns a cat"]
        clock.now += timedelta(minutes=1)
        assert (await drive(memory._parts[1].jobs.run())).done == 0
        assert (await drive(other._parts[1].jobs.run())).done == 2
        assert (await call(other.long_term, "repair_index")).damaged == 0
        assert await recalled(other, call) == ["alice owns a cat"]

    async def test_another_process_finds_what_was_rebuilt(
        self, memory: AgentMemory, index: BuildIndex, options: MemoryOptions, call: Call
    ) -> None:
        """A process that had the store open all the time finds what another one has put into it anew."""
        other = AgentMemory(memory._database, embeddings=WordEmbeddings(), index=index, options=options)
        await remember(memory, call, "cat")
        assert await recalled(other, call) == ["alice owns a cat"]
        await call(memory.long_term, "rebuild_index")
        assert await recalled(other, call) == ["alice owns a cat"]
        await remember(other, call, "boat")
        assert await recalled(memory, call, "boat") == ["alice owns a boat"]

    async def test_a_repair_waits_for_the_model_in_use(
        self, memory: AgentMemory, index: BuildIndex, call: Call
    ) -> None:
        """An index with the vectors of another model is not compared with this one's."""
        await remember(memory, call, "cat")
        other = AgentMemory(memory._database, embeddings=WordEmbeddings("other"), index=index)
        with pytest.raises(ConfigurationError, match="reindex"):
            await call(other.long_term, "repair_index")

    @pytest.mark.parametrize("payload", ['{"ids": ["m1', "{}"])
    async def test_a_job_that_cannot_be_read_stops_no_recall_and_no_write(
        self, memory: AgentMemory, call: Call, drive: Drive, monkeypatch: pytest.MonkeyPatch, payload: str
    ) -> None:
        """The ledger answers in place of the index, the answer says so, and the job stays to be looked at."""
        with monkeypatch.context() as broken:
            broken.setattr(VectorStoreIndex, "upsert", fail)
            await remember(memory, call, "cat")
        spoilt = update(JOBS).where(JOBS.c.kind == "index").values(payload=payload, status="failed")
        await drive(memory._database.write(lambda connection: connection.execute(spoilt).rowcount))
        await remember(memory, call, "boat")
        found = await call(memory.long_term, "recall", "cat", scope=ALICE)
        receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
        assert ([hit.memory.content for hit in found], found.status) == (["alice owns a cat"], "degraded")
        assert "memory.jobs.list" in receipt.reason
        assert (await call(memory.long_term, "recall", "cat", scope=BOB)).status == "empty"
        assert [job.scope for job in await call(memory.jobs, "list", status="failed")] == [ALICE]
        await call(memory.long_term, "rebuild_index")
        found = await call(memory.long_term, "recall", "cat", scope=ALICE)
        assert ([hit.memory.content for hit in found], found.status) == (["alice owns a cat"], "ok")


class FedLongTermContract(FeedingContract, LongTermContract):
    """All that long-term memory promises, beside the same fixtures."""
