"""A message as it is stored in the clear: with a checksum that is about its place too. A vault's seal needs none.

What earlier releases stored has none either, and begins with the name of a class: a byte that no name begins with tells
them apart.
"""

from __future__ import annotations

import zlib
from typing import Final

from langchain_agentmem._checksums import CHECKSUM_BYTES, INTACT, add_checksum
from langchain_agentmem.errors import IntegrityError

MARK: Final = b"\x01"


def close(plain: bytes, start: int) -> bytes:
    """Return a message as it is stored, with a checksum that begins at `start`."""
    return add_checksum(MARK + plain, start)


def open_stored(stored: bytes, start: int) -> bytes:
    """Return the message, in the form of this release or of earlier ones.

    Raises:
        IntegrityError: It was damaged, or is of another place.
    """
    if stored[:1] != MARK:
        return stored
    if zlib.crc32(stored, start) != INTACT:
        msg = "the checksum of a stored message does not fit"
        raise IntegrityError(msg)
    return stored[1:-CHECKSUM_BYTES]


def content_of(stored: bytes) -> bytes:
    """Return the message without looking at its checksum, if it has one."""
    return stored[1:-CHECKSUM_BYTES] if stored[:1] == MARK else stored


def damaged(message_id: str, session_id: str) -> IntegrityError:
    """Return the error for a message of a conversation that cannot be read."""
    msg = f"message {message_id!r} of session {session_id!r} is damaged"
    return IntegrityError(f"{msg}; restore the database from a backup, or clear the session")
