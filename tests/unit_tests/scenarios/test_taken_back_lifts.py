"""Who takes back what they said has what it had ended hold again; who has it forgotten has not."""

from __future__ import annotations

import pytest

from langchain_agentmem import AgentMemory, ListQuery, Memory, Scope
from tests.unit_tests.scenarios.conftest import Calendar, Say

ANA = Scope("ana")
LIKES, HATES = "The user likes coffee", "The user hates coffee"
BACK = "I take back what I said about coffee"


def kept(memory: AgentMemory) -> list[str]:
    """Return what holds."""
    return sorted(it.content for it in memory.long_term.list(scope=ANA))


async def told(say: Say, calendar: Calendar, *turns: str) -> None:
    for turn in turns:
        calendar.pass_days(1)
        await say(turn)


def ever(memory: AgentMemory, content: str) -> Memory:
    """Return a memory of whatever status."""
    every = memory.long_term.select(ListQuery(statuses=("active", "superseded", "archived")), scope=ANA)
    return next(it for it in every if it.content == content)


@pytest.mark.parametrize("words", [BACK, "Scratch that.", "I was joking!", "I take that back.", "Just kidding"])
async def test_what_was_ended_by_what_is_taken_back_holds_again(
    memory: AgentMemory, say: Say, calendar: Calendar, words: str
) -> None:
    """The user takes back only the last of what they said: what it had replaced was never over."""
    await told(say, calendar, "I like coffee.", "I hate coffee.")
    assert kept(memory) == [HATES]
    await told(say, calendar, words)
    assert kept(memory) == [LIKES]
    back = ever(memory, LIKES)
    assert (back.invalid_at, back.expired_at) == (None, None)
    assert memory.long_term.why(back.id, scope=ANA).reasons[-1].endswith("which had ended it, was taken back")
    assert memory.long_term.verify(scope=ANA).is_intact


@pytest.mark.parametrize("words", ["Forget that I hate coffee.", "Forget what I just said."])
async def test_what_is_only_to_be_forgotten_lifts_nothing(
    memory: AgentMemory, say: Say, calendar: Calendar, words: str
) -> None:
    """Who wants something forgotten does not say that it was untrue: what it replaced stays over."""
    await told(say, calendar, "I like coffee.", "I hate coffee.", words)
    assert kept(memory) == []


async def test_only_the_last_ending_is_lifted(memory: AgentMemory, say: Say, calendar: Calendar) -> None:
    """What the statement before it had ended stays over."""
    await told(say, calendar, "I live in Leeds.", "I live in York.", "I live in Bath.", "Scratch that.")
    assert kept(memory) == ["The user lives in York"]


async def test_what_was_replaced_itself_lifts_nothing(memory: AgentMemory, say: Say, calendar: Calendar) -> None:
    """Of what is over no more than its words goes: what took its place stands."""
    await told(say, calendar, "I live in Leeds.", "I live in York.")
    leeds = ever(memory, "The user lives in Leeds")
    await told(say, calendar, "I live in Bath.")
    await told(say, calendar, "I take back what I said about York")
    assert ever(memory, "The user lives in York").status == "archived"
    assert kept(memory) == ["The user lives in Bath"]
    assert ever(memory, leeds.content).status == "superseded"


async def test_of_what_was_over_in_part_the_whole_holds_again(
    memory: AgentMemory, say: Say, calendar: Calendar
) -> None:
    """What remained beside news that is taken back is part of the whole again, and is not kept twice."""
    await told(say, calendar, "I live in Leeds with my wife Clara.")
    before = kept(memory)
    await told(say, calendar, "I moved to York.")
    assert kept(memory) != before
    await told(say, calendar, "Scratch that.")
    assert kept(memory) == before


async def test_restoring_what_was_taken_back_ends_again_what_it_had_ended(
    memory: AgentMemory, say: Say, calendar: Calendar
) -> None:
    """A slip is taken back as a whole, and so it is by `undo`."""
    await told(say, calendar, "I live in Leeds with my wife Clara.", "I moved to York.")
    before = kept(memory)
    await told(say, calendar, "Scratch that.")
    lifted = kept(memory)
    memory.long_term.restore(ever(memory, "The user moved to York").id, scope=ANA)
    assert kept(memory) == before != lifted
    await told(say, calendar, "I take back what I said about York")
    assert kept(memory) == lifted


async def test_undoing_the_forgetting_ends_it_again(memory: AgentMemory, say: Say, calendar: Calendar) -> None:
    """What held again came along with what was taken back, and goes with it."""
    await told(say, calendar, "I like coffee.", "I hate coffee.", "Scratch that.")
    [gone] = [it for it in memory.timeline.events(scope=ANA) if it.type == "forgotten"]
    memory.timeline.undo(gone.seq, scope=ANA)
    assert kept(memory) == [HATES]


async def test_what_was_said_since_stands_beside_it(memory: AgentMemory, say: Say, calendar: Calendar) -> None:
    """What was said again is not kept twice by it."""
    await told(say, calendar, "I like coffee.", "I hate coffee.")
    memory.long_term.remember("The user likes tea", scope=ANA)
    await told(say, calendar, BACK)
    assert kept(memory) == [LIKES, "The user likes tea"]
