"""Finding checkpoints: one, a listing, and the history of channels that keep only what changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.base import Key, Query
from langchain_agentmem.checkpoints.damaged import Damaged
from langchain_agentmem.checkpoints.gathering import MissingItemsError
from langchain_agentmem.checkpoints.guard import MARKER, Kind, write_marker
from langchain_agentmem.checkpoints.header import Header
from langchain_agentmem.checkpoints.headers_only import HeaderReader
from langchain_agentmem.checkpoints.known import Lesson
from langchain_agentmem.checkpoints.labels import labels_of, matches
from langchain_agentmem.checkpoints.reading import CheckpointReader, Found
from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.checkpoints.setting import Address, Setting
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.types.paging import Place
from langchain_agentmem.vault.base import NullCipher, NullVault

T = TypeVar("T")

READ_TRIES: Final = 4
"""How often a read that met a removal begins again, before what is missing counts as damage."""

_FIRST_PAGE: Final = 20
_PAGE: Final = 100
"""Who wants only the newest reads few; who wants all makes few round trips."""


def get_tuple(setting: Setting, address: Address) -> Flow[CheckpointTuple | None]:
    """Return a checkpoint, or the head of its namespace.

    Raises:
        ScopeError: The thread is another user's than the run's.
        IntegrityError: It is damaged.
    """
    query = Query(ns=address.place, id=address.id, is_latest=address.id is None)
    seal = yield from setting.seal(address.thread_id, address.user)

    def new_reader() -> CheckpointReader:
        return CheckpointReader(seal, setting.codec, user=address.user, is_wanted=address.can_see)

    reader, found = yield from _read(setting, address.thread_id, query, new_reader)
    if not found:
        head = reader.state.heads.get(address.place) if query.is_latest else None
        if head is not None and not reader.row_count:  # one that is hidden was copied, and more is to come
            raise seal.headless(address.place, head)
        is_inside_a_run = address.is_run and bool(address.place)  # a subgraph's, which may be of a run that is too late
        if not reader.state.generation and not is_inside_a_run:
            setting.cache.begin(address.thread_id)
        return None
    setting.cache.learn(address.thread_id, reader.state, Lesson(reader.outlines()))
    return to_tuple(address, found[0], "latest" if address.id is None else "fork")


def task_paths(setting: Setting, thread_id: str, key: Key) -> Flow[dict[str, str]]:
    """Return the paths of the tasks that wrote to a checkpoint: by them its writes are ordered, and no tuple has them.

    Raises:
        IntegrityError: It is damaged.
    """
    seal = yield from setting.seal(thread_id)
    reader = HeaderReader(seal, setting.codec)
    yield from setting.threads.load(thread_id, Query(ns=key[0], id=key[1]), reader)
    return {write.task_id: write.task_path for _, _, writes in reader.found for write in writes}


def _read(
    setting: Setting, thread_id: str, query: Query, new_reader: Callable[[], CheckpointReader]
) -> Flow[tuple[CheckpointReader, list[Found]]]:
    """Read, and begin again where something was removed meanwhile."""
    for tries_left in reversed(range(READ_TRIES)):
        reader = new_reader()
        yield from setting.threads.load(thread_id, query, reader, expires_at=setting.expiry_of_read())
        try:
            found = reader.found()
        except MissingItemsError as error:
            if not tries_left:
                raise IntegrityError(str(error)) from error
        else:
            yield from setting.note_use(thread_id, reader.state.owner, setting.expiry_of_read())
            return reader, found
    raise AssertionError  # the last try returned or raised


def to_tuple(address: Address, found: Found, kind: Kind) -> CheckpointTuple:
    """Return a checkpoint as LangGraph knows it; its config says in a marker how it was read."""
    row, header = found.row, found.header
    marker = {MARKER: write_marker(kind, address.thread_id, row.ns, row.id)}
    return CheckpointTuple(
        config=_config(address, row.ns, row.id, marker),
        checkpoint={
            **header.rest,  # type: ignore[typeddict-item]  # what the checkpoint said beside the keys below
            "id": row.id,
            "ts": header.ts,
            "channel_values": dict(found.values),
            "channel_versions": dict(header.versions),
            "versions_seen": {node: dict(seen) for node, seen in header.seen.items()},
        },
        metadata=header.metadata,  # type: ignore[arg-type]  # as it was given
        parent_config=None if row.parent_id is None else _config(address, row.ns, row.parent_id),
        pending_writes=list(found.writes),
    )


def _config(address: Address, ns: str, checkpoint_id: str, marker: Mapping[str, str] | None = None) -> RunnableConfig:
    place = {"thread_id": address.thread_id, "checkpoint_ns": ns, "checkpoint_id": checkpoint_id}
    return {"configurable": {**address.naming, **place, **(marker or {})}}


# -------------------------------------------------------------------------------------------------------------- listing
@dataclass(slots=True, kw_only=True)
class Listing:
    """A listing in pages, newest first within each thread.

    Attributes:
        address: Where to list; `None`: all threads, in the order of their ids.
        wanted: Metadata that a checkpoint must have.
        before: Only checkpoints with smaller ids.
        limit: How many more at most.
        is_done: Whether there is no further page.
    """

    setting: Setting
    address: Address | None
    wanted: Mapping[str, Any]
    before: str | None
    limit: int | None
    is_done: bool = False
    _threads: list[str] | None = None
    _last_thread: str | None = None
    _after: Key | None = None
    _page_size: int = _FIRST_PAGE
    _damaged: Damaged = field(default_factory=lambda: Damaged("all others come before this error"))

    def next_page(self) -> Flow[list[CheckpointTuple]]:
        """Return some of the checkpoints that follow; it may be none, though it is not done.

        Raises:
            ScopeError: The thread is another user's than the run's.
            IntegrityError: One of them is damaged; of all threads, once the others are listed.
        """
        thread_id = yield from self._thread()
        if thread_id is None or (self.limit is not None and self.limit <= 0):
            self.is_done = True
            self._damaged.finish()
            return []
        if self.address is not None:
            return (yield from self._next_of(thread_id))
        try:
            return (yield from self._next_of(thread_id))
        except IntegrityError as error:
            self._damaged.note(thread_id, error)
            self._next_thread(thread_id)
            return []

    def _next_of(self, thread_id: str) -> Flow[list[CheckpointTuple]]:
        size = self._page_size if self.limit is None or self.wanted else min(self.limit, self._page_size)
        seal = yield from self._seal(thread_id)
        if seal is None:
            self._next_thread(thread_id)
            return []
        reader, found = yield from self._read(thread_id, seal, size)
        self._page_size = _PAGE
        self._advance(thread_id, reader, size)
        if self.limit is not None:
            self.limit -= len(found)
        address = Address(thread_id) if self.address is None else self.address
        return [to_tuple(address, it, "fork") for it in found]

    def _seal(self, thread_id: str) -> Flow[Seal | None]:
        """Return the seal of a thread; of all threads, one that has none holds nothing."""
        if self.address is None:
            return (yield from self.setting.seal_if_owned(thread_id))
        return (yield from self.setting.seal(thread_id, self.address.user))

    def _read(self, thread_id: str, seal: Seal, size: int) -> Flow[tuple[CheckpointReader, list[Found]]]:
        address = self.address or Address(thread_id)
        query = Query(ns=address.ns, id=address.id, before=self.before, after_key=self._after, limit=size)

        def new_reader() -> CheckpointReader:
            return CheckpointReader(
                seal,
                self.setting.codec,
                user=address.user,
                is_wanted=lambda it: address.can_see(it) and matches(it.metadata, self.wanted),
                limit=self.limit,
                is_shared=True,
            )

        return (yield from _read(self.setting, thread_id, query, new_reader))

    def _advance(self, thread_id: str, reader: CheckpointReader, size: int) -> None:
        if reader.row_count == size and reader.last is not None:
            self._after = reader.last
        elif self.address is not None:
            self.is_done = True
        else:
            self._next_thread(thread_id)

    def _next_thread(self, thread_id: str) -> None:
        self._after, self._last_thread = None, thread_id
        if self._threads is not None:
            self._threads.pop(0)

    def _thread(self) -> Flow[str | None]:
        """Return the thread that the next page is of."""
        if self.address is not None:
            return self.address.thread_id
        if not self._threads:
            rows = yield from self.setting.threads.threads(labels=self._labels(), after=self._last_thread, limit=_PAGE)
            self._threads = [row.thread_id for row in rows]
        return self._threads[0] if self._threads else None

    def _labels(self) -> frozenset[bytes]:
        """Return the labels of threads that can have what is wanted; under a vault each thread has its own."""
        if not isinstance(self.setting.vault, NullVault):
            return frozenset()
        return labels_of(self.wanted, NullCipher().fingerprint)


# -------------------------------------------------------------------------------------------------------------- history
class CheckpointInfo(NamedTuple):
    """A checkpoint in a thread's history, without its values.

    Attributes:
        parent_id: The checkpoint it was put on; `None`: it has none.
        made_at: When LangGraph made it, as it wrote it.
        source: `input`, `loop`, `update` or `fork`.
        is_head: Whether a run without a checkpoint id goes on from here.
    """

    thread_id: str
    ns: str
    id: str
    parent_id: str | None
    made_at: datetime | None
    source: str | None
    step: int | None
    run_id: str | None
    is_head: bool
    metadata: Mapping[str, Any]


@dataclass(slots=True, kw_only=True)
class HistoryQuery:
    """Which checkpoints of a thread."""

    address: Address
    limit: int
    after: Place | None = None
    tries: int = field(default=READ_TRIES)


def history(setting: Setting, query: HistoryQuery) -> Flow[list[CheckpointInfo]]:
    """Return the newest checkpoints of a thread without decoding a value.

    Raises:
        ScopeError: The thread is another user's.
        IntegrityError: A header is damaged.
    """
    address = query.address
    seal = yield from setting.seal(address.thread_id, address.user)
    found: list[CheckpointInfo] = []
    after = None if query.after is None else (query.after[0], query.after[1])
    asked: Query | None = Query(ns=address.ns, after_key=after, limit=query.limit)
    while asked is not None:
        reader = HeaderReader(seal, setting.codec, address.user)
        yield from setting.threads.load(address.thread_id, asked, reader)
        heads, rows = reader.state.heads, [(row, header) for row, header, _ in reader.found]
        found += [
            _info(address.thread_id, row.ns, row.id, row.parent_id, header, heads)
            for row, header in rows
            if not header.is_pruned
        ]
        is_last = len(rows) < query.limit or len(found) >= query.limit
        asked = None if is_last else asked._replace(after_key=(rows[-1][0].ns, rows[-1][0].id))
    return found[: query.limit]


def _info(  # noqa: PLR0917  (a row, unpacked)
    thread_id: str, ns: str, checkpoint_id: str, parent_id: str | None, header: Header, heads: Mapping[str, str]
) -> CheckpointInfo:
    metadata = header.metadata
    return CheckpointInfo(
        thread_id=thread_id,
        ns=ns,
        id=checkpoint_id,
        parent_id=parent_id,
        made_at=time_of(header),
        source=metadata.get("source"),
        step=metadata.get("step"),
        run_id=metadata.get("run_id"),
        is_head=heads.get(ns) == checkpoint_id,
        metadata=dict(metadata),
    )


def time_of(header: Header) -> datetime | None:
    """Return when a checkpoint was made, if it says so in a form that can be read."""
    try:
        moment = datetime.fromisoformat(header.ts)
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo is not None else None
