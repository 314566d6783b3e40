"""A conversation that has written as many memories as it may: what is kept all the same, and what the model is told."""

from __future__ import annotations

from typing import Any, Final

import pytest

from langchain_agentmem import AgentMemory, Candidate, Decision, Scope
from langchain_agentmem.nodes.telling import FULL
from langchain_agentmem.policies.write import SessionCap, WritePolicy
from langchain_agentmem.types import Provenance
from tests.unit_tests.faces.conftest import contents
from tests.unit_tests.faces.either import Make, make

__all__ = ["make"]

TALK: Final = Scope("alice", session_id="t")
TOLD: Final = ("I live in Bonn.", "I'm 34 years old.", "I work as a nurse.")


@pytest.fixture
def memory() -> AgentMemory:
    """Memory of which a conversation writes three."""
    policy = WritePolicy().with_rule(SessionCap(max_writes=3))
    return AgentMemory.in_memory(embeddings=None, consent="assumed", policy=policy)


@pytest.fixture
def full(memory: AgentMemory) -> AgentMemory:
    """The same, of a conversation that has written them."""
    for content in ("The user lives in Bonn", "The user is 34 years old", "The user works as a nurse"):
        remember(memory, content).require()
    return memory


def remember(memory: AgentMemory, content: str, **fields: Any) -> Decision:
    """Offer what the user says in the conversation."""
    origin = Provenance(speaker="user", evidence=content)
    return memory.long_term.remember(Candidate(content=content, provenance=origin, **fields), scope=TALK)


# ------------------------------------------------------------------------------------------------------------- what is
@pytest.mark.parametrize("content", ["The user moved to Kiel", "The user is 35 now", "The user works as a baker"])
def test_what_replaces_a_memory_in_force_is_kept_however_much_was_written(full: AgentMemory, content: str) -> None:
    """Memory is no longer by it, whether or not it is said to be a correction."""
    decision = remember(full, content)
    assert (decision.verdict, len(decision.superseded), len(contents(full))) == ("written", 1, 3)


@pytest.mark.parametrize("content", ["The user has a dog named Rex", "The user's sister lives in Kiel", "Ann is 35"])
def test_what_replaces_nothing_is_not_kept(full: AgentMemory, content: str) -> None:
    """However near it is to what is known: the reason says what to do."""
    decision = remember(full, content)
    assert decision.rule == "session_cap"
    assert "in a new one" in decision.reason
    assert content not in contents(full)


def test_what_names_the_memory_that_it_replaces_is_kept(full: AgentMemory) -> None:
    """By its id, as an application may."""
    [old, *_] = full.long_term.list(scope=TALK)
    assert remember(full, "The user has retired", supersedes=(old.id,)).superseded == (old.id,)


def test_what_names_a_memory_that_is_not_in_force_adds_one(full: AgentMemory) -> None:
    """Its place is taken already."""
    [old, *_] = full.long_term.list(scope=TALK)
    full.long_term.forget(old.id, scope=TALK)
    assert remember(full, "The user has retired", supersedes=(old.id,)).rule == "session_cap"


def test_what_is_known_is_confirmed_however_much_was_written(full: AgentMemory) -> None:
    """It is one sighting more of a memory that is there."""
    decision = remember(full, "The user lives in Bonn")
    assert decision.memory is not None
    assert (decision.verdict, decision.memory.sightings) == ("merged", 2)


def test_what_an_agent_did_leaves_the_room_for_what_its_user_says(memory: AgentMemory) -> None:
    """Outcomes are bounded by themselves: however many there are, the user is heard."""
    done = [remember(memory, f'deploy(target="{place}") succeeded', kind="outcome") for place in ("a", "b", "c", "d")]
    told = [remember(memory, it) for it in ("The user is allergic to nuts", "The user lives in Bonn", "The user is 34")]
    assert [it.rule == "session_cap" for it in done] == [False, False, False, True]
    assert [it.verdict for it in told] == ["written"] * 3
    assert remember(memory, "The user has a dog named Rex").rule == "session_cap"


def test_what_would_wait_beside_a_memory_adds_one(full: AgentMemory) -> None:
    """Somebody less trusted replaces nothing, and so fills memory like anything else."""
    origin = Provenance(speaker="tool", evidence="The user lives in Kiel", trust_class="web")
    claim = Candidate(content="The user lives in Kiel", source="inferred", confidence=0.8, trust=0.6, provenance=origin)
    assert full.long_term.remember(claim, scope=TALK).rule == "session_cap"


# ------------------------------------------------------------------------------------------------------ what is told
async def test_the_model_is_told_that_nothing_new_is_kept(make: Make) -> None:
    """From the turn on that follows the last memory, in the report and in the request; before, not a word."""
    made = make(["Noted."] * 6)
    for text in TOLD:
        state = await made.say(text)
        assert (state["memory"]["full"], FULL in made.told) == (False, False)
    state = await made.say("I have a dog named Rex.")
    assert (state["memory"]["full"], FULL in made.told) == (True, True)
    [refused] = state["memory"]["refused"]
    assert (refused["rule"], "in a new one" in refused["reason"]) == ("session_cap", True)


async def test_another_conversation_is_not_full(make: Make, memory: AgentMemory) -> None:
    """What was refused in one is kept in the next."""
    made = make(["Noted."] * 6)
    for text in TOLD:
        await made.say(text)
    state = await made.say("I have a dog named Rex.", thread_id="u")
    assert (state["memory"]["full"], FULL in made.told) == (False, False)
    assert "The user has a dog named Rex" in contents(memory)


async def test_a_turn_that_is_written_behind_the_answer_is_counted_in_the_next(make: Make) -> None:
    """What waits of the conversation is written first."""
    made = make(["Noted."] * 6, writes="background")
    for text in TOLD:
        await made.say(text)
    assert (await made.say("I have a dog named Rex."))["memory"]["full"]


@pytest.mark.usefixtures("full")
@pytest.mark.parametrize("mode", ["frozen", "off"])
async def test_where_nothing_is_written_anyway_no_conversation_is_full(make: Make, mode: str) -> None:
    """The note on the mode says it."""
    made = make(["Noted."], mode=mode)
    state = await made.say("I have a dog named Rex.")
    assert (state["memory"].get("full", False), FULL in made.told) == (False, False)


def test_a_policy_without_the_cap_has_no_bound() -> None:
    """`max_writes` tells the bound of a policy."""
    assert WritePolicy().max_writes == 10
    assert WritePolicy().with_rule(SessionCap(max_writes=50)).max_writes == 50
    assert WritePolicy().without("session_cap").max_writes is None
