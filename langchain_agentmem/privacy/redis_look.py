"""One look at the keys of a Redis, for all that a user has there, whatever an index names.

It visits every key there is. What it saw may be gone when that is used, or be somebody else's: whoever uses it asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeAlias

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.redis import finding
from langchain_agentmem.checkpoints.redis.thread import PARTS
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.keys import name_key, owner_tag, parts_of
from langchain_agentmem.types import Scope
from langchain_agentmem.types.scope import Owner

_KEYS: Final = b":{*}:*:*"
"""Of conversations, states and threads: behind the tag, what they are, an id or a part, and more."""

_THREAD: Final = b"}:thread"
_META, *_CONTENT = (part.encode() for part in PARTS)
"""What says whose a thread is, and the rest of it; a lease is none of it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What was there.

    Attributes:
        own: The user's keys, by what stands first behind their tag.
        threads: Those that say themselves that they are the user's.
        told: How the keys begin of each thread that says whose it is. `untold`: of the others.
    """

    own: dict[str, list[bytes]] = field(default_factory=dict)
    threads: set[str] = field(default_factory=set)
    told: set[bytes] = field(default_factory=set)
    untold: set[bytes] = field(default_factory=set)


Seeing: TypeAlias = Callable[[], Flow[Seen]]


def unseen() -> Flow[Seen]:
    """Look nowhere."""
    yield from ()
    return Seen()


class Look:
    """Looks when it is first called, and tells the same from then on.

    Args:
        database: The server, or the cluster.
        scope: Names the user.
    """

    def __init__(self, database: RedisDatabase, scope: Scope) -> None:
        """Nothing is opened yet."""
        self._database = database
        self._owner = Owner(scope.tenant_id, scope.user_id)
        self._own = name_key(database.prefix, owner_tag(scope)) + b":"
        self._seen: Seen | None = None

    def __call__(self) -> Flow[Seen]:
        """Return what was there.

        Raises:
            StorageError: A server gave no answer; the next call looks again.
        """
        if self._seen is None:
            seen = Seen()
            yield from self._database.each_scanned(self._database.prefix.encode() + _KEYS, partial(self._take, seen))
            self._seen = seen
        return self._seen

    def _take(self, seen: Seen, keys: Sequence[bytes]) -> Flow[bool]:
        metas = list[bytes]()
        for key in keys:
            base, _, part = key.rpartition(b":")
            if not base.endswith(_THREAD):
                if key.startswith(self._own):
                    seen.own.setdefault(parts_of(key)[0], []).append(key)
            elif part == _META:
                metas.append(key)
                seen.told.add(base)
                seen.untold.discard(base)
            elif part in _CONTENT and base not in seen.told:
                seen.untold.add(base)
        seen.threads.update((yield from finding.owned(self._database, self._owner, metas)))
        return False
