"""What failed is remembered of a call that reached its tool, and of no other, whoever answers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from langchain.agents.middleware import AgentMiddleware, ToolCallLimitMiddleware, ToolRetryMiddleware
from langchain_core.messages import ToolMessage

from langchain_agentmem import AgentMemory
from tests.unit_tests.faces.conftest import ALICE, World, contents
from tests.unit_tests.faces.scripted import call
from tests.unit_tests.middleware.conftest import MakeAgent

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
