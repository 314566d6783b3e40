"""Who puts something aside with "forget" asks memory for nothing; who gives a reason still asks."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.requests.forget_asked import ForgetAsked, forget_asked


@pytest.mark.parametrize(
    "text",
    [
        "Forget work, it's Friday!",
        "Forget work, let's talk football.",
        "Forget the wife, what do you think?",
        "Forget my wife, what do you think?",
        "Forget my job, let's talk football.",
        "Forget about the nuts thing, what's for lunch?",
        "Forget the van, I'll take the train.",
        "Forget the cake, let's do a pie.",
        "Forget the cake. Let's do a pie.",
        "Forget Welsh, how do you say it in French?",
        "Forget sushi, can you find me a ramen place?",
        "Forget sushi, I want ramen.",
        "Forget the plan - what should we do?",
        "Forget that I'm vegan, let's order pizza",
        "Forget that, where do I live?",
        "Forget what my husband said.",
        "Forget what Tom told me, he's no doctor.",
        "Forget the dentist, I'll ring them.",
        "Forget Sue, I'll ask her myself.",
        "Forget Rome, we'll book it later.",
        "Forget Sue, I can ask her tomorrow.",
        "Forget the dentist, let me call them.",
        "Forget my dentist, I can ring them myself.",
        "Forget the dentist. I'll call them myself.",
        "Forget about the plumber, don't worry about it.",
        "Forget York?",
        "OK. Forget my address?",
    ],
)
def test_what_is_put_aside_is_not_forgotten(text: str) -> None:
    """Another question, another plan, another's words: none of them is about memory."""
    assert forget_asked(text) is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Forget my address, I moved", "my address"),
        ("Forget my address, let's go on", "my address"),
        ("Forget my address, what's the weather?", "my address"),
        ("Forget my address, please, and tell me a joke", "my address"),
        ("Forget the nut allergy, the doctor tested it", "the nut allergy"),
        ("Forget York, I live in Leeds now.", "York"),
        ("Forget York, that's my sister's.", "York"),
        ("Forget York, could you do that for me?", "York"),
        ("Forget York, will you?", "York"),
        ("Can you forget York?", "York"),
        ("Forget York please?", "York"),
        ("Forget sushi, I never liked it.", "sushi"),
        ("Forget the gym, it's too expensive", "the gym"),
        ("Forget Tom, he's no longer my friend.", "Tom"),
        ("Forget Tom, I want nothing to do with him.", "Tom"),
        ("Forget Tom, I'll never call him again.", "Tom"),
        ("Forget Tom, I'll be fine without him.", "Tom"),
        ("Forget the dog, we'll get over it.", "the dog"),
        ("Forget the tumour, I'll keep it to myself.", "the tumour"),
        ("Forget my diagnosis, I'll tell them myself.", "my diagnosis"),
        ("Forget the nuts, I can eat them again.", "the nuts"),
        ("Forget my address, I'll give you the new one later.", "my address"),
        ("Forget Tom. What's the weather?", "Tom"),
        ("Forget Tom's birthday, it's in May.", "Tom's birthday"),
        ("Forget where I live, what I do and who my boss is", "where I live, what I do and who my boss is"),
        ("Forget what my husband said about the house.", "what my husband said about the house"),
    ],
)
def test_a_request_with_a_reason_stays_one(text: str, what: str) -> None:
    """And so does one that is courteous, or goes on to something else after it is made."""
    assert forget_asked(text) == ForgetAsked(what=what)
