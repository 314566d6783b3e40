"""Our long-term memory as the benchmark drives it: filled through the ledger, measured layer by layer."""

from __future__ import annotations

import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from statistics import median
from typing import Any, Final

import numpy as np
from _memories import DIM, PreparedEmbeddings, Space
from _peers import HITS, Kit, Peer, best
from sqlalchemy import bindparam, select

from langchain_agentmem import AgentMemory, Candidate, Memory, RecallQuery, Scope
from langchain_agentmem._flow import Flow, Step, flows_of, run
from langchain_agentmem._search import SearchColumns, SearchFilter, SearchQuery
from langchain_agentmem._vectors import pack_vector, unit_vector
from langchain_agentmem.index.scope_view import ScopeView
from langchain_agentmem.index.view_cache import ScopeViewIndex
from langchain_agentmem.ledger.base import Draft, LedgerWriter, ModelState
from langchain_agentmem.ledger.codec import fields_of
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.long_term.index.loading import keep_in, load_from
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.prepared import Prepared, Transaction
from langchain_agentmem.sql.schema import SUBJECTS, VECTORS

MODEL: Final = ModelState(name=PreparedEmbeddings.model, dimension=DIM, is_current=True)
EVENTS_AT_ONCE: Final = 1_000  # in one transaction, while filling
_SUBJECT: Final = select(SUBJECTS.c.subject_id).where(
    SUBJECTS.c.tenant_id == "default", SUBJECTS.c.user_id == bindparam("user")
)
BARE_ROWS: Final = Prepared(  # not a join: SQLite would look through the vectors of all users
    select(VECTORS.c.memory_id, VECTORS.c.vector).where(
        VECTORS.c.subject_id == _SUBJECT.scalar_subquery(), VECTORS.c.model == MODEL.name
    )
)

Stages = dict[str, float]


class Ours:
    """Our memory on one database that holds the memories of every column."""

    def __init__(self, url: str, kit: Kit) -> None:
        """Open it, and a second ledger on the same database for what lies below the public surface."""
        memory = AgentMemory.connect(sql=url, embeddings=kit.embeddings, consent="assumed")
        self.long_term = kit.stack.enter_context(memory).long_term
        database = Database(url)
        kit.stack.callback(database.close)
        self.ledger = SQLLedger(database)
        self._load = load_from(self.ledger)
        self._ask = kit.embeddings.embed_query

    def fill(self, space: Space) -> None:
        """Append the events of each user's memories, many in one transaction."""
        for owner, places in space.groups().items():
            for start in range(0, len(places), EVENTS_AT_ONCE):
                some = places[start : start + EVENTS_AT_ONCE]
                run(self.ledger.append(Scope(owner), partial(_append, space, some)))

    def put(self, space: Space, number: int) -> Flow[None]:
        """Append one event with payload, projection, vector, and the job an external index would need."""
        text, memory_id, scope = space.spare[number], uuid.uuid4().hex, Scope(f"{space.name}-ledger")
        vector = pack_vector(unit_vector(self._ask(text)))

        def body(writer: LedgerWriter) -> None:
            _remembered(writer, memory_id, scope, text, vector)
            writer.enqueue("index", {"ids": [memory_id]}, datetime.now(UTC))

        return self.ledger.append(scope, body)

    def index(self) -> ScopeViewIndex:
        """Return an index that holds no view yet, and begins with what another kept."""
        return ScopeViewIndex(self._load, keep=keep_in(self.ledger), model=MODEL.name)

    def first_index(self) -> ScopeViewIndex:
        """Return an index that holds no view yet where none was kept: it reads the rows."""
        return ScopeViewIndex(self._load_rows, model=MODEL.name)

    def _load_rows(self, scope: Scope, since: int, model: str | None) -> Flow[tuple[int, SearchColumns]]:
        return self.ledger.read_prepared(scope, lambda it: (it.head.seq, it.search_columns(since, model)))

    def view(self, space: Space) -> ScopeView:
        """Return the view of the scope that is searched."""
        revision, columns = run(self._load(Scope(space.owner), 0, MODEL.name))
        view = ScopeView()
        view.apply_columns(columns, revision)
        return view

    def bare(self, space: Space, number: int) -> list[str]:
        """Read ids and vectors of the scope's rows, and search them with one product: the least a cold view does."""

        def read(transaction: Transaction) -> tuple[list[str], bytearray]:
            ids, vectors = list[str](), bytearray()
            for block in BARE_ROWS.blocks(transaction, {"user": space.owner}):
                ids += [row[0] for row in block]
                vectors += b"".join([row[1] for row in block])
            return ids, vectors

        ids, vectors = run(self.ledger.database.read_prepared(read, singly=True))
        found = best(np.frombuffer(vectors, np.float32).reshape(-1, DIM), self._ask(space.questions[number]))
        return [ids[place] for place in found]

    def query(self, space: Space, number: int) -> SearchQuery:
        """Return a question as its vector alone, with the filter of every recall."""
        now = int(time.time() * 1e6)
        vector = unit_vector(self._ask(space.questions[number]))
        return SearchQuery(text="", vector=vector, filter=SearchFilter(now=now, at=now), limit=HITS)


def _append(space: Space, places: Sequence[int], writer: LedgerWriter) -> None:
    for place in places:
        scope, vector = Scope(space.owners[place]), pack_vector(space.vectors[place])
        _remembered(writer, f"{space.name}-{place}", scope, space.texts[place], vector)


def _remembered(writer: LedgerWriter, memory_id: str, scope: Scope, text: str, vector: bytes) -> None:
    memory = Memory(
        id=memory_id,
        scope=scope,
        kind="fact",
        content=text,
        confidence=0.9,
        importance=0.5,
        source="explicit",
        created_at=datetime.now(UTC),
    )
    changes = fields_of(memory)
    writer.append(Draft(type="remembered", memory_id=memory_id, changes=changes, note={"reason": "measured"}))
    writer.put_vector(memory_id, MODEL, vector)


def rows_of(ours: Ours, space: Space, backend: str) -> dict[str, Peer]:
    """Return our rows of the table for one column, each doing more than the one before."""
    view, index, scope = ours.view(space), ours.index(), Scope(space.owner)
    other, long_term = Scope(space.other), ours.long_term
    rows = {
        "vector part, warm": Peer(lambda number: view.search(ours.query(space, number))),
        "vector part, warm, ledger asked for news": Peer(
            lambda number: run(index.search(scope, ours.query(space, number)))
        ),
        "floor of cold: ids and vectors read, one product": Peer(lambda number: ours.bare(space, number)),
        "vector part, cold": Peer(lambda number: run(ours.index().search(scope, ours.query(space, number)))),
        "vector part, cold, no view was kept": Peer(
            lambda number: run(ours.first_index().search(scope, ours.query(space, number)))
        ),
        "whole recall, receipt written": Peer(
            lambda number: long_term.recall(space.questions[number], scope=scope, limit=HITS)
        ),
        "ledger put": Peer(put=lambda number: run(ours.put(space, number))),
        "remember, with policy": Peer(put=lambda number: long_term.remember(space.spare[number], scope=other)),
    }
    return {f"ours, {backend}: {name}": peer for name, peer in rows.items()}


# ------------------------------------------------------------------------------------------------------------- stages
def measure_stages(ours: Ours, spaces: Sequence[Space], rounds: int) -> dict[str, Stages]:
    """Return where the time of a recall, a remember and a put goes, in the scopes given: medians, interleaved."""
    calls: dict[str, Callable[[int], Flow[Any]]] = {}
    for space in spaces:
        calls[f"recall at {len(space.own):,}"] = partial(_recall, ours, space)
        calls[f"remember at {len(space.own):,}"] = partial(_remember, ours, space)
    calls["ledger put"] = partial(ours.put, spaces[0])
    taken: dict[str, dict[str, list[float]]] = {call: defaultdict(list) for call in calls}
    for number in range(rounds):
        for call, start in calls.items():
            for name, seconds in _stages(start(number)).items():
                taken[call][name].append(seconds)
    return {call: {name: median(values) for name, values in parts.items()} for call, parts in taken.items()}


def _recall(ours: Ours, space: Space, number: int) -> Flow[Any]:
    return flows_of(ours.long_term).recall(RecallQuery(text=space.questions[number], limit=HITS), Scope(space.owner))


def _remember(ours: Ours, space: Space, number: int) -> Flow[Any]:
    return flows_of(ours.long_term).remember(Candidate(content=space.spare[number]), Scope(space.owner))


def _stages(flow: Flow[Any]) -> Stages:
    """Drive a flow and return the seconds of each wait, in order, and of the Python between them."""
    spent: Stages = {}
    between, result = 0.0, None
    while True:
        began = time.perf_counter()
        try:
            waiting = flow.send(result)
        except StopIteration:
            return spent | {"between the waits": between + time.perf_counter() - began}
        paused = time.perf_counter()
        between += paused - began
        result = waiting.blocking(*waiting.args)
        spent[f"{len(spent) + 1} {_name(waiting)}"] = time.perf_counter() - paused


def _name(waiting: Step) -> str:
    call = waiting.blocking
    if isinstance(call, partial):
        mode = next((arg for arg in call.args if arg in ("read", "write")), None)
        return f"{mode} transaction" if mode else call.func.__name__.strip("_").replace("_", " ")
    return call.__name__.strip("_").replace("_", " ")
