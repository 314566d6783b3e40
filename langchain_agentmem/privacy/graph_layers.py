"""Threads of LangGraph that are bound to a user, and items of its store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from langgraph.store.base import PutOp
from sqlalchemy import Connection, bindparam, func, select

from langchain_agentmem._flow import Flow, step
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.items.base import ItemRow, Owner
from langchain_agentmem.items.paths import namespace_of, plain_path
from langchain_agentmem.items.sealing import Keys
from langchain_agentmem.items.values import decode_value
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.privacy.layers import Layer, Record, Restored
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import (
    CHECKPOINTS,
    ITEMS,
    LEASES,
    NAMESPACES,
    STORE_ITEMS,
    STORE_NAMESPACES,
    THREAD_LABELS,
    THREADS,
    WRITES,
)
from langchain_agentmem.store.options import MICROS_PER_MINUTE
from langchain_agentmem.store.sql import SQLStore
from langchain_agentmem.transfer.copying import survey
from langchain_agentmem.transfer.files import Lines, check_lines, each_body, put_thread, survey_of
from langchain_agentmem.transfer.lines import LineCodec
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import Vault

THREAD_TABLES: Final = tuple(it.name for it in (THREADS, LEASES, THREAD_LABELS, NAMESPACES, CHECKPOINTS, WRITES, ITEMS))
THREAD_FAMILIES: Final = ("thread", "owner", "ids", "marks")
"""Threads, and the indexes that name them: a user's, that of all, and those of labels."""

PAGE: Final = 100

_MINE: Final = [STORE_NAMESPACES.c.tenant_id == bindparam("tenant"), STORE_NAMESPACES.c.user_id == bindparam("user")]
_OF_STORE: Final = STORE_ITEMS.join(STORE_NAMESPACES, STORE_NAMESPACES.c.ns_ref == STORE_ITEMS.c.ns_ref)
_COUNT: Final = select(func.count()).select_from(_OF_STORE).where(*_MINE)
_ITEMS: Final = (
    select(STORE_ITEMS, STORE_NAMESPACES.c.path, STORE_NAMESPACES.c.tenant_id, STORE_NAMESPACES.c.user_id)
    .select_from(_OF_STORE)
    .where(*_MINE)
    .order_by(STORE_NAMESPACES.c.path, STORE_ITEMS.c.key)
)


class ThreadLayer(Layer):
    """Threads, each with its whole history.

    Args:
        name: Of the layer.
        saver: Where they are; it tells nobody of what it deletes.
        codec: Writes and reads checkpoints.
        expired: Gives threads of a user that have expired and still take up space.
        claims: The layer's `tables`, `families` and `remains`.
    """

    def __init__(
        self,
        name: str,
        saver: StoredSaver,
        codec: Callable[[], LineCodec],
        *,
        stored: Callable[[Scope], Flow[list[str]]] | None = None,
        **claims: Any,
    ) -> None:
        """Nothing is opened yet."""
        super().__init__(name, **claims)
        self._saver = saver
        self._codec = codec
        self._stored = stored or self._listed

    def count(self, scope: Scope) -> Flow[int]:
        """Count threads."""
        return len((yield from self._stored(owner_of(scope))))

    def erase(self, scope: Scope) -> Flow[None]:
        """Delete thread after thread."""
        for thread_id in (yield from self._stored(owner_of(scope))):
            yield from step(self._saver.delete_thread, self._saver.adelete_thread, thread_id)

    def export(self, scope: Scope) -> Flow[list[Record]]:
        """Read thread after thread, checkpoint after checkpoint."""
        found = []
        for thread_id in (yield from self._listed(owner_of(scope))):
            bodies = list[dict[str, Any]]()

            def take(body: dict[str, Any], bodies: list[dict[str, Any]] = bodies) -> Flow[None]:
                yield from ()
                bodies.append(body)

            known = yield from survey(self._saver, thread_id)
            yield from each_body(self._saver, thread_id, known, self._codec(), take)
            found.append(Record(thread_id, {"checkpoints": bodies}))
        return found

    def restore(self, scope: Scope, records: Sequence[Record]) -> Flow[Restored]:
        """Put what is missing of each thread, which becomes the user's; one that went another way is refused."""
        codec, threads = self._codec(), list[Lines]()
        for record in records:
            path, bodies = Path(record.id), list(record.data["checkpoints"])
            lines = Lines(path, record.id, bodies, survey_of(path, bodies))
            check_lines(record.id, lines, codec)
            threads.append(lines)
        return self._put(owner_of(scope), threads, codec)

    def _put(self, scope: Scope, threads: Sequence[Lines], codec: LineCodec) -> Flow[Restored]:
        added = 0
        for lines in threads:
            yield from step(self._saver.bind, self._saver.abind, lines.thread_id, scope)
            done = yield from put_thread(self._saver, lines.thread_id, lines, codec)
            added += done.added > 0
        return Restored(added=added, present=len(threads) - added)

    def _listed(self, scope: Scope) -> Flow[list[str]]:
        found, after = list[str](), None
        while page := (yield from self._page(scope, after)):
            found += page
            after = page[-1]
        return found

    def _page(self, scope: Scope, after: str | None) -> Flow[list[str]]:
        def read() -> list[str]:
            return [it.thread_id for it in self._saver.threads(scope, after=after, limit=PAGE)]

        async def aread() -> list[str]:
            return [it.thread_id for it in await self._saver.athreads(scope, after=after, limit=PAGE)]

        return (yield from step(read, aread))


def stored_threads(database: Database) -> Callable[[Scope], Flow[list[str]]]:
    """Return what gives a user's threads in the SQL database by an index, expired ones too."""
    chosen = select(THREADS.c.thread_id).where(
        THREADS.c.tenant_id == bindparam("tenant"), THREADS.c.user_id == bindparam("user")
    )

    def stored(scope: Scope) -> Flow[list[str]]:
        values = {"tenant": scope.tenant_id, "user": scope.user_id}
        return (yield from database.read(lambda it: list(it.execute(chosen, values).scalars())))

    return stored


class StoreLayer(Layer):
    """Items of LangGraph's store, in namespaces that are the user's.

    Args:
        database: Where they are.
        store: Erases and writes them.
        vault: Opens what is exported.
    """

    def __init__(self, database: Database, store: Callable[[], SQLStore], vault: Vault) -> None:
        """Nothing is opened yet."""
        super().__init__("store", tables=(STORE_NAMESPACES.name, STORE_ITEMS.name))
        self._database = database
        self._store = store
        self._vault = vault

    def count(self, scope: Scope) -> Flow[int]:
        """Count the items of namespaces that are theirs."""
        values = {"tenant": scope.tenant_id, "user": scope.user_id}
        return (yield from self._database.read(lambda it: int(it.execute(_COUNT, values).scalar_one())))

    def erase(self, scope: Scope) -> Flow[None]:
        """Delete namespaces whole, those too that `subject` says to be theirs now."""
        yield from self._store().erase_flow(owner_of(scope))

    def export(self, scope: Scope) -> Flow[list[Record]]:
        """Read the items in one transaction."""
        keys = Keys(self._vault)
        yield from keys.fetch([Owner(scope.tenant_id, scope.user_id)])
        values = {"tenant": scope.tenant_id, "user": scope.user_id}

        def read(connection: Connection) -> list[Record]:
            found = connection.execute(_ITEMS, values)
            return [_record(keys, ItemRow(*(getattr(row, name) for name in _FIELDS))) for row in found]

        return (yield from self._database.read(read))

    def restore(self, scope: Scope, records: Sequence[Record]) -> Flow[Restored]:
        """Put items whose key is not there; times are those of the import."""
        return self._put(owner_of(scope), [_put_of(record) for record in records])

    def _put(self, scope: Scope, ops: Sequence[PutOp]) -> Flow[Restored]:
        there = {record.id for record in (yield from self.export(scope))}
        new = [it for it in ops if _id(it.namespace, it.key) not in there]
        if new:
            yield from self._store().bring_flow(new, scope)
        return Restored(added=len(new), present=len(ops) - len(new))


_FIELDS: Final = tuple("item_ref" if name == "ref" else name for name in ItemRow._fields)


def _record(keys: Keys, row: ItemRow) -> Record:
    namespace = namespace_of(plain_path(row.path))
    minutes = None if row.ttl is None else row.ttl / MICROS_PER_MINUTE
    data = {"namespace": list(namespace), "key": row.key, "value": decode_value(keys.value(row)), "ttl": minutes}
    return Record(_id(namespace, row.key), data)


def _put_of(record: Record) -> PutOp:
    it = record.data
    if not isinstance(it["value"], dict):
        msg = "a value is no JSON object"
        raise TypeError(msg)
    return PutOp(namespace=tuple(map(str, it["namespace"])), key=str(it["key"]), value=it["value"], ttl=it["ttl"])


def _id(namespace: tuple[str, ...], key: str) -> str:
    return f"{'.'.join(namespace)}/{key}"
