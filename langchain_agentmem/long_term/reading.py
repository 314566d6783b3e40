"""What can be read without a query: memories by id or page by page, their lives, receipts, and the log's soundness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_agentmem._checks import check_instance, check_key, check_labels, check_text
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.errors import ScopeError
from langchain_agentmem.ledger.base import Anchor, OrderBy, Verification
from langchain_agentmem.long_term.explaining import Explaining, Explanation
from langchain_agentmem.long_term.listing import Listing, ListQuery, MemoryPage
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.policies.redact import redact
from langchain_agentmem.types import Kind, Memory, Receipt, Scope


class Reading:
    """The part of long-term memory that changes nothing."""

    def __init__(self, parts: Parts) -> None:
        """Compose."""
        self._explaining = Explaining(parts)
        self._listing = Listing(parts)
        self._ledger = parts.ledger

    def get(self, memory_id: str, *, scope: Scope) -> Memory | None:
        """Return one memory of any status, or `None` where it is unknown here or erased."""
        return run(self._listing.get(checked_id(memory_id), known_user(scope)))

    async def aget(self, memory_id: str, *, scope: Scope) -> Memory | None:
        """Return one memory; see `get`."""
        return await arun(self._listing.get(checked_id(memory_id), known_user(scope)))

    def list(
        self,
        *,
        scope: Scope,
        kinds: Sequence[Kind] | None = None,
        tags: Sequence[str] = (),
        order_by: OrderBy = "created_at",
        limit: int = 100,
        cursor: str | None = None,
    ) -> MemoryPage:
        """Return active memories without a query, the greatest `order_by` first; a page's `cursor` continues behind it.

        Raises:
            ConfigurationError: An unknown kind or order, a limit outside 1…1,000, or a foreign cursor.
        """
        query = _list_query(kinds, tags, order_by, limit, cursor)
        return run(self._listing.list(check_instance("query", query, ListQuery), known_user(scope)))

    async def alist(
        self,
        *,
        scope: Scope,
        kinds: Sequence[Kind] | None = None,
        tags: Sequence[str] = (),
        order_by: OrderBy = "created_at",
        limit: int = 100,
        cursor: str | None = None,
    ) -> MemoryPage:
        """Return memories without a query; see `list`."""
        query = _list_query(kinds, tags, order_by, limit, cursor)
        return await arun(self._listing.list(check_instance("query", query, ListQuery), known_user(scope)))

    def select(self, query: ListQuery, *, scope: Scope) -> MemoryPage:
        """Return memories by a whole `ListQuery`: also what is pending, superseded or forgotten."""
        return run(self._listing.list(check_instance("query", query, ListQuery), known_user(scope)))

    async def aselect(self, query: ListQuery, *, scope: Scope) -> MemoryPage:
        """Return memories by a whole `ListQuery`; see `select`."""
        return await arun(self._listing.list(check_instance("query", query, ListQuery), known_user(scope)))

    def why(self, memory_id: str, *, scope: Scope) -> Explanation:
        """Return all that happened to a memory, with reasons.

        Raises:
            NotFoundError: It never existed in this scope.
        """
        return run(self._explaining.why(checked_id(memory_id), known_user(scope)))

    async def awhy(self, memory_id: str, *, scope: Scope) -> Explanation:
        """Return all that happened to a memory; see `why`."""
        return await arun(self._explaining.why(checked_id(memory_id), known_user(scope)))

    def receipt(self, receipt_id: str, *, scope: Scope) -> Receipt:
        """Return the receipt of a recall.

        Raises:
            NotFoundError: There is none of this id in this scope.
        """
        return run(self._explaining.receipt(checked_id(receipt_id, "receipt_id"), known_user(scope)))

    async def areceipt(self, receipt_id: str, *, scope: Scope) -> Receipt:
        """Return the receipt of a recall; see `receipt`."""
        return await arun(self._explaining.receipt(checked_id(receipt_id, "receipt_id"), known_user(scope)))

    def injected_flow(self, receipt_id: str, into: Sequence[str], scope: Scope) -> Flow[Receipt]:
        """Note in a receipt into which runs or messages its hits were put, as part of another flow."""
        return self._explaining.injected(receipt_id, into, known_user(scope))

    def why_not(self, receipt_id: str, memory_id: str, *, scope: Scope) -> str:
        """Return, in a sentence, why a recall did not return a memory.

        Raises:
            NotFoundError: The receipt or the memory does not exist in this scope.
        """
        return run(self._why_not(receipt_id, memory_id, scope))

    async def awhy_not(self, receipt_id: str, memory_id: str, *, scope: Scope) -> str:
        """Return why a recall did not return a memory; see `why_not`."""
        return await arun(self._why_not(receipt_id, memory_id, scope))

    def _why_not(self, receipt_id: str, memory_id: str, scope: Scope) -> Flow[str]:
        receipt_id, memory_id = checked_id(receipt_id, "receipt_id"), checked_id(memory_id)
        return self._explaining.why_not(receipt_id, memory_id, known_user(scope))

    def verify(self, *, scope: Scope, anchor: Anchor | None = None) -> Verification:
        """Check the user's whole log: changed, removed, reordered or truncated events, payloads, and the projection.

        Args:
            scope: Whose log.
            anchor: A head exported earlier (`verify(...).anchor`); with it, rewritten history is found even by a
                caller without the head's key.
        """
        return run(self._ledger.verify(known_user(scope), _checked_anchor(anchor)))

    async def averify(self, *, scope: Scope, anchor: Anchor | None = None) -> Verification:
        """Check the user's whole log; see `verify`."""
        return await arun(self._ledger.verify(known_user(scope), _checked_anchor(anchor)))

    def replay(self, *, scope: Scope) -> int:
        """Rebuild the user's table of memories from the log; return how many rows it has."""
        return run(self._ledger.replay(known_user(scope)))

    async def areplay(self, *, scope: Scope) -> int:
        """Rebuild the user's table of memories; see `replay`."""
        return await arun(self._ledger.replay(known_user(scope)))


def checked(scope: Scope) -> Scope:
    """Return a scope; anything else is refused before any I/O."""
    if not isinstance(scope, Scope):
        msg = f"scope must be a Scope, got {type(scope).__name__}; for example Scope(user_id='alice')"
        raise ScopeError(msg)
    return scope


def known_user(scope: Scope) -> Scope:
    """Return the scope of a known user; an anonymous one has no long-term memory."""
    if checked(scope).is_anonymous:
        msg = "an anonymous scope has no long-term memory; pass Scope(user_id=…)"
        raise ScopeError(msg)
    return scope


def checked_id(memory_id: str, name: str = "memory_id") -> str:
    """Return an id that can be looked for."""
    return check_key(name, memory_id)


def checked_ids(memory_ids: Sequence[str]) -> tuple[str, ...]:
    """Return ids that can be looked for."""
    return check_labels("memory_ids", memory_ids)


def checked_reason(reason: str) -> str:
    """Return a reason as it may be stored: what is no memory for being sensitive is no reason either."""
    return redact(check_text("reason", reason))


def _checked_anchor(anchor: Anchor | None) -> Anchor | None:
    return None if anchor is None else check_instance("anchor", anchor, Anchor)


def _list_query(
    kinds: Sequence[Kind] | None, tags: Sequence[str], order_by: OrderBy, limit: int, cursor: str | None
) -> ListQuery:
    wanted: Any = kinds
    return ListQuery(kinds=wanted, tags=check_labels("tags", tags), order_by=order_by, limit=limit, cursor=cursor)
