"""A view that follows the ledger is the view that is read anew; and a profile does not depend on the order of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem import AgentMemory, Candidate, ListQuery, Scope
from langchain_agentmem._flow import run
from langchain_agentmem.profiles.projecting import project
from langchain_agentmem.profiles.views import ProfileViews
from langchain_agentmem.types import Memory
from tests.contracts.profiles_contract import Student
from tests.ledgers import START, memory

ANA = Scope("ana")
CODER = replace(ANA, agent_id="coder")
VERBS = ("set", "add", "say", "forget", "restore", "erase")
STEPS = st.lists(st.tuples(st.sampled_from(VERBS), st.integers(0, 3)), max_size=10)


def take(memory: AgentMemory, verb: str, number: int, scope: Scope) -> None:
    """Do one thing to memory, where it is possible now."""
    if verb == "set":
        memory.profiles.set("name", f"Ana {number}", scope=scope)
    elif verb == "add":
        memory.profiles.add_fact(f"Ana owns boat number {number}", scope=scope)
    elif verb == "say":
        said = Candidate(content=f"The user lives at {number}", subject="user", relation="city", object=f"{number}")
        memory.long_term.remember(said, scope=scope)
    else:
        wanted = ListQuery(statuses=("archived",) if verb == "restore" else ("active", "superseded"))
        found = memory.long_term.select(wanted, scope=scope)
        for it in found[number : number + 1]:
            getattr(memory.long_term, verb)(it.id, scope=scope)


@settings(max_examples=25)
@given(STEPS)
def test_a_view_that_follows_is_the_view_read_anew(steps: Sequence[tuple[str, int]]) -> None:
    """After every write, of whichever agent, what was brought up to date is what a new process reads."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        following = ProfileViews(memory._parts[0].ledger)
        for place, (verb, number) in enumerate(steps):
            take(memory, verb, number, ANA if place % 2 else CODER)
            for scope in (ANA, CODER):
                assert run(following.open(scope)) == run(ProfileViews(memory._parts[0].ledger).open(scope))


def test_what_is_held_is_bounded() -> None:
    """Users who were not asked about for long make room, and come back as they were."""
    users = [Scope(f"user {number}") for number in range(4)]
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for scope in users:
            memory.profiles.set("name", scope.user_id, scope=scope)
        views = ProfileViews(memory._parts[0].ledger, max_bytes=4 * 1_024)
        for scope in (*users, *users):
            assert [it.object for it in run(views.open(scope)).memories.values()] == [scope.user_id]
        assert (len(views._held), views._size) == (2, 4)
        views.forget(users[-1])
        assert (len(views._held), views._size) == (1, 2)


def rows() -> list[Memory]:
    """Memories of a profile, some of which say the same field."""
    said = [("name", "Ana"), ("name", "Anna"), ("city", "Rome"), ("lives_in", "Oslo"), ("level", "expert")]
    made = [memory(f"m{at}", subject="user", relation=it, object=value, tags=()) for at, (it, value) in enumerate(said)]
    told = [memory(f"t{at}", subject="user", relation=None, object=None, content=f"likes {at}") for at in range(4)]
    return [replace(it, created_at=START + timedelta(seconds=at // 2)) for at, it in enumerate([*made, *told])]


@settings(max_examples=50)
@given(st.permutations([replace(it, kind="fact") for it in rows()]))
def test_the_order_of_rows_changes_nothing(memories: list[Memory]) -> None:
    """Which value counts, and where a fact stands, is decided by what the memories say of themselves."""
    profile = project(Student, memories, 1, None)
    assert (profile.name, profile.city, profile.level) == ("Anna", "Oslo", "beginner")
    assert profile.facts == ("likes 0", "likes 1", "likes 2", "likes 3")
    assert [(it.field, it.memory_id) for it in profile.unfit] == [("level", "m4")]
