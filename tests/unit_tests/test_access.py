"""Who may do what with whose memory, on SQLite, in a file and in memory."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

import pytest

from langchain_agentmem.access import guards
from langchain_agentmem.ledger.base import LedgerReader, LedgerWriter
from langchain_agentmem.ledger.episodes import EpisodeReader, EpisodeWriter
from langchain_agentmem.sessions.redis import RedisSessions
from langchain_agentmem.sessions.sql import SQLSessions
from langchain_agentmem.states.redis import RedisStates
from langchain_agentmem.states.sql import SQLStates
from tests.contracts.access_contract import AccessContract


class TestAccess(AccessContract):
    """The whole contract."""


def methods(kind: type) -> dict[str, list[str]]:
    """Return the public methods of a class, each with its parameters."""
    found = inspect.getmembers(kind, inspect.isfunction)
    return {name: list(inspect.signature(it).parameters) for name, it in found if not name.startswith("_")}


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        (SQLSessions, guards.SESSION_ACTIONS),
        (RedisSessions, guards.SESSION_ACTIONS),
        (SQLStates, guards.STATE_ACTIONS),
        (RedisStates, guards.STATE_ACTIONS),
    ],
)
def test_every_call_with_a_scope_is_asked_about(kind: type, asked: Mapping[str, object]) -> None:
    """A new method of a port cannot pass unasked."""
    assert {name for name, given in methods(kind).items() if given[1:2] == ["scope"]} == set(asked)


@pytest.mark.parametrize(
    ("reads", "writes", "asked"),
    [
        (EpisodeReader, EpisodeWriter, guards._EPISODE_ACTIONS),
        (LedgerReader, LedgerWriter, guards._WRITER_ACTIONS),
    ],
)
def test_every_change_is_asked_about(reads: type, writes: type, asked: Mapping[str, object]) -> None:
    """What a writer has beyond a reader changes something, but for looks at jobs."""
    assert methods(writes).keys() - methods(reads).keys() - {"check_job", "waiting_jobs"} == set(asked)
