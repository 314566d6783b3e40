"""Who takes back what they said about something takes back what they said of it last, and where they are is no home."""

from __future__ import annotations

import pytest

from langchain_agentmem import AgentMemory, Candidate, Provenance, Scope
from tests.unit_tests.scenarios.conftest import Calendar, Say

ANA = Scope("ana")
LEEDS = "The user lives in Leeds"
BACK = "I take back what I said about coffee"


def kept(memory: AgentMemory) -> list[str]:
    """Return what holds."""
    return sorted(it.content for it in memory.long_term.list(scope=ANA))


@pytest.mark.parametrize(
    ("turns", "left"),
    [
        (["I like coffee.", BACK], []),
        (["I work at a coffee roastery.", "I hate coffee.", BACK], ["The user works at a coffee roastery"]),
        (["I'm allergic to coffee beans.", "I love coffee.", BACK], ["The user is allergic to coffee beans"]),
        (
            ["I hate coffee.", "My sister Nora loves coffee.", BACK],
            ["The user hates coffee", "The user's sister is Nora"],
        ),
        (["My sister Nora loves coffee.", "I hate coffee.", BACK], ["Nora loves coffee", "The user's sister is Nora"]),
        (["I hate coffee.", "I live in Leeds.", BACK], [LEEDS]),
        (["I hate coffee and I live in Leeds.", BACK], [LEEDS]),
        (["I live in Leeds.", BACK], [LEEDS]),
        (
            ["My friend is called Sam.", "Sam lives in Leeds.", "I want to take back what I said about Sam"],
            ["The user's friend is called Sam"],
        ),
        (["I work at a coffee roastery.", "I hate coffee.", "I take back everything I said about coffee"], []),
        (["I work at a coffee roastery.", "I hate coffee.", "Forget what I said about coffee"], []),
    ],
)
async def test_what_is_taken_back_is_what_was_said_last(
    memory: AgentMemory, say: Say, calendar: Calendar, turns: list[str], left: list[str]
) -> None:
    """Older facts that name it stay, with their turns; "everything", and who says "forget", means all of it."""
    for turn in turns:
        calendar.pass_days(1)
        await say(turn)
    assert kept(memory) == left


async def test_nothing_that_others_said_is_taken_back(memory: AgentMemory, say: Say) -> None:
    """A record of an application, and a tool's answer, are no words of the user's."""
    by_tool = Provenance(speaker="tool", tools=("shop",))
    memory.long_term.remember("The user ordered coffee", scope=ANA)
    memory.long_term.remember(Candidate(content="The user has a coffee subscription", provenance=by_tool), scope=ANA)
    before = kept(memory)
    await say("I hate coffee.")
    await say(BACK)
    assert kept(memory) == before


@pytest.mark.parametrize(
    ("said", "home"),
    [
        ("I'm in Berlin now", LEEDS),
        ("I'm now in Berlin", LEEDS),
        ("We're now in Berlin", LEEDS),
        ("I'm in Berlin these days", LEEDS),
        ("I'm now in London for work", LEEDS),
        ("I'm staying in Berlin now", LEEDS),
        ("I'm now in marketing", LEEDS),
        ("I'm in Berlin right now", LEEDS),
        ("I'm now at Heathrow", LEEDS),
        ("I'm back in Berlin now", LEEDS),
        ("Now I'm in Berlin with Tom", LEEDS),
        ("I'm now living in Berlin", "The user is now living in Berlin"),
        ("I'm now based in Berlin", "The user is now based in Berlin"),
        ("I live in Berlin now", "The user lives in Berlin now"),
        ("I've moved. I'm now in Berlin", "The user moved to Berlin"),
        ("I used to live in Leeds, now I'm in Berlin", "The user moved to Berlin"),
        ("I used to live in Leeds but I'm in Berlin now", "The user moved to Berlin"),
    ],
)
async def test_where_one_is_now_is_no_home(memory: AgentMemory, say: Say, said: str, home: str) -> None:
    """A stay ends no home, however it is said, unless it is told as a move."""
    await say("I live in Leeds.")
    await say(said)
    assert home in kept(memory)
    assert home == LEEDS or LEEDS not in kept(memory)
    assert not [it for it in memory.long_term.list(scope=ANA) if it.relation == "lives_in" and it.content != home]
