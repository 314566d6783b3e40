"""Sentences that look like a lasting statement and are none, each beside one that is."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor


def told(text: str) -> list[tuple[str, str]]:
    return [(it.kind, it.content) for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize(
    "text",
    [
        "I dreamt Mum was alive and lived in Leeds",
        "i dreamt the cat had died and we lived in a castle",
        "I dreamed the house was on fire and I lived in Rome",
        "I once dreamt Keith was a cat and had kittens",
        "I dreamt about mum again, she lived in Cork",
        "If he gets worse I'll have to put him in a home",
        "If the rent goes up I'll have to move out",
        "If it rains I must bring the washing in",
        "If she cries I have to pick her up",
        "my nans coming over in aug",
        "My aunts coming over on Sunday.",
        "Friends flying over from Cork",
        "hiking over the moors",
        "nan popping over later",
        "My rent passed to 750",
        "The garden is finished for the year",
        "The house passed to my brother",
        "The fridge man fixed the fridge",
        "I'm 41 in May",
        "im 16 tmrw",
        "Speak to me",
        "Speak to you tomorrow",
        "Talk to me like a lot of people do",
        "speak normally",
        "test moved to 3 May branch",
        "demo moved to Monday standup",
        "We are 10 people for dinner on Friday",
    ],
)
def test_what_does_not_last_is_not_kept(text: str) -> None:
    """Law: a dream, a case that may come, a visit, an arrangement and an age to come are no facts and no rules."""
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "kind", "content"),
    [
        ("I dream of living in Rome", "goal", "The user dreams of living in Rome"),
        ("If my sugar goes under 4 I must eat something", "constraint",
         "If the user's sugar goes under 4 they must eat something"),
        ("If a customer complains I have to tell my manager", "constraint",
         "If a customer complains the user has to tell their manager"),
        ("tea over coffee", "preference", "Tea over coffee"),
        ("Running over swimming", "preference", "Running over swimming"),
        ("email over phone for work", "preference", "Email over phone for work"),
        ("The hearing is fixed for 9 March", "fact", "The hearing is fixed for 9 March"),
        ("The migration fixed the bug", "outcome", "The migration fixed the bug"),
        ("The leak was fixed for good", "outcome", "The leak was fixed for good"),
        ("I'm 41 next Tuesday", "fact", "The user turns 41 next Tuesday"),
        ("I'm 41 now", "fact", "The user is 41 now"),
        ("I'm 22 in a class of teenagers", "fact", "The user is 22 in a class of teenagers"),
        ("I'm not working at Costa anymore.", "fact", "The user is not working at Costa anymore"),
        ("I am not working in the pizzeria anymore.", "fact", "The user is not working in the pizzeria anymore"),
        ("I'm not working on Fridays", "constraint", "The user is not working on Fridays"),
        ("I'm not working in the evenings anymore", "constraint", "The user is not working in the evenings anymore"),
        ("I'm not working at Christmas", "constraint", "The user is not working at Christmas"),
        ("Speak to me slowly", "preference", "Speak to the user slowly"),
        ("Speak to me in simple English", "preference", "Speak to the user in simple English"),
        ("Talk to me like I'm five", "preference", "Talk to the user like they are five"),
        ("talk to me normally", "preference", "Talk to the user normally"),
        ("speak to me in French", "constraint", "Speak to the user in French"),
        ("Speak French with my kids", "fact", "The user speaks French with their kids"),
        ("exam got moved to 3 May because of snow", "fact", "The exam got moved to 3 May because of snow"),
        ("meeting moved to Friday room B", "fact", "The meeting moved to Friday room B"),
        ("We're five for dinner every night", "fact", "The user's family is five for dinner every night"),
        ("im will", "fact", "The user's name is Will"),
        ("im rose from Hull", "fact", "The user's name is Rose"),
        ("I'm frank", "fact", "The user is frank"),
        ("speak to my mum every day", "fact", "The user speaks to their mum every day"),
    ],
)  # fmt: skip
def test_what_looks_alike_and_lasts_is_kept(text: str, kind: str, content: str) -> None:
    """Law: what is ruled out for one sense of a word stays in its other sense."""
    assert told(text) == [(kind, content)]


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("We've got a stairlift", "family"),
        ("we've just bought a new settee", "family"),
        ("We're expecting.", "family"),
        ("we moved to whitby when i was six", "family"),
        ("We sold the car", "family"),
        ("We sold out of Coke", "team"),
        ("We're expecting a delivery", "group"),
        ("We have a big kitchen at work", "team"),
        ("We build ovens for customers", "team"),
        ("We switched to Go when I was six months in", "team"),
    ],
)
def test_a_household_is_no_team(text: str, group: str) -> None:
    """Law: who owns what stands in a home, or did something when the user was a child, is their family."""
    [(_, content)] = told(text)
    assert content.startswith(f"The user's {group} ")
