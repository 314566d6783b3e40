"""References: the few bytes that stand for a value in a header or a write.

A value is drafted as a *shape* of pieces before it is known which pieces the thread holds already. Once their numbers
are known, the shape is written as a reference; read back, it is a tree that says which numbers it needs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias

from langchain_agentmem.checkpoints.ranges import Listed, Run, pack_numbers, pack_varint, read_varint
from langchain_agentmem.checkpoints.wording import deflate, inflate

_INLINE: Final = 0
_ITEM: Final = 1
_LIST: Final = 2
_SNAPSHOT: Final = 3
_FIELDS: Final = 4
_PACKED: Final = 5
_SIGNED: Final = 6

_MARK_BYTES: Final = 8
"""Enough to tell the runs of a thread apart, half of what their ids would take."""


# --------------------------------------------------------------------------------------------------------------- shapes
class Inline(NamedTuple):
    """A value so small that it stands in the reference itself."""

    content: bytes


class Packed(NamedTuple):
    """A value that stands in the reference itself, compressed."""

    content: bytes


class Whole(NamedTuple):
    """A value that is one piece."""

    digest: bytes
    content: bytes


class Pieces(NamedTuple):
    """A list, each of whose elements is a piece.

    Attributes:
        digests: Of the elements.
        content: Gives the content of an element by its place; asked only for what the thread does not hold.
    """

    digests: Sequence[bytes]
    content: Callable[[int], bytes]


class Snapshot(NamedTuple):
    """A `_DeltaSnapshot` of a value."""

    inner: Shape


class Fields(NamedTuple):
    """A dict with the shapes of its values."""

    fields: Sequence[tuple[str, Shape]]


Shape: TypeAlias = Inline | Packed | Whole | Pieces | Snapshot | Fields


class Numbering(Protocol):
    """Gives pieces their numbers."""

    def numbers(self, pieces: Pieces) -> Sequence[int]:
        """Return the numbers of pieces, new ones for what the thread does not hold."""
        ...

    def segment(self, runs: bytes) -> int:
        """Return the number of a segment, a new one if the thread does not hold it."""
        ...


def write_ref(shape: Shape, numbering: Numbering) -> bytes:
    """Return the reference to a value."""
    match shape:
        case Inline(content):
            return bytes((_INLINE,)) + content
        case Packed(content):
            return bytes((_PACKED,)) + deflate(content)
        case Whole(digest, content):
            [no] = numbering.numbers(Pieces([digest], [content].__getitem__))
            return bytes((_ITEM,)) + pack_varint(no)
        case Pieces():
            return bytes((_LIST,)) + pack_numbers(numbering.numbers(shape), numbering.segment)
        case Snapshot(inner):
            return bytes((_SNAPSHOT,)) + write_ref(inner, numbering)
        case Fields(fields):
            parts = (it for key, inner in fields for it in (_encoded(key), write_ref(inner, numbering)))
            return bytes((_FIELDS,)) + b"".join(pack_varint(len(part)) + part for part in parts)


def _encoded(key: str) -> bytes:
    """Return a key as bytes, as LangGraph's serializer writes text: a lone surrogate as a question mark."""
    return key.encode(errors="replace")


# ----------------------------------------------------------------------------------------------------------- references
class InlineRef(NamedTuple):
    """Stands for the content it holds."""

    content: bytes


class ItemRef(NamedTuple):
    """Stands for one item."""

    no: int


class ListRef(NamedTuple):
    """Stands for a list of items."""

    listed: Listed


class SnapshotRef(NamedTuple):
    """Stands for a `_DeltaSnapshot`."""

    inner: Ref


class FieldsRef(NamedTuple):
    """Stands for a dict."""

    fields: Sequence[tuple[str, Ref]]


Ref: TypeAlias = InlineRef | ItemRef | ListRef | SnapshotRef | FieldsRef


def read_ref(packed: bytes) -> Ref:
    """Return the tree of a reference.

    Raises:
        ValueError: It is damaged.
    """
    tag, rest = packed[:1], packed[1:]
    if tag not in _READERS:
        msg = f"a reference has the unknown tag {tag!r}"
        raise ValueError(msg)
    return _READERS[tag](rest)


def mark_of(run_id: str) -> bytes:
    """Return the mark that a run leaves on what it writes."""
    return hashlib.blake2b(run_id.encode(errors="replace"), digest_size=_MARK_BYTES).digest()


def sign(packed: bytes, mark: bytes) -> bytes:
    """Return a reference with the mark of a run, which reads as it did without; empty: of none."""
    return bytes((_SIGNED,)) + mark + packed if mark else packed


def signature(packed: bytes) -> bytes:
    """Return the mark that a reference was signed with; empty: none."""
    return packed[1 : 1 + _MARK_BYTES] if packed[:1] == bytes((_SIGNED,)) else b""


def reworded(packed: bytes, reword: Callable[[bytes], bytes]) -> bytes:
    """Return a reference with what stands in it itself said otherwise; what it names is not looked at.

    Raises:
        ValueError: It is damaged.
    """
    tag, rest = packed[:1], packed[1:]
    if tag == bytes((_INLINE,)):
        return tag + reword(rest)
    if tag == bytes((_PACKED,)):
        content = inflate(rest)
        return packed if (made := reword(content)) == content else tag + deflate(made)
    if tag == bytes((_SNAPSHOT,)):
        return tag + reworded(rest, reword)
    if tag == bytes((_SIGNED,)):
        return tag + rest[:_MARK_BYTES] + reworded(rest[_MARK_BYTES:], reword)
    if tag == bytes((_FIELDS,)):
        parts = [it if place % 2 == 0 else reworded(it, reword) for place, it in enumerate(_parts(rest))]
        return tag + b"".join(pack_varint(len(part)) + part for part in parts)
    return packed


def lists_of(ref: Ref) -> Sequence[Listed]:
    """Return the lists of numbers in a reference."""
    match ref:
        case ListRef(listed):
            return (listed,)
        case SnapshotRef(inner):
            return lists_of(inner)
        case FieldsRef(fields):
            return [it for _, inner in fields for it in lists_of(inner)]
    return ()


def runs_of(ref: Ref) -> Sequence[Run]:
    """Return the numbers that a reference names as far as it is open, as runs."""
    match ref:
        case ItemRef(no):
            return ((no, 1),)
        case ListRef(listed):
            return listed.runs
        case SnapshotRef(inner):
            return runs_of(inner)
        case FieldsRef(fields):
            return [run for _, inner in fields for run in runs_of(inner)]
    return ()


def _read_packed(rest: bytes) -> InlineRef:
    return InlineRef(inflate(rest))


def _read_item(rest: bytes) -> ItemRef:
    return ItemRef(read_varint(rest, 0)[0])


def _read_list(rest: bytes) -> ListRef:
    return ListRef(Listed(rest))


def _read_snapshot(rest: bytes) -> SnapshotRef:
    return SnapshotRef(read_ref(rest))


def _read_fields(rest: bytes) -> FieldsRef:
    parts = _parts(rest)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return FieldsRef([(key.decode(), read_ref(inner)) for key, inner in pairs])


def _parts(rest: bytes) -> list[bytes]:
    """Return the keys and references of a dict, by turns."""
    parts, place = [], 0
    while place < len(rest):
        length, place = read_varint(rest, place)
        parts.append(rest[place : place + length])
        place += length
    return parts


def _read_signed(rest: bytes) -> Ref:
    return read_ref(rest[_MARK_BYTES:])


_READERS: Final[dict[bytes, Callable[[bytes], Ref]]] = {
    bytes((_INLINE,)): InlineRef,
    bytes((_PACKED,)): _read_packed,
    bytes((_ITEM,)): _read_item,
    bytes((_LIST,)): _read_list,
    bytes((_SNAPSHOT,)): _read_snapshot,
    bytes((_FIELDS,)): _read_fields,
    bytes((_SIGNED,)): _read_signed,
}
