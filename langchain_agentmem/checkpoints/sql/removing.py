"""Removing from a thread in SQL, inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection

from langchain_agentmem.checkpoints.base import Plan, Removal
from langchain_agentmem.checkpoints.sql import rows
from langchain_agentmem.checkpoints.sql.ids import pack, pack_optional
from langchain_agentmem.checkpoints.sql.reading import give_items, inventory
from langchain_agentmem.checkpoints.sql.thread import OpenThread, erase, find, lock


def remove(connection: Connection, thread_id: str, plan: Plan, at: int) -> Removal | None:
    """Ask a plan what to remove, and remove it."""
    thread = find(connection, thread_id, None, at) if lock(connection, thread_id) else None
    if thread is None:
        return None
    plan.take_inventory(inventory(connection, thread))
    give_items(connection, thread.ref, plan)
    removal = plan.removal()
    if removal is None:
        return None
    _delete_rows(connection, thread.refs, removal)
    _move(connection, thread.refs, removal)
    _reword(connection, thread, removal)
    is_fewer = bool(_delete_items(connection, thread.ref, removal))
    generations = 1 if is_fewer or removal.reworded or removal.reworded_writes or removal.replaced else 0
    connection.execute(rows.REMOVED, {"ref": thread.ref, "generations": generations})
    connection.execute(rows.DELETE_EMPTY_NAMESPACES, {"ref": thread.ref})
    return removal


def delete(
    connection: Connection, thread_id: str, at: int, expired_by: int | None, *, with_lease: bool = False
) -> bool:
    """Delete a thread; return whether there was one that had not expired."""
    thread = find(connection, thread_id, [""], None) if lock(connection, thread_id) else None
    if expired_by is not None and (thread is None or not thread.is_expired(expired_by)):
        return False
    lease = rows.DELETE_LEASE if with_lease else rows.DELETE_ENDED_LEASE
    connection.execute(lease, {"thread": thread_id, "at": at if expired_by is None else expired_by})
    if thread is None:
        return False
    erase(connection, thread.ref)
    return not thread.is_expired(at)


def _delete_rows(connection: Connection, refs: Mapping[str, int], removal: Removal) -> None:
    checkpoints = [{"ns_ref": refs[ns], "id": pack(id_)} for ns, id_ in sorted(removal.checkpoints) if ns in refs]
    orphans = [{"ns_ref": refs[ns], "id": pack(id_)} for ns, id_ in sorted(removal.orphans) if ns in refs]
    if checkpoints:
        rows.DELETE_CHECKPOINT.change(connection, checkpoints)
    if checkpoints or orphans:
        rows.DELETE_WRITES.change(connection, checkpoints + orphans)
    writes = [
        {"ns_ref": refs[ns], "id": pack(id_), "task": pack(task_id), "place": idx}
        for ns, id_, task_id, idx in sorted(removal.writes)
        if ns in refs
    ]
    if writes:
        rows.DELETE_WRITE.change(connection, writes)
    gone = [{"ns_ref": refs[ns]} for ns, head in sorted(removal.heads.items()) if head is None and ns in refs]
    if gone:
        for statement in rows.DELETE_NAMESPACE:
            statement.change(connection, gone)


def _move(connection: Connection, refs: Mapping[str, int], removal: Removal) -> None:
    """Replace checkpoints, and set new heads."""
    replaced = [
        {"ns_ref": refs[ns], "id": pack(id_), "parent": pack_optional(row.parent_id), "header": row.header}
        for (ns, id_), row in sorted(removal.replaced.items())
        if ns in refs
    ]
    if replaced:
        rows.REPLACE_CHECKPOINT.change(connection, replaced)
    heads = [
        {"ns_ref": refs[ns], "new_head": pack(head)}
        for ns, head in sorted(removal.heads.items(), key=lambda item: item[0])
        if head is not None and ns in refs
    ]
    if heads:
        rows.SET_HEAD.change(connection, heads)


def _reword(connection: Connection, thread: OpenThread, removal: Removal) -> None:
    """Replace what items and writes say."""
    items = [{"ref": thread.ref, "low": no, "new_digest": digest, "anew": it} for no, digest, it in removal.reworded]
    if items:
        rows.REWORD_ITEM.change(connection, items)
    writes = [
        {
            "ns_ref": thread.refs[it.ns],
            "id": pack(it.checkpoint_id),
            "task": pack(it.task_id),
            "place": it.idx,
            "anew": it.value,
        }
        for it in removal.reworded_writes
    ]
    if writes:
        rows.REWORD_WRITE.change(connection, writes)


def _delete_items(connection: Connection, ref: int, removal: Removal) -> int:
    ranges = [{"ref": ref, "low": numbers.start, "high": numbers.stop - 1} for numbers in removal.items]
    return rows.DELETE_ITEMS.change(connection, ranges) if ranges else 0
