"""Changes of a thread in SQL, inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from sqlalchemy import Table

from langchain_agentmem.checkpoints.base import Change, Draft
from langchain_agentmem.checkpoints.shorthand import shorthand
from langchain_agentmem.checkpoints.sql import rows
from langchain_agentmem.checkpoints.sql.ids import pack, pack_optional
from langchain_agentmem.checkpoints.sql.thread import OpenThread, begin, complete
from langchain_agentmem.sql.prepared import Prepared, Transaction, change_all
from langchain_agentmem.sql.schema import CHECKPOINTS, ITEMS, THREAD_LABELS, WRITES

Rows: TypeAlias = list[dict[str, Any]]
Statement: TypeAlias = tuple[Prepared, Sequence[Mapping[str, Any]]]
"""A statement, and what it is run for."""

_ADD: Final[Mapping[Table, Prepared]] = {
    ITEMS: rows.INSERT_ITEMS,
    CHECKPOINTS: rows.PUT_CHECKPOINTS,
    WRITES: rows.KEEP_WRITES,
    THREAD_LABELS: rows.KEEP_LABELS,
}


def apply(connection: Transaction, thread_id: str, draft: Draft, at: int, expires_at: int | None) -> OpenThread:
    """Read what a draft needs, let it build the change, write that, and return what the thread is now."""
    names = draft.namespaces()
    thread = begin(connection, thread_id, names, at)
    state = thread.state()
    since = draft.since(state)
    digests = rows.DIGESTS.rows(connection, {"ref": thread.ref, "low": since}) if since < state.next_no else []
    change = draft.build(state, digests)
    missing = namespaces_of(change) - thread.refs.keys()
    if not missing.issubset(names):
        complete(connection, thread_id, thread)
        missing -= thread.refs.keys()
    added = _add(connection, thread, change, missing)
    change_all(connection, [*added, _touch(connection, thread, change, {"at": at, "expires": expires_at})])
    thread.next_no += len(change.items)
    thread.owner = thread.owner or change.owner
    thread.expires_at = expires_at
    thread.heads = {**thread.heads, **change.heads}
    thread.is_new = False
    thread.version = _version(connection, thread)
    return thread


def namespaces_of(change: Change) -> set[str]:
    """Return the namespaces that a change touches."""
    return {*change.heads, *[row.ns for row in change.checkpoints], *[row.ns for row in change.writes]}


def rows_of(thread: OpenThread, change: Change) -> list[tuple[Table, Rows]]:
    """Return the rows to add to each table, in the order of its columns; the namespaces of all of them are known."""
    ref, added = thread.ref, []
    if change.items:
        items = [
            {"thread_ref": ref, "no": no, "digest": digest, "sealed": sealed} for no, digest, sealed in change.items
        ]
        added.append((ITEMS, items))
    if change.checkpoints:
        added.append((CHECKPOINTS, _checkpoints(thread.refs, change)))
    if change.writes:
        added.append((WRITES, _writes(thread.refs, change)))
    if change.labels:
        added.append((THREAD_LABELS, [{"label": label, "thread_ref": ref} for label in sorted(change.labels)]))
    return added


def _add(connection: Transaction, thread: OpenThread, change: Change, missing: set[str]) -> list[Statement]:
    """Return what adds the rows; namespaces, whose numbers those need, are added at once."""
    statements: list[Statement] = []
    heads = [(ns, pack(head)) for ns, head in change.heads.items()]
    for ns in sorted(missing):
        values = {"ref": thread.ref, "ns": ns, "head": dict(heads).get(ns)}
        [(thread.refs[ns],)] = rows.INSERT_NAMESPACE.rows(connection, values)
    if moved := [{"ns_ref": thread.refs[ns], "new_head": head} for ns, head in heads if ns not in missing]:
        statements.append((rows.SET_HEAD, moved))
    for table, added in rows_of(thread, change):
        if table is WRITES and change.replaces:
            rows.REPLACE_WRITES.change(connection, added)  # one may replace another of the same put
        else:
            statements.append((_ADD[table], added))
    return statements


def _version(connection: Transaction, thread: OpenThread) -> str | None:
    """Return the version of a thread's row as it was just written; SQLite has none."""
    if connection.dialect.name == "sqlite":
        return None
    [(version,)] = rows.VERSION.rows(connection, {"ref": thread.ref})
    return str(version)


def _checkpoints(refs: Mapping[str, int], change: Change) -> list[dict[str, Any]]:
    return [
        {
            "ns_ref": refs[row.ns],
            "checkpoint_id": pack(row.id),
            "parent_id": pack_optional(row.parent_id),
            "sealed": row.header,
        }
        for row in change.checkpoints
    ]


def _writes(refs: Mapping[str, int], change: Change) -> list[dict[str, Any]]:
    return [
        {
            "ns_ref": refs[row.ns],
            "checkpoint_id": pack(row.checkpoint_id),
            "task_id": pack(row.task_id),
            "idx": row.idx,
            "task_path": shorthand(row.task_path),
            "channel": shorthand(row.channel),
            "sealed": row.value,
        }
        for row in change.writes
    ]


def _touch(connection: Transaction, thread: OpenThread, change: Change, values: dict[str, Any]) -> Statement:
    """Return what notes that the thread was used; an expiry that stays as it is costs no work on its index."""
    if change.owner is not None and thread.owner is None:
        owner = {"ref": thread.ref, "tenant": change.owner.tenant_id, "user": change.owner.user_id}
        rows.BIND.change(connection, [owner])
    values |= {"ref": thread.ref, "next_no": thread.next_no + len(change.items)}
    return (rows.TOUCH if values["expires"] == thread.expires_at else rows.TOUCH_EXPIRY), [values]
