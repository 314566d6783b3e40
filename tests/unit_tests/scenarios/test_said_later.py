"""What is said later takes the place of what it changes: a day, a dose, a boss, an animal that died."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.extraction import RuleExtractor

BEN = Scope("ben", session_id="s")
TAKES = "The user takes 50 mg of sertraline"


def hear(*turns: str) -> list[str]:
    """Remember what each turn of a thread says, beside those before it, and return what is in force then."""
    messages = [HumanMessage(it) for it in turns]
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for number in range(len(messages)):
            for candidate in memory.extractor.extract(messages[: number + 1], new_from=number):
                memory.long_term.remember(candidate, scope=BEN)
        return sorted(it.content for it in memory.long_term.list(scope=BEN))


@pytest.mark.parametrize(
    ("before", "later", "kept"),
    [
        ("I take 50 mg of sertraline.", "upped to 100", ["The user takes 100 mg of sertraline now"]),
        ("I take 50 mg of sertraline.", "They upped it to 100 mg.", ["The user takes 100 mg of sertraline now"]),
        ("I take 50 mg of sertraline.", "I take 100 mg of sertraline.", ["The user takes 100 mg of sertraline"]),
        ("I take 50 mg of sertraline.", "I upped it to 100 euros.", [TAKES]),
        ("I take 50 mg of sertraline.", "it went up to 800", [TAKES]),
        ("I take 50 mg of sertraline.", "upped to 25", [TAKES]),
        ("I take 50 mg of sertraline.", "cut down to 12.5", ["The user takes 12.5 mg of sertraline now"]),
        ("I take 50 mg of sertraline.", "He went to 100.", [TAKES]),
        ("I take 50 mg of sertraline.", "I take 5 mg of ramipril.", ["The user takes 5 mg of ramipril", TAKES]),
        ("My rent is 700. I take 50 mg of sertraline.", "They upped it to 800.", [TAKES, "The user's rent is 700"]),
        (
            "I take 50 mg of sertraline and 5 mg of ramipril.",
            "They upped it to 100.",
            ["The user takes 50 mg of sertraline and 5 mg of ramipril"],
        ),
        (
            "I take 50 mg of sertraline in the morning.",
            "I take 100 mg of sertraline in the evening.",
            ["The user takes 100 mg of sertraline in the evening", "The user takes 50 mg of sertraline in the morning"],
        ),
    ],
)
def test_a_dose_takes_the_place_of_the_one_before(before: str, later: str, kept: list[str]) -> None:
    """Of the one medicine that may be meant, by as much as is likely, and not of one at another time of the day."""
    assert hear(before, later) == kept


@pytest.mark.parametrize(
    ("question", "told"),
    [("How far do you run?", []), ("Still 50 mg?", ["The user takes 100 mg of sertraline now"])],
)
def test_a_number_that_was_asked_for_is_no_dose_unless_one_was_asked_for(question: str, told: list[str]) -> None:
    """An answer is of what the question is of."""
    said = [HumanMessage("I take 50 mg of sertraline."), AIMessage(question), HumanMessage("upped to 100")]
    assert [it.content for it in RuleExtractor().extract(said, new_from=2)] == told


@pytest.mark.parametrize(
    ("before", "later", "kept"),
    [
        ("My surgery is on 20 June.", "My surgery will be on 3 July.", ["The user's surgery will be on 3 July"]),
        ("My surgery is on 20 June.", "The surgery will be on 3 July.", ["The surgery will be on 3 July"]),
        (
            "My maths exam is on 3 May.",
            "My exam will be on 5 May.",
            ["The user's exam will be on 5 May", "The user's maths exam is on 3 May"],
        ),
        ("My exam is on 3 May.", "I hope my exam will be on 5 May.", ["The user's exam is on 3 May"]),
    ],
)
def test_a_day_takes_the_place_of_the_one_before(before: str, later: str, kept: list[str]) -> None:
    """Where the same is on it, in the same words."""
    assert hear(before, later) == kept


@pytest.mark.parametrize(
    ("before", "later", "kept"),
    [
        ("I have a dog and two cats.", "The dog died.", ["The dog died", "The user has two cats"]),
        ("I have two dogs.", "The dog died.", ["The user has two dogs"]),
        ("I have a dog.", "I watched a film. The dog died.", ["The user has a dog"]),
        ("I have a dog.", "My neighbour has a dog. The dog died.", ["The user has a dog"]),
        ("I have a dog.", "My wife is crying. The dog died.", ["The dog died"]),
        ("My boss is called Tom.", "The new boss is called Femi.", ["The user's new boss is Femi"]),
        ("My boss is called Tom.", "My sister quit. The new boss is called Femi.", ["The user's boss is called Tom"]),
        ("I have two kids.", "A resort, please. No kids.", ["The user has two kids"]),
        ("My name is Kim.", "I'm 30. No kids.", ["The user has no kids", "The user is 30", "The user's name is Kim"]),
    ],
)
def test_what_one_has_is_called_by_the(before: str, later: str, kept: list[str]) -> None:
    """Where one has one of the kind, and neither a film nor somebody else was told of right before."""
    assert hear(before, later) == kept
