"""An answer's claims about its user, held against what the assistant was told."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from langchain_agentmem.policies.support import Grounds, check_answer, is_told, telling
from langchain_agentmem.types import Memory, Scope


def memory(id: str, content: str, **fields: Any) -> Memory:
    """A memory as shown."""
    known = {"kind": "fact", "confidence": 0.9, "importance": 0.5, "source": "explicit", **fields}
    return Memory(id=id, scope=Scope("alice"), content=content, created_at=datetime(2026, 1, 1, tzinfo=UTC), **known)


KNOWN = (
    memory("teal", "Alice's favourite colour is teal", subject="Alice", relation="favourite colour", object="teal"),
    memory("home", "Alice lives in Berlin", subject="Alice"),
    memory("python", "Alice prefers Python for backend services", subject="Alice", kind="preference"),
    memory("budget", "Alice's travel budget is 300 euros", kind="constraint"),
    memory("olives", "Alice doesn't like olives", kind="preference"),
    memory("bob", "Bob lives in Rome", subject="Bob"),
)


def verdict(answer: str, question: str = "", *told: str) -> bool | None:
    """Whether an answer is supported."""
    return check_answer(answer, Grounds(memories=KNOWN, said=[question], told=told), question).supported


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("", "Your favourite colour is teal."),
        ("What's my favourite colour?", "Teal!"),
        ("", "As you told me, you live in Berlin, so I would take the train to Paris."),
        ("Where do I live?", "In Berlin."),
        ("", "Your travel budget is **300 euros**."),
        ("", "You don't like olives."),
        ("", "Alice lives in Berlin."),
        ("My dog is called Rex. What did I say?", "Your dog is called Rex."),
    ],
)
def test_what_was_told_is_supported(question: str, answer: str) -> None:
    """Who says of the user what memory or the user says stands on that."""
    assert verdict(answer, question) is True


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is my favourite colour?", "Purple, and you live on Mars."),
        ("", "Your favourite colour is purple."),
        ("", "You live in Paris."),
        ("Where do I live?", "In Paris."),
        ("", "Your travel budget is 500 euros."),
        ("", "You like olives."),
        ("", "Based on what you told me, your manager is Sarah."),
        ("", "You work at Acme as a designer."),
        ("", "Your meeting is on 5 May at 3 pm."),
        ("", "Alice lives in Oslo."),
    ],
)
def test_what_nothing_says_is_not(question: str, answer: str) -> None:
    """A number, name, date or object that the assistant was told nowhere, or told otherwise, is its own."""
    assert verdict(answer, question) is False


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("", "For the backend, take Python."),
        ("", "Your best option is Lufthansa."),
        ("", "You should try Oslo, and you could stay at the Grand."),
        ("", "You are welcome! Paris has 2 million inhabitants."),
        ("", "Do you live in Oslo?"),
        ("", "If you live in Oslo, take the tram."),
        ("", "I live in the cloud, and my name is Helper."),
        ("", "Your teal is lovely."),
        ("Where do I live?", "I don't know."),
        ("Write a poem for Nora.", "You live in Avalon, your name is Nora."),
        ("", "```\nYou live in Oslo.\n```"),
        ("", "> You live in Oslo."),
        ("", "Your code is clean, your cluster is Ready, and you use Terraform from HashiCorp."),
        ("", "Your hotel is near the Baixa district."),
        ("", "You live in Germany."),
        ("", "You work at IBM."),
        ("", ""),
    ],
)
def test_what_rules_cannot_tell_they_do_not(question: str, answer: str) -> None:
    """Advice, the world, questions, conditions, quotations and texts that were asked for claim nothing of the user."""
    assert verdict(answer, question) is None


@pytest.mark.parametrize(
    "told", ["Alice's manager: Sarah", "The user's manager is Sarah.", "manager=Sarah team=Payments"]
)
def test_what_a_tool_or_an_instruction_says_is_told(told: str) -> None:
    """Whatever the assistant read supports its answer, or leaves it open."""
    assert verdict("Your manager is Sarah.", "", told) is not False


def test_a_value_that_may_be_worked_out_is_left_open() -> None:
    """Of sums that were told another one may follow; of a date its day of the week."""
    assert verdict("Your balance is 45 euros.", "", "paid 20 euros", "paid 25 euros") is None
    assert verdict("Your flight is on Tuesday.", "My flight is on 5 May.") is None


@pytest.mark.parametrize(
    "claim",
    [
        "You are 42 years old",
        "You're 42",
        "Your age is 42",
        "You were born in 1990",
        "You moved there in 2019",
        "You earn 90,000 a year",
        "You have 3 children",
        "You own two dogs",
        "You have a dog called Rex",
    ],
)
def test_a_number_of_the_user_that_nobody_told_is_not_supported(claim: str) -> None:
    """Beside what was told, too; where it was told, it is."""
    answer = f"You live in Oslo. {claim}."
    assert check_answer(answer, Grounds(said=["I live in Oslo."])).unsupported == (claim,)
    assert (
        check_answer(
            answer, Grounds(said=["I live in Oslo.", claim.replace("Your", "My").replace("You", "I")])
        ).unsupported
        == ()
    )


@pytest.mark.parametrize("clause", ["You are vegan", "You are a nurse", "You take sugar", "You have two options"])
def test_a_clause_that_no_rule_reads_leaves_the_answer_open(clause: str) -> None:
    """One that was told does not vouch for another that may not have been."""
    answers = (
        f"You live in Oslo. {clause}.",
        f"{clause}. You live in Oslo.",
        f"You live in Oslo and {clause.lower()}.",
    )
    assert [check_answer(it, Grounds(said=["I live in Oslo."])).supported for it in answers] == [None] * 3


@pytest.mark.parametrize(
    "beside",
    [
        "Here is what I know about you:",
        "Thank you!",
        "You are welcome!",
        "Would you like more?",
        "Let me know if you need help.",
        "Your best option is the train.",
        "Oslo has 700,000 inhabitants.",
    ],
)
def test_what_says_nothing_of_the_user_leaves_a_supported_answer_supported(beside: str) -> None:
    """Thanks, offers, advice and the world are no claims about them."""
    for answer in (f"{beside} You live in Oslo.", f"You live in Oslo. {beside}"):
        assert check_answer(answer, Grounds(said=["I live in Oslo."])).supported


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("You have 2 children.", "My son Tim and my daughter Ann are here."),
        ("You are 42.", "I was born on 5 May 1984."),
        ("You speak 3 languages.", "I speak French, Italian and German."),
    ],
)
def test_what_can_be_counted_or_worked_out_is_left_open(answer: str, told: str) -> None:
    """A model may count what it was told."""
    assert check_answer(answer, Grounds(said=[told])).supported is None


def test_the_memory_whose_place_is_taken_is_named() -> None:
    """So nobody takes it for used."""
    found = check_answer("Your favourite colour is purple, and you live in Oslo.", Grounds(memories=KNOWN))
    assert found.denied == {"teal", "home", "bob"}
    assert found.unsupported == ("Your favourite colour is purple", "you live in Oslo")


def test_a_model_may_not_call_unfounded_what_was_told() -> None:
    """A claim that something says stays supported."""
    assert is_told("You live in Berlin", Grounds(memories=KNOWN))
    assert not is_told("You live in Oslo", Grounds(memories=KNOWN))


def test_for_later_only_what_an_answer_may_stand_on_is_kept() -> None:
    """Sentences that share a word with its claims, best first; where it claims nothing, none."""
    said = ["Hello there. My sister lives in Oslo with Tom.", "Unrelated words."]
    assert telling(said, "Your sister lives in Oslo, and you live in Rome.") == ("My sister lives in Oslo with Tom.",)
    assert telling(said, "Take the tram in Oslo.") == ()
