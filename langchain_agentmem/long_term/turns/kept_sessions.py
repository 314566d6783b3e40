"""Chat histories whose turns become episodes as they are stored."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import ConfigurationError, GovernanceError
from langchain_agentmem.long_term.turns.episode_flows import EpisodeFlows
from langchain_agentmem.long_term.turns.kept_copies import KeptCopies
from langchain_agentmem.long_term.turns.noted_turns import NotedTurns
from langchain_agentmem.sessions.base import DEFAULT_PAGE, Conversation, KeptSummary, MessagePage, Sessions
from langchain_agentmem.types import MemoryMode, Scope
from langchain_agentmem.types.paging import LastUsed

ENDED: Final = "the conversation was cleared"

LOGGER: Final = logging.getLogger("langchain_agentmem")


class KeptSessions(Sessions):
    """The sessions of a memory, with its episodes following them.

    Storing a message is never held up by its episode: where that fails, a job takes it later.

    Args:
        sessions: Where conversations are stored.
        episodes: Follow them.
        turns: See that no turn is left out.
        copies: Let go of what is copied, where conversations are in no SQL database; `None`: episodes point at them.
        mode: Stricter than the memory's own mode: `frozen` and `off` keep nothing.
        after: Is told of a conversation that went on.
    """

    def __init__(
        self,
        sessions: Sessions,
        episodes: EpisodeFlows,
        turns: NotedTurns,
        *,
        copies: KeptCopies | None = None,
        mode: MemoryMode | None = None,
        after: Callable[[Scope], Flow[None]] | None = None,
    ) -> None:
        """Compose."""
        self._after = after
        self._sessions = sessions
        self._episodes = episodes
        self._turns = turns
        self._copies = copies
        self._mode = mode
        self.keeps_summaries = sessions.keeps_summaries

    def within(self, mode: MemoryMode | None) -> KeptSessions:
        """Return the same sessions for one turn, under its mode."""
        return KeptSessions(
            self._sessions, self._episodes, self._turns, copies=self._copies, mode=mode, after=self._after
        )

    def append(self, scope: Scope, messages: Sequence[BaseMessage]) -> Flow[int]:
        """Add messages, and then take their turns."""
        messages = list(messages) if isinstance(messages, Iterator) else messages  # they are read twice
        if scope.is_anonymous or scope.session_id is None:
            return (yield from self._sessions.append(scope, messages))
        noted = yield from self._turns.note(messages, scope, self._mode)
        try:
            added = yield from self._sessions.append(scope, messages)
        except (ConfigurationError, GovernanceError):  # nothing is stored; of an outage nobody knows
            yield from self._turns.drop(noted, scope)
            raise
        if added:
            yield from self._note(scope)
        if noted is not None:  # where nothing is new, an attempt before this one may have been cut off
            yield from self._turns.take(noted, messages, scope, self._mode)
        if self._copies is not None:
            yield from self._copies.said(scope)
        return added

    def _note(self, scope: Scope) -> Flow[None]:
        if self._after is None or self._mode not in {None, "on"}:
            return
        try:
            yield from self._after(scope)
        except Exception as error:  # noqa: BLE001  (whatever a database raises)
            LOGGER.warning("a turn is stored, and what it left is not to be consolidated: %s", type(error).__name__)

    def clear(self, scope: Scope) -> Flow[int]:
        """Delete a session, and first what is kept of it elsewhere than in its messages."""
        if not scope.is_anonymous:
            yield from self._episodes.end_session(scope, ENDED)
        yield from self._episodes.end_task(scope)
        return (yield from self._sessions.clear(scope))

    def read(self, scope: Scope, *, last: int | None = None) -> Flow[list[BaseMessage]]:
        """Read from the sessions."""
        return self._sessions.read(scope, last=last)

    def page(self, scope: Scope, *, after: int = 0, limit: int = DEFAULT_PAGE) -> Flow[MessagePage]:
        """Read from the sessions."""
        return self._sessions.page(scope, after=after, limit=limit)

    def pick(self, scope: Scope, message_ids: Iterable[str]) -> Flow[dict[str, BaseMessage]]:
        """Read from the sessions."""
        return self._sessions.pick(scope, message_ids)

    def search(self, scope: Scope, text: str, *, limit: int = DEFAULT_PAGE) -> Flow[list[BaseMessage]]:
        """Read from the sessions."""
        return self._sessions.search(scope, text, limit=limit)

    def summary(self, scope: Scope) -> Flow[bytes | None]:
        """Read from the sessions."""
        return self._sessions.summary(scope)

    def keep_summary(self, scope: Scope, kept: KeptSummary | None) -> Flow[bool]:
        """Keep it in the sessions."""
        return self._sessions.keep_summary(scope, kept)

    def count(self, scope: Scope) -> Flow[int]:
        """Count in the sessions."""
        return self._sessions.count(scope)

    def conversations(
        self, scope: Scope, *, limit: int = DEFAULT_PAGE, before: LastUsed | None = None
    ) -> Flow[list[Conversation]]:
        """List those of the sessions."""
        return self._sessions.conversations(scope, limit=limit, before=before)

    def sweep(self) -> Flow[int]:
        """Sweep the sessions."""
        return self._sessions.sweep()
