"""What a sentence says to be over, and which memories that ends."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.endings.endings import ended_by, ending_in

VOLVO = "The user has a blue Volvo"
FIAT = "The user has a red Fiat"
REX = "The user's dog is called Rex"
EMMA = "The user's girlfriend is Emma"
WIFE = "The user's wife is Emma"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("The user sold their car", VOLVO),
        ("I've finally sold my old Volvo", VOLVO),
        ("I got rid of my car on Monday, because petrol is dear", "The user drives a Volvo V60 to work"),
        ("We sold our house last year", "The user's family has a house in Kent"),
        ("My bike was stolen yesterday", "The user's bike is a Brompton"),
        ("I gave away my guitar", "The user owns an acoustic guitar"),
        ("I traded in my old iPhone", "The user has an iPhone 12"),
        ("I cancelled my gym membership", "The user has a gym membership"),
        ("I sold my apartment in Porto", "The user owns a small flat in Porto"),
        ("My car got written off", "The user's car is a Volvo"),
        ("Alice sold her car", "Alice has a blue Volvo"),
        ("Rex died last week", REX),
        ("My dog died", "The user has a dog called Rex"),
        ("Our old dog Rex passed away on Sunday", "The user's dog Rex is allergic to chicken"),
        ("Rex had to be put down", "Rex is the user's dog"),
        ("My cat was put to sleep", "The user has a cat"),
        ("My mother died", "The user's mother lives in Ulm"),
        ("My mum passed away peacefully last month", "The user's mother works at a bakery"),
        ("Emma and I broke up", EMMA),
        ("I broke up with my girlfriend", EMMA),
        ("My girlfriend left me", EMMA),
        ("We split up", EMMA),
        ("My wife and I got divorced", WIFE),
        ("I got divorced last year", WIFE),
        ("Emma left me for good", WIFE),
        ("I divorced my wife", "The user has a wife"),
        ("We had a baby", "The user's wife is pregnant"),
        ("Our daughter was born yesterday", "The user's wife is five months pregnant"),
        ("I gave birth to a girl", "The user is pregnant"),
        ("My sister had a baby girl last night", "The user's sister is pregnant"),
        ("The user's friend Ana gave birth to a boy", "The user's friend is pregnant"),
        ("The baby is here", "The user's baby is due in May"),
        ("I quit my job", "The user works at Siemens as an engineer"),
        ("I quit my job at Siemens", "The user works for Siemens"),
        ("I left Siemens in May", "The user works at Siemens"),
        ("I was laid off", "The user works at Siemens"),
        ("I got fired last week", "The user's employer is Siemens"),
        ("I lost my job", "The user works at Siemens"),
        ("I've retired", "The user works at Siemens"),
        ("I quit my job", "The user works as a nurse"),
        ("I was laid off", "The user works as a nurse at St Mary's"),
        ("I got fired by my boss", "The user's job is teaching maths"),
        ("I left Siemens after ten years", "The user is an engineer at Siemens"),
        ("I left Siemens to join Bosch", "The user works as an engineer at Siemens"),
        ("Clara and I broke up", "The user is married to Clara"),
        ("Clara and I broke up over text", "The user is dating Clara"),
        ("My wife left me for another man", "The user's wife is Clara"),
        ("We divorced", "The user's wife is Clara"),
        ("We separated last year", "The user's wife is Clara"),
        ("I traded my Volvo in for a Tesla", VOLVO),
        ("I swapped my bike for a scooter", "The user's bike is a Brompton"),
    ],
)
def test_what_is_over_ends_what_was_remembered_of_it(said: str, known: str) -> None:
    """The one memory that holds no more is found, in whatever words it was told."""
    assert ended_by(said, [known]) == (0,)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I sold my car", [VOLVO, FIAT]),
        ("I sold my car", ["The user has two cars"]),
        ("I sold my car", ["The user has a Volvo and a Fiat"]),
        ("I sold my red car", [VOLVO]),
        ("I sold my car", ["The user has a car insurance with Axa"]),
        ("I sold my car", ["The user's sister has a Volvo"]),
        ("I sold my bike", [VOLVO]),
        ("Alice sold her car", ["Bob has a Volvo"]),
        ("My dog died", [REX, "The user's dog is called Bello"]),
        ("My dog died", ["The user has two dogs"]),
        ("My dog died", ["The user has a cat called Mia"]),
        ("Bello died", [REX]),
        ("My older sister died", ["The user's younger sister lives in Rome"]),
        ("My mother died", ["The user's mother is called Anna", "The user's mother was born in Kiel"]),
        ("My mother died", ["The user's father lives in Ulm"]),
        ("My sister's dog died", [REX]),
        ("Emma and I broke up", ["The user's girlfriend is Nora"]),
        ("Emma and I broke up", ["The user's sister is Emma"]),
        ("My boyfriend and I broke up", [WIFE]),
        ("Emma and I broke up", ["Emma works at Bosch"]),
        ("We had a baby", ["The user's sister is pregnant"]),
        ("My sister had a baby girl", ["The user is pregnant", "The user's cousin is pregnant"]),
        ("My daughter was born in 2015", ["The user's wife is pregnant"]),
        ("I left Siemens", ["The user works at Bosch"]),
        ("I left Berlin", ["The user lives in Berlin"]),
        ("I quit my job", ["The user works at Siemens", "The user works for Bosch"]),
        ("I quit my job at the bank", ["The user works at Siemens"]),
        ("My wife quit her job", ["The user works at Siemens"]),
        ("I quit my job", ["The user works as a nurse", "The user works as a waiter"]),
        ("I quit my job", ["The user is a nurse"]),
        ("I quit Siemens", ["The user works as an engineer"]),
        ("My girlfriend and I broke up", ["The user is married to Clara"]),
        ("Nora and I broke up", ["The user is married to Clara"]),
        ("Rex died", ["The user has two dogs, Rex and a puppy"]),
        ("My dog died", ["Rex died", "The user has a dog called Bella"]),
        ("I swapped my bike for a day", ["The user's bike is a Brompton"]),
    ],
)
def test_what_may_mean_another_ends_nothing(said: str, known: list[str]) -> None:
    """Of several that may be meant, of another one, and of what stays true of the dead, nothing ends."""
    assert ended_by(said, known) == ()


@pytest.mark.parametrize(
    "said",
    [
        "I almost sold my car",
        "I want to sell my car",
        "I haven't sold my car",
        "I never sold my car",
        "I sold my car in the game",
        "I sold my share of the house",
        "I would have sold my car",
        "I will sell my car",
        "My friend sold her car",
        "Did Rex die",
        "In the film Rex died",
        "Rex died in the last episode",
        "Rex almost died",
        "Rex died laughing",
        "My phone died",
        "My battery died on me",
        "Everybody says Rex died",
        "My heart died a little",
        "If Emma and I broke up",
        "Emma and I broke up the fight",
        "Emma and I split up the work",
        "Emma and I never broke up",
        "I left my wife at the airport",
        "I left my wife a message",
        "My wife left me a message",
        "My wife left me at home",
        "We had so much fun",
        "We had a baby shower",
        "We want to have a baby",
        "We had a baby in 2010",
        "I quit my job hunt",
        "I left my job title blank",
        "I lost my position in the queue",
        "I was fired up",
        "I was let down",
        "I left the office",
    ],
)
def test_what_is_not_so_ends_nothing(said: str) -> None:
    """What was nearly done, is wanted, feared, told of others or in a story, and what only sounds alike, is no end."""
    assert ending_in(said) is None


def test_one_of_two_is_ended_where_it_is_named() -> None:
    """A make or a colour tells one car from the other."""
    assert ended_by("I sold my Fiat", [VOLVO, FIAT]) == (1,)
    assert ended_by("I sold my blue car", [VOLVO, FIAT]) == (0,)


def test_of_the_dead_what_holds_now_ends_and_who_they_were_stays() -> None:
    """A name, and where somebody was born, are true of them for ever."""
    known = [
        "The user's mother is called Anna",
        "Anna lives in Ulm",
        "The user's mother was born in Kiel",
        "The user lives with their mother",
        "The user lives in Ulm",
    ]
    assert ended_by("My mother died", known) == (1, 3)


def test_a_couple_that_parts_ends_all_that_holds_of_couples() -> None:
    """Who somebody is to whom is over, and what they are by themselves is not."""
    known = [WIFE, "The user is married", "The user lives with Emma", "Emma works at Bosch", "The user lives in Rome"]
    assert ended_by("Emma and I got divorced", known) == (0, 1, 2)


def test_the_user_by_name_is_the_user() -> None:
    """Whoever told of a car before they gave their name has sold the same car."""
    assert ended_by("Alice sold their car", [VOLVO, "Alice's car is a Volvo"], "Alice") == (0, 1)
