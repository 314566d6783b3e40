"""What is another by now is kept in words that the write policy reads; English."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.endings.endings import PASSING
from langchain_agentmem.extraction import RuleExtractor


def told(text: str) -> list[tuple[str, str, bool]]:
    """Return kind and content of what a message tells, and whether it stands only where it ends something."""
    found = RuleExtractor().extract([HumanMessage(text)])
    return [(it.kind, it.content, PASSING in it.tags) for it in found]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I'm 79 since yesterday.", "The user is 79 since yesterday"),
        ("It's my 30th birthday today", "The user turned 30 today"),
        ("My son turned 7 on Saturday.", "The user's son turned 7 on Saturday"),
        ("So now I live with Franz in Ortenburg.", "The user now lives with Franz in Ortenburg"),
        ("moved in w my sister Aoife", "The user moved in with their sister Aoife"),
        ("my rent went up to 720", "The user's rent went up to 720"),
        ("my bike got stolen omg", "The user's bike got stolen omg"),
        ("minh and i broke up", "Minh and the user broke up"),
        ("sold my car", "The user sold their car"),
        ("I dont need the stick anymore", "The user does not need the stick anymore"),
        ("We got back together.", "The user got back together"),
    ],
)
def test_what_is_so_by_now_is_kept(text: str, content: str) -> None:
    """Whether or not anything was remembered of it."""
    assert ("fact", content, False) in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "swapped baclofen for tizanidine",
        "gave the cats to my mum",
        "leo turned 10",
        "I finally bought a bike.",
        "Someone stole my bike.",
        "We had to put Rex to sleep.",
        "The Berlin move is off",
        "I used to be a lawyer",
        "we're in porto now!",
        "The doctor raised the insulin to 14 units.",
    ],
)
def test_what_is_news_of_any_day_stands_where_it_ends_something(text: str) -> None:
    """By itself nobody looks for it."""
    assert [is_passing for _, _, is_passing in told(text)] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "My brother turned off the light",
        "my wife turned 180 degrees on this",
        "Stopped by the shop yesterday",
        "Sold out again",
        "I never got a licence",
        "I've got a headache this morning.",
        "It's my 3rd coffee today",
        "My flight's gone up in price",
    ],
)
def test_what_only_looks_like_a_change_is_not_kept(text: str) -> None:
    """Nothing of the user is another by it."""
    assert told(text) == []


def test_what_a_doctor_did_is_no_outcome() -> None:
    """An outcome is of what was tried."""
    assert [kind for kind, _, _ in told("The doctor raised the insulin to 14 units.")] == ["fact"]
    assert [kind for kind, _, _ in told("The migration raised the latency to 14 ms")] == ["outcome"]


def test_who_drops_out_gives_up_a_goal() -> None:
    """Of what is set as one; who drops out of a chat does not."""
    assert told("I've dropped out of the marathon") == [("goal", "The user has dropped out of the marathon", False)]
    assert told("I've dropped out of the call") == []
