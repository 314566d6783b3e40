"""A turn in which the model asks for what is refused again and again comes to an end, in both kinds of agent."""

from __future__ import annotations

from typing import Any

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError
from langchain_agentmem.nodes.stopping import MAX_VAIN_ROUNDS
from langchain_agentmem.types.procedures import Policy
from tests.unit_tests.faces.conftest import World
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import call

PRODUCTION = {"tool": "deploy", "args": {"target": "production"}}


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture(autouse=True)
def _careful(memory: AgentMemory) -> None:
    given = {"name": "careful", "description": "Production is no toy", "rule": PRODUCTION}
    memory.procedural.save(Policy.model_validate(given))


def insisting(**args: Any) -> list[Any]:
    """A model that calls the same again and again."""
    return [call("deploy", str(n), **args) for n in range(20)]


async def test_a_call_that_is_refused_again_and_again_ends_the_turn(make: Make, world: World) -> None:
    """With an answer that says why; the model is not asked any more, and the next turn begins anew."""
    made = make([*insisting(target="production")], world.deploy)
    state = await made.say("Deploy it!")
    assert (len(made.model.requests), world.deployed) == (3, [])
    answer = state["messages"][-1]
    assert (answer.type, "Production is no toy" in answer.text, answer.tool_calls) == ("ai", True, [])
    assert state["memory"]["outcomes"] == []
    await made.say("Try again!")
    assert len(made.model.requests) == 6


async def test_a_tool_that_does_not_exist_is_not_called_for_ever(make: Make, world: World) -> None:
    """A name that the model made up is refused like any other call."""
    made = make([call("teleport", str(n)) for n in range(20)], world.deploy)
    state = await made.say("Deploy it!")
    assert (len(made.model.requests), state["messages"][-1].type) == (3, "ai")


async def test_how_often_is_an_option(make: Make, world: World) -> None:
    """Once is enough for those who say so; what cannot count is refused."""
    made = make([*insisting(target="production")], world.deploy, max_refusals=1)
    await made.say("Deploy it!")
    assert len(made.model.requests) == 1
    with pytest.raises(ConfigurationError, match="max_refusals"):
        make([], max_refusals=0)


async def test_a_model_that_tries_something_else_goes_on(make: Make, world: World) -> None:
    """Other arguments are another call, and what runs is none that was refused."""
    targets = ["production", "staging", "production", "eu"]
    script = [call("deploy", str(n), target=target) for n, target in enumerate(targets)]
    state = await make([*script, "Done."], world.deploy).say("Deploy it!")
    assert (world.deployed, state["messages"][-1].text) == (["staging", "eu"], "Done.")


async def test_a_turn_in_which_nothing_runs_ends_as_well(memory: AgentMemory, make: Make, world: World) -> None:
    """Whatever else the model tries each time: nobody waits for rounds in vain without end."""
    rule = {"name": "nowhere", "description": "Nothing is deployed today", "rule": {"tool": "deploy"}}
    memory.procedural.save(Policy.model_validate(rule))
    made = make([call("deploy", str(n), target=f"t{n}") for n in range(20)], world.deploy)
    state = await made.say("Deploy it!")
    assert len(made.model.requests) == MAX_VAIN_ROUNDS
    assert state["messages"][-1].tool_calls == []
