"""What "scrap that" points to, by the message before it."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.requests.intent import detect_intent
from langchain_agentmem.english.requests.pointing import points_to_task

TASKS = [
    "Write a haiku about rain.",
    "Write me a haiku about my cat.",
    "Draft an email to my boss.",
    "What is the capital of France?",
    "Tell me what I should cook.",
    "Can you book a table?",
    "I want a haiku about rain.",
    "I'd like a poem.",
    "I would love a poem about my dog.",
    "I need you to book a flight.",
    "I'm looking for a restaurant.",
    "Let's use blue.",
    'Translate "I live in Rome" into French.',
    "My sister is ill, what should I cook?",
    "I am vegan. Give me a recipe.",
    "If I lived in Rome, what would I eat?",
    "We should use blue, please change it.",
    "Python is slow.",
    "Hello!",
    "Thanks.",
    "",
]
TOLD = [
    "I live in Rome.",
    "My sister is ill.",
    "I have diabetes. Thanks!",
    "Hello, I'm Ana.",
    "When I was ten I lived in Rome.",
    "By the way, I hate my boss.",
    "Actually my brother is in prison.",
    "At work we use Go.",
    "Last year I was fired.",
    "I like sushi.",
    "I\u2019m pregnant.",
    "I've been depressed lately.",
    "Our son failed his exam.",
    "Write a haiku. I live in Rome.",
    "Well, I lost my job",
    "Sadly, our dog died.",
]


@pytest.mark.parametrize("said", TASKS)
def test_what_was_wanted_or_asked_last_is_a_task(said: str) -> None:
    """Also in the first person, and where something was told before it."""
    assert points_to_task(said)


@pytest.mark.parametrize("said", TOLD)
def test_what_the_speaker_told_of_themselves_last_is_none(said: str) -> None:
    """Whatever stands before the statement, and thanks behind it."""
    assert not points_to_task(said)


@pytest.mark.parametrize(
    ("said", "learned", "is_task"),
    [
        ("Nora works at Acme.", "Nora works at Acme", False),
        ("Nora works at Acme.", "", True),
        ("Always answer in French.", "Always answer in French", False),
        ("I own a boat and a flat.", "I own \u2026 a flat", False),
        ("My brother is Ben. He is a pilot.", "My brother is Ben. He is a pilot", False),
        ("I am allergic to nuts. What can I cook?", "I am allergic to nuts", True),
    ],
)
def test_what_was_learned_from_the_last_sentence_was_told(said: str, learned: str, *, is_task: bool) -> None:
    """What was learned from an earlier one leaves the task behind it a task."""
    assert points_to_task(said, [learned]) is is_task


@pytest.mark.parametrize(
    ("text", "is_bare"),
    [
        ("Scrap that.", True),
        ("OK, strike that, please", True),
        ("Scratch this", True),
        ("Strike that from the record.", False),
        ("Don't store this.", False),
        ("Please don't store that one.", False),
        ("plz dont save that abt my dad", False),
        ("Don't store that about my dad's illness, please.", False),
        ("Don't store that one because it's private.", False),
        ("do not log that one, it's private", False),
        ("don't write that one down", False),
        ("plz dont save that", True),
        ("Don't keep that, love.", True),
        ("That information is confidential and must not be retained.", True),
        ("Please don't remember that.", False),
        ("Don't save it in your memory.", False),
        ("Forget what I just said.", False),
        ("Delete what I just told you.", False),
    ],
)
def test_only_what_names_neither_memory_nor_words_may_be_about_a_task(text: str, *, is_bare: bool) -> None:
    """Who says "store", "remember", or "what I said" means memory."""
    intent = detect_intent(text)
    assert (intent.forget_last, intent.is_bare) == (True, is_bare)


@pytest.mark.parametrize(("learned", "is_task"), [((), True), (("I uploaded the report",), False)])
def test_what_may_be_deleted_besides_memory_is_meant_unless_something_was_learned(
    learned: tuple[str, ...], *, is_task: bool
) -> None:
    """Behind "I uploaded the report" the report is meant."""
    said = "I uploaded the report."
    assert points_to_task(said, learned, is_of_things=True) is is_task
    assert not points_to_task(said, learned)


@pytest.mark.parametrize(
    ("text", "is_of_things"),
    [("Delete that.", True), ("Please erase this", True), ("Don't save it.", True), ("Forget that, please.", False)],
)
def test_an_order_to_delete_may_be_about_a_thing(text: str, *, is_of_things: bool) -> None:
    """An order to forget is not."""
    intent = detect_intent(text)
    assert (intent.is_bare, intent.is_of_things) == (True, is_of_things)
