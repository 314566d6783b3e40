"""What stands beside another value of its kind, and what takes its place."""

from __future__ import annotations

import pytest

from langchain_agentmem.policies._quantities import are_comparable, match_quantity
from langchain_agentmem.policies.conflict import judge
from langchain_agentmem.policies.statements import parse_statement


def relation(new: str, old: str) -> str:
    """Return how a new statement stands to an old one, without a vector."""
    return judge(parse_statement(new), parse_statement(old), similarity=None).relation


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user is a student", "The user works as a nurse"),
        ("The user works as a waiter", "The user works as a student"),
        ("The user works as a student at Leeds", "The user works as a barista at Costa"),
    ],
)
def test_who_studies_may_work(new: str, old: str) -> None:
    """A student has no other job the less, and who works may study."""
    assert relation(new, old) != "conflict"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user works as a nurse now", "The user works as a student"),
        ("The user works as a teacher", "The user works as a nurse"),
        ("The user works as a student now", "The user works as a nurse"),
    ],
)
def test_one_job_takes_the_place_of_another(new: str, old: str) -> None:
    """Of two jobs, or where it is told that one is it by now, the later stands."""
    assert relation(new, old) == "conflict"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user's shift starts at 8pm now", "The user's shift starts at 7.30pm"),
        ("The user's shift starts at 8.30pm now", "The user's shift starts at 7pm"),
        ("The user wakes up at 6:30 now", "The user wakes up at 6"),
    ],
)
def test_an_hour_without_minutes_is_a_time_too(new: str, old: str) -> None:
    """A later time takes the place of an earlier one, however each is written."""
    assert relation(new, old) == "conflict"


def test_a_time_is_no_amount() -> None:
    """What is no hour of a day is no time, and neither is a version."""
    assert relation("The user's rent is 7:30 now", "The user's rent is 700") != "conflict"
    assert not are_comparable("25", "06:30")
    assert match_quantity("7.30pm", 0) == ("19:30", 6)
    assert match_quantity("7.30", 0) == ("7.30", 4)
    assert match_quantity("7.75pm", 0) is None or match_quantity("7.75pm", 0) != ("19:75", 6)
