"""The marks of a SQL database, which say what parts of it are sealed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    LargeBinary,
    Select,
    Table,
    and_,
    bindparam,
    exists,
    func,
    or_,
    select,
    text,
)

from langchain_agentmem._marks import (
    HEAD_BYTES,
    KEYS,
    PARTS,
    SEALED,
    Heads,
    Marks,
    Owner,
    Part,
    Standing,
    check_keys,
    sealed_by_others,
)
from langchain_agentmem.sql.schema import (
    CHECKPOINTS,
    EPISODES,
    MARKS,
    MESSAGES,
    NAMESPACES,
    PAYLOADS,
    SESSIONS,
    STATES,
    STORE_ITEMS,
    STORE_NAMESPACES,
    SUBJECTS,
    THREADS,
)

_ROWS: Final[Mapping[Part, tuple[Table, ...]]] = {
    "ledger": (PAYLOADS, EPISODES),
    "conversations": (SESSIONS,),
    "working": (STATES,),
    "threads": (THREADS,),
    "store": (STORE_ITEMS,),
}
_TENANT: Final[BindParameter[str]] = bindparam("tenant")
_USER: Final[BindParameter[str]] = bindparam("user")
_SESSION: Final[BindParameter[str]] = bindparam("session")
_IS_SUBJECT: Final = and_(SUBJECTS.c.tenant_id == _TENANT, SUBJECTS.c.user_id == _USER)


def _named(table: Table) -> ColumnElement[bool]:
    """Whether a row is a user's, or a visitor's in one conversation."""
    whose = and_(table.c.tenant_id == _TENANT, table.c.user_id == _USER)
    return and_(whose, or_(_USER != "", table.c.session_id == _SESSION)) if "session_id" in table.c else whose


_LOG: Final = PAYLOADS.join(SUBJECTS, SUBJECTS.c.subject_id == PAYLOADS.c.subject_id)
_CHECKPOINTS: Final = CHECKPOINTS.join(NAMESPACES, NAMESPACES.c.ns_ref == CHECKPOINTS.c.ns_ref).join(
    THREADS, THREADS.c.thread_ref == NAMESPACES.c.thread_ref
)
_ITEMS: Final = STORE_ITEMS.join(STORE_NAMESPACES, STORE_NAMESPACES.c.ns_ref == STORE_ITEMS.c.ns_ref)
_OF_USER: Final[Mapping[Part, Select[int]]] = {
    "ledger": select(1).select_from(_LOG).where(_IS_SUBJECT),
    "conversations": select(1).where(_named(SESSIONS)),
    "working": select(1).where(_named(STATES)),
    "threads": select(1).select_from(_CHECKPOINTS).where(_named(THREADS)),
    "store": select(1).select_from(_ITEMS).where(_named(STORE_NAMESPACES)),
}
_TURNS: Final = EPISODES.join(SUBJECTS, SUBJECTS.c.subject_id == EPISODES.c.subject_id)
_MESSAGES: Final = MESSAGES.join(SESSIONS, SESSIONS.c.session_ref == MESSAGES.c.session_ref)


def _head(column: ColumnElement[bytes]) -> ColumnElement[bytes]:
    return func.substr(column, 1, HEAD_BYTES, type_=LargeBinary)


_OLDEST: Final = select(_head(PAYLOADS.c.sealed)).select_from(_LOG).where(_IS_SUBJECT).order_by(PAYLOADS.c.seq).limit(1)
_HEADS: Final = tuple(
    select(_head(column)).select_from(source).where(is_theirs).distinct()
    for column, source, is_theirs in (
        (EPISODES.c.body, _TURNS, _IS_SUBJECT),
        (MESSAGES.c.sealed, _MESSAGES, _named(SESSIONS)),
        (STATES.c.sealed, STATES, _named(STATES)),
        (CHECKPOINTS.c.sealed, _CHECKPOINTS, _named(THREADS)),
        (STORE_ITEMS.c.sealed, _ITEMS, _named(STORE_NAMESPACES)),
    )
)
_IS_ERASING: Final = select(SUBJECTS.c.is_erasing).where(_IS_SUBJECT)
_PUT: Final = text(
    "INSERT INTO agentmem_marks (part, state) VALUES (:part, :state) ON CONFLICT (part) DO UPDATE SET state = :state"
)


def unmarked(connection: Connection, marks: Marks, keys: str) -> dict[str, str]:
    """Return what is to be marked, where keys of a name are used.

    Raises:
        ConfigurationError: The database says something else than its user expects.
    """
    found = read_marks(connection)
    return marks.check(found, _filled(connection, marks.in_question(found, keys)), keys)


def mark_if_empty(connection: Connection, marks: Marks, keys: str) -> None:
    """Say of parts that are still empty that they are sealed; what was written meanwhile is found by the same look."""
    _mark(connection, unmarked(connection, marks, keys))


def mark_rest(connection: Connection, state: str, keys: str) -> None:
    """Say it of every part that is not marked as sealed, or that was left half-way; and by which keys."""
    found = read_marks(connection)
    _mark(connection, {**{part: state for part in PARTS if found.get(part) != SEALED}, KEYS: keys})


def check_sealed(connection: Connection, keys: str) -> None:
    """Let no other keys in than those that sealed the database.

    Raises:
        ConfigurationError: Others did.
    """
    found = read_marks(connection)
    check_keys(found, _filled(connection, sealed_by_others(found, keys)), keys)


def read_marks(connection: Connection) -> dict[str, str]:
    """Return the mark of each part that has one, and the name of the keys."""
    return {row.part: row.state for row in connection.execute(select(MARKS.c.part, MARKS.c.state))}


def holds_sealed(connection: Connection, marks: Marks) -> bool:
    """Return whether a part that is sealed, or was to be, holds anything.

    Raises:
        ConfigurationError: The database says something else than its user expects.
    """
    if not marks.is_waived:
        unmarked(connection, marks, "")
    return bool(_filled(connection, sealed_by_others(read_marks(connection), None)))


def standing(connection: Connection, owner: Owner) -> Standing:
    """Return what there is of a user in parts that are sealed."""
    whose = {"tenant": owner.tenant_id, "user": owner.user_id, "session": owner.session_id}
    if connection.execute(_IS_ERASING, whose).scalar():
        return "ending"
    found = read_marks(connection)
    parts = [part for part in PARTS if found.get(part) == SEALED]
    is_sealed = any(connection.execute(_OF_USER[part].limit(1), whose).first() for part in parts)
    return "sealed" if is_sealed else "nothing"


def heads(connection: Connection, owner: Owner) -> Heads:
    """Return how what there is of a user begins, by which the keys are told that sealed it."""
    whose = {"tenant": owner.tenant_id, "user": owner.user_id, "session": owner.session_id}
    found = {head for statement in _HEADS for head in connection.execute(statement, whose).scalars() if head}
    return Heads(connection.execute(_OLDEST, whose).scalar(), frozenset(found))


def _mark(connection: Connection, states: Mapping[str, str]) -> None:
    for part, state in states.items():
        connection.execute(_PUT, {"part": part, "state": state})


def _filled(connection: Connection, parts: Iterable[Part]) -> frozenset[Part]:
    """Return the parts that hold anything."""
    return frozenset(
        part
        for part in parts
        if any(connection.execute(select(exists().select_from(table))).scalar() for table in _ROWS[part])
    )
