"""What is promised of what users say to be over: by every way in, on every database, with and without embeddings."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

import pytest
from langchain_core.messages import BaseMessage, HumanMessage

from langchain_agentmem import AgentMemory, ApprovalPolicy, Candidate, Provenance, RecallQuery, Scope
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.policies.approve import BySpeaker
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Memory
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.unit_tests.faces.either import Made, agent_of
from tests.unit_tests.faces.scripted import ScriptedModel

BEN: Final = Scope("ben")
TALK: Final = Scope("ben", session_id="talk")
VOLVO: Final = "I have a blue Volvo."
HAS_VOLVO: Final = "The user has a blue Volvo"
SOLD: Final = "I sold my car."
IS_SOLD: Final = "The user sold their car"
KEPT: Final = "Actually no, I didn't sell it."
IS_KEPT: Final = "The user did not sell their car"
DOGS: Final = "I have two dogs, Rex and Bella."
HAS_DOGS: Final = "The user has two dogs, Rex and Bella"
LEEDS: Final = "I live in Leeds with my wife Clara."
ASKED: Final = "Do I have a car?"


async def contents(memory: AgentMemory, call: Call) -> list[str]:
    """What is in force, in order."""
    return sorted(it.content for it in await call(memory.long_term, "list", scope=BEN))


async def told(memory: AgentMemory, call: Call, said: Sequence[str]) -> dict[str, Memory]:
    """Remember what an extractor takes from messages, one after the other, and return what was kept by its words."""
    messages: list[BaseMessage] = [HumanMessage(it) for it in said]
    found = [it for at in range(len(said)) for it in memory.extractor.extract(messages[: at + 1], new_from=at)]
    made = [(await call(memory.long_term, "remember", it, scope=BEN)).memory for it in found]
    kept = [await call(memory.long_term, "get", it.id, scope=BEN) for it in made if it is not None]
    return {it.content: it for it in kept}


def died(name: str) -> Candidate:
    """What a tool says of somebody's death, which a person is asked about."""
    return Candidate(content=f"{name} died", provenance=Provenance(speaker="tool", evidence=f"{name} died"))


class EndingsContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture(params=[None, WordEmbeddings()], ids=["words", "vectors"])
    async def memory(self, sql_url: str, request: pytest.FixtureRequest) -> AsyncIterator[AgentMemory]:
        approval = ApprovalPolicy(rules=[BySpeaker({"tool": "ask"})])
        options = MemoryOptions(consent="assumed", approval=approval)
        async with AgentMemory(Database(sql_url), embeddings=request.param, options=options) as memory:
            yield memory

    @pytest.fixture(params=["graph-inline", "graph-background", "agent-inline", "agent-background"])
    def made(self, memory: AgentMemory, request: pytest.FixtureRequest, call: Call) -> Made:
        kind, writes = request.param.split("-")
        model = ScriptedModel(script=["Noted."] * 4)
        return Made(agent_of(kind, memory, model, writes=writes, wait_s=0), model, call)

    # ------------------------------------------------------------------------------------------------------- every way
    async def test_an_agent_of_either_kind_ends_what_is_over_and_takes_it_back(
        self, memory: AgentMemory, made: Made, call: Call
    ) -> None:
        """Before the turn ends, or in the background; what is taken back holds again."""
        for said, kept in (
            (VOLVO, [HAS_VOLVO]),
            (SOLD, [IS_SOLD]),
            (KEPT, [IS_KEPT, HAS_VOLVO]),
        ):
            await made.say(said, user_id="ben")
            await call(memory.jobs, "run")
            assert await contents(memory, call) == kept

    async def test_a_conversation_that_is_taken_in_ends_what_is_over_and_takes_it_back(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """Queued part after part, and learned from by whoever does the jobs."""
        said: list[str] = []
        for text, kept in ((VOLVO, [HAS_VOLVO]), (SOLD, [IS_SOLD]), (KEPT, [IS_KEPT, HAS_VOLVO])):
            said.append(text)
            given = [HumanMessage(it, id=str(number)) for number, it in enumerate(said)]
            await call(memory.background, "ingest", given, scope=TALK)
            await call(memory.jobs, "run")
            assert await contents(memory, call) == kept

    # ---------------------------------------------------------------------------------------------------------- recall
    async def test_what_is_over_is_not_recalled_as_what_is(self, memory: AgentMemory, call: Call) -> None:
        """Nor first where what was replaced is asked for as well."""
        await told(memory, call, [VOLVO, SOLD])
        found = await call(memory.long_term, "recall", ASKED, scope=BEN)
        assert [it.memory.content for it in found] == [IS_SOLD]
        query = RecallQuery(text=ASKED, include_superseded=True, min_confidence=0.0)
        assert (await call(memory.long_term, "recall", query, scope=BEN))[0].memory.content == IS_SOLD

    async def test_why_names_what_ended_it_and_what_took_that_back(self, memory: AgentMemory, call: Call) -> None:
        """The log tells all of it, and stays whole."""
        known = await told(memory, call, [VOLVO, SOLD, KEPT])
        why = await call(memory.long_term, "why", known[HAS_VOLVO].id, scope=BEN)
        notes = {it.type: (it.payload or {}).get("note", {}) for it in why.events}
        assert notes["superseded"]["by"] == known[IS_SOLD].id
        assert known[IS_KEPT].id in notes["restored"]["reason"]
        assert (known[IS_SOLD].status, known[IS_KEPT].supersedes) == ("superseded", (known[IS_SOLD].id,))
        assert (await call(memory.long_term, "verify", scope=BEN)).is_intact

    async def test_what_holds_again_holds_no_longer_than_it_did(self, memory: AgentMemory, call: Call) -> None:
        """The car was leased until a day: that it was not sold takes nothing of that back, nor when it was got."""
        car = (await told(memory, call, [VOLVO]))[HAS_VOLVO]
        times = {"valid_at": datetime(2020, 1, 1, tzinfo=UTC), "invalid_at": datetime(2200, 1, 1, tzinfo=UTC)}
        await call(memory.long_term, "revise", car.id, scope=BEN, **times)
        await told(memory, call, [SOLD, KEPT])
        again = await call(memory.long_term, "get", car.id, scope=BEN)
        assert (again.status, again.valid_at, again.invalid_at) == ("active", *times.values())

    # ------------------------------------------------------------------------------------------------------- and back
    async def test_an_ending_can_be_undone_and_rolled_back(self, memory: AgentMemory, call: Call) -> None:
        """Like any other write; undone, it ended nothing."""
        await told(memory, call, [VOLVO])
        before = (await call(memory.timeline, "events", BEN))[-1].seq
        known = await told(memory, call, [SOLD])
        await call(memory.timeline, "rollback", BEN, to=before)
        assert await contents(memory, call) == [HAS_VOLVO]
        last = (await call(memory.timeline, "events", BEN))[-1].seq
        await call(memory.timeline, "undo", last, scope=BEN)
        assert await contents(memory, call) == [IS_SOLD]
        [remembered] = await call(memory.timeline, "events", BEN, memory_id=known[IS_SOLD].id, types=["remembered"])
        await call(memory.timeline, "undo", remembered.seq, scope=BEN, with_later=True)
        assert await contents(memory, call) == [HAS_VOLVO]

    async def test_a_legal_hold_keeps_nobody_from_saying_what_is_over(self, memory: AgentMemory, call: Call) -> None:
        """It ends what is believed, and deletes nothing."""
        [volvo] = (await told(memory, call, [VOLVO])).values()
        await call(memory.privacy, "hold", BEN, reason="case")
        known = await told(memory, call, [SOLD])
        old = await call(memory.long_term, "get", volvo.id, scope=BEN)
        assert (old.status, known[IS_SOLD].status) == ("superseded", "active")

    # ------------------------------------------------------------------------------------------------------ only a part
    @pytest.mark.parametrize(
        ("said", "news", "left"),
        [
            (DOGS, "Rex died.", ["The user has a dog called Bella"]),
            (DOGS, "My dog died.", ["The user has two dogs, Rex and Bella"]),
            (LEEDS, "I moved to York.", ["The user's wife is Clara"]),
            (LEEDS, "Clara and I broke up.", ["The user lives in Leeds"]),
            (LEEDS, "Clara died.", ["The user lives in Leeds", "The user's wife is Clara"]),
            ("I like sushi and ramen.", "I don't like sushi any more.", ["The user likes ramen"]),
            ("I like gin and tonic.", "I don't like gin any more.", ["The user likes gin and tonic"]),
            ("I play guitar and piano.", "I no longer play guitar.", ["The user plays piano"]),
            ("My boss is Tom.", "My boss is Keith now.", []),
            ("My wife's name is Clara.", "My wife's name is Klara now.", []),
            ("My sister is Emma.", "My sister is Nora now.", ["The user's sister is Emma"]),
            ("My wife is Clara.", "She left me.", []),
            ("I want to travel to Portugal in May.", "We cancelled the trip to Portugal.", []),
            (
                "I want to move to Portugal.",
                "We cancelled the trip to Portugal.",
                ["The user wants to move to Portugal"],
            ),
        ],
    )
    async def test_where_a_part_is_over_the_rest_holds_on(
        self, memory: AgentMemory, call: Call, said: str, news: str, left: list[str]
    ) -> None:
        """In words of its own, or where none are sure, all of it beside the news."""
        known = await told(memory, call, [said, news])
        over = {it.content for it in known.values() if it.status == "superseded"}
        told_last = [*known][-1]
        assert sorted([told_last, *left]) == await contents(memory, call)
        assert over == ({*known} - {told_last, *left})

    async def test_what_remains_names_both_statements_and_quotes_neither(self, memory: AgentMemory, call: Call) -> None:
        """Why names both, and their words can be erased; it is found by its words and by its vector."""
        known = await told(memory, call, [DOGS, "Rex died."])
        [hit] = await call(
            memory.long_term, "recall", "Is there a dog called Bella?", scope=BEN, kinds=["fact"], limit=1
        )
        left = hit.memory
        assert (left.content, left.confidence) == ("The user has a dog called Bella", known[HAS_DOGS].confidence)
        assert left.provenance == replace(known[HAS_DOGS].provenance, evidence=None)
        [reason] = (await call(memory.long_term, "why", left.id, scope=BEN)).reasons
        assert known[HAS_DOGS].id in reason
        assert known["Rex died"].id in reason
        assert known["Rex died"].supersedes == (known[HAS_DOGS].id,)

    async def test_what_remains_and_is_known_already_is_not_kept_twice(self, memory: AgentMemory, call: Call) -> None:
        """It holds on as it was told."""
        await told(memory, call, ["I have a dog called Bella.", DOGS, "Rex died."])
        assert await contents(memory, call) == ["Rex died", "The user has a dog called Bella"]

    async def test_a_part_that_is_not_over_after_all_is_whole_again(self, memory: AgentMemory, call: Call) -> None:
        """What remained meanwhile is a part of it, and stands for itself no more."""
        await told(memory, call, [DOGS, "Rex died.", "Rex is alive."])
        assert await contents(memory, call) == ["Rex is alive", HAS_DOGS]

    async def test_a_death_that_is_approved_ends_nobody_else(self, memory: AgentMemory, call: Call) -> None:
        """What was asked about was the death of one: where two are told of together, the other is kept by itself."""
        await told(memory, call, [DOGS])
        await call(memory.long_term, "remember", died("Rex"), scope=BEN)
        [approval] = await call(memory.approvals, "list", scope=BEN)
        await call(memory.approvals, "decide", [approval.approve()], scope=BEN, decided_by="carol")
        assert await contents(memory, call) == ["Rex died", "The user has a dog called Bella"]

    async def test_what_holds_again_beside_what_came_since_contradicts_it(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """Who did not quit has two jobs by what they said, of which nobody knows which holds: it is marked."""
        said = ["I work at Siemens.", "I quit my job.", "I work at Bosch now.", "I didn't quit Siemens."]
        known = await told(memory, call, said)
        first, second = known["The user works at Siemens"], known["The user works at Bosch now"]
        assert (first.status, second.status) == ("active", "active")
        assert (first.contradicts, second.contradicts) == ((second.id,), (first.id,))

    # ------------------------------------------------------------------------------------------------------- approvals
    @pytest.mark.parametrize(("is_known", "verdict"), [(True, "approved"), (False, "refused")])
    async def test_a_death_that_waits_is_approved_of_whomever_a_name_is_known(
        self, memory: AgentMemory, call: Call, verdict: str, *, is_known: bool
    ) -> None:
        """Where the name was forgotten meanwhile it is no news; of a stranger nobody is asked at all."""
        [friend] = (await told(memory, call, ["My friend is called Tom."])).values()
        rules = [(await call(memory.long_term, "remember", died(it), scope=BEN)).rule for it in ("Tom", "Elvis")]
        assert rules == ["approval", "nothing_ended"]
        if not is_known:
            await call(memory.long_term, "forget", friend.id, scope=BEN, reason="asked")
        [approval] = await call(memory.approvals, "list", scope=BEN)
        [outcome] = await call(memory.approvals, "decide", [approval.approve()], scope=BEN, decided_by="carol")
        assert (outcome.verdict, outcome.rule) == (verdict, "approval" if is_known else "nothing_ended")

    async def test_what_takes_nothing_back_is_not_kept(self, memory: AgentMemory, call: Call) -> None:
        """A denial of what nobody remembers as over is no fact; that there is a car is one."""
        assert await told(memory, call, ["I didn't sell my car."]) == {}
        assert [*await told(memory, call, ["I still have my car."])] == ["The user still has their car"]
