"""What a ledger promises inside one scope, on every database and in both colours."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from langchain_agentmem._flow import arun, run
from langchain_agentmem.errors import ConflictError, IntegrityError, NotFoundError
from langchain_agentmem.ledger.base import Draft, LedgerReader, LedgerWriter, OrderBy, Page
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import ACCESS, MEMORIES, PAYLOADS, SUBJECTS, VECTORS
from langchain_agentmem.types import (
    KINDS,
    SOURCES,
    SPEAKERS,
    STATUSES,
    Memory,
    Provenance,
    Receipt,
    ReceiptLine,
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
    every_event,
    fetch,
    history,
    keep,
    length_of,
    listed,
    memory,
    note,
    put,
    remembered,
    sql,
    use,
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


class LedgerContract:
    """Laws of one chain. A subclass lives where its database does."""

    @pytest.fixture
    def ledger(self, sql_url: str) -> Iterator[SQLLedger]:
        database = Database(sql_url)
        yield SQLLedger(database, key=KEY, clock=Clock())
        database.close()

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

    async def test_an_event_is_read_back_with_its_payload(self, ledger: SQLLedger, drive: Drive) -> None:
        """The log says what happened, in order, from 1 without a gap."""
        await drive(put(ledger, memory()))
        await drive(change(ledger, "m1", content="prefers coffee"))
        events = await drive(ledger.read(ALICE, lambda reader: reader.events(memory_id="m1")))
        assert [(event.seq, event.type) for event in events] == [(1, "remembered"), (2, "revised")]
        assert events[1].payload == {"content": "prefers coffee", "note": {"reason": "told otherwise"}}

    async def test_a_receipt_is_read_back_whole(self, ledger: SQLLedger, drive: Drive) -> None:
        """A receipt comes back as it was put, and putting it again replaces it."""
        line = ReceiptLine(memory_id="m1", score=0.25, parts={"vector": 1 / 3}, rank=1)
        receipt = Receipt(id="r1", scope=HELPER, at=START, status="ok", reason="found", plan={"q": "é"}, lines=(line,))
        for version in (receipt, replace(receipt, injected=("run-1",))):
            await drive(keep(ledger, version))
            assert await drive(ledger.read(HELPER, lambda reader: reader.receipt("r1"))) == version

    async def test_consent_is_what_its_last_event_says(self, ledger: SQLLedger, drive: Drive) -> None:
        """Granted with purposes, then withdrawn; unknown before, and for everyone else."""
        for event, status, purposes in (
            ("consent_granted", "granted", ("ads",)),
            ("consent_withdrawn", "withdrawn", ()),
        ):
            draft = Draft(type=event, note={"purposes": list(purposes)})  # type: ignore[arg-type]  # two of its values
            await drive(note(ledger, draft, HELPER))
            consent = (await drive(ledger.read(OTHER, lambda reader: reader.head))).consent
            assert (consent.status, consent.purposes) == (status, purposes)
        assert (await drive(ledger.read(BOB, lambda reader: reader.head))).consent.status == "unknown"

    async def test_uses_are_counted_beside_the_chain(self, ledger: SQLLedger, drive: Drive) -> None:
        """A use changes the statistic and nothing of the log."""
        await drive(put(ledger, memory()))
        for day in range(3):
            await drive(use(ledger, "m1", at=START + timedelta(days=day)))
        uses = await drive(ledger.read(ALICE, lambda reader: (reader.uses(["m1", "m2"]), reader.head.seq)))
        assert uses == ({"m1": (3, START + timedelta(days=2))}, 1)

    async def test_ids_of_any_letters_and_number_are_looked_up_at_once(self, ledger: SQLLedger, drive: Drive) -> None:
        """An id is compared as it is, and any number of them is looked up in one call; of none, nothing is found."""
        ids = ["m1", "it's", "a,b", "{x}", "back\\slash", '"q"', "NULL", "%s", ":id", "ü 漢 🙂", " M1 "]
        for memory_id in ids:
            await drive(put(ledger, memory(memory_id)))
        await drive(use(ledger, *ids))
        asked = [*ids, "m", "M1", "x", *(f"unknown-{number}" for number in range(3_000))]

        def found(reader: LedgerReader) -> list[set[str]]:
            rows = {row.memory_id for row in reader.search_rows_of(asked, MODEL.name)}
            return [set(reader.memories(asked)), set(reader.uses(asked)), rows, set(reader.memories([]))]

        assert await drive(ledger.read(ALICE, found)) == [set(ids), set(ids), set(ids), set()]

    # -------------------------------------------------------------------------------------------------------- refusals
    @pytest.mark.parametrize("memory_id", ["unknown", "helper-1", "m3"])
    async def test_only_what_is_visible_and_there_can_be_changed(
        self, ledger: SQLLedger, drive: Drive, memory_id: str
    ) -> None:
        """An unknown id, another agent's memory and an erased one are not found, and nothing is written."""
        history(ledger)
        before = dump(ledger.database)
        for flow in (change(ledger, memory_id, content="new"), erase(ledger, memory_id)):
            with pytest.raises(NotFoundError):
                await drive(flow)
        assert dump(ledger.database) == before

    @pytest.mark.parametrize("memory_id", ["m1", "m3", "helper-1"])
    async def test_an_id_is_remembered_once(self, ledger: SQLLedger, drive: Drive, memory_id: str) -> None:
        """The id of a memory that is or was there, of whichever agent, is not taken for another."""
        history(ledger)
        with pytest.raises(ConflictError):
            await drive(put(ledger, memory(memory_id)))

    # ---------------------------------------------------------------------------------------------------- transactions
    async def test_an_exception_inside_the_body_leaves_nothing(self, ledger: SQLLedger, drive: Drive) -> None:
        """What a body wrote before it failed is not there, not even the subject; the next call works."""

        def broken(writer: LedgerWriter) -> None:
            writer.append(remembered(memory()))
            writer.put_vector("m1", MODEL, b"\x00" * 8)
            msg = "no"
            raise RuntimeError(msg)

        with pytest.raises(RuntimeError, match="no"):
            await drive(ledger.append(ALICE, broken))
        assert {name: rows for name, rows in dump(ledger.database).items() if rows} == {}
        await drive(put(ledger, memory()))
        assert (await drive(ledger.verify(ALICE))).is_intact

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

    async def test_a_read_of_an_unknown_user_is_empty_and_writes_nothing(self, ledger: SQLLedger, drive: Drive) -> None:
        """Looking creates no subject."""
        found = await drive(ledger.read(ALICE, lambda reader: (reader.head.seq, reader.page(Page()), reader.events())))
        assert found == (0, [], [])
        assert (await drive(ledger.verify(ALICE))).is_intact
        assert await drive(ledger.replay(ALICE)) == 0
        assert dump(ledger.database, SUBJECTS)[SUBJECTS.name] == []

    # ------------------------------------------------------------------------------------------------------ visibility
    @pytest.mark.parametrize(
        ("scope", "visible"),
        [(ALICE, {"shared"}), (HELPER, {"shared", "mine"}), (OTHER, {"shared", "theirs"}), (BOB, set())],
    )
    async def test_an_agent_sees_its_own_memories_and_the_shared_ones(
        self, ledger: SQLLedger, drive: Drive, scope: Scope, visible: set[str]
    ) -> None:
        """Every way to read memories shows the same set, whoever asks."""
        for kept in (memory("shared"), memory("mine", HELPER), memory("theirs", OTHER)):
            await drive(put(ledger, kept))
        asked = ["shared", "mine", "theirs"]

        def ways(reader: LedgerReader) -> list[set[str]]:
            return [
                {memory_id for memory_id in asked if reader.memory(memory_id)},
                set(reader.memories(asked)),
                {kept.id for kept in reader.page(Page())},
                {kept.id for kept in reader.changed(0)},
            ]

        assert await drive(ledger.read(scope, ways)) == [visible] * 4

    async def test_what_ended_in_a_conversation_is_that_users_and_that_agents(
        self, ledger: SQLLedger, drive: Drive
    ) -> None:
        """Replaced or forgotten, of the sessions that are named; what is in force or waits is not among it."""
        statuses = ("active", "pending", "superseded", "archived")
        for user in (ALICE, HELPER, BOB):
            scope = replace(user, session_id="talk")
            for status in statuses:
                await drive(put(ledger, memory(f"{user.user_id} {user.agent_id} {status}", scope, status=status)))
        elsewhere = replace(ALICE, session_id="elsewhere")
        await drive(put(ledger, memory("elsewhere", elsewhere, status="superseded")))
        found = await drive(ledger.read(ALICE, lambda reader: reader.ended_in(["talk", "unknown"])))
        own = await drive(ledger.read(HELPER, lambda reader: reader.ended_in(["talk"])))
        assert {it.id for it in found} == {"alice None superseded", "alice None archived"}
        assert {it.id for it in own} - {it.id for it in found} == {"alice helper superseded", "alice helper archived"}

    async def test_a_receipt_is_its_agents(self, ledger: SQLLedger, drive: Drive) -> None:
        """A receipt of an agent is not another agent's; one of the shared scope is every agent's of that user."""
        for receipt_id, scope in (("r-shared", ALICE), ("r-mine", HELPER)):
            receipt = Receipt(id=receipt_id, scope=scope, at=START, status="empty", reason="nothing", plan={})
            await drive(keep(ledger, receipt))

        def seen(reader: LedgerReader) -> set[str]:
            return {receipt_id for receipt_id in ("r-shared", "r-mine") if reader.receipt(receipt_id)}

        found = [await drive(ledger.read(scope, seen)) for scope in (HELPER, ALICE, OTHER, BOB)]
        assert found == [{"r-shared", "r-mine"}, {"r-shared"}, {"r-shared"}, set()]

    async def test_an_index_is_given_the_rows_of_every_agent_and_of_no_other_user(
        self, ledger: SQLLedger, drive: Drive
    ) -> None:
        """Search rows carry their agent, their vector (until the text changes), and no text; erased ones are marked."""
        history(ledger)
        found = await drive(ledger.read(OTHER, lambda reader: reader.search_rows(0, "fake")))
        assert {(row.memory_id, row.agent_id, row.status) for row in found} == {
            ("m1", None, "active"),
            ("m2", None, "active"),
            ("m3", None, "erased"),
            ("m4", None, "archived"),
            ("helper-1", "helper", "active"),
        }
        assert {row.memory_id for row in found if row.vector is None} == {"m2", "m3"}
        some = await drive(ledger.read(OTHER, lambda reader: reader.search_rows_of(["m1", "m3"], None)))
        assert {row.memory_id for row in some} == {"m1", "m3"}

    async def test_only_what_changed_since_is_read_again(self, ledger: SQLLedger, drive: Drive) -> None:
        """`changed` and `search_rows` go on from a revision."""
        history(ledger)
        head = (await drive(ledger.read(ALICE, lambda reader: reader.head))).seq
        await drive(change(ledger, "m1", confidence=0.5))
        changed = await drive(ledger.read(ALICE, lambda reader: reader.changed(head)))
        rows = await drive(ledger.read(ALICE, lambda reader: reader.search_rows(head, None)))
        assert [kept.id for kept in changed] == [row.memory_id for row in rows] == ["m1"]
        assert await drive(ledger.read(ALICE, lambda reader: reader.search_rows(head + 1, None))) == []

    async def test_memories_of_a_session_are_counted_in_their_user_alone(self, ledger: SQLLedger, drive: Drive) -> None:
        """The same session id of two users is two sessions; a forgotten memory was written all the same."""
        for user, count in (("alice", 3), ("bob", 1)):
            for number in range(count):
                await drive(put(ledger, memory(f"m{number}", Scope(user, session_id="s"))))
        await drive(change(ledger, "m0", status="archived"))
        counts = [
            await drive(ledger.read(Scope(user), lambda reader: reader.written_in_session("s")))
            for user in ("alice", "bob", "carol")
        ]
        assert counts == [3, 1, 0]

    # ----------------------------------------------------------------------------------------------------------- pages
    @pytest.mark.parametrize("order_by", get_args(OrderBy))
    async def test_pages_follow_each_other_without_gap_or_overlap(
        self, ledger: SQLLedger, drive: Drive, order_by: OrderBy
    ) -> None:
        """Read page by page, every memory comes once, the greatest first, equals by id."""

        def kept(number: int) -> Memory:
            at = START + timedelta(days=number % 3)
            return memory(f"m{number}", confidence=number % 3 / 4, importance=number % 4 / 5, created_at=at)

        for number in range(9):
            await drive(put(ledger, kept(number), vector=None))
        found: list[Memory] = []
        while batch := await drive(listed(ledger, following(found, order_by))):
            found += batch
        assert [one.id for one in found] == [
            one.id for one in sorted(found, key=lambda one: (getattr(one, order_by), one.id), reverse=True)
        ]
        assert len(found) == 9

    async def test_a_page_holds_the_kinds_and_statuses_asked_for(self, ledger: SQLLedger, drive: Drive) -> None:
        """Other rows do not count against the limit."""
        history(ledger)
        await drive(put(ledger, memory("goal", kind="goal")))
        pages = (Page(kinds=("goal",), limit=1), Page(statuses=("archived",)), Page(kinds=(), statuses=("active",)))
        found = [await drive(listed(ledger, page)) for page in pages]
        assert [[one.id for one in page] for page in found] == [["goal"], ["m4"], []]

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

    async def test_an_erasure_is_in_the_log_with_its_reason(self, ledger: SQLLedger, drive: Drive) -> None:
        """What is left of a memory says that it was erased, when and why."""
        await drive(put(ledger, memory()))
        await drive(erase(ledger, "m1"))
        events = await drive(ledger.read(ALICE, lambda reader: reader.events()))
        assert [(event.type, event.payload) for event in events] == [
            ("remembered", None),
            ("erased", {"note": {"reason": "user asked"}}),
        ]

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

    async def test_a_long_chain_is_read_in_batches(self, ledger: SQLLedger, drive: Drive) -> None:
        """More events than a batch holds are verified and replayed all the same."""

        def many(writer: LedgerWriter) -> None:
            for _ in range(1_100):
                writer.append(Draft(type="refused", rule="unstable"))

        await drive(put(ledger, memory()))
        await drive(ledger.append(ALICE, many))
        verification = await drive(ledger.verify(ALICE))
        assert (verification.events, verification.is_intact) == (1_101, True)
        assert await drive(ledger.read(ALICE, every_event)) == list(range(1, 1_102))
        assert await drive(ledger.replay(ALICE)) == 1


def following(found: list[Memory], order_by: OrderBy) -> Page:
    """Return the page behind the last memory found."""
    if not found:
        return Page(order_by=order_by, limit=2)
    value: Any = getattr(found[-1], order_by)
    if isinstance(value, datetime):
        value = (value - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    return Page(order_by=order_by, limit=2, after=(value, found[-1].id))
