"""Threads as their own keys tell of them, whatever an index names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.redis.registry import Registry
from langchain_agentmem.checkpoints.redis.rows import pack_owner
from langchain_agentmem.checkpoints.redis.thread import PARTS, thread_keys
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.keys import tag_of
from langchain_agentmem.redis.scripts import Script
from langchain_agentmem.types.scope import Owner

_AT_ONCE: Final = 100
"""Threads that are asked in one round trip."""

_IS_NOBODYS: Final = Script("""
-- KEYS: meta, then the others. 1: something is there, and not what says whose it is.
return redis.call('EXISTS', KEYS[1]) == 0 and redis.call('EXISTS', unpack(KEYS, 2)) > 0 and 1 or 0
""")


def owned(database: RedisDatabase, owner: Owner, metas: Sequence[bytes]) -> Flow[list[str]]:
    """Return the threads that say themselves that they are an owner's, of those whose keys for that are given.

    Raises:
        StorageError: A server gave no answer.
    """
    wanted = pack_owner(owner)
    found = yield from database.ask_each([("HGET", key, "o") for key in metas])
    return [tag_of(key) for key, it in zip(metas, found, strict=True) if it == wanted]


def unnamed(database: RedisDatabase, owner: Owner, seen: Iterable[str]) -> Flow[list[str]]:
    """Return those of some threads that are an owner's, and that the index of the owner does not name.

    Raises:
        StorageError: A server gave no answer.
    """
    found = yield from owned(database, owner, [thread_keys(database.prefix, it)[0] for it in seen])
    if not found:
        return []
    [named] = yield from database.read(("ZRANGE", Registry(database).of_owner(owner).ids, 0, -1))
    return sorted(set(found).difference(it.decode() for it in named))


def nobodys(database: RedisDatabase, seen: Iterable[bytes]) -> Flow[list[str]]:
    """Return the threads of which something is there, and not what says whose they are, of those that were seen so.

    One may have been deleted, or begun anew, since.

    Args:
        database: Where they are.
        seen: What the keys of each begin with.

    Raises:
        StorageError: A server gave no answer.
    """
    bases, found = sorted(seen), list[str]()
    for start in range(0, len(bases), _AT_ONCE):
        some = bases[start : start + _AT_ONCE]
        keys = [[base + b":" + part.encode() for part in PARTS] for base in some]
        are_nobodys = yield from database.call_each(_IS_NOBODYS, [(it, ()) for it in keys])
        found += [tag_of(base) for base, is_it in zip(some, are_nobodys, strict=True) if is_it]
    return found
