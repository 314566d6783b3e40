"""How views of memories are read from a ledger, and kept in it for the next process."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import SearchColumns
from langchain_agentmem.errors import AgentMemError, IntegrityError
from langchain_agentmem.index import snapshot
from langchain_agentmem.index.snapshot import Snapshot
from langchain_agentmem.index.view_cache import Keep, Load
from langchain_agentmem.ledger.base import Ledger, LedgerReader, ModelState
from langchain_agentmem.types import Scope

LOGGER: Final = logging.getLogger("langchain_agentmem")


def load_from(ledger: Ledger) -> Load:
    """Return how a view reads what changed; while another model's vectors are current it reads all, every time."""

    def read(reader: LedgerReader, since: int, model: str | None) -> tuple[int, SearchColumns]:
        if model is None:
            return reader.head.seq, _columns(reader, since, model, 0)
        before = () if since else reader.models()  # asked first: vectors that are added later are loaded later
        found = _columns(reader, since, model, _renewed_at(before, model))
        states = before if before and reader.is_of_one_state else reader.models()
        found.renewed_at = _renewed_at(states if since else before, model)
        if not any(state.is_current and state.name != model for state in states):
            return reader.head.seq, found  # asked last: the rows were read before other vectors became current
        return 0, reader.search_columns(0, model) if since or found.kept else found

    def load(scope: Scope, since: int, model: str | None) -> Flow[tuple[int, SearchColumns]]:
        return (yield from ledger.read_prepared(scope, lambda reader: read(reader, since, model)))

    return load


def keep_in(ledger: Ledger) -> Keep:
    """Return how a view is kept for the next process, unless something was written meanwhile."""

    def keep(scope: Scope, model: str | None, revision: int, data: bytes) -> Flow[None]:
        try:
            yield from ledger.append(scope, lambda writer: writer.snapshots.put(model, revision, data))
        except AgentMemError as error:  # whoever only asked has the answer
            LOGGER.debug("a view was not kept: %s", type(error).__name__)

    return keep


def _columns(reader: LedgerReader, since: int, model: str | None, renewed_at: int) -> SearchColumns:
    """Return what changed, and for who has nothing yet the last snapshot, if there is one of these vectors."""
    kept = None if since or reader.head.seq < snapshot.KEPT_FROM else _kept(reader, model)
    if kept is None or kept.renewed_at != renewed_at:
        return reader.search_columns(since, model)
    found = reader.search_columns(kept.revision, model)
    found.kept = kept
    return found


def _kept(reader: LedgerReader, model: str | None) -> Snapshot | None:
    try:
        data = reader.snapshots.get(model)
        return None if data is None else snapshot.load(data)
    except IntegrityError as error:  # `verify` tells of it; the rows are there
        LOGGER.warning("the view that was kept of a user is left out, and is built anew: %s", error)
        return None


def _renewed_at(states: Sequence[ModelState], model: str) -> int:
    return next((state.renewed_at for state in states if state.name == model), 0)
