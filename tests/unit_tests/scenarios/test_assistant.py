"""A personal assistant: preferences change over weeks, guesses are not kept, conversations stand side by side."""

from __future__ import annotations

import asyncio

from langchain_agentmem import AgentMemory, RecallQuery, Scope, UpdateWorkingMemory
from tests.conftest import Call
from tests.unit_tests.scenarios.conftest import Calendar, Say

ANA = Scope("ana")


async def test_the_latest_word_counts(memory: AgentMemory, calendar: Calendar, say: Say) -> None:
    """Where somebody lives is where they moved last; what was true before is found when it is asked for."""
    await say("I live in Lyon.", thread="week-1")
    before = calendar.now
    calendar.pass_days(21)
    await say("I moved to Lille.", thread="week-4")
    calendar.pass_days(21)
    asked = RecallQuery(text="Where does the user live?", kinds=("fact",))
    assert [hit.memory.content for hit in memory.long_term.recall(asked, scope=ANA)] == ["The user moved to Lille"]
    then = RecallQuery(text="Where does the user live?", kinds=("fact",), as_of=before)
    assert "The user lives in Lyon" in [hit.memory.content for hit in memory.long_term.recall(then, scope=ANA)]


async def test_a_guess_is_not_a_preference(memory: AgentMemory, say: Say) -> None:
    """What may be is not kept, whatever the agent answers."""
    state = await say("Maybe I will take up rowing.")
    assert (state["memory"]["written"], list(memory.long_term.list(scope=ANA))) == ([], [])


async def test_conversations_at_once_share_what_is_learned(memory: AgentMemory, say: Say) -> None:
    """Four conversations at the same time lose nothing, and each user has what they said."""
    said = {"phone": "I live in Lyon.", "laptop": "I am allergic to nuts.", "car": "I prefer window seats."}
    turns = [say(text, thread=thread) for thread, text in said.items()]
    await asyncio.gather(*turns, say("I live in Rome.", user="ben", thread="phone-of-ben"))
    kept = {it.content for it in memory.long_term.list(scope=ANA)}
    assert kept == {"The user lives in Lyon", "The user is allergic to nuts", "The user prefers window seats"}
    assert [it.content for it in memory.long_term.list(scope=Scope("ben"))] == ["The user lives in Rome"]


async def test_tasks_of_two_conversations_stay_apart(memory: AgentMemory, call: Call) -> None:
    """One user, two tasks: to end one leaves the other as it was."""
    phone, laptop = Scope("ana", session_id="phone"), Scope("ana", session_id="laptop")
    await call(memory.working, "update", phone, goal="Book a table")
    await call(memory.working, "update", laptop, goal="File the taxes")
    await call(memory.working, "complete", phone)
    assert [it.goal for it in await call(memory.working, "sessions", ANA)] == ["File the taxes"]


async def test_without_a_user_nothing_is_guessed(memory: AgentMemory, say: Say) -> None:
    """A run that names nobody is answered as a visitor's, and says so; nothing is stored for anybody."""
    state = await say("I am Ana and I live in Lyon.", user=None)
    assert (state["messages"][-1].text, state["memory"]["status"]) == ("Noted.", "anonymous")
    assert memory.metrics.totals().users == 0


async def test_without_a_thread_the_agent_answers(memory: AgentMemory, say: Say, call: Call) -> None:
    """Long-term memory needs no conversation; working memory says that it has none, and stores nothing."""
    state = await say("I live in Lyon.", thread=None)
    assert (state["messages"][-1].text, state["memory"]["status"]) == ("Noted.", "ok")
    told = await call(UpdateWorkingMemory(memory.working), "invoke", state["messages"], {"configurable": {}})
    assert told["working_report"]["status"].startswith("error: the run names no conversation")
