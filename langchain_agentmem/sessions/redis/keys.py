"""The keys of a conversation in Redis.

| key | type | holds |
|---|---|---|
| `prefix:{tenant NUL user}:session:<id>:messages` | list | the messages, oldest first |
| `…:ids` | sorted set | ids of messages by the end of the last call that named them, those that lately went included |
| `…:meta` | hash | title, summary and its version, times in µs, the oldest position, empty places, calls that went |
| `prefix:{tenant NUL user}:sessions` | sorted set | ids of the user's sessions by last use |

All keys of a user share a slot. A visitor's session is its own owner, `{tenant NUL NUL session}`, and has no index.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from langchain_agentmem.redis.keys import name_key, owner_tag
from langchain_agentmem.types import Scope

KEYS_REMEMBERED: Final = 1_024
"""Building the keys of a session takes some ten microseconds, and a conversation goes on; a bound on memory."""


class SessionKeys(NamedTuple):
    """The keys of one session; `names` are those that a script on it is given."""

    name: str
    messages: bytes
    meta: bytes
    names: tuple[bytes, ...]

    @property
    def own(self) -> tuple[bytes, ...]:
        """Those of the session alone: it has all of them, or none."""
        return self.names[:3]

    @property
    def session_id(self) -> str:
        """Whose keys they are."""
        return self.name.rpartition("\0")[2]


def session_keys(prefix: str, scope: Scope, session_id: str) -> SessionKeys:
    """Return the keys of a user's session, or of a visitor's."""
    return _session_keys(prefix, owner_tag(scope), session_id, has_index=not scope.is_anonymous)


def index_key(prefix: str, scope: Scope) -> bytes:
    """Return the key of a user's index."""
    return name_key(prefix, owner_tag(scope), "sessions")


@lru_cache(KEYS_REMEMBERED)
def _session_keys(prefix: str, tag: str, session_id: str, *, has_index: bool) -> SessionKeys:
    base = name_key(prefix, tag, "session", session_id)
    names = (base + b":messages", base + b":ids", base + b":meta")
    index = (name_key(prefix, tag, "sessions"),) if has_index else ()
    return SessionKeys(f"{tag}\0{session_id}", names[0], names[2], (*names, *index))
