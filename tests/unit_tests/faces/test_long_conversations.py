"""What a turn costs in a long conversation: as much is read of it as of a short one."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.extraction.record import conversation
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)


def _talk(length: int) -> list[BaseMessage]:
    turns = range(length // 2)
    pairs = [(HumanMessage(f"Is report {n} out?", id=f"h{n}"), AIMessage("It is.", id=f"a{n}")) for n in turns]
    return [it for pair in pairs for it in pair]


@pytest.mark.parametrize("writes", ["inline", "background"])
async def test_a_turn_reads_no_more_of_a_long_conversation(
    memory: AgentMemory, make: Make, monkeypatch: pytest.MonkeyPatch, writes: str
) -> None:
    """At the thousandth message as many are read as at the thirtieth, and the same is learned."""
    read: list[BaseMessage] = []
    passage = conversation._passage

    def reading(message: BaseMessage, *args: Any) -> Any:  # noqa: ANN401  (what it returns is not looked at)
        read.append(message)
        return passage(message, *args)

    monkeypatch.setattr(conversation, "_passage", reading)
    counts = []
    for length, told in ((30, "I work at Acme."), (1000, "My sister Nora lives in Leeds.")):
        agent = make(["Noted."], writes=writes)
        read.clear()
        await agent.run({"messages": [*_talk(length), HumanMessage(told)]}, thread_id=str(length))
        memory.jobs.run()
        counts.append(len(read))
    assert counts[0] == counts[1] > 0
    kept = {it.content for it in memory.long_term.list(scope=Scope("alice"))}
    assert {"The user works at Acme", "Nora lives in Leeds"} <= kept


async def test_a_name_from_long_before_is_known(memory: AgentMemory, make: Make) -> None:
    """Who somebody is was said beyond what a turn reads; memory knows it."""
    agent = make(["Noted."] * 2)
    await agent.say("My sister Nora is a vet.")
    await agent.run({"messages": [*_talk(60), HumanMessage("Nora moved to Leeds.")]})
    kept = {it.content for it in memory.long_term.list(scope=Scope("alice"))}
    assert any("Nora" in it and "Leeds" in it for it in kept)
