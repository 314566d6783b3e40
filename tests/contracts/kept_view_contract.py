"""What a view promises that another process kept, on every database and in both colours, sealed and not."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import Proposal, SearchColumns
from langchain_agentmem._vectors import pack_vector, unit_vector
from langchain_agentmem.index import snapshot
from langchain_agentmem.index.view_cache import ScopeViewIndex
from langchain_agentmem.ledger.base import Draft, LedgerReader
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.long_term.index.loading import keep_in, load_from
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Scope
from tests.conftest import Colour
from tests.contracts.cold_view_contract import AGENTS, QUESTIONS, asked
from tests.contracts.history_backends import ReversingVault
from tests.ledgers import ALICE, BOB, KEY, MODEL, Clock, Drive, change, drive_of, erase, memory, note, put, sql

ROWS = 12


def vector(number: int) -> bytes:
    return pack_vector(unit_vector([number - 5, 2]))


async def fill(ledger: SQLLedger, drive: Drive, owner: str = "alice") -> None:
    """Remember rows of several agents, one in four without a vector."""
    for number in range(ROWS):
        scope = Scope(owner, agent_id=AGENTS[number % 3])
        await drive(put(ledger, memory(f"n{number}", scope, purposes=()), vector(number) if number % 4 else None))


def kept_of(ledger: SQLLedger, model: str | None = MODEL.name, scope: Scope = ALICE) -> Flow[bytes | None]:
    return ledger.read(scope, lambda reader: reader.snapshots.get(model))


class KeptViewContract:
    """Laws of one database. A subclass lives where that does."""

    @pytest.fixture(params=[None, ReversingVault()], ids=["plain", "sealed"])
    def ledger(self, sql_url: str, request: pytest.FixtureRequest) -> Iterator[SQLLedger]:
        database = Database(sql_url)
        yield SQLLedger(database, vault=request.param, key=KEY, clock=Clock())
        database.close()

    @pytest.fixture
    def drive(self, colour: Colour) -> Drive:
        return drive_of(colour)

    async def answers(self, ledger: SQLLedger, drive: Drive, model: str | None = MODEL.name) -> list[list[Proposal]]:
        """Ask a process that has no view yet."""
        index = ScopeViewIndex(load_from(ledger), keep=keep_in(ledger), model=model)
        return [await drive(index.search(ALICE, question)) for question in QUESTIONS]

    async def answers_of_rows(self, ledger: SQLLedger, drive: Drive) -> list[list[Proposal]]:
        """Ask one that knows nothing of what is kept."""

        def read(reader: LedgerReader, since: int, model: str | None) -> tuple[int, SearchColumns]:
            return reader.head.seq, reader.search_columns(since, model)

        def load(scope: Scope, since: int, model: str | None) -> Flow[tuple[int, SearchColumns]]:
            return ledger.read(scope, lambda reader: read(reader, since, model))

        index = ScopeViewIndex(load, model=MODEL.name)
        return [await drive(index.search(ALICE, question)) for question in QUESTIONS]

    async def test_a_process_begins_with_what_another_kept(self, ledger: SQLLedger, drive: Drive) -> None:
        """Then only what came later is read; the answers are those of all rows."""
        await fill(ledger, drive)
        first = await self.answers(ledger, drive)
        await drive(put(ledger, memory("later", purposes=()), vector(4)))
        await drive(change(ledger, "n4", confidence=0.2, status="superseded"))
        _, columns = await drive(load_from(ledger)(ALICE, 0, MODEL.name))
        assert columns.kept is not None
        assert sorted(columns.memory_id) == ["later", "n4"]
        second = await self.answers(ledger, drive)
        assert second == await self.answers_of_rows(ledger, drive) != first

    @pytest.mark.parametrize(
        ("then", "is_kept"),
        [
            pytest.param(lambda it: erase(it, "n3"), False, id="erased"),
            pytest.param(lambda it: change(it, "n3", content="prefers coffee"), False, id="reworded"),
            pytest.param(lambda it: change(it, "n3", object="coffee"), False, id="meaning another thing"),
            pytest.param(lambda it: change(it, "n3", tags=("other",)), False, id="tagged"),
            pytest.param(lambda it: change(it, "n3", purposes=("ads",)), False, id="for another purpose"),
            pytest.param(lambda it: it.replay(ALICE), False, id="replayed"),
            pytest.param(lambda it: change(it, "n3", status="archived"), True, id="archived"),
            pytest.param(lambda it: put(it, memory("new")), True, id="another"),
            pytest.param(lambda it: erase(it, "n3", BOB), True, id="somebody else's"),
        ],
    )
    async def test_what_takes_words_away_takes_the_copy_along(
        self, ledger: SQLLedger, drive: Drive, then: Callable[[SQLLedger], Flow[Any]], *, is_kept: bool
    ) -> None:
        """In the same transaction, for every model."""
        await fill(ledger, drive)
        await drive(put(ledger, memory("n3", BOB)))
        await self.answers(ledger, drive)
        await self.answers(ledger, drive, None)
        await drive(then(ledger))
        assert (await drive(kept_of(ledger)) is not None) is is_kept
        assert (await drive(kept_of(ledger, None)) is not None) is is_kept

    async def test_nothing_is_kept_that_was_looked_at_before_the_last_event(
        self, ledger: SQLLedger, drive: Drive
    ) -> None:
        """An erasure may have come between: what was read before it is not written after it."""
        await fill(ledger, drive)
        keep = keep_in(ledger)
        await drive(keep(ALICE, MODEL.name, ROWS, b"as of then"))
        assert await drive(kept_of(ledger)) == b"as of then"
        await drive(erase(ledger, "n3"))
        for revision in (ROWS, ROWS + 2):
            await drive(keep(ALICE, MODEL.name, revision, b"too late"))
        await drive(keep(ALICE, "another model", ROWS + 1, b"of no use"))
        assert await drive(kept_of(ledger)) is await drive(kept_of(ledger, "another model")) is None

    async def test_who_only_asks_hears_nothing_of_a_view_that_cannot_be_kept(
        self, ledger: SQLLedger, drive: Drive
    ) -> None:
        """While all of a user's is being erased nothing may be written: the answer is there all the same."""
        await fill(ledger, drive)
        await drive(ledger.end(ALICE, lambda writer: writer.append(Draft(type="erasure_begun"))))
        assert await self.answers(ledger, drive) == await self.answers_of_rows(ledger, drive)
        assert await drive(kept_of(ledger)) is None

    async def test_vectors_that_came_later_are_not_overlooked(self, ledger: SQLLedger, drive: Drive) -> None:
        """No event tells of them: a copy of before is left out, and replaced."""
        await fill(ledger, drive)
        await self.answers(ledger, drive)
        before = await drive(kept_of(ledger))
        await drive(ledger.append(ALICE, lambda writer: writer.add_vectors(MODEL, {"n0": vector(1), "n4": vector(2)})))
        assert await self.answers(ledger, drive) == await self.answers_of_rows(ledger, drive)
        assert await drive(kept_of(ledger)) not in {None, before}

    async def test_the_views_of_a_model_go_with_it(self, ledger: SQLLedger, drive: Drive) -> None:
        """Once another model's vectors are the ones that count."""
        await fill(ledger, drive)
        await self.answers(ledger, drive)
        models = SQLModels(ledger.database, Clock())
        await drive(models.announce("newer", 2))
        newer = MODEL.__class__(name="newer", dimension=2, is_current=False)
        vectors = {f"n{number}": vector(number) for number in range(ROWS)}
        await drive(ledger.append(ALICE, lambda writer: writer.add_vectors(newer, vectors)))
        assert await drive(models.adopt("newer", None))
        assert await drive(kept_of(ledger)) is None

    @pytest.mark.parametrize(
        "attack",
        [
            "sealed = substr(sealed, 1, length(sealed) - 100)",
            "sealed = substr(sealed, 1, 20)",
            "sealed = (SELECT body FROM agentmem_memories AS m WHERE m.subject_id = 1 AND m.memory_id = 'n1')",
        ],
    )
    async def test_a_copy_that_cannot_be_read_is_replaced(
        self, ledger: SQLLedger, drive: Drive, caplog: pytest.LogCaptureFixture, attack: str
    ) -> None:
        """The rows are there: the answers stay, and a warning tells."""
        await fill(ledger, drive)
        expected = await self.answers(ledger, drive)
        before = await drive(kept_of(ledger))
        sql(ledger.database, f"UPDATE agentmem_snapshots SET {attack}")  # noqa: S608  (ours)
        with caplog.at_level(logging.WARNING, "langchain_agentmem"):
            assert await self.answers(ledger, drive) == expected
        assert "is built anew" in caplog.text
        assert await drive(kept_of(ledger)) == before

    async def test_the_copy_of_another_layout_is_replaced(
        self, ledger: SQLLedger, drive: Drive, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What another release kept means something else by the same numbers."""
        await fill(ledger, drive)
        with monkeypatch.context() as patch:
            patch.setattr(snapshot, "LAYOUT", ["of another release"])
            expected = await self.answers(ledger, drive)
        before = await drive(kept_of(ledger))
        assert await self.answers(ledger, drive) == expected
        assert await drive(kept_of(ledger)) not in {None, before}

    async def test_few_rows_are_not_kept_and_few_changes_not_kept_anew(
        self, ledger: SQLLedger, drive: Drive, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Reading them costs less."""
        monkeypatch.setattr(snapshot, "KEPT_FROM", ROWS + 1)
        await fill(ledger, drive)
        await self.answers(ledger, drive)
        assert await drive(kept_of(ledger)) is None
        monkeypatch.setattr(snapshot, "KEPT_FROM", 3)
        await self.answers(ledger, drive)
        before = await drive(kept_of(ledger))
        for number in range(2):
            await drive(put(ledger, memory(f"few{number}"), vector(number)))
        await self.answers(ledger, drive)
        assert await drive(kept_of(ledger)) == before
        for number in range(4):
            await drive(put(ledger, memory(f"more{number}"), vector(number)))
        await self.answers(ledger, drive)
        assert await drive(kept_of(ledger)) not in {None, before}

    async def test_nobody_sees_the_copy_of_another_user(self, ledger: SQLLedger, drive: Drive) -> None:
        """Whose rows have the same ids."""
        await fill(ledger, drive)
        await fill(ledger, drive, "bob")
        await drive(note(ledger, Draft(type="consent_granted"), BOB))
        await self.answers(ledger, drive)
        assert await drive(kept_of(ledger, scope=BOB)) is None
        _, columns = await drive(load_from(ledger)(BOB, 0, MODEL.name))
        assert (columns.kept, len(columns)) == (None, ROWS)
        await drive(ScopeViewIndex(load_from(ledger), keep=keep_in(ledger)).search(BOB, asked("tea")))
        assert await drive(kept_of(ledger, None)) is None
        assert await drive(kept_of(ledger, None, BOB)) is not None
