"""The contract of observers and counters: ids and numbers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_agentmem import AgentMemory, RecallQuery, Scope
from langchain_agentmem.errors import StorageError
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types.watching import Observer, RecallSeen, Ruled, UseSeen, WriteSeen
from tests.conftest import Call
from tests.contracts.long_term_contract import Clock
from tests.fake_embeddings import WordEmbeddings

ALICE = Scope("alice")
BOB = Scope("bob")
TALK = Scope("alice", session_id="talk")
SAID: list[BaseMessage] = [HumanMessage("I sold my boat in Kiel", id="h"), AIMessage("Noted.", id="a")]


class Witness(Observer):
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.recalls: list[RecallSeen] = []
        self.writes: list[WriteSeen] = []
        self.uses: list[UseSeen] = []

    def on_recall(self, seen: RecallSeen) -> None:
        self.recalls.append(seen)

    def on_write(self, seen: WriteSeen) -> None:
        self.writes.append(seen)

    def on_use(self, seen: UseSeen) -> None:
        self.uses.append(seen)


class Broken(Observer):
    """Fails at whatever it hears."""

    def on_recall(self, seen: RecallSeen) -> None:
        msg = "no disk"
        raise OSError(msg)

    def on_write(self, seen: WriteSeen) -> None:
        raise ValueError(seen.operation)


class WatchingContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def witness(self) -> Witness:
        return Witness()

    @pytest.fixture
    def embeddings(self) -> WordEmbeddings:
        return WordEmbeddings()

    @pytest.fixture
    async def memory(self, sql_url: str, witness: Witness, embeddings: WordEmbeddings) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(consent="assumed", observers=[Broken(), witness])
        async with AgentMemory(Database(sql_url), embeddings=embeddings, options=options) as memory:
            yield memory

    # ----------------------------------------------------------------------------------------- what ends by other means
    async def test_the_erasure_of_a_user_and_a_withdrawal_are_heard_of(
        self, memory: AgentMemory, witness: Witness, call: Call
    ) -> None:
        """Each is one write, whatever it takes with it."""
        await call(memory.long_term, "remember", "Alice owns a boat", scope=ALICE)
        await call(memory.consent, "withdraw", ALICE, purposes=["ads"])
        await call(memory.privacy, "erase", ALICE)
        told = [(it.operation, it.outcomes) for it in witness.writes[1:]]
        changed, erased = (Ruled("changed", "withdraw"),), (Ruled("erased", "erase_user"),)
        assert told == [("withdraw", changed), ("erase_user", erased)]

    async def test_a_cycle_of_forgetting_is_heard_of_if_it_moves_anything(
        self, sql_url: str, witness: Witness, call: Call
    ) -> None:
        """What faded or is archived is forgotten; what is gone for good is erased, and what expired is dropped."""
        clock = Clock()
        options = MemoryOptions(consent="assumed", observers=[witness], clock=clock, episodes_for=timedelta(days=10))
        async with AgentMemory(Database(sql_url), embeddings=None, options=options) as memory:
            await call(memory.long_term, "remember", "Alice owns a boat", scope=ALICE)
            await call(memory.episodes, "ingest", SAID, scope=TALK)
            await call(memory.forgetting, "forget_cycle", ALICE)
            assert [it.operation for it in witness.writes] == ["remember", "keep_episodes"]
            for _ in range(3):
                clock.now += timedelta(days=400)
                await call(memory.forgetting, "forget_cycle", ALICE)
            await call(memory.episodes, "sweep")
        told = [(it.operation, *it.outcomes) for it in witness.writes[2:]]
        assert ("erase", Ruled("erased", "forget_cycle")) in told
        assert ("forget", Ruled("changed", "archive")) in told
        assert ("drop_episodes", Ruled("dropped", "expired")) in told

    async def test_what_a_rollback_takes_back_is_counted(
        self, memory: AgentMemory, witness: Witness, call: Call
    ) -> None:
        """Its rule says what each of them went through."""
        kept = (await call(memory.long_term, "remember", "Alice works at Acme", scope=ALICE)).memory
        await call(memory.long_term, "correct", kept.id, "Alice works at Bcme", scope=ALICE)
        done = await call(memory.timeline, "rollback", ALICE, to=kept.revision, reason="wrong")
        assert len(done.reverted) > 0
        assert witness.writes[-1].outcomes == (Ruled("changed", "rollback", len(done.reverted)),)

    # ------------------------------------------------------------------------------------------------------ observers
    async def test_an_observer_hears_of_recalls_by_ids_and_numbers(
        self, memory: AgentMemory, witness: Witness, call: Call
    ) -> None:
        """Facts and turns are counted apart, and the receipt can be looked up."""
        await call(memory.episodes, "ingest", SAID, scope=TALK)
        await call(memory.long_term, "remember", "Alice owns a boat", scope=ALICE)
        await call(memory.long_term, "remember", "Always ask before a boat is sold", scope=ALICE, kind="constraint")
        found = await call(memory.long_term, "recall", "which boat?", scope=ALICE)
        seen = witness.recalls[0]
        assert seen.memory_ids == tuple(hit.memory.id for hit in found)
        assert (seen.status, seen.episodes, seen.constraints, seen.receipt_id) == ("ok", 1, 1, found.receipt_id)
        assert seen.tokens > 20
        assert seen.seconds > 0

    async def test_an_observer_hears_of_every_kind_of_write(
        self, memory: AgentMemory, witness: Witness, call: Call
    ) -> None:
        """Each ends with what became of it, by which rule."""
        kept = (await call(memory.long_term, "remember", "Alice owns a boat", scope=ALICE)).memory
        await call(memory.long_term, "feedback", kept.id, "confirmed", scope=ALICE)
        new = (await call(memory.long_term, "revise", kept.id, scope=ALICE, content="Alice owns a yacht")).memory
        await call(memory.long_term, "forget", new.id, scope=ALICE)
        await call(memory.long_term, "restore", new.id, scope=ALICE)
        await call(memory.long_term, "erase", new.id, scope=ALICE)
        await call(memory.episodes, "ingest", SAID, scope=TALK)
        await call(memory.episodes, "clear", scope=TALK)
        assert [(it.operation, it.outcomes[0].verdict) for it in witness.writes] == [
            ("remember", "written"),
            ("feedback", "changed"),
            ("revise", "written"),
            ("forget", "changed"),
            ("restore", "changed"),
            ("erase", "erased"),
            ("keep_episodes", "written"),
            ("drop_episodes", "dropped"),
        ]
        assert [it.memory_id for it in witness.writes[:4]] == [kept.id, kept.id, new.id, new.id]
        assert witness.writes[1].outcomes[0].rule == "confirmed"

    async def test_a_refusal_is_a_write_too(self, memory: AgentMemory, witness: Witness, call: Call) -> None:
        """It says which rule refused, and not a word of what."""
        await call(memory.long_term, "remember", "Alice's password is hunter2-Zebra!", scope=ALICE)
        outcome = witness.writes[0].outcomes[0]
        assert (outcome.verdict, witness.writes[0].memory_id) == ("refused", None)
        assert "hunter2" not in repr(witness.writes)

    async def test_a_failure_is_seen_and_raised(
        self, memory: AgentMemory, witness: Witness, embeddings: WordEmbeddings, call: Call
    ) -> None:
        """An observer hears the class of what was raised; the caller has it all."""
        await call(memory.long_term, "remember", "Alice owns a boat", scope=ALICE)
        embeddings.fails_with = StorageError("model down")
        with pytest.raises(StorageError, match="model down"):
            await call(memory.long_term, "recall", "boat", scope=ALICE)
        assert [(it.status, it.error) for it in witness.recalls] == [("failed", "StorageError")]

    async def test_a_recall_that_nobody_waits_for_any_more_is_seen(
        self, memory: AgentMemory, witness: Witness, embeddings: WordEmbeddings
    ) -> None:
        """A recall that took too long for its caller is a failure, and it is cancelled all the same."""
        await memory.long_term.aremember("Alice owns a boat", scope=ALICE)
        embeddings.fails_with = asyncio.CancelledError()
        with pytest.raises(asyncio.CancelledError):
            await memory.long_term.arecall("boat", scope=ALICE)
        assert [(it.status, it.error) for it in witness.recalls] == [("failed", "CancelledError")]

    async def test_an_erasure_is_of_what_was_asked_for(self, memory: AgentMemory, witness: Witness, call: Call) -> None:
        """What it takes with it is counted, and not named in its place."""
        ids = [
            (await call(memory.long_term, "remember", f"Alice owns a {thing}", scope=ALICE)).memory.id
            for thing in ("boat", "cat")
        ]
        await call(memory.long_term, "merge", ids, "Alice owns a boat and a cat", scope=ALICE)
        await call(memory.long_term, "erase", ids[0], scope=ALICE)
        seen = witness.writes[-1]
        assert (seen.operation, seen.memory_id, seen.outcomes[0].records) == ("erase", ids[0], 2)

    async def test_a_broken_observer_breaks_nothing(
        self, memory: AgentMemory, witness: Witness, call: Call, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Memory goes on, the observers after it are told, and the log has one line without a word of memory."""
        decision = await call(memory.long_term, "remember", "Alice owns a boat", scope=ALICE)
        assert (decision.verdict, len(witness.writes)) == ("written", 1)
        assert [it.getMessage() for it in caplog.records] == ["an observer failed: ValueError in Broken"]

    # -------------------------------------------------------------------------------------------------------- metrics
    async def test_a_verdict_is_told_once(self, memory: AgentMemory, witness: Witness, call: Call) -> None:
        """Noted again, it counts no more; another one than before does."""
        kept = (await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)).require()
        found = await call(memory.long_term, "recall", "cat", scope=ALICE)
        for used in (True, True, False):
            await call(memory.long_term, "note_used", found.receipt_id, {kept.id: used}, scope=ALICE)
        assert [(it.used, it.unused) for it in witness.uses] == [(1, 0), (0, 1)]

    async def test_what_was_done_is_counted(self, memory: AgentMemory, call: Call) -> None:
        """Recalls by status, writes by rule, turns kept."""
        await call(memory.long_term, "remember", "Alice owns a boat", scope=ALICE)
        await call(memory.episodes, "ingest", SAID, scope=TALK)
        for question in ("which boat?", "quantum chromodynamics"):
            await call(memory.long_term, "recall", RecallQuery(text=question, kinds=("fact",)), scope=ALICE)
        found = memory.metrics.snapshot()
        assert found.recalls == {"empty": 1, "ok": 1}
        assert (found.verdicts, found.episodes_kept) == ({"written": 2}, 1)
        assert found.p95_s is not None
