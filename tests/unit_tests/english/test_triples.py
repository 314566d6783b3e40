from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem.english.reading.naming import MAX_NAME_CHARS
from langchain_agentmem.english.reading.triples import MAX_TRIPLES, triples_of
from langchain_agentmem.types import Candidate


def read(content: str, **fields: str) -> list[tuple[str, str, str]]:
    return [it[:3] for it in triples_of(Candidate(content=content, **fields))]  # type: ignore[arg-type]  # text fields only


@pytest.mark.parametrize(
    ("content", "stated"),
    [
        ("My sister Nora works at Acme.", [("user", "sister", "Nora"), ("Nora", "works_at", "Acme")]),
        ("Nora is my sister", [("user", "sister", "Nora")]),
        ("Tom is Nora's boss", [("Nora", "boss", "Tom")]),
        ("My boss is called Dr. Eva Lind", [("user", "boss", "Dr Eva Lind")]),
        ("Alice has a sister called Mia", [("Alice", "sister", "Mia")]),
        ("Oslo is the capital of Norway", [("Oslo", "capital_of", "Norway")]),
        ("The billing service depends on Redis and Postgres",
         [("billing service", "depends_on", "Redis"), ("billing service", "depends_on", "Postgres")]),
        ("The user's team lead is Sam", [("user's team lead", "is", "Sam")]),
        ("I lead the Atlas team", [("user", "manages", "Atlas team")]),
        ("Tom lives in Oslo and manages the Payments team",
         [("Tom", "lives_in", "Oslo"), ("Tom", "manages", "Payments team")]),
        ("Alice lives in Oslo. She works at Acme", [("Alice", "lives_in", "Oslo"), ("Alice", "works_at", "Acme")]),
        ("My older sister lives in Rome", [("My sister", "lives_in", "Rome")]),
        ("My sister's boss speaks Dutch", [("My sister's boss", "speaks", "Dutch")]),
        ("I moved to Berlin last year", [("user", "lives_in", "Berlin")]),
        ("Clara is my wife", [("user", "partner", "Clara")]),
        ("My mum speaks Dutch", [("My mum", "speaks", "Dutch")]),
        ("My favourite language is Rust", [("user", "favourite_language", "Rust")]),
        ("Bob's email is bob@example.com", [("Bob", "email", "bob@example.com")]),
        ("Alice uses TypeScript, not JavaScript, for the frontend", [("Alice", "uses", "TypeScript")]),
        ("Alice strongly prefers Python for scripts", [("Alice", "prefers", "Python")]),
        ("I live in Berlin, not in Paris", [("user", "lives_in", "Berlin")]),
        ("My manager's sister lives in Rome", [("My manager's sister", "lives_in", "Rome")]),
        ("My manager's sister Nora lives in Rome",
         [("My manager", "sister", "Nora"), ("Nora", "lives_in", "Rome")]),
        ("Nora and I work at Acme", [("Nora", "works_at", "Acme"), ("user", "works_at", "Acme")]),
        ("Nora and the user both live in Rome", [("Nora", "lives_in", "Rome"), ("user", "lives_in", "Rome")]),
        ("My sister Nora and I work at Acme",
         [("user", "sister", "Nora"), ("Nora", "works_at", "Acme"), ("user", "works_at", "Acme")]),
        ("You are vegetarian", []),
        ("Your sister lives in Rome", []),
        ("Tom works at Acme (not Beta) since 2020", [("Tom", "works_at", "Acme")]),
    ],
)  # fmt: skip
def test_a_statement_states_its_relations_in_its_own_names(content: str, stated: list[tuple[str, str, str]]) -> None:
    """Names stand as they are written; the speaker is `user`."""
    assert read(content) == stated


@pytest.mark.parametrize(
    "content",
    [
        "Alice does not live in Rome",
        "Alice might move to Rome",
        "Alice wants to live in Rome",
        "Alice was Tom's boss",
        "Alice lives in Berlin, not far from Potsdam, or so she says",
        "Alice likes Nora, not that Nora works at Acme",
        "Does Alice live in Rome?",
        "Robert'); DROP TABLE memories;-- works at Acme",
    ],
)
def test_what_is_denied_doubted_planned_over_or_asked_states_nothing(content: str) -> None:
    """A graph holds what was said to be so."""
    assert read(content) == []


def test_she_is_nobody_where_she_may_be_two() -> None:
    """A pronoun after two people is left unread rather than guessed."""
    assert read("Bob married Clara. She works for Globex.") == [("Bob", "partner", "Clara")]


def test_what_was_stored_is_taken_as_it_is() -> None:
    """A caller's own subject, relation and object stand before the words; the usual spellings of a relation are one."""
    assert read("Nora got a job", subject="Nora", relation="Works for", object="Acme") == [("Nora", "works_at", "Acme")]
    assert read("whatever", subject="x" * (MAX_NAME_CHARS + 1), relation="knows", object="Bob") == []


@pytest.mark.parametrize(
    ("content", "is_value"),
    [("Tom likes hiking", True), ("Tom likes Berlin", False), ("Tom is a nurse", True), ("Tom turned 40", True)],
)
def test_what_is_written_like_a_name_is_an_entity(content: str, *, is_value: bool) -> None:
    """The rest is said of its subject."""
    assert {it.is_value for it in triples_of(Candidate(content=content))} <= {is_value}


@settings(max_examples=50)
@given(st.text(st.sampled_from("AbÄ 's.,;-()\\'\"\n0@İis my sister lives in "), min_size=1, max_size=400))
def test_any_text_is_read_in_bounds(text: str) -> None:
    """Whatever is written, reading ends, and with few relations between names that can be shown."""
    if not text.strip():
        return
    found = triples_of(Candidate(content=text))
    assert len(found) <= MAX_TRIPLES
    assert all(it.subject.strip() and it.relation and it.object.strip() for it in found)
