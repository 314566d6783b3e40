"""The contract of facts beside the turns they were taken from."""

from __future__ import annotations

from langchain_agentmem import AgentMemory, Candidate
from langchain_agentmem.long_term.prompt_form import to_prompt
from langchain_agentmem.types import Provenance
from tests.conftest import Call
from tests.contracts.ranking_contract import RankingContract, ask, say
from tests.ledgers import ALICE
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

    async def test_a_correction_that_was_taken_back_marks_nothing(self, memory: AgentMemory, call: Call) -> None:
        """What it replaced is in force again."""
        await say(memory, call, "Paris is where I live", "The weather is fine")
        await learn(memory, call, "Alice lives in Paris", "0")
        berlin = await learn(memory, call, "Alice moved to Berlin", "9")
        await call(memory.long_term, "forget", berlin, scope=ALICE)
        found, _ = await ask(memory, call, "Where do I live, Paris or Berlin?")
        assert {hit.memory.status for hit in found} == {"active"}


async def learn(memory: AgentMemory, call: Call, content: str, number: str) -> str:
    """Keep a fact that was taken from a message of the conversation, and return its id."""
    origin = Provenance(speaker="user", message_ids=(f"{TALK.session_id}{number}",))
    decision = await call(memory.long_term, "remember", Candidate(content=content, provenance=origin), scope=TALK)
    memory_id: str = decision.require().id
    return memory_id
