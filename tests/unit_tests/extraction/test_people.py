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
        "If my sister Nora works at Acme, I will visit.",
        "My sister Nora says Tom works at Acme.",
        "My brother works for free.",
        "My brother works at night.",
        "My brother works as well.",
        "My dad lives in the past.",
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


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("My sister Nora worked at Acme.", NORA),
        ("My sister Nora wants to work at Acme.", NORA),
        ("My sister Nora works at Acme today.", NORA),
        ("My friend Sam works at the moment on his thesis.", "The user's friend is Sam"),
        ("My colleague Ben works for a living.", "The user's colleague is Ben"),
        ("My boss Tom manages just fine.", "The user's boss is Tom"),
        ("My sister Nora is based in reality.", NORA),
        ("My husband Mike is late again.", "The user's husband is Mike"),
        ("My sister Nora loves it when I cook.", NORA),
    ],
)
def test_who_somebody_is_is_kept_whatever_is_said_of_them(text: str, who: str) -> None:
    """What passes is not told, and the name beside what they are to the user lasts."""
    assert contents(text) == [who]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My husband Mike works offshore.", ["The user's husband is Mike", "Mike works offshore"]),
        ("My daughter Emma plays the piano.", ["The user's daughter is Emma", "Emma plays the piano"]),
        ("My sister Nora loves hiking.", [NORA, "Nora loves hiking"]),
        ("Our daughter Maya was born on the 2nd.", ["The user's daughter is Maya", "Maya was born on the 2nd"]),
        ("My sister Nora is my emergency contact.", [NORA, "Nora is the user's emergency contact"]),
        ("My son hates broccoli.", ["The user's son hates broccoli"]),
        ("My mum is diabetic.", ["The user's mum is diabetic"]),
        ("My mother-in-law is diabetic.", ["The user's mother-in-law is diabetic"]),
        ("My parents live in Bergen.", ["The user's parents live in Bergen"]),
        ("My kids hate broccoli.", ["The user's kids hate broccoli"]),
        ("My wife's birthday is on June 3rd.", ["The user's wife's birthday is on June 3rd"]),
        ("My sister Nora's birthday is 3 May.", [NORA, "Nora's birthday is 3 May"]),
        ("My ex is called Chiara.", ["Ana's ex is called Chiara"]),
        ("my gf nora moved in w me", ["The user's girlfriend is Nora", "Nora moved in with the user"]),
        ("my partner dan is vegan", ["The user's partner is Dan", "Dan is vegan"]),
        ("my daughters name is emma", ["Ana's daughter's name is Emma"]),
        ("my wifes allergic to shellfish", ["The user's wife is allergic to shellfish"]),
    ],
)
def test_what_lasts_of_the_users_own_is_told(text: str, told: list[str]) -> None:
    """How they live, what they like and cannot eat, when they were born; also in small letters."""
    assert contents(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My son Noah is 6 and allergic to peanuts.", ["Noah is 6", "Noah is allergic to peanuts"]),
        ("My son Noah, 6, is allergic to peanuts.", ["Noah is 6", "Noah is allergic to peanuts"]),
        ("My son is 6, allergic to peanuts.", ["The user's son is 6", "The user's son is allergic to peanuts"]),
        ("My 6 year old is allergic to peanuts.", ["The user's 6 year old is allergic to peanuts"]),
        ("Our toddler is allergic to eggs.", ["The user's toddler is allergic to eggs"]),
        ("My youngest has a nut allergy.", ["The user's youngest has a nut allergy"]),
        ("my daughter emma can't eat gluten", ["Emma cannot eat gluten"]),
    ],
)
def test_an_allergy_is_told_beside_whatever_else_is_said(text: str, told: list[str]) -> None:
    """Who is six and allergic is told to be each."""
    assert contents(text)[-len(told) :] == told


@pytest.mark.parametrize(
    "text",
    [
        "My friend is diabetic.",
        "My colleague loves meetings.",
        "My brother loves the new layout.",
        "My wife hates when I snore.",
        "My son plays with his food.",
        "My wife works in the garden.",
        "My mum is sick.",
        "Our kids are in bed.",
        "My wife's birthday is today.",
        "My therapist Monday sessions are long.",
        "my mum car is broken",
        "my son school is closed",
        "my mum house is 90 years old",
        "my partner never is on time",
        "my partner firm works for free",
    ],
)
def test_gossip_moments_and_things_are_nobody_of_the_users(text: str) -> None:
    """Of friends no health and no likes, of nobody what passes; a word in small letters may be a thing."""
    assert contents(text) == []
