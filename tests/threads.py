"""Drafts, readers and plans for tests of threads, simple enough to be seen through."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

from langchain_agentmem._flow import Flow, run
from langchain_agentmem.checkpoints.base import (
    Change,
    CheckpointRow,
    Inventory,
    Item,
    Page,
    Query,
    Removal,
    Threads,
    ThreadState,
    WriteRow,
)
from langchain_agentmem.types.scope import Owner

NOW: Final = time.time_ns() // 1_000
SECOND: Final = 1_000_000
ALICES: Final = Owner("default", "alice")
BOBS: Final = Owner("default", "bob")
LOOK_ALIKES: Final = (
    "a",
    "a ",
    "A",
    "a/b",
    "a/",
    "ab",
    "a:b",
    "a%",
    "a_",
    "*",
    "а",
    "a\u200b",
    "ａ",
    "'a'",
    "a\n",
    "{a}",
)


def digest_of(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


@dataclass
class Put:
    """Puts one checkpoint whose header lists its items' numbers; content that is there already is not added again.

    `state` and `digests` are what it was given last.
    """

    id: str
    contents: Sequence[bytes] = ()
    ns: str = ""
    parent_id: str | None = None
    writes: Sequence[WriteRow] = ()
    labels: frozenset[bytes] = frozenset()
    owner: Owner | None = None
    low: int = 1
    state: ThreadState = field(default_factory=ThreadState)
    digests: Sequence[tuple[int, bytes]] = ()

    def namespaces(self) -> Sequence[str]:
        return (self.ns,)

    def since(self, state: ThreadState) -> int:
        return min(self.low, state.next_no)

    def build(self, state: ThreadState, digests: Sequence[tuple[int, bytes]]) -> Change:
        self.state, self.digests = state, list(digests)
        known = {digest: no for no, digest in digests}
        items: list[Item] = []
        for content in self.contents:
            if digest_of(content) not in known:
                known[digest_of(content)] = no = state.next_no + len(items)
                items.append(Item(no, digest_of(content), content))
        header = " ".join(str(known[digest_of(content)]) for content in self.contents)
        return Change(
            items=items,
            checkpoints=[CheckpointRow(self.ns, self.id, self.parent_id, header.encode())],
            writes=self.writes,
            heads={self.ns: self.id},
            labels=self.labels,
            owner=self.owner,
        )


@dataclass
class Apply:
    """Applies a change, or what a function makes of the state."""

    change: Change | Callable[[ThreadState], Change]
    names: Sequence[str] = ("",)
    low: int | None = None
    state: ThreadState = field(default_factory=ThreadState)
    digests: Sequence[tuple[int, bytes]] = ()

    def namespaces(self) -> Sequence[str]:
        return self.names

    def since(self, state: ThreadState) -> int:
        return state.next_no if self.low is None else self.low

    def build(self, state: ThreadState, digests: Sequence[tuple[int, bytes]]) -> Change:
        self.state, self.digests = state, list(digests)
        return self.change if isinstance(self.change, Change) else self.change(state)


@dataclass
class Taken:
    """A reader that wants what it was told to, step by step."""

    steps: Sequence[Sequence[range]] = ()
    page: Page = field(default_factory=lambda: Page(state=ThreadState()))
    items: list[tuple[int, bytes]] = field(default_factory=list)
    _done: int = 0

    def take_page(self, page: Page) -> None:
        self.page, self.items, self._done = page, [], 0

    def wants(self) -> Sequence[range]:
        return self.steps[self._done] if self._done < len(self.steps) and self.page.rows else ()

    def take_items(self, items: Sequence[tuple[int, bytes]]) -> None:
        self.items += items
        self._done += 1

    @property
    def keys(self) -> list[tuple[str, str]]:
        return [(row.ns, row.id) for row, _ in self.page.rows]


@dataclass
class Removing:
    """A plan that was made before."""

    what: Removal | Callable[[Inventory], Removal] = field(default_factory=Removal)
    steps: Sequence[Sequence[range]] = ()
    inventory: Inventory = field(
        default_factory=lambda: Inventory(state=ThreadState(), checkpoints=(), writes=(), numbers=())
    )
    items: list[tuple[int, bytes]] = field(default_factory=list)
    _done: int = 0

    def take_inventory(self, inventory: Inventory) -> None:
        self.inventory, self.items, self._done = inventory, [], 0

    def wants(self) -> Sequence[range]:
        return self.steps[self._done] if self._done < len(self.steps) else ()

    def take_items(self, items: Sequence[tuple[int, bytes]]) -> None:
        self.items += items
        self._done += 1

    def removal(self) -> Removal:
        return self.what if isinstance(self.what, Removal) else self.what(self.inventory)


def everything(inventory: Inventory) -> Removal:
    """Return the removal of all that there is."""
    return Removal(
        checkpoints=frozenset((row.ns, row.id) for row in inventory.checkpoints),
        orphans=frozenset((row.ns, row.checkpoint_id) for row in inventory.writes),
        items=[range(1, inventory.state.next_no)],
        heads=dict.fromkeys(inventory.state.heads),
    )


def write(checkpoint_id: str, idx: int = 0, value: bytes = b"v", **changes: Any) -> WriteRow:
    """Return a write of one task."""
    row = WriteRow("", checkpoint_id, "task", idx, "~path", "messages", value)
    return row._replace(**changes)


def put(threads: Threads, draft: Put | Apply, thread_id: str = "t", expires_at: int | None = None) -> Flow[ThreadState]:
    """Apply a draft now."""
    return threads.change(thread_id, draft, at=NOW, expires_at=expires_at)


def load(threads: Threads, query: Query | None = None, *steps: Sequence[range], thread_id: str = "t") -> Flow[Taken]:
    """Read a thread, all of it unless told otherwise, and items in steps."""
    reader = Taken(steps)
    yield from threads.load(thread_id, query or Query(), reader)
    return reader


def fill(threads: Threads, keys: Iterable[tuple[str, str]], thread_id: str = "t") -> None:
    """Put an empty checkpoint at each key."""
    rows = [CheckpointRow(ns, id_, None, b"") for ns, id_ in keys]
    run(put(threads, Apply(Change(checkpoints=rows)), thread_id))


def remove(threads: Threads, plan: Removing, thread_id: str = "t") -> Flow[Removal | None]:
    """Remove what a plan says."""
    return threads.remove(thread_id, plan)
