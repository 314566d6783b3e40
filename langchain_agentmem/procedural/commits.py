"""The commits of a record: followed by its name, also to where its file was before it was renamed.

Where two branches met, the one that has the record as it is now is followed, as git does.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from langchain_agentmem.errors import NotFoundError
from langchain_agentmem.procedural.documents import MAX_FILE_BYTES
from langchain_agentmem.procedural.files import committed_in, head_of, is_yaml

_NAME: Final = re.compile(rb"^name:[ \t]*[\"']?(?P<name>[a-z0-9][a-z0-9_-]*)[\"']?[ \t]*(?:#.*)?\r?$", re.MULTILINE)
"""How a file says its name; of one that says it in another way, its place tells what it is."""

_TOPOLOGICAL: Final = "topo"
"""No commit before those that came after it, whatever their clocks said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One commit that changed a record.

    Attributes:
        path: Of its file. `raw`: the file after the commit; `None` where it deleted it.
    """

    commit: str
    at: datetime
    author: str
    message: str
    path: str
    raw: bytes | None


class _Place(NamedTuple):
    """Where a record is in a commit, and what its file holds, by its id."""

    path: str
    blob: bytes


def changes_of(repo: Any, prefix: str, name: str, path: str) -> Iterator[Change]:  # noqa: ANN401  (dulwich is imported where it is first used)
    """Yield the commits that changed a record, the newest first.

    Args:
        repo: The repository.
        prefix: Of our folder in it.
        name: Of the record.
        path: Where its file is, or may have been; it is looked for in the same folder.
    """
    head = head_of(repo)
    if head is None:
        return
    places = _Places(repo, prefix, name)
    followed = {head: path}
    for entry in repo.get_walker(include=[head], order=_TOPOLOGICAL):
        commit = entry.commit
        path_then = followed.pop(commit.id, None)
        if path_then is None:  # of a branch that is not followed
            continue
        own = places.of(commit.id, path_then)
        path_here = path_then if own is None else own.path
        before = {it: places.of(it, path_here) for it in repo.get_parents(commit.id, commit)}
        same = [it for it, place in before.items() if place == own and own is not None]
        for parent in same[:1] or before:
            followed.setdefault(parent, path_here)
        is_gone = own is None and bool(before) and None not in before.values()
        if is_gone or (own is not None and not same):
            yield _change(commit, path_here, None if own is None else places.read(own.blob))


class _Places:
    """Where a record is in each commit."""

    def __init__(self, repo: Any, prefix: str, name: str) -> None:  # noqa: ANN401
        self._repo, self._prefix, self._name = repo, prefix, name.encode()
        self._found: dict[tuple[bytes, str], _Place | None] = {}
        self._names: dict[bytes, bytes | None] = {}

    def of(self, commit_id: bytes, path: str) -> _Place | None:
        """Return where it is: at a path, unless what is there says another name; else wherever a file says its name."""
        key = (commit_id, path)
        if key not in self._found:
            self._found[key] = self._search(commit_id, path)
        return self._found[key]

    def read(self, blob_id: bytes) -> bytes:
        """Return what a file holds."""
        return bytes(self._repo.object_store[blob_id].as_raw_string())

    def _search(self, commit_id: bytes, path: str) -> _Place | None:
        folder = f"{path.partition('/')[0]}/"
        try:
            files = dict(committed_in(self._repo, commit_id, self._prefix))
        except NotADirectoryError:  # a link, or a file, that was no folder of ours
            return None
        own = {it: entry for it, entry in files.items() if it.startswith(folder) and is_yaml(it)}
        found = {it: blob for it, (mode, blob) in own.items() if stat.S_ISREG(mode)}
        if path in found and self._name_in(found[path]) in {self._name, None}:
            return _Place(path, found[path])
        return next((_Place(it, found[it]) for it in sorted(found) if self._name_in(found[it]) == self._name), None)

    def _name_in(self, blob_id: bytes) -> bytes | None:
        if blob_id not in self._names:
            said = _NAME.search(self.read(blob_id)[:MAX_FILE_BYTES])
            self._names[blob_id] = said and said["name"]
        return self._names[blob_id]


def _change(commit: Any, path: str, raw: bytes | None) -> Change:  # noqa: ANN401
    return Change(
        commit=commit.id.decode(),
        at=datetime.fromtimestamp(commit.commit_time, UTC),
        author=commit.author.decode("utf-8", "replace"),
        message=commit.message.decode("utf-8", "replace").strip(),
        path=path,
        raw=raw,
    )


def known_change(changes: list[Change], wanted: str, name: str) -> Change:
    """Return the change of a commit named by the beginning of its id."""
    found = [change for change in changes if change.commit.startswith(wanted)]
    if len(found) != 1:
        msg = f"{name!r} has {'no' if not found else 'more than one'} commit {wanted!r}; history() lists them"
        raise NotFoundError(msg)
    return found[0]
