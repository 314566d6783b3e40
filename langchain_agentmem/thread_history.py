"""A LangGraph thread as LangChain's chat message history: one conversation for graphs and for chains.

What a chain adds here, the next run of a graph on that thread continues; what the graph says, the chain reads. Only the
public interface of checkpointers is used, so that any of them will do.
"""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from langchain_core.messages import BaseMessage, RemoveMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.serde.types import ERROR, _DeltaSnapshot
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import Overwrite

from langchain_agentmem._checks import check_instance, check_text
from langchain_agentmem._flow import Flow, step
from langchain_agentmem.chat_history.stored import SessionChatMessageHistory
from langchain_agentmem.errors import ConfigurationError, ConflictError, ScopeError
from langchain_agentmem.sessions.base import (
    DEFAULT_PAGE,
    Conversation,
    KeptSummary,
    MessagePage,
    Sessions,
    check_number,
    check_session,
    check_words,
)
from langchain_agentmem.sessions.batch import prepare
from langchain_agentmem.sessions.messages import decode, has_words
from langchain_agentmem.sessions.options import SessionOptions, new_uuid
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import LastUsed

CHECKPOINT_VERSION: Final = 4
"""The format of checkpoints that LangGraph 1 writes, and reads without migrating them."""

MAX_ATTEMPTS: Final = 20
"""Of the writers that meet at one head, one gets through each time: enough for as many at once."""

MAX_PAUSE_S: Final = 0.05
"""Writers that met wait for a random time up to this; a put takes about a millisecond."""

_RUN_KEY: Final = "__pregel_runtime"
"""By this key a checkpointer knows a graph's run, whose first checkpoint must not be the second of a thread."""

_OVERWRITE_KEY: Final = "__overwrite__"
"""The form that `Overwrite` has in plain JSON, as a client of a LangGraph server sends it."""


class ThreadSessions(Sessions):
    """Conversations that are LangGraph threads, for `create_history_runnable` and for histories.

    A session is the messages channel of one thread. Adding messages puts a checkpoint on top of the latest one, as
    `update_state` does: no other channel changes, and no node becomes due. The channel's reducer must be
    `add_messages`, or one that treats ids as it does; a `DeltaChannel` is read by replaying it, and gets a snapshot.

    A thread that waits in the middle of a run (interrupted, or running) takes no messages, because finished tasks of
    that run would be lost and run again. A checkpointer that detects conflicts makes several writers safe; with any
    other one, messages added at the very moment at which a graph runs on the thread can be lost, as two runs at once
    lose one another's there.

    A checkpointer has no place for a summary beside a thread, and a graph keeps its own in its state: none is kept.

    A checkpointer knows threads by their id alone. Whom a thread belongs to is checked as far as its latest checkpoint
    tells (`user_id` and `tenant_id` in its metadata); beyond that, make ids that only one user can have.

    Args:
        checkpointer: Any checkpointer of LangGraph.
        channel: The channel that holds the messages.
        checkpoint_ns: The namespace of a subgraph; by default the graph itself.
        thread_id: Names the thread of a scope; by default its `session_id`.
        new_id: Gives the id of a message that has none.

    Raises:
        ConfigurationError: `checkpointer` is none, or `channel` is empty.
    """

    keeps_summaries = False

    def __init__(
        self,
        checkpointer: BaseCheckpointSaver[Any],
        *,
        channel: str = "messages",
        checkpoint_ns: str = "",
        thread_id: Callable[[Scope], str] = check_session,
        new_id: Callable[[], str] = new_uuid,
    ) -> None:
        """No I/O."""
        self._saver = check_instance("checkpointer", checkpointer, BaseCheckpointSaver)
        self._channel = check_text("channel", channel)
        self._ns = checkpoint_ns
        self._thread_id = thread_id
        self._options = SessionOptions(new_id=new_id)

    def append(self, scope: Scope, messages: Sequence[BaseMessage]) -> Flow[int]:
        """Put a checkpoint with the messages that the thread does not hold yet; where there are none, do nothing.

        Raises:
            ConflictError: The thread is in the middle of a run, or others kept writing to it.
        """
        batch: dict[str, bytes] = {}
        for entry in prepare(messages, self._options).entries:
            batch.setdefault(entry.id, entry.plain)
        for attempt in range(1, MAX_ATTEMPTS + 1):
            head = yield from self._head(scope)
            held = {message.id for message in head.messages}
            new = [decode(plain) for id, plain in batch.items() if id not in held]
            if not new:
                return 0
            _check_at_rest(head)
            try:
                yield from self._put(head, new)
            except ConflictError:
                if attempt == MAX_ATTEMPTS:
                    raise
                pause_s = random.uniform(0, MAX_PAUSE_S)  # noqa: S311  (no secret)
                yield from step(time.sleep, asyncio.sleep, pause_s)
            else:
                break
        return len(new)

    def read(self, scope: Scope, *, last: int | None = None) -> Flow[list[BaseMessage]]:
        """Read the channel at the latest checkpoint, and cut off what is not asked for."""
        count = None if last is None else check_number("last", last)
        head = yield from self._head(scope)
        return head.messages if count is None else head.messages[-count:]

    def page(self, scope: Scope, *, after: int = 0, limit: int = DEFAULT_PAGE) -> Flow[MessagePage]:
        """Cut a page out of the channel; a position moves if a graph removes a message before it."""
        first = check_number("after", after, least=0)
        end = first + check_number("limit", limit)
        head = yield from self._head(scope)
        return MessagePage(
            messages=tuple(head.messages[first:end]), next_after=end if end < len(head.messages) else None
        )

    def search(self, scope: Scope, text: str, *, limit: int = DEFAULT_PAGE) -> Flow[list[BaseMessage]]:
        """Search the channel at the latest checkpoint."""
        words, count = check_words(text), check_number("limit", limit)
        head = yield from self._head(scope)
        return [message for message in reversed(head.messages) if has_words(message, words)][:count]

    def summary(self, scope: Scope) -> Flow[bytes | None]:
        """Return `None`: no summary is kept."""
        yield from ()
        check_session(scope)
        return None

    def keep_summary(self, scope: Scope, kept: KeptSummary | None) -> Flow[bool]:
        """Keep nothing."""
        yield from ()
        check_session(scope)
        return False

    def clear(self, scope: Scope) -> Flow[int]:
        """Delete the whole thread: its history, its other channels, and its subgraphs' namespaces."""
        head = yield from self._head(scope)
        yield from step(self._saver.delete_thread, self._saver.adelete_thread, self._thread(scope))
        return len(head.messages)

    def count(self, scope: Scope) -> Flow[int]:
        """Count the messages of the channel at the latest checkpoint."""
        return len((yield from self._head(scope)).messages)

    def conversations(
        self, scope: Scope, *, limit: int = DEFAULT_PAGE, before: LastUsed | None = None
    ) -> Flow[list[Conversation]]:
        """Refuse: the interface of checkpointers has no listing of a user's threads.

        Raises:
            ConfigurationError: Always.
        """
        yield from ()
        msg = "a checkpointer lists no conversations; ask SQLSaver or RedisSaver for threads(scope)"
        raise ConfigurationError(msg)

    def sweep(self) -> Flow[int]:
        """Do nothing: when threads expire is the checkpointer's to say."""
        yield from ()
        return 0

    # --------------------------------------------------------------------------------------------------------- inside
    def _thread(self, scope: Scope) -> str:
        check_session(scope)
        return check_text("thread_id", self._thread_id(scope))

    def _head(self, scope: Scope) -> Flow[_Head]:
        configurable = {"thread_id": self._thread(scope), "checkpoint_ns": self._ns, **_owner(scope)}
        config: RunnableConfig = {"configurable": configurable}
        found = yield from step(self._saver.get_tuple, self._saver.aget_tuple, config)
        if found is None:
            return _Head({**configurable, _RUN_KEY: None}, None, [])
        _check_same_owner(found, scope)
        messages = yield from self._messages(found)
        return _Head({**configurable, **found.config["configurable"]}, found, messages)

    def _messages(self, found: CheckpointTuple) -> Flow[list[BaseMessage]]:
        values = found.checkpoint["channel_values"]
        if self._channel in values:
            return self._checked(values[self._channel])
        if self._channel not in found.checkpoint["channel_versions"]:
            return []
        saver, channels = self._saver, [self._channel]
        histories = yield from step(
            lambda: saver.get_delta_channel_history(config=found.config, channels=channels),
            lambda: saver.aget_delta_channel_history(config=found.config, channels=channels),
        )
        history = histories[self._channel]
        return _replayed(self._checked(history.get("seed", [])), [value for _, _, value in history["writes"]])

    def _checked(self, stored: object) -> list[BaseMessage]:
        value = stored.value if isinstance(stored, _DeltaSnapshot) else stored
        if isinstance(value, list) and all(isinstance(message, BaseMessage) for message in value):
            return list(value)
        msg = f"channel {self._channel!r} holds no list of messages but {type(value).__name__}; pass another channel"
        raise ConfigurationError(msg)

    def _put(self, head: _Head, new: Sequence[BaseMessage]) -> Flow[None]:
        versions = head.checkpoint["channel_versions"]
        version = self._saver.get_next_version(max(versions.values(), default=None), None)
        checkpoint: Checkpoint = {
            **head.checkpoint,
            "id": _id_after(head.checkpoint["id"]),
            "ts": datetime.now(
                UTC
            ).isoformat(),  # the machine's time, as LangGraph's own checkpoints of a thread have it
            "channel_values": {**head.checkpoint["channel_values"], self._channel: [*head.messages, *new]},
            "channel_versions": {**versions, self._channel: version},
            "updated_channels": None,  # a run that resumes would look at no other channel for what is due
        }
        config: RunnableConfig = {"configurable": head.configurable}
        metadata = head.next_metadata(self._channel)
        yield from step(self._saver.put, self._saver.aput, config, checkpoint, metadata, {self._channel: version})


class ThreadChatMessageHistory(SessionChatMessageHistory):
    """A LangGraph thread as LangChain's chat message history; each method in both colours.

    Reading it gives the messages of the thread's latest checkpoint, adding to it puts a new one, clearing it deletes
    the thread with everything in it. See `ThreadSessions` for what holds of the thread.

    Args:
        checkpointer: Any checkpointer of LangGraph.
        thread_id: Which thread.
        channel: The channel that holds the messages.
        checkpoint_ns: The namespace of a subgraph; by default the graph itself.

    Raises:
        ConfigurationError: `checkpointer` is none, or `channel` is empty.
        ScopeError: `thread_id` is malformed.

    Example:
        >>> from langgraph.checkpoint.memory import InMemorySaver
        >>> history = ThreadChatMessageHistory(InMemorySaver(), "thread-1")
        >>> history.add_user_message("Deploy to staging first, please.")
        >>> history.last(1)[0].content
        'Deploy to staging first, please.'
    """

    def __init__(
        self,
        checkpointer: BaseCheckpointSaver[Any],
        thread_id: str,
        *,
        channel: str = "messages",
        checkpoint_ns: str = "",
    ) -> None:
        """No I/O."""
        sessions = ThreadSessions(checkpointer, channel=channel, checkpoint_ns=checkpoint_ns)
        super().__init__(sessions, Scope.anonymous(thread_id))

    def clear(self) -> None:
        """Delete the whole thread for good: every checkpoint, channel, pending write and subgraph, not messages alone.

        Nothing of it can be resumed or rolled back any more; no other thread changes.

        Raises:
            StorageError: The checkpointer failed.
        """
        super().clear()

    async def aclear(self) -> None:
        """Delete the whole thread for good; see `clear`."""
        await super().aclear()


class _Head(NamedTuple):
    """The latest checkpoint of a thread, or none, and how to put the next one."""

    configurable: dict[str, Any]
    found: CheckpointTuple | None
    messages: list[BaseMessage]

    @property
    def checkpoint(self) -> Checkpoint:
        if self.found is not None:
            return self.found.checkpoint
        return Checkpoint(
            v=CHECKPOINT_VERSION,
            id="",
            ts="",
            channel_values={},
            channel_versions={},
            versions_seen={},
            updated_channels=None,
        )

    def next_metadata(self, channel: str) -> CheckpointMetadata:
        """Return the metadata of a checkpoint on top; a channel that gets its whole value begins to count anew."""
        old: CheckpointMetadata = {} if self.found is None else self.found.metadata
        new: CheckpointMetadata = {
            "source": "update",
            "step": old.get("step", -1) + 1,
            "parents": old.get("parents", {}),
        }
        counters = old.get("counters_since_delta_snapshot", {}).items()
        others = {name: (updates, steps + 1) for name, (updates, steps) in counters if name != channel}
        if others:
            new["counters_since_delta_snapshot"] = others
        return new


def _owner(scope: Scope) -> dict[str, str]:
    return {} if scope.is_anonymous else {"user_id": scope.user_id, "tenant_id": scope.tenant_id}


def _check_same_owner(found: CheckpointTuple, scope: Scope) -> None:
    """Refuse a thread whose latest checkpoint names another user; one that names none is its id's."""
    known: dict[str, Any] = dict(found.metadata)
    if any(known.get(name) not in {None, value} for name, value in _owner(scope).items()):
        thread_id = found.config["configurable"]["thread_id"]
        msg = f"thread {thread_id!r} is not user {scope.user_id!r}'s; pass a session_id of this user"
        raise ScopeError(msg)


def _check_at_rest(head: _Head) -> None:
    """Refuse a thread whose tasks have written for a step that has not ended; a failed task runs again anyway."""
    if head.found is not None and any(channel != ERROR for _, channel, _ in head.found.pending_writes or ()):
        thread_id = head.configurable["thread_id"]
        remedy = "let it end, or resume it with graph.invoke(Command(resume=…), config), and call again"
        msg = f"thread {thread_id!r} is in the middle of a run, interrupted or running; {remedy}"
        raise ConflictError(msg, is_retryable=True)


def _id_after(last_id: str) -> str:
    """Return an id that sorts after the last one, also where another machine's clock is ahead."""
    fresh = str(uuid6())
    if fresh > last_id:
        return fresh
    try:
        return str(uuid.UUID(int=uuid.UUID(last_id).int + 1))
    except ValueError:  # no UUID: its maker has an order of its own
        return fresh


def _replayed(seed: Iterable[BaseMessage], writes: Iterable[Any]) -> list[BaseMessage]:
    """Apply what was written to a channel of messages, as `add_messages` does."""
    messages = {message.id or new_uuid(): message for message in seed}
    for write in writes:
        value = _overwriting(write)
        if value is not write:
            messages.clear()
        for message in convert_to_messages(_as_list(value)):
            if message.id == REMOVE_ALL_MESSAGES:
                messages.clear()
            elif isinstance(message, RemoveMessage):
                messages.pop(str(message.id), None)
            else:
                messages[message.id or new_uuid()] = message
    return list(messages.values())


def _as_list(value: Any) -> list[Any]:  # noqa: ANN401  (a graph may write anything that is like a message)
    return value if isinstance(value, list) else [value]


def _overwriting(write: object) -> object:
    """Return what a write puts in place of everything, or the write itself if it only adds."""
    if isinstance(write, Overwrite):
        return write.value if write.value is not None else []
    if isinstance(write, dict) and set(write) == {_OVERWRITE_KEY}:
        return write[_OVERWRITE_KEY] or []
    return write
