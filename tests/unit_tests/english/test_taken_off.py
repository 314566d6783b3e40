"""Medicines that somebody was taken off, studies that they left, and animals that had to go; English."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.endings.endings import ended_by, ending_in


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("They took me off metformin", "The user takes metformin"),
        ("They took me off metformin and put me on insulin", "The user takes metformin"),
        ("My GP took me off metformin last week", "The user takes 500 mg metformin twice a day"),
        ("Dr Khan has taken me off metformin", "The user takes metformin every morning"),
        ("The user's doctor took them off metformin", "The user takes metformin"),
        ("They've taken me off statins", "The user was put on statins"),
        ("I've come off sertraline", "The user is on sertraline"),
        ("I came off the pill last month", "The user is on the pill"),
        ("I'm off TikTok now", "The user is on TikTok"),
        ("I'm off thyroxine", "The user takes thyroxine"),
        ("I've come off my antidepressants", "The user takes antidepressants"),
        ("I've left uni", "The user studies at Leeds uni"),
        ("I dropped out", "The user studies physics at Leeds University"),
        ("I dropped out of uni last month", "The user is a second year student"),
        ("I graduated from Leeds Beckett University last week", "The user attends Leeds Beckett University"),
        ("I finished university last week", "The user is at university"),
        ("We had to rehome the rabbit", "The user has a rabbit"),
        ("We had to rehome the cats", "The user's family has two cats"),
        ("I gave the rabbit away to a friend", "The user has a rabbit called Flopsy"),
        ("We had to give the piano away", "The user has a piano"),
    ],
)
def test_what_was_stopped_left_or_given_away_is_over(said: str, known: str) -> None:
    """Whoever decided it, and in whatever dose or for whatever degree it was."""
    assert ended_by(said, [known]) == (0,)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I'm off the bus", "The user takes the bus to work"),
        ("I'm off to get metformin", "The user takes metformin"),
        ("I'm off metformin for two weeks", "The user takes metformin"),
        ("I'm off sugar this week", "The user takes sugar in their tea"),
        ("I'm off work", "The user works at Acme"),
        ("I'm off that week every year", "The user is on that committee"),
        ("I just came off stage", "The user is on stage every Friday"),
        ("I came off my bike yesterday", "The user takes the bike to work"),
        ("I'm off nights", "The user is on nights"),
        ("I'm off vitamins", "The user takes vitamin D"),
        ("I came off metformin", "The user takes metformin and insulin"),
        ("My mother came off metformin", "The user takes metformin"),
        ("They took my dad off metformin", "The user takes metformin"),
        ("They took me off the waiting list", "The user is on the waiting list"),
        ("If they take me off metformin I'll be glad", "The user takes metformin"),
        ("I want to come off antidepressants", "The user is on antidepressants"),
        ("I left uni early today", "The user studies at Leeds uni"),
        ("I left uni at five", "The user studies at Leeds uni"),
        ("I graduated from school last year", "The user is a student at Leeds University"),
        ("I graduated last year", "The user is a PhD student at Leeds University"),
        ("I graduated last month", "The user studies Spanish at night"),
        ("I graduated last month", "The user is a student nurse"),
        ("I graduated last month", "The user's sister is a student at Leeds University"),
        ("I've left uni", "The user goes to college football games"),
        ("I left Leeds University last month", "The user teaches at Leeds University"),
        ("I nearly gave the rabbit away", "The user has a rabbit"),
        ("I gave the rabbit its food", "The user has a rabbit"),
        ("I gave the rabbit's hutch away", "The user has a rabbit"),
        ("I gave away a bike helmet", "The user has a bike"),
        ("We had to rehome the cat", "The user's family has two cats"),
    ],
)
def test_what_only_sounds_like_it_ends_nothing(said: str, known: str) -> None:
    """For a while, wished, somebody else's, or of another kind."""
    assert ended_by(said, [known]) == ()


@pytest.mark.parametrize(
    "said",
    [
        "I'm off now",
        "I'm off out",
        "I'm off shopping",
        "I'm off there later",
        "I'm off tonight",
        "I'm off camera",
        "I'm off like a shot",
        "I'm off Tom's list",
        "I'm off again",
        "I came off well",
        "I came off as rude",
        "I came off second best",
        "I came off my bike yesterday",
        "They took me off hold",
        "They took me off the waiting list",
        "My doctor took me off guard",
        "I got the house in order",
    ],
)
def test_what_only_goes_away_is_no_end(said: str) -> None:
    """It would be kept as news of the user."""
    assert ending_in(said) is None
