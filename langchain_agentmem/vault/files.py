"""Files of keys: whole or not there, on the disk before anything relies on them, and nobody else's to read."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_IMODE
from typing import Any, Final, TypeAlias

from langchain_agentmem.errors import StorageError

OWNER_ONLY: Final = 0o600
OWNER_ONLY_FOLDER: Final = 0o700
_OTHERS: Final = 0o077

Stamp: TypeAlias = tuple[int, int, int]
"""What changes whenever a file is replaced."""

LOGGER: Final = logging.getLogger("langchain_agentmem")


def stamp_of(path: Path) -> Stamp | None:
    """Return what tells a file's state from every other; `None` where there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def read(path: Path) -> tuple[bytes, Stamp] | None:
    """Return what a file holds, and its stamp; `None` where it is not there."""
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            return file.read(), (found.st_ino, found.st_mtime_ns, found.st_size)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _failed(path, "read", error) from error


def replace(path: Path, content: bytes) -> Stamp:
    """Put a file in the place of another, or where none was: whole, and on the disk; return its stamp."""
    draft = path.with_name(f".{os.urandom(8).hex()}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        with open(descriptor, "wb") as file:  # noqa: PTH123  (a descriptor, which alone has its mode from the start)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            found = os.fstat(file.fileno())
        draft.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise _failed(path, "written", error) from error
    return found.st_ino, found.st_mtime_ns, found.st_size


def destroy(path: Path) -> bool:
    """Overwrite a file and remove it; return whether there was one."""
    try:
        with path.open("r+b") as file:
            length = os.fstat(file.fileno()).st_size
            path.unlink()  # nobody reads zeros for keys
            file.write(bytes(length))
            file.flush()
            os.fsync(file.fileno())
        _sync_folder(path.parent)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise _failed(path, "destroyed", error) from error
    return True


def make_folder(path: Path) -> None:
    """Make a folder that is its owner's alone."""
    try:
        path.mkdir(mode=OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
    except OSError as error:
        raise _failed(path, "made", error) from error


def warn_if_open(path: Path) -> None:
    """Warn where others may read a file of keys."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        mode = S_IMODE(path.stat().st_mode)
        if mode & _OTHERS:
            LOGGER.warning("the key file %s can be read by others (mode %o); chmod 600 it", path, mode)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Wait until no other process changes keys, and keep them waiting meanwhile."""
    try:
        file: Any = path.open("a+b")
    except OSError as error:
        raise _failed(path, "locked", error) from error
    with file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _sync_folder(path: Path) -> None:
    """Let a file's name be on the disk too; Windows has no way to ask for it."""
    if sys.platform != "win32":
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _failed(path: Path, done: str, error: OSError) -> StorageError:
    return StorageError(f"the key file {str(path)!r} cannot be {done} ({error.strerror}); check its folder")
