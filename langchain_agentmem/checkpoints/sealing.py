"""The rows of one thread, sealed: each is bound to its place, so that none can be moved to another."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Final

from langchain_agentmem.checkpoints.base import CheckpointRow, WriteRow
from langchain_agentmem.checkpoints.envelope import CHECKSUM_BYTES, INTACT, close, is_intact
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.vault.base import Cipher, NullCipher

_REMEDY: Final = "restore the database from a backup, or delete the thread"


class Seal:
    """Seals and opens rows of one thread.

    Args:
        cipher: The owner's.
        thread_id: Which thread; part of each row's identity.
    """

    __slots__ = ("_is_plain", "cipher", "thread_id")

    def __init__(self, cipher: Cipher, thread_id: str) -> None:
        self.cipher = cipher
        self.thread_id = thread_id
        self._is_plain = type(cipher) is NullCipher  # a thousand calls that change nothing cost as much as the reading

    def item(self, no: int, content: bytes) -> bytes:
        """Return an item as it is stored."""
        stored = close(content)
        return stored if self._is_plain else self.cipher.seal(stored, self._identity("item", no))

    def open_items(self, items: Sequence[tuple[int, bytes]]) -> dict[int, bytes]:
        """Return what is stored of items, intact, by their numbers.

        Raises:
            IntegrityError: One of them was damaged or moved.
        """
        if self._is_plain:
            opened = dict(items)
        else:
            opened = {no: self.cipher.open(sealed, self._identity("item", no)) for no, sealed in items}
        for no, stored in opened.items():
            if zlib.crc32(stored) != INTACT:
                what = f"item {no}"
                raise self.damaged(what)
        return opened

    def header(self, ns: str, checkpoint_id: str, plain: bytes) -> bytes:
        """Return a checkpoint's header as it is stored."""
        return self._close(plain, "checkpoint", ns, checkpoint_id)

    def open_header(self, row: CheckpointRow) -> bytes:
        """Return the header of a row.

        Raises:
            IntegrityError: It was damaged or moved.
        """
        return self._open(row.header, "checkpoint", row.ns, row.id)

    def write(self, row: WriteRow) -> WriteRow:
        """Return a write as it is stored."""
        return row._replace(value=self._close(row.value, *_place(row)))

    def open_write(self, row: WriteRow) -> bytes:
        """Return the value of a write.

        Raises:
            IntegrityError: It was damaged or moved.
        """
        return self._open(row.value, *_place(row))

    def damaged(self, what: str) -> IntegrityError:
        """Return the error for a row of this thread that cannot be read."""
        return IntegrityError(f"{what} of thread {self.thread_id!r} is damaged; {_REMEDY}")

    def _close(self, plain: bytes, *place: object) -> bytes:
        stored = plain + zlib.crc32(plain).to_bytes(CHECKSUM_BYTES, "little")
        return stored if self._is_plain else self.cipher.seal(stored, self._identity(*place))

    def _open(self, sealed: bytes, *place: object) -> bytes:
        stored = sealed if self._is_plain else self.cipher.open(sealed, self._identity(*place))
        if not is_intact(stored):
            raise self.damaged(" ".join(map(str, place)))
        return stored[:-CHECKSUM_BYTES]

    def _identity(self, *place: object) -> str:
        return json.dumps([self.thread_id, *place])


def _place(row: WriteRow) -> tuple[object, ...]:
    return "write", row.ns, row.checkpoint_id, row.task_id, row.idx, row.task_path, row.channel
