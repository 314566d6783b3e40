"""The production stack together, while every part of it fails in its turn: nothing lost, doubled or crossed.

`make soak` takes 2,000 turns of 50 users, and shows how long a turn takes without the model.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.long_term import ListQuery
from langchain_agentmem.long_term.turns.kept_copies import SESSION_JOB
from langchain_agentmem.types.memories import STATUSES
from tests.integration_tests.conversing import SOAK
from tests.integration_tests.stack import CARD, DIM, WORD, Addresses, Person, Stack, people, quiet, said_by, stack
from tests.integration_tests.storm import (
    EVERY,
    REDACTED,
    Outcome,
    Storm,
    Talk,
    converse,
    is_leaving,
    talks_of,
)
from tests.integration_tests.test_privacy import bytes_in_redis
from tests.ledgers import dump
from tests.spelled import spelled
from tests.vector_stores import Place

SEED: Final = 20_261_121
LATE: Final = timedelta(hours=1)
"""After that every lease has ended, and every job that failed is due again."""

SHOWN: Final = 500
"""Turns from one size to the next, as told."""

GROWTH: Final = 1.05
"""How much larger the process, and the number of its objects, may be at the end than in the middle: by then what is
kept at hand is as much as may be, and a leak goes on. Without faults 3.5 percent were measured from 1,000 to 1,900."""

FEW: Final = 300
"""Turns of which the least size counts: what turns on their way hold comes and goes."""

ALL: Final = ListQuery(statuses=STATUSES, limit=1_000)


class Size(NamedTuple):
    """How many users say how much in each of two conversations, and after how many turns something breaks."""

    users: int
    turns: int
    every: int


SIZE: Final = Size(users=4, turns=5, every=8) if SOAK == 1 else Size(users=50, turns=21, every=25)


@pytest.fixture
def where(prepared_postgres_url: str, valkey_url: str, redis_search_url: str, tmp_path: Path) -> Addresses:
    vectors = Place(store="redis", where=redis_search_url, dim=DIM)
    return Addresses(
        sql=prepared_postgres_url,
        redis=valkey_url,
        vectors=vectors,
        git=tmp_path / "procedures",
        keys=tmp_path / "keys",
    )


@pytest.fixture
def world(where: Addresses) -> Iterator[Stack]:
    logging.disable(logging.CRITICAL)  # pytest would keep every line
    with stack(where) as world:
        yield world
    logging.disable(logging.NOTSET)


def test_the_stack_loses_doubles_and_crosses_nothing(
    world: Stack, where: Addresses, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever breaks meanwhile, every turn is there once and in order, every fact once, and each user's alone."""
    talks = talks_of(people(SIZE.users), SIZE.turns)
    storm = Storm(world, where, every=SIZE.every, seed=SEED)
    outcome = converse(world, storm, talks, SIZE.turns)
    if SOAK > 1:
        with capsys.disabled():
            show(outcome, storm, talks)
    with quiet(where, LATE) as memory:
        check(memory, where, talks)
    assert world.model.crossed == []
    check_deployments(world, talks)
    check_sizes(outcome)


def check(memory: AgentMemory, where: Addresses, talks: list[Talk]) -> None:
    """What waited is done, and every layer has what was said."""
    memory.jobs.run()
    assert [it for it in memory.jobs.list() if it.kind != SESSION_JOB] == []
    for person in dict.fromkeys(talk.person for talk in talks):
        if is_leaving(person):
            check_gone(memory, person)
        else:
            check_person(memory, person, [talk for talk in talks if talk.person == person])
    check_sealed(memory, where)


def check_gone(memory: AgentMemory, person: Person) -> None:
    """Of a user who was erased in the middle of it all nothing is left in any layer, and the log is whole."""
    report = memory.privacy.report(person.scope)
    assert (report.status, {name: count for name, count in report.counts.items() if count}) == ("erased", {})
    assert memory.long_term.verify(scope=person.scope).problems == ()


def check_sealed(memory: AgentMemory, where: Addresses) -> None:
    """Neither tables nor Redis hold in the clear what was said."""
    stored = bytes_in_redis(where.redis) + repr(dump(memory._database)).encode()
    assert len(stored) > SIZE.users * 10_000
    assert [it for it in (b"stored in hall", CARD.encode()) if it in stored] == []


def check_talk(memory: AgentMemory, talk: Talk) -> None:
    """Thread and conversation hold each turn once, in order; the task every step. Cards are in the thread only."""
    thread = memory.checkpointer.get_tuple(talk.config)
    assert thread is not None
    assert said_by(thread.checkpoint["channel_values"]["messages"]) == talk.said, talk.thread_id
    told = [it.replace(CARD, REDACTED) for it in talk.said]
    assert [it.text for it in memory.history(talk.scope).messages] == told, talk.thread_id
    task = memory.working.get(talk.scope)
    assert task is not None
    assert set(task.intermediate_results) == {f"step {number}" for number in range(SIZE.turns)}


def check_person(memory: AgentMemory, person: Person, talks: list[Talk]) -> None:
    """What a user wanted to be remembered is a fact once, the log is whole, and no layer has another's words."""
    for talk in talks:
        check_talk(memory, talk)
    kept = [it.content for it in memory.long_term.select(ALL, scope=person.scope) if it.kind == "fact"]
    assert sorted(map(str.lower, kept)) == sorted(fact.lower() for talk in talks for fact in talk.facts)
    verification = memory.long_term.verify(scope=person.scope)
    assert (verification.problems, verification.is_authenticated) == ((), True)
    preferences = memory.profiles.get(scope=person.scope).preferences
    assert preferences == {f"bag {talk.place}": f"{person.word}bag" for talk in talks}
    items = memory.store.search(person.namespace, limit=1_000)
    assert len(items) == len(range(0, SIZE.turns, EVERY)) * len(talks)
    words = "\n".join(words_of(memory, person, talks))
    assert set(WORD.findall(words)) == {person.word}
    assert CARD not in words
    memory.forgetting.forget_cycle(person.scope)
    events = memory.timeline.events(person.scope, types=["forgotten", "access_refused"], limit=1_000).items
    rules = Counter(it.rule if it.type == "forgotten" else it.type for it in events)
    assert rules["expired"] == len(talks)
    assert rules["access_refused"] > 0  # a no is a no also where the log is away


def words_of(memory: AgentMemory, person: Person, talks: list[Talk]) -> Iterator[str]:
    """Yield all that any layer has of a user."""
    scope = person.scope
    yield from (spelled(it) for it in memory.long_term.select(ALL, scope=scope))
    yield from (it.memory.content for it in memory.long_term.recall("Where is the parcel stored?", scope=scope))
    yield from (it.text for it in memory.episodes.list(scope=scope, limit=1_000))
    yield from (repr(it) for it in memory.store.search(person.namespace, limit=1_000))
    yield from (spelled(it) for it in memory.procedural.events(scope=scope))
    yield memory.profiles.get(scope=scope).to_context()
    for talk in talks:
        yield spelled(memory.working.get(talk.scope))
        yield spelled(memory.history(talk.scope).messages)
        yield "\n".join(it.text for it in memory.assemble("Where is it?", scope=talk.scope).messages)


def check_deployments(world: Stack, talks: list[Talk]) -> None:
    """Nothing went to production before it had been on staging, and most things went there."""
    asked = {line.split()[1] for talk in talks for line in talk.said if line.startswith("Deploy")}
    done = dict.fromkeys(world.deployed)
    targets = {version: [target for it, target in done if it == version] for version in asked}
    assert [it for it in targets.values() if it not in (["staging", "production"], ["staging"], [])] == []
    assert sum("production" in it for it in targets.values()) > len(asked) / 2


def check_sizes(outcome: Outcome) -> None:
    """The process is hardly larger at the end than in the middle, and keeps hardly more objects."""
    if SOAK == 1:
        return  # too short to have been everywhere by the middle
    for measured in (outcome.sizes, outcome.objects):
        end = max(measured)
        middle = [size for turns, size in measured.items() if 0 <= turns - end / 2 <= FEW]
        last = [size for turns, size in measured.items() if end - turns <= FEW]
        assert min(last) < min(middle) * GROWTH, measured


def show(outcome: Outcome, storm: Storm, talks: list[Talk]) -> None:
    """Say how long a turn takes, how large the process is, and what was broken."""
    lines = ["", "| turns, 8 at a time, without the model | number | p50 ms | p95 ms |", "|---|---|---|---|"]
    for agent in sorted({talk.agent for talk in talks}):
        for name, is_calm in (("nothing broken", True), ("during a fault", False)):
            took = [it.seconds * 1_000 for it in outcome.took if (it.agent, it.is_calm) == (agent, is_calm)]
            middle, high = np.percentile(took or [0.0], [50, 95])
            lines.append(f"| {agent}, {name} | {len(took)} | {middle:.0f} | {high:.0f} |")
    sizes = {turns: round(size) for turns, size in outcome.sizes.items() if turns % SHOWN == 0}
    objects = {turns: count for turns, count in outcome.objects.items() if turns % SHOWN == 0}
    lines.append(f"objects of Python's after turns: {objects}")
    lines.append(f"size in MiB after turns: {sizes}; said again: {sum(talk.repeats for talk in talks)}")
    lines.append(
        f"{storm.fronts} times something broke, in {len(storm.met)} combinations; {dict(sorted(storm.blown.items()))}"
    )
    print("\n".join(lines))  # noqa: T201  (this is what `make soak` is for)
