"""One allergy that is told as another one."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor

NUTS = "I'm allergic to nuts."


def told(*said: str) -> list[str]:
    """Return what the last of some messages tells."""
    messages = [HumanMessage(it, id=str(at)) for at, it in enumerate(said)]
    return [it.content for it in RuleExtractor().extract(messages, new_from=len(said) - 1)]


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ((NUTS, "I was wrong about the nut allergy, it's shellfish"), "The user is allergic to shellfish, not nut"),
        ((NUTS, "I was wrong about the nut allergy. It's shellfish."), "The user is allergic to shellfish, not nut"),
        (("I was wrong about my nut allergy, it's shellfish",), "The user is allergic to shellfish, not nut"),
        (("I'm not allergic to nuts, it's shellfish",), "The user is allergic to shellfish, not nuts"),
        (("I don't have a nut allergy, it's shellfish.",), "The user is allergic to shellfish, not nut"),
        (("I'm not allergic to nuts, it's complicated",), "The user is not allergic to nuts"),
    ],
)
def test_an_allergy_that_is_another_one_is_told_with_both(said: tuple[str, ...], content: str) -> None:
    """The right one is kept, and the wrong one denied."""
    assert told(*said) == [content]


@pytest.mark.parametrize(
    "said",
    [
        ("I was wrong about the nut allergy, it's shellfish",),
        ("My son has a nut allergy.", "I was wrong about the nut allergy, it's shellfish"),
        (NUTS, "My son Tom is allergic to nuts, too.", "I was wrong about the nut allergy, it's shellfish"),
        (NUTS, "Tom was wrong about the nut allergy, it's shellfish"),
        (NUTS, "I was wrong about the nut allergy thing, it's fine"),
        (NUTS, "I was wrong about the nuts, it's shellfish in this dish"),
        (NUTS, "If I was wrong about the nut allergy, it's shellfish"),
    ],
)
def test_an_allergy_of_whom_nobody_can_tell_is_none_of_the_users(said: tuple[str, ...]) -> None:
    """A child's, or one that is only supposed."""
    assert told(*said) == []
