"""Checksums that are about a place too: one number, at which the CRC-32 of what stands there begins.

They find what a disk, a restore or a stray hand damaged or moved; a vault finds what somebody forged.
"""

from __future__ import annotations

import zlib
from typing import Final

CHECKSUM_BYTES: Final = 4
INTACT: Final = 0x2144DF1C
"""The CRC-32 of anything that ends with its own CRC-32 (ISO 3309), from wherever both begin."""


def begin(place: str) -> int:
    """Return where the checksums of a place begin; exclusive-or with a number gives each of its numbers its own."""
    return zlib.crc32(place.encode())


def add_checksum(data: bytes, start: int) -> bytes:
    """Return `data` with its checksum behind it."""
    return data + zlib.crc32(data, start).to_bytes(CHECKSUM_BYTES, "little")
