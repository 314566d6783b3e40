"""Who says where they have been contradicts that they never were there."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.reading.denials import denials_in, is_contradicted


@pytest.mark.parametrize(
    "told",
    ["I have been to Norway twice.", "I've been to Norway", "We have been in Norway with the kids", "I visited Norway"],
)
def test_having_been_there_contradicts_never_having_been(told: str) -> None:
    """However it is said, and whatever is said of it besides."""
    assert is_contradicted(denials_in("I have never been to Norway."), told)


@pytest.mark.parametrize(
    "told",
    ["I have been to Sweden twice.", "I've been to Norway Street market", "I have not been to Norway", "I love Norway"],
)
def test_being_somewhere_else_contradicts_nothing(told: str) -> None:
    """Another place, a street of that name and the same denial are none."""
    assert not is_contradicted(denials_in("I have never been to Norway."), told)


def test_a_city_is_not_another_one_that_is_called_new() -> None:
    """York is not New York."""
    assert not is_contradicted(denials_in("I have never been to York."), "I have been to New York twice.")
