"""The port of search: what an index promises to the services that ask it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import Proposal, SearchQuery, SearchRow
from langchain_agentmem.types import Scope


class Index(ABC):
    """Proposes memory ids by relevance, inside one (tenant, user).

    An index is a projection of the ledger: it may lag behind or be rebuilt, and it never decides. What it proposes is
    checked again on the ledger's rows. What it must never do is let another subject's rows enter an answer: neither
    their ids nor their influence on order and scores.

    Attributes:
        name: Short name for receipts.
        is_fed: Whether rows must be brought by `upsert` and `delete` (durable jobs do it). `False`: the index reads the
            ledger itself, and both calls only drop what it holds in memory.
    """

    name: ClassVar[str]
    is_fed: ClassVar[bool]

    @abstractmethod
    def search(self, scope: Scope, query: SearchQuery) -> Flow[list[Proposal]]:
        """Return at most `query.limit` proposals, best first, after the first `query.offset` of them.

        `query.filter` is applied before the cut: a row that it excludes takes no place of one it admits. Equal
        relevance is ordered by id. Rows of relevance 0 are not proposed, so an unrelated question proposes nothing.
        `scope.agent_id` is ignored: `query.filter.agent_id` decides which agents' rows are visible.

        Raises:
            ConfigurationError: The query's vector has another size than the rows' vectors.
            StorageError: A server failed; see `is_retryable`.
        """

    @abstractmethod
    def upsert(self, scope: Scope, rows: Sequence[SearchRow]) -> Flow[None]:
        """Insert or replace rows by id; a row of status `erased` is removed. Repeating a call changes nothing.

        Raises:
            ConfigurationError: A vector has another size than the rows' vectors.
            StorageError: A server failed; the call may be repeated.
        """

    @abstractmethod
    def delete(self, scope: Scope, memory_ids: Sequence[str]) -> Flow[None]:
        """Remove rows by id; unknown ids are no error.

        Raises:
            StorageError: A server failed; the call may be repeated.
        """

    @abstractmethod
    def reset(self, dim: int | None = None) -> Flow[None]:
        """Remove every row of every subject, so that the index can be rebuilt from the ledger, also where it was lost.

        Args:
            dim: Size of the vectors that come now; `None`: as before, or of any size.

        Raises:
            StorageError: A server failed; the call may be repeated.
        """

    def damaged(self, scope: Scope, rows: Sequence[SearchRow]) -> Flow[list[str]]:
        """Return the ids of rows that are lost here, or not held as given; nothing is changed.

        One of status `erased` is held as given where it is not held. An index that cannot tell names every row, and
        then each is brought again, or removed.

        Raises:
            StorageError: A server failed; the call may be repeated.
        """
        yield from ()
        return [row.memory_id for row in rows if self.is_fed]

    def holds(self, scope: Scope, count: int) -> Flow[bool]:
        """Return whether there are at least so many rows of the scope's (tenant, user), found out without reading them.

        An index that cannot tell says yes.

        Raises:
            StorageError: A server failed; the call may be repeated.
        """
        yield from ()
        return True

    def tells_what_it_holds(self) -> Flow[bool]:
        """Return whether `holds` can tell.

        Raises:
            StorageError: A server failed; the call may be repeated.
        """
        yield from ()
        return type(self).holds is not Index.holds

    def tells_damage(self) -> Flow[bool]:
        """Return whether `damaged` can tell.

        Raises:
            StorageError: A server failed; the call may be repeated.
        """
        yield from ()
        return type(self).damaged is not Index.damaged

    def close(self) -> Flow[None]:
        """Release what the index itself opened; one that was given what it uses has nothing to release."""
        yield from ()

    def forget(self, scope: Scope) -> None:  # noqa: B027  (most indexes cache nothing: an empty default is right)
        """Drop whatever this process caches of the scope's (tenant, user); nothing stored is touched."""
