"""Before a tool runs, memory is asked about the action; what the tool says passes through."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents.middleware import ToolRetryMiddleware
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.prebuilt import ToolRuntime
from langgraph.types import Command, interrupt

from langchain_agentmem import AgentMemory, Recall
from langchain_agentmem.extraction import is_injected
from langchain_agentmem.middleware.running import _noted
from tests.unit_tests.faces.conftest import ALICE, World, contents, remember
from tests.unit_tests.faces.scripted import call
from tests.unit_tests.faces.test_acting import failed_before, unanswered
from tests.unit_tests.middleware.conftest import MakeAgent, answers

STAGING_FIRST = "Always deploy to staging first"


def both(*calls: Any) -> Any:  # noqa: ANN401  (messages of the model)
    """One message with the calls of several."""
    calls[0].tool_calls += [it for other in calls[1:] for it in other.tool_calls]
    return calls[0]


async def test_a_past_failure_is_seen_before_the_tool_runs(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """The call is held once, the failure is shown in the next request, and the model decides again."""
    failure = failed_before(memory)
    script = [call("deploy", "1", target="production"), call("deploy", "2", target="staging"), "Staged."]
    made = agent(script, world.deploy, profile=False)
    state = await made.say("Hello!")
    assert failure in made.told.replace("&quot;", '"')
    assert world.deployed == ["staging"]
    assert len(state["memory"]["held"]) == 1
    assert unanswered(state) == set()
    assert failure not in made.stored()


async def test_what_always_holds_stands_there_after_a_held_call(
    memory: AgentMemory, world: World, agent: MakeAgent
) -> None:
    """The next request has constraints and profile where they were, beside what held the call."""
    remember(memory, STAGING_FIRST, kind="constraint")
    failed_before(memory)
    made = agent([call("deploy", "1", target="production"), "I will ask first."], world.deploy)
    state = await made.say("Hello!")
    assert len(state["memory"]["held"]) == 1
    assert [STAGING_FIRST in it[0].text for it in made.model.requests] == [True, True]


async def test_a_call_is_held_once(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """A model that insists, knowing what happened, is not stopped here: that is a policy's business."""
    failed_before(memory)
    same = [call("deploy", str(n), target="production") for n in (1, 2)]
    await agent([*same, "Done."], world.deploy, profile=False).say("Hello!")
    assert world.deployed == ["production"]


async def test_a_rule_that_stood_in_the_request_holds_nothing(
    memory: AgentMemory, world: World, agent: MakeAgent
) -> None:
    """Constraints are there from the first request on."""
    remember(memory, STAGING_FIRST, kind="constraint")
    state = await agent([call("deploy", target="staging"), "Done."], world.deploy).say("Hello!")
    assert (state["memory"]["held"], world.deployed) == ([], ["staging"])


async def test_no_call_slips_by_beside_a_held_one(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """Two actions at once, one failure like both: neither runs before the model has seen it, and it is listed once."""
    failed_before(memory)
    script = [both(call("deploy", "1", target="us"), call("deploy", "2", target="eu")), "I will ask first."]
    state = await agent(script, world.deploy, profile=False).say("Hello!")
    assert (world.deployed, unanswered(state)) == ([], set())
    assert (len(state["memory"]["recalled"]), len(state["memory"]["held"])) == (1, 2)


async def test_calls_at_once_have_each_its_answer(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """One is held, the other runs; the report knows of both."""
    failed_before(memory)

    @tool
    def look_up(name: str) -> str:
        """Look something up."""
        return f"found {name}"

    script = [both(call("deploy", "1", target="production"), call("look_up", "2", name="it")), "So."]
    made = agent(script, world.deploy, look_up, unguarded=["look_up"], profile=False)
    state = await made.say("Hello!")
    assert answers(state)[0].startswith("Not run yet")
    assert answers(state)[1] == "found it"
    assert len(state["memory"]["held"]) == 1


async def test_a_hook_can_forbid_an_action(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """It sees the action and what memory knows; its reason goes to the model, and nothing is learned from it."""
    remember(memory, STAGING_FIRST, kind="constraint")

    def forbid(action: str, recall: Recall) -> str | None:
        return f"Forbidden by {len(recall.constraints)} rule." if "production" in action else None

    made = agent([call("deploy", target="production"), "No."], world.deploy, before_action=forbid, writes="inline")
    state = await made.say("Hello!")
    assert (answers(state), world.deployed) == (["Forbidden by 1 rule."], [])
    assert state["memory"]["outcomes"] == []


async def test_a_policy_asks_a_person_before_a_destructive_call(world: World, agent: MakeAgent) -> None:
    """The shipped policy holds in any agent: nothing runs before somebody agrees, and then it runs once."""
    ran: list[str] = []

    @tool
    def shell(command: str) -> str:
        """Run a command."""
        ran.append(command)
        return "done"

    made = agent([call("shell", command="rm -rf /srv"), "Gone."], shell, world.deploy)
    state = await made.say("Hello!")
    assert (len(state["__interrupt__"]), ran) == (1, [])
    approval_id = state["__interrupt__"][0].value["approval_id"]
    state = await made.resume({"decision": "approve", "approval_id": approval_id})
    assert (answers(state), ran) == (["done"], ["rm -rf /srv"])


async def test_what_a_person_rejects_does_not_run(agent: MakeAgent) -> None:
    """The model is told, and nothing is learned from it."""

    @tool
    def shell(command: str) -> str:
        """Run a command."""
        raise AssertionError(command)

    made = agent([call("shell", command="rm -rf /srv"), "As you wish."], shell, writes="inline")
    await made.say("Hello!")
    state = await made.resume("reject")
    assert answers(state)[0].startswith("Not run")
    assert state["memory"]["outcomes"] == []


async def test_a_made_up_tool_teaches_nothing(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """A name that is no tool is an error the model can read, and no action that failed."""
    made = agent([call("destroy", target="eu"), "Sorry."], world.deploy, writes="inline")
    state = await made.say("Hello!")
    assert "destroy" in answers(state)[0]
    assert (state["memory"]["outcomes"], contents(memory)) == ([], [])


async def test_what_a_memory_tool_says_is_no_evidence(memory: AgentMemory, agent: MakeAgent) -> None:
    """Its answers are memory's own words: marked, and nothing is learned from them."""
    kept = remember(memory, "Alice likes sushi")
    made = agent([call("search_memory", query="Which food does Alice like? sushi"), "Sushi."], writes="inline")
    state = await made.say("Hello!")
    found = next(it for it in state["messages"] if isinstance(it, ToolMessage))
    assert kept.id in found.text
    assert is_injected(found)
    assert state["memory"]["outcomes"] == state["memory"]["written"] == []


async def test_a_tool_may_update_the_state(agent: MakeAgent) -> None:
    """Commands of tools pass through as they are."""

    @tool
    def note(runtime: ToolRuntime[Any, Any]) -> Command[Any]:
        """Take a note."""
        answer = {"role": "tool", "content": "noted", "tool_call_id": runtime.tool_call_id}
        return Command(update={"messages": [answer]})

    state = await agent([both(call("note", "1"), call("note", "2")), "Done."], note).say("Hello!")
    assert answers(state) == ["noted", "noted"]
    assert state["memory"]["status"] == "ok"


def test_a_command_that_updates_nothing_takes_no_note() -> None:
    """A hand-over to the parent's graph may have none, or one that is no mapping: it goes on as it is."""
    for command in (Command(goto="x", graph=Command.PARENT), Command(update=[HumanMessage("Hello!")])):
        assert _noted(command, {"memory": {}}) is command


async def test_what_a_tool_raises_passes_through(world: World, agent: MakeAgent) -> None:
    """As in any agent: what handles errors of tools is the application's choice."""
    world.broken = True
    with pytest.raises(RuntimeError, match="no healthy upstream"):
        await agent([call("deploy", target="eu"), "It failed."], world.deploy).say("Hello!")


async def test_a_failure_is_learned_and_shown_before_the_next_try(
    memory: AgentMemory, world: World, agent: MakeAgent
) -> None:
    """Where errors become answers, the failed run is remembered, and another conversation is warned."""
    world.broken = True
    retry = ToolRetryMiddleware(max_retries=0, on_failure="continue")
    script = [call("deploy", target="eu"), "It failed.", call("deploy", target="eu"), "Not again."]
    made = agent(script, world.deploy, around=lambda it: [it, retry])
    await made.say("Hello!")
    world.broken = False
    await made.say("Hello!", thread="next week")
    assert "no healthy upstream" in made.told
    assert world.deployed == []
    assert [it.kind for it in memory.long_term.list(scope=ALICE)] == ["outcome"]


@pytest.mark.parametrize("args", [{"target": 7}, {"target": "order 4711"}, {"target": "Rome"}])
async def test_an_outcome_is_learned_whatever_the_arguments(
    memory: AgentMemory, agent: MakeAgent, args: dict[str, object]
) -> None:
    """Numbers and names of a call stand in the call, and seldom in the answer."""

    @tool
    def release(target: object) -> str:
        """Release."""
        return "Error: refused" if target else ""

    await agent([call("release", **args), "It failed."], release).say("Hello!")
    memory.jobs.run()
    [learned] = memory.long_term.list(scope=ALICE, kinds=("outcome",))
    assert learned.content.startswith("release(target=")


async def test_a_tool_that_waits_for_a_person_is_asked_about_once_more(memory: AgentMemory, agent: MakeAgent) -> None:
    """After an interrupt within a tool the turn goes on: nothing is held, and the words are there again."""
    remember(memory, STAGING_FIRST, kind="constraint")
    done: list[str] = []

    @tool
    def release(target: str) -> str:
        """Release, if somebody agrees."""
        done.append(f"{target}: {interrupt('Release?')}")
        return "released"

    made = agent([call("release", target="eu"), "Released."], release)
    await made.say("Hello!")
    state = await made.resume("yes")
    assert done == ["eu: yes"]
    assert STAGING_FIRST in made.told
    assert state["memory"]["held"] == []
