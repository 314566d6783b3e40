"""The user's own voice on SQLite, in a file and in memory, and as a rule."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem import AgentMemory, Candidate, Scope
from langchain_agentmem.english.people.own_words import embedded_text, in_own_words, names_of_id
from langchain_agentmem.types import Provenance, Speaker
from tests.contracts.own_words_contract import OwnWordsContract
from tests.fake_embeddings import WordEmbeddings
from tests.held import held

THINGS = "cat dog boat garden violin piano tent kayak lamp sofa".split()


class TestOwnWords(OwnWordsContract):
    """The whole contract."""


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("Gil works as a nurse", "I work as a nurse"),
        ("The user is allergic to nuts", "I am allergic to nuts"),
        ("The user's sister is Nora", "my sister is Nora"),
        ("Gil never eats meat and Gil studies law", "I never eat meat and I study law"),
        ("Gil watches chess, goes to Rome", "I watch chess, goes to Rome"),
        ("Nora gave Gil a book", "Nora gave me a book"),
        ("A tomcat belongs to Gil’s household", "A tomcat belongs to my household"),
        ("Born in 1990, Gil has a twin", "Born in 1990, I have a twin"),
        ("Gil moved to Kiel", "I moved to Kiel"),
        ("Call Gil", "Call me"),
        ("Gil", "I"),
        ("Gilbert lives in Kiel", "Gilbert lives in Kiel"),
        ("Gil-free soup", "Gil-free soup"),
        ("A gil of milk", "A gil of milk"),
        ("Nora lives in York", "Nora lives in York"),
    ],
)
def test_the_user_becomes_the_speaker(told: str, said: str) -> None:
    """By a name that is written as one, or as "the user"; nobody else does."""
    assert in_own_words(told, ["gil"]) == said


@pytest.mark.parametrize(
    ("user_id", "names"),
    [
        ("alice", ("alice",)),
        ("Alice.Smith@example.com", ("alice smith", "alice")),
        ("mary_ann lee", ("mary ann lee", "mary")),
        ("user-4711", ()),
        ("u-17", ()),
        ("8f14e45f-ceea-467f-a0e6-14f0e2f9c1aa", ()),
        ("alice@", ("alice",)),
        ("guest", ()),
        ("demo-user", ()),
        ("a", ()),
        ("", ()),
    ],
)
def test_an_id_may_be_a_name(user_id: str, names: tuple[str, ...]) -> None:
    """One of letters is; a number makes it a key."""
    assert names_of_id(user_id) == names


@pytest.mark.parametrize(
    ("user_id", "told", "said"),
    [
        ("may", "May lives in York", "I live in York"),
        ("mark", "Mark's older sister is Ana", "my older sister is Ana"),
        ("mark", "Mark works as a nurse", "I work as a nurse"),
        ("rose", "Rose is allergic to nuts", "I am allergic to nuts"),
        ("will", "Will never eats meat", "I never eat meat"),
        ("will.smith", "Will Smith is a nurse", "I am a nurse"),
        ("an.nguyen", "An Nguyen has a cat", "I have a cat"),
        ("alice", "The party was at Alice's house", "The party was at my house"),
    ],
)
def test_a_name_that_is_a_word_too_counts_where_a_person_is_told_of(user_id: str, told: str, said: str) -> None:
    """By what only people do, are or have; with a family name it is a name anyway."""
    assert in_own_words(told, names_of_id(user_id)) == said


@pytest.mark.parametrize(
    ("user_id", "text"),
    [
        ("may", "We met in May"),
        ("may", "May was cold"),
        ("may", "May I come in?"),
        ("june", "June works best for Nora"),
        ("bill", "Bill is due on Friday"),
        ("bill", "The Bill of Rights"),
        ("bill", "Pay the bill"),
        ("mark", "Mark the date"),
        ("mark", "Mark's report is late"),
        ("will", "Will it rain?"),
        ("it", "It works well"),
        ("london", "London has a zoo"),
        ("london", "London's trains are late"),
        ("london", "People in London like tea"),
        ("an.nguyen", "An apple"),
        ("leeds", "Nora lives in Leeds"),
        ("leeds", "Nora moved to Leeds"),
    ],
)
def test_a_word_that_happens_to_be_an_id_stays(user_id: str, text: str) -> None:
    """A month, a place, a thing or a deed is nobody, and in doubt nothing is retold."""
    assert in_own_words(text, names_of_id(user_id)) == text
    assert embedded_text(Candidate(content=text), user_id) == text


def test_a_word_is_a_name_where_its_user_spoke_of_themselves() -> None:
    """Their own sentence says whose the name is."""
    said = Provenance(evidence="I work with Bill")
    assert embedded_text(Candidate(content="May works with Bill", subject="May", provenance=said), "may") == (
        "I work with Bill"
    )


@pytest.mark.parametrize(
    ("subject", "evidence", "said"),
    [
        ("Nora", "I live in York", "Nora: I live in York"),
        ("Nora", "My sister lives in York", "Nora lives in York"),
        ("Nora", "Nora lives in York", "Nora lives in York"),
        ("Nora", None, "Nora lives in York"),
        (None, "I live in York", "Nora lives in York"),
    ],
)
def test_a_name_is_told_by_what_they_said_of_themselves(subject: str | None, evidence: str | None, said: str) -> None:
    """What somebody of theirs does makes no name the user's."""
    told = Candidate(content="Nora lives in York", subject=subject, provenance=Provenance(evidence=evidence))
    assert embedded_text(told, "user-4711") == said


def test_a_relation_is_told_in_their_words_too() -> None:
    """It is part of what is embedded."""
    told = Candidate(content="The user moved to Rome", subject="user", relation="lives_in", object="Rome")
    assert embedded_text(told, "user-4711") == "I moved to Rome\nI lives in Rome"


@given(st.text(max_size=200), st.lists(st.text(max_size=12), max_size=3))
def test_any_text_is_retold(text: str, names: list[str]) -> None:
    """Whatever a memory says, and an id is; without a name and "the user" it stays."""
    said = in_own_words(text, [it for name in names for it in names_of_id(name)])
    assert isinstance(said, str)
    assert in_own_words("nothing of anybody", names_of_id("".join(names))) == "nothing of anybody"


@pytest.mark.parametrize("did", ["drove to Rome", "flew to Oslo", "built a shed", "caught a cold", "never slept"])
def test_who_did_something_is_the_one_who_did_it(did: str) -> None:
    """In any irregular form, behind a time, the user is "I" and not "me"."""
    assert embedded_text(Candidate(content=f"Yesterday Gil {did}"), "gil") == f"Yesterday I {did}"


def test_an_erasure_leaves_no_name_in_the_process() -> None:
    """Neither what a user is called, nor their orders, nor a pattern made of either."""
    scope = Scope("gilgameshino")
    with AgentMemory.in_memory(embeddings=WordEmbeddings(), consent="assumed") as memory:
        memory.long_term.remember("Gilgameshino lives in York", scope=scope)
        memory.long_term.remember("Always answer Gilgameshino in French", scope=scope, kind="constraint")
        memory.long_term.recall("Where do I live?", scope=scope)
        memory.privacy.erase(scope)
        assert held() == []
        assert not any("ilgameshino" in str(key) for key in re._cache)  # type: ignore[attr-defined]


@pytest.mark.parametrize("speaker", ["assistant", "tool"])
def test_what_is_not_their_own_word_takes_no_place_beyond_the_cap(speaker: Speaker) -> None:
    """A full conversation hears what the user puts right; what a model or a page claims is bound, whatever it names."""
    scope = Scope("alice", session_id="full")
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        told = [memory.long_term.remember(f"Alice owns a {it}", scope=scope).require() for it in THINGS]
        claim = Candidate(
            content="Alice owns a yacht",
            supersedes=(told[0].id,),
            is_correction=True,
            provenance=Provenance(speaker=speaker),
        )
        assert memory.long_term.remember(claim, scope=scope).rule == "session_cap"
        own = replace(claim, provenance=Provenance(speaker="user"))
        assert memory.long_term.remember(own, scope=scope).verdict == "written"
