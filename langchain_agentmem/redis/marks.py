"""The marks of a Redis, which say what parts of a prefix are sealed: a hash, of which each process asks once.

| key | type | holds |
|---|---|---|
| `prefix:{sealed}` | hash | `conversations`, `working`, `threads`: `sealed` or `sealing`; `keys`: by which store |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from langchain_agentmem._marks import Owner, Part
from langchain_agentmem.redis.wire import Command

PARTS: Final[tuple[Part, ...]] = ("conversations", "working", "threads")
TAG: Final = "sealed"

_KEYS: Final[Mapping[Part, bytes]] = {
    "conversations": b":{*}:session:*",
    "working": b":{*}:working:*",
    "threads": b":{threads}:ids",
}
"""What keys of a part are named like; in patterns braces stand for themselves."""


def patterns(prefix: str, parts: Iterable[Part]) -> dict[Part, bytes]:
    """Return what matches the keys of each part; nobody's prefix has a character that a pattern knows."""
    return {part: prefix.encode() + _KEYS[part] for part in parts}


def indexes(name: Callable[..., bytes], owner: Owner) -> dict[Part, bytes]:
    """Return the key of a part that is there where a user has anything sealed; a visitor's conversation is its own.

    Not of threads: those that are only bound to a user are in the same key.

    Args:
        name: Names a key by its tag and parts.
        owner: Whose.
    """
    if not owner.user_id:
        tag = "\0".join(owner)
        return {
            "conversations": name(tag, "session", owner.session_id) + b":messages",
            "working": name(tag, "working", owner.session_id),
        }
    tag = "\0".join(owner[:2])
    return {"conversations": name(tag, "sessions"), "working": name(tag, "working")}


def put(key: bytes, states: Mapping[str, str]) -> Command:
    """Return the command that marks parts."""
    return ("HSET", key, *(it for mark in states.items() for it in mark))


def read(reply: Iterable[bytes]) -> dict[str, str]:
    """Return what `HGETALL` says."""
    values = [it.decode() for it in reply]
    return dict(zip(values[::2], values[1::2], strict=True))
