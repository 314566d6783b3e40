"""What comes back after something contrary was said meanwhile: never are both sides of it believed unmarked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Final

import pytest

from langchain_agentmem import (
    AgentMemory,
    Candidate,
    ForgettingPolicy,
    GovernanceError,
    Memory,
    MemoryOptions,
    Provenance,
)
from langchain_agentmem.policies.settling import Strategy
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call
from tests.contracts.profiles_contract import Clock
from tests.contracts.undo_later_contract import ALICE, BATH, CHAIN, LEEDS, YORK, Mover

WAYS: Final = ("restored", "undone", "cycle undone", "rollback undone")
BOTH: Final = "I live in Leeds with my wife Clara"
TEA: Final = "I like tea"
JAZZ: Final = "I like jazz"


class Returner(Mover):
    """A user of whom something goes, and comes back."""

    async def forget(self, said: str) -> None:
        """Put a statement in the archive."""
        self.clock.now += timedelta(days=1)
        await self.call(self.memory.long_term, "forget", self.ids[said], scope=ALICE)

    async def restore(self, said: str) -> Memory:
        """Take it back."""
        self.clock.now += timedelta(days=1)
        found: Memory = await self.call(self.memory.long_term, "restore", self.ids[said], scope=ALICE)
        return found

    async def go(self, way: str, said: str) -> None:
        """Have a statement go, so that it can come back in some way."""
        if way == "cycle undone":
            self.clock.now += timedelta(days=400)
            await self.call(self.memory.forgetting, "forget_cycle", ALICE)
        elif way == "rollback undone":
            await self.call(self.memory.timeline, "rollback", ALICE, to=0)
        else:
            await self.forget(said)
        assert await self.statuses(said) == ["archived"]

    async def said(self, *said: str) -> list[str]:
        """Remember statements, and return their ids."""
        await self.say(*said)
        return [self.ids[it] for it in said]

    async def roll_back(self, to: int) -> None:
        """Go back to an event."""
        await self.call(self.memory.timeline, "rollback", ALICE, to=to)

    async def contradicts(self, *said: str) -> list[list[str]]:
        """Return what statements say that they contradict."""
        words = {id_: it for it, id_ in self.ids.items()}
        return [[words[id_] for id_ in (await self.get(it)).contradicts] for it in said]

    async def back(self, way: str, said: str) -> None:
        """Have it come back."""
        if way == "restored":
            await self.restore(said)
        else:
            await self.undo("reverted" if way == "rollback undone" else "forgotten", said)


class Returning:
    """A user who comes back to what they said; subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @asynccontextmanager
    async def opened(self, url: str, call: Call, clock: Clock, conflicts: Strategy) -> AsyncIterator[Returner]:
        """A user under a rule for conflicts."""
        policy = ForgettingPolicy()
        options = MemoryOptions(clock=clock, consent="assumed", conflicts=conflicts, forgetting=policy)
        async with AgentMemory(Database(url), embeddings=None, options=options) as memory:
            yield Returner(memory, call, clock)

    @pytest.fixture
    async def mover(self, sql_url: str, call: Call, clock: Clock) -> AsyncIterator[Returner]:
        """A user whose later statements replace earlier ones."""
        async with self.opened(sql_url, call, clock, "confident") as mover:
            yield mover


class ComingBackContract(Returning):
    """Subclass it beside a fixture `sql_url`."""

    # -------------------------------------------------------------------------------------------------- said meanwhile
    @pytest.mark.parametrize("way", WAYS)
    async def test_what_was_said_meanwhile_ends_what_comes_back(self, mover: Returner, way: str) -> None:
        """Leeds comes back as it would be, had it never been away: over since York was said, and York names it."""
        await mover.say(LEEDS)
        await mover.go(way, LEEDS)
        await mover.say(YORK)
        await mover.back(way, LEEDS)
        leeds, york = await mover.get(LEEDS), await mover.get(YORK)
        assert (leeds.status, leeds.invalid_at, york.supersedes) == ("superseded", york.created_at, (leeds.id,))
        assert await mover.believed() == [YORK]
        why = await mover.call(mover.memory.long_term, "why", leeds.id, scope=ALICE)
        assert york.id in why.reasons[-1]

    @pytest.mark.parametrize("way", WAYS)
    async def test_where_no_policy_lets_the_later_end_it_each_names_the_other(
        self, sql_url: str, call: Call, clock: Clock, way: str
    ) -> None:
        """Who keeps both has both, marked."""
        async with self.opened(sql_url, call, clock, "keep_both") as mover:
            await mover.say(LEEDS)
            await mover.go(way, LEEDS)
            await mover.say(YORK)
            await mover.back(way, LEEDS)
            assert await mover.believed() == [LEEDS, YORK]
            assert await mover.contradicts(LEEDS, YORK) == [[YORK], [LEEDS]]

    @pytest.mark.parametrize("way", WAYS)
    async def test_the_coming_back_undone_leaves_what_was_there(self, mover: Returner, way: str) -> None:
        """Every field of either, and by whom each was replaced."""
        await mover.say(LEEDS)
        await mover.go(way, LEEDS)
        await mover.say(YORK)
        before = await mover.rows()
        await mover.back(way, LEEDS)
        await mover.undo("restored" if way == "restored" else "reverted", LEEDS)
        assert await mover.rows() == before

    @pytest.mark.parametrize("way", WAYS)
    async def test_without_what_ended_it_what_came_back_holds(self, mover: Returner, way: str) -> None:
        """York undone, Leeds is what is left, with its own times."""
        await mover.say(LEEDS)
        await mover.go(way, LEEDS)
        await mover.say(YORK)
        await mover.back(way, LEEDS)
        await mover.undo("remembered", YORK)
        assert ((await mover.get(LEEDS)).invalid_at, await mover.believed()) == (None, [LEEDS])

    async def test_what_comes_back_ends_what_was_said_before_it(self, mover: Returner) -> None:
        """Both were forgotten: in either order, the later one is believed; that it came back can be undone."""
        await mover.say(LEEDS)
        await mover.forget(LEEDS)
        await mover.say(YORK)
        await mover.forget(YORK)
        await mover.restore(LEEDS)
        before = await mover.rows()
        await mover.restore(YORK)
        assert (await mover.statuses(LEEDS, YORK), await mover.believed()) == (["superseded", "active"], [YORK])
        await mover.undo("restored", YORK)
        assert await mover.rows() == before

    @pytest.mark.parametrize("is_rolled_back", [True, False])
    async def test_a_correction_that_comes_back_ends_what_it_corrected(
        self, mover: Returner, *, is_rolled_back: bool
    ) -> None:
        """Whatever the words of either: no rule would read that they contradict each other."""
        await mover.say("I like tea")
        right = await mover.call(mover.memory.long_term, "correct", mover.ids["I like tea"], LEEDS, scope=ALICE)
        mover.ids[LEEDS] = right.memory.id
        if is_rolled_back:
            await mover.roll_back(0)
            await mover.restore("I like tea")
        else:
            await mover.undo("remembered", LEEDS)
        assert await mover.statuses("I like tea", LEEDS) == ["active", "archived"]
        await mover.restore(LEEDS)
        assert await mover.statuses("I like tea", LEEDS) == ["superseded", "active"]

    async def test_what_was_said_again_is_the_later(self, mover: Returner) -> None:
        """Who says again that they live in Leeds says it after York, whatever was first known first."""
        await mover.say(LEEDS)
        await mover.forget(LEEDS)
        await mover.say(YORK)
        await mover.forget(YORK)
        await mover.restore(LEEDS)
        await mover.say(LEEDS)
        await mover.restore(YORK)
        assert (await mover.statuses(LEEDS, YORK), await mover.believed()) == (["active", "superseded"], [LEEDS])

    async def test_words_that_come_back_are_held_against_what_was_said_since(self, mover: Returner) -> None:
        """A revision that is undone brings Leeds back, and York was said since."""
        await mover.say(LEEDS)
        await mover.call(mover.memory.long_term, "revise", mover.ids[LEEDS], scope=ALICE, content="I like tea")
        await mover.say(YORK)
        await mover.undo("revised", LEEDS)
        assert (await mover.statuses(LEEDS, YORK), await mover.believed()) == (["superseded", "active"], [YORK])

    async def test_what_an_undo_gives_back_is_held_against_what_was_said_since(self, mover: Returner) -> None:
        """Bath, forgotten, had ended Leeds; York was said with neither of them in force."""
        await mover.say(LEEDS, BATH)
        await mover.forget(BATH)
        await mover.say(YORK)
        await mover.undo("remembered", BATH, with_later=True)
        assert (await mover.statuses(*CHAIN), await mover.believed()) == (["superseded", "archived", "active"], [YORK])

    async def test_what_comes_back_together_is_held_against_each_other(self, mover: Returner) -> None:
        """Bath ended York when it was said, and Leeds when that came back: without Bath, York is the later one."""
        await mover.say(LEEDS)
        await mover.forget(LEEDS)
        await mover.say(YORK, BATH)
        await mover.restore(LEEDS)
        await mover.undo("remembered", BATH)
        assert (await mover.statuses(*CHAIN), await mover.believed()) == (["superseded", "archived", "active"], [YORK])

    # ---------------------------------------------------------------------------------------------------------- marked
    async def test_a_weaker_word_ends_nothing_that_comes_back(self, mover: Returner) -> None:
        """A tool said York while Leeds was away: it would not have replaced the user's word, and both are marked."""
        await mover.say(LEEDS)
        await mover.forget(LEEDS)
        await mover.say(Candidate(content=YORK, provenance=Provenance(speaker="tool", evidence=YORK)))
        assert await mover.believed() == [YORK]
        await mover.restore(LEEDS)
        assert await mover.contradicts(LEEDS, YORK) == [[YORK], [LEEDS]]
        assert await mover.believed() == [LEEDS, YORK]

    async def test_what_is_over_in_part_is_marked_and_nothing_of_it_is_lost(self, mover: Returner) -> None:
        """York says nothing of Clara: what comes back whole is marked, and stays."""
        await mover.say(BOTH)
        await mover.forget(BOTH)
        await mover.say(YORK)
        await mover.restore(BOTH)
        assert await mover.contradicts(BOTH, YORK) == [[YORK], [BOTH]]
        assert await mover.believed() == [BOTH, YORK]

    async def test_marks_that_others_brought_since_stay(self, sql_url: str, call: Call, clock: Clock) -> None:
        """York undone with later events takes its own marks along: Leeds and Bath still name each other."""
        async with self.opened(sql_url, call, clock, "keep_both") as mover:
            await mover.say(LEEDS, YORK, BATH)
            await mover.undo("remembered", YORK, with_later=True)
            assert await mover.believed() == [LEEDS, BATH]
            assert [sorted(it) for it in await mover.contradicts(LEEDS, BATH)] == [[BATH], [LEEDS, YORK]]

    async def test_whatever_happened_in_the_archive_it_went_when_it_went(self, mover: Returner) -> None:
        """That it was said twice is taken back after York was said: it was away before."""
        await mover.say(LEEDS, LEEDS)
        await mover.forget(LEEDS)
        await mover.say(YORK)
        await mover.undo("confirmed", LEEDS)
        await mover.restore(LEEDS)
        assert (await mover.statuses(LEEDS, YORK), await mover.believed()) == (["superseded", "active"], [YORK])

    async def test_what_contradicts_nothing_comes_back_as_it_was(self, mover: Returner) -> None:
        """And what was said meanwhile learns nothing of it."""
        await mover.say(LEEDS)
        before = (await mover.rows())[LEEDS]
        await mover.forget(LEEDS)
        await mover.say("I like tea")
        await mover.restore(LEEDS)
        assert ((await mover.rows())[LEEDS], await mover.contradicts("I like tea")) == (before, [[]])

    async def test_an_agents_word_ends_nothing_that_others_share(self, mover: Returner) -> None:
        """It names what it contradicts; what is shared learns nothing of it."""
        await mover.say(LEEDS)
        await mover.forget(LEEDS)
        coder = replace(ALICE, agent_id="coder")
        told = await mover.call(mover.memory.long_term, "remember", YORK, scope=coder)
        await mover.call(mover.memory.long_term, "restore", mover.ids[LEEDS], scope=coder)
        own = await mover.call(mover.memory.long_term, "get", told.memory.id, scope=coder)
        leeds = await mover.get(LEEDS)
        assert (leeds.status, leeds.contradicts, own.contradicts) == ("active", (), (leeds.id,))

    @pytest.mark.parametrize("is_undone", [True, False])
    async def test_what_went_as_another_came_back_ends_that_again(self, mover: Returner, *, is_undone: bool) -> None:
        """Undone or rolled back, York gave Leeds back in the same breath: restored, it was still said later."""
        await mover.say(LEEDS, YORK)
        if is_undone:
            await mover.undo("remembered", YORK)
        else:
            await mover.roll_back(await mover.seq("remembered", LEEDS))
        assert await mover.believed() == [LEEDS]
        await mover.restore(YORK)
        assert (await mover.statuses(LEEDS, YORK), await mover.believed()) == (["superseded", "active"], [YORK])

    # -------------------------------------------------------------------------------------------------------- rollback
    async def test_a_rollback_brings_back_by_what_a_memory_was_replaced(self, mover: Returner) -> None:
        """A merge stood for both its sources then: who forgets one forgets what says it, and has the other."""
        ids, both, drums = await mover.said("Alice rows", "Bob sings"), "Alice rows and Bob sings", "Alice drums"
        merged = (await mover.call(mover.memory.long_term, "merge", ids, both, scope=ALICE)).require()
        mover.ids[both] = merged.id
        before, cut = await mover.rows(), (await mover.call(mover.memory.timeline, "events", ALICE))[-1].seq
        await mover.undo("remembered", both)
        await mover.say(Candidate(content=drums, supersedes=(ids[0],)))
        await mover.roll_back(cut)
        assert {it: now for it, now in (await mover.rows()).items() if it != drums} == before
        await mover.forget("Alice rows")
        assert await mover.statuses("Alice rows", "Bob sings", both, drums) == ["archived", "active", *["archived"] * 2]

    @pytest.mark.parametrize("first", [LEEDS, BATH])
    async def test_what_was_replaced_and_rolled_back_is_restored(self, mover: Returner, first: str) -> None:
        """Its end was rolled back with it: it holds, until what was said later is restored as well."""
        await mover.say(LEEDS, BATH)
        await mover.roll_back(0)
        await mover.restore(first)
        assert ((await mover.get(first)).invalid_at, await mover.believed()) == (None, [first])
        await mover.restore(BATH if first == LEEDS else LEEDS)
        assert (await mover.statuses(LEEDS, BATH), await mover.believed()) == (["superseded", "active"], [BATH])

    async def test_what_was_rolled_back_meets_what_was_said_since(self, mover: Returner) -> None:
        """York was said after the rollback: Leeds comes back as what is over since then."""
        await mover.say(LEEDS, BATH)
        await mover.roll_back(0)
        await mover.say(YORK)
        await mover.restore(LEEDS)
        assert (await mover.statuses(*CHAIN), await mover.believed()) == (["superseded", "archived", "active"], [YORK])

    @pytest.mark.parametrize("way", ["restored", "rollback undone"])
    async def test_where_what_replaced_it_is_erased_a_restored_memory_holds(self, mover: Returner, way: str) -> None:
        """Forgotten or rolled back; an undo, which would leave nothing in its place, names the remedy."""
        await mover.say(LEEDS, BATH)
        await mover.go(way, LEEDS)
        await mover.call(mover.memory.long_term, "erase", mover.ids.pop(BATH), scope=ALICE)
        with pytest.raises(GovernanceError, match="`restore` puts it in force"):
            await mover.back("undone" if way == "restored" else way, LEEDS)
        await mover.restore(LEEDS)
        assert ((await mover.get(LEEDS)).invalid_at, await mover.believed()) == (None, [LEEDS])

    @pytest.mark.parametrize("to", [0, 1])
    async def test_what_nothing_stood_for_is_left_so_by_a_rollback_undone(self, mover: Returner, to: int) -> None:
        """Bath was erased before the rollback, and Leeds was over already."""
        await mover.say(LEEDS, BATH)
        await mover.call(mover.memory.long_term, "erase", mover.ids.pop(BATH), scope=ALICE)
        before = await mover.rows()
        await mover.roll_back(to)
        assert await mover.statuses(LEEDS) == ["active" if to else "archived"]
        await mover.undo("reverted", LEEDS)
        assert await mover.rows() == before

    async def test_a_source_that_was_rolled_back_with_its_merge_is_restored(self, mover: Returner) -> None:
        """It stands for itself: what says the same is in the archive."""
        ids = await mover.said("Alice rows", "Bob sings")
        await mover.call(mover.memory.long_term, "merge", ids, "Alice rows and Bob sings", scope=ALICE)
        await mover.roll_back(0)
        await mover.restore("Alice rows")
        assert await mover.statuses("Alice rows", "Bob sings") == ["active", "archived"]

    @pytest.mark.parametrize("with_later", [True, False])
    @pytest.mark.parametrize("way", ["undone", "rollback undone"])
    async def test_where_nothing_came_later_it_is_all_the_same_to_undo(
        self, mover: Returner, way: str, *, with_later: bool
    ) -> None:
        """The undoing of what was over undone: every field is what it was before it, with later events or without."""
        await mover.say(LEEDS, BATH)
        await mover.go(way, LEEDS)
        before = await mover.rows()
        await mover.back(way, LEEDS)
        await mover.undo("reverted", LEEDS, with_later=with_later)
        assert await mover.rows() == before

    async def test_what_came_back_as_it_was_over_has_the_end_that_it_had(self, mover: Returner) -> None:
        """Who undoes the forgetting of it with what came later leaves it over since Bath was said."""
        await mover.say(LEEDS, BATH)
        await mover.forget(LEEDS)
        await mover.restore(LEEDS)
        over = await mover.get(LEEDS)
        await mover.undo("forgotten", LEEDS, with_later=True)
        assert (await mover.get(LEEDS)).invalid_at == over.invalid_at

    @pytest.mark.parametrize("way", ["undone", "rolled back"])
    async def test_a_merge_that_is_restored_stands_for_its_sources_again(self, mover: Returner, way: str) -> None:
        """Their words are in it, and are not recalled twice; taken back, they hold as before."""
        told = (TEA, JAZZ, "merge")
        await self._merged(mover)
        await (mover.roll_back(2) if way == "rolled back" else mover.undo("remembered", "merge"))
        assert await mover.statuses(*told) == ["active", "active", "archived"]
        await mover.restore("merge")
        assert await mover.statuses(*told) == ["superseded", "superseded", "active"]
        await mover.forget(TEA)  # the merge goes with it, as with any source
        assert await mover.statuses(*told) == ["archived", "active", "archived"]
        await mover.restore(TEA)
        assert await mover.statuses(*told) == ["superseded", "superseded", "active"]

    async def test_a_source_that_was_changed_since_stays_beside_its_merge(self, mover: Returner) -> None:
        """What was revised since it came back is not in the merge."""
        await self._merged(mover)
        await mover.undo("remembered", "merge")
        await mover.call(mover.memory.long_term, "revise", mover.ids[JAZZ], scope=ALICE, content="I like the blues")
        await mover.restore("merge")
        assert await mover.statuses(TEA, JAZZ, "merge") == ["superseded", "active", "active"]

    async def _merged(self, mover: Returner) -> None:
        ids = await mover.said(TEA, JAZZ)
        merge = await mover.call(mover.memory.long_term, "merge", ids, "I like tea and jazz", scope=ALICE)
        mover.ids["merge"] = merge.require().id
