"""Whose a memory is counts where the user asks to forget something of themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.people.whose import clauses_of
from langchain_agentmem.english.requests.forget_request import Wanted, is_meant, is_said_in

NUTS, LEEDS, ACME = "that I am allergic to nuts", "that I live in Leeds", "that I work at Acme"
KEPT = [
    (NUTS, "The user's son is allergic to nuts"),
    (NUTS, "The user has a son who is allergic to nuts"),
    (NUTS, "The user's dog is allergic to nuts"),
    (NUTS, "My two kids are allergic to nuts."),
    (NUTS, "One of the user's friends is allergic to nuts"),
    ("everything about my nut allergy", "The user's son has a nut allergy"),
    (LEEDS, "Nora lives in Leeds"),
    (LEEDS, "My brother-in-law lives in Leeds"),
    (LEEDS, "The user's manager Priya Patel lives in Leeds"),
    (LEEDS, "The user lives in York and Nora lives in Leeds"),
    (LEEDS, "My sister is a nurse and she lives in Leeds"),
    ("where I live", "The user's parents live in Leeds"),
    (ACME, "The user's sister works at Acme"),
    (ACME, "My wife's brother works at Acme"),
    ("my birthday", "The user's sister's birthday is May 3"),
    ("my birthday", "Nora's birthday is May 3"),
    ("my phone number", "My mother's phone number changed"),
    ("my favourite colour", "His favourite colour is blue"),
    ("that I'm 34", "The user has 34 employees"),
    ("that I am vegetarian", "My wife is vegetarian."),
    ("that my son lives in Leeds", "The user lives in Leeds"),
    ("my dog", "Tom has a dog called Fido"),
    ("my dog", "Tom's dog is called Fido"),
    ("my dog", "Our neighbour's dog barks"),
    ("my dog", "My brother's dog barks"),
    ("about my dog", "My brother has a dog"),
    ("my brother", "Nora's brother is a pilot"),
    ("my brother", "My wife's brother is Max"),
    ("my wife Clara", "Tom's wife is Clara"),
    ("my boss", "Clara has a new boss"),
]
FORGOTTEN = [
    (NUTS, "The user is allergic to nuts"),
    (NUTS, "Al is allergic to nuts"),
    (NUTS, "I'm allergic to nuts, and my son loves them."),
    ("that my son is allergic to nuts", "The user's son is allergic to nuts"),
    ("that I have a son who is allergic to nuts", "The user has a son who is allergic to nuts"),
    ("what I told you about nuts", "The user's son is allergic to nuts"),
    ("everything about my sister", "The user's sister works at Acme"),
    ("my sister's birthday", "The user's sister's birthday is May 3"),
    ("Nora's birthday", "Nora's birthday is May 3"),
    ("Leeds", "Nora lives in Leeds"),
    ("that Nora lives in Leeds", "Nora lives in Leeds"),
    (LEEDS, "Currently lives in Leeds"),
    (LEEDS, "The user works at Acme and lives in Leeds"),
    (LEEDS, "The user lives in Leeds with their sister"),
    (LEEDS, "My wife and I live in Leeds."),
    (LEEDS, "The user's team lives in Leeds"),
    ("that I live with my sister", "The user lives with their sister"),
    ("my birthday", "The user's birthday is May 3"),
    ("my dentist appointment", "The user's dentist appointment is on Friday"),
    ("my appointment", "The user's dentist appointment is on Friday"),
    ("my dentist", "Al's dentist is called Miller"),
    ("my favourite drink", "Tea is the user's favourite drink"),
    ("that I'm 34", "The user is 34 years old"),
    ("that I have 34 employees", "The user has 34 employees"),
    ("my dog", "Rex is my dog"),
    ("my dog", "Al's dog Rex is brown"),
    ("my dog", "I walk my dog every day"),
    ("my dog", "We have two kids and a dog."),
    ("my brother", "My older brother Ben is a pilot"),
    ("my brother", "The user's brother Ben is a pilot"),
    ("my wife Clara", "Clara is the user's wife"),
    ("my sister's birthday", "My sister Nora has her birthday on 3 May"),
]


def digest(word: str) -> int:
    """Stand for a word."""
    return hash(f"a key {word}")


@pytest.mark.parametrize(("what", "content"), KEPT)
def test_what_is_told_of_somebody_else_is_not_meant(what: str, content: str) -> None:
    """Neither as a memory nor in a turn, whether words are kept of the request or digests."""
    assert not is_meant(what, content, ["al"])
    assert not Wanted.of(what, digest).means(content, ["al"])
    assert not is_said_in(what, f"user: {content}\nassistant: Noted.", ["al"])


@pytest.mark.parametrize(("what", "content"), FORGOTTEN)
def test_what_is_told_of_the_user_or_of_whom_they_name_is_meant(what: str, content: str) -> None:
    """And all of a topic that is named without a word of oneself."""
    assert is_meant(what, content, ["al"])
    assert Wanted.of(what, digest).means(content, ["al"])
    assert is_said_in(what, f"user: {content}\nassistant: Noted.", ["al"])


def test_an_answer_about_somebody_else_is_not_meant() -> None:
    """It says of them what was asked of them."""
    assert not is_said_in(NUTS, "user: Is my son allergic to anything?\nassistant: Nuts.")
    assert is_said_in(NUTS, "user: Am I allergic to anything?\nassistant: Nuts.")


@given(st.text(max_size=60))
def test_clauses_keep_every_word(text: str) -> None:
    """Nothing of a text is lost between two of them."""
    assert "".join("".join(it.text for it in clauses_of(text)).split()) == "".join(text.replace("\u2019", "'").split())


NORA = "that Nora works at Acme"


@pytest.mark.parametrize(
    ("what", "content"),
    [
        (NORA, "The user works at Acme and Nora is nice"),
        (NORA, "Nora is nice and the user works at Acme"),
        (NORA, "The user works at Acme. Nora lives in Rome."),
        (NORA, "Nora's sister works at Acme"),
        ("that my sister works at Acme", "The user works at Acme and my sister is nice"),
        ("that my manager lives in Rome", "My manager's sister lives in Rome"),
    ],
)
@pytest.mark.parametrize("names", [None, ["Al"]])
def test_what_is_said_of_somebody_is_not_forgotten_of_who_stands_beside_them(
    what: str, content: str, names: list[str] | None
) -> None:
    """All words of the request, but not of whom it names, in a memory as in a turn, and kept as digests."""
    assert not is_meant(what, content, names)
    assert not is_said_in(what, f"user: {content}", names)
    assert not Wanted.of(what, spelling=lambda word: word[::-1], names=names).means(content, names)


@pytest.mark.parametrize(
    ("what", "content"),
    [
        (NORA, "Nora works at Acme"),
        (NORA, "Nora is nice and she works at Acme"),
        (NORA, "Nora Berg works at Acme and likes it"),
        (NORA, "The user lives in York and Nora works at Acme"),
        (NORA, "The user's sister Nora works at Acme"),
        (NORA, "Nora and the user work at Acme"),
        ("that my sister works at Acme", "My sister Nora works at Acme"),
        ("that my manager's sister lives in Rome", "My manager's sister lives in Rome"),
        ("Nora", "The user works at Acme and Nora is nice"),
        ("what I told you about Nora", "The user works at Acme and Nora is nice"),
    ],
)
@pytest.mark.parametrize("names", [None, ["Al"]])
def test_what_is_said_of_whom_it_names_is_forgotten(what: str, content: str, names: list[str] | None) -> None:
    """By name, by what they are to somebody, by a pronoun, and among others; a topic means all of it."""
    assert is_meant(what, content, names)


@pytest.mark.parametrize(
    ("what", "content"),
    [
        ("my income", "The user makes 90k"),
        ("my income", "I make $90,000 before tax"),
        ("my age", "The user is 40 years old"),
        ("my age", "The user is a 40-year-old nurse"),
        ("my medication", "The user has asthma and takes steroids"),
        ("my medication", "The user has a prescription for statins"),
    ],
)
def test_what_tells_an_attribute_of_the_user_is_meant(what: str, content: str) -> None:
    """In whatever words."""
    assert is_meant(what, content, ("Ana",))


@pytest.mark.parametrize(
    ("what", "content"),
    [
        ("my income", "The user makes 90k followers happy"),
        ("my income", "The user made 2k pancakes"),
        ("my income", "The user makes 3d prints"),
        ("my age", "The user's house is 90 years old"),
        ("my age", "The user's wine is 12 years old"),
        ("my age", "The user has a 12-year-old car"),
        ("my age", "The user has a 3-year-old son"),
        ("my medication", "The user has a dog that takes antibiotics"),
        ("my medication", "The user has a cat on insulin"),
        ("my health", "The user has a dog that has diabetes"),
        ("my allergies", "The user has a son with a nut allergy"),
    ],
)
def test_what_tells_it_of_what_or_whom_they_have_is_not(what: str, content: str) -> None:
    """A thing is old too, and an animal takes medicine."""
    assert not is_meant(what, content, ("Ana",))


@pytest.mark.parametrize(
    ("what", "content"),
    [
        ("where I used to live", "The user used to live in York"),
        ("where I used to live", "The user lived in York until May"),
        ("where Tom used to live", "Tom used to live in York"),
        ("where I used to work", "The user worked at Acme"),
    ],
)
def test_where_somebody_was_is_what_is_no_more(what: str, content: str) -> None:
    """As their old address is."""
    assert is_meant(what, content, ("Ana",))


@pytest.mark.parametrize(
    ("what", "content"),
    [
        ("where I used to live", "The user lives in York"),
        ("where I used to live", "Tom used to live in York"),
        ("where I used to live", "The user used to live with Tom"),
        ("where I used to work", "The user works at Acme"),
    ],
)
def test_where_somebody_is_now_stays_then(what: str, content: str) -> None:
    """So does where another one was."""
    assert not is_meant(what, content, ("Ana",))
