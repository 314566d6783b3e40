"""The memories that can have a place in a user's profile, kept as of a content revision.

A view in this process is brought up to date by what changed; a copy in Redis counts only for the very state of the
ledger it was made from. Either way the ledger is asked first, so that an acknowledged write is never missed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias

from langchain_agentmem._flow import Flow
from langchain_agentmem.english.reading.profile_fields import may_be_of_profile
from langchain_agentmem.ledger.base import Head, Ledger, LedgerReader, Page
from langchain_agentmem.policies.approve import awaits
from langchain_agentmem.types import ConsentState, Kind, Memory, Scope, Status
from langchain_agentmem.types.memories import LIVE_STATUSES

MAX_BYTES: Final = 64 * 2**20
"""Held in this process, of all users together."""

_ROW_BYTES: Final = 1_024
"""About what one memory takes."""

_KINDS: Final[tuple[Kind, ...]] = ("fact", "preference", "constraint")
"""Of every memory that is still there."""

_PAGE: Final = 1_000

Owner: TypeAlias = tuple[str, str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileView:
    """What a scope sees of a user's memories that can be of the profile, active and pending ones."""

    head: Head = field(default_factory=Head)
    memories: Mapping[str, Memory] = field(default_factory=lambda: MappingProxyType({}))

    def is_of(self, head: Head) -> bool:
        """Whether this is the state of the ledger."""
        return (self.head.seq, self.head.digest) == (head.seq, head.digest)


class RemoteViews(Protocol):
    """Views on a server, shared by processes. It is a cache: where it fails, there is nothing in it."""

    def get(self, scope: Scope) -> Flow[ProfileView | None]:
        """Return the view kept for a scope, whatever its revision."""
        ...

    def put(self, scope: Scope, view: ProfileView) -> Flow[None]:
        """Keep a view, unless it is of a revision before the last erasure."""
        ...

    def drop(self, scope: Scope, floor: int) -> Flow[None]:
        """Drop the views of a user, of every agent, and take none before a revision any more.

        Raises:
            StorageError: The server is away.
        """
        ...


def _always(_consent: ConsentState) -> bool:
    return True


class ProfileViews:
    """Views of users, in this process and, where there is one, on a server."""

    def __init__(self, ledger: Ledger, remote: RemoteViews | None = None, *, max_bytes: int = MAX_BYTES) -> None:
        """Nothing is read yet."""
        self.are_remote = remote is not None
        self._ledger = ledger
        self._remote = remote
        self._max_held = max_bytes // _ROW_BYTES
        self._lock = threading.Lock()
        self._held: OrderedDict[Owner, ProfileView] = OrderedDict()
        self._size = 0

    def open(self, scope: Scope, may_read: Callable[[ConsentState], bool] = _always) -> Flow[ProfileView]:
        """Return the view of a scope as the ledger is now; a server keeps none that consent forbids to read."""
        here = self._get(scope)
        copy = None if here is not None or self._remote is None else (yield from self._remote.get(scope))
        view = yield from self._ledger.read(scope, lambda reader: _brought_up(reader, here, copy))
        if view is not here:
            self._put(scope, view)
        is_new = view is not here and view is not copy and bool(view.memories)
        if self._remote is not None and is_new and may_read(view.head.consent):
            yield from self._remote.put(scope, view)
        return view

    def forget(self, scope: Scope) -> None:
        """Drop what this process holds of the scope's (tenant, user)."""
        with self._lock:
            for owner in [it for it in self._held if it[:2] == (scope.tenant_id, scope.user_id)]:
                self._size -= _size(self._held.pop(owner))

    def drop(self, scope: Scope) -> Flow[None]:
        """Drop what the server holds of the scope's (tenant, user)."""
        if self._remote is not None:
            floor = yield from self._ledger.read(scope, lambda reader: reader.head.seq)
            yield from self._remote.drop(scope, floor)

    def _get(self, scope: Scope) -> ProfileView | None:
        with self._lock:
            view = self._held.get(_owner(scope))
            if view is not None:
                self._held.move_to_end(_owner(scope))
            return view

    def _put(self, scope: Scope, view: ProfileView) -> None:
        with self._lock:
            before = self._held.pop(_owner(scope), None)
            self._held[_owner(scope)] = view
            self._size += _size(view) - (0 if before is None else _size(before))
            while self._size > self._max_held and len(self._held) > 1:
                self._size -= _size(self._held.popitem(last=False)[1])


def _owner(scope: Scope) -> Owner:
    return scope.tenant_id, scope.user_id, scope.agent_id


def _size(view: ProfileView) -> int:
    """Return the memories of a view; an empty one takes room too."""
    return 1 + len(view.memories)


def _brought_up(reader: LedgerReader, here: ProfileView | None, copy: ProfileView | None) -> ProfileView:
    for view in (here, copy):
        if view is not None and view.is_of(reader.head):
            return view
    if here is not None and here.head.seq < reader.head.seq:
        return ProfileView(head=reader.head, memories=_kept(_changed(reader, here)))
    return ProfileView(head=reader.head, memories=_kept(every(reader)))


def _changed(reader: LedgerReader, here: ProfileView) -> Iterable[Memory]:
    """Return what is known as it is now, and what is new; of what was erased only that it was is told."""
    erased = set(reader.search_columns(here.head.seq, None).erased)
    fresh = {memory.id: memory for memory in reader.changed(here.head.seq)}
    return (it for it in {**here.memories, **fresh}.values() if it.id not in erased)


def every(reader: LedgerReader, statuses: Sequence[Status] = LIVE_STATUSES) -> Iterator[Memory]:
    """Yield all memories of kinds that can be of a profile, the newest first."""
    return reader.every(Page(kinds=_KINDS, statuses=statuses))


def _kept(memories: Iterable[Memory]) -> Mapping[str, Memory]:
    return MappingProxyType({it.id: it for it in memories if _is_read(it)})


def _is_read(memory: Memory) -> bool:
    """Whether it can be of a profile; what waits for approval is of none."""
    return memory.status in LIVE_STATUSES and not awaits(memory) and may_be_of_profile(memory)
