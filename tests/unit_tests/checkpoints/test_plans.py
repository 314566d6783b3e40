"""What a pruning takes, of checkpoints as they are listed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from langchain_agentmem.checkpoints.plans import Keeping, Prune

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OLD, YOUNG = (NOW - timedelta(days=2)).isoformat(), (NOW - timedelta(hours=2)).isoformat()


class Thread:
    """Three checkpoints of one namespace, `c` the newest: what a plan asks of a thread."""

    def __init__(self, ts: str) -> None:
        header = {"metadata": {}, "is_pruned": False}
        self.headers = {("", it): SimpleNamespace(ts=ts, **header) for it in "abc"}
        self.rows = dict.fromkeys(self.headers)
        self.state = SimpleNamespace(heads={"": "c"})

    def namespaces(self) -> dict[str, list[Any]]:
        return {"": [("", "c"), ("", "b"), ("", "a")]}

    def needed(self, kept: set[Any]) -> set[Any]:
        return set(kept)

    def orphans(self) -> set[Any]:
        return set()


@pytest.mark.parametrize(
    ("ts", "days", "left"),
    [
        (OLD, 1, "c"),
        (YOUNG, 1, "abc"),
        ("the day before", 1, "abc"),
        ("2025-12-30T00:00:00", 1, "abc"),
        ("the day before", None, "c"),
    ],
)
def test_what_says_no_time_is_not_old(ts: str, days: int | None, left: str) -> None:
    """Where a pruning goes by age, only what is known to be old goes; where it does not, the newest are kept."""
    nothing: Any = None
    since = None if days is None else NOW - timedelta(days=days)
    thread: Any = Thread(ts)
    gone, _ = Prune(nothing, nothing, Keeping(last=1, since=since, tagged=None, now=NOW)).doomed(thread)
    assert {it for _, it in thread.rows.keys() - gone} == set(left)
