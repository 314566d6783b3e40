"""Threads of LangGraph that are bound to a user, and items of its store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from langgraph.store.base import PutOp
from sqlalchemy import Connection, Select, bindparam, exists, func, select, tuple_

from langchain_agentmem._checks import check_instance
from langchain_agentmem._flow import Flow, flows_of, step, work
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.items.base import ItemRow
from langchain_agentmem.items.paths import SEPARATOR, namespace_of, plain_path
from langchain_agentmem.items.sealing import Keys
from langchain_agentmem.items.values import decode_value
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.privacy.layers import Layer, Record, Records, Restored, Take
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
from langchain_agentmem.types.scope import Owner
from langchain_agentmem.vault.base import Vault

THREAD_TABLES: Final = tuple(it.name for it in (THREADS, LEASES, THREAD_LABELS, NAMESPACES, CHECKPOINTS, WRITES, ITEMS))

PAGE: Final = 100
BODIES: Final = 20
"""Checkpoints in one record."""

_MINE: Final = [STORE_NAMESPACES.c.tenant_id == bindparam("tenant"), STORE_NAMESPACES.c.user_id == bindparam("user")]
_OF_STORE: Final = STORE_ITEMS.join(STORE_NAMESPACES, STORE_NAMESPACES.c.ns_ref == STORE_ITEMS.c.ns_ref)
_COUNT: Final = select(func.count()).select_from(_OF_STORE).where(*_MINE)
_ITEMS: Final = (
    select(STORE_ITEMS, STORE_NAMESPACES.c.path, STORE_NAMESPACES.c.tenant_id, STORE_NAMESPACES.c.user_id)
    .select_from(_OF_STORE)
    .where(*_MINE)
    .order_by(STORE_NAMESPACES.c.path, STORE_ITEMS.c.key)
    .limit(PAGE)
)
_THERE: Final = (
    select(STORE_NAMESPACES.c.path, STORE_ITEMS.c.key)
    .select_from(_OF_STORE)
    .where(*_MINE, STORE_ITEMS.c.key.in_(bindparam("keys", expanding=True)))
)


class Bodies:
    """The checkpoints of a thread, read anew each time that they are gone through."""

    def __init__(self, records: Records) -> None:
        """Nothing is read yet."""
        self._records = records

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Read them."""
        for batch in self._records.batches():
            for record in batch:
                yield from self.of(record)

    @staticmethod
    def of(record: Record) -> list[dict[str, Any]]:
        """Return those of a record."""
        found: list[dict[str, Any]] = check_instance("checkpoints", record.data["checkpoints"], list)
        for it in found:
            check_instance("checkpoint", it, dict)
        return found


def _lines(thread_id: str, parts: Records) -> Lines:
    path, bodies = Path(thread_id), Bodies(parts)
    return Lines(path, thread_id, bodies, survey_of(path, bodies))


class ThreadLayer(Layer):
    """Threads, each with its whole history.

    Args:
        name: Of the layer.
        saver: Where they are; it tells nobody of what it deletes.
        codec: Writes and reads checkpoints.
        stored: Gives the threads of a user, with those that have expired and still take up space; `None`: those listed.
        claims: The layer's `tables`, `families` and `remains`.
    """

    is_grouped = True

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
            yield from flows_of(self._saver).erase(thread_id)

    def export(self, scope: Scope, take: Take) -> Flow[None]:
        """Give thread after thread, each in parts, checkpoint after checkpoint."""
        for thread_id in (yield from self._exported(owner_of(scope))):
            part, bodies = 0, list[dict[str, Any]]()

            def put() -> Flow[None]:
                nonlocal part
                yield from take([Record(thread_id, {"part": part, "checkpoints": [*bodies]})])  # noqa: B023  (run at once)
                bodies.clear()  # noqa: B023  (likewise)
                part += 1

            def add(body: dict[str, Any]) -> Flow[None]:
                bodies.append(body)  # noqa: B023  (likewise)
                if len(bodies) == BODIES:  # noqa: B023  (likewise)
                    yield from put()

            known = yield from survey(self._saver, thread_id)
            yield from each_body(self._saver, thread_id, known, self._codec(), add)
            if bodies or not part:
                yield from put()

    def check(self, scope: Scope, record: Record) -> None:
        """See that it has checkpoints; what they say is read when all of the thread is there."""
        Bodies.of(record)

    def look_through(self, scope: Scope, records: Records) -> None:
        """Read every checkpoint of every thread."""
        codec = self._codec()
        for thread_id, parts in records.by_id():
            check_lines(thread_id, _lines(thread_id, parts), codec)

    def restore(self, scope: Scope, records: Records) -> Flow[Restored]:
        """Put what is missing of each thread, which becomes the user's; one that went another way is refused."""
        codec, owner, done = self._codec(), owner_of(scope), Restored()
        for thread_id, parts in records.by_id():
            bind = partial(self._saver.bind, scope=owner)
            yield from step(bind, partial(self._saver.abind, scope=owner), thread_id)
            put = yield from put_thread(self._saver, thread_id, (yield from work(_lines, thread_id, parts)), codec)
            done = done.and_(Restored(added=put.added > 0, present=put.added == 0))
        return done

    def _exported(self, scope: Scope) -> Flow[list[str]]:
        return self._listed(scope)

    def _listed(self, scope: Scope) -> Flow[list[str]]:
        found, after = list[str](), None
        while page := (yield from flows_of(self._saver).ids(scope, after, PAGE)):
            found += page
            after = page[-1]
        return found


def stored_threads(database: Database) -> Callable[[Scope], Flow[list[str]]]:
    """Return what gives a user's threads in the SQL database by an index, expired ones too."""
    chosen = select(THREADS.c.thread_id).where(
        THREADS.c.tenant_id == bindparam("tenant"), THREADS.c.user_id == bindparam("user")
    )

    def stored(scope: Scope) -> Flow[list[str]]:
        values = {"tenant": scope.tenant_id, "user": scope.user_id}
        return (yield from database.read(lambda it: list(it.execute(chosen, values).scalars())))

    return stored


UNCLAIMED: Final = (
    "the store has {count} namespace(s) that are nobody's although a label of theirs is the user's id: they are "
    "neither exported nor erased; if they are the user's, let subject= of the store say so "
    "(store={{'subject': lambda namespace: Scope(namespace[1])}}), and erase again, or delete them"
)
"""Who fills a template themselves, as langmem does, writes to a namespace in full, whose owner nobody tells."""

_NOBODYS: Final = (
    select(STORE_NAMESPACES.c.path)
    .where(STORE_NAMESPACES.c.tenant_id.is_(None))
    .where(exists().where(STORE_ITEMS.c.ns_ref == STORE_NAMESPACES.c.ns_ref))
)


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

    def unclaimed(self, scope: Scope) -> Flow[str]:
        """Return how many namespaces of nobody's have the user's id as a label: by chance, or by an oversight."""
        if SEPARATOR in scope.user_id:
            return ""  # it is no label
        statement = _NOBODYS.where(STORE_NAMESPACES.c.path.contains(f"{scope.user_id}{SEPARATOR}", autoescape=True))
        paths = yield from self._database.read(lambda it: list(it.execute(statement).scalars()))
        named = [it for it in map(namespace_of, map(plain_path, paths)) if scope.user_id in it]
        return UNCLAIMED.format(count=len(named)) if named else ""

    def erase(self, scope: Scope) -> Flow[None]:
        """Delete namespaces whole, those too that `subject` says to be theirs now."""
        yield from flows_of(self._store()).erase(owner_of(scope))

    def export(self, scope: Scope, take: Take) -> Flow[None]:
        """Give the items by their namespaces and keys, a page in each transaction."""
        keys = Keys(self._vault)
        yield from keys.fetch([Owner(scope.tenant_id, scope.user_id)])
        values, statement = {"tenant": scope.tenant_id, "user": scope.user_id}, _ITEMS
        while True:
            read = partial(_page, statement, values)
            found = yield from self._database.read(read)
            if not found:
                return
            yield from take([_record(keys, row) for row in found])
            statement = _ITEMS.where(
                tuple_(STORE_NAMESPACES.c.path, STORE_ITEMS.c.key) > (found[-1].path, found[-1].key)
            )

    def check(self, scope: Scope, record: Record) -> None:
        """Read it as an item."""
        _put_of(record)

    def put(self, scope: Scope, batch: Sequence[Record], export_id: str) -> Flow[Restored]:
        """Put items whose key is not there; times are those of the import.

        What is there is looked for before, so that it is not embedded, and again where items are put.
        """
        ops = [_put_of(record) for record in batch]
        there = yield from self._there(scope, [it.key for it in ops])
        new = [it for it in ops if _id(it.namespace, it.key) not in there]
        added = (yield from flows_of(self._store()).bring(new, owner_of(scope))) if new else 0
        return Restored(added=added, present=len(ops) - added)

    def _there(self, scope: Scope, keys: Sequence[str]) -> Flow[set[str]]:
        """Return what items of the user that have some of these keys are called."""
        values = {"tenant": scope.tenant_id, "user": scope.user_id, "keys": keys}
        found = yield from self._database.read(lambda it: it.execute(_THERE, values).all())
        return {_id(namespace_of(plain_path(row.path)), row.key) for row in found}


_FIELDS: Final = tuple("item_ref" if name == "ref" else name for name in ItemRow._fields)


def _page(statement: Select[Any], values: Mapping[str, Any], connection: Connection) -> list[ItemRow]:
    found = connection.execute(statement, values)
    return [ItemRow(*(getattr(row, name) for name in _FIELDS)) for row in found]


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
