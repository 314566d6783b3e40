"""Which values a statement states, and how they are packed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem.english.reading.claims import MAX_CLAIMS, claims_in, pack_claims, unpack_claims

NUMBERS = st.sampled_from(
    [
        "45 sources",
        "$3,500",
        "12 %",
        "3 PM",
        "April 5",
        "from 7 to 9 books",
        "v1.2.3",
        "```9 apples```",
        "\n",
        "now",
        ".",
    ]
)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("I keep 45 sources in Zotero.", [("number", "45")]),
        ("I keep forty or five sources.", [("number", "5")]),
        ("The call takes 250ms, not 300 ms.", [("number", "250 ms")]),
        ("Coverage is at 78% or 78.0 percent.", [("percent", "78 %"), ("percent", "78 %")]),
        ("It costs $3,500, or $3.5k.", [("money", "$3500"), ("money", "$3500")]),
        ("The rent is \u20ac950.50 a month.", [("money", "\u20ac950.5")]),
        ("The sprint ends on April 5, 2024.", [("date", "04-05")]),
        ("The sprint ends on the 5th of April.", [("date", "04-05")]),
        ("We meet at 3 PM, at 3:30pm and at 12 am.", [("time", "15:00"), ("time", "15:30"), ("time", "00:00")]),
        ("The quota is 1,200 calls.", [("number", "1200")]),
    ],
)
def test_a_value_is_read_in_its_one_form(text: str, stated: list[tuple[str, str]]) -> None:
    """Numbers, shares, sums, dates and times are found, however they are written."""
    assert [(claim.kind, claim.shown) for claim in claims_in(text)] == stated


@pytest.mark.parametrize(
    "text",
    [
        "It is called INV-2024-00123 and runs v3.11.",
        "The probability is 1/2, with x=5.",
        "```python\nlimit = 60 calls\n```",
        "It rose from 70 %",
        "In 2024 we moved.",
        "It was May 32.",
        "at 17 pm",
        "",
    ],
)
def test_what_only_looks_like_a_value_is_none(text: str) -> None:
    """Names, formulas, code, years, what something was before, and days that do not exist are no claims."""
    assert claims_in(text) == ()


def test_equal_values_are_equal_in_any_form() -> None:
    """The hash is of the value and its kind: how it is written does not matter, what it is of does."""
    first, second, third = claims_in("It is $1,200. It is $1.2k. It is 1200 words.")
    assert first.value == second.value != third.value


def test_a_claim_knows_what_is_said_around_it() -> None:
    """A word of change is heard near the value only; so is a word by which an appointment moves."""
    [moved] = claims_in("The deadline has been pushed to April 25 after all.")
    [plain] = claims_in("The deadline for the draft is April 20.")
    assert (moved.is_change, moved.is_move) == (True, True)
    assert (plain.is_change, plain.is_move) == (False, False)
    assert moved.near & plain.near


def test_a_long_table_states_its_first_values() -> None:
    """However much is pasted, a text states a bounded number of values; reading them is linear, or this would hang."""
    assert len(claims_in("now 7 apples and " * 12_000)) == MAX_CLAIMS
    assert claims_in("1" * 200_000 + "=2") == ()
    assert claims_in("1/" * 100_000) == ()


@settings(deadline=None)
@given(st.lists(NUMBERS, max_size=12).map(" ".join))
def test_claims_survive_packing(text: str) -> None:
    """What was packed comes back, but for the words it showed."""
    claims = claims_in(text)
    assert unpack_claims(pack_claims(claims)) == tuple(it._replace(shown="") for it in claims)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_states_something_or_nothing(text: str) -> None:
    """No text is an error."""
    assert unpack_claims(pack_claims(claims_in(text))) is not None


@pytest.mark.parametrize("packed", [b"x", pack_claims(claims_in("now 7 apples"))[:-1], b"\xff" * 13])
def test_other_bytes_are_refused(packed: bytes) -> None:
    """Bytes that hold no claims are an error, never other claims."""
    with pytest.raises(ValueError, match="no claims"):
        unpack_claims(packed)


def test_a_number_that_names_one_of_several_is_no_value() -> None:
    """Nothing has another bicycle number 4, or another bus 42; a phone number has a value."""
    named = claims_in("I now sold bicycle number 4, take bus 42 and finished chapter 3 already.")
    assert (named, [it.shown for it in claims_in("My phone number 5551234 is new")]) == ((), ["5551234"])
