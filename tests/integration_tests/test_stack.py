"""The production stack together, while every part of it fails in its turn: nothing lost, doubled or crossed.

`make soak` takes 2,000 turns of 50 users, and shows how long a turn takes without the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.long_term import ListQuery
from langchain_agentmem.types.memories import STATUSES
from tests.integration_tests.conversing import SOAK
from tests.integration_tests.stack import DIM, WORD, Addresses, Person, Stack, people, quiet, said_by, stack
from tests.integration_tests.storm import EVERY, Outcome, Storm, Talk, converse, talks_of
from tests.vector_stores import Place

SEED: Final = 20_261_121
LATE: Final = timedelta(hours=1)
"""After that every lease has ended, and every job that failed is due again."""

SETTLED: Final = 500
"""By so many turns every cache has been filled."""

GROWTH_MIB: Final = 128.0
"""How much larger the process may be at the end, a generous bound. What is kept at hand of each user grows with what
they have said: 73 to 88 MiB were measured, 9 to 20 of them in the last 500 turns."""

FULL: Final = 1_500
"""By so many turns every user has been talked to for long, and what is kept at hand of each is there."""

MORE_OBJECTS: Final = 1.05
"""What is kept at hand is few objects, however long the texts and tables in them; a leak is objects. Measured: 67,500
of Python's after 500 turns, 81,400 after 1,500, 83,500 after 2,000."""

ALL: Final = ListQuery(statuses=STATUSES, limit=1_000)


class Size(NamedTuple):
    """How many users say how much in each of two conversations, and after how many turns something breaks."""

    users: int
    turns: int
    every: int


SIZE: Final = Size(users=6, turns=5, every=10) if SOAK == 1 else Size(users=50, turns=20, every=25)


@pytest.fixture
def where(prepared_postgres_url: str, valkey_url: str, redis_search_url: str, tmp_path: Path) -> Addresses:
    vectors = Place(store="redis", where=redis_search_url, dim=DIM)
    return Addresses(sql=prepared_postgres_url, redis=valkey_url, vectors=vectors, git=tmp_path / "procedures")


@pytest.fixture
def world(where: Addresses) -> Iterator[Stack]:
    with stack(where) as world:
        yield world


def test_the_stack_loses_doubles_and_crosses_nothing(
    world: Stack, where: Addresses, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever breaks meanwhile, every turn is there once and in order, every fact once, and each user's alone."""
    talks = talks_of(people(SIZE.users))
    storm = Storm(world, where, every=SIZE.every, seed=SEED)
    outcome = converse(world, storm, talks, SIZE.turns)
    if SOAK > 1:
        with capsys.disabled():
            show(outcome, storm, talks)
    with quiet(where, LATE) as memory:
        check(memory, talks)
    assert world.model.crossed == []
    check_deployments(world, talks)
    check_sizes(outcome)


def check(memory: AgentMemory, talks: list[Talk]) -> None:
    """What waited is done, and every layer has what was said."""
    memory.jobs.run()
    assert (memory.jobs.counts(), memory.jobs.list(status="failed")) == ({}, [])
    for talk in talks:
        check_talk(memory, talk)
    for person in {talk.person for talk in talks}:
        check_person(memory, person, [talk for talk in talks if talk.person == person])


def check_talk(memory: AgentMemory, talk: Talk) -> None:
    """Thread and conversation hold each turn once, in order; the task every step."""
    thread = memory.checkpointer.get_tuple(talk.config)
    assert thread is not None
    assert said_by(thread.checkpoint["channel_values"]["messages"]) == talk.said, talk.thread_id
    assert [it.text for it in memory.history(talk.scope).messages] == talk.said, talk.thread_id
    task = memory.working.get(talk.scope)
    assert task is not None
    assert set(task.intermediate_results) == {f"step {number}" for number in range(SIZE.turns)}


def check_person(memory: AgentMemory, person: Person, talks: list[Talk]) -> None:
    """What a user wanted to be remembered is a fact once, the log is whole, and no layer has another's words."""
    kept = [it.content for it in memory.long_term.select(ALL, scope=person.scope) if it.kind == "fact"]
    assert sorted(map(str.lower, kept)) == sorted(fact.lower() for talk in talks for fact in talk.facts)
    verification = memory.long_term.verify(scope=person.scope)
    assert (verification.problems, verification.is_authenticated) == ((), True)
    preferences = memory.profiles.get(scope=person.scope).preferences
    assert preferences == {f"bag {talk.place}": f"{person.word}bag" for talk in talks}
    items = memory.store.search(person.namespace, limit=1_000)
    assert len(items) == len(range(0, SIZE.turns, EVERY)) * len(talks)
    assert set(WORD.findall("\n".join(words_of(memory, person, talks)))) == {person.word}


def words_of(memory: AgentMemory, person: Person, talks: list[Talk]) -> Iterator[str]:
    """Yield all that any layer has of a user."""
    scope = person.scope
    yield from (repr(it) for it in memory.long_term.select(ALL, scope=scope))
    yield from (it.memory.content for it in memory.long_term.recall("Where is the parcel stored?", scope=scope))
    yield from (it.text for it in memory.episodes.list(scope=scope, limit=1_000))
    yield from (repr(it) for it in memory.store.search(person.namespace, limit=1_000))
    yield from (repr(it) for it in memory.procedural.events(scope=scope))
    yield memory.profiles.get(scope=scope).to_context()
    for talk in talks:
        yield repr(memory.working.get(talk.scope))
        yield repr(memory.history(talk.scope).messages)
        yield "\n".join(it.text for it in memory.assemble("Where is it?", scope=talk.scope).messages)


def check_deployments(world: Stack, talks: list[Talk]) -> None:
    """Nothing went to production before it had been on staging, and most things went there."""
    asked = {line.split()[1] for talk in talks for line in talk.said if line.startswith("Deploy")}
    done = dict.fromkeys(world.deployed)
    targets = {version: [target for it, target in done if it == version] for version in asked}
    assert [it for it in targets.values() if it not in (["staging", "production"], ["staging"], [])] == []
    assert sum("production" in it for it in targets.values()) > len(asked) / 2


def check_sizes(outcome: Outcome) -> None:
    """The process keeps no more objects at the end than when it knew everybody, and not much more room."""
    sizes, objects = outcome.sizes, outcome.objects
    if SETTLED in sizes:
        assert objects[max(objects)] < objects[FULL] * MORE_OBJECTS
        assert sizes[max(sizes)] - sizes[SETTLED] < GROWTH_MIB


def show(outcome: Outcome, storm: Storm, talks: list[Talk]) -> None:
    """Say how long a turn takes, how large the process is, and what was broken."""
    lines = ["", "| turns, 8 at a time, without the model | number | p50 ms | p95 ms |", "|---|---|---|---|"]
    for agent in sorted({talk.agent for talk in talks}):
        for name, is_calm in (("nothing broken", True), ("during a fault", False)):
            took = [it.seconds * 1_000 for it in outcome.took if (it.agent, it.is_calm) == (agent, is_calm)]
            middle, high = np.percentile(took or [0.0], [50, 95])
            lines.append(f"| {agent}, {name} | {len(took)} | {middle:.0f} | {high:.0f} |")
    sizes = {turns: round(size) for turns, size in outcome.sizes.items() if turns % SETTLED == 0}
    objects = {turns: count for turns, count in outcome.objects.items() if turns % SETTLED == 0}
    lines.append(f"objects of Python's after turns: {objects}")
    lines.append(f"size in MiB after turns: {sizes}; said again: {sum(talk.repeats for talk in talks)}")
    lines.append(f"faults: {dict(sorted(storm.blown.items()))}")
    print("\n".join(lines))  # noqa: T201  (this is what `make soak` is for)
