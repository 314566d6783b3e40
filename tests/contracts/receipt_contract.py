"""The contract of receipts: how a recall was planned, every candidate, what became of the answer, and why not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from sqlalchemy import Connection, select, update

from langchain_agentmem import AgentMemory, Candidate, NotFoundError, RecallQuery, Receipt, Scope, Weights
from langchain_agentmem._flow import Flow, arun, flows_of
from langchain_agentmem._terms import speaker_hash
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.long_term.recall.receipts import MAX_DROPPED
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import RECEIPTS
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings

ALICE = Scope("alice")
BOB = Scope("bob")
TALK = Scope("alice", session_id="talk")
MAY = datetime(2026, 5, 7, 12, tzinfo=UTC)


class ReceiptContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    async def memory(self, sql_url: str) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(consent="assumed", weights=Weights(min_likelihood=0.0))
        async with AgentMemory(Database(sql_url), embeddings=WordEmbeddings(), options=options) as memory:
            yield memory

    async def _ask(self, memory: AgentMemory, call: Call, query: str | RecallQuery, **options: Any) -> Receipt:
        found = await call(memory.long_term, "recall", query, **{"scope": ALICE, **options})
        receipt: Receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
        return receipt

    async def _say(self, memory: AgentMemory, call: Call, *texts: str) -> list[str]:
        """Keep a conversation, and return the ids of its turns."""
        said = [HumanMessage(text, id=f"h{number}", name="Ann") for number, text in enumerate(texts)]
        await call(memory.episodes, "ingest", said, scope=TALK, at=MAY)
        ids = {it.text: it.id for it in await call(memory.episodes, "list", scope=TALK)}
        return [ids[text.strip()] for text in texts]

    # --------------------------------------------------------------------------------------------------- how it was
    async def test_a_receipt_says_how_conversations_were_searched(self, memory: AgentMemory, call: Call) -> None:
        """Terms are counted, speakers hashed, dates named; and how likely there is an answer at all."""
        await self._say(memory, call, "I sold my boat in Kiel", "The weather is fine")
        await call(memory.long_term, "remember", "Alice owns a boat", scope=ALICE)
        plan = (await self._ask(memory, call, "What did Ann sell on May 7, 2026?")).plan
        told = plan["conversations"]
        assert (told["dates"], told["speakers"]) == (["2026-05-07"], [f"{speaker_hash('Ann'):016x}"])
        assert (told["terms"] > 0, 0 < told["likelihood"] < 1, told["revision"] > 0) == (True, True, True)
        assert (plan["index"], plan["model"], plan["revision"] > 0) == ("scope_view", "words", True)

    async def test_an_erasure_takes_names_and_dates_from_receipts(self, memory: AgentMemory, call: Call) -> None:
        """They may say what was erased, as the question's words do."""
        turns = await self._say(memory, call, "I sold my boat in Kiel")
        receipt = await self._ask(memory, call, "What did Ann sell on May 7, 2026?")
        await call(memory.episodes, "forget", turns, scope=ALICE)
        plan = (await call(memory.long_term, "receipt", receipt.id, scope=ALICE)).plan
        assert plan["conversations"].keys() == receipt.plan["conversations"].keys() - {"speakers", "dates"}
        assert "text" not in plan["query"]

    async def test_a_question_that_is_no_memory_is_none_in_its_receipt(self, memory: AgentMemory, call: Call) -> None:
        """A card number asked with is masked, whatever was searched."""
        await self._say(memory, call, "I paid with a card")
        receipt = await self._ask(memory, call, "Was it 4111 1111 1111 1111?")
        assert "4111 1111" not in json.dumps({**receipt.plan})

    async def test_where_conversations_were_not_searched_none_are_in_the_plan(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """Kinds choose what is searched."""
        await self._say(memory, call, "I sold my boat")
        receipt = await self._ask(memory, call, RecallQuery(text="boat", kinds=("fact",)))
        assert "conversations" not in receipt.plan

    # ------------------------------------------------------------------------------------------------- candidates
    async def test_what_had_no_room_is_not_called_unknown(self, memory: AgentMemory, call: Call) -> None:
        """Of an answer that constraints or its own length left empty, the receipt names the budget, not ignorance."""
        await call(memory.long_term, "remember", Candidate(content="Never sell a boat", kind="constraint"), scope=ALICE)
        nothing = await self._ask(memory, call, RecallQuery(text="Which tulips?", max_tokens=1))
        await call(memory.long_term, "remember", "Alice keeps her boat in Kiel", scope=ALICE)
        receipt = await self._ask(memory, call, RecallQuery(text="Where is the boat?", max_tokens=40))
        assert nothing.reason.startswith("nothing relevant is remembered")
        assert (receipt.status, "fits into max_tokens" in receipt.reason) == ("empty", True)

    async def test_the_best_of_what_was_dropped_have_a_line(self, memory: AgentMemory, call: Call) -> None:
        """Those without a line were worse, and are counted by the rule; what was returned is there whole."""
        await self._say(memory, call, *(f"I saw boat number {number}" for number in range(100)))
        receipt = await self._ask(memory, call, "Which boat did I see?", limit=30)
        scores = [line.score for line in receipt.lines]
        assert scores == sorted(scores, reverse=True)
        assert (len(receipt.lines), receipt.unlisted) == (30 + MAX_DROPPED, {"limit": 90 - 30 - MAX_DROPPED})
        assert (len(receipt.returned), receipt.proposed) == (30, 90)

    async def test_five_hits_leave_no_candidate_without_a_line(self, memory: AgentMemory, call: Call) -> None:
        """As many as are asked for by default: each candidate is there, with score parts and the rule."""
        await self._say(memory, call, *(f"I saw boat number {number}" for number in range(30)))
        receipt = await self._ask(memory, call, "Which boat did I see?")
        assert receipt.unlisted == {}
        assert Counter(line.dropped_by for line in receipt.lines) == {None: 5, "limit": 10}
        assert all(line.parts for line in receipt.lines)

    # ------------------------------------------------------------------------------------------------ what became of it
    async def test_what_an_answer_used_stays_noted(self, memory: AgentMemory, call: Call) -> None:
        """It is stored with the receipt; what is noted later is added, and replaces what was noted before."""
        for thing in ("boat", "cat"):
            await call(memory.long_term, "remember", f"Alice owns a {thing}", scope=ALICE)
        receipt = await self._ask(memory, call, "What does Alice own?")
        boat, cat = receipt.returned
        await call(memory.long_term, "note_used", receipt.id, {boat: None, cat: False}, scope=ALICE)
        noted = await call(memory.long_term, "note_used", receipt.id, {boat: True}, scope=ALICE)
        stored = await call(memory.long_term, "receipt", receipt.id, scope=ALICE)
        assert receipt.used == {}
        assert (noted, stored.used) == (stored, {boat: True, cat: False})
        assert memory.metrics.snapshot().used.ratio == 1 / 2

    async def test_a_receipt_says_which_model_call_was_shown_what(self, memory: AgentMemory, call: Call) -> None:
        """Whoever builds the prompt notes the call; all that was returned, or as much as had room."""
        for thing in ("boat", "cat"):
            await call(memory.long_term, "remember", f"Alice owns a {thing}", scope=ALICE)
        receipt = await self._ask(memory, call, "What does Alice own?")
        first, second = receipt.returned
        await call(memory.long_term, "note_injected", receipt.id, "call-1", scope=ALICE)
        await call(memory.long_term, "note_injected", receipt.id, "call-2", scope=ALICE, memory_ids=[second, "other"])
        noted = await call(memory.long_term, "note_injected", receipt.id, "call-2", scope=ALICE, memory_ids=[second])
        assert noted.shown == {"call-1": (first, second), "call-2": (second,)}
        assert noted.injected == ("call-1", "call-2")
        assert await call(memory.long_term, "receipt", receipt.id, scope=ALICE) == noted

    async def test_the_id_of_a_call_is_masked_like_any_text(self, memory: AgentMemory, call: Call) -> None:
        """What no question may hold in a receipt stands in no id either."""
        await call(memory.long_term, "remember", "Alice owns a boat", scope=ALICE)
        receipt = await self._ask(memory, call, "boat")
        await call(memory.long_term, "note_injected", receipt.id, "run of ann@example.com", scope=ALICE)
        noted = await call(memory.long_term, "receipt", receipt.id, scope=ALICE)
        assert (noted.injected, list(noted.shown)) == (("run of [email]",), ["run of [email]"])

    async def test_nobody_notes_a_call_in_the_receipts_of_another(self, memory: AgentMemory, call: Call) -> None:
        """Another user's receipt does not exist, and a call needs a name."""
        receipt = await self._ask(memory, call, "boat")
        with pytest.raises(NotFoundError):
            await call(memory.long_term, "note_injected", receipt.id, "call-1", scope=BOB)
        with pytest.raises(ConfigurationError):
            await call(memory.long_term, "note_injected", receipt.id, "", scope=ALICE)

    async def test_only_what_was_returned_can_have_been_used(self, memory: AgentMemory, call: Call) -> None:
        """Of other ids nothing is noted, and nothing counted."""
        kept = (await call(memory.long_term, "remember", "Alice owns a boat", scope=ALICE)).memory
        receipt = await self._ask(memory, call, "quantum chromodynamics")
        noted = await call(memory.long_term, "note_used", receipt.id, {kept.id: True, "x": True}, scope=ALICE)
        assert (noted, memory.metrics.snapshot().used.of) == (receipt, 0)

    async def test_nobody_notes_in_the_receipts_of_another(self, memory: AgentMemory, call: Call) -> None:
        """Another user's receipt does not exist."""
        await call(memory.long_term, "remember", "Alice owns a boat", scope=ALICE)
        receipt = await self._ask(memory, call, "boat")
        with pytest.raises(NotFoundError):
            await call(memory.long_term, "note_used", receipt.id, {receipt.returned[0]: True}, scope=BOB)

    @pytest.mark.parametrize("used", [None, ["m"], {"m": 1}, {"m": "yes"}, {"": True}, {3: True}])
    async def test_use_is_true_false_or_unknown(self, memory: AgentMemory, call: Call, used: Any) -> None:  # noqa: ANN401
        """Anything else is refused before anything is read."""
        with pytest.raises(ConfigurationError):
            await call(memory.long_term, "note_used", "r", used, scope=ALICE)

    async def test_a_receipt_of_an_earlier_release_is_read(self, memory: AgentMemory, sql_url: str, call: Call) -> None:
        """What it did not say is as if nobody had asked."""
        await call(memory.long_term, "remember", "Alice owns a boat", scope=ALICE)
        receipt = await self._ask(memory, call, "boat")
        await arun(_as_before(memory._database))
        old = await call(memory.long_term, "receipt", receipt.id, scope=ALICE)
        assert (old.lines, old.used, old.unlisted, old.shown) == (receipt.lines, {}, {}, {})
        noted = await call(memory.long_term, "note_used", receipt.id, {old.returned[0]: True}, scope=ALICE)
        assert noted.used == {old.returned[0]: True}

    # ---------------------------------------------------------------------------------------------------------- why not
    async def test_why_not_says_where_it_would_stand(self, memory: AgentMemory, call: Call) -> None:
        """What was never proposed is looked for further down, as the question would be answered now."""
        turns = await self._say(memory, call, *("I saw a boat " * (9 - number) for number in range(9)))
        receipt = await self._ask(memory, call, "Which boat did I see?", limit=1)
        last = min(set(turns) - {line.memory_id for line in receipt.lines}, key=turns.index)
        said = await call(memory.long_term, "why_not", receipt.id, last, scope=ALICE)
        assert said.startswith("it was not relevant enough: it is not among the 3 that the index proposed; asked now, ")
        assert "number " in said

    async def test_why_not_knows_turns_by_their_rules(self, memory: AgentMemory, call: Call) -> None:
        """A turn is returned, dropped by a rule, outside of what was asked for, or not looked for."""
        said = ("I sold my boat in Kiel", "My sister studies law", "Pizza is great")
        boat, law, _ = await self._say(memory, call, *said)
        asked = [
            await self._ask(memory, call, query)
            for query in (
                RecallQuery(text="I sold my boat", limit=1),
                RecallQuery(text="boat", kinds=("fact",)),
                RecallQuery(text="boat", until=MAY - timedelta(days=1)),
            )
        ]
        told = [await call(memory.long_term, "why_not", it.id, boat, scope=ALICE) for it in asked]
        told.append(await call(memory.long_term, "why_not", asked[0].id, law, scope=ALICE))
        reasons = ("rank 1", "'kind'", "'outside_window'", "'limit'")
        assert [reason in text for reason, text in zip(reasons, told, strict=True)] == [True] * 4

    async def test_why_not_does_not_ask_again_without_consent(self, memory: AgentMemory, call: Call) -> None:
        """The reason stands; nothing is searched for a user who withdrew."""
        await call(memory.long_term, "remember", "Alice owns a boat", scope=ALICE)
        kept = (await call(memory.long_term, "remember", Candidate(content="Bananas are yellow"), scope=ALICE)).memory
        receipt = await self._ask(memory, call, "boat")
        await call(memory.consent, "withdraw", ALICE)
        said = await call(memory.long_term, "why_not", receipt.id, kept.id, scope=ALICE)
        assert "asked now" not in said

    async def test_why_not_names_what_the_model_had_before_it(self, memory: AgentMemory, call: Call) -> None:
        """A turn of this conversation that was withheld is not said to be irrelevant."""
        turns = await self._say(memory, call, "I sold my boat in Kiel", "The weather is fine")
        asking = flows_of(memory.long_term).recall(RecallQuery(text="boat in Kiel"), TALK, without=frozenset(turns))
        receipt_id = (await arun(asking)).receipt_id
        said = await call(memory.long_term, "why_not", receipt_id, turns[0], scope=ALICE)
        assert "2 turns of this conversation were before the model already" in said


def _as_before(database: Database) -> Flow[None]:
    """Leave out of every receipt what earlier releases did not write."""

    def change(connection: Connection) -> None:
        for row in connection.execute(select(RECEIPTS)).all():
            stored = json.loads(row.sealed)
            kept = {name: value for name, value in stored.items() if name not in {"used", "unlisted", "shown"}}
            sealed = json.dumps(kept).encode()
            connection.execute(update(RECEIPTS).where(RECEIPTS.c.receipt_id == row.receipt_id).values(sealed=sealed))

    yield from database.write(change)
