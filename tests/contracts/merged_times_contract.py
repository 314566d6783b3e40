"""From when until when what was merged, replaced or given back holds: whatever database keeps it, in both colours."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from langchain_agentmem import AgentMemory, Candidate, ForgettingPolicy, Memory, RecallQuery, Scope, SensitivePolicy
from langchain_agentmem.errors import ConfigurationError, GovernanceError, NotFoundError
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call
from tests.contracts.long_term_contract import Clock

ALICE: Final = Scope("alice")
DAY: Final = timedelta(days=1)
MAIL: Final = "alice@old.org"
KEEP, MASK = (SensitivePolicy(rules={"email": it}) for it in ("keep", "mask"))
TIMES: Final = ("valid_at", "invalid_at", "expires_at")


def in_year(year: int) -> datetime:
    return datetime(year, 1, 1, tzinfo=UTC)


class Story:
    """A user of whom two things are told, and merged."""

    def __init__(self, memory: AgentMemory, call: Call, clock: Clock) -> None:
        self.memory, self.call, self.clock = memory, call, clock
        self.one = self.two = self.both = ""

    async def tell(self, text: str, **fields: Any) -> str:
        """Remember something, and return its id."""
        told = await self.call(self.memory.long_term, "remember", Candidate(content=text, **fields), scope=ALICE)
        return str(told.require().id)

    async def merge(self, one: str = "Alice rows", two: str = "Bob sings", **fields: Any) -> None:
        """Tell both with some fields, and merge them."""
        self.one, self.two = await self.tell(one, **fields), await self.tell(two, **fields)
        text = f"{one} and {two}"
        told = await self.call(self.memory.long_term, "merge", [self.one, self.two], text, scope=ALICE)
        self.both = told.require().id

    async def do(self, act: str, memory_id: str) -> Any:  # noqa: ANN401  (whatever it returns)
        """Forget, restore or erase."""
        return await self.call(self.memory.long_term, act, memory_id, scope=ALICE)

    async def get(self, memory_id: str) -> Memory:
        found: Memory | None = await self.call(self.memory.long_term, "get", memory_id, scope=ALICE)
        assert found is not None
        return found

    async def statuses(self) -> list[str]:
        """Return what the two and the merge are."""
        each = (self.one, self.two, self.both)
        found = [await self.call(self.memory.long_term, "get", it, scope=ALICE) for it in each]
        return ["gone" if it is None else it.status for it in found]

    async def event(self, kind: str, memory_id: str) -> int:
        """Return the last event of a kind that a memory had."""
        life = await self.call(self.memory.timeline, "events", ALICE, memory_id=memory_id)
        return int([it.seq for it in life if it.type == kind][-1])

    async def undo(self, kind: str, memory_id: str, **options: Any) -> Any:  # noqa: ANN401  (a reversal)
        """Take back the last event of a kind that a memory had."""
        return await self.call(self.memory.timeline, "undo", await self.event(kind, memory_id), scope=ALICE, **options)

    async def scan(self) -> None:
        """Mask what is stored."""
        await self.call(self.memory.sensitive, "scan", ALICE, dry_run=False, layers=["facts"], policy=MASK)

    async def said(self, as_of: datetime | None = None) -> list[str]:
        """Return what is recalled of rowing and singing."""
        query = RecallQuery(text="who rows, who sings?", as_of=as_of, limit=20)
        return sorted(it.memory.content for it in await self.call(self.memory.long_term, "recall", query, scope=ALICE))


class MergedTimesContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    async def story(self, sql_url: str, clock: Clock, call: Call) -> AsyncIterator[Story]:
        options = MemoryOptions(clock=clock, consent="assumed", sensitive=KEEP, forgetting=ForgettingPolicy())
        async with AgentMemory(Database(sql_url), embeddings=None, options=options) as memory:
            yield Story(memory, call, clock)

    # -------------------------------------------------------------------------------------------------------- merging
    @pytest.mark.parametrize("end", ["expires_at", "invalid_at"])
    async def test_what_ends_at_different_times_is_not_merged(self, story: Story, end: str) -> None:
        """The one would outlast its end, or the other lose what it has left: it holds on when the first has ended."""
        one = await story.tell("Alice rows", **{end: story.clock.now + DAY})
        two = await story.tell("Bob sings")
        with pytest.raises(ConfigurationError, match=f"differ in {end}"):
            await story.call(story.memory.long_term, "merge", [one, two], "Both", scope=ALICE)
        story.clock.now += 2 * DAY
        assert await story.said() == ["Bob sings"]

    async def test_what_ends_together_ends_together_merged(self, story: Story) -> None:
        """The merge is kept and holds until then, and no longer."""
        end = story.clock.now + 3 * DAY
        await story.merge(expires_at=end + DAY, invalid_at=end)
        both = await story.get(story.both)
        assert (both.invalid_at, both.expires_at) == (end, end + DAY)

    async def test_a_merge_holds_since_the_last_of_what_it_says_began(self, story: Story) -> None:
        """Of the time before, what was true then answers by itself; of none, what was not true yet."""
        ids = [await story.tell(it, valid_at=in_year(at)) for it, at in (("Alice rows", 2020), ("Bob sings", 2022))]
        both = "Alice rows and Bob sings"
        told = await story.call(story.memory.long_term, "merge", ids, both, scope=ALICE)
        assert told.require().valid_at == in_year(2022)
        asked = [await story.said(in_year(it)) for it in (2019, 2021, 2023)]
        assert asked == [[], ["Alice rows"], [both]]
        assert await story.said() == [both]

    async def test_what_is_yet_to_begin_is_not_merged_with_what_holds(self, story: Story) -> None:
        """Until then nothing would stand for what holds already; what begins at one time is merged."""
        soon = story.clock.now + 3 * DAY
        ids = [await story.tell("Alice rows", valid_at=soon), await story.tell("Bob sings")]
        with pytest.raises(ConfigurationError, match="yet to begin"):
            await story.call(story.memory.long_term, "merge", ids, "Both", scope=ALICE)
        await story.call(story.memory.long_term, "revise", ids[1], scope=ALICE, valid_at=soon)
        told = await story.call(story.memory.long_term, "merge", ids, "Both", scope=ALICE)
        assert told.require().valid_at == soon

    async def test_what_is_replaced_after_its_own_end_held_no_longer_than_it_said(self, story: Story) -> None:
        """A later statement takes what is left of its time, and adds nothing to it."""
        old = await story.tell("Alice rows", invalid_at=in_year(2020))
        await story.tell("Alice rows in Oxford", supersedes=(old,), valid_at=in_year(2024))
        assert [await story.said(in_year(it)) for it in (2019, 2023)] == [["Alice rows"], []]

    # ----------------------------------------------------------------------------------------------------- given back
    @pytest.mark.parametrize("is_scanned", [False, True])
    @pytest.mark.parametrize("act", ["undo", "erase", "forget"])
    async def test_what_is_given_back_has_its_own_times_again(
        self, story: Story, act: str, *, is_scanned: bool
    ) -> None:
        """Whatever ended the merge, and whatever a scan cleaned in between: it holds from and until when it said."""
        end = story.clock.now + 3 * DAY
        fields: dict[str, Any] = {"valid_at": in_year(2020), "invalid_at": end, "expires_at": end + DAY}
        await story.merge(two=f"Bob sings, says {MAIL}" if is_scanned else "Bob sings", **fields)
        if is_scanned:
            await story.scan()
        if act == "undo":
            kind, of = ("superseded", story.one) if is_scanned else ("remembered", story.both)
            await story.undo(kind, of, with_later=True)
        else:
            await story.do(act, story.one)
        two = await story.get(story.two)
        assert {it: getattr(two, it) for it in TIMES} == fields
        assert (two.status, MAIL in two.content) == ("active", False)
        story.clock.now = end
        assert await story.said() == []

    async def test_what_goes_into_its_merge_again_has_its_times_again_when_it_comes_out(self, story: Story) -> None:
        """Forgotten, restored and forgotten once more, nothing of a time is lost on the way."""
        end = story.clock.now + 3 * DAY
        await story.merge(invalid_at=end)
        for act in ("forget", "restore", "forget"):
            await story.do(act, story.one)
        assert ((await story.get(story.two)).invalid_at, await story.statuses()) == (
            end,
            ["archived", "active", "archived"],
        )

    async def test_what_is_restored_stands_for_itself_where_its_merge_is_erased(self, story: Story) -> None:
        """The other source was erased, and the merge with it: nothing else says what this one does."""
        await story.merge()
        await story.do("forget", story.one)
        await story.do("erase", story.two)
        await story.do("restore", story.one)
        assert (await story.statuses(), await story.said()) == (["active", "gone", "gone"], ["Alice rows"])

    async def test_what_is_restored_stands_for_itself_where_its_merge_has_expired(self, story: Story) -> None:
        """The merge was given an end of its own, and does not come back; what it says would be in force nowhere."""
        await story.merge()
        end = story.clock.now + DAY
        await story.call(story.memory.long_term, "revise", story.both, scope=ALICE, expires_at=end)
        await story.do("forget", story.one)
        story.clock.now = end
        with pytest.raises(GovernanceError, match="nothing would stand for it; `restore` puts it in force"):
            await story.undo("forgotten", story.one)
        await story.do("restore", story.one)
        assert (await story.statuses(), await story.said()) == (
            ["active", "active", "archived"],
            ["Alice rows", "Bob sings"],
        )

    async def test_a_merge_says_of_its_sources_that_it_stands_for_them(self, story: Story) -> None:
        """Nothing took back what they say: the log tells that of no merge, whoever asked for it."""
        await story.merge()
        why = await story.call(story.memory.long_term, "why", story.one, scope=ALICE)
        assert f"memory {story.both} says the same, and stands for it" in why.reasons[-1]

    async def test_a_merge_is_restored_with_what_it_went_with(self, story: Story) -> None:
        """Alone it would say what the user asked to forget; the refusal names what to restore."""
        await story.merge()
        await story.do("forget", story.one)
        with pytest.raises(ConfigurationError, match=f"because memory '{story.one}' was forgotten"):
            await story.do("restore", story.both)
        await story.do("restore", story.one)
        assert await story.statuses() == ["superseded", "superseded", "active"]

    async def test_why_a_recall_left_out_what_was_over_is_told_after_it_was_replaced(self, story: Story) -> None:
        """It had an end of its own then: that it was replaced later is no reason."""
        old = await story.tell("Alice rows", invalid_at=story.clock.now + DAY)
        story.clock.now += 2 * DAY
        found = await story.call(story.memory.long_term, "recall", "who rows?", scope=ALICE)
        story.clock.now += DAY
        await story.tell("Alice rows in Oxford", supersedes=(old,))
        why = await story.call(story.memory.long_term, "why_not", found.receipt_id, old, scope=ALICE)
        assert "not_valid_then" in why

    # ---------------------------------------------------------------------------------------------------------- undone
    async def test_undone_a_forgetting_gives_back_all_that_went_with_it(self, story: Story) -> None:
        """As `restore` does; and that undone, all of it goes again."""
        await story.merge()
        await story.do("forget", story.one)
        done = await story.undo("forgotten", story.one)
        assert await story.statuses() == ["superseded", "superseded", "active"]
        await story.call(story.memory.timeline, "undo", done[-1].event, scope=ALICE)
        assert await story.statuses() == ["archived", "active", "archived"]

    async def test_undone_a_restoring_takes_along_what_came_back_with_it(self, story: Story) -> None:
        """What the user forgot is said by nothing then."""
        await story.merge()
        await story.do("forget", story.one)
        await story.do("restore", story.one)
        await story.undo("restored", story.one)
        assert (await story.statuses(), await story.said()) == (["archived", "active", "archived"], ["Bob sings"])

    async def test_undone_a_forgetting_that_took_along_what_was_cleaned_is_refused_and_names_what_does_it(
        self, story: Story
    ) -> None:
        """What went along is told in words that a scan deleted; `restore` needs none. What happened next is no part."""
        await story.merge(two=f"Bob sings, says {MAIL}")
        await story.do("forget", story.one)
        await story.scan()
        with pytest.raises(GovernanceError, match=f"sensitive data since; restore '{story.one}'") as refused:
            await story.undo("forgotten", story.one)
        assert refused.value.rule == "sensitive_data"
        await story.do("restore", story.one)
        assert await story.statuses() == ["superseded", "superseded", "active"]
        cup = await story.tell("Alice owns a cup")
        await story.do("forget", cup)
        await story.tell(f"Bob rows, says {MAIL}")
        await story.scan()
        await story.undo("forgotten", cup)
        assert "Bob rows, says *****@***.***" in await story.said()

    async def test_what_came_along_with_a_forgetting_is_not_undone_alone(self, story: Story) -> None:
        """The merge says what was forgotten, and without it the other source says what nothing else does."""
        await story.merge()
        await story.do("forget", story.one)
        before = await story.statuses()
        with pytest.raises(GovernanceError, match=f"because '{story.one}' was forgotten") as refused:
            await story.undo("forgotten", story.both)
        assert refused.value.rule == "forgotten"
        with pytest.raises(GovernanceError, match="nothing would stand for it; it stays in force"):
            await story.undo("restored", story.two, with_later=True)
        assert await story.statuses() == before

    async def test_what_went_into_its_merge_again_does_not_come_out_alone(self, story: Story) -> None:
        """The merge was restored with the other source, and says it already: it would be said twice."""
        await story.merge()
        await story.do("forget", story.one)
        await story.do("restore", story.one)
        with pytest.raises(GovernanceError, match=f"memory '{story.both}', which was restored, stands for it"):
            await story.undo("superseded", story.two)
        assert await story.statuses() == ["superseded", "superseded", "active"]

    async def test_what_was_forgotten_because_it_expired_is_not_undone(self, story: Story) -> None:
        """Nothing would recall it; with another end, it comes back."""
        one = await story.tell("Alice rows", expires_at=story.clock.now + DAY)
        story.clock.now += 2 * DAY
        await story.call(story.memory.forgetting, "forget_cycle", ALICE)
        with pytest.raises(GovernanceError, match="give it another end first") as refused:
            await story.undo("forgotten", one)
        assert refused.value.rule == "expired"
        await story.call(story.memory.long_term, "revise", one, scope=ALICE, expires_at=None)
        await story.undo("forgotten", one)
        assert await story.said() == ["Alice rows"]

    async def test_nothing_of_what_was_erased_comes_back(self, story: Story) -> None:
        """Neither by what was said of it, nor by what became of others because of it; each refusal says why."""
        await story.merge()
        told = {it: await story.event(kind, it) for kind, it in (("superseded", story.one), ("remembered", story.both))}
        await story.do("erase", story.one)
        for seq in told.values():
            with pytest.raises(GovernanceError, match="is erased; nothing of it is left to bring back"):
                await story.call(story.memory.timeline, "undo", seq, scope=ALICE)
        with pytest.raises(GovernanceError, match=f"what replaced memory '{story.two}' is erased"):
            await story.undo("restored", story.two)
        assert (await story.statuses(), await story.said()) == (["gone", "active", "gone"], ["Bob sings"])

    async def test_an_undone_merge_gives_back_what_was_cleaned_since_as_it_is_now(self, story: Story) -> None:
        """Its end is a deleted word of the log, but its life tells it; no masked word comes back, and none is lost."""
        one = await story.tell("Alice rows")
        two = await story.tell(f"Bob sings, says {MAIL}")
        told = await story.call(story.memory.long_term, "merge", [one, two], "Alice rows, Bob sings", scope=ALICE)
        await story.scan()
        await story.call(story.memory.timeline, "undo", told.require().revision, scope=ALICE)
        assert await story.said() == ["Alice rows", "Bob sings, says *****@***.***"]

    async def test_an_undone_rollback_leaves_what_was_cleaned_since_as_it_is(self, story: Story) -> None:
        """What it was before, nobody can tell any more: it is no reason to forget it, and a note says so."""
        one = await story.tell(f"Alice rows, says {MAIL}")
        start = await story.event("remembered", one)
        two = await story.tell("Bob sings")
        await story.call(story.memory.long_term, "revise", one, scope=ALICE, importance=0.9)
        await story.call(story.memory.timeline, "rollback", ALICE, to=start)
        await story.scan()
        done = await story.undo("reverted", two)
        assert [f"memory {one!r} was cleaned" in it for it in done.notes] == [True]
        assert await story.said() == ["Alice rows, says *****@***.***", "Bob sings"]

    async def test_what_a_scan_deleted_of_the_log_is_not_undone_and_that_is_said(self, story: Story) -> None:
        """It is there, and no other user's or agent's: who asks is told that it was sensitive, and by which event."""
        one = await story.tell("Alice rows")
        await story.call(story.memory.long_term, "revise", one, scope=ALICE, content=f"Alice rows, says {MAIL}")
        await story.scan()
        with pytest.raises(GovernanceError, match="event 3 cleaned it of sensitive data") as refused:
            await story.undo("revised", one, with_later=True)
        assert (refused.value.rule, MAIL in str(refused.value)) == ("sensitive_data", False)
        with pytest.raises(NotFoundError):
            await story.call(story.memory.timeline, "undo", 2, scope=Scope("bob"))
