"""Working states on plain Redis or Valkey, one server or a cluster."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final, NamedTuple, Unpack

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import ConflictError, IntegrityError, StorageError
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.policies.working import stamped
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sessions.base import check_number, check_owner, check_session
from langchain_agentmem.states.base import DEFAULT_PAGE, Apply, States, StoredState
from langchain_agentmem.states.form import Place, Times, listed, seal, unseal
from langchain_agentmem.states.options import WorkingSettings, read_settings
from langchain_agentmem.states.redis.keys import StateKeys, index_key, state_keys
from langchain_agentmem.states.redis.scripts import DELETE, FORGET, READ, WRITE
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import LastUsed
from langchain_agentmem.types.working import WorkingSession, WorkingState
from langchain_agentmem.vault.base import Cipher, Vault, is_sealing, use_database, vault_of

ATTEMPTS: Final = 200
"""Of several writers at once one succeeds with each round; so many in a row lose against hundreds of others only."""

WRITER_BYTES: Final = 12
"""Of a random name of one write: two of the last sixteen are equal with a chance below 10^-26."""

AT_ONCE: Final = 100
"""Conversations described in one round trip of a listing."""

_STORED: Final = ("version", "state", "accesses")
_FIELDS: Final = ("version", "title", "created", "used", "accesses")


class RedisStates(States):
    """Working states in Redis: a hash each, changed by one script that compares and sets.

    Args:
        database: The server or cluster, and the prefix of every key.
        vault: Seals states and their titles; by default nothing is encrypted.
        settings: Fields of `WorkingOptions`.
    """

    def __init__(
        self, database: RedisDatabase, *, vault: Vault | None = None, **settings: Unpack[WorkingSettings]
    ) -> None:
        """Nothing is opened yet."""
        self.database = database
        self._vault = vault_of(vault)
        use_database(database, "working", self._vault)
        self._options = read_settings(settings)

    def read(self, scope: Scope, *, prolongs: bool = True) -> Flow[StoredState | None]:
        """Ask for three fields and what is left of its life; by a script where it is time to prolong that."""
        keys = self._keys(scope)
        cipher = yield from self._vault.cipher(scope)
        found, left = yield from self.database.read(("HMGET", keys.state, *_STORED), ("PTTL", keys.state))
        if prolongs and left > 0 and self._options.is_due(timedelta(milliseconds=left)):
            with contextlib.suppress(StorageError):  # another read will
                found = yield from self.database.call(READ, keys.names, (self._options.ttl_ms,), is_repeatable=True)
        if not found or found[0] is None:
            return None
        version, sealed, accesses = found
        return StoredState(unseal(sealed or b"", cipher, _place(keys, version)), _number(accesses))

    def change(self, scope: Scope, apply: Apply, *, erases: bool = False) -> Flow[StoredState]:
        """Read, apply, and write if nobody came between; else again. What was there is in no key either way."""
        del erases
        keys = self._keys(scope)
        cipher = yield from self._vault.cipher(scope)
        for _ in range(ATTEMPTS):
            stored = yield from self._try(scope, keys, cipher, apply)
            if stored is not None:
                return stored
        msg = f"others changed the working state {ATTEMPTS} times meanwhile; retry, or let fewer write to one"
        raise ConflictError(msg, is_retryable=True)

    def delete(self, scope: Scope, *, known: WorkingState | None = None) -> Flow[bool]:
        """Delete the hash, and its id from the index."""
        keys = self._keys(scope)
        wanted = ("", "") if known is None else (known.version, _begun(known))
        args = (check_session(scope), *wanted)
        return bool((yield from self.database.call(DELETE, keys.names, args, is_repeatable=True)))

    def sessions(
        self, scope: Scope, *, limit: int = DEFAULT_PAGE, before: LastUsed | None = None
    ) -> Flow[list[WorkingSession]]:
        """List by the user's index, and take out of it what has expired."""
        check_owner(scope)
        check_number("limit", limit)
        cipher = yield from self._vault.cipher(scope)
        left = [check_session(scope)] if scope.is_anonymous else (yield from self._ids(scope, before))
        found: list[WorkingSession] = []
        gone: list[str] = []
        while left and len(found) < limit:
            some, left = left[:AT_ONCE], left[AT_ONCE:]
            described = yield from self._described(scope, some, cipher)
            gone += [id for id, it in zip(some, described, strict=True) if it is None]
            known = (it for it in described if it is not None)
            found += [it for it in known if before is None or _rank(LastUsed.of(it)) < _rank(before)]
        if gone and not scope.is_anonymous:
            yield from self._forget(scope, gone)
        return found[:limit]

    def cipher(self, scope: Scope) -> Flow[Cipher | None]:
        """Ask the vault, where there is one."""
        return (yield from self._vault.cipher(scope)) if is_sealing(self._vault) else None

    def sweep(self) -> Flow[int]:
        """Do nothing: the server removes what expired by itself."""
        yield from ()
        return 0

    def _try(self, scope: Scope, keys: StateKeys, cipher: Cipher, apply: Apply) -> Flow[StoredState | None]:
        """Return what is stored now, or `None` where somebody else was faster."""
        [found] = yield from self.database.read(("HMGET", keys.state, "version", "state"))
        version, sealed = found
        before = None if version is None else unseal(sealed or b"", cipher, _place(keys, version))
        at = self._options.clock()
        state = stamped(before, apply(before), at)
        written = seal(state, cipher, _place(keys, state.version))
        expected = ("0", "") if before is None else (before.version, _begun(before))
        args = (self._options.ttl_ms, *expected, state.version, _begun(state), to_micros(at), check_session(scope))
        reply = yield from self.database.call(
            WRITE, keys.names, (*args, *written, os.urandom(WRITER_BYTES).hex()), is_repeatable=True
        )
        is_stored, accesses, *more = reply
        if more and more[0]:  # the state is new: what may have gone from its user's index comes with it
            yield from self._forget(scope, [id.decode() for id in more[0]])
        return StoredState(state, int(accesses)) if is_stored else None

    def _ids(self, scope: Scope, before: LastUsed | None) -> Flow[list[str]]:
        """Return the ids in a user's index from a time on backwards: a user has few tasks at a time."""
        start: Any = "+inf" if before is None else to_micros(before.at)
        index = index_key(self.database.prefix, scope)
        [ids] = yield from self.database.read(("ZREVRANGEBYSCORE", index, start, "-inf"))
        return [id.decode() for id in ids]

    def _described(self, scope: Scope, ids: Sequence[str], cipher: Cipher) -> Flow[list[WorkingSession | None]]:
        """Return what is known of conversations; `None` for one without a state."""
        every = [state_keys(self.database.prefix, scope, id) for id in ids]
        replies = yield from self.database.read(*(("HMGET", keys.state, *_FIELDS) for keys in every))
        return [_listed(id, keys, it, cipher) for id, keys, it in zip(ids, every, replies, strict=True)]

    def _forget(self, scope: Scope, ids: Sequence[str]) -> Flow[None]:
        """Take conversations whose states are gone out of the user's index; if that fails, another call will."""
        index = index_key(self.database.prefix, scope)
        states = [state_keys(self.database.prefix, scope, id).state for id in ids]
        with contextlib.suppress(StorageError):
            yield from self.database.call(FORGET, [index, *states], ids, is_repeatable=True)

    def _keys(self, scope: Scope) -> StateKeys:
        return state_keys(self.database.prefix, scope, check_session(scope))


class _Fields(NamedTuple):
    """What a listing asks of a hash."""

    version: bytes
    title: bytes
    created: bytes
    used: bytes
    accesses: bytes


def _listed(session_id: str, keys: StateKeys, found: Sequence[bytes | None], cipher: Cipher) -> WorkingSession | None:
    if found[0] is None:
        return None
    known = _Fields(*(it or b"" for it in found))
    times = Times(_number(known.created), _number(known.used), _number(known.accesses))
    return listed(session_id, known.title, cipher, _place(keys, known.version), times)


def _rank(session: LastUsed) -> tuple[int, bytes]:
    return to_micros(session.at) or 0, session.session_id.encode()


def _begun(state: WorkingState) -> int:
    return to_micros(state.started_at) or 0


def _place(keys: StateKeys, version: bytes | int) -> Place:
    return Place(keys.name, _number(version))


def _number(value: bytes | int) -> int:
    """Return a number of ours.

    Raises:
        IntegrityError: Somebody else wrote something else there.
    """
    try:
        return int(value)
    except ValueError as error:
        msg = "a stored working state cannot be read back; use a prefix that nobody else writes to"
        raise IntegrityError(msg) from error
