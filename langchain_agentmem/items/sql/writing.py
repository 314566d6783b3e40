"""Changes of items in SQL, inside the caller's transaction.

Whoever changes a namespace counts the change in the namespace's row first, which keeps others from changing it until
the transaction ends; several of them are taken in the order of their paths, so that no two transactions wait for each
other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from langchain_agentmem.errors import ScopeError
from langchain_agentmem.items.base import Change, Erased, NewTerms, Owner, Put
from langchain_agentmem.items.paths import namespace_of
from langchain_agentmem.items.sql import rows
from langchain_agentmem.sql.prepared import Transaction

_COUNTED: Final = ("ns_ref", "revision")


def write(connection: Transaction, change: Change, used: Sequence[int]) -> None:
    """Refresh what was used, put and remove.

    Raises:
        ScopeError: A namespace belongs to somebody else.
    """
    touched = _by_path(connection, used, change.at)
    puts, removals = {it.path for it in change.puts}, {it.path for it in change.removals}
    counted: dict[str, tuple[int, int]] = {}
    for path in sorted(puts | removals | touched.keys()):
        found = _count(connection, path, change, is_put=path in puts, is_removal=path in removals)
        if found is not None:
            counted[path] = found
    _refresh(connection, touched, {path: revision for path, (_, revision) in counted.items()}, change.at)
    gone = [{"ref": counted[it.path][0], "about": it.key} for it in change.removals if it.path in counted]
    if gone:
        rows.REMOVE.change(connection, gone)
    if change.puts:
        values = [
            {**_values(change.at, it), **dict(zip(_COUNTED, counted[it.path], strict=True))} for it in change.puts
        ]
        rows.PUT.change(connection, values)
    for path in sorted((removals - puts) & counted.keys()):
        rows.DROP_IF_EMPTY.change(connection, [{"ref": counted[path][0]}])


def write_one(connection: Transaction, change: Change) -> None:
    """Put one item, in one statement of PostgreSQL.

    Raises:
        ScopeError: The namespace belongs to somebody else.
    """
    [put] = change.puts
    owner = change.owners.get(put.path)
    tenant, user = owner or (None, None)
    values = {**_values(change.at, put), "path": put.path, "tenant": tenant, "user": user, "removes": 0}
    if not rows.PUT_ALONE.change(connection, [values]):
        raise ScopeError(_another(put.path))


def refresh(connection: Transaction, refs: Sequence[int], at: int) -> None:
    """Let items live on."""
    write(connection, Change(at=at), refs)


def replace_terms(connection: Transaction, changes: Sequence[NewTerms]) -> int:
    """Replace the terms of items that have not changed since they were read."""
    by_path: dict[str, list[NewTerms]] = {}
    for it in changes:
        by_path.setdefault(it.path, []).append(it)
    replaced = 0
    for path in sorted(by_path):
        for _, revision, *_ in rows.COUNT.rows(connection, {"path": path}):
            values = [
                {"ref": it.ref, "seen": it.revision, "new_terms": it.terms, "new_revision": revision}
                for it in by_path[path]
            ]
            replaced += sum(rows.REPLACE_TERMS.change(connection, [it]) for it in values)
    return replaced


def erase(connection: Transaction, owner: Owner, is_theirs: Callable[[str], bool]) -> Erased:
    """Delete an owner's namespaces with all that is in them."""
    found = rows.LOCK_THEIRS.rows(connection, {"tenant": owner.tenant_id, "user": owner.user_id})
    theirs = [{"ref": ref} for ref, path, tenant in found if tenant is not None or is_theirs(path)]
    if not theirs:
        return Erased(items=0, namespaces=0)
    count = sum(rows.EMPTY.change(connection, [it]) for it in theirs)
    rows.DROP.change(connection, theirs)
    return Erased(items=count, namespaces=len(theirs))


def sweep(connection: Transaction, at: int) -> tuple[int, bool]:
    """Delete what has expired in some namespaces; return how many items, and whether that was all."""
    paths = [path for (path,) in rows.FIND_EXPIRED.rows(connection, {"now": at})]
    swept = 0
    for path in paths:
        for ref, *_ in rows.CONTINUE.rows(connection, {"path": path, "tenant": None, "user": None}):
            swept += rows.SWEEP.change(connection, [{"ref": ref, "now": at}])
            rows.DROP_IF_EMPTY.change(connection, [{"ref": ref}])
    return swept, len(paths) < rows.SWEEP_BATCH


def _count(
    connection: Transaction, path: str, change: Change, *, is_put: bool, is_removal: bool
) -> tuple[int, int] | None:
    """Count the change of a namespace; return its number and revision, or `None` if it is not there to be changed."""
    owner = change.owners.get(path)
    tenant, user = owner or (None, None)
    values = {"path": path, "tenant": tenant, "user": user}
    if is_put:
        found = rows.BEGIN.rows(connection, {**values, "removes": int(is_removal)})
    else:
        found = (rows.CONTINUE if is_removal else rows.COUNT).rows(connection, values)
    if not found:
        return None
    [(ref, revision, *theirs)] = found
    if owner is not None and theirs[0] is not None and tuple(theirs) != owner:
        raise ScopeError(_another(path))
    return ref, revision


def _another(path: str) -> str:
    return (
        f"namespace {namespace_of(path)!r} belongs to another user than subject= or the run says; "
        "use a namespace that names one user, such as ('memories', '{tenant_id}', '{user_id}')"
    )


def _by_path(connection: Transaction, refs: Sequence[int], at: int) -> dict[str, list[int]]:
    """Return the items that are still there to be refreshed, by the path of their namespace."""
    found: dict[str, list[int]] = {}
    if refs:
        for ref, path in rows.PATHS_OF.rows(connection, {"refs": json.dumps(list(refs)), "now": at}):
            found.setdefault(path, []).append(ref)
    return found


def _refresh(connection: Transaction, touched: dict[str, list[int]], revisions: dict[str, int], at: int) -> None:
    values = [
        {"ref": ref, "new_revision": revisions[path], "now": at}
        for path, refs in touched.items()
        if path in revisions
        for ref in refs
    ]
    if values:
        rows.REFRESH.change(connection, values)


def _values(at: int, put: Put) -> dict[str, Any]:
    return {
        "key": put.key,
        "created_at": at,
        "updated_at": at,
        "ttl": put.ttl,
        "expires_at": None if put.ttl is None else at + put.ttl,
        "terms": put.terms,
        "sealed": put.sealed,
    }
