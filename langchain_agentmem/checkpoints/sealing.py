"""The rows of one thread, sealed: each is bound to its place, so that none can be moved to another."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from json.encoder import encode_basestring_ascii
from typing import Final

from langchain_agentmem._checksums import CHECKSUM_BYTES, INTACT, add_checksum, begin
from langchain_agentmem.checkpoints.base import CheckpointRow, WriteRow
from langchain_agentmem.checkpoints.envelope import close
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.types.scope import Owner
from langchain_agentmem.vault.base import Cipher, NullCipher

_REMEDY: Final = "restore the database from a backup, or delete the thread"


class Seal:
    """Seals and opens rows of one thread.

    Args:
        cipher: The owner's.
        thread_id: Which thread; part of each row's identity.
        owner: Whose cipher it is; `None`: everybody's.
    """

    __slots__ = ("_is_plain", "_items", "cipher", "owner", "thread_id")

    def __init__(self, cipher: Cipher, thread_id: str, owner: Owner | None = None) -> None:
        self.cipher = cipher
        self.thread_id = thread_id
        self.owner = owner
        self._is_plain = type(cipher) is NullCipher  # a thousand calls that change nothing cost as much as the reading
        self._items = begin(self.identity("item"))

    def item(self, no: int, content: bytes) -> bytes:
        """Return an item as it is stored; its checksum is about its number and thread too."""
        stored = close(content, self._items ^ no)
        return stored if self._is_plain else self.cipher.seal(stored, self.identity("item", no))

    def open_items(self, items: Sequence[tuple[int, bytes]]) -> dict[int, bytes]:
        """Return what is stored of items, intact, by their numbers.

        Those of earlier releases have checksums of their content alone: without a vault nothing tells that one of
        those stands at the place of another.

        Raises:
            IntegrityError: One of them was damaged or moved.
        """
        if self._is_plain:
            opened = dict(items)
        else:
            opened = {no: self.cipher.open(sealed, self.identity("item", no)) for no, sealed in items}
        crc32, start = zlib.crc32, self._items
        try:
            for no, stored in opened.items():
                if crc32(stored, start ^ no) != INTACT and crc32(stored) != INTACT:
                    what = f"item {no}"
                    raise self.damaged(what)
        except TypeError as error:  # SQLite lets text stand where bytes should
            what = f"item {no}"
            raise self.damaged(what) from error
        return opened

    def checkpoint(self, row: CheckpointRow) -> CheckpointRow:
        """Return a checkpoint as it is stored; its parent is part of what is sealed."""
        return row._replace(header=self._close(row.header, "checkpoint", row.ns, row.id, row.parent_id))

    def open_header(self, row: CheckpointRow) -> bytes:
        """Return the header of a row.

        Raises:
            IntegrityError: It was damaged or moved, or has another parent than it was put on.
        """
        place = ("checkpoint", row.ns, row.id)
        try:
            return self._open(row, *place, row.parent_id)
        except IntegrityError as error:
            try:
                return self._open(row, *place)  # as it was sealed before the parent was part of it
            except IntegrityError:
                raise error from None

    def write(self, row: WriteRow) -> WriteRow:
        """Return a write as it is stored."""
        return WriteRow(*row[:-1], self._close(row.value, *_place(row)))

    def open_write(self, row: WriteRow) -> bytes:
        """Return the value of a write.

        Raises:
            IntegrityError: It was damaged or moved.
        """
        return self._open(row, *_place(row))

    def damaged(self, what: str, ns: str = "") -> IntegrityError:
        """Return the error for a row of this thread, or of a namespace of it, that cannot be read."""
        place = f"namespace {ns!r} of " if ns else ""
        return IntegrityError(f"{what} of {place}thread {self.thread_id!r} is damaged; {_REMEDY}")

    def unreadable(self, what: str, why: str) -> IntegrityError:
        """Return the error for a row of this thread that its serializer cannot read; the row itself may be whole."""
        msg = f"{what} of thread {self.thread_id!r} cannot be read ({why}); open it with the serde that wrote it"
        return IntegrityError(f"{msg}, and where that cannot read it either, {_REMEDY}")

    def headless(self, ns: str, head: str) -> IntegrityError:
        """Return the error for a namespace whose head is not there; taken for empty, it would be begun anew."""
        place = f"thread {self.thread_id!r}" + (f", namespace {ns!r}" if ns else "")
        return IntegrityError(f"checkpoint {head!r}, the head of {place}, is missing; {_REMEDY}")

    def identity(self, *place: object) -> str:
        """Return what a row of the thread is sealed as."""
        parts = [encode_basestring_ascii(it) if isinstance(it, str) else str(it) for it in (self.thread_id, *place)]
        return f"[{', '.join(parts)}]"  # as `json.dumps` writes it, which sets up an encoder each time

    def _close(self, plain: bytes, *place: object) -> bytes:
        """Return a row as it is stored; its checksum is about its place too, for which a cipher is not needed."""
        identity = self.identity(*place)
        stored = add_checksum(plain, begin(identity))
        return stored if self._is_plain else self.cipher.seal(stored, identity)

    def _open(self, row: CheckpointRow | WriteRow, *place: object) -> bytes:
        sealed, identity = row[-1], self.identity(*place)
        if type(sealed) is not bytes:  # SQLite lets text stand there
            raise self.damaged(_name(row), row.ns)
        stored = sealed if self._is_plain else self.cipher.open(sealed, identity)
        if zlib.crc32(stored, begin(identity)) != INTACT:
            raise self.damaged(_name(row), row.ns)
        return stored[:-CHECKSUM_BYTES]


def _place(row: WriteRow) -> tuple[object, ...]:
    return "write", row.ns, row.checkpoint_id, row.task_id, row.idx, row.task_path, row.channel


def _name(row: CheckpointRow | WriteRow) -> str:
    return f"write {row.idx} of task {row.task_id!r}" if isinstance(row, WriteRow) else f"checkpoint {row.id!r}"
