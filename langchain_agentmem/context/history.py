"""A view around a chat history: reading shows the view, adding reaches the record, which is never changed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, Protocol

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_agentmem._flow import Flow, arun, flows_of, run, step
from langchain_agentmem.context.runnable import ContextRunnable, View
from langchain_agentmem.context.running_summary import RunningSummary, without_summaries
from langchain_agentmem.context.summaries import InProcessSummaries, SummaryStore
from langchain_agentmem.errors import ConfigurationError, IntegrityError, ScopeError
from langchain_agentmem.sessions.base import Sessions, check_session
from langchain_agentmem.summarize.marks import data_of
from langchain_agentmem.types import Scope

_FIRST_TAIL: Final = 64  # messages: three times what a view holds by default
_TAIL_GROWTH: Final = 8
LOGGER: Final = logging.getLogger("langchain_agentmem")


class _History(Protocol):
    """What is needed of a chat message history; every one of LangChain's has it."""

    @property
    def messages(self) -> list[BaseMessage]:
        """All messages, oldest first."""
        ...

    async def aget_messages(self) -> list[BaseMessage]:
        """Return all messages, oldest first."""
        ...

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages at the end."""
        ...

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages at the end."""
        ...

    def clear(self) -> None:
        """Delete all messages."""
        ...

    async def aclear(self) -> None:
        """Delete all messages."""
        ...


class HistoryView:
    """A chat history of which a model sees a view; usable wherever LangChain takes a chat message history.

    `messages` is the view. It is made when it is first read and stands still until something is added here, as
    `RunnableWithMessageHistory` needs. Room for a new input is left in it where `expect` was told of one: `memory.wrap`
    does so. Messages that are added reach the history whole. What the view puts into a conversation, the summary and
    recalled memories, is never added to it.

    Args:
        history: Any `BaseChatMessageHistory`.
        context: The view: a buffer, a summary buffer, an assembly, a hybrid memory.
        scope: Which session the summary belongs to; `None`: the history's own scope, where it has one.
        summaries: Where the summary is kept between objects; `None`: in this object. LangChain makes a history anew
            for each call, so share one; `SessionSummaries` keeps it with the conversation, also after a restart.

    Raises:
        ConfigurationError: `summaries` is given, and the session is unknown.

    Example:
        ```python
        summaries = InProcessSummaries()
        context = SummaryBuffer(model)


        def history(session_id: str) -> HistoryView:
            return HistoryView(SQLChatMessageHistory(session_id, url=url), context, summaries=summaries)
        ```
    """

    def __init__(
        self,
        history: _History,
        context: ContextRunnable,
        *,
        scope: Scope | None = None,
        summaries: SummaryStore | None = None,
    ) -> None:
        """No I/O."""
        known = scope if scope is not None else getattr(history, "scope", None)
        if summaries is not None and not isinstance(known, Scope):
            msg = "summaries need to know the session; pass scope=Scope.anonymous(session_id) or one with its user"
            raise ConfigurationError(msg)
        self.history = history
        self._context = context
        self._scope = known if isinstance(known, Scope) else Scope.anonymous("here")
        self._summaries = summaries or InProcessSummaries(max_sessions=1)
        self._new: tuple[BaseMessage, ...] = ()
        self._view: View | None = None

    def expect(self, new: Sequence[BaseMessage]) -> None:
        """Leave room for messages that come after the view in the prompt; they are added when they are answered.

        Until then what is new is what the view is for: it is searched with, and counts against the budget.
        """
        if self._view is None:
            self._new = tuple(new)

    @property
    def messages(self) -> list[BaseMessage]:
        """The view; see `get_messages`."""
        return self.get_messages()

    def get_messages(self) -> list[BaseMessage]:
        """Return the view: what a model is to read of the history.

        Raises:
            ConfigurationError: What must stay exceeds the budget on its own.
        """
        return run(self._read())

    async def aget_messages(self) -> list[BaseMessage]:
        """Return the view; see `get_messages`."""
        return await arun(self._read())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages to the history, at its end."""
        run(self._add(messages))

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages to the history, at its end."""
        await arun(self._add(messages))

    def add_message(self, message: BaseMessage) -> None:
        """Add one message to the history."""
        self.add_messages([message])

    def add_user_message(self, message: HumanMessage | str) -> None:
        """Add what the user said to the history."""
        self.add_messages([HumanMessage(message) if isinstance(message, str) else message])

    def add_ai_message(self, message: AIMessage | str) -> None:
        """Add what the assistant said to the history."""
        self.add_messages([AIMessage(message) if isinstance(message, str) else message])

    def clear(self) -> None:
        """Delete the history, and its summary."""
        run(self._clear())

    async def aclear(self) -> None:
        """Delete the history, and its summary."""
        await arun(self._clear())

    def _read(self) -> Flow[list[BaseMessage]]:
        if self._view is None:
            self._view = yield from viewed(self._context, self._record, self._scope, self._summaries, self._new)
        return list(self._view.messages)

    def _record(self, last: int | None) -> Flow[list[BaseMessage]]:
        """Return the history, or its end where it can be read alone."""
        tail, atail = getattr(self.history, "last", None), getattr(self.history, "alast", None)
        if last is None or tail is None or atail is None:
            return (yield from step(lambda: self.history.messages, self.history.aget_messages))
        end: list[BaseMessage] = yield from step(tail, atail, last)
        return end

    def _add(self, messages: Sequence[BaseMessage]) -> Flow[None]:
        own = [message for message in messages if not data_of(message)]
        self._view, self._new = None, ()
        if own:
            yield from step(self.history.add_messages, self.history.aadd_messages, own)

    def _clear(self) -> Flow[None]:
        self._view, self._new = None, ()
        yield from self._summaries.save(self._scope, None)
        yield from step(self.history.clear, self.history.aclear)


class SessionHistory:
    """A session of a `Sessions` port as a chat message history, for a view around it.

    Args:
        sessions: Where conversations are stored.
        scope: Whose, and which.

    Raises:
        ScopeError: The scope names no session.
    """

    def __init__(self, sessions: Sessions, scope: Scope) -> None:
        """No I/O."""
        check_session(scope)
        self.scope = scope
        self._sessions = sessions

    @property
    def messages(self) -> list[BaseMessage]:
        """All messages, oldest first."""
        return self.get_messages()

    def get_messages(self) -> list[BaseMessage]:
        """Return all messages, oldest first."""
        return run(self._sessions.read(self.scope))

    async def aget_messages(self) -> list[BaseMessage]:
        """Return all messages, oldest first."""
        return await arun(self._sessions.read(self.scope))

    def last(self, n: int) -> list[BaseMessage]:
        """Return the last `n` messages, oldest first."""
        return run(self._sessions.read(self.scope, last=n))

    async def alast(self, n: int) -> list[BaseMessage]:
        """Return the last `n` messages, oldest first."""
        return await arun(self._sessions.read(self.scope, last=n))

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages at the end, all or none."""
        run(self._sessions.append(self.scope, messages))

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages at the end, all or none."""
        await arun(self._sessions.append(self.scope, messages))

    def clear(self) -> None:
        """Delete the session."""
        run(self._sessions.clear(self.scope))

    async def aclear(self) -> None:
        """Delete the session."""
        await arun(self._sessions.clear(self.scope))


def viewed(
    context: ContextRunnable,
    read: Callable[[int | None], Flow[list[BaseMessage]]],
    scope: Scope,
    summaries: SummaryStore,
    new: Sequence[BaseMessage] = (),
) -> Flow[View]:
    """Return the view of a record, continuing the session's summary and keeping the new one.

    A summary that cannot be loaded or kept fails no view: it is made anew, or kept at another turn; the view's status
    says so.

    Args:
        context: Makes the view.
        read: Returns the last messages of the record, or all of them for `None`. Of a conversation with a summary, only
            the part is read that the summary does not cover.
        scope: Which session.
        summaries: Where its summary is.
        new: What comes after the view, and is not in the record yet.
    """
    before, failure = yield from _loaded(summaries, scope)
    record = yield from _uncovered(read, before)
    if before is not None and summaries.goes_with_session and before.last_id not in _ids(record):
        before = yield from _unplaced(summaries, scope, before, _ids(record))
    view: View = yield from flows_of(context).view(without_summaries(record), summary=before, new=new)
    if isinstance(failure, IntegrityError):  # the record could be read: the key is right, the summary is damaged
        failure = yield from _saved(summaries, scope, None)
    if failure is None and view.summary != before:
        failure = yield from _saved(summaries, scope, view.summary)
    if failure is None or view.status != "ok":
        return view
    return replace(view, status=f"degraded: {type(failure).__name__}: the summary could not be loaded or kept")


class _Loaded(NamedTuple):
    """A summary, or why there is none."""

    summary: RunningSummary | None
    failure: Exception | None = None


def _loaded(summaries: SummaryStore, scope: Scope) -> Flow[_Loaded]:
    try:
        return _Loaded((yield from summaries.load(scope)))
    except ScopeError:
        raise
    except Exception as error:  # noqa: BLE001  (whatever a store raises, the turn goes on)
        _log("load", scope, error)
        return _Loaded(None, error)


def _saved(summaries: SummaryStore, scope: Scope, summary: RunningSummary | None) -> Flow[Exception | None]:
    """Keep a summary; return why it could not be kept."""
    try:
        yield from summaries.save(scope, summary)
    except ScopeError:
        raise
    except Exception as error:  # noqa: BLE001  (as above)
        _log("keep", scope, error)
        return error
    return None


def _log(what: str, scope: Scope, error: Exception) -> None:
    ids = (scope.tenant_id, scope.user_id, scope.session_id)
    LOGGER.warning("could not %s the summary of session %r: %s", what, ids, type(error).__name__)


def _unplaced(
    summaries: SummaryStore, scope: Scope, before: RunningSummary, ids: set[str | None]
) -> Flow[RunningSummary | None]:
    """Return the summary to go on from where the last message of the one that was loaded is not in the whole record.

    Either what it covers went to make room: it covers nothing of what is left. Or the session was cleared while it was
    read: then the summary went too, and must not be seen again.
    """
    now, _ = yield from _loaded(summaries, scope)
    if now is None or now.last_id in ids:
        return now
    return before.unplaced() if now == before else None


def _ids(record: Sequence[BaseMessage]) -> set[str | None]:
    return {message.id for message in record}


def _uncovered(
    read: Callable[[int | None], Flow[list[BaseMessage]]], before: RunningSummary | None
) -> Flow[list[BaseMessage]]:
    """Return the end of a record that holds everything a summary does not cover."""
    if before is None:
        return (yield from read(None))
    needed = {before.last_id, *before.kept}
    size = _FIRST_TAIL
    while True:
        tail = yield from read(size)
        if len(tail) != size or needed <= _ids(tail):
            return tail
        size *= _TAIL_GROWTH
