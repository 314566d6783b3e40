"""What was done once and is done no more is one memory, which says what it was."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.endings.endings import PASSING
from langchain_agentmem.extraction import RuleExtractor


def kept(text: str) -> list[str]:
    """Return what is kept of a message, whatever is remembered."""
    found = RuleExtractor().extract([HumanMessage(text)], user_name="Gil")
    return [it.content for it in found if PASSING not in it.tags]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I used to smoke but I quit three years ago", "Gil used to smoke but they quit three years ago"),
        ("I used to smoke, but I quit.", "Gil used to smoke, but they quit"),
        ("I used to smoke but quit in 2020", "Gil used to smoke but quit in 2020"),
        ("I used to play tennis but I stopped last year", "Gil used to play tennis but they stopped last year"),
        ("I used to row, but I gave it up when I moved", "Gil used to row, but they gave it up when they moved"),
    ],
)
def test_what_was_done_once_is_told_with_its_end(text: str, content: str) -> None:
    """Neither half of it says what is over."""
    assert kept(text) == [content]


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("I used to like jazz but I prefer rock now", ["Gil prefers rock now"]),
        ("I used to live in Leeds but I moved to York", ["Gil moved to York"]),
        ("I used to work at Acme but I quit my job in May", ["Gil quit their job in May"]),
        ("I used to drink coffee but now I drink tea", ["Gil drinks tea"]),
        ("I used to smoke", []),
        ("I used to smoke but my wife quit three years ago", []),
        ("If I used to smoke but I quit", []),
    ],
)
def test_what_tells_by_itself_stands_alone(text: str, contents: list[str]) -> None:
    """What came instead, what is named where it ended, and what others did."""
    assert kept(text) == contents
