"""Partners of other kinds: whom somebody works, trains or dances with ends no marriage."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.endings.endings import ended_by
from langchain_agentmem.english.reading.statements import parse_statement

_MARRIED = ("I'm married to Tom", "My husband is Tom", "I have a husband, Tom", "I live with my wife Clara in Graz")


@pytest.mark.parametrize(
    "text",
    [
        "I broke up with my business partner",
        "My business partner and I split up",
        "I left my business partner",
        "My business partner left me",
        "I split up with my training partner",
        "My tennis partner and I broke up",
        "My old sparring partner and I parted ways",
        "I broke up with my business partner Clara",
        "I broke up with my work wife",
        "My business partner died",
    ],
)
def test_who_parts_with_another_partner_stays_married(text: str) -> None:
    """Whom one works, trains or dances with is no spouse: that it is over with them ends nothing of a marriage."""
    assert [it for it in _MARRIED if ended_by(text, [it])] == []


@pytest.mark.parametrize("text", ["My training partner had a baby", "My business partner had a miscarriage"])
def test_a_child_of_another_partner_ends_no_pregnancy(text: str) -> None:
    """The child is theirs: the user still expects one."""
    assert ended_by(text, ["I'm pregnant"]) == ()


def test_another_partner_is_ended_by_what_is_said_of_them() -> None:
    """Who parts with a business partner ends just that, by role or by name, and a divorce leaves it."""
    known = ["My business partner is Kim", "My training partner is Ben", "I'm married to Tom"]
    assert ended_by("I broke up with my business partner", known) == (0,)
    assert ended_by("Kim and I parted ways", known) == (0,)
    assert ended_by("I broke up with my husband", known) == (2,)


@pytest.mark.parametrize("text", ["My lovely partner and I split up", "I left my Brazilian husband"])
def test_who_parts_with_a_spouse_is_married_no_more(text: str) -> None:
    """Words that say how a spouse is make them no partner of another kind."""
    assert ended_by(text, ["I'm married to Tom"]) == (0,)


def test_a_business_partner_replaces_no_husband() -> None:
    """One has one partner at a time, and a business partner beside them."""
    told = [parse_statement(it).facts[0].key for it in ("My business partner is Ben", "My partner is Tom")]
    assert told[0] != told[1]
