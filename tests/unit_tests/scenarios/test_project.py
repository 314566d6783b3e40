"""Project decisions: what was chosen and why, later revised."""

from __future__ import annotations

from langchain_agentmem import AgentMemory, Candidate, Scope
from tests.conftest import Call
from tests.unit_tests.scenarios.conftest import Calendar

TEAM = Scope("team-orders")
APART = "We chose microservices for the orders platform, because the teams deploy apart"
TOGETHER = "We chose a modular monolith for the orders platform, because three people cannot run nine services"


def decision(content: str, architecture: str) -> Candidate:
    return Candidate(
        content=content, subject="orders platform", relation="architecture", object=architecture, tags=("decision",)
    )


async def test_a_revised_decision_supersedes_the_first(memory: AgentMemory, calendar: Calendar, call: Call) -> None:
    """The later one is recalled, with its reason; the earlier one tells when and by what it was replaced."""
    chosen = await call(memory.long_term, "remember", decision(APART, "microservices"), scope=TEAM)
    calendar.pass_days(40)
    revised = await call(memory.long_term, "remember", decision(TOGETHER, "modular monolith"), scope=TEAM)
    assert revised.superseded == (chosen.memory.id,)
    found = await call(memory.long_term, "recall", "Which architecture did we choose for orders?", scope=TEAM)
    assert [hit.memory.content for hit in found] == [TOGETHER]
    life = await call(memory.long_term, "why", chosen.memory.id, scope=TEAM)
    assert life.memory.status == "superseded"
    assert life.reasons[-1].startswith(f"{calendar.now:%Y-%m-%d}")


async def test_decisions_of_other_things_stand(memory: AgentMemory, call: Call) -> None:
    """What was chosen for one platform says nothing about another."""
    billing = Candidate(
        content="We chose microservices for the billing platform",
        subject="billing platform",
        relation="architecture",
        object="microservices",
    )
    await call(memory.long_term, "remember", billing, scope=TEAM)
    revised = await call(memory.long_term, "remember", decision(TOGETHER, "modular monolith"), scope=TEAM)
    assert revised.superseded == ()
