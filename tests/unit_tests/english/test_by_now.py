"""What is another one by now: a doctor, a rate, a dose, a day, a name, and what was so once; English."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.endings.endings import ended_by, ending_in
from langchain_agentmem.english.endings.undone import undone_in

WEBER = "The user's doctor is Dr. Weber"
RENT = "The user's rent is 650"
RATE = "The user's rate is 90 eur/h"
SERTRALINE = "The user is on 50mg of sertraline"
INSULIN = "The user takes 12 units of insulin"
REHEARSES = "The user's team rehearses on Mondays"
LAWYER = "The user is a lawyer"
COFFEE = "The user drinks coffee"
BAND = "The user's band is called the Night Buses"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("My doctor is Dr. Kern now", WEBER),
        ("My doctor is now Dr Kern", WEBER),
        ("My new doctor is Dr. Kern", WEBER),
        ("Dr. Kern is my new doctor", WEBER),
        ("My dentist is Ann Lee now, she's lovely", "The user's dentist is Tom"),
        ("Ann Lee is my dentist now", "The user's dentist is Tom"),
        ("Ann Lee is now my dentist", "Tom is the user's dentist"),
        ("My rent went up to 720", RENT),
        ("My rent has gone up from 650 to 720", RENT),
        ("My rent was raised to \u20ac720 in May", RENT),
        ("My rent is 720 now", "The user's rent went up to 650"),
        ("My rate is 100/h now", RATE),
        ("My rate is \u20ac100 now", RATE),
        ("I'm on 100mg of sertraline now", SERTRALINE),
        ("I'm now on 100 mg of sertraline", SERTRALINE),
        ("The doctor raised the insulin to 14 units", INSULIN),
        ("My insulin dose went up to 14 units", INSULIN),
        ("We rehearse on Thursdays now", REHEARSES),
        ("The user's group rehearses on Thursdays now", REHEARSES),
        ("My therapy is on Wednesdays now", "The user has therapy on Mondays"),
        ("I have therapy on Wednesdays now", "The user's therapy is on Mondays at 5pm"),
        ("We changed the band name to Sunday Service", BAND),
        ("Our band is called Sunday Service now", BAND),
        ("I used to be a lawyer", LAWYER),
        ("I used to be a lawyer, now I'm a stay at home mom", LAWYER),
        ("I used to work at Tesco", "The user works at Tesco as a cashier"),
        ("I used to drink coffee but now I drink tea", COFFEE),
        ("I drink tea now instead of coffee", COFFEE),
        ("I drink tea instead of coffee now", "The user drinks coffee every morning"),
    ],
)
def test_what_is_another_by_now_ends_what_was(said: str, known: str) -> None:
    """In whatever words the two were told, where there is one at a time."""
    assert ended_by(said, [known]) == (0,)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("My doctor is Dr. Kern", WEBER),
        ("My doctor is Dr Weber now", WEBER),
        ("My doctor is on holiday now", WEBER),
        ("My new doctor is lovely", WEBER),
        ("My dentist is Dr. Kern now", WEBER),
        ("My doctor is Dr. Weber now", "The user's doctor is Dr. Anna Weber"),
        ("Tom is my manager now", "The user's manager is Tom Smith"),
        ("My friend is Tom now", "The user's friend is Nora"),
        ("My sister's doctor is Dr. Kern now", WEBER),
        ("My heart rate went up to 150", RATE),
        ("My rent went up again", RENT),
        ("My rent is 650 now", RENT),
        ("My rate is 5% now", RATE),
        ("My rent might go up to 720", RENT),
        ("I took 100mg of ibuprofen now", SERTRALINE),
        ("I'm on 50 mg of sertraline now", SERTRALINE),
        ("I'm on 100mg of lithium now", SERTRALINE),
        ("The doctor raised the bed", INSULIN),
        ("We also rehearse on Thursdays now", REHEARSES),
        ("We rehearse on Thursdays too now", REHEARSES),
        ("We record on Thursdays now", REHEARSES),
        ("We rehearse on Mondays now", REHEARSES),
        ("My son is called Max now", "The user's son is called Leo"),
        ("I never used to be a lawyer", LAWYER),
        ("I'm used to being a lawyer", LAWYER),
        ("I used to be a lawyer when I was young", LAWYER),
        ("My dad used to be a lawyer", LAWYER),
        ("I used to drink coffee at night", COFFEE),
        ("I used to drink", COFFEE),
        ("I use Zed now", "The user uses VS Code"),
        ("I ordered tea instead of coffee", COFFEE),
    ],
)
def test_what_only_looks_like_another_ends_nothing(said: str, known: str) -> None:
    """What may both be, what is of somebody else, and what is the same."""
    assert ended_by(said, [known]) == ()


@pytest.mark.parametrize(
    "said", ["My doctor is Dr. Kern now", "I used to be a lawyer", "We rehearse on Thursdays now", "I'm in Porto now"]
)
def test_how_it_is_now_is_worth_remembering_by_other_rules_alone(said: str) -> None:
    """By itself it is kept where it ends something."""
    ending = ending_in(said)
    assert ending is not None
    assert ending.is_passing
    assert ending.is_state


@pytest.mark.parametrize("said", ["I'm not in Porto now", "We don't rehearse on Thursdays now", "I'm not married"])
def test_who_denies_how_it_is_now_takes_back_no_ending(said: str) -> None:
    """It says how it is, as any denial does."""
    assert undone_in(said) is None


@pytest.mark.parametrize("tail", ["omg", "lol", "haha", ", ugh", "thank god", ", sadly", "\U0001f62d"])
def test_what_is_added_to_any_news_stops_no_ending(tail: str) -> None:
    """An aside says nothing of what is over."""
    assert ended_by(f"My bike got stolen {tail}".replace(" ,", ","), ["The user has a bike"]) == (0,)


@pytest.mark.parametrize("run", [" " * 4000, "\n" * 4000, "a" * 4000, "a " * 140, "ha" * 145, "on Monday " * 28])
def test_a_long_run_is_read_in_time(run: str) -> None:
    """What is no sentence ends nothing."""
    assert ended_by(f"I used to {run}", [LAWYER]) == ()


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("My new editor is Tobias", "The user's editor is Claire at Faber"),
        ("My new duo is benny", "The user's duo is zay"),
        ("My new laptop is a MacBook Air M3", "The user's laptop is an HP Pavilion"),
        ("My new gym is Gold's Gym", "The user's gym is PureGym"),
        ("My new car is blue", "The user's car is red"),
        ("Our new bank is Monzo", "The user's family's bank is HSBC"),
        ("GP upped my sertraline to 100mg", "The user takes 50mg sertraline"),
        ("They have doubled the user's atorvastatin to 40mg", "The user takes 20mg atorvastatin"),
    ],
)
def test_the_new_one_takes_the_place_of_the_one_before(said: str, known: str) -> None:
    """Whatever it is that one has one of."""
    assert ended_by(said, [known]) == (0,)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I have another coach, Dana", ["The user's coach is Sam"]),
        ("My second coach is Dana", ["The user's coach is Sam"]),
        ("My new swim coach is Dana", ["The user's coach is Sam"]),
        ("My new coach is Sam", ["The user's coach is Sam"]),
        ("My new coach is Spanish", ["The user's coach is Sam"]),
        ("My sister's new coach is Dana", ["The user's coach is Sam"]),
        ("My new friend is Kate", ["The user's friend is Joan"]),
        ("My new dog is Bo", ["The user's dog is Rex"]),
        ("My new novel is Salt", ["The user's novel is Dune Rising"]),
        ("My new laptop is amazing", ["The user's laptop is an HP Pavilion"]),
        ("Our new car is a Tesla", ["The user's car is a Golf"]),
        ("My new roommate is Karan", ["The user's roommate is Ravi", "The user's roommate is Jo"]),
        ("GP upped my lithium to 100mg", ["The user takes 50mg sertraline"]),
    ],
)
def test_a_new_one_beside_others_ends_nothing(said: str, known: list[str]) -> None:
    """One of several, somebody else's, another sort, or merely told how it is."""
    assert ended_by(said, known) == ()
