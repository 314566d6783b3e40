"""Conversations to read, wherever they are: chat histories, and threads of graphs and agents.

Who talks to an agent that has a checkpointer leaves no chat history: the conversation is the thread. What looks at
conversations as a whole reads it there, and keeps its summary with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.base.id import uuid6

from langchain_agentmem._flow import Flow, flows_of, step
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.errors import ConflictError
from langchain_agentmem.sessions.base import DEFAULT_PAGE, Conversation, KeptSummary, MessagePage, Sessions
from langchain_agentmem.thread_history import CHECKPOINT_VERSION, ThreadSessions
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import LastUsed

SUMMARY_NS: Final = "agentmem_summary"
"""Namespace of a thread in which its summary is: it is sealed, copied and deleted with the thread."""

_CHANNEL: Final = "summary"


class Dialogues(Sessions):
    """Chat histories as they are; for a session that has none, the user's own thread of that id.

    A thread is read only where the checkpointer knows that it is this user's; any other one is no conversation of
    theirs. Written to are chat histories alone, but for the summary of a thread.

    Args:
        sessions: Where chat histories are.
        saver: Gives the checkpointer.
    """

    def __init__(self, sessions: Sessions, saver: Callable[[], StoredSaver]) -> None:
        """Compose; nothing is opened yet."""
        self._sessions = sessions
        self._saver = saver
        self.keeps_summaries = sessions.keeps_summaries

    def read(self, scope: Scope, *, last: int | None = None) -> Flow[list[BaseMessage]]:
        """Read the chat history, or the thread."""
        found = yield from self._sessions.read(scope, last=last)
        if found or not (yield from self._has_thread(scope)):
            return found
        return (yield from ThreadSessions(self._saver()).read(scope, last=last))

    def summary(self, scope: Scope) -> Flow[bytes | None]:
        """Return the summary that is kept with either."""
        if (yield from self._is_thread(scope)):
            kept = (yield from self._kept(scope))[1]
            return None if kept is None else kept.data
        return (yield from self._sessions.summary(scope))

    def keep_summary(self, scope: Scope, kept: KeptSummary | None) -> Flow[bool]:
        """Keep a summary with either, unless a later one is there."""
        if not (yield from self._is_thread(scope)):
            return (yield from self._sessions.keep_summary(scope, kept))
        found, known = yield from self._kept(scope)
        if (kept is None and known is None) or (
            kept is not None and known is not None and known.version >= kept.version
        ):
            return False
        try:
            yield from self._put(scope, found, kept)
        except ConflictError:  # another process was first; the next view goes on from what it kept
            return False
        return kept is not None

    def last_used(self, scope: Scope) -> Flow[datetime | None]:
        """Return when something was last said in one of a user's conversations; `None`: there is none."""
        latest = yield from self._sessions.conversations(scope, limit=1)
        times = [*(it.last_used_at for it in latest), (yield from flows_of(self._saver()).last_use(scope))]
        return max((at for at in times if at is not None), default=None)

    # ----------------------------------------------------------------------------------------------- of histories alone
    def append(self, scope: Scope, messages: Sequence[BaseMessage]) -> Flow[int]:
        """Add to the chat history."""
        return self._sessions.append(scope, messages)

    def page(self, scope: Scope, *, after: int = 0, limit: int = DEFAULT_PAGE) -> Flow[MessagePage]:
        """Read a page of the chat history."""
        return self._sessions.page(scope, after=after, limit=limit)

    def search(self, scope: Scope, text: str, *, limit: int = DEFAULT_PAGE) -> Flow[list[BaseMessage]]:
        """Search the chat history."""
        return self._sessions.search(scope, text, limit=limit)

    def clear(self, scope: Scope) -> Flow[int]:
        """Delete the chat history."""
        return self._sessions.clear(scope)

    def count(self, scope: Scope) -> Flow[int]:
        """Count the messages of the chat history."""
        return self._sessions.count(scope)

    def conversations(
        self, scope: Scope, *, limit: int = DEFAULT_PAGE, before: LastUsed | None = None
    ) -> Flow[list[Conversation]]:
        """List the chat histories."""
        return self._sessions.conversations(scope, limit=limit, before=before)

    def sweep(self) -> Flow[int]:
        """Remove expired chat histories."""
        return self._sessions.sweep()

    # --------------------------------------------------------------------------------------------------------- threads
    def _is_thread(self, scope: Scope) -> Flow[bool]:
        """Whether the conversation is a thread: there is no chat history, and the thread is the user's."""
        if (yield from self._sessions.count(scope)):
            return False
        return (yield from self._has_thread(scope))

    def _has_thread(self, scope: Scope) -> Flow[bool]:
        if scope.is_anonymous or scope.session_id is None:
            return False
        owner = yield from flows_of(self._saver()).owner(scope.session_id)
        return owner == (scope.tenant_id, scope.user_id)

    def _kept(self, scope: Scope) -> Flow[tuple[CheckpointTuple | None, KeptSummary | None]]:
        """Return the summary; one of messages of which any was removed since may say what it said, and is none."""
        saver = self._saver()
        found = yield from step(saver.get_tuple, saver.aget_tuple, _config(scope))
        value: dict[str, Any] | None = None if found is None else found.checkpoint["channel_values"].get(_CHANNEL)
        if not value or not set(value["of"]) <= set((yield from self._ids(scope))):
            return found, None
        return found, KeptSummary(data=value["data"], version=value["version"], about=value["about"])

    def _ids(self, scope: Scope) -> Flow[list[str]]:
        messages = yield from ThreadSessions(self._saver()).read(scope)
        return [message.id for message in messages if message.id is not None]

    def _put(self, scope: Scope, found: CheckpointTuple | None, kept: KeptSummary | None) -> Flow[None]:
        saver, versions = self._saver(), {} if found is None else found.checkpoint["channel_versions"]
        known = versions.get(_CHANNEL)
        version = saver.get_next_version(None if known is None else str(known), None)
        ids = yield from self._ids(scope)
        value: dict[str, Any] = {}
        if kept is not None:
            of = ids[: ids.index(kept.about) + 1] if kept.about in ids else [kept.about]
            value = {"data": kept.data, "version": kept.version, "about": kept.about, "of": of}
        checkpoint = Checkpoint(
            v=CHECKPOINT_VERSION,
            id=str(uuid6()),
            ts=datetime.now(UTC).isoformat(),  # the machine's time, as LangGraph's own checkpoints of a thread have it
            channel_values={_CHANNEL: value},
            channel_versions={_CHANNEL: version},
            versions_seen={},
            updated_channels=None,
        )
        number = 0 if found is None else found.metadata.get("step", 0) + 1
        metadata: CheckpointMetadata = {"source": "update", "step": number, "parents": {}}
        config = _config(scope) if found is None else found.config
        yield from step(saver.put, saver.aput, config, checkpoint, metadata, {_CHANNEL: version})


def _config(scope: Scope) -> RunnableConfig:
    owner = {"user_id": scope.user_id, "tenant_id": scope.tenant_id}
    return {"configurable": {"thread_id": scope.session_id, "checkpoint_ns": SUMMARY_NS, **owner}}
