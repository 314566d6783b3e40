"""The port of layers: whatever stores something of users says how much, gives it out, and takes it away.

A new table or family of keys is claimed by a layer, or a test fails: nothing can be forgotten when a user asks for an
export or an erasure. A table with a `subject_id` needs no more than one `LedgerLayer` in `ledger_layers.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from langchain_agentmem._flow import Flow
from langchain_agentmem.types import Scope


class Record(NamedTuple):
    """One thing of a user's, as JSON knows it; `id` is its own inside its layer."""

    id: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What became of the records of a layer that were imported.

    Attributes:
        added: Records that were written now. `present`: those that were there already, or another in their place.
        skipped: Records that are made anew by the memory itself, or that may not be kept here: the user does not
            consent to them, or the policy for sensitive data blocks them.
    """

    added: int = 0
    present: int = 0
    skipped: int = 0

    def and_(self, other: Restored) -> Restored:
        """Return both together."""
        return Restored(
            added=self.added + other.added,
            present=self.present + other.present,
            skipped=self.skipped + other.skipped,
        )


class Layer(ABC):
    """One kind of what is stored of users.

    Args:
        name: In exports and reports.
        tables: Names of the tables it answers for. `families`: what names its keys on Redis.
        remains: What stays for a while in files that are not ours, and until when; empty: nothing.
    """

    def __init__(
        self, name: str, *, tables: Sequence[str] = (), families: Sequence[str] = (), remains: str = ""
    ) -> None:
        """Nothing is opened yet."""
        self.name = name
        self.tables = frozenset(tables)
        self.families = frozenset(families)
        self.remains = remains

    @abstractmethod
    def count(self, scope: Scope) -> Flow[int]:
        """Return how much there is of the scope's user, of every agent and session, found by an index.

        Raises:
            StorageError: Where it is stored could not be asked.
        """

    @abstractmethod
    def erase(self, scope: Scope) -> Flow[None]:
        """Delete all of it, without reading what it says: a key may be gone. Repeating the call changes nothing.

        Raises:
            StorageError: Something may be left; the call is to be repeated.
        """

    def export(self, scope: Scope) -> Flow[list[Record]]:
        """Return all of it; a layer that is made of others gives nothing.

        Raises:
            IntegrityError: Something cannot be read.
            StorageError: Where it is stored could not be asked.
        """
        yield from ()
        return []

    def restore(self, scope: Scope, records: Sequence[Record]) -> Flow[Restored]:
        """Check all records now, and return a flow that writes what is not there; run again, it goes on.

        Raises:
            Exception: Of any kind, where a record is none of `export`.
        """
        return _skipped(len(records))


def _skipped(count: int) -> Flow[Restored]:
    yield from ()
    return Restored(skipped=count)
