"""Users who talk to agents at the same time, and faults that are thrown in while they do."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import itertools
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import product
from typing import Any, Final, NamedTuple

import psutil
import psycopg
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig

from langchain_agentmem import AgentMemory, Candidate, GovernanceError, Scope, StorageError, acting_as
from langchain_agentmem._flow import Flow, arun, run, step
from langchain_agentmem._held_texts import forget_texts
from tests.integration_tests.stack import CARD, Addresses, Count, Person, Stack, answer_to, work
from tests.processes import Process
from tests.proxy import Proxy
from tests.servers import CUT

PATIENCE: Final = 100
"""Tries of one call at most: faults last less than a second."""

PAUSE_S: Final = 0.05
FAULT_S: Final = 0.8
"""Longer than a server may take."""

LANES: Final = 4
"""Of each colour: eight conversations at the same time."""

EVERY: Final = 4
"""Turns of one kind follow each other at this distance: two statements, a question, a deployment."""

LEAVING: Final = 10
"""One user of so many has everything erased."""

SHORT_S: Final = 30
"""What a voucher is good for."""

REDACTED: Final = "[card]"

WEIGHED: Final = 100
"""Turns from one look at the size of the process to the next."""

MIB: Final = 2**20


class Took(NamedTuple):
    """How long a turn took, and whether nothing was broken meanwhile."""

    agent: str
    seconds: float
    is_calm: bool


@dataclass(slots=True, kw_only=True)
class Talk:
    """A conversation, and what was said in it and acknowledged.

    Attributes:
        said: What the thread and the history are to hold, in order. `facts`: what is to be remembered.
    """

    person: Person
    place: int
    agent: str
    turns: int
    said: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    repeats: int = 0

    @property
    def thread_id(self) -> str:
        return self.person.thread(self.place)

    @property
    def scope(self) -> Scope:
        return Scope(self.person.user, session_id=self.thread_id)

    @property
    def config(self) -> RunnableConfig:
        return {"configurable": {"thread_id": self.thread_id, "user_id": self.person.user}}

    def line(self, number: int) -> str:
        """What the user says in a turn."""
        tag = f"{self.place}n{number}"
        where = f"the parcel {self.person.word}p{tag} is stored in hall {self.person.word}h{tag}"
        match number % EVERY:
            case 0 | 1:
                return f"Remember that {where}."
            case 2:
                return (
                    f"Where is the parcel {self.person.word}p{self.place}n{number - 1} stored, and does {CARD} pay it?"
                )
            case _:
                return f"Deploy {self.person.word}v{tag} to production."


def talks_of(people: Sequence[Person], turns: int) -> list[Talk]:
    """Return two conversations of each user: one with each kind of agent. Who leaves does so halfway."""
    agents = ("create_agent", "create_memory_graph")
    counts = [turns // 2 + 1 if is_leaving(it) else turns for it in people]
    return [
        Talk(person=it, place=place, agent=agent, turns=count)
        for place, agent in enumerate(agents)
        for it, count in zip(people, counts, strict=True)
    ]


def is_leaving(person: Person) -> bool:
    """Whether a user has everything erased in the middle of it all."""
    return int(person.word.strip("wqx")) % LEAVING == 1


# --------------------------------------------------------------------------------------------------------------- turns
def patiently(thing: object, name: str, *args: Any, **kwargs: Any) -> Flow[Any]:
    """Repeat a call in either colour until it is acknowledged; what may not be repeated is a defect."""
    blocking, awaited = (partial(getattr(thing, it), *args, **kwargs) for it in (name, f"a{name}"))
    for _ in range(PATIENCE):
        try:
            return (yield from step(blocking, awaited))
        except StorageError as error:
            assert error.is_retryable, repr(error)  # noqa: PT017  (either end is right)
        yield from step(time.sleep, asyncio.sleep, PAUSE_S)
    msg = f"{name} was not acknowledged"
    raise AssertionError(msg)


def take(world: Stack, storm: Storm, talk: Talk, number: int) -> Flow[Took]:
    """Take a turn, and again as long as memory says that it took no part in it; then write what belongs to it."""
    if number == 0:
        yield from arrive(world.memory, talk)
    text, stamp, began, tries = talk.line(number), storm.stamp, time.perf_counter(), 0
    is_taken, seconds = False, 0.0
    while not is_taken:
        asked = HumanMessage(text, id=f"{talk.thread_id} {number} {tries}")
        report = yield from ask(world, talk, asked)
        seconds = seconds or time.perf_counter() - began
        talk.said += [text, answer_to(text)]
        is_taken = report["queued"] or not report["status"].startswith("degraded")
        yield from keep(world.memory, talk, asked, number)
        tries += 1
        assert tries < PATIENCE, report
    if text.startswith("Remember"):
        talk.facts.append(text.removeprefix("Remember that ").removesuffix(".").capitalize())
    talk.repeats += tries - 1
    return Took(talk.agent, seconds, stamp % 2 == 0 and storm.stamp == stamp)


def ask(world: Stack, talk: Talk, asked: HumanMessage) -> Flow[Mapping[str, Any]]:
    """Do what a caller does who does not know whether a turn was taken: look, and go on with it, or begin it."""
    agent: Any = world.agents[talk.agent]
    given: Any = {"messages": [asked]}
    for _ in range(PATIENCE):
        try:
            state = yield from step(agent.invoke, agent.ainvoke, given, talk.config)
        except StorageError as error:
            assert error.is_retryable, repr(error)  # noqa: PT017  (either end is right)
        else:
            report: Mapping[str, Any] = state["memory"]
            return report
        yield from step(time.sleep, asyncio.sleep, PAUSE_S)
        seen = yield from patiently(agent, "get_state", talk.config)
        is_in = any(it.id == asked.id for it in seen.values.get("messages", []))
        given = None if is_in else {"messages": [asked]}
    msg = f"{asked.id!r} was not answered"
    raise AssertionError(msg)


def keep(memory: AgentMemory, talk: Talk, asked: HumanMessage, number: int) -> Flow[None]:
    """Write the pair to the conversation, the step to the task, and now and then an item and a preference."""
    person, step_name = talk.person, f"step {number}"
    pair = [asked, AIMessage(answer_to(asked.text), id=f"re {asked.id}")]
    yield from patiently(memory.history(talk.scope), "add_messages", pair)
    yield from patiently(
        memory.working, "update", talk.scope, set_results={step_name: person.word}, current_step=step_name
    )
    if number % EVERY == 0:
        yield from patiently(memory.store, "put", person.namespace, f"{talk.place} {number}", {"said": asked.text})
        bag = f"bag {talk.place}", f"{person.word}bag"
        yield from patiently(memory.profiles, "update_preference", *bag, scope=person.scope)
        yield from pry(memory, person)
        yield from patiently(memory.forgetting, "forget_cycle", person.scope)


# ----------------------------------------------------------------------------------------------------------- governance
def arrive(memory: AgentMemory, talk: Talk) -> Flow[None]:
    """Allow to be remembered, and leave something that is to be forgotten soon."""
    scope = talk.person.scope
    yield from patiently(memory.consent, "grant", scope)
    soon = datetime.now(UTC) + timedelta(seconds=SHORT_S)
    given = f"The voucher {talk.person.word}c{talk.place} was given out"
    voucher = Candidate(content=given, kind="outcome", source="explicit", expires_at=soon)
    yield from patiently(memory.long_term, "remember", voucher, scope=scope)


def pry(memory: AgentMemory, person: Person) -> Flow[None]:
    """Be somebody else who wants to see what a user is remembered for, and is refused."""
    with acting_as("a stranger"):
        try:
            yield from patiently(memory.long_term, "recall", "Where is the parcel?", scope=person.scope)
        except GovernanceError as error:
            assert error.rule == "authorize"  # noqa: PT017  (nothing else may refuse it)
            return
    msg = f"a stranger has seen what is known of {person}"
    raise AssertionError(msg)


def leave(memory: AgentMemory, person: Person) -> Flow[None]:
    """Have everything erased, and ask until it is."""
    for _ in range(PATIENCE):
        report = yield from patiently(memory.privacy, "erase", person.scope, reason="asked by letter")
        if report.is_empty and report.status == "erased":
            return
    msg = f"{person} was not erased: {report}"
    raise AssertionError(msg)


# ---------------------------------------------------------------------------------------------------------------- storm
class Storm:
    """Breaks some parts at the same time whenever so many turns were taken; in which way each, goes by turns.

    Attributes:
        stamp: Odd while something is broken; grows with each front and each mending.
        fronts: How often something was broken. `met`: which parts were, together.
        blown: How often each fault was thrown in.
    """

    def __init__(self, world: Stack, where: Addresses, *, every: int, seed: int) -> None:
        self._world, self._where, self._every = world, where, every
        self._chance = random.Random(seed)
        self._worker: Process | None = None
        self._is_over = threading.Event()
        self.turns = Count()
        self.stamp = self.fronts = 0
        self.met: set[frozenset[str]] = set()
        self.blown: Counter[str] = Counter()

    @contextlib.contextmanager
    def raging(self) -> Iterator[None]:
        """Let a worker work and faults happen; at the end everything is whole, and the worker dead."""
        self._begin_worker()
        with ThreadPoolExecutor(1) as pool:
            raging = pool.submit(self._rage)
            try:
                yield
            finally:
                self._is_over.set()
                raging.result()
                self._world.heal()
                self._end_worker()

    def _rage(self) -> None:
        ways = {part: itertools.cycle(blows.items()) for part, blows in self._blows().items()}
        while not self._is_over.wait(0.005):
            if self.turns.value >= (self.fronts + 1) * self._every:
                self.fronts += 1
                self.stamp += 1
                for part in self._drawn(list(ways)):
                    name, blow = next(ways[part])
                    self.blown[f"{part} {name}"] += 1
                    blow()
                self._is_over.wait(FAULT_S * (0.5 + self._chance.random() / 2))
                self._world.heal()
                self.stamp += 1

    def _drawn(self, parts: Sequence[str]) -> list[str]:
        """Draw what is struck at the same time: every combination is as likely as any other."""
        drawn: list[str] = []
        while not drawn:
            drawn = [it for it in parts if self._chance.random() < 0.5]
        self.met.add(frozenset(drawn))
        return drawn

    def _blows(self) -> dict[str, dict[str, Callable[[], object]]]:
        world = self._world
        ledger, store, vectors = world.lines
        return {
            "worker": {"killed": self._replace_worker},  # takes its time, and the others are not to last as long
            "database": {**self._of_line(ledger), "slow": ledger.pause, "sessions ended": self._terminate},
            "redis": {**self._of_line(store), "slow": store.pause},
            "vectors": self._of_line(vectors),
            "repository": {"broken": self._spoil},
            "embedder": {"raises": world.embeddings.break_, "slow": world.embeddings.pause},
            "model": {"raises": partial(world.brain.break_, "raises"), "slow": partial(world.brain.break_, "slow")},
        }

    def _of_line(self, line: Proxy) -> dict[str, Callable[[], object]]:
        return {"breaks": partial(self._break, line), "away": line.refuse}

    def _break(self, line: Proxy) -> None:
        direction = self._chance.choice(("requests", "replies"))
        line.cut_after(**{direction: self._chance.randrange(20_000)})

    def _terminate(self) -> None:
        with psycopg.connect(self._where.sql.replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute(CUT)

    def _spoil(self) -> None:
        """Leave a policy in the repository that a merge could not join."""
        self._world.spoiled.write_text("name: staging-first\n<<<<<<< ours\n=======\n>>>>>>> theirs\n")

    def _begin_worker(self) -> None:
        self._worker = Process(work, self._where)
        self._worker.go()

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.kill()

    def _replace_worker(self) -> None:
        self._end_worker()
        self._begin_worker()


# ---------------------------------------------------------------------------------------------------------------- lanes
@dataclass(slots=True, kw_only=True)
class Outcome:
    """What the turns took, and how large the process was after so many of them: in MiB, and in objects of Python's."""

    took: list[Took] = field(default_factory=list)
    sizes: dict[int, float] = field(default_factory=dict)
    objects: dict[int, int] = field(default_factory=dict)


def converse(world: Stack, storm: Storm, talks: Sequence[Talk], turns: int) -> Outcome:
    """Let every user say what they have to, in eight lanes: four threads, and four tasks of one loop."""
    outcome, lock, open_ = Outcome(), threading.Lock(), Counter(talk.person for talk in talks)
    lanes = [talks[it :: 2 * LANES] for it in range(2 * LANES)]

    def lane(mine: Sequence[Talk]) -> Flow[None]:
        for number, talk in product(range(turns), mine):
            if number < talk.turns:
                outcome.took.append((yield from take(world, storm, talk, number)))
                _weigh(outcome, storm.turns.add())
            if number == talk.turns and is_last(talk.person):
                yield from leave(world.memory, talk.person)

    def is_last(person: Person) -> bool:
        with lock:
            open_[person] -= 1
            return not open_[person]

    async def every_lane() -> None:
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(LANES) as pool:
            called = [loop.run_in_executor(pool, run, lane(mine)) for mine in lanes[:LANES]]
            await asyncio.gather(*called, *(arun(lane(mine)) for mine in lanes[LANES:]))
        await world.memory.aclose()

    with storm.raging():
        asyncio.run(every_lane())
    return outcome


def _weigh(outcome: Outcome, turns: int) -> None:
    if turns % WEIGHED == 0:
        forget_texts()  # sentences that were parsed: some thousands are kept, more than are said here
        gc.collect()
        _give_back()
        outcome.sizes[turns] = psutil.Process().memory_info().rss / MIB
        outcome.objects[turns] = len(gc.get_objects()) - len(outcome.took)


def _give_back() -> None:
    """Have the C library give back what is free: it keeps what threads have freed, and that is none of ours."""
    with contextlib.suppress(OSError, AttributeError):  # glibc has it
        ctypes.CDLL(None).malloc_trim(0)
