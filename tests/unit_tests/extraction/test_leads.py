"""What leads to a statement is cut off, however it is set apart."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor


def told(*said: str) -> list[str]:
    """Return what is kept of the last message of some."""
    messages = [HumanMessage(it) for it in said]
    return [it.content for it in RuleExtractor().extract(messages, new_from=len(messages) - 1)]


@pytest.mark.parametrize(
    "said",
    [
        "I hate emojis.",
        "my dog is called Rex.",
        "Ben is my brother.",
        "never call me before nine.",
        "the spare key is with the neighbours.",
    ],
)
def test_remember_with_a_colon_asks_as_remember_that_does(said: str) -> None:
    """A colon behind it makes it nobody's name, before whose words of the conversation it would stand."""
    assert told(f"Remember: {said}") == told(f"Remember that {said}") != []


def test_remember_with_a_colon_makes_nothing_of_a_question() -> None:
    """Who asks behind it tells nothing."""
    assert told("Remember: what's my name?") == []


@pytest.mark.parametrize(
    "lead", ["Actually", "Btw", "Also", "Well", "Sorry", "No", "no actually", "Oh wait", "Remember"]
)
@pytest.mark.parametrize("comma", ["", ","])
def test_a_word_before_a_name_is_no_part_of_it(lead: str, comma: str) -> None:
    """With a comma and without one, what is told is told of whom it names."""
    assert told("My brother is Ben.", f"{lead}{comma} Ben lives in Bergen.") == ["Ben lives in Bergen"]


@pytest.mark.parametrize("lead", ["Actually", "Sorry", "No", "Wait"])
def test_a_word_of_correction_before_a_name_corrects(lead: str) -> None:
    """What it tells of them takes the place of what was said."""
    said = [HumanMessage(it) for it in ("My brother is Karthik.", f"{lead} Karthik lives in Bergen.")]
    assert [it.is_correction for it in RuleExtractor().extract(said, new_from=1)] == [True]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("No Ben is my brother.", ["The user's brother is Ben"]),
        ("Yes Zofia is my sister.", ["The user's sister is Zofia"]),
        ("No sugar please", ["No sugar please"]),
        ("No Slack messages on weekends.", ["No Slack messages on weekends"]),
        ("No Londoner lives in Bergen.", ["No Londoner lives in Bergen"]),
        ("No Man's Sky is my favourite game.", ["No Man's Sky is the user's favourite game"]),
        ("Hey Jude is my favourite song.", ["Hey Jude is the user's favourite song"]),
        ("No Doubt is my favourite band.", ["No Doubt is the user's favourite band"]),
        ("My wife Will Ann works at Acme.", ["The user's wife is Will Ann", "Will Ann works at Acme"]),
    ],
)
def test_what_only_begins_so_keeps_its_first_word(said: str, kept: list[str]) -> None:
    """A ban denies with its "no", and a title is called as it is."""
    assert told(said) == kept


def test_who_is_introduced_behind_such_a_word_is_known_by_name() -> None:
    """A later statement of theirs is believed."""
    assert told("Actually Ben is my brother.", "Ben lives in Oslo.") == ["Ben lives in Oslo"]


def test_currently_in_front_tells_when() -> None:
    """It leads to what is told, as "since last year" does."""
    assert told("Currently, I live in Lyon.") == ["The user lives in Lyon currently"]
