"""One memory, whichever kind of agent has it: a memory graph and `create_agent` with the middleware do the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langgraph.types import Command, interrupt

from langchain_agentmem import AgentMemory, GraphOptions, MiddlewareOptions, Skill
from langchain_agentmem._flow import flows_of, run
from langchain_agentmem.errors import StorageError
from langchain_agentmem.nodes import AgentOptions
from langchain_agentmem.types.fitting import tokens_of
from tests.conftest import Call
from tests.ledgers import START
from tests.unit_tests.faces.conftest import ALICE, World, contents, remember
from tests.unit_tests.faces.either import USER, Made, Make, agent_of
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import ScriptedModel, told_in
from tests.unit_tests.faces.scripted import call as called
from tests.unit_tests.middleware.test_together import is_valid

PYTHON: Final = "Alice prefers Python for backend services"
ASKED: Final = "Which language do I prefer for backend services? Please ship the new version of the service."
KINDS: Final = ("graph", "agent")


@tool
def release(target: str) -> str:
    """Release, if somebody agrees."""
    return f"released to {target}: {interrupt('Release?')}"


def fill(memory: AgentMemory) -> None:
    """Put something into every layer."""
    remember(memory, PYTHON)
    remember(memory, "Alice's service runs in Oslo", kind="fact")
    remember(memory, "Never deploy on Fridays", kind="constraint")
    memory.profiles.set("name", "Alice", scope=ALICE)
    memory.goals.add("Alice wants to ship version 2", scope=ALICE, steps=["test it", "ship it"])
    skill: dict[str, Any] = {
        "name": "release",
        "description": "Release a service",
        "when_to_use": "The user asks to ship a new version of a service",
        "steps": [{"instruction": "Run the smoke tests"}],
    }
    memory.procedural.save(Skill(**skill))


def visits(memory: AgentMemory) -> None:
    """Remember more than has room."""
    for number in range(60):
        remember(memory, f"Alice visited museum{number} in town{number} with friend{number}", kind="fact")


def standing(made: Made) -> list[Any]:
    """The system message of each request, block by block."""
    return [request[0].content for request in made.model.requests]


def broken(*_args: object, **_kwargs: object) -> Any:  # noqa: ANN401
    """Fail as with a database that is gone."""
    msg = "the database is gone; start it"
    raise StorageError(msg)


class Killed(BaseException):
    """The end of a process, as far as a test can be its own."""


def dies(*_args: object) -> Any:  # noqa: ANN401  (never returns)
    raise Killed


def twin(folder: Path, kind: str) -> AgentMemory:
    """Return a memory that is the same in every test: its clock stands, and its ids are numbers."""
    numbers = count(1)
    return AgentMemory.in_memory(
        embeddings=None,
        consent="assumed",
        clock=lambda: START,
        new_id=lambda: f"m{next(numbers):04}",
        procedural={"path": folder / kind, "create": True},
    )


@pytest.fixture
def twins(tmp_path: Path) -> Iterator[dict[str, AgentMemory]]:
    """Two memories with the same in them: one for each kind of agent."""
    made = {kind: twin(tmp_path, kind) for kind in KINDS}
    for mine in made.values():
        fill(mine)
    yield made
    for mine in made.values():
        mine.close()


def log_of(memory: AgentMemory) -> list[Any]:
    """All that happened, but for the ids that LangGraph gives to messages."""
    events = run(memory._parts[0].ledger.read(ALICE, lambda reader: reader.events()))
    return [(it.type, it.memory_id, (it.payload or {}).get("note")) for it in events]


# -------------------------------------------------------------------------------------------------------- what is told
async def test_both_tell_the_model_the_same(twins: dict[str, AgentMemory], world: World, call: Call) -> None:
    """Every request of a turn with tools is the same, block by block and message by message."""
    asked = {}
    for kind, mine in twins.items():
        model = ScriptedModel(
            script=["Hi.", called("deploy", "1", target="eu"), called("deploy", "2", target="eu"), "So."]
        )
        graph = agent_of(kind, mine, model, world.deploy)
        for number, text in enumerate(("Hello!", ASKED)):
            await call(graph, "invoke", {"messages": [HumanMessage(text, id=f"h{number}")]}, USER)
        asked[kind] = [[(it.type, it.content) for it in request] for request in model.requests]
    assert asked["graph"] == asked["agent"]
    assert all(it in repr(asked) for it in (PYTHON, "<profile>", "<goal>", "Never deploy", "<skill", "smoke tests"))


async def test_what_seldom_changes_is_the_same_bytes(memory: AgentMemory, make: Make) -> None:
    """From call to call, from turn to turn, and after an interrupt; what is asked for stands behind it."""
    fill(memory)
    made = make(["Hi.", called("release", target="eu"), "Done.", "Bye."], release, unguarded=["release"])
    await made.say("Hello!")
    await made.say(ASKED)
    await made.run(Command(resume="yes"))
    await made.say("Thanks!")
    first, *others = standing(made)
    assert all(it in repr(first) for it in (PYTHON, "<profile>", "<goal>", "Never deploy"))
    assert others == [first] * 3
    assert all("runs in Oslo" in told_in(request[1:]) for request in made.model.requests[1:3])


async def test_every_request_is_valid(memory: AgentMemory, world: World, make: Make) -> None:
    """The note is right before the user's last message, and no call is parted from its answer."""
    fill(memory)
    script = [called("deploy", "1", target="eu"), called("release", "2", target="eu"), "Done.", "Python."]
    made = make(script, world.deploy, release, unguarded=["deploy", "release"])
    await made.say(ASKED)
    await made.run(Command(resume="yes"))
    await made.say(ASKED)
    types = [[it.type for it in request] for request in made.model.requests]
    turn = ["system", "human", "human", "ai", "tool", "ai", "tool"]
    assert types[:3] == [turn[:3], turn[:5], turn]
    assert types[3] == ["system", *turn[2:], "ai", "human", "human"]
    assert all(map(is_valid, made.model.requests))


async def test_a_message_of_the_application_stands_first(memory: AgentMemory, make: Make) -> None:
    """What comes with the conversation is kept, beside what memory says, and before what the user says."""
    fill(memory)
    made = make(["Ahoy."])
    await made.run({"messages": [("system", "Speak like a pirate."), ("user", "Hello!")]})
    types = [it.type for it in made.model.requests[0]]
    assert ("Speak like a pirate." in made.told, types[-1], {*types[:-1]}) == (True, "human", {"system"})


async def test_the_budget_holds_and_what_was_cut_is_named(memory: AgentMemory, make: Make) -> None:
    """Skills that do not fit, sections of profile and goal, memories that several questions found."""
    fill(memory)
    visits(memory)
    steps = [{"instruction": f"Do what stands in chapter {number} of the book"} for number in range(30)]
    long = {
        "description": "Ask for a friend",
        "when_to_use": "The user asks who friend7, friend8, friend9, friend10, friend17 or friend18 is",
    }
    memory.procedural.save(Skill.model_validate({"name": "long", "steps": steps, **long}))
    for number in range(40):
        memory.profiles.update_preference(f"tool{number}", f"the one with the number {number}", scope=ALICE)
    memory.goals.add("Alice wants to ship version 3", scope=ALICE, steps=[f"step {n} of many" for n in range(60)])
    asked = [f"Who is {' or '.join(f'friend{n}' for n in numbers)}?" for numbers in (range(7, 12), range(17, 22))]
    made = make(["So."], max_tokens=500)
    state = await made.say(" ".join(asked))
    cut = state["memory"]["cut"]
    assert (cut["skills"], cut["profile"], cut["goal"]) == (["long@1"], ["preferences", "facts"], ["left"])
    recalled = {it["id"] for it in state["memory"]["recalled"] if "profile" not in it["parts"]}
    assert (bool(cut["memories"]), recalled & {*cut["memories"]}) == (True, set())
    system: Any = made.model.requests[-1][0].content
    note = made.model.requests[-1][1].text
    assert tokens_of(system[1]["text"] + system[2]["text"] + note) <= 500 + 125 + 100  # the profile's own, and leads


async def test_what_is_remembered_of_somebody_keeps_to_the_budget(memory: AgentMemory, make: Make) -> None:
    """Also where all of it is asked for."""
    visits(memory)
    made = make(["So."], max_tokens=500, profile=False)
    state = await made.say("What do you remember about me?")
    shown = len(state["memory"]["recalled"])
    assert (shown + len(state["memory"]["cut"]["memories"]), 0 < shown < 20) == (60, True)


async def test_layers_may_be_left_out(memory: AgentMemory, make: Make) -> None:
    """By the same options."""
    fill(memory)
    made = make(["So."], profile=False, goal=False, skills=0)
    await made.say(ASKED)
    assert not [it for it in ("<profile>\n", "<goal>", "<skill") if it in made.told]


# ----------------------------------------------------------------------------------------------------- what is written
@pytest.mark.parametrize("writes", ["background", "inline"])
async def test_both_write_the_same(twins: dict[str, AgentMemory], world: World, call: Call, writes: Any) -> None:  # noqa: ANN401
    """The same events, with the same reasons, in the same order."""
    logs = {}
    for kind, mine in twins.items():
        script: list[Any] = [
            called("deploy", target="eu"),
            called("deploy", "2", target="eu"),
            "Deployed.",
            "So.",
            "Gone.",
        ]
        graph = agent_of(kind, mine, ScriptedModel(script=script), world.deploy, writes=writes)
        for number, text in enumerate(
            ("I live in Oslo. Deploy to eu.", "Actually, I moved to Berlin.", "Forget that I prefer Python.")
        ):
            await call(graph, "invoke", {"messages": [HumanMessage(text, id=f"h{number}")]}, USER)
        mine.jobs.run()
        logs[kind] = log_of(mine)
    assert logs["graph"] == logs["agent"]
    assert {"superseded", "forgotten"} <= {it[0] for it in logs["graph"]}


async def test_by_default_what_follows_waits_and_survives_the_process(tmp_path: Path, call: Call) -> None:
    """The turn is in the database when the run ends; whoever opens that writes it."""
    for kind in KINDS:
        place = tmp_path / f"{kind}.db"
        with AgentMemory.embedded(place, embeddings=None, consent="assumed") as memory:
            graph = agent_of(kind, memory, ScriptedModel(script=["Noted."]))
            state = await call(graph, "invoke", {"messages": [("user", "I live in Oslo.")]}, USER)
            assert (state["memory"]["queued"], contents(memory)) == (True, [])
        with AgentMemory.embedded(place, embeddings=None, consent="assumed") as memory:
            assert memory.jobs.run().done >= 1
            assert contents(memory) == ["The user lives in Oslo"]


@pytest.mark.parametrize("reads", [True, False])
async def test_a_turn_reads_what_the_one_before_told(make: Make, reads: bool) -> None:  # noqa: FBT001  (a case)
    """Nobody runs jobs: the next turn does, unless it is told not to."""
    made = make(["Noted.", "In Oslo."], writes="background", read_your_writes=reads)
    await made.say("I live in Oslo.", thread_id="monday")
    await made.say("Where do I live?", thread_id="tuesday")
    assert ("lives in Oslo" in made.told) is reads


async def test_a_run_that_died_after_the_answer_goes_on_with_what_follows(
    memory: AgentMemory, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turn was not queued: going on queues it, and asks no model again."""
    made = make(["Noted."], writes="background")
    with monkeypatch.context() as patch:
        patch.setattr(flows_of(memory.turns), "put", dies)
        with pytest.raises(Killed):
            await made.say("I live in Oslo.")
    state = await made.run(None)
    assert (state["memory"]["queued"], len(made.model.requests)) == (True, 1)
    memory.jobs.run()
    assert contents(memory) == ["The user lives in Oslo"]


@pytest.mark.parametrize("writes", ["background", "inline"])
async def test_what_is_to_be_forgotten_never_waits(memory: AgentMemory, make: Make, writes: str) -> None:
    """It is gone when the run ends, with what still waited."""
    remember(memory, "Alice likes sushi")
    made = make(["Noted.", "Forgotten."], writes=writes, read_your_writes=False)
    await made.say("I like sushi.", user_name="Alice")
    state = await made.say("Please forget that I like sushi.", user_name="Alice")
    assert {it["kind"] for it in state["memory"]["forgotten"]} == {"preference", "episode"}
    memory.jobs.run()
    assert contents(memory) == []


@pytest.mark.parametrize("failing", ["remember", "learn", "get_each", "forget_part"])
async def test_what_fails_waits_and_is_done_once(
    memory: AgentMemory, world: World, make: Make, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """The status says that it failed; that part is a job, and no other part is done again."""
    remember(memory, "Alice likes sushi")
    guide = remember(memory, "Deploy to eu before us", kind="constraint")
    said = "I live in Oslo. Please forget that I like sushi. Deploy to eu."
    made = make([called("deploy", target="eu before us"), "Done.", "So."], world.deploy)
    with monkeypatch.context() as patch:
        patch.setattr(flows_of(memory.long_term), failing, broken)
        state = await made.say(said)
    assert (state["memory"]["status"][:8], state["memory"]["queued"]) == ("degraded", True)
    assert len(state["memory"]["left"]) == 1
    memory.jobs.run()
    kept = memory.long_term.list(scope=ALICE)
    assert not [it for it in kept if "sushi" in it.content]
    assert [it.sightings for it in kept if it.kind == "outcome"] == [1]
    assert next(it.confidence for it in kept if it.id == guide.id) == pytest.approx(guide.confidence + 0.1)
    assert not memory.jobs.list(scope=ALICE, status="failed")


async def test_what_neither_is_written_nor_waits_is_raised_where_that_is_wanted(
    memory: AgentMemory, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits is not lost, and is no error."""
    made = make(["Noted.", "Noted."], raise_on_error=True)
    monkeypatch.setattr(flows_of(memory.long_term), "remember", broken)
    state = await made.say("I live in Oslo.")
    assert state["memory"]["queued"]
    monkeypatch.setattr(flows_of(memory.turns), "put", broken)
    with pytest.raises(StorageError):
        await made.say("I live in Oslo.", thread_id="other")


# ---------------------------------------------------------------------------------------------- who, and in which mode
@pytest.mark.parametrize("failing", ["recall", "get", "resume", "find", "settle"])
async def test_both_say_the_same_of_what_failed(
    twins: dict[str, AgentMemory], call: Call, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """The status of the report, and what the model is told of it."""
    told = {}
    for kind, mine in twins.items():
        for part in (flows_of(mine.long_term), mine.procedural, flows_of(mine.jobs)):
            for name in (failing, f"a{failing}"):
                if hasattr(part, name):
                    monkeypatch.setattr(part, name, broken)
        for owner in ("profiles.flows.ProfileFlows.get", "profiles.goal_flows.GoalFlows.resume"):
            if owner.endswith(failing):
                monkeypatch.setattr(f"langchain_agentmem.{owner}", broken)
        model = ScriptedModel(script=["So."])
        graph = agent_of(kind, mine, model)
        state = await call(graph, "invoke", {"messages": [HumanMessage(ASKED, id="h")]}, USER)
        told[kind] = (state["memory"]["status"], told_in(model.requests[0]), state["messages"][-1].text)
    assert told["graph"] == told["agent"]
    assert told["graph"][0].startswith("degraded")


@pytest.mark.parametrize("mode", ["frozen", "off"])
async def test_both_keep_to_the_mode(memory: AgentMemory, make: Make, mode: Any) -> None:  # noqa: ANN401
    """Of the options, and of the run; nothing waits either."""
    fill(memory)
    before = contents(memory)
    for options, turn in (({"mode": mode}, {}), ({}, {"memory_mode": mode})):
        made = make(["Python."], writes="background", **options)
        state = await made.say(f"I live in Oslo. {ASKED}", **turn)
        assert (state["memory"]["status"], state["memory"]["queued"]) == (mode, False)
        assert (PYTHON in made.told) is (mode == "frozen")
    memory.jobs.run()
    assert contents(memory) == before


async def test_a_visitor_leaves_nothing(memory: AgentMemory, make: Make) -> None:
    """Nobody's memory is read, and none is written."""
    fill(memory)
    made = make(["Welcome."], writes="background")
    state = await made.run({"messages": [("user", "I live in Oslo.")]}, user_id=None)
    assert (state["memory"]["status"], state["memory"]["queued"]) == ("anonymous", False)
    assert "Alice" not in made.told


async def test_agents_share_memory_or_keep_their_own(memory: AgentMemory, make: Make) -> None:
    """What an agent with an id is told is its own, also behind the answer; what is shared it reads."""
    remember(memory, "Alice lives in Oslo", kind="fact")
    planner, other = (make(["Noted.", "So."], writes="background", agent_id=it) for it in ("planner", "builder"))
    await planner.say("I prefer Python for backend services.", user_name="Alice")
    for made, knows in ((planner, True), (other, False)):
        await made.say("Which language do I prefer for backend services, and where do I live?", thread_id="new")
        assert ("Alice prefers Python" in made.told, "lives in Oslo" in made.told) == (knows, True)


def test_both_have_the_same_options() -> None:
    """Under the same names, with the same defaults; of its own a graph has five, and the middleware one."""
    graph, agent = ({it.name: it for it in fields(kind)} for kind in (GraphOptions, MiddlewareOptions))
    shared = {it.name for it in fields(AgentOptions)}
    own = {"max_rounds", "context_schema", "store", "name", "approvals"}  # an agent has `ApprovalMiddleware` for that
    assert (set(graph) - shared, set(agent) - shared) == (own, {"tools"})
    defaults = (GraphOptions(), MiddlewareOptions())
    assert all(getattr(defaults[0], name) == getattr(defaults[1], name) for name in shared)
