"""A request that matches nothing may be meant all the same: the user is asked, and their yes is enough."""

from __future__ import annotations

from langchain_agentmem import AgentMemory, Scope
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)

ALICE = Scope("alice")
SAID = "I can't stand mushrooms."
ASKED = "Nothing says just that. Shall I forget that you cannot stand mushrooms?"


def kept(memory: AgentMemory) -> list[str]:
    facts = [it.content for it in memory.long_term.list(scope=ALICE)]
    return [*facts, *(it.text for it in memory.episodes.list(scope=ALICE))]


async def test_a_yes_to_the_question_forgets(memory: AgentMemory, make: Make) -> None:
    """The memory, and the turn that it was taken from, in whatever words; the yes teaches nothing."""
    agent = make(["Fine.", ASKED, "Done."])
    await agent.say(SAID)
    await agent.say("Forget the thing with the mushroom dish.")
    assert ("Shall I forget that" in agent.told, "The user cannot stand mushrooms" in agent.told) == (True, True)
    assert kept(memory) == ["The user cannot stand mushrooms", SAID]
    report = (await agent.say("Yes, please."))["memory"]
    assert len(report["forgotten"]) == 2
    assert kept(memory) == []


async def test_nothing_else_is_agreed_to(memory: AgentMemory, make: Make) -> None:
    """A yes to another question, in another conversation, or a no."""
    agent = make(["Fine.", ASKED, "Kept.", ASKED, "Hello.", "Shall I go on?", "Fine."])
    await agent.say(SAID)
    await agent.say("Forget the thing with the mushroom dish.")
    assert (await agent.say("No, keep it."))["memory"]["forgotten"] == []
    await agent.say("Forget the thing with the mushroom dish.")
    assert (await agent.say("Yes.", thread_id="u"))["memory"]["forgotten"] == []
    await agent.say("What can I cook?")
    assert (await agent.say("Yes."))["memory"]["forgotten"] == []
    assert kept(memory)[:1] == ["The user cannot stand mushrooms"]
