"""What ends an instruction: approved or not, explained, taken back, and told in the report of a turn."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import HumanMessage
from langchain_core.runnables import Runnable

from langchain_agentmem import AgentMemory, GraphOptions, Scope, create_memory_graph
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.long_term.recall.listing import ListQuery
from langchain_agentmem.policies.approve import ApprovalPolicy, ByKind
from langchain_agentmem.types import Memory, Status
from tests.conftest import Call

ANA = Scope("ana")
BAN = "Never call the user before nine"
LIFT = "The assistant can call the user before nine again"
WAITS: tuple[dict[str, Any], ...] = (
    {"approval": ApprovalPolicy(rules=[ByKind({"constraint": "ask"})])},
    {"conflicts": "ask"},
)


class Talk:
    """A user's conversations with a memory, in one colour."""

    def __init__(self, memory: AgentMemory, call: Call) -> None:
        self.memory = memory
        self.call = call

    async def say(self, *turns: str) -> None:
        """Take in each turn in a conversation of its own."""
        for text in turns:
            scope = Scope("ana", session_id=text)
            await self.call(self.memory.background, "ingest", [HumanMessage(text)], scope=scope)
            await self.call(self.memory.jobs, "run")

    async def decide(self, verdict: str, *words: str) -> list[Any]:
        """Decide on all that waits, and return what became of it."""
        waiting = await self.call(self.memory.approvals, "list", scope=ANA)
        decisions = [getattr(it, verdict)(*words) for it in waiting]
        decided = await self.call(self.memory.approvals, "decide", decisions, scope=ANA, decided_by="bob")
        return [(it.verdict, it.rule) for it in decided]

    async def of(self, *statuses: Status) -> list[Memory]:
        return list(await self.call(self.memory.long_term, "select", ListQuery(statuses=statuses), scope=ANA))

    async def state(self) -> dict[str, list[str]]:
        """Return what there is, by status."""
        every: tuple[Status, ...] = ("active", "pending", "superseded", "archived")
        found = {status: [it.content for it in await self.of(status)] for status in every}
        return {status: contents for status, contents in found.items() if contents}

    async def reason(self, status: Status) -> str:
        """Return the last line of the life of the memory with a status."""
        [memory] = await self.of(status)
        return str((await self.call(self.memory.long_term, "why", memory.id, scope=ANA)).reasons[-1])

    async def events(self) -> list[Any]:
        return list(await self.call(self.memory.timeline, "events", ANA))


IN_FORCE = {"active": [BAN], "archived": [LIFT]}
IS_OVER = {"superseded": [BAN], "archived": [LIFT]}
HELD = {"active": [BAN], "pending": [LIFT]}


@pytest.fixture
async def talk(request: pytest.FixtureRequest, call: Call) -> AsyncIterator[Talk]:
    """A talk with a memory of the options given, in which calls before nine were forbidden, and that approved."""
    given = getattr(request, "param", {})
    async with AgentMemory.in_memory(embeddings=None, consent="assumed", **given) as memory:
        told = Talk(memory, call)
        await told.say("Never call me before nine.")
        if "approval" in given:
            await told.decide("approve")
        yield told


# -------------------------------------------------------------------------------------------------------- approval
@pytest.mark.parametrize("talk", WAITS, indirect=True, ids=["approval", "conflicts"])
async def test_a_lift_that_waits_changes_nothing(talk: Talk) -> None:
    """Until a person decides the instruction stands; said twice it is asked about once."""
    await talk.say("You can call me before nine now.", "You can call me before nine again.")
    assert await talk.state() == HELD


@pytest.mark.parametrize("talk", WAITS, indirect=True, ids=["approval", "conflicts"])
async def test_an_approved_lift_ends_the_instruction_and_is_not_in_force(talk: Talk) -> None:
    """What was approved is history at once: no constraint says that the assistant can call again."""
    await talk.say("You can call me before nine now.")
    assert await talk.decide("approve") == [("approved", "approval")]
    assert await talk.state() == IS_OVER
    assert "It ends an instruction" in await talk.reason("archived")
    assert not (await talk.call(talk.memory.long_term, "recall", "call", scope=ANA)).constraints


@pytest.mark.parametrize("talk", WAITS, indirect=True, ids=["approval", "conflicts"])
async def test_a_rejected_lift_changes_nothing(talk: Talk) -> None:
    """The instruction stands, and the words that were turned down cannot be restored."""
    await talk.say("You can call me before nine now.")
    assert await talk.decide("reject") == [("rejected", "approval")]
    assert await talk.state() == IN_FORCE
    [lift] = await talk.of("archived")
    with pytest.raises(ConfigurationError, match="was rejected"):
        await talk.call(talk.memory.long_term, "restore", lift.id, scope=ANA)


@pytest.mark.parametrize("talk", WAITS, indirect=True, ids=["approval", "conflicts"])
async def test_taking_an_approval_back_takes_back_what_it_ended(talk: Talk) -> None:
    """The instruction is in force again, and the lift waits as before."""
    await talk.say("You can call me before nine now.")
    await talk.decide("approve")
    approved = [it.seq for it in await talk.events() if it.type == "approved"][-1]
    await talk.call(talk.memory.timeline, "undo", approved, scope=ANA)
    assert await talk.state() == HELD


@pytest.mark.parametrize("talk", WAITS, indirect=True, ids=["approval", "conflicts"])
async def test_a_lift_approved_in_other_words_ends_only_what_they_lift(talk: Talk) -> None:
    """Where they lift nothing that is in force, a rule objects, and all stays as it was."""
    await talk.say("You can call me before nine now.")
    words = "The assistant can call the user before nine on Saturdays again"
    assert await talk.decide("edit", words) == [("refused", "nothing_lifted")]
    assert await talk.state() == HELD


@pytest.mark.parametrize("talk", WAITS[:1], indirect=True, ids=["approval"])
async def test_a_lift_of_what_waits_too_can_be_approved_after_it(talk: Talk) -> None:
    """What the user takes back before anybody approved it is asked about as well, in their order."""
    await talk.say("Always answer in French.", "You don't have to answer in French any more.")
    lift, order = await talk.call(talk.memory.approvals, "list", scope=ANA)
    for it in (order, lift):
        await talk.call(talk.memory.approvals, "decide", it.approve(), scope=ANA, decided_by="bob")
    assert (await talk.state())["active"] == [BAN]


# ------------------------------------------------------------------------------------------------------ explanation
async def test_the_log_tells_what_ended_an_instruction_and_what_did(talk: Talk) -> None:
    """Of the lift, that it only ended something; of the instruction, which memory lifted it."""
    await talk.say("You can call me before nine now.")
    [lift] = await talk.of("archived")
    assert await talk.state() == IS_OVER
    assert "It ends an instruction, and is kept only as the words that did" in await talk.reason("archived")
    assert f"memory {lift.id} lifted it" in await talk.reason("superseded")


# -------------------------------------------------------------------------------------------------------- the way back
async def test_restoring_a_lift_brings_the_instruction_back(talk: Talk) -> None:
    """And never the words that lifted it; where nothing is left to bring back, it is an error that says so."""
    await talk.say("You can call me before nine now.")
    [lift] = await talk.of("archived")
    back = await talk.call(talk.memory.long_term, "restore", lift.id, scope=ANA)
    assert (back.content, await talk.state()) == (BAN, IN_FORCE)
    with pytest.raises(ConfigurationError, match="none is left to be restored"):
        await talk.call(talk.memory.long_term, "restore", lift.id, scope=ANA)
    await talk.say("You may call me before nine again.")
    assert not (await talk.state()).get("active")


async def test_stopping_is_taken_back_like_a_permission(talk: Talk) -> None:
    """What would be an order by itself is none where it ended one."""
    await talk.say("Always answer in French.", "Stop answering in French.")
    [lift] = await talk.of("archived")
    await talk.call(talk.memory.long_term, "restore", lift.id, scope=ANA)
    assert sorted((await talk.state())["active"]) == ["Always answer in French", BAN]


@pytest.mark.parametrize("kind", ["superseded", "remembered"])
async def test_undoing_a_lift_brings_the_instruction_back(talk: Talk, kind: str) -> None:
    """By either of its events; undone once more, the instruction is over again."""
    await talk.say("You can call me before nine now.")
    seq = [it.seq for it in await talk.events() if it.type == kind][-1]
    await talk.call(talk.memory.timeline, "undo", seq, scope=ANA)
    assert await talk.state() == IN_FORCE
    await talk.call(talk.memory.timeline, "undo", (await talk.events())[-1].seq, scope=ANA)
    assert await talk.state() == IS_OVER


async def test_going_back_before_a_lift_brings_the_instruction_back(talk: Talk) -> None:
    """The log stays whole, and the lift stays in the archive."""
    before = (await talk.events())[-1].seq
    await talk.say("You can call me before nine now.")
    await talk.call(talk.memory.timeline, "rollback", ANA, to=before)
    assert await talk.state() == IN_FORCE
    assert (await talk.call(talk.memory.long_term, "verify", scope=ANA)).is_intact


@pytest.mark.parametrize("talk", WAITS, indirect=True, ids=["approval", "conflicts"])
async def test_a_lift_that_was_forgotten_while_it_waited_waits_again(talk: Talk) -> None:
    """It ended nothing yet: restored, it is what it was."""
    await talk.say("You can call me before nine now.")
    [lift] = await talk.of("pending")
    await talk.call(talk.memory.long_term, "forget", lift.id, scope=ANA)
    await talk.call(talk.memory.long_term, "restore", lift.id, scope=ANA)
    assert await talk.state() == HELD


# --------------------------------------------------------------------------------------------- silence, and the report
@pytest.mark.parametrize("text", ["You can see the file now.", "You can take the bus again."])
async def test_what_lifts_nothing_is_refused_in_the_log_alone(talk: Talk, text: str) -> None:
    """Nobody forbade it, so nothing is kept; every refusal is in the log."""
    before = await talk.events()
    await talk.say(text)
    later = (await talk.events())[len(before) :]
    assert {it.type: it.rule for it in later if it.type != "episodes_kept"} == {"refused": "nothing_lifted"}


def runner(memory: AgentMemory, face: str) -> Runnable[Any, Any]:
    """Return a graph, or an agent, that writes before its run ends."""
    model = FakeListChatModel(responses=["Noted."])
    if face == "graph":
        options = GraphOptions(writes="inline")
        return create_memory_graph(model, tools=[], memory=memory, checkpointer=memory.checkpointer, options=options)
    return create_agent(
        model, middleware=[memory.middleware(writes="inline", tools=False)], checkpointer=memory.checkpointer
    )


@pytest.mark.parametrize("face", ["graph", "agent"])
async def test_the_report_lists_a_lift_by_what_it_ended(talk: Talk, face: str) -> None:
    """It is no new memory; and what lifts nothing is in no list."""
    [ban] = await talk.of("active")
    told = []
    for number, text in enumerate(["You can see the file now.", "You can call me before nine now."]):
        run = {"configurable": {"user_id": "ana", "thread_id": f"t{number}"}}
        state = await talk.call(runner(talk.memory, face), "invoke", {"messages": [("human", text)]}, run)
        told.append([state["memory"][name] for name in ("written", "refused", "superseded", "updated")])
    assert told == [[[], [], [], []], [[], [], [ban.id], []]]
