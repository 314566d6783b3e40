"""A guard around the port of threads: whose a thread is, it learns from the thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_agentmem._flow import Flow
from langchain_agentmem.access.flows import AccessFlows
from langchain_agentmem.access.guards import passing
from langchain_agentmem.checkpoints.base import ASKS, Draft, Page, Plan, Query, Reader, Removal, Threads, ThreadState
from langchain_agentmem.types import Scope
from langchain_agentmem.types.asking import Action
from langchain_agentmem.types.scope import Owner


class GuardedThreads:
    """Threads that ask before they are read, written or removed; a thread that is nobody's asks nobody."""

    def __init__(self, threads: Threads, access: AccessFlows) -> None:
        """Nothing is asked yet."""
        self._threads = threads
        self._access = access

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (what concerns no user)
        return passing(self._threads, name, ASKS)

    def change(self, thread_id: str, draft: Draft, *, at: int, expires_at: int | None) -> Flow[ThreadState]:
        """Ask, and apply a change."""
        known = getattr(draft, "user", None) or getattr(getattr(draft, "seal", None), "owner", None)
        yield from self._pass("write", thread_id, known or (yield from self._owner(thread_id)))
        return (yield from self._threads.change(thread_id, draft, at=at, expires_at=expires_at))

    def load(self, thread_id: str, query: Query, reader: Reader, *, expires_at: int | None = None) -> Flow[None]:
        """Let a reader read, and ask before anybody hears of it; whose a thread is may always be known."""
        learning = _Learning(reader)
        yield from self._threads.load(thread_id, query, learning, expires_at=expires_at)
        if query.limit != 0:
            yield from self._pass("read", thread_id, learning.owner)

    def remove(self, thread_id: str, plan: Plan) -> Flow[Removal | None]:
        """Ask, and remove what a plan says."""
        yield from self._pass("erase", thread_id, (yield from self._owner(thread_id)))
        return (yield from self._threads.remove(thread_id, plan))

    def delete(self, thread_id: str, *, expired_by: int | None = None, with_lease: bool = False) -> Flow[bool]:
        """Ask, and remove a thread; one whose time is over goes by itself."""
        if expired_by is None:
            yield from self._pass("erase", thread_id, (yield from self._owner(thread_id)))
        return (yield from self._threads.delete(thread_id, expired_by=expired_by, with_lease=with_lease))

    def threads(self, *, owner: Owner | None = None, **chosen: Any) -> Flow[Any]:
        """Ask, and list an owner's threads; all of a database is the operator's."""
        yield from self._pass("read", None, owner)
        return (yield from self._threads.threads(owner=owner, **chosen))

    def last_use(self, owner: Owner) -> Flow[int | None]:
        """Ask, and return when an owner was here last."""
        yield from self._pass("read", None, owner)
        return (yield from self._threads.last_use(owner))

    def lease(self, thread_id: str, holder: str, *, at: int, until: int) -> Flow[bool]:
        """Ask, and give a thread to a holder: nobody else can run on it until then."""
        yield from self._pass("write", thread_id, (yield from self._owner(thread_id)))
        return (yield from self._threads.lease(thread_id, holder, at=at, until=until))

    def release(self, thread_id: str, holder: str) -> Flow[None]:
        """Ask, and end a lease."""
        yield from self._pass("write", thread_id, (yield from self._owner(thread_id)))
        return (yield from self._threads.release(thread_id, holder))

    def _owner(self, thread_id: str) -> Flow[Owner | None]:
        learning = _Learning(None)
        yield from self._threads.load(thread_id, Query(ns="", limit=0), learning)
        return learning.owner

    def _pass(self, action: Action, thread_id: str | None, owner: Owner | None) -> Flow[None]:
        if owner is not None:
            scope = Scope(owner.user_id, tenant_id=owner.tenant_id, session_id=thread_id)
            yield from self._access.check(action, scope)


class _Learning:
    """A reader that learns whose the thread is, on the way to another."""

    def __init__(self, reader: Reader | None) -> None:
        self._reader = reader
        self.owner: Owner | None = None

    def take_page(self, page: Page) -> None:
        self.owner = page.state.owner
        if self._reader is not None:
            self._reader.take_page(page)

    def wants(self) -> Sequence[range]:
        return () if self._reader is None else self._reader.wants()

    def take_items(self, items: Sequence[tuple[int, bytes]]) -> None:
        if self._reader is not None:
            self._reader.take_items(items)
