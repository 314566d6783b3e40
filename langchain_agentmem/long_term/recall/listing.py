"""Reading without a query: one memory by its id, or all of them page by page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, Final, get_args

from langchain_agentmem._checks import (
    check_choice,
    check_instance,
    check_labels,
    check_wanted_kinds,
)
from langchain_agentmem._flow import Flow
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.text.passages import shown_of
from langchain_agentmem.ledger.base import LedgerReader, OrderBy
from langchain_agentmem.ledger.base import Page as PageQuery
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.ledger.episodes import PREFIX
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.said.words import Words
from langchain_agentmem.policies.sensitive_records import shown_memory
from langchain_agentmem.types import KINDS, STATUSES, ConsentState, Kind, Kinds, Memory, RecallQuery, Scope, Status
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Order, Page, check_limit

ORDERS: Final[tuple[str, ...]] = get_args(OrderBy)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """What to list, checked before any I/O.

    Args:
        usable: Only what the user's consent lets be used, for anything at all.
        admitted: Only what a recall with these conditions may use now, whatever it asks for.
    """

    kinds: tuple[Kind, ...] | None = None
    tags: tuple[str, ...] = ()
    statuses: tuple[Status, ...] = ("active",)
    order_by: OrderBy = "created_at"
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None
    usable: bool = False
    admitted: RecallQuery | None = None
    after: tuple[float, str] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Check every field."""
        object.__setattr__(self, "kinds", check_wanted_kinds(self.kinds, KINDS))
        object.__setattr__(self, "tags", check_labels("tags", self.tags))
        for status in check_labels("statuses", self.statuses):
            check_choice("statuses", status, STATUSES)
        check_choice("order_by", self.order_by, ORDERS)
        check_limit(self.limit)
        if self.admitted is not None:
            check_instance("admitted", self.admitted, RecallQuery)
        object.__setattr__(self, "after", self.order.start(self.cursor))

    @property
    def order(self) -> Order:
        """What the pages are cut by."""
        return Order(f"long_term.list(order_by={self.order_by!r})", (float, str))

    def place(self, memory: Memory) -> tuple[float, str]:
        """Return where a memory stands in the order."""
        if self.order_by == "created_at":
            return to_micros(memory.created_at) or 0, memory.id
        return getattr(memory, self.order_by), memory.id


def list_query(
    kinds: Kinds | None, tags: Sequence[str], order_by: OrderBy, limit: int, cursor: str | None
) -> ListQuery:
    """Return what a listing of what may be used asks for."""
    wanted: Any = kinds
    labels = check_labels("tags", tags)
    return ListQuery(kinds=wanted, tags=labels, order_by=order_by, limit=limit, cursor=cursor, usable=True)


class Listing:
    """Lists what is remembered."""

    def __init__(self, parts: Parts) -> None:
        """Compose."""
        self._parts = parts
        self._words = Words(parts)

    def get(self, memory_id: str, scope: Scope) -> Flow[Memory | None]:
        """Return a visible memory, or turn of a conversation."""
        memory = yield from self._parts.ledger.read(scope, lambda reader: reader.memory(memory_id))
        if memory is None and memory_id.startswith(PREFIX):
            found = yield from self._words.get(scope, [memory_id])
            memory = next((episode.as_memory() for episode in found.episodes.values()), None)
        return None if memory is None else shown_memory(self._parts.sensitive, memory)

    def allowed(self, memory_id: str, scope: Scope) -> Flow[Memory | None]:
        """Return a visible memory, or turn, that may be used for the purpose of this process.

        One of a user who has withdrawn is returned: rules of writing refuse what is made of it, and they may forget it.
        """
        memory = yield from self.get(memory_id, scope)
        if memory is None:
            return None
        consent = yield from self._parts.ledger.read(scope, lambda reader: reader.head.consent)
        admission = self._parts.admission(consent, self._parts.asked(RecallQuery()))
        return memory if consent.status == "withdrawn" or admission.allows(memory) else None

    def get_each(
        self, memory_ids: Sequence[str], scope: Scope, about: str = "", admitted: RecallQuery | None = None
    ) -> Flow[dict[str, Memory]]:
        """Return the visible ones of several memories, and of turns, in the order of their ids, to show them.

        What the user does not allow any more is not among them, nor what a recall `admitted` to some use may not use.

        Of long turns the passages are shown that say what they are asked `about`.
        """
        if not memory_ids:
            return {}
        found, consent = yield from self._parts.ledger.read(
            scope, lambda reader: (reader.memories(memory_ids), reader.head.consent)
        )
        turns = yield from self._words.get(
            scope, [it for it in memory_ids if it.startswith(PREFIX) and it not in found]
        )
        terms = tokenize(about)
        every = {**found, **{it.id: it.as_memory(shown_of(it, terms)) for it in turns.episodes.values()}}
        policy = self._parts.sensitive
        may_show = self._parts.consented(consent).admits if admitted is None else self._admitted(consent, admitted)
        return {it: shown_memory(policy, every[it]) for it in memory_ids if it in every and may_show(every[it])}

    def list(self, query: ListQuery, scope: Scope) -> Flow[Page[Memory]]:
        """Return one page; a memory past its `expires_at` is not listed."""
        now = self._parts.clock()

        def listed(reader: LedgerReader) -> Page[Memory]:
            found = meant(reader, query, now, self._usable(reader.head.consent, query), query.after)
            return query.order.page(found, query.limit, query.place)

        page = yield from self._parts.ledger.read(scope, listed)
        return page.each(partial(shown_memory, self._parts.sensitive))

    def _usable(self, consent: ConsentState, query: ListQuery) -> Callable[[Memory], bool]:
        """Return what tells whether a memory may be used, as far as that is asked; silence is no reason to hide one."""
        if query.admitted is not None:
            return self._admitted(consent, query.admitted)
        if not query.usable:
            return lambda _: True
        return self._parts.usable(consent)

    def _admitted(self, consent: ConsentState, query: RecallQuery) -> Callable[[Memory], bool]:
        admission = self._parts.admission(consent, query)
        return lambda memory: admission.objection(memory) is None


def meant(
    reader: LedgerReader,
    query: ListQuery,
    now: datetime,
    is_meant: Callable[[Memory], bool] = lambda _: True,
    after: tuple[float, str] | None = None,
) -> list[Memory]:
    """Return what is meant behind a place, and so many that the page is full: one more where another follows."""
    found: list[Memory] = []
    page = PageQuery(
        kinds=query.kinds,
        statuses=query.statuses,
        order_by=query.order_by,
        after=after,
        limit=query.limit + 1,
    )
    while True:
        batch = reader.page(page)
        found += [memory for memory in batch if _matches(memory, query, now) and is_meant(memory)]
        if len(found) > query.limit or len(batch) < page.limit:
            return found
        page = replace(page, after=query.place(batch[-1]))


def _matches(memory: Memory, query: ListQuery, now: datetime) -> bool:
    is_kept = memory.expires_at is None or memory.expires_at > now
    return is_kept and set(query.tags) <= set(memory.tags)
