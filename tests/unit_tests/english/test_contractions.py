"""Apostrophes that were left out are read, wherever words of the user are; what is a word as well stays what it is."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.requests.forget_asked import forget_asked
from langchain_agentmem.english.requests.not_keeping import not_to_keep, points_back
from langchain_agentmem.english.text.contractions import as_read, in_place
from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.policies.evidence import is_supported

rules = RuleExtractor()


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("im vegan", "i'm vegan"),
        ("Im vegan and ive got two kids", "I'm vegan and i've got two kids"),
        ("i dont, cant, wont", "i don't, can't, won't"),
        ("she didnt and theyre not", "she didn't and they're not"),
        ("thats what shes after", "that's what she's after"),
        ("youve said youll come", "you've said you'll come"),
        ("its over with giulia", "it's over with giulia"),
        ("forget my rate, its confidential", "forget my rate, it's confidential"),
        ("I like it because its not loud", "I like it because it's not loud"),
        ("Its 4471.", "It's 4471."),
        ("my wifes allergic to shellfish", "my wife's allergic to shellfish"),
        ("my daughters name is emma", "my daughter's name is emma"),
        ("my sons 6", "my son's 6"),
        ("covids gone", "covid's gone"),
        ("I don\u2019t know", "I don't know"),
    ],
)
def test_a_missing_apostrophe_is_read(written: str, read: str) -> None:
    """Law: what is meant as a contraction is read as one."""
    assert as_read(written) == read


@pytest.mark.parametrize(
    "text",
    [
        "I feel ill, as well as hell",
        "we were at the id desk and wed in June",
        "the shell of an egg",
        "the dog hurt its paw",
        "I love Berlin, its parks and its private gardens",
        "Its name is Rex.",
        "the cant of thieves, as is his wont",
        "Jony Ive designed it",
        "open im.py and ive-mail, @im",
        "dont_use is a flag",
        "ich wohne im Erdgeschoss und bin froh",
        "my daughters are 6 and 8",
        "my friends from school",
        "he lets me in",
        "send me an IM",
    ],
)
def test_what_is_a_word_as_well_stays(text: str) -> None:
    """Law: nothing is read into a word that may be meant as it stands."""
    assert as_read(text) == text


def test_each_character_knows_where_it_stood() -> None:
    """Law: a place in what is read leads back to the words as they were written."""
    text = "hm            im vegan, its private"
    read = in_place(text)
    at = read.text.index("i'm")
    start, end = read.span(at, at + len("i'm vegan"))
    assert text[start:end] == "im vegan"
    assert as_read(read.text) == read.text


@pytest.mark.parametrize(
    ("said", "content", "evidence"),
    [
        ("im vegan", "The user is vegan", "im vegan"),
        ("ok, i dont eat pork", "The user does not eat pork", "i dont eat pork"),
        ("ive been vegan for 3 years", "The user has been vegan for 3 years", "ive been vegan for 3 years"),
    ],
)
def test_what_is_quoted_stays_as_it_was_written(said: str, content: str, evidence: str) -> None:
    """Law: a memory says what was meant, and its evidence is the user's own words."""
    [found] = rules.extract([HumanMessage(said)])
    assert found.content == content
    assert found.provenance.evidence == evidence
    assert is_supported(found.content, evidence)


def test_evidence_that_denies_does_so_without_its_apostrophe() -> None:
    """Law: "i dont eat fish" bears out no fish."""
    assert not is_supported("The user eats fish", "i dont eat fish")
    assert is_supported("The user does not eat fish", "i dont eat fish")


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ("forget my rate, its confidential", "my rate"),
        ("forget my salary, its private", "my salary"),
        ("forget my depression pls, its private", "my depression"),
        ("Please forget my rate because it's confidential.", "my rate"),
        ("forget my locker code, left that job", "my locker code"),
        ("forget that I left because I was ill", "that I left because I was ill"),
        ("Erase that I have depression.", "that I have depression"),
        ("i dont want you to remember my depression", "my depression"),
    ],
)
def test_what_is_to_be_forgotten_is_read_without_apostrophes(asked: str, what: str) -> None:
    """Law: a reason behind the comma is none of what is named, with or without its apostrophe."""
    found = forget_asked(asked)
    assert found is not None
    assert found.what == what


def test_what_is_not_to_be_kept_is_read_without_apostrophes() -> None:
    """Law: "dont remember that pls" points back, and "dont store that im ill" leaves nothing."""
    assert points_back("dont remember that")
    assert points_back("dont remember that pls")
    assert [it.what for it in not_to_keep("Hi. dont store that im ill")] == ["that i'm ill"]
    assert forget_asked("dont forget my birthday") is None


@pytest.mark.parametrize(
    "text",
    [
        "delete that i have two rows in the table",
        "delete that I have asthma from the draft",
        "Delete that my sister has asthma",
        "delete that file I sent",
    ],
)
def test_what_may_be_a_thing_is_no_order_to_forget(text: str) -> None:
    """Law: of orders to delete, one that says what ails the speaker is about memory; others may be about a text."""
    assert forget_asked(text) is None


@pytest.mark.parametrize("unit", ["im ", "its ", "dont ", "'", " ", "\n", "i", "my wifes ", "its not "])
def test_long_runs_are_read_in_linear_time(unit: str) -> None:
    """Law: what a pasted run holds is read once."""
    assert len(as_read(unit * 4_000)) <= 2 * 4_000 * len(unit)
