"""The contract of facts beside the turns they were taken from."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from langchain_agentmem import AgentMemory, Candidate, RecallQuery
from langchain_agentmem.long_term.recall.prompt_form import to_prompt
from langchain_agentmem.long_term.recall.replaced import MAX_STEPS
from langchain_agentmem.types import Provenance
from tests.conftest import Call
from tests.contracts.ranking_contract import RankingContract, ask, say
from tests.ledgers import ALICE, START
from tests.talks import TALK


class SourcesContract(RankingContract):
    """A turn, and what was made of it."""

    async def test_a_fact_stands_just_above_its_turn(self, memory: AgentMemory, call: Call) -> None:
        """However well the turn's own words match; the receipt says which score it was lifted to."""
        await say(memory, call, "Paris is where I live, in Paris", "The weather is fine")
        fact = await learn(memory, call, "Alice lives in Paris", "0")
        found, receipt = await ask(memory, call, "Where in Paris do I live?")
        assert [hit.memory.kind for hit in found][:2] == ["fact", "episode"]
        assert found[0].memory.id == fact
        assert receipt.lines[0].parts["turn"] == found[0].score

    async def test_a_turn_whose_fact_was_corrected_is_marked(self, memory: AgentMemory, call: Call) -> None:
        """Below the correction, which it names; so does the prompt."""
        await say(memory, call, "Paris is where I live", "The weather is fine", "I moved to Berlin")
        await learn(memory, call, "Alice lives in Paris", "0")
        berlin = await learn(memory, call, "Alice moved to Berlin", "2")
        found, _ = await ask(memory, call, "Where do I live, Paris or Berlin?")
        [stale] = [hit for hit in found if "Paris" in hit.memory.content]
        assert (stale.memory.status, stale.memory.links) == ("superseded", (berlin,))
        assert found[0].memory.id == berlin
        assert 'status="superseded"' in to_prompt(found)

    async def test_a_turn_is_marked_though_the_correction_is_not_found(self, memory: AgentMemory, call: Call) -> None:
        """The ledger knows what replaced what: neither the kinds asked for nor the limit hides it; time does."""
        await say(memory, call, "Paris is where I live", "The weather is fine")
        await learn(memory, call, "Alice lives in Paris", "0")
        at = {day: START + timedelta(days=day) for day in (2, 3, 5, 9, 20)}
        berlin = await learn(memory, call, "Alice moved to Berlin", "8", valid_at=at[3])
        oslo = await learn(memory, call, "Alice moved to Oslo", "9", valid_at=at[9])
        marks = {}
        for day in (2, 5, 20):
            query = RecallQuery(text="Where do I live?", kinds=("episode",), as_of=at[day], limit=1)
            [turn], _ = await ask(memory, call, query)
            marks[day] = (turn.memory.status, turn.memory.links)
        [now], _ = await ask(memory, call, replace(query, as_of=None))
        assert marks == {2: ("active", ()), 5: ("superseded", (berlin,)), 20: ("superseded", (oslo,))}
        assert (now.memory.status, now.memory.links) == marks[20]

    async def test_a_stale_turn_brings_what_is_in_force(self, memory: AgentMemory, call: Call) -> None:
        """No word of the question is in it; the old turn alone would be the answer. What was is asked for as such."""
        await say(memory, call, "I am a vegetarian", "The weather is fine")
        await learn(memory, call, "The user is vegetarian", "0")
        vegan = await learn(memory, call, "The user is vegan now", "9")
        found, receipt = await ask(memory, call, "Am I a vegetarian?")
        assert found[0].memory.id == vegan
        assert [line.dropped_by for line in receipt.lines if line.memory_id == vegan] == [None]
        turns, _ = await ask(memory, call, RecallQuery(text="Am I a vegetarian?", kinds=("episode",)))
        assert vegan not in {hit.memory.id for hit in turns}

    async def test_what_was_only_merged_is_not_replaced(self, memory: AgentMemory, call: Call) -> None:
        """Until what it was merged into is corrected, the turn says what still holds."""
        await say(memory, call, "Paris is where I live", "The weather is fine")
        facts = [await learn(memory, call, it, "0") for it in ("Alice lives in Paris", "Alice rents a flat there")]
        query = RecallQuery(text="Where do I live?", kinds=("episode",), limit=1)
        one = await call(memory.long_term, "merge", facts, "Alice lives in a rented flat in Paris", scope=ALICE)
        merged, _ = await ask(memory, call, query)
        berlin = await learn(memory, call, "Alice moved to Berlin", "9", supersedes=(one.require().id,))
        found, _ = await ask(memory, call, query)
        assert [it[0].memory.links for it in (merged, found)] == [(), (berlin,)]

    async def test_a_correction_marks_for_what_it_may_be_used_for(self, memory: AgentMemory, call: Call) -> None:
        """For another purpose nothing is told of it, not even its id."""
        await say(memory, call, "Paris is where I live", "The weather is fine")
        paris = await learn(memory, call, "Alice lives in Paris", "0")
        berlin = await learn(memory, call, "Alice moved to Berlin", "9", supersedes=(paris,), purposes=("ads",))
        query = RecallQuery(text="Where do I live?", kinds=("episode",), limit=1)
        found = {it: (await ask(memory, call, replace(query, purpose=it)))[0] for it in ("ads", "support")}
        assert {it: hits[0].memory.links for it, hits in found.items()} == {"ads": (berlin,), "support": ()}

    async def test_a_long_chain_of_corrections_is_followed_so_far(self, memory: AgentMemory, call: Call) -> None:
        """The first of a value that changed every day is marked all the same, by one that is replaced itself."""
        await say(memory, call, "My step count is 100", "The weather is fine")
        chain = [await learn(memory, call, "Alice walked 100 steps", "0")]
        for day in range(1, MAX_STEPS + 2):
            content, place = f"Alice walked {100 + day} steps", replace(TALK, session_id=f"day {day}")
            learned = Candidate(content=content, supersedes=(chain[-1],))
            chain.append((await call(memory.long_term, "remember", learned, scope=place)).require().id)
        [turn], _ = await ask(memory, call, RecallQuery(text="How many steps?", kinds=("episode",), limit=1))
        assert (turn.memory.status, turn.memory.links) == ("superseded", (chain[MAX_STEPS],))

    async def test_a_correction_that_was_taken_back_marks_nothing(self, memory: AgentMemory, call: Call) -> None:
        """What it replaced is in force again."""
        await say(memory, call, "Paris is where I live", "The weather is fine")
        await learn(memory, call, "Alice lives in Paris", "0")
        berlin = await learn(memory, call, "Alice moved to Berlin", "9")
        await call(memory.long_term, "forget", berlin, scope=ALICE)
        found, _ = await ask(memory, call, "Where do I live, Paris or Berlin?")
        assert {hit.memory.status for hit in found} == {"active"}


async def learn(memory: AgentMemory, call: Call, content: str, number: str, **fields: Any) -> str:
    """Keep a fact that was taken from a message of the conversation, and return its id."""
    origin = Provenance(speaker="user", message_ids=(f"{TALK.session_id}{number}",))
    candidate = Candidate(content=content, provenance=origin, **fields)
    decision = await call(memory.long_term, "remember", candidate, scope=TALK)
    memory_id: str = decision.require().id
    return memory_id
