"""Queries out of a dialogue."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.policies.querying import (
    MAX_ASKED_CHARS,
    MAX_QUESTIONS,
    Dialogue,
    Said,
    as_it_stands,
    bound,
    plan_queries,
    widened,
)
from langchain_agentmem.types import KINDS, Kind, RecallQuery

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)


@pytest.mark.parametrize("text", ["Where do I live?", "I moved to Oslo.", "我住在哪里?", "deploy failures", "", "???"])
def test_the_plan_of_a_plain_message_is_the_message(text: str) -> None:
    """Nothing is added to what asks one thing and leaves nothing unsaid."""
    assert plan_queries(Dialogue(text=text, at=NOON)) == (RecallQuery(text=text),)


def test_a_follow_up_is_asked_with_what_it_leaves_unsaid() -> None:
    """The words of the turns before stand behind it."""
    talk = (Said("user", "Where did I meet Ada?"), Said("assistant", "In Lisbon."))
    assert plan_queries(Dialogue(text="And when was that?", before=talk)) == (
        RecallQuery(text="And when was that? Lisbon Ada meet"),
    )


def test_a_question_knows_the_others_of_its_message() -> None:
    """What one names another may point at."""
    queries = plan_queries(Dialogue(text="Where does my sister Ada live, and what did she study?"))
    assert [query.text for query in queries] == [
        "Where does my sister Ada live?",
        "what did she study? Ada sister live",
    ]


def test_of_many_questions_none_goes_unasked() -> None:
    """The first are asked apart, and then the whole message."""
    text = " ".join(f"What is my number{place}?" for place in range(9))
    queries = plan_queries(Dialogue(text=text))
    assert len(queries) == MAX_QUESTIONS
    assert (queries[0].text, queries[-1].text) == ("What is my number0?", text)


def test_questions_that_were_read_already_are_kept() -> None:
    """Whoever told them apart before has the word."""
    dialogue = Dialogue(text="tea or coffee", questions=("Do I like tea?", " ", "Do I like coffee?"))
    assert [query.text for query in plan_queries(dialogue)] == ["Do I like tea?", "Do I like coffee?"]


def test_the_action_is_asked_about_once() -> None:
    """With the first question: its past failures would come back with each."""
    dialogue = Dialogue(text="Deploy the shop. Did it fail? Who paid?", action="deploy the shop")
    actions = [query.action for query in plan_queries(dialogue)]
    assert (actions[0], set(actions[1:])) == ("deploy the shop", {None})


def test_the_task_at_hand_is_the_one_named_last() -> None:
    """It may stand some turns back; what the assistant says is none."""
    talk = (
        Said("user", "Help me plan a trip to Rome."),
        Said("user", "I'm working on the budget."),
        Said("assistant", "I am trying to help."),
    )
    [query] = plan_queries(Dialogue(text="Which hotel do I know?", before=talk))
    assert query.task == "the budget"


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("What is my favourite food?", {"outcome"}),
        ("Which editor do I prefer?", {"outcome"}),
        ("What are my goals?", {"outcome"}),
        ("Did the last deployment fail?", {"preference", "goal"}),
        ("What do I like about goals?", set()),
    ],
)
def test_kinds_leave_out_only_what_cannot_answer(text: str, out: set[Kind]) -> None:
    """Facts, rules and conversations are always searched."""
    [query] = plan_queries(Dialogue(text=text))
    assert set(KINDS) - set(query.kinds or KINDS) == out


@given(st.sets(st.sampled_from(KINDS)))
def test_no_plan_leaves_out_facts_rules_or_conversations(kinds: set[Kind]) -> None:
    """Kinds only grow, and all of them are no condition."""
    wide = widened(tuple(kinds))
    assert kinds | {"fact", "constraint", "episode"} <= set(wide or KINDS)
    assert wide is None or len(wide) < len(KINDS)


def test_a_plan_says_nothing_of_what_is_the_callers() -> None:
    """Limits, purposes and certainty come from the caller's query, whatever is planned."""
    planned = RecallQuery(text="q", limit=50, purpose="p", min_confidence=0.1, include_pending=True, tags=("t",))
    assert bound(planned, RecallQuery()) == RecallQuery(text="q")


def test_a_time_in_which_something_was_said_is_preferred_and_filters_nothing() -> None:
    """People misjudge how long ago it was."""
    [query] = plan_queries(Dialogue(text="What did we discuss last week?", at=NOON))
    assert (query.since, query.until) == (None, None)
    assert query.prefer_since is not None
    assert query.prefer_until is not None


def test_every_field_the_caller_set_stays() -> None:
    """Field by field; of times, one that is set leaves none to be planned."""
    base = RecallQuery(text="b", kinds=("fact",), until=NOON, purpose="p", task="t", action="a", limit=2)
    planned = RecallQuery(text="q", kinds=("goal",), prefer_since=NOON, as_of=NOON, task="u", action="c")
    assert all(getattr(bound(planned, base), it.name) == getattr(base, it.name) for it in fields(base))


def test_asked_as_it_stands_nothing_is_read_out_of_a_message() -> None:
    """One query, whatever it holds, with the action that somebody else read."""
    dialogue = Dialogue(text="What did we say this week, and what is my favourite?", action="go", at=NOON)
    assert as_it_stands(dialogue) == (RecallQuery(text=dialogue.text, action="go"),)


@given(st.text(max_size=300), st.lists(st.text(max_size=100), max_size=3))
def test_any_dialogue_has_a_plan(text: str, said: list[str]) -> None:
    """Each query can be stored, and there is at least one."""
    queries = plan_queries(Dialogue(text=text, before=tuple(Said("user", it) for it in said), at=NOON))
    assert 1 <= len(queries) <= MAX_QUESTIONS
    assert all(len(query.text) <= MAX_ASKED_CHARS for query in queries)
