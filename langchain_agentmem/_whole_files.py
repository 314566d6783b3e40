"""Files that appear under their name when they are whole, and leave nothing where their writer was killed."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from typing import Final

from langchain_agentmem.errors import StorageError

OWNER_ONLY: Final = 0o600
DRAFT: Final = ".agentmem-draft"
"""Ends the name of a draft, behind a dot and the name of what it is to be."""

_FULL: Final = {errno.ENOSPC, errno.EDQUOT}
"""What the system says where there is no room, or none for whoever writes."""

_NAME_BYTES: Final = 200
"""Of a file's name that its draft is named after: file systems take 255 in all."""

_DESCRIPTORS: Final = "/proc/self/fd"
_CHUNK: Final = 1 << 20


class WholeFile:
    """A file that appears when it is whole and on the disk, in the place of another or where none was.

    Nobody but its owner reads it. Until then it has no name where the system can do that, and ends with its process.
    Elsewhere, and for the moment in which it takes the place of another, it is a draft beside it, which is locked: one
    that nobody has locked was left by a writer that was killed, and the next one removes it.

    Args:
        path: Its name; there is one draft of it at a time.

    Raises:
        OSError: It cannot be written there.
        StorageError: Another writer is about to put a file there.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._draft = path, draft_of(path)
        remove_draft(self._draft)
        nameless = _opened_nameless(path.parent)
        self._is_nameless, self._is_draft = nameless is not None, nameless is None
        descriptor = _opened_locked(self._draft) if nameless is None else nameless
        self._file = open(descriptor, "wb")  # noqa: SIM115, PTH123  (a descriptor, which alone has its mode from the start)

    def write(self, content: bytes) -> None:
        """Add to it."""
        self._file.write(content)

    def finish(self) -> None:
        """Let it appear."""
        self._file.flush()
        os.fsync(self._file.fileno())
        if self._is_nameless:
            self._name()
        if sys.platform == "win32":  # which renames no open file
            self._file.close()
        if self._is_draft:
            self._draft.replace(self._path)
            self._is_draft = False
        self._file.close()
        sync_folder(self._path.parent)

    def discard(self) -> None:
        """Remove what was not finished; nothing where it was."""
        with suppress(OSError):  # it wants to write what it could not write before
            self._file.close()
        if self._is_draft:
            remove_draft(self._draft)

    def _name(self) -> None:
        """Give it its own name, or where another file has that, the draft's."""
        try:
            _link(self._file.fileno(), self._path)
        except FileExistsError:
            remove_draft(self._draft)
            try:
                _link(self._file.fileno(), self._draft)
            except FileExistsError as error:
                raise _busy(self._draft) from error
            self._is_draft = True


def draft_of(path: Path) -> Path:
    """Return the name of a file's draft.

    Raises:
        ValueError: The path names no file.
    """
    return path.with_name(f".{os.fsdecode(os.fsencode(path.name)[:_NAME_BYTES])}{DRAFT}")


def is_draft(name: str) -> bool:
    """Whether a name is that of a draft."""
    return name.startswith(".") and name.endswith(DRAFT)


def remove_draft(draft: Path, *, is_left: bool = False) -> None:
    """Overwrite and remove what a writer left that was killed; no link is followed.

    Args:
        draft: Its name. What is being written stays; so does what a process holds that a killed writer began.
        is_left: It is known that nobody writes it: then it does not stay.
    """
    if sys.platform == "win32":  # which removes no open file
        draft.unlink(missing_ok=True)
        return
    try:
        if draft.is_symlink():
            draft.unlink()
        descriptor = os.open(draft, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return
    with open(descriptor, "r+b", buffering=0) as file:  # noqa: PTH123  (a descriptor, which follows no link)
        if not is_left and not (_lock(descriptor, is_waiting=False) and _is_at(descriptor, draft)):
            return
        found = os.fstat(descriptor)
        draft.unlink()
        if S_ISREG(found.st_mode) and found.st_nlink == 1:  # else it is somebody's file under another name, too
            file.writelines(bytes(min(_CHUNK, found.st_size - at)) for at in range(0, found.st_size, _CHUNK))
            os.fsync(descriptor)
    sync_folder(draft.parent)


def failure_of(named: str, done: str, error: Exception, otherwise: str) -> StorageError:
    """Return the error of a file that cannot be read or written; a full disk is no matter of its path.

    Args:
        named: What it is called.
        done: What could not be done.
        error: What the system says.
        otherwise: What it was, and what to do about it, where the disk is not full.
    """
    if isinstance(error, OSError) and error.errno in _FULL:
        msg = f"{named} cannot be {done}: the disk is full; what was there is as it was, free space and repeat the call"
        return StorageError(msg, is_retryable=True)
    return StorageError(f"{named} cannot be {done} {otherwise}")


def sync_folder(path: Path) -> None:
    """Let the names in a folder be on the disk too; Windows has no way to ask for it."""
    if sys.platform != "win32":
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _opened_nameless(folder: Path) -> int | None:
    """Open a file that has no name; `None` where the system, or the file system, cannot do that."""
    flag = getattr(os, "O_TMPFILE", 0)
    if not flag or not os.path.isdir(_DESCRIPTORS):  # noqa: PTH112
        return None
    try:
        descriptor = os.open(folder, flag | os.O_RDWR, OWNER_ONLY)
    except OSError:
        return None
    _lock(descriptor)
    return descriptor


def _opened_locked(draft: Path) -> int:
    """Make a draft, and lock it before anybody takes it for one that was left."""
    while True:
        try:
            descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), OWNER_ONLY)
        except FileExistsError as error:
            raise _busy(draft) from error
        _lock(descriptor)
        if _is_at(descriptor, draft):
            return descriptor
        os.close(descriptor)


def _link(descriptor: int, path: Path) -> None:
    """Give an open file a name that no other file has."""
    os.link(f"{_DESCRIPTORS}/{descriptor}", path, src_dir_fd=descriptor)  # the latter lets it follow the link


def _is_at(descriptor: int, draft: Path) -> bool:
    """Whether an open file still has a name, and is what has it."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), draft.lstat())
    return False


def _lock(descriptor: int, *, is_waiting: bool = True) -> bool:
    """Lock an open file until it is closed, also by the end of its process; return whether that could be done."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if is_waiting else fcntl.LOCK_NB))
        except OSError:  # somebody else has it, or the file system knows no locks
            return False
    return True


def _busy(draft: Path) -> StorageError:
    msg = (
        f"{str(draft)!r} is there: another process is writing what it is to be, or was killed where files cannot be "
        "locked; wait for it, or remove the draft"
    )
    return StorageError(msg, is_retryable=True)
