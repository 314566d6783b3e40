"""The contract of time travel: the log is read back, looked along, and gone back on without being rewritten."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from langchain_agentmem import (
    AgentMemory,
    Candidate,
    ConfigurationError,
    ConsentError,
    GovernanceError,
    Memory,
    NotFoundError,
    Scope,
    ScopeError,
    SensitivePolicy,
)
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.policies.protecting import Strategy
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Provenance
from tests.conftest import Call
from tests.contracts.profiles_contract import ANA, BOB, START, Clock
from tests.fake_embeddings import WordEmbeddings
from tests.spelled import spelled

CODER: Final = replace(ANA, agent_id="coder")
WRITER: Final = replace(ANA, agent_id="writer")
PLACES: Final = ("Graz", "Linz", "Wels", "Enns")
Act: TypeAlias = tuple[str, int, int]
Keep: TypeAlias = Callable[..., Awaitable[Memory]]


def lives_in(place: str, run_id: str | None = None) -> Candidate:
    """A statement of which the later replaces the earlier one."""
    said = {"subject": "user", "relation": "lives in", "object": place}
    return Candidate(content=f"Ana lives in {place}", provenance=Provenance(run_id=run_id), **said)  # type: ignore[arg-type]  # texts all


def bare(memories: Sequence[Memory]) -> dict[str, Memory]:
    """Memories by id, without the number of their last event."""
    return {it.id: replace(it, revision=0) for it in memories}


class TimelineContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    async def memory(self, sql_url: str, clock: Clock, own_call: Call) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(clock=clock)
        async with AgentMemory(Database(sql_url), embeddings=WordEmbeddings(), options=options) as memory:
            for scope in (ANA, BOB):
                await own_call(memory.consent, "grant", scope)
            yield memory

    @pytest.fixture
    def keep(self, memory: AgentMemory, call: Call) -> Keep:
        async def keep(said: str | Candidate, scope: Scope = ANA) -> Memory:
            kept: Memory = (await call(memory.long_term, "remember", said, scope=scope)).require()
            return kept

        return keep

    # ---------------------------------------------------------------------------------------------------------- events
    async def test_events_are_read_in_pages_and_by_what_is_asked_for(
        self, memory: AgentMemory, keep: Keep, call: Call
    ) -> None:
        """Every event comes once, in order; type, memory, time and number each choose some."""
        first = await keep("Ana plays the cello")
        await keep("Ana owns a boat")
        await call(memory.long_term, "forget", first.id, scope=ANA)
        whole = await call(memory.timeline, "events", ANA)
        assert [it.seq for it in whole] == list(range(1, len(whole) + 1))
        page = await call(memory.timeline, "events", ANA, limit=2)
        rest = await call(memory.timeline, "events", ANA, cursor=page.cursor)
        assert [*page, *rest] == [*page, *await call(memory.timeline, "events", ANA, since=2)] == [*whole]
        chosen = await call(memory.timeline, "events", ANA, types=("remembered",))
        assert [it.type for it in chosen] == ["remembered"] * 2
        of_one = await call(memory.timeline, "events", ANA, memory_id=first.id, until=whole[-1].at)
        assert [it.type for it in of_one] == ["remembered"]
        later = await call(memory.timeline, "events", ANA, since=whole[2].at, until=3)
        assert [it.seq for it in later] == [3]

    async def test_what_was_erased_leaves_events_without_words(
        self, memory: AgentMemory, keep: Keep, call: Call
    ) -> None:
        """The line of time still shows that something happened, and when; not what, nor in any look back."""
        kept = await keep("Ana keeps a raven")
        then = (await call(memory.timeline, "events", ANA))[-1].seq
        await call(memory.long_term, "erase", kept.id, scope=ANA)
        life = await call(memory.timeline, "events", ANA, memory_id=kept.id)
        assert [(it.type, it.payload is None) for it in life] == [("remembered", True), ("erased", False)]
        back = await call(memory.timeline, "as_of", then, scope=ANA)
        assert (list(back), back.erased) == ([], (kept.id,))
        assert (await call(memory.timeline, "diff", then, scope=ANA)).erased == (kept.id,)
        assert "raven" not in spelled(life, back)

    async def test_an_agent_sees_its_own_events_and_the_shared_ones(
        self, memory: AgentMemory, keep: Keep, call: Call
    ) -> None:
        """Another agent's memories are in no page, no snapshot and no difference, not even when they are erased."""
        own, other, shared = await keep("tabs", CODER), await keep("spaces", WRITER), await keep("Ana owns a boat")
        for erased in (False, True):
            seen = [
                *(await call(memory.timeline, "events", CODER)),
                *(await call(memory.timeline, "as_of", memory.long_term.now(), scope=CODER)),
                (await call(memory.timeline, "diff", 0, scope=CODER)),
            ]
            assert other.id not in spelled(seen)
            assert {own.id, shared.id} <= {it.memory_id for it in await call(memory.timeline, "events", CODER)}
            assert own.id not in spelled([*(await call(memory.timeline, "events", ANA))])
            if not erased:
                await call(memory.long_term, "erase", own.id, scope=CODER)
                await call(memory.long_term, "erase", other.id, scope=WRITER)

    # ----------------------------------------------------------------------------------------------------------- as of
    async def test_now_is_what_is_listed(self, memory: AgentMemory, keep: Keep, call: Call) -> None:
        """`as_of` of this moment and `list` are the same memories in the same order, for every agent."""
        for number, place in enumerate(PLACES):
            await keep(lives_in(place))
            await keep(f"the coder likes tool number {number}", CODER)
        await call(memory.long_term, "forget", (await keep("Ana owns a boat")).id, scope=ANA)
        for scope in (ANA, CODER, WRITER, BOB):
            back = await call(memory.timeline, "as_of", memory.long_term.now(), scope=scope)
            assert list(back) == list(await call(memory.long_term, "list", scope=scope))

    async def test_the_past_is_what_was_believed_then(self, memory: AgentMemory, keep: Keep, call: Call) -> None:
        """What was corrected since is believed in the past; what was learned since is not known there."""
        graz = await keep(lives_in("Graz"))
        then = memory.long_term.now()
        linz = await keep(lives_in("Linz"))
        assert linz.supersedes == (graz.id,)
        assert bare(await call(memory.timeline, "as_of", then, scope=ANA)) == bare([graz])
        assert bare(await call(memory.timeline, "as_of", graz.revision, scope=ANA)) == bare([graz])
        assert len(await call(memory.timeline, "as_of", START - timedelta(days=1), scope=ANA)) == 0
        assert len(await call(memory.timeline, "as_of", then, scope=ANA, kinds=("goal",))) == 0

    async def test_the_two_times_are_two_questions(self, memory: AgentMemory, keep: Keep, call: Call) -> None:
        """`t` asks when it was believed, `valid_at` when it was true of the world."""
        moved = START - timedelta(days=100)
        await keep(replace(lives_in("Graz"), valid_at=START - timedelta(days=900)))
        before = memory.long_term.now()
        await keep(replace(lives_in("Linz"), valid_at=moved))
        for t, at, place in (
            (memory.long_term.now(), moved + timedelta(days=1), "Linz"),
            (memory.long_term.now(), moved - timedelta(days=1), "Graz"),
            (before, moved + timedelta(days=1), "Graz"),
        ):
            back = await call(memory.timeline, "as_of", t, scope=ANA, valid_at=at)
            assert [it.object for it in back] == [place]

    async def test_what_expires_is_believed_until_then(self, memory: AgentMemory, keep: Keep, call: Call) -> None:
        """No event tells of it: time alone ends it, and a difference says so."""
        ends = START + timedelta(hours=1)
        await keep(Candidate(content="Ana is in a meeting", expires_at=ends))
        for at, count in ((ends - timedelta(minutes=1), 1), (ends, 0)):
            assert len(await call(memory.timeline, "as_of", at, scope=ANA)) == count
        gone = (await call(memory.timeline, "diff", ends - timedelta(minutes=1), ends, scope=ANA)).ended
        assert [(it.event, it.reason) for it in gone] == [(None, "it expired")]

    async def test_a_clock_that_goes_back_changes_no_order(
        self, memory: AgentMemory, keep: Keep, call: Call, clock: Clock
    ) -> None:
        """Events go on by their numbers; what is believed now is what was said last, and the way back is by number."""
        graz = await keep(lives_in("Graz"))
        clock.now -= timedelta(days=30)
        linz = await keep(lives_in("Linz"))
        events = await call(memory.timeline, "events", ANA)
        assert (linz.supersedes, events[-1].at < events[-2].at or events[-2].at < events[-3].at) == ((graz.id,), True)
        for moment in (linz.revision, memory.long_term.now(), graz.created_at + timedelta(days=1)):
            assert [it.object for it in await call(memory.timeline, "as_of", moment, scope=ANA)] == ["Linz"]
        assert [it.object for it in await call(memory.timeline, "as_of", graz.revision, scope=ANA)] == ["Graz"]
        done = await call(memory.timeline, "rollback", ANA, to=graz.revision)
        before = await call(memory.long_term, "list", scope=ANA)
        assert [it.object for it in before] == ["Graz"]
        await call(memory.long_term, "replay", scope=ANA)
        assert list(await call(memory.long_term, "list", scope=ANA)) == list(before)
        await call(memory.timeline, "undo", done[0].event, scope=ANA)
        assert [it.object for it in await call(memory.long_term, "list", scope=ANA)] == ["Linz"]
        assert (await call(memory.long_term, "verify", scope=ANA)).is_intact

    # ------------------------------------------------------------------------------------------------------------ diff
    async def test_a_difference_names_field_event_and_reason(self, memory: AgentMemory, keep: Keep, call: Call) -> None:
        """Added, changed and ended, each with the event that did it and why."""
        boat, graz = await keep("Ana owns a boat"), await keep(lives_in("Graz"))
        then = graz.revision
        await call(memory.long_term, "revise", boat.id, scope=ANA, reason="she said more", content="Ana owns two boats")
        linz = await keep(lives_in("Linz"))
        found = await call(memory.timeline, "diff", then, scope=ANA)
        [content] = [it for it in found.changed if it.field == "content"]
        assert (content.before, content.after) == ("Ana owns a boat", "Ana owns two boats")
        assert (content.memory_id, content.event, content.reason) == (boat.id, then + 1, "she said more")
        assert [(it.memory.id, it.event) for it in found.added] == [(linz.id, linz.revision)]
        assert [(it.memory.id, it.reason) for it in found.ended] == [(graz.id, "a later statement replaced it")]
        assert not await call(memory.timeline, "diff", then, then, scope=ANA)

    # -------------------------------------------------------------------------------------------------------- rollback
    async def test_a_rollback_takes_everything_back_and_says_what(
        self, memory: AgentMemory, keep: Keep, call: Call
    ) -> None:
        """Revised, replaced, forgotten and new memories are what they were; the log has grown and is intact."""
        boat, graz = await keep("Ana owns a boat"), await keep(lives_in("Graz"))
        then = await call(memory.timeline, "as_of", graz.revision, scope=ANA)
        await call(memory.long_term, "revise", boat.id, scope=ANA, content="Ana owns two boats")
        linz = await keep(lives_in("Linz"))
        await call(memory.long_term, "forget", boat.id, scope=ANA)
        seen = await call(memory.timeline, "rollback", ANA, to=graz.revision, dry_run=True)
        length = (await call(memory.long_term, "verify", scope=ANA)).events
        done = await call(memory.timeline, "rollback", ANA, to=graz.revision, reason="a bad import")
        assert [it.undoes for it in done] == [it.undoes for it in seen]
        assert {it.memory_id: it.is_forgotten for it in done} == {boat.id: False, graz.id: False, linz.id: True}
        assert bare(await call(memory.long_term, "list", scope=ANA)) == bare(then)
        checked = await call(memory.long_term, "verify", scope=ANA)
        assert (checked.events, checked.is_intact) == (length + 3, True)
        assert "a bad import" in (await call(memory.long_term, "why", boat.id, scope=ANA)).reasons[-1]
        hits = await call(memory.long_term, "recall", "where does Ana live", scope=ANA)
        assert [hit.memory.object for hit in hits if hit.memory.relation] == ["Graz"]

    async def test_what_a_rollback_forgot_can_be_restored(self, memory: AgentMemory, keep: Keep, call: Call) -> None:
        """It is forgotten like anything forgotten, and found again by its words once it is restored."""
        start = (await call(memory.timeline, "events", ANA))[-1].seq
        boat = await keep("Ana owns a boat")
        await call(memory.timeline, "rollback", ANA, to=start)
        assert len(await call(memory.long_term, "recall", "a boat", scope=ANA)) == 0
        back = await call(memory.long_term, "restore", boat.id, scope=ANA)
        assert (back.status, back.expired_at) == ("active", None)
        assert [it.memory.id for it in await call(memory.long_term, "recall", "a boat", scope=ANA)] == [boat.id]

    async def test_a_rollback_names_what_was_forgotten_by_request(
        self, memory: AgentMemory, keep: Keep, call: Call
    ) -> None:
        """What the user wished away since comes back with all else, and is not passed over in silence."""
        boat, cello = await keep("Ana owns a boat"), await keep("Ana plays the cello")
        await call(memory.long_term, "forget", boat.id, scope=ANA)
        await call(memory.long_term, "revise", cello.id, scope=ANA, content="Ana plays the viola")
        seen = await call(memory.timeline, "rollback", ANA, to=cello.revision, dry_run=True)
        assert "1 memories come back that were forgotten by request" in str(seen.notes)
        await call(memory.timeline, "rollback", ANA, to=cello.revision + 1)
        later = await call(memory.timeline, "rollback", ANA, to=cello.revision + 1)
        assert "by request" not in str(later.notes)

    async def test_what_was_erased_stays_erased(self, memory: AgentMemory, keep: Keep, call: Call) -> None:
        """Neither a rollback nor an undo brings a word back, and both say so."""
        raven, boat = await keep("Ana keeps a raven"), await keep("Ana owns a boat")
        await call(memory.long_term, "erase", raven.id, scope=ANA)
        gone = (await call(memory.timeline, "events", ANA))[-1].seq
        await call(memory.long_term, "forget", boat.id, scope=ANA)
        done = await call(memory.timeline, "rollback", ANA, to=boat.revision)
        assert (done.erased, [it.memory_id for it in done]) == ((raven.id,), [boat.id])
        assert "stay erased" in done.notes[0]
        for seq in (raven.revision, gone):
            with pytest.raises(GovernanceError, match="erased"):
                await call(memory.timeline, "undo", seq, scope=ANA)
        assert (await call(memory.long_term, "verify", scope=ANA)).is_intact

    async def test_consent_is_never_rolled_back(self, memory: AgentMemory, keep: Keep, call: Call) -> None:
        """What the user allows now holds; a rollback names the change, an undo refuses it, and both need consent."""
        boat = await keep("Ana owns a boat")
        await call(memory.consent, "grant", ANA, purposes=("support",))
        granted = await call(memory.consent, "status", ANA)
        await call(memory.long_term, "forget", boat.id, scope=ANA)
        done = await call(memory.timeline, "rollback", ANA, to=boat.revision)
        assert await call(memory.consent, "status", ANA) == granted
        assert any("consent was changed" in it for it in done.notes)
        assert "consent" in done.untouched
        with pytest.raises(GovernanceError, match="consent"):
            await call(memory.timeline, "undo", boat.revision + 1, scope=ANA)
        await call(memory.consent, "withdraw", ANA)
        with pytest.raises(ConsentError):
            await call(memory.timeline, "rollback", ANA, to=0)

    @pytest.mark.parametrize("strategy", ["block", "mask"])
    async def test_no_way_back_brings_words_that_a_policy_takes_out_now(
        self, memory: AgentMemory, strategy: Strategy, call: Call
    ) -> None:
        """Kept under an earlier policy and corrected since: it stays corrected, which is said; all else goes back."""

        def under(rules: dict[str, Strategy]) -> AgentMemory:
            options = MemoryOptions(sensitive=SensitivePolicy(rules=rules))
            return AgentMemory(memory._database, embeddings=None, options=options)

        lax, strict = under({"*": "keep"}), under({"email": strategy})
        mail = (await call(lax.long_term, "remember", "Ana's mail is ana@example.org", scope=ANA)).require()
        boat = (await call(lax.long_term, "remember", "Ana owns a boat", scope=ANA)).require()
        await call(lax.long_term, "revise", mail.id, scope=ANA, content="Ana has a mailbox")
        corrected = (await call(lax.timeline, "events", ANA))[-1].seq
        await call(lax.long_term, "revise", boat.id, scope=ANA, content="Ana owns a raft")
        done = await call(strict.timeline, "rollback", ANA, to=boat.revision)
        undone = await call(strict.timeline, "undo", corrected, scope=ANA)
        assert [[it.memory_id for it in each] for each in (done, undone)] == [[boat.id], []]
        assert all("held sensitive data that may not be kept now" in str(it.notes) for it in (done, undone))
        said = {it.content for it in (await call(strict.long_term, "list", scope=ANA)).items}
        assert said == {"Ana has a mailbox", "Ana owns a boat"}
        assert [it.memory_id for it in await call(lax.timeline, "undo", corrected, scope=ANA)] == [mail.id]

    async def test_consent_that_has_expired_takes_nothing_back(
        self, memory: AgentMemory, keep: Keep, clock: Clock, call: Call
    ) -> None:
        """It counts as none for a way back as for every other write, whether anybody noted its end or not."""
        await call(memory.consent, "grant", ANA, expires_at=clock() + timedelta(days=1))
        linz = await keep(lives_in("Linz"))
        wels = await keep(lives_in("Wels"))
        clock.now += timedelta(days=2)
        for name, asked in (("rollback", {"to": linz.revision}), ("undo", {"event": wels.revision})):
            with pytest.raises(ConsentError, match="has expired"):
                await call(memory.timeline, name, **asked, scope=ANA)

    async def test_a_rollback_to_a_run_takes_back_what_the_run_wrote(
        self, memory: AgentMemory, keep: Keep, call: Call
    ) -> None:
        """To before its first memory; a run that wrote nothing is named."""
        graz = await keep(lives_in("Graz", "run-1"))
        await keep(lives_in("Linz", "run-2"))
        await call(memory.timeline, "rollback", ANA, to="run-2")
        assert bare(await call(memory.long_term, "list", scope=ANA)) == bare([graz])
        with pytest.raises(NotFoundError, match="run-9"):
            await call(memory.timeline, "rollback", ANA, to="run-9")

    async def test_nothing_is_rolled_back_to_what_is_yet_to_come(
        self, memory: AgentMemory, keep: Keep, call: Call, clock: Clock
    ) -> None:
        """A time or an event after all that happened is refused, and where the log ends is said."""
        boat = await keep("Ana owns a boat")
        for to in (clock.now + timedelta(days=400), boat.revision + 1):
            with pytest.raises(ConfigurationError, match=f"ends at event {boat.revision};"):
                await call(memory.timeline, "rollback", ANA, to=to, dry_run=True)
        assert not await call(memory.timeline, "rollback", ANA, to=memory.long_term.now())

    async def test_an_agents_rollback_leaves_the_others_alone(
        self, memory: AgentMemory, keep: Keep, call: Call
    ) -> None:
        """It takes back what the agent sees; memories of other agents and users do not move."""
        start = (await call(memory.timeline, "events", ANA))[-1].seq
        await keep("tabs", CODER)
        others = {scope: await keep("Spaces are fine", scope) for scope in (WRITER, BOB)}
        await call(memory.timeline, "rollback", CODER, to=start)
        assert len(await call(memory.long_term, "list", scope=CODER)) == 0
        for scope, kept in others.items():
            assert list(await call(memory.long_term, "list", scope=scope)) == [kept]
            assert (await call(memory.long_term, "verify", scope=scope)).is_intact

    # ------------------------------------------------------------------------------------------------------------ undo
    async def test_undoing_a_memory_brings_back_what_it_replaced(
        self, memory: AgentMemory, keep: Keep, call: Call
    ) -> None:
        """One write is taken back whole; undoing that brings it back again, with vectors and all."""
        graz, linz = await keep(lives_in("Graz")), await keep(lives_in("Linz"))
        done = await call(memory.timeline, "undo", linz.revision, scope=ANA)
        assert bare(await call(memory.long_term, "list", scope=ANA)) == bare([graz])
        again = await call(memory.timeline, "undo", done[-1].event, scope=ANA)
        assert len(again) == len(done) == 2
        assert bare(await call(memory.long_term, "list", scope=ANA)) == bare([linz])
        hits = await call(memory.long_term, "recall", "where does Ana live", scope=ANA)
        assert [hit.memory.id for hit in hits] == [linz.id]

    async def test_a_revision_undone_is_found_by_its_old_words(
        self, memory: AgentMemory, keep: Keep, call: Call
    ) -> None:
        """The vector follows the text."""
        boat = await keep("Ana owns a boat")
        changed = await call(memory.long_term, "revise", boat.id, scope=ANA, content="Ana rents a garage")
        await call(memory.timeline, "undo", changed.memory.revision, scope=ANA)
        assert [it.memory.id for it in await call(memory.long_term, "recall", "a boat", scope=ANA)] == [boat.id]
        assert len(await call(memory.long_term, "recall", "garage", scope=ANA)) == 0
        reindexed = await call(memory.long_term, "reindex")
        assert reindexed.embedded == 0

    async def test_what_later_events_build_upon_is_not_undone_alone(
        self, memory: AgentMemory, keep: Keep, call: Call
    ) -> None:
        """The refusal names them; asked for, they are taken back together."""
        boat = await keep("Ana owns a boat")
        for content in ("Ana owns two boats", "Ana owns three boats"):
            await call(memory.long_term, "revise", boat.id, scope=ANA, content=content)
        first = boat.revision + 1
        with pytest.raises(GovernanceError, match=f"event {first + 1} changed content") as refused:
            await call(memory.timeline, "undo", first, scope=ANA)
        assert refused.value.rule == "later_events"
        done = await call(memory.timeline, "undo", first, scope=ANA, with_later=True)
        assert done[0].undoes == (first, first + 1)
        assert (await call(memory.long_term, "get", boat.id, scope=ANA)).content == "Ana owns a boat"

    async def test_what_was_replaced_comes_back_only_without_its_successor(
        self, memory: AgentMemory, keep: Keep, call: Call
    ) -> None:
        """Two memories that contradict each other are never both believed by an undo."""
        graz, linz = await keep(lives_in("Graz")), await keep(lives_in("Linz"))
        ended = linz.revision - 1
        with pytest.raises(GovernanceError, match=f"memory '{linz.id}' stands for it"):
            await call(memory.timeline, "undo", ended, scope=ANA)
        await call(memory.timeline, "undo", ended, scope=ANA, with_later=True)
        assert bare(await call(memory.long_term, "list", scope=ANA)) == bare([graz])

    async def test_an_undo_of_nothing_says_so(self, memory: AgentMemory, keep: Keep, call: Call) -> None:
        """What is not there, is another's, or changed no memory is refused; what is undone already changes nothing."""
        own = await keep("tabs", CODER)
        boat = await keep("Ana owns a boat")
        for seq, scope in ((99, ANA), (own.revision, WRITER), (own.revision, ANA), (own.revision, BOB)):
            with pytest.raises(NotFoundError):
                await call(memory.timeline, "undo", seq, scope=scope)
        await call(memory.timeline, "undo", boat.revision, scope=ANA)
        again = await call(memory.timeline, "undo", boat.revision, scope=ANA)
        assert (len(again), again.notes) == (0, ("nothing of it is in effect any more",))

    # ------------------------------------------------------------------------------------------------------- bad input
    @pytest.mark.parametrize(
        ("method", "given"),
        [
            ("as_of", ("yesterday",)),
            ("as_of", (datetime(2026, 1, 1),)),  # noqa: DTZ001  (without a zone on purpose)
            ("as_of", (-1,)),
            ("as_of", (10_000,)),
            ("diff", (3, 1)),
            ("undo", ("three",)),
            ("undo", (True,)),
        ],
    )
    async def test_a_moment_that_cannot_be_is_refused(
        self, memory: AgentMemory, keep: Keep, call: Call, method: str, given: tuple[Any, ...]
    ) -> None:
        """The message names the value and what works."""
        await keep("Ana owns a boat")
        with pytest.raises((ConfigurationError, NotFoundError)):
            await call(memory.timeline, method, *given, scope=ANA)
        for bad in ("ana", None, Scope.anonymous("s")):
            with pytest.raises(ScopeError):
                await call(memory.timeline, method, 0 if method != "undo" else 1, scope=bad)
            with pytest.raises(ScopeError):
                await call(memory.timeline, "rollback", bad, to=0)
            with pytest.raises(ScopeError):
                await call(memory.timeline, "events", bad)

    async def test_frozen_memory_is_looked_at_and_not_gone_back_on(
        self, memory: AgentMemory, sql_url: str, keep: Keep, call: Call
    ) -> None:
        """A dry run is a look; a rollback would write."""
        boat = await keep("Ana owns a boat")
        frozen = AgentMemory(memory._database, embeddings=None, options=MemoryOptions(mode="frozen"))
        assert len(await call(frozen.timeline, "rollback", ANA, to=0, dry_run=True)) == 1
        with pytest.raises(GovernanceError, match="read-only"):
            await call(frozen.timeline, "rollback", ANA, to=0)
        with pytest.raises(GovernanceError, match="read-only"):
            await call(frozen.timeline, "undo", boat.revision, scope=ANA)

    # ------------------------------------------------------------------------------------------------------------ laws
    @settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
    @given(
        acts=st.lists(
            st.tuples(
                st.sampled_from(["tell", "tell", "revise", "forget", "restore", "erase", "undo", "rollback"]),
                st.integers(0, 7),
                st.integers(0, 30),
            ),
            max_size=12,
        ),
        back=st.integers(0, 30),
    )
    def test_whatever_happened_the_laws_of_time_hold(self, sql_url: str, acts: list[Act], back: int) -> None:
        """Replay changes nothing; now is the list; a rollback is the past but for the erased, and undone it is gone."""
        memory = AgentMemory(
            Database(sql_url), embeddings=None, options=MemoryOptions(clock=Clock(), consent="assumed")
        )
        user = Scope(f"u{abs(hash((tuple(acts), back)))}")
        with memory:
            for act in acts:
                done(memory, user, act)
            everything = rows_of(memory, user)
            memory.long_term.replay(scope=user)
            assert rows_of(memory, user) == everything
            assert list(memory.timeline.as_of(memory.long_term.now(), scope=user)) == list(
                memory.long_term.list(scope=user)
            )
            head = memory.long_term.verify(scope=user).events
            to = min(back, head)
            reversal = memory.timeline.rollback(user, to=to)
            then = memory.timeline.as_of(to, scope=user)
            assert bare(memory.timeline.as_of(memory.long_term.now(), scope=user)) == bare(then)
            assert memory.long_term.verify(scope=user).is_intact
            if reversal:
                memory.timeline.undo(reversal[0].event or 0, scope=user)
            assert unrevised(rows_of(memory, user)) == unrevised(everything)
            assert memory.long_term.verify(scope=user).is_intact


def done(memory: AgentMemory, user: Scope, act: Act) -> None:
    """Do one of the acts of a life, where it can be done."""
    name, which, seq = act
    known = [it.memory_id for it in memory.timeline.events(user, types=("remembered",))]
    try:
        if name == "tell":
            memory.long_term.remember(lives_in(PLACES[which % 4]) if which < 6 else f"Ana owns boat {seq}", scope=user)
        elif name == "undo":
            memory.timeline.undo(seq, scope=user, with_later=bool(which % 2))
        elif name == "rollback":
            memory.timeline.rollback(user, to=seq)
        elif known:
            changes = {"content": f"Ana said {seq}"} if name == "revise" else {}
            getattr(memory.long_term, name)(known[which % len(known)], scope=user, **changes)
    except (NotFoundError, ConfigurationError, GovernanceError):
        return


def rows_of(memory: AgentMemory, user: Scope) -> dict[str, Memory]:
    """Every memory of a user, of any status."""
    ids = [it.memory_id for it in memory.timeline.events(user, types=("remembered",))]
    found = (memory.long_term.get(str(it), scope=user) for it in ids)
    return {it.id: it for it in found if it is not None}


def unrevised(rows: dict[str, Memory]) -> dict[str, Memory]:
    """The same without the number of the last event."""
    return bare([*rows.values()])
