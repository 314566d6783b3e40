"""Which committed files were not yet written into the working tree.

It is noted before a commit moves HEAD, for who comes after a process that was killed in between.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from langchain_agentmem.procedural.files import stamp_of

PENDING_FILE: Final = "agentmem.pending"
"""Beside the working tree's HEAD."""


@dataclass(frozen=True, slots=True)
class Pending:
    """Notes of commits that have not come to write their file. Writes happen under the lock of committing.

    A note counts while HEAD has what it was about to write and nobody has touched the file since: what somebody checks
    out or edits afterwards is theirs, and counts.

    Args:
        control: The folder of git beside the working tree.
    """

    control: Path

    def note(self, path: str, blob_id: bytes, full: Path) -> None:
        """Note that a file is going to be what `blob_id` names, and how it stands until then."""
        self._write({**self._read(), path: [blob_id.decode(), *stamp_of(full)]})

    def done(self, path: str) -> None:
        """Take the note back: the file was written."""
        self._write({known: note for known, note in self._read().items() if known != path})

    def left_behind(self, committed: Mapping[str, tuple[int, bytes]], root: Path) -> set[str]:
        """Return the files of which what is committed counts, and not what stands in the working tree."""
        return {
            path
            for path, (blob_id, *stamp) in self._read().items()
            if path in committed and committed[path][1].decode() == blob_id and stamp == [*stamp_of(root / path)]
        }

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads((self.control / PENDING_FILE).read_bytes())
        except (FileNotFoundError, ValueError):
            return {}
        return {path: note for path, note in found.items() if isinstance(note, list) and note}

    def _write(self, notes: Mapping[str, Any]) -> None:
        file = self.control / PENDING_FILE
        if not notes:
            file.unlink(missing_ok=True)
            return
        part = file.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps(notes), encoding="utf-8")
        part.replace(file)
