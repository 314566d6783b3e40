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

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._whole_files import WholeFile, failure_of, is_draft, remove_draft, sync_folder
from langchain_agentmem.errors import StorageError

OWNER_ONLY_FOLDER: Final = 0o700
_OTHERS: Final = 0o077
_EARLIER_DRAFT: Final = lazy_pattern(r"\.[0-9a-f]{16}")
"""As earlier releases named drafts of keys."""


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


def replace(path: Path, content: bytes) -> None:
    """Put a file in the place of another, or where none was: whole, and on the disk."""
    try:
        file = WholeFile(path)
        try:
            file.write(content)
            file.finish()
        finally:
            file.discard()
    except OSError as error:
        raise _failed(path, "written", error) from error


def sweep(folder: Path) -> None:
    """Destroy what writers left in a folder that were killed; only while nobody else can change keys."""
    try:
        for path in folder.iterdir():
            if is_draft(path.name) or _EARLIER_DRAFT.fullmatch(path.name):
                remove_draft(path, is_left=True)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _failed(folder, "swept", error) from error


def destroy(path: Path) -> bool:
    """Overwrite a file and remove it; return whether there was one."""
    try:
        with path.open("r+b") as file:
            length = os.fstat(file.fileno()).st_size
            path.unlink()  # nobody reads zeros for keys
            file.write(bytes(length))
            file.flush()
            os.fsync(file.fileno())
        sync_folder(path.parent)
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


def _failed(path: Path, done: str, error: OSError) -> StorageError:
    return failure_of(f"the key file {str(path)!r}", done, error, f"({error.strerror}); check its folder")
