"""Errors of redis-py and of Redis, in our words, here and nowhere else."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.errors import IntegrityError, StorageError
from langchain_agentmem.redis.scripts import EVICTED

_SCRIPT_FAILED: Final = lazy_pattern(r"user_script:\d+: ")
"""A script of ours ended by an error of Lua's: what it read was not what it writes."""

_FOUND_EVICTED: Final = lazy_pattern(rf"user_script:\d+: {EVICTED}\b")
_EVICTED: Final = (
    "a part of it is gone, the rest is not: Redis evicted a key (maxmemory-policy), or somebody deleted one; nothing "
    "was changed. Set maxmemory-policy to noeviction, or use a Redis of its own; clear it, or delete it, to begin anew"
)

_UNKNOWN_COMMAND: Final = lazy_pattern(r"unknown (?:sub)?command '([A-Za-z._]{1,40})'", re.IGNORECASE)
_CODE: Final = lazy_pattern(r"-?([A-Z]{2,20})\b")
_MAX_CAUSE_CHARS: Final = 200
"""What redis-py says of a connection that failed; it names host and port, never a password or a value."""

_QUOTED: Final = lazy_pattern(r"(?<!\w)['\"`]([^'\"`]*)['\"`]?")
_COMMAND: Final = lazy_pattern(r"run the '[A-Za-z|_.-]{1,40}' command")
_QUOTABLE: Final = frozenset({"maxmemory"})
"""What Redis puts in quotation marks may be a key or a value, but for names of commands and of settings."""

_PLAIN: Final = frozenset(
    {
        "DB index is out of range",
        "SELECT is not allowed in cluster mode",
        "This instance has cluster support disabled",
        "max number of clients reached",
    }
)
"""Refusals without a code of their own that quote nothing."""

_DOUBT: Final = {
    True: "; repeat the call: nothing is stored twice",
    False: "; whether the write was done is not known, so look before repeating it",
}

_BY_CLASS: Final = {
    "OutOfMemoryError": "OOM",
    "ReadOnlyError": "READONLY",
    "BusyLoadingError": "LOADING",
    "ClusterDownError": "CLUSTERDOWN",
    "TryAgainError": "TRYAGAIN",
    "MasterDownError": "MASTERDOWN",
    "NoPermissionError": "NOPERM",
    "AuthenticationError": "WRONGPASS",
    "AuthenticationWrongNumberOfArgsError": "WRONGPASS",
    "AuthorizationError": "WRONGPASS",
    "ClusterCrossSlotError": "CROSSSLOT",
}
"""redis-py cuts the code off the errors that it has a class for."""

_RETRYABLE: Final = {
    "OOM": "Redis is out of memory (maxmemory) and refuses writes; nothing of this call was written: free memory, then "
    "repeat it",
    "READONLY": "this Redis is a read-only replica; nothing was written: connect to its primary, or wait for the "
    "failover to end",
    "LOADING": "Redis is still loading its data; repeat the call in a moment",
    "CLUSTERDOWN": "the Redis cluster is down: some of its slots have no server; repeat the call when it is whole",
    "TRYAGAIN": "the Redis cluster is moving the keys of this call; nothing was written, repeat it in a moment",
    "MASTERDOWN": "this Redis is a replica that has lost its primary; repeat the call when they are joined again",
    "NOREPLICAS": "Redis has too few replicas to accept writes (min-replicas-to-write); nothing was written, repeat "
    "the call when they are back",
    "BUSY": "Redis is busy with a long script; repeat the call in a moment",
    "MISCONF": "Redis cannot save to its disk and refuses writes; nothing was written: see to its disk, then repeat "
    "the call",
    "UNKILLABLE": "Redis is busy with a long script; repeat the call in a moment",
}
_FINAL: Final = {
    "NOAUTH": "Redis wants a password; name it in the URL: redis://user:password@host:port",
    "WRONGPASS": "Redis refuses user or password; check those in the URL",
    "NOPERM": "the Redis user may not do this; it needs +@read +@write +@scripting +@transaction on keys ~prefix:*",
    "CROSSSLOT": "the keys of one call live in different slots of the cluster; this is a fault of the caller",
}


def is_of_redis(error: BaseException) -> bool:
    """Whether redis-py, or the network below it, failed."""
    from redis.exceptions import RedisError

    return isinstance(error, (RedisError, OSError, EOFError))


def is_lost(error: BaseException) -> bool:
    """Whether the connection broke: another one may do. A server that is slow, or refuses, will do so again."""
    from redis.exceptions import TimeoutError as SlowError

    return not isinstance(error, (SlowError, TimeoutError)) and not code_of(error)


def code_of(error: BaseException) -> str:
    """Return the code with which the server refused, or nothing where it did not answer."""
    from redis.exceptions import ResponseError

    known = next((_BY_CLASS[it.__name__] for it in type(error).__mro__ if it.__name__ in _BY_CLASS), "")
    if known or not isinstance(error, ResponseError):
        return known
    found = _CODE.match(str(error))
    return found[1] if found else "ERR"


def translate(error: BaseException, *, is_write: bool, is_repeatable: bool = False) -> StorageError:
    """Return the error of ours that says what happened and whether a retry may help; it never holds a value.

    Args:
        error: Of redis-py, or of the network.
        is_write: The call was to change something.
        is_repeatable: Doing it twice is like doing it once.
    """
    code = code_of(error)
    if code in _RETRYABLE:
        return StorageError(_RETRYABLE[code] + _sentence_of(error, code), is_retryable=True)
    if code in _FINAL:
        return StorageError(_FINAL[code] + _sentence_of(error, code))
    if code == "WRONGTYPE":
        return IntegrityError("a key of ours holds another type; use a prefix that nobody else writes to")
    if code:
        return _of_reply(error, code)
    return _of_connection(error, doubt=_DOUBT[is_repeatable] if is_write else "")


def _sentence_of(error: BaseException, code: str) -> str:
    """Return what the server itself says, in parentheses; nothing where that may quote a key or a value."""
    sentence = " ".join(str(error).split()).removeprefix("-").removeprefix(code).strip()
    if not sentence or not _QUOTABLE.issuperset(_QUOTED.findall(_COMMAND.sub("", sentence))):
        return ""
    return f" (Redis says: {sentence[:_MAX_CAUSE_CHARS]})"


def _of_reply(error: BaseException, code: str) -> StorageError:
    unknown = _UNKNOWN_COMMAND.search(str(error))
    if unknown:
        return StorageError(f"this Redis does not know {unknown[1]!r}; version 6.2 or newer is needed")
    if _FOUND_EVICTED.search(str(error)):
        return IntegrityError(_EVICTED)
    if _SCRIPT_FAILED.search(str(error)):
        return IntegrityError("what is stored under a key of ours is damaged; delete it, or restore it from a backup")
    if str(error) in _PLAIN:
        return StorageError(f"Redis refused the call: {error}")
    return StorageError(f"Redis refused the call: {code}")


def _of_connection(error: BaseException, *, doubt: str) -> StorageError:
    cause = " ".join(str(error).split())[:_MAX_CAUSE_CHARS] or "its time is up"
    return StorageError(f"no answer from Redis: {type(error).__name__}: {cause}{doubt}", is_retryable=True)
