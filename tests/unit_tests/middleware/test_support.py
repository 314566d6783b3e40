"""What an answer stands on where it is judged behind the hot path."""

from __future__ import annotations

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory
from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.long_term.turns.turn_queue import QueuedTurn, TurnFlows
from tests.unit_tests.faces.conftest import ALICE, Result
from tests.unit_tests.faces.scripted import ScriptedModel
from tests.unit_tests.middleware.conftest import MakeAgent

PURPLE = "Your favourite colour is purple."


def supported(memory: AgentMemory, state: Result) -> list[bool | None]:
    """What a turn's receipts say once it is settled."""
    memory.jobs.run()
    return [memory.long_term.receipt(it, scope=ALICE).supported for it in state["memory"]["receipt_ids"]]


async def test_an_answer_is_judged_later(memory: AgentMemory, agent: MakeAgent) -> None:
    """A turn that waits is judged when it is settled, and its receipt says what came of it."""
    state = await agent([PURPLE]).say("What is my favourite colour?")
    assert supported(memory, state) == [False]


async def test_what_was_said_long_ago_in_the_thread_supports(memory: AgentMemory, agent: MakeAgent) -> None:
    """Also what is not among the few messages that wait with the turn."""
    made = agent([*["Fine."] * 8, PURPLE])
    await made.say("By the way, my favourite colour is purple.")
    for number in range(7):
        await made.say(f"Let us count: {number}.")
    memory.jobs.run()
    assert supported(memory, await made.say("What is my favourite colour?")) == [True]


@pytest.mark.parametrize("writes", ["inline", "background"])
def test_what_the_application_says_supports(memory: AgentMemory, writes: str) -> None:
    """The agent's own instructions are a ground like any other."""
    model = ScriptedModel(script=[PURPLE])
    prompt = "Be brief. The user's favourite colour is purple."
    agent = create_agent(model, system_prompt=prompt, middleware=[memory.middleware(writes=writes)])
    state = agent.invoke({"messages": [HumanMessage("What is my favourite colour?")]}, context={"user_id": "alice"})
    assert supported(memory, state) == [True]


async def test_the_claims_go_with_what_is_erased(memory: AgentMemory, agent: MakeAgent) -> None:
    """An erased memory leaves no words in a receipt, nor do claims about what it said; the verdict stays."""
    kept = memory.long_term.remember("Alice's favourite colour is teal", scope=ALICE).memory
    assert kept is not None
    state = await agent([PURPLE]).say("What is my favourite colour?")
    assert supported(memory, state) == [False]
    memory.long_term.erase(kept.id, scope=ALICE)
    [noted] = [memory.long_term.receipt(it, scope=ALICE) for it in state["memory"]["receipt_ids"]]
    assert (noted.supported, noted.unsupported) == (False, ())


@pytest.mark.parametrize("is_erased", [False, True])
async def test_what_waits_beside_a_turn_goes_with_an_erasure(
    memory: AgentMemory, agent: MakeAgent, monkeypatch: pytest.MonkeyPatch, *, is_erased: bool
) -> None:
    """Earlier words, kept for the judgement alone, do not outlive what they say."""
    told: list[str] = []
    read = TurnFlows.read

    def reading(queue: TurnFlows, job: Job) -> Flow[QueuedTurn]:
        queued = yield from read(queue, job)
        told.append(queued.note["told"])
        return queued

    made = agent([*["Fine."] * 5, "Your favourite colour is purple."])
    for words in ("My favourite colour is purple.", "Count: 1.", "Count: 2.", "Count: 3.", "Count: 4."):
        await made.say(words)
    memory.jobs.run()
    [kept] = memory.long_term.list(scope=ALICE)
    await made.say("What do you know?")
    if is_erased:
        memory.long_term.erase(kept.id, scope=ALICE)
    monkeypatch.setattr(TurnFlows, "read", reading)
    memory.jobs.run()
    assert "".join(told) == ("" if is_erased else "My favourite colour is purple.")
