"""The summary of a conversation that has come to rest: the one that its view goes on from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_agentmem._flow import Flow
from langchain_agentmem.consolidation.report import Summarised
from langchain_agentmem.context.history import viewed
from langchain_agentmem.context.running_summary import RunningSummary
from langchain_agentmem.context.summaries import SessionSummaries
from langchain_agentmem.context.summary_buffer import KEEP_MESSAGES, SummaryBuffer, SummaryLimits
from langchain_agentmem.errors import StorageError
from langchain_agentmem.sessions.base import Sessions
from langchain_agentmem.types import Scope

LIMITS = SummaryLimits(max_messages=KEEP_MESSAGES, keep_messages=KEEP_MESSAGES)
"""All but the last messages are summarised now, so that a later turn need not wait until there are too many."""


class _Unsaved(SessionSummaries):
    """Summaries that are made and not kept."""

    def save(self, scope: Scope, summary: RunningSummary | None) -> Flow[None]:
        """Keep nothing."""
        yield from ()


class Summarising:
    """Brings the summaries of stored conversations up to date.

    Args:
        sessions: Gives where conversations are.
        model: Writes summaries; `None`: sentences are chosen. Its tokens are kept out of message streams.
    """

    def __init__(self, sessions: Callable[[], Sessions], model: Any = None) -> None:  # noqa: ANN401  (a chat model)
        """Compose."""
        self._sessions = sessions
        self._model = model

    def summarise_flow(self, scope: Scope, *, dry_run: bool = False) -> Flow[Summarised]:
        """Summarise all but the last messages of a session; a dry run asks no model.

        Raises:
            StorageError: The session cannot be read, or its summary not be kept.
        """
        sessions = self._sessions()
        if scope.session_id is None:
            return Summarised(reason="the scope names no session")
        if not sessions.keeps_summaries:
            return Summarised(reason="these sessions have no place for a summary")
        summaries = _Unsaved(sessions) if dry_run else SessionSummaries(sessions)
        buffer = SummaryBuffer(None if dry_run else self._model, limits=LIMITS)
        view = yield from viewed(buffer, lambda last: sessions.read(scope, last=last), scope, summaries)
        if view.status != "ok":
            msg = "the summary of the session could not be kept; it is made anew with the next attempt"
            raise StorageError(msg, is_retryable=True)
        version = None if view.summary is None else view.summary.version
        if view.left:
            return Summarised(version=version, is_new=True, failures=view.failures)
        reason = "nothing new has left the view" if view.messages else "no conversation is stored under this session"
        return Summarised(version=version, reason=reason)
