"""What is another one by now of somebody around the user takes the place of what was, and of nothing else."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.endings.endings import ended_by

RUBYS = "Ruby's teacher is Ms Byrne"
DADS = "The user's dad lives in Leeds"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Ruby's teacher is Ms Burke now", RUBYS),
        ("Ruby's teacher is now Ms Burke", RUBYS),
        ("Ruby's new teacher is Ms Burke", RUBYS),
        ("The user's dad's consultant is Dr Lim now", "The user's dad's consultant is Dr. Rao"),
        ("Ruby's school is Hill View now", "Ruby's school is Oak Hill"),
        ("The user's dad has moved in with the user", DADS),
        ("The user's dad lives with the user now", DADS),
        ("The user's dad moved in with the user's sister in Derby", DADS),
    ],
)
def test_who_or_what_is_theirs_by_now_ends_what_was(said: str, known: str) -> None:
    """Also where they live, by with whom."""
    assert ended_by(said, ["The user lives in York", known]) == (1,)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Ruby's teacher is Ms Byrne now", [RUBYS]),
        ("Ruby's teacher is Ms Burke", [RUBYS]),
        ("Max's teacher is Ms Burke now", [RUBYS]),
        ("Ruby's tutor is Ms Burke now", [RUBYS]),
        ("The user's teacher is Ms Burke now", [RUBYS]),
        ("The user's dad moved in with his girlfriend", [DADS]),
        ("The user's dad moved in with the user", [DADS, "The user lives in Leeds"]),
        ("The user's dad moved in with the user's sister in Leeds", [DADS]),
        ("The user's mum moved in with the user", [DADS]),
        ("The user's brother moved in with the user", ["Jo lives in Hull", "The user's sister is Jo"]),
    ],
)
def test_what_may_be_so_beside_it_stands(said: str, known: list[str]) -> None:
    """The same one, somebody else's, and a home that may be in the same town."""
    assert ended_by(said, known) == ()
