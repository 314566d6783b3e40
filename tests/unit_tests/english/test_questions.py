"""Telling the questions of a message apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.text.questions import questions_in


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("Where do I live, and what is my cat called?", ("Where do I live?", "what is my cat called?")),
        ("where do i live and what is my dog's name", ("where do i live?", "what is my dog's name?")),
        ("Who helped me and who paid?", ("Who helped me?", "who paid?")),
        ("1. Where do I live\n2. What is my cat called\n", ("Where do I live?", "What is my cat called?")),
        ("Tell me where I live and what my cat is called.", ("Tell me where I live?", "what my cat is called?")),
        ("Back in May, where did I live and what did I buy?", ("Back in May, where did I live?", "what did I buy?")),
        ("Do I use v3.11? Is it 2.5 times faster?", ("Do I use v3.11?", "Is it 2.5 times faster?")),
        ("What\u2019s my job? Who\u2019s Ada?", ("What's my job?", "Who's Ada?")),
        ("你好吗？我住在哪里？", ("你好吗？", "我住在哪里？")),
        ("¿Dónde vivo? ¿Qué me gusta?", ("¿Dónde vivo?", "¿Qué me gusta?")),
    ],
)
def test_questions_of_one_message_are_told_apart(text: str, questions: tuple[str, ...]) -> None:
    """Each part that could be asked alone is one."""
    assert questions_in(text) == questions


@pytest.mark.parametrize(
    "text",
    [
        "Where do I live?",
        "What happened when I moved and when I came back?",
        "Where did I go in May, and when was that?",
        "Do I like tea or coffee?",
        "How many apps can read and write?",
        "Which of my friends is a doctor and lives in Rome?",
        "As of 2024, what was my job?",
        "When I was in Rome I met Ada. Where did she live?",
        "What a day! What a night!",
        "I like tea.",
        "",
    ],
)
def test_one_question_stays_whole(text: str) -> None:
    """A clause of it, a choice in it, or a statement before it makes no second one."""
    assert questions_in(text) == ()


@given(
    st.lists(st.sampled_from(["where do I live", "and", "what is it", "?", ". ", "tea", "I moved", ","]), max_size=30)
)
def test_one_question_alone_is_never_told_apart(pieces: list[str]) -> None:
    """There are several, each of them with the words of the message, or there is nothing to tell apart."""
    text = " ".join(pieces)
    questions = questions_in(text)
    assert len(questions) != 1
    assert all(set(tokenize(question)) <= set(tokenize(text)) for question in questions)
