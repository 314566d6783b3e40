"""What somebody has begun to do, and what words before or behind a statement leave whole."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor


def kept(text: str) -> list[str]:
    """Return what is kept of a message."""
    return [it.content for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I've started learning Spanish", "The user has started learning Spanish"),
        ("I started learning Spanish last week", "The user started learning Spanish last week"),
        ("I've started to learn German", "The user has started to learn German"),
        ("I've joined a choir", "The user has joined a choir"),
        ("I joined a gym", "The user joined a gym"),
        ("I've taken up knitting", "The user has taken up knitting"),
        ("I got diabetes", "The user has diabetes"),
        ("I got coeliac disease", "The user has coeliac disease"),
        ("Tom's my boyfriend", "The user's boyfriend is Tom"),
        ("I use neovim, yes I'm one of those", "The user uses neovim"),
    ],
)
def test_a_plain_statement_is_kept_in_any_of_its_forms(text: str, content: str) -> None:
    """A beginning, a short form, or a remark behind it makes it no other statement."""
    assert kept(text) == [content]


@pytest.mark.parametrize("lead", ["btw, ", "oh and ", "also ", "Oh, ", "and "])
def test_what_leads_to_a_name_is_no_part_of_the_request(lead: str) -> None:
    """Whatever stands before it, it says how to call somebody."""
    assert kept(f"{lead}call me Jo") == ["The user's name is Jo"]


@pytest.mark.parametrize(
    "text",
    [
        "I've started feeling sick",
        "I started playing around with your code",
        "I joined a meeting at nine",
        "We joined the call late",
        "It took up too much time",
        "I got a headache",
        "I got allergic",
        "I got coeliac",
        "That's my sister",
        "Tom's my size",
        "Tom's my sister's boyfriend",
        "and call me later",
    ],
)
def test_what_only_sounds_like_it_tells_nothing(text: str) -> None:
    """What passes, what is done once, and what names nobody."""
    assert kept(text) == []
