"""The port of layers: whatever stores something of users says how much, gives it out, and takes it away.

A new table or family of keys is claimed by a layer, or a test fails: nothing can be forgotten when a user asks for an
export or an erasure. A table with a `subject_id` needs no more than one `LedgerLayer` in `ledger_layers.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

from langchain_agentmem._flow import Flow, work
from langchain_agentmem.types import Memory, Scope


class Record(NamedTuple):
    """One thing of a user's, or a part of it, as JSON knows it.

    Attributes:
        id: Its own inside its layer. Of a thing that stands in several records they all have it, one behind the other,
            and `data["part"]` counts them from 0.
        line: Where it was read.
    """

    id: str
    data: Mapping[str, Any]
    line: int = 0


Take: TypeAlias = Callable[[Sequence[Record]], Flow[None]]
"""What is done with some records, before there are more."""


class Records(Protocol):
    """Records of one layer, read as often as they are asked for, some at a time.

    Attributes:
        export_id: Of the export that they are from.
    """

    export_id: str

    def batches(self) -> Iterator[list[Record]]:
        """Return them in order; a layer's `is_grouped` says that no batch has records of two ids.

        Raises:
            IntegrityError: They are not any more what they were.
        """
        ...

    def by_id(self) -> Iterator[tuple[str, Records]]:
        """Return those of each id, of a layer that is grouped."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What became of the records of a layer that were imported.

    Attributes:
        added: Records that were written now. `present`: those that were there already, or another in their place, such
            as a memory that says the same.
        contradicting: Memories of those added that say otherwise than what was here: both are marked, neither replaces
            the other.
        skipped: Records that are made anew by the memory itself, that belong to the database they were in (events of
            its log, jobs, requests), or that may not be kept here: the user does not consent to them, or the policy
            for sensitive data blocks them.
    """

    added: int = 0
    present: int = 0
    skipped: int = 0
    contradicting: int = 0

    def and_(self, other: Restored) -> Restored:
        """Return both together."""
        return Restored(
            added=self.added + other.added,
            present=self.present + other.present,
            skipped=self.skipped + other.skipped,
            contradicting=self.contradicting + other.contradicting,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What of a file is not here after its memories and turns were taken in.

    It may not be kept, for want of consent or by the policy for sensitive data, or it was erased here.

    Attributes:
        ids: Of memories and turns. `memories`: the memories themselves.
        twins: Ids of memories that are not here because others say the same: their words are, and what names them not.
    """

    ids: frozenset[str]
    memories: tuple[Memory, ...]
    twins: frozenset[str] = frozenset()


Screen: TypeAlias = Callable[[Record, LeftOut], Record | None]


class Layer(ABC):
    """One kind of what is stored of users.

    Args:
        name: In exports and reports.
        tables: Names of the tables it answers for. `families`: what names its keys on Redis.
        remains: What stays for a while in files that are not ours, and until when; empty: nothing.
    """

    is_grouped = False
    is_derived = False
    """Whether it is made of what other layers have, and so tells of no key that the user's words need."""

    screen: Screen | None = None
    """What is taken in of a record, once it is known which memories were left out; `None`: all, whichever these are."""

    def __init__(
        self, name: str, *, tables: Sequence[str] = (), families: Sequence[str] = (), remains: str = ""
    ) -> None:
        """Nothing is opened yet."""
        self.name = name
        self.tables = frozenset(tables)
        self.families = frozenset(families)
        self.remains = remains

    def unclaimed(self, scope: Scope) -> Flow[str]:
        """Return what may be the user's although it is nobody's, as a sentence for a report; empty: nothing is."""
        yield from ()
        return ""

    @abstractmethod
    def count(self, scope: Scope) -> Flow[int]:
        """Return how much there is of the scope's user, of every agent and session.

        Raises:
            StorageError: Where it is stored could not be asked.
        """

    @abstractmethod
    def erase(self, scope: Scope) -> Flow[None]:
        """Delete all of it, without reading what it says: a key may be gone. Repeating the call changes nothing.

        Raises:
            StorageError: Something may be left; the call is to be repeated.
        """

    def export(self, scope: Scope, take: Take) -> Flow[None]:
        """Give all of it, some records at a time; a layer that is made of others gives nothing.

        Raises:
            IntegrityError: Something cannot be read.
            StorageError: Where it is stored could not be asked.
        """
        yield from ()

    def check(self, scope: Scope, record: Record) -> None:  # noqa: B027  (a layer that imports nothing checks nothing)
        """Look at a record that is to become the scope's user's; nothing is opened.

        Raises:
            Exception: Of any kind, where it is none of `export`.
        """

    def look_through(self, scope: Scope, records: Records) -> None:  # noqa: B027  (likewise)
        """Look at what hangs together in records that were checked one by one. Errors as `check`."""

    def restore(self, scope: Scope, records: Records) -> Flow[Restored]:
        """Write what is not there of records that were checked; run again, it goes on."""
        done, batches = Restored(), records.batches()
        while batch := (yield from work(next, batches, None)):
            done = done.and_((yield from self.put(scope, batch, records.export_id)))
        return done

    def put(self, scope: Scope, batch: Sequence[Record], export_id: str) -> Flow[Restored]:
        """Write what is not there of some records of an export; a layer that is made of others writes nothing."""
        yield from ()
        return Restored(skipped=len(batch))


class Layers(Protocol):
    """Makes every layer, in the order in which they are erased; of two of a kind, the one in use is the last."""

    def __call__(self, looking_for: Scope | None = None) -> Sequence[Layer]:
        """Return them.

        Args:
            looking_for: A user of whom they are to find what no index leads to, too, however long that takes: the first
                that needs it looks, once, for all of them. So they are made for an erasure, an export, or a report that
                is to say that nothing is there. `None`: they find what indexes name.
        """
        ...
