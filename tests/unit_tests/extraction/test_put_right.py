"""What puts right what was said, and what is over of others: their ailments, their age since a birthday."""

from __future__ import annotations

import time

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.extraction.books.acquaintances import names_told_of
from langchain_agentmem.extraction.record.conversation import kept_passages

MAX = "My son Max has asthma and he is 6."


def told(*said: str) -> list[str]:
    """Return what is kept of the last message of some."""
    messages = [HumanMessage(it) for it in said]
    return [it.content for it in RuleExtractor().extract(messages, new_from=len(messages) - 1)]


@pytest.mark.parametrize(
    "slip",
    ["I meant Bath", "I should have said Bath", "I ought to have said in Bath", "No wait, I meant Bath"],
)
def test_what_should_have_been_said_takes_the_place_of_what_was(slip: str) -> None:
    """With or without other words that say that a correction comes."""
    messages = [HumanMessage("I live in Leeds"), HumanMessage(slip)]
    [found] = RuleExtractor().extract(messages, new_from=1)
    assert (found.content, found.corrects) == ("The user lives in Bath", "The user lives in Leeds")


def test_a_slip_and_its_correction_in_one_message_leave_what_is_right() -> None:
    """The wrong half is said again, and is taken back by the other."""
    found = RuleExtractor().extract(
        [HumanMessage("I said that I taught at St Hilda's - I ought to have said St Hild's")]
    )
    assert found[-1].content == "The user taught at St Hild's"
    assert found[-1].corrects == "The user taught at St Hilda's"


@pytest.mark.parametrize(
    "said",
    [
        "I should have said yes to the offer",
        "I should have said I was busy",
        "I should have said thank you",
        "I meant to go there tomorrow",
        "I meant no harm",
        "I meant business",
        "I meant Tuesday",
        "I meant it",
        "I should have lived in Bath",
    ],
)
def test_other_regrets_and_meanings_correct_nothing(said: str) -> None:
    """What was meant or left unsaid is no value of what stands before it."""
    assert told("I live in Leeds", said) == []


@pytest.mark.parametrize(
    "said", ["I said I live in Leeds but that was wrong", "I told you I work at Tesco but that's not true, sorry"]
)
def test_what_is_called_wrong_behind_it_is_not_kept_again(said: str) -> None:
    """A statement that ends by taking itself back says nothing."""
    assert told(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Max doesn't have asthma any more, he's grown out of it",
        "Max has outgrown his asthma",
        "Max's asthma is finally gone",
        "He outgrew his asthma",
    ],
)
def test_what_ailed_somebody_is_over_in_whatever_words(said: str) -> None:
    """A tail that says why, and a verb that says how, change nothing."""
    head = MAX if not said.startswith("He") else "My son Max has asthma."
    messages = f"{head} {said}" if said.startswith("He") else said
    assert "Max no longer has asthma" in told(head, messages)


@pytest.mark.parametrize(
    "said",
    [
        "Max doesn't have asthma any more than I do",
        "Max has not outgrown his asthma",
        "Max hopes he outgrew his asthma",
        "Max outgrew his shoes",
        "Max's asthma inhaler is gone",
        "My boss outgrew his asthma",
    ],
)
def test_what_is_not_over_is_not_told_to_be(said: str) -> None:
    """What is compared, hoped, denied, or of something else."""
    assert not [it for it in told(MAX, said) if "no longer" in it]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("It was Max's birthday yesterday, he's 7 now", "Max is 7 now"),
        ("It was Max's 7th birthday yesterday", "Max turned 7 yesterday"),
        ("Today is Max's 7th birthday", "Max turned 7 today"),
        ("It's my 75th birthday today", "The user turned 75 today"),
        ("It's my birthday today! Seventy-five years young.", "The user is seventy-five years old"),
    ],
)
def test_a_birthday_tells_an_age(said: str, kept: str) -> None:
    """Of oneself, and of one who is known."""
    assert kept in told(MAX, said)


@pytest.mark.parametrize(
    "said",
    [
        "It's Max's 7th birthday next week",
        "It's Max's 7th birthday party today",
        "It's my sister's birthday today! Seventy-five years young.",
        "It's our 10th anniversary today",
        "This wine is great. Seventy-five years old.",
    ],
)
def test_other_days_tell_no_age(said: str) -> None:
    """What is to come, or somebody else's."""
    assert not [it for it in told(MAX, said) if "turned" in it or "years old" in it]


def test_whose_birthday_it_was_is_looked_up_by_name() -> None:
    """Who they are was perhaps said in another conversation."""
    said = [HumanMessage("It was Ella's birthday yesterday, she's 7 now"), HumanMessage("Max outgrew his asthma")]
    assert names_told_of(kept_passages(said)) == {"ella", "max"}


@pytest.mark.parametrize("filler", [" ", "a", "\n", "he's "])
@pytest.mark.parametrize("head", ["It's Max's ", "I meant ", "Max's asthma", "I said I live in Leeds but "])
def test_a_long_message_costs_little(head: str, filler: str) -> None:
    """Reading takes time that grows with the length of a message, and no faster."""
    begin = time.perf_counter()
    told(f"{head}{filler * 1500}.")
    assert time.perf_counter() - begin < 2


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        (["I want to learn French. Sorry, Spanish."], "wants to learn Spanish", "wants to learn French"),
        (["I want to learn French", "Sorry, I meant Spanish"], "wants to learn Spanish", "wants to learn French"),
        (["I want to be a vet", "actually no, an engineer"], "wants to be an engineer", "wants to be a vet"),
        (["I like tea", "Not tea, sorry, coffee"], "likes coffee", "likes tea"),
        (["I live in Graz", "not Graz, sorry, Linz"], "lives in Linz", "lives in Graz"),
        (["I like tea. No wait, coffee"], "likes coffee", "likes tea"),
    ],
)
def test_whatever_can_be_said_can_be_put_right(said: list[str], right: str, wrong: str) -> None:
    """A goal as a fact, and an apology wherever it stands."""
    found = RuleExtractor().extract([HumanMessage(it) for it in said])
    assert (found[-1].content, found[-1].corrects) == (f"The user {right}", f"The user {wrong}")


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        ("Always use spaces. No wait, tabs.", "Always use tabs", "Always use spaces"),
        ("Never call me before nine. Sorry, ten.", "Never call the user before ten", "Never call the user before nine"),
    ],
)
def test_an_order_can_be_put_right(said: str, right: str, wrong: str) -> None:
    """The last word of what is to be done, or its one number."""
    found = RuleExtractor().extract([HumanMessage(said)])
    assert (found[-1].kind, found[-1].content, found[-1].corrects) == ("constraint", right, wrong)


def test_the_one_of_two_that_was_wrong_is_put_right() -> None:
    """The other one stays."""
    found = told("We're closed on Sundays and Wednesdays", "Not Wednesdays, sorry, Tuesdays")
    assert [it.partition(" is ")[2] for it in found] == ["closed on Sundays and Tuesdays"]


@pytest.mark.parametrize(
    "said",
    [
        "I want to learn French. Sorry, gotta go.",
        "I want to learn French. No wait, later",
        "I want to learn French. Sorry, Anna.",
        "I want to learn French and Spanish. Sorry, Italian.",
        "I want to be a vet. Actually no, never mind",
        "Never call me before nine. Sorry, ten calls today.",
        "I have two dogs, no, Bob",
        "I can't come on Monday, sorry, Anna",
        "I have two dogs, no cats",
    ],
)
def test_an_apology_for_something_else_puts_nothing_right(said: str) -> None:
    """What follows is no value of that sort, or may stand for either of two."""
    assert all(it.corrects is None for it in RuleExtractor().extract([HumanMessage(said)]))
