"""Pages and their cursors, whichever listing makes them."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Final

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError, Page, Scope, aevery, every
from langchain_agentmem._flow import Flow, run
from langchain_agentmem.types.paging import MAX_LIMIT, Order, check_limit, every_flow

ALICE: Final = Scope("alice")
LETTERS: Final = Order("letters.list", (int, float, str))
DATED: Final = Order("dates.list", (datetime,))
PLACE: Final = (1, 0.5, "a")


def letters(*, limit: int = 2, cursor: str | None = None) -> Page[str]:
    """Return a page of the alphabet's beginning."""
    start = Order("letters.list", (str,)).start(cursor)
    found = [it for it in "abcde" if start is None or it > start[0]]
    return Order("letters.list", (str,)).page(found, check_limit(limit), lambda it: (it,))


async def aletters(*, limit: int = 2, cursor: str | None = None) -> Page[str]:
    """Return a page likewise, awaited."""
    return letters(limit=limit, cursor=cursor)


def made_up(*parts: object) -> str:
    """Return what looks like a cursor."""
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode()


def test_a_page_is_a_sequence_that_knows_whether_more_follows() -> None:
    """It counts, slices and iterates like a tuple, and its repr says no word of what it holds."""
    page = letters()
    assert (len(page), page[0], page[:1], list(page), page.is_last) == (2, "a", ("a",), ["a", "b"], False)
    assert "'a'" not in repr(page)
    assert repr(letters(limit=9)) == "Page(5 items)"
    assert page.each(str.upper) == Page(items=("A", "B"), cursor=page.cursor)


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6])
def test_every_record_is_walked_once(limit: int) -> None:
    """Whatever the size of a page; the last page has no cursor, also where it is full."""
    assert "".join(every(letters, limit=limit)) == "abcde"
    assert letters(limit=5).is_last


async def test_awaited_every_record_is_walked_once() -> None:
    """The twin awaits page by page."""
    assert "".join([it async for it in aevery(aletters, limit=2)]) == "abcde"


def test_in_a_flow_every_record_is_walked_once() -> None:
    """A flow of a cursor is walked as what is called is."""

    def listed(cursor: str | None) -> Flow[Page[str]]:
        yield from ()
        return letters(cursor=cursor)

    assert "".join(run(every_flow(listed))) == "abcde"


def test_a_page_is_read_once_it_is_needed() -> None:
    """Who stops early has read no page in vain."""
    asked: list[str | None] = []

    def listed(*, cursor: str | None = None) -> Page[str]:
        asked.append(cursor)
        return letters(cursor=cursor)

    walk = every(listed)
    assert [next(walk), next(walk)] == ["a", "b"]
    assert asked == [None]


def test_a_place_comes_back_as_it_was() -> None:
    """A cursor is the place where its page ended, whatever words are in it."""
    for place in (PLACE, (-(2**62), 2.0**52, "ÉŁ's — 🙂\n"), (0, 1, "")):
        assert LETTERS.start(LETTERS.cursor(place)) == place
    for at in (datetime(2026, 3, 1, 9, 30, 0, 123_456, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC)):
        assert DATED.start(DATED.cursor((at,))) == (at,)


def test_a_cursor_of_another_listing_is_refused_by_both_names() -> None:
    """A cursor continues the listing it was made by, and no other."""
    other = Order("digits.list(order_by='size')", (int, float, str))
    with pytest.raises(ConfigurationError, match=r"one of letters\.list, not of digits\.list\(order_by='size'\)"):
        other.start(LETTERS.cursor(PLACE))
    with pytest.raises(ConfigurationError, match=r"one of digits\.list\(order_by='size'\), not of letters\.list"):
        LETTERS.start(other.cursor(PLACE))


def test_a_cursor_of_another_run_is_refused_without_its_name() -> None:
    """What each run has a listing of is continued for that run alone."""
    steps = Order("runs.steps", (int,), of="run-1")
    with pytest.raises(ConfigurationError, match=r"one of another runs\.steps, not of runs\.steps; pass"):
        Order("runs.steps", (int,), of="run-2").start(steps.cursor((1,)))
    assert steps.start(steps.cursor((1,))) == (1,)


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "é",
        5,
        LETTERS.cursor(PLACE)[:-1],
        LETTERS.cursor(PLACE)[4:],
        made_up(),
        made_up("letters.list"),
        made_up("letters.list", "", 1, 0.5),
        made_up("letters.list", "", 1, 0.5, "a", "b"),
        made_up("letters.list", "", 1, 0.5, None),
        made_up("letters.list", "", 1, 0.5, "a\x00"),
        made_up("letters.list", "", 1, 0.5, "\ud800"),
        made_up("letters.list", "", *(True, 0.5, "a")),
        made_up("letters.list", "", 1.5, 0.5, "a"),
        made_up("letters.list", "", 2**63, 0.5, "a"),
        made_up("letters.list", "", 1, float("nan"), "a"),
        made_up("letters.list", "", 1, float("-inf"), "a"),
        made_up("Alice said: call me", *PLACE),
        made_up(["letters.list"], "", *PLACE),
        base64.urlsafe_b64encode(b"[" * 100_000).decode(),
        base64.urlsafe_b64encode(b"[" * 5_000).decode(),
    ],
)
def test_a_cursor_that_was_made_up_is_refused(cursor: str) -> None:
    """No cursor brings to a database what it cannot compare, exhausts the stack, or puts words into an error."""
    with pytest.raises(ConfigurationError, match=r"the cursor is damaged, or none of letters\.list; pass"):
        LETTERS.start(cursor)


@pytest.mark.parametrize("micros", [2**62, -(2**62), 1.5, "2026-03-01", None])
def test_a_time_that_was_made_up_is_refused(micros: object) -> None:
    """No cursor names a time that there is not."""
    with pytest.raises(ConfigurationError, match=r"the cursor is damaged, or none of dates\.list"):
        DATED.start(made_up("dates.list", "", micros))


@pytest.mark.parametrize("limit", [0, -1, MAX_LIMIT + 1, True, "5", None])
def test_a_limit_out_of_bounds_is_refused(limit: object) -> None:
    """A page has from one to a thousand records."""
    with pytest.raises(ConfigurationError, match="limit must be an int from 1 to 1000"):
        check_limit(limit)


def test_orders_and_statuses_of_memories_are_listings_of_their_own() -> None:
    """What was cut by one order is not continued by another, nor what waits by what is remembered."""
    with AgentMemory.in_memory(embeddings=None) as memory:
        memory.consent.grant(ALICE)
        for place in ("Paris", "Rome"):
            memory.long_term.remember(f"Alice visited {place} once", scope=ALICE)
        page = memory.long_term.list(scope=ALICE, limit=1)
        with pytest.raises(ConfigurationError, match=r"created_at.*confidence"):
            memory.long_term.list(scope=ALICE, order_by="confidence", cursor=page.cursor)
        with pytest.raises(ConfigurationError, match=r"long_term\.list.*approvals\.list"):
            memory.approvals.list(scope=ALICE, cursor=page.cursor)
        assert len(memory.long_term.list(scope=ALICE, cursor=page.cursor)) == 1
        assert len(list(every(memory.long_term.list, scope=ALICE, limit=1))) == 2
