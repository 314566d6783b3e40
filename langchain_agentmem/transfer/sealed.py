"""Files of sealed lines: a header that counts the others, and each line with a digest of all up to it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from langchain_agentmem._whole_files import WholeFile, failure_of, is_draft, remove_draft
from langchain_agentmem.errors import ConfigurationError, IntegrityError, StorageError
from langchain_agentmem.transfer.envelope import Envelope
from langchain_agentmem.transfer.lines import Seal


class NewFile:
    """A file that appears under its name when it is whole; nobody but its owner reads it."""

    def __init__(self, path: Path) -> None:
        """Begin it, and remove what is left in its folder of exports that were killed."""
        self._path = path
        try:  # ValueError: a path can hold no NUL, and one such as "/" names no file
            _sweep(path.parent)
            self._file = WholeFile(path)
        except (OSError, ValueError) as error:
            raise of_file(path, "written", error) from error

    def write(self, line: bytes) -> None:
        """Add a line."""
        try:
            self._file.write(line)
        except OSError as error:
            raise of_file(self._path, "written", error) from error

    def finish(self) -> None:
        """Let it appear."""
        try:
            self._file.finish()
        except (OSError, ValueError) as error:
            raise of_file(self._path, "written", error) from error

    def discard(self) -> None:
        """Remove what was not finished."""
        self._file.discard()


def _sweep(folder: Path) -> None:
    with suppress(OSError):  # it cannot be listed
        for path in folder.iterdir():
            if is_draft(path.name):
                with suppress(OSError):  # another user's
                    remove_draft(path)


def read_sealed(path: Path, check_header: Callable[[Path, dict[str, Any]], None], count: str) -> list[dict[str, Any]]:
    """Return the lines of a file, its header first.

    Args:
        path: The file.
        check_header: Raises where the first line is no header.
        count: Where the header says how many lines follow.

    Raises:
        IntegrityError: It is damaged; the message names the line.
        StorageError: It cannot be read.
    """
    try:
        raw = path.read_bytes().splitlines(keepends=True)
    except (OSError, ValueError) as error:
        raise of_file(path, "read", error) from error
    seal = Seal()
    bodies: list[dict[str, Any]] = []
    for number, line in enumerate(raw, 1):
        try:
            bodies.append(seal.open(line))
        except ValueError as error:
            raise damaged(path, number, str(error)) from error
        except RecursionError as error:
            raise damaged(path, number, "it is nested too deeply") from error
        if number == 1:
            check_header(path, bodies[0])
    if not bodies or len(bodies) - 1 != bodies[0][count]:
        raise damaged(path, len(bodies) + 1, "it is missing: the file was cut off")
    return bodies


def open_lines(path: Path, envelope: Envelope, layer: str, bodies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the lines behind the header say, which were sealed as of one layer.

    Raises:
        IntegrityError: One was sealed with a key that is not here, or as another line; the message names it.
    """
    found = []
    for number, body in enumerate(bodies, 2):
        try:
            found.append(envelope.open(number, {**body, "layer": layer}))
        except IntegrityError as error:
            msg = f"line {number} of {str(path)!r} does not open for whose it is to be: {error}"
            raise IntegrityError(msg) from error
        except (ValueError, RecursionError) as error:
            raise damaged(path, number, str(error)) from error
    return found


def damaged(path: Path, number: int, what: str) -> IntegrityError:
    """Return the error that names a line which is not as it was written."""
    return IntegrityError(f"line {number} of {str(path)!r} is damaged: {what}; export it again")


def of_version(path: Path, found: object, *known: int) -> ConfigurationError:
    """Return the error of a file that another release wrote."""
    read = f"version{'s' if len(known) > 1 else ''} {' and '.join(map(str, known))}"
    msg = f"{str(path)!r} is of version {found!r}, this release reads {read}; upgrade it"
    return ConfigurationError(msg)


def of_file(path: Path, done: str, error: Exception) -> StorageError:
    """Return the error of a file that cannot be read or written."""
    otherwise = f"({type(error).__name__}); check the path and its permissions"
    return failure_of(repr(str(path)), done, error, otherwise)
