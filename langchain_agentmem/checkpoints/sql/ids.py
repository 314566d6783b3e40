"""Ids of checkpoints and tasks as bytes: 17 for a UUID, whose text takes 36.

Packed ids of UUIDs are in the order of their text, and so are all others among themselves. Where a thread has both
kinds, UUIDs come first.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.errors import IntegrityError

_UUID: Final = b"\x01"
_TEXT: Final = b"\x02"
_UUID_CHARS: Final = 36
_RECENT: Final = 1_024
"""Ids kept: a head, a parent and a task are asked for again in the next call."""

_is_canonical: Final = lazy_pattern("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").fullmatch


@lru_cache(maxsize=_RECENT)
def pack(text: str) -> bytes:
    """Return the bytes of an id; only a UUID that is written as `str(UUID)` does is shortened."""
    if len(text) == _UUID_CHARS and _is_canonical(text):
        return _UUID + bytes.fromhex(text.replace("-", ""))
    return _TEXT + text.encode()


@lru_cache(maxsize=_RECENT)
def unpack(packed: bytes) -> str:
    """Return the id of these bytes; what is damaged no checksum fits.

    Raises:
        IntegrityError: They are no bytes: SQLite lets anything stand in a column.
    """
    if type(packed) is not bytes:
        msg = f"{packed!r} stands where the id of a checkpoint or task should; restore the database from a backup"
        raise IntegrityError(msg)
    if packed[:1] == _TEXT:
        return packed[1:].decode(errors="replace")
    digits = packed[1:].hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def pack_optional(text: str | None) -> bytes | None:
    """Return the bytes of an id that may be missing."""
    return None if text is None else pack(text)


def unpack_optional(packed: bytes | None) -> str | None:
    """Return the id of bytes that may be missing."""
    return None if packed is None else unpack(packed)
