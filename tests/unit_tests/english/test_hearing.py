"""Turns are weighed by what they say themselves, whatever stands around them."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem import Hit, Memory, Scope
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.requests.hearing import ECHO, ECHO_SHARE, Question, hear
from langchain_agentmem.policies.rank import Weights
from langchain_agentmem.types import Episode

ASKED = "Which language should I use?"
NOW = datetime(2026, 4, 22, tzinfo=UTC)
LEAST = Weights().min_share
GIVEN: Any = {"confidence": 0.9, "importance": 0.5, "source": "explicit"}


def _turn(text: str, reply: str = "") -> Episode:
    return Episode(id="e", scope=Scope("ana", session_id="s"), at=NOW, place=1, speaker="user", text=text, reply=reply)


def _heard(query: str, *turns: tuple[str, str, float]) -> tuple[dict[str, float], dict[str, str]]:
    """Return scores of what was heard and rules of what was not, by what was said."""
    episodes = {f"e{place}": _turn(text, reply) for place, (text, reply, _) in enumerate(turns)}
    hits = [
        Hit(memory=dataclasses.replace(it.as_memory(it.content), id=id_), score=score, parts={"relevance": score})
        for (id_, it), (*_, score) in zip(episodes.items(), turns, strict=True)
    ]
    heard, unheard = hear(Question(query, tokenize(query)), hits, episodes, LEAST)
    said = {id_: it.text for id_, it in episodes.items()}
    return {said[it.memory.id]: it.score for it in heard}, {said[it.memory.id]: rule for it, rule in unheard}


def test_a_turn_that_asks_the_same_counts_half() -> None:
    """Its words are the question's own; what was answered in the question's words counts in full."""
    scores, _ = _heard(ASKED, (ASKED, "Python.", 0.8), ("Which language is best?", "No language is best.", 0.8))
    assert scores == {ASKED: 0.8 * ECHO_SHARE, "Which language is best?": 0.8}


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("I need a language. Which one should I use?", "Python."),  # it tells something
        (ASKED, ""),  # the next turn may answer it
        ("When do we meet?", "At nine."),  # it asks for something else
    ],
)
def test_any_other_turn_keeps_its_score(text: str, reply: str) -> None:
    """Only one that does nothing but ask for the same has none of its own."""
    assert _heard(ASKED, (text, reply, 0.8)) == ({text: 0.8}, {})


def test_of_an_echo_the_parts_say_so() -> None:
    """A receipt shows why a turn that fits so well is not first."""
    turn = _turn(ASKED, "Python.")
    hit = Hit(memory=turn.as_memory(turn.content), score=0.8, parts={"relevance": 0.8})
    [heard], _ = hear(Question(ASKED, tokenize(ASKED)), [hit], {hit.memory.id: turn}, LEAST)
    assert heard.parts == {"relevance": 0.8, ECHO: ECHO_SHARE}


def test_a_greeting_is_not_carried_by_what_stands_around_it() -> None:
    """However well its neighbours fit; a reply that has a word of the question is heard."""
    heard, unheard = _heard(
        "When is my flight?", ("Hello!", "Hi Ana.", 0.9), ("Thanks", "Your flight is at nine.", 0.5)
    )
    assert (heard, unheard) == ({"Thanks": 0.5}, {"Hello!": "greeting"})


def test_whoever_asks_for_a_greeting_finds_it() -> None:
    """The words of a greeting may be what is asked for."""
    assert _heard("Did I say hello to Ben?", ("Hello!", "Hi.", 0.9)) == ({"Hello!": 0.9}, {})


def test_what_lies_far_below_the_best_and_has_no_word_of_the_question_is_no_answer() -> None:
    """A word of the question, in any form, is enough to stay; so is to be nearly as good as an average turn."""
    turns = [("I bought a bike", "", 0.9), ("My sister buys shoes", "", 0.01), ("I was ill", "", 0.01)]
    heard, unheard = _heard("What did I buy?", *turns, ("It is red", "", 0.9 * LEAST))
    assert heard == {"I bought a bike": 0.9, "My sister buys shoes": 0.01, "It is red": 0.9 * LEAST}
    assert unheard == {"I was ill": "share"}


def test_a_question_of_no_words_drops_nothing_for_lack_of_them() -> None:
    """Whatever Ben said may be meant by "What did Ben say?"."""
    turns = {"e": _turn("Hello!"), "f": _turn("I was ill")}
    hits = [Hit(memory=dataclasses.replace(it.as_memory(it.content), id=id_), score=1.0) for id_, it in turns.items()]
    assert hear(Question("What did Ben say?", ()), hits, turns, LEAST) == (hits, [])


@given(st.lists(st.tuples(st.sampled_from([ASKED, "Hello", "Python it is", "I was ill"]), st.floats(0, 1)), max_size=6))
def test_every_hit_is_heard_or_dropped_by_a_rule_and_none_rises(said: list[tuple[str, float]]) -> None:
    """Nothing is lost on the way, and memories that are no turns stay as they are."""
    turns = {f"e{place}": _turn(text, "Python.") for place, (text, _) in enumerate(said)}
    hits = [
        Hit(memory=dataclasses.replace(_turn(text).as_memory(text), id=f"e{place}"), score=score)
        for place, (text, score) in enumerate(said)
    ]
    fact = Hit(memory=Memory(id="m", scope=Scope("ana"), kind="fact", content="x", created_at=NOW, **GIVEN), score=0.0)
    heard, unheard = hear(Question(ASKED, tokenize(ASKED)), [*hits, fact], turns, LEAST)
    assert sorted(it.memory.id for it in (*heard, *(hit for hit, _ in unheard))) == sorted([*turns, "m"])
    assert fact in heard
    before = {it.memory.id: it.score for it in hits}
    assert all(it.score <= before.get(it.memory.id, 0.0) for it in heard)
