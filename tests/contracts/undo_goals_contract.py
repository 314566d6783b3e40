"""What comes back of a goal of whose plan a part was forgotten: the goal as it was, once, with all progress since."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any, Final

import pytest

from langchain_agentmem import AgentMemory, GoalProgress, GovernanceError, Memory, MemoryOptions, Scope
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call
from tests.unit_tests.faces.either import Made, agent_of
from tests.unit_tests.faces.scripted import ScriptedModel

BEN: Final = Scope("ben")
WISH: Final = "I want to run a marathon"
SHOES: Final = "buy shoes"
KNEE: Final = "ask my doctor about my knee"
ASKED: Final = "Forget about my knee."
RUN: Final = "run 5 km"


class Runner:
    """A user with a goal, of whose plan they had a step forgotten."""

    def __init__(self, memory: AgentMemory, call: Call) -> None:
        self.memory, self.call = memory, call
        self.whole = self.left = ""

    async def begin(self, *more: str) -> None:
        """Have the goal, and a step of it forgotten."""
        added = await self.call(self.memory.goals, "add", WISH, scope=BEN, steps=[SHOES, KNEE, *more])
        self.whole = added.require().id
        await self.say(ASKED)
        [left] = await self.pursued()
        self.left = left.id

    async def say(self, text: str) -> None:
        """Take a turn."""
        model = ScriptedModel(script=["Done."])
        await Made(agent_of("graph", self.memory, model, writes="inline"), model, self.call).say(text, user_id="ben")

    async def move(self, goal_id: str, **progress: str | Sequence[str]) -> None:
        """Report progress."""
        await self.call(self.memory.goals, "progress", goal_id, scope=BEN, **progress)

    async def pursued(self) -> list[Memory]:
        """Return the goals that are pursued."""
        return [it.memory for it in await self.call(self.memory.goals, "open", BEN)]

    async def come_back(self, by: str) -> None:
        """Take the forgetting back."""
        if by == "restore":
            await self.call(self.memory.long_term, "restore", self.whole, scope=BEN)
        else:
            await self.undo("forgotten", self.whole)
        assert (await self.call(self.memory.long_term, "verify", scope=BEN)).is_intact

    async def undo(self, kind: str, memory_id: str, **options: Any) -> Any:  # noqa: ANN401  (a reversal)
        """Take back the last event of a kind that a memory had."""
        life = await self.call(self.memory.timeline, "events", BEN, memory_id=memory_id)
        seq = [it.seq for it in life if it.type == kind][-1]
        return await self.call(self.memory.timeline, "undo", seq, scope=BEN, **options)

    async def rows(self) -> list[Memory]:
        """Return the goal and what was left of it, without the numbers of their last events."""
        each = [await self.call(self.memory.long_term, "get", it, scope=BEN) for it in (self.whole, self.left)]
        return [replace(it, revision=0) for it in each]


class UndoGoalsContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    async def runner(self, sql_url: str, call: Call) -> AsyncIterator[Runner]:
        options = MemoryOptions(consent="assumed")
        async with AgentMemory(Database(sql_url), embeddings=None, options=options) as memory:
            yield Runner(memory, call)

    @pytest.mark.parametrize("by", ["restore", "undo"])
    async def test_a_goal_that_comes_back_takes_the_place_of_what_was_left(self, runner: Runner, by: str) -> None:
        """It is pursued once, with the whole of its plan."""
        await runner.begin()
        await runner.come_back(by)
        [goal] = await runner.pursued()
        assert (goal.id, goal.goal) == (runner.whole, GoalProgress(steps=(SHOES, KNEE), next_step=SHOES))

    async def test_the_undoing_undone_is_the_forgetting(self, runner: Runner) -> None:
        """The shorter goal is pursued again, and the step is forgotten."""
        await runner.begin()
        before = await runner.rows()
        done = await runner.undo("forgotten", runner.whole)
        await runner.call(runner.memory.timeline, "undo", done[0].event, scope=BEN)
        assert await runner.rows() == before

    @pytest.mark.parametrize("by", ["restore", "undo"])
    async def test_progress_made_since_is_carried_over(self, runner: Runner, by: str) -> None:
        """What was done, added and comes next is kept, and the step that comes back is still to be done."""
        await runner.begin()
        await runner.move(runner.left, completed=SHOES)
        await runner.move(runner.left, next_step=RUN)
        await runner.come_back(by)
        [goal] = await runner.pursued()
        said = GoalProgress(status="active", steps=(SHOES, KNEE), completed=(SHOES,), next_step=RUN)
        assert (goal.id, goal.goal) == (runner.whole, said)

    @pytest.mark.parametrize("by", ["restore", "undo"])
    async def test_the_step_that_comes_back_is_next_where_all_others_are_done(self, runner: Runner, by: str) -> None:
        """What was left was at its end; the whole is not."""
        await runner.begin()
        await runner.move(runner.left, completed=SHOES)
        await runner.come_back(by)
        [goal] = await runner.pursued()
        assert goal.goal is not None
        assert (goal.goal.left, goal.goal.next_step) == ((KNEE,), KNEE)

    @pytest.mark.parametrize("by", ["restore", "undo"])
    async def test_another_plan_made_since_is_carried_over(self, runner: Runner, by: str) -> None:
        """Steps that were added are there, those that were dropped are not, and the forgotten one is back."""
        await runner.begin("rest")
        await runner.call(runner.memory.goals, "add", WISH, scope=BEN, steps=[SHOES, RUN])
        await runner.come_back(by)
        [goal] = await runner.pursued()
        assert goal.goal is not None
        assert goal.goal.steps == (SHOES, KNEE, RUN)

    @pytest.mark.parametrize("by", ["restore", "undo"])
    async def test_a_goal_that_is_blocked_or_done_by_now_comes_back_as_that(self, runner: Runner, by: str) -> None:
        """Where it stands is progress, too."""
        await runner.begin()
        await runner.call(runner.memory.goals, "block", runner.left, scope=BEN, reason="waits for the shop")
        await runner.come_back(by)
        [goal] = await runner.pursued()
        assert goal.goal is not None
        assert (goal.goal.status, goal.goal.left) == ("blocked", (SHOES, KNEE))
        await runner.call(runner.memory.goals, "finish", runner.whole, scope=BEN)
        await runner.call(runner.memory.long_term, "restore", runner.left, scope=BEN)
        assert (await runner.pursued(), (await runner.rows())[1].goal.status) == ([], "done")  # type: ignore[union-attr]  # a goal

    async def test_what_was_left_comes_back_with_progress_and_without_the_step(self, runner: Runner) -> None:
        """A restoring undone, or the shorter goal restored: what was done since is done, the forgotten is not said."""
        await runner.begin()
        await runner.come_back("restore")
        await runner.move(runner.whole, completed=SHOES)
        await runner.undo("restored", runner.whole)
        [goal] = await runner.pursued()
        assert (goal.id, goal.goal) == (runner.left, GoalProgress(status="active", steps=(SHOES,), completed=(SHOES,)))
        await runner.come_back("restore")
        await runner.move(runner.whole, next_step=RUN)
        await runner.call(runner.memory.long_term, "restore", runner.left, scope=BEN)
        [goal] = await runner.pursued()
        assert goal.goal is not None
        assert (goal.id, goal.goal.next_step, KNEE in goal.goal.texts) == (runner.left, RUN, False)

    async def test_progress_made_after_the_undoing_keeps_it_from_being_undone_alone(self, runner: Runner) -> None:
        """The refusal names it; nothing of it is lost unasked."""
        await runner.begin()
        await runner.move(runner.left, completed=SHOES)
        done = await runner.undo("forgotten", runner.whole)
        await runner.move(runner.whole, next_step=RUN)
        with pytest.raises(GovernanceError, match="changed goal") as refused:
            await runner.call(runner.memory.timeline, "undo", done[0].event, scope=BEN)
        assert refused.value.rule == "later_events"

    @pytest.mark.parametrize("by", ["restore", "undo"])
    async def test_a_goal_that_lost_two_steps_comes_back_once(self, runner: Runner, by: str) -> None:
        """One after the other was forgotten; the goal as it was first stands for all that was left."""
        await runner.begin("call Nora")
        await runner.say("Forget Nora.")
        [left] = await runner.pursued()
        await runner.move(left.id, completed=SHOES)
        await runner.come_back(by)
        [goal] = await runner.pursued()
        assert goal.goal is not None
        assert (goal.id, goal.goal.left, goal.goal.completed) == (runner.whole, (KNEE, "call Nora"), (SHOES,))

    async def test_what_was_left_of_a_statement_goes_when_its_forgetting_is_undone(self, runner: Runner) -> None:
        """It was written in the same breath; said in other words since, it stays as it was put."""
        dogs, bella = "The user has two dogs, Rex and Bella", "The user has a dog called Bella"
        for changed in (None, "The user has a cat called Bella"):
            told = await runner.call(runner.memory.long_term, "remember", dogs, scope=BEN)
            await runner.say("Forget about my dog Rex.")
            [left] = await runner.call(runner.memory.long_term, "list", scope=BEN)
            assert left.content == bella
            if changed is not None:
                await runner.call(runner.memory.long_term, "revise", left.id, scope=BEN, content=changed)
            await runner.undo("forgotten", told.require().id)
            said = {it.content for it in await runner.call(runner.memory.long_term, "list", scope=BEN)}
            assert said == {dogs, *([] if changed is None else [changed])}
            await runner.call(runner.memory.long_term, "erase", told.require().id, scope=BEN)
