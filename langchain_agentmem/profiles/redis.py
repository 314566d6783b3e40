"""Copies of profiles on Redis: one hash per user, a field per agent, sealed like any row.

| key | type | holds |
|---|---|---|
| `prefix:{tenant NUL user}:profile` | hash | `shared`, `agent:<id>`: a view and its revision; `floor`: a revision |

A copy that was begun before an erasure can arrive after it. Hence the floor, the revision of the last erasure: what is
of an earlier one is not taken.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic
from types import MappingProxyType
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import AgentMemError, IntegrityError, StorageError
from langchain_agentmem.ledger.base import Head
from langchain_agentmem.ledger.codec import dump, encode_fields, fields_of, fold, load
from langchain_agentmem.profiles.interactions import QUIET_S
from langchain_agentmem.profiles.views import ProfileView
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.scripts import Script
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import Cipher, Vault, vault_of

TTL_MS: Final = 24 * 60 * 60 * 1_000
"""A day after the last write or new reader, as long as a session is kept."""

MAX_BYTES: Final = 1_048_576
"""A greater copy takes longer to fetch and open than the ledger takes to read."""

PROFILE: Final = "profile"
"""How the key of every user's copies ends."""

_FORM: Final = 1
LOGGER: Final = logging.getLogger("langchain_agentmem")

_PUT: Final = Script("""
local floor = tonumber(redis.call('HGET', KEYS[1], 'floor') or '0')
if tonumber(ARGV[1]) < floor then return 0 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
""")

_DROP: Final = Script("""
local floor = tonumber(redis.call('HGET', KEYS[1], 'floor') or '0')
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'floor', math.max(floor, tonumber(ARGV[1])))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
""")


class RedisProfileViews:
    """Keeps views on one Redis.

    Args:
        database: The server or cluster, and the prefix of every key.
        vault: Seals views; by default nothing is encrypted.
        timer: Gives seconds, ascending.
    """

    def __init__(
        self, database: RedisDatabase, *, vault: Vault | None = None, timer: Callable[[], float] = monotonic
    ) -> None:
        """Nothing is opened yet."""
        self._database = database
        self._vault = vault_of(vault)
        self._timer = timer
        self._quiet_until = 0.0

    def get(self, scope: Scope) -> Flow[ProfileView | None]:
        """Return what is kept; nothing where Redis fails, or what it has is no view of ours."""
        if self._timer() < self._quiet_until:
            return None
        cipher = yield from self._vault.cipher(scope)
        try:
            [sealed] = yield from self._database.read(("HGET", self._key(scope), _field(scope)))
            return None if sealed is None else _opened(sealed, scope, cipher)
        except StorageError as error:
            self._failed(error)
            return None

    def put(self, scope: Scope, view: ProfileView) -> Flow[None]:
        """Keep a view; where Redis fails, the next reader reads the ledger."""
        if self._timer() < self._quiet_until:
            return
        cipher = yield from self._vault.cipher(scope)
        sealed = _sealed(view, scope, cipher)
        if len(sealed) > MAX_BYTES:
            return
        try:
            args = (view.head.seq, _field(scope), sealed, TTL_MS)
            yield from self._database.call(_PUT, [self._key(scope)], args, is_repeatable=True)
        except StorageError as error:
            self._failed(error)

    def drop(self, scope: Scope, floor: int) -> Flow[None]:
        """Drop all views of a user at once."""
        yield from self._database.call(_DROP, [self._key(scope)], (floor, TTL_MS), is_repeatable=True)

    def _key(self, scope: Scope) -> bytes:
        return profile_key(self._database, scope)

    def _failed(self, error: AgentMemError) -> None:
        if not isinstance(error, IntegrityError):  # what cannot be read is written anew
            self._quiet_until = self._timer() + QUIET_S
        LOGGER.warning("profiles are read without Redis: %s", type(error).__name__)


def profile_key(database: RedisDatabase, scope: Scope) -> bytes:
    """Return the key of a user's copies."""
    return database.key(f"{scope.tenant_id}\0{scope.user_id}", PROFILE)


def _field(scope: Scope) -> str:
    return "shared" if scope.agent_id is None else f"agent:{scope.agent_id}"


def _sealed(view: ProfileView, scope: Scope, cipher: Cipher) -> bytes:
    memories = {it.id: [it.revision, encode_fields(fields_of(it))] for it in view.memories.values()}
    stored = {"form": _FORM, "seq": view.head.seq, "digest": view.head.digest.hex(), "memories": memories}
    return cipher.seal(dump(stored), f"profile/{_field(scope)}")


def _opened(sealed: bytes, scope: Scope, cipher: Cipher) -> ProfileView | None:
    stored = load(cipher.open(sealed, f"profile/{_field(scope)}"))
    if stored.get("form") != _FORM:
        return None  # of another release
    try:
        owner = Scope(scope.user_id, tenant_id=scope.tenant_id)
        memories = {
            memory_id: fold(None, memory_id, owner, payload, revision)
            for memory_id, (revision, payload) in stored["memories"].items()
        }
        head = Head(seq=int(stored["seq"]), digest=bytes.fromhex(stored["digest"]))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        msg = "a copy of a profile on Redis cannot be read; it is made anew"
        raise IntegrityError(msg) from error
    return ProfileView(head=head, memories=MappingProxyType(memories))
