"""The same meaning in other registers: clipped, polite, lower-case, coordinated; and talk that only sounds like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.endings.endings import PASSING
from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.types import Candidate

rules = RuleExtractor()


def said(text: str, *, name: str | None = "Alice") -> list[Candidate]:
    return rules.extract([HumanMessage(text)], user_name=name)


def kinds(text: str) -> list[str]:
    return ["decision" if "decision" in found.tags else found.kind for found in said(text) if PASSING not in found.tags]


# -------------------------------------------------------------------------------------------------------------- names
@pytest.mark.parametrize("text", ["Hi, I'm Alice", "my name is Alice", "call me alice", "This is Alice speaking."])
def test_a_name_already_known_is_not_told_again(text: str) -> None:
    """Who introduces themselves under the name the application knows says nothing new."""
    assert said(text) == []


@pytest.mark.parametrize("text", ["Hi, I'm Dana", "My name is Dana.", "Call me Dana"])
def test_a_name_that_was_unknown_is_told_as_a_name(text: str) -> None:
    """Without a known name an introduction gives one fact, worded as the name it is."""
    assert [(it.content, it.relation, it.object) for it in said(text, name=None)] == [
        ("The user's name is Dana", "name", "Dana")
    ]


# ---------------------------------------------------------------------------------------------------------- registers
@pytest.mark.parametrize(
    ("clipped", "plain"),
    [
        ("gonna learn Dutch by spring", "I'm going to learn Dutch by spring"),
        ("wanna run a marathon this year", "I want to run a marathon this year"),
        ("can't stand fennel lol", "I can't stand fennel"),
        ("rather have the window seat", "I'd rather have the window seat"),
        ("no longer vegan", "I'm no longer vegan"),
        ("vim user here", "I'm a vim user here"),
        ("Our cache's in Redis", "Our cache is in Redis"),
        ("oh and i cant do stairs tbh", "I can't do stairs"),
    ],
)
def test_a_clipped_sentence_says_what_the_whole_one_says(clipped: str, plain: str) -> None:
    """Left-out subjects, slang and small words around a statement do not change what is kept."""
    assert [it.content for it in said(clipped)] == [it.content for it in said(plain)] != []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I'd appreciate it if you kept the tone light", "Please keep the tone light"),
        ("It'd be great if you could answer in Polish from now on", "Please answer in Polish from now on"),
        ("I'd rather you didn't use emojis", "Please do not use emojis"),
        ("Could you round numbers from now on?", "Please round numbers from now on"),
    ],
)
def test_a_polite_frame_holds_an_order(text: str, content: str) -> None:
    """A standing wish in a polite frame is kept as the order it is."""
    assert [it.content for it in said(text)] == [content]


def test_a_polite_frame_around_an_errand_holds_nothing() -> None:
    """Politeness makes no standing order of what is wanted once."""
    assert said("It'd be great if you could check my order.") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Ghent and work as a baker", ["fact", "fact"]),
        ("I'm 52, a plumber and married", ["fact", "fact", "fact"]),
        ("I used to live in Rome, now I'm in Turin", ["fact"]),
        ("I'm vegan, so skip the cheese recipes", ["fact", "constraint"]),
        ("I'm allergic to shellfish, so never suggest shrimp", ["fact", "constraint"]),
        ("I'm allergic to seafood so never suggest it", ["fact"]),
        ("Don't ever suggest seafood", ["constraint"]),
        ("My husband and I are saving for a boat", ["goal"]),
    ],
)
def test_each_part_of_a_coordination_is_read(text: str, expected: list[str]) -> None:
    """Clauses joined by a comma, "and", "so" or "now" are statements of their own; a pair of people is one subject."""
    assert kinds(text) == expected


def test_an_order_keeps_its_case() -> None:
    """What an order is bound to stays with it."""
    assert [it.content for it in said("Whenever you cite a paper, give me the link.")] == [
        "Whenever the assistant cites a paper, give Alice the link"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "no force pushes, ever",
        "max 90 euros per night",
        "must be dog friendly",
        "Hands off the release branch",
        "Any discount over 10% requires my approval",
        "Data stays in Norway, no exceptions",
        "Always deploy to staging first.",
        "My manager has to sign off on refunds",
    ],
)
def test_a_rule_of_the_work_is_a_constraint(text: str) -> None:
    """Bans, bounds and approvals bind, also where they are clipped."""
    assert kinds(text) == ["constraint"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("changed my mind, go with the red one from Trek", "decision"),
        ("the board approved the merger", "decision"),
        ("I took the job in Aarhus", "decision"),
        ("One of my goals is writing daily", "goal"),
        ("We plan on opening a second shop", "goal"),
        ("Trains are easier for me than planes", "preference"),
        ("anything but country music", "preference"),
        ("reach me on Signal", "preference"),
        ("I've stopped drinking alcohol", "fact"),
    ],
)
def test_other_ways_of_saying_it(text: str, kind: str) -> None:
    """A kind is told by what is meant, not by one verb."""
    assert kinds(text) == [kind]


# --------------------------------------------------------------------------------------------------------- never taken
@pytest.mark.parametrize(
    "text",
    [
        "Never give up!",
        "You should never give up on your dreams",
        "Always be yourself",
        "Don't let anyone stop you from dreaming",
        "Don't be afraid to ask for help",
        "Never stop believing in yourself",
        "I'll always be here for you",
        "We always look forward to our trips",
        "Always supporting each other",
        "Family must come first",
        "Always admired musicians",
        "Keep things flowing",
        "Barcelona is a must-visit city",
    ],
)
def test_a_motto_binds_nobody(text: str) -> None:
    """Encouragement and proverbs sound like orders and are none."""
    assert "constraint" not in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "It must have been special for you",
        "That must be so exciting!",
        "The game must've been amazing",
        "You must see this place",
        "I must say I'm impressed",
        "It has to be perfect for her",
        "x must be greater than 3 for the proof",
        "The function must return an integer",
    ],
)
def test_a_must_that_infers_is_no_rule(text: str) -> None:
    """A surmise, an invitation and an exercise set no rule."""
    assert said(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I'm checking out the new place",
        "John is researching policies for the centre",
        "I'm working on the slides",
        "I'm so lucky to have such friends",
        "I'm really excited and determined",
        "I have a meeting at 3",
        "We can make a difference together",
        "I've met some amazing people",
        "I'm going to keep pushing",
    ],
)
def test_what_passes_is_no_fact(text: str) -> None:
    """What one is doing, feeling or resolving at this moment is not kept."""
    assert said(text) == []


@pytest.mark.parametrize(
    "text",
    ["I love your painting", "I love that you chose pottery", "I love having them around", "I enjoy it after work"],
)
def test_what_points_outside_the_sentence_is_left_out(text: str) -> None:
    """A memory about the other speaker, or about something named elsewhere, does not stand alone."""
    assert said(text) == []


# ---------------------------------------------------------------------------------------------------------------- laws
@given(
    lead=st.sampled_from(["", "hey, ", "oh and ", "btw ", "just so you know, ", "ok so "]),
    statement=st.sampled_from(
        ["I live in Oslo", "I prefer tea", "I work as a baker", "my birthday is on the 3rd of May"]
    ),
    tail=st.sampled_from(["", " lol", ", thanks", " btw", " :)", "!"]),
)
def test_small_words_around_a_statement_change_nothing(lead: str, statement: str, tail: str) -> None:
    """Whatever register a statement comes in, the memory is the same."""
    assert [it.content for it in said(f"{lead}{statement}{tail}")] == [it.content for it in said(statement)] != []


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("not allergic to nuts after all, the doctor checked", 1),
        ("I'm not allergic to nuts after all, the doctor checked.", 1),
        ("I'm a nurse, the doctor checked", 1),
        ("I'm vegan, a doctor said so", 0),
        ("I'm 34, a nurse at Acme", 2),
        ("I'm married, a nurse trained in Leeds", 2),
        ("I'm vegan, a software engineer and a father", 3),
    ],
)
def test_who_does_something_is_nothing_that_the_user_is(text: str, contents: int) -> None:
    """A clause with a subject of its own is no second thing the user is; an occupation is."""
    told = [it.content for it in said(text, name=None)]
    assert len(told) == contents
    assert not any(it.startswith(("The user is the", "The user is a doctor")) for it in told)
