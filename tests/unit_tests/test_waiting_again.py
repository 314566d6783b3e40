"""What waits for a person once more, and who may say that it was theirs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest

from langchain_agentmem import AgentMemory, ApprovalPolicy, Candidate, Provenance, Scope
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.approve import BySpeaker
from langchain_agentmem.types import Memory
from tests.contracts.profiles_contract import Clock

SAID = "Alice lives in Paris"


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def memory(clock: Clock) -> Iterator[AgentMemory]:
    """The memory of all users of this module."""
    approval = ApprovalPolicy(rules=[BySpeaker({"tool": "ask"})], expires_after=timedelta(days=3))
    options = {"approval": approval, "trust": {"tools": {"web": "web"}}}
    with AgentMemory.in_memory(embeddings=None, consent="assumed", clock=clock, **options) as memory:
        yield memory


@pytest.fixture
def scope() -> Scope:
    """A user of their own, and an agent."""
    return Scope(uuid4().hex, agent_id="Bot")


def asked(memory: AgentMemory, scope: Scope) -> Memory:
    origin = Provenance(speaker="tool", evidence=SAID)
    return memory.long_term.remember(Candidate(content=SAID, provenance=origin), scope=scope).require()


def status(memory: AgentMemory, scope: Scope, memory_id: str) -> str:
    return memory.long_term.get(memory_id, scope=scope).status  # type: ignore[union-attr]  # it is there


def test_what_was_not_decided_in_time_ends_again_after_an_undo(memory: AgentMemory, clock: Clock, scope: Scope) -> None:
    """Nothing waits where nobody can decide it: the job that ended it was done once, and is queued anew."""
    waits = asked(memory, scope)
    clock.now += timedelta(days=4)
    memory.jobs.run()
    expired = memory.timeline.events(scope, memory_id=waits.id)[-1]
    assert expired.type == "approval_expired"
    memory.timeline.undo(expired.seq, scope=scope)
    memory.jobs.run()
    assert status(memory, scope, waits.id) == "archived"


@pytest.mark.parametrize("back", ["restored", "undone"])
def test_what_waits_again_ends_when_it_was_to_end(memory: AgentMemory, clock: Clock, scope: Scope, back: str) -> None:
    """However it came back, and whatever became of its job while it was away."""
    waits = asked(memory, scope)
    memory.long_term.forget(waits.id, scope=scope)
    clock.now += timedelta(days=4)
    memory.jobs.run()
    if back == "restored":
        memory.long_term.restore(waits.id, scope=scope)
    else:
        memory.timeline.undo(memory.timeline.events(scope, memory_id=waits.id)[-1].seq, scope=scope)
    assert status(memory, scope, waits.id) == "pending"
    memory.jobs.run()
    assert status(memory, scope, waits.id) == "archived"


@pytest.mark.parametrize("name", ["Bot", "bot", " BOT ", "b\u200bot", "\uff22ot"])
def test_no_spelling_of_its_id_lets_an_agent_approve_what_it_proposed(
    memory: AgentMemory, scope: Scope, name: str
) -> None:
    """Case, blanks, full-width letters and invisible characters make nobody else of it; another name does."""
    asked(memory, scope)
    approve = [it.approve() for it in memory.approvals.list(scope=scope)]
    assert memory.approvals.decide(approve, scope=scope, decided_by=name)[0].rule == "self_approval"
    assert memory.approvals.decide(approve, scope=scope, decided_by="Bot 2")[0].verdict == "approved"


@pytest.mark.parametrize("claimed", [Provenance(speaker="user"), Provenance(speaker="assistant")])
def test_no_revision_makes_a_claim_the_word_of_somebody_trusted_more(
    memory: AgentMemory, scope: Scope, claimed: Provenance
) -> None:
    """A page's words stay a page's; who else says the same is remembered as saying it."""
    origin = Provenance(speaker="assistant", tools=("web",))
    candidate = Candidate(content=SAID, source="inferred", provenance=origin)
    known = memory.long_term.remember(candidate, scope=scope).require()
    with pytest.raises(ConfigurationError, match="remember the same as said by"):
        memory.long_term.revise(known.id, scope=scope, provenance=claimed)
    ids = Provenance(speaker="assistant", tools=("web",), message_ids=("m1",))
    assert memory.long_term.revise(known.id, scope=scope, provenance=ids).verdict == "written"


def test_claims_that_wait_hide_nothing_in_force(memory: AgentMemory, scope: Scope) -> None:
    """However many are nearer, a statement meets what it replaces: its neighbours in force have places of their own."""
    known = memory.long_term.remember("Alice works at Acme", scope=scope).require()
    for number in range(12):
        said = f"Alice works at Globex in building {number} now, they say"
        origin = Provenance(speaker="assistant", tools=("web",))
        claim = Candidate(content=said, source="inferred", provenance=origin)
        assert memory.long_term.remember(claim, scope=scope).verdict == "pending"
    told = memory.long_term.remember("Alice works at Globex in a building now", scope=scope)
    assert told.superseded == (known.id,)


def test_what_has_expired_is_restored_with_another_end(memory: AgentMemory, clock: Clock, scope: Scope) -> None:
    """Nothing would recall it as it is: the call says so, and names the remedy."""
    candidate = Candidate(content="Alice rents a flat", expires_at=clock.now + timedelta(days=5))
    known = memory.long_term.remember(candidate, scope=scope).require()
    memory.long_term.forget(known.id, scope=scope)
    clock.now += timedelta(days=6)
    with pytest.raises(ConfigurationError, match="give it another end first"):
        memory.long_term.restore(known.id, scope=scope)
    memory.long_term.revise(known.id, scope=scope, expires_at=None)
    memory.long_term.restore(known.id, scope=scope)
    assert [it.memory.id for it in memory.long_term.recall("flat", scope=scope)] == [known.id]
