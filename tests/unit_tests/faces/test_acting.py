from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.prebuilt import ToolRuntime
from langgraph.types import Command, interrupt

from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Outcome, Recall
from tests.unit_tests.faces.conftest import ALICE, MakeAgent, World, contents, remember
from tests.unit_tests.faces.scripted import call, told_in

STAGING_FIRST = "Always deploy to staging first"


def failed_before(memory: AgentMemory) -> str:
    """Let an earlier deployment have failed: what a greeting does not bring to mind, but the action does."""
    outcome = Outcome(action='deploy(target="production")', succeeded=False, detail="no healthy upstream")
    return memory.long_term.learn(outcome, scope=ALICE)[0].require().content


def answers(state: dict[str, Any]) -> list[str]:
    """What the tools, or those who held them, answered."""
    return [it.text for it in state["messages"] if it.type == "tool"]


def unanswered(state: dict[str, Any]) -> set[str]:
    """Tool calls without an answer: a provider refuses the next request if there is one."""
    made = {it["id"] for message in state["messages"] for it in getattr(message, "tool_calls", [])}
    return made - {it.tool_call_id for it in state["messages"] if it.type == "tool"}


async def test_a_constraint_is_seen_before_the_tool_runs(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """A greeting needs no memory, and is bound by the rules in force all the same."""
    remember(memory, STAGING_FIRST, kind="constraint")
    made = agent([call("deploy", target="staging"), "Staged."], world.deploy)
    state = await made.say("Hello!")
    assert STAGING_FIRST in made.model.requests[0][0].text
    assert (world.deployed, state["memory"]["held"]) == (["staging"], [])


async def test_a_past_failure_is_seen_before_the_tool_runs(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """The turn recalled nothing; the call is held once, the failure is shown, and the model decides again."""
    failure = failed_before(memory)
    script = [call("deploy", "1", target="production"), call("deploy", "2", target="staging"), "Staged."]
    made = agent(script, world.deploy)
    state = await made.say("Hello!")
    assert failure in told_in(made.model.requests[1]).replace("&quot;", '"')
    assert world.deployed == ["staging"]
    assert (len(state["memory"]["held"]), unanswered(state)) == (1, set())


async def test_a_call_is_held_once(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """A model that insists, knowing what happened, is not stopped here: that is a policy's business."""
    failed_before(memory)
    same = [call("deploy", str(n), target="production") for n in (1, 2)]
    await agent([*same, "Done."], world.deploy).say("Hello!")
    assert world.deployed == ["production"]


async def test_what_was_shown_already_holds_nothing(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """A rule that stood in the first request needs no second look."""
    remember(memory, STAGING_FIRST, kind="constraint")
    state = await agent([call("deploy", target="staging"), "Done."], world.deploy).say("Which targets did I name?")
    assert (state["memory"]["held"], world.deployed) == ([], ["staging"])


async def test_a_failure_is_learned_and_shown_before_the_next_try(world: World, agent: MakeAgent) -> None:
    """In another conversation, before the same action runs again, the model sees how it ended last time."""
    world.broken = True
    made = agent([call("deploy", target="eu"), "It failed.", call("deploy", target="eu"), "Not again."], world.deploy)
    state = await made.say("Hello!")
    assert "no healthy upstream" in answers(state)[0]
    assert [it["kind"] for it in state["memory"]["written"]] == ["outcome"]
    world.broken = False
    await made.say("Hello!", thread="next week")
    assert "no healthy upstream" in made.model.told
    assert world.deployed == []


async def test_a_failure_of_what_the_user_asks_for_is_shown_at_once(world: World, agent: MakeAgent) -> None:
    """Where the message names the deed, its past failures stand in the first request."""
    world.broken = True
    made = agent([call("deploy", target="eu"), "It failed.", "Last time it failed."], world.deploy)
    await made.say("Please deploy the service.")
    await made.say("Please deploy the service.", thread="next week")
    assert "no healthy upstream" in made.model.told


async def test_a_read_that_worked_is_no_outcome(memory: AgentMemory, agent: MakeAgent) -> None:
    """Memory is not filled with what tools looked up."""

    @tool
    def search_flights(to: str) -> str:
        """Search flights."""
        return f"three flights to {to}"

    state = await agent([call("search_flights", to="Oslo"), "Three."], search_flights).say("Hello!")
    assert (state["memory"]["outcomes"], contents(memory)) == ([], [])


async def test_a_held_call_is_no_outcome(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """What did not run did not end in any way."""
    failure = failed_before(memory)
    state = await agent([call("deploy", target="production"), "I will ask first."], world.deploy).say("Hello!")
    assert state["memory"]["outcomes"] == []
    assert contents(memory) == [failure]


async def test_only_the_call_in_question_is_held(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """Two calls in one message: the other one runs, and the answers keep their order."""
    failed_before(memory)

    @tool
    def look_up(name: str) -> str:
        """Look something up."""
        return f"found {name}"

    both = call("deploy", "1", target="production")
    both.tool_calls += call("look_up", "2", name="it").tool_calls
    state = await agent([both, "So."], world.deploy, look_up, unguarded=["look_up"]).say("Hello!")
    assert answers(state)[0].startswith("Not run yet")
    assert answers(state)[1] == "found it"


async def test_no_call_slips_by_beside_a_held_one(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """Two actions of one message, one failure like both: neither runs before the model has seen it."""
    failed_before(memory)
    both = call("deploy", "1", target="us")
    both.tool_calls += call("deploy", "2", target="eu").tool_calls
    state = await agent([both, "I will ask first."], world.deploy).say("Hello!")
    assert (world.deployed, unanswered(state)) == ([], set())
    assert len(state["memory"]["recalled"]) == 1


async def test_a_hook_can_forbid_an_action(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """It sees the action and what memory knows; its reason goes to the model."""
    remember(memory, STAGING_FIRST, kind="constraint")

    def forbid(action: str, recall: Recall) -> str | None:
        return f"Forbidden by {len(recall.constraints)} rule." if "production" in action else None

    made = agent([call("deploy", target="production"), "I may not."], world.deploy, before_action=forbid)
    state = await made.say("Hello!")
    assert (answers(state), world.deployed) == (["Forbidden by 1 rule."], [])
    assert state["memory"]["outcomes"] == []


async def test_a_hook_that_fails_forbids(world: World, agent: MakeAgent) -> None:
    """Where nobody can say that an action may run, it does not, and the agent answers."""

    def fail(action: str, recall: Recall) -> str | None:
        raise RuntimeError(action, recall)

    made = agent([call("deploy", target="production"), "I may not."], world.deploy, before_action=fail)
    state = await made.say("Hello!")
    assert ("could not be decided" in answers(state)[0], world.deployed) == (True, [])
    assert state["memory"]["status"].startswith("degraded: RuntimeError")


@pytest.mark.parametrize("said", [True, False, "", " ", {"allow": True}], ids=repr)
async def test_a_hook_that_answers_neither_yes_nor_why_forbids(world: World, agent: MakeAgent, said: object) -> None:
    """`True` is a yes to one and a no to another: the call does not run, and whoever runs the agent reads why."""
    made = agent([call("deploy", target="production"), "I may not."], world.deploy, before_action=lambda *_: said)
    state = await made.say("Hello!")
    assert ("could not be decided" in answers(state)[0], world.deployed) == (True, [])
    assert "before_action must return None, where the call may run, or why" in state["memory"]["status"]


async def test_an_agent_going_in_circles_is_stopped(world: World, agent: MakeAgent) -> None:
    """After its rounds it says so; every call has its answer."""
    script = [call("deploy", str(n), target="eu") for n in range(9)]
    state = await agent(script, world.deploy, max_rounds=2).say("Hello!")
    assert len(world.deployed) == 2
    assert "2 rounds" in state["messages"][-1].text
    assert unanswered(state) == set()


async def test_an_unknown_tool_is_answered(world: World, agent: MakeAgent) -> None:
    """A name the model made up is an error it can read, and no action that failed."""
    state = await agent([call("destroy", target="eu"), "Sorry."], world.deploy).say("Hello!")
    assert "destroy" in answers(state)[0]
    assert state["memory"]["outcomes"] == []
    assert state["messages"][-1].text == "Sorry."


async def test_a_tool_may_update_the_state(agent: MakeAgent) -> None:
    """Commands of tools pass through."""

    @tool
    def note(runtime: ToolRuntime[Any, Any]) -> Command[Any]:
        """Take a note."""
        answer = {"role": "tool", "content": "noted", "tool_call_id": runtime.tool_call_id}
        return Command(update={"messages": [answer]})

    assert answers(await agent([call("note"), "Done."], note).say("Hello!")) == ["noted"]


async def test_after_an_interrupt_the_model_sees_the_memories_again(memory: AgentMemory, agent: MakeAgent) -> None:
    """Their words are in no checkpoint: they are read anew, and what was forgotten meanwhile stays away."""
    kept = remember(memory, "Alice prefers region eu")
    gone = remember(memory, "Alice prefers small regions")

    @tool
    def ask() -> str:
        """Ask the user."""
        return str(interrupt("Really?"))

    made = agent([call("ask"), "Done."], ask)
    await made.say("Which region do I prefer?")
    memory.long_term.forget(gone.id, scope=ALICE)
    config: Any = {"configurable": {"thread_id": "t"}}
    made.graph.invoke(Command(resume="yes"), config, context={"user_id": "alice"})
    assert kept.content in made.model.told
    assert gone.content not in made.model.told


@pytest.mark.parametrize("is_command", [False, True])
async def test_going_on_after_an_interrupt_repeats_no_tool(agent: MakeAgent, is_command: bool) -> None:  # noqa: FBT001  (a case)
    """Of two calls one asks a person: what the other has done is done once, and both have their answers."""
    ran: list[str] = []

    @tool
    def act(runtime: ToolRuntime[Any, Any]) -> Any:  # noqa: ANN401
        """Act."""
        ran.append("act")
        answer = ToolMessage("acted", tool_call_id=runtime.tool_call_id or "")
        return Command(update={"messages": [answer]}) if is_command else "acted"

    @tool
    def ask() -> str:
        """Ask the user."""
        return str(interrupt("Really?"))

    both = AIMessage("", tool_calls=[*call("act", "1").tool_calls, *call("ask", "2").tool_calls])
    made = agent([both, "Done."], act, ask)
    assert [it.value for it in (await made.say("Hello!"))["__interrupt__"]] == ["Really?"]
    state = await made.resume("yes")
    assert (ran, sorted(answers(state)), unanswered(state)) == (["act"], ["acted", "yes"], set())


@pytest.mark.parametrize("mode", ["off", "frozen"])
async def test_tools_know_the_mode_of_the_turn(memory: AgentMemory, agent: MakeAgent, mode: str) -> None:
    """A graph that is off or frozen is so for its memory tools as well."""
    kept = remember(memory, "Alice likes sushi")
    delete = call("manage_memory", action="delete", id=kept.id)
    await agent([delete, "Done."], *memory.tools(), mode=mode).say("Hello!")
    assert contents(memory) == ["Alice likes sushi"]
