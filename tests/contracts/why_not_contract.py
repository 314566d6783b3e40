"""The contract of `why_not`: every way in which a memory can be absent has its reason, and no other user's has any."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Candidate, Memory, NotFoundError, RecallQuery, Scope, Weights
from langchain_agentmem.long_term.recall.explaining import MEANINGS
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import Clock

ALICE = Scope("alice")
BOB = Scope("bob")
TALK = Scope("alice", session_id="talk")
MAY = datetime(2026, 5, 7, 12, tzinfo=UTC)
DAY = timedelta(days=1)

BOAT = RecallQuery(text="Alice owns a boat")
OUT: dict[str, tuple[Candidate, RecallQuery]] = {
    "kind": (Candidate(content="Alice owns a boat"), replace(BOAT, kinds=("goal",))),
    "tags": (Candidate(content="Alice owns a boat", tags=("sea",)), replace(BOAT, tags=("lake",))),
    "confidence": (Candidate(content="Alice owns a boat", confidence=0.8), replace(BOAT, min_confidence=0.9)),
    "purpose": (Candidate(content="Alice owns a boat", purposes=("tax",)), replace(BOAT, purpose="support")),
    "not_valid_then": (Candidate(content="Alice owns a boat", valid_at=MAY + 9 * DAY), BOAT),
    "outside_window": (Candidate(content="Alice owns a boat", valid_at=MAY - 9 * DAY), replace(BOAT, since=MAY)),
    "expired": (Candidate(content="Alice owns a boat", expires_at=MAY + timedelta(hours=1)), BOAT),
}
"""By rule: what is remembered on MAY, and a question of the day after that it does not answer."""


class WhyNotContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def clock(self) -> Clock:
        clock = Clock()
        clock.now = MAY
        return clock

    @pytest.fixture
    async def memory(self, sql_url: str, clock: Clock) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(consent="assumed", clock=clock, weights=Weights(min_likelihood=0.0, min_relevance=0.0))
        async with AgentMemory(Database(sql_url), embeddings=WordEmbeddings(), options=options) as memory:
            yield memory

    async def _keep(self, memory: AgentMemory, call: Call, content: str | Candidate, scope: Scope = ALICE) -> Memory:
        decision = await call(memory.long_term, "remember", content, scope=scope)
        kept: Memory = decision.require()
        return kept

    async def _ask(self, memory: AgentMemory, call: Call, query: Any, scope: Scope = ALICE) -> str:  # noqa: ANN401
        found = await call(memory.long_term, "recall", query, scope=scope)
        receipt_id: str = found.receipt_id
        return receipt_id

    async def _why(self, memory: AgentMemory, call: Call, receipt_id: str, kept: Memory, scope: Scope = ALICE) -> str:
        said: str = await call(memory.long_term, "why_not", receipt_id, kept.id, scope=scope)
        return said

    # ------------------------------------------------------------------------------------------------------ the rules
    @pytest.mark.parametrize("rule", OUT)
    async def test_what_a_rule_kept_out_names_it(
        self, memory: AgentMemory, clock: Clock, call: Call, rule: str
    ) -> None:
        """Also where the index left it out already, so that it never was a candidate; and says it in words."""
        candidate, query = OUT[rule]
        kept = await self._keep(memory, call, candidate)
        clock.now = MAY + DAY
        said = await self._why(memory, call, await self._ask(memory, call, query), kept)
        assert f"the rule {rule!r} keeps it out: {MEANINGS[rule]}" in said

    async def test_what_is_not_true_any_more_was_not_valid(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """An end that has passed is told like a beginning that has not come."""
        kept = await self._keep(memory, call, Candidate(content="Alice owns a boat", invalid_at=MAY + DAY))
        clock.now = MAY + 2 * DAY
        assert "'not_valid_then'" in await self._why(memory, call, await self._ask(memory, call, BOAT), kept)

    async def test_what_was_forgotten_says_so(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """It is still in the log, and out of every recall."""
        kept = await self._keep(memory, call, "Alice owns a boat")
        await call(memory.long_term, "forget", kept.id, scope=ALICE)
        clock.now = MAY + DAY
        said = await self._why(memory, call, await self._ask(memory, call, BOAT), kept)
        assert said.endswith("the rule 'status_archived' keeps it out: it was forgotten")

    async def test_what_was_replaced_says_so(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """The newer statement is returned instead."""
        kept = await self._keep(memory, call, "Alice owns a boat")
        await self._keep(memory, call, Candidate(content="Alice owns a yacht", supersedes=(kept.id,)))
        clock.now = MAY + DAY
        assert "'status_superseded'" in await self._why(memory, call, await self._ask(memory, call, BOAT), kept)

    @pytest.mark.parametrize("status", ["archived", "superseded"])
    async def test_what_ended_later_is_no_reason_for_before(
        self, memory: AgentMemory, clock: Clock, call: Call, status: str
    ) -> None:
        """It stood when the question was asked: not its end kept it out, but that others were nearer."""
        for number in range(3):
            await self._keep(memory, call, f"Alice owns a boat, as was said {number} times")
        kept = await self._keep(memory, call, "Pizza is great")
        receipt_id = await self._ask(memory, call, replace(BOAT, limit=1))
        clock.now = MAY + DAY
        if status == "archived":
            await call(memory.long_term, "forget", kept.id, scope=ALICE)
        else:
            await self._keep(memory, call, Candidate(content="Pizza is fine", supersedes=(kept.id,)))
        said = await self._why(memory, call, receipt_id, kept)
        assert said.startswith("it was not relevant enough")
        assert said.endswith(f"; it is {status} since then")

    async def test_what_came_later_was_not_known(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """A recall cannot return what is said after it."""
        receipt_id = await self._ask(memory, call, BOAT)
        clock.now = MAY + DAY
        kept = await self._keep(memory, call, "Alice owns a boat")
        assert await self._why(memory, call, receipt_id, kept) == "it was not known yet"

    async def test_what_was_not_searched_says_so_of_what_there_is(self, memory: AgentMemory, call: Call) -> None:
        """A recall that was skipped has one reason for all that is kept, and knows as little as any what is not."""
        kept = await self._keep(memory, call, "Alice owns a boat")
        foreign = await self._keep(memory, call, "Bob owns a boat", BOB)
        receipt_id = await self._ask(memory, call, "hello")
        assert await self._why(memory, call, receipt_id, kept) == "memory was not searched: small talk"
        for memory_id in (foreign.id, "0" * len(kept.id)):
            with pytest.raises(NotFoundError, match="does not exist in this scope"):
                await call(memory.long_term, "why_not", receipt_id, memory_id, scope=ALICE)

    # ------------------------------------------------------------------------------------------------- the order
    async def test_what_the_limit_cut_says_so(self, memory: AgentMemory, call: Call) -> None:
        """With the score it had."""
        await self._keep(memory, call, "Alice owns a boat")
        kept = await self._keep(memory, call, "Alice owns a cat")
        said = await self._why(memory, call, await self._ask(memory, call, replace(BOAT, limit=1)), kept)
        assert said.startswith("it was a candidate with score 0.")
        assert "'limit'" in said

    async def test_what_the_budget_cut_says_so(self, memory: AgentMemory, call: Call) -> None:
        """A memory longer than what is left does not come, however relevant."""
        kept = await self._keep(memory, call, "Alice owns a boat " + "with a mast of oak " * 40)
        said = await self._why(memory, call, await self._ask(memory, call, replace(BOAT, max_tokens=60)), kept)
        assert "'budget'" in said

    async def test_what_says_the_same_as_a_better_one_names_it(self, memory: AgentMemory, call: Call) -> None:
        """The same words said twice take one place."""
        said = [HumanMessage("I sold my boat in Kiel", id=str(number)) for number in range(2)]
        await call(memory.episodes, "ingest", said, scope=TALK, at=MAY)
        found = await call(memory.long_term, "recall", "Where did I sell my boat?", scope=ALICE)
        [twin] = {turn.id for turn in await call(memory.episodes, "list", scope=TALK)} - {found[0].memory.id}
        told = await call(memory.long_term, "why_not", found.receipt_id, twin, scope=ALICE)
        assert told.endswith(f"the rule 'duplicate': it says the same as a better one ({found[0].memory.id})")

    async def test_what_came_along_says_beside_what(self, memory: AgentMemory, call: Call) -> None:
        """A neighbour was not found itself, and is no constraint."""
        said = [HumanMessage(text, id=text) for text in ("The weather is fine", "I sold my boat in Kiel")]
        await call(memory.episodes, "ingest", said, scope=TALK, at=MAY)
        asked = RecallQuery(text="sold my boat in Kiel", limit=1, neighbours=1)
        found = await call(memory.long_term, "recall", asked, scope=ALICE)
        hit, beside = (it.memory.id for it in found)
        told = await call(memory.long_term, "why_not", found.receipt_id, beside, scope=ALICE)
        assert told == f"it was returned beside {hit}, next to which it was said"

    async def test_what_was_never_proposed_says_where_it_would_stand(self, memory: AgentMemory, call: Call) -> None:
        """A fact far down is looked for, beyond what the recall did."""
        kept = await self._keep(memory, call, "Alice knows whoever built a boat in Norway, Sweden or Denmark")
        things = ("red", "blue", "green", "small")
        for thing in things:
            await self._keep(memory, call, f"Alice owns a {thing} boat")
        said = await self._why(memory, call, await self._ask(memory, call, replace(BOAT, limit=1)), kept)
        assert "it is not among the 3 that the index proposed; asked now, it is number 5, with relevance 0." in said

    async def test_what_was_returned_says_where(self, memory: AgentMemory, call: Call) -> None:
        """Asked about a memory that is there, the answer is its place."""
        kept = await self._keep(memory, call, "Alice owns a boat")
        rule = await self._keep(memory, call, Candidate(content="Never sell the boat", kind="constraint"))
        receipt_id = await self._ask(memory, call, replace(BOAT, kinds=("fact", "constraint"), limit=1))
        assert "at rank 1" in await self._why(memory, call, receipt_id, kept)
        assert await self._why(memory, call, receipt_id, rule) != await self._why(memory, call, receipt_id, kept)

    async def test_a_turn_that_ended_is_gone(self, memory: AgentMemory, call: Call) -> None:
        """Once it is forgotten, a turn of a conversation is not there to be asked about; where it stood, it did."""
        await call(memory.episodes, "ingest", [HumanMessage("I sold my boat", id="h")], scope=TALK, at=MAY)
        [turn] = await call(memory.episodes, "list", scope=TALK)
        before = await self._ask(memory, call, "boat")
        await call(memory.episodes, "forget", [turn.id], scope=ALICE)
        after = await self._ask(memory, call, "boat")
        assert "at rank 1" in await call(memory.long_term, "why_not", before, turn.id, scope=ALICE)
        with pytest.raises(NotFoundError):
            await call(memory.long_term, "why_not", after, turn.id, scope=ALICE)

    # ------------------------------------------------------------------------------------------------------ no leaks
    @pytest.mark.parametrize(
        "other",
        [BOB, replace(ALICE, tenant_id="other"), replace(ALICE, agent_id="coder")],
        ids=["user", "tenant", "agent"],
    )
    async def test_what_another_keeps_is_as_unknown_as_nothing(
        self, memory: AgentMemory, call: Call, other: Scope
    ) -> None:
        """The answer is the one that an id gets which was never given to anything."""
        foreign = await self._keep(memory, call, "Alice owns a boat", other)
        await self._keep(memory, call, "Alice owns a boat")
        receipt_id = await self._ask(memory, call, BOAT)
        said = []
        for memory_id in (foreign.id, "0" * len(foreign.id)):
            with pytest.raises(NotFoundError) as refused:
                await call(memory.long_term, "why_not", receipt_id, memory_id, scope=ALICE)
            said.append(str(refused.value).replace(memory_id, "…"))
        assert said[0] == said[1]

    async def test_what_was_erased_is_as_unknown_as_nothing(self, memory: AgentMemory, call: Call) -> None:
        """An erasure leaves nothing to explain, of before it either: whether it was returned then or not."""
        kept = [await self._keep(memory, call, f"Alice owns a {it}") for it in ("boat", "cat")]
        before = await self._ask(memory, call, replace(BOAT, limit=1))
        for it in kept:
            await call(memory.long_term, "erase", it.id, scope=ALICE)
        after = await self._ask(memory, call, BOAT)
        for receipt_id, it in product((before, after), kept):
            with pytest.raises(NotFoundError, match="does not exist in this scope"):
                await self._why(memory, call, receipt_id, it)

    async def test_no_reason_quotes_a_memory(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """Rules, numbers and ids: the words are whoever's may read the memory itself."""
        every = [await self._keep(memory, call, f"Alice owns a zebra numbered {number}") for number in range(4)]
        await call(memory.long_term, "forget", every[0].id, scope=ALICE)
        clock.now = MAY + DAY
        receipt_id = await self._ask(memory, call, replace(BOAT, text="zebra", limit=1))
        told = [await self._why(memory, call, receipt_id, kept) for kept in every]
        assert [text for text in told if "zebra" in text.lower()] == []
