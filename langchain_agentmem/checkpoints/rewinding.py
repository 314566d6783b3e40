"""Rolling back: a copy of an old checkpoint as the new head, and what its subgraphs remembered then.

A subgraph with a memory of its own keeps its checkpoints in a namespace that outlives its tasks, and each of them says
on which checkpoint of the graph around it its task ran. So what it remembered at a checkpoint is the last that was
stored by a task whose result the checkpoint contains.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.base.id import uuid6

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.base import Change, CheckpointRow, Key, Page, Query, ThreadState
from langchain_agentmem.checkpoints.content import Codec
from langchain_agentmem.checkpoints.drafts import Numbers, OutdatedError, ThreadDraft
from langchain_agentmem.checkpoints.header import Header, header_of, pack_header
from langchain_agentmem.checkpoints.headers_only import HeaderReader, open_header
from langchain_agentmem.checkpoints.known import Outline, outline
from langchain_agentmem.checkpoints.labels import labels_of
from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.checkpoints.setting import Address, Setting
from langchain_agentmem.checkpoints.writing import apply
from langchain_agentmem.errors import NotFoundError

_TRIES: Final = 5
_TASK_MARK: Final = ":"
"""LangGraph puts it between a node and the id of its task; a namespace without it outlives the task."""

_SEPARATOR: Final = "|"
"""LangGraph puts it between a namespace and those inside it."""

_BEFORE_THE_FIRST_STEP: Final = -2
"""What LangGraph takes for the step of a graph that has never run."""


class _Entry(NamedTuple):
    row: CheckpointRow
    header: Header


@dataclass(kw_only=True)
class _Rollback(ThreadDraft):
    """Copies of old checkpoints as new heads, each of a namespace of its own."""

    codec: Codec
    copies: Sequence[_Entry]
    generation: int

    def namespaces(self) -> Sequence[str]:
        return [row.ns for row, _ in self.copies]

    def rows(self, state: ThreadState, numbers: Numbers) -> tuple[Change, Sequence[tuple[Key, Outline]]]:
        if state.generation != self.generation:
            msg = f"thread {self.seal.thread_id!r} was pruned meanwhile; retry"
            raise OutdatedError(msg, is_retryable=True)
        fingerprint = self.seal.cipher.fingerprint
        change = Change(
            checkpoints=[self._sealed(it) for it in self.copies],
            heads={row.ns: row.id for row, _ in self.copies},
            labels=frozenset(label for it in self.copies for label in labels_of(it.header.metadata, fingerprint)),
        )
        return change, [((row.ns, row.id), outline(header, row.parent_id)) for row, header in self.copies]

    def _sealed(self, it: _Entry) -> CheckpointRow:
        return self.seal.checkpoint(it.row._replace(header=pack_header(it.header, self.codec)))


def rollback(setting: Setting, address: Address) -> Flow[str]:
    """Make a copy of an old checkpoint the head, and return the copy's id; what came after it stays in the history.

    Raises:
        NotFoundError: There is no such checkpoint.
    """
    seal = yield from setting.seal(address.thread_id, address.user)
    for tries_left in reversed(range(_TRIES)):
        stock = yield from _read(setting, address, seal)
        copies = _copies(stock, setting.clock())
        draft = _Rollback(
            seal=seal,
            known=setting.cache.of(address.thread_id),
            user=address.user,
            codec=setting.codec,
            copies=copies,
            generation=stock.state.generation,
        )
        try:
            yield from apply(setting, draft)
        except OutdatedError:
            if not tries_left:
                raise
        else:
            return copies[-1].row.id
    raise AssertionError  # the last try returned or raised


def _read(setting: Setting, address: Address, seal: Seal) -> Flow[_Stock]:
    """Read the checkpoint, and everything around it only if a subgraph remembers something."""
    heads = HeaderReader(seal, setting.codec)
    yield from setting.threads.load(address.thread_id, Query(ns=None, is_latest=True), heads)
    has_memories = any(_remembers(row.ns, address.place) for row, *_ in heads.found)
    stock = _Stock(seal, setting.codec, (address.place, address.id or ""))
    query = Query(ns=None) if has_memories else Query(ns=address.place, id=address.id)
    yield from setting.threads.load(address.thread_id, query, stock)
    if stock.target not in stock.rows or stock.header(stock.target).is_pruned:
        msg = f"thread {address.thread_id!r} has no checkpoint {address.id!r}; history(thread_id) lists what it has"
        raise NotFoundError(msg)
    return stock


def _remembers(ns: str, around: str) -> bool:
    """Whether a namespace is that of a subgraph, inside a graph, that keeps one memory for all its tasks."""
    inside = ns if not around else ns.removeprefix(around + _SEPARATOR)
    return bool(inside) and _TASK_MARK not in inside and (not around or inside != ns)


class _Stock:
    """The rows of a thread, whose headers are opened one by one.

    Attributes:
        target: The checkpoint to go back to.
    """

    def __init__(self, seal: Seal, codec: Codec, target: Key) -> None:
        self._seal = seal
        self._codec = codec
        self.target = target

    def take_page(self, page: Page) -> None:
        """Keep the rows."""
        self.state = page.state
        self.rows = {(row.ns, row.id): row for row, _ in page.rows}
        self._opened: dict[Key, Header] = {}

    def wants(self) -> Sequence[range]:
        """Want no items."""
        return ()

    def take_items(self, items: Sequence[tuple[int, bytes]]) -> None:
        """Take none."""

    def header(self, key: Key) -> Header:
        """Return the header of a checkpoint.

        Raises:
            IntegrityError: It is damaged.
        """
        if key not in self._opened:
            self._opened[key] = open_header(self._seal, self._codec, self.rows[key])
        return self._opened[key]

    def contained(self) -> Iterator[str]:
        """Return the checkpoints whose tasks' results the target contains, the nearest first.

        What has the versions of its parent was put beside it, like a branch that begins: it contains no result of it.
        """
        key, seen = self.target, {self.target}
        while (parent := (key[0], self.rows[key].parent_id or "")) in self.rows and parent not in seen:
            if self.header(parent).versions != self.header(key).versions:
                yield parent[1]
            seen.add(parent)
            key = parent

    def memories(self) -> list[str]:
        """Return the namespaces of subgraphs that remember something."""
        return sorted({ns for ns, _ in self.rows if _remembers(ns, self.target[0])})

    def remembered(self, ns: str, order: Mapping[str, int]) -> Key | None:
        """Return what a subgraph had stored last at the target; `None`: nothing.

        One whose task ran on a checkpoint that was pruned, or that does not say, is judged by its age.
        """
        found: list[tuple[int, str]] = []
        around, target_id = self.target
        for key in (it for it in self.rows if it[0] == ns and not self.header(it).is_pruned):
            ran_on = (self.header(key).metadata.get("parents") or {}).get(around)
            is_old = (around, ran_on) not in self.rows and (ran_on or key[1]) < target_id
            if ran_on in order or is_old:
                found.append((-order.get(ran_on or "", len(order)), key[1]))
        return (ns, max(found)[1]) if found else None


def _copies(stock: _Stock, now: datetime) -> list[_Entry]:
    """Return what to put: first what subgraphs remembered, so that a replay finds it before the checkpoint itself."""
    order = {checkpoint_id: place for place, checkpoint_id in enumerate(stock.contained())}
    chosen = {ns: stock.remembered(ns, order) for ns in stock.memories()}
    moved = {ns: key for ns, key in chosen.items() if not _is_as_it_was(stock, ns, key)}
    ids = {ns: str(uuid6()) for ns in (*moved, stock.target[0])}
    copies = [_copy(stock, key, ids, now) if key else _nothing(stock, ns, ids, now) for ns, key in moved.items()]
    return [*copies, _copy(stock, stock.target, ids, now)]


def _is_as_it_was(stock: _Stock, ns: str, key: Key | None) -> bool:
    """Whether the head of a namespace is what it was at the target, if only nothing."""
    head = stock.state.heads.get(ns)
    if head is None or (ns, head) not in stock.rows:
        return key is None and head is None
    return (ns, head) == key or (key is None and not stock.header((ns, head)).versions)


def _copy(stock: _Stock, key: Key, ids: Mapping[str, str], now: datetime) -> _Entry:
    row, header = stock.rows[key], stock.header(key)
    parents = header.metadata.get("parents") or {}
    metadata: dict[str, Any] = {**header.metadata, "source": "fork", "step": header.metadata.get("step", 0) + 1}
    if parents:
        metadata["parents"] = {ns: ids.get(ns, checkpoint_id) for ns, checkpoint_id in parents.items()}
    again = header._replace(ts=now.astimezone(UTC).isoformat(), metadata=metadata)
    return _Entry(row._replace(id=ids[row.ns]), again)


def _nothing(stock: _Stock, ns: str, ids: Mapping[str, str], now: datetime) -> _Entry:
    """Return a checkpoint of a graph that has never run: whoever goes on from it begins anew."""
    around = stock.target[0]
    metadata = {"source": "fork", "step": _BEFORE_THE_FIRST_STEP, "parents": {around: ids[around]}}
    empty = {**empty_checkpoint(), "ts": now.astimezone(UTC).isoformat()}
    return _Entry(CheckpointRow(ns, ids[ns], None, b""), header_of(empty, metadata, {}))
