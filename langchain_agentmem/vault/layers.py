"""Which columns of which tables are sealed, whose they are, and what each value is sealed as."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from sqlalchemy import ColumnElement, FromClause, Row, Table, and_, bindparam, or_, select

from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.checkpoints.shorthand import longhand
from langchain_agentmem.checkpoints.sql.ids import unpack, unpack_optional
from langchain_agentmem.items.sealing import terms_name, value_name
from langchain_agentmem.ledger.consents import SEALED_AS, from_column, is_plain, to_column
from langchain_agentmem.ledger.sql.sealed import BESIDE_CHAIN, PAYLOAD, SealedTable
from langchain_agentmem.sessions.sql.sealing import calls_name, message_names, summary_names, title_names
from langchain_agentmem.sql.schema import (
    CHECKPOINTS,
    ITEMS,
    MESSAGES,
    NAMESPACES,
    SESSIONS,
    STATES,
    STORE_ITEMS,
    STORE_NAMESPACES,
    SUBJECTS,
    THREADS,
    WRITES,
)
from langchain_agentmem.states.form import Place
from langchain_agentmem.vault.base import NullCipher

AnyRow: TypeAlias = Row[*tuple[Any, ...]]


class Form(NamedTuple):
    """How a value stands in its column.

    Attributes:
        read: Returns what is sealed; `None`: nothing is.
        write: Returns what stands there.
        is_plain: Whether it is in the clear, as earlier releases left some under a vault, too.
    """

    read: Callable[[Any], bytes | None]
    write: Callable[[bytes], Any]
    is_plain: Callable[[bytes], bool] = lambda _: False


AS_BYTES: Final = Form(lambda stored: stored, lambda sealed: sealed)
AS_TEXT: Final = Form(from_column, to_column, is_plain)


class Cell(NamedTuple):
    """A sealed column, the names that a value of it may be sealed as, and how that stands there."""

    column: str
    names: Callable[[AnyRow], tuple[str, ...]]
    form: Form = AS_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """A table with sealed columns.

    Attributes:
        source: The table, joined with what says whose its rows are, and what they are sealed as.
        owned: Whether a row belongs to `tenant` and `user`, of a visitor to `session`.
        shown: What else of a row its names are made of.
        is_of_threads: Whether its rows are sealed with the key of their thread.
    """

    table: Table
    cells: tuple[Cell, ...]
    source: FromClause
    owned: ColumnElement[bool]
    shown: tuple[ColumnElement[Any], ...] = ()
    is_of_threads: bool = False

    @property
    def key(self) -> list[ColumnElement[Any]]:
        """The columns that say which row it is."""
        return list(self.table.primary_key.columns)


def _of(table: Table) -> ColumnElement[bool]:
    return and_(table.c.tenant_id == bindparam("tenant"), table.c.user_id == bindparam("user"))


def _of_visitor(table: Table) -> ColumnElement[bool]:
    return and_(_of(table), or_(table.c.user_id != "", table.c.session_id == bindparam("session")))


def _of_ledger(sealed: SealedTable) -> Layer:
    table = sealed.table
    cells = tuple(Cell(column, _naming(sealed, word)) for column, word in sealed.words.items())
    mine = select(SUBJECTS.c.subject_id).where(_of(SUBJECTS))
    told = tuple(table.c[it] for it in sealed.told)
    return Layer(table=table, cells=cells, source=table, owned=table.c.subject_id.in_(mine), shown=told)


def _naming(sealed: SealedTable, word: str) -> Callable[[AnyRow], tuple[str, ...]]:
    return lambda row: sealed.names(word, row)


def _message(row: AnyRow) -> tuple[str, ...]:
    if row.seq < 0:
        return (calls_name(row.session_ref, -row.seq),)
    return message_names(row.session_ref, row.seq, row.session_id, row.message_id)


def _checkpoint(row: AnyRow) -> tuple[str, ...]:
    place = ("checkpoint", row.ns, unpack(row.checkpoint_id))
    seal = Seal(NullCipher(), row.thread_id)
    return seal.identity(*place, unpack_optional(row.parent_id)), seal.identity(*place)


def _write(row: AnyRow) -> tuple[str, ...]:
    ids = unpack(row.checkpoint_id), unpack(row.task_id)
    names = longhand(row.task_path), longhand(row.channel)
    return (Seal(NullCipher(), row.thread_id).identity("write", row.ns, *ids, row.idx, *names),)


def _in_namespaces(table: Table) -> FromClause:
    return table.join(NAMESPACES, NAMESPACES.c.ns_ref == table.c.ns_ref).join(
        THREADS, THREADS.c.thread_ref == NAMESPACES.c.thread_ref
    )


_THREAD: Final = (THREADS.c.thread_id,)
_PLACE: Final = (*_THREAD, NAMESPACES.c.ns)

LAYERS: Final = (
    *(_of_ledger(it) for it in (PAYLOAD, *BESIDE_CHAIN)),
    Layer(
        table=SUBJECTS,
        cells=(Cell("consent_purposes", lambda _: (SEALED_AS,), AS_TEXT),),
        source=SUBJECTS,
        owned=_of(SUBJECTS),
    ),
    Layer(
        table=SESSIONS,
        cells=(
            Cell("title", lambda row: title_names(row.session_ref, row.session_id)),
            Cell("summary", lambda row: summary_names(row.session_ref, row.summary_version, row.session_id)),
        ),
        source=SESSIONS,
        owned=_of_visitor(SESSIONS),
        shown=(SESSIONS.c.summary_version, SESSIONS.c.session_id),
    ),
    Layer(
        table=MESSAGES,
        cells=(Cell("sealed", _message),),
        source=MESSAGES.join(SESSIONS, SESSIONS.c.session_ref == MESSAGES.c.session_ref),
        owned=_of_visitor(SESSIONS),
        shown=(SESSIONS.c.session_id, MESSAGES.c.message_id),
    ),
    Layer(
        table=STATES,
        cells=(
            Cell("title", lambda row: Place(str(row.state_ref), row.version, row.session_id).of_title),
            Cell("sealed", lambda row: Place(str(row.state_ref), row.version, row.session_id).of_state),
        ),
        source=STATES,
        owned=_of_visitor(STATES),
        shown=(STATES.c.version, STATES.c.session_id),
    ),
    Layer(
        table=STORE_ITEMS,
        cells=(
            Cell("terms", lambda row: (terms_name(row.path, row.key),)),
            Cell("sealed", lambda row: (value_name(row.path, row.key),)),
        ),
        source=STORE_ITEMS.join(STORE_NAMESPACES, STORE_NAMESPACES.c.ns_ref == STORE_ITEMS.c.ns_ref),
        owned=_of(STORE_NAMESPACES),
        shown=(STORE_NAMESPACES.c.path, STORE_ITEMS.c.key),
    ),
    Layer(
        table=ITEMS,
        cells=(Cell("sealed", lambda row: (Seal(NullCipher(), row.thread_id).identity("item", row.no),)),),
        source=ITEMS.join(THREADS, THREADS.c.thread_ref == ITEMS.c.thread_ref),
        owned=_of(THREADS),
        shown=_THREAD,
        is_of_threads=True,
    ),
    Layer(
        table=CHECKPOINTS,
        cells=(Cell("sealed", _checkpoint),),
        source=_in_namespaces(CHECKPOINTS),
        owned=_of(THREADS),
        shown=(*_PLACE, CHECKPOINTS.c.parent_id),
        is_of_threads=True,
    ),
    Layer(
        table=WRITES,
        cells=(Cell("sealed", _write),),
        source=_in_namespaces(WRITES),
        owned=_of(THREADS),
        shown=(*_PLACE, WRITES.c.task_path, WRITES.c.channel),
        is_of_threads=True,
    ),
)
"""Every sealed column but what jobs keep, which stands inside their payload."""
