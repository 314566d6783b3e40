"""The keys of working states in Redis.

| key | type | holds |
|---|---|---|
| `prefix:{tenant NUL user}:working:<id>` | hash | the state and its title, version, accesses, times in µs |
| `prefix:{tenant NUL user}:working` | sorted set | ids of the user's conversations with a state, by last change |

All keys of a user share a slot. A visitor's state is its own owner, `{tenant NUL NUL session}`, and has no index.
"""

from __future__ import annotations

from typing import NamedTuple

from langchain_agentmem.redis.keys import name_key, owner_tag
from langchain_agentmem.types import Scope


class StateKeys(NamedTuple):
    """The keys of one state; `names` are those that a script on it is given."""

    name: str
    state: bytes
    names: tuple[bytes, ...]


def state_keys(prefix: str, scope: Scope, session_id: str) -> StateKeys:
    """Return the keys of a user's state, or of a visitor's."""
    tag = owner_tag(scope)
    state = name_key(prefix, tag, "working", session_id)
    index = () if scope.is_anonymous else (name_key(prefix, tag, "working"),)
    return StateKeys(f"{tag}\0{session_id}", state, (state, *index))


def index_key(prefix: str, scope: Scope) -> bytes:
    """Return the key of a user's index."""
    return name_key(prefix, owner_tag(scope), "working")
