"""What `memory.forgetting` promises, on every database and in both colours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final, Literal

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Candidate, ConfigurationError, ForgetReport, Memory, Outcome, Scope
from langchain_agentmem._flow import flows_of, run
from langchain_agentmem.errors import ConflictError
from langchain_agentmem.forgetting import FORGET_JOB, ForgettingPolicy
from langchain_agentmem.ledger.base import LedgerWriter
from langchain_agentmem.long_term import ListQuery
from langchain_agentmem.nodes import ForgetCycle, NodeSettings
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Status
from tests.conftest import Call
from tests.contracts.conversing_base import ConversingBase
from tests.contracts.history_backends import ReversingVault
from tests.contracts.long_term_contract import Clock
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE, BOB

DAY: Final = timedelta(days=1)
FADED, OLD, KEPT_FOR = 250 * DAY, 400 * DAY, 91 * DAY
EVERY: Final[tuple[Status, ...]] = ("pending", "active", "superseded", "archived")


def tell(memory: AgentMemory, content: str = "Alice owns a violin", scope: Scope = ALICE, **fields: Any) -> Memory:
    """Remember a fact, and return it."""
    return memory.long_term.remember(Candidate(content=content, **fields), scope=scope).require()


def status(memory: AgentMemory, memory_id: str, scope: Scope = ALICE) -> str:
    """Return the status of a memory; `gone` once it is erased."""
    found = memory.long_term.get(memory_id, scope=scope)
    return "gone" if found is None else found.status


def cycle(memory: AgentMemory, scope: Scope = ALICE, **options: Any) -> ForgetReport:
    """Run a cycle."""
    return memory.forgetting.forget_cycle(scope, **options)


def moved(report: ForgetReport) -> dict[str, tuple[str | None, str]]:
    """Return by id what was done, and by which rule."""
    return {it.memory_id: (it.move, it.rule) for it in report.moves}


def everything(memory: AgentMemory, scope: Scope) -> list[Memory]:
    """Return all that is there of somebody."""
    return list(memory.long_term.select(ListQuery(statuses=EVERY), scope=scope))


def hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a legal hold stand on everybody, as the head of a chain says it."""
    from langchain_agentmem.ledger.sql import reader

    plain = reader.head_of
    monkeypatch.setattr(reader, "head_of", lambda *given: replace(plain(*given), is_held=True))


class ForgettingContract(ConversingBase):
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def policy(self) -> ForgettingPolicy | None:
        return ForgettingPolicy()

    @pytest.fixture
    def options(self, clock: Clock, policy: ForgettingPolicy | None) -> MemoryOptions:
        return MemoryOptions(clock=clock, vault=ReversingVault(), forgetting=policy)

    @pytest.fixture
    def bounded(self, database: Database, options: MemoryOptions) -> Callable[..., AgentMemory]:
        """Open the same database under another policy."""

        def opened(**fields: Any) -> AgentMemory:
            chosen = replace(options, forgetting=ForgettingPolicy(**fields))
            return AgentMemory(database, embeddings=WordEmbeddings(), options=chosen)

        return opened

    # --------------------------------------------------------------------------------------------------------- stages
    async def test_what_is_not_used_fades_is_archived_and_erased(
        self, memory: AgentMemory, clock: Clock, call: Call
    ) -> None:
        """Each step an event with rule and reason; the log verifies, and a replay changes nothing."""
        told = tell(memory)
        seen = []
        for wait in (DAY, FADED, OLD - FADED, KEPT_FOR):
            clock.now += wait
            report = await call(memory.forgetting, "forget_cycle", ALICE)
            seen.append(moved(report).get(told.id))
            before = everything(memory, ALICE)
            assert memory.long_term.replay(scope=ALICE) == 1
            assert everything(memory, ALICE) == before
        assert seen == [None, ("fade", "faded"), ("archive", "old_and_rare"), ("erase", "archived")]
        life = memory.long_term.why(told.id, scope=ALICE)
        assert [it.type for it in life.events] == ["remembered", "faded", "forgotten", "erased"]
        assert life.reasons[-1].endswith("it is in the archive")
        assert memory.long_term.verify(scope=ALICE).is_intact

    async def test_a_dry_run_foresees_exactly_what_the_run_does(
        self, memory: AgentMemory, clock: Clock, call: Call
    ) -> None:
        """And changes nothing; a second run has nothing left to do, not even a word in the log."""
        tell(memory)
        tell(memory, "Alice owns a cello", expires_at=clock() + 300 * DAY)
        clock.now += FADED
        ahead = await call(memory.forgetting, "forget_cycle", ALICE, dry_run=True, now=clock.now + 200 * DAY)
        length = memory.long_term.verify(scope=ALICE).events
        clock.now += 200 * DAY
        foreseen = await call(memory.forgetting, "forget_cycle", ALICE, dry_run=True)
        assert memory.long_term.verify(scope=ALICE).events == length
        done = await call(memory.forgetting, "forget_cycle", ALICE)
        assert moved(ahead) == moved(foreseen) == moved(done) != {}
        length = memory.long_term.verify(scope=ALICE).events
        assert (await call(memory.forgetting, "forget_cycle", ALICE)).moves == ()
        assert memory.long_term.verify(scope=ALICE).events == length

    async def test_every_memory_is_told_what_comes_next_and_what_saves_it(
        self, memory: AgentMemory, clock: Clock, call: Call
    ) -> None:
        """The time that was told is the time at which it happens."""
        told = tell(memory)
        fate = cycle(memory, dry_run=True).of(told.id)
        assert fate is not None
        assert (fate.rule, fate.next_move, fate.saved_by) == ("fresh", "fade", ("use", "confirm", "pin"))
        assert fate.next_at is not None
        for at, move in ((fate.next_at - timedelta(hours=1), None), (fate.next_at + timedelta(minutes=2), "fade")):
            then = (await call(memory.forgetting, "forget_cycle", ALICE, dry_run=True, now=at)).of(told.id)
            assert then is not None
            assert then.move == move
        assert clock.now < fate.next_at

    @pytest.mark.parametrize("remedy", ["use", "confirm", "repeat", "pin"])
    def test_what_would_save_it_does(self, memory: AgentMemory, clock: Clock, remedy: str) -> None:
        """A recall that returns it, a confirmation, the same said again, or a pin."""
        told = tell(memory)
        clock.now += 2 * FADED - OLD + 200 * DAY
        save: dict[str, Callable[[], object]] = {
            "use": lambda: memory.long_term.recall("the violin of Alice", scope=ALICE),
            "confirm": lambda: memory.long_term.feedback(told.id, "confirmed", scope=ALICE),
            "repeat": lambda: tell(memory),
            "pin": lambda: memory.long_term.revise(told.id, scope=ALICE, pinned=True),
        }
        save[remedy]()
        clock.now += 100 * DAY
        assert cycle(memory).moves == ()

    async def test_what_faded_ranks_lower_until_it_is_used(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """The receipt says so; what is recalled is fresh again, and the next cycle notes it."""
        told = tell(memory)
        clock.now += FADED
        before = memory.long_term.recall("the violin of Alice", scope=BOB)
        assert len(before) == 0
        cycle(memory)
        [faded] = await call(memory.long_term, "recall", "the violin of Alice", scope=ALICE)
        [fresh] = await call(memory.long_term, "recall", "the violin of Alice", scope=ALICE)
        assert (faded.parts.get("faded"), fresh.parts.get("faded"), faded.score < fresh.score) == (1.0, None, True)
        assert moved(cycle(memory)) == {told.id: ("refresh", "fresh")}
        found = memory.long_term.get(told.id, scope=ALICE)
        assert found is not None
        assert found.faded_at is None

    async def test_the_archive_gives_back_until_it_is_erased(
        self, memory: AgentMemory, clock: Clock, call: Call
    ) -> None:
        """As it was, and with its curve begun anew."""
        told = tell(memory)
        clock.now += OLD
        cycle(memory)
        clock.now += KEPT_FOR - 2 * DAY
        assert cycle(memory).moves == ()
        await call(memory.long_term, "restore", told.id, scope=ALICE)
        clock.now += 2 * DAY
        assert (cycle(memory).moves, status(memory, told.id)) == ((), "active")

    def test_what_was_replaced_is_erased_after_ninety_days(self, memory: AgentMemory, clock: Clock) -> None:
        """What stands in its place stays."""
        old = tell(memory, "Alice lives in Rome")
        new = tell(memory, "Alice lives in Oslo", supersedes=(old.id,))
        clock.now += KEPT_FOR - 2 * DAY
        assert cycle(memory).moves == ()
        clock.now += 2 * DAY
        assert moved(cycle(memory)) == {old.id: ("erase", "superseded")}
        assert (status(memory, old.id), status(memory, new.id)) == ("gone", "active")

    # ---------------------------------------------------------------------------------------------- what never moves
    def test_pins_and_constraints_stay(self, memory: AgentMemory, clock: Clock) -> None:
        """However old; but a pin does not outlive a time that was set for this very memory."""
        tell(memory, pinned=True)
        tell(memory, "Alice must not eat nuts", kind="constraint")
        ends = tell(memory, "Alice owns a cello", pinned=True, expires_at=clock() + 9 * DAY)
        clock.now += 20 * OLD
        assert moved(cycle(memory)) == {ends.id: ("archive", "expired")}

    async def test_under_a_hold_nothing_moves(
        self, memory: AgentMemory, clock: Clock, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Neither by the cycle, nor by what feedback leaves of a confidence; the report says so."""
        told, gone = tell(memory, confidence=0.7), tell(memory, "Alice owns a cello")
        memory.long_term.forget(gone.id, scope=ALICE)
        clock.now += 2 * OLD
        hold(monkeypatch)
        report = await call(memory.forgetting, "forget_cycle", ALICE)
        assert (report.moves, report.is_held, {it.rule for it in report.fates}) == ((), True, {"held"})
        for _ in range(3):
            memory.long_term.feedback(told.id, "failed", scope=ALICE)
        assert (status(memory, told.id), status(memory, gone.id)) == ("active", "archived")

    @pytest.mark.parametrize("mode", ["frozen", "off"])
    def test_frozen_memory_forgets_nothing_by_itself(
        self, memory: AgentMemory, clock: Clock, mode: Literal["frozen", "off"]
    ) -> None:
        """It is read-only; the report says by which rule."""
        tell(memory)
        clock.now += OLD
        frozen = AgentMemory(
            memory._database, embeddings=None, options=replace(memory._options, mode=mode, embedding_name=None)
        )
        assert cycle(frozen).refused == "memory_mode"
        assert not frozen.forgetting.schedule(ALICE)
        assert cycle(memory, Scope.anonymous("s")).refused == "anonymous_scope"

    # ------------------------------------------------------------------------------------------------------ isolation
    def test_a_cycle_is_of_one_user_and_agent(self, memory: AgentMemory, clock: Clock) -> None:
        """What is shared, another agent's, another user's, or another tenant's is neither counted nor changed."""
        writer, other = replace(ALICE, agent_id="writer"), Scope("alice", tenant_id="other")
        memory.consent.grant(other)
        for scope in (ALICE, BOB, other):
            tell(memory, scope=scope)
        own = tell(memory, "Alice owns a cello", writer)
        clock.now += OLD
        before = [everything(memory, it) for it in (ALICE, BOB, other)]
        assert [it.memory_id for it in cycle(memory, writer).fates] == [own.id]
        assert [everything(memory, it) for it in (ALICE, BOB, other)] == before
        assert status(memory, own.id, writer) == "archived"
        assert {it.memory_id for it in cycle(memory).fates}.isdisjoint({own.id, *(it.id for it in before[1])})

    # ------------------------------------------------------------------------------------------------------- capacity
    async def test_where_there_is_no_room_duplicates_become_one_before_anything_goes(
        self, memory: AgentMemory, bounded: Callable[..., AgentMemory], clock: Clock, call: Call
    ) -> None:
        """Then the least retained goes to the archive; a pin is never in the way."""
        pinned = tell(memory, "Alice owns a lute", pinned=True)
        least = tell(memory, "Alice owns a cello")
        clock.now += 9 * DAY
        short, long = tell(memory, "Alice prefers Python"), tell(memory, "Alice strongly prefers Python")
        small = bounded(max_memories=2)
        foreseen = cycle(small, dry_run=True)
        done = await call(small.forgetting, "forget_cycle", ALICE)
        assert (moved(foreseen), foreseen.merged) == (moved(done), done.merged)
        assert (set(done.merged[0]), moved(done)) == ({short.id, long.id}, {least.id: ("archive", "capacity")})
        assert {it.content for it in memory.long_term.list(scope=ALICE)} == {long.content, pinned.content}
        assert (await call(small.forgetting, "forget_cycle", ALICE)).moves == ()

    def test_what_was_used_meanwhile_gives_no_room(
        self, memory: AgentMemory, bounded: Callable[..., AgentMemory], clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whoever has too many loses none that a question has just found: another is judged the next time."""
        least = tell(memory, "Alice owns a cello")
        clock.now += 9 * DAY
        others = [tell(memory, f"Alice owns a {thing}") for thing in ("lute", "boat")]
        small = bounded(max_memories=2)
        carry_out = small.forgetting._flows._carry_out

        def used(*arguments: Any) -> Any:  # noqa: ANN401
            memory.long_term.recall("the cello of Alice", scope=ALICE, limit=1)
            return carry_out(*arguments)

        monkeypatch.setattr(small.forgetting._flows, "_carry_out", used)
        assert small.forgetting.forget_cycle(ALICE).changed == (least.id,)
        assert [status(memory, it.id) for it in (least, *others)] == ["active"] * 3

    # -------------------------------------------------------------------------------------------------- derived things
    @pytest.mark.parametrize("way", ["forget", "erase"])
    def test_what_was_merged_goes_with_its_source(self, memory: AgentMemory, way: str) -> None:
        """The other source stands again; restored, everything is as it was."""
        short, long = tell(memory, "Alice prefers Python"), tell(memory, "Alice strongly prefers Python")
        [merge] = memory.consolidation.run(ALICE).merged
        before = {it.id: it.status for it in everything(memory, ALICE)}
        getattr(memory.long_term, way)(short.id, scope=ALICE)
        gone = "archived" if way == "forget" else "gone"
        assert [status(memory, it) for it in (short.id, str(merge.memory_id), long.id)] == [gone, gone, "active"]
        if way == "forget":
            memory.long_term.restore(short.id, scope=ALICE)
            assert {it.id: it.status for it in everything(memory, ALICE)} == before

    @pytest.mark.parametrize("way", ["forget", "erase"])
    def test_what_was_concluded_goes_with_its_source(self, memory: AgentMemory, way: str) -> None:
        """What keeps failing is said of failures that are there."""
        for detail in ("no quota", "a timeout", "no route"):
            memory.long_term.learn(Outcome(action="deploy()", succeeded=False, detail=detail), scope=ALICE)
        [learned] = memory.consolidation.run(ALICE).learned
        source = next(it for it in everything(memory, ALICE) if "quota" in it.content)
        getattr(memory.long_term, way)(source.id, scope=ALICE)
        assert status(memory, str(learned.memory_id)) == ("archived" if way == "forget" else "gone")
        if way == "forget":
            memory.long_term.restore(source.id, scope=ALICE)
            assert status(memory, str(learned.memory_id)) == "active"

    def test_what_a_conclusion_rests_on_stays_with_it(self, memory: AgentMemory, clock: Clock) -> None:
        """As long as the conclusion is used; what a merge was made of is erased without undoing it."""
        for detail in ("no quota", "a timeout", "no route"):
            memory.long_term.learn(Outcome(action="deploy()", succeeded=False, detail=detail), scope=ALICE)
        tell(memory, "Alice prefers Python"), tell(memory, "Alice strongly prefers Python")
        report = memory.consolidation.run(ALICE)
        learned, merged = str(report.learned[0].memory_id), str(report.merged[0].memory_id)
        clock.now += OLD
        for memory_id in (learned, merged):
            memory.long_term.feedback(memory_id, "confirmed", scope=ALICE)
        done = cycle(memory)
        assert (status(memory, learned), status(memory, merged)) == ("active", "active")
        assert {it.rule for it in done.fates} == {"fresh", "supports", "superseded"}
        assert set(done.erased) == set(report.merged[0].sources)
        assert memory.long_term.verify(scope=ALICE).is_intact

    @pytest.mark.parametrize("way", ["cycle", "forget", "erase"])
    def test_profile_entities_and_goals_lose_what_was_forgotten(
        self, memory: AgentMemory, clock: Clock, way: str
    ) -> None:
        """They are projections of what is there. A cycle leaves the profile: to be shown in every turn is no use."""
        memory.profiles.set("name", "Alice", scope=ALICE)
        memory.goals.add("Alice wants to see Rome", scope=ALICE)
        tell(memory, "Alice works with Bruno", subject="Alice", relation="works_with", object="Bruno")

        def shown() -> tuple[str | None, int, int]:
            names = [it.name for it in memory.entities.list(scope=ALICE)]
            return memory.profiles.get(scope=ALICE).name, len(memory.goals.open(scope=ALICE)), names.count("Bruno")

        assert shown() == ("Alice", 1, 1)
        if way == "cycle":
            clock.now += OLD
            assert "profile" in {it.rule for it in cycle(memory).fates}
        for it in everything(memory, ALICE) if way != "cycle" else ():
            getattr(memory.long_term, way)(it.id, scope=ALICE)
        assert shown() == ("Alice" if way == "cycle" else None, 0, 0)

    def test_what_was_erased_is_in_no_receipt(self, memory: AgentMemory, clock: Clock) -> None:
        """The words of questions may say it."""
        tell(memory)
        found = memory.long_term.recall("where is the violin of Alice?", scope=ALICE)
        for wait in (2 * OLD, KEPT_FOR):
            clock.now += wait
            cycle(memory)
        memory.consent.grant(ALICE)
        assert "violin" not in repr(memory.long_term.receipt(str(found.receipt_id), scope=ALICE).plan)
        assert everything(memory, ALICE) == []

    # ----------------------------------------------------------------------------------------------------------- jobs
    async def test_a_cycle_is_a_job_and_comes_round_once_a_day(
        self, memory: AgentMemory, clock: Clock, call: Call
    ) -> None:
        """Of every user and agent; asked for again before it is done, it is one."""
        writer = replace(ALICE, agent_id="writer")
        told = [tell(memory), tell(memory, "Bob owns a lute", BOB), tell(memory, "Alice owns a cello", writer)]
        for _ in range(2):
            assert await call(memory.forgetting, "schedule", ALICE)
        assert [it.kind for it in memory.jobs.list()].count(FORGET_JOB) == 1
        clock.now += OLD
        assert (await call(memory.jobs, "run")).failed == 0  # queues the round's
        assert (await call(memory.jobs, "run")).failed == 0
        scopes = (ALICE, BOB, writer)
        assert [status(memory, it.id, scope) for it, scope in zip(told, scopes, strict=True)] == ["archived"] * 3

    def test_a_lost_job_writes_nothing(self, memory: AgentMemory, clock: Clock) -> None:
        """Another worker has it, and does it."""
        told = tell(memory)
        clock.now += OLD

        def lost(_writer: LedgerWriter) -> None:
            msg = "another worker's"
            raise ConflictError(msg)

        with pytest.raises(ConflictError):
            run(flows_of(memory.forgetting).cycle(ALICE, check=lost))
        assert status(memory, told.id) == "active"

    def test_what_was_used_meanwhile_is_left(
        self, memory: AgentMemory, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Judged again in the transaction that would move it."""
        told = tell(memory)
        clock.now += OLD
        forgetting = memory.forgetting
        carry_out = forgetting._flows._carry_out

        def used(*arguments: Any) -> Any:  # noqa: ANN401
            memory.long_term.recall("the violin of Alice", scope=ALICE)
            return carry_out(*arguments)

        monkeypatch.setattr(forgetting._flows, "_carry_out", used)
        report = cycle(memory)
        assert (report.changed, status(memory, told.id)) == ((told.id,), "active")

    @pytest.mark.parametrize("writes", ["inline", "background"])
    async def test_a_node_forgets_at_the_end_of_a_turn(
        self, memory: AgentMemory, clock: Clock, call: Call, writes: Literal["inline", "background"]
    ) -> None:
        """Inline, and the report lists it; or as a job."""
        told = tell(memory)
        clock.now += OLD
        node = ForgetCycle(memory, settings=NodeSettings(writes=writes, scope=replace(ALICE, session_id="s")))
        update = await call(node, "invoke", {"messages": [HumanMessage("Hello", id="h")]})
        if writes == "background":
            assert status(memory, told.id) == "active"
            memory.jobs.run()
        else:
            assert [it["id"] for it in update["memory"]["forgotten"]] == [told.id]
        assert status(memory, told.id) == "archived"

    def test_the_future_is_foreseen_and_not_hastened(self, memory: AgentMemory, clock: Clock) -> None:
        """`now` is for dry runs, and has a zone."""
        with pytest.raises(ConfigurationError, match="dry_run=True"):
            cycle(memory, now=clock())
        with pytest.raises(ConfigurationError, match="now"):
            cycle(memory, dry_run=True, now=clock().replace(tzinfo=None))
