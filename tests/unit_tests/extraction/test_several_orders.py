"""Orders that are given in one breath, for one case, or but for one: each is kept with what it holds for."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction.rules import RuleExtractor

SHORT = "Keep the assistant's answers short"


def kept(text: str) -> list[tuple[str, str]]:
    """Return what is kept of a message."""
    return [(it.kind, it.content) for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        ("Use Celsius and be brief", ["Use Celsius", "Be brief"]),
        ("Use Celsius and answer in French.", ["Use Celsius", "Answer in French"]),
        ("Always answer in French and be formal.", ["Always answer in French", "Be formal"]),
        ("Never use emojis, and keep it short.", ["Never use emojis", "Keep it short"]),
        ("Keep your answers short and always use metric units only.", [SHORT, "Always use metric units only"]),
        ("Keep your answers short, and never use emojis", [SHORT, "Never use emojis"]),
        ("Keep it brief, and never deploy on Fridays.", ["Keep it brief", "Never deploy on Fridays"]),
        ("Keep your answers short and never send me emails.", [SHORT, "Never send the user emails"]),
        ("Be concise, and always cite papers.", ["Be concise", "Always cite papers"]),
        ("Answer in French and never call me before 9.", ["Answer in French", "Never call the user before 9"]),
        ("Always wash and never iron it.", ["Always wash and never iron it"]),
        ("Never push to main and always test.", ["Never push to main and always test"]),
        ("Keep the soup warm and always use a lid", []),
        ("Be brief and formal", ["Be brief and formal"]),
        ("Use salt and be careful", []),
        ("Use Celsius and tell me the weather in Rome", []),
        ("Write a poem about Rome and be brief", []),
        ("Be brief and tell me about Rome", []),
    ],
)
def test_each_of_two_orders_is_kept(text: str, orders: list[str]) -> None:
    """And neither where they are for what is asked."""
    assert kept(text) == [("constraint", it) for it in orders]


@pytest.mark.parametrize("text", ["Don't use emojis, please, and call me Sam", "Call me Sam and don't use emojis."])
def test_an_order_beside_a_name_is_kept_with_it(text: str) -> None:
    """In either order."""
    assert sorted(kept(text)) == [("constraint", "Do not use emojis"), ("fact", "The user's name is Sam")]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Speak French when we talk about cooking", "Speak French when the conversation is about cooking"),
        ("When we discuss recipes, use metric units.", "When the conversation is about recipes, use metric units"),
        ("Answer in bullet points, except for recipes", "Answer in bullet points, except for recipes"),
        (
            "Answer in bullet points unless I ask for a table.",
            "Answer in bullet points unless the user asks for a table",
        ),
    ],
)
def test_an_order_keeps_what_it_holds_for(text: str, content: str) -> None:
    """It is not one for all answers, and no fact about the user."""
    assert kept(text) == [("constraint", content)]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Speak French when I visit my gran", "The user speaks French when they visit their gran"),
        ("When we talk about books we drink tea.", "When the user's group talks about books they drink tea"),
    ],
)
def test_what_somebody_does_is_no_order(text: str, content: str) -> None:
    """However like one it is worded."""
    assert kept(text) == [("fact", content)]
