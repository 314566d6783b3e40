"""The header of a checkpoint: everything of it but the values, in as few bytes as it takes."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import ormsgpack

from langchain_agentmem.checkpoints.content import Codec
from langchain_agentmem.checkpoints.ranges import pack_varint, read_varint
from langchain_agentmem.ledger.codec import from_micros, to_micros

Version: TypeAlias = str | int | float
_Packed: TypeAlias = bytes | str | int | float

_APART: Final = frozenset({"id", "ts", "channel_values", "channel_versions", "versions_seen"})
_RANDOM_BITS: Final = 53
_RANDOM_BYTES: Final = 7
"""`random.random()` is a multiple of 2^-53."""

_WORDS: Final = (
    b"langgraph_auth_user_id assistant_id graph_id user_id run_id agentmem_conflict counters_since_delta_snapshot "
    b"ls_integration langgraph fork update __pregel_tasks __interrupt__ __error__ "
    b"\xa7context\xa5state\xa6answer\xa5query\xa5model\xa5tools\xa5agent\xaabranch:to:\xafbranch:to:model"
    b"\xafbranch:to:tools\xafbranch:to:agent\xa8messages\x91\xa8messages\xa9__input__\xa9__start__"
    b"\x92\x83\xa1v\x01\xadpending_sends\x90\xb0updated_channels\xc0\x92\x82\xa1v\x04\xb0updated_channels\x91"
    b"\x83\xa6source\xa5input\xa4step\xff\xa7parents\x80\x83\xa6source\xa4loop\xa4step\x01\xa7parents\x80"
)
"""What headers say again and again, the most frequent last. It is part of the format: it must never change."""

_LEVEL: Final = 6
_WINDOW: Final = -12
"""4 KiB without a frame of its own: enough for a header, and cheaper to set up than 32 KiB."""

_MEMORY: Final = 5


class Header(NamedTuple):
    """A checkpoint without its values.

    Attributes:
        ts: When it was made, as LangGraph wrote it.
        rest: What else the checkpoint says.
        versions: Channels and their versions.
        seen: For each node the versions it has seen.
        refs: References to the values of channels that have one.
    """

    ts: str
    rest: Mapping[str, Any]
    metadata: Mapping[str, Any]
    versions: Mapping[str, Version]
    seen: Mapping[str, Mapping[str, Version]]
    refs: Mapping[str, bytes]


def header_of(checkpoint: Mapping[str, Any], metadata: Mapping[str, Any], refs: Mapping[str, bytes]) -> Header:
    """Return the header of a checkpoint."""
    return Header(
        ts=checkpoint["ts"],
        rest={key: value for key, value in checkpoint.items() if key not in _APART},
        metadata=metadata,
        versions=checkpoint["channel_versions"],
        seen=checkpoint["versions_seen"],
        refs=refs,
    )


def pack_header(header: Header, codec: Codec) -> bytes:
    """Return a header as bytes.

    Raises:
        ConfigurationError: Its metadata cannot be stored.
    """
    pool: dict[tuple[type, Version], int] = {}  # by type too: 0 and 0.0 are equal
    versions = _flat(header.versions, pool)
    seen = [it for node, channels in header.seen.items() for it in (node, _flat(channels, pool))]
    refs = [header.refs.get(name) for name in header.versions]
    body = codec.dump([header.rest, header.metadata])
    parts = [_pack_time(header.ts), [_pack_version(version) for _, version in pool], versions, seen, refs, body]
    deflating = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW, _MEMORY, zlib.Z_DEFAULT_STRATEGY, _WORDS)
    return deflating.compress(ormsgpack.packb(parts)) + deflating.flush()


def unpack_header(packed: bytes, codec: Codec) -> Header:
    """Return the header of these bytes.

    Raises:
        ValueError: They are damaged.
    """
    try:
        ts, pool, versions, seen, refs, body = ormsgpack.unpackb(zlib.decompressobj(_WINDOW, _WORDS).decompress(packed))
        values = list(map(_unpack_version, pool))
        names = versions[::2]
        rest, metadata = codec.load(body)
        return Header(
            ts=_unpack_time(ts),
            rest=rest,
            metadata=metadata,
            versions=_paired(versions, values),
            seen={node: _paired(inner, values) for node, inner in zip(seen[::2], seen[1::2], strict=True)},
            refs={name: ref for name, ref in zip(names, refs, strict=True) if ref is not None},
        )
    except (zlib.error, TypeError, IndexError, ValueError) as error:
        msg = f"a header cannot be read ({type(error).__name__})"
        raise ValueError(msg) from error


def _flat(versions: Mapping[str, Version], pool: dict[tuple[type, Version], int]) -> list[Any]:
    """Return names, each with the place of its version in the pool."""
    flat: list[Any] = []
    for name, version in versions.items():
        flat += (name, pool.setdefault((type(version), version), len(pool)))
    return flat


def _paired(flat: list[Any], values: list[Version]) -> dict[str, Version]:
    return {name: values[place] for name, place in zip(flat[::2], flat[1::2], strict=True)}


# ----------------------------------------------------------------------------------------------------------------- time
def _pack_time(text: str) -> str | int:
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return text
    is_usual = moment.tzinfo is UTC and moment.isoformat() == text
    return (to_micros(moment) or 0) if is_usual else text


def _unpack_time(packed: str | int) -> str:
    moment = from_micros(packed) if isinstance(packed, int) else None
    return str(packed) if moment is None else moment.isoformat()


# ------------------------------------------------------------------------------------------------------------- versions
@lru_cache(maxsize=4_096, typed=True)
def _pack_version(version: Version) -> _Packed:
    """Return a version of the usual form, a counter and a random fraction, in eight bytes or little more."""
    if not isinstance(version, str):
        return version
    counter, _, fraction = version.partition(".")
    try:
        number, bits = int(counter), round(float(fraction) * 2**_RANDOM_BITS)
        packed = pack_varint(number) + bits.to_bytes(_RANDOM_BYTES, "little")
    except (ValueError, OverflowError):
        return version
    return packed if version_string(number, bits / 2**_RANDOM_BITS) == version else version


@lru_cache(maxsize=4_096, typed=True)
def _unpack_version(packed: _Packed) -> Version:
    if not isinstance(packed, bytes):
        return packed
    counter, place = read_varint(packed, 0)
    return version_string(counter, int.from_bytes(packed[place:], "little") / 2**_RANDOM_BITS)


def version_string(counter: int, fraction: float) -> str:
    """Return a version of a channel: versions are in the order of their counters, and equal by no accident."""
    return f"{counter:032}.{fraction:016}"
