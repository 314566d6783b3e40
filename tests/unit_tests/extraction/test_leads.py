"""What leads to a statement is cut off, however it is set apart."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor


def told(*said: str) -> list[str]:
    """Return what is kept of the last message of some."""
    messages = [HumanMessage(it) for it in said]
    return [it.content for it in RuleExtractor().extract(messages, new_from=len(messages) - 1)]


@pytest.mark.parametrize(
    "said",
    [
        "I hate emojis.",
        "my dog is called Rex.",
        "Ben is my brother.",
        "never call me before nine.",
        "the spare key is with the neighbours.",
    ],
)
def test_remember_with_a_colon_asks_as_remember_that_does(said: str) -> None:
    """A colon behind it makes it nobody's name, before whose words of the conversation it would stand."""
    assert told(f"Remember: {said}") == told(f"Remember that {said}") != []


def test_remember_with_a_colon_makes_nothing_of_a_question() -> None:
    """Who asks behind it tells nothing."""
    assert told("Remember: what's my name?") == []
