"""A thread said otherwise: what its messages and values say is changed where it stands, and it stays the same thread.

Items keep their numbers, so that every checkpoint that holds one holds it in its new words, and headers need not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from langchain_agentmem.checkpoints.base import CheckpointRow, Inventory, Item, Key, Removal, WriteRow
from langchain_agentmem.checkpoints.content import Codec
from langchain_agentmem.checkpoints.envelope import SEGMENT, content_of
from langchain_agentmem.checkpoints.header import Header, pack_header
from langchain_agentmem.checkpoints.inventory import Stock
from langchain_agentmem.checkpoints.ranges import merged
from langchain_agentmem.checkpoints.refs import reworded
from langchain_agentmem.checkpoints.sealing import Seal

AT_ONCE: Final = 500
"""Items asked for at a time."""


class Wording(NamedTuple):
    """Says what is stored otherwise, or as it is.

    Attributes:
        content: Of a value: its kind, and what a serializer made of it.
        metadata: Of a checkpoint.
    """

    content: Callable[[bytes], bytes]
    metadata: Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Reword:
    """Puts other words in the place of what a thread says; a plan that removes nothing.

    Args:
        seal: Of the thread.
        codec: How headers are read.
        wording: Says it.
        is_dry: Whether everything is only looked at.
    """

    def __init__(self, seal: Seal, codec: Codec, wording: Wording, *, is_dry: bool) -> None:
        self._seal = seal
        self._codec = codec
        self._wording = wording
        self._is_dry = is_dry

    def take_inventory(self, inventory: Inventory) -> None:
        """Look at headers and writes."""
        self._items: list[Item] = []
        self._left = sorted(inventory.numbers)
        stock = Stock(self._seal, self._codec, inventory)
        rows = {key: self._checkpoint(row, stock.headers[key]) for key, row in stock.rows.items()}
        self._checkpoints: dict[Key, CheckpointRow] = {key: row for key, row in rows.items() if row is not None}
        writes = map(self._write, stock.writes)
        self._writes = [row for row in writes if row is not None]

    def wants(self) -> Sequence[range]:
        """Want every item, some after the other."""
        some, self._left = self._left[:AT_ONCE], self._left[AT_ONCE:]
        return merged((no, 1) for no in some)

    def take_items(self, items: Sequence[tuple[int, bytes]]) -> None:
        """Look at what they say."""
        for no, stored in self._seal.open_items(items).items():
            content = self._unwrapped(stored, f"item {no}")
            made = content if content[:1] == bytes((SEGMENT,)) else self._wording.content(content)
            if made != content:
                digest = self._seal.cipher.fingerprint(made)
                self._items.append(Item(no, digest, self._seal.item(no, made)))

    def removal(self) -> Removal | None:
        """Return what stands there from now on."""
        if self._is_dry or not (self._items or self._checkpoints or self._writes):
            return None
        return Removal(replaced=self._checkpoints, reworded=self._items, reworded_writes=self._writes)

    def _checkpoint(self, row: CheckpointRow, header: Header) -> CheckpointRow | None:
        refs = {channel: self._ref(ref, f"checkpoint {row.id!r}") for channel, ref in header.refs.items()}
        metadata = self._wording.metadata(header.metadata)
        if refs == header.refs and metadata == header.metadata:
            return None
        packed = pack_header(header._replace(refs=refs, metadata=metadata), self._codec)
        return self._seal.checkpoint(row._replace(header=packed))

    def _write(self, row: WriteRow) -> WriteRow | None:
        packed = self._seal.open_write(row)
        made = self._ref(packed, f"checkpoint {row.checkpoint_id!r}")
        return None if made == packed else self._seal.write(row._replace(value=made))

    def _ref(self, packed: bytes, what: str) -> bytes:
        try:
            return reworded(packed, self._wording.content)
        except (ValueError, IndexError) as error:
            raise self._seal.damaged(what) from error

    def _unwrapped(self, stored: bytes, what: str) -> bytes:
        try:
            return content_of(stored)
        except ValueError as error:
            raise self._seal.damaged(what) from error
