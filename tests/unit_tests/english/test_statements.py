"""What rules read from a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.reading.statements import Statement, canonical_relation, parse_statement
from langchain_agentmem.english.text.quantities import match_quantity


def read(text: str) -> Statement:
    return parse_statement(text, speaker_name="Alice")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("it takes 30 s", ("30s",)),
        ("it takes 30 seconds", ("30s",)),
        ("it takes 30s", ("30s",)),
        ("it takes half a minute", ("30s",)),
        ("it takes thirty seconds", ("30s",)),
        ("a 30-second limit", ("30s",)),
        ("it takes 300 ms", ("0.3s",)),
        ("5k users", ("5000",)),
        ("5,000 users", ("5000",)),
        ("twenty-five users", ("25",)),
        ("ten percent", ("10%",)),
        ("10 %", ("10%",)),
        ("$5 million", ("5000000usd",)),
        ("at 3 pm", ("15:00",)),
        ("at 15:00", ("15:00",)),
        ("at 12 am", ("00:00",)),
        ("at noon", ("12:00",)),
        ("on March 5th, 2026", ("2026-03-05",)),
        ("on the 5th of March 2026", ("2026-03-05",)),
        ("on 2026-03-05", ("2026-03-05",)),
        ("on 5 March", ("--03-05",)),
        ("version 3.10", ("3.10",)),
        ("v3.11", ("3.11",)),
        ("2 weeks", ("1209600s",)),
        ("two years", ("24month",)),
        ("34 years old", ("34",)),
        ("twice", ("2x",)),
        ("the second floor", ("#2",)),
        ("5 km and 5 kg", ("5000000mm", "5000g")),
    ],
)
def test_a_quantity_has_one_normal_form(text: str, numbers: tuple[str, ...]) -> None:
    """However an amount, a time or a date is written, it is read as the same token."""
    assert read(text).numbers == numbers


def test_versions_are_distinct() -> None:
    """A version is no decimal number: 3.1 is not 3.10, and 3.11 is not 3.12."""
    assert len({read(f"Python {version}").numbers for version in ("3.1", "3.10", "3.11", "3.12")}) == 4


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("s\u0131x dogs", ()),
        ("F\u0130RST of all", ()),
        ("4 m\u0130nutes", ("4",)),
        ("half a m\u0130nute", ()),
        ("on 5 Apr\u0131l", ("5",)),
        ("2 m\u0130ll\u0130on", ("2",)),
    ],
)
def test_a_turkish_i_makes_no_word_of_a_quantity(text: str, numbers: tuple[str, ...]) -> None:
    """A dotless or dotted i is another letter: what has it stands in no table, and is read as any other word."""
    assert read(text).numbers == numbers


@pytest.mark.parametrize(
    ("text", "found"),
    [("3 week\u017f", ("3", 1)), ("\u017fix dogs", None), ("5 Augu\u017ft", ("5", 1)), ("2 \u212am", ("2000000mm", 4))],
)
def test_raw_text_is_matched_as_tables_have_it(text: str, found: tuple[str, int] | None) -> None:
    """A long s is another letter than s, as it is to a table; the sign of a kelvin is a k in both."""
    assert match_quantity(text, 0) == found


def test_long_numbers_are_not_rounded() -> None:
    """Two account numbers that differ in the last digit stay two."""
    assert read(f"account {'1' * 40} kg").numbers != read(f"account {'1' * 39}2 kg").numbers


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("Alice is allergic to nuts", set()),
        ("Alice is not allergic to nuts", {"allerg", "nut"}),
        ("Alice isn't allergic to nuts", {"allerg", "nut"}),
        ("Alice isnt allergic to nuts", {"allerg", "nut"}),
        ("Alice never eats nuts", {"eat", "nut"}),
        ("Alice no longer eats nuts", {"eat", "nut"}),
        ("Alice stopped eating nuts", {"eat", "nut"}),
        ("Alice used to eat nuts", {"eat", "nut"}),
        ("Alice drinks coffee without sugar", {"sugar"}),
        ("Alice dislikes nuts", {"like", "nut"}),
        ("Alice can't stand nuts", {"like", "nut"}),
        ("Alice doesn't dislike nuts", set()),
        ("Alice is not allergic to nuts but likes almonds", {"allerg", "nut"}),
        ("Alice eats neither meat nor fish", {"meat", "fish"}),
        ("Not only Alice eats nuts", set()),
        ("The tool is used to eat nuts", set()),
    ],
)
def test_negation_covers_its_clause(text: str, negated: set[str]) -> None:
    """A negation reaches to the end of its clause, and two of them cancel out."""
    assert read(text).negated == negated


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("Alice moved to New York", {"new", "york"}),
        ("Deploy to eu-west-1 with config.yaml", {"eu-west-1", "config.yaml"}),
        ("The API returns snake_case and JSON", {"api", "snake_case", "json"}),
        ('Her boat is the "sea breeze"', {"sea", "breeze"}),
        ("Python is what she likes", {"python"}),
        ("Always use tabs", set()),
        ("PRs need two approvals", {"pr"}),
        ("ALICE LIKES DOGS", {"dogs"} - {"dogs"}),
        ("Alice lives in the US", {"usa"}),
        ("Mail bob@example.com", {"mail", "bob@example.com"}),
        ("My brother likes tea", {"brother"}),
    ],
)
def test_names_are_found(text: str, entities: set[str]) -> None:
    """Capitalised, quoted and coded words name something; so do words for other people."""
    assert read(text).entities == entities


@pytest.mark.parametrize(
    ("text", "subject", "relation", "qualifier", "value"),
    [
        ("I live in Paris", "user", "lives_in", "", "paris"),
        ("Alice is based in Paris", "user", "lives_in", "", "paris"),
        ("I moved from Rome to Paris", "user", "lives_in", "", "paris"),
        ("i moved to paris", "user", "lives_in", "", "paris"),
        ("My brother lives in Paris", "user brother", "lives_in", "", "paris"),
        ("Bob lives in Paris", "bob", "lives_in", "", "paris"),
        ("I joined Google", "user", "works_at", "", "google"),
        ("I work for Google", "user", "works_at", "", "google"),
        ("I work as a nurse", "user", "works_as", "", "nurse"),
        ("Call me Al", "user", "called", "", "al"),
        ("My name is Al", "user", "name", "", "al"),
        ("My cat is called Momo", "user", "cat", "", "momo"),
        ("I am 34 years old", "user", "age", "", "34"),
        ("I was born in Warsaw", "user", "birthplace", "", "warsaw"),
        ("My birthday is on 5 March", "user", "birthday", "", "5 March"),
        ("My wife is called Anna", "user", "partner", "", "anna"),
        ("I am married to Anna", "user", "partner", "", "anna"),
        ("My favourite colour is blue", "user", "favourite", "colour", "blue"),
        ("Blue is my favorite color", "user", "favourite", "colour", "blue"),
        ("My preferred editor is vim", "user", "preferred", "editor", "vim"),
        ("The default branch is main", "", "default", "branch", "main"),
        ("I use TypeScript for the frontend", "user", "uses_for", "frontend", "typescript"),
        ("Alice prefers Python for backend services", "user", "prefers_for", "backend", "python"),
        ("For backend work, Alice prefers Python", "user", "prefers_for", "backend", "python"),
        ("The deadline for the report is Friday", "", "deadline", "report", "friday"),
        ("The report is due on Friday", "", "deadline", "report", "friday"),
        ("The Python version is 3.11", "", "version", "python", "3.11"),
        ("My timezone is CET", "user", "timezone", "", "cet"),
        ("My native language is Polish", "user", "native", "language", "polish"),
        ("My phone is a Pixel 8", "user", "phone", "", "pixel 8"),
        ("The deploy target is eu-west-1", "", "target", "deploy", "eu-west-1"),
        ("I like tea", "user", "likes", "", "tea"),
        ("I am allergic to nuts", "user", "allergic_to", "", "nuts"),
        ("I drive a Volvo", "user", "drives", "", "volvo"),
        ("I own a boat", "user", "owns", "", "boat"),
    ],
)
def test_a_relation_is_read(text: str, subject: str, relation: str, qualifier: str, value: str) -> None:
    """Subject, relation, qualifier and object of the usual ways to state a fact."""
    fact = read(text).facts[0]
    expected = parse_statement("x", relation=relation, object=value).object
    assert (fact.subject, fact.relation, fact.object) == (subject, relation, expected)
    assert fact.qualifier == (parse_statement("x", relation="r", object=qualifier).object if qualifier else "")


@pytest.mark.parametrize(
    "text", ["I moved to the backend team", "I live in a small flat", "I moved to Linux", "I want to live in Berlin"]
)
def test_a_home_is_a_place(text: str) -> None:
    """A move to a team, a tool or a wish is no new address."""
    assert read(text).relation != "lives_in"


@pytest.mark.parametrize(
    "text", ["I used to live in Rome", "I lived in Rome", "I may live in Rome", "I no longer live in Rome"]
)
def test_a_fact_that_does_not_hold_now_is_not_certain(text: str) -> None:
    """Past, possible and denied facts take no one's place."""
    assert not any(fact.is_certain for fact in read(text).facts)


def test_each_clause_may_state_a_fact() -> None:
    """A sentence with two verbs says two things about one subject."""
    assert [fact.relation for fact in read("I live in Paris and work at Google").facts] == ["lives_in", "works_at"]


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("tabs over spaces", "tab", "space"),
        ("use tabs instead of spaces", "tab", "space"),
        ("tabs rather than spaces", "tab", "space"),
        ("Instead of spaces, use tabs", "tab", "space"),
        ("prefer tabs to spaces", "tab", "space"),
        ("tabs, not spaces", "tab", "space"),
        ("tabs before spaces", "tab", "space"),
        ("spaces after tabs", "tab", "space"),
        ("convert from tabs to spaces", "tab", "space"),
        ("tabs are better than spaces", "tab", "space"),
    ],
)
def test_the_order_of_arguments_is_read(text: str, first: str, second: str) -> None:
    """Whatever word ranks two arguments, the first is known from the second."""
    order = read(text).ordered[0]
    assert first in order.first - order.second
    assert second in order.second - order.first


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        ("actually TypeScript, not JavaScript", "javascript", "typescript"),
        ("not Monday but Tuesday", "monday", "tuesday"),
        ("We switched from MySQL to Redis", "mysql", "redi"),
        ("use tabs instead of spaces", "space", "use tab"),
        ("50 users, not 15 users", "15 users", "50 users"),
    ],
)
def test_a_correction_names_both_sides(text: str, wrong: str, right: str) -> None:
    """What is taken back, and what stands in its place."""
    statement = read(text)
    assert (statement.is_correction, statement.corrected_from, statement.corrected_to) == (True, wrong, right)


@pytest.mark.parametrize(
    "text",
    [
        "No, it is Tuesday",
        "I meant Tuesday",
        "Correction: the venue is Hall B",
        "I moved to Berlin",
        "I no longer smoke",
        "It's Tuesday now",
        "Use tabs instead",
        "I changed my mind",
    ],
)
def test_a_correction_is_noticed(text: str) -> None:
    """The words by which people correct themselves."""
    assert read(text).is_correction


@pytest.mark.parametrize(
    "text", ["Nobody likes rain", "I live in Paris", "She is not allergic to nuts", "Notes are in markdown"]
)
def test_a_plain_statement_corrects_nothing(text: str) -> None:
    """A denial alone is no correction."""
    assert not read(text).is_correction


def test_the_speaker_is_one_person() -> None:
    """First person, "the user" and the speaker's name mean the same; the user interface is not a person."""
    statements = [read(f"{who} likes tea") for who in ("Alice", "The user", "User", "alice")]
    assert {statement.sequence for statement in statements} == {("user", "like", "tea")}
    assert read("The user interface is slow").subject == ""


def test_what_the_caller_knows_replaces_what_the_rules_found() -> None:
    """A given relation is the only fact, under its usual name."""
    statement = parse_statement(
        "Rome it is", subject="Alice", relation="Residence", object="Rome", speaker_name="Alice"
    )
    assert [(fact.subject, fact.relation, fact.object) for fact in statement.facts] == [("user", "lives_in", "rome")]
    assert parse_statement("Tuesday", is_correction=True).is_correction


def test_spellings_of_a_relation_are_one() -> None:
    """Works for, employer and works_at are judged alike; an unknown relation keeps its name."""
    assert {canonical_relation(name) for name in ("Works for", "employer", "works-at")} == {"works_at"}
    assert canonical_relation("Blood type") == "blood_type"


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    """No text, in whatever script, makes the reader fail, and reading is deterministic."""
    assert parse_statement(text, speaker_name="Alice") == parse_statement(text, speaker_name="Alice")


@pytest.mark.parametrize(
    ("text", "correction"),
    [
        ("Actually, I live in Ghent", "marked"),
        ("I use Vim instead", "marked"),
        ("I actually live in Ghent, which my colleagues in the other office have known for years", "marked"),
        ("I live in a house that was actually built by my grandfather", "none"),
        ("I drink tea with my team, because the machine in the kitchen only makes cocoa instead", "none"),
        ("I work at Acme, where the release of the new version was moved to June", "none"),
    ],
)
def test_a_correction_is_marked_in_the_main_clause(text: str, correction: str) -> None:
    """What a subordinate clause says of something else takes nothing back."""
    assert parse_statement(text).correction == correction


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("I want to live in York and work at Globex", []),
        ("The user would like to move to York and work at Globex", []),
        ("The user wants to live in York and works at Globex", ["works_at"]),
        ("I'd like to live in York and I work at Globex", ["works_at"]),
        ("I love to cook and live in York", ["likes", "lives_in"]),
        ("I moved to York and work at Globex", ["lives_in", "works_at"]),
    ],
)
def test_a_wish_goes_on_with_a_plain_verb(text: str, relations: list[str]) -> None:
    """Who wants to work somewhere does not work there yet, and goes on to work where they did."""
    assert [it.relation for it in parse_statement(text).facts] == relations
