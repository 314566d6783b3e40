"""Move a database to another embedding model, or rebuild an external index, while reads go on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from langchain_agentmem._checks import check_progress
from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.ledger.base import LedgerWriter
from langchain_agentmem.ledger.sql.models import START, SQLModels
from langchain_agentmem.long_term.embedder import Embedder
from langchain_agentmem.long_term.index.missing_vectors import BATCH, embed_group
from langchain_agentmem.long_term.index.searching import ANY_LOST, INDEX_JOB, REBUILD_JOB, Searching
from langchain_agentmem.long_term.index.turn_vectors import TurnVectors
from langchain_agentmem.long_term.parts import OWNERS, Parts


@dataclass(frozen=True, slots=True, kw_only=True)
class ReindexReport:
    """What a re-index did: vectors computed now, and the model that is current after it."""

    embedded: int
    model: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """What a look at an external index found: memories it was asked for, and those it had lost, altered or kept."""

    checked: int
    damaged: int


class Reindexing:
    """Writes vectors of the model in use beside the old ones, batch by batch, then drops the old ones at once.

    Killed at any point, it goes on where it was. Until the last vector is there, processes with the old model read as
    before, and this one finds by words what has no new vector yet.
    """

    def __init__(self, parts: Parts, searching: Searching, models: SQLModels) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching
        self._models = models
        self._turns = TurnVectors(parts, models)

    def reindex(self, progress: Callable[[int], None] | None) -> Flow[ReindexReport]:
        """Embed what has no vector of the model in use, or one that cannot be compared, then make it current."""
        check_progress(progress)
        embedder = self._parts.embedder
        if embedder is None:
            yield from self.rebuild()
            return ReindexReport(embedded=0, model=None)
        embedded = 0
        rebuild = REBUILD_JOB if self._searching.index.is_fed else None
        yield from self._announce(embedder)
        yield from self._drop_misfits(embedder.name)
        while True:
            while missing := (yield from self._models.missing(embedder.name, BATCH)):
                for group in missing:
                    embedded += yield from embed_group(self._parts, embedder, group, is_current=False)
                    if progress is not None:
                        progress(embedded)
            embedded += yield from self._turns.embed(embedder, _counted_from(embedded, progress))
            if (yield from self._models.adopt(embedder.name, rebuild)):
                break
        self._parts.episodes.reset()
        yield from self._searching.refresh()
        return ReindexReport(embedded=embedded, model=embedder.name)

    def rebuild(self) -> Flow[None]:
        """Fill an external index anew from the ledger."""
        if self._searching.index.is_fed:
            yield from self._models.queue(REBUILD_JOB)
        yield from self._searching.refresh()

    def repair(self, *, dry_run: bool) -> Flow[IndexReport]:
        """Hold what an external index has against the ledger, and bring it again, or take it out, where they differ."""
        yield from self._searching.catch_up()
        if not self._searching.index.is_fed:
            return IndexReport(checked=0, damaged=0)
        if not (yield from self._searching.is_ready()):
            msg = "the index waits to be rebuilt, or for this embedding model; run reindex(), or memory.jobs.run()"
            raise ConfigurationError(msg)
        checked, damaged, place = 0, 0, START
        while found := (yield from self._models.stored(place, BATCH)):
            for group in found:
                rows = yield from self._searching.rows(group.scope, list(group.memory_ids))
                wrong = yield from self._searching.queue_damaged(group.scope, rows, dry_run=dry_run)
                checked += sum(it.status != "erased" for it in rows)
                damaged += len(wrong)
            place = found[-1].last
        if not dry_run:
            yield from self._models.unqueue(INDEX_JOB, ANY_LOST)
        yield from self._searching.catch_up()
        return IndexReport(checked=checked, damaged=damaged)

    def _drop_misfits(self, model: str) -> Flow[None]:
        """Drop vectors that nobody can compare, so that they count as missing."""
        place, owners = yield from self._models.owners_with_vector(model, 0, OWNERS)
        while owners:
            for owner in owners:
                found = yield from self._parts.ledger.read(owner, lambda reader: reader.misfits(model))
                if found:
                    yield from self._parts.ledger.append(owner, partial(_drop, model, found))
            place, owners = yield from self._models.owners_with_vector(model, place, OWNERS)

    def _announce(self, embedder: Embedder) -> Flow[None]:
        probe = yield from embedder.query("dimension")
        current = yield from self._models.current()
        if current is not None and current.name == embedder.name and current.dimension != len(probe):
            msg = (
                f"{embedder.name!r} gave {len(probe)} numbers where vectors of {current.dimension} are stored under "
                "that name; name the new model otherwise, for example embedding_name='…-v2'"
            )
            raise ConfigurationError(msg)
        yield from self._models.announce(embedder.name, len(probe))


def _drop(model: str, ids: list[str], writer: LedgerWriter) -> None:
    writer.drop_vectors(model, ids)


def _counted_from(first: int, progress: Callable[[int], None] | None) -> Callable[[int], None]:
    """Return how progress is told of what comes after so many."""
    return (lambda count: None) if progress is None else (lambda count: progress(first + count))
