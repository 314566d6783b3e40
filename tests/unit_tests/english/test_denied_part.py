"""Of what a denial leaves something, told by the form of what was claimed."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.endings.denied_part import is_part_denied


@pytest.mark.parametrize(
    ("claim", "denial"),
    [
        ("takes ramipril and a statin", "no longer takes the statin"),
        ("takes ramipril, a statin and metformin", "no longer takes ramipril or metformin"),
        ("takes ramipril for their heart and a statin", "no longer takes ramipril"),
        ("works at Fiat and Lidl", "no longer works at Lidl"),
        ("works at the library in the morning, at the cafe at night", "no longer works at the cafe"),
        ("works at the library in the morning, at the cafe at night", "no longer works at the library"),
        ("has Mondays and Fridays off", "no longer has Fridays off"),
        ("has a red car and a blue car", "no longer has the blue car"),
        ("has asthma and diabetes", "no longer has asthma"),
        ("bills 420 francs an hour, 480 for new clients", "no longer bills 480 for new clients, it is 450 now"),
        ("swims on Tuesdays, runs on Fridays", "no longer swims on Tuesdays"),
        ("swims on Tuesdays, runs on Fridays", "no longer swims"),
        ("swims and runs", "no longer runs"),
        ("is a nurse and a midwife", "is no longer a midwife"),
        ("goes to the gym on Mondays and to the pool on Fridays", "no longer goes to the gym"),
        ("does not eat meat or fish", "eats fish"),
    ],
)
def test_a_denial_of_one_thing_leaves_what_stands_beside_it(claim: str, denial: str) -> None:
    """Whatever the verb is, and with an "and", an "or" or a comma between the two."""
    assert is_part_denied(f"The user {claim}", f"The user {denial}")


@pytest.mark.parametrize(
    ("claim", "denial"),
    [
        ("takes ramipril and a statin", "no longer takes ramipril or a statin"),
        ("takes ramipril, so no grapefruit and no liquorice", "no longer takes ramipril"),
        ("takes 5 mg of ramipril, twice a day", "no longer takes ramipril"),
        ("works at Marks and Spencer", "no longer works at Marks and Spencer"),
        ("works at a bank in the morning and evening", "no longer works at the bank"),
        ("works at a bank in Leeds", "no longer works at the bank"),
        ("lives in Leeds, England", "no longer lives in Leeds"),
        ("lives in Leeds with their wife and kids", "no longer lives in Leeds"),
        ("swims on Tuesdays and Fridays", "no longer swims"),
        ("has a red car and a blue car", "no longer has a car"),
        ("plays golf with their son and their daughter", "no longer plays golf"),
        ("goes to the gym on Mondays and Fridays", "no longer goes to the gym"),
        ("is a nurse, based in Leeds", "is no longer a nurse"),
        ("is allergic to nuts and soy", "is no longer allergic to anything"),
        ("has two kids, Tom and Ann", "does not have kids"),
        ("speaks two languages, French and German", "does not speak two languages"),
    ],
)
def test_a_denial_of_all_leaves_nothing(claim: str, denial: str) -> None:
    """Of one thing with its place, its times or its company, of a name with an "and", and of all."""
    assert not is_part_denied(f"The user {claim}", f"The user {denial}")
