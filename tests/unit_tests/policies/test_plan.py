"""How a question is searched for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from langchain_agentmem._search import NamedDate
from langchain_agentmem._terms import speaker_hash, tokenize
from langchain_agentmem.policies.plan import plan, without_asking

NOW = datetime(2026, 3, 18, 12, tzinfo=UTC)
SPEAKERS = [speaker_hash(name) for name in ("Mel", "Mel Brown", "Caroline")]


@pytest.mark.parametrize(
    ("question", "bare"),
    [
        ("Can you list the museums I visited? Mention only five items.", "the museums I visited?"),
        ("Please give me a summary of my trips to Lisbon", "my trips to Lisbon"),
        (
            "Throughout our conversations, how did my garden project change over time?",
            "how did my garden project change?",
        ),
        ("Where does Nora live?", "Where does Nora live?"),
        ("List it in order", "List it in order"),
    ],
)
def test_what_asks_is_left_out(question: str, bare: str) -> None:
    """Words about the answer and about the conversation stand in every conversation; a question keeps two terms."""
    assert without_asking(question) == bare


@pytest.mark.parametrize(
    ("question", "dated"),
    [
        ("How much rent do I pay currently?", {"much", "pay", "current"}),
        ("How old is my dog now?", {"old", "now"}),
        ("How much did I pay for the dog?", {"much"}),
        ("Who has my old dog?", set()),
    ],
)
def test_no_answer_needs_the_words_that_ask_for_a_number_or_for_now(question: str, dated: set[str]) -> None:
    """They are searched for as ever; that they were not said makes no answer less likely."""
    planned = plan(question)
    assert set(planned.dated) == dated < set(planned.terms)


def test_speakers_are_known_by_their_names() -> None:
    """As a whole, in the possessive, whatever their case; and are no terms any more."""
    planned = plan("What did mel brown think of Caroline's garden?", SPEAKERS)
    assert planned.speakers >= {speaker_hash("Mel Brown"), speaker_hash("Caroline")}
    assert planned.terms == tuple(tokenize("think garden"))
    assert "mel" not in planned.text.casefold()


def test_a_name_that_nobody_has_is_a_word() -> None:
    """It is matched like any other."""
    planned = plan("What did Nora think of it?", SPEAKERS)
    assert (planned.speakers, "nora" in planned.terms) == (frozenset(), True)


def test_a_question_of_nothing_but_names_is_taken_as_it_is() -> None:
    """Something has to be matched."""
    planned = plan("Mel?", SPEAKERS)
    assert planned.terms == ("mel",)
    assert planned.speakers == {speaker_hash("Mel")}


def test_dates_are_read_where_there_is_a_clock() -> None:
    """Exact ones always."""
    assert plan("What did I say on 8 May?").dates == (NamedDate(month=5, day=8),)
    assert (len(plan("yesterday in Rome", now=NOW).dates), plan("yesterday in Rome").dates) == (1, ())


@given(st.text(max_size=80), st.booleans())
@example("Which of my projects still need .NET?", False)  # noqa: FBT003
@example("0 .0", False)  # noqa: FBT003
def test_any_text_has_a_plan(text: str, knows: bool) -> None:  # noqa: FBT001
    """Its terms are distinct terms of the question, and nothing is made up."""
    planned = plan(text, SPEAKERS if knows else (), NOW)
    assert set(planned.terms) <= set(tokenize(text))
    assert len(set(planned.terms)) == len(planned.terms)
    assert planned.text or not text


@given(st.text(max_size=80))
def test_a_plan_is_the_same_every_time(text: str) -> None:
    """It depends on nothing but what it is given."""
    assert plan(text, SPEAKERS, NOW) == plan(text, list(reversed(SPEAKERS)), NOW)


def test_a_megabyte_is_planned() -> None:
    """A pasted document is no question, and no error either."""
    assert plan("please list " + "the garden of Mel " * 60_000, SPEAKERS).terms == ("garden",)


@pytest.mark.parametrize(
    ("question", "is_of_time"),
    [
        ("What did I say yesterday?", True),
        ("Anything new since Friday?", True),
        ("What did Nora do on 3 May?", True),
        ("Where was I yesterday?", False),
        ("Who called on 3 May?", False),
        ("What did Nora do for Ben on 3 May?", False),
    ],
)
def test_who_or_where_is_more_than_what_was_told_of_a_time(question: str, *, is_of_time: bool) -> None:
    """The time alone decides only where nothing else is asked: no place, no person, nobody for whom it was done."""
    names = [speaker_hash("Nora"), speaker_hash("Ben")]
    assert plan(question, names, datetime(2026, 6, 17, tzinfo=UTC)).is_of_time is is_of_time
