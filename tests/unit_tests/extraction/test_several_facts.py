"""Independent facts in one sentence are a memory each; what belongs together stays whole."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor


def said(text: str) -> list[str]:
    return [it.content for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize(
    ("text", "each"),
    [
        ("I have diabetes and take metformin.", ["The user has diabetes", "The user takes metformin"]),
        (
            "I have asthma, take ventolin before sport.",
            ["The user has asthma", "The user takes ventolin before sport"],
        ),
        (
            "I'm 42, live alone in Cork.",
            ["The user is 42", "The user lives alone", "The user lives in Cork"],
        ),
        ("my rate is 90 eur/h, clients: Zalando and Finbite", ["The user's rate is 90 eur/h"]),
        (
            "im 34 and i live with my partner dan and our cat miso in brixton",
            ["The user is 34", "The user lives with their partner dan and their cat miso", "The user lives in brixton"],
        ),
        ("I take ramipril too.", ["The user also takes ramipril"]),
        ("I'm vegan too.", ["The user is also vegan"]),
        ("born in 1990", ["The user was born in 1990"]),
        ("currently living in Leeds", ["The user is currently living in Leeds"]),
    ],
)
def test_each_of_several_facts_stands_by_itself(text: str, each: list[str]) -> None:
    """An illness and its medicine, an age and a home, those at home and the town."""
    assert said(text) == each


def test_a_time_beside_a_home_is_none_of_it() -> None:
    """What is forgotten of the school run leaves the home."""
    assert said("we live in Aberdeen, school run is at 8:40")[0] == "The user's family lives in Aberdeen"


@pytest.mark.parametrize(
    "text",
    [
        "I live in York, England.",
        "I like salt and pepper.",
        "I like cats and dogs.",
        "I love coffee and take it black.",
        "I live in Leeds with my wife and two kids.",
    ],
)
def test_what_belongs_together_stays_whole(text: str) -> None:
    """A town and its country, a pair of words, and a pronoun that needs the first half."""
    assert len(said(text)) == 1


@pytest.mark.parametrize("text", ["I love you too.", "I hate it too.", "I'm tired too.", "I have one too."])
def test_what_says_little_says_it_also_beside_something_else(text: str) -> None:
    """A "too" makes no feeling and no pronoun a fact."""
    assert said(text) == []
