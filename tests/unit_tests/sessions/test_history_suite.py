"""The public suite of histories: a backend from the documentation passes it, and backends that break a law do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem.sessions.base import Conversation, MessagePage, Sessions
from langchain_agentmem.sessions.sql import SQLSessions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.testing import HistorySuite, StillClock
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import LastUsed
from tests.documented import classes_of

TestAcmeSessions = classes_of("backends.md")["TestAcmeSessions"]


class Folding(SQLSessions):
    """It takes users for others that are written in other cases."""

    def append(self, scope: Scope, messages: Sequence[BaseMessage]) -> Flow[int]:
        return super().append(replace(scope, user_id=scope.user_id and scope.user_id.lower()), messages)


class Forgetful(SQLSessions):
    """It forgets the ids that messages had."""

    def append(self, scope: Scope, messages: Sequence[BaseMessage]) -> Flow[int]:
        return super().append(scope, [it.model_copy(update={"id": None}) for it in messages])


class Halving(SQLSessions):
    """It writes what comes before a bad message."""

    def append(self, scope: Scope, messages: Sequence[BaseMessage]) -> Flow[int]:
        count = 0
        for message in messages:
            count += yield from super().append(scope, [message])
        return count


class Lasting(SQLSessions):
    """It clears nothing."""

    def clear(self, scope: Scope) -> Flow[int]:
        return self.count(scope)


class Overlapping(SQLSessions):
    """Its pages begin with the end of the page before."""

    def page(self, scope: Scope, *, after: int = 0, limit: int = 100) -> Flow[MessagePage]:
        return super().page(scope, after=max(0, after - 1), limit=limit)


class Shuffled(SQLSessions):
    """It lists conversations by their names."""

    def conversations(
        self, scope: Scope, *, limit: int = 100, before: LastUsed | None = None
    ) -> Flow[list[Conversation]]:
        found = yield from super().conversations(scope, limit=limit)
        return sorted(found, key=lambda it: it.session_id)


@pytest.mark.parametrize(
    ("kind", "law", "given"),
    [
        (Folding, "test_look_alike_sessions_and_users_never_mix", {}),
        (Forgetful, "test_adding_again_doubles_nothing", {}),
        (Halving, "test_what_is_no_storable_message_is_refused_before_anything_is_written", {"bad": "text"}),
        (Lasting, "test_clearing_removes_that_session_only", {}),
        (Overlapping, "test_pages_hold_every_message_once", {}),
        (Shuffled, "test_conversations_are_listed_by_last_use", {"clock": ...}),
    ],
)
def test_the_suite_finds_a_backend_that_breaks_a_law(kind: type[SQLSessions], law: str, given: dict[str, Any]) -> None:
    """A backend that is wrong in one way only does not pass, and the same without its fault does."""

    def judge(kind: type[SQLSessions]) -> None:
        clock = StillClock()
        database = Database("sqlite://")
        sessions: Sessions = kind(database, clock=clock)
        named = {name: clock if it is ... else it for name, it in given.items()}
        try:
            getattr(HistorySuite(), law)(sessions, colour="sync", **named)
        finally:
            database.close()

    judge(SQLSessions)
    with pytest.raises(AssertionError):
        judge(kind)
