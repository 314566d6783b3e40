"""Whose something is, and what it is for: somebody else's rent is not mine, and what is denied is no value."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, RecallQuery, Scope
from langchain_agentmem.english.reading.claims import pack_claims, unpack_claims
from langchain_agentmem.policies.stated import stated_in
from langchain_agentmem.policies.updates import update_between
from tests.conftest import Call

RENT = "My rent in Lisbon is 700 euros."
COLOUR = "My favourite colour is red."
LIBRARY = "My Zotero library has 45 sources tagged by theme."

HOSTILE = [
    (RENT, "My neighbour's rent in Lisbon is now 850 euros."),
    (RENT, "My neighbours' rent in Lisbon is now 850 euros."),
    (RENT, "Anna's rent in Lisbon is now 850 euros."),
    (RENT, "My best friend's rent in Lisbon is now 850 euros."),
    (RENT, "Her rent in Lisbon is now 850 euros."),
    (RENT, "Their rent in Lisbon went up to 850 euros now."),
    (RENT, "The rent in Lisbon for garages is now 50 euros."),
    (RENT, "The rent in Lisbon for a garage went up to 50 euros."),
    (RENT, "The rent of my sister in Lisbon is now 850 euros."),
    (RENT, "The rent of my sister is now 850 euros, also in Lisbon."),
    (RENT, "My rent in Porto is now 850 euros."),
    ("My neighbour's rent in Lisbon is 700 euros.", "My rent in Lisbon is now 850 euros."),
    ("Anna's rent in Lisbon is 700 euros.", "Ben's rent in Lisbon is now 850 euros."),
    ("Her rent in Lisbon is 700 euros.", "My rent in Lisbon is now 850 euros."),
    ("The rent in Lisbon for garages is 50 euros.", "My rent in Lisbon is now 850 euros."),
    (LIBRARY, "Tom's Zotero library now has 52 sources tagged by theme."),
    (LIBRARY, "His Zotero library now has 52 sources tagged by theme."),
    (LIBRARY, "My wife\u2019s Zotero library now has 52 sources tagged by theme."),
    ("My gym membership costs $40 a month.", "My brother's gym membership now costs $55 a month."),
    ("My visa appointment is on May 3.", "My husband's visa appointment was moved to May 9."),
    ("My dentist appointment is at 3 PM.", "Lena's dentist appointment was moved to 4 PM."),
    (COLOUR, "My favourite colour is definitely not blue."),
    (COLOUR, "My favourite colour is now definitely not blue."),
    (COLOUR, "My favourite colour is not blue now."),
    (COLOUR, "My favourite colour is most certainly never blue now."),
    (COLOUR, "My favourite colour is no longer blue."),
    ("My favourite colour is not blue.", "My favourite colour is now red."),
    ("My favourite editor is Vim.", "My sister's favourite editor is now Helix."),
    ("My manager is Tom.", "My new manager is not Priya."),
    (RENT, "My rent in Lisbon is now definitely not 850 euros."),
    (RENT, "My rent in Lisbon isn't 850 euros now."),
    (LIBRARY, "My Zotero library has not yet 52 sources tagged by theme now."),
]
TRUE = [
    (RENT, "My rent in Lisbon is now 850 euros."),
    (RENT, "The rent in Lisbon is now 850 euros."),
    (RENT, "Our rent in Lisbon went up to 850 euros."),
    (RENT, "In my building in Lisbon the rent is now 850 euros."),
    (RENT, "My landlord raised my rent in Lisbon to 850 euros now."),
    (RENT, "My sister heard that my rent in Lisbon is now 850 euros."),
    (RENT, "Since this month my rent in Lisbon is now 850 euros."),
    ("The rent in Lisbon for garages is 50 euros.", "The rent in Lisbon for garages is now 60 euros."),
    ("My neighbour's rent in Lisbon is 700 euros.", "My neighbour's rent in Lisbon is now 850 euros."),
    ("Anna's rent in Lisbon is 700 euros.", "Her rent in Lisbon is now 850 euros."),
    ("Anna's rent in Lisbon is 700 euros.", "Anna's rent in Lisbon rose to 850 euros, it is now 850 euros."),
    (LIBRARY, "My Zotero library now has 52 sources tagged by theme."),
    (LIBRARY, "I've now got 52 sources tagged in my Zotero library."),
    (LIBRARY, "It's the Zotero library that now has 52 sources."),
    ("My gym membership costs $40 a month.", "The gym membership now costs $55 a month."),
    ("My visa appointment is on May 3.", "My visa appointment was moved to May 9."),
    ("My dentist appointment is at 3 PM.", "Monday's dentist appointment was moved to 4 PM."),
    ("The API's test coverage is 65%.", "The test coverage of the API improved to 78%."),
    ("I've budgeted $3,000 for relocation and visa.", "The budget for relocation is now $3,500, visa included."),
    (RENT, "My rent in Lisbon is not 700 but 850 euros now."),
    (RENT, "I can't believe my rent in Lisbon is now 850 euros."),
    (COLOUR, "My favourite colour is now blue."),
    (COLOUR, "My favourite colour is no longer red."),
    (COLOUR, "My favourite colour is now blue, not red."),
    ("My favourite editor is Vim.", "Helix is my favourite editor now, not Vim."),
    ("I live in Paris.", "I moved to Berlin, not to Bonn."),
    ("My manager is Tom.", "My new manager is Priya."),
]


@pytest.mark.parametrize(("earlier", "later"), HOSTILE)
def test_what_is_of_another_or_denied_updates_nothing(earlier: str, later: str) -> None:
    """Possessors and what something is for must agree; a denial ends the value it denies, and no other."""
    assert update_between(stated_in(earlier), stated_in(later)) is None


@pytest.mark.parametrize(("earlier", "later"), TRUE)
def test_what_is_of_the_same_is_updated(earlier: str, later: str) -> None:
    """However its owner is named, and as well once the claims were packed."""
    claims = [stated_in(it) for it in (earlier, later)]
    assert update_between(*claims) is not None
    assert update_between(*(unpack_claims(pack_claims(it)) for it in claims)) is not None


@pytest.mark.parametrize(
    ("earlier", "later", "status"),
    [
        *((*HOSTILE[place], "active") for place in (0, 6, 21, 22, 29)),
        (*TRUE[0], "superseded"),
        (*TRUE[22], "superseded"),
    ],
)
async def test_only_a_true_update_marks_the_earlier_turn(call: Call, earlier: str, later: str, status: str) -> None:
    """What was said of somebody else leaves it as it is."""
    talks = [(1, [earlier, "I baked bread on Sunday."]), (9, [later, "The train was late."])]
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for day, said in talks:
            scope = Scope("alice", session_id=f"s{day}")
            at = datetime(2026, 3, day, tzinfo=UTC)
            memory.episodes.ingest([HumanMessage(it, name="Alice") for it in said], scope=scope, at=at)
        query = RecallQuery(text=earlier.rstrip("."), limit=6)
        found: Any = await call(memory.long_term, "recall", query, scope=Scope("alice"))
        [found_as] = [it.memory.status for it in found if it.memory.content.endswith(earlier)]
        assert found_as == status
