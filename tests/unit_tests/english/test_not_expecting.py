"""Who is not pregnant is due on no day; what is told of somebody else, or of a court, stays."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.endings.endings import ended_by

KNOWN = (
    "The user is pregnant",
    "The user is due in November",
    "The user's sister is pregnant",
    "Zoe is due on the 5th of May",
    "The user is due in court in May",
    "The user's report is due in May",
    "The user is expecting a parcel",
    "Emma is not pregnant",
    "The user is no longer pregnant",
)


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("The user is not pregnant after all", (0, 1)),
        ("The user is not pregnant any more", (0, 1)),
        ("The user is no longer pregnant", (0, 1)),
        ("The user lost the baby", (0, 1)),
        ("The user had the baby", (0, 1)),
        ("The user's sister is not pregnant after all", (2,)),
        ("Zoe is not pregnant after all", (3,)),
        ("Emma is not pregnant", ()),
        ("The user is not expecting a parcel", ()),
        ("The user is not pregnant with ideas", ()),
    ],
)
def test_a_pregnancy_that_is_none_takes_its_date_with_it(text: str, over: tuple[int, ...]) -> None:
    """Both the state and the date are over, of just whom it is told."""
    assert ended_by(text, KNOWN) == over
