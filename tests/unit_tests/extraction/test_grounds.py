"""On what grounds something is denied is no part of what is denied, and makes it no hearsay."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.extraction.words.grounds import before_grounds

SCOPE = Scope("u1", session_id="s1")

DENIED = [
    ("I'm coeliac.", "I'm not coeliac after all, it's just IBS, the doctor said."),
    ("I'm allergic to nuts.", "I'm not allergic to nuts after all, the doctor said."),
    ("I'm diabetic.", "I'm not diabetic after all, the doctor got it wrong."),
    ("I am lactose intolerant.", "For the avoidance of doubt, I am not lactose intolerant; I was misdiagnosed."),
    ("I'm vegan.", "I'm not vegan any more, my doctor told me to eat meat."),
    ("My son Tom is allergic to eggs.", "Tom isn't allergic to eggs after all, the hospital retested him."),
    ("I'm pregnant.", "I'm not pregnant after all, the test was wrong"),
]
STANDS = [
    ("I'm diabetic.", "The doctor said my brother isn't diabetic."),
    ("I'm diabetic.", "She says she's not diabetic, the doctor said."),
    ("I'm vegetarian.", "I'm not vegan, I'm vegetarian."),
    ("I'm diabetic.", "I'm not sure I'm diabetic, the doctor got it wrong before."),
]


def said(*texts: str) -> list[str]:
    """Return what is remembered of what a user says, turn by turn."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
    for text in texts:
        memory.background.ingest([HumanMessage(text)], scope=SCOPE)
        memory.jobs.run()
    return [it.content for it in memory.long_term.list(scope=SCOPE)]


@pytest.mark.parametrize(("claim", "denial"), DENIED)
def test_a_denial_on_grounds_ends_what_was_claimed(claim: str, denial: str) -> None:
    """Whoever found it so, and whatever it was instead, what is denied is over."""
    before = said(claim)
    after = said(claim, denial)
    assert before
    assert before[0] not in after
    assert not any("doctor" in it or "test" in it for it in after)


@pytest.mark.parametrize(("claim", "denial"), STANDS)
def test_what_others_deny_or_nobody_does_ends_nothing(claim: str, denial: str) -> None:
    """What is told of somebody else, or is not sure, has no grounds that make it the user's own word."""
    assert set(said(claim)) <= set(said(claim, denial))


@pytest.mark.parametrize(
    "text",
    [
        "I'm coeliac, the doctor said",
        "I don't like the doctor, it was rude",
        "I'm not going to the gym after all, it was raining",
        "I'm not allergic to nuts, I'm allergic to soy",
    ],
)
def test_nothing_is_cut_where_nothing_is_denied_on_grounds(text: str) -> None:
    """Only a denial of a state has grounds behind it."""
    assert before_grounds(text) == len(text)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I'm allergic to nuts, the doctor tells me", "The user is allergic to nuts"),
        ("I have diabetes, my GP says", "The user has diabetes"),
        ("I take 5 mg of ramipril, twice a day, the doctor said so", "The user takes 5 mg of ramipril, twice a day"),
        ("My son is allergic to eggs, the hospital told us", "The user's son is allergic to eggs"),
    ],
)
def test_what_an_expert_vouches_for_is_the_users_own_word(text: str, content: str) -> None:
    """Of how one is, and what one takes, nobody else has to be heard."""
    assert [it.content for it in RuleExtractor().extract([HumanMessage(text)])] == [content]


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to nuts, my brother says",
        "He's allergic to nuts, the doctor tells me",
        "I'm lazy, my doctor says",
        "I'm a genius, the doctor told me",
        "My sister says I'm allergic to nuts, the doctor said",
        "I might have asthma, the doctor says",
        "I need to lose weight, the doctor says",
    ],
)
def test_what_others_say_is_still_hearsay(text: str) -> None:
    """Whoever is no expert, and what no expert is asked for."""
    assert not RuleExtractor().extract([HumanMessage(text)])
