"""Everything memory rests on, down or slow, alone and together: the agent answers, and nothing is half written."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import timedelta
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any, Final, Never

import pytest
from sqlalchemy import update

from langchain_agentmem import AgentMemory, ConfigurationError, Scope, SQLSaver, StorageError, create_memory_graph
from langchain_agentmem._flow import Flow, run
from langchain_agentmem._search import Proposal, SearchQuery
from langchain_agentmem.ledger.sql.jobs import LEASE_S
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.middleware import MemoryMiddleware
from langchain_agentmem.nodes.telling import NOTES
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sessions.sql import SQLSessions
from langchain_agentmem.sql.schema import JOBS
from langchain_agentmem.states.sql import SQLStates
from langchain_agentmem.working.service import WorkingMemory
from tests.conftest import Colour
from tests.contracts.degradation_contract import (
    WITH_REPORT,
    DegradationContract,
    bare,
    check_next,
    check_told,
    check_whole,
    is_told,
)
from tests.degraded import LAYERS, Who, World
from tests.faulty import (
    ANSWER,
    NEVER_S,
    SLOW_S,
    AnsweringModel,
    FaultyDatabase,
    FaultyEmbeddings,
    FaultyModel,
    Switch,
    impatient,
)
from tests.ledgers import START
from tests.unit_tests.index.view_index import ViewIndex

FAULTS: Final = (
    "nothing",
    "ledger down",
    "ledger slow",
    "ledger read-only",
    "ledger dies at once",
    "ledger dies soon",
    "ledger dies late",
    "store down",
    "store slow",
    "store dies at once",
    "embeddings raise",
    "embeddings slow",
    "embeddings of another size",
    "brain raises",
    "brain slow",
    "policies unreadable",
)


def make_world(folder: Path, colour: Colour, **more: Any) -> World:
    """One SQLite file through two objects: what is long-term, and what is not, fail apart."""
    url = f"sqlite:///{folder / 'agent.db'}"
    ledger, store = FaultyDatabase(url), FaultyDatabase(url)
    embeddings, brain = FaultyEmbeddings(), Switch()
    options = MemoryOptions(consent="assumed", model=FaultyModel(switch=brain), embedding_timeout_s=NEVER_S, **more)
    memory = AgentMemory(ledger, embeddings=embeddings, options=options)
    memory.__dict__["sessions"] = SQLSessions(store)
    memory.__dict__["checkpointer"] = SQLSaver(store)
    memory.__dict__["working"] = WorkingMemory(SQLStates(store), long_term=memory.long_term)
    library: Any = memory.procedural._library
    embedder: Any = memory._embedder

    def slow() -> None:
        embeddings.break_("slow")
        embedder._embeddings._timeout_s = SLOW_S  # in its own turn only: a machine under load is slow, too

    def unreadable() -> Never:
        msg = "no such folder: my secret"
        raise OSError(msg)

    break_ = {
        "nothing": lambda: None,
        "ledger down": lambda: ledger.break_("down"),
        "ledger slow": lambda: ledger.break_("slow"),
        "ledger read-only": lambda: ledger.break_("read-only"),
        "ledger dies at once": lambda: ledger.break_("dies", 1),
        "ledger dies soon": lambda: ledger.break_("dies", 4),
        "ledger dies late": lambda: ledger.break_("dies", 8),
        "store down": lambda: store.break_("down"),
        "store slow": lambda: store.break_("slow"),
        "store dies at once": lambda: store.break_("dies", 1),
        "embeddings raise": lambda: embeddings.break_("raises"),
        "embeddings slow": slow,
        "embeddings of another size": lambda: embeddings.break_("another size"),
        "brain raises": lambda: brain.break_("raises"),
        "brain slow": lambda: brain.break_("slow"),
        "policies unreadable": lambda: library.__dict__.update(current=unreadable),
    }

    def heal() -> None:
        ledger.fault = store.fault = None
        library.__dict__.pop("current", None)
        embedder._embeddings._timeout_s = NEVER_S

    return World(memory=memory, colour=colour, break_=break_, heal_=heal, embeddings=embeddings, brain=brain)


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Colour, World]]:
    """One for each colour; every test is of a user of its own."""
    with ExitStack() as stack:
        stack.enter_context(impatient())
        made: dict[Colour, World] = {}
        for colour in ("sync", "async"):
            made[colour] = make_world(tmp_path_factory.mktemp(colour), colour)
            stack.callback(made[colour].memory.close)
        yield made


@pytest.fixture
def world(worlds: dict[Colour, World], colour: Colour) -> Iterator[World]:
    world = worlds[colour]
    yield world
    world.heal()


class TestDegradation(DegradationContract):
    @pytest.fixture(params=FAULTS)
    def fault(self, request: pytest.FixtureRequest) -> str:
        fault: str = request.param
        return fault


# ---------------------------------------------------------------------------------------------------------------- pairs
NOBODY, NOWHERE, BARE = "no user", "no thread", "bare messages"
FACTORS: Final = (
    LAYERS,
    ("ledger: well", *(it for it in FAULTS if it.startswith("ledger"))),
    ("store: well", "store down", "store slow", "store dies at once"),
    ("embeddings: well", "embeddings raise", "embeddings slow", "embeddings of another size"),
    ("brain: well", "brain raises", "brain slow"),
    ("policies: well", "policies unreadable"),
    ("named", NOBODY, NOWHERE, BARE),
)


def covering() -> list[tuple[str, ...]]:
    """Return combinations in which every two values of different factors meet; the same ones in every run."""
    chance = random.Random(5)
    left = {pair for one, other in combinations(FACTORS, 2) for pair in product(one, other)}
    rows: list[tuple[str, ...]] = []
    while left:
        drawn = [tuple(chance.choice(values) for values in FACTORS) for _ in range(60)]
        best = max(drawn, key=lambda row: len(left.intersection(combinations(row, 2))))
        left.difference_update(combinations(best, 2))
        rows.append(best)
    return rows


@pytest.mark.parametrize(("number", "row"), list(enumerate(covering())))
async def test_any_two_troubles_at_once_cost_no_answer(world: World, number: int, row: tuple[str, ...]) -> None:
    """Every pair of a layer, a fault of each part, and a run that names nobody, no thread, or gives bare messages."""
    layer, *faults, how = row
    faults = [fault for fault in faults if "well" not in fault]
    who = Who(None if how == NOBODY else f"pair {number}", None if how == NOWHERE else f"thread {number}")
    if who.user is not None:
        world.memory.long_term.remember(f"{who.user} lives in Oslo", scope=who.scope)
    for fault in faults:
        world.break_[fault]()
    said = f"I prefer tea {number}00."
    told = await world.take(layer, who, bare(said) if how == BARE else said)
    world.heal()
    is_certain = how in {"named", BARE} or (how == NOWHERE and layer in WITH_REPORT)
    due = [is_told(layer, fault) for fault in faults]
    check_told(told, is_degraded=True in due if is_certain and None not in due else None)
    if how in {"named", BARE}:
        await check_next(world, layer, who)
    check_whole(world, who)


# ---------------------------------------------------------------------------------------------------------- real faults
@pytest.fixture
def life(tmp_path: Path, colour: Colour) -> Iterator[World]:
    """A world of a test's own, whose file may be harmed."""
    with impatient():
        world = make_world(tmp_path, colour)
        yield world
        world.heal()
        world.memory.close()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a SQLite file, as another process would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@pytest.mark.parametrize("layer", LAYERS)
async def test_a_file_that_somebody_else_locks_costs_no_answer(life: World, tmp_path: Path, layer: str) -> None:
    """A writer waits for no longer than `busy_timeout_s`; when the lock is free again, all is as before."""
    who = Who("alice", "today")
    life.memory.long_term.remember("alice lives in Oslo", scope=who.scope)
    with locked(tmp_path / "agent.db"):
        told = await life.take(layer, who, "I prefer tea.")
    check_told(told, is_degraded=layer != "chain")
    await check_next(life, layer, who)
    check_whole(life, who)


@pytest.mark.parametrize("layer", [it for it in LAYERS if it != "working"])
async def test_a_memory_that_was_never_there_costs_no_answer(tmp_path: Path, colour: Colour, layer: str) -> None:
    """Its folder is missing from the beginning; when it comes, memory works."""
    folder = tmp_path / "later"
    folder.mkdir()
    with impatient():
        world = make_world(folder, colour)
        folder.rmdir()
        check_told(await world.take(layer, Who("alice", "today"), "I prefer tea."), is_degraded=layer != "chain")
        folder.mkdir()
        check_told(await world.take(layer, Who("alice", "today"), "I prefer tea."), is_degraded=False)
        world.memory.close()


@pytest.mark.parametrize("make", [partial(create_memory_graph, AnsweringModel(), []), MemoryMiddleware])
@pytest.mark.parametrize("nothing", [None, object()])
def test_no_memory_at_all_is_a_mistake_of_whoever_builds(make: Callable[[Any], object], nothing: object) -> None:
    """It is told before any turn, with what to pass; an agent without memory needs no memory graph."""
    with pytest.raises(ConfigurationError, match="AgentMemory"):
        make(nothing)


# ------------------------------------------------------------------------------------------------- policies and threads
async def test_a_tool_does_not_run_while_policies_cannot_be_read(life: World) -> None:
    """What may forbid must not be missing unnoticed: the model is told why, and the state says what was missing."""
    life.break_["policies unreadable"]()
    told = await life.take("graph", Who("alice", "today"), "Deploy it.")
    assert "the policies cannot be read" in told.status
    assert "Not run: the policies cannot be read" in life.shown()
    assert told.report["outcomes"] == []


async def test_a_repository_that_is_missing_is_told_and_stops_tools_only(tmp_path: Path, colour: Colour) -> None:
    """The agent answers, remembers, and its tools wait for the repository."""
    options = MemoryOptions(consent="assumed", procedural=str(tmp_path / "nowhere"))
    with AgentMemory(FaultyDatabase("sqlite://"), embeddings=None, options=options) as memory:
        world = World(memory=memory, colour=colour, break_={}, heal_=lambda: None)
        told = await world.take("graph", Who("alice", "today"), "I prefer tea.")
        check_told(told, is_degraded=True)
        assert [kept["kind"] for kept in told.report["written"]] == ["preference"]


@pytest.mark.parametrize("layer", ["graph", "middleware", "assembly"])
async def test_a_job_of_the_index_that_cannot_be_read_hides_no_memory(
    tmp_path: Path, colour: Colour, layer: str
) -> None:
    """What the index lacks is unknown: the model is shown what the ledger has, and the state says so."""
    spoilt = update(JOBS).where(JOBS.c.kind == "index").values(payload="{", status="failed")
    index, who = ViewIndex(), Who("alice", "today")
    database = FaultyDatabase(f"sqlite:///{tmp_path / 'agent.db'}")
    options = MemoryOptions(consent="assumed", index_above=0)
    with AgentMemory(database, embeddings=FaultyEmbeddings(), index=index, options=options) as memory:
        memory.long_term.remember("alice lives in Oslo", scope=who.scope)
        run(SQLModels(database, options.clock).queue_all("index"))
        run(database.write(lambda connection: connection.execute(spoilt).rowcount))
        world = World(memory=memory, colour=colour, break_={}, heal_=lambda: None)
        check_told(await world.take(layer, who, "Where does alice live?"), is_degraded=True)
        assert "Oslo" in (shown := world.shown())
        assert NOTES["degraded"] not in shown
        assert len(memory.jobs.list(status="failed", scope=who.scope)) == 1


class AwayIndex(ViewIndex):
    """A vector store that took what it was brought, and is away since."""

    def search(self, scope: Scope, query: SearchQuery) -> Flow[list[Proposal]]:
        raise ConnectionError


@pytest.mark.parametrize("layer", ["graph", "middleware", "assembly"])
async def test_an_index_that_is_away_hides_no_memory(colour: Colour, layer: str) -> None:
    """The model is shown what the ledger has, and the state says so."""
    who, options = Who("alice", "today"), MemoryOptions(consent="assumed", index_above=0)
    database = FaultyDatabase("sqlite://")
    with AgentMemory(database, embeddings=FaultyEmbeddings(), index=AwayIndex(), options=options) as memory:
        memory.long_term.remember("alice lives in Oslo", scope=who.scope)
        world = World(memory=memory, colour=colour, break_={}, heal_=lambda: None)
        check_told(await world.take(layer, who, "Where does alice live?"), is_degraded=True)
        assert "Oslo" in world.shown()


async def test_a_checkpointer_that_is_down_has_a_graph_without_one_to_fall_back_on(life: World) -> None:
    """LangGraph does not go on without its checkpointer; LangChain's fallbacks do, and the thread stays as it was."""
    memory, config = life.memory, Who("alice", "today").config
    plain: Any = create_memory_graph(AnsweringModel(), memory=memory)
    kept: Any = create_memory_graph(AnsweringModel(), memory=memory, checkpointer=memory.checkpointer)
    graph: Any = kept.with_fallbacks([plain], exceptions_to_handle=(StorageError,))
    said = {"messages": [("user", "I prefer tea.")]}
    await life._call(graph, "invoke", said, config)
    before = kept.get_state(config).values["messages"]
    life.break_["ledger down"]()
    life.break_["store down"]()
    state = await life._call(graph, "invoke", said, config)
    life.heal()
    assert (state["messages"][-1].text, state["memory"]["status"][:9]) == (ANSWER, "degraded:")
    assert kept.get_state(config).values["messages"] == before
    await life._call(graph, "invoke", said, config)
    assert len(kept.get_state(config).values["messages"]) == 2 * len(before)


@pytest.mark.parametrize("layer", LAYERS)
async def test_a_turn_waits_eight_times_at_most(life: World, layer: str) -> None:
    """With a call of a tool: each part of a turn finds out by itself, and none tries twice."""
    ledger: Any = life.memory._database
    life.break_["ledger down"]()
    await life.take(layer, Who("alice", "today"), "I prefer tea over coffee.")
    assert ledger.failures <= 8


def waits(caplog: pytest.LogCaptureFixture, name: str) -> int:
    """Return how often something was waited for in vain."""
    told = [record.getMessage() for record in caplog.records]
    return len([it for it in told if it.startswith("no answer from") and name in it])


STILL: Final = {"file locked": "agent.db", "embeddings slow": "FaultyEmbeddings", "brain slow": "FaultyModel"}


@pytest.mark.parametrize("fault", STILL)
@pytest.mark.parametrize("layer", LAYERS)
async def test_a_turn_waits_once_for_what_does_not_answer(
    life: World, tmp_path: Path, caplog: pytest.LogCaptureFixture, layer: str, fault: str
) -> None:
    """All of its other parts, which ask the same thing, are told at once; and so is the turn that follows."""
    who = Who("alice", "today")
    life.memory.long_term.remember("alice lives in Oslo", scope=who.scope)
    with ExitStack() as stack:
        if fault == "file locked":
            states: Any = life.memory.working._flows._states
            states.database._breaker = life.memory._database._breaker  # it is one file
            stack.enter_context(locked(tmp_path / "agent.db"))
        else:
            life.break_[fault]()
        for said in ("I prefer tea over coffee.", "Where do I live, and which drink do I prefer?"):
            check_told(await life.take(layer, who, said), is_degraded=None)
    life.heal()  # what still waits for an answer keeps the loop from its end
    assert waits(caplog, STILL[fault]) <= 1


# --------------------------------------------------------------------------------------------------------- later again
def kinds(memory: AgentMemory) -> list[str]:
    return [it.kind for it in memory.long_term.list(scope=Scope("alice")) if it.kind != "outcome"]


@pytest.mark.parametrize("fault", ["embeddings raise", "embeddings slow", "brain raises", "brain slow", "store down"])
async def test_a_queued_turn_is_written_when_all_is_well_again(life: World, fault: str) -> None:
    """What the turn left waits as a job, whatever was down meanwhile."""
    life.break_[fault]()
    await life.take("queueing", Who("alice", "today"), "I prefer tea over coffee.")
    life.heal()
    life.memory.jobs.run()
    assert kinds(life.memory) == ["preference"]


async def test_a_job_that_was_begun_when_the_database_went_is_done_once(tmp_path: Path, colour: Colour) -> None:
    """Its lease ends, another process or turn takes it again, and nothing of it is there twice."""
    now = [START]
    with impatient():
        world = make_world(tmp_path, colour, clock=lambda: now[0])
        await world.take("queueing", Who("alice", "today"), "I prefer tea over coffee.")
        world.break_["ledger dies soon"]()
        told = await world.take("queueing", Who("alice", "today"), "Which drink do I prefer?")
        world.heal()
        check_told(told, is_degraded=True)
        world.memory.jobs.run()
        assert kinds(world.memory) == []
        now[0] += timedelta(seconds=2 * LEASE_S)
        check_whole(world, Who("alice", None))
        assert kinds(world.memory) == ["preference"]
        world.memory.close()
