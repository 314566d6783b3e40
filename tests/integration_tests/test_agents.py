"""Agents with memory on PostgreSQL, with threads on Redis: the same behaviour as embedded."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langgraph.types import Command

from langchain_agentmem import AgentMemory, Scope
from tests.conftest import Colour
from tests.contracts.forget_every_contract import ForgetEveryContract
from tests.contracts.forgotten_contract import EVERY, Case, ForgottenContract
from tests.contracts.turns_contract import TurnsContract
from tests.unit_tests.faces.conftest import World, remember
from tests.unit_tests.faces.scripted import ScriptedModel, call
from tests.whole import ByTurns, few

RULE = "Always deploy to staging first"


class TestTurns(TurnsContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (TurnsContract, 1)


class TestForgetEvery(ForgetEveryContract):
    """The whole contract."""

    by_turns: ClassVar[ByTurns] = (ForgetEveryContract, 1)


class TestForgotten(ForgottenContract):
    """An agent of each kind: one that waits for somebody, and one whose turn waits in the queue."""

    @pytest.fixture(
        params=few(
            [Case("agent", "inline", "interrupt", False, "u"), Case("graph", "background", "queued", True, "t")],  # noqa: FBT003  (in the order of a table)
            of=EVERY,
        ),
        ids=str,
    )
    def case(self, request: pytest.FixtureRequest) -> Case:
        case: Case = request.param
        return case


async def test_an_agent_on_servers_goes_on_in_another_process(
    prepared_postgres_url: str, valkey_url: str, colour: Colour
) -> None:
    """Asked, interrupted, approved elsewhere, settled by a worker, and known in the next thread."""
    world, alice = World(), Scope("alice")
    script = [call("deploy", target="staging"), "Staged.", "In Oslo."]

    async def turn(given: Any, thread: str) -> tuple[Any, ScriptedModel]:  # noqa: ANN401  (a state, or a command)
        config: Any = {"configurable": {"thread_id": thread, "user_id": "alice", "user_name": "Alice"}}
        model = ScriptedModel(script=[])
        async with AgentMemory.connect(
            sql=prepared_postgres_url, redis=valkey_url, embeddings=None, consent="assumed"
        ) as memory:
            model.script = script
            middleware = [memory.middleware(), HumanInTheLoopMiddleware(interrupt_on={"deploy": True})]
            agent = create_agent(model, [world.deploy], middleware=middleware, checkpointer=memory.checkpointer)
            state = agent.invoke(given, config) if colour == "sync" else await agent.ainvoke(given, config)
        script[:] = model.script
        return state, model

    with AgentMemory.connect(sql=prepared_postgres_url, embeddings=None, consent="assumed") as memory:
        remember(memory, RULE, scope=alice, kind="constraint")
        state, _ = await turn({"messages": [("user", "I live in Oslo. Deploy it.")]}, "monday")
        assert "__interrupt__" in state
        state, model = await turn(Command(resume={"decisions": [{"type": "approve"}]}), "monday")
        assert (world.deployed, state["memory"]["queued"]) == (["staging"], True)
        assert RULE in model.requests[0][0].text
        assert memory.jobs.run().failed == 0
        state, model = await turn({"messages": [("user", "Where do I live?")]}, "tuesday")
        assert "Alice lives in Oslo" in "".join(it.text for it in model.requests[0])
        assert state["memory"]["status"] == "ok"
