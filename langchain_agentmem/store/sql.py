"""LangGraph's store on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Self, Unpack

from langgraph.store.base import BaseStore, Op, Result

from langchain_agentmem._checks import check_flag, check_instance
from langchain_agentmem._closing import Closing
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.items.base import Erased, Reindexed
from langchain_agentmem.items.sql import SQLItems
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.store.answering import StoredItems
from langchain_agentmem.store.flows import StoreFlows
from langchain_agentmem.store.options import StoreSettings, read_settings
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import use_database

if TYPE_CHECKING:
    from langchain_agentmem.access.flows import AccessFlows


class SQLStore(Closing, BaseStore):
    """Values under keys in namespaces, in SQLite or PostgreSQL, for sync and async graphs alike.

    Usable at once: the first use opens the database and brings its tables up to date. A batch reads first, and then
    writes, all of it or nothing; of several puts to one key the last counts. A namespace stands for itself and what is
    below it, label by label: `("u1",)` never finds `("u10",)`. Without a query items come in the order of their last
    change, the latest first, then by namespace and key; with one, by score in [0, 1], equal scores in that order. Items
    that were put with `index=False` or hold no text are no answer to a query. Values are JSON: what is read belongs to
    the caller, and what cannot be JSON is refused.

    A label like `{user_id}` is filled from the run, by its context first, then by its config, or refused. A namespace
    whose template names the user is that user's of that tenant: users of several tenants with the same id have one
    each, and nobody's read, put or delete by a template reaches another's. A name in full stands for the one that was
    put first under that name, and its prefixes for all. A template that names no user, such as `("team", "{team_id}")`,
    is refused unless `subject` says whose it is, or `shared=True` that it is everybody's of the tenant.

    Args:
        database: Where; closing it is its owner's. `SQLStore.from_url(url)` opens one of its own.
        settings: Fields of `StoreOptions`: `index`, `ttl`, `subject`, `shared`, `vault`, `clock`.

    Raises:
        ConfigurationError: A setting cannot work.

    Example:
        >>> with SQLStore.from_url("sqlite:///store.db") as store:
        ...     store.put(("memories", "alice"), "1", {"content": "Alice drinks green tea"})
        ...     [found.key for found in store.search(("memories", "alice"), query="tea")]
        ['1']
    """

    supports_ttl = True

    def __init__(self, database: Database, **settings: Unpack[StoreSettings]) -> None:
        """No I/O."""
        options = read_settings(settings)
        if isinstance(database, str):
            msg = "database is a URL; pass it to SQLStore.from_url, for example SQLStore.from_url('sqlite:///store.db')"
            raise ConfigurationError(msg)
        self._database = check_instance("database", database, Database)
        use_database(database, "store", options.vault)
        self._is_owner = False
        self._stored = StoredItems(SQLItems(database), options)
        self._flows = StoreFlows(self._stored)
        self.ttl_config = options.ttl

    @classmethod
    def from_url(cls, url: str, **settings: Unpack[StoreSettings]) -> Self:
        """Return a store with a database of its own; use it as a context manager, or close it.

        Args:
            url: `sqlite:///file.db`, `sqlite://` (in memory), or `postgresql://…`.
            settings: As of the class.

        Raises:
            ConfigurationError: The URL or a setting cannot work.
        """
        store = cls(Database(url), **settings)
        store._is_owner = True
        return store

    def guarded_by(self, access: AccessFlows) -> Self:
        """Let the application be asked before somebody's items are read, written or removed; return this."""
        self._stored.guarded_by(access if access.is_asked else None)
        return self

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Answer and write; results stand in the places of their operations.

        Raises:
            InvalidNamespaceError: A namespace is empty or has a label that LangGraph does not allow.
            ConfigurationError: Anything else about an operation cannot work, or a template cannot be filled.
            ScopeError: A namespace belongs to another user than `subject` says, its template says another one than
                `subject`, or there is a vault and it is nobody's.
            StorageError: The database or the embedding model failed; nothing was written.
        """
        return run(self._stored.batch(ops))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Answer and write; see `batch`."""
        return await arun(self._stored.batch(ops))

    def erase(self, scope: Scope) -> Erased:
        """Erase all namespaces of a user without a trace, and say how much that was.

        Those are the ones that `subject` or a template said to be the user's when they were written, and those of
        nobody that `subject` says to be the user's now. No file of SQLite's holds a word of them any more; PostgreSQL
        keeps the dead rows in its files until it vacuums. What other processes keep in memory for searches goes with
        their next search there.

        Raises:
            ScopeError: The scope is anonymous.
            StorageError: The database failed; if it is retryable, erase again: a reader kept a trace alive.
        """
        return run(self._flows.erase(scope))

    async def aerase(self, scope: Scope) -> Erased:
        """Erase all namespaces of a user; see `erase`."""
        return await arun(self._flows.erase(scope))

    def delete_namespace(self, prefix: tuple[str, ...], *, dry_run: bool = False) -> Erased:
        """Delete a namespace and all below it, label by label, without a trace, and say how much that was.

        All of it goes at once or nothing, words and vectors included; what has expired goes too, and is not counted.
        `("u1",)` never takes `("u10",)`, and a template such as `("memories", "{user_id}")` only what a search by it
        finds. What it leaves elsewhere is as with `erase`.

        Args:
            prefix: At least one label.
            dry_run: Only say how much it would be.

        Raises:
            InvalidNamespaceError: The prefix has a label that LangGraph does not allow.
            ConfigurationError: It is empty or cannot work, or a template cannot be filled.
            StorageError: The database failed; if it is retryable, delete again: a reader kept a trace alive.
        """
        return run(self._stored.clear(prefix, is_dry=check_flag("dry_run", dry_run)))

    async def adelete_namespace(self, prefix: tuple[str, ...], *, dry_run: bool = False) -> Erased:
        """Delete a namespace and all below it; see `delete_namespace`."""
        return await arun(self._stored.clear(prefix, is_dry=check_flag("dry_run", dry_run)))

    def reindex(self, *, progress: Callable[[int], None] | None = None) -> Reindexed:
        """Bring what items are found by up to date: after a change of the embedding model or `fields`, or damage.

        Reads and writes go on meanwhile. Vectors of the model in use are written beside those of the one before, which
        are dropped once all are there. Killed, the next call goes on where it stood. Items that were put with fields of
        their own keep them, and those that were put with `index=False` stay out. Without a model, words are brought up
        to date and vectors are left as they are.

        Args:
            progress: Called with the number of items written so far.

        Raises:
            ConfigurationError: The embedding model gave no usable vector.
            StorageError: The database or the embedding model failed; what was written until then stays.
        """
        return run(self._stored.reindex(progress))

    async def areindex(self, *, progress: Callable[[int], None] | None = None) -> Reindexed:
        """Bring what items are found by up to date; see `reindex`."""
        return await arun(self._stored.reindex(progress))

    def sweep(self) -> int:
        """Delete the items that have expired, and return how many; nothing that can be read changes.

        Raises:
            StorageError: The database failed; what was deleted until then stays deleted.
        """
        return run(self._stored.sweep())

    async def asweep(self) -> int:
        """Delete the items that have expired; see `sweep`."""
        return await arun(self._stored.sweep())

    def setup(self) -> None:
        """Connect and bring the tables up to date now, and not with the first use."""
        run(self._open())

    async def asetup(self) -> None:
        """Connect and bring the tables up to date now; see `setup`."""
        await arun(self._open())

    def _open(self) -> Flow[None]:
        yield from self._database.open()

    def _release(self) -> Database | None:
        return self._database if self._is_owner else None
