"""Threads as their own keys tell of them, whatever an index names: each of these looks visits every key there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.redis.registry import Registry
from langchain_agentmem.checkpoints.redis.rows import pack_owner
from langchain_agentmem.checkpoints.redis.thread import PARTS
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.keys import tag_of
from langchain_agentmem.redis.wire import Command
from langchain_agentmem.types.scope import Owner

_META: Final = b":{*}:thread:meta"
_CONTENT: Final = b":{*}:thread:[cdiw]*"
"""Checkpoints, digests, items and writes: not what says whose they are, and no lease."""


def unnamed(database: RedisDatabase, owner: Owner) -> Flow[list[str]]:
    """Return the threads that say themselves whose they are, and that the index of their owner does not name.

    Raises:
        StorageError: A server gave no answer.
    """
    found, wanted = set[str](), pack_owner(owner)

    def take(keys: Sequence[bytes]) -> Flow[bool]:
        commands: list[Command] = [("HGET", key, "o") for key in keys]
        owners = yield from database.spread(commands)
        found.update(tag_of(key) for key, it in zip(keys, owners, strict=True) if it == wanted)
        return False

    yield from database.each_scanned(database.prefix.encode() + _META, take, kind="hash")
    if not found:
        return []
    [named] = yield from database.read(("ZRANGE", Registry(database).of_owner(owner).ids, 0, -1))
    return sorted(found.difference(it.decode() for it in named))


def nobodys(database: RedisDatabase) -> Flow[list[str]]:
    """Return the threads of which something is there, and not what says whose they are.

    Raises:
        StorageError: A server gave no answer.
    """
    asked, found = set[bytes](), list[bytes]()

    def take(keys: Sequence[bytes]) -> Flow[bool]:
        new = sorted({key.rpartition(b":")[0] for key in keys} - asked)
        asked.update(new)
        are_told = yield from database.spread([("EXISTS", it + b":meta") for it in new])
        found.extend(it for it, is_told in zip(new, are_told, strict=True) if not is_told)
        return False

    yield from database.each_scanned(database.prefix.encode() + _CONTENT, take)
    left = list[str]()
    for base in found:  # a thread may have been deleted, or begun anew, since it was seen
        meta, *others = (base + b":" + part.encode() for part in PARTS)
        is_told, count = yield from database.read(("EXISTS", meta), ("EXISTS", *others))
        left += [tag_of(base)] if count and not is_told else []
    return left
