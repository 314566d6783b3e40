"""What was forgotten in words, or erased with its sources, is in no state of a task, of whichever conversation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from langchain.agents import create_agent

from langchain_agentmem import AgentMemory, GraphOptions, Scope, create_memory_graph
from langchain_agentmem._flow import flows_of, run
from langchain_agentmem.errors import NotFoundError
from langchain_agentmem.policies.sensitive import SensitivePolicy
from langchain_agentmem.types.working import ToolCallRecord, WorkingDecision, WorkingState
from tests.conftest import Call, Colour
from tests.unit_tests.faces.scripted import ScriptedModel

ALICE: Final = Scope("alice")
TOLD: Final = "I have HIV and need a diet plan."
Kind = Literal["graph", "agent"]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[AgentMemory]:
    with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None, consent="assumed") as memory:
        yield memory


class Talk:
    """A conversation with an agent of either kind."""

    def __init__(self, memory: AgentMemory, kind: Kind, colour: Colour, **options: Any) -> None:
        self.model = ScriptedModel(script=["Fine."] * 5)
        self._colour = colour
        options = {"working": True, "writes": "inline", **options}
        if kind == "graph":
            self._graph: Any = create_memory_graph(self.model, [], memory, options=GraphOptions(**options))
        else:
            self._graph = create_agent(self.model, middleware=[memory.middleware(**options)])

    async def say(self, text: str, thread: str = "t", **given: Any) -> Any:  # noqa: ANN401  (a graph's state)
        config = {"configurable": {"thread_id": thread, "user_id": "alice", **given}}
        said = {"messages": [("user", text)]}
        graph = self._graph
        return graph.invoke(said, config) if self._colour == "sync" else await graph.ainvoke(said, config)

    @property
    def shown(self) -> str:
        """All that the model was shown last."""
        return "\n".join(it.text for it in self.model.requests[-1])


@pytest.fixture(params=["graph", "agent"])
def talk(request: pytest.FixtureRequest, memory: AgentMemory, colour: Colour) -> Talk:
    return Talk(memory, request.param, colour)


def stored(folder: Path) -> bytes:
    return b"".join(it.read_bytes() for it in folder.glob("agent.db*"))


def states(memory: AgentMemory) -> list[WorkingState | None]:
    return [memory.working.get(Scope("alice", session_id=it.session_id)) for it in memory.working.sessions(ALICE)]


async def test_what_is_forgotten_in_words_is_shown_by_no_task(memory: AgentMemory, talk: Talk, tmp_path: Path) -> None:
    """Neither the conversation it was said in nor another tells it any more, nor does the file."""
    await talk.say(TOLD)
    await talk.say(TOLD, "other")
    assert TOLD in repr([it and it.goal for it in states(memory)])
    await talk.say("Forget that I have HIV.")
    await talk.say("What is the weather like?")
    assert "HIV" not in talk.shown
    assert "HIV" not in "".join(it.to_context(max_tokens=500) for it in states(memory) if it)
    memory.jobs.run()
    assert b"diet plan" not in stored(tmp_path)


async def test_a_task_that_says_something_else_goes_on(memory: AgentMemory, talk: Talk) -> None:
    """A request to forget one thing leaves the goal that does not say it."""
    await talk.say("Please plan my trip to Rome in May.")
    await talk.say("Forget that I have HIV.")
    assert [it and it.goal for it in states(memory)] == ["Please plan my trip to Rome in May."]


async def test_a_visitors_task_forgets_what_they_ask(memory: AgentMemory, talk: Talk) -> None:
    """Who has no long-term memory has a task all the same."""
    await talk.say(TOLD, user_id=None)
    state = await talk.say("Forget that I have HIV.", user_id=None)
    assert "HIV" not in repr(state["working"])
    assert "HIV" not in repr(memory.working.get(Scope.anonymous("t")))


async def test_an_erasure_with_sources_takes_them_out_of_tasks(memory: AgentMemory, talk: Talk) -> None:
    """The turn that a fact was taken from is in no state, nor is what could be evidence of it."""
    await talk.say("I live in Oslo, please find me a flat there.")
    [fact] = [it for it in memory.long_term.list(scope=ALICE) if "Oslo" in it.content]
    memory.long_term.erase(fact.id, scope=ALICE, with_sources=True)
    assert "Oslo" not in repr([it and it.to_dict() for it in states(memory)])


async def test_every_part_of_a_state_loses_what_is_told(memory: AgentMemory) -> None:
    """Goal, steps, decisions, calls, notes and results; the rest stands as it was."""
    scope = Scope("alice", session_id="s")
    state = WorkingState(
        goal="I have HIV and need a diet plan",
        completed_steps=("asked about my HIV", "booked a table"),
        constraints=("The user has HIV",),
        decisions=(WorkingDecision(question="Do you have HIV?", answer="I have HIV"),),
        scratchpad="The user has HIV\nThey like rice",
        intermediate_results={"illness": "I have HIV", "city": "Oslo"},
        tool_calls=(ToolCallRecord(action="note", detail="I have HIV"),),
    )
    memory.working.put(scope, state)
    fact = memory.long_term.remember("The user has HIV", scope=ALICE)
    assert fact.memory is not None
    memory.long_term.erase(fact.memory.id, scope=ALICE)
    left = memory.working.get(scope)
    assert left is not None
    assert (left.goal, left.constraints, left.decisions, left.tool_calls) == ("", (), (), ())
    assert (left.scratchpad, left.intermediate_results, left.completed_steps[-1]) == (
        "They like rice",
        {"city": "Oslo"},
        "booked a table",
    )


def test_nobody_elses_task_is_touched(memory: AgentMemory) -> None:
    """A request of one user means no other's."""
    other = Scope("bob", session_id="s")
    memory.working.update(other, goal=TOLD)
    memory.working.update(Scope("alice", session_id="s"), goal=TOLD)
    fact = memory.long_term.remember("The user has HIV", scope=ALICE).require()
    memory.long_term.erase(fact.id, scope=ALICE)
    found = memory.working.get(other)
    assert (found and found.goal, states(memory)) == (TOLD, [])


def test_under_a_legal_hold_nothing_goes_from_tasks(memory: AgentMemory) -> None:
    """What goes for good may not, and a request in words is noted alone."""
    memory.working.update(Scope("alice", session_id="s"), goal=TOLD)
    memory.long_term.remember("The user likes rice", scope=ALICE)
    memory.privacy.hold(ALICE, reason="lawsuit")
    run(flows_of(memory.episodes).ask("that I have HIV", ALICE))
    assert [it and it.goal for it in states(memory)] == [TOLD]


async def test_a_memory_that_is_forgotten_is_told_by_no_task(memory: AgentMemory, call: Call, tmp_path: Path) -> None:
    """Forgotten by its id, it can come back; what a task told of it cannot, and no file holds that."""
    memory.working.update(
        Scope("alice", session_id="s"), goal="I have HIV, plan meals", add_completed=["booked a table"]
    )
    fact = memory.long_term.remember("The user has HIV", scope=ALICE).require()
    await call(memory.long_term, "forget", fact.id, scope=ALICE)
    assert [it and (it.goal, it.completed_steps) for it in states(memory)] == [("", ("booked a table",))]
    assert b"plan meals" not in stored(tmp_path)
    assert (await call(memory.long_term, "restore", fact.id, scope=ALICE)).status == "active"


@pytest.mark.parametrize("session", ["t", None])
async def test_a_task_quotes_no_turn_that_was_cleared(
    memory: AgentMemory, talk: Talk, call: Call, session: str | None
) -> None:
    """Where all turns are taken out, of one conversation or of all, the rest of a task stands as it was."""
    await talk.say(TOLD)
    memory.working.update(Scope("alice", session_id="t"), add_completed=["booked a table"])
    await call(memory.episodes, "clear", scope=Scope("alice", session_id=session))
    assert [it and (it.goal, it.completed_steps) for it in states(memory)] == [("", ("booked a table",))]


def test_a_state_keeps_the_values_that_it_still_names(tmp_path: Path) -> None:
    """What a token stood for goes with the words that named it; what another token does, that is still there, stays."""
    policy = SensitivePolicy(rules={"card": "tokenise"}, key=b"kept outside of the database", may_reveal=bool)
    with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None, consent="assumed", sensitive=policy) as memory:
        task = Scope("alice", session_id="s")
        memory.working.update(task, goal="I have HIV, pay with 4111 1111 1111 1111")
        told = memory.working.update(task, add_constraints=["the hotel is paid with 5500 0000 0000 0004"])
        fact = memory.long_term.remember("The user has HIV", scope=ALICE).require()
        memory.long_term.erase(fact.id, scope=ALICE)
        [gone], [kept] = (re.findall(r"\[card:\w+\]", it) for it in (told.goal, *told.constraints))
        asking: Any = {"scope": ALICE, "actor": "billing", "reason": "refund"}
        assert memory.sensitive.reveal(kept, **asking) == "5500 0000 0000 0004"
        with pytest.raises(NotFoundError, match="stands for nothing"):
            memory.sensitive.reveal(gone, **asking)
