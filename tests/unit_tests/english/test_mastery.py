"""What is hard for somebody, and what they have learned."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.reading.mastery import difficulty_in, mastery_in
from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.policies.conflict import judge

HARD = [
    "The user struggles with recursion",
    "Ana still struggles a lot with recursion",
    "Ana has trouble understanding recursion",
    "The user does not understand recursion",
    "The user finds recursion very confusing",
    "Recursion is hard for the user",
    "Ana is stuck on recursion",
]
LEARNED = [
    "The user finally understands recursion",
    "I understand recursion now",
    "Ana got the hang of recursion",
    "Ana no longer struggles with recursion",
    "I have finally mastered recursion",
    "Recursion finally clicked",
    "Recursion is easy for the user now",
    "I finally understand how recursion works",
]
NEITHER = [
    "I finally get it",
    "It makes sense now",
    "The user understands that",
    "Ana finally got a job",
    "",
    "a" * 5_000,
]


@pytest.mark.parametrize("new", LEARNED)
@pytest.mark.parametrize("old", HARD)
def test_what_is_learned_is_no_longer_hard(new: str, old: str) -> None:
    """Either takes the place of the other, whichever is said later."""
    texts = (parse_statement(new, speaker_name="Ana"), parse_statement(old, speaker_name="Ana"))
    assert judge(*texts, similarity=None).relation == "conflict"
    assert judge(*reversed(texts), similarity=None).relation == "conflict"


@pytest.mark.parametrize("text", NEITHER)
def test_what_names_nothing_to_learn_says_neither(text: str) -> None:
    """Without a topic there is nothing to end."""
    assert not difficulty_in(text)
    assert not mastery_in(text)


def test_another_topic_stays_hard() -> None:
    """A part of a topic, and a topic of which it is a part, are others."""
    old = parse_statement("The user struggles with recursion in trees")
    for new in ("The user finally understands recursion", "The user finally understands trees"):
        assert judge(parse_statement(new), old, similarity=None).relation != "conflict"
