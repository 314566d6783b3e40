"""Goals that are given up in a turn."""

from __future__ import annotations

import pytest

from langchain_agentmem.memory import AgentMemory
from tests.unit_tests.faces.conftest import ALICE, MakeAgent, contents

GOALS = ("Alice wants to run a marathon", "Alice wants to run a half marathon", "Alice wants to learn French")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I gave up on the marathon.", "The user gave up on the marathon"),
        ("I don't want to run a marathon any more.", "The user does not want to run a marathon any more"),
        ("I decided not to run the marathon after all.", "The user decided not to run the marathon after all"),
    ],
)
async def test_a_turn_ends_the_goal_it_gives_up(memory: AgentMemory, agent: MakeAgent, said: str, kept: str) -> None:
    """That one and no other, and the report says which."""
    ids = [memory.goals.add(it, scope=ALICE).require().id for it in GOALS]
    state = await agent(["Fine."]).say(said)
    assert state["memory"]["superseded"] == ids[:1]
    assert {it.id for it in memory.goals.open(scope=ALICE)} == set(ids[1:])
    assert kept in contents(memory)


async def test_forgetting_a_goal_leaves_no_word_of_it(memory: AgentMemory, agent: MakeAgent) -> None:
    """Who says "forget about" asks to forget: that the goal was given up would tell of it."""
    memory.goals.add(GOALS[0], scope=ALICE)
    state = await agent(["Fine."]).say("Forget about the marathon.")
    assert [it["rule"] for it in state["memory"]["refused"]] == ["forget_request"]
    assert memory.goals.open(scope=ALICE) == ()
    assert contents(memory) == []


async def test_how_one_no_longer_wants_to_live_is_no_goal(memory: AgentMemory, agent: MakeAgent) -> None:
    """It is a preference, and holds."""
    await agent(["Fine."]).say("I no longer want to live in Paris.")
    assert [it.kind for it in memory.long_term.list(scope=ALICE)] == ["preference"]
