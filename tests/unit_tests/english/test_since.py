"""Since when a statement holds."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.people.since import dated, ended, held_since
from langchain_agentmem.types import Candidate, Memory, Scope

SAID = datetime(2026, 6, 10, 9, tzinfo=UTC)
LILLE = Memory(
    id="lille",
    scope=Scope("ana"),
    kind="fact",
    content="Ana moved to Lille last March",
    confidence=0.9,
    importance=0.5,
    source="explicit",
    trust=0.9,
    created_at=SAID,
    valid_at=datetime(2026, 3, 1, tzinfo=UTC),
)
PARIS = replace(LILLE, id="paris", content="Ana lives in Paris", valid_at=SAID)


@pytest.mark.parametrize(
    ("statement", "since"),
    [
        ("Ana moved to Lille last March", (2026, 3, 1)),
        ("Ana moved to Lille in December", (2025, 12, 1)),
        ("Ana moved to Lille last June", (2025, 6, 1)),
        ("Ana moved to Lille in June", (2026, 6, 1)),
        ("Ana moved from Paris to Lille on 3 May", (2026, 5, 3)),
        ("Ana has moved to Lille two months ago", (2026, 4, 11)),
        ("Ana moved to Lille yesterday", (2026, 6, 9)),
        ("Ana moved to Lille last year", (2025, 1, 1)),
        ("Ana lives in Lille since 2019", (2019, 1, 1)),
        ("Ana just started at Acme in January 2024", (2024, 1, 1)),
        ("Ana got married on Monday", (2026, 6, 8)),
        ("Ana got promoted in January", (2026, 1, 1)),
        ("Ana got a dog on Monday", (2026, 6, 8)),
        ("The user just got a new car in April", (2026, 4, 1)),
        ("Ana got a meeting moved two months ago", (2026, 4, 11)),
    ],
)
def test_a_change_is_dated_by_the_day_it_names(statement: str, since: tuple[int, int, int]) -> None:
    """A month or year by its first day; without a year, the last one that has begun."""
    assert held_since(statement, SAID) == datetime(*since, tzinfo=UTC)


@pytest.mark.parametrize(
    "statement",
    [
        "Ana moved to Lille",
        "Ana lives in Paris",
        "Ana is moving to Lille in July",
        "Ana moved to Lille in July 2027",
        "Ana moved the meeting to 3 May",
        "The exam was moved to 9 June",
        "Ana bought a ticket for 3 May",
        "Ana decided to move in March",
        "Ana moved to Nice in 1999 and to Lille in 2004",
        "Ana moved to Lille 99 years ago" * 20,
    ],
)
def test_other_dates_are_what_is_said(statement: str) -> None:
    """Plans, appointments, days to come and several days say nothing of since when."""
    assert held_since(statement, SAID) is None


@pytest.mark.parametrize(
    "statement",
    [
        "Ana has got a dentist appointment on Thursday",
        "Ana got a meeting on Thursday",
        "Ana got a chem test on friday",
        "Ana's family has got visitors on Saturday",
        "Ana has got an exam in April",
        "Ana has got a car in April",
        "Ana got a job interview on Monday",
        "Ana got a dog show on Saturday",
        "Ana got a car service on Monday",
    ],
)
def test_what_somebody_has_got_on_a_day_is_to_come(statement: str) -> None:
    """Only who becomes something, or gets a thing to keep, has it since a day that is named."""
    assert held_since(statement, SAID) is None


@given(st.text(max_size=80), st.datetimes(timezones=st.just(UTC)))
def test_no_text_dates_what_is_to_come(text: str, said: datetime) -> None:
    """Whatever is said at whatever time: it holds from then at the latest."""
    since = held_since(f"Ana moved {text}", said)
    assert since is None or since <= said


def test_who_tells_a_time_is_not_corrected() -> None:
    """What a candidate tells stays; without that, the day it names, or when it was said."""
    told = Candidate(content="Ana moved to Lille last March", valid_at=datetime(2020, 1, 1, tzinfo=UTC))
    assert dated(told, SAID) == told
    assert dated(replace(told, valid_at=None), SAID).valid_at == LILLE.valid_at
    assert dated(Candidate(content="Ana moved to Lille"), SAID).valid_at == SAID


def test_what_a_change_ends_held_before_it() -> None:
    """Also where it was heard of later; anything else that is told of an earlier day takes nothing back in time."""
    assert ended(PARIS, LILLE, SAID)["invalid_at"] == LILLE.valid_at
    assert ended(PARIS, LILLE, SAID)["valid_at"] is None
    plain = replace(LILLE, content="Ana lives in Lille")
    assert "valid_at" not in ended(PARIS, plain, SAID)
    assert ended(PARIS, plain, SAID)["invalid_at"] == SAID
