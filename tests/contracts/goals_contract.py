"""The contract of goals: pursued for weeks, in any session and process, each step an event."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Candidate, ConfigurationError, GoalProgress, NotFoundError, Scope
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call
from tests.contracts.profiles_contract import ANA, BOB, Clock
from tests.fake_embeddings import WordEmbeddings

EXAM = "Ana wants to pass the state exam in June"
STEPS = ("read chapter 1", "read chapter 2", "take the mock exam")


class GoalsContract:
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

    async def test_a_goal_is_resumed_weeks_later(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """Another session finds what is done, what comes next and what is left; the log explains each step."""
        monday, later = (replace(ANA, session_id=it) for it in ("monday", "weeks later"))
        goal = (await call(memory.goals, "add", EXAM, scope=monday, steps=STEPS)).memory
        await call(memory.goals, "progress", goal.id, scope=monday, completed=STEPS[0])
        clock.now += timedelta(weeks=5)
        found = await call(memory.goals, "resume", scope=later)
        assert (found.id, found.progress.status, found.progress.next_step) == (goal.id, "active", STEPS[1])
        assert (found.progress.completed, found.progress.left) == (STEPS[:1], STEPS[1:])
        reasons = (await call(memory.long_term, "why", goal.id, scope=later)).reasons
        assert "revised: it is active: 1 of 3 steps completed" in reasons[-1]
        assert (await call(memory.long_term, "verify", scope=ANA)).is_intact

    async def test_progress_survives_a_replay(self, memory: AgentMemory, call: Call) -> None:
        """It is in the events, and the table of memories is made from them."""
        goal = (await call(memory.goals, "add", EXAM, scope=ANA, steps=STEPS)).memory
        moved = await call(memory.goals, "progress", goal.id, scope=ANA, completed=["x", STEPS[0]], next_step="rest")
        await call(memory.long_term, "replay", scope=ANA)
        kept = await call(memory.long_term, "get", goal.id, scope=ANA)
        assert kept == moved.memory
        assert kept.goal == GoalProgress(status="active", steps=STEPS, completed=("x", STEPS[0]), next_step="rest")

    async def test_progress_reported_at_once_is_all_kept(self, memory: AgentMemory) -> None:
        """Several sessions that complete different steps at the same moment lose none."""
        goal = (await memory.goals.aadd(EXAM, scope=ANA)).require()
        steps = [f"step {number}" for number in range(6)]
        await asyncio.gather(*(memory.goals.aprogress(goal.id, scope=ANA, completed=it) for it in steps))
        found = await memory.goals.aresume(scope=ANA)
        assert found is not None
        assert set(found.progress.completed) == set(steps)

    async def test_a_step_is_known_in_any_spelling(self, memory: AgentMemory, call: Call) -> None:
        """Its case, spaces and full stop do not make it another: the plan goes on, and nothing is noted twice."""
        goal = (await call(memory.goals, "add", EXAM, scope=ANA, steps=STEPS)).memory
        for said in ("Read chapter 1.", " read  chapter 1", ["Find a tutor", "find a tutor"]):
            moved = await call(memory.goals, "progress", goal.id, scope=ANA, completed=said)
        progress = moved.memory.goal
        assert (progress.completed, progress.next_step) == ((STEPS[0], "Find a tutor"), STEPS[1])

    async def test_a_goal_given_up_says_so(self, memory: AgentMemory, call: Call) -> None:
        """Who reports progress of it learns that it was given up, and by which memory, and that it may begin again."""
        goal = (await call(memory.goals, "add", EXAM, scope=ANA)).memory
        said = Candidate(content="Ana gave up on the exam", kind="goal", is_correction=True)
        end = (await call(memory.long_term, "remember", said, scope=ANA)).memory
        with pytest.raises(ConfigurationError, match=f"is abandoned, as memory '{end.id}' says; add it again"):
            await call(memory.goals, "progress", goal.id, scope=ANA, completed="a step")

    async def test_goals_are_listed_by_how_near_they_are(self, memory: AgentMemory, call: Call) -> None:
        """Active before open before blocked, and a blocked one is not resumed until it moves."""
        texts = ("Ana wants to learn Polish", "Ana wants to run a marathon", "Ana wants to build a shed")
        ids = [(await call(memory.goals, "add", it, scope=ANA)).memory.id for it in texts]
        await call(memory.goals, "progress", ids[0], scope=ANA)
        await call(memory.goals, "block", ids[1], scope=ANA, reason="injured")
        assert [it.id for it in await call(memory.goals, "open", scope=ANA)] == [ids[0], ids[2], ids[1]]
        await call(memory.goals, "progress", ids[1], scope=ANA, next_step="see the doctor")
        assert (await call(memory.goals, "resume", scope=ANA)).id == ids[1]

    @pytest.mark.parametrize(("end", "status"), [("finish", "done"), ("abandon", "abandoned")])
    async def test_a_goal_that_is_over_is_not_recalled_as_open(
        self, memory: AgentMemory, call: Call, end: str, status: str
    ) -> None:
        """It is remembered as what it is, in a prompt and by a tool, and cannot move any more."""
        goal = (await call(memory.goals, "add", EXAM, scope=ANA, steps=STEPS)).memory
        await call(memory.goals, end, goal.id, scope=ANA)
        search = next(it for it in memory.tools(scope=ANA) if it.name == "search_memory")
        told = await search.ainvoke({"query": "state exam in June"})
        assert f'progress="{status}"' in told
        assert "next_step" not in told
        assert await call(memory.goals, "open", scope=ANA) == ()
        with pytest.raises(ConfigurationError, match=f"is {status}; add it again"):
            await call(memory.goals, "progress", goal.id, scope=ANA, completed="more")

    async def test_a_goal_may_be_pursued_once_more(self, memory: AgentMemory, call: Call) -> None:
        """The same words after the end are a new goal; before it, the one that is known."""
        first = (await call(memory.goals, "add", EXAM, scope=ANA)).memory
        known = await call(memory.goals, "add", EXAM, scope=ANA, steps=STEPS)
        assert (known.verdict, known.memory.id, known.memory.goal.next_step) == ("merged", first.id, STEPS[0])
        await call(memory.goals, "finish", first.id, scope=ANA)
        again = await call(memory.goals, "add", EXAM, scope=ANA)
        assert (again.verdict, again.memory.goal) == ("written", GoalProgress())
        assert again.memory.id != first.id

    async def test_a_goal_said_in_passing_is_open(self, memory: AgentMemory, call: Call) -> None:
        """What an extractor kept as a goal can be worked on like one that was added."""
        said = await call(memory.long_term, "remember", "The user's goal is to learn Polish", scope=ANA, kind="goal")
        [goal] = await call(memory.goals, "open", scope=ANA)
        moved = await call(memory.goals, "progress", goal.id, scope=ANA, completed="lesson 1")
        assert (goal.id, goal.progress) == (said.memory.id, GoalProgress())
        assert moved.memory.goal == GoalProgress(status="active", completed=("lesson 1",))

    async def test_a_corrected_goal_keeps_its_progress(self, memory: AgentMemory, call: Call) -> None:
        """What replaces it in other words goes on where it stood."""
        goal = (await call(memory.goals, "add", "The exam is on 5 June", scope=ANA, steps=STEPS)).memory
        moved = (await call(memory.goals, "progress", goal.id, scope=ANA, completed=STEPS[0])).memory
        corrected = Candidate(content="The exam is on 9 June", kind="goal", is_correction=True)
        decision = await call(memory.long_term, "remember", corrected, scope=ANA)
        assert decision.superseded == (goal.id,)
        assert decision.memory.goal == moved.goal

    async def test_a_goal_said_like_an_order_stays_a_goal(self, memory: AgentMemory, call: Call) -> None:
        """What the application adds as a goal is no rule for the agent, whatever its mood."""
        decision = await call(memory.goals, "add", "Always write one page a day", scope=ANA)
        assert (decision.verdict, decision.memory.kind) == ("written", "goal")

    async def test_goals_are_their_users_own(self, memory: AgentMemory, call: Call) -> None:
        """Another user neither sees nor moves one; an agent's own is seen by that agent only."""
        goal = (await call(memory.goals, "add", EXAM, scope=ANA)).memory
        coder = replace(ANA, agent_id="coder")
        own = (await call(memory.goals, "add", "Ana wants to port the service", scope=coder)).memory
        assert await call(memory.goals, "open", scope=BOB) == ()
        assert [it.id for it in await call(memory.goals, "open", scope=coder)] == [own.id, goal.id]
        assert [it.id for it in await call(memory.goals, "open", scope=ANA)] == [goal.id]
        with pytest.raises(NotFoundError, match="does not exist in this scope"):
            await call(memory.goals, "finish", goal.id, scope=BOB)

    async def test_goals_obey_consent_and_mode(self, memory: AgentMemory, call: Call) -> None:
        """Nothing is shown of a visitor or without consent, and nothing moves in a frozen turn."""
        goal = (await call(memory.goals, "add", EXAM, scope=ANA)).memory
        frozen = await call(memory.goals, "add", "Ana wants to swim", scope=ANA, mode="frozen")
        visitor = await call(memory.goals, "add", EXAM, scope=Scope.anonymous("s"))
        await call(memory.consent, "withdraw", ANA)
        moved = await call(memory.goals, "progress", goal.id, scope=ANA, completed="a step")
        assert (frozen.rule, visitor.rule, moved.rule) == ("memory_mode", "anonymous_scope", "consent")
        assert await call(memory.goals, "open", scope=ANA) == ()
        assert await call(memory.goals, "resume", scope=Scope.anonymous("s")) is None

    async def test_steps_pass_the_write_policy(self, memory: AgentMemory, call: Call) -> None:
        """Sensitive data in a step is refused like anywhere, and the goal stays as it was."""
        goal = (await call(memory.goals, "add", EXAM, scope=ANA)).memory
        refused = await call(memory.goals, "progress", goal.id, scope=ANA, completed="paid by 4111 1111 1111 1111")
        assert refused.rule == "sensitive_data"
        assert (await call(memory.long_term, "get", goal.id, scope=ANA)).goal == GoalProgress()

    async def test_a_denied_goal_is_abandoned(self, memory: AgentMemory, call: Call) -> None:
        """What says "not" of a goal, word for word, ends that one; it is not pursued, and no other is touched."""
        goal = (await call(memory.goals, "add", "Ana wants to run a marathon in June", scope=ANA, steps=STEPS)).memory
        half = (await call(memory.goals, "add", "Ana wants to run a half marathon in June", scope=ANA)).memory
        await call(memory.goals, "progress", goal.id, scope=ANA, completed=STEPS[0])
        denied = await call(memory.goals, "add", "Ana does not want to run a marathon in June any more", scope=ANA)
        assert (denied.superseded, denied.memory.goal) == ((goal.id,), GoalProgress(status="abandoned"))
        assert [it.id for it in await call(memory.goals, "open", scope=ANA)] == [half.id]

    @pytest.mark.parametrize("said", ["I don't want to learn French any more.", "I gave up on learning French."])
    async def test_a_goal_given_up_in_passing_is_abandoned(self, memory: AgentMemory, said: str) -> None:
        """What the rules hear in a conversation ends that goal by the write policy, and is remembered as its end."""
        french = (await memory.goals.aadd("Ana wants to learn French by June", scope=ANA, steps=STEPS)).require()
        others = [(await memory.goals.aadd(it, scope=ANA)).require().id for it in ("learn French cooking", EXAM)]
        talk = replace(ANA, session_id="s")
        for _ in range(2):
            await memory.background.aingest([HumanMessage(said)], scope=talk, episodes=False)
            await memory.jobs.arun()
        assert {it.id for it in await memory.goals.aopen(scope=ANA)} == set(others)
        ended = await memory.long_term.aget(french.id, scope=ANA)
        assert ended is not None
        assert ended.status == "superseded"
        kept = [it for it in await memory.long_term.alist(scope=ANA, kinds=["goal"]) if it.id not in others]
        assert [it.goal for it in kept] == [GoalProgress(status="abandoned")]
        again = await memory.goals.aadd("Ana wants to learn French by June", scope=ANA)
        assert again.verdict == "written"

    async def test_goals_that_differ_in_a_word_are_two(self, memory: AgentMemory, call: Call) -> None:
        """However short and near they are, and whichever comes first."""
        texts = ("run a half marathon", "run a marathon", "learn French cooking", "learn French", "learn to cook")
        found = [await call(memory.goals, "add", it, scope=ANA) for it in texts]
        assert [it.verdict for it in found] == ["written"] * len(texts)
        assert len(await call(memory.goals, "open", scope=ANA)) == len(texts)

    async def test_a_goal_that_is_gone_does_not_move(self, memory: AgentMemory, call: Call) -> None:
        """One that was forgotten is named as that, one that was replaced names what replaced it; nothing is written."""
        goal = (await call(memory.goals, "add", "The exam is on 5 June", scope=ANA)).memory
        corrected = Candidate(content="The exam is on 9 June", kind="goal", is_correction=True)
        later = (await call(memory.long_term, "remember", corrected, scope=ANA)).memory
        with pytest.raises(ConfigurationError, match=f"replaced by memory '{later.id}'"):
            await call(memory.goals, "progress", goal.id, scope=ANA, completed="a step")
        await call(memory.long_term, "forget", later.id, scope=ANA, reason="x")
        with pytest.raises(ConfigurationError, match="is archived; restore it"):
            await call(memory.goals, "finish", later.id, scope=ANA)

    async def test_what_is_no_goal_has_no_progress(self, memory: AgentMemory, call: Call) -> None:
        """Neither a fact nor an id that is not there."""
        fact = (await call(memory.long_term, "remember", "Ana owns a boat", scope=ANA)).memory
        with pytest.raises(ConfigurationError, match="of kind 'fact', not a goal"):
            await call(memory.goals, "progress", fact.id, scope=ANA)
        with pytest.raises(NotFoundError):
            await call(memory.goals, "finish", "nothing", scope=ANA)
        with pytest.raises(ConfigurationError, match="kind 'goal'"):
            Candidate(content="x", goal=GoalProgress())
