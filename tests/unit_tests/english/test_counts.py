"""A number gives a value, which a later one replaces, or names one of several, which it never does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem import AgentMemory, Candidate, Scope
from langchain_agentmem.english.reading.counts import Role, role_of
from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.policies.conflict import judge

ALICE = Scope("alice")

REPLACES = """
Alice has 2 kids | Alice has 3 kids
Alice has two cats | Alice has three cats now
Alice has one kid | Alice has two kids
My sister has two kids | My sister has three kids
The company has 40 employees | The company has 55 employees
My channel has 1,000 followers | My channel has 2k followers
The house has 2 floors | The house has 3 floors
My apartment has 2 bedrooms | My apartment has 3 bedrooms
There are 3 people in my team | There are 4 people in my team
Alice manages four people | Alice manages six people
Alice speaks 3 languages | Alice speaks 4 languages
We use 3 servers | We use 5 servers
I own 2 cars | I own 1 car
The project has 14 open bugs | The project has 9 open bugs
Bus 42 has 2 doors | Bus 42 has 3 doors
We use version 2.1 | We use version 2.2
We use Python 3.11 | We use Python 3.12
The app is on version 2.1 | The app is on version 2.2
We upgraded to version 2.1 | We upgraded to version 2.2
I weigh 75 kg | I weigh 70 kg
Alice is 170 cm tall | Alice is 172 cm tall
I am 30 years old | I am 31 years old
My salary is $50,000 | My salary is $60,000
I earn 50k a year | I earn 60k a year
The ticket costs $50 | The ticket costs $60
My rent is 900 euros | My rent is 950 euros
I have 5000 euros in savings | I have 6000 euros in savings
I have 5 years of experience | I have 6 years of experience
My commute takes 20 minutes | My commute takes 30 minutes
I drink 2 cups of coffee a day | I drink 3 cups of coffee a day
I sleep 7 hours a night | I sleep 8 hours a night
I run twice a week | I run three times a week
I have visited Rome twice | I have visited Rome three times
The shop opens at 9 am | The shop opens at 10 am
Our course starts on 3 May | Our course starts on 5 May
The meeting is at 3 pm | The meeting is at 4 pm
The deadline is 1 April | The deadline is 5 April
My phone number is 555-1234 | My phone number is 555-9876
Alice's flight number is 123 | Alice's flight number is 456
I live at 12 Main Street | I live at 14 Main Street
I live in apartment 3 | I live in apartment 5
I am in room 12 | I am in room 14 now
I now take bus 42 | I now take bus 17
"""

BOTH_HOLD = """
Alice sold bicycle number 1 | Alice sold bicycle number 2
Alice sold bicycle number 2 | Alice sold bicycle number 4 now
I now have bicycle number 2 | I now have bicycle number 3
Alice owns bike 1 | Alice owns bike 2
I take bus 42 | I take bus 17
Gate 12 is closed | Gate 14 is closed now
Room 12 has 3 windows | Room 14 has 3 windows
I have read chapter 3 | I have read chapter 4
I finished chapter 3 now | I finished chapter 4 now
The hero is Tom in chapter 3 | The hero is Tom in chapter 4
Order 1234 is delayed | Order 1235 is delayed
Invoice 4711 has 3 pages | Invoice 4712 has 3 pages
I booked flight 123 | I booked flight 456
I have an iPhone 12 | I have an iPhone 14
We released version 2.1 | We released version 2.2
I bought 3 apples | I bought 5 apples
I visited Rome 3 times | I visited Rome 2 times
I have visited Rome three times | I have visited Rome twice
I ran 5 km | I ran 10 km
I have a 5 km run | I have a 10 km run
The deployment took 30 s | The deployment took 300 s
I paid $50 for the ticket | I paid $60 for the ticket
I have two cats | I have another two cats
I have two cats | I have another cat
I have two cats | I have a third cat
I have two cats | I have one more cat
I have two cats | I also have three cats
I have two brothers | I have three sisters
My sister has 2 kids | My brother has 3 kids
My sister has 2 kids | I have 3 kids
I have 2 red bikes | I have 3 blue bikes
This house has 2 floors | This house has 3 floors
I have 2 meetings today | I have 3 meetings today
I have 2 meetings on Monday | I have 3 meetings on Tuesday
I have 2 questions | I have 3 questions
I want to have 2 kids | I want to have 3 kids
I had 2 kids | I have 3 kids
In 2023 we have 40 employees | In 2024 we have 40 employees
I take 5 mg of the drug daily | I take 50 mg of the drug daily
"""


def pairs(table: str) -> list[tuple[str, str]]:
    """The earlier and the later sentence of each line."""
    rows = (line.split(" | ") for line in table.strip().splitlines())
    return [(earlier, later) for earlier, later in rows]


def relation(earlier: str, later: str, similarity: float | None) -> str:
    return judge(parse_statement(later), parse_statement(earlier), similarity=similarity).relation


@pytest.mark.parametrize(("earlier", "later"), pairs(REPLACES))
def test_another_value_of_the_same_replaces_it(earlier: str, later: str) -> None:
    """What one has, weighs, pays or uses at a time, when it is and how often, with a model and without."""
    assert {relation(earlier, later, it) for it in (None, 0.9)} == {"conflict"}


@pytest.mark.parametrize(("earlier", "later"), pairs(BOTH_HOLD))
def test_what_can_both_hold_is_kept(earlier: str, later: str) -> None:
    """Names of several, what was done some time, what is added, and what is of others: nothing is lost."""
    assert not {relation(earlier, later, it) for it in (None, 0.9)} & {"conflict", "duplicate"}


NUMBERS = st.integers(2, 9_999)


@given(NUMBERS, NUMBERS, st.sampled_from(["kids", "cats", "employees", "followers", "red bikes", "windows"]))
def test_whatever_the_numbers_are_a_count_is_replaced_and_a_name_is_not(one: int, other: int, noun: str) -> None:
    """The rule reads the words around a number, never how large it is."""
    counts = relation(f"Alice has {one} {noun}", f"Alice has {other} {noun}", None)
    names = relation(f"Alice sold bicycle number {one}", f"Alice sold bicycle number {other}", None)
    assert (counts, names) == (("duplicate", "duplicate") if one == other else ("conflict", "related"))


@given(st.lists(st.sampled_from("I have 2 the bus number kids in a week now 3 kg of , . 42".split()), max_size=9))
def test_any_words_are_read(words: list[str]) -> None:
    """Whatever stands around a number, and where it stands."""
    for number in ("2", "3", "42", "3000g", "1209600s"):
        assert role_of(" ".join(words), number) in {None, *get_args(Role)}


@pytest.mark.parametrize(
    ("said", "in_force"),
    [
        (("Alice has 2 kids", "Alice has 3 kids"), {"Alice has 3 kids"}),
        (("Alice has 3 kids", "Alice has 2 kids", "Alice has 3 kids"), {"Alice has 3 kids"}),
        (
            tuple(f"Alice sold bicycle number {it}" for it in (1, 2, 4)),
            {f"Alice sold bicycle number {it}" for it in (1, 2, 4)},
        ),
    ],
)
def test_a_memory_holds_the_last_count_and_every_name(said: tuple[str, ...], in_force: set[str]) -> None:
    """Told one after the other, as memories."""
    moments = iter(datetime(2026, 5, 1, tzinfo=UTC) + timedelta(minutes=it) for it in range(1_000))
    with AgentMemory.in_memory(embeddings=None, consent="assumed", clock=lambda: next(moments)) as memory:
        for content in said:
            memory.long_term.remember(Candidate(content=content), scope=ALICE)
        assert {it.content for it in memory.long_term.list(scope=ALICE)} == in_force
