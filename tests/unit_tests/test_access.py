"""Who may do what with whose memory, on SQLite, in a file and in memory."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any, Final

import pytest

from langchain_agentmem._flow import run
from langchain_agentmem.access.flows import AccessFlows
from langchain_agentmem.access.guards import GuardedLedger, guarded_sessions, guarded_states
from langchain_agentmem.access.threads import GuardedThreads
from langchain_agentmem.checkpoints import base as checkpoints
from langchain_agentmem.checkpoints.sql.threads import SQLThreads
from langchain_agentmem.ledger import base as ledger
from langchain_agentmem.ledger import episodes, queueing, requests, runs, sensitive, snapshots
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sessions import base as sessions
from langchain_agentmem.sessions.redis import RedisSessions
from langchain_agentmem.sessions.sql import SQLSessions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.states import base as states
from langchain_agentmem.states.redis import RedisStates
from langchain_agentmem.states.sql import SQLStates
from langchain_agentmem.types.asking import Asks
from tests.contracts.access_contract import AccessContract
from tests.ledgers import ALICE

PORTS: Final[Mapping[type, tuple[Asks, Iterable[str]]]] = {
    sessions.RewritableSessions: (sessions.ASKS, ()),
    states.States: (states.ASKS, ()),
    checkpoints.Threads: (checkpoints.ASKS, ()),
    ledger.LedgerWriter: (ledger.ASKS, ledger.PART_ASKS),
    queueing.JobWriter: (queueing.ASKS, ()),
    episodes.EpisodeWriter: (episodes.ASKS, ()),
    requests.Requests: (requests.ASKS, ()),
    runs.Runs: (runs.ASKS, ()),
    sensitive.SensitiveRows: (sensitive.ASKS, ()),
    snapshots.Snapshots: (snapshots.ASKS, ()),
}
"""Every port whose rows are somebody's: what it says that it asks about, and its parts, which say so themselves."""


class TestAccess(AccessContract):
    """The whole contract."""


def public(kind: type) -> set[str]:
    """Return the public names of a port: methods, properties and attributes."""
    named = {name for it in inspect.getmro(kind) for name in (*vars(it), *inspect.get_annotations(it))}
    return {it for it in named if not it.startswith("_")}


def scoped(kind: type) -> set[str]:
    """Return the public methods of a class that take a scope first."""
    found = [(name, it) for name, it in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")]
    return {name for name, it in found if [*inspect.signature(it).parameters][1:2] == ["scope"]}


@pytest.mark.parametrize("port", PORTS, ids=lambda it: it.__name__)
def test_a_port_says_of_every_name_what_it_asks_about(port: type) -> None:
    """A name that is new cannot be forgotten, and none is left that is gone."""
    asks, parts = PORTS[port]
    assert set(asks) | set(parts) == public(port)
    assert not set(asks) & set(parts)


def test_every_part_of_a_writer_is_a_port_that_says_what_it_asks_about() -> None:
    """Of a part, everything."""
    said = {port.__name__: asks for port, (asks, _) in PORTS.items()}
    for name, asks in ledger.PART_ASKS.items():
        part = inspect.signature(getattr(ledger.LedgerWriter, name).fget).return_annotation
        assert asks is said[part], name


@pytest.mark.parametrize(
    ("kind", "asks"),
    [
        (SQLSessions, sessions.ASKS),
        (RedisSessions, sessions.ASKS),
        (SQLStates, states.ASKS),
        (RedisStates, states.ASKS),
    ],
)
def test_every_call_with_a_scope_is_asked_about(kind: type, asks: Asks) -> None:
    """An adapter has no way to somebody's rows that its port does not know."""
    assert scoped(kind) == {name for name, action in asks.items() if action is not None}


def test_a_guard_of_threads_and_of_the_log_has_every_method_of_its_port() -> None:
    """What it lacks raises, or concerns no user."""
    asked = {name for name, action in checkpoints.ASKS.items() if action is not None}
    assert public(GuardedThreads) == asked
    assert public(ledger.Ledger) <= vars(GuardedLedger).keys()


def test_what_no_port_names_passes_no_guard() -> None:
    """A method that an adapter has beside its port, or that nobody thought of, is not there for who is asked."""
    database = Database("sqlite://")
    access = AccessFlows(lambda *_: True)
    guards: list[Any] = [
        guarded_sessions(SQLSessions(database), access),
        guarded_states(SQLStates(database), access),
        GuardedThreads(SQLThreads(database), access),
    ]
    for it in guards:
        with pytest.raises(AttributeError, match="ASKS"):
            _ = it.unheard_of
    append = GuardedLedger(SQLLedger(database), access).append
    for path in ("unheard_of", "flush", "runs.unheard_of"):
        with pytest.raises(AttributeError, match="ASKS"):
            run(append(ALICE, attrgetter(path)))
    database.close()
