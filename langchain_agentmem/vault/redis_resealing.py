"""Seal what is on Redis anew: value by value, each only where it is still what was read; others go on meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias, TypeVar
from zlib import crc32

from langchain_agentmem._checksums import INTACT
from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.base import CheckpointRow, WriteRow
from langchain_agentmem.checkpoints.envelope import content_of
from langchain_agentmem.checkpoints.redis import rows
from langchain_agentmem.checkpoints.redis.registry import Registry
from langchain_agentmem.checkpoints.redis.thread import thread_keys
from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.keys import tag_of
from langchain_agentmem.redis.scripts import Script
from langchain_agentmem.sessions.messages import decode
from langchain_agentmem.sessions.redis.elements import elements_begin, links_of
from langchain_agentmem.sessions.redis.keys import SessionKeys, session_keys
from langchain_agentmem.sessions.redis.keys import index_key as sessions_key
from langchain_agentmem.sessions.redis.sessions import summary_name
from langchain_agentmem.sessions.stored import content_of as content_of_message
from langchain_agentmem.states.form import Place
from langchain_agentmem.states.redis.keys import index_key as states_key
from langchain_agentmem.states.redis.keys import state_keys
from langchain_agentmem.types import Scope
from langchain_agentmem.types.scope import Owner
from langchain_agentmem.vault.base import NullCipher
from langchain_agentmem.vault.cipher import SubjectCipher
from langchain_agentmem.vault.keyring import Subject

BATCH_VALUES: Final = 200
T = TypeVar("T")

Opened: TypeAlias = Callable[[SubjectCipher, bytes, tuple[str, ...]], bytes]
"""Gives what a value says, under whichever of its names it was sealed."""

_SWAP: Final = Script("""
-- KEYS: one key, and for items that of their digests. ARGV: list, hash, zset or items; then old and new of each value,
-- for a hash after its field, for items after their number and before their digest. Returns how many were as they were.
local kind, key, count, place = ARGV[1], KEYS[1], 0, 2
local call = redis.call
if kind == 'list' then
  local anew = {}
  for i = 2, #ARGV, 2 do anew[ARGV[i]] = ARGV[i + 1] end
  for at, element in ipairs(call('LRANGE', key, 0, -1)) do
    if anew[element] then
      call('LSET', key, at - 1, anew[element])
      count = count + 1
    end
  end
elseif kind == 'zset' then
  for i = 2, #ARGV, 2 do
    if call('ZSCORE', key, ARGV[i]) then
      call('ZADD', key, 0, ARGV[i + 1])
      call('ZREM', key, ARGV[i])
      count = count + 1
    end
  end
else
  local width = kind == 'hash' and 3 or 4
  for i = 2, #ARGV, width do
    if call('HGET', key, ARGV[i]) == ARGV[i + 1] then
      call('HSET', key, ARGV[i], ARGV[i + 2])
      if width == 4 then call('SETRANGE', KEYS[2], (tonumber(ARGV[i]) - 1) * 16, ARGV[i + 3]) end
      count = count + 1
    end
  end
end
return count
""")


class RedisResealing:
    """Seals anew what a user has on one Redis: conversations, working states, threads; copies of profiles are dropped.

    Args:
        database: The server or cluster, and the prefix of every key.
    """

    def __init__(self, database: RedisDatabase) -> None:
        """Nothing is opened yet."""
        self.database = database
        self._registry = Registry(database)

    def subjects(self) -> Flow[list[Subject]]:
        """Return everybody of whom something is there; it visits every key.

        Raises:
            ConfigurationError: A thread belongs to nobody, and so no key could seal it.
        """
        found = set[Subject]()
        for part in ("session", "working", "profile"):
            keys = yield from self.database.scan(f"{self.database.prefix}:{{*}}:{part}*".encode())
            found |= set(map(_subject_of, keys))
        threads, after = list[str](), None
        while page := (yield from self._registry.page(self._registry.everything, after, BATCH_VALUES)):
            threads += [it.thread_id for it in page]
            after = threads[-1]
        for thread_id in threads:
            owner = yield from self._owner(thread_id)
            found |= set() if owner is None else {Subject(owner.tenant_id, owner.user_id)}
        return sorted(found)

    def reseal(self, subject: Subject, cipher: SubjectCipher, opened: Opened, *, is_first: bool) -> Flow[int]:
        """Seal every value of a subject anew that is not sealed with its current key; return how many.

        Args:
            subject: Whose.
            cipher: Theirs.
            opened: Opens values as they are.
            is_first: Whether there was no vault before; then labels of threads go, which stand in the clear.
        """
        changed = yield from self.visit(subject, RedisValues(cipher, opened))
        if subject.user_id:
            for thread_id in (yield from self._threads(subject)) if is_first else ():
                yield from self._drop_labels(thread_id)
            yield from self._drop_profile(subject)
        return changed

    def visit(self, subject: Subject, one: RedisValues) -> Flow[int]:
        """Show it every sealed value of a subject, and keep what it makes of each; return how many it changed."""
        scope = Scope(subject.user_id, tenant_id=subject.tenant_id) if subject.user_id else _visitor(subject)
        changed = 0
        for session_id in (yield from self._ids(scope, sessions_key)):
            changed += yield from self._session(session_keys(self.database.prefix, scope, session_id), one)
        for session_id in (yield from self._ids(scope, states_key)):
            changed += yield from self._state(scope, session_id, one)
        if subject.user_id:
            for thread_id in (yield from self._threads(subject)):
                changed += yield from self._thread(thread_id, one)
        return changed

    # ------------------------------------------------------------------------------------------ conversations, states
    def _ids(self, scope: Scope, index: Callable[[str, Scope], bytes]) -> Flow[list[str]]:
        if scope.is_anonymous:
            return [scope.session_id or ""]
        [ids] = yield from self.database.read(("ZRANGE", index(self.database.prefix, scope), 0, -1))
        return [it.decode() for it in ids]

    def _session(self, keys: SessionKeys, one: RedisValues) -> Flow[int]:
        [elements] = yield from self.database.read(("LRANGE", keys.messages, 0, -1))
        pairs = [(it, one.element(it, keys)) for it in elements if it]
        count = yield from self._swap("list", [keys.messages], [it for it in pairs if it[0] != it[1]])
        fields = ("title", "summary", "summary_version")
        [[title, summary, version]] = yield from self.database.read(("HMGET", keys.meta, *fields))
        names = (f"title/{keys.name}", summary_name(keys, int(version or 0)))
        return count + (yield from self._fields(keys.meta, zip(fields, (title, summary), names, strict=False), one))

    def _state(self, scope: Scope, session_id: str, one: RedisValues) -> Flow[int]:
        keys = state_keys(self.database.prefix, scope, session_id)
        fields = ("title", "state", "version")
        [[title, state, version]] = yield from self.database.read(("HMGET", keys.state, *fields))
        place = Place(keys.name, int(version or 0))
        names = (place.of_title[0], place.of_state[0])
        return (yield from self._fields(keys.state, zip(fields, (title, state), names, strict=False), one))

    def _fields(self, key: bytes, found: Iterable[tuple[str, bytes | None, str]], one: RedisValues) -> Flow[int]:
        told = [(field, value, one.anew(value, name)) for field, value, name in found if value]
        return (yield from self._swap("hash", [key], [it for it in told if it[1] != it[2]]))

    def _drop_profile(self, subject: Subject) -> Flow[None]:
        """Drop copies; the next reader makes them anew from the ledger."""
        key = self.database.key(f"{subject.tenant_id}\0{subject.user_id}", "profile")
        [fields] = yield from self.database.read(("HKEYS", key))
        copies = [it for it in fields if it != b"floor"]
        if copies:
            yield from self.database.write(("HDEL", key, *copies), is_repeatable=True)

    # -------------------------------------------------------------------------------------------------------- threads
    def _threads(self, subject: Subject) -> Flow[list[str]]:
        index = self._registry.of_owner(Owner(subject.tenant_id, subject.user_id))
        found, after = list[str](), None
        while page := (yield from self._registry.page(index, after, BATCH_VALUES)):
            found += [it.thread_id for it in page]
            after = found[-1]
        return found

    def _owner(self, thread_id: str) -> Flow[Owner | None]:
        [[generation, owner]] = yield from self.database.read(
            ("HMGET", thread_keys(self.database.prefix, thread_id)[0], "g", "o")
        )
        if generation is not None and not owner:
            msg = f"thread {thread_id!r} belongs to nobody, so that no key can seal it; bind it to a user, or delete it"
            raise ConfigurationError(msg)
        return rows.unpack_owner(owner, thread_id)

    def _thread(self, thread_id: str, one: RedisValues) -> Flow[int]:
        _, items, digests, checkpoints, writes = thread_keys(self.database.prefix, thread_id)
        of_thread, seal = one.of_thread(thread_id), Seal(NullCipher(), thread_id)
        changed = 0
        [numbers] = yield from self.database.read(("HKEYS", items))
        for some in _batches(numbers):
            [values] = yield from self.database.read(("HMGET", items, *some))
            told = [of_thread.item(no, value, seal) for no, value in zip(some, values, strict=True) if value]
            changed += yield from self._swap("items", [items, digests], [it for it in told if it])
        changed += yield from self._members(checkpoints, lambda it: of_thread.checkpoint(it, seal))
        changed += yield from self._members(writes, lambda it: of_thread.write(it, seal))
        return changed

    def _members(self, key: bytes, anew: Callable[[bytes], bytes]) -> Flow[int]:
        changed, low = 0, b"-"
        while True:
            [members] = yield from self.database.read(("ZRANGEBYLEX", key, low, "+", "LIMIT", 0, BATCH_VALUES))
            pairs = [(it, anew(it)) for it in members]
            changed += yield from self._swap("zset", [key], [it for it in pairs if it[0] != it[1]])
            if len(members) < BATCH_VALUES:
                return changed
            low = b"(" + members[-1]

    def _drop_labels(self, thread_id: str) -> Flow[None]:
        """Drop labels that a thread had in the clear; under a vault nobody asks for one."""
        meta = thread_keys(self.database.prefix, thread_id)[0]
        [fields] = yield from self.database.read(("HKEYS", meta))
        labels = [it for it in fields if it.startswith(b"l:")]
        if not labels:
            return
        yield from self.database.write(("HDEL", meta, *labels), ("HSET", meta, "lc", 0), is_repeatable=True)
        for label in labels:
            ids, marks, prefix = self._registry.of_label(label.removeprefix(b"l:"))
            member = prefix + thread_id.encode()
            yield from self.database.write(("ZREM", ids, member), ("HDEL", marks, member), is_repeatable=True)

    def _swap(self, kind: str, keys: Sequence[bytes], values: Sequence[tuple[bytes | str, ...]]) -> Flow[int]:
        changed = 0
        for some in _batches(values):
            args = [kind, *(it for value in some for it in value)]
            changed += int((yield from self.database.call(_SWAP, keys, args, is_repeatable=True)))
        return changed


class RedisValues:
    """The values of one subject, or of a thread of theirs, as they are sealed now.

    Args:
        cipher: The subject's, or their thread's.
        opened: Gives what a value says.
    """

    def __init__(self, cipher: SubjectCipher, opened: Opened) -> None:
        self._cipher = cipher
        self._opened = opened

    def of_thread(self, thread_id: str) -> RedisValues:
        """Return the values of a thread."""
        return RedisValues(self._cipher.of_thread(thread_id), self._opened)

    def anew(self, value: bytes, *names: str) -> bytes:
        """Return a value as the current key seals it; itself where that key did."""
        if self._cipher.is_of_current_key(value):
            return value
        return self._cipher.seal(self._opened(self._cipher, value, names), names[0])

    def element(self, element: bytes, keys: SessionKeys) -> bytes:
        """Return an element of a conversation anew; which calls belong together is told by digests of this key."""
        _, message_id, sealed = element.split(b"\0", 2)
        if self._cipher.is_of_current_key(sealed):
            return element
        name = f"message/{keys.name}\0{message_id.decode()}"
        plain = self._opened(self._cipher, sealed, (name,))
        said = content_of_message(plain)
        if crc32(element, elements_begin(keys)) == INTACT:
            plain = said  # the seal takes the place of the checksum; one that does not fit stays, and is told of later
        links = links_of(decode(said), self._cipher)
        return b"%b\0%b\0%b" % (links, message_id, self._cipher.seal(plain, name))

    def item(self, no: bytes, value: bytes, seal: Seal) -> tuple[bytes, ...]:
        """Return number, old, new and digest of an item; nothing where the current key sealed it."""
        if self._cipher.is_of_current_key(value):
            return ()
        name = seal.identity("item", int(no))
        plain = self._opened(self._cipher, value, (name,))
        return no, value, self._cipher.seal(plain, name), self._cipher.fingerprint(content_of(plain))

    def checkpoint(self, member: bytes, seal: Seal) -> bytes:
        """Return a checkpoint anew."""
        row: CheckpointRow = rows.unpack_checkpoint(member)
        place = ("checkpoint", row.ns, row.id)
        header = self.anew(row.header, seal.identity(*place, row.parent_id), seal.identity(*place))
        return rows.checkpoint_key(row.ns, row.id) + rows.checkpoint_rest(row._replace(header=header))

    def write(self, member: bytes, seal: Seal) -> bytes:
        """Return a pending write anew."""
        row: WriteRow = rows.unpack_write(member)
        name = seal.identity("write", row.ns, row.checkpoint_id, row.task_id, row.idx, row.task_path, row.channel)
        return rows.write_key(row) + rows.write_rest(row._replace(value=self.anew(row.value, name)))


def _subject_of(key: bytes) -> Subject:
    """Return whose a key is, by what stands between its braces."""
    tenant_id, user_id, *session = tag_of(key).split("\0")
    return Subject(tenant_id, user_id, *session)


def _visitor(subject: Subject) -> Scope:
    return Scope.anonymous(subject.session_id, tenant_id=subject.tenant_id)


def _batches(values: Sequence[T]) -> Iterator[Sequence[T]]:
    return (values[start : start + BATCH_VALUES] for start in range(0, len(values), BATCH_VALUES))
