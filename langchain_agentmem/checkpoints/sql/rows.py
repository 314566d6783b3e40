"""Statements of the SQL threads."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ARRAY,
    BigInteger,
    BindParameter,
    ColumnElement,
    FromClause,
    Integer,
    Join,
    LargeBinary,
    Select,
    Table,
    Text,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    literal_column,
    null,
    or_,
    select,
    text,
    true,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql import ClauseElement

from langchain_agentmem.checkpoints.base import Query
from langchain_agentmem.sql.prepared import Prepared
from langchain_agentmem.sql.schema import CHECKPOINTS, ITEMS, LEASES, NAMESPACES, THREAD_LABELS, THREADS, WRITES

_THREAD: Final[BindParameter[str]] = bindparam("thread", type_=Text)
_REF: Final[BindParameter[int]] = bindparam("ref", type_=BigInteger)
_NS: Final[BindParameter[str]] = bindparam("ns", type_=Text)
_NS_REF: Final[BindParameter[int]] = bindparam("ns_ref", type_=BigInteger)
_ID: Final[BindParameter[bytes]] = bindparam("id", type_=LargeBinary)
AT: Final[BindParameter[int]] = bindparam("at", type_=BigInteger)
_LOW: Final[BindParameter[int]] = bindparam("low", type_=BigInteger)
_HIGH: Final[BindParameter[int]] = bindparam("high", type_=BigInteger)
_FIRST: Final[BindParameter[bytes]] = bindparam("first", type_=LargeBinary)
_LAST: Final[BindParameter[bytes]] = bindparam("last", type_=LargeBinary)
LIMIT: Final[BindParameter[int]] = bindparam("limit", type_=Integer)


def _by_dialect(build: Callable[[ModuleType], ClauseElement]) -> Prepared:
    return Prepared({"sqlite": build(sqlite), "postgresql": build(postgresql)})


def _values(table: Table) -> dict[str, BindParameter[Any]]:
    return {column.name: bindparam(column.name, type_=column.type) for column in table.c}


def _upsert(table: Table, *replaced: str) -> Prepared:
    """Insert rows; where one stands already, replace these columns of it, or nothing."""

    def build(dialect: ModuleType) -> ClauseElement:
        statement = dialect.insert(table).values(_values(table))
        key = [column.name for column in table.primary_key]
        if not replaced:
            kept: ClauseElement = statement.on_conflict_do_nothing(index_elements=key)
            return kept
        changes = {name: statement.excluded[name] for name in replaced}
        changed: ClauseElement = statement.on_conflict_do_update(index_elements=key, set_=changes)
        return changed

    return _by_dialect(build)


def _latest(dialect: ModuleType) -> Callable[..., Any]:
    return func.max if dialect is sqlite else func.greatest


def in_bytes(column: ColumnElement[str], dialect: ModuleType) -> ColumnElement[str]:
    """Compare text byte by byte, which SQLite does anyway and PostgreSQL only if told."""
    return column if dialect is sqlite else column.collate("C")


# ---------------------------------------------------------------------------------------------------------- the thread
def _opened(dialect: ModuleType) -> tuple[ColumnElement[Any], ...]:
    return (
        THREADS.c.thread_ref,
        THREADS.c.generation,
        THREADS.c.next_no,
        THREADS.c.tenant_id,
        THREADS.c.user_id,
        THREADS.c.expires_at,
        null() if dialect is sqlite else _VERSION,
        NAMESPACES.c.ns_ref,
        NAMESPACES.c.ns,
        NAMESPACES.c.head,
    )


_VERSION: Final[ColumnElement[str]] = literal_column("agentmem_threads.xmin::text")
"""Of a thread's row on PostgreSQL: the transaction that wrote it (see its
manual, "System Columns")."""


def _join_namespaces(joined: ColumnElement[bool]) -> Join:
    return THREADS.outerjoin(NAMESPACES, and_(NAMESPACES.c.thread_ref == THREADS.c.thread_ref, joined))


def _open(joined: ColumnElement[bool]) -> Prepared:
    def build(dialect: ModuleType) -> ClauseElement:
        return select(*_opened(dialect)).select_from(_join_namespaces(joined)).where(THREADS.c.thread_id == _THREAD)

    return _by_dialect(build)


OPEN_ALL: Final = _open(true())
"""A thread with each of its namespaces; without any, one row."""
OPEN_ONE: Final = _open(NAMESPACES.c.ns == _NS)
"""A thread with one of its namespaces, or none."""
VERSION: Final = Prepared({"postgresql": select(_VERSION).select_from(THREADS).where(THREADS.c.thread_ref == _REF)})
LOCK: Final = Prepared(select(THREADS.c.thread_ref).where(THREADS.c.thread_id == _THREAD).with_for_update())


def _begin(dialect: ModuleType) -> ClauseElement:
    statement = dialect.insert(THREADS).values(
        thread_id=_THREAD, generation=0, next_no=1, created_at=AT, last_used_at=AT
    )
    statement = statement.on_conflict_do_nothing(index_elements=["thread_id"])
    returning: ClauseElement = statement.returning(THREADS.c.thread_ref)
    return returning


def _touch(*, is_expiry_new: bool) -> Prepared:
    def build(dialect: ModuleType) -> ClauseElement:
        values: dict[str, Any] = {
            "next_no": bindparam("next_no", type_=BigInteger),
            "last_used_at": _latest(dialect)(THREADS.c.last_used_at, AT),
        }
        if is_expiry_new:
            values["expires_at"] = bindparam("expires", type_=BigInteger)
        return update(THREADS).where(THREADS.c.thread_ref == _REF).values(values)

    return _by_dialect(build)


BEGIN: Final = _by_dialect(_begin)
TOUCH: Final = _touch(is_expiry_new=False)
TOUCH_EXPIRY: Final = _touch(is_expiry_new=True)
BIND: Final = Prepared(
    update(THREADS).where(THREADS.c.thread_ref == _REF).values(tenant_id=bindparam("tenant"), user_id=bindparam("user"))
)
REFRESH: Final = Prepared(
    update(THREADS)
    .where(THREADS.c.thread_id == _THREAD, or_(THREADS.c.expires_at.is_(None), THREADS.c.expires_at > AT))
    .values(expires_at=bindparam("expires", type_=BigInteger))
)
REMOVED: Final = (
    update(THREADS)
    .where(THREADS.c.thread_ref == _REF)
    .values(generation=THREADS.c.generation + bindparam("generations", type_=BigInteger))
)
"""Written also where the generation stays: it is the row by which PostgreSQL sees that the thread was changed."""

# --------------------------------------------------------------------------------------------------------------- adding
INSERT_ITEMS: Final = Prepared(ITEMS.insert().values(_values(ITEMS)))
PUT_CHECKPOINTS: Final = _upsert(CHECKPOINTS, "parent_id", "sealed")
KEEP_WRITES: Final = _upsert(WRITES)
REPLACE_WRITES: Final = _upsert(WRITES, "task_path", "channel", "sealed")
KEEP_LABELS: Final = _upsert(THREAD_LABELS)
INSERT_NAMESPACE: Final = Prepared(
    NAMESPACES.insert()
    .values(thread_ref=_REF, ns=_NS, head=bindparam("head", type_=LargeBinary))
    .returning(NAMESPACES.c.ns_ref)
)
SET_HEAD: Final = Prepared(
    update(NAMESPACES).where(NAMESPACES.c.ns_ref == _NS_REF).values(head=bindparam("new_head", type_=LargeBinary))
)


# -------------------------------------------------------------------------------------------------------------- reading
class _Shape(NamedTuple):
    """Which conditions a page has."""

    ns: bool
    id: bool
    is_latest: bool
    before: bool
    after: bool
    limit: bool


def page(query: Query) -> Prepared:
    """Return the statement of a query."""
    return _page(
        _Shape(
            ns=query.ns is not None,
            id=query.id is not None,
            is_latest=query.is_latest,
            before=query.before is not None,
            after=query.after_key is not None,
            limit=query.limit is not None,
        )
    )


@cache
def _page(shape: _Shape) -> Prepared:
    return _by_dialect(lambda dialect: _select_page(shape, dialect))


def _select_page(shape: _Shape, dialect: ModuleType) -> ClauseElement:
    checkpoint_id, ns = CHECKPOINTS.c.checkpoint_id, in_bytes(NAMESPACES.c.ns, dialect)
    after_id: BindParameter[bytes] = bindparam("after_id", type_=LargeBinary)
    after_ns: BindParameter[str] = bindparam("after_ns", type_=Text)
    conditions = {
        "ns": NAMESPACES.c.ns == _NS,
        "id": checkpoint_id == _ID,
        "is_latest": checkpoint_id == NAMESPACES.c.head,
        "before": checkpoint_id < bindparam("before", type_=LargeBinary),
        "after": and_(checkpoint_id <= after_id, or_(checkpoint_id < after_id, ns > after_ns)),
    }
    chosen = [condition for name, condition in conditions.items() if getattr(shape, name)]
    statement = _ALL_CHECKPOINTS.where(*chosen).order_by(checkpoint_id.desc(), ns)
    return statement.limit(LIMIT) if shape.limit else statement


def _of_thread(content: Table, *columns: ColumnElement[Any]) -> Select[Any]:
    source = NAMESPACES.join(content, content.c.ns_ref == NAMESPACES.c.ns_ref)
    return select(NAMESPACES.c.ns_ref, *columns).select_from(source).where(NAMESPACES.c.thread_ref == _REF)


_CHECKPOINT: Final = (CHECKPOINTS.c.checkpoint_id, CHECKPOINTS.c.parent_id, CHECKPOINTS.c.sealed)
_WRITE: Final = (
    WRITES.c.checkpoint_id,
    WRITES.c.task_id,
    WRITES.c.idx,
    WRITES.c.task_path,
    WRITES.c.channel,
    WRITES.c.sealed,
)


def _one(checkpoint_id: ColumnElement[bytes]) -> Prepared:
    """Return a statement of a thread, a namespace, a checkpoint and its writes, as far as they are there."""
    beside = and_(CHECKPOINTS.c.ns_ref == NAMESPACES.c.ns_ref, CHECKPOINTS.c.checkpoint_id == checkpoint_id)
    of_it = and_(WRITES.c.ns_ref == CHECKPOINTS.c.ns_ref, WRITES.c.checkpoint_id == CHECKPOINTS.c.checkpoint_id)
    source = _join_namespaces(NAMESPACES.c.ns == _NS).outerjoin(CHECKPOINTS, beside).outerjoin(WRITES, of_it)

    def build(dialect: ModuleType) -> ClauseElement:
        columns = (*_opened(dialect), *_CHECKPOINT, *_WRITE)
        return select(*columns).select_from(source).where(THREADS.c.thread_id == _THREAD)

    return _by_dialect(build)


LATEST: Final = _one(NAMESPACES.c.head)
ONE: Final = _one(_ID)
_ALL_CHECKPOINTS: Final = _of_thread(CHECKPOINTS, *_CHECKPOINT)
ALL_CHECKPOINTS: Final = Prepared(_ALL_CHECKPOINTS)
ALL_WRITES: Final = Prepared(_of_thread(WRITES, *_WRITE))
ALL_NUMBERS: Final = Prepared(select(ITEMS.c.no).where(ITEMS.c.thread_ref == _REF).order_by(ITEMS.c.no))
DIGESTS: Final = Prepared(
    select(ITEMS.c.no, ITEMS.c.digest).where(ITEMS.c.thread_ref == _REF, ITEMS.c.no >= _LOW).order_by(ITEMS.c.no)
)

WRITES_BETWEEN: Final = Prepared(
    select(WRITES.c.ns_ref, *_WRITE).where(
        WRITES.c.ns_ref == _NS_REF, WRITES.c.checkpoint_id >= _FIRST, WRITES.c.checkpoint_id <= _LAST
    )
)
"""Writes of one stretch of a namespace."""


def _unnest(name: str, **columns: Any) -> FromClause:
    arrays = [bindparam(column, type_=ARRAY(kind)) for column, kind in columns.items()]
    return func.unnest(*arrays).table_valued(*columns, name=name).render_derived()


def _writes_of_spans() -> ClauseElement:
    span = _unnest("span", ns_refs=BigInteger, firsts=LargeBinary, lasts=LargeBinary)
    is_inside = and_(
        WRITES.c.ns_ref == span.c.ns_refs,
        WRITES.c.checkpoint_id >= span.c.firsts,
        WRITES.c.checkpoint_id <= span.c.lasts,
    )
    return select(WRITES.c.ns_ref, *_WRITE).select_from(span.join(WRITES, is_inside))


def _items_of_arrays() -> ClauseElement:
    ranges = _unnest("ranges", lows=BigInteger, highs=BigInteger)
    is_inside = and_(ITEMS.c.thread_ref == _REF, ITEMS.c.no >= ranges.c.lows, ITEMS.c.no <= ranges.c.highs)
    return select(ITEMS.c.no, ITEMS.c.sealed).select_from(ranges.join(ITEMS, is_inside))


_ITEMS_OF_JSON: Final = text("""
    SELECT items.no, items.sealed
    FROM json_each(:ranges) AS ranges CROSS JOIN agentmem_items AS items
    WHERE items.thread_ref = :ref
      AND items.no BETWEEN json_extract(ranges.value, '$[0]') AND json_extract(ranges.value, '$[1]')
""")
"""CROSS JOIN keeps SQLite from reading all items of the thread and asking of each whether it is in a range."""

WRITES_OF_SPANS: Final = Prepared({"postgresql": _writes_of_spans()})
"""Writes of many stretches in one round trip; in SQLite, which has none, each is asked for."""
ITEMS_BETWEEN: Final = Prepared(
    select(ITEMS.c.no, ITEMS.c.sealed)
    .where(ITEMS.c.thread_ref == _REF, ITEMS.c.no >= _LOW, ITEMS.c.no <= _HIGH)
    .order_by(ITEMS.c.no)
)
ITEMS_OF_RANGES: Final = Prepared({"sqlite": _ITEMS_OF_JSON, "postgresql": _items_of_arrays()})
"""Items of many ranges, in any order."""

# ------------------------------------------------------------------------------------------------------------- removing
DELETE_CHECKPOINT: Final = Prepared(
    delete(CHECKPOINTS).where(CHECKPOINTS.c.ns_ref == _NS_REF, CHECKPOINTS.c.checkpoint_id == _ID)
)
DELETE_WRITES: Final = Prepared(delete(WRITES).where(WRITES.c.ns_ref == _NS_REF, WRITES.c.checkpoint_id == _ID))
DELETE_WRITE: Final = Prepared(
    delete(WRITES).where(
        WRITES.c.ns_ref == _NS_REF,
        WRITES.c.checkpoint_id == _ID,
        WRITES.c.task_id == bindparam("task", type_=LargeBinary),
        WRITES.c.idx == bindparam("place", type_=Integer),
    )
)
DELETE_ITEMS: Final = Prepared(delete(ITEMS).where(ITEMS.c.thread_ref == _REF, ITEMS.c.no >= _LOW, ITEMS.c.no <= _HIGH))
REWORD_ITEM: Final = Prepared(
    update(ITEMS)
    .where(ITEMS.c.thread_ref == _REF, ITEMS.c.no == _LOW)
    .values(digest=bindparam("new_digest", type_=LargeBinary), sealed=bindparam("anew", type_=LargeBinary))
)
REWORD_WRITE: Final = Prepared(
    update(WRITES)
    .where(
        WRITES.c.ns_ref == _NS_REF,
        WRITES.c.checkpoint_id == _ID,
        WRITES.c.task_id == bindparam("task", type_=LargeBinary),
        WRITES.c.idx == bindparam("place", type_=Integer),
    )
    .values(sealed=bindparam("anew", type_=LargeBinary))
)
REPLACE_CHECKPOINT: Final = Prepared(
    update(CHECKPOINTS)
    .where(CHECKPOINTS.c.ns_ref == _NS_REF, CHECKPOINTS.c.checkpoint_id == _ID)
    .values(parent_id=bindparam("parent", type_=LargeBinary), sealed=bindparam("header", type_=LargeBinary))
)
_IS_EMPTY: Final = and_(
    NAMESPACES.c.head.is_(None),
    ~exists().where(CHECKPOINTS.c.ns_ref == NAMESPACES.c.ns_ref),
    ~exists().where(WRITES.c.ns_ref == NAMESPACES.c.ns_ref),
)
DELETE_NAMESPACE: Final = tuple(
    Prepared(delete(table).where(table.c.ns_ref == _NS_REF)) for table in (WRITES, CHECKPOINTS, NAMESPACES)
)
"""Everything in a namespace, then the namespace."""
DELETE_EMPTY_NAMESPACES: Final = delete(NAMESPACES).where(NAMESPACES.c.thread_ref == _REF, _IS_EMPTY)

_NAMESPACES_OF: Final = select(NAMESPACES.c.ns_ref).where(NAMESPACES.c.thread_ref == _REF)
DELETE_THREAD: Final = (
    Prepared(delete(WRITES).where(WRITES.c.ns_ref.in_(_NAMESPACES_OF))),
    Prepared(delete(CHECKPOINTS).where(CHECKPOINTS.c.ns_ref.in_(_NAMESPACES_OF))),
    *(
        Prepared(delete(table).where(table.c.thread_ref == _REF))
        for table in (NAMESPACES, ITEMS, THREAD_LABELS, THREADS)
    ),
)
"""Everything of a thread but its lease, in an order that keeps references whole."""


# --------------------------------------------------------------------------------------------------------------- leases
def _lease(dialect: ModuleType) -> ClauseElement:
    statement = dialect.insert(LEASES).values(_values(LEASES))
    given = statement.excluded
    is_own = LEASES.c.holder == given.holder
    until = case((is_own, _latest(dialect)(LEASES.c.until, given.until)), else_=given.until)
    statement = statement.on_conflict_do_update(
        index_elements=["thread_id"],
        set_={"holder": given.holder, "until": until},
        where=or_(is_own, LEASES.c.until <= AT),
    )
    returning: ClauseElement = statement.returning(LEASES.c.thread_id)
    return returning


LEASE: Final = _by_dialect(_lease)
RELEASE: Final = delete(LEASES).where(LEASES.c.thread_id == _THREAD, LEASES.c.holder == bindparam("by"))
DELETE_LEASE: Final = delete(LEASES).where(LEASES.c.thread_id == _THREAD)
DELETE_ENDED_LEASE: Final = DELETE_LEASE.where(LEASES.c.until <= AT)
DELETE_ENDED_LEASES: Final = delete(LEASES).where(LEASES.c.until <= AT)
"""Of every thread: a table of those that run is short."""
