"""What long-term memory promises, whatever database it stands on."""

from __future__ import annotations

import math
import struct
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.messages import HumanMessage
from langchain_core.vectorstores import VectorStore
from sqlalchemy import select

from langchain_agentmem import (
    AgentMemory,
    Candidate,
    ConfigurationError,
    ConsentError,
    GovernanceError,
    NotFoundError,
    Outcome,
    Provenance,
    RecallQuery,
    Scope,
    ScopeError,
    StorageError,
)
from langchain_agentmem._flow import arun
from langchain_agentmem._search import SearchColumns
from langchain_agentmem.ledger.base import LedgerWriter
from langchain_agentmem.ledger.sql.reader import SQLReader
from langchain_agentmem.long_term import ListQuery
from langchain_agentmem.options import DEFAULT_INDEX_ABOVE, MemoryOptions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import VECTORS
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings

ALICE = Scope("alice")
BOB = Scope("bob")
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


SPOILT = {
    "another size": bytes(range(4, 24)),
    "no number": struct.pack("<f", math.nan) * 512,
    "nothing": bytes(4 * 512),
    "infinite": struct.pack("<f", math.inf) * 512,
    "too long": struct.pack("<f", 3e38) * 512,
}
"""What may stand in the place of a vector: kept of a faulty answer by an earlier release, or altered in the table."""

BuildIndex: TypeAlias = Callable[[Embeddings], VectorStore]


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


class LongTermFixtures:
    """A memory on a database, `sql_url`."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def embeddings(self) -> WordEmbeddings:
        return WordEmbeddings()

    @pytest.fixture
    def index(self) -> BuildIndex | None:
        """Builder of a vector store, where one is under test."""
        return None

    @pytest.fixture
    def index_above(self) -> int:
        """How many memories of a user are searched in a view, where there is a vector store."""
        return DEFAULT_INDEX_ABOVE

    @pytest.fixture
    def options(self, clock: Clock, index_above: int) -> MemoryOptions:
        return MemoryOptions(clock=clock, index_above=index_above)

    @pytest.fixture
    async def memory(
        self,
        sql_url: str,
        options: MemoryOptions,
        embeddings: WordEmbeddings,
        index: BuildIndex | None,
        own_call: Call,
    ) -> AsyncIterator[AgentMemory]:
        async with AgentMemory(Database(sql_url), embeddings=embeddings, index=index, options=options) as memory:
            await own_call(memory.consent, "grant", ALICE)
            await own_call(memory.consent, "grant", BOB)
            yield memory


class RecallContract(LongTermFixtures):
    """What a recall promises; subclass it beside a fixture `sql_url`."""

    async def test_nothing_relevant_is_a_normal_answer(self, memory: AgentMemory, call: Call) -> None:
        """An unrelated question returns nothing, and a receipt that says so."""
        await call(memory.long_term, "remember", "Alice lives in Paris", scope=ALICE)
        found = await call(memory.long_term, "recall", "quantum chromodynamics", scope=ALICE)
        receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
        assert (len(found), found.status, receipt.status) == (0, "empty", "empty")

    async def test_constraints_come_complete(self, memory: AgentMemory, call: Call) -> None:
        """Every constraint in force is there, related or not, and takes no hit's place."""
        for rule in ("deploy to staging first", "write tests", "ask before deleting data"):
            await call(memory.long_term, "remember", f"Always {rule}", scope=ALICE)
        await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)
        found = await call(memory.long_term, "recall", "which cat?", scope=ALICE, limit=1)
        assert len(found.constraints) == 3
        assert [hit.memory.content for hit in found] == ["Alice owns a cat"]

    async def test_an_action_brings_its_past_failures(self, memory: AgentMemory, call: Call) -> None:
        """Before an action, its failures and all constraints are fetched, whatever kinds were asked for."""
        failure = Outcome(action="deploy billing to production", succeeded=False, detail="migration missing")
        await call(memory.long_term, "learn", failure, scope=ALICE)
        await call(memory.long_term, "remember", "Always deploy to staging first", scope=ALICE)
        query = RecallQuery(action="deploy billing to production", kinds=("fact",))
        found = await call(memory.long_term, "recall", query, scope=ALICE)
        assert ["failed" in hit.memory.tags for hit in found] == [True]
        assert len(found.constraints) == 1

    async def test_conditions_are_applied_before_the_limit(self, memory: AgentMemory, call: Call) -> None:
        """Kinds, tags, purpose and time window narrow what can be a hit, not what is left of the hits."""
        for number in range(12):
            await call(memory.long_term, "remember", f"Project note number {number} about rockets", scope=ALICE)
        wanted = Candidate(content="Rockets are Alice's goal this year", kind="goal", tags=("space",))
        kept = (await call(memory.long_term, "remember", wanted, scope=ALICE)).memory
        for query in (
            RecallQuery(text="rockets", kinds=("goal",), limit=1),
            RecallQuery(text="rockets", tags=("space",), limit=1),
            RecallQuery(text="rockets", since=kept.created_at, limit=1),
        ):
            assert [hit.memory.id for hit in await call(memory.long_term, "recall", query, scope=ALICE)] == [kept.id]

    async def test_a_purpose_limits_use(self, memory: AgentMemory, call: Call) -> None:
        """A memory kept for a purpose serves that purpose and no other."""
        await call(
            memory.long_term, "remember", Candidate(content="Alice pays yearly", purposes=("billing",)), scope=ALICE
        )
        counts = [
            len(await call(memory.long_term, "recall", RecallQuery(text="Alice pays", purpose=purpose), scope=ALICE))
            for purpose in ("billing", "marketing", None)
        ]
        assert counts == [1, 0, 0]

    async def test_an_expired_memory_is_not_used(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """Past `expires_at` a memory is neither recalled nor listed."""
        until = START + timedelta(days=1)
        await call(memory.long_term, "remember", Candidate(content="Alice is on call", expires_at=until), scope=ALICE)
        before = len(await call(memory.long_term, "recall", "on call", scope=ALICE))
        clock.now = until + timedelta(seconds=1)
        after = len(await call(memory.long_term, "recall", "on call", scope=ALICE))
        assert (before, after, len(await call(memory.long_term, "list", scope=ALICE))) == (1, 0, 0)

    async def test_a_budget_of_tokens_is_kept(self, memory: AgentMemory, call: Call) -> None:
        """What does not fit is dropped, and the receipt names the rule."""
        for thing in ("cat", "boat", "piano"):
            await call(memory.long_term, "remember", f"Alice owns a {thing}", scope=ALICE)
        found = await call(memory.long_term, "recall", RecallQuery(text="Alice owns", max_tokens=50), scope=ALICE)
        receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
        assert len(found) == 1
        assert [line.dropped_by for line in receipt.lines if line.dropped_by] == ["budget", "budget"]

    async def test_an_agent_sees_its_own_and_shared_memories(self, memory: AgentMemory, call: Call) -> None:
        """Shared memories are everyone's, an agent's are its own; without an agent only the shared ones are seen."""
        coder, writer = replace(ALICE, agent_id="coder"), replace(ALICE, agent_id="writer")
        await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)
        await call(memory.long_term, "remember", "Alice owns a boat", scope=coder)
        await call(memory.long_term, "remember", "Alice owns a piano", scope=writer)
        seen = [
            len(await call(memory.long_term, "recall", "Alice owns", scope=scope)) for scope in (ALICE, coder, writer)
        ]
        assert seen == [1, 2, 2]

    async def test_another_users_memories_change_nothing(self, memory: AgentMemory, call: Call) -> None:
        """Ids, order and scores of a recall are the same after others wrote the same words."""
        for thing in ("cat", "boat"):
            await call(memory.long_term, "remember", f"Alice owns a {thing}", scope=ALICE)
        before = await call(memory.long_term, "recall", "who owns a boat?", scope=BOB)
        mine = [(hit.memory.id, hit.parts["relevance"]) for hit in await self._boats(memory, call)]
        for thing in ("cat", "boat", "piano", "garden"):
            await call(memory.long_term, "remember", f"Bob owns a {thing}", scope=BOB)
        again = [(hit.memory.id, hit.parts["relevance"]) for hit in await self._boats(memory, call)]
        assert len(before) == 0
        assert again == mine

    async def _boats(self, memory: AgentMemory, call: Call) -> Any:  # noqa: ANN401
        return await call(memory.long_term, "recall", "who owns a boat?", scope=ALICE)

    async def test_why_not_names_the_reason(self, memory: AgentMemory, call: Call) -> None:
        """A memory that was not returned has a reason: its rule, or that it was not relevant."""
        cat = (await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)).memory
        tax = Candidate(content="Alice files taxes in May", purposes=("tax",))
        filed = (await call(memory.long_term, "remember", tax, scope=ALICE)).memory
        found = await call(memory.long_term, "recall", "Alice's cat", scope=ALICE)
        reasons = [
            await call(memory.long_term, "why_not", found.receipt_id, memory_id, scope=ALICE)
            for memory_id in (cat.id, filed.id)
        ]
        assert "rank 1" in reasons[0]
        assert "'purpose'" in reasons[1]

    async def test_frozen_memory_is_read_and_not_written(self, memory: AgentMemory, call: Call) -> None:
        """Per call, `frozen` refuses writes and `off` also recalls nothing; both say so."""
        await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)
        refused = await call(memory.long_term, "remember", "Alice owns a boat", scope=ALICE, mode="frozen")
        frozen = await call(memory.long_term, "recall", "cat", scope=ALICE, mode="frozen")
        off = await call(memory.long_term, "recall", "cat", scope=ALICE, mode="off")
        assert (refused.verdict, len(frozen), len(off), off.status) == ("refused", 1, 0, "off")


class LongTermContract(RecallContract):
    """Subclass it beside a fixture `sql_url`."""

    # ------------------------------------------------------------------------------------------------------ remember
    async def test_what_was_remembered_is_recalled(self, memory: AgentMemory, call: Call) -> None:
        """A statement is found by a question that shares its meaning, with its score made of parts."""
        said = "Alice prefers Python for backend services"
        decision = await call(memory.long_term, "remember", said, scope=ALICE, kind="preference")
        found = await call(memory.long_term, "recall", "Python or Go for backend services?", scope=ALICE)
        assert decision.verdict == "written"
        assert [hit.memory for hit in found] == [decision.memory]
        assert 0 < found[0].score <= 1
        assert {"relevance", "vector", "confidence", "recency"} <= found[0].parts.keys()

    async def test_nothing_is_kept_before_the_user_consents(self, memory: AgentMemory, call: Call) -> None:
        """Without a grant the answer is a refusal that names the remedy; with it the same call is kept."""
        carol = Scope("carol")
        refused = await call(memory.long_term, "remember", "Carol lives in Rome", scope=carol)
        await call(memory.consent, "grant", carol)
        kept = await call(memory.long_term, "remember", "Carol lives in Rome", scope=carol)
        assert (refused.verdict, refused.rule) == ("refused", "consent")
        assert "memory.consent.grant(scope)" in refused.reason
        assert kept.verdict == "written"

    async def test_nothing_is_embedded_before_the_user_consents(
        self, memory: AgentMemory, embeddings: WordEmbeddings, call: Call
    ) -> None:
        """What must not be kept is not sent to an embedding model either."""
        await call(memory.long_term, "remember", "Dave lives in Oslo", scope=Scope("dave"))
        await call(memory.long_term, "remember", "My card is 4111 1111 1111 1111", scope=ALICE)
        assert embeddings.texts == []

    async def test_after_a_withdrawal_nothing_is_written_or_recalled(self, memory: AgentMemory, call: Call) -> None:
        """A withdrawal ends every use, and a new grant gives back what was not erased."""
        await call(memory.long_term, "remember", "Alice lives in Paris", scope=ALICE)
        await call(memory.consent, "withdraw", ALICE)
        refused = await call(memory.long_term, "remember", "Alice has a cat", scope=ALICE)
        silent = await call(memory.long_term, "recall", "where does Alice live?", scope=ALICE)
        await call(memory.consent, "grant", ALICE)
        again = await call(memory.long_term, "recall", "where does Alice live?", scope=ALICE)
        assert refused.rule == "consent"
        assert (len(silent), silent.status) == (0, "no_consent")
        assert len(again) == 1

    async def test_an_anonymous_visitor_has_no_long_term_memory(self, memory: AgentMemory, call: Call) -> None:
        """Nothing is kept or recalled for a session without a user, and nothing else can be asked of it."""
        visitor = Scope.anonymous("session-1")
        refused = await call(memory.long_term, "remember", "I like tea", scope=visitor)
        found = await call(memory.long_term, "recall", "tea", scope=visitor)
        assert refused.verdict == "refused"
        assert found.status == "anonymous"
        with pytest.raises(ScopeError, match="anonymous"):
            await call(memory.long_term, "list", scope=visitor)

    async def test_the_same_statement_is_kept_once(self, memory: AgentMemory, call: Call) -> None:
        """A repeated statement confirms the memory instead of doubling it."""
        first = await call(memory.long_term, "remember", "Alice has a dog called Rex", scope=ALICE, confidence=0.75)
        again = await call(memory.long_term, "remember", "alice has a dog called Rex.", scope=ALICE, confidence=0.75)
        assert (again.verdict, again.memory.id) == ("merged", first.memory.id)
        assert again.memory.confidence == pytest.approx(0.9)
        assert len(await call(memory.long_term, "list", scope=ALICE)) == 1

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("Alice lives in Paris", "Alice moved to Berlin"),
            ("Alice is allergic to peanuts", "Alice is not allergic to peanuts"),
            ("The request timeout is 30 s", "The request timeout is 300 s"),
            ("Alice prefers tabs over spaces", "Alice prefers spaces over tabs"),
        ],
    )
    async def test_a_contradiction_supersedes(self, memory: AgentMemory, call: Call, old: str, new: str) -> None:
        """Conflict is looked for before duplicate: the old row is kept, ended, and not recalled unless asked for."""
        before = (await call(memory.long_term, "remember", old, scope=ALICE)).memory
        decision = await call(memory.long_term, "remember", new, scope=ALICE)
        ended = await call(memory.long_term, "get", before.id, scope=ALICE)
        found = await call(memory.long_term, "recall", new, scope=ALICE)
        everything = RecallQuery(text=old, include_superseded=True)
        assert decision.superseded == (before.id,)
        assert (ended.status, ended.invalid_at is not None) == ("superseded", True)
        assert [hit.memory.content for hit in found] == [new]
        assert len(await call(memory.long_term, "recall", everything, scope=ALICE)) == 2

    async def test_as_of_answers_with_what_was_true_then(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """A question about a past time sees the memory that was superseded since."""
        await call(memory.long_term, "remember", "Alice lives in Paris", scope=ALICE)
        then = clock.now + timedelta(days=1)
        clock.now += timedelta(days=30)
        await call(memory.long_term, "remember", "Alice moved to Berlin", scope=ALICE)
        past = await call(memory.long_term, "recall", RecallQuery(text="Alice lives", as_of=then), scope=ALICE)
        assert "Alice lives in Paris" in [hit.memory.content for hit in past]

    async def test_a_less_trusted_contradiction_waits(self, memory: AgentMemory, call: Call) -> None:
        """What a tool says against the user's own words is pending, and the user's memory stays."""
        await call(memory.long_term, "remember", "Alice lives in Paris", scope=ALICE)
        claim = Candidate(content="Alice lives in Madrid", provenance=Provenance(speaker="tool", message_ids=("t1",)))
        decision = await call(memory.long_term, "remember", claim, scope=ALICE)
        found = await call(memory.long_term, "recall", "where does Alice live?", scope=ALICE)
        assert (decision.verdict, decision.rule) == ("pending", "contradiction")
        assert [hit.memory.content for hit in found] == ["Alice lives in Paris"]

    async def test_what_the_assistant_claimed_waits_for_the_user(self, memory: AgentMemory, call: Call) -> None:
        """An assistant's claim is not recalled until the user says the same."""
        evidence = Provenance(speaker="assistant", message_ids=("m1",), evidence="Alice works at Acme")
        claim = Candidate(content="Alice works at Acme", source="inferred", provenance=evidence)
        held = await call(memory.long_term, "remember", claim, scope=ALICE)
        silent = await call(memory.long_term, "recall", "where does Alice work?", scope=ALICE)
        said = await call(memory.long_term, "remember", "Alice works at Acme", scope=ALICE)
        found = await call(memory.long_term, "recall", "where does Alice work?", scope=ALICE)
        assert held.verdict == "pending"
        assert len(silent) == 0
        assert (said.verdict, said.memory.id) == ("written", held.memory.id)
        assert [hit.memory.id for hit in found] == [held.memory.id]

    async def test_an_inferred_preference_needs_three_sightings(self, memory: AgentMemory, call: Call) -> None:
        """Two independent sightings keep it pending, the third makes it a memory."""
        verdicts = []
        for number in range(3):
            seen = Provenance(speaker="user", message_ids=(f"m{number}",), evidence="dark mode please")
            guess = Candidate(content="Alice prefers dark mode", kind="preference", source="inferred", provenance=seen)
            verdicts.append((await call(memory.long_term, "remember", guess, scope=ALICE)).verdict)
        assert verdicts == ["pending", "pending", "written"]

    async def test_a_session_writes_at_most_ten(self, memory: AgentMemory, call: Call) -> None:
        """The eleventh memory of one session is refused by name; another session goes on."""
        things = [
            "cat",
            "boat",
            "piano",
            "garden",
            "telescope",
            "bicycle",
            "violin",
            "greenhouse",
            "loom",
            "kayak",
            "drone",
        ]
        session = replace(ALICE, session_id="s1")
        verdicts = [
            (await call(memory.long_term, "remember", f"Alice owns a {thing}", scope=session)).verdict
            for thing in things
        ]
        other = replace(ALICE, session_id="s2")
        assert verdicts == ["written"] * 10 + ["refused"]
        assert (await call(memory.long_term, "remember", "Alice owns a drone", scope=other)).verdict == "written"

    async def test_a_candidate_can_name_what_it_replaces(self, memory: AgentMemory, call: Call) -> None:
        """`supersedes` replaces whatever the words say; an id that does not exist is an error and writes nothing."""
        old = (await call(memory.long_term, "remember", "The beta starts in May", scope=ALICE)).memory
        with pytest.raises(NotFoundError, match="nope"):
            await call(memory.long_term, "remember", Candidate(content="x y", supersedes=("nope",)), scope=ALICE)
        new = Candidate(content="Launch plans were dropped", supersedes=(old.id,))
        assert (await call(memory.long_term, "remember", new, scope=ALICE)).superseded == (old.id,)
        assert (await call(memory.long_term, "get", old.id, scope=ALICE)).status == "superseded"

    # -------------------------------------------------------------------------------------------------------- change
    async def test_a_revision_is_found_and_the_old_text_is_not(self, memory: AgentMemory, call: Call) -> None:
        """New content replaces the old in the index, keeps the id, and sets the confidence of a correction."""
        cat = (await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)).memory
        revised = await call(memory.long_term, "revise", cat.id, scope=ALICE, content="Alice owns a tortoise")
        found = await call(memory.long_term, "recall", "tortoise", scope=ALICE)
        assert (revised.memory.id, revised.memory.confidence) == (cat.id, 0.95)
        assert [hit.memory.content for hit in found] == ["Alice owns a tortoise"]
        assert len(await call(memory.long_term, "recall", "cat", scope=ALICE)) == 0

    async def test_a_revision_passes_the_same_rules(self, memory: AgentMemory, call: Call) -> None:
        """A card number does not come in through a revision either."""
        cat = (await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)).memory
        card = "Alice pays with 4111 1111 1111 1111"
        refused = await call(memory.long_term, "revise", cat.id, scope=ALICE, content=card)
        assert (refused.verdict, refused.rule) == ("refused", "sensitive_data")
        assert (await call(memory.long_term, "get", cat.id, scope=ALICE)).content == "Alice owns a cat"

    async def test_a_merge_is_trusted_like_its_least_trusted_source(self, memory: AgentMemory, call: Call) -> None:
        """The merged memory replaces its sources, carries their tags, and the lowest trust of them."""
        first = Candidate(content="Alice owns a cat", tags=("pet",), trust=1.0)
        second = Candidate(content="Alice owns a boat", tags=("sea",), trust=0.6)
        ids = [(await call(memory.long_term, "remember", it, scope=ALICE)).memory.id for it in (first, second)]
        merged = (await call(memory.long_term, "merge", ids, "Alice owns a cat and a boat", scope=ALICE)).memory
        listed = await call(memory.long_term, "list", scope=ALICE)
        assert (merged.source, merged.trust, merged.tags, merged.supersedes) == (
            "merged",
            0.6,
            ("pet", "sea"),
            tuple(ids),
        )
        assert [memory.id for memory in listed] == [merged.id]

    async def test_confidence_follows_feedback(self, memory: AgentMemory, call: Call) -> None:
        """The numbers: +0.1, -0.2, +0.15, -0.2, and forgotten below 0.3."""
        kept = (await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE, confidence=0.7)).memory
        seen = [
            (await call(memory.long_term, "feedback", kept.id, signal, scope=ALICE)).confidence
            for signal in ("succeeded", "failed", "confirmed", "contradicted", "contradicted", "contradicted")
        ]
        assert seen == pytest.approx([0.8, 0.6, 0.75, 0.55, 0.35, 0.15])
        assert (await call(memory.long_term, "get", kept.id, scope=ALICE)).status == "archived"

    async def test_an_outcome_moves_what_guided_it(self, memory: AgentMemory, call: Call) -> None:
        """A failure is remembered, and the memory that led to it is trusted less."""
        guide = (await call(memory.long_term, "remember", "Billing deploys from the main branch", scope=ALICE)).memory
        outcome = Outcome(action="deploy billing", succeeded=False, detail="tests were red", memory_ids=(guide.id,))
        decisions = await call(memory.long_term, "learn", outcome, scope=ALICE)
        assert [decision.verdict for decision in decisions] == ["written", "merged"]
        assert decisions[0].memory.kind == "outcome"
        assert (await call(memory.long_term, "get", guide.id, scope=ALICE)).confidence == pytest.approx(0.7)

    async def test_forgetting_is_reversible(self, memory: AgentMemory, call: Call) -> None:
        """A forgotten memory is not recalled or listed; restored, it is as before."""
        cat = (await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)).memory
        forgotten = await call(memory.long_term, "forget", cat.id, scope=ALICE, reason="no longer true")
        silent = await call(memory.long_term, "recall", "cat", scope=ALICE)
        restored = await call(memory.long_term, "restore", cat.id, scope=ALICE)
        found = await call(memory.long_term, "recall", "cat", scope=ALICE)
        assert (forgotten.status, len(silent), restored.status, len(found)) == ("archived", 0, "active", 1)

    async def test_every_change_has_its_reason(self, memory: AgentMemory, call: Call) -> None:
        """The life of a memory is told by events in order, each with a reason."""
        cat = (await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)).memory
        await call(memory.long_term, "revise", cat.id, scope=ALICE, tags=("pet",), reason="tagged")
        await call(memory.long_term, "forget", cat.id, scope=ALICE, reason="moved away")
        life = await call(memory.long_term, "why", cat.id, scope=ALICE)
        assert [event.type for event in life.events] == ["remembered", "revised", "forgotten"]
        assert life.reasons[2].endswith("forgotten: moved away")

    # ---------------------------------------------------------------------------------------------------------- list
    async def test_pages_show_every_memory_once(self, memory: AgentMemory, call: Call) -> None:
        """Page by page, by any order, each memory comes exactly once."""
        for number in range(7):
            candidate = Candidate(content=f"Note {number} about item {number}", importance=number % 3 / 10)
            await call(memory.long_term, "remember", candidate, scope=ALICE)
        for order in ("created_at", "confidence", "importance"):
            seen: list[str] = []
            cursor = None
            while not seen or cursor:
                page = await call(memory.long_term, "list", scope=ALICE, order_by=order, limit=3, cursor=cursor)
                seen, cursor = [*seen, *(kept.id for kept in page)], page.cursor
            assert len(seen) == len(set(seen)) == 7

    async def test_other_statuses_are_listed_when_asked_for(self, memory: AgentMemory, call: Call) -> None:
        """`select` shows what `list` leaves out."""
        cat = (await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)).memory
        await call(memory.long_term, "forget", cat.id, scope=ALICE)
        archived = await call(memory.long_term, "select", ListQuery(statuses=("archived",)), scope=ALICE)
        assert ([memory.id for memory in archived], len(await call(memory.long_term, "list", scope=ALICE))) == (
            [cat.id],
            0,
        )

    # ----------------------------------------------------------------------------------------------------- bad input
    @pytest.mark.parametrize(
        "arguments",
        [
            {"content": ""},
            {"content": "   "},
            {"content": "a\x00b"},
            {"content": "a\ud800b"},
            {"content": "x" * 10_001},
            {"content": "x", "kind": "rumour"},
            {"content": "x", "source": "hearsay"},
            {"content": "x", "confidence": math.nan},
            {"content": "x", "confidence": 1.1},
            {"content": "x", "confidence": True},
        ],
    )
    async def test_bad_input_is_refused_before_anything_is_written(
        self, memory: AgentMemory, call: Call, arguments: dict[str, Any]
    ) -> None:
        """The error names the argument, and the log has not moved."""
        before = await call(memory.long_term, "verify", scope=ALICE)
        with pytest.raises(ConfigurationError, match=list(arguments)[-1]):
            await call(memory.long_term, "remember", scope=ALICE, **arguments)
        assert await call(memory.long_term, "verify", scope=ALICE) == before

    @pytest.mark.parametrize(
        ("method", "record", "beside"),
        [
            ("remember", Candidate(content="Alice likes tea"), {"kind": "preference"}),
            ("remember", Candidate(content="Alice likes tea"), {"source": "explicit"}),
            ("remember", Candidate(content="Alice likes tea"), {"confidence": 0.9}),
            ("recall", RecallQuery(text="tea"), {"limit": 5}),
            ("recall", RecallQuery(text="tea", kinds=("fact",)), {"kinds": ["preference"]}),
        ],
    )
    async def test_nothing_is_said_beside_a_record_that_says_it(
        self, memory: AgentMemory, call: Call, method: str, record: Candidate | RecallQuery, beside: dict[str, Any]
    ) -> None:
        """A field beside a candidate or a query is refused, also the default, and the error says where it belongs."""
        [name], kind = beside, type(record).__name__
        before = await call(memory.long_term, "verify", scope=ALICE)
        with pytest.raises(ConfigurationError, match=rf"^{name} cannot .* {kind}\(…, {name}=…\)"):
            await call(memory.long_term, method, record, scope=ALICE, **beside)
        assert await call(memory.long_term, "verify", scope=ALICE) == before

    @pytest.mark.parametrize("limit", [0, -1, True, "5"])
    async def test_a_limit_that_is_none_is_refused(self, memory: AgentMemory, call: Call, limit: Any) -> None:  # noqa: ANN401
        """Zero, negative and other things than numbers are an error that names the argument."""
        with pytest.raises(ConfigurationError, match="limit"):
            await call(memory.long_term, "recall", "cat", scope=ALICE, limit=limit)

    @pytest.mark.parametrize("limit", [1_000_000, 10**30])
    async def test_any_limit_is_answered(self, memory: AgentMemory, call: Call, limit: int) -> None:
        """More than there is, or than a database can count, brings all there is."""
        for thing in ("cat", "boat"):
            await call(memory.long_term, "remember", f"Alice owns a {thing}", scope=ALICE)
        assert len(await call(memory.long_term, "recall", "Alice owns", scope=ALICE, limit=limit)) == 2

    @pytest.mark.parametrize("name", ["'; DROP TABLE memories; --", "a,b|c", '{"$ne": 1}', "@x:{*}"])
    async def test_a_name_with_code_in_it_is_a_name(self, memory: AgentMemory, call: Call, name: str) -> None:
        """Tags, purposes and agents that read like a filter or a statement match themselves and nothing else."""
        for thing, tag in (("cat", name), ("boat", "a"), ("piano", "other")):
            candidate = Candidate(content=f"Alice owns a {thing}", tags=(tag,))
            await call(memory.long_term, "remember", candidate, scope=ALICE)
        own = replace(ALICE, agent_id=name)
        await call(memory.long_term, "remember", "Alice owns a kayak", scope=own)
        tagged = await call(memory.long_term, "recall", RecallQuery(text="Alice owns", tags=(name,)), scope=ALICE)
        agents = await call(memory.long_term, "recall", "Alice owns a kayak", scope=own)
        for_it = await call(memory.long_term, "recall", RecallQuery(text="Alice owns", purpose=name), scope=ALICE)
        assert [hit.memory.tags for hit in tagged] == [(name,)]
        assert [hit.memory.scope.agent_id for hit in agents].count(name) == 1
        assert len(for_it) == 3

    async def test_a_failing_embedding_model_is_our_error(
        self, memory: AgentMemory, embeddings: WordEmbeddings, call: Call
    ) -> None:
        """A model that raises is a retryable `StorageError`, and nothing is half written."""
        embeddings.fails_with = RuntimeError("out of memory")
        with pytest.raises(StorageError) as caught:
            await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)
        embeddings.fails_with = None
        assert caught.value.is_retryable
        assert (await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)).verdict == "written"

    # ------------------------------------------------------------------------------------------------------- reindex
    async def test_another_model_is_refused_until_reindex(
        self, memory: AgentMemory, index: BuildIndex | None, call: Call
    ) -> None:
        """Vectors of two models are never compared: the error names the remedy, and the remedy works."""
        await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)
        other = AgentMemory(memory._database, embeddings=WordEmbeddings("other", dim=32), index=index)
        with pytest.raises(ConfigurationError, match="reindex"):
            await call(other.long_term, "recall", "cat", scope=ALICE)
        report = await call(other.long_term, "reindex")
        found = await call(other.long_term, "recall", "cat", scope=ALICE)
        assert (report.embedded, len(found), "vector" in found[0].parts) == (1, 1, True)
        with pytest.raises(ConfigurationError, match="reindex"):
            await call(memory.long_term, "recall", "cat", scope=ALICE)

    async def test_an_interrupted_reindex_goes_on_where_it_was(
        self, memory: AgentMemory, index: BuildIndex | None, call: Call
    ) -> None:
        """What was embedded before the interruption is not embedded again, and both models read meanwhile."""
        for thing in ("cat", "boat", "piano"):
            await call(memory.long_term, "remember", f"Alice owns a {thing}", scope=ALICE)
            await call(memory.long_term, "remember", f"Bob owns a {thing}", scope=BOB)

        def interrupt(_embedded: int) -> None:
            raise KeyboardInterrupt

        other = AgentMemory(memory._database, embeddings=WordEmbeddings("other"), index=index)
        with pytest.raises(KeyboardInterrupt):
            await call(other.long_term, "reindex", progress=interrupt)
        assert len(await call(memory.long_term, "recall", "boat", scope=ALICE)) == 1
        assert len(await call(other.long_term, "recall", "boat", scope=BOB)) == 1
        assert (await call(other.long_term, "reindex")).embedded == 3

    async def test_both_models_read_and_write_until_a_reindex_is_done(
        self, memory: AgentMemory, index: BuildIndex | None, call: Call
    ) -> None:
        """Whoever wrote it, each process finds it: processes can be replaced one by one, and nothing is lost."""
        await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)

        def stop(_embedded: int) -> None:
            raise KeyboardInterrupt

        new = AgentMemory(memory._database, embeddings=WordEmbeddings("other", dim=32), index=index)
        with pytest.raises(KeyboardInterrupt):
            await call(new.long_term, "reindex", progress=stop)
        for writer, thing in ((memory, "boat"), (new, "piano")):
            await call(writer.long_term, "remember", f"Alice owns a {thing}", scope=ALICE)
        for reader, thing in ((memory, "piano"), (new, "boat"), (memory, "boat"), (new, "piano")):
            found = await call(reader.long_term, "recall", thing, scope=ALICE)
            assert found[0].memory.content == f"Alice owns a {thing}"
        assert (await call(new.long_term, "reindex")).embedded == 1
        found = await call(new.long_term, "recall", "boat", scope=ALICE)
        assert (found[0].memory.content, found[0].parts["vector"] > 0) == ("Alice owns a boat", True)

    async def test_a_vector_of_another_size_than_others_is_refused(
        self, memory: AgentMemory, embeddings: WordEmbeddings, call: Call
    ) -> None:
        """Nothing of the turns is kept; the same turns are, once the model is well again."""
        turns = [HumanMessage("Alice owns a cat", id="1"), HumanMessage("Alice owns an odd boat", id="2")]
        await call(memory.long_term, "remember", "Alice owns a piano", scope=ALICE)
        embeddings.odd = "odd"
        for some in (turns, turns[1:]):
            with pytest.raises(ConfigurationError, match="numbers"):
                await call(memory.episodes, "ingest", some, scope=replace(ALICE, session_id="talk"))
        assert [hit.memory.kind for hit in await call(memory.long_term, "recall", "piano", scope=ALICE)] == ["fact"]
        embeddings.odd = None
        assert (await call(memory.episodes, "ingest", turns, scope=replace(ALICE, session_id="talk"))).kept == 2

    @pytest.mark.parametrize("spoilt", SPOILT.values(), ids=SPOILT)
    async def test_vectors_that_cannot_be_compared_count_as_missing(
        self, memory: AgentMemory, index: BuildIndex | None, spoilt: bytes, call: Call, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Words find what they are of, though all are such; the log says so, and a reindex makes them anew."""
        for thing in ("cat", "boat"):
            await call(memory.long_term, "remember", f"Alice owns a {thing}", scope=ALICE)
            said = HumanMessage(f"I bought a {thing}", id=thing)
            await call(memory.episodes, "ingest", [said], scope=replace(ALICE, session_id="talk"))
        ids = await arun(memory._database.read(lambda it: it.execute(select(VECTORS.c.memory_id)).scalars().all()))

        def spoil(writer: LedgerWriter) -> None:
            (model,) = writer.models()
            for id_ in ids:
                writer.put_vector(id_, model, spoilt)

        await arun(memory.long_term._flows._parts.ledger.append(ALICE, spoil))
        again = AgentMemory(memory._database, embeddings=WordEmbeddings(), index=index, options=memory._options)
        found = await call(again.long_term, "recall", "cat", scope=ALICE)
        assert {hit.memory.kind for hit in found} == {"fact", "episode"}
        assert all("cat" in hit.memory.content for hit in found[:2])
        assert "stored vectors cannot be compared" in caplog.text
        assert (await call(again.long_term, "reindex")).embedded == 4
        found = await call(again.long_term, "recall", "cat", scope=ALICE)
        assert all(hit.parts["vector"] > 0 for hit in found[:2])
        assert (await call(again.long_term, "reindex")).embedded == 0

    async def test_a_reindex_embeds_nothing_of_another_size(
        self, memory: AgentMemory, embeddings: WordEmbeddings, options: MemoryOptions, call: Call
    ) -> None:
        """A re-index that meets an answer of another size stops, stores nothing of it, and goes on when it is well."""
        await call(memory.long_term, "remember", "Alice owns a piano", scope=ALICE)
        words = AgentMemory(memory._database, embeddings=None, options=options)
        await call(words.long_term, "remember", "Alice owns an odd boat", scope=ALICE)
        said = HumanMessage("I bought an odd cat", id="1")
        await call(words.episodes, "ingest", [said], scope=replace(ALICE, session_id="talk"))
        embeddings.odd = "odd"
        with pytest.raises(ConfigurationError, match="numbers"):
            await call(memory.long_term, "reindex")
        embeddings.odd = "cat"
        with pytest.raises(ConfigurationError, match="numbers"):
            await call(memory.long_term, "reindex")
        embeddings.odd = None
        assert (await call(memory.long_term, "reindex")).embedded == 1

    async def test_vectors_that_a_reindex_adds_reach_every_process(
        self, memory: AgentMemory, index: BuildIndex | None, options: MemoryOptions, call: Call
    ) -> None:
        """A view that knows memories of a process without a model compares them once another process embedded them."""
        words = AgentMemory(memory._database, embeddings=None, options=options)
        worker = AgentMemory(memory._database, embeddings=WordEmbeddings(), index=index, options=options)
        for thing in ("cat", "boat"):
            kept = await call(words.long_term, "remember", f"Alice owns a {thing}", scope=ALICE)
            await call(worker.long_term, "recall", thing, scope=ALICE)
            assert (await call(memory.long_term, "reindex")).embedded == 1
            found = await call(worker.long_term, "recall", thing, scope=ALICE)
            assert (found[0].memory.id, found[0].parts["vector"] > 0) == (kept.require().id, True)

    async def test_a_reindex_with_nothing_to_do_leaves_views_as_they_are(
        self, memory: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Only where a memory got a vector that had none, views are read again; a warm view reads what changed."""
        await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)
        worker = AgentMemory(memory._database, embeddings=WordEmbeddings())
        await call(worker.long_term, "recall", "cat", scope=ALICE)
        asked: list[int] = []
        columns = SQLReader.search_columns

        def counted(reader: SQLReader, since: int, model: str | None) -> SearchColumns:
            asked.append(since)
            return columns(reader, since, model)

        monkeypatch.setattr(SQLReader, "search_columns", counted)
        assert (await call(memory.long_term, "reindex")).embedded == 0
        await call(worker.long_term, "recall", "cat", scope=ALICE)
        assert asked
        assert all(asked)

    async def test_receipts_are_kept_for_a_time(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """A receipt is there for ninety days by default, and gone with the next recall after that."""
        found = await call(memory.long_term, "recall", "anything", scope=ALICE)
        clock.now += timedelta(days=89)
        again = await call(memory.long_term, "recall", "anything", scope=ALICE)
        assert (await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)).status == "empty"
        clock.now += timedelta(days=2)
        await call(memory.long_term, "recall", "anything", scope=ALICE)
        with pytest.raises(NotFoundError):
            await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
        assert (await call(memory.long_term, "receipt", again.receipt_id, scope=ALICE)).status == "empty"

    async def test_a_caller_can_require_a_memory(self, memory: AgentMemory, call: Call) -> None:
        """`require` gives the memory, or the refusal as an error that names the rule."""
        kept = await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)
        refused = await call(memory.long_term, "remember", "maybe Alice owns a boat", scope=ALICE)
        unasked = await call(memory.long_term, "remember", "Carol owns a cat", scope=Scope("carol"))
        assert kept.require() == kept.memory
        with pytest.raises(GovernanceError, match=refused.reason) as caught:
            refused.require()
        assert caught.value.rule == "unstable"
        with pytest.raises(ConsentError):
            unasked.require()

    async def test_frozen_memory_can_still_be_forgotten(self, memory: AgentMemory, call: Call) -> None:
        """Nothing is revised or moved where memory is read-only; forgetting and erasing are always possible."""
        cat = (await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)).require()
        frozen = AgentMemory(memory._database, embeddings=WordEmbeddings(), options=MemoryOptions(mode="frozen"))
        refused = await call(frozen.long_term, "revise", cat.id, scope=ALICE, content="Alice owns a boat")
        with pytest.raises(GovernanceError, match="read-only"):
            await call(frozen.long_term, "feedback", cat.id, "failed", scope=ALICE)
        assert refused.rule == "memory_mode"
        assert (await call(frozen.long_term, "forget", cat.id, scope=ALICE)).status == "archived"
        assert await call(frozen.long_term, "erase", cat.id, scope=ALICE) == (cat.id,)

    async def test_what_a_memory_means_is_found_too(self, memory: AgentMemory, call: Call) -> None:
        """A question in the words of the relation finds a statement that uses others; a revision takes them away."""
        moved = Candidate(content="Alice moved to Berlin", subject="Alice", relation="lives_in", object="Berlin")
        kept = (await call(memory.long_term, "remember", moved, scope=ALICE)).require()
        found = await call(memory.long_term, "recall", "who lives where?", scope=ALICE)
        await call(memory.long_term, "revise", kept.id, scope=ALICE, content="Alice owns a boat")
        after = await call(memory.long_term, "recall", "who lives where?", scope=ALICE)
        assert [hit.memory.id for hit in found] == [kept.id]
        assert len(after) == 0

    async def test_a_confirmed_contradiction_replaces_what_it_contradicts(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """A claim that waited becomes active by the user's word, and what it contradicts ends at that moment."""
        paris = (await call(memory.long_term, "remember", "Alice lives in Paris", scope=ALICE)).require()
        tool = Provenance(speaker="tool", message_ids=("t1",))
        claim = Candidate(content="Alice lives in Madrid", provenance=tool)
        held = await call(memory.long_term, "remember", claim, scope=ALICE)
        said = await call(memory.long_term, "remember", "Alice lives in Madrid", scope=ALICE)
        found = await call(memory.long_term, "recall", "where does Alice live?", scope=ALICE)
        assert (held.verdict, said.verdict, said.superseded) == ("pending", "written", (paris.id,))
        assert [hit.memory.content for hit in found] == ["Alice lives in Madrid"]
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact

    async def test_an_agents_own_statement_replaces_nothing_shared(self, memory: AgentMemory, call: Call) -> None:
        """What one agent heard does not end what the others know; it points at it."""
        coder = replace(ALICE, agent_id="coder")
        paris = (await call(memory.long_term, "remember", "Alice lives in Paris", scope=ALICE)).require()
        moved = await call(memory.long_term, "remember", "Alice moved to Berlin", scope=coder)
        found = await call(memory.long_term, "recall", "where does Alice live?", scope=ALICE)
        assert (moved.superseded, moved.linked) == ((), (paris.id,))
        assert [hit.memory.id for hit in found] == [paris.id]

    async def test_narrowed_consent_narrows_what_was_kept_before(self, memory: AgentMemory, call: Call) -> None:
        """What names no purpose was kept for any; once consent covers one purpose only, it serves that one."""
        await call(memory.long_term, "remember", "Alice pays yearly", scope=ALICE)
        await call(memory.consent, "grant", ALICE, purposes=("billing",))
        counts = [
            len(await call(memory.long_term, "recall", RecallQuery(text="Alice pays", purpose=purpose), scope=ALICE))
            for purpose in ("billing", "marketing", None)
        ]
        assert counts == [1, 0, 0]

    async def test_a_withdrawal_during_a_recall_is_heeded(
        self, memory: AgentMemory, embeddings: WordEmbeddings, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Consent is asked again where the answer is made: embedding the question takes its time."""
        await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)
        embed = embeddings.embed_query

        def withdraw_first(text: str) -> list[float]:
            memory.consent.withdraw(ALICE)
            return embed(text)

        monkeypatch.setattr(embeddings, "embed_query", withdraw_first)
        found = await call(memory.long_term, "recall", "whose cat?", scope=ALICE)
        assert (len(found), found.status) == (0, "no_consent")
