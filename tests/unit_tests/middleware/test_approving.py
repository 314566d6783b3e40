"""An agent's turn waits for a person's word on what it would have remembered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from langchain_agentmem import AgentMemory, ApprovalMiddleware, ApprovalPolicy, ConfigurationError
from langchain_agentmem.policies.approve import BySpeaker
from tests.conftest import Call
from tests.unit_tests.faces.conftest import ALICE, contents
from tests.unit_tests.faces.test_approving import PARIS, requests_in
from tests.unit_tests.middleware.conftest import MakeAgent


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    policy = ApprovalPolicy(rules=[BySpeaker({"user": "ask"})])
    with AgentMemory.in_memory(embeddings=None, consent="assumed", approval=policy) as memory:
        yield memory


async def test_an_agents_turn_waits_for_a_person_and_writes_once(agent: MakeAgent, memory: AgentMemory) -> None:
    """What memory did before the interrupt is not done again when the run goes on."""
    made = agent(["Noted."], around=lambda it: [ApprovalMiddleware(memory), it], writes="inline")
    [request] = requests_in(await made.say(PARIS))
    assert ("Paris" in request["args"]["content"], contents(memory)) == (True, [])
    report = (await made.resume({"decisions": [{"type": "approve"}]}))["memory"]
    assert [it["verdict"] for it in report["decided"]] == ["approved"]
    [kept] = memory.long_term.list(scope=ALICE)
    events = memory.long_term.why(kept.id, scope=ALICE).events
    assert [it.type for it in events] == ["remembered", "approval_asked", "approved"]
    assert len(made.model.requests) == 1


async def test_an_agents_next_turn_asks_about_what_a_job_left(
    agent: MakeAgent, memory: AgentMemory, call: Call
) -> None:
    """With `asks="user"`, in any of the user's threads; a question that is answered is not asked again."""
    made = agent(["Noted.", "Sunny.", "Rainy."], around=lambda it: [ApprovalMiddleware(memory, asks="user"), it])
    assert "__interrupt__" not in await made.say(PARIS)
    await call(memory.jobs, "run")
    assert len(requests_in(await made.say("How is the weather?", thread="other"))) == 1
    await made.resume([{"type": "reject", "message": "not any more"}], thread="other")
    assert contents(memory) == []
    assert "__interrupt__" not in await made.say("And tomorrow?", thread="other")


def test_a_middleware_needs_a_memory() -> None:
    """Anything else, and an unknown choice, is refused when it is made."""
    with pytest.raises(ConfigurationError, match="must be an AgentMemory"):
        ApprovalMiddleware("memory")  # type: ignore[arg-type]  # what is refused
    with AgentMemory.in_memory(embeddings=None) as memory, pytest.raises(ConfigurationError, match="asks"):
        ApprovalMiddleware(memory, asks="never")  # type: ignore[arg-type]  # what is refused
