"""What befalls somebody or something once has one date; what may happen again has as many as are told."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.policies.conflict import judge


def _relation(old: str, new: str) -> str:
    return judge(parse_statement(new), parse_statement(old), similarity=None).relation


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice was born in 1990", "Alice was born in 1991"),
        ("I was born in 1990", "I was born in 1991"),
        ("Alice was born on 3 May 1990", "Alice was born in 1991"),
        ("Alice was born in May 1990", "Alice was born in June 1990"),
        ("Alice was born in Oslo in 1990", "Alice was born in 1991"),
        ("Alice's son was born in 2010", "Alice's son was born in 2011"),
        ("Acme was founded in 2010", "Acme was founded in 2011"),
        ("The bridge was built in 1900", "The bridge was built in 1901"),
        ("Alice's mother died in 2010", "Alice's mother died in 2011"),
        ("Rex died in 2010", "Rex died in 2011"),
        ("My birthday is 3 May 1990", "My birthday is 4 May"),
    ],
)
def test_what_happens_once_has_one_date(one: str, other: str) -> None:
    """Two years of birth, of a founding or of a death contradict each other, whichever is told first."""
    assert (_relation(one, other), _relation(other, one)) == ("conflict", "conflict")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice was born on 3 May 1990", "Alice was born in 1990"),
        ("Alice was born on 3 May", "Alice was born in 1990"),
        ("Alice was born in May 1990", "Alice was born in 1990"),
        ("Alice's birthday is 3 May 1990", "Alice's birthday is 3 May"),
        ("Alice was born in Oslo", "Alice was born in 1990"),
        ("Alice was born in 1990", "Alice is 34"),
        ("Alice was born in 1990", "Alice's sister was born in 1991"),
        ("Alice's daughter Mia was born in 2014", "Alice's daughter Zoe was born in 2015"),
        ("Alice was born in 1990", "Alice was born in the 1990s"),
    ],
)
def test_a_date_that_leaves_something_open_contradicts_none_that_fits(one: str, other: str) -> None:
    """A year, a day without one and a whole date may all be of the same birth, and both are kept."""
    assert (_relation(one, other), _relation(other, one)) == ("related", "related")


@pytest.mark.parametrize(
    "deed",
    [
        "got married",
        "graduated",
        "visited Japan",
        "started at Acme",
        "bought her car",
        "retired",
        "had surgery",
        "ran a marathon",
        "broke her leg",
        "divorced",
        "was promoted",
        "moved",
        "founded Acme",
    ],
)
def test_what_may_happen_again_has_many_years(deed: str) -> None:
    """Who did something in one year may have done it in another as well."""
    assert _relation(f"Alice {deed} in 2010", f"Alice {deed} in 2013") == "related"


def test_one_may_lose_several_dogs() -> None:
    """A death of whom no name tells may be another one's."""
    assert _relation("My dog died in 2010", "My dog died in 2015") == "related"
