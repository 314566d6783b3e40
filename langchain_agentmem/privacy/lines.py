"""An export as JSON lines: a header, a line per record, and at the end a digest of all lines before.

```
{"format": "langchain-agentmem/subject", "version": 1, "subject": {…}, "exported_at": "…", "counts": {"memories": 2, …}}
{"layer": "memories", "id": "…", "data": {…}}
…
{"lines": 3, "sha256": "…"}
```
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from langchain_agentmem.errors import AgentMemError
from langchain_agentmem.privacy.layers import Record
from langchain_agentmem.transfer.sealed import damaged, of_file, of_version
from langchain_agentmem.types import Scope

FORMAT: Final = "langchain-agentmem/subject"
VERSION: Final = 1
_RECORD: Final = frozenset({"layer", "id", "data"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """An export whose lines are whole, and as they were written."""

    scope: Scope
    at: datetime
    records: Mapping[str, Sequence[Record]]
    sha256: str

    @property
    def counts(self) -> dict[str, int]:
        """Return how many records each layer has."""
        return {name: len(records) for name, records in self.records.items()}


def write(scope: Scope, at: datetime, records: Mapping[str, Sequence[Record]]) -> tuple[list[bytes], str]:
    """Return the lines of an export, and the digest that the last one says."""
    digest, lines = sha256(), list[bytes]()
    for body in _bodies(scope, at, records):
        line = _dump(body)
        digest.update(line)
        lines.append(line)
    lines.append(_dump({"lines": len(lines), "sha256": digest.hexdigest()}))
    return lines, digest.hexdigest()


def read(path: Path) -> Lines:
    """Return what a file holds, after every line of it was checked.

    Raises:
        ConfigurationError: A later release wrote it.
        IntegrityError: It is damaged; the message names the line.
        StorageError: It cannot be read.
    """
    try:
        raw = path.read_bytes().splitlines(keepends=True)
    except (OSError, ValueError) as error:
        raise of_file(path, "read", error) from error
    if len(raw) < 2:  # noqa: PLR2004  (a header and an end)
        raise damaged(path, len(raw) + 1, "it is missing: the file was cut off")
    found = sha256(b"".join(raw[:-1])).hexdigest()
    if raw[-1].rstrip() != _dump({"lines": len(raw) - 1, "sha256": found}).rstrip():
        raise damaged(path, len(raw), "its digest is not that of the lines before it")
    header = _load(path, 1, raw[0])
    scope, at = _header(path, header)
    records: dict[str, list[Record]] = {name: [] for name in header["counts"]}
    for number, line in enumerate(raw[1:-1], 2):
        _take(path, number, _load(path, number, line), records)
    lines = Lines(scope=scope, at=at, records=records, sha256=found)
    if lines.counts != header["counts"]:
        raise damaged(path, 1, "it counts other records than there are")
    return lines


def _bodies(scope: Scope, at: datetime, records: Mapping[str, Sequence[Record]]) -> Iterator[Mapping[str, Any]]:
    subject = {"tenant_id": scope.tenant_id, "user_id": scope.user_id}
    counts = {name: len(found) for name, found in records.items()}
    head = {"format": FORMAT, "version": VERSION, "subject": subject}
    yield {**head, "exported_at": at.isoformat(), "counts": counts}
    for name, found in records.items():
        for record in found:
            yield {"layer": name, "id": record.id, "data": record.data}


def _dump(body: Mapping[str, Any]) -> bytes:
    """Return one line; only JSON's own line breaks can stand in text, which it escapes."""
    return json.dumps(body, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


def _load(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        body = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise damaged(path, number, "it is no JSON") from error
    if not isinstance(body, dict):
        raise damaged(path, number, "it is no JSON object")
    return body


def _header(path: Path, header: Mapping[str, Any]) -> tuple[Scope, datetime]:
    if header.get("format") != FORMAT or "version" not in header:
        raise damaged(path, 1, "it is no header of an exported user")
    if header["version"] != VERSION:
        raise of_version(path, header["version"], VERSION)
    try:
        subject, at = header["subject"], datetime.fromisoformat(header["exported_at"])
        counts = {str(name): int(count) for name, count in header["counts"].items()}
        scope = Scope(subject["user_id"], tenant_id=subject["tenant_id"])
    except (AttributeError, KeyError, TypeError, ValueError, AgentMemError) as error:
        raise damaged(path, 1, f"it is no header of an exported user ({type(error).__name__})") from error
    if counts != header["counts"]:
        raise damaged(path, 1, "a count is no number")
    return scope, at


def _take(path: Path, number: int, body: Mapping[str, Any], records: Mapping[str, list[Record]]) -> None:
    layer, id_, data = body.get("layer"), body.get("id"), body.get("data")
    is_record = isinstance(id_, str) and isinstance(data, dict) and body.keys() == _RECORD
    if not isinstance(layer, str) or layer not in records or not is_record:
        raise damaged(path, number, "it is no record of a layer that the header counts")
    records[layer].append(Record(str(id_), body["data"]))
