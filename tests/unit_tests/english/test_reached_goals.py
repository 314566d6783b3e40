"""A goal is reached by the deed it names, and one of two aims is not the other."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.endings.reached_goals import reached

LEARN: str = "The user wants to learn Spanish"
RUN: str = "The user wants to run the London marathon"
BOTH: str = "The user wants to learn Spanish and run the London marathon"


@pytest.mark.parametrize(
    ("goals", "places"), [([LEARN, RUN], (1,)), ([RUN], (0,)), ([BOTH], ()), ([LEARN, BOTH], ()), ([BOTH, RUN], (1,))]
)
def test_one_aim_of_two_is_not_the_whole_goal(goals: list[str], places: tuple[int, ...]) -> None:
    """Who finished the marathon still has Spanish to learn."""
    assert reached("The user finished the London marathon in 4:30", goals) == places
