"""Conversations that stand in no SQL database: what is copied of them ends with them, and with their messages."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.jobs import Handler
from langchain_agentmem.ledger.base import Ledger, LedgerWriter
from langchain_agentmem.long_term.turns.episode_flows import EpisodeFlows
from langchain_agentmem.long_term.turns.kept_threads import Kept, KeptThreads, Saver
from langchain_agentmem.sessions.base import Sessions
from langchain_agentmem.types import Scope
from langchain_agentmem.types.scope import Owner

SESSION_JOB: Final = "conversation"
"""Looks whether a conversation has expired: Redis drops it without a word."""

EXPIRED: Final = "the conversation has expired"
MADE_ROOM: Final = "messages made room for newer ones"

CONVERSATIONS: Final = Kept(job=SESSION_JOB, reason=EXPIRED, layer="histories", is_prolonged=True)

LOGGER: Final = logging.getLogger("langchain_agentmem")


class KeptCopies:
    """Follows conversations as a follower of the sessions on Redis, in the way in which threads are followed.

    A thread of the same name is the same conversation: while it lives, nothing of it ends here.

    Args:
        episodes: Of the same memory.
        ledger: Where jobs are queued.
        ttl: How long a conversation lives after its last use; `None`: none expires.
        clock: Gives the time, aware UTC.
    """

    def __init__(
        self, episodes: EpisodeFlows, ledger: Ledger, ttl: timedelta | None, clock: Callable[[], datetime]
    ) -> None:
        """Nothing is noted yet."""
        self._episodes = episodes
        self._ledger = ledger
        self._threads = KeptThreads(episodes, ledger, ttl, clock, CONVERSATIONS)

    def handlers(self, saver: Callable[[Scope], Saver]) -> dict[str, Handler]:
        """Return what looks after conversations that were noted, as after threads."""
        return self._threads.handlers(saver)

    def said(self, scope: Scope) -> Flow[None]:
        """Take note that a conversation went on, and when it will have expired; it never fails."""
        if scope.session_id is not None:
            yield from self._threads.prolonged(scope.session_id, _owner(scope))

    def began(self, scope: Scope) -> Flow[None]:
        """Let go of a conversation of this name that has expired before anybody looked; it never fails."""
        try:
            if (yield from self._threads.has_any(_owner(scope))) and (
                yield from self._ledger.append(scope, lambda writer: _is_expected(writer, scope))
            ):
                yield from self._episodes.end_copies(scope, EXPIRED)
        except Exception as error:  # noqa: BLE001  (whatever a database raises)
            LOGGER.warning("what expired of a conversation is still in search: %s", type(error).__name__)

    def made_room(self, scope: Scope, message_ids: Collection[str]) -> Flow[None]:
        """Let go of the turns that such messages belong to; it never fails."""
        try:
            yield from self._episodes.end_copies(scope, MADE_ROOM, frozenset(message_ids))
        except Exception as error:  # noqa: BLE001  (whatever a database raises)
            LOGGER.warning("what made room in a conversation is still in search: %s", type(error).__name__)


class LiveConversations(Saver):
    """Knows which conversations of a user there are, in sessions or in threads.

    Args:
        scope: Whose.
        sessions: Where conversations are stored.
        threads: Where threads are.
    """

    def __init__(self, scope: Scope, sessions: Sessions, threads: Saver) -> None:
        """Compose."""
        self._scope = scope
        self._sessions = sessions
        self._threads = threads

    def owner(self, thread_id: str) -> Flow[Owner | None]:
        """Return the user, where they have a conversation of this name; else whose a thread of this name is."""
        if (yield from self._sessions.count(replace(self._scope, session_id=thread_id))):
            return _owner(self._scope)
        return (yield from self._threads.owner(thread_id))

    def message_ids(self, thread_id: str) -> Flow[set[str]]:
        """Return the ids of a thread's messages."""
        return self._threads.message_ids(thread_id)


def _is_expected(writer: LedgerWriter, scope: Scope) -> bool:
    """Whether somebody was to look after a conversation of this name."""
    return any(it["session"] == scope.session_id for _, it in writer.waiting_jobs(SESSION_JOB))


def _owner(scope: Scope) -> Owner:
    return Owner(scope.tenant_id, scope.user_id)
