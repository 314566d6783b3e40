"""The public suite of ledgers finds ledgers that break one of its laws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import AgentMemError
from langchain_agentmem.ledger.base import Draft, LedgerReader, LedgerWriter
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.testing import LedgerSuite
from langchain_agentmem.types import Scope
from tests.ledgers import KEY, Clock

T = TypeVar("T")


class Folding(SQLLedger):
    """It takes users for others that are written in other cases."""

    def append(self, scope: Scope, body: Callable[[LedgerWriter], T]) -> Flow[T]:
        return super().append(replace(scope, user_id=str(scope.user_id).lower()), body)


class Open(SQLLedger):
    """It shows an agent's memories to everyone who asks for the shared ones."""

    def read(self, scope: Scope, body: Callable[[LedgerReader], T]) -> Flow[T]:
        return super().read(replace(scope, agent_id="helper"), body)


class Halving(SQLLedger):
    """It keeps what a body wrote before it failed."""

    def append(self, scope: Scope, body: Callable[[LedgerWriter], T]) -> Flow[T]:
        failures: list[Exception] = []

        def caught(writer: LedgerWriter) -> Any:  # noqa: ANN401
            try:
                return body(writer)
            except RuntimeError as error:
                failures.append(error)

        found: T = yield from super().append(scope, caught)
        if failures:
            raise failures[0]
        return found


class Writer:
    """It keeps what it is told to erase."""

    def __init__(self, writer: LedgerWriter) -> None:
        self._writer = writer

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._writer, name)

    def erase(self, memory_id: str, note: Mapping[str, Any]) -> object:
        return self._writer.append(Draft(type="forgotten", memory_id=memory_id, note=dict(note)))


class Keeping(SQLLedger):
    """It keeps what it is told to erase."""

    def append(self, scope: Scope, body: Callable[[Any], T]) -> Flow[T]:
        return super().append(scope, lambda writer: body(Writer(writer)))


class Forgetful(SQLLedger):
    """It replays nothing."""

    def replay(self, scope: Scope) -> Flow[int]:
        return self.read(scope, lambda reader: 0)


def judge(kind: type[SQLLedger], law: str) -> None:
    database = Database("sqlite://")
    try:
        getattr(LedgerSuite(), law)(ledger=kind(database, key=KEY, clock=Clock()), colour="sync")
    finally:
        database.close()


@pytest.mark.parametrize(
    ("kind", "law"),
    [
        (Folding, "test_look_alike_users_have_a_chain_each"),
        (Open, "test_a_receipt_is_its_agents"),
        (Halving, "test_an_exception_inside_the_body_leaves_nothing"),
        (Keeping, "test_an_erased_memory_is_in_no_answer"),
        (Keeping, "test_an_erasure_is_in_the_log_with_its_reason"),
        (Forgetful, "test_replay_brings_back_the_same"),
    ],
)
def test_the_suite_finds_a_ledger_that_breaks_a_law(kind: type[SQLLedger], law: str) -> None:
    """A ledger that is wrong in one way only does not pass, and the same without its fault does."""
    judge(SQLLedger, law)
    with pytest.raises((AssertionError, AgentMemError)):
        judge(kind, law)
