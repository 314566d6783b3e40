"""What stands beside another value of its kind, and what takes its place."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.endings.endings import ended_by
from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.english.text.quantities import are_comparable, match_quantity
from langchain_agentmem.policies.conflict import judge


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


@pytest.mark.parametrize(
    ("new", "old", "is_over"),
    [
        ("The user's team deploys on Thursdays now", "The user's team deploys every Tuesday", True),
        ("The user has yoga on Thursdays now", "The user has yoga each Tuesday", True),
        ("The user has yoga on Thursdays now", "The user has yoga every other Tuesday", False),
        ("The user has yoga on Thursdays now", "The user has tea every Tuesday", False),
        ("The user has yoga on Tuesdays now", "The user has yoga every Tuesday", False),
        ("The user has yoga on Thursdays now", "Emma has yoga every Tuesday", False),
    ],
)
def test_every_tuesday_is_on_tuesdays(new: str, old: str, is_over: bool) -> None:  # noqa: FBT001
    """On whatever other day the same is by now, it is no longer every Tuesday."""
    assert bool(ended_by(new, [old])) == is_over


MOVES = ("The user is moving to Spain in May", "The user lives in Leeds", "Emma is moving to Spain")


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("The user decided not to move after all", (0,)),
        ("I've decided against moving", (0,)),
        ("We decided not to move to Spain", (0,)),
        ("The user is not moving after all", (0,)),
        ("The user decided not to move to France", ()),
        ("The user decided not to move the sofa", ()),
        ("The user decided not to move on", ()),
        ("The user is not moving the meeting after all", ()),
        ("Emma decided not to move after all", (2,)),
        ("I might decide not to move", ()),
    ],
)
def test_who_stays_is_moving_nowhere(text: str, over: tuple[int, ...]) -> None:
    """A move that was decided against is none to come, of whom and to where it is told."""
    assert ended_by(text, MOVES) == over
