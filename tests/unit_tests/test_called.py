"""How somebody wants to be called stands beside their name."""

from __future__ import annotations

import pytest

from langchain_agentmem import AgentMemory, Scope

ALICE = Scope(user_id="alice")


def _in_force(*told: str) -> list[str]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for text in told:
            memory.long_term.remember(text, scope=ALICE)
        return sorted(it.content for it in memory.long_term.list(scope=ALICE))


@pytest.mark.parametrize(
    "called",
    ["Call me Ali", "Please call me Ali", "I go by Ali", "People call me Ali", "My friends call me Ali"],
)
def test_a_form_of_address_stands_beside_the_name(called: str) -> None:
    """Who says how to call them keeps their name, whichever was said first."""
    assert _in_force("My name is Alice", called) == sorted(["My name is Alice", called])
    assert _in_force(called, "My name is Alice") == sorted(["My name is Alice", called])


@pytest.mark.parametrize(
    ("old", "new"), [("Call me Ali", "Call me Al"), ("I go by Ali", "I go by Al now"), ("Call me Ali", "I go by Al")]
)
def test_another_form_of_address_takes_the_place_of_the_last(old: str, new: str) -> None:
    """One is called by one name at a time."""
    assert _in_force(old, new) == [new]


def test_when_to_call_is_no_name() -> None:
    """Nobody is named "later"."""
    assert _in_force("Call me Ali", "Call me later") == ["Call me Ali", "Call me later"]


def test_another_name_takes_the_place_of_the_last() -> None:
    """One has one name at a time."""
    assert _in_force("My name is Alice", "I'm called Bea") == ["I'm called Bea"]
