"""Changes of a thread in SQL, inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from langchain_agentmem.checkpoints.base import Change, Draft, ThreadState
from langchain_agentmem.checkpoints.sql import rows
from langchain_agentmem.checkpoints.sql.ids import pack, pack_optional
from langchain_agentmem.checkpoints.sql.thread import OpenThread, begin, complete
from langchain_agentmem.sql.prepared import Prepared, Transaction, change_all

Statement: TypeAlias = tuple[Prepared, Sequence[Mapping[str, Any]]]
"""A statement, and what it is run for."""


def apply(connection: Transaction, thread_id: str, draft: Draft, at: int, expires_at: int | None) -> ThreadState:
    """Read what a draft needs, let it build the change, and write that."""
    names = draft.namespaces()
    thread = begin(connection, thread_id, names, at)
    state = thread.state()
    since = draft.since(state)
    digests = rows.DIGESTS.rows(connection, {"ref": thread.ref, "low": since}) if since < state.next_no else []
    change = draft.build(state, digests)
    if not _namespaces(change) <= thread.refs.keys() | set(names):
        complete(connection, thread_id, thread)
    added = _add(connection, thread, change)
    change_all(connection, [*added, _touch(connection, thread, change, {"at": at, "expires": expires_at})])
    return ThreadState(
        generation=state.generation,
        next_no=state.next_no + len(change.items),
        owner=state.owner or change.owner,
        heads={**state.heads, **change.heads} if change.heads else state.heads,
    )


def _namespaces(change: Change) -> set[str]:
    return {*change.heads, *(row.ns for row in change.checkpoints), *(row.ns for row in change.writes)}


def _add(connection: Transaction, thread: OpenThread, change: Change) -> list[Statement]:
    """Return what adds the rows; namespaces, whose numbers those need, are added at once."""
    statements = _add_namespaces(connection, thread, change)
    if change.items:
        items = [{"thread_ref": thread.ref, **item._asdict()} for item in change.items]
        statements.append((rows.INSERT_ITEMS, items))
    if change.checkpoints:
        statements.append((rows.PUT_CHECKPOINTS, _checkpoints(thread.refs, change)))
    if change.writes and change.replaces:
        rows.REPLACE_WRITES.change(connection, _writes(thread.refs, change))  # one may replace another of the same put
    elif change.writes:
        statements.append((rows.KEEP_WRITES, _writes(thread.refs, change)))
    if change.labels:
        labels = [{"label": label, "thread_ref": thread.ref} for label in sorted(change.labels)]
        statements.append((rows.KEEP_LABELS, labels))
    return statements


def _add_namespaces(connection: Transaction, thread: OpenThread, change: Change) -> list[Statement]:
    """Add namespaces, and return what moves the heads of others."""
    heads = {ns: pack(head) for ns, head in change.heads.items()}
    moved = [{"ns_ref": thread.refs[ns], "new_head": head} for ns, head in heads.items() if ns in thread.refs]
    for ns in sorted(_namespaces(change) - thread.refs.keys()):
        values = {"ref": thread.ref, "ns": ns, "head": heads.get(ns)}
        [(thread.refs[ns],)] = rows.INSERT_NAMESPACE.rows(connection, values)
    return [(rows.SET_HEAD, moved)] if moved else []


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
            "task_path": row.task_path,
            "channel": row.channel,
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
