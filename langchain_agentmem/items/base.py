"""The port of items: what a backend that keeps LangGraph's key-value store has to promise.

A namespace is known by its *path*, the labels each followed by a dot, so that a prefix of whole labels is a range of
paths; labels hold no dot. Namespaces of several users may have the same labels: one has that path, each of the others
one of its own, in the same ranges. An item is a sealed value under a key in a namespace; keys and paths are compared
byte by byte. Beside the value stands what search needs of it (`terms`), or `None` where the item is not to be found by
a query.

Each namespace counts its changes: its `revision` rises with every one, and each item carries the revision of its last
change. `removal` is the revision at which something was last taken out. That is how a reader that remembers what it has
seen learns what is new, also when another process wrote it.

Times are microseconds since 1970 in UTC. An item whose `expires_at` has passed is no item: nobody sees anything of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from langchain_agentmem._flow import Flow
from langchain_agentmem.types.scope import Owner

MAX_ROWS: Final = 2**31 - 1
"""More than this are never asked of a backend, whatever limit a caller names."""


def owner_named(tenant_id: str | None, user_id: str | None) -> Owner | None:
    """Return the owner of two columns, `None` where it is nobody."""
    return None if tenant_id is None or user_id is None else Owner(tenant_id, user_id)


class ItemRow(NamedTuple):
    """An item as it is stored, without what search needs.

    Attributes:
        ref: Its number in the database. `revision`: of its last change.
        ttl: How long it lives after its last use; `None`: until it is deleted.
    """

    ref: int
    path: str
    key: str
    tenant_id: str | None
    user_id: str | None
    created_at: int
    updated_at: int
    ttl: int | None
    revision: int
    sealed: bytes

    @property
    def owner(self) -> Owner | None:
        """Return whose namespace it stands in."""
        return owner_named(self.tenant_id, self.user_id)


class Range(NamedTuple):
    """Paths from `low`, but before `high`.

    Attributes:
        tenant: With `user`, who looks: what belongs to somebody else is not there. `None`: everything is.
    """

    low: str
    high: str
    tenant: str | None = None
    user: str | None = None


Take: TypeAlias = Callable[[ItemRow], Any]
"""Makes of a row what the caller wants, or returns `None` for a row that it does not want."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Get:
    """One item. Answer: what `take` makes of it, or `None`.

    Args:
        owner: Who looks; as of `Range`. Their own namespace of that path is meant, or one that is nobody's.
    """

    path: str
    key: str
    take: Take
    owner: Owner | None = None
    refresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Items of a range of namespaces, the one changed last first, then by path and key. Answer: a list.

    Args:
        take: Rows for which it returns `None` count neither for `offset` nor for `limit`.
        takes_all: `take` wants every row, so that the database may count.
        needle: Bytes that must stand in the value of a row that `take` wants, so that the database may pass over
            others; empty where nothing is known of it, or values are not kept in the clear.
        refresh: What is returned lives on for another time to live.
    """

    paths: Range
    take: Take
    takes_all: bool
    limit: int
    offset: int = 0
    needle: bytes = b""
    refresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """Paths of a range that have an item, in their order. Answer: a list of text."""

    paths: Range


Query: TypeAlias = Get | Listing | Paths


class Put(NamedTuple):
    """A value for a key; what stood there before is replaced, its time of creation kept."""

    path: str
    key: str
    ttl: int | None
    terms: bytes | None
    sealed: bytes


class Removal(NamedTuple):
    """A key to take out; nothing happens where there is none."""

    path: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one transaction writes; of one key there is one put or one removal.

    Args:
        owners: By the paths of namespaces, as whose they are written to. One that belongs to nobody yet is theirs with
            the first put; into somebody else's nothing is put, and there is nothing to remove from it.
        shared: Paths of namespaces that each owner may have: where the one of that path is somebody else's, the owner's
            is begun beside it.
        at: The time now.
    """

    puts: Sequence[Put] = ()
    removals: Sequence[Removal] = ()
    owners: Mapping[str, Owner] = field(default_factory=dict)
    shared: Collection[str] = frozenset()
    at: int

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        return not self.puts and not self.removals

    @property
    def is_one_put(self) -> bool:
        """Whether there is one item to put, and nothing else."""
        return len(self.puts) == 1 and not self.removals


class Fresh(NamedTuple):
    """An item that has changed, as search needs it. `terms` is sealed."""

    ref: int
    key: str
    updated_at: int
    expires_at: int | None
    revision: int
    terms: bytes | None


class Indexed(NamedTuple):
    """An item that is to be found by queries; `terms` is sealed."""

    row: ItemRow
    terms: bytes


class Owned(NamedTuple):
    """An item of an owner's; `terms` is sealed, `None` where it is not to be found by queries."""

    row: ItemRow
    terms: bytes | None


class NewTerms(NamedTuple):
    """Other terms for an item, unless it has changed since that revision; what is given is sealed.

    Attributes:
        sealed: Another value as well; `None`: it keeps its own.
    """

    ref: int
    path: str
    revision: int
    terms: bytes | None
    sealed: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What has changed in one namespace.

    Args:
        since: The revision that the reader knew, 0 if it knew nothing.
        revision: The revision that it knows now.
        items: All items that changed in between.
        kept: Where something was taken out in between: the numbers of all items that are left; else `None`.
    """

    ref: int
    path: str
    owner: Owner | None
    since: int
    revision: int
    items: Sequence[Fresh]
    kept: Collection[int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What has changed in a range of namespaces; `namespaces` are the numbers of all that are there now."""

    namespaces: Collection[int]
    news: Sequence[News]


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What was erased: how many items, in how many namespaces."""

    items: int
    namespaces: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexed:
    """What a re-index did.

    Attributes:
        checked: Items that it looked at. `written`: of them, those that were to be found by something else.
        damaged: Items whose value cannot be read any more; they were left alone.
        model: Whose vectors the items have now; `None`: none was given, and those that there are were kept.
    """

    checked: int
    written: int
    damaged: int
    model: str | None


Check: TypeAlias = Callable[[Mapping[str, Owner | None]], None]
"""Is told of namespaces, by path, whose they are; what it raises ends the transaction."""


class Keyring(Protocol):
    """Knows the owners whose items it can open."""

    def expect(self, owners: Iterable[Owner | None]) -> None:
        """Raise an error that ends the transaction, unless it can open what belongs to each of them."""
        ...


class Items(ABC):
    """Items of one database. Each call is one transaction, and what it reads is the state of one moment."""

    @abstractmethod
    def open(self) -> Flow[None]:
        """Connect, and bring the tables up to date."""

    @abstractmethod
    def read(self, queries: Sequence[Query], at: int, keyring: Keyring) -> Flow[list[Any]]:
        """Answer queries, in their order; `keyring` is asked before rows of an owner are handed to a `take`.

        Where items that were returned are to live on, their new expiry is written after that.

        Raises:
            StorageError: The database failed.
        """

    @abstractmethod
    def change(self, queries: Sequence[Query], change: Change, keyring: Keyring) -> Flow[list[Any]]:
        """Answer queries, in their order, and then write: all of it, or nothing.

        Raises:
            ScopeError: A namespace that is not shared belongs to somebody else than the change says.
            StorageError: The database failed; nothing was written.
        """

    @abstractmethod
    def bring(self, change: Change) -> Flow[int]:
        """Put items, but none where one stands under its key, and return how many; errors as `change`."""

    @abstractmethod
    def delta(self, paths: Range, known: Mapping[int, int], keyring: Keyring) -> Flow[Delta]:
        """Return what has changed in a range of namespaces since the revisions that are known, by their numbers.

        Raises:
            StorageError: The database failed.
        """

    @abstractmethod
    def rows(self, refs: Sequence[int], at: int, keyring: Keyring) -> Flow[list[ItemRow]]:
        """Return the items of some numbers that are there, in any order.

        Raises:
            StorageError: The database failed.
        """

    @abstractmethod
    def indexed(self, after: int, limit: int, at: int, keyring: Keyring) -> Flow[list[Indexed]]:
        """Return items that are to be found by queries and whose number is above `after`, the lowest first.

        Raises:
            StorageError: The database failed.
        """

    @abstractmethod
    def theirs(self, owner: Owner, after: int, limit: int, at: int, keyring: Keyring) -> Flow[list[Owned]]:
        """Return items of an owner's namespaces whose number is above `after`, the lowest first.

        Raises:
            StorageError: The database failed.
        """

    @abstractmethod
    def replace_terms(self, changes: Sequence[NewTerms]) -> Flow[int]:
        """Let items be found by other terms, and say something else where that is given; no time of theirs changes.

        Returns:
            For how many that was done: not for those that have changed meanwhile.

        Raises:
            StorageError: The database failed; nothing was written.
        """

    @abstractmethod
    def refresh(self, refs: Sequence[int], at: int) -> Flow[None]:
        """Let items of some numbers live on for another time to live.

        Raises:
            StorageError: The database failed.
        """

    @abstractmethod
    def owners(self, paths: Collection[str]) -> Flow[dict[str, Owner]]:
        """Return to whom namespaces belong, those that belong to nobody or are not there left out.

        Raises:
            StorageError: The database failed.
        """

    @abstractmethod
    def erase(self, owner: Owner, is_theirs: Callable[[str], bool]) -> Flow[Erased]:
        """Delete all namespaces of an owner without a trace.

        Args:
            owner: Whose.
            is_theirs: Decides about a namespace that belongs to nobody, by its path.

        Raises:
            StorageError: The database failed; nothing was deleted, or it is retryable and only a trace is left.
        """

    @abstractmethod
    def clear(self, paths: Range, at: int, check: Check, *, is_dry: bool) -> Flow[Erased]:
        """Delete all namespaces of a range without a trace; what has expired goes too, and is not counted.

        Args:
            paths: Which.
            at: The time now.
            check: Is told first which namespaces that would be.
            is_dry: Only count.

        Raises:
            StorageError: The database failed; nothing was deleted, or it is retryable and only a trace is left.
        """

    @abstractmethod
    def sweep(self, at: int) -> Flow[int]:
        """Delete what has expired, and return how many items that were.

        Raises:
            StorageError: The database failed; what was deleted until then stays deleted.
        """
