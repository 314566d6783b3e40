"""What a user says of the people around them is taken; what is said of the world at large is not."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor

NORA = "The user's sister is Nora"


def contents(*texts: str) -> list[str]:
    return [it.content for it in RuleExtractor().extract([HumanMessage(it) for it in texts], user_name="Ana")]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My sister Nora works at Acme.", [NORA, "Nora works at Acme"]),
        ("My sister Nora works at Acme and lives in Lyon.", [NORA, "Nora works at Acme", "Nora lives in Lyon"]),
        ("my younger brother Tom was born in Porto", ["The user's brother is Tom", "Tom was born in Porto"]),
        ("Our manager, Eva Lind, reports to Karl.", ["The user's manager is Eva Lind", "Eva Lind reports to Karl"]),
        ("My friend Sam has a dog called Rex.", ["The user's friend is Sam", "Sam has a dog called Rex"]),
        ("My daughter Mia is married to Paul.", ["The user's daughter is Mia", "Mia is married to Paul"]),
        ("My boss Tom manages Nora and Paul.", ["The user's boss is Tom", "Tom manages Nora and Paul"]),
        ("My colleague Ben uses Vim.", ["The user's colleague is Ben", "Ben uses Vim"]),
        ("My niece Lea studies at MIT, can you believe it?", ["The user's niece is Lea", "Lea studies at MIT"]),
        ("Nora is my sister.", [NORA]),
        ("Nora is my sister and works at Acme.", [NORA, "Nora works at Acme"]),
        ("Nora's husband Paul works for Globex.", ["Nora's husband is Paul", "Paul works for Globex"]),
        ("My mum lives in Graz.", ["The user's mum lives in Graz"]),
        ("Our teacher Ms. Lind lives in Bern.", ["The user's teacher is Ms. Lind", "Ms. Lind lives in Bern"]),
        ("Nora works at Acme.", ["Nora works at Acme"]),
        ("My sister Nora no longer works at Acme.", [NORA, "Nora no longer works at Acme"]),
    ],
)
def test_who_people_are_and_what_lasts_about_them_is_told(text: str, told: list[str]) -> None:
    """Each relation is a fact of its own, and stands alone."""
    assert contents(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "Marie Curie was born in Warsaw and worked in Paris.",
        "Kubernetes manages pods.",
        "Terraform manages AWS.",
        "Sentry reports to Slack.",
        "Docker works for Windows.",
        "Jenkins lives in AWS.",
        "React uses Babel.",
        "This works for me.",
        "Everyone works at home.",
        "He works at Acme.",
        "Does my sister Nora work at Acme?",
        "I think my sister Nora works at Acme.",
        "My sister Nora might work at Acme.",
        "My sister Nora worked at Acme.",
        "My sister Nora wants to work at Acme.",
        "If my sister Nora works at Acme, I will visit.",
        "My sister Nora says Tom works at Acme.",
        "My sister Nora works at Acme today.",
        "My brother works for free.",
        "My brother works at night.",
        "My brother works as well.",
        "My friend Sam works at the moment on his thesis.",
        "My colleague Ben works for a living.",
        "My boss Tom manages just fine.",
        "My dad lives in the past.",
        "My sister Nora is based in reality.",
        "My boss is happy.",
        "My teacher lives in fear.",
        "My dad is married to his job.",
        "Imagine my sister Nora works at Acme.",
    ],
)
def test_what_is_no_lasting_relation_of_a_person_is_left_out(text: str) -> None:
    """Strangers, tools, questions, doubts, the past, and figures of speech tell nothing of anybody."""
    assert contents(text) == []


def test_who_was_introduced_is_known_afterwards() -> None:
    """A name that means anything by itself is a person once the user said who it is."""
    assert contents("Tom lives in Oslo.") == []
    assert contents("My boss is Tom.", "Tom lives in Oslo.")[1:] == ["Tom lives in Oslo"]


def test_a_relation_names_whom_it_is_about() -> None:
    """Subject, relation and object are those of the person, and the words of the user are the evidence."""
    [role, work] = RuleExtractor().extract([HumanMessage("My sister Nora works at Acme.", id="m1")], user_name="Ana")
    assert (role.subject, role.relation, role.object) == ("user", "sister", "Nora")
    assert (work.subject, work.relation, work.object) == ("Nora", "works_at", "Acme")
    assert work.provenance.evidence == "My sister Nora works at Acme"
    assert (work.source, work.provenance.message_ids) == ("explicit", ("m1",))


@pytest.mark.parametrize(
    ("text", "relation"), [("in Porto", "birthplace"), ("in 1980", "birthday"), ("in May", "birthday")]
)
def test_where_somebody_was_born_is_not_when(text: str, relation: str) -> None:
    """A year or a month is no place."""
    found = RuleExtractor().extract([HumanMessage(f"My brother Tom was born {text}.")])
    assert [it.relation for it in found] == ["brother", relation]
