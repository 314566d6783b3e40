"""An export as it is read: looked through from end to end, some lines in memory at a time, and then read again.

```
{"format": "langchain-agentmem/subject", "version": 2, "export": "…", "subject": {…}, "exported_at": "…", "digest": "…"}
{"layer": "memories", "id": "…", "data": {…}, "digest": "…"}
…
{"lines": 3, "counts": {"memories": 2, …}, "sha256": "…", "digest": "…"}
```

Each digest is of its line and of the digest before it. Sealed, a line in clear stands before these, and each of them
says `{"layer": "memories", "sealed": "…", "digest": "…"}` instead. Version 1 had counts in its header, and no digests
but the last line's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.privacy.layers import Record
from langchain_agentmem.transfer.envelope import SEALED, Envelope
from langchain_agentmem.transfer.lines import said_in
from langchain_agentmem.transfer.sealed import damaged, of_file, of_version
from langchain_agentmem.types import Scope

FORMAT: Final = "langchain-agentmem/subject"
VERSION: Final = 2
FIRST: Final = 1
"""The version that all lines of were read at once, and that had no digest in each."""

MAX_LINE_BYTES: Final = 1 << 28
"""A line that nobody writes: what says so much of one thing is written in parts."""

BATCH_LINES: Final = 200
BATCH_BYTES: Final = 1 << 18
"""Lines, or bytes of them, that are read at a time; one line is read whole in any case."""

NO_HEADER: Final = "it is no header of an exported user"
CUT: Final = "it is missing: the file was cut off"


class Raw(NamedTuple):
    """A line of a file."""

    number: int
    offset: int
    data: bytes


class Form(NamedTuple):
    """What the first line says of all others."""

    path: Path
    version: int
    is_sealed: bool
    export_id: str


class Segment(NamedTuple):
    """Some lines of one layer that stand one behind the other; `id`: that all of them have, if they are grouped."""

    layer: str
    number: int
    offset: int
    size: int
    digest: bytes
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An export whose lines are whole, and as they were written.

    Attributes:
        scope: Whose; `None`: it is sealed, and was not opened. So it is with `at`.
    """

    form: Form
    sha256: str
    scope: Scope | None = None
    at: datetime | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    segments: tuple[Segment, ...] = ()
    envelope: Envelope | None = None

    @property
    def export_id(self) -> str:
        """What it is known by: its id, or its digest where it is of version 1."""
        return self.form.export_id or self.sha256

    def records(self, are_wanted: Callable[[str], bool]) -> FileRecords:
        """Return the records of some layers."""
        return FileRecords(self, tuple(it for it in self.segments if are_wanted(it.layer)))


class FileRecords:
    """Records of a file that was looked through."""

    def __init__(self, found: Found, segments: tuple[Segment, ...]) -> None:
        """Nothing is read yet."""
        self.export_id = found.export_id
        self._found = found
        self._segments = segments

    def batches(self) -> Iterator[list[Record]]:
        """Return them in order, a segment at a time.

        Raises:
            IntegrityError: The file was changed since it was looked through.
        """
        path = self._found.form.path
        if not self._segments:
            return
        with opened(path) as file:
            for segment in self._segments:
                file.seek(segment.offset)
                data = file.read(segment.size)
                if sha256(data).digest() != segment.digest:
                    raise damaged(path, segment.number, "the file was changed while it was read")
                lines = enumerate(data.removesuffix(b"\n").split(b"\n"), start=segment.number)
                yield [self._record(number, line) for number, line in lines]

    def by_id(self) -> Iterator[tuple[str, FileRecords]]:
        """Return those of each id."""
        for name, segments in groupby(self._segments, key=lambda it: it.id):
            yield name, FileRecords(self._found, tuple(segments))

    def _record(self, number: int, line: bytes) -> Record:
        said, envelope = said_in(line), self._found.envelope
        body = said if envelope is None else envelope.open(number, said)
        return Record(body["id"], body["data"], number)


def form_of(path: Path) -> Form:
    """Return what the first line of a file says of it.

    Raises:
        ConfigurationError: Another release wrote it.
        IntegrityError: It is no export.
        StorageError: It cannot be read.
    """
    first = next(raw_lines(path), None)
    if first is None:
        raise damaged(path, 1, CUT)
    said = load(path, first)
    if said.get("format") not in {FORMAT, SEALED} or "version" not in said:
        raise damaged(path, 1, NO_HEADER)
    is_sealed, version = said["format"] == SEALED, said["version"]
    if type(version) is not int or version not in ({VERSION} if is_sealed else {FIRST, VERSION}):
        raise of_version(path, version, FIRST, VERSION)
    export_id = said.get("export", "")
    if not isinstance(export_id, str) or (is_sealed and not export_id):
        raise damaged(path, 1, NO_HEADER)
    return Form(path, version, is_sealed, export_id)


def raw_lines(path: Path) -> Iterator[Raw]:
    """Return the lines of a file, one after the other.

    Raises:
        IntegrityError: One is longer than any that is written.
        StorageError: It cannot be read.
    """
    offset = 0
    with opened(path) as file:
        number = 0
        while data := _line_of(path, file):
            number += 1
            if len(data) > MAX_LINE_BYTES:
                raise damaged(path, number, f"it has more than {MAX_LINE_BYTES} bytes")
            yield Raw(number, offset, data)
            offset += len(data)


def opened(path: Path) -> BinaryIO:
    """Return a file to read.

    Raises:
        StorageError: It cannot be opened.
    """
    try:
        return path.open("rb")
    except (OSError, ValueError) as error:  # ValueError: a path can hold no NUL
        raise of_file(path, "read", error) from error


def load(path: Path, raw: Raw) -> dict[str, Any]:
    """Return what a line says.

    Raises:
        IntegrityError: It is no JSON object.
    """
    try:
        return said_in(raw.data)
    except (ValueError, RecursionError) as error:
        raise damaged(path, raw.number, "it is no JSON object") from error


def unreadable(path: Path, number: int, layer: str, error: Exception) -> IntegrityError:
    """Return the error of a record that says what no export says; not with its words."""
    return damaged(path, number, f"its record of layer {layer!r} cannot be read ({type(error).__name__})")


def _line_of(path: Path, file: BinaryIO) -> bytes:
    try:
        return file.readline(MAX_LINE_BYTES + 1)
    except OSError as error:
        raise of_file(path, "read", error) from error
