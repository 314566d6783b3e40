"""Content as it is stored: its kind, its bytes, compressed where that wins, and a checksum at the end."""

from __future__ import annotations

import zlib
from typing import Final

from langchain_agentmem._checksums import CHECKSUM_BYTES, add_checksum
from langchain_agentmem.checkpoints.wording import escape, expand, shorten

MSGPACK: Final = 1
SEGMENT: Final = 14
_OTHER: Final = 15
_LENGTH_BYTES: Final = {0xC7: 1, 0xC8: 2, 0xC9: 4}
"""Bytes of the length of an extension, by its first byte."""

_MSGPACK_BYTE: Final = bytes((MSGPACK,))
_KINDS: Final = {"null": 0, "msgpack": MSGPACK, "bytes": 2, "bytearray": 3, "json": 4}
_NAMES: Final = {code: name for name, code in _KINDS.items()}
_COMPRESSED: Final = 0x80
_SHORTENED: Final = 0x40
_KIND: Final = 0x3F
_SHORT: Final = MSGPACK | _SHORTENED

MIN_COMPRESSED: Final = 1_024
"""Below, reading a thousand messages would cost more for inflating than for everything else."""

_LEVEL: Final = 6


def wrap(kind: str, data: bytes) -> bytes:
    """Return what a serializer gave, kind and bytes, as one content; the same gives the same."""
    code = _KINDS.get(kind)
    if code is not None:
        return bytes((code,)) + data
    name = kind.encode()
    return bytes((_OTHER, len(name))) + name + data


def unwrap(content: bytes) -> tuple[str, bytes]:
    """Return kind and bytes of a content.

    Raises:
        ValueError: It has no kind that a serializer gives.
    """
    code = content[0] if content else -1
    if code in _NAMES:
        return _NAMES[code], content[1:]
    if code == _OTHER and len(content) > 1:
        end = 2 + content[1]
        return content[2:end].decode(), content[end:]
    msg = f"a content has the unknown kind {code}"
    raise ValueError(msg)


def segment(runs: bytes) -> bytes:
    """Return packed runs as a content of their own kind."""
    return bytes((SEGMENT,)) + runs


def close(content: bytes, start: int) -> bytes:
    """Return a content as it is stored; its checksum begins at `start`, and so does the one that it is held against."""
    if len(content) >= MIN_COMPRESSED:
        smaller = bytes((content[0] | _COMPRESSED,)) + zlib.compress(content[1:], _LEVEL)
    elif content[:1] == _MSGPACK_BYTE:
        smaller = bytes((MSGPACK | _SHORTENED,)) + shorten(content[1:])
    else:
        smaller = content
    content = min(content, smaller, key=len)
    return add_checksum(content, start)


def content_of(stored: bytes) -> bytes:
    """Return the content of what is stored and intact.

    Raises:
        ValueError: It cannot be inflated.
    """
    code, data = stored[0], stored[1:-CHECKSUM_BYTES]
    if code & _SHORTENED:
        return bytes((code ^ _SHORTENED,)) + expand(data)
    if not code & _COMPRESSED:
        return stored[:-CHECKSUM_BYTES]
    try:
        return bytes((code ^ _COMPRESSED,)) + zlib.decompress(data)
    except zlib.error as error:
        msg = "a content cannot be inflated"
        raise ValueError(msg) from error


def joined(stored: list[bytes]) -> bytes | None:
    """Return the msgpack array whose elements are these contents; `None` if one of them is something else.

    An array of msgpack is its length and then its elements, so that reading it at once costs what reading the whole
    list would have cost that was stored in pieces.
    """
    parts = []
    for it in stored:
        if it[0] == _SHORT:
            parts.append(it[1:-CHECKSUM_BYTES])
        elif it[0] & _KIND == MSGPACK:
            parts.append(escape(content_of(it)[1:]))
        else:
            return None
    return _array_header(len(parts)) + expand(b"".join(parts))


def _array_header(count: int) -> bytes:
    if count < 1 << 4:
        return bytes((0x90 | count,))
    return b"\xdc" + count.to_bytes(2, "big") if count < 1 << 16 else b"\xdd" + count.to_bytes(4, "big")


def split(array: bytes, start: int) -> list[int] | None:
    """Return where the elements of a msgpack array end, from a place on; `None` if one of them is no extension.

    A message is an extension, whose length stands in front of it, so that nothing of it has to be read.
    """
    ends, place = [], start
    while place < len(array):
        width = _LENGTH_BYTES.get(array[place])
        if width is None:
            return None
        place += 2 + width + int.from_bytes(array[place + 1 : place + 1 + width], "big")
        ends.append(place)
    return ends


def body_start(array: bytes) -> int:
    """Return where the first element of a msgpack array begins."""
    return {0xDC: 3, 0xDD: 5}.get(array[0], 1)
