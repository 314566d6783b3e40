"""The ledger suite: what whatever keeps the log of memories has to promise.

Subclass `LedgerSuite` in a test module run by pytest, and give it a fixture `ledger` with an empty adapter of the port
`langchain_agentmem.ledger.base.Ledger`:

```python
import pytest

from langchain_agentmem.testing import LedgerSuite


class TestAcme(LedgerSuite):
    @pytest.fixture
    def ledger(self):
        return AcmeLedger("acme://…")
```

Every law is run through the blocking and the awaited calls.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final, get_args

import pytest

from langchain_agentmem.errors import ConflictError, NotFoundError
from langchain_agentmem.ledger.base import Draft, Ledger, LedgerReader, LedgerWriter, OrderBy, Page
from langchain_agentmem.policies.forgotten import Asked
from langchain_agentmem.testing.events import (
    ALICE,
    BOB,
    MODEL,
    START,
    change,
    erase,
    every_event,
    fetch,
    fill,
    keep,
    length_of,
    listed,
    memory,
    note,
    put,
    remembered,
    use,
)
from langchain_agentmem.testing.laws import Call, Laws, drive, law
from langchain_agentmem.testing.leaks import scopes_of
from langchain_agentmem.types import Memory, Receipt, ReceiptLine, Scope

HELPER: Final = Scope("alice", agent_id="helper", session_id="s1")
OTHER: Final = Scope("alice", agent_id="other")


class LedgerSuite(Laws):
    """Laws of a ledger; see the module's text for how to run them."""

    # ------------------------------------------------------------------------------------------------------- isolation
    @law
    async def test_look_alike_users_have_a_chain_each(self, ledger: Ledger, call: Call) -> None:
        """Users and tenants whose ids are alike, with memories of equal ids, each read, verify and erase their own."""
        scopes = [*scopes_of("user_id"), *scopes_of("joined")]
        for place, scope in enumerate(scopes):
            await drive(call, put(ledger, memory("same", scope, content=f"tea number {place}")))
        for scope in scopes[::2]:
            await drive(call, erase(ledger, "same", scope))
        for place, scope in enumerate(scopes):
            found = await drive(call, fetch(ledger, "same", scope))
            assert (found and found.content) == (f"tea number {place}" if place % 2 else None), scope
            verification = await drive(call, ledger.verify(scope))
            assert (verification.events, verification.is_intact) == (1 if place % 2 else 2, True), scope

    # ------------------------------------------------------------------------------------------------------- round trip
    @law
    async def test_an_event_is_read_back_with_its_payload(self, ledger: Ledger, call: Call) -> None:
        """The log says what happened, in order, from 1 without a gap."""
        await drive(call, put(ledger, memory()))
        await drive(call, change(ledger, "m1", content="prefers coffee"))
        events = await drive(call, ledger.read(ALICE, lambda reader: reader.events(memory_id="m1")))
        assert [(event.seq, event.type) for event in events] == [(1, "remembered"), (2, "revised")]
        assert events[1].payload == {"content": "prefers coffee", "note": {"reason": "told otherwise"}}

    @law
    async def test_a_receipt_is_read_back_whole(self, ledger: Ledger, call: Call) -> None:
        """A receipt comes back as it was put, and putting it again replaces it."""
        line = ReceiptLine(memory_id="m1", score=0.25, parts={"vector": 1 / 3}, rank=1)
        receipt = Receipt(id="r1", scope=HELPER, at=START, status="ok", reason="found", plan={"q": "é"}, lines=(line,))
        for version in (receipt, replace(receipt, injected=("run-1",))):
            await drive(call, keep(ledger, version))
            assert await drive(call, ledger.read(HELPER, lambda reader: reader.receipt("r1"))) == version

    @law
    async def test_consent_is_what_its_last_event_says(self, ledger: Ledger, call: Call) -> None:
        """Granted with purposes, then withdrawn; unknown before, and for everyone else."""
        for event, status, purposes in (
            ("consent_granted", "granted", ("ads",)),
            ("consent_withdrawn", "withdrawn", ()),
        ):
            draft = Draft(type=event, note={"purposes": list(purposes)})  # type: ignore[arg-type]  # two of its values
            await drive(call, note(ledger, draft, HELPER))
            consent = (await drive(call, ledger.read(OTHER, lambda reader: reader.head))).consent
            assert (consent.status, consent.purposes) == (status, purposes)
        assert (await drive(call, ledger.read(BOB, lambda reader: reader.head))).consent.status == "unknown"

    @law
    async def test_uses_are_counted_beside_the_chain(self, ledger: Ledger, call: Call) -> None:
        """A use changes the statistic and nothing of the log."""
        await drive(call, put(ledger, memory()))
        for day in range(3):
            await drive(call, use(ledger, "m1", at=START + timedelta(days=day)))
        uses = await drive(call, ledger.read(ALICE, lambda reader: (reader.uses(["m1", "m2"]), reader.head.seq)))
        assert uses == ({"m1": (3, START + timedelta(days=2))}, 1)

    @law
    async def test_a_request_to_forget_is_known_of_its_user_since_it_was_made(self, ledger: Ledger, call: Call) -> None:
        """By what it means, and not before its event is counted; one of a transaction that failed was never made."""

        def ask(writer: LedgerWriter, fails: str = "") -> int:
            seq = writer.append(Draft(type="forget_asked", note={"reason": "asked"})).seq
            writer.requests.put(seq, [Asked.words("that I like tea"), Asked(session_id="s1")])
            return seq if not fails else writer.append(Draft(type="forgotten", memory_id=fails)).seq

        def meant(writer: LedgerWriter, since: int) -> list[bool]:
            return [it.means("Alice loves green tea", ALICE) for it in writer.requests.since(since)]

        with pytest.raises(NotFoundError):
            await drive(call, ledger.append(ALICE, lambda writer: ask(writer, fails="m9")))
        assert await drive(call, ledger.append(ALICE, lambda writer: meant(writer, 0))) == []
        seq = await drive(call, ledger.append(ALICE, ask))
        for scope, since, found in ((HELPER, 0, [True, False]), (ALICE, seq, []), (BOB, 0, [])):
            assert await drive(call, ledger.append(scope, partial(meant, since=since))) == found

    @law
    async def test_ids_of_any_letters_and_number_are_looked_up_at_once(self, ledger: Ledger, call: Call) -> None:
        """An id is compared as it is, and any number of them is looked up in one call; of none, nothing is found."""
        ids = ["m1", "it's", "a,b", "{x}", "back\\slash", '"q"', "NULL", "%s", ":id", "ü 漢 🙂", " M1 "]
        for memory_id in ids:
            await drive(call, put(ledger, memory(memory_id)))
        await drive(call, use(ledger, *ids))
        asked = [*ids, "m", "M1", "x", *(f"unknown-{number}" for number in range(3_000))]

        def found(reader: LedgerReader) -> list[set[str]]:
            rows = {row.memory_id for row in reader.search_rows_of(asked, MODEL.name)}
            return [set(reader.memories(asked)), set(reader.uses(asked)), rows, set(reader.memories([]))]

        assert await drive(call, ledger.read(ALICE, found)) == [set(ids), set(ids), set(ids), set()]

    # --------------------------------------------------------------------------------------------------------- refusals
    @pytest.mark.parametrize("memory_id", ["m1", "m3", "helper-1"])
    @law
    async def test_an_id_is_remembered_once(self, ledger: Ledger, call: Call, memory_id: str) -> None:
        """The id of a memory that is or was there, of whichever agent, is not taken for another."""
        fill(ledger)
        with pytest.raises(ConflictError):
            await drive(call, put(ledger, memory(memory_id)))

    @pytest.mark.parametrize("memory_id", ["unknown", "helper-1", "m3"])
    @law
    async def test_only_what_is_visible_and_there_can_be_changed(
        self, ledger: Ledger, call: Call, memory_id: str
    ) -> None:
        """An unknown id, another agent's memory and an erased one are not found, and no event is written."""
        fill(ledger)
        before = await drive(call, length_of(ledger))
        for flow in (change(ledger, memory_id, content="new"), erase(ledger, memory_id)):
            with pytest.raises(NotFoundError):
                await drive(call, flow)
        assert await drive(call, length_of(ledger)) == before

    # ---------------------------------------------------------------------------------------------------- transactions
    @law
    async def test_an_exception_inside_the_body_leaves_nothing(self, ledger: Ledger, call: Call) -> None:
        """What a body wrote before it failed is not there; the next call works."""

        def broken(writer: LedgerWriter) -> None:
            writer.append(remembered(memory()))
            writer.put_vector("m1", MODEL, b"\x00" * 8)
            msg = "no"
            raise RuntimeError(msg)

        with pytest.raises(RuntimeError, match="no"):
            await drive(call, ledger.append(ALICE, broken))
        assert await drive(call, length_of(ledger)) == 0
        await drive(call, put(ledger, memory()))
        assert (await drive(call, ledger.verify(ALICE))).is_intact

    @law
    async def test_an_unknown_user_has_an_empty_log(self, ledger: Ledger, call: Call) -> None:
        """Reading, verifying and replaying what was never written is no error."""
        found = await drive(
            call, ledger.read(ALICE, lambda reader: (reader.head.seq, reader.page(Page()), reader.events()))
        )
        assert found == (0, [], [])
        assert (await drive(call, ledger.verify(ALICE))).is_intact
        assert await drive(call, ledger.replay(ALICE)) == 0

    # ------------------------------------------------------------------------------------------------------- visibility
    @pytest.mark.parametrize(
        ("scope", "visible"),
        [(ALICE, {"shared"}), (HELPER, {"shared", "mine"}), (OTHER, {"shared", "theirs"}), (BOB, set())],
    )
    @law
    async def test_an_agent_sees_its_own_memories_and_the_shared_ones(
        self, ledger: Ledger, call: Call, scope: Scope, visible: set[str]
    ) -> None:
        """Every way to read memories shows the same set, whoever asks."""
        for kept in (memory("shared"), memory("mine", HELPER), memory("theirs", OTHER)):
            await drive(call, put(ledger, kept))
        asked = ["shared", "mine", "theirs"]

        def ways(reader: LedgerReader) -> list[set[str]]:
            return [
                {memory_id for memory_id in asked if reader.memory(memory_id)},
                set(reader.memories(asked)),
                {kept.id for kept in reader.page(Page())},
                {kept.id for kept in reader.changed(0)},
            ]

        assert await drive(call, ledger.read(scope, ways)) == [visible] * 4

    @law
    async def test_what_ended_in_a_conversation_is_that_users_and_that_agents(self, ledger: Ledger, call: Call) -> None:
        """Replaced or forgotten, of the sessions that are named; what is in force or waits is not among it."""
        statuses = ("active", "pending", "superseded", "archived")
        for user in (ALICE, HELPER, BOB):
            scope = replace(user, session_id="talk")
            for status in statuses:
                await drive(call, put(ledger, memory(f"{user.user_id} {user.agent_id} {status}", scope, status=status)))
        elsewhere = replace(ALICE, session_id="elsewhere")
        await drive(call, put(ledger, memory("elsewhere", elsewhere, status="superseded")))
        found = await drive(call, ledger.read(ALICE, lambda reader: reader.ended_in(["talk", "unknown"])))
        own = await drive(call, ledger.read(HELPER, lambda reader: reader.ended_in(["talk"])))
        assert {it.id for it in found} == {"alice None superseded", "alice None archived"}
        assert {it.id for it in own} - {it.id for it in found} == {"alice helper superseded", "alice helper archived"}

    @law
    async def test_a_receipt_is_its_agents(self, ledger: Ledger, call: Call) -> None:
        """A receipt of an agent is not another agent's; one of the shared scope is every agent's of that user."""
        for receipt_id, scope in (("r-shared", ALICE), ("r-mine", HELPER)):
            receipt = Receipt(id=receipt_id, scope=scope, at=START, status="empty", reason="nothing", plan={})
            await drive(call, keep(ledger, receipt))

        def seen(reader: LedgerReader) -> set[str]:
            return {receipt_id for receipt_id in ("r-shared", "r-mine") if reader.receipt(receipt_id)}

        found = [await drive(call, ledger.read(scope, seen)) for scope in (HELPER, ALICE, OTHER, BOB)]
        assert found == [{"r-shared", "r-mine"}, {"r-shared"}, {"r-shared"}, set()]

    @law
    async def test_memories_of_a_session_are_counted_in_their_user_alone(self, ledger: Ledger, call: Call) -> None:
        """The same session id of two users is two sessions; a forgotten memory was written all the same."""
        for user, count in (("alice", 3), ("bob", 1)):
            for number in range(count):
                await drive(call, put(ledger, memory(f"m{number}", Scope(user, session_id="s"))))
        await drive(call, change(ledger, "m0", status="archived"))
        counts = [
            await drive(call, ledger.read(Scope(user), lambda reader: reader.written_in_session("s")))
            for user in ("alice", "bob", "carol")
        ]
        assert counts == [3, 1, 0]

    @law
    async def test_outcomes_of_a_session_are_counted_by_themselves(self, ledger: Ledger, call: Call) -> None:
        """What an agent did takes no room from what its user says, nor the other way round."""
        for number, kind in enumerate(("outcome", "outcome", "fact")):
            await drive(call, put(ledger, memory(f"m{number}", Scope("alice", session_id="s"), kind=kind)))
        outcomes = await drive(call, ledger.read(ALICE, lambda it: it.written_in_session("s", are_outcomes=True)))
        others = await drive(call, ledger.read(ALICE, lambda it: it.written_in_session("s")))
        assert (outcomes, others) == (2, 1)

    @law
    async def test_what_is_held_in_a_session_is_what_nothing_ever_used(self, ledger: Ledger, call: Call) -> None:
        """Of any agent: what waits, and what was archived while it did; of that session and user alone."""
        for scope, status, rule in (
            (ALICE, "pending", "trust_floor"),
            (HELPER, "pending", "trust_floor"),
            (OTHER, "archived", "approval"),
            (ALICE, "archived", None),
            (BOB, "pending", "trust_floor"),
        ):
            name = f"{scope.user_id} {scope.agent_id} {status} {rule}"
            told = memory(name, replace(scope, session_id="s"), status=status, held_by=rule)
            await drive(call, put(ledger, told))
        found = await drive(call, ledger.read(ALICE, lambda it: (it.held_in_session("s"), it.held_in_session("t"))))
        rules = {it.id.rpartition(" ")[2] for it in found[0]}
        assert (len(found[0]), rules, found[1]) == (3, {"trust_floor", "approval"}, [])

    @law
    async def test_evidence_is_what_supports_a_memory(self, ledger: Ledger, call: Call) -> None:
        """Learned, revised, confirmed; neither a failure nor fading is any, nor what is of another user."""
        doubt = {"confidence": 0.5}
        for memory_id in ("m1", "m2"):
            await drive(call, put(ledger, memory(memory_id)))
        await drive(call, note(ledger, Draft(type="feedback", memory_id="m1", changes=doubt, rule="failed")))
        await drive(call, note(ledger, Draft(type="faded", memory_id="m1", changes={"faded_at": START})))
        await drive(call, note(ledger, Draft(type="feedback", memory_id="m2", changes=doubt, rule="confirmed")))
        await drive(call, put(ledger, memory("m1", BOB)))
        found = await drive(call, ledger.read(ALICE, lambda reader: reader.evident(["m1", "m2", "m3"])))
        times = {it.seq: it.at for it in await drive(call, ledger.read(ALICE, lambda reader: reader.events()))}
        assert found == {"m1": times[1], "m2": times[5]}

    # ------------------------------------------------------------------------------------------------------------ pages
    @pytest.mark.parametrize("order_by", get_args(OrderBy))
    @law
    async def test_pages_follow_each_other_without_gap_or_overlap(
        self, ledger: Ledger, call: Call, order_by: OrderBy
    ) -> None:
        """Read page by page, every memory comes once, the greatest first, equals by id."""

        def kept(number: int) -> Memory:
            at = START + timedelta(days=number % 3)
            return memory(f"m{number}", confidence=number % 3 / 4, importance=number % 4 / 5, created_at=at)

        for number in range(9):
            await drive(call, put(ledger, kept(number), vector=None))
        found: list[Memory] = []
        while batch := await drive(call, listed(ledger, following(found, order_by))):
            found += batch
        assert [one.id for one in found] == [
            one.id for one in sorted(found, key=lambda one: (getattr(one, order_by), one.id), reverse=True)
        ]
        assert len(found) == 9

    @law
    async def test_a_page_holds_the_kinds_and_statuses_asked_for(self, ledger: Ledger, call: Call) -> None:
        """Other rows do not count against the limit."""
        fill(ledger)
        await drive(call, put(ledger, memory("goal", kind="goal")))
        pages = (Page(kinds=("goal",), limit=1), Page(statuses=("archived",)), Page(kinds=(), statuses=("active",)))
        found = [await drive(call, listed(ledger, page)) for page in pages]
        assert [[one.id for one in page] for page in found] == [["goal"], ["m4"], []]

    # ---------------------------------------------------------------------------------------------------------- erasure
    @law
    async def test_an_erasure_is_in_the_log_with_its_reason(self, ledger: Ledger, call: Call) -> None:
        """What is left of a memory says that it was erased, when and why."""
        await drive(call, put(ledger, memory()))
        await drive(call, erase(ledger, "m1"))
        events = await drive(call, ledger.read(ALICE, lambda reader: reader.events()))
        assert [(event.type, event.payload) for event in events] == [
            ("remembered", None),
            ("erased", {"note": {"reason": "user asked"}}),
        ]

    @law
    async def test_an_erased_memory_is_in_no_answer(self, ledger: Ledger, call: Call) -> None:
        """No way of reading shows it, its uses are gone, its place in the chain is not."""
        await drive(call, put(ledger, memory()))
        await drive(call, use(ledger, "m1"))
        await drive(call, erase(ledger, "m1"))

        def ways(reader: LedgerReader) -> list[object]:
            return [reader.memory("m1"), reader.memories(["m1"]), reader.page(Page()), reader.uses(["m1"])]

        assert await drive(call, ledger.read(ALICE, ways)) == [None, {}, [], {}]
        verification = await drive(call, ledger.verify(ALICE))
        assert (verification.events, verification.is_intact) == (2, True)

    # ----------------------------------------------------------------------------------------------------------- replay
    @law
    async def test_a_long_chain_is_read_in_batches(self, ledger: Ledger, call: Call) -> None:
        """More events than a batch holds are verified and replayed all the same."""

        def many(writer: LedgerWriter) -> None:
            for _ in range(1_100):
                writer.append(Draft(type="refused", rule="unstable"))

        await drive(call, put(ledger, memory()))
        await drive(call, ledger.append(ALICE, many))
        verification = await drive(call, ledger.verify(ALICE))
        assert (verification.events, verification.is_intact) == (1_101, True)
        assert await drive(call, ledger.read(ALICE, every_event)) == list(range(1, 1_102))
        assert await drive(call, ledger.replay(ALICE)) == 1

    @law
    async def test_replay_brings_back_the_same(self, ledger: Ledger, call: Call) -> None:
        """What the log says is what is there, for each user apart; what was erased does not come back."""
        fill(ledger)
        everything = Page(statuses=("active", "archived"), limit=99)
        before = [await drive(call, ledger.read(scope, lambda it: it.page(everything))) for scope in (HELPER, BOB)]
        assert [await drive(call, ledger.replay(scope)) for scope in (HELPER, BOB)] == [5, 1]
        after = [await drive(call, ledger.read(scope, lambda it: it.page(everything))) for scope in (HELPER, BOB)]
        assert (after, [len(it) for it in after]) == (before, [4, 1])


def following(found: list[Memory], order_by: OrderBy) -> Page:
    """Return the page behind the last memory found."""
    if not found:
        return Page(order_by=order_by, limit=2)
    value: Any = getattr(found[-1], order_by)
    if isinstance(value, datetime):
        value = (value - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    return Page(order_by=order_by, limit=2, after=(value, found[-1].id))
