"""Letters, drafts and pasted texts tell of whoever wrote them, to whom they are written; a greeting makes no letter."""

from __future__ import annotations

import time

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.extraction.record.letters import without_letters


def told(text: str) -> list[str]:
    return [it.content for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize(
    "text",
    [
        "Hi Tom,\nI live in Bath now and I work as a chef. I eat meat again.\nBest,\nAnna\n\nhow should I reply?",
        "Hi Tom, I live in Bath now and I eat meat again. Best, Anna",
        "hey mike\ni live in bath now, come over\n\nhow do I answer?",
        "Hello Max,\n\nI work at Globex and I live in Kiel.\n\nBest regards\nUwe",
        "Dear Mrs Smith,\nI live next door and I have a dog.\nYours faithfully\nAnna",
        "Dear landlord,\nI live in flat 4 and I have a cat.\nKind regards,\nAnna Lee",
        "Dear Sir/Madam, I am writing to apply. I have 3 years of Java and I live in Bangalore. -- is this ok?",
        "Dear Hiring Manager, My name is Paul and I live in Boston. Sincerely, Paul -- can you improve this?",
        "To whom it may concern, I hope this finds you well. I live in Derby.",
    ],
)
def test_a_letter_tells_nothing_of_the_user(text: str) -> None:
    """Law: what is addressed to somebody by name and signed, or written in a letter's words, is not said here."""
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Can you proofread? I am a single mother and I live in Derby.",
        "please rewrite this\nI live in Derby and I have 3 kids.",
        "Could you fix the grammar? I has a dog and i works at Tesco.",
        "got this on hinge lol: I'm a pilot. I have two dogs. should i reply",
        "I am living in Spain since 2010. Is this grammatically correct?",
        "I have two kids and I live in Derby. Does this sound professional?",
        "This is my sister's dating bio, does it sound natural? I'm 30, I live in Cork and I have a cat",
        "Cover letter draft - I am a chef and I live in Lyon",
    ],
)
def test_a_text_to_work_on_tells_nothing_of_the_user(text: str) -> None:
    """Law: a task about a text beside it makes it a text, with or without quotation marks."""
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("Hi, I'm Anna, I live in Leeds.\nBest,\nAnna", ["The user's name is Anna", "The user lives in Leeds"]),
        ("Hi there,\nI live in Leeds.\nThanks,\nAnna", ["The user lives in Leeds"]),
        ("Hello Claude,\nI live in Leeds.\nCheers,\nAnna", ["The user lives in Leeds"]),
        ("Dear assistant,\nI live in Leeds.\nKind regards,\nAnna", ["The user lives in Leeds"]),
        ("Dear Sir, my name is Ravi. I live in Pune, please help me.", ["The user lives in Pune"]),
        ("I wrote a letter to my landlord. I live in Leeds.", ["The user lives in Leeds"]),
        ("Can you proofread my letter? I live in Leeds.", ["The user lives in Leeds"]),
        ("Can you translate? I don't speak Spanish.", ["The user does not speak Spanish"]),
        ("Please correct that. I live in Bath.", ["The user lives in Bath"]),
        ("How should I reply to my boss? I live in Leeds.", ["The user lives in Leeds"]),
        ("I got this job in Leeds. I work as a nurse", ["The user works as a nurse"]),
        ("I live in Leeds. Does this sound right?", ["The user lives in Leeds"]),
    ],
)
def test_who_writes_to_the_assistant_means_it(text: str, contents: list[str]) -> None:
    """Law: a greeting without somebody's name, and a task about something else, leave what is said."""
    assert set(contents) <= set(told(text))


@pytest.mark.parametrize(
    "unit", ["dear sir,\n", "Hi Tom,\n", "proofread ", "got this ", "\n", " ", "a", "best, Anna. ", "is this ok? "]
)
def test_long_runs_are_read_in_linear_time(unit: str) -> None:
    """Law: a pasted run of the words that begin letters takes no time that grows faster than it."""
    began = time.process_time()
    without_letters(unit * (4_000 // len(unit)))
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "Please redraft the following: I, John Smith, of full age, live at 3 High Street and have four cats.",
        "Redraft this: My name is John. I live at 3 High Street.",
        "Please polish the following paragraph. I have lived in Rome for ten years and I teach maths.",
        "Make this sound better - I live in Rome and I have two dogs.",
        "Punch this up: I have three kids and I work at NASA.",
        "Can you tidy up the following? I live in Leeds and I have two cats.",
        "Turn this into a haiku: I live in York.",
        "Put this into better English: I live in York.",
        "Respond to this: I have lived here for ten years and you never came.",
    ],
)
def test_whatever_is_to_be_done_with_a_text_it_tells_nothing(text: str) -> None:
    """Law: an order of any verb to do something with "this" or "the following" makes a text of what is behind it."""
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Remember this: I live in Rome.", "The user lives in Rome"),
        ("Note the following: I'm allergic to nuts.", "The user is allergic to nuts"),
        ("You need to know the following. I am allergic to penicillin.", "The user is allergic to penicillin"),
        ("Check this out: I'm pregnant!", "The user is pregnant"),
        ("Answer this: I'm diabetic, can I eat honey?", "The user is diabetic"),
        ("Make this shorter - I hate long answers.", "The user hates long answers"),
        ("Please help me with the following. I live in York.", "The user lives in York"),
        ("Health this month: I'm diabetic.", "The user is diabetic"),
        ("I hate this: I have two jobs.", "The user has two jobs"),
        ("I live in York. Shrink the following: I have two dogs.", "The user lives in York"),
    ],
)
def test_what_is_to_be_known_is_no_text_to_work_on(text: str, content: str) -> None:
    """Law: an order to know, keep, hear or answer something leaves it said by the user."""
    assert content in told(text)
