"""What the user pursues is picked up by every later session, in both kinds of agent."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from langchain_agentmem import AgentMemory, RecallQuery
from langchain_agentmem._flow import flows_of
from langchain_agentmem.errors import StorageError
from langchain_agentmem.types import Memory
from tests.unit_tests.faces.conftest import ALICE
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import call

TEST = "Alice wants to pass the driving test"
STEPS = ("Learn the signs", "Practise parking", "Book a date")


def pursue(memory: AgentMemory, text: str = TEST, *steps: str) -> Memory:
    return memory.goals.add(text, scope=ALICE, steps=steps).require()


@pytest.mark.parametrize("said", ["Let's continue where we left off.", "What should I do next?", "Good morning!"])
async def test_a_later_session_knows_the_goal_and_how_far_it_has_come(
    memory: AgentMemory, make: Make, said: str
) -> None:
    """Whatever the user says there; the report names it, and no message holds it."""
    goal = pursue(memory, TEST, *STEPS)
    memory.goals.progress(goal.id, scope=ALICE, completed=STEPS[0])
    made = make(["Practise parking next."])
    state = await made.say(said, thread_id="another")
    assert all(it in made.told for it in ("<goal>", TEST, *STEPS))
    assert goal.id in [it["id"] for it in state["memory"]["recalled"]]
    assert TEST not in repr(state["messages"])


async def test_the_goal_stands_where_the_prompt_seldom_changes(memory: AgentMemory, make: Make) -> None:
    """In the system message, the same from turn to turn."""
    pursue(memory)
    made = make(["Hi.", "Hi again."])
    await made.say("Hello!")
    await made.say("Hello again!")
    first, second = (request[0].text for request in made.model.requests)
    assert "<goal>" in first
    assert first == second


async def test_the_goal_has_its_share_of_the_budget(memory: AgentMemory, make: Make) -> None:
    """A plan of a hundred steps leaves room for what is recalled."""
    pursue(memory, TEST, *(f"Step number {n} of very many" for n in range(90)))
    made = make(["Hi."], query=RecallQuery(max_tokens=1_600))
    await made.say("Hello!")
    shown = made.told[made.told.index("<goal>") : made.told.index("</goal>")]
    assert TEST in shown
    assert len(shown) < 500


@pytest.mark.parametrize(
    ("options", "run"),
    [({"goal": False}, {}), ({}, {"memory_mode": "off"}), ({"query": RecallQuery(kinds=("fact",))}, {})],
)
async def test_a_goal_is_shown_to_nobody_who_may_not_see_it(
    memory: AgentMemory, make: Make, options: dict[str, object], run: dict[str, str]
) -> None:
    """Where it is left out, where memory is off, and where recalls are of other kinds."""
    goal = pursue(memory)
    made = make(["Hi."], **options)
    state = await made.say("Hello!", **run)
    assert TEST not in made.told
    assert goal.id not in [it["id"] for it in state["memory"]["recalled"]]


async def test_without_consent_there_is_no_goal(memory: AgentMemory, make: Make) -> None:
    """And of another user, none either."""
    pursue(memory)
    made = make(["Hi.", "Hi."])
    await made.say("Hello!", user_id="bob", thread_id="b")
    assert TEST not in made.told
    memory.consent.withdraw(scope=ALICE)
    await made.say("Hello!")
    assert TEST not in made.told


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ("What are my goals?", "goal"),
        ("Which rules did I give you?", "constraint"),
        ("Tell me my preferences, please.", "preference"),
    ],
)
async def test_who_asks_for_a_kind_of_memory_is_told_all_of_it(
    memory: AgentMemory, make: Make, asked: str, kind: str
) -> None:
    """However their words differ from the question, but for goals that are over."""
    told: dict[Any, list[str]] = {
        "goal": ["Alice wants to learn French", "Alice wants to run a marathon in June"],
        "constraint": ["Never deploy on Fridays", "Never book flights before nine"],
        "preference": ["Alice likes green tea", "Alice prefers trains to planes"],
    }
    for each, contents in told.items():
        for content in contents:
            memory.long_term.remember(content, kind=each, scope=ALICE)
    over = pursue(memory)
    memory.goals.finish(over.id, scope=ALICE)
    made = make(["These."])
    state = await made.say(asked)
    assert all(it in made.told for it in told[kind])
    assert over.id not in [it["id"] for it in state["memory"]["recalled"]]


async def test_a_goal_that_is_reached_is_done(memory: AgentMemory, make: Make) -> None:
    """Who says so need not say that it was a goal; other goals go on."""
    goal = pursue(memory, TEST, *STEPS)
    other = pursue(memory, "Alice wants to run a marathon in June")
    state = await make(["Congratulations!"]).say("I passed the driving test!")
    assert state["memory"]["superseded"] == [goal.id]
    assert [it.id for it in memory.goals.open(scope=ALICE)] == [other.id]
    (done,) = [it for it in memory.long_term.list(scope=ALICE) if it.goal and it.goal.status == "done"]
    assert (done.content, done.goal and done.goal.steps) == ("The user passed the driving test", STEPS)


async def test_the_goal_is_known_after_an_interrupt(memory: AgentMemory, make: Make) -> None:
    """No checkpoint holds its words: they are read again."""

    @tool
    def book(day: str) -> str:
        """Book a lesson."""
        return f"{day}: {interrupt('Sure?')}"

    goal = pursue(memory, TEST, *STEPS)
    saver = InMemorySaver()
    made = make([call("book", "1", day="Monday"), "Booked."], book, saver=saver)
    await made.say("Book a lesson.")
    assert TEST not in repr([it.checkpoint for it in saver.list(None)])
    state = await made.run(Command(resume="yes"))
    assert TEST in made.told
    assert [it["id"] for it in state["memory"]["recalled"]].count(goal.id) == 1


async def test_goals_that_cannot_be_read_cost_themselves_alone(
    memory: AgentMemory, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turn recalls and answers, and its status says what was missing."""
    memory.long_term.remember("Alice lives in Oslo", kind="fact", scope=ALICE)

    def fail(*_args: object) -> None:
        msg = "the disk is gone"
        raise StorageError(msg)

    monkeypatch.setattr(flows_of(memory.goals), "resume", fail)
    made = make(["In Oslo."])
    state = await made.say("Where do I live?")
    assert ("lives in Oslo" in made.told, state["messages"][-1].text) == (True, "In Oslo.")
    assert state["memory"]["status"] == "degraded: StorageError: the disk is gone"
