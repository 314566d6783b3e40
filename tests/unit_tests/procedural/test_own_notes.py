"""What memory adds to a tool's answer for the model is not what the tool said, for whatever reads answers."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, InjectedToolCallId, tool

from langchain_agentmem import AgentMemory
from langchain_agentmem.extraction.proposing.model import ModelExtractor
from langchain_agentmem.extraction.record.conversation import said_by_tool, with_note, without_note
from langchain_agentmem.summarize.utterances import utterances
from langchain_agentmem.types.procedures import Policy, Skill
from tests.fake_chat_model import ScriptedChatModel
from tests.unit_tests.faces.conftest import World, contents
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import call
from tests.unit_tests.middleware.conftest import answers
from tests.unit_tests.middleware.conftest import world as world  # noqa: PLC0414  (a fixture)

HINT = "Smoke tests have to be green before you deploy"
NOTE = f"\n\nNote: {HINT}. (policy 'hint', version 1)"
GREEN_FIRST = {"rule": {"tool": "deploy"}, "requires": [{"tool": "smoke", "result": "green"}]}


def bind(memory: AgentMemory, name: str, description: str, **fields: Any) -> None:
    memory.procedural.save(Policy.model_validate({"name": name, "description": description, **fields}))


def hint(memory: AgentMemory) -> None:
    """Warn of each smoke test, in the word that `GREEN_FIRST` waits for."""
    bind(memory, "hint", HINT, rule={"tool": "smoke"}, enforcement="soft")


@tool
def smoke(target: str) -> str:
    """Test."""
    return f"3 tests are red in {target}"


@tool
def smoke_in_blocks(target: str) -> list[dict[str, Any]]:
    """Test."""
    return [{"type": "text", "text": f"3 tests are red in {target}"}]


smoke_in_blocks.name = "smoke"


@pytest.mark.parametrize("tried", [smoke, smoke_in_blocks], ids=["text", "blocks"])
async def test_a_warning_satisfies_no_other_policy(
    memory: AgentMemory, make: Make, world: World, tried: BaseTool
) -> None:
    """The tool said red; that a soft policy speaks of green lets no hard one pass."""
    bind(memory, "green-first", "Test first", **GREEN_FIRST)
    hint(memory)
    made = make([call("smoke", "1", target="eu"), call("deploy", "2", target="eu"), "No."], tried, world.deploy)
    told = answers(await made.say("Go."))
    assert told[0] == f"3 tests are red in eu{NOTE}"
    assert told[1].startswith("Not run. Test first.")
    assert world.deployed == []


async def test_a_step_that_was_warned_about_counts_by_what_the_tool_said(
    memory: AgentMemory, make: Make, world: World
) -> None:
    """With the warning in its answer, the call is known as done all the same."""
    bind(memory, "red-first", "Break it first", rule={"tool": "deploy"}, requires=[{"tool": "smoke", "result": "red"}])
    hint(memory)
    await make([call("smoke", "1", target="eu"), call("deploy", "2", target="eu"), "So."], smoke, world.deploy).say(
        "Go."
    )
    assert world.deployed == ["eu"]


async def test_an_outcome_is_what_the_tool_said_and_is_kept_once(memory: AgentMemory, make: Make) -> None:
    """The first call is warned about and the second is not: they came to the same."""
    hint(memory)
    made = make([call("smoke", "1", target="eu"), "Red.", call("smoke", "2", target="eu"), "Red."], smoke)
    for _ in range(2):
        await made.say("Test it.")
    memory.jobs.run()
    assert contents(memory) == ['smoke(target="eu") succeeded: 3 tests are red in eu']


async def test_a_tool_hides_no_words_by_a_mark_of_its_own(memory: AgentMemory, make: Make, world: World) -> None:
    """A mark as memory sets it is taken off what a tool returns: its failure is seen, and no warning left out."""

    @tool
    def smoke(target: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> ToolMessage:
        """Test."""
        made = with_note(ToolMessage("", tool_call_id=tool_call_id, name="smoke"), f"Error: no green host in {target}")
        return made.model_copy(update={"additional_kwargs": {**made.additional_kwargs, "agentmem_policies": ["hint"]}})

    bind(memory, "green-first", "Test first", rule={"tool": "deploy"}, requires=[{"tool": "smoke"}])
    hint(memory)
    made = make([call("smoke", "1", target="eu"), call("deploy", "2", target="eu"), "No."], smoke, world.deploy)
    assert answers(await made.say("Go."))[0] == f"Error: no green host in eu{NOTE}"
    assert world.deployed == []
    memory.jobs.run()
    assert 'smoke(target="eu") failed: Error: no green host in eu' in contents(memory)


def test_a_step_of_a_skill_is_held_against_what_its_tool_said(memory: AgentMemory) -> None:
    """What a step expects, and hands on to the next one, is in the tool's words."""
    hint(memory)
    step = {"name": "try", "instruction": "Try", "tool": "smoke", "args": {"target": "eu"}}
    given = {"name": "release", "description": "Release", "when_to_use": "To ship", "status": "draft"}
    ran = [
        memory.procedural.skill_graph(Skill.model_validate({**given, "steps": [{**step, **more}]}), [smoke]).invoke({})
        for more in ({"expects": "green"}, {})
    ]
    assert (ran[0]["status"], ran[0]["error"]) == ("failed", "the result does not hold 'green'")
    assert ran[1]["results"] == {"try": "3 tests are red in eu"}


async def test_a_warning_on_a_step_of_a_skill_reaches_the_model(memory: AgentMemory) -> None:
    """The model that had the skill run reads it once, apart from what the tools said; the next run tells of its own."""
    hint(memory)
    steps = [{"name": f"try-{n}", "instruction": "Try", "tool": "smoke", "args": {"target": "eu"}} for n in (1, 2)]
    given = {"name": "release", "description": "Release", "when_to_use": "To ship", "status": "active", "steps": steps}
    memory.procedural.save(Skill.model_validate(given))
    tool_ = memory.procedural.skill_tool([smoke])
    for _ in range(2):
        told = json.loads(await tool_.ainvoke({"name": "release", "inputs": {}}))
        assert told["warnings"] == [NOTE.strip()]
        assert HINT not in str(told["results"])


def test_a_model_that_acts_on_a_later_step_knows_of_what_was_warned(memory: AgentMemory) -> None:
    """It stands beside the results, and nowhere where nothing was warned of."""
    given = {"name": "release", "description": "Release", "when_to_use": "To ship", "status": "draft"}
    steps = [{"name": "try", "instruction": "Try", "tool": "smoke", "args": {"target": "eu"}}, "Say how it went"]
    made = Skill.model_validate({**given, "steps": steps})
    model = ScriptedChatModel(script=["Red."] * 2)
    memory.procedural.skill_graph(made, [smoke], model).invoke({})
    hint(memory)
    memory.procedural.skill_graph(made, [smoke], model).invoke({})
    assert [f'"warnings": ["Note: {HINT}' in str(asked[1].text) for asked in model.requests] == [False, True]


@pytest.mark.parametrize("said", ["red", ["red"], [{"type": "text", "text": "red"}], "", [], "red" + NOTE], ids=str)
def test_what_was_added_is_taken_out_again(said: Any) -> None:  # noqa: ANN401  (a content)
    """Whatever the tool said, and once: what it said in the same words stays."""
    given = ToolMessage(said, tool_call_id="1")
    told = with_note(given, NOTE)
    assert told.text == f"{given.text}{NOTE}"
    assert without_note(told).text == given.text
    assert without_note(without_note(told)).text == given.text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: f"{text}\nSeen by a person.", "red\nSeen by a person."),
        (lambda text: text.replace("Note", "Nota"), f"red{NOTE}".replace("Note", "Nota")),
        (lambda text: "[cleared]", "[cleared]"),
    ],
    ids=["added to", "changed", "replaced"],
)
def test_what_another_middleware_makes_of_an_answer_is_read(change: Any, said: str) -> None:  # noqa: ANN401  (a function)
    """Only words that memory added are left out, exactly as they were."""
    told = with_note(ToolMessage("red", tool_call_id="1"), NOTE)
    assert said_by_tool(told.model_copy(update={"content": change(told.text)}), None) == said


async def test_no_model_reads_a_warning_as_a_tools_words() -> None:
    """Neither the one that finds memories nor what is summarised."""
    told = with_note(ToolMessage("3 tests are red", tool_call_id="1", name="smoke"), NOTE)
    messages = [HumanMessage("Test it."), call("smoke", "1", target="eu"), told, AIMessage("Red.")]
    model = ScriptedChatModel(script=['{"memories": []}'] * 3)
    ModelExtractor(model).extract(messages)
    assert HINT not in str(model.requests)
    assert "3 tests are red" in str(model.requests)
    assert HINT not in str(list(utterances(messages)))
