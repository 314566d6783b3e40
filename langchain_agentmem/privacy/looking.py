"""A look through an export from end to end: what is wrong with it is named by the line, before anything is written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import blake2b, sha256
from typing import Any, Final, NamedTuple

from langchain_agentmem.errors import AgentMemError, IntegrityError
from langchain_agentmem.privacy.layers import Record
from langchain_agentmem.privacy.lines import (
    BATCH_BYTES,
    BATCH_LINES,
    CUT,
    FIRST,
    FORMAT,
    NO_HEADER,
    Form,
    Found,
    Raw,
    Segment,
    load,
    raw_lines,
    unreadable,
)
from langchain_agentmem.transfer.envelope import END, HEADER, Envelope
from langchain_agentmem.transfer.lines import Seal
from langchain_agentmem.transfer.sealed import damaged
from langchain_agentmem.types import Scope

_RECORD: Final = frozenset({"layer", "id", "data"})
_ID_BYTES: Final = 8
"""Of the digest by which an id is known again: two of a million are the same with a chance below 10^-7."""

WRONG: Final = (AgentMemError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RecursionError)
"""What reading a record raises that is none."""


class Expect(NamedTuple):
    """What a file is held against.

    Attributes:
        whose: Raises where it is another user's.
        layer: Returns what looks at a record of a layer, and raises where that is not known.
        grouped: Layers of which no segment has records of two ids.
    """

    whose: Callable[[Scope], None] = lambda _: None
    layer: Callable[[str], Callable[[Record], None]] = lambda _: lambda _: None
    grouped: Callable[[str], bool] = lambda _: False


def look_through(form: Form, envelope: Envelope | None, expect: Expect) -> Found:
    """Return what a file holds, after every line of it was looked at.

    Args:
        form: Of the file.
        envelope: Opens lines that are sealed; without one they are only held against their digests.
        expect: What else it is held against.

    Raises:
        ConfigurationError: A later release wrote it, or the export has a layer that is not known.
        IntegrityError: It is damaged; the message names the line.
        ScopeError: It is another user's.
        StorageError: It cannot be read.
    """
    look, before = _Look(form, envelope, expect), None
    for raw in raw_lines(form.path):
        if before is not None:
            look.line(before)
        before = raw
    if before is None or before.number == 1:
        raise damaged(form.path, 1 if before is None else 2, CUT)
    return look.found(before)


class _Look:
    """One look through a file."""

    def __init__(self, form: Form, envelope: Envelope | None, expect: Expect) -> None:
        self._form, self._envelope, self._expect = form, envelope, expect
        self._seal, self._digest = Seal(), sha256()
        self._scope: Scope | None = None
        self._at: datetime | None = None
        self._told: object = None
        self._counts: Counter[str] = Counter()
        self._seen: set[bytes] = set()
        self._segments: list[Segment] = []
        self._growing: _Growing | None = None

    def line(self, raw: Raw) -> None:
        """Look at a line that is not the last."""
        said = self._said(raw)
        self._digest.update(raw.data)
        if self._form.is_sealed and raw.number == 1:
            return
        if self._form.is_sealed and self._envelope is None:
            self._unopened(raw.number, said.get("layer"))
            return
        body = self._opened(raw.number, said)
        if self._scope is None:
            self._headed(raw.number, body)
        else:
            self._record(raw, said, body)

    def found(self, last: Raw) -> Found:
        """Look at the last line."""
        self._end(last)
        self._cut_off()
        if self._scope is None and (self._envelope is not None or not self._form.is_sealed):
            raise damaged(self._form.path, last.number, NO_HEADER)
        return Found(
            form=self._form,
            sha256=self._digest.hexdigest(),
            scope=self._scope,
            at=self._at,
            counts=self._told if isinstance(self._told, dict) else self._counts,
            segments=tuple(self._segments),
            envelope=self._envelope,
        )

    # ----------------------------------------------------------------------------------------------------------- lines
    def _said(self, raw: Raw) -> dict[str, Any]:
        """Return what stands in a line, after it was held against its digest."""
        if self._form.version == FIRST:
            return load(self._form.path, raw)
        try:
            return self._seal.open(raw.data)
        except ValueError as error:
            raise damaged(self._form.path, raw.number, str(error)) from error
        except RecursionError as error:
            raise damaged(self._form.path, raw.number, "it is nested too deeply") from error

    def _opened(self, number: int, said: dict[str, Any]) -> dict[str, Any]:
        if self._envelope is None:
            return said
        try:
            return self._envelope.open(number, said)
        except IntegrityError as error:
            msg = f"line {number} of {str(self._form.path)!r} does not open for the user that scope= names: {error}"
            raise IntegrityError(msg) from error
        except (ValueError, RecursionError) as error:
            raise damaged(self._form.path, number, str(error)) from error

    def _unopened(self, number: int, layer: object) -> None:
        """Count a line by the layer that it names in the clear."""
        if not isinstance(layer, str):
            raise damaged(self._form.path, number, "it is no sealed line")
        if layer != HEADER:
            self._counts[layer] += 1

    def _headed(self, number: int, header: Mapping[str, Any]) -> None:
        path = self._form.path
        if header.get("format") != FORMAT or header.get("version") != self._form.version:
            raise damaged(path, number, NO_HEADER)
        try:
            subject, self._at = header["subject"], datetime.fromisoformat(header["exported_at"])
            self._scope = Scope(subject["user_id"], tenant_id=subject["tenant_id"])
            self._told = header["counts"] if self._form.version == FIRST else None
        except (AttributeError, KeyError, TypeError, ValueError, AgentMemError) as error:
            raise damaged(path, number, f"{NO_HEADER} ({type(error).__name__})") from error
        self._expect.whose(self._scope)

    def _record(self, raw: Raw, said: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        layer, id_, data = body.get("layer"), body.get("id"), body.get("data")
        is_record = isinstance(id_, str) and isinstance(data, dict) and body.keys() == _RECORD
        if not isinstance(layer, str) or not is_record or said["layer"] != layer:
            raise damaged(self._form.path, raw.number, "it is no record of a layer")
        record = Record(str(id_), body["data"], raw.number)
        look = self._expect.layer(layer)
        self._once(layer, record)
        try:
            look(record)
        except WRONG as error:
            raise unreadable(self._form.path, raw.number, layer, error) from error
        self._counts[layer] += 1
        self._add(layer, raw, record.id if self._expect.grouped(layer) else "")

    def _once(self, layer: str, record: Record) -> None:
        """See that no line says again what another one said."""
        name = json.dumps([layer, record.id, record.data.get("part")]).encode()
        known = blake2b(name, digest_size=_ID_BYTES).digest()
        if known in self._seen:
            raise damaged(self._form.path, record.line, f"its record of layer {layer!r} stands in a line before it")
        self._seen.add(known)

    # ------------------------------------------------------------------------------------------------------------- end
    def _end(self, raw: Raw) -> None:
        path, said = self._form.path, self._said(raw)
        whole = {"lines": raw.number - 1, "sha256": self._digest.hexdigest()}
        if "sha256" not in said:
            raise damaged(path, raw.number + 1, CUT)
        if any(said.get(name) != value for name, value in whole.items()):
            raise damaged(path, raw.number, "its digest is not that of the lines before it")
        if self._form.is_sealed and self._envelope is None:
            return
        if self._form.version != FIRST:
            if self._form.is_sealed and said.get("layer") != END:
                raise damaged(path, raw.number + 1, CUT)
            self._told = self._opened(raw.number, said).get("counts")
        if not isinstance(self._told, dict) or {name: n for name, n in self._told.items() if n} != self._counts:
            raise damaged(path, raw.number, "it counts other records than there are")

    # ------------------------------------------------------------------------------------------------------- segments
    def _add(self, layer: str, raw: Raw, id_: str) -> None:
        if self._growing is None or not self._growing.takes(layer, raw, id_):
            self._cut_off()
            self._growing = _Growing(layer, raw, id_)
        self._growing.add(raw)

    def _cut_off(self) -> None:
        if self._growing is not None:
            self._segments.append(self._growing.segment())
            self._growing = None


class _Growing:
    """A segment while lines are added to it."""

    def __init__(self, layer: str, first: Raw, id_: str) -> None:
        self._layer, self._first, self._id = layer, first, id_
        self._lines, self._size, self._digest = 0, 0, sha256()

    def takes(self, layer: str, raw: Raw, id_: str) -> bool:
        """Whether a line is of these, and there is room for it."""
        is_of_these = (layer, id_) == (self._layer, self._id) and raw.offset == self._first.offset + self._size
        return is_of_these and self._lines < BATCH_LINES and self._size + len(raw.data) <= BATCH_BYTES

    def add(self, raw: Raw) -> None:
        """Add a line."""
        self._lines += 1
        self._size += len(raw.data)
        self._digest.update(raw.data)

    def segment(self) -> Segment:
        """Return all of them."""
        first = self._first
        return Segment(self._layer, first.number, first.offset, self._size, self._digest.digest(), self._id)
