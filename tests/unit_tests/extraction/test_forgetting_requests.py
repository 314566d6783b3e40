"""A request to forget is never kept as what its sender wants."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction.rules import RuleExtractor


def kept(text: str) -> list[str]:
    """Return what is kept of a message."""
    return [it.content for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize(
    "text",
    [
        "I'd like you to forget my diet.",
        "I want you to forget that I like sushi.",
        "I'd appreciate it if you forgot my age.",
        "I'd prefer it if you deleted my address.",
        "I need you to forget everything.",
        "Would you mind forgetting where I live?",
        "Forget that I like sushi.",
        "Forget that I'm allergic to penicillin, the doctor tested it and I'm not.",
        "Please forget that I live in Leeds, we moved.",
        "Let's forget about my diet, what's for dinner?",
        "Forget my diet for today, please.",
    ],
)
def test_a_request_to_forget_leaves_nothing(text: str) -> None:
    """Neither a preference that says so, nor the end of what is only put aside."""
    assert kept(text) == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I moved to Rome, please forget my old address.", "The user moved to Rome"),
        ("I'd like you to drop the plurals in headings.", "The user would like the assistant to drop the plurals in "),
        ("Forget that, I live in York.", "The user lives in York"),
        ("Don't forget that I'm allergic to nuts.", "The user is allergic to nuts"),
        ("I always forget my keys.", "The user always forgets their keys"),
        ("I hate it when you forget my name.", "The user hates it when the assistant forgets their name"),
        ("Let's forget about learning French.", "The user gave up on learning French"),
        ("Forget about the marathon.", "The user gave up on the marathon"),
    ],
)
def test_what_is_told_beside_it_or_only_of_it_is_kept(text: str, content: str) -> None:
    """A goal that is dropped ends, and who speaks of forgetting tells something."""
    [found] = kept(text)
    assert found.startswith(content)
