"""What a change puts in doubt that is told by halves: what is over by its name, what came instead by its kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.endings.in_doubt import put_in_doubt, tells_of_change
from langchain_agentmem.english.words.kinds import kinds_in


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I use Chrome", "I switched to Firefox"),
        ("Our editor is Vim", "We switched to Helix"),
        ("We use Slack at work", "The company switched to Teams"),
        ("I keep my notes in Evernote", "I moved all my notes to Obsidian"),
        ("I have an iPhone 12", "I upgraded to an iPhone 15"),
        ("I use Vim for all my code", "I'm using Zed now"),
        ("I'm using Trados for my projects", "I've moved from Trados to memoQ"),
        ("I play a Strat", "I traded the Strat in for a Telecaster"),
        ("I drive a Golf", "I sold my car"),
        ("I take sugar in my tea", "I've cut out sugar completely"),
        ("I vape", "I've kicked the vaping habit"),
        ("I drink two espressos before breakfast", "I quit coffee"),
        ("I'm training for a marathon", "I dropped out of the marathon"),
        ("I'm planning a trip to Peru", "We scrapped the Peru trip"),
        ("I'm the secretary of the allotment society", "I stepped down as secretary"),
        ("I order from Amazon all the time", "I've stopped ordering from Amazon"),
    ],
)
def test_a_change_doubts_what_it_names_and_the_other_of_its_kind(old: str, new: str) -> None:
    """Law: who went over to one browser, gave something up or sold it is told to have it no more."""
    assert put_in_doubt(new, [old]) == (0,)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My dentist is Dr. Weber", "I switched to Dr. Petit"),
        ("Olga is my team lead", "Bastian is my team lead now"),
        ("My boss is Mr. Crane", "Ms. Lindqvist took over as my boss"),
        ("My piano teacher is Mrs. Bell", "I've got a new piano teacher called Yuri"),
        ("My GP is Dr. Osei", "I've changed GPs, I'm with Dr. Lam"),
        ("I live alone", "My girlfriend moved in with me"),
        ("I live with my son", "Our son moved out"),
        ("My roommate is Chloe", "Chloe moved to Madrid"),
        ("I'm single", "Camila and I are official since Friday"),
        ("I am engaged to Tom", "We called off the engagement"),
        ("I have two kids", "Our third child was born"),
        ("I have no children", "Our daughter was born last night"),
        ("I'm vegan", "I'm eating cheese and eggs again"),
        ("I am teetotal", "I drink wine again"),
        ("I drink", "I gave up alcohol"),
        ("I don't smoke", "I started smoking again"),
        ("I work part-time", "I went full-time"),
        ("I work full-time", "I switched to part-time"),
        ("I'm unemployed", "I started a new job on Monday"),
        ("I take the bus to work", "I cycle to work now"),
    ],
)
def test_news_doubt_the_state_that_cannot_be_beside_them(old: str, new: str) -> None:
    """Law: living alone is in doubt beside a flatmate, a dentist beside the next one, two children beside a third."""
    assert put_in_doubt(new, [old]) == (0,)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I drink coffee every morning", "My brother quit coffee"),
        ("I drink coffee every morning", "I nearly quit coffee"),
        ("I drink coffee every morning", "I want to quit coffee"),
        ("I drink coffee every morning", "I quit coffee for a week in 2019"),
        ("My wife drinks coffee", "I quit coffee"),
        ("I learned the cello as a child", "I gave up the cello"),
        ("I love ball games", "I kicked the ball"),
        ("I have a seat in row 12", "I switched to the window seat"),
        ("I work at Acme", "I upgraded to business class"),
        ("I use Chrome", "I switched to the night shift"),
        ("I use Chrome", "I moved to Edge Hill"),
        ("I use Chrome", "I switched to Firefox on my phone"),
        ("I buy my groceries at Kroger", "I went to Aldi"),
        ("We use Python at work", "We switched to GitHub Actions"),
        ("I have an iPhone 12", "I dropped my phone"),
        ("My phone is a Pixel 8", "I got rid of my old phone"),
        ("My mortgage is with Nationwide", "I moved the account from Barclays to Monzo"),
        ("We deploy the checkout service on AWS", "We have moved the search index to Azure"),
        ("I'm planning a trip to Peru", "We cancelled the trip to Rome"),
        ("My plumber is Joe", "I cancelled the plumber"),
        ("I eat lunch at noon", "I stopped eating at noon"),
    ],
)
def test_another_thing_or_what_never_came_doubts_nothing(old: str, new: str) -> None:
    """Law: another's change, one that was wanted, nearly made or passed, and a thing of another kind say nothing."""
    assert put_in_doubt(new, [old]) == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My manager is Tom", "Priya is my manager's name at my sister's firm"),
        ("My coach is Denise Hall", "Denise is my coach now"),
        ("My friend is Jonas", "Mia is my friend now"),
        ("I live alone", "My girlfriend moved in with her mother"),
        ("I live alone", "My neighbour moved in"),
        ("I'm single", "I am seeing Dr. Kern tomorrow"),
        ("I'm single", "My brother has a girlfriend now"),
        ("I am engaged to Tom", "Anna called off the wedding"),
        ("I am engaged to Tom", "The wedding is over, what a day"),
        ("I have two kids", "My sister's third child was born"),
        ("I have a daughter", "We had a second daughter"),
        ("I have two sons", "Our third child was born"),
        ("I'm vegetarian", "I started eating breakfast again"),
        ("I'm vegetarian", "I'm eating cheese again"),
        ("I live with Nils", "Nils moved to another desk"),
    ],
)
def test_news_of_others_and_what_may_be_beside_a_state_doubt_nothing(old: str, new: str) -> None:
    """Law: what somebody else does, and what can be true together, puts nothing in doubt."""
    assert put_in_doubt(new, [old]) == ()


def test_of_several_that_may_be_meant_none_is_in_doubt() -> None:
    """Law: of two browsers, or two doctors of one title, nobody knows which one was left."""
    assert put_in_doubt("I switched to Firefox", ["I use Chrome", "I use Safari on my phone"]) == ()
    assert put_in_doubt("I switched to Dr. Petit", ["My dentist is Dr. Weber", "My GP is Dr. Kern"]) == ()
    assert put_in_doubt("I have a new piano teacher", ["My piano teacher is Ann", "My piano teacher is Bob"]) == ()


def test_a_name_that_is_a_word_counts_with_a_capital() -> None:
    """Law: who goes for a word edges to no editor, and the tickets for an opera are no browser."""
    assert kinds_in("I use Edge") == {"browser": frozenset({"edge"})}
    assert kinds_in("I live on the edge, word for word") == {}
    assert kinds_in("I have Opera tickets") == {}
    assert kinds_in("I write in Google Docs") == {"writing": frozenset({"google docs"})}


@pytest.mark.parametrize("run", [" " * 4000, "a" * 4000, "a, " * 1300, "is " * 1300, "my new " * 25, "race " * 800])
@pytest.mark.parametrize("news", ["I quit the race", "I switched to Firefox", "I have a new dentist", "Anna moved out"])
def test_a_long_run_is_read_in_time(news: str, run: str) -> None:
    """Law: what is no sentence is in no doubt, and puts nothing in doubt."""
    assert put_in_doubt(news, [f"I am {run}", run]) == ()
    assert put_in_doubt(f"{news} {run}", ["I use Chrome"]) == ()


@given(new=st.text(max_size=80), old=st.text(max_size=80))
def test_any_two_texts_are_read(new: str, old: str) -> None:
    """Law: whatever was said, no place is named but that of what is known, and none where no change is told."""
    found = put_in_doubt(new, [old])
    assert set(found) <= {0}
    assert not found or tells_of_change(new)
