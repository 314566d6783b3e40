"""Files of a folder in a git repository: read from the working tree (or from HEAD, where there is none), and committed.

A commit moves its branch only from where this object saw it (compare and set), and touches no file but its own.
"""

from __future__ import annotations

import logging
import os
import struct
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

from langchain_agentmem.errors import AgentMemError, ConfigurationError, ConflictError, StorageError
from langchain_agentmem.procedural.commits import Change, changes_of
from langchain_agentmem.procedural.files import (
    StoredFile,
    check_no_link,
    committed_in,
    files_in,
    from_disk,
    from_git,
    head_of,
    stamp_of,
    stamps_of,
)
from langchain_agentmem.procedural.options import check_git
from langchain_agentmem.procedural.pending import Pending
from langchain_agentmem.procedural.served import check_served, is_partial, is_sparse

COMMITTER: Final = b"langchain-agentmem <agentmem@localhost>"
BRANCH: Final = b"main"
LOCK_FILE: Final = "agentmem.lock"
"""Beside HEAD; locked by whoever commits through this package, and free again when its process ends."""

INDEX_TRIES: Final = 50
INDEX_WAIT_S: Final = 0.02
"""A second in all for a git command that holds the index: `git add` needs a few milliseconds."""

_FILE_MODE: Final = 0o100644
_SHORT: Final = 12
_HEAD: Final = b"HEAD"
_SYMBOLIC: Final = b"ref: "

Entry: TypeAlias = tuple[int, bytes]
"""What a commit has at a path: mode and id."""

LOGGER: Final = logging.getLogger("langchain_agentmem")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What a folder holds.

    Attributes:
        head: The commit it was compared with; `None` where nothing is committed yet.
        entries: What that has, by path: mode and id.
    """

    head: str | None
    files: tuple[StoredFile, ...]
    entries: Mapping[str, Entry] = field(default_factory=dict)


class GitFolder:
    """A folder with `skills/` and `policies/` in a git repository, with a working tree or bare. Thread-safe.

    Args:
        path: The folder; inside a repository, or a bare repository itself.
        create: Make folder and repository where they are missing.
        clock: Gives the time of commits.

    Raises:
        ConfigurationError: There is no such folder, or no repository around it, or none of SHA-1; or dulwich is not
            installed.
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool, clock: Callable[[], datetime]) -> None:
        self._path = Path(path).absolute()
        self._clock = clock
        self._lock = threading.Lock()
        self._is_partial = False
        if create:
            self._create()
        if not self._path.is_dir():
            msg = f"procedural {str(path)!r} is no folder; make it, or pass create=True"
            raise ConfigurationError(msg)
        self._root, self.is_bare = self._discover()
        self._prefix = "" if self.is_bare else _below(self._path, self._root)

    # --------------------------------------------------------------------------------------------------------- read
    def stamp(self) -> tuple[Any, ...]:
        """Return what changes whenever the folder or HEAD may have changed. Costs a few looks at file names."""
        files = () if self.is_bare else tuple(stamps_of(self._path))
        return (*self._head_stamp(), *files)

    def read(self) -> Listing:
        """Return the files and whether they are committed.

        Raises:
            StorageError: The folder or its repository is gone, cannot be read, or leaves out committed files.
        """
        with self._opened() as repo:
            head = head_of(repo)
            committed = dict(committed_in(repo, head, self._prefix))
            if self.is_bare:
                files = [from_git(repo, path, entry) for path, entry in sorted(committed.items())]
            else:
                behind = self._pending.left_behind(committed, self._path)
                found = {path: from_disk(path, full, committed.get(path)) for path, full in files_in(self._path)}
                found |= {path: from_git(repo, path, committed[path]) for path in behind}
                if is_sparse(repo) and (absent := sorted(committed.keys() - found.keys())):
                    raise self._sparse(absent[0])
                files = [found[path] for path in sorted(found)]
            return Listing(head=None if head is None else head.decode(), files=tuple(files), entries=committed)

    def committed(self, listing: Listing, paths: Sequence[str]) -> list[tuple[str, StoredFile]]:
        """Return files as a listing's HEAD has them; without those that cannot be read."""
        with self._opened() as repo:
            found = []
            for path in paths:
                with suppress(*_damages()):
                    found.append((path, from_git(repo, path, listing.entries[path])))
            return found

    def changes(self, name: str, path: str) -> list[Change]:
        """Return the commits that changed a record whose file is, or may have been, at a path, the newest first."""
        with self._opened() as repo:
            return list(changes_of(repo, self._prefix, name, path))

    # -------------------------------------------------------------------------------------------------------- write
    def commit(self, path: str, raw: bytes, message: str, author: str, expected: str | None) -> str:
        """Commit one file and return the commit's id.

        Args:
            path: Of the file, below the folder.
            raw: What it is to hold.
            message: Of the commit.
            author: As `Name <mail>`.
            expected: The commit that HEAD must still be at.

        Raises:
            ConflictError: HEAD has moved, the file has uncommitted changes, or somebody is committing right now.
            StorageError: HEAD is detached, or a merge is under way.
        """
        with self._lock, self._opened() as repo, _alone(self._git[1] / LOCK_FILE):
            branch = self._branch(repo)
            self._check_free(repo, path, expected)
            new, blob_id = self._store(repo, path, raw, (message, author))
            if not self.is_bare:
                self._pending.note(path, blob_id, self._path / path)
            self._move(repo, branch, expected, new)
            if not self.is_bare:
                self._check_out(repo, path, raw)
                self._pending.done(path)
            return str(new.decode())

    def _branch(self, repo: Any) -> bytes:  # noqa: ANN401  (dulwich is imported where it is first used)
        target = repo.refs.read_ref(_HEAD) or b""
        if not target.startswith(_SYMBOLIC):
            msg = f"HEAD of {str(self._root)!r} is detached; check out a branch before saving"
            raise StorageError(msg)
        for name in ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"):
            if (Path(repo.controldir()) / name).exists():
                msg = f"a merge or rebase is under way in {str(self._root)!r}; finish or abort it before saving"
                raise StorageError(msg)
        return bytes(target[len(_SYMBOLIC) :].strip())

    def _check_free(self, repo: Any, path: str, expected: str | None) -> None:  # noqa: ANN401
        head = head_of(repo)
        if head != (None if expected is None else expected.encode()):
            raise _moved(self._root)
        if self.is_bare:
            return
        check_no_link(self._path, path.rpartition("/")[0])
        committed = dict(committed_in(repo, head, self._prefix))
        if path in self._pending.left_behind(committed, self._path):
            return
        full = self._path / path
        if full.is_symlink() or (full.exists() and not from_disk(path, full, committed.get(path)).is_committed):
            msg = f"{path!r} has changes that are not committed; commit or discard them, then save again"
            raise ConflictError(msg)

    def _store(self, repo: Any, path: str, raw: bytes, told: tuple[str, str]) -> tuple[Any, bytes]:  # noqa: ANN401
        from dulwich.object_store import commit_tree_changes
        from dulwich.objects import Blob, Commit, ObjectID, Tree

        blob, commit, head = Blob.from_string(raw), Commit(), head_of(repo)
        repo.object_store.add_object(blob)
        base = Tree() if head is None else repo.object_store[head].tree
        change = ((self._prefix + path).encode(), _FILE_MODE, blob.id)
        commit.tree = commit_tree_changes(repo.object_store, base, [change])
        commit.parents = [] if head is None else [ObjectID(head)]
        commit.author, commit.committer = told[1].encode(), COMMITTER
        commit.author_time = commit.commit_time = int(self._clock().timestamp())
        commit.author_timezone = commit.commit_timezone = 0
        commit.encoding, commit.message = b"UTF-8", told[0].encode()
        repo.object_store.add_object(commit)
        return commit.id, blob.id

    def _move(self, repo: Any, branch: bytes, expected: str | None, new: bytes) -> None:  # noqa: ANN401
        from dulwich.file import FileLocked

        try:
            if expected is None:
                is_moved = repo.refs.add_if_new(branch, new)
            else:
                is_moved = repo.refs.set_if_equals(branch, expected.encode(), new)
        except FileLocked as error:
            msg = f"somebody else is committing in {str(self._root)!r}; try again"
            raise ConflictError(msg, is_retryable=True) from error
        if not is_moved:
            raise _moved(self._root)

    def _check_out(self, repo: Any, path: str, raw: bytes) -> None:  # noqa: ANN401
        """Bring the working tree and the index to what was committed, this file alone."""
        from dulwich.file import FileLocked
        from dulwich.index import index_entry_from_stat
        from dulwich.objects import Blob

        full = self._path / path
        full.parent.mkdir(parents=True, exist_ok=True)
        part = full.with_name(f".{full.name}.{os.getpid()}.{threading.get_ident()}")
        part.write_bytes(raw)
        part.replace(full)
        name, entry = (self._prefix + path).encode(), index_entry_from_stat(full.lstat(), Blob.from_string(raw).id)
        for _ in range(INDEX_TRIES):
            index = repo.open_index()
            index[name] = entry
            try:
                index.write()
            except FileLocked:  # a git command of somebody else
                time.sleep(INDEX_WAIT_S)
            else:
                return
        LOGGER.warning("the index of %s is locked; the commit stands, and git status shows %s twice", self._root, path)

    # ------------------------------------------------------------------------------------------------------- open
    def _create(self) -> None:
        self._path.mkdir(parents=True, exist_ok=True)
        repository = _dulwich()
        try:
            self._discover()
        except ConfigurationError:
            repository.Repo.init(str(self._path), default_branch=BRANCH).close()

    def _discover(self) -> tuple[Path, bool]:
        repository = _dulwich()
        try:
            repo = repository.Repo.discover(str(self._path))
        except repository.NotGitRepository as error:
            msg = f"procedural {str(self._path)!r} is in no git repository; run git init there, or pass create=True"
            raise ConfigurationError(msg) from error
        except _damages() as error:
            raise self._unreadable(error) from error
        with repo:
            check_served(repo, str(self._path))
            self._is_partial = is_partial(repo)
            self._git = (Path(repo.controldir()).absolute(), Path(repo.commondir()).absolute())
            self._pending = Pending(self._git[0])
            return Path(repo.path).absolute(), bool(repo.bare)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        repository = _dulwich()
        try:
            with repository.Repo(str(self._root)) as repo:
                if not self.is_bare and not self._path.is_dir():
                    msg = f"the folder {str(self._path)!r} is gone; bring it back, or open memory without it"
                    raise StorageError(msg)
                yield repo
        except repository.NotGitRepository as error:
            msg = f"the git repository of {str(self._path)!r} is gone; bring it back, or open memory without it"
            raise StorageError(msg) from error
        except AgentMemError:
            raise
        except _damages() as error:
            raise self._unreadable(error) from error

    def _sparse(self, path: str) -> StorageError:
        msg = (
            f"{path!r} is committed and not in the working tree of {str(self._path)!r}, a sparse checkout: what it "
            "says would not be in force; run git sparse-checkout add with its folder, or commit that it was removed"
        )
        return StorageError(msg)

    def _unreadable(self, error: Exception) -> StorageError:
        if isinstance(error, KeyError) and self._is_partial:
            msg = (
                f"the git repository of {str(self._path)!r} is a partial clone and lacks what is asked for, which only "
                "git fetches; run git fetch --refetch --no-filter, or clone without --filter"
            )
            return StorageError(msg)
        msg = f"the git repository of {str(self._path)!r} cannot be read ({type(error).__name__}); run git fsck"
        return StorageError(msg, is_retryable=isinstance(error, OSError))

    def _head_stamp(self) -> tuple[Any, ...]:
        control, common = self._git
        try:
            head = (control / "HEAD").read_bytes().strip()
        except OSError:
            return (None,)
        name = os.fsdecode(head[len(_SYMBOLIC) :]) if head.startswith(_SYMBOLIC) else "HEAD"
        return (head, stamp_of(common / name), stamp_of(common / "packed-refs"))


def version_of(head: str | None, *, is_committed: bool) -> str:
    """Return how a file's state is named in the log: the commit read, and whether it was changed since."""
    base = "uncommitted" if head is None else head[:_SHORT]
    return base if is_committed or head is None else f"{base}+changes"


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Wait until no other process commits, and keep them waiting meanwhile."""
    with path.open("a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _dulwich() -> Any:  # noqa: ANN401  (a module)
    check_git()
    from dulwich import repo

    return repo


def _damages() -> tuple[type[Exception], ...]:
    """Return what dulwich raises where files of a repository are damaged, missing or cannot be read."""
    from dulwich import errors

    found = (errors.FileFormatException, errors.ChecksumMismatch, errors.WrongObjectException, errors.RefFormatError)
    return (OSError, LookupError, ValueError, AssertionError, EOFError, struct.error, zlib.error, *found)


def _moved(root: Path) -> ConflictError:
    return ConflictError(f"HEAD of {str(root)!r} has moved since it was read; read again, then save")


def _below(path: Path, root: Path) -> str:
    inner = path.resolve().relative_to(root.resolve()).as_posix()
    return "" if inner == "." else f"{inner}/"
