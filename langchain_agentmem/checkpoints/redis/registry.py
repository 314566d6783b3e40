"""Which threads there are: one index of all, one per owner, and labels in a fixed number of buckets.

An index cannot share a slot with its threads, so it cannot change with them in one step. A thread is registered before
it begins, before it gets an owner or a label, and before it outlives what its entries were kept for: hence nothing is
missing. What is there too much (the thread never began, was deleted or has expired) does no harm, because whoever lists
asks each thread itself, and forgets what is not there. Each entry has a mark, renewed by every registration; it is only
forgotten if its mark is still the one that was seen, and says that the thread has begun, or is old enough that nobody
can be just beginning it.

An index lives at least as long as the longest-lived thread in it, and has no end while one of them has none. Each
registration looks at some other entries and forgets those whose time is over, so that an index in use does not grow
with what is gone.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, NamedTuple

from langchain_agentmem._flow import Flow
from langchain_agentmem.redis.database import RedisDatabase, milliseconds
from langchain_agentmem.redis.scripts import Script
from langchain_agentmem.redis.wire import Argument
from langchain_agentmem.types.scope import Owner

NEVER: Final = "never"
LABEL_BUCKETS: Final = 64
"""So many keys, however many labels: a key of its own for each run would weigh more than the run."""
MIN_SLACK_MS: Final = 60_000
GRACE_MS: Final = 120_000
"""How long a thread may take to begin once it is registered …"""
FRESH_S: Final = 30.0
"""… and after which time whoever begins it registers it again; the rest is for the answer to be slow."""
_LOOKED_AT: Final = 5
"""Other entries that a registration looks at; at most one in six is then dead for good."""

_REGISTER: Final = Script(
    """
-- KEYS: ids, marks. ARGV: horizon in milliseconds or 'never', rest of the mark, grace, how many others to look at,
-- members.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local horizon = ARGV[1]
local left = redis.call('PTTL', KEYS[1])
local some = redis.call('HRANDFIELD', KEYS[2], ARGV[4], 'WITHVALUES')
for i = 5, #ARGV do
  local kept = (redis.call('HGET', KEYS[2], ARGV[i]) or ''):match('^%S+')
  local is_longer = kept == 'never' or (kept and horizon ~= 'never' and tonumber(kept) > tonumber(horizon))
  redis.call('ZADD', KEYS[1], 0, ARGV[i])
  redis.call('HSET', KEYS[2], ARGV[i], string.format('%s %.0f %s', is_longer and kept or horizon, now, ARGV[2]))
end
for i = 1, #some, 2 do
  local ends = tonumber(some[i + 1]:match('^%S+'))
  if ends and ends + tonumber(ARGV[3]) < now then
    local mark = redis.call('HGET', KEYS[2], some[i])
    if mark == some[i + 1] then
      redis.call('ZREM', KEYS[1], some[i])
      redis.call('HDEL', KEYS[2], some[i])
    end
  end
end
for _, key in ipairs(KEYS) do
  if horizon == 'never' then
    redis.call('PERSIST', key)
  elseif left == -2 or (left >= 0 and now + left < tonumber(horizon)) then
    redis.call('PEXPIREAT', key, horizon)
  end
end
return 1
"""
)

_LIST: Final = Script(
    """
-- KEYS: ids, marks. ARGV: from, to, limit. Returns members and marks in turn.
local members, found = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3]), {}
for _, member in ipairs(members) do
  found[#found + 1] = member
  found[#found + 1] = redis.call('HGET', KEYS[2], member) or ''
end
return found
"""
)

_END_INDEX: Final = """
-- An index is without an end while a thread in it is: with the last such one it gets an end again. Where marks were
-- lost, nobody knows.
local function end_index()
  if redis.call('HLEN', KEYS[2]) < redis.call('ZCARD', KEYS[1]) then return end
  local cursor, longest = '0', 0
  repeat
    local found = redis.call('HSCAN', KEYS[2], cursor, 'COUNT', 1000)
    for i = 2, #found[2], 2 do
      local ends = tonumber(found[2][i]:match('^%S*'))
      if not ends then return end
      longest = math.max(longest, ends)
    end
    cursor = found[1]
  until cursor == '0'
  for _, key in ipairs(KEYS) do redis.call('PEXPIREAT', key, string.format('%.0f', longest)) end
end
local was_endless = false
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
"""

_FORGET: Final = Script(
    _END_INDEX
    + """
-- KEYS: ids, marks. ARGV: grace, then member and mark in turn. Forgets what has still that mark, and had begun or is
-- old enough; where the mark was lost, nobody knows.
for i = 2, #ARGV, 2 do
  local mark = redis.call('HGET', KEYS[2], ARGV[i]) or ''
  local since, has_begun = mark:match('^%S+ (%d+) '), mark == '' or mark:sub(-1) == '+'
  if mark == ARGV[i + 1] and (has_begun or (since and since + tonumber(ARGV[1]) <= now)) then
    redis.call('ZREM', KEYS[1], ARGV[i])
    redis.call('HDEL', KEYS[2], ARGV[i])
    was_endless = was_endless or mark:sub(1, 6) == 'never '
  end
end
if was_endless then end_index() end
return 1
"""
)

_RELAX: Final = Script(
    _END_INDEX
    + """
-- KEYS: ids, marks. ARGV: horizon in milliseconds, rest of the mark, then member and mark in turn. Keeps until the
-- horizon what was kept for ever and has still that mark.
for i = 3, #ARGV, 2 do
  if ARGV[i + 1]:sub(1, 6) == 'never ' and redis.call('HGET', KEYS[2], ARGV[i]) == ARGV[i + 1] then
    redis.call('HSET', KEYS[2], ARGV[i], string.format('%s %.0f %s', ARGV[1], now, ARGV[2]))
    was_endless = true
  end
end
if was_endless then end_index() end
return 1
"""
)

_CONFIRM: Final = Script(
    """
-- KEYS: ids, marks. ARGV: rest of the mark, members. Says of what was registered so that it has begun.
for i = 2, #ARGV do
  local mark = redis.call('HGET', KEYS[2], ARGV[i])
  if mark and mark:sub(-#ARGV[1] - 1) == ' ' .. ARGV[1] then redis.call('HSET', KEYS[2], ARGV[i], mark .. '+') end
end
return 1
"""
)


class Index(NamedTuple):
    """Two keys of one slot, and what the members of one listing begin with."""

    ids: bytes
    marks: bytes
    prefix: bytes = b""


class Entry(NamedTuple):
    """A thread in an index, which may be gone, and the mark it was seen with."""

    thread_id: str
    mark: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """That a thread was registered; good for a change of the generation that it was made for, and not for long.

    Attributes:
        horizon: Until when its entries are kept.
        labels: How many labels it had that were registered again; -1: none were.
        at_s: When, by the monotonic clock.
        nonce: What its marks end with until it has begun; empty: it had begun.
    """

    horizon: str = ""
    labels: int = -1
    at_s: float = 0.0
    nonce: str = ""

    def is_fresh(self) -> bool:
        """Whether a thread may still begin on it."""
        return bool(self.horizon) and time.monotonic() - self.at_s < FRESH_S


class Registry:
    """The indexes of one database."""

    def __init__(self, database: RedisDatabase) -> None:
        """Nothing is read yet."""
        self._database = database
        self.everything = self._index("threads")

    def of_owner(self, owner: Owner) -> Index:
        """Return the index of an owner's threads."""
        return self._index(f"{owner.tenant_id}\x00{owner.user_id}", "owner")

    def of_label(self, label: bytes) -> Index:
        """Return the part of an index that holds the threads of a label."""
        bucket = blake2b(label, digest_size=2).digest()[0] % LABEL_BUCKETS
        return self._bucket(bucket)._replace(prefix=label.hex().encode() + b"\x00")

    def shared(self) -> list[Index]:
        """Return the indexes that are of no one owner; of labels, whole parts."""
        return [self.everything, *map(self._bucket, range(LABEL_BUCKETS))]

    def of_thread(self, owner: Owner | None, labels: Iterable[bytes]) -> list[Index]:
        """Return where a thread of this owner and with these labels stands."""
        owners = [] if owner is None else [self.of_owner(owner)]
        return [self.everything, *owners, *map(self.of_label, labels)]

    def register(
        self, thread_id: str, indexes: Sequence[Index], horizon: str, *, labels: int, has_begun: bool
    ) -> Flow[Registered]:
        """Enter a thread in indexes, to be kept at least until a time.

        Args:
            thread_id: Which thread.
            indexes: Where.
            horizon: Until when, in milliseconds, or `never`.
            labels: How many labels that it has already are among these indexes.
            has_begun: Whether it is there; otherwise confirm it once it is.
        """
        nonce = secrets.token_hex(8)
        rest = nonce + "+" if has_begun else nonce
        head: list[Argument] = [horizon, rest, GRACE_MS, _LOOKED_AT]
        calls = [(keys, [*head, *members]) for keys, members in _by_keys(thread_id, indexes)]
        yield from self._database.call_each(_REGISTER, calls)
        return Registered(horizon=horizon, labels=labels, at_s=time.monotonic(), nonce="" if has_begun else nonce)

    def confirm(self, thread_id: str, indexes: Sequence[Index], registered: Registered) -> Flow[None]:
        """Say that a thread which was registered before it began is there."""
        calls = [(keys, [registered.nonce, *members]) for keys, members in _by_keys(thread_id, indexes)]
        yield from self._database.call_each(_CONFIRM, calls)

    def page(self, index: Index, after: str | None, limit: int) -> Flow[list[Entry]]:
        """Return entries in the order of their ids."""
        low = b"[" + index.prefix if after is None else b"(" + index.prefix + after.encode()
        high = b"(" + index.prefix[:-1] + b"\x01" if index.prefix else b"+"
        low = b"-" if low == b"[" else low
        reply = yield from self._database.call(_LIST, index[:2], [low, high, limit], is_repeatable=True)
        skipped = len(index.prefix)
        return [Entry(it[skipped:].decode(), mark) for it, mark in zip(reply[::2], reply[1::2], strict=True)]

    def marks(self, thread_id: str, indexes: Sequence[Index]) -> Flow[list[bytes]]:
        """Return the marks of a thread in indexes; empty where it is not."""
        member = thread_id.encode()
        found = yield from self._database.spread([("HGET", it.marks, it.prefix + member) for it in indexes])
        return [it or b"" for it in found]

    def forget(self, gone: Sequence[tuple[Index, Entry]], *, grace_ms: int = GRACE_MS) -> Flow[None]:
        """Remove entries that have not been renewed since they were seen."""
        calls: list[tuple[Sequence[bytes], Sequence[Argument]]] = [
            (index[:2], [grace_ms, index.prefix + entry.thread_id.encode(), entry.mark]) for index, entry in gone
        ]
        yield from self._database.call_each(_FORGET, calls)

    def relax(self, thread_id: str, entries: Sequence[tuple[Index, bytes]], horizon: str) -> Flow[None]:
        """Keep entries until a time that were kept for ever, and that have not been renewed since they were seen."""
        rest = secrets.token_hex(8) + "+"
        calls: list[tuple[Sequence[bytes], Sequence[Argument]]] = [
            (index[:2], [horizon, rest, index.prefix + thread_id.encode(), mark]) for index, mark in entries
        ]
        yield from self._database.call_each(_RELAX, calls)

    def _bucket(self, number: int) -> Index:
        return self._index(f"labels-{number:02}")

    def _index(self, tag: str, *parts: str) -> Index:
        key = self._database.key
        return Index(key(tag, *parts, "ids"), key(tag, *parts, "marks"))


def registered_at(marks: Iterable[bytes]) -> int:
    """Return when a thread was last registered, in milliseconds by the server's clock."""
    return max((int(mark.split(b" ")[1]) for mark in marks if mark), default=0)


def _by_keys(thread_id: str, indexes: Sequence[Index]) -> list[tuple[Sequence[bytes], Sequence[Argument]]]:
    """Return the members that a thread is in indexes, those of the same keys together."""
    members: dict[tuple[bytes, bytes], list[bytes]] = {}
    for ids, marks, prefix in indexes:
        members.setdefault((ids, marks), []).append(prefix + thread_id.encode())
    return list(members.items())


def horizon_of(expires_at: int | None, at: int, known: str) -> str:
    """Return until when to keep entries: twice as long as the thread is to live, so that few uses have to renew it.

    Args:
        expires_at: When the thread will expire, in microseconds.
        at: Now.
        known: Until when they are kept already; never less than that.
    """
    if expires_at is None or known == NEVER:
        return NEVER
    ends = milliseconds(expires_at)
    return str(max(ends + max(ends - milliseconds(at), MIN_SLACK_MS), int(known or 0)))
