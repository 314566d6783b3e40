"""An export as it is written: a header, a line per record, and an end that counts them, each as soon as it is known."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Protocol, TypeAlias

from langchain_agentmem._checks import given
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.privacy.layers import Record
from langchain_agentmem.privacy.lines import FORMAT, MAX_LINE_BYTES, VERSION
from langchain_agentmem.transfer.envelope import END, HEADER, Envelope
from langchain_agentmem.transfer.lines import Seal
from langchain_agentmem.transfer.sealed import NewFile
from langchain_agentmem.types import Scope

Target: TypeAlias = str | os.PathLike[str] | IO[Any] | None


class Sink(Protocol):
    """Takes lines."""

    def write(self, line: bytes) -> object:
        """Add a line."""
        ...


class Draft(Protocol):
    """Takes lines that count when they are all there."""

    def write(self, line: bytes) -> object:
        """Add a line."""
        ...

    def finish(self) -> None:
        """Let them count."""
        ...

    def discard(self) -> None:
        """Take back what was not finished, where that can be done."""
        ...


class _Given:
    """A file that somebody else opened, or the memory."""

    def __init__(self, file: IO[Any]) -> None:
        self._file = file

    def write(self, line: bytes) -> None:
        self._file.write(line.decode() if isinstance(self._file, io.TextIOBase) else line)

    def finish(self) -> None:
        """Nothing: it is theirs."""

    def discard(self) -> None:
        """Nothing: it is theirs."""


def draft_at(target: Target, held: io.BytesIO) -> Draft:
    """Return what writes to a target; `None`: into `held`."""
    if isinstance(target, str | os.PathLike):
        return NewFile(Path(target))
    return _Given(held if target is None else target)


def check_target(target: object) -> None:
    """Raise `ConfigurationError` unless an export can be written there."""
    if isinstance(target, str | os.PathLike):
        if Path(target).is_dir():
            msg = f"{str(target)!r} is a folder; name a file in it, for example {str(Path(target) / 'alice.jsonl')!r}"
            raise ConfigurationError(msg)
    elif target is not None and not hasattr(target, "write"):
        msg = f"path_or_file must be a path, a file or None, got {given(target)}; for example 'alice.jsonl'"
        raise ConfigurationError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What the header says."""

    scope: Scope
    at: datetime
    export_id: str

    @property
    def said(self) -> dict[str, Any]:
        """The header."""
        subject = {"tenant_id": self.scope.tenant_id, "user_id": self.scope.user_id}
        form = {"format": FORMAT, "version": VERSION, "export": self.export_id}
        return {**form, "subject": subject, "exported_at": self.at.isoformat()}


class Writing:
    """Writes an export, line by line.

    Args:
        sink: Takes the lines.
        envelope: Seals what they say; `None`: they can be read.
    """

    def __init__(self, sink: Sink, envelope: Envelope | None = None) -> None:
        """Nothing is written yet."""
        self.counts: Counter[str] = Counter()
        self._sink = sink
        self._envelope = envelope
        self._seal = Seal(is_ascii=True)
        self._digest = sha256()
        self._number = 0

    def begin(self, about: About) -> None:
        """Write the header."""
        if self._envelope is not None:
            self._put(self._envelope.clear_header(VERSION))
        self._say(HEADER, about.said)

    def records(self, layer: str, records: Sequence[Record]) -> None:
        """Write records of a layer.

        Raises:
            ConfigurationError: One is longer than what can be read again.
        """
        for record in records:
            self._say(layer, {"layer": layer, "id": record.id, "data": record.data})
        self.counts[layer] += len(records)

    def finish(self) -> str:
        """Write the end, and return the digest of all lines before it."""
        digest, lines = self._digest.hexdigest(), self._number
        said = {"lines": lines, "counts": dict(self.counts)}
        if self._envelope is None:
            self._put({**said, "sha256": digest})
        else:
            self._put({**self._envelope.close(lines + 1, END, said), "lines": lines, "sha256": digest})
        return digest

    def _say(self, layer: str, said: Mapping[str, Any]) -> None:
        self._put(said if self._envelope is None else self._envelope.close(self._number + 1, layer, said))

    def _put(self, body: Mapping[str, Any]) -> None:
        line = self._seal.close(body)
        if len(line) > MAX_LINE_BYTES:
            msg = f"line {self._number + 1} would have {len(line)} bytes, at most {MAX_LINE_BYTES} are read again"
            raise ConfigurationError(msg)
        self._number += 1
        self._digest.update(line)
        self._sink.write(line)
