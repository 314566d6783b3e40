"""Statements of the SQL items."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    BindParameter,
    ColumnElement,
    LargeBinary,
    Select,
    Text,
    and_,
    bindparam,
    case,
    cast,
    delete,
    exists,
    func,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql import ClauseElement

from langchain_agentmem.sql.prepared import Prepared
from langchain_agentmem.sql.schema import STORE_ITEMS as ITEMS
from langchain_agentmem.sql.schema import STORE_NAMESPACES as NAMESPACES

SWEEP_BATCH: Final = 100
"""Namespaces per transaction of a sweep, so that writers need not wait long for it."""

_NOW: Final[BindParameter[int]] = bindparam("now", type_=BigInteger)
_PATH: Final[BindParameter[str]] = bindparam("path", type_=Text)
_OWN: Final[BindParameter[str]] = bindparam("own", type_=Text)
_REF: Final[BindParameter[int]] = bindparam("ref", type_=BigInteger)
_LIMIT: Final[BindParameter[int]] = bindparam("limit", type_=BigInteger)
_OFFSET: Final[BindParameter[int]] = bindparam("offset", type_=BigInteger)
_NEEDLE: Final[BindParameter[bytes]] = bindparam("needle", type_=LargeBinary)
_REVISION: Final[BindParameter[int]] = bindparam("new_revision", type_=BigInteger)
_TENANT: Final[BindParameter[str]] = bindparam("tenant", type_=Text)
_USER: Final[BindParameter[str]] = bindparam("user", type_=Text)

_IS_LIVE: Final = or_(ITEMS.c.expires_at.is_(None), ITEMS.c.expires_at > _NOW)
_IS_THEIRS: Final = and_(NAMESPACES.c.tenant_id == _TENANT, NAMESPACES.c.user_id == _USER)
_IS_SEEN: Final = or_(cast(_TENANT, Text).is_(None), NAMESPACES.c.tenant_id.is_(None), _IS_THEIRS)
"""Nobody in particular looks, or at what is nobody else's."""

_IN_RANGE: Final = and_(
    NAMESPACES.c.path >= bindparam("low", type_=Text), NAMESPACES.c.path < bindparam("high", type_=Text), _IS_SEEN
)
_OWNER: Final = (NAMESPACES.c.tenant_id, NAMESPACES.c.user_id)

_ITEM: Final = (
    ITEMS.c.item_ref,
    NAMESPACES.c.path,
    ITEMS.c.key,
    *_OWNER,
    ITEMS.c.created_at,
    ITEMS.c.updated_at,
    ITEMS.c.ttl,
    ITEMS.c.revision,
    ITEMS.c.sealed,
)
_JOINED: Final = ITEMS.join(NAMESPACES, NAMESPACES.c.ns_ref == ITEMS.c.ns_ref)


def _numbers(dialect: ModuleType) -> Select[Any]:
    """Return the numbers of a parameter that is a JSON list, which both databases take as one text."""
    given: BindParameter[str] = bindparam("refs", type_=Text)
    if dialect is sqlite:
        return select(func.json_each(given).table_valued("value").c.value)
    return select(cast(func.json_array_elements_text(cast(given, JSON)).column_valued("value"), BigInteger))


def _select_some(dialect: ModuleType) -> ClauseElement:
    return select(*_ITEM).select_from(_JOINED).where(ITEMS.c.item_ref.in_(_numbers(dialect)), _IS_LIVE)


# ------------------------------------------------------------------------------------------------------------- reading
_GET: Final = select(*_ITEM).select_from(_JOINED).where(_IS_SEEN, ITEMS.c.key == bindparam("key", type_=Text), _IS_LIVE)
GET: Final = Prepared(_GET.where(NAMESPACES.c.path == _PATH))
GET_OWN: Final = Prepared(_GET.where(NAMESPACES.c.path.in_([_PATH, _OWN])).order_by(NAMESPACES.c.path.desc()))
"""An owner's, at the path or beside it, where their own is; that one comes first."""

SELECT_SOME: Final = Prepared({"sqlite": _select_some(sqlite), "postgresql": _select_some(postgresql)})

_IN_ORDER: Final = (ITEMS.c.updated_at.desc(), NAMESPACES.c.path, ITEMS.c.key)
_IN_ORDER_OF_ONE: Final = (ITEMS.c.updated_at.desc(), ITEMS.c.key)
_HOLDS: Final = {
    "sqlite": func.instr(ITEMS.c.sealed, _NEEDLE) > 0,
    "postgresql": func.position(_NEEDLE.op("IN")(ITEMS.c.sealed)) > 0,
}
"""That a value in the clear holds some bytes: all that the database is told of a filter."""


def _page(refs: Select[Any]) -> Select[Any]:
    """Return what reads a page of items, whose numbers were found and sorted by what the index holds."""
    page = refs.limit(_LIMIT).offset(_OFFSET)
    return select(*_ITEM).select_from(_JOINED).where(ITEMS.c.item_ref.in_(page)).order_by(*_IN_ORDER)


def _page_of_namespaces(*condition: ColumnElement[bool]) -> Select[Any]:
    """Merge the latest items of each namespace of a range, which the index gives one by one."""
    names = (ITEMS.c.item_ref, ITEMS.c.updated_at, ITEMS.c.key)
    latest = (
        select(*names)
        .where(ITEMS.c.ns_ref == NAMESPACES.c.ns_ref, _IS_LIVE, *condition)
        .order_by(*_IN_ORDER_OF_ONE)
        .limit(_LIMIT + _OFFSET)
        .lateral()
    )
    refs = select(latest.c.item_ref).select_from(NAMESPACES.join(latest, true())).where(_IN_RANGE)
    return _page(refs.order_by(latest.c.updated_at.desc(), NAMESPACES.c.path, latest.c.key))


def _page_of_range(*condition: ColumnElement[bool]) -> Select[Any]:
    refs = select(ITEMS.c.item_ref).select_from(_JOINED).where(_IN_RANGE, _IS_LIVE, *condition)
    return _page(refs.order_by(*_IN_ORDER))


def _page_of_one(*condition: ColumnElement[bool]) -> Select[Any]:
    refs = select(ITEMS.c.item_ref).where(ITEMS.c.ns_ref == _REF, _IS_LIVE, *condition)
    return _page(refs.order_by(*_IN_ORDER_OF_ONE))


PAGE_OF_RANGE: Final = Prepared({"sqlite": _page_of_range(), "postgresql": _page_of_namespaces()})
PAGE_OF_ONE: Final = Prepared(_page_of_one())
"""Of one namespace alone: a page costs the same however many items there are. PostgreSQL needs no other statement."""

HOLDING_OF_RANGE: Final = Prepared(
    {"sqlite": _page_of_range(_HOLDS["sqlite"]), "postgresql": _page_of_namespaces(_HOLDS["postgresql"])}
)
HOLDING_OF_ONE: Final = Prepared({"sqlite": _page_of_one(_HOLDS["sqlite"])})

FIRST_TWO: Final = Prepared(select(NAMESPACES.c.ns_ref, *_OWNER).where(_IN_RANGE).order_by(NAMESPACES.c.path).limit(2))
SELECT_PATHS: Final = Prepared(
    select(NAMESPACES.c.path)
    .where(_IN_RANGE, exists().where(ITEMS.c.ns_ref == NAMESPACES.c.ns_ref, _IS_LIVE))
    .order_by(NAMESPACES.c.path)
)
REVISIONS: Final = Prepared(
    select(NAMESPACES.c.ns_ref, NAMESPACES.c.path, *_OWNER, NAMESPACES.c.revision, NAMESPACES.c.removal).where(
        _IN_RANGE
    )
)
SELECT_FRESH: Final = Prepared(
    select(
        ITEMS.c.item_ref, ITEMS.c.key, ITEMS.c.updated_at, ITEMS.c.expires_at, ITEMS.c.revision, ITEMS.c.terms
    ).where(ITEMS.c.ns_ref == _REF, ITEMS.c.revision > bindparam("since", type_=BigInteger))
)
SELECT_INDEXED: Final = Prepared(
    select(*_ITEM, ITEMS.c.terms)
    .select_from(_JOINED)
    .where(ITEMS.c.item_ref > bindparam("after", type_=BigInteger), ITEMS.c.terms.is_not(None), _IS_LIVE)
    .order_by(ITEMS.c.item_ref)
    .limit(_LIMIT)
)
SELECT_THEIRS: Final = Prepared(
    select(*_ITEM, ITEMS.c.terms)
    .select_from(_JOINED)
    .where(
        NAMESPACES.c.tenant_id == bindparam("tenant"),
        NAMESPACES.c.user_id == bindparam("user"),
        ITEMS.c.item_ref > bindparam("after", type_=BigInteger),
        _IS_LIVE,
    )
    .order_by(ITEMS.c.item_ref)
    .limit(_LIMIT)
)
SELECT_REFS: Final = Prepared(select(ITEMS.c.item_ref).where(ITEMS.c.ns_ref == _REF))
FIND_NAMESPACE: Final = Prepared(select(*_OWNER).where(NAMESPACES.c.path == _PATH))


# ------------------------------------------------------------------------------------------------------------- writing
def _begin(dialect: ModuleType) -> Any:  # noqa: ANN401  (a dialect's own class)
    """Begin or continue a namespace: it counts a change, and its row is locked until the transaction ends.

    One's own path goes before; nothing is done where the namespace is another user's.
    """
    beside = NAMESPACES.alias("beside")
    own = select(beside.c.path).where(beside.c.path == _OWN).scalar_subquery()
    statement = dialect.insert(NAMESPACES).values(
        path=func.coalesce(own, _PATH),
        tenant_id=_TENANT,
        user_id=_USER,
        revision=1,
        removal=bindparam("removes", type_=BigInteger),
    )
    next_revision = NAMESPACES.c.revision + 1
    changes = {
        "revision": next_revision,
        "removal": case((statement.excluded.removal > 0, next_revision), else_=NAMESPACES.c.removal),
        "tenant_id": func.coalesce(NAMESPACES.c.tenant_id, statement.excluded.tenant_id),
        "user_id": func.coalesce(NAMESPACES.c.user_id, statement.excluded.user_id),
    }
    is_nobodys = or_(NAMESPACES.c.tenant_id.is_(None), statement.excluded.tenant_id.is_(None))
    is_same = and_(
        NAMESPACES.c.tenant_id == statement.excluded.tenant_id, NAMESPACES.c.user_id == statement.excluded.user_id
    )
    statement = statement.on_conflict_do_update(index_elements=["path"], set_=changes, where=or_(is_nobodys, is_same))
    return statement.returning(NAMESPACES.c.ns_ref, NAMESPACES.c.revision, *_OWNER)


_WRITTEN: Final = tuple(
    ITEMS.c[name]
    for name in ("ns_ref", "key", "created_at", "updated_at", "ttl", "expires_at", "revision", "terms", "sealed")
)
_GIVEN: Final = {it.name: bindparam(it.name, type_=it.type) for it in _WRITTEN}


def _put(dialect: ModuleType) -> ClauseElement:
    return _or_replace(dialect.insert(ITEMS).values(_GIVEN))


def _put_beside(dialect: ModuleType) -> ClauseElement:
    return _or_replace(dialect.insert(ITEMS).values(_GIVEN), keeps=True)


def _put_alone() -> ClauseElement:
    """Count a change of a namespace and put an item into it, in one statement, unless it is another user's."""
    begun = _begin(postgresql).cte("begun")
    typed = {**_GIVEN, "terms": cast(_GIVEN["terms"], LargeBinary)}  # else PostgreSQL takes a null for text
    source = select(*(begun.c[it.name] if it.name in begun.c else typed[it.name] for it in _WRITTEN))
    names = [it.name for it in _WRITTEN]
    return _or_replace(postgresql.insert(ITEMS).from_select(names, source, include_defaults=False))


def _or_replace(statement: Any, *, keeps: bool = False) -> ClauseElement:  # noqa: ANN401  (a dialect's own class)
    """Put the new one in the place of the item of that key, whose time of creation stays while it lives.

    `keeps`: unless it lives.
    """
    new = statement.excluded
    had_expired = ITEMS.c.expires_at <= new.created_at
    changes = {it.name: new[it.name] for it in _WRITTEN[3:]}
    changes["created_at"] = case((had_expired, new.created_at), else_=ITEMS.c.created_at)
    where = had_expired if keeps else None
    put: ClauseElement = statement.on_conflict_do_update(index_elements=["ns_ref", "key"], set_=changes, where=where)
    return put


PUT_ALONE: Final = Prepared({"postgresql": _put_alone()})
BEGIN: Final = Prepared({"sqlite": _begin(sqlite), "postgresql": _begin(postgresql)})
_CHANGED: Final = {"revision": NAMESPACES.c.revision + 1}
CONTINUE: Final = Prepared(
    update(NAMESPACES)
    .where(NAMESPACES.c.path == _PATH, _IS_SEEN)
    .values(**_CHANGED, removal=NAMESPACES.c.revision + 1)
    .returning(NAMESPACES.c.ns_ref, NAMESPACES.c.revision, *_OWNER)
)
"""Count a change of a namespace from which something is only taken, if it is there for who takes it."""

PUT: Final = Prepared({"sqlite": _put(sqlite), "postgresql": _put(postgresql)})
PUT_BESIDE: Final = Prepared({"sqlite": _put_beside(sqlite), "postgresql": _put_beside(postgresql)})
"""Likewise, but replace nothing."""

REMOVE: Final = Prepared(delete(ITEMS).where(ITEMS.c.ns_ref == _REF, ITEMS.c.key == bindparam("about", type_=Text)))
DROP_IF_EMPTY: Final = Prepared(
    delete(NAMESPACES).where(NAMESPACES.c.ns_ref == _REF, ~exists().where(ITEMS.c.ns_ref == _REF))
)

# ------------------------------------------------------------------------------------------------------------ lifetime
COUNT: Final = Prepared(
    update(NAMESPACES)
    .where(NAMESPACES.c.path == _PATH)
    .values(**_CHANGED)
    .returning(NAMESPACES.c.ns_ref, NAMESPACES.c.revision, *_OWNER)
)
"""Count a change that took nothing out."""

REFRESH: Final = Prepared(
    update(ITEMS)
    .where(ITEMS.c.item_ref == _REF, ITEMS.c.expires_at > _NOW)
    .values(expires_at=_NOW + ITEMS.c.ttl, revision=_REVISION)
)
REPLACE_TERMS: Final = Prepared(
    update(ITEMS)
    .where(ITEMS.c.item_ref == _REF, ITEMS.c.revision == bindparam("seen", type_=BigInteger))
    .values(terms=bindparam("new_terms", type_=LargeBinary), revision=_REVISION)
)
REPLACE_VALUE: Final = Prepared(
    update(ITEMS)
    .where(ITEMS.c.item_ref == _REF, ITEMS.c.revision == bindparam("seen", type_=BigInteger))
    .values(
        terms=bindparam("new_terms", type_=LargeBinary),
        sealed=bindparam("new_value", type_=LargeBinary),
        revision=_REVISION,
    )
)
PATHS_OF: Final = Prepared(
    {
        name: select(ITEMS.c.item_ref, NAMESPACES.c.path)
        .select_from(_JOINED)
        .where(ITEMS.c.item_ref.in_(_numbers(dialect)), ITEMS.c.expires_at > _NOW)
        for name, dialect in (("sqlite", sqlite), ("postgresql", postgresql))
    }
)
FIND_EXPIRED: Final = Prepared(
    select(NAMESPACES.c.path)
    .select_from(_JOINED)
    .where(ITEMS.c.expires_at <= _NOW)
    .distinct()
    .order_by(NAMESPACES.c.path)
    .limit(SWEEP_BATCH)
)
SWEEP: Final = Prepared(delete(ITEMS).where(ITEMS.c.ns_ref == _REF, ITEMS.c.expires_at <= _NOW))

# ------------------------------------------------------------------------------------------------------------- erasing
LOCK_THEIRS: Final = Prepared(
    select(NAMESPACES.c.ns_ref, NAMESPACES.c.path, NAMESPACES.c.tenant_id)
    .where(or_(_IS_THEIRS, NAMESPACES.c.tenant_id.is_(None)))
    .order_by(NAMESPACES.c.path)
    .with_for_update()
)
_CLEARED: Final = select(NAMESPACES.c.ns_ref, NAMESPACES.c.path, *_OWNER).where(_IN_RANGE).order_by(NAMESPACES.c.path)
FIND_RANGE: Final = Prepared(_CLEARED)
LOCK_RANGE: Final = Prepared(_CLEARED.with_for_update())
COUNT_LIVE: Final = Prepared(
    {
        name: select(func.count(), func.count(ITEMS.c.ns_ref.distinct()))
        .select_from(ITEMS)
        .where(ITEMS.c.ns_ref.in_(_numbers(dialect)), _IS_LIVE)
        for name, dialect in (("sqlite", sqlite), ("postgresql", postgresql))
    }
)
"""Items of some namespaces, and in how many of these they are."""

EMPTY: Final = Prepared(delete(ITEMS).where(ITEMS.c.ns_ref == _REF))
DROP: Final = Prepared(delete(NAMESPACES).where(NAMESPACES.c.ns_ref == _REF))
