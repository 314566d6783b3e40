"""The contract of planners: queries out of what is said, within what the caller set, whatever is said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import strategies as st

from langchain_agentmem import Dialogue, Planner, RecallQuery
from langchain_agentmem.planning.contract import FlowPlanner
from langchain_agentmem.policies.querying import MAX_QUESTIONS, Said
from tests.conftest import Call

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
TALK = (Said("user", "Where did I go on holiday in May?"), Said("assistant", "You went to Lisbon with Ada."))
ODD = (
    "",
    "   ",
    "?",
    "\x00",
    "a\x00b \ud800",
    "the of and",
    "\"\" '' ()",
    "AND OR NOT NEAR(* ^ : - + ~",
    "SELECT 1; DROP TABLE memories; --",
    "我住在哪里？我喜欢什么？",
    "Где я живу? Что я люблю?",
    "أين أعيش؟",
    "\u202e\u200b\ufeff",
    "🙂🙃",
    "x" * 1_000_000,
    "what is it? " * 90_000,
    "\ud800" * 1_000_000,
)


class PlannerContract:
    """Subclass it beside a fixture `planner`."""

    async def test_it_is_a_planner(self, planner: FlowPlanner) -> None:
        """Any object with the method of the port is one."""
        assert isinstance(planner, Planner)

    async def test_a_plain_question_is_itself(self, planner: FlowPlanner, call: Call) -> None:
        """What asks one thing and leaves nothing unsaid is asked as it stands."""
        [query] = await call(planner, "plan", Dialogue(text="Where do I live?", before=TALK, at=NOON))
        assert query == RecallQuery(text="Where do I live?", planned_by=query.planned_by)
        assert query.planned_by

    async def test_what_the_caller_set_wins(self, planner: FlowPlanner, call: Call) -> None:
        """Fields that differ from their defaults stay; a time that is set leaves no other to be planned."""
        base = RecallQuery(
            kinds=("fact",), since=NOON - timedelta(1), task="move house", action="move", purpose="p", limit=3
        )
        dialogue = Dialogue(text="What was my favourite colour back in March?", before=TALK, at=NOON, action="paint")
        for query in await call(planner, "plan", dialogue, base):
            assert query == RecallQuery(
                text=query.text,
                planned_by=query.planned_by,
                kinds=("fact",),
                since=NOON - timedelta(1),
                task="move house",
                action="move",
                purpose="p",
                limit=3,
            )

    async def test_a_text_that_the_caller_set_is_what_is_asked(self, planner: FlowPlanner, call: Call) -> None:
        """Nothing is told apart, and nothing added."""
        base = RecallQuery(text="What is it, and who is she?")
        [query] = await call(planner, "plan", Dialogue(text="Where do I live?", before=TALK, at=NOON), base)
        assert query.text == base.text

    @pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text)[:20])
    async def test_whatever_is_said_can_be_asked(self, planner: FlowPlanner, call: Call, text: str) -> None:
        """Length, script, NUL and operators are no errors; there are as many queries as there may be."""
        dialogue = Dialogue(text=text, before=(Said("user", text), Said("assistant", text)), action=text, at=NOON)
        assert 1 <= len(await call(planner, "plan", dialogue)) <= MAX_QUESTIONS


SAID = st.lists(st.text(max_size=80), max_size=3)
"""Turns before."""


def check_any_text(planner: FlowPlanner, text: str, said: list[str], at: datetime) -> None:
    """Planning never fails, never asks too much, and leaves alone what is the caller's."""
    before = tuple(Said("user", words) for words in said)
    queries = planner.plan(Dialogue(text=text, before=before, at=at.replace(tzinfo=UTC)))
    assert 1 <= len(queries) <= MAX_QUESTIONS
    assert all((it.limit, it.purpose, it.min_confidence) == (5, None, 0.7) for it in queries)
