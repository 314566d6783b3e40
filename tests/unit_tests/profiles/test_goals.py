"""Goals on SQLite, in a file and in memory."""

from __future__ import annotations

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError
from langchain_agentmem.policies.approve import ApprovalPolicy, ByKind
from tests.conftest import Call
from tests.contracts.goals_contract import GoalsContract
from tests.contracts.profiles_contract import ANA


class TestGoals(GoalsContract):
    """The whole contract."""


@pytest.mark.parametrize("move", ["progress", "finish", "abandon"])
async def test_a_goal_that_waits_for_approval_does_not_move(call: Call, move: str) -> None:
    """Nobody agreed to it yet: it is refused, and it is as open as before, which is not at all."""
    policy = ApprovalPolicy(rules=[ByKind({"goal": "ask"})])
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed", approval=policy)
    goal = (await call(memory.goals, "add", "Ana wants to learn Polish", scope=ANA)).memory
    with pytest.raises(ConfigurationError, match="waits for a decision"):
        await call(memory.goals, move, goal.id, scope=ANA)
    assert (await call(memory.long_term, "get", goal.id, scope=ANA)).status == "pending"
    assert await call(memory.goals, "open", scope=ANA) == ()
