"""Versions of channels: a counter, by which they are ordered, and a random fraction that keeps two branches apart."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any, Final, TypeAlias

from langchain_agentmem.checkpoints.ranges import pack_varint, read_varint

Version: TypeAlias = str | int | float
_Packed: TypeAlias = bytes | str | int | float

_BITS: Final = 53
_BYTES: Final = 7
"""`random.random()`, from which other checkpointers take the fraction, is a multiple of 2^-53."""

_OUR_BITS: Final = 32
_OUR_BYTES: Final = 4
"""Enough that two versions with one counter are equal once in four billion; every header holds several of them."""

_REST: Final = _BITS - _OUR_BITS


def next_version(counter: int) -> str:
    """Return a version with this counter."""
    return version_string(counter, random.getrandbits(_OUR_BITS) / 2**_OUR_BITS)


def version_string(counter: int, fraction: float) -> str:
    """Return a version as LangGraph's own checkpointers write it."""
    return f"{counter:032}.{fraction:016}"


def pack_versions(versions: list[Version]) -> bytes | list[_Packed]:
    """Return versions one after another, five bytes or little more each, if all of them are ours; else a list."""
    packed = list(map(_pack, versions))
    ours = [it for it, is_ours in packed if is_ours and isinstance(it, bytes)]
    return b"".join(ours) if len(ours) == len(packed) else [it for it, _ in packed]


def unpack_versions(packed: Any) -> list[Version]:  # noqa: ANN401  (whatever was stored)
    """Return the versions of `pack_versions`.

    Raises:
        ValueError: They are damaged.
    """
    if type(packed) is not bytes:
        return list(map(unpack_version, packed))
    versions: list[Version] = []
    place = 0
    while place < len(packed):
        _, end = read_varint(packed, place)
        versions.append(unpack_version(packed[place : end + _OUR_BYTES]))
        place = end + _OUR_BYTES
    return versions


@lru_cache(maxsize=4_096, typed=True)
def unpack_version(packed: _Packed) -> Version:
    """Return one version.

    Raises:
        ValueError: It is damaged.
    """
    if not isinstance(packed, bytes):
        return packed
    counter, place = read_varint(packed, 0)
    bits = int.from_bytes(packed[place:], "little")
    is_ours = len(packed) - place == _OUR_BYTES
    return version_string(counter, bits / 2 ** (_OUR_BITS if is_ours else _BITS))


@lru_cache(maxsize=4_096, typed=True)
def _pack(version: Version) -> tuple[_Packed, bool]:
    """Return a version of the usual form in five bytes or little more, if it is ours, else in eight."""
    if not isinstance(version, str):
        return version, False
    counter, _, fraction = version.partition(".")
    try:
        number, bits = int(counter), round(float(fraction) * 2**_BITS)
        is_ours = not bits % 2**_REST and bits < 2**_BITS
        tail = (bits >> _REST).to_bytes(_OUR_BYTES, "little") if is_ours else bits.to_bytes(_BYTES, "little")
        packed = pack_varint(number) + tail
    except (ValueError, OverflowError):
        return version, False
    return (packed, is_ours) if version_string(number, bits / 2**_BITS) == version else (version, False)
