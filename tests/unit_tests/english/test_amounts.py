"""How much something is by now, in whatever verb, and what is remembered of how much it was; English."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.endings.endings import PASSING, ended_by
from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.policies.conflict import judge

CGPA = "The user's CGPA is 8.4"
RENT = "The user's rent is 1450"
MRR = "The user's team's MRR is 21k"
WEIGHT = "The user weighs 80 kg"
PEOPLE = "The user's team has 9 people now"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("My CGPA went up to 8.6 after 6th sem", CGPA),
        ("My CGPA is down to 8.2", "The user's CGPA went up to 8.6 after 6th sem"),
        ("My rent went from 1450 to 1600", RENT),
        ("rent's gone up to 1600", RENT),
        ("Landlord put the rent up to 1600", RENT),
        ("MRR hit 28k last month", MRR),
        ("My HbA1c dropped to 5.9", "The user's HbA1c is 6.4"),
        ("credit score jumped to 700", "The user's credit score is 640"),
        ("My mileage is up to 45 km a week", "The user's mileage is 30 km a week"),
        ("I'm down to 76 kg", WEIGHT),
        ("I'm up to 84kg", WEIGHT),
        ("I'm at 76 kg now", "The user's weight is 80 kg"),
        ("I'm back up to 78 kilos", "The user is down to 76 kg"),
        ("We're 10 people", PEOPLE),
        ("Our team has 12 people now", PEOPLE),
    ],
)
def test_another_amount_of_the_same_ends_the_one_before(said: str, known: str) -> None:
    """In whatever verb it is told."""
    assert ended_by(said, [known]) == (0,)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("My SGPA went up to 8.6", CGPA),
        ("My CGPA went up to 8.4", CGPA),
        ("My sister's rent went up to 1600", RENT),
        ("My parking went up to 60", RENT),
        ("The average rent in Leeds hit 1600", RENT),
        ("My sister's landlord put the rent up to 1600", RENT),
        ("My friend's MRR hit 28k", MRR),
        ("My team hit 28 goals", "The user's team is 21"),
        ("My son hit 7 home runs", "The user's son is 6"),
        ("My son went to 7 shops", "The user's son is 6"),
        ("I'm down to 76 kg", "The user is 34"),
        ("I'm down to 3 cigarettes a day", WEIGHT),
        ("My dog is down to 12 kg", WEIGHT),
        ("I want to get down to 76 kg", WEIGHT),
        ("I'm 10 people away", PEOPLE),
        ("We're 10 people for dinner tonight", PEOPLE),
        ("We are 10 people", "The user's family has 5 people"),
    ],
)
def test_an_amount_of_another_thing_ends_nothing(said: str, known: str) -> None:
    """Somebody else's, of another name, or in another unit."""
    assert ended_by(said, [known]) == ()


@pytest.mark.parametrize(
    ("new", "old", "is_conflict"),
    [
        ("My CGPA is 8.55 not 8.6", CGPA, True),
        ("My CGPA is 8.55, not 8.6", CGPA, True),
        ("The user has 2 kids not 4", "The user has 3 kids", True),
        ("The user has 2 kids not 4", "The user has 3 cats", False),
        ("My SGPA is 8.55 not 8.6", CGPA, False),
        ("My sister has 2 kids not 4", "The user has 3 kids", False),
    ],
)
def test_a_correction_replaces_a_number_that_it_does_not_name(new: str, old: str, *, is_conflict: bool) -> None:
    """Whatever was called wrong, there is one value at a time."""
    judged = judge(parse_statement(new), parse_statement(old), similarity=None)
    assert (judged.relation == "conflict") is is_conflict


@pytest.mark.parametrize(
    "said",
    ["my stress levels went up to 100 lol", "I'm down to one sock", "the fever went up to 39", "I'm at 5 kg now"],
)
def test_an_amount_is_kept_for_its_change_alone(said: str) -> None:
    """By itself it is news of any day."""
    assert all(PASSING in it.tags for it in RuleExtractor().extract([HumanMessage(said)]))


@pytest.mark.parametrize("run", [" " * 4000, "\n" * 4000, "a" * 4000, "a " * 140, "1 " * 140, "went up to 1" * 24])
def test_a_long_run_is_read_in_time(run: str) -> None:
    """What is no sentence ends nothing."""
    assert ended_by(f"My rent {run}", [CGPA]) == ()
