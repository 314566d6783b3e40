"""Threads as their own keys tell of them, whatever an index names; and what indexes name that is not there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.redis.registry import Entry, Index, Registry
from langchain_agentmem.checkpoints.redis.rows import pack_owner
from langchain_agentmem.checkpoints.redis.thread import PARTS, thread_keys
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.keys import tag_of
from langchain_agentmem.redis.replies import pairs
from langchain_agentmem.redis.scripts import Script
from langchain_agentmem.types.scope import Owner

_AT_ONCE: Final = 100
"""Threads, or entries of indexes, that are asked in one round trip."""
_SCANNED: Final = 1_000
"""Entries of an index that are read in one round trip, or a few more."""

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


def named(database: RedisDatabase, owner: Owner) -> Flow[list[Entry]]:
    """Return what the index of an owner names, by either of its keys: the other one may be gone.

    Raises:
        StorageError: A server gave no answer.
    """
    index = Registry(database).of_owner(owner)
    ids, marks = yield from database.read(("ZRANGE", index.ids, 0, -1), ("HGETALL", index.marks))
    found = {**dict.fromkeys(ids, b""), **pairs(marks)}
    return [Entry(id.decode(), found[id]) for id in sorted(found)]


def others(database: RedisDatabase, owner: Owner, thread_ids: Sequence[str]) -> Flow[set[str]]:
    """Return those of some threads that say themselves that they are not an owner's.

    Raises:
        StorageError: A server gave no answer.
    """
    metas = [thread_keys(database.prefix, it)[0] for it in thread_ids]
    found = yield from database.ask_each([("HMGET", key, "g", "o") for key in metas])
    nothing, owners = [None, None], pack_owner(owner)
    told = ((id, it) for id, it in zip(thread_ids, found, strict=True) if it != nothing)
    return {id for id, it in told if it is None or it[1] != owners}


def unseen(database: RedisDatabase, seen: AbstractSet[str]) -> Flow[list[tuple[Index, bytes]]]:
    """Return what indexes of all users name of threads that are none of those that were seen: index and member.

    Of two keys of one index, both of which were whole once, the one that lost something since has a part of the other.

    Raises:
        StorageError: A server gave no answer.
    """
    indexes, found = Registry(database).shared(), dict[tuple[Index, bytes], None]()
    sizes = yield from database.spread([it for ids, marks, _ in indexes for it in (("ZCARD", ids), ("HLEN", marks))])
    for index, ids, marks in zip(indexes, sizes[::2], sizes[1::2], strict=True):
        command, key = ("ZSCAN", index.ids) if ids > marks else ("HSCAN", index.marks)
        cursor = b"0" if ids or marks else b""
        while cursor:
            [(at, reply)] = yield from database.read((command, key, cursor, "COUNT", _SCANNED))
            found.update({(index, it): None for it in reply[::2] if _thread_of(it) not in seen})
            cursor = at if int(at) else b""
    return list(found)


def forget_gone(database: RedisDatabase, entries: Sequence[tuple[Index, bytes]]) -> Flow[None]:
    """Let indexes forget entries, given by index and member, of threads of which nothing is there.

    Raises:
        StorageError: A server gave no answer.
    """
    registry = Registry(database)
    for start in range(0, len(entries), _AT_ONCE):
        some = entries[start : start + _AT_ONCE]
        marks = yield from database.spread([("HGET", index.marks, it) for index, it in some])
        keys = [thread_keys(database.prefix, _thread_of(it)) for _, it in some]
        are_there = yield from database.spread([("EXISTS", *it) for it in keys])
        yield from registry.forget(
            [
                (index, Entry(it.decode(), mark or b""))
                for (index, it), mark, is_there in zip(some, marks, are_there, strict=True)
                if not is_there
            ]
        )


def _thread_of(member: bytes) -> str:
    """Return the thread of a member of an index, which may begin with a label; no id holds NUL."""
    return member.rpartition(b"\0")[2].decode()
