"""Several calls of one message ask a person: every question is listed, and the agent goes on as answers come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, tool
from langgraph.types import Command, Interrupt, interrupt

from langchain_agentmem import AgentMemory
from langchain_agentmem.types.procedures import Skill
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import ScriptedModel, call

PLACES = ("eu", "us", "asia")
Resume = Callable[[Sequence[Interrupt]], Any]


def at_once(questions: Sequence[Interrupt]) -> dict[str, str]:
    return {each.id: f"yes to {each.value}" for each in questions}


def one_by_one(questions: Sequence[Interrupt]) -> Any:  # noqa: ANN401  (an answer, or one by its id)
    """The last question is answered without its id."""
    return at_once(questions[-1:]) if len(questions) > 1 else f"yes to {questions[0].value}"


@pytest.fixture
def ran() -> list[str]:
    """What tools have done."""
    return []


@pytest.fixture
def tools(ran: list[str]) -> list[BaseTool]:
    @tool
    def probe(place: str) -> str:
        """Probe a place."""
        ran.append(f"probe {place}")
        return "healthy"

    @tool
    def ship(place: str) -> str:
        """Ship to a place."""
        answer = interrupt(place)
        ran.append(f"ship {place}")
        return str(answer)

    return [probe, ship]


def asking(*calls: AIMessage) -> AIMessage:
    return AIMessage("", tool_calls=[each for message in calls for each in message.tool_calls])


def answers(state: dict[str, Any]) -> list[str]:
    return [it.text for it in state["messages"] if it.type == "tool"]


@pytest.mark.parametrize("resume", [at_once, one_by_one])
async def test_every_question_is_listed_and_answered(
    make: Make, tools: list[BaseTool], ran: list[str], resume: Resume
) -> None:
    """At once or one by one, by ids; what has run is not run again, and the answers stand in the order of the calls."""
    calls = asking(call("probe", "0", place="eu"), *(call("ship", place, place=place) for place in PLACES))
    made = make([calls, "Done."], *tools)
    state = await made.say("Ship it everywhere.")
    assert {each.value for each in state["__interrupt__"]} == set(PLACES)
    while questions := state.get("__interrupt__"):
        state = await made.run(Command(resume=resume(questions)))
    assert answers(state) == ["healthy", *(f"yes to {place}" for place in PLACES)]
    assert sorted(ran) == sorted(["probe eu", *(f"ship {place}" for place in PLACES)])
    assert state["messages"][-1].text == "Done."


async def test_a_step_in_words_that_asks_repeats_nothing(
    memory: AgentMemory, make: Make, tools: list[BaseTool], ran: list[str]
) -> None:
    """Of the calls that a model makes at once in a step of a skill, what ran beside one that asks is not run again."""
    given = {
        "name": "release",
        "description": "Release it",
        "when_to_use": "asked to ship",
        "required_tools": ["probe", "ship"],
        "steps": [{"name": "all", "instruction": "Probe it and ship it"}],
    }
    memory.procedural.save(Skill.model_validate(given))
    acting = ScriptedModel(script=[asking(call("probe", "0", place="eu"), call("ship", "1", place="us")), "Shipped."])
    tool = memory.procedural.skill_tool(tools, acting)
    made = make([call("run_skill", name="release", inputs={}), "Done."], tool, saver=memory.checkpointer)
    assert len((await made.say("Ship it."))["__interrupt__"]) == 1
    state = await made.run(Command(resume="yes"))
    assert (ran, "Shipped." in answers(state)[0]) == (["probe eu", "ship us"], True)


@pytest.mark.parametrize("resume", [at_once, one_by_one])
async def test_skills_that_run_at_once_each_ask(
    memory: AgentMemory, make: Make, tools: list[BaseTool], ran: list[str], resume: Resume
) -> None:
    """Each goes on at its own step, and no step of either is done twice."""
    place = {"place": "{inputs.place}"}
    steps = [{"instruction": name, "tool": name, "args": place} for name in ("probe", "ship")]
    given = {"name": "release", "description": "Release it", "when_to_use": "asked to ship", "steps": steps}
    memory.procedural.save(Skill.model_validate(given))
    runs = [call("run_skill", each, name="release", inputs={"place": each}) for each in PLACES[:2]]
    made = make([asking(*runs), "Done."], memory.procedural.skill_tool(tools), saver=memory.checkpointer)
    state = await made.say("Ship it to both.")
    assert len(state["__interrupt__"]) == len(runs)
    while questions := state.get("__interrupt__"):
        state = await made.run(Command(resume=resume(questions)))
    assert sorted(ran) == ["probe eu", "probe us", "ship eu", "ship us"]
    assert [f"yes to {each}" in answer for each, answer in zip(PLACES, answers(state), strict=False)] == [True, True]
