from __future__ import annotations

import pytest

from langchain_agentmem.checkpoints.guard import (
    MARKER,
    Marker,
    Move,
    is_conflict,
    marker_of,
    next_head,
    read_marker,
    write_marker,
)

LATEST, FORK = Marker("latest", "", "b"), Marker("fork", "", "b")
BEGINNING = Marker("fork", "", "")


@pytest.mark.parametrize(
    ("move", "head", "expected"),
    [
        (Move("", "c", None), "b", False),
        (Move("", "c", "a"), "b", False),
        (Move("", "c", None, is_run=True), None, False),
        (Move("", "c", None, is_run=True), "b", True),
        (Move("", "c", "a", is_run=True), "b", True),
        (Move("", "c", "b", is_run=True), "b", False),
        (Move("", "c", "a", is_run=True), None, True),
        (Move("", "c", "a"), None, False),
        (Move("", "c", None, BEGINNING, is_run=True), "b", False),
        (Move("", "d", "c", BEGINNING, is_run=True), "x", True),
        (Move("", "c", "b", LATEST, is_run=True), "b", False),
        (Move("", "d", "b", LATEST, is_run=True), "c", True),
        (Move("", "c", "b", LATEST, is_run=True), None, True),
        (Move("", "d", None, LATEST), "c", False),
        (Move("", "d", "b", FORK, is_run=True), "c", False),
        (Move("", "e", "d", FORK, is_run=True), "d", False),
        (Move("", "e", "d", FORK, is_run=True), "x", True),
        (Move("", "c", "b", LATEST, is_run=True), "c", False),
    ],
)
def test_a_conflict_is_a_put_on_what_is_not_the_head_any_more(move: Move, head: str | None, expected: bool) -> None:  # noqa: FBT001
    """Of a run; whoever calls without one, copies, branches off on purpose or repeats a put is free."""
    assert is_conflict(move, head) is expected


@pytest.mark.parametrize(
    ("move", "head", "expected"),
    [
        (Move("", "a", None), None, "a"),
        (Move("", "a", "b"), "b", "a"),
        (Move("", "a", None), "b", "b"),
        (Move("", "c", "a"), "b", "c"),
        (Move("", "a", "0", FORK, is_run=True), "b", "a"),
        (Move("", "a", None, BEGINNING, is_run=True), "b", "a"),
        (Move("", "a", None, LATEST), "b", "b"),
    ],
)
def test_what_goes_on_from_the_head_becomes_it(move: Move, head: str | None, expected: str) -> None:
    """Whatever the clocks say; so does a branch made on purpose; anything else only if its id is later."""
    assert next_head(move, head, is_in_conflict=False) == expected


def test_a_late_branch_becomes_the_head_only_if_it_is_later() -> None:
    """The two are ordered by their ids, as they would be in any listing."""
    move = Move("", "c", "a", LATEST, is_run=True)
    assert next_head(move, "b", is_in_conflict=True) == "c"
    assert next_head(move, "d", is_in_conflict=True) == "d"


def test_a_marker_is_about_its_own_namespace() -> None:
    """A subgraph's run carries the marker of its parent, which says nothing about the subgraph."""
    for ns in ("", "a", "a:b", 'a"]', "é|"):
        read = read_marker({MARKER: write_marker("fork", "t", ns, "id")}, "t")
        assert read == marker_of(read, {}, ns) == Marker("fork", ns, "id")
        assert marker_of(read, {}, ns + ":") is None


def test_a_marker_is_about_its_own_thread() -> None:
    """Who takes a config along to another thread has read nothing of that one."""
    assert read_marker({MARKER: write_marker("latest", "t", "", "id")}, "u") is None
    assert [read_marker({MARKER: it}, "t") for it in (None, "x", "[]", 1, '{"a": 1}', '["t"]')] == [None] * 6


def test_a_subgraph_that_is_replayed_begins_anew_where_it_found_nothing() -> None:
    """What it did find it goes on from; without a replay, nothing read is no marker."""
    replay, found = {"__pregel_replay_state": object()}, Marker("latest", "sub", "b")
    assert marker_of(None, replay, "sub") == Marker("fork", "sub", "")
    assert marker_of(found, replay, "sub") == found
    assert [marker_of(None, it, "sub") for it in ({}, {"__pregel_replay_state": None})] == [None, None]
