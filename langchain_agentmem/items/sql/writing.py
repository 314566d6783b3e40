"""Changes of items in SQL, inside the caller's transaction.

Whoever changes a namespace counts the change in the namespace's row first, which keeps others from changing it until
the transaction ends; several of them are taken in the order of their paths, so that no two transactions wait for each
other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from langchain_agentmem.errors import ScopeError
from langchain_agentmem.items.base import Change, Check, Erased, NewTerms, Put, Range, owner_named
from langchain_agentmem.items.paths import namespace_of, own_path, plain_path
from langchain_agentmem.items.sql import rows
from langchain_agentmem.sql.prepared import Transaction
from langchain_agentmem.types.scope import Owner

_COUNTED: Final = ("ns_ref", "revision")


def write(connection: Transaction, change: Change, used: Sequence[int]) -> None:
    """Refresh what was used, put and remove.

    Raises:
        ScopeError: A namespace belongs to somebody else.
    """
    touched = _by_path(connection, used, change.at)
    puts, removals = {it.path for it in change.puts}, {it.path for it in change.removals}
    counted: dict[str, list[tuple[int, int]]] = {}
    for path in sorted(puts | removals | touched.keys(), key=lambda it: (plain_path(it), it)):
        if path in puts:
            counted[path] = [_begun(connection, path, change, is_removal=path in removals)]
        elif path in removals:
            counted[path] = _continued(connection, path, change)
        else:
            counted[path] = [(ref, revision) for ref, revision, *_ in rows.COUNT.rows(connection, {"path": path})]
    _refresh(connection, touched, {path: found[0][1] for path, found in counted.items() if found}, change.at)
    gone = [{"ref": ref, "about": it.key} for it in change.removals for ref, _ in counted[it.path]]
    if gone:
        rows.REMOVE.change(connection, gone)
    if change.puts:
        rows.PUT.change(connection, _placed(change, {path: found[0] for path, found in counted.items() if found}))
    for ref in sorted(ref for path in removals - puts for ref, _ in counted[path]):
        rows.DROP_IF_EMPTY.change(connection, [{"ref": ref}])


def bring(connection: Transaction, change: Change) -> int:
    """Put what nothing stands under yet, which nobody changes once the namespaces are counted; return how many."""
    paths = sorted({it.path for it in change.puts}, key=lambda it: (plain_path(it), it))
    counted = {path: _begun(connection, path, change, is_removal=False) for path in paths}
    return rows.PUT_BESIDE.change(connection, _placed(change, counted))


def write_one(connection: Transaction, change: Change) -> None:
    """Put one item, in one statement of PostgreSQL, or in two where the namespace is somebody else's.

    Raises:
        ScopeError: The namespace belongs to somebody else, and is not shared.
    """
    [put] = change.puts
    for place in _places(put.path, change):
        if rows.PUT_ALONE.change(connection, [{**_values(change.at, put), **place, "removes": 0}]):
            return
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
            replaced += sum(_replace(connection, it, revision) for it in by_path[path])
    return replaced


def _replace(connection: Transaction, it: NewTerms, revision: int) -> int:
    values = {"ref": it.ref, "seen": it.revision, "new_terms": it.terms, "new_revision": revision}
    if it.sealed is None:
        return rows.REPLACE_TERMS.change(connection, [values])
    return rows.REPLACE_VALUE.change(connection, [{**values, "new_value": it.sealed}])


def erase(connection: Transaction, owner: Owner, is_theirs: Callable[[str], bool]) -> Erased:
    """Delete an owner's namespaces with all that is in them."""
    found = rows.LOCK_THEIRS.rows(connection, {"tenant": owner.tenant_id, "user": owner.user_id})
    theirs = [{"ref": ref} for ref, path, tenant in found if tenant is not None or is_theirs(path)]
    if not theirs:
        return Erased(items=0, namespaces=0)
    count = sum(rows.EMPTY.change(connection, [it]) for it in theirs)
    rows.DROP.change(connection, theirs)
    return Erased(items=count, namespaces=len(theirs))


def clear(connection: Transaction, paths: Range, at: int, check: Check, *, is_dry: bool) -> Erased:
    """Delete a range of namespaces with all that is in them, or only count."""
    found = (rows.FIND_RANGE if is_dry else rows.LOCK_RANGE).rows(connection, paths._asdict())
    check({path: owner_named(tenant, user) for _, path, tenant, user in found})
    refs = [{"ref": ref} for ref, *_ in found]
    [counted] = rows.COUNT_LIVE.rows(connection, {"refs": json.dumps([it["ref"] for it in refs]), "now": at})
    if refs and not is_dry:
        for it in refs:
            rows.EMPTY.change(connection, [it])
        rows.DROP.change(connection, refs)
    return Erased(items=counted[0], namespaces=counted[1])


def sweep(connection: Transaction, at: int) -> tuple[int, bool]:
    """Delete what has expired in some namespaces; return how many items, and whether that was all."""
    paths = [path for (path,) in rows.FIND_EXPIRED.rows(connection, {"now": at})]
    swept = 0
    for path in paths:
        for ref, *_ in rows.CONTINUE.rows(connection, {"path": path, "tenant": None, "user": None}):
            swept += rows.SWEEP.change(connection, [{"ref": ref, "now": at}])
            rows.DROP_IF_EMPTY.change(connection, [{"ref": ref}])
    return swept, len(paths) < rows.SWEEP_BATCH


def _begun(connection: Transaction, path: str, change: Change, *, is_removal: bool) -> tuple[int, int]:
    """Count the change of a namespace that something is put into; return its number and revision."""
    for place in _places(path, change):
        for ref, revision, *_ in rows.BEGIN.rows(connection, {**place, "removes": int(is_removal)}):
            return ref, revision
    raise ScopeError(_another(path))


def _continued(connection: Transaction, path: str, change: Change) -> list[tuple[int, int]]:
    """Count the change of namespaces that something is only removed from, if they are there for who does it."""
    found = [rows.CONTINUE.rows(connection, place) for place in _places(path, change)]
    return [(ref, revision) for counted in found for ref, revision, *_ in counted]


def _places(path: str, change: Change) -> list[dict[str, str | None]]:
    """Return where a namespace may be: at its path, or beside it, where each owner has their own."""
    owner = change.owners.get(path)
    tenant, user = owner or (None, None)
    own = path if owner is None or path not in change.shared else own_path(path, owner)
    return [{"path": it, "own": own, "tenant": tenant, "user": user} for it in dict.fromkeys((path, own))]


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


def _placed(change: Change, counted: Mapping[str, tuple[int, int]]) -> list[dict[str, Any]]:
    """Return the rows of what is put into namespaces whose change was counted."""
    return [{**_values(change.at, it), **dict(zip(_COUNTED, counted[it.path], strict=True))} for it in change.puts]


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
