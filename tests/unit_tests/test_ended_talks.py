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


NURSE = "I work as a nurse at St. Mary's."
LEEDS = "I live in a flat in Leeds."
MOVING = "I'm moving to York next month."


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            [NURSE, "I got a new job: I'm now a ward manager at Leeds General"],
            ["Gil is now a ward manager at Leeds General"],
        ),
        (["I work at St. Mary's.", "I've started a new job: I work at Leeds General"], ["Gil works at Leeds General"]),
        ([LEEDS, MOVING, "Our new place is a house in York"], ["Gil's family's new place is a house in York"]),
        ([LEEDS, MOVING, "My new home is in York"], ["Gil's new home is in York"]),
        (
            [LEEDS, "We are moving to York next month.", "We've moved! We live in a house in York now"],
            ["Gil's family lives in a house in York now"],
        ),
        ([LEEDS, MOVING, "I moved to York"], ["Gil moved to York"]),
    ],
)
def test_a_new_job_or_home_ends_the_old_one_and_the_move(said: Sequence[str], kept: Sequence[str]) -> None:
    """In whatever words it is told that it is there."""
    assert left(said) == kept


@pytest.mark.parametrize(
    ("said", "stays"),
    [
        ([NURSE, "A new job would be nice"], "Gil works as a nurse at St. Mary's"),
        ([NURSE, "My sister got a new job: she's a ward manager now"], "Gil works as a nurse at St. Mary's"),
        ([LEEDS, MOVING], "Gil lives in a flat in Leeds"),
        ([LEEDS, "Our new office is a house in York"], "Gil lives in a flat in Leeds"),
        ([LEEDS, "Our new place is a restaurant in York"], "Gil lives in a flat in Leeds"),
        ([LEEDS, "Our new holiday home is in York"], "Gil lives in a flat in Leeds"),
        ([LEEDS, "My new place is being built in York"], "Gil lives in a flat in Leeds"),
        ([LEEDS, "My new home is in good shape"], "Gil lives in a flat in Leeds"),
        ([MOVING, "I live in Leeds now"], "Gil is moving to York next month"),
        ([MOVING, "I work in York now"], "Gil is moving to York next month"),
        ([MOVING, "My brother Tom lives in York now"], "Gil is moving to York next month"),
    ],
)
def test_what_is_wished_for_or_to_come_ends_nothing(said: Sequence[str], stays: str) -> None:
    """Nor does another's home, or a house for something else; who will move lives where they live until then."""
    assert stays in left(said)


@pytest.mark.parametrize(
    ("said", "is_over"),
    [
        ("I don't drink coffee any more", True),
        ("I don't drink coffee in the morning any more", True),
        ("I don't drink coffee in the evening any more", False),
        ("I don't drink coffee on Sundays any more", False),
    ],
)
def test_who_stops_at_one_time_goes_on_at_another(said: str, *, is_over: bool) -> None:
    """A denial that names when is none of what is done at other times."""
    assert ("Gil drinks coffee every morning" in left(["I drink coffee every morning.", said])) is not is_over
