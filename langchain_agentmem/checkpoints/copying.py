"""Copying a thread: the same content under numbers of its own, sealed for its new place, in one change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from langchain_agentmem.checkpoints.base import Change, CheckpointRow, Inventory, Key, Removal, ThreadState, WriteRow
from langchain_agentmem.checkpoints.content import Codec
from langchain_agentmem.checkpoints.drafts import Numbers, ThreadDraft
from langchain_agentmem.checkpoints.envelope import content_of
from langchain_agentmem.checkpoints.gathering import Gathering
from langchain_agentmem.checkpoints.header import pack_header
from langchain_agentmem.checkpoints.inventory import Stock
from langchain_agentmem.checkpoints.known import Outline
from langchain_agentmem.checkpoints.labels import label_of_writes, labels_of
from langchain_agentmem.checkpoints.ranges import to_numbers
from langchain_agentmem.checkpoints.refs import (
    Fields,
    FieldsRef,
    Inline,
    InlineRef,
    ItemRef,
    ListRef,
    Pieces,
    Ref,
    Shape,
    Snapshot,
    SnapshotRef,
    Whole,
    sign,
    signature,
    write_ref,
)
from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.errors import ConfigurationError


class Reading:
    """A plan that removes nothing: it takes in a whole thread at one moment."""

    def __init__(self, seal: Seal, codec: Codec) -> None:
        self.seal = seal
        self._codec = codec

    def take_inventory(self, inventory: Inventory) -> None:
        """Take the rows."""
        self.stock = Stock(self.seal, self._codec, inventory)
        self._gathering = Gathering(self.seal)
        self._digests: dict[int, bytes] = {}
        self._refs = {
            key: {channel: self._gathering.add(ref, f"checkpoint {key[1]!r}") for channel, ref in header.refs.items()}
            for key, header in self.stock.headers.items()
        }
        rows = [it for it in self.stock.writes if (it.ns, it.checkpoint_id) in self.stock.rows]
        opened = [(it, self.seal.open_write(it)) for it in rows]
        self._writes = [
            (it._replace(value=signature(packed)), self._gathering.add(packed, f"task {it.task_id!r}"))
            for it, packed in opened
        ]

    def wants(self) -> Sequence[range]:
        """Want everything that is referred to."""
        return self._gathering.wants()

    def take_items(self, items: Sequence[tuple[int, bytes]]) -> None:
        """Take it."""
        self._gathering.take(items)

    def removal(self) -> Removal:
        """Remove nothing.

        Raises:
            MissingItemsError: Something that is referred to is not there.
        """
        self._gathering.finish()
        return Removal()

    def shapes(self) -> Mapping[Key, Mapping[str, Shape]]:
        """Return the values of all checkpoints."""
        return {key: {channel: self._shape(ref) for channel, ref in refs.items()} for key, refs in self._refs.items()}

    def writes(self) -> list[tuple[WriteRow, Shape]]:
        """Return all writes, each with the mark of its run in place of the value."""
        return [(row, self._shape(ref)) for row, ref in self._writes]

    def _shape(self, ref: Ref) -> Shape:
        match ref:
            case InlineRef(content):
                return Inline(content)
            case ItemRef(no):
                return Whole(self._digest(no), self._content(no))
            case ListRef(listed):
                numbers = to_numbers(listed.runs)
                return Pieces(list(map(self._digest, numbers)), lambda place: self._content(numbers[place]))
            case SnapshotRef(inner):
                return Snapshot(self._shape(inner))
            case FieldsRef(fields):
                return Fields([(key, self._shape(inner)) for key, inner in fields])

    def _content(self, no: int) -> bytes:
        return content_of(self._gathering.stored[no])

    def _digest(self, no: int) -> bytes:
        if no not in self._digests:
            self._digests[no] = self.seal.cipher.fingerprint(self._content(no))
        return self._digests[no]


@dataclass(kw_only=True)
class CopyDraft(ThreadDraft):
    """A whole thread, as it was read from another one."""

    source: Reading
    codec: Codec
    shapes: Mapping[Key, Mapping[str, Shape]] = field(init=False)
    copied: Sequence[tuple[WriteRow, Shape]] = field(init=False)

    def __post_init__(self) -> None:
        """Take the content over before the transaction begins."""
        self.shapes, self.copied = self.source.shapes(), self.source.writes()

    def namespaces(self) -> Sequence[str]:
        """Return those of the source."""
        return sorted({ns for ns, _ in self.source.stock.rows} | {""})

    def rows(self, state: ThreadState, numbers: Numbers) -> tuple[Change, Sequence[tuple[Key, Outline]]]:
        """Return everything.

        Raises:
            ConfigurationError: The target is not empty.
        """
        if state.heads or state.next_no > 1:
            msg = f"thread {self.seal.thread_id!r} is there already; copy to a thread id that is not in use"
            raise ConfigurationError(msg)
        stock = self.source.stock
        change = Change(
            checkpoints=[self._checkpoint(key, numbers) for key in sorted(stock.rows, key=lambda it: it[1])],
            writes=[self._write(row, shape, numbers) for row, shape in self.copied],
            heads=dict(stock.state.heads),
            labels=self._labels(),
        )
        return change, ()

    def _write(self, row: WriteRow, shape: Shape, numbers: Numbers) -> WriteRow:
        return self.seal.write(row._replace(value=sign(write_ref(shape, numbers), row.value)))

    def _checkpoint(self, key: Key, numbers: Numbers) -> CheckpointRow:
        row, header = self.source.stock.rows[key], self.source.stock.headers[key]
        refs = {channel: write_ref(shape, numbers) for channel, shape in self.shapes[key].items()}
        packed = pack_header(header._replace(refs=refs), self.codec)
        return self.seal.checkpoint(row._replace(header=packed))

    def _labels(self) -> frozenset[bytes]:
        fingerprint = self.seal.cipher.fingerprint
        every = (labels_of(it.metadata, fingerprint) for it in self.source.stock.headers.values())
        marks = {row.value for row, _ in self.copied if row.value}
        return frozenset(label_of_writes(it, fingerprint) for it in marks).union(*every)
