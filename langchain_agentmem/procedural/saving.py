"""Versions of skills and policies: every change is a commit, and going back is one, too."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from langchain_agentmem.errors import ConfigurationError, ConflictError, GovernanceError, NotFoundError
from langchain_agentmem.procedural.commits import Change, known_change
from langchain_agentmem.procedural.library import SHIPPED, Kept, Library, Snapshot
from langchain_agentmem.procedural.schemas import (
    FOLDERS,
    Kind,
    is_evaluated,
    kind_of,
    read_record,
    said_by,
    write_record,
)
from langchain_agentmem.types.procedures import Record, Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One commit of a record; `version` and `status` are `None` where the file could not be read then, or was gone."""

    version: int | None
    status: str | None
    commit: str
    at: datetime
    author: str
    message: str


def save(library: Library, record: Record, message: str | None, author: str) -> Record:
    """Commit a record, and return it with the version it got; one that says the same as before is no commit.

    Raises:
        ConflictError: It builds on an older version, or somebody changed the repository meanwhile.
        GovernanceError: A skill with cases is to be active, and has not passed them.
    """
    snapshot = library.current()
    known = snapshot.kept.get(record.name)
    if known is not None and type(known.record) is type(record) and said_by(known.record) == said_by(record):
        return known.record
    record = _numbered(library, record, snapshot)
    if isinstance(record, Skill) and record.status == "active" and not is_evaluated(record):
        msg = f"skill {record.name!r} has cases that it has not passed; save it as a draft and activate it"
        raise GovernanceError(msg, rule="evaluation")
    verb = "Add" if known is None else "Change"
    told = (message or f"{verb} {record.name}, version {record.version}", author)
    library.commit(_file_for(record, snapshot), write_record(record), told, snapshot)
    return record


def _numbered(library: Library, record: Record, snapshot: Snapshot) -> Record:
    known = snapshot.kept.get(record.name)
    if known is not None and type(record) is not type(known.record):
        msg = f"the name {record.name!r} is that of a {type(known.record).__name__.lower()}; choose another"
        raise ConfigurationError(msg)
    if known is not None and record.version < known.record.version:
        msg = (
            f"{record.name!r} is at version {known.record.version}, and what you save builds on {record.version}; "
            "read it again, then save"
        )
        raise ConflictError(msg)
    least = _unused(() if known is not None and known.file else _past(library, snapshot, record.name), known)
    return record if record.version >= least else record.model_copy(update={"version": least})


def _unused(changes: Sequence[Change], known: Kept | None) -> int:
    """Return the number after the last that was given, also to what was removed since."""
    given = [number for number in map(_version, changes) if number]
    return max([*given, *([] if known is None else [known.record.version])], default=0) + 1


def history(library: Library, name: str) -> list[Revision]:
    """Return the commits of a record, the newest first.

    Raises:
        NotFoundError: No commit has it.
    """
    return [_revision(change) for change in _changes(library, library.current(), name)]


def diff(library: Library, name: str, old: int | str, new: int | str | None) -> str:
    """Return what changed between two versions, or commits, as a unified diff; without `new`, up to the last one."""
    changes = _changes(library, library.current(), name)
    before = _wanted(library, changes, old, name)
    after = changes[0] if new is None else _wanted(library, changes, new, name)
    lines = difflib.unified_diff(
        _text(before).splitlines(keepends=True),
        _text(after).splitlines(keepends=True),
        f"{before.path}@{before.commit[:12]}",
        f"{after.path}@{after.commit[:12]}",
    )
    return "".join(lines)


def rollback(library: Library, name: str, version: int | str, author: str) -> Record:
    """Commit an earlier version anew, under the next number.

    Raises:
        NotFoundError: There is no such version.
        ConfigurationError: It cannot be read any more.
    """
    snapshot = library.current()
    changes = _changes(library, snapshot, name)
    change = _wanted(library, changes, version, name)
    old = read_record((change.raw or b""), change.path, _kind_at(change.path))
    known = snapshot.kept.get(name)
    record = old.model_copy(update={"version": _unused(changes, known)})
    message = f"Roll {name} back to version {old.version}"
    library.commit(_file_for(record, snapshot), write_record(record), (message, author), snapshot)
    return record


def _file_for(record: Record, snapshot: Snapshot) -> str:
    """Return the file that a record is in, or is to have.

    Raises:
        ConflictError: The file that it is to have is that of another record.
    """
    known = snapshot.kept.get(record.name)
    if known is not None and known.file:
        return known.file
    path = f"{kind_of(record)}/{record.name}.yaml"
    other = next((it.record.name for it in snapshot.kept.values() if it.file == path), None)
    if other is not None:
        msg = f"{path!r} is the file of {other!r}; rename it with git, for example to {other}.yaml, then save again"
        raise ConflictError(msg)
    return path


def _changes(library: Library, snapshot: Snapshot, name: str) -> Sequence[Change]:
    if changes := _past(library, snapshot, name):
        return changes
    msg = f"no commit has a skill or policy {name!r}; commit its file first"
    raise NotFoundError(msg)


def _past(library: Library, snapshot: Snapshot, name: str) -> Sequence[Change]:
    """Return the commits of a record, none where none has it; reading them takes the longer the more there are."""
    known = snapshot.kept.get(name)
    paths = [known.file] if known is not None and known.file else [f"{folder}/{name}.yaml" for folder in FOLDERS]
    for path in paths:
        changes = library.folder.changes(name, path)
        if changes:
            return changes
    return ()


def _wanted(library: Library, changes: Sequence[Change], wanted: int | str, name: str) -> Change:
    """Return the change that made a version; of a policy that is shipped, the first was never committed."""
    if isinstance(wanted, str):
        return known_change(list(changes), wanted, name)
    for change in changes:
        if _version(change) == wanted:
            return change
    shipped = library.shipped(name)
    if shipped is not None and shipped.version == wanted:
        raw = write_record(shipped)
        return replace(changes[-1], commit=SHIPPED, path=f"{kind_of(shipped)}/{name}.yaml", raw=raw)
    msg = f"{name!r} has no version {wanted!r}; history() lists them"
    raise NotFoundError(msg)


def _revision(change: Change) -> Revision:
    record = _parsed(change)
    return Revision(
        version=None if record is None else record.version,
        status=None if record is None else record.status,
        commit=change.commit,
        at=change.at,
        author=change.author,
        message=change.message,
    )


def _version(change: Change) -> int | None:
    record = _parsed(change)
    return None if record is None else record.version


def _parsed(change: Change) -> Record | None:
    if change.raw is None:
        return None
    try:
        return read_record(change.raw, change.path, _kind_at(change.path))
    except ConfigurationError:
        return None


def _kind_at(path: str) -> Kind:
    return "skills" if path.startswith("skills/") else "policies"


def _text(change: Change) -> str:
    return (change.raw or b"").decode("utf-8", "replace")
