"""What is over in words that name what came instead, or who went: a dog rehomed, a lawyer fired, a drink given up."""

from __future__ import annotations

import time

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.endings.endings import PASSING, ended_by, ending_in
from langchain_agentmem.extraction import RuleExtractor

REX = "The user has a dog, Rex"
GUINNESS = "The user drinks Guinness"
KAREN = "The user's wife is Karen"
EXPECTING = "The user is pregnant"
LAWYER = "The user's lawyer is Susan Choi"
STATIN = "The user takes atorvastatin"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("We had to rehome Rex", REX),
        ("I rehomed Rex last week", REX),
        ("We had to give Rex away", REX),
        ("Poor Rex had to be put to sleep on Monday", REX),
        ("I'm off the Guinness", GUINNESS),
        ("I'm off the cigarettes for good", "The user smokes cigarettes"),
        ("I don't drink any more", GUINNESS),
        ("I quit drinking", "The user drinks two beers a day"),
        ("I've given up alcohol", "The user often drinks red wine"),
        ("Karen's my ex-wife now", KAREN),
        ("Karen is now the user's ex", KAREN),
        ("Baby is born", EXPECTING),
        ("The baby has finally arrived", EXPECTING),
        ("We fired Susan", LAWYER),
        ("The user's team fired Susan, new lawyer is Bo Lind", LAWYER),
        ("I let Susan go last week", "Susan is the user's assistant"),
        ("Dr Patel has changed the atorvastatin to rosuvastatin", STATIN),
        ("They switched me from atorvastatin to rosuvastatin", STATIN),
        ("I'm on rosuvastatin now instead of atorvastatin", "The user's doctor has put them on atorvastatin 20mg"),
        ("I'm off atorvastatin", "The user's doctor has put them on atorvastatin 20mg"),
        ("I do not detest Wagner", "The user detests Wagner"),
        ("I don't really hate loud music at all", "The user hates loud music"),
    ],
)
def test_other_words_end_the_same(said: str, known: str) -> None:
    """What is told to be over ends, whether or not the verb is a usual one."""
    assert ended_by(said, [known]) == (0,)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("We had to rehome Rex", "Rex is 5"),
        ("I don't hate fish", "The user dislikes fish"),
        ("I don't hate fish and chips", "The user hates fish"),
        ("I don't hate music", "The user hates loud music"),
        ("I don't hate fish because of the smell", "The user hates fish"),
        ("My wife doesn't hate fish", "The user hates fish"),
        ("We had to rehome Rex", "The user's brother is Rex"),
        ("We want to rehome Rex", REX),
        ("My sister had to rehome Rex", REX),
        ("We rehomed Bella", REX),
        ("I'm off the Guinness tonight", GUINNESS),
        ("I'm off the bus now", "The user takes the bus to work"),
        ("I'm off the phone now", "The user plays the phone"),
        ("I don't drink any more", "The user drinks coffee"),
        ("I don't drink any more", "The user drinks ginger beer"),
        ("I don't drink any more", "The user drinks alcohol-free beer"),
        ("I don't drink any more than you", GUINNESS),
        ("I quit drinking games", GUINNESS),
        ("Karen's my ex-wife's sister now", KAREN),
        ("Karen is my ex-colleague now", KAREN),
        ("Karen's my boss now", KAREN),
        ("My sister's baby is born", EXPECTING),
        ("I'm off until the baby is born", EXPECTING),
        ("The baby is born in chapter three", EXPECTING),
        ("Baby is born", "The user's sister is pregnant"),
        ("They fired Susan", LAWYER),
        ("We nearly fired Susan", LAWYER),
        ("We fired Susan up for the trial", LAWYER),
        ("We fired Susan", "The user's sister is Susan"),
        ("We fired Bob", LAWYER),
        ("Dr Patel changed the atorvastatin to 40mg", STATIN),
        ("They changed my atorvastatin to the morning", STATIN),
        ("My mum switched from atorvastatin to rosuvastatin", STATIN),
    ],
)
def test_what_looks_alike_ends_nothing(said: str, known: str) -> None:
    """Somebody else's, what is wished or nearly done, what holds for a night, and what is another thing."""
    assert ended_by(said, [known]) == ()


def test_who_was_given_away_lives_with_nobody_here() -> None:
    """With having an animal ends living with it; how old it is stays true."""
    assert ended_by("We had to rehome Rex", [REX, "The user lives with Rex", "Rex is 5"]) == (0, 1)


def test_of_two_by_one_first_name_none_is_fired() -> None:
    """Where it cannot be told who is meant, nothing ends."""
    assert ended_by("We fired Susan", [LAWYER, "The user's cleaner is Susan Bell"]) == ()


@pytest.mark.parametrize("said", ["We fired Susan", "I'm off the bus", "We had to rehome Rex"])
def test_such_news_is_worth_nothing_by_itself(said: str) -> None:
    """It is kept only where it ends something."""
    assert [it.tags for it in RuleExtractor().extract([HumanMessage(said)])] in ([], [(PASSING,)])


def test_a_name_in_small_letters_is_one_before_the_news_of_it() -> None:
    """A relative's name behind what they are, before "broke up" or "died", is read with its capital."""
    [found] = RuleExtractor().extract([HumanMessage("my gf maddie broke up w me")])
    assert ended_by(found.content, ["The user's girlfriend is Maddie"]) == (0,)
    assert not RuleExtractor().extract([HumanMessage("my boss first left me a note")])


@pytest.mark.parametrize("filler", [" ", "a", "\n", "on the "])
@pytest.mark.parametrize("head", ["I am on ", "We fired Susan", "I drink "])
def test_a_long_text_is_no_ending_and_costs_nothing(head: str, filler: str) -> None:
    """What tells a story is not read as an ending, in time that grows with its length."""
    begin = time.perf_counter()
    assert ending_in(f"{head}{filler * 4000}x and more of it until nobody listens") is None
    assert time.perf_counter() - begin < 1
