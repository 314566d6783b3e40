"""What is promised of memories that say several things, of which one is over: however it comes to be believed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final, TypeAlias

import pytest

from langchain_agentmem import AgentMemory, ApprovalPolicy, Candidate, MemoryOptions, Provenance, Scope
from langchain_agentmem.policies.approve import BySpeaker
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Decision, Memory
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.unit_tests.faces.either import Made, agent_of
from tests.unit_tests.faces.scripted import ScriptedModel

BEN: Final = Scope("ben")
LEEDS: Final = ("I live in Leeds with my wife Clara", "I moved to York", "My wife is Clara")
DOGS: Final = ("I have two dogs, Rex and Bella", "Rex died", "I have a dog called Bella")
TOOL: Final = Provenance(speaker="tool")
ASKS: Final = MemoryOptions(consent="assumed", approval=ApprovalPolicy(rules=[BySpeaker({"tool": "ask"})]))
"""A person is asked about whatever a tool says."""

ASK: Final = MemoryOptions(consent="assumed", conflicts="ask")
Told: TypeAlias = tuple[str, str, str]
"""What was said, the news of a part of it, and what remains."""


def claimed(content: str, at: int) -> Candidate:
    """What an assistant says of the user in one of several conversations."""
    said = Provenance(speaker="assistant", message_ids=(f"m{at}",), evidence=content)
    return Candidate(content=content, source="inferred", provenance=said)


class PartsContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture(params=[LEEDS, DOGS], ids=["home", "pets"])
    def told(self, request: pytest.FixtureRequest) -> Told:
        found: Told = request.param
        return found

    @pytest.fixture(params=[None, WordEmbeddings()], ids=["words", "vectors"])
    def vectors(self, request: pytest.FixtureRequest) -> Any:  # noqa: ANN401  (embeddings, or none)
        return request.param

    @asynccontextmanager
    async def opened(self, url: str, vectors: Any, **options: Any) -> AsyncIterator[AgentMemory]:  # noqa: ANN401
        """Memory with some options."""
        given = replace(options.pop("options", MemoryOptions(consent="assumed")), **options)
        async with AgentMemory(Database(url), embeddings=vectors, options=given) as memory:
            yield memory

    @pytest.fixture
    async def memory(self, sql_url: str, vectors: Any) -> AsyncIterator[AgentMemory]:  # noqa: ANN401
        async with self.opened(sql_url, vectors) as memory:
            yield memory

    # --------------------------------------------------------------------------------------------------- what waits
    @pytest.mark.parametrize("speaker", ["tool", "assistant"])
    async def test_news_of_a_part_waits_however_often_it_is_claimed(
        self, memory: AgentMemory, call: Call, told: Told, speaker: str
    ) -> None:
        """Who is trusted less than the user replaces no part of what they said, and stands beside none unmarked."""
        whole = await kept(memory, call, told[0])
        for at in range(3):
            claim = claimed(told[1], at) if speaker == "assistant" else Candidate(content=told[1], provenance=TOOL)
            where = replace(BEN, session_id=f"s{at}")
            decision = await call(memory.long_term, "remember", claim, scope=where)
        assert (decision.verdict, decision.rule) == ("pending", "contradiction")
        assert decision.memory.contradicts == (whole.id,)
        assert await contents(memory, call) == [told[0]]

    async def test_whoever_is_asked_of_a_part_is_asked_however_often_it_is_said(
        self, sql_url: str, vectors: object, call: Call, told: Told
    ) -> None:
        """News that waits for a person's word is not in force because it was said again."""
        async with self.opened(sql_url, vectors, options=ASK) as memory:
            whole = await kept(memory, call, told[0])
            for _ in range(2):
                decision = await tell(memory, call, told[1])
            assert (decision.verdict, decision.rule) == ("pending", "conflict_ask")
            [approval] = await call(memory.approvals, "list", scope=BEN)
            assert [it.id for it in approval.would_supersede] == [whole.id]
            assert await contents(memory, call) == [told[0]]

    async def test_where_both_are_kept_news_of_a_part_and_the_whole_name_each_other(
        self, sql_url: str, vectors: object, call: Call, told: Told
    ) -> None:
        """As news of the whole and the whole do."""
        async with self.opened(sql_url, vectors, conflicts="keep_both") as memory:
            whole = await kept(memory, call, told[0])
            news = (await tell(memory, call, told[1])).require()
            old = await call(memory.long_term, "get", whole.id, scope=BEN)
            assert (old.status, old.contradicts, news.contradicts) == ("active", (news.id,), (whole.id,))

    # ---------------------------------------------------------------------------------------------- what is believed
    async def test_the_users_word_for_news_that_waited_ends_that_part_alone(
        self, memory: AgentMemory, call: Call, told: Told
    ) -> None:
        """An assistant claimed it, the user says it: the part is over, and the rest is kept by itself."""
        whole = await kept(memory, call, told[0])
        await tell(memory, call, claimed(told[1], 0))
        decision = await tell(memory, call, told[1])
        news = decision.require()
        assert (decision.verdict, news.supersedes, news.contradicts) == ("written", (whole.id,), ())
        assert await contents(memory, call) == sorted(told[1:])
        assert (await call(memory.long_term, "verify", scope=BEN)).is_intact

    @pytest.mark.parametrize("options", [ASK, ASKS], ids=["conflict", "approval"])
    async def test_news_that_is_approved_ends_that_part_alone(
        self, sql_url: str, vectors: object, call: Call, told: Told, options: MemoryOptions
    ) -> None:
        """Whoever decides is shown the whole that ends, and what remains of it is kept by itself."""
        async with self.opened(sql_url, vectors, options=options) as memory:
            whole = await kept(memory, call, told[0])
            await tell(memory, call, Candidate(content=told[1], provenance=TOOL))
            [approval] = await call(memory.approvals, "list", scope=BEN)
            assert [it.id for it in approval.would_supersede] == [whole.id]
            [outcome] = await call(memory.approvals, "decide", approval.approve(), scope=BEN, decided_by="carol")
            assert (outcome.verdict, outcome.superseded) == ("approved", (whole.id,))
            assert await contents(memory, call) == sorted(told[1:])
            [left] = [it for it in await call(memory.long_term, "list", scope=BEN) if it.content == told[2]]
            assert (left.provenance.speaker, left.trust) == (whole.provenance.speaker, whole.trust)

    async def test_a_correction_of_news_that_waits_ends_that_part_alone(self, memory: AgentMemory, call: Call) -> None:
        """The user's own words stand for the claim, and end of the whole what these contradict."""
        whole = await kept(memory, call, LEEDS[0])
        waiting = (await tell(memory, call, Candidate(content=LEEDS[1], provenance=TOOL))).memory
        assert waiting is not None
        fixed = await call(memory.long_term, "correct", waiting.id, "I moved to Bath", scope=BEN)
        assert set(fixed.superseded) == {waiting.id, whole.id}
        assert await contents(memory, call) == ["I moved to Bath", LEEDS[2]]

    # ------------------------------------------------------------------------------------------------- what was made
    async def test_what_remained_of_a_memory_is_erased_with_it(
        self, memory: AgentMemory, call: Call, told: Told
    ) -> None:
        """It was made of that alone, and so is what it was merged into; what else that was made of stands again."""
        whole = await kept(memory, call, told[0])
        await tell(memory, call, told[1])
        [left] = [it for it in await call(memory.long_term, "list", scope=BEN) if it.content == told[2]]
        jazz = await kept(memory, call, "I like jazz")
        both = f"{told[2]}, and I like jazz"
        merged = (await call(memory.long_term, "merge", [left.id, jazz.id], both, scope=BEN)).require()
        erased = await call(memory.long_term, "erase", whole.id, scope=BEN)
        assert {whole.id, left.id, merged.id} <= {*erased}
        assert await contents(memory, call) == sorted([told[1], "I like jazz"])
        assert (await call(memory.long_term, "verify", scope=BEN)).is_intact

    async def test_what_remained_of_a_memory_is_forgotten_and_restored_with_it(
        self, memory: AgentMemory, call: Call, told: Told
    ) -> None:
        """Whoever forgets the whole forgets what was made of it, and has it again with the whole."""
        whole = await kept(memory, call, told[0])
        await tell(memory, call, told[1])
        await call(memory.long_term, "forget", whole.id, scope=BEN, reason="asked")
        assert await contents(memory, call) == [told[1]]
        await call(memory.long_term, "restore", whole.id, scope=BEN)
        assert await contents(memory, call) == sorted(told[1:])
        assert (await call(memory.long_term, "get", whole.id, scope=BEN)).status == "superseded"

    async def test_news_that_is_undone_takes_what_remained_along(
        self, memory: AgentMemory, call: Call, told: Told
    ) -> None:
        """It was written in the same breath: nobody is told of once by itself and once as a part."""
        await kept(memory, call, told[0])
        news = (await tell(memory, call, told[1])).require()
        await call(memory.timeline, "undo", news.revision, scope=BEN)
        assert await contents(memory, call) == [told[0]]

    async def test_news_that_is_undone_leaves_what_was_said_of_the_rest_since(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """What remained and was put in other words since stands as it was put."""
        await kept(memory, call, DOGS[0])
        news = (await tell(memory, call, DOGS[1])).require()
        [left] = [it for it in await call(memory.long_term, "list", scope=BEN) if it.content == DOGS[2]]
        await call(memory.long_term, "revise", left.id, scope=BEN, content="I have a cat called Bella")
        await call(memory.timeline, "undo", news.revision, scope=BEN)
        assert await contents(memory, call) == ["I have a cat called Bella", DOGS[0]]

    @pytest.mark.parametrize("is_over", [False, True])
    async def test_what_the_user_let_stand_outlives_the_whole(
        self, memory: AgentMemory, call: Call, *, is_over: bool
    ) -> None:
        """Who asked to forget a part, and then has the whole erased, keeps what they did not ask to forget."""
        whole = await kept(memory, call, f"The user has {DOGS[0].removeprefix('I have ')}")
        if is_over:
            await tell(memory, call, DOGS[1])
        model = ScriptedModel(script=["Done."])
        agent = Made(agent_of("graph", memory, model, writes="inline"), model, call)
        state = await agent.say("Forget about my dog Rex.", user_id="ben")
        assert whole.id in [it["id"] for it in state["memory"]["forgotten"]]
        await call(memory.long_term, "erase", whole.id, scope=BEN)
        assert await contents(memory, call) == ["The user has a dog called Bella"]

    # -------------------------------------------------------------------------------------------------------- consent
    async def test_what_may_not_be_kept_of_the_rest_is_reported(
        self, sql_url: str, vectors: object, call: Call
    ) -> None:
        """Forgetting needs no consent, and keeping does: the report says by which rule the rest is not kept."""
        async with self.opened(sql_url, vectors, consent="required") as memory:
            await call(memory.consent, "grant", BEN)
            await kept(memory, call, f"The user has {DOGS[0].removeprefix('I have ')}")
            await call(memory.consent, "withdraw", BEN)
            model = ScriptedModel(script=["Done."])
            agent = Made(agent_of("graph", memory, model, writes="inline"), model, call)
            report = (await agent.say("Forget about my dog Rex.", user_id="ben"))["memory"]
            assert len(report["forgotten"]) == 1
            assert [(it["kind"], it["rule"]) for it in report["refused"]] == [("fact", "consent")]
            assert "refused" in [it.type for it in await call(memory.timeline, "events", BEN)]


async def tell(memory: AgentMemory, call: Call, said: str | Candidate) -> Decision:
    """Offer a statement."""
    decision: Decision = await call(memory.long_term, "remember", said, scope=BEN)
    return decision


async def kept(memory: AgentMemory, call: Call, said: str) -> Memory:
    """Remember what the user says."""
    return (await tell(memory, call, said)).require()


async def contents(memory: AgentMemory, call: Call) -> list[str]:
    """What is in force, in order."""
    return sorted(it.content for it in await call(memory.long_term, "list", scope=BEN))
