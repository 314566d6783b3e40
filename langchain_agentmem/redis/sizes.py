"""How much some keys take: rows counted, bytes as the server reports them; nothing is read to find out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.scripts import Script
from langchain_agentmem.types.watching import LayerSize

AT_ONCE: Final = 500
"""Groups of keys per round trip."""

_SIZE: Final = Script(
    """
-- KEYS: a list or sorted set, whose members are rows, a hash, and whatever belongs to them. ARGV: a field of the hash
-- with how many of the rows are empty. Returns rows and bytes.
local of = {list = 'LLEN', zset = 'ZCARD'}
local kind = redis.call('TYPE', KEYS[1]).ok
local rows = of[kind] and redis.call(of[kind], KEYS[1]) or 0
local empty = redis.call('HGET', KEYS[2], ARGV[1])
local bytes = 0
for _, key in ipairs(KEYS) do bytes = bytes + (redis.call('MEMORY', 'USAGE', key) or 0) end
return {rows - (tonumber(empty or 0) or 0), bytes}
"""
)


def sizes_of(database: RedisDatabase, groups: Iterable[Sequence[bytes]], *, empty: str) -> Flow[LayerSize]:
    """Return the rows and bytes of groups of keys, each of one slot.

    Args:
        database: Where they are.
        groups: Of each, first the key whose members are its rows, then a hash.
        empty: The field of the hash that says how many of the rows are empty, if any.
    """
    return (yield from _summed(database, _SIZE, ((keys, [empty]) for keys in groups)))


_WEIGHT: Final = Script("return {redis.call('EXISTS', KEYS[1]), redis.call('MEMORY', 'USAGE', KEYS[1]) or 0}")


def weights_of(database: RedisDatabase, keys: Iterable[bytes], script: Script = _WEIGHT) -> Flow[LayerSize]:
    """Return how many of some keys there are, each a row, and their bytes; or what another script says of each."""
    return (yield from _summed(database, script, (((key,), ()) for key in keys)))


def _summed(
    database: RedisDatabase, script: Script, calls: Iterable[tuple[Sequence[bytes], Sequence[str]]]
) -> Flow[LayerSize]:
    rows, size, left = 0, 0, iter(calls)
    while some := list(islice(left, AT_ONCE)):
        for found in (yield from database.call_each(script, some)):
            rows, size = rows + int(found[0]), size + int(found[1])
    return LayerSize(rows, size)
