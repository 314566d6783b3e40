"""What an undo with later events leaves: the state as if what is undone had never been written."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from langchain_agentmem import AgentMemory, Candidate, GovernanceError, Memory, MemoryOptions, Scope
from langchain_agentmem.policies.settling import Strategy
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import ApprovalOutcome
from tests.conftest import Call
from tests.contracts.profiles_contract import Clock

ALICE: Final = Scope("alice")
LEEDS: Final = "I live in Leeds"
BATH: Final = "I moved to Bath"
YORK: Final = "I moved to York"
CHAIN: Final = (LEEDS, BATH, YORK)
WHERE: Final = "where do I live, did I move to Leeds, Bath or York?"


class Mover:
    """A user who says where they live, more than once."""

    def __init__(self, memory: AgentMemory, call: Call, clock: Clock) -> None:
        self.memory, self.call, self.clock = memory, call, clock
        self.ids: dict[str, str] = {}

    async def say(self, *said: str | Candidate) -> None:
        """Remember statements."""
        for it in said:
            told = await self.call(self.memory.long_term, "remember", it, scope=ALICE)
            self.ids[it if isinstance(it, str) else it.content] = told.memory.id

    async def approve(self, said: str) -> ApprovalOutcome:
        """Approve what waits."""
        waiting = await self.call(self.memory.approvals, "list", ALICE)
        asked = next(it for it in waiting if it.memory.content == said)
        [outcome] = await self.call(self.memory.approvals, "decide", [asked.approve()], scope=ALICE, decided_by="carol")
        found: ApprovalOutcome = outcome
        return found

    async def seq(self, kind: str, said: str) -> int:
        """Return the last event of a kind that a statement had."""
        life = await self.call(self.memory.timeline, "events", ALICE, memory_id=self.ids[said])
        return int([it.seq for it in life if it.type == kind][-1])

    async def undo(self, kind: str, said: str, **options: Any) -> Any:  # noqa: ANN401  (a reversal)
        """Take back the last event of a kind that a statement had."""
        return await self.call(self.memory.timeline, "undo", await self.seq(kind, said), scope=ALICE, **options)

    async def get(self, said: str) -> Memory:
        """Return the memory of a statement."""
        found: Memory | None = await self.call(self.memory.long_term, "get", self.ids[said], scope=ALICE)
        assert found is not None
        return found

    async def statuses(self, *said: str) -> list[str]:
        """Return what statements are."""
        return [(await self.get(it)).status for it in said or CHAIN]

    async def rows(self) -> dict[str, Memory]:
        """Return every memory, without the number of its last event."""
        return {said: replace(await self.get(said), revision=0) for said in self.ids}

    async def believed(self) -> list[str]:
        """Return what is in force, which a look back at this moment and a recall agree with."""
        listed = sorted(it.content for it in await self.call(self.memory.long_term, "list", scope=ALICE))
        now = self.memory.long_term.now()
        back = await self.call(self.memory.timeline, "as_of", now, scope=ALICE, valid_at=now)
        recalled = await self.call(self.memory.long_term, "recall", WHERE, scope=ALICE)
        assert sorted(it.content for it in back) == listed
        assert recalled
        assert {it.memory.content for it in recalled} <= {*listed}
        assert (await self.call(self.memory.long_term, "verify", scope=ALICE)).is_intact
        return listed


class UndoLaterContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @asynccontextmanager
    async def opened(self, url: str, call: Call, clock: Clock, conflicts: Strategy) -> AsyncIterator[Mover]:
        """A user under a rule for conflicts."""
        options = MemoryOptions(clock=clock, consent="assumed", conflicts=conflicts)
        async with AgentMemory(Database(url), embeddings=None, options=options) as memory:
            yield Mover(memory, call, clock)

    @pytest.fixture
    async def mover(self, sql_url: str, call: Call, clock: Clock) -> AsyncIterator[Mover]:
        """A user whose later statements replace earlier ones."""
        async with self.opened(sql_url, call, clock, "confident") as mover:
            yield mover

    @pytest.fixture
    async def asked(self, sql_url: str, call: Call, clock: Clock) -> AsyncIterator[Mover]:
        """A user about whose later statements a person is asked."""
        async with self.opened(sql_url, call, clock, "ask") as mover:
            yield mover

    # ------------------------------------------------------------------------------------------ what was said later on
    async def test_what_was_said_later_ends_what_the_undone_had_ended(self, mover: Mover) -> None:
        """York stands by its own word: Leeds is over as if Bath had never been said, and since York was."""
        await mover.say(*CHAIN)
        since = (await mover.get(BATH)).invalid_at
        with pytest.raises(GovernanceError, match="with_later=True"):
            await mover.undo("remembered", BATH)
        done = await mover.undo("remembered", BATH, with_later=True)
        assert await mover.statuses() == ["superseded", "archived", "active"]
        assert ((await mover.get(LEEDS)).invalid_at, await mover.believed()) == (since, [YORK])
        assert (await mover.get(YORK)).supersedes == (mover.ids[LEEDS],)
        assert any(mover.ids[YORK] in it and mover.ids[LEEDS] in it for it in done.notes)

    async def test_what_was_said_later_gives_back_what_it_ended_when_it_is_undone_too(self, mover: Mover) -> None:
        """As if Bath had never been said, York replaced Leeds: without York, Leeds holds, with its own times."""
        await mover.say(*CHAIN)
        await mover.undo("remembered", BATH, with_later=True)
        await mover.undo("remembered", YORK)
        assert await mover.statuses() == ["active", "archived", "archived"]
        assert ((await mover.get(LEEDS)).invalid_at, await mover.believed()) == (None, [LEEDS])

    async def test_the_undoing_undone_leaves_what_was_there(self, mover: Mover) -> None:
        """Every field, and by whom each was replaced: Bath by York, and Leeds by Bath."""
        await mover.say(*CHAIN)
        before = await mover.rows()
        done = await mover.undo("remembered", BATH, with_later=True)
        await mover.call(mover.memory.timeline, "undo", done[0].event, scope=ALICE)
        assert await mover.rows() == before
        await mover.undo("remembered", YORK)
        assert await mover.believed() == [BATH]
        await mover.undo("remembered", BATH)
        assert await mover.believed() == [LEEDS]

    async def test_what_is_archived_by_an_undo_has_its_own_times(self, mover: Mover) -> None:
        """The end that York gave counts for it no more, and it names York; restored, York ends it again."""
        await mover.say(LEEDS, Candidate(content=BATH, valid_at=datetime(2020, 1, 1, tzinfo=UTC)), YORK)
        await mover.undo("remembered", BATH, with_later=True)
        bath = await mover.get(BATH)
        told = (datetime(2020, 1, 1, tzinfo=UTC), None, (mover.ids[YORK],))
        assert (bath.valid_at, bath.invalid_at, bath.contradicts) == told
        again = await mover.call(mover.memory.long_term, "restore", bath.id, scope=ALICE)
        assert (again.status, again.valid_at, await mover.believed()) == ("superseded", told[0], [YORK])

    async def test_a_longer_chain_goes_on_without_the_one_that_is_undone(self, mover: Mover) -> None:
        """Leeds ended when York began, and York when Hull did: nothing of that is in force but Hull."""
        hull = "I moved to Hull"
        await mover.say(*CHAIN, hull)
        since = (await mover.get(BATH)).invalid_at
        await mover.undo("remembered", BATH, with_later=True)
        assert await mover.statuses(*CHAIN, hull) == ["superseded", "archived", "superseded", "active"]
        assert ((await mover.get(LEEDS)).invalid_at, await mover.believed()) == (since, [hull])

    async def test_what_no_word_ends_holds_beside_what_was_said_later_marked(self, mover: Mover) -> None:
        """Who named what they replace said what no rule reads of the words: neither is believed without the other."""
        first, second, third = "The blue door is locked", "Alice rows in Oxford", "Tea is served at four"
        await mover.say(first)
        await mover.say(Candidate(content=second, supersedes=(mover.ids[first],)))
        await mover.say(Candidate(content=third, supersedes=(mover.ids[second],)))
        await mover.undo("remembered", second, with_later=True)
        assert await mover.statuses(first, second, third) == ["active", "archived", "active"]
        marked = [(await mover.get(it)).contradicts for it in (first, third)]
        assert marked == [(mover.ids[third],), (mover.ids[first],)]

    async def test_what_was_said_later_and_forgotten_ends_nothing(self, mover: Mover) -> None:
        """It is believed no more: without Bath, Leeds is what is left."""
        await mover.say(*CHAIN)
        await mover.call(mover.memory.long_term, "forget", mover.ids[YORK], scope=ALICE)
        await mover.undo("remembered", BATH, with_later=True)
        assert await mover.believed() == [LEEDS]

    async def test_the_first_of_a_chain_comes_back_with_nothing_in_its_place(self, mover: Mover) -> None:
        """Its end undone alone would leave Leeds and York in force: it is refused, and both successors go with it."""
        await mover.say(*CHAIN)
        with pytest.raises(GovernanceError, match=f"memory '{mover.ids[YORK]}' stands for it"):
            await mover.undo("superseded", LEEDS)
        await mover.undo("superseded", LEEDS, with_later=True)
        assert await mover.statuses() == ["active", "archived", "archived"]
        assert await mover.believed() == [LEEDS]

    async def test_a_merge_says_no_word_of_its_own(self, mover: Mover) -> None:
        """What was merged and is undone with later events is said by nothing; the other source stands for itself."""
        await mover.say("Alice rows", "Bob sings")
        ids, both = [*mover.ids.values()], "Alice rows and Bob sings"
        told = await mover.call(mover.memory.long_term, "merge", ids, both, scope=ALICE)
        mover.ids[both] = told.require().id
        before = await mover.rows()
        done = await mover.undo("remembered", "Alice rows", with_later=True)
        assert await mover.statuses("Alice rows", "Bob sings", both) == ["archived", "active", "archived"]
        await mover.call(mover.memory.timeline, "undo", done[0].event, scope=ALICE)
        assert await mover.rows() == before

    async def test_what_remained_of_the_undone_goes_with_it(self, mover: Mover) -> None:
        """It was made of that alone, and nobody said it besides."""
        both, wife = "I live in Leeds with my wife Clara", "My wife is Clara"
        await mover.say(both, YORK)
        assert await mover.believed() == [YORK, wife]
        await mover.undo("remembered", both, with_later=True)
        assert await mover.believed() == [YORK]

    # ------------------------------------------------------------------------------------------------------- approvals
    async def test_an_approval_taken_back_leaves_one_of_a_chain_in_force(self, asked: Mover) -> None:
        """Both were approved; the first waits again, with no end that another gave it."""
        await asked.say(*CHAIN)
        await asked.approve(BATH)
        await asked.approve(YORK)
        before = await asked.rows()
        done = await asked.undo("approved", BATH, with_later=True)
        assert await asked.statuses() == ["superseded", "pending", "active"]
        bath = await asked.get(BATH)
        assert (bath.invalid_at, bath.expired_at, await asked.believed()) == (None, None, [YORK])
        await asked.call(asked.memory.timeline, "undo", done[0].event, scope=ALICE)
        assert await asked.rows() == before

    @pytest.mark.parametrize("is_together", [True, False])
    async def test_what_is_approved_again_is_in_force(self, asked: Mover, *, is_together: bool) -> None:
        """It ends what is in force by then, whether that waited beside it or was said after, and is over by nothing."""
        await asked.say(LEEDS, BATH, *([YORK] if is_together else []))
        await asked.approve(BATH)
        await asked.say(*([] if is_together else [YORK]))
        await asked.approve(YORK)
        await asked.undo("approved", BATH, with_later=True)
        [waiting] = await asked.call(asked.memory.approvals, "list", ALICE)
        assert [it.content for it in waiting.would_supersede] == [YORK]
        asked.clock.now += timedelta(days=1)
        assert (await asked.approve(BATH)).superseded == (asked.ids[YORK],)
        assert await asked.believed() == [BATH]

    async def test_who_approves_what_is_over_is_told(self, asked: Mover) -> None:
        """A claim with an end of its own waited for longer: it is approved, and nobody thinks that it is recalled."""
        end = asked.clock.now + timedelta(days=1)
        await asked.say(LEEDS, Candidate(content=BATH, invalid_at=end))
        asked.clock.now += timedelta(days=2)
        outcome = await asked.approve(BATH)
        assert (outcome.verdict, end.isoformat() in outcome.reason) == ("approved", True)
