"""What failed is remembered of a call that reached its tool, and of no other, whoever answers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

import pytest
from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    ToolCallLimitMiddleware,
    ToolRetryMiddleware,
)
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langgraph.types import interrupt

from langchain_agentmem import AgentMemory
from tests.unit_tests.faces.conftest import ALICE, World, contents
from tests.unit_tests.faces.scripted import call
from tests.unit_tests.middleware.conftest import MakeAgent
from tests.unit_tests.middleware.test_acting import both

TWO: Final = [call("deploy", "1", target="eu"), call("deploy", "2", target="us"), "So."]


class Closed(AgentMiddleware[Any, Any, Any]):
    """Refuses every call of a tool, as a failure."""

    def wrap_tool_call(self, request: Any, handler: Any) -> ToolMessage:  # noqa: ANN401  (a call)
        return ToolMessage("Error: closed today.", tool_call_id=request.tool_call["id"], name="deploy", status="error")

    async def awrap_tool_call(self, request: Any, handler: Any) -> ToolMessage:  # noqa: ANN401  (a call)
        return self.wrap_tool_call(request, handler)


ORDERS: Final[dict[str, Callable[[Any, Any], list[Any]]]] = {
    "memory first": lambda it, other: [it, other],
    "memory last": lambda it, other: [other, it],
}


def outcomes(memory: AgentMemory) -> list[str]:
    """What is remembered of actions, when all that waits is done."""
    memory.jobs.run()
    return [it.content for it in memory.long_term.list(scope=ALICE) if it.kind == "outcome"]


@pytest.mark.parametrize("order", ORDERS)
async def test_what_a_limit_did_not_let_run_is_no_outcome(
    memory: AgentMemory, world: World, agent: MakeAgent, order: str
) -> None:
    """Neither is it told as a failure in the next conversation, nor does it hold the action there."""
    around = lambda it: ORDERS[order](it, ToolCallLimitMiddleware(run_limit=1))  # noqa: E731  (of one line)
    await agent(TWO, world.deploy, around=around).say("Deploy to eu and to us.")
    assert (world.deployed, [it.split(")")[0] for it in outcomes(memory)]) == (["eu"], ['deploy(target="eu"'])
    state = await agent([call("deploy", target="us"), "So."], world.deploy).say("Deploy to us.", thread="next")
    assert (world.deployed, state["memory"]["held"]) == (["eu", "us"], [])


async def test_what_a_guard_refused_is_no_outcome(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """Wherever it stands; before memory it answers a call of which memory never hears."""
    for order in ORDERS.values():
        made = agent(TWO, world.deploy, around=lambda it, order=order: order(it, Closed()))
        await made.say("Deploy to eu and to us.")
        memory.jobs.run()
        assert (contents(memory), world.deployed) == ([], [])


@pytest.mark.parametrize("order", ORDERS)
async def test_what_a_tool_raised_is_an_outcome(
    memory: AgentMemory, world: World, agent: MakeAgent, order: str
) -> None:
    """Also where the answer is the words of a middleware that stands before memory."""
    world.broken = True
    retry = ToolRetryMiddleware(max_retries=0, on_failure="continue")
    await agent(TWO, world.deploy, around=lambda it: ORDERS[order](it, retry)).say("Deploy to eu and to us.")
    assert ["failed" in it for it in outcomes(memory)] == [True, True]


@pytest.mark.parametrize("order", ORDERS)
async def test_what_a_tool_raised_before_an_interrupt_is_an_outcome(
    memory: AgentMemory, world: World, agent: MakeAgent, order: str
) -> None:
    """What ran beside a call that waited for a person is done, also where it failed: not run again, nor forgotten."""
    world.broken = True

    @tool
    def ask() -> str:
        """Ask the user."""
        return str(interrupt("Really?"))

    retry = ToolRetryMiddleware(max_retries=0, on_failure="continue")
    script = [both(call("deploy", "1", target="eu"), call("ask", "2")), "So."]
    made = agent(script, world.deploy, ask, around=lambda it: ORDERS[order](it, retry))
    await made.say("Deploy to eu.")
    world.broken = False
    await made.resume("yes")
    assert world.deployed == []
    assert [it for it in outcomes(memory) if it.startswith('deploy(target="eu") failed')]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mode", ["batched", "per_call"])
async def test_what_raised_of_calls_that_a_reviewer_changed_is_an_outcome(
    memory: AgentMemory, world: World, agent: MakeAgent, order: str, mode: Literal["batched", "per_call"]
) -> None:
    """One is approved, one edited and one rejected: what ran failed, by what it was when it ran, and nothing else."""
    world.broken = True
    gate = HumanInTheLoopMiddleware(interrupt_on={"deploy": True}, interrupt_mode=mode)
    retry = ToolRetryMiddleware(max_retries=0, on_failure="continue")
    calls = both(*(call("deploy", it, target=it) for it in ("eu", "us", "asia")))
    made = agent([calls, "So."], world.deploy, around=lambda it: [gate, *ORDERS[order](it, retry)])
    asked = (await made.say("Deploy everywhere."))["__interrupt__"]
    edit = {"type": "edit", "edited_action": {"name": "deploy", "args": {"target": "mars"}}}
    said = {"eu": {"type": "approve"}, "us": edit, "asia": {"type": "reject"}}
    per_call = {it.id: said[it.value["args"]["target"]] for it in asked} if mode == "per_call" else {}
    await made.resume(per_call or {"decisions": [*said.values()]})
    told = sorted(it.partition(" failed")[0] for it in outcomes(memory))
    assert told == ['deploy(target="eu")', 'deploy(target="mars")']


async def test_a_call_that_is_tried_again_is_noted_once(agent: MakeAgent) -> None:
    """Whoever streams updates gets one of the call, not one for each attempt."""
    attempts: list[str] = []

    @tool
    def deploy(target: str) -> str:
        """Deploy."""
        attempts.append(target)
        if len(attempts) == 1:
            msg = "no healthy upstream"
            raise RuntimeError(msg)
        return "deployed"

    retry = ToolRetryMiddleware(max_retries=1, initial_delay=0, jitter=False)
    made = agent([call("deploy", target="eu"), "Done."], deploy, around=lambda it: [retry, it])
    config: Any = {"configurable": {"thread_id": "t"}}
    given: Any = {"messages": [("user", "Deploy it.")]}
    updates = made.graph.stream(given, config, context={"user_id": "alice"}, stream_mode="updates")
    [update] = [it["tools"] for it in updates if "tools" in it]
    assert (len(attempts), update["memory"]["added"]) == (2, {"ran": ["1"]})
