"""A clause without its subject is the speaker's, unless the sentence before it tells of somebody else."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.extraction.sentences.ellipses import is_of_another, with_subject


def told(text: str) -> list[str]:
    return [it.content for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize(
    ("text", "not_told"),
    [
        ("It's a boy! Born on Monday.", "born"),
        ("My wife had the baby. Born on Monday.", "born"),
        ("Got a new puppy! Born in March.", "born"),
        ("We have a daughter. Born in 2019.", "born"),
        ("Our new kitten is cute. Born in July.", "born"),
        ("Born on Monday.", "born"),
        ("My son is 8. Allergic to peanuts.", "allergic"),
        ("My sister is coming. Vegan.", "vegan"),
        ("Oh wait, it's strawberries he can't eat - allergic.", "allergic"),
        ("Sushi is what she won't touch. Vegan.", "vegan"),
        ("She's lovely. Married to Tom.", "married"),
        ("Emma is my niece. Scared of dogs.", "scared"),
        ("My husband is Dutch. Grew up in Utrecht.", "grew"),
        ("My wife is a nurse. Works at St Mary's. Grew up in Hull.", "grew"),
    ],
)
def test_what_goes_on_with_somebody_else_is_not_the_users(text: str, not_told: str) -> None:
    """Law: behind a sentence about somebody else what leaves out its subject is no fact of the user."""
    assert not [it for it in told(text) if not_told in it]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Born in 1985, raised in Hull.", "The user was born in 1985, raised in Hull"),
        ("I'm Sam. Born in 1990.", "The user was born in 1990"),
        ("Name's Jo. Born in 1972.", "The user was born in 1972"),
        ("My birthday is 3 May. Born in 1990.", "The user was born in 1990"),
        ("I have a son. Vegetarian since 2010.", "The user is vegetarian since 2010"),
        ("My name is Ann. Married to Bob.", "The user is married to Bob"),
        ("My job is fine. Based in Leeds.", "The user is based in Leeds"),
        ("My doctor is Dr Kim. Allergic to penicillin.", "The user is allergic to penicillin"),
        ("My dog died. Just adopted a cat.", "The user just adopted a cat"),
        ("My wife is Sue. Work at Acme.", "The user works at Acme"),
    ],
)
def test_what_is_said_of_oneself_stays(text: str, content: str) -> None:
    """Law: behind a sentence about oneself, a thing or nobody it is the user's, as is what only they can say so."""
    assert content in told(text)


def test_the_subject_is_supplied_where_it_is_left_out() -> None:
    """Law: what has a subject stays as it is."""
    assert with_subject("Allergic to nuts") == "I'm allergic to nuts"
    assert with_subject("Tom is allergic to nuts") == "Tom is allergic to nuts"
    assert not is_of_another("Tom is allergic to nuts", "My son is 8.")
    assert not is_of_another("Allergic to nuts", "")
