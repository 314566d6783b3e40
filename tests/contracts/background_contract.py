"""What `memory.background` promises of conversations that are handed over, on every database and in both colours."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from sqlalchemy import select

from langchain_agentmem import AgentMemory, ConfigurationError, Scope, ScopeError
from langchain_agentmem._flow import Flow, run
from langchain_agentmem.jobs import JobReport, TakenIn
from langchain_agentmem.ledger.codec import load
from langchain_agentmem.ledger.sql.jobs import LEASE_S, MAX_ATTEMPTS, SQLJobs
from langchain_agentmem.long_term.index.searching import LOG_JOB
from langchain_agentmem.long_term.remove.ending import INGEST_JOB
from langchain_agentmem.long_term.turns.background_flows import LOG_WITHIN, MAX_AT_ONCE, MESSAGES_AT_ONCE
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.policies.write import Rule, Ruling, WriteContext, WritePolicy
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import EVENTS, JOBS
from langchain_agentmem.types import Candidate, IngestReport
from tests.conftest import Call
from tests.contracts.conversing_base import ConversingBase
from tests.contracts.history_backends import ReversingVault
from tests.contracts.long_term_contract import Clock
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE, BOB, START, dump
from tests.spelled import spelled
from tests.talks import OTHER_TALK, TALK, turn

HOME = "I live in {}."
TAMPERED = '{"session":"talk","agent":null,"mode":null,"facts":true,"episodes":true,"name":"x","sealed":"?"}'
ROME, OSLO = HOME.format("Rome"), HOME.format("Oslo")
PATIENCE_S: Final = 30.0
"""How long a test waits for what has to happen."""

Purposes: TypeAlias = list[str] | None
Slowly: TypeAlias = Callable[[Callable[[], object]], None]


def waiting(memory: AgentMemory) -> int:
    """Return how many jobs are not done."""
    return sum(memory.jobs.counts().values())


def facts(memory: AgentMemory, scope: Scope = ALICE) -> list[str]:
    """Return what is remembered, the newest first."""
    return [it.content for it in memory.long_term.list(scope=scope)]


def purposes(memory: AgentMemory) -> list[tuple[str, ...]]:
    """Return what turns and facts may be used for."""
    turns, remembered = memory.episodes.list(scope=ALICE), memory.long_term.list(scope=ALICE)
    return [*(it.purposes for it in turns), *(it.purposes for it in remembered)]


def sealed(database: Database) -> list[bytes]:
    """Return the words of the jobs as they stand in the queue."""
    return [load(row[3].encode())["sealed"].encode() for row in dump(database, JOBS)[JOBS.name] if row[1] == INGEST_JOB]


def on_disk(database: Database) -> bytes:
    """Return all that stands in SQLite's files; nothing, where there are none."""
    if not database.is_sqlite or database.is_memory:
        return b""
    path = Path(str(database.url.database))
    return b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))


def failing_at(broken: Collection[str]) -> Rule:
    """Return a rule that has an error in it."""

    def no_city(candidate: Candidate, _context: WriteContext) -> Ruling | None:
        if any(city in candidate.content for city in broken):
            raise KeyError(candidate.content)
        return None

    return no_city


async def end(memory: AgentMemory, how: str, call: Call) -> None:
    """End Alice's conversation in one of the ways in which it can end."""
    if how == "episodes":
        await call(memory.episodes, "clear", scope=TALK)
    elif how == "history":
        memory.history(TALK).clear()
    else:
        await call(memory.consent, "withdraw", ALICE)


class BackgroundContract(ConversingBase):
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def other(self, database: Database, options: MemoryOptions) -> AgentMemory:
        """Another worker on the same database."""
        return AgentMemory(database, embeddings=WordEmbeddings(), options=options)

    @pytest.fixture
    def slowly(self, embeddings: WordEmbeddings, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Slowly:
        """Let the next call of a model take more than two leases, and something be done after each part of it."""
        beaten, renew = threading.Event(), SQLJobs.renew

        def noted(queue: SQLJobs, lease: str) -> Flow[bool]:
            is_held = yield from renew(queue, lease)
            beaten.set()
            return is_held

        def take_long(meanwhile: Callable[[], object]) -> None:
            embeddings.before = None
            for _ in range(3):
                clock.now += timedelta(seconds=0.75 * LEASE_S)
                beaten.clear()
                assert beaten.wait(PATIENCE_S)
                meanwhile()

        def begin(meanwhile: Callable[[], object]) -> None:
            embeddings.before = partial(take_long, meanwhile)

        monkeypatch.setattr("langchain_agentmem.jobs.flows.BEAT_S", 0.001)
        monkeypatch.setattr(SQLJobs, "renew", noted)
        return begin

    # ---------------------------------------------------------------------------------------------------------- do it
    async def test_what_is_handed_over_is_taken_in_by_the_jobs(
        self, memory: AgentMemory, database: Database, call: Call
    ) -> None:
        """Nothing is there before the jobs are run; then its turns can be searched, and its facts are remembered."""
        said = [HumanMessage(ROME, id="1"), AIMessage("A lovely city", id="2")]
        handed = await call(memory.background, "ingest", said, scope=TALK, at=START)
        assert (handed, facts(memory), [*memory.episodes.list(scope=TALK)]) == (IngestReport(queued=2), [], [])
        rounds, scrubs = len(memory.jobs._flows._rounds), database.is_sqlite
        done = await call(memory.jobs, "run")
        (kept,) = memory.long_term.list(scope=ALICE)
        assert done == JobReport(done=1 + rounds + scrubs, taken_in=(TakenIn(scope=TALK, written=(kept.id,)),))
        assert (kept.content, kept.valid_at, kept.scope) == ("The user lives in Rome", START, TALK)
        assert [(it.text, it.reply, it.at) for it in memory.episodes.list(scope=TALK)] == [
            (ROME, "A lovely city", START)
        ]
        assert waiting(memory) == 0
        assert memory.long_term.verify(scope=ALICE).is_intact

    async def test_of_an_id_given_twice_the_first_time_dates_a_fact(self, memory: AgentMemory, call: Call) -> None:
        """Whoever numbers messages badly does not move what was said to another day."""
        said = [HumanMessage("I live in Rome", id="x"), HumanMessage("Good morning", id="x")]
        later = START + timedelta(days=9)
        at = {"I live in Rome": START, "Good morning": later}
        await call(memory.background, "ingest", said, scope=TALK, at=lambda it: at[str(it.content)])
        await call(memory.jobs, "run")
        assert [it.valid_at for it in await call(memory.long_term, "list", scope=ALICE)] == [START]

    @pytest.mark.parametrize("wanted", ["episodes", "facts"])
    async def test_turns_and_facts_can_be_wanted_apart(self, memory: AgentMemory, wanted: str, call: Call) -> None:
        """Turns without facts, or facts without turns."""
        unwanted = {"episodes": {"facts": False}, "facts": {"episodes": False}}[wanted]
        await call(memory.background, "ingest", turn(1, ROME), scope=TALK, **unwanted)
        await call(memory.jobs, "run")
        found = {"episodes": len(memory.episodes.list(scope=TALK)), "facts": len(facts(memory))}
        assert found == {"episodes": 0, "facts": 0, wanted: 1}

    async def test_the_same_conversation_again_adds_nothing(self, memory: AgentMemory, call: Call) -> None:
        """Messages without ids get one by their words: told twice, a turn is one turn, and a fact seen once."""
        said: list[BaseMessage] = [HumanMessage(ROME), AIMessage("I see"), HumanMessage("And I work for Acme.")]
        for _ in range(2):
            await call(memory.background, "ingest", said, scope=TALK)
            await call(memory.jobs, "run")
        assert len(memory.episodes.list(scope=TALK)) == 2
        assert [it.sightings for it in memory.long_term.list(scope=ALICE)] == [1, 1]

    async def test_the_same_words_on_another_day_are_another_turn(self, memory: AgentMemory, call: Call) -> None:
        """Parts that are handed over one by one, each with its time; handed over again, nothing is added."""
        said = [("I have moved to Rome now.", 1), ("I have moved to Oslo now.", 2), ("I have moved to Rome now.", 3)]
        for _ in range(2):
            for words, day in said:
                at = datetime(2026, 3, day, 9, tzinfo=UTC)
                await call(memory.background, "ingest", [HumanMessage(words)], scope=TALK, at=at)
            await call(memory.jobs, "run")
        assert [it.text for it in memory.episodes.list(scope=TALK)] == [words for words, _ in said]

    async def test_a_long_conversation_is_several_jobs(self, memory: AgentMemory, call: Call) -> None:
        """Cut where a turn begins, and at the latest after so many messages; nothing is lost or doubled between."""
        answers: list[BaseMessage] = [AIMessage(f"and {number}", id=f"r{number}") for number in range(MAX_AT_ONCE)]
        turns = [it for number in range(MESSAGES_AT_ONCE) for it in turn(number, f"this is number {number}", "yes")]
        handed = await call(memory.background, "ingest", [*turns, *answers], scope=TALK)
        assert (handed.queued, waiting(memory)) == (2 * MESSAGES_AT_ONCE + MAX_AT_ONCE, 3)
        await call(memory.jobs, "run")
        kept = memory.episodes.list(scope=TALK, limit=1_000)
        assert [it.text for it in kept if it.text] == [f"this is number {it}" for it in range(MESSAGES_AT_ONCE)]
        assert sum(len(it.message_ids) for it in kept) == handed.queued

    async def test_an_answer_is_understood_by_the_question_of_the_job_before(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """The last messages before a cut come along to explain, and yield nothing a second time."""
        before = [it for number in range(MESSAGES_AT_ONCE // 2 - 1) for it in turn(number, "Hm.", "Well.")]
        asked = [HumanMessage(ROME, id="x"), AIMessage("Which language do you prefer?", id="q")]
        await call(memory.background, "ingest", [*before, *asked, HumanMessage("Python.", id="z")], scope=TALK)
        assert waiting(memory) == 2
        await call(memory.jobs, "run")
        assert Counter(it.sightings for it in memory.long_term.list(scope=ALICE)) == {1: 2}
        assert "The user prefers Python" in facts(memory)

    # ------------------------------------------------------------------------------------------------- once, in order
    async def test_what_is_said_later_is_taken_in_later(
        self, memory: AgentMemory, other: AgentMemory, clock: Clock, call: Call
    ) -> None:
        """A user's next conversation waits for the one before it, also where that failed and comes back later."""
        for session, said in ((TALK, ROME), (OTHER_TALK, OSLO)):
            await call(memory.background, "ingest", turn(1, said), scope=session)
        embeddings: Any = WordEmbeddings()
        embeddings.fails_with = OSError("the model is away")
        broken = AgentMemory(memory._database, embeddings=embeddings, options=MemoryOptions(clock=clock))
        assert (await call(broken.jobs, "run")).failed == 1
        await call(other.jobs, "run")
        assert facts(memory) == []
        clock.now += timedelta(seconds=LEASE_S)
        await call(other.jobs, "run")
        assert facts(memory) == ["The user lives in Oslo"]

    @pytest.mark.parametrize("step", ["turns", "facts"])
    async def test_a_model_slower_than_the_lease_keeps_its_job(
        self, step: str, memory: AgentMemory, other: AgentMemory, slowly: Slowly, call: Call
    ) -> None:
        """While one call of a model takes longer than a lease lasts, no other worker gets the job."""
        seen: list[tuple[int, dict[str, int]]] = []
        await call(memory.background, "ingest", turn(1, ROME), scope=TALK, episodes=step == "turns")
        slowly(lambda: seen.append((other.jobs.run().failed, memory.jobs.counts())))
        await call(memory.jobs, "run")
        assert seen == [(0, {"running": 1})] * 3
        assert (waiting(memory), facts(memory)) == (0, ["The user lives in Rome"])

    async def test_a_job_whose_lease_went_on_leaves_no_second_fact(
        self, memory: AgentMemory, other: AgentMemory, clock: Clock, embeddings: WordEmbeddings, call: Call
    ) -> None:
        """A worker that was too slow for its lease writes nothing of what another has done meanwhile."""

        def overtaken() -> None:
            embeddings.before = None
            clock.now += timedelta(seconds=LEASE_S)
            other.jobs.run()

        await call(memory.background, "ingest", [*turn(1, ROME), *turn(2, "I work for Acme.")], scope=TALK)
        embeddings.before = overtaken
        assert (await call(memory.jobs, "run")).failed == 1
        assert (waiting(memory), len(facts(memory)), len(memory.episodes.list(scope=TALK))) == (0, 2, 2)
        kinds = run(memory._database.read(lambda it: it.execute(select(EVENTS.c.type)).scalars().all()))
        assert (kinds.count("remembered"), kinds.count("confirmed")) == (2, 0)

    # ------------------------------------------------------------------------------------------------------- governed
    async def test_without_consent_nothing_is_queued(self, memory: AgentMemory, call: Call) -> None:
        """Words of a user who has not agreed do not even wait; that they were refused is in the log."""
        carol = Scope("carol", session_id="s")
        handed = await call(memory.background, "ingest", turn(1, ROME), scope=carol)
        assert (handed, waiting(memory)) == (IngestReport(refused={"consent": 1}), 0)
        assert memory.long_term.verify(scope=carol).events == 1
        for mode in ("off", "frozen"):
            handed = await call(memory.background, "ingest", turn(1, ROME), scope=TALK, mode=mode)
            assert (handed.refused, waiting(memory)) == ({"memory_mode": 1}, 0)
        handed = await call(memory.background, "ingest", turn(1, ROME), scope=Scope.anonymous("s"))
        assert (handed.refused, waiting(memory)) == ({"anonymous_scope": 1}, 0)

    async def test_consent_is_asked_for_again_when_it_is_done(self, memory: AgentMemory, call: Call) -> None:
        """Withdrawn while a conversation waited, nothing of it is kept, and it waits no more."""
        await call(memory.background, "ingest", turn(1, ROME), scope=TALK)
        await call(memory.consent, "withdraw", ALICE)
        await call(memory.jobs, "run")
        assert (facts(memory), [*memory.episodes.list(scope=ALICE)], waiting(memory)) == ([], [], 0)

    @pytest.mark.parametrize(
        ("before", "after", "allowed"),
        [
            (["support"], None, [("support",)] * 2),
            (None, ["support"], [("support",)] * 2),
            (["support", "sales"], ["sales", "care"], [("sales",)] * 2),
            (["support"], ["sales"], []),
        ],
    )
    async def test_what_is_kept_serves_what_was_allowed_at_both_times(
        self,
        memory: AgentMemory,
        before: list[str] | None,
        after: list[str] | None,
        allowed: list[tuple[str, ...]],
        call: Call,
    ) -> None:
        """A consent that became wider while a conversation waited does not widen it; where nothing is left, it goes."""
        await call(memory.consent, "grant", ALICE, purposes=before)
        await call(memory.background, "ingest", turn(1, ROME), scope=TALK)
        await call(memory.consent, "grant", ALICE, purposes=after)
        assert (await call(memory.jobs, "run")).failed == 0
        assert (purposes(memory), waiting(memory)) == (allowed, 0)

    async def test_a_withdrawal_drops_what_waits(self, memory: AgentMemory, call: Call) -> None:
        """At once, of every agent and session; a later consent does not bring it back."""
        for scope in (TALK, OTHER_TALK, replace(TALK, agent_id="helper"), Scope("bob", session_id="talk")):
            await call(memory.background, "ingest", turn(1, ROME), scope=scope)
        withdrawn = await call(memory.consent, "withdraw", ALICE)
        assert (withdrawn.status, waiting(memory)) == ("withdrawn", 1)
        await call(memory.consent, "grant", ALICE)
        await call(memory.jobs, "run")
        assert (purposes(memory), len(facts(memory, BOB))) == ([], 1)
        assert memory.long_term.verify(scope=ALICE).is_intact

    @pytest.mark.parametrize("how", ["episodes", "history", "consent"])
    async def test_what_ends_while_its_job_is_done_does_not_come_back(
        self, memory: AgentMemory, embeddings: WordEmbeddings, how: str, call: Call
    ) -> None:
        """Cleared or withdrawn between the embedding and the write, neither its turns nor its facts are kept."""

        def ended() -> None:
            embeddings.before = None
            ends[how]()

        ends: dict[str, Callable[[], object]] = {
            "episodes": lambda: memory.episodes.clear(scope=TALK),
            "history": memory.history(TALK).clear,
            "consent": lambda: memory.consent.withdraw(ALICE),
        }
        await call(memory.background, "ingest", turn(1, ROME), scope=TALK)
        embeddings.before = ended
        await call(memory.jobs, "run")
        memory.consent.grant(ALICE)
        assert (purposes(memory), waiting(memory)) == ([], 0)

    async def test_another_agents_conversation_waits_on(self, memory: AgentMemory, call: Call) -> None:
        """An agent clears what it sees, its own and what is shared; the history of a session is every agent's."""
        own, others = (replace(TALK, agent_id=it) for it in ("own", "other"))
        for scope in (TALK, own, others):
            await call(memory.background, "ingest", turn(1, ROME), scope=scope)
        await call(memory.episodes, "clear", scope=TALK)
        assert waiting(memory) == 2
        await call(memory.background, "ingest", turn(1, ROME), scope=TALK)
        await call(memory.episodes, "clear", scope=replace(own, session_id=None))
        assert waiting(memory) == 1
        memory.history(TALK).clear()
        assert waiting(memory) == 0

    @pytest.mark.parametrize("how", ["episodes", "history", "consent", "done"])
    async def test_no_file_holds_the_words_of_a_job_that_is_gone(
        self, memory: AgentMemory, database: Database, how: str, call: Call
    ) -> None:
        """They are in no table and in no file, be it that the job is done or that it never will be."""
        await call(memory.background, "ingest", [*turn(1, ROME), *turn(2, OSLO)], scope=TALK)
        (words,) = sealed(database)
        assert words in on_disk(database) or on_disk(database) == b""
        if how == "done":
            await call(memory.jobs, "run")
        else:
            await end(memory, how, call)
        assert (sealed(database), words in on_disk(database), waiting(memory)) == ([], False, 0)

    async def test_words_of_what_is_done_do_not_wait_for_those_that_are_not(
        self, memory: AgentMemory, database: Database, clock: Clock, call: Call
    ) -> None:
        """While other conversations wait, they are gone from every file a minute later."""
        await call(memory.background, "ingest", turn(1, ROME), scope=TALK)
        (words,) = sealed(database)
        await call(memory.background, "ingest", turn(1, OSLO), scope=Scope("bob", session_id="s"))
        mine = JOBS.c.payload.not_like(f"%{words.decode()}%")
        run(database.write(lambda it: it.execute(JOBS.update().where(mine).values(payload=TAMPERED)).rowcount))
        assert (await call(memory.jobs, "run")).failed == 1
        assert [it.kind for it in memory.jobs.list()] == [INGEST_JOB, *[LOG_JOB] * database.is_sqlite]
        assert words in on_disk(database) or on_disk(database) == b""
        clock.now += LOG_WITHIN
        await call(memory.jobs, "run")
        assert ([it.kind for it in memory.jobs.list()], words in on_disk(database)) == ([INGEST_JOB], False)

    async def test_a_question_goes_with_the_conversation_that_waited(self, memory: AgentMemory, call: Call) -> None:
        """What was asked may say the same as what was never kept."""
        asked = await call(memory.long_term, "recall", "Where in Rome?", scope=ALICE)
        await call(memory.background, "ingest", turn(1, ROME), scope=TALK)
        await call(memory.episodes, "clear", scope=TALK)
        assert "Rome" not in spelled(memory.long_term.receipt(asked.receipt_id, scope=ALICE))

    @pytest.mark.parametrize("how", ["episodes", "history"])
    async def test_a_conversation_that_is_cleared_waits_no_more(
        self, memory: AgentMemory, how: str, database: Database, call: Call
    ) -> None:
        """What was handed over of it goes with it, and no other conversation, nor another user's."""
        bobs = Scope("bob", session_id="talk")
        for scope in (TALK, OTHER_TALK, bobs):
            await call(memory.background, "ingest", turn(1, ROME), scope=scope)
        await end(memory, how, call)
        await call(memory.jobs, "run")
        assert (waiting(memory), sealed(database)) == (0, [])
        assert {it.scope.session_id for it in memory.long_term.list(scope=ALICE)} == {"other"}
        assert len(facts(memory, BOB)) == 1

    async def test_what_is_erased_is_taken_out_of_what_waits(self, memory: AgentMemory, call: Call) -> None:
        """Of a conversation that was handed over, the turns that may say it go, and the others are taken in."""
        decision = memory.long_term.remember("Alice lives in Rome", scope=ALICE)
        said = [*turn(1, "I prefer tea over coffee."), *turn(2, ROME), *turn(3, "I own a boat.")]
        await call(memory.background, "ingest", said, scope=TALK)
        await call(memory.long_term, "erase", str(decision.memory and decision.memory.id), scope=ALICE)
        await call(memory.jobs, "run")
        assert len(memory.episodes.list(scope=TALK)) == 2
        assert "Rome" not in f"{facts(memory)} {[*memory.episodes.list(scope=TALK)]}"
        assert any("tea" in it for it in facts(memory))

    async def test_what_waits_is_sealed(self, database: Database, clock: Clock, call: Call) -> None:
        """Under a vault no word of a conversation stands in the queue; the worker opens it."""
        options = MemoryOptions(clock=clock, vault=ReversingVault(), consent="assumed")
        memory = AgentMemory(database, embeddings=None, options=options)
        await call(memory.background, "ingest", turn(1, ROME), scope=TALK)
        assert ROME not in str(dump(database, JOBS))
        await call(memory.jobs, "run")
        assert facts(memory) == ["The user lives in Rome"]

    # ------------------------------------------------------------------------------------------------------ bad input
    async def test_what_cannot_be_taken_in_is_refused_at_once(self, memory: AgentMemory, call: Call) -> None:
        """A scope without a session, something that is no message, an unknown mode, a flag that is none."""
        with pytest.raises(ScopeError, match="session"):
            await call(memory.background, "ingest", turn(1, ROME), scope=ALICE)
        for wrong in ("hello", ["hello"], 7):
            with pytest.raises(ConfigurationError, match="messages"):
                await call(memory.background, "ingest", wrong, scope=TALK)
        for setting in ({"mode": "maybe"}, {"facts": "no"}, {"episodes": None}):
            with pytest.raises(ConfigurationError, match=next(iter(setting))):
                await call(memory.background, "ingest", turn(1, ROME), scope=TALK, **setting)
        assert await call(memory.background, "ingest", [], scope=TALK) == IngestReport()
        assert waiting(memory) == 0

    async def test_words_that_were_tampered_with_fail_their_job(
        self, memory: AgentMemory, database: Database, call: Call
    ) -> None:
        """A job whose words cannot be read stays, with its error; it stops no other user's."""
        await call(memory.background, "ingest", turn(1, ROME), scope=TALK)
        run(database.write(lambda it: it.execute(JOBS.update().values(payload=TAMPERED)).rowcount))
        await call(memory.background, "ingest", turn(1, ROME), scope=Scope("bob", session_id="s"))
        assert (await call(memory.jobs, "run")).failed == 1
        assert (facts(memory), len(facts(memory, BOB)), len(memory.jobs.list(scope=ALICE))) == ([], 1, 1)

    async def test_a_rule_that_fails_is_named_by_its_job_which_waits_for_its_mending(
        self, database: Database, clock: Clock, call: Call
    ) -> None:
        """Its job is tried again, later and later, and then given up; others go on, and a retry does it."""
        broken = {"Rome"}
        options = MemoryOptions(clock=clock, consent="assumed", policy=WritePolicy().with_rule(failing_at(broken)))
        memory = AgentMemory(database, embeddings=None, options=options)
        for scope, said in ((TALK, ROME), (Scope("bob", session_id="s"), OSLO)):
            await call(memory.background, "ingest", turn(1, said), scope=scope)
        for attempt in range(MAX_ATTEMPTS):
            assert (await call(memory.jobs, "run")).failed == 1
            clock.now += timedelta(seconds=2 ** (attempt + 1))
        (given_up,) = await call(memory.jobs, "list", status="failed")
        assert (given_up.scope, facts(memory, BOB)) == (ALICE, ["The user lives in Oslo"])
        assert str(given_up.error).startswith("ConfigurationError: rule 'no_city' raised KeyError")
        assert "Rome" not in str(given_up.error)
        broken.clear()
        assert await call(memory.jobs, "retry", [given_up.id]) == 1
        await call(memory.jobs, "run")
        assert (facts(memory), waiting(memory)) == (["The user lives in Rome"], 0)
