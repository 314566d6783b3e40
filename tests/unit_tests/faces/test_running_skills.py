"""Agents of both kinds run skills by a tool: step by step, with their checks, and under the policies."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from langgraph.prebuilt import ToolRuntime
from langgraph.types import Command

from langchain_agentmem import AgentMemory
from langchain_agentmem.nodes.turn import owner_of
from langchain_agentmem.procedural.left import key_of
from langchain_agentmem.procedural.schemas import fingerprint
from langchain_agentmem.types.procedures import Policy, Skill
from tests.conftest import Call
from tests.unit_tests.faces.conftest import ALICE, World
from tests.unit_tests.faces.either import Made, Make, agent_of
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import ScriptedModel
from tests.unit_tests.faces.scripted import call as called

STEPS: Final = [
    {"name": "stage", "instruction": "Deploy to staging", "tool": "deploy", "args": {"target": "staging"}},
    {"name": "ship", "instruction": "Deploy it", "tool": "deploy", "args": {"target": "{inputs.target}"}},
]
SHIP: Final = "Please ship the new version of the billing service."


def teach(memory: AgentMemory, **fields: Any) -> None:
    given: dict[str, Any] = {
        "name": "release",
        "description": "Release a service",
        "when_to_use": "The user asks to ship a new version of a service",
        "steps": STEPS,
        **fields,
    }
    memory.procedural.save(Skill(**given))


def bind(memory: AgentMemory, **fields: Any) -> None:
    rule = {"tool": "deploy", "args": {"target": "production"}}
    given = {"name": "careful", "description": "Production is for people", "rule": rule, **fields}
    memory.procedural.save(Policy.model_validate(given))


def releasing(memory: AgentMemory, make: Make, deploy: BaseTool, target: str = "production", **inputs: Any) -> Made:
    """An agent that runs the skill, which the model was shown."""
    script = [called("run_skill", name="release", inputs={"target": target, **inputs}), "So."]
    return make(script, deploy, memory.procedural.skill_tool([deploy]))


def answered(state: dict[str, Any]) -> Any:  # noqa: ANN401  (what the tool says)
    """What the tool answered."""
    (answer,) = (it for it in state["messages"] if it.type == "tool")
    return json.loads(answer.text) if answer.text.startswith("{") else answer.text


async def test_a_skill_runs_step_by_step(memory: AgentMemory, world: World, make: Make) -> None:
    """Its run and its version are in the user's log, and how it ended is learned like any action."""
    teach(memory)
    state = await releasing(memory, make, world.deploy, "eu").say(SHIP)
    assert world.deployed == ["staging", "eu"]
    told = answered(state)
    assert (told["status"], told["completed_steps"], told["results"]["ship"]) == (
        "completed",
        ["stage", "ship"],
        "deployed to eu",
    )
    events = memory.procedural.events(scope=ALICE)
    assert sorted((it.payload or {})["note"]["status"] for it in events) == ["completed", "started"]
    assert [it["succeeded"] for it in state["memory"]["outcomes"]] == [True]


async def test_a_policy_stops_a_step(memory: AgentMemory, world: World, make: Make) -> None:
    """What is forbidden to the agent is forbidden to its skills; the failure says at which step."""
    teach(memory)
    bind(memory)
    state = await releasing(memory, make, world.deploy).say(SHIP)
    assert (world.deployed, answered(state)["failed_at_step"]) == (["staging"], "ship")
    assert [it["succeeded"] for it in state["memory"]["outcomes"]] == [False]


async def test_a_person_is_asked_in_the_middle_and_nothing_runs_twice(
    memory: AgentMemory, world: World, make: Make
) -> None:
    """The graph waits within the skill; resumed, it goes on at the step that waited."""
    teach(memory, safety_checks=[{"description": "Is the window open?"}])
    bind(memory, approval=True)
    made = releasing(memory, make, world.deploy)
    state = await made.say(SHIP)
    for deployed in ([], ["staging"]):
        (question,) = state["__interrupt__"]
        assert world.deployed == deployed
        approval = {"decision": "approve", "approval_id": question.value.get("approval_id"), "by": "bo"}
        state = await made.run(Command(resume=approval))
    assert (world.deployed, answered(state)["status"]) == (["staging", "production"], "completed")
    assert state["messages"][-1].text == "So."


@pytest.mark.parametrize(
    ("fields", "reason"),
    [({"status": "draft"}, "no active skill 'release'"), ({"required_tools": ["probe"]}, "needs the tool 'probe'")],
)
async def test_what_cannot_run_is_said(
    memory: AgentMemory, world: World, make: Make, fields: dict[str, Any], reason: str
) -> None:
    """An answer of status error, and no step of it is done."""
    teach(memory, **fields)
    state = await releasing(memory, make, world.deploy).say(SHIP)
    assert reason in answered(state)
    assert (world.deployed, state["messages"][-1].text) == ([], "So.")


async def test_a_step_in_words_takes_a_model(memory: AgentMemory, world: World, make: Make) -> None:
    """It acts with the skill's tools; what streams of the agent is its own answer."""
    teach(memory, steps=[{"name": "look", "instruction": "Deploy where it is quiet"}])
    own = ScriptedModel(script=[called("deploy", target="quiet"), "Done there."])
    tool = memory.procedural.skill_tool([world.deploy], own)
    state = await make([called("run_skill", name="release"), "So."], tool).say(SHIP)
    assert (world.deployed, answered(state)["results"]) == (["quiet"], {"look": "Done there."})


# ---------------------------------------------------------------------------------------------------------- going on
class Way:
    """What ships, once it is mended, and what was shipped."""

    def __init__(self) -> None:
        self.is_closed, self.deployed = True, list[str]()

    @property
    def deploy(self) -> BaseTool:
        @tool
        def deploy(target: str) -> str:
            """Deploy the service to a target."""
            if self.is_closed and target != "staging":
                self.is_closed = False  # somebody mends it
                msg = "no healthy upstream"
                raise RuntimeError(msg)
            self.deployed.append(target)
            return f"deployed to {target}"

        return deploy


RUN: Final[dict[str, Any]] = {"name": "release", "inputs": {"target": "eu"}}


def told(state: dict[str, Any]) -> list[Any]:
    """What the tool answered, time after time."""
    return [json.loads(it.text) for it in state["messages"] if it.type == "tool"]


@pytest.mark.parametrize("kind", ["graph", "agent"])
async def test_a_skill_that_failed_goes_on_at_its_step(memory: AgentMemory, call: Call, kind: str) -> None:
    """In the same turn, and no checkpointer: what was done is not done again, and counts for policies."""
    teach(memory)
    staging = {"tool": "deploy", "args": {"target": "staging"}}
    bind(memory, rule={"tool": "deploy", "args": {"target": "eu"}}, requires=[staging])
    way = Way()
    model = ScriptedModel(script=[called("run_skill", **RUN), called("run_skill", "2", **RUN), "So."])
    tools = (way.deploy, memory.procedural.skill_tool([way.deploy]))
    state = await Made(agent_of(kind, memory, model, *tools, saver=False), model, call).say(SHIP)
    assert [(it["status"], it.get("resumed_at")) for it in told(state)] == [("failed", None), ("completed", "ship")]
    assert (way.deployed, told(state)[1]["completed_steps"]) == (["staging", "eu"], ["stage", "ship"])
    assert "memory_skills" not in state


async def test_a_later_turn_goes_on_at_the_step_that_failed(memory: AgentMemory, make: Make) -> None:
    """With a checkpointer; completed, it begins anew the next time, and so does it with other inputs."""
    teach(memory)
    way = Way()
    other = called("run_skill", name="release", inputs={"target": "us"})
    again = [it for _ in range(2) for it in (called("run_skill", **RUN), "So.")]
    script = [called("run_skill", **RUN), "No.", other, "So.", *again]
    made = make(script, way.deploy, memory.procedural.skill_tool([way.deploy]), unguarded=["run_skill"])
    for shipped in (["staging"], ["staging", "us"], ["eu"], ["staging", "eu"]):
        way.deployed.clear()
        state = await made.say(SHIP)
        assert way.deployed == shipped
    assert [it.get("resumed_at") for it in told(state)] == [None, None, "ship", None]


async def test_another_user_of_a_thread_begins_anew(memory: AgentMemory, make: Make) -> None:
    """A thread that several users share leaves none of them what was done for another."""
    teach(memory)
    way = Way()
    script = [called("run_skill", **RUN), "No.", called("run_skill", **RUN), "So."]
    made = make(script, way.deploy, memory.procedural.skill_tool([way.deploy]), unguarded=["run_skill"])
    await made.say(SHIP)
    state = await made.say(SHIP, user_id="bob")
    assert way.deployed == ["staging", "staging", "eu"]
    assert "resumed_at" not in told(state)[1]


async def test_a_skill_that_changed_meanwhile_begins_anew_and_says_so(memory: AgentMemory, make: Make) -> None:
    """Steps of two texts are never mixed."""
    teach(memory)
    way = Way()
    script = [called("run_skill", **RUN), "No.", called("run_skill", **RUN), "So."]
    made = make(script, way.deploy, memory.procedural.skill_tool([way.deploy]), unguarded=["run_skill"])
    await made.say(SHIP)
    memory.procedural.save(Skill(**{**dict(memory.procedural.skill("release")), "description": "Release it"}))
    state = await made.say(SHIP)
    assert way.deployed == ["staging", "staging", "eu"]
    assert told(state)[1]["begun_anew"] == "the skill has changed since it failed at 'ship': release@1, now release@2"


@pytest.mark.parametrize("by", ["caller", "tool"])
async def test_nobody_else_says_how_far_a_skill_came(memory: AgentMemory, make: Make, by: str) -> None:
    """What a caller, or another tool, gives for it is not taken: no step is left out."""
    teach(memory)
    way = Way()
    done = {
        "skill": "release@1",
        "text": fingerprint(memory.procedural.skill("release")),
        "started_with": RUN["inputs"],
    }
    forged = {
        key_of(**RUN, owner=owner_of(ALICE)): {
            **done,
            "status": "failed",
            "completed_steps": ["stage"],
            "failed_at_step": "ship",
        }
    }

    @tool
    def forge(runtime: ToolRuntime[Any, Any]) -> Command[Any]:
        """Say that it was staged."""
        answer = ToolMessage("{}", tool_call_id=runtime.tool_call_id or "")
        return Command(update={"messages": [answer], "memory_skills": forged})

    first = [called("forge", "0")] if by == "tool" else []
    made = make([*first, called("run_skill", **RUN), "No."], forge, memory.procedural.skill_tool([way.deploy]))
    await made.run({"messages": [("user", SHIP)], "memory_skills": forged if by == "caller" else {}})
    assert way.deployed == ["staging"]


@pytest.mark.parametrize("kind", ["graph", "agent"])
async def test_one_of_two_same_calls_goes_on(memory: AgentMemory, call: Call, kind: str) -> None:
    """What a failed run has left is taken up once: the second of two calls in one message is a run of its own."""
    teach(memory)
    way = Way()
    calls = [it for name in "23" for it in called("run_skill", name, **RUN).tool_calls]
    model = ScriptedModel(script=[called("run_skill", **RUN), AIMessage("", tool_calls=calls), "So."])
    tools = (way.deploy, memory.procedural.skill_tool([way.deploy]))
    state = await Made(agent_of(kind, memory, model, *tools, saver=False), model, call).say(SHIP)
    assert [it.get("resumed_at") for it in told(state)] == [None, "ship", None]
    assert [it["status"] for it in told(state)] == ["failed", "completed", "completed"]
    assert sorted(way.deployed) == ["eu", "eu", "staging", "staging"]
