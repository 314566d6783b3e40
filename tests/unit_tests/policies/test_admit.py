"""Which memories a recall may use: laws of a pure function."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem import Memory, RecallQuery, Scope
from langchain_agentmem.policies.admit import Admission

NOW: Final = datetime(2026, 6, 1, tzinfo=UTC)
TEA: Final = Memory(
    id="m",
    scope=Scope("alice"),
    kind="fact",
    content="Alice drinks green tea",
    confidence=0.9,
    importance=0.5,
    source="explicit",
    created_at=NOW,
)
TIMES: Final = st.integers(-10, 10).map(lambda days: NOW + timedelta(days=days))


def is_admitted(memory: Memory, **asked: datetime | None) -> bool:
    """Whether a recall may use a memory."""
    query = RecallQuery(text="tea", as_of=asked.get("as_of"), since=asked.get("since"), until=asked.get("until"))
    return Admission(query=query, now=NOW).objection(memory) is None


@given(TIMES, st.none() | TIMES)
def test_what_has_expired_is_found_for_no_time(expires_at: datetime, as_of: datetime | None) -> None:
    """It was to be used until then, whatever time the question is about; what expires later may be."""
    memory = replace(TEA, valid_at=NOW - timedelta(days=20), expires_at=expires_at)
    assert is_admitted(memory, as_of=as_of) is (expires_at > NOW)
    query = RecallQuery(text="tea", as_of=as_of)
    assert Admission(query=query, now=NOW).holds(memory) is (expires_at > NOW)


@given(TIMES, TIMES, TIMES, TIMES)
def test_windows_that_adjoin_share_nothing_and_leave_nothing_out(
    first: datetime, second: datetime, third: datetime, valid_at: datetime
) -> None:
    """A window begins with `since` and ends before `until`, so that two of them find together what the whole finds."""
    since, between, until = sorted((first, second, third))
    memory = replace(TEA, valid_at=valid_at)
    found = [
        is_admitted(memory, as_of=until, since=begin, until=end)
        for begin, end in ((since, between), (between, until), (since, until))
        if begin < end
    ]
    is_within = since <= valid_at < until
    assert found.count(True) == (0 if not is_within else 2 if since < between < until else len(found))
