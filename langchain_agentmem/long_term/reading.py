"""What can be read without a query: memories by id or page by page, their lives, receipts, and the log's soundness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from langchain_agentmem._checks import check_instance, check_key, check_labels, check_text
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.ledger.base import OrderBy
from langchain_agentmem.ledger.verification import Anchor, Verification
from langchain_agentmem.long_term.explaining import Explaining, Explanation
from langchain_agentmem.long_term.finding import Finding
from langchain_agentmem.long_term.listing import Listing, ListQuery, MemoryPage
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.searching import Searching
from langchain_agentmem.policies.redact import redact
from langchain_agentmem.policies.sensitive_records import shown_memory
from langchain_agentmem.policies.support import Support
from langchain_agentmem.types import Kinds, Memory, RecallQuery, Receipt, Scope
from langchain_agentmem.types.scope import known_user


class Reading:
    """What long-term memory tells of what is there, notes of its use, and makes anew; it changes no memory."""

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._explaining = Explaining(parts, Finding(parts, searching))
        self._listing = Listing(parts)
        self._ledger = parts.ledger
        self._clock = parts.clock
        self._sensitive = parts.sensitive

    def now(self) -> datetime:
        """Return the time by this memory's clock: when something was said that is told now."""
        return self._clock()

    def shown(self, memory: Memory) -> Memory:
        """Return a memory as a recall or a listing shows it: sensitive data as the policy for what is `shown` says."""
        return shown_memory(self._sensitive, memory)

    def get(self, memory_id: str, *, scope: Scope) -> Memory | None:
        """Return one memory of any status, or `None` where it is unknown here or erased."""
        return run(self._listing.get(checked_id(memory_id), known_user(scope)))

    async def aget(self, memory_id: str, *, scope: Scope) -> Memory | None:
        """Return one memory; see `get`."""
        return await arun(self._listing.get(checked_id(memory_id), known_user(scope)))

    def allowed_flow(self, memory_id: str, scope: Scope) -> Flow[Memory | None]:
        """Return one memory as `get` does, as part of another flow; none that may not be used for this purpose."""
        return self._listing.allowed(checked_id(memory_id), known_user(scope))

    def get_each_flow(
        self, memory_ids: Sequence[str], scope: Scope, about: str = "", *, admitted: RecallQuery | None = None
    ) -> Flow[dict[str, Memory]]:
        """Return those of several memories that are known here, by id, as part of another flow; see `get`.

        Args:
            memory_ids: In whatever order.
            scope: Whose they are.
            about: What was asked: of a long turn, the passages that say it are shown, as a recall shows them.
            admitted: Only what a recall with these conditions may use now.
        """
        ids = [checked_id(it) for it in dict.fromkeys(memory_ids)]
        return self._listing.get_each(ids, known_user(scope), about, admitted)

    def list(
        self,
        *,
        scope: Scope,
        kinds: Kinds | None = None,
        tags: Sequence[str] = (),
        order_by: OrderBy = "created_at",
        limit: int = 100,
        cursor: str | None = None,
    ) -> MemoryPage:
        """Return active memories without a query, the greatest `order_by` first; a page's `cursor` continues behind it.

        What the user has withdrawn consent to is not listed; `select` shows it.

        Raises:
            ConfigurationError: An unknown kind or order, a limit outside 1…1,000, or a foreign cursor.
        """
        query = _list_query(kinds, tags, order_by, limit, cursor)
        return run(self._listing.list(check_instance("query", query, ListQuery), known_user(scope)))

    async def alist(
        self,
        *,
        scope: Scope,
        kinds: Kinds | None = None,
        tags: Sequence[str] = (),
        order_by: OrderBy = "created_at",
        limit: int = 100,
        cursor: str | None = None,
    ) -> MemoryPage:
        """Return memories without a query; see `list`."""
        query = _list_query(kinds, tags, order_by, limit, cursor)
        return await arun(self._listing.list(check_instance("query", query, ListQuery), known_user(scope)))

    def select(self, query: ListQuery, *, scope: Scope) -> MemoryPage:
        """Return memories by a whole `ListQuery`: also what is pending, superseded, forgotten, or may not be used."""
        return run(self._listing.list(check_instance("query", query, ListQuery), known_user(scope)))

    def select_flow(self, query: ListQuery, scope: Scope) -> Flow[MemoryPage]:
        """Return memories by a whole `ListQuery`, as a flow, for a caller that waits on more than this."""
        return self._listing.list(check_instance("query", query, ListQuery), known_user(scope))

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

    def note_injected(
        self, receipt_id: str, call_id: str, *, scope: Scope, memory_ids: Sequence[str] | None = None
    ) -> Receipt:
        """Note in a receipt into which model call its hits were put; the graph's `reason` does it by itself.

        Args:
            receipt_id: Of the recall.
            call_id: What the call is known by: the id of the answer's message, or of the run. Sensitive data in it is
                masked, as in any text of a receipt.
            scope: Whose.
            memory_ids: Which of them, where not all had room; what the recall did not return is not noted.

        Raises:
            NotFoundError: There is no receipt of this id in this scope.
        """
        return run(self._note_injected(receipt_id, call_id, scope, memory_ids))

    async def anote_injected(
        self, receipt_id: str, call_id: str, *, scope: Scope, memory_ids: Sequence[str] | None = None
    ) -> Receipt:
        """Note in a receipt into which model call its hits were put; see `note_injected`."""
        return await arun(self._note_injected(receipt_id, call_id, scope, memory_ids))

    def _note_injected(
        self, receipt_id: str, call_id: str, scope: Scope, memory_ids: Sequence[str] | None
    ) -> Flow[Receipt]:
        checked_id(receipt_id, "receipt_id")
        checked_id(call_id, "call_id")
        if memory_ids is None:
            known = yield from self._explaining.receipt(receipt_id, known_user(scope))
            memory_ids = known.returned
        ids = check_labels("memory_ids", memory_ids)
        return (yield from self.injected_flow(receipt_id, (), scope, {redact(call_id): ids}))

    def injected_flow(
        self,
        receipt_id: str,
        into: Sequence[str],
        scope: Scope,
        shown: Mapping[str, Sequence[str]] | None = None,
    ) -> Flow[Receipt]:
        """Note in a receipt into which turns its hits were put, and which of them each model call was shown."""
        return self._explaining.injected(receipt_id, into, known_user(scope), shown or {})

    def note_used(self, receipt_id: str, used: Mapping[str, bool | None], *, scope: Scope) -> Receipt:
        """Note in a receipt which of its memories the answer used; the graph's `evaluate` does it by itself.

        Args:
            receipt_id: Of the recall.
            used: By memory id; `None` where it cannot be told. Of what the recall did not return nothing is noted, and
                what is noted already is replaced.
            scope: Whose.

        Raises:
            NotFoundError: There is no receipt of this id in this scope.
            ConfigurationError: `used` is no mapping of ids to `True`, `False` or `None`.
        """
        return run(self.note_used_flow(receipt_id, used, scope))

    async def anote_used(self, receipt_id: str, used: Mapping[str, bool | None], *, scope: Scope) -> Receipt:
        """Note in a receipt which of its memories the answer used; see `note_used`."""
        return await arun(self.note_used_flow(receipt_id, used, scope))

    def note_used_flow(
        self, receipt_id: str, used: Mapping[str, bool | None], scope: Scope, support: Support | None = None
    ) -> Flow[Receipt]:
        """Note what an answer used, and whether it was supported, as part of another flow; see `note_used`."""
        receipt_id, used = checked_id(receipt_id, "receipt_id"), _checked_use(used)
        return self._explaining.note_used(receipt_id, used, known_user(scope), support or Support())

    def why_not(self, receipt_id: str, memory_id: str, *, scope: Scope) -> str:
        """Return, in a sentence, why a recall did not return a memory, or a turn of a conversation.

        Where it was no candidate, the question is asked again, as far as its words are still there, to say at which
        place it would stand now.

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

        While the user is being erased, what is gone already is no problem: `is_erasing` says so.

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
        """Rebuild the user's table of memories from the log; return how many rows it has.

        Raises:
            RetentionError: All of the user's is being erased, the table too.
        """
        return run(self._ledger.replay(known_user(scope)))

    async def areplay(self, *, scope: Scope) -> int:
        """Rebuild the user's table of memories; see `replay`."""
        return await arun(self._ledger.replay(known_user(scope)))


def checked_id(memory_id: str, name: str = "memory_id") -> str:
    """Return an id that can be looked for."""
    return check_key(name, memory_id)


def checked_ids(memory_ids: Sequence[str]) -> tuple[str, ...]:
    """Return ids that can be looked for."""
    return check_labels("memory_ids", memory_ids)


def checked_reason(reason: str) -> str:
    """Return a reason as it may be stored: what is no memory for being sensitive is no reason either."""
    return redact(check_text("reason", reason))


def _checked_use(used: Mapping[str, bool | None]) -> dict[str, bool | None]:
    if not isinstance(used, Mapping):
        msg = f"used must be a mapping of memory ids to True, False or None, got {type(used).__name__}"
        raise ConfigurationError(msg)
    wrong = next((value for value in used.values() if value is not None and not isinstance(value, bool)), None)
    if wrong is not None:
        msg = f"used must say True, False or None of each memory, got {wrong!r}"
        raise ConfigurationError(msg)
    return {checked_id(memory_id): value for memory_id, value in used.items()}


def _checked_anchor(anchor: Anchor | None) -> Anchor | None:
    return None if anchor is None else check_instance("anchor", anchor, Anchor)


def _list_query(
    kinds: Kinds | None, tags: Sequence[str], order_by: OrderBy, limit: int, cursor: str | None
) -> ListQuery:
    wanted: Any = kinds
    labels = check_labels("tags", tags)
    return ListQuery(kinds=wanted, tags=labels, order_by=order_by, limit=limit, cursor=cursor, usable=True)
