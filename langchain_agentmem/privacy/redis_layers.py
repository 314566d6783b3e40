"""What a user has on Redis: found by indexes, and by the names of the keys, for an index may be gone.

An index is a key of its own, and so Redis may evict it alone, or somebody delete it. What it named is there all the
same: an erasure leaves none of it behind, an export has it, and nobody is told that there is nothing. So for each of
them the layers share one look at every key there is (`redis_look`), an erasure's report being a second one; whoever
lists conversations, states and threads does not look.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.checkpoints.redis import finding
from langchain_agentmem.checkpoints.redis.registry import Entry, Index, Registry
from langchain_agentmem.ledger.codec import EPOCH, from_micros
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.privacy.conversing_layers import ConversationLayer, WorkingLayer
from langchain_agentmem.privacy.graph_layers import ThreadLayer
from langchain_agentmem.privacy.layers import Record, Take
from langchain_agentmem.privacy.redis_look import Seeing
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.keys import parts_of, tag_of
from langchain_agentmem.redis.replies import number
from langchain_agentmem.sessions.base import Sessions
from langchain_agentmem.sessions.redis.keys import SessionKeys, session_keys
from langchain_agentmem.sessions.redis.keys import index_key as sessions_key
from langchain_agentmem.states.redis.keys import StateKeys, state_keys
from langchain_agentmem.states.redis.keys import index_key as states_key
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
        look: Tells what else is there.
    """

    def __init__(
        self,
        database: RedisDatabase,
        layer: str,
        index: Callable[[str, Scope], bytes],
        keys: Callable[[str, Scope, str], SessionKeys | StateKeys],
        family: str,
        *,
        look: Seeing,
    ) -> None:
        """Nothing is opened yet."""
        self._database = database
        self._layer = layer
        self._index = index
        self._keys = keys
        self._family = family
        self._look = look

    def count(self, scope: Scope) -> Flow[int]:
        """Count what the set names, and what it leaves out."""
        more = yield from self.unnamed(scope)
        [count] = yield from self._database.read(("ZCARD", self._index(self._database.prefix, scope)))
        return len(more) + int(count)

    def unnamed(self, scope: Scope) -> Flow[Mapping[str, Sequence[bytes]]]:
        """Return the ids that the set leaves out of what was seen, each with its keys."""
        seen = yield from self._look()
        found = dict[str, list[bytes]]()
        for key in seen.own.get(self._family, ()):
            found.setdefault(parts_of(key)[1], []).append(key)
        if not found:
            return found
        [ids] = yield from self._database.read(("ZRANGE", self._index(self._database.prefix, scope), 0, -1))
        for id in ids:
            found.pop(id.decode(), None)
        are_there = yield from self._database.spread([("EXISTS", *keys) for keys in found.values()])
        return {id: keys for (id, keys), is_there in zip(found.items(), are_there, strict=True) if is_there}

    def delete(self, scope: Scope) -> Flow[None]:
        """Delete the keys of every member, then the set, then what it left out."""
        prefix = self._database.prefix
        index = self._index(prefix, scope)
        while True:
            [ids] = yield from self._database.read(("ZRANGE", index, 0, _AT_ONCE - 1))
            if not ids:
                break
            keys = [key for id in ids for key in self._keys(prefix, scope, id.decode()).names if key != index]
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
        look: Tells what is there.
    """

    def __init__(self, database: RedisDatabase, sessions: Sessions, remains: str, look: Seeing) -> None:
        """Nothing is opened yet."""
        name, families = "conversations_redis", ("session", "sessions")
        self._database = database
        self._ids = RedisIds(database, name, sessions_key, session_keys, families[0], look=look)
        super().__init__(name, sessions, self._ids, families=families, remains=remains)

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
        look: Tells what is there.
    """

    def __init__(self, database: RedisDatabase, working: WorkingFlows, remains: str, look: Seeing) -> None:
        """Nothing is opened yet."""
        name, family = "working_redis", "working"
        self._ids = RedisIds(database, name, states_key, state_keys, family, look=look)
        super().__init__(name, working, self._ids, families=(family,), remains=remains)

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
        look: Tells what is there.
    """

    def __init__(
        self, database: RedisDatabase, saver: StoredSaver, codec: Callable[[], LineCodec], remains: str, look: Seeing
    ) -> None:
        """Nothing is opened yet."""
        self._database = database
        self._look = look
        self._unseen: list[tuple[Index, bytes]] | None = None
        claims = {"families": THREAD_FAMILIES, "remains": remains}
        super().__init__("threads_redis", saver, codec, stored=self._theirs, **claims)

    def count(self, scope: Scope) -> Flow[int]:
        """Count threads, and ids that only an index of the user's names."""
        named = yield from self._named(scope)
        return len({*(yield from self._exported(scope)), *(it.thread_id for it in named)})

    def erase(self, scope: Scope) -> Flow[None]:
        """Delete those that are listed and those that no index names, thread after thread, and what names one."""
        lost, named = (yield from self._unnamed(scope)), (yield from self._named(scope))
        yield from super().erase(scope)
        _tell(self.name, len(lost))
        registry = Registry(self._database)
        index, left = registry.of_owner(_owner(scope)), set((yield from self._named(scope)))
        yield from registry.forget([(index, it) for it in named if it in left], grace_ms=0)
        yield from self._forget_gone()

    def unclaimed(self, scope: Scope) -> Flow[str]:
        """Return how many threads have nothing that says whose they are, where that is so; the log names them."""
        seen = yield from self._look()
        lost = yield from finding.nobodys(self._database, seen.untold)
        for start in range(0, len(lost), _SHOWN):
            LOGGER.warning("threads on Redis that lost what says whose they are: %s", lost[start : start + _SHOWN])
        return NOBODYS.format(count=len(lost)) if lost else ""

    def _exported(self, scope: Scope) -> Flow[list[str]]:
        found = yield from self._listed(scope)
        lost = yield from self._unnamed(scope)
        return list(dict.fromkeys((*found, *lost)))

    def _unnamed(self, scope: Scope) -> Flow[list[str]]:
        seen = yield from self._look()
        return (yield from finding.unnamed(self._database, _owner(scope), seen.threads))

    def _named(self, scope: Scope) -> Flow[list[Entry]]:
        """Return what either key of the user's index names, where one was seen."""
        is_there = "owner" in (yield from self._look()).own
        return (yield from finding.named(self._database, _owner(scope))) if is_there else []

    def _theirs(self, scope: Scope) -> Flow[list[str]]:
        """Return what is to be deleted: what only an index names may be another user's by now."""
        named = [it.thread_id for it in (yield from self._named(scope))]
        others = yield from finding.others(self._database, _owner(scope), named)
        return list(dict.fromkeys((*(yield from self._exported(scope)), *(it for it in named if it not in others))))

    def _forget_gone(self) -> Flow[None]:
        """Let indexes of all users forget threads that are not there: what labels one had may have gone before it."""
        if self._unseen is None:
            seen = yield from self._look()
            self._unseen = yield from finding.unseen(self._database, {tag_of(it) for it in seen.told})
        yield from finding.forget_gone(self._database, self._unseen)


def _owner(scope: Scope) -> Owner:
    return Owner(scope.tenant_id, scope.user_id)


def _tell(layer: str, count: int) -> None:
    if count:
        LOGGER.warning(
            "%s: no index named %s of what a user had, which is erased with the rest; Redis evicts keys, or somebody "
            "deleted some",
            layer,
            count,
        )
