"""The port of the ledger: what a backend that stores memory has to promise.

One chain of events per (tenant, user). Everything below happens inside one scope: no method can see, count or change a
row of another user. Memories of an agent are visible to that agent's scopes, shared ones to every scope of the user.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Literal, Protocol, TypeAlias, TypeVar

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import SearchColumns, SearchRow
from langchain_agentmem.ledger import episodes, queueing, requests, runs, sensitive, snapshots
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.ledger.episodes import EpisodeReader, EpisodeWriter
from langchain_agentmem.ledger.queueing import JobWriter
from langchain_agentmem.ledger.requests import Requests
from langchain_agentmem.ledger.runs import Runs
from langchain_agentmem.ledger.sensitive import SensitiveRows
from langchain_agentmem.ledger.snapshots import Snapshots
from langchain_agentmem.ledger.verification import Anchor, Verification
from langchain_agentmem.types import ConsentState, Event, Kind, Memory, Receipt, Scope, Status
from langchain_agentmem.types.asking import Asks
from langchain_agentmem.types.log import EventType

T = TypeVar("T")

AT_ONCE: Final = 500
"""Memories that are read at once where all are read."""

ASKS: Final[Asks] = {
    **queueing.ASKS,
    **dict.fromkeys(
        (
            *("head", "has_tokens", "is_of_one_state", "has_log", "models", "unsealed", "receipt", "events", "holds"),
            *("memory", "memories", "page", "every", "ended_in", "changed", "written_in_session", "held_in_session"),
            *("seq_at", "has_more_than", "has_vectors", "count_vectors", "lacks_vectors", "misfits", "uses", "evident"),
            *("search_columns", "search_rows_of", "has_jobs", "are_jobs_left"),
        ),
        "read",
    ),
    **dict.fromkeys(("put_receipt", "touch"), "read"),  # what a read leaves
    **dict.fromkeys(("append", "put_vector", "add_vectors", "drop_vectors"), "write"),
    **dict.fromkeys(("erase", "forget_questions"), "erase"),
}
"""What each name of `LedgerWriter` asks the application about, but for its parts."""

PART_ASKS: Final[Mapping[str, Asks]] = {
    "episodes": episodes.ASKS,
    "requests": requests.ASKS,
    "runs": runs.ASKS,
    "sensitive": sensitive.ASKS,
    "snapshots": snapshots.ASKS,
}
"""The same of each part of a `LedgerWriter`."""

OrderBy: TypeAlias = Literal["created_at", "confidence", "importance"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An event to append.

    Args:
        memory_id: The memory it changes; `None` for refusals and consent.
        changes: New values of `Memory` fields (and `agent_id`, `session_id`), all of them for a new memory.
        note: JSON-like reasons and details. It belongs to the memory and is erased with it.
        rule: Name of the rule that decided; part of the chain in clear, never personal.
    """

    type: EventType
    memory_id: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict, repr=False)
    note: Mapping[str, Any] = field(default_factory=dict, repr=False)
    rule: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where a chain stands. `seq` is also the scope's content revision: writes move it, reads never do.

    Attributes:
        stated: The consent in force, or what opens it: nobody but who asks for it needs the user's key.
        digest: Of the last event: tells this content from another that has as many events, in a restored database.
        is_held: Whether a legal hold stands: nothing of the user's is forgotten by itself, or erased.
        is_erasing: Whether all of the user's is being erased: nothing may be written until that is done.
    """

    seq: int = 0
    digest: bytes = b""
    stated: ConsentState | Callable[[], ConsentState] = field(default_factory=ConsentState, compare=False)
    is_held: bool = False
    is_erasing: bool = False

    @property
    def consent(self) -> ConsentState:
        """The consent in force.

        Raises:
            IntegrityError: It does not open, or cannot be read.
        """
        return self.stated() if callable(self.stated) else self.stated


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelState:
    """An embedding model whose vectors the ledger holds; reads use the current one.

    Attributes:
        renewed_at: Moves whenever memories get a vector that had none: who holds them has to read them again.
    """

    name: str
    dimension: int
    is_current: bool
    renewed_at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a listing; `after` is the (order value, id) of the last row of the page before."""

    kinds: Sequence[Kind] | None = None
    statuses: Sequence[Status] = ("active",)
    order_by: OrderBy = "created_at"
    after: tuple[float, str] | None = None
    limit: int = 100

    def behind(self, batch: Sequence[Memory]) -> Page:
        """Return the page behind a batch, which is not empty and in the order of their making."""
        return replace(self, after=(to_micros(batch[-1].created_at) or 0, batch[-1].id))


class LedgerReader(ABC):
    """What a transaction can read, all of it in the state of one moment."""

    head: Head

    @property
    @abstractmethod
    def episodes(self) -> EpisodeReader:
        """What can be read of the user's conversations."""

    @property
    @abstractmethod
    def has_tokens(self) -> bool:
        """Whether anything of the user's stands behind a token."""

    @property
    @abstractmethod
    def runs(self) -> Runs:
        """What is kept of agents' runs; only a writer changes it."""

    @property
    @abstractmethod
    def snapshots(self) -> Snapshots:
        """What views were kept as; only a writer changes it."""

    @property
    @abstractmethod
    def is_of_one_state(self) -> bool:
        """Whether all that is read is of one state of the database, whatever others write meanwhile."""

    @property
    @abstractmethod
    def has_log(self) -> bool:
        """Whether what is removed stands on in a file that only the database writes, until `scrub`."""

    @abstractmethod
    def memory(self, memory_id: str) -> Memory | None:
        """Return a visible memory; `None` where it is unknown, another agent's, or erased."""

    @abstractmethod
    def memories(self, memory_ids: Iterable[str]) -> dict[str, Memory]:
        """Return the visible ones of several memories."""

    @abstractmethod
    def page(self, page: Page) -> list[Memory]:
        """Return visible memories in descending order of `page.order_by`, then of id."""

    def every(self, page: Page) -> Iterator[Memory]:
        """Yield all visible memories that a page asks for, however many, the newest first."""
        page = replace(page, order_by="created_at", limit=AT_ONCE)
        while True:
            batch = self.page(page)
            yield from batch
            if len(batch) < AT_ONCE:
                return
            page = page.behind(batch)

    @abstractmethod
    def ended_in(self, session_ids: Iterable[str]) -> list[Memory]:
        """Return visible memories of some conversations that were replaced, or forgotten."""

    @abstractmethod
    def changed(self, since: int) -> list[Memory]:
        """Return visible memories whose revision is greater than `since`."""

    @abstractmethod
    def has_more_than(self, count: int) -> bool:
        """Whether the user has more memories than so many, of any agent and every status but `erased`."""

    @abstractmethod
    def has_vectors(self, model: str | None) -> bool:
        """Whether any visible memory, of every status but `erased`, has a vector of a model."""

    @abstractmethod
    def count_vectors(self, model: str | None) -> int:
        """Return how many of the user's memories, of any agent and every status but `erased`, have a model's vector."""

    @abstractmethod
    def lacks_vectors(self, model: str | None, since: int) -> bool:
        """Whether any of them whose revision is greater than `since` has none."""

    @abstractmethod
    def misfits(self, model: str) -> list[str]:
        """Return of what of the user's, of any agent, the vector is not used: another size, or not of length 1."""

    @abstractmethod
    def search_columns(self, since: int, model: str | None) -> SearchColumns:
        """Return what an index needs of every row, of any agent, whose revision is greater than `since`."""

    @abstractmethod
    def search_rows_of(self, memory_ids: Sequence[str], model: str | None) -> list[SearchRow]:
        """Return what an index needs of the rows named, of any agent."""

    @abstractmethod
    def uses(self, memory_ids: Iterable[str]) -> dict[str, tuple[int, datetime]]:
        """Return how often and when last each memory was recalled; missing where never."""

    @abstractmethod
    def evident(self, memory_ids: Iterable[str]) -> dict[str, datetime]:
        """Return when each memory was last learned, confirmed, revised, restored, or had guided a success."""

    @abstractmethod
    def written_in_session(self, session_id: str, *, are_outcomes: bool = False) -> int:
        """Return how many memories were written in a session, whatever became of them but erasure.

        Outcomes are counted by themselves, and in no other count.
        """

    @abstractmethod
    def held_in_session(self, session_id: str) -> list[Memory]:
        """Return the memories of a session, of any agent, that wait, or waited until they were archived."""

    @abstractmethod
    def events(self, *, memory_id: str | None = None, after: int = 0, limit: int = 1_000) -> list[Event]:
        """Return events of any agent in order; of one memory, or all of the chain."""

    @abstractmethod
    def holds(self) -> list[Event]:
        """Return the events of legal holds in order; one whose key was lost without what it said."""

    @abstractmethod
    def seq_at(self, moment: datetime) -> int:
        """Return the number of the last event that is not later than a time; 0 where there is none."""

    @abstractmethod
    def receipt(self, receipt_id: str) -> Receipt | None:
        """Return a receipt of this agent, or one of the shared scope; `None` where there is none."""

    @abstractmethod
    def models(self) -> list[ModelState]:
        """Return the embedding models known to the database."""

    @abstractmethod
    def has_jobs(self, kind: str) -> bool:
        """Whether a job of the subject is waiting, being done, or given up."""

    @abstractmethod
    def are_jobs_left(self, kind: str) -> bool:
        """Whether a job of the kind is waiting or being done, whoever's it is."""

    @abstractmethod
    def unsealed(self, payload: Mapping[str, Any]) -> bytes:
        """Return the words that a job of this subject was queued with.

        Raises:
            IntegrityError: They were changed, or are another job's.
        """


def head_of(reader: LedgerReader) -> Head:
    """Return where a user's log stands."""
    return reader.head


def consent_of(reader: LedgerReader) -> ConsentState:
    """Return what the user allows."""
    return reader.head.consent


def state_of(reader: LedgerReader) -> tuple[Head, list[ModelState]]:
    """Return where a user's log stands, and which models embed."""
    return reader.head, reader.models()


class LedgerWriter(LedgerReader, JobWriter):
    """What a write transaction can do besides. Nothing is visible to others before it ends."""

    @property
    @abstractmethod
    def episodes(self) -> EpisodeWriter:
        """What can be read and written of the user's conversations."""

    @property
    @abstractmethod
    def requests(self) -> Requests:
        """What the user asked to forget, for turns that were open then."""

    @property
    @abstractmethod
    def sensitive(self) -> SensitiveRows:
        """What was found to be sensitive."""

    @abstractmethod
    def append(self, draft: Draft) -> Event:
        """Append an event and bring the projections along.

        Raises:
            NotFoundError: The memory to change is unknown here, another agent's, or erased.
            ConflictError: The memory to be `remembered` has the id of one that is or was there; said when the rows are
                written, at the latest at the end of the transaction, which then writes nothing.
        """

    @abstractmethod
    def erase(self, memory_id: str, note: Mapping[str, Any]) -> Event:
        """Append `erased`, delete every payload, projection, vector and statistic of the memory; keep the chain.

        Raises:
            NotFoundError: The memory is unknown here, another agent's, or erased already.
        """

    @abstractmethod
    def put_vector(self, memory_id: str, model: ModelState, vector: bytes) -> None:
        """Store the vector of a memory that this transaction writes, and the model where it is new."""

    @abstractmethod
    def add_vectors(self, model: ModelState, vectors: Mapping[str, bytes]) -> None:
        """Store vectors of memories, by id, that were written without, and move the model's `renewed_at`."""

    @abstractmethod
    def drop_vectors(self, model: str, ids: Sequence[str]) -> None:
        """Delete vectors of a model, of memories and episodes of any agent; they are embedded anew, or never."""

    @abstractmethod
    def put_receipt(self, receipt: Receipt) -> None:
        """Store or replace a receipt."""

    @abstractmethod
    def forget_questions(self, since: datetime | None = None) -> None:
        """Take the words asked with out of every receipt of the subject (`since`): they may say what was erased."""

    @abstractmethod
    def touch(self, memory_ids: Sequence[str], at: datetime) -> None:
        """Count one use of each memory."""


class Ledger(Protocol):
    """Stores events and their projections."""

    def read(self, scope: Scope, body: Callable[[LedgerReader], T]) -> Flow[T]:
        """Run `body` on a consistent state of the scope."""
        ...

    def read_prepared(self, scope: Scope, body: Callable[[LedgerReader], T]) -> Flow[T]:
        """Read the shortest way what a search begins with: `body` may run twice, and each look be later than the last.

        That is `head`, `models`, `has_more_than`, `snapshots` and `search_columns`, and `revision` and `rows` of
        episodes; nothing else. Rows may be newer than the revision that was read before them.
        """
        ...

    def append(self, scope: Scope, body: Callable[[LedgerWriter], T]) -> Flow[T]:
        """Run `body` as one write transaction, alone on its chain: all it appends is committed, or nothing."""
        ...

    def replay(self, scope: Scope) -> Flow[int]:
        """Rebuild the table of memories of the scope's user from the events; return how many rows it has.

        Raises:
            RetentionError: All of the user's is being erased, the rows too.
        """
        ...

    def scrub(self) -> Flow[None]:
        """Remove what was erased from files that only the database writes, and from free parts of its own."""
        ...

    def empty_log(self) -> Flow[None]:
        """Remove what was taken out from files that only the database writes (its write-ahead log)."""
        ...

    def verify(self, scope: Scope, anchor: Anchor | None = None) -> Flow[Verification]:
        """Check the chain of the scope's user against its payloads, its head and, where given, an exported head."""
        ...
