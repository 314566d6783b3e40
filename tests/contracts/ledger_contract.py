"""What our ledger promises inside one scope beside the public suite, on every database and in both colours."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from langchain_agentmem._flow import arun, run
from langchain_agentmem.errors import IntegrityError, NotFoundError
from langchain_agentmem.ledger.base import LedgerWriter
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import ACCESS, MEMORIES, PAYLOADS, SUBJECTS, VECTORS
from langchain_agentmem.types import (
    KINDS,
    SOURCES,
    SPEAKERS,
    STATUSES,
    TRUST_CLASSES,
    Memory,
    Provenance,
    Scope,
)
from tests.conftest import Colour
from tests.ledgers import (
    ALICE,
    BOB,
    KEY,
    MODEL,
    START,
    Clock,
    Drive,
    change,
    drive_of,
    dump,
    erase,
    fetch,
    history,
    length_of,
    memory,
    note,
    put,
    remembered,
    sql,
)

HELPER = Scope("alice", agent_id="helper", session_id="s1")
OTHER = Scope("alice", agent_id="other")

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=40)
LABELS = st.lists(TEXT, max_size=3).map(tuple)
UNIT = st.floats(0, 1)
TIME = st.none() | st.datetimes(timezones=st.just(UTC))
MEMORIES_OF_ALICE = st.builds(
    Memory,
    id=TEXT,
    scope=st.builds(Scope, st.just("alice"), agent_id=st.none() | TEXT, session_id=st.none() | TEXT),
    kind=st.sampled_from(KINDS),
    content=TEXT,
    confidence=UNIT,
    importance=UNIT,
    source=st.sampled_from(SOURCES),
    trust=UNIT,
    status=st.sampled_from([status for status in STATUSES if status != "erased"]),
    subject=st.none() | TEXT,
    relation=st.none() | TEXT,
    object=st.none() | TEXT,
    tags=LABELS,
    purposes=LABELS,
    legal_basis=st.none() | TEXT,
    provenance=st.builds(
        Provenance,
        speaker=st.sampled_from(SPEAKERS),
        message_ids=st.lists(TEXT.filter(str.strip), max_size=3).map(tuple),
        evidence=st.none() | TEXT.filter(str.strip),
        run_id=st.none() | TEXT.filter(str.strip),
        tools=st.lists(TEXT.filter(str.strip), max_size=2).map(tuple),
        trust_class=st.none() | st.sampled_from(TRUST_CLASSES),
    ),
    valid_at=TIME,
    invalid_at=TIME,
    created_at=st.datetimes(timezones=st.just(UTC)),
    expired_at=TIME,
    expires_at=TIME,
    supersedes=LABELS,
    links=LABELS,
    pinned=st.booleans(),
    sightings=st.integers(1, 1_000),
)


class LedgerFixtures:
    """A ledger on `sql_url`."""

    @pytest.fixture
    def ledger(self, sql_url: str) -> Iterator[SQLLedger]:
        database = Database(sql_url)
        yield SQLLedger(database, key=KEY, clock=Clock())
        database.close()


class LedgerContract(LedgerFixtures):
    """Laws of our chain beside the public ones. A subclass lives where its database does."""

    @pytest.fixture
    def drive(self, colour: Colour) -> Drive:
        return drive_of(colour)

    # ----------------------------------------------------------------------------------------------------- round trip
    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(kept=st.lists(MEMORIES_OF_ALICE, min_size=1, max_size=4, unique_by=lambda kept: kept.id))
    def test_what_is_appended_is_read_back_whole(self, ledger: SQLLedger, kept: list[Memory]) -> None:
        """Every field of a memory comes back as it was, times to the microsecond; replay() changes none."""
        user = Scope("alice", tenant_id=uuid.uuid4().hex)
        for each in kept:
            scope = replace(each.scope, tenant_id=user.tenant_id)
            run(note(ledger, remembered(each), scope))
        before = dump(ledger.database, MEMORIES)
        for number, each in enumerate(kept, 1):
            scope = replace(each.scope, tenant_id=user.tenant_id)
            assert run(fetch(ledger, each.id, scope)) == replace(each, scope=scope, revision=number)
        assert run(ledger.replay(user)) == len(kept)
        assert dump(ledger.database, MEMORIES) == before
        assert run(ledger.verify(user)).problems == ()

    # -------------------------------------------------------------------------------------------------------- refusals
    @pytest.mark.parametrize("memory_id", ["unknown", "helper-1", "m3"])
    async def test_a_refused_change_touches_no_row(self, ledger: SQLLedger, drive: Drive, memory_id: str) -> None:
        """Where an unknown id, another agent's memory or an erased one was to be changed, every table is as before."""
        history(ledger)
        before = dump(ledger.database)
        for flow in (change(ledger, memory_id, content="new"), erase(ledger, memory_id)):
            with pytest.raises(NotFoundError):
                await drive(flow)
        assert dump(ledger.database) == before

    # ---------------------------------------------------------------------------------------------------- transactions
    async def test_an_exception_inside_the_body_leaves_no_row(self, ledger: SQLLedger, drive: Drive) -> None:
        """What a body wrote before it failed is in no table, not even the subject."""

        def broken(writer: LedgerWriter) -> None:
            writer.append(remembered(memory()))
            writer.put_vector("m1", MODEL, b"\x00" * 8)
            msg = "no"
            raise RuntimeError(msg)

        with pytest.raises(RuntimeError, match="no"):
            await drive(ledger.append(ALICE, broken))
        assert {name for name, rows in dump(ledger.database).items() if rows} <= {"agentmem_marks"}

    async def test_cancellation_in_mid_write_leaves_nothing(self, ledger: SQLLedger) -> None:
        """A task cancelled while its transaction runs wrote nothing; the next call works."""
        loop = asyncio.get_running_loop()
        started, go_on = asyncio.Event(), threading.Event()

        def slow(writer: LedgerWriter) -> None:
            for number in range(20):
                writer.append(remembered(memory(f"m{number}")))
                loop.call_soon_threadsafe(started.set)
            if threading.current_thread() is not threading.main_thread():  # on the loop it was cancelled before
                go_on.wait()

        task = asyncio.create_task(arun(ledger.append(ALICE, slow)))
        await started.wait()
        task.cancel()
        loop.call_later(0.01, go_on.set)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await arun(length_of(ledger)) == 0
        await arun(put(ledger, memory()))

    async def test_a_read_of_an_unknown_user_writes_nothing(self, ledger: SQLLedger, drive: Drive) -> None:
        """Looking creates no subject."""
        await drive(ledger.read(ALICE, lambda reader: reader.events()))
        await drive(ledger.verify(ALICE))
        await drive(ledger.replay(ALICE))
        assert dump(ledger.database, SUBJECTS)[SUBJECTS.name] == []

    # ------------------------------------------------------------------------------------------------------ visibility
    async def test_an_index_is_given_the_rows_of_every_agent_and_of_no_other_user(
        self, ledger: SQLLedger, drive: Drive
    ) -> None:
        """Search rows carry their agent, their vector (until the text changes), and no text; erased ones are marked."""
        history(ledger)
        counts = [
            await drive(
                ledger.read(scope, lambda reader: (reader.count_vectors("fake"), reader.count_vectors("other")))
            )
            for scope in (OTHER, BOB, Scope("eve"))
        ]
        assert counts == [(3, 0), (1, 0), (0, 0)]
        lacks = await drive(
            ledger.read(OTHER, lambda it: [it.lacks_vectors("fake", since) for since in (0, it.head.seq)])
        )
        assert (lacks, await drive(ledger.read(BOB, lambda it: it.lacks_vectors("fake", 0)))) == ([True, False], False)
        found = await drive(ledger.read(OTHER, lambda reader: reader.search_columns(0, "fake")))
        assert {*zip(found.memory_id, found.agent_id, found.status, found.has_vector, strict=True)} == {
            ("m1", None, "active", True),
            ("m2", None, "active", False),
            ("m4", None, "archived", True),
            ("helper-1", "helper", "active", True),
        }
        assert (found.erased, len(found)) == (["m3"], 5)
        some = await drive(ledger.read(OTHER, lambda reader: reader.search_rows_of(["m1", "m3"], None)))
        assert {row.memory_id for row in some} == {"m1", "m3"}

    async def test_only_what_changed_since_is_read_again(self, ledger: SQLLedger, drive: Drive) -> None:
        """`changed` and `search_columns` go on from a revision."""
        history(ledger)
        head = (await drive(ledger.read(ALICE, lambda reader: reader.head))).seq
        await drive(change(ledger, "m1", confidence=0.5))
        changed = await drive(ledger.read(ALICE, lambda reader: reader.changed(head)))
        found = await drive(ledger.read(ALICE, lambda reader: reader.search_columns(head, None)))
        assert [kept.id for kept in changed] == found.memory_id == ["m1"]
        assert not await drive(ledger.read(ALICE, lambda reader: reader.search_columns(head + 1, None)))

    # ----------------------------------------------------------------------------------------------------------- pages
    # --------------------------------------------------------------------------------------------------------- erasure
    async def test_an_erased_memory_is_gone_from_every_table(self, ledger: SQLLedger, drive: Drive) -> None:
        """No payload, row, vector, statistic or term of it is left; its place in the chain is."""
        await drive(put(ledger, memory(content="xyzzy-secret", tags=("xyzzy-tag",)), vector=b"\x11" * 8))
        await drive(change(ledger, "m1", content="xyzzy-later"))
        await drive(ledger.append(ALICE, lambda writer: writer.touch(["m1"], START)))
        await drive(erase(ledger, "m1"))
        assert await drive(fetch(ledger, "m1")) is None
        whole = dump(ledger.database)
        assert "xyzzy" not in str(whole)
        assert whole[VECTORS.name] == whole[ACCESS.name] == []
        assert [row[1] for row in whole[PAYLOADS.name]] == [3]
        assert (await drive(ledger.verify(ALICE))).is_intact

    # ---------------------------------------------------------------------------------------------------------- replay
    @pytest.mark.parametrize(
        "damage",
        [
            "SELECT 1",
            "DELETE FROM agentmem_memories",
            "UPDATE agentmem_memories SET status = 'archived', confidence = 0.1",
            "UPDATE agentmem_subjects SET consent_status = 'withdrawn', consent_at = 5",
        ],
    )
    async def test_replay_rebuilds_the_same_rows(self, ledger: SQLLedger, drive: Drive, damage: str) -> None:
        """Whatever happened to the projection, the log brings back every byte of it, for each user apart."""
        history(ledger)
        before = dump(ledger.database)
        sql(ledger.database, damage)
        counts = [await drive(ledger.replay(scope)) for scope in (HELPER, BOB)]
        assert counts == [5, 1]
        assert dump(ledger.database) == before

    async def test_replay_of_a_log_that_makes_no_sense_changes_nothing(self, ledger: SQLLedger, drive: Drive) -> None:
        """A damaged payload is an error of ours, and the rows stay as they were."""
        history(ledger)
        sql(ledger.database, "UPDATE agentmem_payloads SET sealed = :bad WHERE seq = 2", bad=b"\x00" * 32 + b"[1]")
        before = dump(ledger.database)
        with pytest.raises(IntegrityError):
            await drive(ledger.replay(ALICE))
        assert dump(ledger.database) == before
