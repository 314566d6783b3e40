"""Sessions on plain Redis or Valkey, one server or a cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final, NamedTuple, Protocol, Unpack

from langchain_core.messages import BaseMessage

from langchain_agentmem._checks import check_instance
from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import IntegrityError, StorageError
from langchain_agentmem.ledger.codec import EPOCH, from_micros, to_micros
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.replies import number
from langchain_agentmem.redis.scripts import Script
from langchain_agentmem.sessions.base import (
    DEFAULT_PAGE,
    KEPT_IDS,
    MAX_NUMBER,
    SEARCH_PAGE,
    Conversation,
    KeptSummary,
    MessagePage,
    RewritableSessions,
    check_number,
    check_owner,
    check_session,
    check_words,
)
from langchain_agentmem.sessions.batch import Batch, prepare
from langchain_agentmem.sessions.messages import decode_title, has_words
from langchain_agentmem.sessions.options import SessionOptions, SessionSettings, read_settings
from langchain_agentmem.sessions.redis.elements import element_of, opened
from langchain_agentmem.sessions.redis.keys import SessionKeys, index_key, session_keys
from langchain_agentmem.sessions.redis.scripts import APPEND, CLEAR, FORGET, KEEP, READ, REWRITE
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import LastUsed
from langchain_agentmem.vault.base import Cipher, Vault, use_database, vault_of

REDIS_TTL: Final = timedelta(days=7)
"""A conversation in Redis is gone a week after its last message, unless its owner decides otherwise."""

DEFAULT_OPTIONS: Final = SessionOptions(ttl=REDIS_TTL)

_FIELDS: Final = ("created", "used", "title", "holes")
_SUMMARY: Final = ("summary", "summary_version")


class SessionFollower(Protocol):
    """Keeps something of conversations, and lets go of it with them; it never fails for whoever writes to them."""

    def began(self, scope: Scope) -> Flow[None]:
        """A conversation begins; one of the same name may have expired."""
        ...

    def made_room(self, scope: Scope, message_ids: Collection[str]) -> Flow[None]:
        """Messages of a conversation made room for newer ones."""
        ...


class RedisSessions(RewritableSessions):
    """Conversations in Redis: a list of whole messages each, with one expiry for all of a session's keys.

    Adding is one script and one round trip, reading one command and one round trip, however long the conversation is.

    Args:
        database: The server or cluster, and the prefix of every key.
        vault: Seals messages, titles and summaries; by default nothing is encrypted.
        options: What the settings change; by default `ttl` is seven days.
        follower: Is told what Redis drops, and keeps nothing of it either.
        settings: Fields of `SessionOptions`.
    """

    def __init__(
        self,
        database: RedisDatabase,
        *,
        vault: Vault | None = None,
        options: SessionOptions = DEFAULT_OPTIONS,
        follower: SessionFollower | None = None,
        **settings: Unpack[SessionSettings],
    ) -> None:
        """Nothing is opened yet."""
        self._follower = follower
        self.database = database
        self._vault = vault_of(vault)
        use_database(database, "conversations", self._vault)
        self._options = read_settings(settings, options)

    def append(self, scope: Scope, messages: Sequence[BaseMessage]) -> Flow[int]:
        """Add messages by one script; repeating it does no harm."""
        keys = self._keys(scope)
        batch = prepare(messages, self._options)
        if not batch.entries:
            return 0
        cipher = yield from self._vault.cipher(scope)
        options = self._options
        args: list[Any] = [
            "" if options.ttl_ms is None else options.ttl_ms,
            "" if options.max_messages is None else options.max_messages,
            batch.at,
            check_session(scope),
            _sealed_title(batch, cipher, keys),
            KEPT_IDS,
        ]
        for entry in batch.entries:
            args += (entry.id, element_of(entry, cipher, keys))
        reply = yield from self._call(scope, APPEND, args)
        if isinstance(reply, list):
            yield from self._tidy(scope, *reply[1:])
            reply = reply[0]
        return int(reply)

    def _tidy(self, scope: Scope, is_new: int, suspects: list[bytes], gone: list[bytes]) -> Flow[None]:
        """Let go of what Redis has dropped: sessions that expired, and messages that made room."""
        if suspects:
            yield from self._forget(scope, [id.decode() for id in suspects])
        if self._follower is not None and not scope.is_anonymous:
            if is_new:
                yield from self._follower.began(scope)
            if gone:
                yield from self._follower.made_room(scope, [id.decode() for id in gone])

    def read(self, scope: Scope, *, last: int | None = None) -> Flow[list[BaseMessage]]:
        """Read the list, or its end; ask once more where that is empty, as it may have been evicted."""
        keys = self._keys(scope)
        start = 0 if last is None else -check_number("last", last)
        cipher = yield from self._vault.cipher(scope)
        if self._is_refreshing:
            found = yield from self._slice(scope, "before", MAX_NUMBER, last or MAX_NUMBER)
            elements = found.elements
        else:
            [elements] = yield from self.database.read(("LRANGE", keys.messages, start, -1))
        if not elements or (last is not None and b"" in elements):
            elements = (yield from self._slice(scope, "before", MAX_NUMBER, last or MAX_NUMBER)).elements
        messages = [message for message in opened(elements, cipher, keys) if message is not None]
        return messages if last is None else messages[-last:]

    def page(self, scope: Scope, *, after: int = 0, limit: int = DEFAULT_PAGE) -> Flow[MessagePage]:
        """Read from a position on; one message more than asked for tells whether there is a next page."""
        after, limit = check_number("after", after, least=0), check_number("limit", limit)
        keys = self._keys(scope)
        cipher = yield from self._vault.cipher(scope)
        found = yield from self._slice(scope, "after", after, limit + 1)
        placed = list(_placed(found, cipher, keys))
        next_after = placed[limit - 1][0] if len(placed) > limit else None
        return MessagePage(messages=tuple(message for _, message in placed[:limit]), next_after=next_after)

    def search(self, scope: Scope, text: str, *, limit: int = DEFAULT_PAGE) -> Flow[list[BaseMessage]]:
        """Read backwards, a round trip per page."""
        words, limit = check_words(text), check_number("limit", limit)
        keys = self._keys(scope)
        cipher = yield from self._vault.cipher(scope)
        found: list[BaseMessage] = []
        before, first = MAX_NUMBER, 0
        while len(found) < limit and before > first:
            part = yield from self._slice(scope, "before", before, SEARCH_PAGE)
            messages = reversed([message for _, message in _placed(part, cipher, keys)])
            found += [message for message in messages if has_words(message, words)]
            before, first = part.start, part.first
        return found[:limit]

    def summary(self, scope: Scope) -> Flow[bytes | None]:
        """Ask for two fields."""
        keys = self._keys(scope)
        cipher = yield from self._vault.cipher(scope)
        [[sealed, version]] = yield from self.database.read(("HMGET", keys.meta, *_SUMMARY))
        if sealed is None:
            return None
        made = number(version or 0, f"the version of the summary of session {scope.session_id!r}")
        return cipher.open(sealed, summary_name(keys, made))

    def keep_summary(self, scope: Scope, kept: KeptSummary | None) -> Flow[bool]:
        """Compare and set by one script; the fields end with the session's hash."""
        keys = self._keys(scope)
        if kept is None:
            yield from self.database.write(("HDEL", keys.meta, *_SUMMARY), is_repeatable=True)
            return False
        check_instance("kept", kept, KeptSummary)
        cipher = yield from self._vault.cipher(scope)
        args = (kept.version, kept.about, cipher.seal(kept.data, summary_name(keys, kept.version)))
        return bool((yield from self.database.call(KEEP, keys.names, args, is_repeatable=True)))

    def rewrite(self, scope: Scope, messages: Sequence[BaseMessage], title: str | None = None) -> Flow[int]:
        """Set each element anew by one script, which looks through the list."""
        keys = self._keys(scope)
        batch = prepare(messages, SessionOptions())
        cipher = yield from self._vault.cipher(scope)
        named = "" if title is None else cipher.seal(title.encode("utf-8", "surrogatepass"), f"title/{keys.name}")
        args: list[Any] = [named]
        for entry in batch.entries:
            args += (entry.id, element_of(entry, cipher, keys))
        return int((yield from self.database.call(REWRITE, keys.names, args, is_repeatable=True)))

    def clear(self, scope: Scope) -> Flow[int]:
        """Delete the session's keys, and the session from its user's index."""
        keys = self._keys(scope)
        return int((yield from self.database.call(CLEAR, keys.names, (check_session(scope),), is_repeatable=True)))

    def count(self, scope: Scope) -> Flow[int]:
        """Ask for the length of the list."""
        keys = self._keys(scope)
        asked = (("LLEN", keys.messages), ("HMGET", keys.meta, "created", "holes"))
        length, [created, holes] = yield from self.database.read(*asked)
        if _is_odd(created, length):
            yield from self._slice(scope, "before", MAX_NUMBER, 1)
        return int(length) - number(holes or 0, f"the length of session {scope.session_id!r}")

    def conversations(
        self, scope: Scope, *, limit: int = DEFAULT_PAGE, before: LastUsed | None = None
    ) -> Flow[list[Conversation]]:
        """List by the user's index, and take out of it what has expired."""
        check_owner(scope)
        left = check_number("limit", limit)
        cipher = yield from self._vault.cipher(scope)
        if scope.is_anonymous:
            listed = yield from self._described(scope, [check_session(scope)], cipher)
            own = (it for it in listed if it is not None)
            return [it for it in own if before is None or _rank(LastUsed.of(it)) < _rank(before)]
        return (yield from self._listed(scope, left, before, cipher))

    def sweep(self) -> Flow[int]:
        """Do nothing: the server removes what expired by itself."""
        yield from ()
        return 0

    # ------------------------------------------------------------------------------------------------------ listing
    def _listed(self, scope: Scope, limit: int, before: LastUsed | None, cipher: Cipher) -> Flow[list[Conversation]]:
        listed: list[Conversation] = []
        expired: list[str] = []
        cursor: _Cursor | None = _Cursor.before(before)
        while cursor is not None and len(listed) < limit:
            ids, cursor = yield from self._next_ids(scope, cursor, limit)
            described = yield from self._described(scope, ids, cipher)
            expired += [id for id, it in zip(ids, described, strict=True) if it is None]
            listed += [it for it in described if it is not None]
        if expired:
            yield from self._forget(scope, expired)
        return listed[:limit]

    def _next_ids(self, scope: Scope, cursor: _Cursor, limit: int) -> Flow[tuple[list[str], _Cursor | None]]:
        """Return ids of sessions, last used first, and the cursor for those that follow, if any do."""
        index = index_key(self.database.prefix, scope)
        options = ("WITHSCORES", "LIMIT", cursor.skip, limit)
        [reply] = yield from self.database.read(("ZREVRANGEBYSCORE", index, cursor.at, "-inf", *options))
        ids, scores = reply[::2], [int(float(score)) for score in reply[1::2]]
        is_there_more = len(ids) == limit
        wanted = [id.decode() for id, at in zip(ids, scores, strict=True) if cursor.is_past(at, id)]
        return wanted, cursor.moved(scores) if is_there_more else None

    def _described(self, scope: Scope, ids: Sequence[str], cipher: Cipher) -> Flow[list[Conversation | None]]:
        """Return what is known of sessions; `None` for one that is not there any more."""
        every = [session_keys(self.database.prefix, scope, id) for id in ids]
        asked = [it for keys in every for it in (("HMGET", keys.meta, *_FIELDS), ("LLEN", keys.messages))]
        replies = yield from self.database.read(*asked)
        for id, meta, length in zip(ids, replies[::2], replies[1::2], strict=True):
            if _is_odd(meta[0], length):
                yield from self._slice(replace(scope, session_id=id), "before", MAX_NUMBER, 1)
        described = zip(ids, every, replies[::2], replies[1::2], strict=True)
        return [_conversation(id, keys, meta, length, cipher) for id, keys, meta, length in described]

    def _forget(self, scope: Scope, ids: Sequence[str]) -> Flow[None]:
        """Take those sessions out of the user's index that are not there any more; if that fails, another call will."""
        keys = [key for id in ids for key in session_keys(self.database.prefix, scope, id).own]
        index = index_key(self.database.prefix, scope)
        with contextlib.suppress(StorageError):
            yield from self.database.call(FORGET, [index, *keys], ids, is_repeatable=True)

    # ------------------------------------------------------------------------------------------------------ reading
    @property
    def _is_refreshing(self) -> bool:
        return self._options.refresh_on_read and self._options.ttl is not None

    def _slice(self, scope: Scope, direction: str, position: int, limit: int) -> Flow[_Slice]:
        """Read some consecutive elements, and those in addition that make up for empty ones.

        Raises:
            IntegrityError: The messages, or what is known of them, were evicted.
        """
        ttl = self._options.ttl_ms if self._is_refreshing else ""
        args = (ttl or "", direction, position, limit)
        return _Slice(*(yield from self._call(scope, READ, args)))

    def _call(self, scope: Scope, script: Script, args: Sequence[Any]) -> Flow[Any]:
        """Run a script that is safe to repeat on the keys of a session.

        Raises:
            IntegrityError: What is stored of the session is damaged, or a part of it was evicted.
        """
        try:
            return (yield from self.database.call(script, self._keys(scope).names, args, is_repeatable=True))
        except IntegrityError as error:
            msg = f"session {scope.session_id!r}: {error}"
            raise IntegrityError(msg) from error

    def _keys(self, scope: Scope) -> SessionKeys:
        return session_keys(self.database.prefix, scope, check_session(scope))


class _Slice(NamedTuple):
    """Consecutive elements, where they begin, and where the session does."""

    first: int
    start: int
    elements: list[bytes]


class _Cursor(NamedTuple):
    """Where a listing goes on: at a time of last use, after `skip` sessions of just that time, or after an id."""

    at: str
    skip: int = 0
    last: bytes | None = None

    @classmethod
    def before(cls, last: LastUsed | None) -> _Cursor:
        return cls("+inf") if last is None else cls(str(to_micros(last.at)), last=last.session_id.encode())

    def is_past(self, at: int, id: bytes) -> bool:
        return self.last is None or str(at) != self.at or id < self.last

    def moved(self, scores: Sequence[int]) -> _Cursor:
        at = str(scores[-1])
        seen = sum(str(score) == at for score in scores)
        is_same = at == self.at
        return _Cursor(at, seen + self.skip if is_same else seen, self.last if is_same else None)


def _is_odd(created: bytes | None, length: int) -> bool:
    """Whether a session seems to be there by one of its keys only, so that a script has to look whether it is whole."""
    return (created is None) == (length > 0)


def _rank(conversation: LastUsed) -> tuple[int, bytes]:
    return to_micros(conversation.at) or 0, conversation.session_id.encode()


def _placed(found: _Slice, cipher: Cipher, keys: SessionKeys) -> Iterator[tuple[int, BaseMessage]]:
    for place, message in enumerate(opened(found.elements, cipher, keys), found.start):
        if message is not None:
            yield place, message


def _sealed_title(batch: Batch, cipher: Cipher, keys: SessionKeys) -> bytes:
    return b"" if batch.title is None else cipher.seal(batch.title, f"title/{keys.name}")


def summary_name(keys: SessionKeys, version: int) -> str:
    """Return what a summary is sealed as."""
    return f"summary/{keys.name}\0{version}"


def _conversation(
    session_id: str, keys: SessionKeys, meta: Sequence[bytes | None], length: int, cipher: Cipher
) -> Conversation | None:
    created, used, title, holes = meta
    if created is None or used is None:
        return None
    what = f"what the listing says of session {session_id!r}"
    return Conversation(
        session_id=session_id,
        title=None if title is None else decode_title(cipher.open(title, f"title/{keys.name}"), session_id),
        created_at=from_micros(number(created, what)) or EPOCH,
        last_used_at=from_micros(number(used, what)) or EPOCH,
        message_count=length - number(holes or 0, what),
    )
