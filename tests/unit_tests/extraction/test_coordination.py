"""One sentence that tells several things becomes several facts; what belongs together stays one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope, create_memory_graph
from langchain_agentmem.english.endings.endings import PASSING
from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.types import Candidate

ALICE = Scope("alice", session_id="s")
SKIPPED = " \u2026 "
THINGS = (
    "a dog|two cats|a parrot named Rio|a son, Paul|a daughter who is 4|a boat|an old car|three kids|a guitar".split("|")
)
CLAUSES = (
    "I live in Rome",
    "I work at Fiat",
    "I speak Italian",
    "I have two dogs",
    "I like jazz",
    "I hate country music",
    "my brother Ben is a pilot",
    "my sister Nora is a doctor",
    "I own a boat",
)
LITTLE = frozenset("and also the user i".split())


def told(text: str) -> list[Candidate]:
    return list(RuleExtractor().extract([HumanMessage(text)]))


def contents(text: str) -> list[str]:
    return [it.content for it in told(text) if PASSING not in it.tags]


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold())) - LITTLE


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "I have a cat named Minka and a son, Paul, who is 6.",
            ["The user has a cat named Minka", "The user has a son, Paul, who is 6"],
        ),
        (
            "I live in Leeds with my wife Clara and our two kids, Tom and Mia.",
            ["The user lives in Leeds with their wife Clara and their two kids, Tom and Mia"],
        ),
        ("I live with my wife Clara and our dog Rex.", ["The user lives with their wife Clara and their dog Rex"]),
        ("I work at Fiat and my dog Rex is ill.", ["The user works at Fiat", "The user's dog Rex is ill"]),
        ("I have two dogs and a parrot.", ["The user has two dogs", "The user has a parrot"]),
        (
            "I have a brother, a sister and a dog.",
            ["The user has a brother", "The user has a sister", "The user has a dog"],
        ),
        (
            "I have a daughter who is 4 and a son who is 7.",
            ["The user has a daughter who is 4", "The user has a son who is 7"],
        ),
        ("I have a wife and two kids, Tom and Ann.", ["The user has a wife", "The user has two kids, Tom and Ann"]),
        (
            "I have a house in Rome and a flat in Paris.",
            ["The user has a house in Rome", "The user has a flat in Paris"],
        ),
        ("I have asthma and a dog.", ["The user has asthma", "The user has a dog"]),
        ("We have a dog and a cat.", ["The user's family has a dog", "The user's family has a cat"]),
        ("I play the violin and the piano.", ["The user plays the violin", "The user plays the piano"]),
        ("I love my wife and my kids.", ["The user loves their wife", "The user loves their kids"]),
        ("I live in Rome and work at Fiat.", ["The user lives in Rome", "The user works at Fiat"]),
        ("I play the violin and speak Italian.", ["The user plays the violin", "The user speaks Italian"]),
        (
            "I'm allergic to peanuts and penicillin.",
            ["The user is allergic to peanuts", "The user is allergic to penicillin"],
        ),
        (
            "My son is allergic to nuts and eggs.",
            ["The user's son is allergic to nuts", "The user's son is allergic to eggs"],
        ),
        ("I speak French and German.", ["The user speaks French", "The user speaks German"]),
        ("I like tea and hiking.", ["The user likes tea", "The user likes hiking"]),
        (
            "I hate cilantro, olives and anchovies.",
            ["The user hates cilantro", "The user hates olives", "The user hates anchovies"],
        ),
        ("I am vegetarian, 34 and married.", ["The user is vegetarian", "The user is 34", "The user is married"]),
        ("I'm a nurse, vegetarian and 34.", ["The user is a nurse", "The user is vegetarian", "The user is 34"]),
        ("I moved to Kiel and bought a house.", ["The user moved to Kiel", "The user bought a house"]),
        ("I was born in Rome and grew up in Paris.", ["The user was born in Rome", "The user grew up in Paris"]),
        (
            "My sister Nora is a doctor and my brother Ben is a pilot.",
            ["The user's sister is Nora", "Nora is a doctor", "The user's brother is Ben", "Ben is a pilot"],
        ),
    ],
)
def test_what_is_said_of_several_is_told_of_each(text: str, facts: list[str]) -> None:
    """Each fact stands alone, with the words that lead to all of them."""
    assert contents(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "I like bread and butter.",
        "I like fish and chips.",
        "I like gin and tonic.",
        "I like mac and cheese.",
        "I like rock and roll.",
        "I hate drinking and driving.",
        "I like black and white photos.",
        "I like Simon and Garfunkel.",
        "I like Crosby, Stills and Nash.",
        "I like Ben and Jerry's.",
        "I like red, white and rosé wine.",
        "I love sex, drugs and rock and roll.",
        "I love to sing and dance.",
        "I work in R&D.",
        "I work at Johnson and Johnson.",
        "I work between 5 and 6.",
        "I have salt and pepper shakers.",
        "I have a black and white cat and a dog.",
        "I have a photo of a cat and a dog.",
        "I have a house with a garden and a pool.",
        "I have a son who is a doctor and a pilot.",
        "I have a brother, a doctor, and a sister.",
        "I have a 4 year old and a 6 year old.",
        "I have high and low blood pressure.",
        "I have a cat or a dog.",
        "I have neither a cat nor a dog.",
        "I don't have a cat and a dog.",
        "I don't like tea and hiking.",
        "I no longer have a cat and a dog.",
        "I'm allergic to cat and dog hair.",
        "I'm allergic to nuts and other seeds.",
        "I speak English and Spanish fluently.",
        "I was born and raised in Rome.",
        "I bought a used and restored car.",
        "When I travel I like tea and hiking.",
        "If it rains and I have a day off, I read.",
        "We have two kids and a printer.",
    ],
)
def test_what_belongs_together_or_may_is_one_fact(text: str) -> None:
    """A pair, a name, a denial, a condition, what reaches over both: none is taken apart."""
    [fact] = told(text)
    assert fact.content.count(" and ") == text.count(" and ")


@pytest.mark.parametrize(
    "text",
    [
        "Do I have a cat and a dog?",
        "Maybe I have a cat and a dog.",
        "I might get a cat and a dog.",
        "My friend said I have a cat and a dog.",
        'She said: "I have a cat and a dog."',
        "If I had a cat and a dog, I'd be happy.",
        "I used to have a cat and a dog.",
        "She and Tom are married.",
        "My kids are between 5 and 6.",
        "My sister and I went to Rome.",
        "I want a car with four doors and a big trunk.",
        "I have a dog and the cat died yesterday.",
        "My sister is a good cook.",
    ],
)
def test_what_is_not_stated_is_not_stated_in_parts(text: str) -> None:
    """Taking apart makes no fact of what was none."""
    assert contents(text) == []


@given(st.lists(st.sampled_from(THINGS), min_size=2, max_size=5, unique=True), st.sampled_from(["I have", "I own"]))
def test_no_word_is_lost_or_invented(things: list[str], opening: str) -> None:
    """Together the parts say what was said, each with the beginning they share."""
    text = f"{opening} {', '.join(things[:-1])} and {things[-1]}."
    parts = told(text)
    verbs = {"have", "has", "own", "owns"}
    assert words(" ".join(it.content for it in parts)) - verbs == words(text) - verbs


@given(st.lists(st.sampled_from(THINGS), min_size=2, max_size=5, unique=True))
def test_the_evidence_of_each_is_in_the_message_and_tells_nothing_of_the_others(things: list[str]) -> None:
    """What is erased of one is not read in what was kept of another."""
    text = f"I have {', '.join(things[:-1])} and {things[-1]}."
    parts = told(text)
    for thing, part in zip(things, parts, strict=True):
        lead, _, own = (part.provenance.evidence or "").rpartition(SKIPPED)
        assert lead + own in ({f"I have {thing}"} if not lead else {f"I have{thing}"})
        assert own in text
        assert text.startswith(lead)


@given(st.lists(st.sampled_from(CLAUSES), min_size=2, max_size=2, unique=True))
def test_two_clauses_say_what_they_say_apart(said: list[str]) -> None:
    """What "A and B" tells is what A tells and what B tells."""
    one, other = said
    assert contents(f"{one} and {other}.") == contents(f"{one}.") + contents(f"{other}.")


def test_each_part_is_as_sure_as_the_whole_and_has_its_own_evidence() -> None:
    """A part is a fact like any other."""
    cat, son = told("I have a cat named Minka and a son, Paul, who is 6.")
    assert (cat.confidence, son.confidence) == (0.9, 0.9)
    assert cat.provenance.evidence == "I have a cat named Minka"
    assert son.provenance.evidence == "I have \u2026 a son, Paul, who is 6"


@pytest.mark.parametrize(
    ("said", "then", "kept"),
    [
        (
            "I live in Rome and work at Fiat.",
            "I work at Ferrari now.",
            {"The user lives in Rome", "The user works at Ferrari now"},
        ),
        (
            "I have two dogs and a parrot.",
            "Actually I have three dogs.",
            {"The user has three dogs", "The user has a parrot"},
        ),
        (
            "I like tea and hiking.",
            "I don't like tea any more.",
            {"The user likes hiking", "The user does not like tea any more"},
        ),
    ],
)
def test_what_is_put_right_of_one_leaves_the_other(said: str, then: str, kept: set[str]) -> None:
    """A correction replaces the part that it is about."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for text in (said, then):
            memory.background.ingest([HumanMessage(text)], scope=ALICE)
            memory.jobs.run()
        assert {it.content for it in memory.long_term.list(scope=ALICE)} == kept


@pytest.mark.parametrize(
    ("asked", "kept"),
    [("Forget my cat.", "The user has a son, Paul, who is 6"), ("Forget my son.", "The user has a cat named Minka")],
)
def test_a_request_to_forget_takes_one_of_them_and_the_turn_that_said_both(asked: str, kept: str) -> None:
    """What was told in the same sentence stays known; the turn is one text, and goes as a whole."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        model = FakeListChatModel(responses=["Noted."])
        graph = create_memory_graph(model, tools=[], memory=memory, checkpointer=memory.checkpointer)
        for text in ("I have a cat named Minka and a son, Paul, who is 6.", asked):
            graph.invoke({"messages": [("human", text)]}, {"configurable": {"user_id": "alice", "thread_id": "s"}})
            memory.jobs.run()
        [left] = memory.long_term.list(scope=ALICE)
        assert left.content == kept
        assert not [it for it in memory.episodes.list(scope=ALICE) if "Minka" in it.text]
