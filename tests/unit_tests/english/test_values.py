"""Of what there is one at a time only another value of the same kind, and of the same time, ends what is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.endings.endings import ended_by
from langchain_agentmem.english.reading.statements import Statement, parse_statement
from langchain_agentmem.english.reading.values import names_value
from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.policies.conflict import judge
from langchain_agentmem.types import Candidate

TWINS: Final = {
    "I live in London.": (
        "I've moved to decaf.",
        "I moved to Linux last year.",
        "I've moved to management.",
        "I've moved to part-time.",
        "I've moved to oat milk.",
        "I've moved to Vodafone.",
        "I've moved to Octopus Energy.",
        "I moved to weekly payments.",
        "I've moved to Windows 11.",
        "I lived in Leeds for years.",
        "I live near the river.",
        "I live in a house.",
        "I live in a small flat.",
        "I live in the city centre.",
        "I live in jeans.",
        "I live in my car at the weekend.",
        "I'm based in Leeds this month.",
    ),
    "I work at Shell.": (
        "I work at night.",
        "I work at home.",
        "I work at my desk all day.",
        "I work as hard as I can.",
        "I work as part of a team.",
    ),
    "I work for Shell.": ("I work for fun.", "I work for a woman called Ann."),
    "I work as an engineer.": ("I work as hard as I can.", "I work as part of a team.", "I work as a DJ on Saturdays."),
    "I'm a nurse.": ("I'm a student at night school.", "I'm a student."),
    "I'm a student.": ("I'm a nurse at weekends.", "I'm a waiter."),
    "My wife is Ana.": ("My wife is Spanish.", "My wife is tired."),
    "My husband is Ben.": ("My husband is Catholic.", "My husband is German.", "My husband is Head of Sales."),
    "My boss is Ana.": ("My boss is Canadian.",),
    "My landlord is Ana.": ("My landlord is Polish.",),
    "My name is Jo.": (
        "My name is on the list.",
        "My name is on the door.",
        "My name is hard to spell.",
        "My name is short for Josephine.",
        "My name is Danish.",
        "My name is all over the papers.",
    ),
    "My job is plumber.": ("My job is hard.",),
    "My hometown is Leeds.": ("My hometown is lovely.",),
    "My favourite food is sushi.": ("My favourite food is expensive.",),
    "My favourite band is Blur.": ("My favourite band is touring.",),
    "My favourite colour is green.": ("My favourite colour is on the wall.",),
    "I'm allergic to cats.": ("I'm not allergic to my cat.",),
    "I'm allergic to bees.": ("I'm not allergic to work, haha.",),
    "I have diabetes.": ("My gestational diabetes went away.",),
    "I speak French.": ("I don't speak French well.",),
    "I play guitar.": ("I don't play guitar well.",),
    "I like spicy food.": ("I don't like very spicy food.",),
    "I drink coffee.": ("I stopped drinking coffee in bed.",),
    "I play golf.": ("I stopped playing golf with Bob.",),
    "I play tennis.": ("I stopped playing tennis for money.",),
    "I eat fish.": ("I stopped eating fish from the canteen.",),
    "I use Python at work.": ("I no longer use Python at home.",),
    "I drink tea with milk.": ("I don't drink tea without milk.",),
    "I love olives.": (
        "I love olives, just not black ones.",
        "I don't like black olives.",
    ),
    "I like dogs.": ("I don't like big dogs.",),
    "I like my steak rare.": ("I don't like well-done steak.",),
    "I like steak rare.": ("I don't like well-done steak.",),
    "I have a car.": ("I sold my old car last year.",),
    "I'm 34.": (
        "I turned 21 in 2012.",
        "I turned 18 in a pub.",
        "I'm 12 in dog years.",
    ),
    "I'm vegetarian.": ("I'm vegan on Mondays.",),
    "I play the piano.": ("I sold my piano.",),
}
"""What only tells more of what is known, or less than its end."""

ENDS: Final = {
    "I live in London.": (
        "I've moved to Leeds.",
        "I moved to Linz last year.",
        "I live in Leeds.",
        "I live in Leeds now.",
        "I'm based in Leeds.",
        "I'm based in Leeds now.",
        "I live in Leeds, in a small flat.",
        "I've moved to Octopus Bay.",
        "I live in a village near York.",
        "I moved to a village in Kent.",
        "i moved to leeds",
        "i live in leeds",
        "I moved to the countryside.",
        "I moved to Milton Keynes for work.",
        "I live in New York City.",
        "I now live near Bristol.",
        "I moved to Windsor.",
        "I've relocated to Berlin.",
    ),
    "I work at Shell.": (
        "I work at BP.",
        "I work for BP.",
        "I work at a bakery.",
        "I work at the hospital.",
        "I work at a school now.",
        "I started working at Siemens.",
    ),
    "I work for Shell.": (
        "I work for BP now.",
        "I work at BP.",
        "I work for the council.",
        "I work for myself now.",
        "I work for a small startup now.",
    ),
    "I work as an engineer.": (
        "I work as a DJ.",
        "I work as a nurse now.",
        "I'm a teacher now.",
    ),
    "I'm a nurse.": (
        "I'm a doctor now.",
        "I'm a teacher.",
        "I'm a student now.",
        "I'm a student at Durham now.",
    ),
    "I'm a student.": ("I'm a nurse now.",),
    "My wife is Ana.": ("My wife is Bea.", "My wife is called Bea.", "My wife is Bea Jones.", "My wife is India."),
    "My boss is Ana.": ("My boss is Bea now.", "My boss is now Peter Smith."),
    "My name is Jo.": (
        "My name is Joe.",
        "My name is Josephine.",
        "My name's actually Danish Khan.",
        "My name is Josephine, not Jo.",
        "my name is joe",
    ),
    "My job is plumber.": ("My job is teacher.", "My job is teacher now."),
    "My hometown is Leeds.": ("My hometown is York.",),
    "My favourite food is sushi.": (
        "My favourite food is pizza.",
        "My favourite food is Thai curry.",
        "My favourite food is Thai.",
        "My favourite food is spicy ramen.",
    ),
    "My favourite band is Blur.": (
        "My favourite band is Oasis.",
        "My favourite band is The National.",
        "My favourite band is oasis",
    ),
    "My favourite colour is green.": (
        "My favourite colour is blue.",
        "My favourite colour is orange.",
        "My favourite colour is dark red.",
        "My favourite colour is light.",
    ),
    "I'm allergic to cats.": (
        "I'm not allergic to cats.",
        "I'm not allergic to cats any more.",
    ),
    "I'm allergic to bees.": ("I'm not allergic to bees.",),
    "I have diabetes.": (
        "My diabetes went away.",
        "I don't have diabetes.",
    ),
    "I speak French.": (
        "I don't speak French.",
        "I no longer speak French.",
        "I don't speak French any more.",
    ),
    "I play guitar.": (
        "I don't play guitar any more.",
        "I stopped playing the guitar.",
    ),
    "I like spicy food.": (
        "I don't like spicy food.",
        "I don't like spicy food any more.",
        "I don't really like spicy food.",
    ),
    "I drink coffee.": (
        "I stopped drinking coffee.",
        "I don't drink coffee.",
        "I stopped drinking coffee last year.",
    ),
    "I play golf.": ("I stopped playing golf.", "I stopped playing golf because of my knee."),
    "I eat fish.": (
        "I stopped eating fish.",
        "I don't eat fish.",
    ),
    "I use Python at work.": ("I no longer use Python at work.", "I no longer use Python."),
    "I drink tea with milk.": (
        "I don't drink tea with milk.",
        "I don't drink tea.",
    ),
    "I love olives.": (
        "I don't like olives.",
        "I hate olives now.",
    ),
    "I like dogs.": ("I don't like dogs.",),
    "I like my steak rare.": ("I don't like my steak rare.",),
    "I have a car.": ("I sold my car last year.", "I sold my car."),
    "I have a piano.": ("I sold my piano.", "I sold the piano."),
    "I'm 34.": (
        "I turned 35.",
        "I turned 35 today.",
        "I turned 35 last week.",
        "I'm 35.",
        "I'm 35 now.",
        "I turned 35 in May.",
    ),
    "I'm vegetarian.": (
        "I'm vegan.",
        "I'm vegan now.",
        "I'm not vegetarian any more.",
    ),
    "My wife Pat is a nurse.": ("My wife Pat is a doctor.",),
    "My brother Tom lives in Leeds.": ("My brother Tom lives in York.",),
    "I'm vegan.": ("I'm not vegan, I'm vegetarian.",),
}
"""What names another value, or denies all that is known."""


def extracted(text: str) -> Sequence[Candidate]:
    return RuleExtractor().extract([HumanMessage(text)])


def read(it: Candidate) -> Statement:
    return parse_statement(
        it.content, subject=it.subject, relation=it.relation, object=it.object, is_correction=it.is_correction
    )


def is_ended(known: str, said: str) -> bool:
    return any(
        judge(read(new), read(old), similarity=None).relation == "conflict" or ended_by(new.content, [old.content])
        for old in extracted(known)
        for new in extracted(said)
    )


@pytest.mark.parametrize(("known", "said"), [(known, said) for known, all_ in TWINS.items() for said in all_])
def test_what_is_of_another_kind_ends_nothing(known: str, said: str) -> None:
    """How, when, where, with whom and of which one is no other value, and no denial of the whole."""
    assert not is_ended(known, said)


@pytest.mark.parametrize(("known", "said"), [(known, said) for known, all_ in ENDS.items() for said in all_])
def test_another_value_of_the_same_kind_ends_what_is_known(known: str, said: str) -> None:
    """A town by a town, a firm by a firm, a name by a name, and what is denied as widely as it was told."""
    assert is_ended(known, said)


@pytest.mark.parametrize(
    "said",
    [
        "My name is on the list.",
        "My name is on the door.",
        "My name is hard to spell.",
        "My name is short for Josephine.",
        "My name is Danish.",
        "My name is all over the papers.",
    ],
)
def test_what_is_said_of_a_name_is_no_name(said: str) -> None:
    """Nobody is called "list" because their name is on it."""
    assert [it for it in extracted(said) if it.relation == "name" or "name is" in it.content] == []


@pytest.mark.parametrize(
    ("relation", "value", "text"),
    [
        ("lives_in", "Vodafone", "The user has moved to Vodafone"),
        ("partner", "Spanish", "The user's wife is Spanish"),
        ("works_at", "night", "The user works at night"),
    ],
)
def test_what_is_no_value_is_named_as_none(relation: str, value: str, text: str) -> None:
    """Where somebody lives is asked of what tells it."""
    assert not names_value(relation, value, text)
