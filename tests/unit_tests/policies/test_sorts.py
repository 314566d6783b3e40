"""What is liked, or done, of a narrower sort than what is not: both hold."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.policies.conflict import judge


def relation(old: str, new: str) -> str:
    """Return how a new statement stands to an old one."""
    return judge(parse_statement(new), parse_statement(old), similarity=None).relation


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I hate fish", "I love fish fingers"),
        ("I hate coffee", "I love iced coffee"),
        ("I don't like dogs", "I like hot dogs"),
        ("I don't drink", "I drink a lot of coffee"),
        ("I don't drink at all", "I drink tea in the morning"),
        ("I don't smoke", "I smoke salmon at home"),
        ("I live in Berlin", "I'm living in London for 3 months for work"),
        ("I live in Berlin", "I'm living in London for the time being"),
    ],
)
def test_a_sort_and_a_time_leave_the_general_standing(old: str, new: str) -> None:
    """Who hates fish may love fish fingers, and who stays somewhere for months goes home."""
    assert relation(old, new) != "conflict"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I hate coffee", "I love coffee now"),
        ("I hate coffee", "I love coffee"),
        ("I don't drink", "I drink wine with dinner"),
        ("I don't drink", "I drink tea and wine"),
        ("I don't smoke", "I smoke a pack a day"),
        ("I don't smoke", "I smoke again"),
        ("I live in Berlin", "I live in London"),
        ("I got a job at Tesco", "I work at Asda now"),
    ],
)
def test_what_is_said_of_the_same_ends_it(old: str, new: str) -> None:
    """How often, and since when, makes nothing another."""
    assert relation(old, new) == "conflict"
