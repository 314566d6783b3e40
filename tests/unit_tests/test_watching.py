"""Observers and counters on SQLite, in a file and in memory."""

from __future__ import annotations

import pytest

from langchain_agentmem._flow import Flow, run
from langchain_agentmem.long_term.watching import Watch
from langchain_agentmem.types import Recall, Scope
from tests.contracts.watching_contract import WatchingContract


class TestWatching(WatchingContract):
    """The whole contract."""


def test_without_observers_nothing_is_measured() -> None:
    """Not even the time is asked for: what is returned is what was returned."""
    found = Recall()

    def recalling() -> Flow[Recall]:
        yield from ()
        return found

    watch = Watch(timer=lambda: pytest.fail("the time was asked for"))
    assert run(watch.recall(recalling(), Scope("alice"))) is found
    assert run(watch.write("remember", recalling(), Scope("alice"))) is found
