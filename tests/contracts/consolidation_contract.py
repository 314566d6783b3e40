"""What `memory.consolidation` promises, on every database and in both colours."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_agentmem import (
    AgentMemory,
    Candidate,
    ConfigurationError,
    Memory,
    Outcome,
    Provenance,
    Scope,
    ScopeError,
)
from langchain_agentmem._flow import run
from langchain_agentmem.consolidation import CONSOLIDATE_JOB, QUIET, ConsolidationReport
from langchain_agentmem.ledger.sql.jobs import LEASE_S, MAX_ATTEMPTS
from langchain_agentmem.long_term import ListQuery
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.policies.repeated import REPEATED
from langchain_agentmem.policies.write import Banned, WritePolicy
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Status
from tests.conftest import Call
from tests.contracts.conversing_base import ConversingBase
from tests.contracts.history_backends import ReversingVault
from tests.contracts.long_term_contract import Clock
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE, BOB

TALK: Final = Scope("alice", session_id="talk")
SHORT, LONG = "Alice prefers Python", "Alice strongly prefers Python"
DEPLOY: Final = "deploy(env='prod')"
EVERY: Final[tuple[Status, ...]] = ("active", "pending", "superseded", "archived")


def tell(memory: AgentMemory, content: str, scope: Scope = TALK, **fields: Any) -> Memory:
    """Remember a preference, and return it."""
    told = Candidate(content=content, **{"kind": "preference", **fields})
    return memory.long_term.remember(told, scope=scope).require()


def said(number: int) -> Provenance:
    """Return where something comes from that the user's words were taken for."""
    return Provenance(speaker="user", message_ids=(f"m{number}",), evidence="Python is what I prefer")


def guess(memory: AgentMemory, content: str, number: int, **fields: Any) -> Memory:
    """Infer a preference from a message of a conversation of its own."""
    scope = replace(ALICE, session_id=f"s{number}")
    return tell(memory, content, scope, source="inferred", provenance=said(number), **fields)


def fail(memory: AgentMemory, *details: str, scope: Scope = TALK) -> None:
    """Let an action fail."""
    for detail in details:
        memory.long_term.learn(Outcome(action=DEPLOY, succeeded=False, detail=detail), scope=scope)


def held(memory: AgentMemory, scope: Scope = ALICE, statuses: tuple[Status, ...] = ("active",)) -> list[str]:
    """Return what is remembered."""
    return sorted(it.content for it in memory.long_term.select(ListQuery(statuses=statuses), scope=scope))


def talk(count: int) -> list[BaseMessage]:
    """Return a conversation of so many turns."""
    turns = ((HumanMessage(f"I deployed {n}.", id=f"h{n}"), AIMessage("Noted.", id=f"a{n}")) for n in range(count))
    return [message for turn in turns for message in turn]


def queued(memory: AgentMemory) -> list[Any]:
    """Return the jobs that consolidate."""
    return [it for it in memory.jobs.list() if it.kind == CONSOLIDATE_JOB]


def rules(report: ConsolidationReport) -> list[str]:
    """Return why memories were left alone."""
    return [it.rule for it in report.left_alone]


class ConsolidationContract(ConversingBase):
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def options(self, clock: Clock) -> MemoryOptions:
        return MemoryOptions(clock=clock, vault=ReversingVault())

    @pytest.fixture
    def other(self, database: Database, options: MemoryOptions) -> AgentMemory:
        """Another process on the same database."""
        return AgentMemory(database, embeddings=WordEmbeddings(), options=options)

    # ---------------------------------------------------------------------------------------------------------- merge
    async def test_what_says_less_goes_into_what_says_more(self, memory: AgentMemory, call: Call) -> None:
        """One stands for both, trusted as little as the least trusted, and as certain as what says so much."""
        short = tell(memory, SHORT, confidence=0.95, trust=0.6, tags=("work",))
        long = tell(memory, LONG, confidence=0.8)
        [merge] = (await call(memory.consolidation, "run", TALK)).merged
        [kept] = memory.long_term.list(scope=ALICE)
        assert (kept.id, kept.content, kept.source) == (merge.memory_id, LONG, "merged")
        assert (kept.trust, kept.confidence, kept.tags) == (0.6, 0.8, ("work",))
        assert set(merge.sources) == set(kept.supersedes) == {short.id, long.id}
        assert memory.long_term.verify(scope=ALICE).is_intact

    async def test_a_second_run_changes_nothing(self, memory: AgentMemory, call: Call) -> None:
        """Neither memories nor the log."""
        tell(memory, SHORT), tell(memory, LONG)
        fail(memory, "no quota", "a timeout", "no route")
        assert (await call(memory.consolidation, "run", TALK)).changes == 2
        length = memory.long_term.verify(scope=ALICE).events
        again = await call(memory.consolidation, "run", TALK)
        assert (again.changes, memory.long_term.verify(scope=ALICE).events) == (0, length)

    async def test_a_merge_is_explained_by_its_sources(self, memory: AgentMemory, call: Call) -> None:
        """`why` names them, and each of them names what stands for it."""
        sources = [tell(memory, SHORT), tell(memory, LONG)]
        [merge] = (await call(memory.consolidation, "run", TALK)).merged
        [reason] = memory.long_term.why(merge.memory_id, scope=ALICE).reasons
        assert all(it.id in reason for it in sources)
        assert all(merge.memory_id in memory.long_term.why(it.id, scope=ALICE).reasons[-1] for it in sources)

    async def test_a_dry_run_tells_and_changes_nothing(self, memory: AgentMemory, call: Call) -> None:
        """The report is the same as that of the run after it, but for the ids that are not yet there."""
        tell(memory, SHORT), tell(memory, LONG)
        length = memory.long_term.verify(scope=ALICE).events
        told = await call(memory.consolidation, "run", TALK, dry_run=True)
        assert (told.is_dry_run, memory.long_term.verify(scope=ALICE).events) == (True, length)
        done = await call(memory.consolidation, "run", TALK)
        assert [replace(it, memory_id=None) for it in done.merged] == list(told.merged)

    @pytest.mark.parametrize(
        ("rule", "fields"),
        [
            ("pinned", {"pinned": True}),
            ("purposes", {"purposes": ("support",)}),
            ("legal_basis", {"legal_basis": "contract"}),
            ("profile_field", {"tags": ("profile:preferences.language",)}),
        ],
    )
    def test_what_must_stay_apart_does(self, memory: AgentMemory, rule: str, fields: dict[str, Any]) -> None:
        """Pins, purposes and fields of the profile are kept as they were set; the report says why."""
        memory.consent.grant(ALICE, purposes=("support", "service"))
        tell(memory, SHORT, **{"purposes": ("service",), **fields})
        tell(memory, LONG, purposes=("service",))
        report = memory.consolidation.run(TALK)
        assert (report.changes, rules(report)) == (0, [rule])
        assert held(memory) == [SHORT, LONG]

    def test_what_ends_stays_apart(self, memory: AgentMemory, clock: Clock) -> None:
        """A statement that holds until a time of its own does not become one that holds for ever."""
        tell(memory, SHORT, expires_at=clock() + timedelta(days=1))
        tell(memory, LONG)
        assert rules(memory.consolidation.run(TALK)) == ["ends"]

    def test_agents_keep_what_is_their_own(self, memory: AgentMemory) -> None:
        """What an agent remembers never goes into what others see, nor the other way round."""
        helper = replace(TALK, agent_id="helper")
        tell(memory, SHORT), tell(memory, LONG, helper)
        assert memory.consolidation.run(TALK).changes == memory.consolidation.run(helper).changes == 0

    def test_the_write_policy_has_the_last_word(self, memory: AgentMemory, database: Database, clock: Clock) -> None:
        """What it would refuse today is not written anew, and nothing is logged."""
        tell(memory, SHORT), tell(memory, LONG)
        options = MemoryOptions(clock=clock, vault=ReversingVault(), policy=WritePolicy().with_rule(Banned(["python"])))
        strict = AgentMemory(database, embeddings=WordEmbeddings(), options=options)
        length = memory.long_term.verify(scope=ALICE).events
        report = strict.consolidation.run(TALK)
        assert (report.changes, rules(report)) == (0, ["banned"])
        assert memory.long_term.verify(scope=ALICE).events == length

    def test_a_merge_does_not_use_up_what_a_session_may_write(self, memory: AgentMemory) -> None:
        """It belongs to no session: nobody said anything more in it."""
        tell(memory, SHORT), tell(memory, LONG)
        memory.consolidation.run(TALK)
        assert [it.scope for it in memory.long_term.list(scope=ALICE)] == [ALICE]

    def test_nothing_crosses_users(self, memory: AgentMemory) -> None:
        """Bob's words are neither sources nor changed, whatever Alice's say."""
        tell(memory, SHORT), tell(memory, LONG, replace(BOB, session_id="talk"))
        assert memory.consolidation.run(TALK).changes == 0
        assert held(memory, BOB) == [LONG]

    # ------------------------------------------------------------------------------------------------ erase and forget
    async def test_erasing_a_source_erases_all_that_says_the_same(self, memory: AgentMemory, call: Call) -> None:
        """Through a merge of a merge; what others had said comes back."""
        short = tell(memory, SHORT)
        tell(memory, LONG)
        memory.consolidation.run(TALK)
        tell(memory, "Alice always strongly prefers Python and Rust")
        [first] = memory.long_term.select(ListQuery(statuses=("active",)), scope=ALICE)[-1:]
        longest = tell(memory, "Alice prefers Rust")
        top = memory.long_term.merge([first.id, longest.id], LONG, scope=ALICE).require()
        erased = await call(memory.long_term, "erase", short.id, scope=ALICE)
        assert {short.id, first.id, top.id} == set(erased)
        assert held(memory, statuses=EVERY) == sorted(
            [LONG, "Alice prefers Rust", "Alice always strongly prefers Python and Rust"]
        )

    def test_what_was_replaced_since_does_not_come_back(self, memory: AgentMemory) -> None:
        """Erasing a source of what the user has corrected gives no outdated statement back."""
        tell(memory, SHORT)
        long = tell(memory, LONG)
        memory.consolidation.run(TALK)
        tell(memory, "Actually, Alice does not prefer Python", is_correction=True)
        memory.long_term.erase(long.id, scope=ALICE)
        assert SHORT not in held(memory)

    def test_what_waited_waits_again(self, memory: AgentMemory) -> None:
        """A memory that was merged while it waited for support is given back as it was."""
        waits, known = guess(memory, SHORT, 1), tell(memory, "Alice prefers Rust")
        memory.long_term.merge([waits.id, known.id], "Alice prefers Python and Rust", scope=ALICE)
        memory.long_term.erase(known.id, scope=ALICE)
        assert held(memory, statuses=("pending",)) == held(memory, statuses=EVERY) == [SHORT]

    def test_what_was_forgotten_meanwhile_is_not_written_anew(self, memory: AgentMemory) -> None:
        """A source that changed after it was read stays as it is now."""
        short, _ = tell(memory, SHORT), tell(memory, LONG)
        deriving = memory.consolidation._flows._deriving
        derive = deriving.derive

        def late(*args: Any) -> Any:  # noqa: ANN401  (as of `derive`)
            memory.long_term.forget(short.id, scope=ALICE)
            return derive(*args)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(deriving, "derive", late)
            report = memory.consolidation.run(TALK)
        assert (report.changes, rules(report), held(memory)) == (0, ["changed"], [LONG])

    # -------------------------------------------------------------------------------------------------------- promote
    async def test_what_was_inferred_three_times_in_other_words_counts(self, memory: AgentMemory, call: Call) -> None:
        """Three conversations said it, one of them more: what all say is remembered, what one says waits."""
        waits, more = guess(memory, SHORT, 1), guess(memory, LONG, 2)
        guess(memory, SHORT, 3)
        assert held(memory) == []
        [promoted] = (await call(memory.consolidation, "run", ALICE)).promoted
        [kept] = memory.long_term.list(scope=ALICE)
        assert (kept.content, kept.sightings, kept.trust) == (SHORT, 3, waits.trust)
        assert all(it.id in promoted.reason for it in (waits, more))
        assert held(memory, statuses=("pending",)) == [LONG]

    async def test_what_was_inferred_twice_waits_on(self, memory: AgentMemory, call: Call) -> None:
        """The rule of the write policy is told as the reason."""
        guess(memory, SHORT, 1), guess(memory, LONG, 2)
        report = await call(memory.consolidation, "run", ALICE)
        assert (report.changes, rules(report)) == (0, ["repeated_signal"])

    def test_one_message_is_one_sighting(self, memory: AgentMemory) -> None:
        """However often something is made of it."""
        for content in (SHORT, LONG, "Alice really prefers Python"):
            guess(memory, content, 1)
        assert memory.consolidation.run(ALICE).promoted == ()

    # ---------------------------------------------------------------------------------------------------------- learn
    async def test_an_action_that_failed_three_times_keeps_failing(self, memory: AgentMemory, call: Call) -> None:
        """It is remembered once, linked with each failure, as little trusted as they are; they all stay."""
        fail(memory, "no quota", "a timeout", "no route")
        [learned] = (await call(memory.consolidation, "run", TALK)).learned
        told = memory.long_term.get(learned.memory_id, scope=ALICE)
        assert told is not None
        assert told.content == f"{DEPLOY} keeps failing; the last time: no route"
        assert (set(told.links), REPEATED in told.tags, told.sightings) == (set(learned.sources), True, 3)
        assert (told.trust, len(held(memory))) == (0.8, 4)
        fail(memory, "no luck")
        memory.long_term.revise(told.id, scope=ALICE, content="It does not deploy")
        assert memory.consolidation.run(TALK).learned == ()
        memory.long_term.forget(told.id, scope=ALICE)
        assert memory.consolidation.run(TALK).learned == ()

    def test_an_action_that_succeeded_since_is_no_failure(self, memory: AgentMemory) -> None:
        """What worked the last time is not told to fail."""
        fail(memory, "no quota", "a timeout", "no route")
        memory.long_term.learn(Outcome(action=DEPLOY, succeeded=True), scope=TALK)
        assert memory.consolidation.run(TALK).learned == ()

    def test_erasing_a_failure_erases_what_was_concluded(self, memory: AgentMemory) -> None:
        """It tells of it; the other failures stay."""
        fail(memory, "no quota", "a timeout", "no route")
        [learned] = memory.consolidation.run(TALK).learned
        assert set(memory.long_term.erase(learned.sources[0], scope=ALICE)) == {learned.memory_id, learned.sources[0]}
        assert memory.consolidation.run(TALK).learned == ()

    # ------------------------------------------------------------------------------------------------------ summarise
    async def test_the_session_is_summarised(self, memory: AgentMemory, call: Call) -> None:
        """All but its last messages, in a version that the next view goes on from; once."""
        run(memory._sessions.append(TALK, talk(8)))
        told = await call(memory.consolidation, "run", TALK, dry_run=True)
        assert (told.summary.is_new, run(memory._sessions.summary(TALK))) == (True, None)
        done = await call(memory.consolidation, "run", TALK)
        assert (done.summary.version, done.summary.is_new) == (1, True)
        view = memory.context().read("", scope=TALK)
        assert view.summary is not None
        assert (view.summary.count, len(view.recent)) == (6, 10)
        assert (await call(memory.consolidation, "run", TALK)).summary.is_new is False

    def test_a_model_writes_the_summary(self, database: Database, memory: AgentMemory, clock: Clock) -> None:
        """Where there is one; where it fails, sentences are chosen, and the failure is told."""
        run(memory._sessions.append(TALK, talk(8)))
        model = FakeListChatModel(responses=["Alice deployed often."])
        options = MemoryOptions(clock=clock, vault=ReversingVault(), model=model)
        by_model = AgentMemory(database, embeddings=WordEmbeddings(), options=options)
        assert by_model.consolidation.run(TALK).summary.failures == 0  # type: ignore[union-attr]  # it is there
        assert b"Alice deployed often." in (run(memory._sessions.summary(TALK)) or b"")

    # --------------------------------------------------------------------------------------------------------- refuse
    async def test_nothing_is_done_without_leave(self, memory: AgentMemory, database: Database, call: Call) -> None:
        """Not without consent, for a visitor, or where memory is read-only; nor is anything scheduled."""
        tell(memory, SHORT), tell(memory, LONG)
        await call(memory.consent, "withdraw", ALICE)
        frozen = AgentMemory(database, embeddings=None, options=replace(memory._options, mode="frozen"))
        cases = (
            (memory, TALK, "consent"),
            (memory, Scope.anonymous("s"), "anonymous_scope"),
            (frozen, BOB, "memory_mode"),
        )
        for asked, scope, rule in cases:
            assert (await call(asked.consolidation, "run", scope)).refused == rule
            assert await call(asked.consolidation, "schedule", scope) is False
        assert queued(memory) == []

    async def test_what_is_no_scope_or_time_is_refused(self, memory: AgentMemory, call: Call) -> None:
        """Before anything is read."""
        with pytest.raises(ScopeError, match="must be a Scope"):
            await call(memory.consolidation, "run", "alice")
        with pytest.raises(ConfigurationError, match="dry_run"):
            await call(memory.consolidation, "run", ALICE, dry_run="no")
        for after in (30, timedelta(seconds=-1), timedelta(days=31)):
            with pytest.raises(ConfigurationError, match="after must be a timedelta"):
                await call(memory.consolidation, "schedule", ALICE, after=after)
        with pytest.raises(ConfigurationError, match="consolidate_after must be a timedelta"):
            MemoryOptions(consolidate_after=30)  # type: ignore[arg-type]  # what a user may write

    # ------------------------------------------------------------------------------------------------------- schedule
    async def test_a_conversation_is_consolidated_once_it_is_quiet(
        self, memory: AgentMemory, other: AgentMemory, clock: Clock, call: Call
    ) -> None:
        """Each turn moves the time of its one job; any process does it."""
        tell(memory, SHORT), tell(memory, LONG)
        for _ in range(3):
            clock.now += QUIET / 2
            assert await call(memory.consolidation, "schedule", TALK) is True
            await call(other.jobs, "run")
        assert (len(queued(memory)), held(memory)) == (1, [SHORT, LONG])
        clock.now += QUIET
        await call(other.jobs, "run")
        assert (queued(memory), held(memory)) == ([], [LONG])

    def test_each_conversation_and_agent_has_a_job(self, memory: AgentMemory, clock: Clock) -> None:
        """One that goes on for ever holds up no other of its user's."""
        busy, helper = replace(TALK, session_id="busy"), replace(TALK, agent_id="helper")
        for scope in (busy, TALK, helper):
            memory.consolidation.schedule(scope)
        assert len(queued(memory)) == 3
        clock.now += QUIET
        memory.consolidation.schedule(busy)
        memory.jobs.run()
        [left] = queued(memory)
        assert left.due_at > clock.now

    def test_a_turn_while_it_is_done_queues_one_more(self, memory: AgentMemory, clock: Clock) -> None:
        """What came too late for it is consolidated afterwards."""
        memory.consolidation.schedule(TALK, after=timedelta())
        clock.now += timedelta(seconds=1)
        with pytest.MonkeyPatch.context() as patch:
            made = memory.consolidation._flows._summarising()
            work = made.summarise_flow

            def meanwhile(scope: Scope, *, dry_run: bool) -> Any:  # noqa: ANN401  (as of `summarise_flow`)
                assert [it.status for it in queued(memory)] == ["running"]
                memory.consolidation.schedule(TALK), memory.consolidation.schedule(TALK)
                return work(scope, dry_run=dry_run)

            patch.setattr(made, "summarise_flow", meanwhile)
            patch.setattr(memory.consolidation._flows, "_summarising", lambda: made)
            memory.jobs.run()
        assert [it.status for it in queued(memory)] == ["queued"]

    def test_who_lost_the_job_writes_nothing(self, memory: AgentMemory, other: AgentMemory, clock: Clock) -> None:
        """A worker that was away for longer than its lease finds the work done, once."""
        tell(memory, SHORT), tell(memory, LONG)
        memory.consolidation.schedule(TALK, after=timedelta())
        [job] = run(memory._parts[1].jobs._queue.claim(1, [CONSOLIDATE_JOB]))
        clock.now += timedelta(seconds=LEASE_S + 1)
        other.jobs.run()
        length = memory.long_term.verify(scope=ALICE).events
        run(memory.consolidation._flows._do(job))
        assert (held(memory), memory.long_term.verify(scope=ALICE).events) == ([LONG], length)

    async def test_a_job_that_keeps_failing_is_parked(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """It is listed with its error, and stops no other; a turn meanwhile does not begin its attempts anew."""
        memory.consolidation.schedule(TALK, after=timedelta())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("langchain_agentmem.consolidation.flows.plan_of", lambda _known: 1 / 0)
            for _ in range(MAX_ATTEMPTS):
                await call(memory.jobs, "run")
                if queued(memory)[0].status == "queued":
                    memory.consolidation.schedule(TALK, after=timedelta())
                clock.now += timedelta(minutes=5)
        [parked] = [it for it in memory.jobs.list(status="failed") if it.kind == CONSOLIDATE_JOB]
        assert (parked.attempts, parked.error, parked.scope) == (MAX_ATTEMPTS, "ZeroDivisionError", ALICE)
        assert memory.jobs.retry([parked.id]) == 1
        await call(memory.jobs, "run")
        assert queued(memory) == []
