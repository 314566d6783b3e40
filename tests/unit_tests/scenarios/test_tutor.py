"""Tutoring: what a student struggles with, and how far they have come, over sessions."""

from __future__ import annotations

from langchain_agentmem import AgentMemory, Scope, UserProfile
from tests.conftest import Call
from tests.unit_tests.scenarios.conftest import Calendar, Say

ANA = Scope("ana")


class Student(UserProfile):
    level: str = "beginner"


async def test_struggle_and_progress_last_over_sessions(memory: AgentMemory, calendar: Calendar, say: Say) -> None:
    """What was hard, the level and the next step are there weeks later, and what was before is explained."""
    students = memory.profiles.as_(Student)
    students.set("level", "novice", scope=ANA)
    await say("I struggle with recursion.", thread="lesson-1")
    calendar.pass_days(14)
    students.set("level", "intermediate", scope=ANA)
    assert students.get(scope=ANA).level == "intermediate"
    assert students.get(scope=ANA).facts == ("The user struggles with recursion",)
    told = [(it.value, it.status) for it in students.explain("level", scope=ANA).values]
    assert told == [("intermediate", "active"), ("novice", "superseded")]


async def test_a_plan_is_taken_up_where_it_was_left(memory: AgentMemory, calendar: Calendar, call: Call) -> None:
    """Six weeks and two sessions later the next step is the first that is not done."""
    wanted = await call(memory.goals, "add", "Ana wants to understand recursion", scope=ANA, steps=["lists", "trees"])
    await call(memory.goals, "progress", wanted.require().id, scope=Scope("ana", session_id="1"), completed="lists")
    calendar.pass_days(42)
    resumed = await call(memory.goals, "resume", scope=Scope("ana", session_id="2"))
    assert (resumed.progress.status, resumed.progress.next_step) == ("active", "trees")
