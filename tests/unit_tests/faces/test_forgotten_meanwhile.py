"""What was asked to be forgotten while a turn was open, or waited, is not learned when it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage
from langgraph.types import Command

from langchain_agentmem import AgentMemory, Candidate, Outcome, Scope
from langchain_agentmem._flow import flows_of, run
from langchain_agentmem.policies.forgotten import KEPT_FOR
from langchain_agentmem.sql.schema import EVENTS, REQUESTS
from tests.conftest import Call
from tests.contracts.forgotten_contract import FACT, OSLO, RULE, ForgottenContract, broken, contents, release
from tests.contracts.long_term_contract import Clock
from tests.ledgers import ALICE, dump
from tests.unit_tests.cli.commands import run as command
from tests.unit_tests.faces.either import Made, Make, agent_of
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import ScriptedModel
from tests.unit_tests.faces.scripted import call as called

TALK = Scope("alice", session_id="t")
TEA = "The user prefers tea"


class TestForgotten(ForgottenContract):
    """The whole contract, on SQLite."""

    @pytest.fixture
    def sql_url(self, path: Path) -> str:
        return f"sqlite:///{path}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(path: Path, clock: Clock) -> Iterator[AgentMemory]:
    with AgentMemory.embedded(path, embeddings=None, consent="assumed", clock=clock) as memory:
        yield memory


def fact(memory: AgentMemory) -> str:
    """Put in place what is to be forgotten."""
    return memory.long_term.remember(FACT, scope=ALICE).require().id


def of_command(*options: str) -> Callable[[AgentMemory], object]:
    """Ask by the command line, which another process may be."""

    def ask(memory: AgentMemory) -> object:
        url = memory._database.url.database
        return command("forget", url, "--user", "alice", "--yes", *options)

    return ask


def withdraw(memory: AgentMemory) -> object:
    """Take back consent, and give it again."""
    memory.consent.withdraw(ALICE)
    return memory.consent.grant(ALICE)


WAYS: dict[str, Callable[[AgentMemory], object]] = {
    "forget": lambda memory: memory.long_term.forget(fact(memory), scope=ALICE),
    "forget again": lambda memory: [memory.long_term.forget(it, scope=ALICE) for it in [fact(memory)] * 2],
    "erase": lambda memory: memory.long_term.erase(fact(memory), scope=ALICE),
    "erase a name": lambda memory: memory.long_term.erase(
        memory.long_term.remember(Candidate(content="Alice lives in Oslo", subject="Alice"), scope=ALICE).require().id,
        scope=ALICE,
    ),
    "clear": lambda memory: memory.episodes.clear(scope=ALICE),
    "clear the conversation": lambda memory: memory.episodes.clear(scope=TALK),
    "withdraw": withdraw,
    "command": of_command("--about", "Oslo"),
    "command for all": of_command("--all"),
}


@pytest.mark.parametrize("way", WAYS)
async def test_however_it_was_asked(memory: AgentMemory, call: Call, way: str) -> None:
    """By a call, by the command line, for one or for all; what is said later in the turn's place is learned."""
    kind = ("graph", "agent")[[*WAYS].index(way) % 2]
    model = ScriptedModel(script=[called("release"), "Released.", "Noted."])
    made = Made(agent_of(kind, memory, model, release, writes="inline"), model, call)
    await made.say(OSLO)
    WAYS[way](memory)
    report = (await made.run(Command(resume="yes")))["memory"]
    assert ({it["rule"] for it in report["refused"]}, FACT in contents(memory)) == ({RULE}, False)
    assert way.startswith("forget") or OSLO not in contents(memory)
    await made.say(OSLO)
    assert FACT in contents(memory)


async def test_what_else_a_turn_says_is_learned(memory: AgentMemory, make: Make) -> None:
    """Only what is meant stays away: by its words, and not by one of them, nor where it is denied."""
    made = make([called("release"), "Released.", "Forgotten."], release)
    await made.say("I live in Oslo. I prefer tea. I do not live in Rome.")
    memory.long_term.forget(fact(memory), scope=ALICE)
    memory.long_term.forget(memory.long_term.remember("The user lives in Rome", scope=ALICE).require().id, scope=ALICE)
    await made.run(Command(resume="yes"))
    assert sorted(it for it in contents(memory) if it.startswith("The user")) == [
        "The user does not live in Rome",
        TEA,
    ]


async def test_a_turn_that_had_not_asked_memory_yet_is_meant_too(memory: AgentMemory, make: Make) -> None:
    """It was said before; that its recall comes later makes it no new turn."""
    made = make([called("release"), "Released.", "Forgotten."], release)
    node = "model" if "model" in made.graph.nodes else "retrieve"
    made.graph.interrupt_before_nodes = [node]
    await made.say(OSLO)
    made.graph.interrupt_before_nodes = []
    memory.long_term.forget(fact(memory), scope=ALICE)
    await made.run(None)
    await made.run(Command(resume="yes"))
    assert FACT not in contents(memory)


@pytest.mark.parametrize(("asked_by", "learned"), [(None, True), ("helper", False), ("other", True)])
async def test_a_request_concerns_what_its_agent_sees(
    memory: AgentMemory, make: Make, asked_by: str | None, *, learned: bool
) -> None:
    """An agent's own memories are its own: the user tells each of them."""
    made = make([called("release"), "Released.", "Forgotten."], release, agent_id="helper")
    await made.say(OSLO)
    scope = replace(ALICE, agent_id=asked_by)
    memory.long_term.forget(memory.long_term.remember(FACT, scope=scope).require().id, scope=scope)
    await made.run(Command(resume="yes"))
    assert (FACT in [it.content for it in memory.long_term.list(scope=replace(ALICE, agent_id="helper"))]) is learned


@pytest.mark.parametrize("agent_id", [None, "planner"])
async def test_a_withdrawal_binds_the_open_turns_of_every_agent(
    memory: AgentMemory, make: Make, agent_id: str | None
) -> None:
    """Nothing of a turn that began before it is learned, also where consent was given anew meanwhile."""
    made = make([called("release"), "Released.", "Noted."], release, agent_id=agent_id)
    await made.say(OSLO)
    withdraw(memory)
    report = (await made.run(Command(resume="yes")))["memory"]
    learned = [it.content for it in memory.long_term.list(scope=replace(ALICE, agent_id=agent_id))]
    assert ({it["rule"] for it in report["refused"]}, FACT in learned) == ({RULE}, False)


@pytest.mark.parametrize("is_later", [False, True])
async def test_a_conversation_that_was_handed_over_is_meant_too(
    memory: AgentMemory, call: Call, *, is_later: bool
) -> None:
    """What waits to be taken in was handed over before; what is handed over after the request is new."""
    said = [HumanMessage(OSLO, id="1"), HumanMessage("I prefer tea.", id="2")]
    if is_later:
        memory.long_term.erase(fact(memory), scope=ALICE)
    await call(memory.background, "ingest", said, scope=TALK)
    if not is_later:
        memory.long_term.forget(fact(memory), scope=ALICE)
        await call(memory.long_term, "remember", Candidate(content="The user likes jam"), scope=ALICE)
    await call(memory.jobs, "run")
    assert (FACT in contents(memory), TEA in contents(memory)) == (is_later, True)


@pytest.mark.parametrize(
    ("known", "said", "learned"),
    [
        ("The user is allergic to nuts", "My son is allergic to nuts.", True),
        ("The user is 34", "I have 34 employees.", True),
        ("The user lives in Leeds", "My manager lives in Leeds.", True),
        ("The user works at Acme", "My sister Nora works at Acme.", True),
        ("The user's son is allergic to nuts", "I am allergic to nuts.", True),
        ("The user is allergic to nuts", "I'm allergic to nuts.", False),
        ("The user is 34", "I am 34 years old.", False),
        ("The user lives in Leeds", "I live in Leeds with my sister.", False),
        ("The user works at Acme", "I work at Acme.", False),
        ("The user's son is allergic to nuts", "My son is allergic to nuts.", False),
    ],
)
@pytest.mark.parametrize("is_in_words", [True, False])
def test_of_whom_it_was_said_counts(
    memory: AgentMemory, known: str, said: str, *, learned: bool, is_in_words: bool
) -> None:
    """What is forgotten of one is learned of another, whether it was named by its id or in words."""
    memory.background.ingest([HumanMessage(said)], scope=TALK)
    if is_in_words:
        what = known.replace("The user is", "that I am").replace("The user's", "that my").replace("The user", "that I")
        run(flows_of(memory.episodes).ask(what, ALICE))
    else:
        memory.long_term.forget(memory.long_term.remember(known, scope=ALICE).require().id, scope=ALICE)
    memory.jobs.run()
    shared = known.rsplit(" ", 1)[-1]
    assert (
        any(shared in it.content and " is Nora" not in it.content for it in memory.long_term.list(scope=ALICE))
        is learned
    )


@pytest.mark.parametrize(
    ("what", "said", "left"),
    [
        ("my address", "I live at 12 Rue de la Paix, Lille.", []),
        ("my job", "I'm a nurse.", []),
        ("my diet", "I'm vegan.", []),
        ("my name", "My name is Ana.", []),
        ("my phone number", "My phone number is +33 6 12 34 56 78.", []),
        ("my old job", "I used to work at Acme.", []),
        ("my allergies", "I am allergic to nuts.", []),
        ("my cat's name", "I have a cat named Minka.", []),
        ("my sister's address", "My sister Nora lives in Leeds.", ["The user's sister is Nora"]),
        ("my address", "I want to live in Oslo.", ["The user wants to live in Oslo", "I want to live in Oslo."]),
        ("my name", "I have a cat named Minka.", ["The user has a cat named Minka", "I have a cat named Minka."]),
        ("my old job", "I work at Acme.", ["The user works at Acme", "I work at Acme."]),
        ("my address", "I'm vegan.", ["The user is vegan", "I'm vegan."]),
        ("my job", "My dentist is late.", ["The user's dentist is late", "My dentist is late."]),
        ("my job", "My son is a nurse.", ["The user's son is a nurse", "My son is a nurse."]),
    ],
)
async def test_the_word_for_it_means_what_waits(
    memory: AgentMemory, call: Call, what: str, said: str, left: list[str]
) -> None:
    """A conversation that is still to be taken in leaves neither the fact nor the turn, though it has no such word."""
    await call(memory.background, "ingest", [HumanMessage(said, id="1")], scope=TALK)
    run(flows_of(memory.episodes).ask(what, ALICE))
    await call(memory.jobs, "run")
    assert contents(memory) == left


@pytest.mark.parametrize("thread", ["t", "u"])
@pytest.mark.parametrize(
    ("said", "words"), [("I live in Lille.", "Delete my address."), ("I'm a nurse.", "Forget my job.")]
)
async def test_the_word_for_it_means_what_an_open_turn_says(
    memory: AgentMemory, make: Make, said: str, words: str, thread: str
) -> None:
    """In another thread, and in the same, where who types on leaves the turn behind."""
    made = make([called("release"), "Released.", "Forgotten.", "Noted."], release)
    await made.say(said)
    await made.say(words, thread_id=thread)
    if thread != "t":
        report = (await made.run(Command(resume="yes")))["memory"]
        assert RULE in {it["rule"] for it in report["refused"]}
    memory.jobs.run()
    assert contents(memory) == []


async def test_an_outcome_that_was_forgotten_meanwhile_is_not_learned(memory: AgentMemory, call: Call) -> None:
    """Nor is what an application tells late: it says when the turn began."""
    began = memory.long_term.remember(TEA, scope=ALICE).require().revision
    outcome = Outcome(action="deploy the shop", succeeded=True)
    [decision] = await call(memory.long_term, "learn", outcome, scope=ALICE)
    await call(memory.long_term, "forget", decision.require().id, scope=ALICE)
    [late] = await call(memory.long_term, "learn", replace(outcome, began=began), scope=ALICE)
    [new] = await call(memory.long_term, "learn", outcome, scope=ALICE)
    assert (late.rule, new.verdict) == (RULE, "written")


async def test_a_request_keeps_no_words_and_is_not_kept_for_ever(
    memory: AgentMemory, make: Make, clock: Clock, call: Call
) -> None:
    """What is noted of it are digests, and goes after ninety days, or with the next request."""
    await make(["Forgotten."]).say("Please forget that I collect zanzibarians.")
    [row] = dump(memory._database, REQUESTS)[REQUESTS.name]
    assert "zanzibar" not in repr(row)
    clock.now += KEPT_FOR
    await call(memory.jobs, "run")
    assert dump(memory._database, REQUESTS)[REQUESTS.name] == []


def test_the_log_tells_of_a_request_that_met_nothing(memory: AgentMemory) -> None:
    """By an event of its own; a dry run is no request."""
    fact(memory)
    of_command("--about", "zebras")(memory)
    of_command("--about", "zebras", "--dry-run")(memory)
    assert [row[2] for row in dump(memory._database, EVENTS)[EVENTS.name]] == ["remembered", "forget_asked"]
    assert memory.long_term.verify(scope=ALICE).is_intact


async def test_a_turn_whose_beginning_nobody_knows_is_held_against_all_that_was_asked(
    memory: AgentMemory, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database was away when it began: what is forgotten too much can be said again."""
    memory.long_term.forget(fact(memory), scope=ALICE)
    made = make(["Noted.", "Noted."])
    with monkeypatch.context() as patch:
        patch.setattr(flows_of(memory.episodes), "began", broken)
        await made.say(OSLO)
    assert FACT not in contents(memory)
    await made.say(OSLO)
    assert FACT in contents(memory)
