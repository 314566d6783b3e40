"""What each user's memories state, read once and kept as of a content revision.

A view is brought up to date by what changed before it answers, so that it is right also when another process writes.
What is erased goes from it at once in this process, and with the next question elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Final, TypeAlias

from langchain_agentmem._flow import Flow, work
from langchain_agentmem.english.reading.relations import Relations
from langchain_agentmem.english.reading.triples import triples_of
from langchain_agentmem.entities.graph import EntityGraph
from langchain_agentmem.entities.projecting import Told, project
from langchain_agentmem.index.cached_view import CachedView
from langchain_agentmem.index.view_cache import DEFAULT_MAX_BYTES, ViewCache
from langchain_agentmem.ledger.base import Head, Ledger, LedgerReader, Page
from langchain_agentmem.policies.admit import Admission
from langchain_agentmem.policies.consent import Consented
from langchain_agentmem.policies.rulings import ConsentMode
from langchain_agentmem.timeline.telling import told_until
from langchain_agentmem.types import Memory, RecallQuery, Scope, Status

MAX_BYTES: Final = DEFAULT_MAX_BYTES // 4
"""About 24,000 memories that state something."""

_STATUSES: Final[tuple[Status, ...]] = ("active", "superseded")
"""What counts now, and what counted once; what waits or was forgotten states nothing."""

_PAGE: Final = 1_000
_EMPTY_BYTES: Final = 3_000
_ROW_BYTES: Final = 2_700
"""Of one memory with what it states, 1.7 KB as measured, and what is drawn of it, 1.1 KB; a view without any."""

INLINE_MEMORIES: Final = 50
"""Up to this many are read and drawn in less than 15 ms, and no thread is worth the way to it."""

_Key: TypeAlias = tuple[str, str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """For which time and use a graph is.

    Args:
        at: What was true of the world then; `None`: now.
        known_at: As this system knew it then; `None`: as it knows it now.
        purpose: What it is for; memories that name purposes are used only for those.
        min_confidence: Less certain memories are left out.
    """

    at: datetime | None = None
    known_at: datetime | None = None
    purpose: str | None = None
    min_confidence: float = 0.7

    @property
    def is_now(self) -> bool:
        """Whether neither time is named."""
        return self.at is None and self.known_at is None


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A graph of now, and until when it stays right if nothing is written."""

    graph: EntityGraph
    since: datetime
    until: datetime | None

    def is_right(self, now: datetime) -> bool:
        return self.since <= now and (self.until is None or now < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityView:
    """What a scope sees of a user's memories that state anything, as of a revision of the ledger."""

    head: Head = field(default_factory=Head)
    told: Mapping[str, Told] = field(default_factory=lambda: MappingProxyType({}))
    drawn: dict[tuple[str | None, float, Consented], _Drawn] = field(default_factory=dict)

    @property
    def revision(self) -> int:
        """The revision of the ledger."""
        return self.head.seq

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        return _EMPTY_BYTES + sum(_ROW_BYTES + 2 * len(it.memory.content) for it in self.told.values())

    def __len__(self) -> int:
        """Return the number of memories."""
        return len(self.told)

    def graph(self, moment: Moment, relations: Relations, now: datetime, consent: Consented) -> EntityGraph:
        """Return the graph of a moment; that of now is drawn again only when a memory begins or ceases to count."""
        key = (moment.purpose, moment.min_confidence, consent)
        known = self.drawn.get(key) if moment.is_now else None
        if known is not None and known.is_right(now):
            return known.graph
        query = RecallQuery(
            as_of=moment.at or moment.known_at, purpose=moment.purpose, min_confidence=moment.min_confidence
        )
        admission = Admission(query=query, now=min(now, moment.known_at or now), consent=consent)
        counted = [it for it in self.told.values() if admission.objection(it.memory) is None]
        graph = project(counted, relations, self.head.seq)
        if moment.is_now:
            self.drawn.clear()  # of one purpose at a time: a graph takes more room than what it is drawn from
            self.drawn[key] = _Drawn(graph, now, _next_change(self.told.values(), now))
        return graph


def _next_change(told: Iterable[Told], now: datetime) -> datetime | None:
    """Return when the first memory begins or ceases to count."""
    moments = (it for each in told for it in (each.memory.valid_at, each.memory.invalid_at, each.memory.expires_at))
    return min((it for it in moments if it is not None and it > now), default=None)


class EntityViews:
    """Views of users, the least recently used ones dropped beyond a number of bytes.

    Attributes:
        are_remote: None of them is on a server.
    """

    are_remote = False

    def __init__(self, ledger: Ledger, relations: Relations, *, max_bytes: int = MAX_BYTES) -> None:
        """Nothing is read yet."""
        self.relations = relations
        self._ledger = ledger
        self._views: ViewCache[EntityView] = ViewCache(EntityView, max_bytes=max_bytes)

    def open(self, scope: Scope) -> Flow[EntityView]:
        """Return the view of a scope as the ledger is now."""
        key = (scope.tenant_id, scope.user_id, scope.agent_id)
        entry = self._views.get(key)
        before = entry.view
        loaded = yield from self._ledger.read(scope, lambda reader: _loaded(reader, before))
        if loaded is None:
            return before
        if len(loaded.memories) <= INLINE_MEMORIES:
            view = _brought_up(before, loaded)
        else:
            view = yield from work(_brought_up, before, loaded)
        self._keep(key, entry, view)
        return view

    def past(self, scope: Scope, known_at: datetime) -> Flow[EntityView]:
        """Return the view of a scope as it was known at a time, as the log tells it; nothing of it is kept."""
        loaded = yield from self._ledger.read(scope, lambda reader: _known_then(reader, known_at, scope))
        return (yield from work(_brought_up, EntityView(), loaded))

    def graph(self, scope: Scope, moment: Moment, now: datetime, mode: ConsentMode) -> Flow[EntityGraph]:
        """Return the graph of a scope; whether it may be read at all is the caller's question."""
        view = yield from self.open(scope)
        return (yield from self.draw(view, moment, now, Consented(state=view.head.consent.as_of(now), mode=mode)))

    def draw(self, view: EntityView, moment: Moment, now: datetime, consent: Consented) -> Flow[EntityGraph]:
        """Return the graph of a view that was opened, of what the user allows."""
        if len(view) <= INLINE_MEMORIES:
            return view.graph(moment, self.relations, now, consent)
        return (yield from work(view.graph, moment, self.relations, now, consent))

    def forget(self, scope: Scope) -> None:
        """Drop what this process holds of the scope's (tenant, user)."""
        self._views.forget(scope.tenant_id, scope.user_id)

    def drop(self, scope: Scope) -> Flow[None]:
        """Do nothing: no server holds anything."""
        yield from ()

    def _keep(self, key: _Key, entry: CachedView[EntityView], view: EntityView) -> None:
        """Keep the view; where its user was forgotten meanwhile, it goes with its last reader."""
        with entry.lock:
            entry.view = view
        self._views.charge(key, entry)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """What was read of the ledger: all of it, or what changed."""

    head: Head
    memories: tuple[Memory, ...]
    erased: frozenset[str]
    is_whole: bool


def _loaded(reader: LedgerReader, before: EntityView) -> _Loaded | None:
    """Return what a view lacks; `None` where it is of this very state."""
    head, known = reader.head, before.head
    if (known.seq, known.digest) == (head.seq, head.digest):
        return None
    if 0 < known.seq < head.seq:
        erased = frozenset(reader.search_columns(known.seq, None).erased)
        return _Loaded(head, tuple(reader.changed(known.seq)), erased, is_whole=False)
    return _Loaded(head, tuple(reader.every(Page(statuses=_STATUSES))), frozenset(), is_whole=True)


def _known_then(reader: LedgerReader, known_at: datetime, scope: Scope) -> _Loaded:
    then = told_until(reader, reader.seq_at(known_at), scope).memories()
    return _Loaded(reader.head, tuple(then.values()), frozenset(), is_whole=True)


def _brought_up(before: EntityView, loaded: _Loaded) -> EntityView:
    kept = {} if loaded.is_whole else dict(before.told)
    for memory_id in (*loaded.erased, *(it.id for it in loaded.memories)):
        kept.pop(memory_id, None)
    for memory in loaded.memories:
        triples = triples_of(memory) if memory.status in _STATUSES else ()
        if triples:
            kept[memory.id] = Told(memory, triples)
    return EntityView(head=loaded.head, told=MappingProxyType(kept))
