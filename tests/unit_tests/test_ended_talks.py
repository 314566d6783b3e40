"""What is left of a conversation in which something ends: from the user's words to what is in force."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Candidate, Scope
from langchain_agentmem.extraction import RuleExtractor

GIL = Scope("gil")
rules = RuleExtractor()


def left(said: Sequence[str]) -> list[str]:
    """Return what is in force, in order, once each message was taken in by itself."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
    for text in said:
        for found in rules.extract([HumanMessage(text)], user_name="Gil"):
            memory.long_term.remember(found, scope=GIL)
    return sorted(it.content for it in memory.long_term.list(scope=GIL))


TOM = "My brother Tom lives in Lisbon."
IS_TOM = "The user's brother is Tom"
MOVED = "My brother lives in Porto now"
HAS_MOVED = "The user's brother lives in Porto now"


@pytest.mark.parametrize("moved", [MOVED, "My brother moved to Porto", "Our brother lives in Porto now"])
def test_one_brother_who_is_known_by_name_is_meant_without_it(moved: str) -> None:
    """What was told of him by name, and holds no more, ends."""
    assert "Tom lives in Lisbon" not in left([TOM, moved])


@pytest.mark.parametrize(
    "said",
    [
        [TOM, "My brother Jim lives in Rome.", MOVED],
        ["I have two brothers.", TOM, MOVED],
        [TOM, "My older brother lives in Porto now"],
        [TOM, "My sister lives in Porto now"],
        [TOM, "My brother works at Acme now"],
        [TOM, "Tom is my friend.", MOVED],
        [MOVED, TOM, "My brother moved to Faro"],
    ],
)
def test_where_another_may_be_meant_nothing_ends(said: Sequence[str]) -> None:
    """One of two, one who is told apart, another relative, something else of the same one, another of that name."""
    assert "Tom lives in Lisbon" in left(said)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            ["I hate cilantro and so does my wife.", "Actually I like cilantro now"],
            ["Gil likes cilantro now", "Gil's wife hates cilantro"],
        ),
        (
            ["Keep your answers short and always use metric units.", "You can give me longer answers from now on"],
            ["Always use metric units"],
        ),
        (
            ["Keep your answers short and always use metric units.", "you can use imperial units again"],
            ["Keep the assistant's answers short"],
        ),
        (["I play football with the Leeds vets on Sundays.", "I gave up football"], ["Gil gave up football"]),
        (
            ["I'm training for a half marathon.", "I've dropped the half marathon plan"],
            ["Gil has dropped the half marathon plan"],
        ),
        (
            ["I have a dentist appointment on Tuesday.", "My dentist appointment is cancelled"],
            ["Gil's dentist appointment is cancelled"],
        ),
        (["My wife is a teacher.", "My wife and I split up"], ["Gil split up with their wife"]),
    ],
)
def test_what_is_over_leaves_what_says_so_and_the_other_half(said: Sequence[str], kept: Sequence[str]) -> None:
    """Nothing of what ended stands beside it."""
    assert left(said) == kept


BOTH = "Keep the assistant's answers short and never use emojis"


@pytest.mark.parametrize(
    ("later", "kept"),
    [
        ("The assistant can give Gil longer answers again", ["Never use emojis"]),
        ("The assistant can use emojis again", ["Keep the assistant's answers short"]),
        ("Give long answers from now on", ["Give long answers from now on", "Never use emojis"]),
        ("The assistant can use slang again", [BOTH]),
    ],
)
def test_of_two_orders_that_are_kept_in_one_the_other_stands(later: str, kept: Sequence[str]) -> None:
    """Whoever wrote them down together."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
    for content in (BOTH, later):
        memory.long_term.remember(Candidate(content=content, kind="constraint", subject="Gil"), scope=GIL)
    assert sorted(it.content for it in memory.long_term.list(scope=GIL)) == kept
