"""A crowd of users for the tests of scale, and a look at the statements that a call costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, NamedTuple

import pytest
from sqlalchemy import Connection, Engine, event

from langchain_agentmem._flow import run
from langchain_agentmem._vectors import pack_vector, unit_vector
from langchain_agentmem.ledger.base import LedgerWriter, ModelState
from langchain_agentmem.ledger.episodes import EpisodeDraft
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.prepared import Prepared
from langchain_agentmem.types import Scope
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import START, memory, remembered
from tests.talks import episode

USERS: Final = 50
EACH: Final = 30
GROWING: Final = ("memories", "vectors", "events", "payloads", "episodes")
"""Tables whose rows are as many as the population."""

_WORDS: Final = "tea coffee Lisbon Porto Python Rust invoices reports amber azure bicycle piano garden river".split()


class Executed(NamedTuple):
    """A statement as it went to the driver."""

    sql: str
    values: Any


def said(number: int) -> str:
    """Return one of some sentences; users share them all."""
    first, second, third = (_WORDS[(number * step + step) % len(_WORDS)] for step in (1, 3, 5))
    return f"thinks of {first} and {second} whenever {third} is near, {number % 7} times a week"


def settle(database: Database, embeddings: WordEmbeddings, users: int = USERS, each: int = EACH) -> None:
    """Let a crowd move in, with memories and episodes that say what everybody says."""
    ledger = SQLLedger(database, clock=lambda: START)
    vectors = [pack_vector(unit_vector(embeddings.embed_query(said(number)))) for number in range(each)]
    model = ModelState(name=embeddings.model, dimension=embeddings.dim, is_current=True)
    for user in range(users):
        scope = Scope(f"user-{user}")
        run(ledger.append(scope, partial(_move_in, scope, vectors, model)))


def _move_in(scope: Scope, vectors: list[bytes], model: ModelState, writer: LedgerWriter) -> None:
    talk = Scope(scope.user_id, session_id="talk")
    drafts = []
    for number, vector in enumerate(vectors):
        kept = memory(
            f"{scope.user_id}-{number}", scope, content=said(number), subject=None, relation=None, object=None
        )
        writer.append(remembered(kept))
        writer.put_vector(kept.id, model, vector)
        told = episode(f"ep-{scope.user_id}-{number}", talk, place=number, text=said(number), message_ids=())
        drafts.append(EpisodeDraft(episode=told, vector=vector))
    writer.episodes.put(drafts, model)


@contextmanager
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Executed]]:
    """Record every statement, whichever way it takes to the driver."""
    found: list[Executed] = []

    def note(_connection: Any, _cursor: Any, sql: str, values: Any, _context: Any, many: bool) -> None:  # noqa: ANN401, FBT001
        found.append(Executed(sql, values[0] if many else values))

    def noting(method: Callable[..., Any]) -> Callable[..., Any]:
        def noted(self: Prepared, connection: Any, values: Any) -> Any:  # noqa: ANN401
            text = self._text(connection)
            bound = text.bind(values[0] if isinstance(values, list) else values)
            found.append(Executed(text.sql, tuple(bound) if isinstance(bound, list) else bound))
            return method(self, connection, values)

        return noted

    with monkeypatch.context() as patched:
        patched.setattr(Prepared, "rows", noting(Prepared.rows))
        patched.setattr(Prepared, "blocks", noting(Prepared.blocks))
        patched.setattr(Prepared, "change", noting(Prepared.change))
        event.listen(Engine, "before_cursor_execute", note)
        try:
            yield found
        finally:
            event.remove(Engine, "before_cursor_execute", note)


def whole_scans(database: Database, executed: list[Executed]) -> list[str]:
    """Return the lines of the plans of statements in which a table that grows is read from end to end."""
    analyze(database)

    def plans(connection: Connection) -> list[str]:
        explain = "EXPLAIN QUERY PLAN " if database.is_sqlite else "EXPLAIN "
        changes = [it for it in executed if it.sql.split()[0] in {"SELECT", "UPDATE", "DELETE", "INSERT", "WITH"}]
        return [
            " ".join(map(str, row)) for it in changes for row in connection.exec_driver_sql(explain + it.sql, it.values)
        ]

    tables = [f"agentmem_{name}" for name in GROWING]
    is_whole = "SCAN {}" if database.is_sqlite else "Seq Scan on {}"
    lines = run(database.read(plans))
    return [line for line in lines if any(is_whole.format(table) in line for table in tables)]


def analyze(database: Database) -> None:
    """Let the database know how many rows there are."""
    run(database.write(lambda connection: connection.exec_driver_sql("ANALYZE").rowcount))
