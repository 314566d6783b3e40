"""Employer and trade are one at a time, also where one sentence names both."""

from __future__ import annotations

import pytest

from langchain_agentmem import AgentMemory, Scope

ALICE = Scope(user_id="alice")
_NURSE = "I work as a nurse at Acme"


def _in_force(*told: str) -> list[str]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for text in told:
            memory.long_term.remember(text, scope=ALICE)
        return sorted(it.content for it in memory.long_term.list(scope=ALICE))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_NURSE, "I work as a nurse at Globex"),
        (_NURSE, "I work at Siemens now"),
        ("I'm a nurse at Acme", "I work at Siemens now"),
        ("I'm a nurse at Acme", "I'm a teacher at Globex now"),
        ("I work at Acme", "I work as a nurse at Globex"),
        ("I'm a nurse", "I'm a teacher now"),
        ("I'm a nurse", "I work as a teacher now"),
    ],
)
def test_another_employer_or_trade_takes_the_place_of_the_last(old: str, new: str) -> None:
    """Who works elsewhere, or is something else now, left what they told before, however both were said."""
    assert _in_force(old, new) == [new]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_NURSE, "I also work as a cook at Globex"),
        (_NURSE, "I work as a nurse at Globex on Saturdays"),
        (_NURSE, "I work as a teacher at Globex part-time"),
        (_NURSE, "I volunteer as a cook at Globex"),
        (_NURSE, "I'm a lecturer at Globex"),
        ("I'm a nurse at Acme", "I'm a part-time teacher at Globex now"),
        ("I'm a nurse at Acme", "I'm a head nurse at Acme now"),
        ("I'm a nurse", "I'm also a teacher now"),
        ("I'm a nurse", "I'm a teacher on Saturdays now"),
        ("I'm a nurse", "I'm a volunteer firefighter now"),
        ("I'm a nurse", "I'm a teacher"),
        ("I'm a nurse", "I'm a parent now"),
        ("I'm a nurse at Acme", "I'm a student at Globex now"),
        ("My sister is a nurse at Acme", "I'm a nurse at Globex now"),
    ],
)
def test_who_has_two_jobs_keeps_both(old: str, new: str) -> None:
    """A second job, one for some days, work without pay and studies end nothing; nor does a sister's."""
    assert _in_force(old, new) == sorted([old, new])
