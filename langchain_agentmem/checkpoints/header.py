"""The header of a checkpoint: everything of it but the values, in as few bytes as it takes.

What differs in every header (time, versions, step, references) stands by itself, for most of it is random; what is
alike in all headers of a graph is compressed by a dictionary.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, TypeAlias

import ormsgpack

from langchain_agentmem.checkpoints.content import Codec
from langchain_agentmem.checkpoints.first_headers import unpack_first
from langchain_agentmem.checkpoints.ranges import pack_varint, read_varint
from langchain_agentmem.checkpoints.versions import Version, pack_versions, unpack_versions
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.ledger.codec import from_micros, to_micros

_Pool: TypeAlias = dict[tuple[type, Version], int]
"""Versions and their places; by type too, for 0 and 0.0 are equal."""

_APART: Final = frozenset({"id", "ts", "channel_values", "channel_versions", "versions_seen"})
_STEP: Final = "step"
_SECOND: Final = b"\x07"
"""First byte of a header. What deflate writes cannot begin with it (RFC 1951: a type of block that is reserved), and
headers as they were first are nothing else."""

_MAX_BYTE: Final = 0xFF

PRUNED_KEY: Final = "agentmem_pruned"
"""In the metadata of a checkpoint that was pruned, and stays only for later ones to be rebuilt from: nobody is told of
it, but a copy of the thread has it too."""

_WORDS: Final = (
    b"agentmem_conflict langgraph_auth_user_id assistant_id graph_id user_id thread_id run_id langgraph_version fork "
    b"update __pregel_tasks __interrupt__ __error__ __resume__ ls_integration langgraph counters_since_delta_snapshot "
    b"context state remaining_steps structured_response memory respond generate retrieve call_model chatbot answer "
    b"branch:to:agent\xa5agent\xc4\x02branch:to:tools\xa5tools\xc4\x02branch:to:model\xa5model\xc4\x02"
    b"\xa6parent\xa5tasks\xa4jump_to\xb0branch:to:\xaf__pregel_tasks\xc4\x00\xa9__input__\xc4\x00\xa9__start__\xc4\x02"
    b"\x00\x01\x00\x02\x00\x03\x92\x83\xa1v\x01\xadpending_sends\x90\xb0updated_channels\xc0"
    b"\x01\x92\x82\xa1v\x04\xb0updated_channels\x91\xa9__start__\x83\xa6source\xa5input\xa4step\xc0\xa7parents\x80"
    b"\x01\x92\x82\xa1v\x04\xb0updated_channels\x92\xafbranch:to:model\xa8messages\x83\xa6source\xa4loop\xa4step\xc0\xa7parents\x80"
    b"\xc4H\x01\x92\x82\xa1v\x04\xb0updated_channels\x91\xa8messages\x83\xa6source\xa4loop\xa4step\xc0\xa7parents\x80"
    b"\x95\x94\xa9__start__\xa8messages\xb0branch:to:"
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

    @property
    def is_pruned(self) -> bool:
        """Whether the checkpoint only stays for later ones to be rebuilt from."""
        return self.metadata.get(PRUNED_KEY) is True

    def pruned(self) -> Header:
        """Return the header of the same checkpoint once it is pruned."""
        return self._replace(metadata={**self.metadata, PRUNED_KEY: True})


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
        ConfigurationError: Its metadata cannot be stored; the error names the key.
    """
    pool: _Pool = {}
    channels = {name: place for place, name in enumerate(header.versions)}
    versions = _narrow([_place(version, pool) for version in header.versions.values()])
    seen = [it for node, inner in header.seen.items() for it in (node, _seen(inner, channels, pool))]
    held = [name for name in header.versions if name in header.refs]
    metadata, step = _without_step(header.metadata)
    body = _dump(header.rest, metadata, codec)
    alike = ormsgpack.packb([[*channels], versions, seen, _narrow([channels[name] for name in held]), body])
    refs = [header.refs[name] for name in held]
    own = ormsgpack.packb([_pack_time(header.ts), pack_versions([it for _, it in pool]), step, *refs])
    deflating = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW, _MEMORY, zlib.Z_DEFAULT_STRATEGY, _WORDS)
    return b"".join((_SECOND, pack_varint(len(own)), own, deflating.compress(alike), deflating.flush()))


def _dump(rest: Mapping[str, Any], metadata: Mapping[str, Any], codec: Codec) -> bytes:
    try:
        return codec.dump([rest, metadata])
    except ConfigurationError:
        for of, values in (("metadata", metadata), ("checkpoint", rest)):
            for key, value in values.items():
                _check(f"{of} {key!r}", value, codec)
        raise


def _check(place: str, value: object, codec: Codec) -> None:
    try:
        codec.dump(value)
    except ConfigurationError as error:
        msg = f"{place}: {error}"
        raise ConfigurationError(msg) from error


def unpack_header(packed: bytes, codec: Codec) -> Header:
    """Return the header of these bytes.

    Raises:
        ValueError: They are damaged.
    """
    try:
        if packed[:1] == _SECOND:
            return _unpack(packed, codec)
        ts, *rest = unpack_first(packed, codec)
        return Header(_unpack_time(ts), *rest)
    except (zlib.error, TypeError, IndexError, KeyError, ValueError) as error:
        msg = f"a header cannot be read ({type(error).__name__})"
        raise ValueError(msg) from error


def _unpack(packed: bytes, codec: Codec) -> Header:
    length, start = read_varint(packed, 1)
    ts, pool, step, *refs = ormsgpack.unpackb(packed[start : start + length])
    alike = zlib.decompressobj(_WINDOW, _WORDS).decompress(packed[start + length :])
    channels, versions, seen, held, body = ormsgpack.unpackb(alike)
    values = unpack_versions(pool)
    rest, metadata = codec.load(body)
    return Header(
        ts=_unpack_time(ts),
        rest=rest,
        metadata=metadata if step is None else {**metadata, _STEP: step},
        versions={name: values[place] for name, place in zip(channels, versions, strict=True)},
        seen={node: _passed(it, channels, values) for node, it in zip(seen[::2], seen[1::2], strict=True)},
        refs={channels[place]: ref for place, ref in zip(held, refs, strict=True)},
    )


def _without_step(metadata: Mapping[str, Any]) -> tuple[Mapping[str, Any], int | None]:
    """Return metadata in which the step, if it is one, is left open, and the step."""
    step = metadata.get(_STEP)
    return ({**metadata, _STEP: None}, step) if type(step) is int else (metadata, None)


# ------------------------------------------------------------------------------------------------------------- versions
def _place(version: Version, pool: _Pool) -> int:
    return pool.setdefault((type(version), version), len(pool))


def _narrow(places: Sequence[int]) -> Sequence[int]:
    """Return places as bytes, where they fit."""
    return bytes(places) if max(places, default=0) <= _MAX_BYTE else places


def _seen(versions: Mapping[str, Version], channels: Mapping[str, int], pool: _Pool) -> Sequence[str | int]:
    """Return which channels a node has seen, and in which versions; each as its place, where it has one."""
    if not versions.keys() <= channels.keys():
        return [it for name, version in versions.items() for it in (name, _place(version, pool))]
    return _narrow([it for name, version in versions.items() for it in (channels[name], _place(version, pool))])


def _passed(seen: Any, channels: list[str], values: list[Version]) -> dict[str, Version]:  # noqa: ANN401  (as stored)
    pairs = zip(seen[::2], seen[1::2], strict=True)
    return {name if isinstance(name, str) else channels[name]: values[place] for name, place in pairs}


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
