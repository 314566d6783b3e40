"""Updates among statements that speak of one thing alone, so that a single word tells what they are about."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Hit, Scope
from langchain_agentmem.english.reading.claims import pack_claims, unpack_claims
from langchain_agentmem.policies.stated import stated_in
from langchain_agentmem.policies.updates import Update, update_between


def updated(earlier: str, later: str) -> Update | None:
    """Return what one statement changes of another, as it is found among what was kept."""
    return update_between(*(unpack_claims(pack_claims(stated_in(it))) for it in (earlier, later)))


def recalled(said: list[str], question: str) -> list[Hit]:
    """Return what is found of turns that were told on days after each other, each in a session of its own."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for number, text in enumerate(said):
            turn = HumanMessage(text, name="Nora", id=f"m{number}")
            at = datetime(2026, 1, 2, tzinfo=UTC) + timedelta(days=number)
            memory.episodes.ingest([turn], scope=Scope("alice", session_id=f"s{number}"), at=at)
        return list(memory.long_term.recall(question, scope=Scope("alice")))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The wedding is on 5 June.", "The wedding was moved to 12 June."),
        ("My wedding will be on 5 June.", "We postponed the wedding to 12 June, because the hall is closed."),
        ("The deadline is 5 June.", "The deadline is now 12 June."),
        ("The project deadline is 5 June.", "The project deadline is now 12 June."),
        ("The meeting is at 3 pm.", "The meeting was moved to 4 pm."),
        ("Our standup is at 9 am.", "We've moved our standup to 10 am, so please come later."),
        ("The concert is on 5 June at 8 pm.", "The concert has been moved from 5 June to 12 June."),
        ("the party is on june 5th", "Unfortunately, the party got pushed back to June 9th!"),
        ("The wedding is on 5 June.", "The wedding was delayed until 12 June."),
        ("My salary is $3,000.", "Good news: my salary was raised to $3,400."),
        ("The rent is 700 a month.", "The rent is now 850 a month."),
        ("My budget is 300 euros.", "My budget was cut to 200 euros."),
        ("The coverage is 40%.", "The coverage has improved to 55%."),
    ],
)
def test_one_word_is_enough_where_both_speak_of_nothing_else(earlier: str, later: str) -> None:
    """A clause that gives a single thing a value updates another one of the same thing, whatever the thing is."""
    assert updated(earlier, later) is not None
    assert updated(later, earlier) is None


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The deadline for the grant is 5 June.", "The deadline is now 12 June."),
        ("The deadline is 5 June.", "The deadline for the grant is now 12 June."),
        ("The project deadline is 5 June.", "The work deadline is now 12 June."),
        ("The other deadline is 5 June.", "The other deadline is now 12 June."),
        ("The next meeting is at 3 pm.", "The next meeting is now at 4 pm."),
        ("The meeting is at 3 pm on Monday.", "The meeting is now at 4 pm on Tuesday."),
        ("The meeting is at 3 pm.", "Is the meeting now at 4 pm?"),
        ("The meeting is at 3 pm.", "The meeting was moved to 4 pm, right?"),
        ("If it rains, the party is at 5 pm.", "The party is now at 6 pm."),
        ("The wedding is on 5 June.", "The concert was moved to 12 June."),
        ("The wedding is on 5 June.", "The wedding is on 12 June."),
        ("Her wedding is on 5 June.", "The wedding was moved to 12 June."),
        ("Anna's wedding is on 5 June.", "The wedding was moved to 12 June."),
        ("The trip takes 3 days.", "The trip now costs 300 euros."),
        ("The rent is 700 for the garage.", "The rent is now 850 for the flat."),
        ("I paid $50.", "I now paid $60."),
        ("I need 5 minutes.", "I now need 10 minutes."),
    ],
)
def test_one_word_is_not_enough_where_either_tells_more(earlier: str, later: str) -> None:
    """What is for something, one of many, somebody else's, asked, supposed or no thing at all may be another."""
    assert updated(earlier, later) is None


def test_an_update_of_one_thing_stands_above_and_hides_nothing() -> None:
    """Asked for what holds now, the later one comes first; the earlier one is there, and is not called replaced."""
    hits = recalled(["The wedding is on 5 June.", "The wedding was moved to 12 June."], "When is the wedding?")
    assert ["12 June" in it.memory.content for it in hits] == [True, False]
    assert [it.memory.status for it in hits] == ["active", "active"]


def test_the_last_of_several_changes_stands_first() -> None:
    """That a thing was moved twice makes it no common word."""
    said = ["The wedding is on 5 June.", "The wedding was moved to 12 June.", "The wedding is now on 19 June."]
    assert "19 June" in recalled(said, "When is the wedding?")[0].memory.content


def test_a_common_word_alone_orders_nothing() -> None:
    """Of a thing that is spoken of all the time, two statements may be of two different ones."""
    rare = ["The meeting is at 3 pm.", "The meeting was moved to 4 pm."]
    common = [*rare, *(f"Guest {number} told me about a meeting." for number in range(40))]
    assert [it.memory.supersedes != () for it in recalled(rare, "When is the meeting?")] == [True, False]
    assert not any(it.memory.supersedes for it in recalled(common, "When is the meeting?"))
