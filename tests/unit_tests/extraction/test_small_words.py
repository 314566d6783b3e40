"""Small words are read as what they say: a half is no age, "since I'm a kid" is no childhood."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.extraction.sentences.voice import third_person


def kept(text: str) -> list[str]:
    """Return what is kept of a message."""
    return [it.content for it in RuleExtractor().extract([HumanMessage(text)], user_name="Gil")]


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("I'm 15 and a half", ["Gil is 15 and a half"]),
        ("I'm 15 and a half and I live in Rome", ["Gil is 15 and a half", "Gil lives in Rome"]),
        ("I'm 34 and a mother", ["Gil is 34", "Gil is a mother"]),
        ("I am 72 as of yesterday", ["Gil is 72 as of yesterday"]),
        ("I'm 40 and a quarter Irish", ["Gil is 40", "Gil is a quarter Irish"]),
    ],
)
def test_a_part_of_a_year_is_nobody(text: str, contents: list[str]) -> None:
    """It belongs to the number before it; what somebody is beside their age does not."""
    assert kept(text) == contents


def test_an_age_with_a_half_is_an_age() -> None:
    """It is the one that a later age takes the place of."""
    [age] = RuleExtractor().extract([HumanMessage("I'm 15 and a half")])
    assert (age.relation, age.object) == ("age", "15")


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("I speak French since I am a kid", ["Gil speaks French since they are a kid"]),
        ("I'm afraid of dogs since I'm a little girl", ["Gil is afraid of dogs since they are a little girl"]),
        ("I play chess since I'm 12", ["Gil plays chess since they are 12"]),
        ("I no eat pork since I am child", []),
        ("since I'm a kid I love horses", []),
        ("I work less since I'm a mother", ["Gil works less", "Gil is a mother"]),
    ],
)
def test_since_a_time_of_life_tells_when(text: str, contents: list[str]) -> None:
    """Nobody says by it what they are now; what lasts is told as a reason."""
    assert kept(text) == contents


@pytest.mark.parametrize(
    "verb", ["misread", "beat", "upset", "cast", "broadcast", "burst", "split", "shut", "forecast"]
)
def test_a_verb_of_one_form_tells_no_habit(verb: str) -> None:
    """It stays as it was said, which may be of once."""
    assert third_person(verb) == verb


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I misread the box", "Gil misread the box"),
        ("I split the bill with Tom", "Gil split the bill with Tom"),
        ("I shut the shop early on Friday", "Gil shut the shop early on Friday"),
        ("I shut the shop at six every day", "Gil shuts the shop at six every day"),
        ("I hit the gym daily", "Gil hits the gym daily"),
    ],
)
def test_only_words_of_habit_make_one_of_it(text: str, content: str) -> None:
    """What is done every day is told of the present."""
    assert kept(text) == [content]


@pytest.mark.parametrize("verb", ["embed", "input", "offer", "outline"])
def test_what_only_begins_so_has_two_forms(verb: str) -> None:
    """A verb that looks like a past form, or has the beginning of one, is of the present."""
    assert third_person(verb, is_habit=True) == f"{verb}s"


@pytest.mark.parametrize("text", ["I'm not really, just tired", "I'm not quite", "I'm not really", "I'm still, yes"])
def test_what_is_broken_off_says_nothing(text: str) -> None:
    """What it denies stands in the words before it."""
    assert kept(text) == []


def test_what_is_softened_is_told_whole() -> None:
    """Behind the same words something may be said."""
    assert kept("I'm not really a morning person") == ["Gil is not really a morning person"]
