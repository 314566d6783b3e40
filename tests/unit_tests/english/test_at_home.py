"""What happens at home, and what ends by it: a wedding, a move, a birthday, a bike at last; English."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.endings.endings import ended_by

DAN = "The user is engaged to Dan"
BERLIN = "The user is based in Berlin"
PORTO = "The user is moving back to Porto in June"
LISBON = "The user's group is moving to Lisbon in January"
SON = "The user's son is 6"
NO_BIKE = "The user does not have a bike yet"
BIKE = "The user has a bike"
REX = "The user has a dog called Rex"
BACLOFEN = "The user takes baclofen"
BAKERY = "The user works at a bakery"
MINH = "The user's boyfriend is Minh"
FRANZ = "The user is moving in with Franz next month"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I got married to Dan on Saturday", DAN),
        ("We got married on Saturday", DAN),
        ("I married Dan", DAN),
        ("I married my fianc\u00e9 Dan last week", "The user's fianc\u00e9 is Dan"),
        ("I'm seeing someone called Jonas", "The user is single"),
        ("I moved in with my son Franz in Ortenburg", "The user lives in Vilshofen"),
        ("I now live with Franz in Ortenburg", FRANZ),
        ("I moved in with my boyfriend", "The user lives alone"),
        ("We moved into our new flat in Bath", "The user lives in London"),
        ("I moved out", "The user lives at their parents' place"),
        ("I live alone now", "The user lives with their mum"),
        ("We're in Porto now", PORTO),
        ("we're in porto now", PORTO),
        ("We're not moving after all", LISBON),
        ("The user's team is not moving after all", LISBON),
        ("The Lisbon move is off", LISBON),
        ("My son turned 7 on Saturday", SON),
        ("My son is 7 now", SON),
        ("leo turned 10", "Leo is 9"),
        ("My wife turned 32 today", "The user's wife is 31"),
        ("I finally bought a bike", NO_BIKE),
        ("I got my own bike", NO_BIKE),
        ("Someone stole my bike", BIKE),
        ("My bike got nicked from the van", BIKE),
        ("I gave the cats to my mum", "The user has two cats"),
        ("We had to put Rex to sleep", REX),
        ("We had to put the dog down", REX),
        ("I don't need the stick anymore", "The user uses a stick"),
        ("I stopped baclofen last week", BACLOFEN),
        ("I've stopped vitamin d", "The user takes vitamin D"),
        ("I swapped baclofen for tizanidine", BACLOFEN),
        ("I'm off baclofen, makes me sleepy", BACLOFEN),
        ("I stopped the keto diet", "The user is on the keto diet"),
        ("Covid is gone", "The user has got covid"),
        ("I quit my job at the bakery", BAKERY),
        ("I quit the bakery, too much work", BAKERY),
        ("I quit tesco", "The user got a job at Tesco"),
        ("minh and I broke up", MINH),
        ("The wedding is next spring now", "The user's family's wedding is in October"),
    ],
)
def test_what_happened_at_home_ends_what_was(said: str, known: str) -> None:
    """In whatever words the two were told."""
    assert ended_by(said, [known]) == (0,)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I got married to Tom", DAN),
        ("We got married in 2010", DAN),
        ("My sister got married on Saturday", DAN),
        ("I'm seeing someone about my back", "The user is single"),
        ("I moved in with my sister", BERLIN),
        ("I moved in with Tom", FRANZ),
        ("We're in Porto now", BERLIN),
        ("I'm in bed now", BERLIN),
        ("We're not moving to Rome after all", LISBON),
        ("We're not moving today", LISBON),
        ("My daughter turned 7", SON),
        ("My son turned 5", SON),
        ("My son turned off the light", SON),
        ("My wife turned 180 degrees on this", "The user's son is 6"),
        ("I bought a bike helmet", NO_BIKE),
        ("I almost bought a bike", NO_BIKE),
        ("Someone stole my heart", BIKE),
        ("Someone stole my bike lock", BIKE),
        ("I gave my number to my boss", "The user's number is 7"),
        ("I gave the cats to my mum for the weekend", "The user has two cats"),
        ("I had to put Emma to sleep", "The user's daughter is Emma"),
        ("I put Rex down", REX),
        ("I stopped the car", "The user takes the car to work"),
        ("I stopped baclofen for a week", BACLOFEN),
        ("I stopped taking photos", BACLOFEN),
        ("I'm off baclofen today", BACLOFEN),
        ("Summer is gone", "The user has got covid"),
        ("I quit the bakery", "The user likes the bakery"),
        ("I quit the gym", BAKERY),
        ("my boss and I broke up", "The user's boss is Minh"),
        ("linh and I broke up", MINH),
    ],
)
def test_what_only_sounds_like_it_ends_nothing(said: str, known: str) -> None:
    """Of somebody or something else, for a while, or not at all."""
    assert ended_by(said, [known]) == ()


def test_of_two_sons_the_one_who_was_a_year_younger_is_meant() -> None:
    """Another one may be of any age."""
    assert ended_by("My son turned 10", [SON, "The user's son is 9"]) == (1,)


def test_who_arrives_has_left_the_home_before() -> None:
    """Where a plan to move there was told; a journey leads anywhere."""
    assert ended_by("We're in Porto now", [PORTO, BERLIN]) == (0, 1)
