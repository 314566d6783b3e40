"""Turns of one speaker that cannot both hold, by a denial or by another value, are returned as a marked pair."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.long_term.recall.contradicting import MAX_VALUES, contradicting
from langchain_agentmem.types import Episode


@pytest.mark.parametrize(
    ("denial", "claim", "question"),
    [
        ("I don't eat meat at all.", "I ate meat at the barbecue, I eat meat every week.", "Does Alice eat meat?"),
        ("I have no siblings.", "My brother Tom visited me.", "Does Alice have siblings or a brother?"),
        ("I have never been to Japan.", "I visited Japan in 2019 with my mother.", "Has Alice been to Japan?"),
        ("I am not allergic to peanuts.", "I am allergic to peanuts.", "Is Alice allergic to peanuts?"),
        ("I can't drive a car.", "I drive my car to work.", "Can Alice drive a car?"),
    ],
)
def test_a_denial_and_what_it_denies_are_a_marked_pair(denial: str, claim: str, question: str) -> None:
    """Each names the other, and neither is left out."""
    pair = marked(denial, claim, question)
    assert len(pair) == len((denial, claim))
    assert {other for named in pair.values() for other in named} == pair.keys()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My budget for the trip is 300 euros.", "My budget for the trip is 500 euros."),
        ("My budget for the trip to Rome is $300.", "My budget for the trip to Rome is $500."),
        ("We marry. Our budget for the wedding is £9,000. Any ideas?", "Hi! Our wedding budget is £8,000."),
        ("I live in Paris.", "I live in Rome. Where can I swim?"),
        ("I work at Fiat.", "I work for Lidl."),
        ("I have two kids.", "I have 3 kids."),
        ("I weigh 70 kg.", "I weigh 75 kg."),
        ("I'm 180 cm tall.", "I'm 185 cm tall."),
        ("I sleep 6 hours a night.", "I sleep 8 hours a night."),
        ("My favourite colour is blue.", "My favourite colour is green."),
        ("My birthday is 5 May.", "My birthday is 9 May."),
        ("My rent is $1,200 a month.", "My rent is $1,400 a month."),
        ("My boss is Anna.", "My boss is Eva."),
        ("My boss is Dr. Ames.", "My boss is Dr. Bell."),
        ("My boss is J. R. Smith. I like him.", "My boss is J. R. Bell."),
        ("I live in St. Louis.", "I live in St. Petersburg."),
        ("I was born in Rome.", "I was born in Paris."),
        ("I'm married to Tom.", "I'm married to Ben."),
    ],
)
def test_two_values_of_the_same_thing_are_a_marked_pair(one: str, other: str) -> None:
    """In whatever order they were said, each names the other, and neither is left out."""
    for said in ((one, other), (other, one)):
        pair = marked(*said, f"{one} {other}")
        assert [len(named) for named in pair.values()] == [1, 1]
        assert {named[0] for named in pair.values()} == pair.keys()


BUDGET = "My budget for the trip is 300 euros."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (BUDGET, "My budget for the party is 500 euros."),
        (BUDGET, "My sister's budget for the trip is 500 euros."),
        ("My budget is 300 euros.", "My budget is 900 euros."),
        ("My budget for a gift is 20 euros.", "My budget for a gift is 50 euros."),
        ("My budget for lunch is 10 euros.", "My budget for lunch is 15 euros."),
        ("My order number is 1001.", "My order number is 1002."),
        ("My quiz score is 65%.", "My quiz score is 88%."),
        ("I have 3 apples.", "I have 5 apples."),
        ("I have 2 dog beds.", "I have 3 dog beds."),
        ("I have two kids to pick up.", "I have three kids to pick up."),
        ("I have three children.", "I have two children in school."),
        ("My appointment is on Monday.", "My appointment is on Tuesday."),
        ("My homework is due on 5 May.", "My homework is due on 9 May."),
        ("I'm 34 years old.", "I'm 36 years old."),
        ("I live in Paris on weekdays.", "I live in Rome on weekends."),
        ("I work at Fiat.", "I also work at Lidl."),
    ],
)
def test_values_of_two_things_are_no_pair(one: str, other: str) -> None:
    """What is for something else, somebody else or some time, and what one may have several of, contradicts nothing."""
    assert marked(one, other, f"{one} {other}") == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (BUDGET, "My budget for the trip is 500 dollars."),
        (BUDGET, "My budget for the trip is 0.3k euros."),
        (BUDGET, "My budget for the trip is 600 euros per person."),
        ("My budget for the trip is at least 300 euros.", "My budget for the trip is 500 euros."),
        ("My budget for the trip is 300-500 euros.", "My budget for the trip is 400 euros."),
        ("My rent is $1,200 a month.", "My rent is $300 a week."),
        ("My birthday is 5 May.", "My birthday is May 5, 1990."),
        ("I weigh 70 kg.", "I weigh 154 lb."),
        ("My target weight is 70 kg.", "My weight is 75 kg."),
        ("I was born in 1990.", "I was born in Rome."),
        ("My boss is Anna.", "My boss is Anna Brown."),
        ("My boss is Ames.", "My boss is Dr. Ames."),
        ("My boss is Mr. Ames.", "My boss is Dr. Ames."),
        ("My boss is Prof. Ames.", "My boss is Tom Ames."),
    ],
)
def test_values_that_may_both_hold_are_no_pair(one: str, other: str) -> None:
    """In another unit, for each of several, within a range, told more or less fully."""
    assert marked(one, other, f"{one} {other}") == {}


@pytest.mark.parametrize(
    "other",
    [
        "My budget for the trip is now 500 euros.",
        "My budget for the trip was 500 euros.",
        "My budget for the trip is going to be 500 euros.",
        "Is my budget for the trip 500 euros?",
        "If I win, my budget for the trip is 500 euros.",
        "Imagine I won. My budget for the trip is 500 euros.",
        "My budget for the trip is 500 euros. Just kidding!",
        "My budget for the trip is 500 euros lol",
        "My budget for the trip is 500 euros, she said.",
        "> My budget for the trip is 500 euros.",
        'My sister wrote: "My budget for the trip is 500 euros."',
        "Can you correct this text? My budget for the trip is 500 euros.",
        "My budget for the trip is 500 euros. Sorry, I mean 300 euros.",
        "My budget for the trip is 500 euros maybe.",
    ],
)
def test_what_is_not_meant_or_has_changed_contradicts_nothing(other: str) -> None:
    """Changed, past, planned, asked, supposed, quoted, in jest, put right at once: only what is claimed counts."""
    assert marked(BUDGET, other, f"{BUDGET} {other}") == {}


def test_each_turn_that_says_so_is_named() -> None:
    """Who says the same in two turns and otherwise in a third contradicts both; few different ones are compared."""
    turns = [turn(number, f"I live in {place}.") for number, place in enumerate(("Rome", "Rome", "Paris"))]
    assert sorted(contradicting(turns)) == [("0", "2"), ("1", "2")]
    many = [turn(number, f"I live in {chr(65 + number)}burg.") for number in range(26)]
    assert len(list(contradicting(many))) == MAX_VALUES * (MAX_VALUES - 1) / 2


def marked(one: str, other: str, question: str) -> dict[str, tuple[str, ...]]:
    """Return what is marked, and as contradicting what, when two turns and a third are asked."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for month, text in ((2, one), (3, other), (4, "The cherry trees bloom.")):
            scope = Scope("alice", session_id=f"s-{month}")
            said = [HumanMessage(text, name="Alice")]
            memory.episodes.ingest(said, scope=scope, at=datetime(2026, month, 1, tzinfo=UTC))
        found = memory.long_term.recall(question, scope=Scope("alice"))
    assert len(found) >= len((one, other))
    return {hit.memory.id: hit.contradicts for hit in found if hit.contradicts}


def turn(number: int, text: str) -> Episode:
    """Return a turn of one speaker."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Episode(id=str(number), scope=Scope("alice"), place=number, at=at, speaker="Alice", text=text)
