"""The files of skills and policies as they stand in a working tree, and as they are committed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from langchain_agentmem.errors import StorageError
from langchain_agentmem.procedural.documents import MAX_FILE_BYTES
from langchain_agentmem.procedural.schemas import FOLDERS, SUFFIXES

_README: Final = "README"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """One file as it stands.

    Attributes:
        path: Below the folder, with `/`. `raw`: `None` where it is too large, or no regular file.
        is_committed: Whether HEAD has this, but for the ends of lines.
    """

    path: str
    size: int
    raw: bytes | None
    is_committed: bool


def head_of(repo: Any) -> bytes | None:  # noqa: ANN401
    """Return the id of the commit that is checked out; `None` before the first."""
    try:
        return bytes(repo.head())
    except KeyError:
        return None


def committed_in(repo: Any, head: bytes | None, prefix: str) -> Iterator[tuple[str, tuple[int, bytes]]]:  # noqa: ANN401
    """Yield what HEAD has in the two folders, at any depth: path below ours, mode and id."""
    if head is None:
        return
    left: list[tuple[str, Any]] = [(folder, _tree_at(repo, head, f"{prefix}{folder}")) for folder in FOLDERS]
    while left:
        above, tree = left.pop()
        for entry in () if tree is None else tree.iteritems():
            name = os.fsdecode(entry.path)
            path = f"{above}/{name}"
            if stat.S_ISDIR(entry.mode) and not name.startswith("."):
                left.append((path, _tree(repo, entry.sha, path)))
            elif _is_listed(name):
                yield path, (entry.mode, entry.sha)


def _tree_at(repo: Any, head: bytes, path: str) -> Any:  # noqa: ANN401
    """Return a folder of a commit, or `None` where it has none; one that is a link or a file is an error."""
    tree = repo.object_store[repo.object_store[head].tree]
    for part in path.split("/"):
        if part.encode() not in tree:
            return None
        tree = _tree(repo, tree[part.encode()][1], path)
    return tree


def _tree(repo: Any, tree_id: bytes, path: str) -> Any:  # noqa: ANN401
    from dulwich.objects import Tree

    tree = repo.object_store[tree_id]
    if not isinstance(tree, Tree):
        raise NotADirectoryError(path)
    return tree


def from_git(repo: Any, path: str, entry: tuple[int, bytes]) -> StoredFile:  # noqa: ANN401
    """Return a file as it is committed."""
    mode, blob_id = entry
    raw = repo.object_store[blob_id].as_raw_string() if stat.S_ISREG(mode) else None
    size = 0 if raw is None else len(raw)
    return StoredFile(path=path, size=size, raw=raw if size <= MAX_FILE_BYTES else None, is_committed=True)


def from_disk(path: str, full: Path, entry: tuple[int, bytes] | None) -> StoredFile:
    """Return a file as it stands in a working tree; `entry` is what HEAD has of it."""
    info = full.lstat()
    if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_FILE_BYTES:
        size = info.st_size if stat.S_ISREG(info.st_mode) else 0
        return StoredFile(path=path, size=size, raw=None, is_committed=False)
    raw = full.read_bytes()
    is_committed = entry is not None and _is_as_committed(raw, entry[1])
    return StoredFile(path=path, size=len(raw), raw=raw, is_committed=is_committed)


def _is_as_committed(raw: bytes, blob_id: bytes) -> bool:
    """Whether a file is what was committed; git may write the ends of its lines as Windows has them."""
    from dulwich.objects import Blob

    return any(Blob.from_string(it).id == blob_id for it in (raw, raw.replace(b"\r\n", b"\n")))


def is_yaml(path: str) -> bool:
    """Whether a file is one to be read, by its name."""
    return path.lower().endswith(SUFFIXES)


def _is_listed(name: str) -> bool:
    """Whether a file is looked at: one that is no YAML may be a policy under a wrong name, and is to be told of."""
    return not name.startswith(".") and (is_yaml(name) or not name.upper().startswith(_README))


def files_in(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of the two folders, at any depth: the path below ours, and where they are.

    A link is yielded, whatever it leads to, and not followed.

    Raises:
        StorageError: One of the two is a link: what it leads to is not of this repository.
    """
    for folder in FOLDERS:
        check_no_link(root, folder)
        if not (root / folder).exists():
            continue
        left: list[str] = [folder]
        while left:
            above = left.pop()
            with os.scandir(root / above) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
            for entry in found:
                path = f"{above}/{entry.name}"
                if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                    left.append(path)
                elif _is_listed(entry.name) and not entry.is_dir(follow_symlinks=False):
                    yield path, root / path


def check_no_link(root: Path, folder: str) -> None:
    """Raise `StorageError` where a folder below ours is a link, or is in one."""
    parts = folder.split("/")
    for end in range(1, len(parts) + 1):
        here = "/".join(parts[:end])
        if (root / here).is_symlink():
            msg = f"the folder {here!r} in {str(root)!r} is a link, which is not followed; make it a folder"
            raise StorageError(msg)


def stamps_of(root: Path) -> Iterator[tuple[Any, ...]]:
    """Yield what changes when a file does."""
    for path, full in files_in(root):
        yield (path, *stamp_of(full))


def stamp_of(path: Path) -> tuple[int, ...]:
    """Return what changes when one file does."""
    try:
        info = path.lstat()
    except OSError:
        return (0,)
    return (info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino)
