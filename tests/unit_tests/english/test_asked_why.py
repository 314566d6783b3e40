"""A reason beside a request, with a comma, in one breath, or before it; and words that say nothing."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.requests.forget_asked import ForgetAsked, forget_asked
from langchain_agentmem.english.requests.not_keeping import not_to_keep
from langchain_agentmem.extraction import RuleExtractor


@pytest.mark.parametrize(
    "text",
    [
        "please don't save this, nobody knows yet",
        "please don't save this because nobody knows yet",
        "please don't save this, not even my husband knows",
        "please don't save this, we haven't told anyone",
        "please don't save this, my mother must not see it",
        "don't save that, I haven't told my boss yet",
        "please don't save this, I feel ashamed",
        "Don't save that, I was drunk",
        "please forget that, nobody knows yet",
        "forget i said that omg",
        "forget what I said haha",
        "don't save that ok?",
    ],
)
def test_what_tells_only_that_nobody_knows_or_how_one_feels_is_a_reason(text: str) -> None:
    """The request is for what was said before it; so it is beside words that say nothing."""
    asked = forget_asked(text)
    assert asked is not None
    assert (asked.what, asked.last) == (None, 1)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("don't save this, nobody knows that I smoke", "nobody knows that I smoke"),
        ("don't save this, I haven't told my boss that I am leaving", "I haven't told my boss that I am leaving"),
        ("don't save this, I have cancer", "I have cancer"),
        ("don't save this, my mother drinks", "my mother drinks"),
        ("don't save that, the file has a virus in it", "the file has a virus in it"),
        ("don't save this: my wife doesn't know", "my wife doesn't know"),
    ],
)
def test_what_may_be_the_secret_itself_is_no_reason(text: str, what: str) -> None:
    """What was said before it stays."""
    assert [it.what for it in not_to_keep(text)] == [what]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("I'm pregnant. Nobody knows, so don't save that", "I'm pregnant. Nobody knows, so"),
        ("I'm pregnant. Nobody knows that I smoke, so don't save that", "Nobody knows that I smoke, so"),
    ],
)
def test_before_an_order_a_secret_that_is_not_told_stands_for_the_sentence_before(text: str, what: str) -> None:
    """Only where it does not say what is secret."""
    [found] = not_to_keep(text)
    assert text[found.start : found.end].strip().startswith(what)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("pls forget about amir he has a gf now", "amir"),
        ("Please forget my dentist she retired", "my dentist"),
        ("forget my address it's wrong", "my address"),
        ("forget the man she married", "the man she married"),
        ("forget the school he went to", "the school he went to"),
        ("forget how he died", "how he died"),
        ("forget about Anna he said", "Anna he said"),
        ("forget that he has diabetes", "that he has diabetes"),
        ("forget my dog and she is sad", "my dog and she is sad"),
        ("forget my dentist she has retired now", "my dentist"),
        ("forget my dentist she has retired", "my dentist"),
        ("forget Tom he has left me", "Tom"),
        ("forget Tom he's lying", "Tom"),
        ("forget my ex he doesn't matter", "my ex"),
        ("forget my dog he is dead", "my dog"),
    ],
)
def test_a_reason_in_one_breath_is_no_part_of_what_is_named(text: str, what: str) -> None:
    """Behind a name or what one has; behind "the" it may tell which one is meant."""
    assert forget_asked(text) == ForgetAsked(what=what)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("forget my son he is allergic to nuts", "that my son is allergic to nuts"),
        ("forget my sister she's a nurse please", "that my sister is a nurse"),
        ("Please forget Tom he lives in Leeds", "that Tom lives in Leeds"),
        ("forget my neighbours they're loud", "that my neighbours are loud"),
        ("forget my son he can't eat nuts", "that my son can't eat nuts"),
        ("forget my son he has red hair", "that my son has red hair"),
        ("forget Tom he's got cancer", "that Tom has got cancer"),
    ],
)
def test_what_holds_of_somebody_is_what_is_to_be_forgotten_of_them(text: str, what: str) -> None:
    """In one breath with whom it holds of, it is no reason to forget all that is known of them."""
    assert forget_asked(text) == ForgetAsked(what=what)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("forget my ex he is a jerk", "my ex"),
        ("forget about my ex he's such a jerk", "my ex"),
        ("forget my boss she is awful", "my boss"),
        ("forget about my boss, she is awful", "my boss"),
        ("forget my ex she's a total liar", "my ex"),
        ("forget Tom he is an idiot", "Tom"),
        ("forget Tom he's really annoying lol", "Tom"),
        ("Please forget my dad he was mean", "my dad"),
        ("forget my dad he is so mean to me", "my dad"),
        ("forget my sister she's the worst", "my sister"),
        ("forget my neighbours they're idiots", "my neighbours"),
        ("forget my neighbours they are so rude and loud", "my neighbours"),
        ("forget my flatmate he is a piece of work", "my flatmate"),
        ("forget my job it's boring", "my job"),
        ("forget my ex he is a big stupid pig", "my ex"),
        ("forget my son he is a pain specialist", "that my son is a pain specialist"),
        ("forget my son he is a weird fiction writer", "that my son is a weird fiction writer"),
        ("forget my sister she is a monster truck driver", "that my sister is a monster truck driver"),
        ("forget that my ex is a jerk", "that my ex is a jerk"),
    ],
)
def test_what_is_thought_of_somebody_is_a_reason_to_forget_them(text: str, what: str) -> None:
    """It tells nothing of them that is kept: with a comma or without, it is they who are named."""
    assert forget_asked(text) == ForgetAsked(what=what)


@pytest.mark.parametrize("text", ["forget my ex he is a jerk", "forget about my boss, she is awful"])
def test_what_is_thought_of_somebody_is_learned_from_no_request(text: str) -> None:
    """Who asks to forget them tells nothing of them."""
    assert RuleExtractor().extract([HumanMessage(text)]) == []
