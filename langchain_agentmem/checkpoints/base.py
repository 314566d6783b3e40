"""The port of checkpoints: what a backend that stores threads has to promise.

A thread holds *items* (pieces of channel values, each stored once and numbered in the order of arrival), *checkpoints*
(a small header each, which refers to items by number) and *writes* (what tasks wrote before the next checkpoint). A
backend stores these rows and knows nothing of what is in them: it neither encodes nor hashes nor decides. What decides
is handed in as an object that the backend asks: a `Draft` for changes, a `Reader` for reading, a `Plan` for removals.
Each of them is pure, never waits, and may be asked again from the start, on a newer state.

Ids of threads, namespaces, checkpoints and tasks are text without NUL and lone surrogates, compared exactly. Times are
microseconds since 1970 in UTC. A thread whose `expires_at` has passed is no thread: nobody sees anything of it, and the
first change begins it anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol, TypeAlias

from langchain_agentmem._flow import Flow
from langchain_agentmem.types.asking import Asks
from langchain_agentmem.types.scope import Owner

MAX_DATABASE_INT: Final = 2**63 - 1

ASKS: Final[Asks] = {
    "change": "write",
    "delete": "erase",
    "expired": None,
    "last_use": "read",
    "lease": "write",
    "load": "read",
    "release": "write",
    "remove": "erase",
    "threads": "read",
}
"""What each method of `Threads` asks the application about."""

_NO_HEADS: Final[Mapping[str, str]] = MappingProxyType({})

Key: TypeAlias = tuple[str, str]
"""A checkpoint inside its thread: namespace and checkpoint id."""


class Item(NamedTuple):
    """A piece of content, addressed by its digest, stored once in its thread."""

    no: int
    digest: bytes
    sealed: bytes


class CheckpointRow(NamedTuple):
    """A checkpoint as it is stored; `header` refers to items by their numbers."""

    ns: str
    id: str
    parent_id: str | None
    header: bytes


class WriteRow(NamedTuple):
    """What one task wrote to one channel; `value` is small, or refers to items by their numbers."""

    ns: str
    checkpoint_id: str
    task_id: str
    idx: int
    task_path: str
    channel: str
    value: bytes


class ThreadRow(NamedTuple):
    """A thread in a listing."""

    thread_id: str
    owner: Owner | None
    created_at: int
    last_used_at: int
    expires_at: int | None


class ThreadState(NamedTuple):
    """What a change has to know about the thread it is applied to.

    Attributes:
        generation: Differs whenever items were removed, something was reworded, or the thread was deleted and begun
            anew. As long as it is the same, a number means the same item.
        next_no: The number of the next item; numbers are never used twice in a generation.
        heads: For each namespace that the draft names: the checkpoint that was put last, if any.
        is_new: Whether the thread begins with the change.
    """

    generation: int = 0
    next_no: int = 1
    owner: Owner | None = None
    heads: Mapping[str, str] = _NO_HEADS
    is_new: bool = False


class Change(NamedTuple):
    """Rows to add to a thread, all of them or none.

    Attributes:
        items: New items; their numbers begin at the state's `next_no` and have no gaps.
        checkpoints: Replaces a checkpoint of the same key.
        writes: Kept where the (ns, checkpoint, task, idx) exists already, unless `replaces`.
        replaces: Whether writes replace what stands at their place.
        heads: New heads by namespace.
        labels: Fingerprints under which `threads` finds the thread; they are only ever added to.
        owner: Binds a thread that has no owner yet.
    """

    items: Sequence[Item] = ()
    checkpoints: Sequence[CheckpointRow] = ()
    writes: Sequence[WriteRow] = ()
    replaces: bool = False
    heads: Mapping[str, str] = _NO_HEADS
    labels: frozenset[bytes] = frozenset()
    owner: Owner | None = None


class Draft(Protocol):
    """A change that is finished on the state it will be applied to."""

    def namespaces(self) -> Sequence[str]:
        """Return the namespaces whose heads it has to know."""
        ...

    def since(self, state: ThreadState) -> int:
        """Return the first number whose digest it has to know; `state.next_no`: none."""
        ...

    def build(self, state: ThreadState, digests: Sequence[tuple[int, bytes]]) -> Change:
        """Return the change for that very state.

        Args:
            state: The state that the change will be applied to, or a guess that will be checked against it.
            digests: Number and digest of each item from `since(state)` on.

        Raises:
            ConflictError: Someone else wrote first; nothing is changed, and the error reaches the caller.
            ScopeError: The thread is someone else's; likewise.
        """
        ...


class Query(NamedTuple):
    """Which checkpoints of a thread to read.

    Attributes:
        ns: One namespace, exactly; `None`: all of them.
        id: One checkpoint. With `is_latest`: the head of the namespace.
        before: Only checkpoints whose id is less, in text order.
        after_key: Only checkpoints that follow this key in the order of a listing: newest id first, then namespace.
        limit: How many at most; `None`: all.
    """

    ns: str | None = None
    id: str | None = None
    is_latest: bool = False
    before: str | None = None
    after_key: Key | None = None
    limit: int | None = None


class Page(NamedTuple):
    """Checkpoints as stored, newest id first, each with its writes in no particular order."""

    state: ThreadState
    rows: Sequence[tuple[CheckpointRow, Sequence[WriteRow]]] = ()


class Reader(Protocol):
    """Takes rows, says which items they need, takes those, and so on until it needs no more."""

    def take_page(self, page: Page) -> None:
        """Take the rows; called first, and again from the start if the thread changed under a read of many steps."""
        ...

    def wants(self) -> Sequence[range]:
        """Return numbers of items that are needed next, as ranges in ascending order; empty: it has all."""
        ...

    def take_items(self, items: Sequence[tuple[int, bytes]]) -> None:
        """Take number and sealed bytes of items, in ascending order; what is not there is left out."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What to remove from a thread.

    Attributes:
        checkpoints: These, and their writes.
        writes: These alone: namespace, checkpoint, task and place of each.
        orphans: Writes of these checkpoints, which are not there.
        items: These numbers.
        replaced: What stands in the place of checkpoints that stay, by their keys: they have another parent, or words.
        heads: New heads of namespaces; `None`: the namespace is gone.
        reworded: What stands in the place of items that stay, under their numbers.
        reworded_writes: What stands in the place of writes that stay.
    """

    checkpoints: frozenset[Key] = frozenset()
    writes: frozenset[tuple[str, str, str, int]] = frozenset()
    orphans: frozenset[Key] = frozenset()
    items: Sequence[range] = ()
    replaced: Mapping[Key, CheckpointRow] = field(default_factory=dict)
    heads: Mapping[str, str | None] = field(default_factory=dict)
    reworded: Sequence[Item] = ()
    reworded_writes: Sequence[WriteRow] = ()

    @property
    def is_anew(self) -> bool:
        """Whether what somebody took over from the thread before cannot be used any more."""
        return bool(self.items or self.reworded or self.reworded_writes or self.replaced)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """Everything of a thread but the content of its items. `numbers`: those of all items, ascending."""

    state: ThreadState
    checkpoints: Sequence[CheckpointRow]
    writes: Sequence[WriteRow]
    numbers: Sequence[int]


class Plan(Protocol):
    """Decides what to remove or to reword; asks for items like a `Reader`."""

    def take_inventory(self, inventory: Inventory) -> None:
        """Take everything there is; called first, and again from the start if the thread changed meanwhile."""
        ...

    def wants(self) -> Sequence[range]:
        """Return numbers of items that are needed next; empty: it has all."""
        ...

    def take_items(self, items: Sequence[tuple[int, bytes]]) -> None:
        """Take number and sealed bytes of items."""
        ...

    def removal(self) -> Removal | None:
        """Return what to remove, and what to reword; `None`: nothing is changed at all."""
        ...


class Threads(Protocol):
    """Stores threads. Each method is atomic, and durable once it returns."""

    def change(self, thread_id: str, draft: Draft, *, at: int, expires_at: int | None) -> Flow[ThreadState]:
        """Apply a change to the very state that it was built for, and return the state after it.

        The thread begins with its first change. `expires_at` becomes the thread's, of every row and key of it.

        Raises:
            StorageError: Nothing was changed; retryable also where others kept changing the thread.
        """
        ...

    def load(self, thread_id: str, query: Query, reader: Reader, *, expires_at: int | None = None) -> Flow[None]:
        """Let a reader read some checkpoints; a thread that is not there is an empty page.

        What the reader gets is of one state of the thread. `expires_at`, where given, becomes the thread's in the same
        transaction.
        """
        ...

    def remove(self, thread_id: str, plan: Plan) -> Flow[Removal | None]:
        """Remove what the plan says, from the very state it was made for; `None`: nothing, or there is no such thread.

        The generation changes if an item was removed, or anything was reworded.
        """
        ...

    def delete(self, thread_id: str, *, expired_by: int | None = None, with_lease: bool = False) -> Flow[bool]:
        """Remove a thread and everything of it; return whether it was there.

        A lease that runs stays, for whoever deletes may hold it, or somebody else; one that has ended leaves nothing.

        Args:
            thread_id: Which thread.
            expired_by: Only what is left of a thread that has expired by then; one that was begun anew stays.
            with_lease: Also a lease that runs: nothing may tell of the thread. Not with `expired_by`.
        """
        ...

    def threads(
        self,
        *,
        owner: Owner | None = None,
        labels: frozenset[bytes] = frozenset(),
        used_since: int = 0,
        after: str | None = None,
        limit: int = 100,
    ) -> Flow[list[ThreadRow]]:
        """Return threads in the order of their ids, those that follow `after`.

        Args:
            owner: Only this owner's.
            labels: Only threads that have all of these labels.
            used_since: Only threads that were changed at this time or later.
            after: The last thread id of the page before.
            limit: How many at most.
        """
        ...

    def last_use(self, owner: Owner) -> Flow[int | None]:
        """Return when one of an owner's threads was last written to; `None`: there is none."""
        ...

    def expired(self, *, at: int, limit: int = 100) -> Flow[list[str]]:
        """Return threads that have expired and still take up space."""
        ...

    def lease(self, thread_id: str, holder: str, *, at: int, until: int) -> Flow[bool]:
        """Give the holder the thread until a time, or longer if it is the holder already; return whether it has it.

        A lease says who may run; it keeps nobody from writing. It ends by itself.
        """
        ...

    def release(self, thread_id: str, holder: str) -> Flow[None]:
        """End a lease, if it is still that holder's."""
        ...
