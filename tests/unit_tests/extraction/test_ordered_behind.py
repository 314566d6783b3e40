"""Behind a statement, an order to the assistant is one, and what others do is none."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor


def kept(text: str) -> list[tuple[str, str]]:
    """Return the kind and content of what is kept of a message."""
    return [(it.kind, it.content) for it in RuleExtractor().extract([HumanMessage(text)], user_name="Gil")]


@pytest.mark.parametrize(
    ("text", "fact", "order"),
    [
        ("I speak French at work, but reply to me in English", "Gil speaks French at work", "Reply to Gil in English"),
        ("My wife speaks Urdu but write to me in English", "The user's wife speaks Urdu", "Write to Gil in English"),
        ("I work in Rome so answer me in Italian", "Gil works in Rome", "Answer Gil in Italian"),
        ("I live in Graz and reply to me in German", "Gil lives in Graz", "Reply to Gil in German"),
        ("I'm from Oslo, please answer me in English", "Gil is from Oslo", "Answer Gil in English"),
    ],
)
def test_an_order_behind_a_statement_has_no_part_in_it(text: str, fact: str, order: str) -> None:
    """Nobody tells of themselves that they answer "me"."""
    assert kept(text) == [("fact", fact), ("constraint", order)]


def test_who_speaks_of_themselves_with_another_orders_as_well() -> None:
    """What both do is no more done for "me" than what one does."""
    found = kept("My wife and I live in Leeds but call me at work")
    assert ("fact", "Gil lives in Leeds") in found
    assert ("preference", "Call Gil at work") in found


def test_what_a_group_does_is_no_order_to_the_assistant() -> None:
    """Nor is the order behind it a fact of the group."""
    found = kept("We use Dutch in the shop but speak English with me")
    assert [kind for kind, _ in found] == ["fact", "constraint"]
    assert found[1] == ("constraint", "Speak English with Gil")


@pytest.mark.parametrize(
    "text",
    [
        "My kids live in Leeds but call me on Sundays",
        "My parents live in Rome and call me every day",
        "My mum and dad live in Rome but write to me in Urdu",
        "They live in Leeds but write to me in English",
        "I have kids who live in Leeds but call me on Sundays",
        "I want my kids to learn Dutch and write to me in Dutch",
        "My colleagues write Go but use tabs",
        "We live in Leeds but speak English with each other",
        "I like tea but drink coffee with my mum",
        "I work in sales and my clients write to me in French",
        "I live with Tom and Ann and they talk to me in Dutch",
    ],
)
def test_what_others_do_is_no_order(text: str) -> None:
    """Several who were spoken of go on, in a clause of their own or in that of the user."""
    assert all(kind != "constraint" and not it.startswith(("Call", "Write", "Use")) for kind, it in kept(text))


@pytest.mark.parametrize("text", ["Before you deploy, ask me.", "Always answer in French and be formal."])
def test_what_an_order_is_for_stays_with_it(text: str) -> None:
    """A case before an order is no statement, and no order is cut from its beginning."""
    assert {kind for kind, _ in kept(text)} == {"constraint"}
