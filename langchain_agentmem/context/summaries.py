"""Where running summaries are kept between calls: with the session, in this process, or in a store of LangGraph's.

A graph needs neither: it keeps its summary in its own state.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from functools import partial
from typing import Any, Final, Protocol, TypeAlias
from urllib.parse import quote

from langgraph.store.base import BaseStore, Item

from langchain_agentmem._checks import check_count
from langchain_agentmem._flow import Flow, step
from langchain_agentmem.context.running_summary import RunningSummary
from langchain_agentmem.errors import ConfigurationError, IntegrityError, ScopeError
from langchain_agentmem.sessions.base import KeptSummary, Sessions
from langchain_agentmem.types import Scope

MAX_SESSIONS: Final = 10_000
"""Sessions whose summaries one process keeps, about 40 MB; the longest unused goes first and is made anew."""

_Key: TypeAlias = tuple[str, str, str]


class SummaryStore(Protocol):
    """Keeps one running summary per session; losing one costs a new summary, no message."""

    @property
    def goes_with_session(self) -> bool:
        """Whether a summary ends when its session does: one that is there is then never of a deleted conversation."""
        ...

    def load(self, scope: Scope) -> Flow[RunningSummary | None]:
        """Return the summary of the scope's session.

        Raises:
            IntegrityError: What is kept cannot be read back.
            ScopeError: The scope names no session.
        """
        ...

    def save(self, scope: Scope, summary: RunningSummary | None) -> Flow[None]:
        """Keep the summary of the scope's session in place of the one before; `None` deletes it.

        Raises:
            ScopeError: The scope names no session.
        """
        ...


class SessionSummaries:
    """Keeps each summary with its session, sealed like its messages; every process that has the session finds it.

    Of two processes that extend one summary at once, the first keeps its version and the other's is dropped: both cover
    what they cover, and the next turn goes on from the one that is there. A summary made of a conversation that was
    cleared meanwhile is not kept.

    Args:
        sessions: Where conversations are stored.
    """

    goes_with_session: Final = True

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def load(self, scope: Scope) -> Flow[RunningSummary | None]:
        """Return the summary of the scope's session."""
        data = yield from self._sessions.summary(scope)
        return None if data is None else _decoded(data)

    def save(self, scope: Scope, summary: RunningSummary | None) -> Flow[None]:
        """Keep the summary unless the session has a later one; `None` deletes it."""
        kept = None if summary is None else _kept(summary)
        yield from self._sessions.keep_summary(scope, kept)


class InProcessSummaries:
    """Keeps summaries in this process, for its threads.

    Args:
        max_sessions: So many at most; the longest unused goes first.

    Raises:
        ConfigurationError: `max_sessions` is no int of at least 1.
    """

    goes_with_session: Final = False

    def __init__(self, *, max_sessions: int = MAX_SESSIONS) -> None:
        self._max = check_count("max_sessions", max_sessions, hint=f"for example {MAX_SESSIONS}")
        self._kept: OrderedDict[_Key, RunningSummary] = OrderedDict()
        self._lock = threading.Lock()

    def load(self, scope: Scope) -> Flow[RunningSummary | None]:
        """Return the summary of the scope's session."""
        yield from ()
        with self._lock:
            key = _key(scope)
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def save(self, scope: Scope, summary: RunningSummary | None) -> Flow[None]:
        """Keep the summary of the scope's session; `None` deletes it."""
        yield from ()
        with self._lock:
            key = _key(scope)
            self._kept.pop(key, None)
            if summary is not None:
                self._kept[key] = summary
            if len(self._kept) > self._max:
                self._kept.popitem(last=False)


class StoreSummaries:
    """Keeps summaries in a LangGraph store, where other processes find them.

    The namespace is `(*prefix, tenant, user)`, the key the session, each with `%` and `.` escaped.

    Args:
        store: Any `BaseStore`.
        prefix: The beginning of the namespace.

    Raises:
        ConfigurationError: `store` is no store.
    """

    goes_with_session: Final = False

    def __init__(self, store: BaseStore, *, prefix: tuple[str, ...] = ("summaries",)) -> None:
        if not isinstance(store, BaseStore):
            msg = f"store must be a LangGraph store, got {type(store).__name__}; for example InMemoryStore()"
            raise ConfigurationError(msg)
        self._store = store
        self._prefix = prefix

    def load(self, scope: Scope) -> Flow[RunningSummary | None]:
        """Return the summary of the scope's session."""
        namespace, key = self._place(scope)
        item: Item | None = yield from step(self._store.get, self._store.aget, namespace, key)
        return None if item is None else RunningSummary.from_dict(item.value)

    def save(self, scope: Scope, summary: RunningSummary | None) -> Flow[None]:
        """Keep the summary of the scope's session; `None` deletes it."""
        namespace, key = self._place(scope)
        if summary is None:
            yield from step(self._store.delete, self._store.adelete, namespace, key)
            return
        value: dict[str, Any] = summary.to_dict()
        yield from step(
            partial(self._store.put, namespace, key, value, index=False),
            partial(self._store.aput, namespace, key, value, index=False),
        )

    def _place(self, scope: Scope) -> tuple[tuple[str, ...], str]:
        tenant, user, session = (_label(id_) for id_ in _key(scope))
        return (*self._prefix, tenant, user), session


def summaries_of(sessions: Sessions) -> SummaryStore:
    """Return where summaries of stored conversations are: with them, or in this process if they have no place there."""
    return SessionSummaries(sessions) if sessions.keeps_summaries else InProcessSummaries()


def _kept(summary: RunningSummary) -> KeptSummary:
    """Return a summary as a session keeps it.

    Raises:
        ConfigurationError: It does not say after which message it was made; those of this package do.
    """
    data = json.dumps(summary.to_dict(), separators=(",", ":")).encode()  # ASCII: lone surrogates survive too
    return KeptSummary(data=data, version=summary.version, about=summary.seen_id or summary.last_id or "")


def _decoded(data: bytes) -> RunningSummary:
    try:
        return RunningSummary.from_dict(json.loads(data))
    except ValueError as error:
        msg = "a stored summary cannot be read back; it is made anew with the next turn"
        raise IntegrityError(msg) from error


def _key(scope: Scope) -> _Key:
    if scope.session_id is None:
        msg = "the scope names no session; pass Scope(user_id=…, session_id=…)"
        raise ScopeError(msg)
    return scope.tenant_id, scope.user_id, scope.session_id


def _label(id: str) -> str:
    """Return an id as a label of a namespace: without dots, never empty, no two ids the same."""
    return quote(id, safe="").replace(".", "%2E") or "%"
