"""What a user has on Redis: found by indexes, and by the names of the keys, for an index may be gone.

An index is a key of its own, and so Redis may evict it alone, or somebody delete it. What it named is there all the
same: an erasure leaves none of it behind, an export has it, and nobody is told that there is nothing. So each of them
scans the server, which visits every key there is; whoever lists conversations, states and threads does not.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.checkpoints.redis import finding
from langchain_agentmem.ledger.codec import EPOCH, from_micros
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.privacy.conversing_layers import ConversationLayer, WorkingLayer
from langchain_agentmem.privacy.graph_layers import ThreadLayer
from langchain_agentmem.privacy.layers import Record, Take
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.keys import below, owner_tag, parts_of
from langchain_agentmem.redis.replies import number
from langchain_agentmem.sessions.base import Sessions
from langchain_agentmem.sessions.redis.keys import index_key as sessions_key
from langchain_agentmem.sessions.redis.keys import session_keys
from langchain_agentmem.states.redis.keys import index_key as states_key
from langchain_agentmem.states.redis.keys import state_keys
from langchain_agentmem.transfer.lines import LineCodec
from langchain_agentmem.types import Scope
from langchain_agentmem.types.scope import Owner
from langchain_agentmem.working.flows import WorkingFlows

LOGGER: Final = logging.getLogger("langchain_agentmem")

THREAD_FAMILIES: Final = ("thread", "owner", "ids", "marks")
"""Threads, and the indexes that name them: a user's, that of all, and those of labels."""

NOBODYS: Final = (
    "{count} thread(s) on Redis lost what says whose they are, and may be the user's: Redis evicted it, or somebody "
    "deleted it; nobody can read them any more, and no erasure finds them: delete them by the ids that the log names"
)
_AT_ONCE: Final = 100
"""Names, or keys, deleted in one command."""
_SHOWN: Final = 100
"""Ids in one line of the log."""


class RedisIds:
    """What a user has by ids of their own, each of some keys, and a sorted set that names these; all share a slot.

    Args:
        database: The server or cluster.
        layer: What is told of it as.
        index: Gives the key of the set. `keys`: the keys of one of its members, by prefix, user and id.
        family: What stands in each of these keys before the id.
    """

    def __init__(
        self,
        database: RedisDatabase,
        layer: str,
        index: Callable[[str, Scope], bytes],
        keys: Callable[[str, Scope, str], Sequence[bytes]],
        family: str,
    ) -> None:
        """Nothing is opened yet."""
        self._database = database
        self._layer = layer
        self._index = index
        self._keys = keys
        self._family = family

    def count(self, scope: Scope) -> Flow[int]:
        """Count what the set names."""
        [count] = yield from self._database.read(("ZCARD", self._index(self._database.prefix, scope)))
        return int(count)

    def count_all(self, scope: Scope) -> Flow[int]:
        """Count what it does not name, too."""
        more = yield from self.unnamed(scope)
        return len(more) + (yield from self.count(scope))

    def unnamed(self, scope: Scope) -> Flow[Mapping[str, Sequence[bytes]]]:
        """Return the ids that the set leaves out, each with its keys."""
        prefix, found = self._database.prefix, dict[str, list[bytes]]()
        for key in (yield from self._database.scan(below(prefix, owner_tag(scope), self._family))):
            found.setdefault(parts_of(key)[1], []).append(key)
        if found:  # the set is asked last: what begins meanwhile is in it
            [ids] = yield from self._database.read(("ZRANGE", self._index(prefix, scope), 0, -1))
            for id in ids:
                found.pop(id.decode(), None)
        return found

    def delete(self, scope: Scope) -> Flow[None]:
        """Delete the keys of every member, then the set, then what it left out."""
        prefix = self._database.prefix
        index = self._index(prefix, scope)
        while True:
            [ids] = yield from self._database.read(("ZRANGE", index, 0, _AT_ONCE - 1))
            if not ids:
                break
            keys = [key for id in ids for key in self._keys(prefix, scope, id.decode()) if key != index]
            yield from self._database.write(("DEL", *keys), ("ZREM", index, *ids), is_repeatable=True)
        lost = yield from self.unnamed(scope)
        _tell(self._layer, len(lost))
        left = [key for keys in lost.values() for key in keys]
        for start in range(0, len(left), _AT_ONCE):
            yield from self._database.write(("DEL", *left[start : start + _AT_ONCE]), is_repeatable=True)


class RedisConversationLayer(ConversationLayer):
    """Conversations on Redis.

    Args:
        database: Where they are.
        sessions: Reads and writes them.
        remains: What Redis itself leaves for a while.
    """

    def __init__(self, database: RedisDatabase, sessions: Sessions, remains: str) -> None:
        """Nothing is opened yet."""
        name, families = "conversations_redis", ("session", "sessions")
        self._database = database
        self._ids = RedisIds(database, name, sessions_key, lambda *it: session_keys(*it).names, families[0])
        super().__init__(name, sessions, self._ids, families=families, remains=remains)

    def count_all(self, scope: Scope) -> Flow[int]:
        """Count those that no index names, too."""
        return self._ids.count_all(owner_of(scope))

    def export(self, scope: Scope, take: Take) -> Flow[None]:
        """Give those that are listed, then those that no index names."""
        yield from super().export(scope, take)
        owner = owner_of(scope)
        for session_id in (yield from self._ids.unnamed(owner)):
            used = yield from self._used(owner, session_id)
            yield from self._export(replace(owner, session_id=session_id), used, take)

    def _used(self, owner: Scope, session_id: str) -> Flow[dict[str, datetime]]:
        meta = session_keys(self._database.prefix, owner, session_id).meta
        [times] = yield from self._database.read(("HMGET", meta, "created", "used"))
        told = zip(("created_at", "last_used_at"), times, strict=True)
        what = f"what is known of session {session_id!r}"
        return {name: from_micros(number(at, what)) or EPOCH for name, at in told if at is not None}


class RedisWorkingLayer(WorkingLayer):
    """Working states on Redis.

    Args:
        database: Where they are.
        working: Reads and writes them.
        remains: What Redis itself leaves for a while.
    """

    def __init__(self, database: RedisDatabase, working: WorkingFlows, remains: str) -> None:
        """Nothing is opened yet."""
        name, family = "working_redis", "working"
        self._ids = RedisIds(database, name, states_key, lambda *it: state_keys(*it).names, family)
        super().__init__(name, working, self._ids, families=(family,), remains=remains)

    def count_all(self, scope: Scope) -> Flow[int]:
        """Count those that no index names, too."""
        return self._ids.count_all(owner_of(scope))

    def export(self, scope: Scope, take: Take) -> Flow[None]:
        """Give those that are listed, then those that no index names; nothing is prolonged."""
        yield from super().export(scope, take)
        owner = owner_of(scope)
        for session_id in (yield from self._ids.unnamed(owner)):
            stored = yield from self._working.load(replace(owner, session_id=session_id), "frozen")
            if stored is not None:
                yield from take([Record(session_id, stored.state.to_dict())])


class RedisThreadLayer(ThreadLayer):
    """Threads on Redis.

    Args:
        database: Where they are.
        saver: Reads and writes them; it tells nobody of what it deletes.
        codec: Writes and reads checkpoints.
        remains: What Redis itself leaves for a while.
    """

    def __init__(
        self, database: RedisDatabase, saver: StoredSaver, codec: Callable[[], LineCodec], remains: str
    ) -> None:
        """Nothing is opened yet."""
        self._database = database
        super().__init__("threads_redis", saver, codec, families=THREAD_FAMILIES, remains=remains)

    def count_all(self, scope: Scope) -> Flow[int]:
        """Count those that no index names, too."""
        return len((yield from self._exported(owner_of(scope))))

    def erase(self, scope: Scope) -> Flow[None]:
        """Delete those that are listed, thread after thread, then those that no index names."""
        yield from super().erase(scope)
        lost = yield from self._unnamed(scope)
        _tell(self.name, len(lost))
        for thread_id in lost:
            yield from flows_of(self._saver).erase(thread_id)

    def unclaimed_all(self, scope: Scope) -> Flow[str]:
        """Return how many threads have nothing that says whose they are, where that is so; the log names them."""
        lost = yield from finding.nobodys(self._database)
        for start in range(0, len(lost), _SHOWN):
            LOGGER.warning("threads on Redis that lost what says whose they are: %s", lost[start : start + _SHOWN])
        return NOBODYS.format(count=len(lost)) if lost else ""

    def _exported(self, scope: Scope) -> Flow[list[str]]:
        lost = yield from self._unnamed(scope)
        found = yield from self._listed(scope)
        return list(dict.fromkeys((*found, *lost)))

    def _unnamed(self, scope: Scope) -> Flow[list[str]]:
        return finding.unnamed(self._database, Owner(scope.tenant_id, scope.user_id))


def _tell(layer: str, count: int) -> None:
    if count:
        LOGGER.warning(
            "%s: no index named %s of what a user had, which is erased with the rest; Redis evicts keys, or somebody "
            "deleted some",
            layer,
            count,
        )
