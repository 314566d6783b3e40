"""Plain facts inside a frame: "as I said", "since last year", a breed behind a name, a relative with their name."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.extraction import RuleExtractor

ANA = Scope("ana")


def said(text: str) -> list[str]:
    return [it.content for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("As I said, I work nights.", ["The user works nights"]),
        ("As I said before, I work nights.", ["The user works nights"]),
        ("As I've already told you, I'm vegan.", ["The user is vegan"]),
        ("Like I told you, I work nights.", ["The user works nights"]),
        ("Like I mentioned earlier, I live in Rome.", ["The user lives in Rome"]),
        ("As mentioned, I work nights.", ["The user works nights"]),
        ("Like I said, never call me before nine.", ["Never call the user before nine"]),
        ("As I said, my brother Max studies law.", ["The user's brother is Max", "Max studies law"]),
        ("Since last year I've been a vegetarian.", ["The user has been a vegetarian since last year"]),
        ("Since last year, I've been a vegetarian.", ["The user has been a vegetarian since last year"]),
        ("Since 2020 I've been a vegetarian.", ["The user has been a vegetarian since 2020"]),
        ("Since March I've been living in Rome.", ["The user has been living in Rome since March"]),
        ("My brother Max studies law.", ["The user's brother is Max", "Max studies law"]),
        ("My sister Nora is studying medicine.", ["The user's sister is Nora", "Nora is studying medicine"]),
        ("My brother studies law.", ["The user's brother studies law"]),
        ("My wife Ana works as a nurse.", ["The user's wife is Ana", "Ana works as a nurse"]),
        ("My favourite colour is green, by the way.", ["The user's favourite colour is green"]),
        ("I have a dog called Bruno, a beagle.", ["The user has a dog called Bruno, a beagle"]),
        ("I have a dog, a beagle called Bruno.", ["The user has a dog, a beagle called Bruno"]),
        ("I have a cat named Mia, a Siamese.", ["The user has a cat named Mia, a Siamese"]),
        ("I have a beagle called Bruno, a rescue.", ["The user has a beagle called Bruno, a rescue"]),
    ],
)
def test_what_a_frame_holds_is_kept_without_it(text: str, contents: list[str]) -> None:
    """Since when something is so stands behind it, as in other statements."""
    assert said(text) == contents


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("I have a dog called Bruno and a cat.", 2),
        ("I have a dog called Bruno, a cat.", 2),
        ("I have a dog called Bruno, two cats.", 2),
        ("I have a dog, a parrot called Max.", 2),
        ("I have a cat, a beagle called Bruno.", 2),
        ("I have a dog and a beagle called Bruno.", 2),
        ("I have a dog, a son called Max.", 2),
        ("I have a dog called Bruno, a cat called Mia and a parrot.", 3),
        ("I have a dog called Bruno, a car and a boat.", 3),
    ],
)
def test_what_is_of_another_sort_is_another_one(text: str, count: int) -> None:
    """Only what can tell what the named one is stands in apposition."""
    assert len(said(text)) == count


@pytest.mark.parametrize(
    "text",
    [
        "As he said, I work nights.",
        "As my boss said, I work nights.",
        "As I said, maybe I'm vegan.",
        "As I said, what is the time?",
        "As I said, I don't know.",
        "As mentioned above, the file is broken.",
        "Since yesterday I have a headache.",
        "Since this morning I've been tired.",
        "Since Monday I've been sick.",
        "Since last week I've had a cold.",
        "Since when have I been a vegetarian?",
        "Since last year he has been a vegetarian.",
        "Since last year was bad, I stopped.",
        "Since March my back hurts.",
        "My sister studies hard.",
        "My sister studies for her exams.",
        "My brother studied law.",
        "My brother wants to study law.",
        "My brother Max says he studies law.",
        "If my brother Max studies law, he pays fees.",
        "Maybe my brother Max studies law.",
        "My brother studies everything.",
        "Does my brother Max study law?",
        "Max studies law.",
    ],
)
def test_what_others_say_or_is_of_the_moment_is_not_kept(text: str) -> None:
    """A frame makes nothing certain, lasting or one's own."""
    assert said(text) == []


def test_a_diet_is_no_occupation() -> None:
    """Who has been a vegetarian for a year works as something else."""
    [found] = RuleExtractor().extract([HumanMessage("I've been a vegetarian since last year.")])
    assert found.relation is None


@pytest.mark.parametrize(
    ("turns", "left"),
    [
        (["Since last year I've been a vegetarian.", "I'm a vegan now."], ["The user is a vegan now"]),
        (
            ["I live in Rome.", "Since March I've been living in Lyon."],
            ["The user has been living in Lyon since March"],
        ),
        (["I live in Rome.", "As I said, I live in Lyon."], ["The user lives in Lyon"]),
        (["As I said, I work nights.", "I work nights."], ["The user works nights"]),
        (["I have a dog called Bruno, a beagle.", "Bruno is a beagle."], ["The user has a dog called Bruno, a beagle"]),
    ],
)
def test_a_framed_fact_replaces_and_repeats_like_a_plain_one(turns: list[str], left: list[str]) -> None:
    """Whatever stood around it when it was said."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
    for number, text in enumerate(turns):
        memory.background.ingest([HumanMessage(text)], scope=Scope("ana", session_id=f"talk {number}"))
        memory.jobs.run()
    assert [it.content for it in memory.long_term.list(scope=ANA)] == left


@pytest.mark.parametrize("text", [";)", ":-)", "...", "?!", "I think.", ", ;", "Please.", "Could you keep it short?"])
def test_a_message_of_next_to_nothing_is_read(text: str) -> None:
    """Nothing is left of it once marks and frames are taken off, and nothing fails."""
    assert [it for it in RuleExtractor().extract([HumanMessage(text)]) if it.kind == "fact"] == []


@pytest.mark.parametrize(
    "text",
    [
        "I dreamt I moved to Rome.",
        "I once dreamed that I worked at Acme.",
        "I live in Rome (my avatar does).",
        "As a Londoner would say, I live in the smoke.",
    ],
)
def test_what_is_said_of_something_not_real_is_not_kept(text: str) -> None:
    """Of a dream, of who is played, in somebody else's words."""
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("My dream is to live in Rome.", ["The user's dream is to live in Rome"]),
        ("I dreamed of moving to Rome, and now I live in Rome.", ["The user lives in Rome"]),
        ("I use a cat as my avatar.", ["The user uses a cat as their avatar"]),
        ("As a nurse I work nights.", ["The user is a nurse", "The user works nights"]),
        ("As I said, I live in Rome.", ["The user lives in Rome"]),
    ],
)
def test_what_only_sounds_like_it_is_kept(text: str, contents: list[str]) -> None:
    """A wish, a picture, a calling."""
    assert said(text) == contents
