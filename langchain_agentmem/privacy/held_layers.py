"""What is held of users beside what stores it: an external index, copies on Redis, and caches of this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlalchemy import bindparam, select

from langchain_agentmem._flow import Flow
from langchain_agentmem.index.base import Index
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.privacy.layers import Layer
from langchain_agentmem.profiles.redis import PROFILE, profile_key
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import MEMORIES, SUBJECTS
from langchain_agentmem.types import Scope

MARK: Final = "floor"
"""Of a key of profiles on Redis, the field that holds a number only: it keeps late copies out."""

UNCOUNTED: Final = (
    "the vector store cannot say how many rows of a user it has: an erasure deletes each by the id that it was written "
    "with, and what stands there under others stays"
)

_IDS: Final = (
    select(MEMORIES.c.memory_id)
    .join(SUBJECTS, SUBJECTS.c.subject_id == MEMORIES.c.subject_id)
    .where(SUBJECTS.c.tenant_id == bindparam("tenant"), SUBJECTS.c.user_id == bindparam("user"))
    .order_by(MEMORIES.c.memory_id)
)


class IndexLayer(Layer):
    """Vectors in a vector store beside the database; it is made of memories, and not exported.

    Args:
        index: The vector store's.
        database: Knows the ids.
        remains: What its own maintenance leaves for a while.
    """

    is_derived = True

    def __init__(self, index: Index, database: Database, remains: str) -> None:
        """Nothing is opened yet."""
        super().__init__("index", remains=remains)
        self._index = index
        self._database = database

    def count(self, scope: Scope) -> Flow[int]:
        """Return 1 where the store says that it holds anything of the user, else 0: more it does not tell."""
        can_tell = self._index.is_fed and (yield from self._index.tells_what_it_holds())
        return int((yield from self._index.holds(owner_of(scope), 1))) if can_tell else 0

    def unclaimed(self, scope: Scope) -> Flow[str]:
        """Return that the store cannot be asked what it holds of a user, where that is so."""
        can_tell = not self._index.is_fed or (yield from self._index.tells_what_it_holds())
        return "" if can_tell else UNCOUNTED

    def erase(self, scope: Scope) -> Flow[None]:
        """Delete every id that the user ever had."""
        if not self._index.is_fed:
            return
        values = {"tenant": scope.tenant_id, "user": scope.user_id}
        ids = yield from self._database.read(lambda it: list(it.execute(_IDS, values).scalars()))
        for start in range(0, len(ids), 1_000):
            yield from self._index.delete(owner_of(scope), ids[start : start + 1_000])


class ProfileLayer(Layer):
    """Copies of profiles on Redis; they are made of memories, and not exported."""

    is_derived = True

    def __init__(self, database: RedisDatabase, drop: Callable[[Scope], Flow[None]], remains: str) -> None:
        """Nothing is opened yet."""
        super().__init__("profiles_redis", families=(PROFILE,), remains=remains)
        self._database = database
        self._drop = drop

    def count(self, scope: Scope) -> Flow[int]:
        """Count the copies; a mark that keeps late ones out for a day is none."""
        [fields] = yield from self._database.read(("HKEYS", profile_key(self._database, scope)))
        return sum(it != MARK.encode() for it in fields)

    def erase(self, scope: Scope) -> Flow[None]:
        """Drop them, and take none that was begun before."""
        return self._drop(owner_of(scope))
