"""The history of channels that keep only what changed: one walk up the ancestors for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from langgraph.checkpoint.base import DeltaChannelHistory, PendingWrite

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.base import CheckpointRow, Page, Query, ThreadState, WriteRow
from langchain_agentmem.checkpoints.content import Codec, Resolver
from langchain_agentmem.checkpoints.drafts import check_owner
from langchain_agentmem.checkpoints.gathering import Gathering, MissingItemsError
from langchain_agentmem.checkpoints.headers_only import HeaderReader, open_header
from langchain_agentmem.checkpoints.lookups import READ_TRIES
from langchain_agentmem.checkpoints.reading import sorted_writes, unread
from langchain_agentmem.checkpoints.refs import Ref
from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.checkpoints.setting import Address, Setting
from langchain_agentmem.errors import IntegrityError, StorageError
from langchain_agentmem.types.scope import Owner

_FIRST_PAGE: Final = 4
_PAGE: Final = 100
"""The nearest snapshot is one step away, or about as many as LangGraph's default distance of snapshots."""


class _Changed(Exception):  # noqa: N818  (never leaves this module: the walk begins again)
    """Something was removed during the walk."""


def delta_history(setting: Setting, address: Address, channels: Sequence[str]) -> Flow[dict[str, DeltaChannelHistory]]:
    """Return, for each channel, what its ancestors wrote since the nearest stored value, and that value.

    Raises:
        ScopeError: The thread is another user's than the run's.
        IntegrityError: Something on the way is damaged.
        StorageError: Others kept removing from the thread (retryable).
    """
    seal = yield from setting.seal(address.thread_id, address.user)
    for _ in range(READ_TRIES):
        walk = _Walk(setting, address, seal, channels)
        try:
            yield from walk.run()
        except _Changed:
            setting.cache.forget(address.thread_id)
        except MissingItemsError as error:
            raise IntegrityError(str(error)) from error
        else:
            return walk.history()
    msg = f"thread {address.thread_id!r} is pruned again and again while it is read; retry"
    raise StorageError(msg, is_retryable=True)


class _Walk:
    """One walk from a checkpoint's parent towards the root."""

    def __init__(self, setting: Setting, address: Address, seal: Seal, channels: Sequence[str]) -> None:
        self._setting = setting
        self._address = address
        self._seal = seal
        self._channels = channels
        self._remaining = frozenset(channels)
        self._generation: int | None = None
        self._writes: dict[str, list[PendingWrite]] = {channel: [] for channel in channels}
        self._seeds: dict[str, Any] = {}

    def run(self) -> Flow[None]:
        """Walk until every channel has found a stored value, or the root."""
        bound, cursor = yield from self._start()
        size = _FIRST_PAGE
        while cursor is not None and self._remaining:
            reader = yield from self._read(Query(ns=self._address.place, before=bound, limit=size), cursor)
            if reader.walked == 0 and not (len(reader.ids) == size and reader.ids[-1] > cursor):
                reader = yield from self._read(Query(ns=self._address.place, id=cursor), cursor)
                if reader.walked == 0:
                    return
            bound, cursor, size = reader.ids[-1], reader.cursor, _PAGE

    def history(self) -> dict[str, DeltaChannelHistory]:
        """Return what was found, the oldest write first."""
        found: dict[str, DeltaChannelHistory] = {}
        for channel in self._channels:
            found[channel] = {"writes": self._writes[channel][::-1]}
            if channel in self._seeds:
                found[channel]["seed"] = self._seeds[channel]
        return found

    def _start(self) -> Flow[tuple[str | None, str | None]]:
        """Return the checkpoint to start from, and its parent."""
        address = self._address
        known = self._setting.cache.of(address.thread_id)
        outline = known.outlines.get((address.place, address.id)) if address.id else None
        if outline is not None and known.owner in {None, address.user or known.owner}:
            self._generation = known.generation
            return address.id, outline.parent_id
        reader = HeaderReader(self._seal, self._setting.codec, address.user)
        query = Query(ns=address.place, id=address.id, is_latest=address.id is None)
        yield from self._setting.threads.load(address.thread_id, query, reader)
        self._generation = reader.state.generation
        return next(((row.id, row.parent_id) for row, _, _ in reader.found), (None, None))

    def _read(self, query: Query, cursor: str) -> Flow[_StepReader]:
        reader = _StepReader(self._seal, self._setting.codec, self._address.user, (self._remaining, cursor))
        yield from self._setting.threads.load(self._address.thread_id, query, reader)
        if reader.state.generation != self._generation:
            raise _Changed
        for step in reader.steps():
            for write in reversed(step.writes):
                self._writes[write[1]].append(write)
            self._seeds.update(step.seeds)
        self._remaining = reader.remaining
        return reader


class _Step(NamedTuple):
    writes: Sequence[PendingWrite]
    seeds: Mapping[str, Any]


class _OpenStep(NamedTuple):
    id: str
    writes: Sequence[tuple[WriteRow, Ref]]
    seeds: Mapping[str, Ref]


class _StepReader:
    """Walks as far as one page of checkpoints goes."""

    def __init__(self, seal: Seal, codec: Codec, user: Owner | None, begin: tuple[frozenset[str], str]) -> None:
        self._seal = seal
        self._codec = codec
        self._user = user
        self._begin = begin

    def take_page(self, page: Page) -> None:
        """Follow the parents from the cursor while they are in the page; refuse who is not the owner before that."""
        check_owner(self._seal.thread_id, page.state.owner, self._user or self._seal.owner)
        self.state: ThreadState = page.state
        self.ids = [row.id for row, _ in page.rows]
        self.remaining, self.cursor = self._begin[0], self._begin[1] or None
        self._gathering = Gathering(self._seal)
        self._open: list[_OpenStep] = []
        rows = {row.id: (row, writes) for row, writes in page.rows}
        while self.cursor in rows and self.remaining:
            row, writes = rows.pop(self.cursor)
            self._open.append(self._step(row, writes))
            self.remaining -= self._open[-1].seeds.keys()
            self.cursor = row.parent_id

    @property
    def walked(self) -> int:
        """How many ancestors were found."""
        return len(self._open)

    def wants(self) -> Sequence[range]:
        """Want what the writes and stored values name."""
        return self._gathering.wants()

    def take_items(self, items: Sequence[tuple[int, bytes]]) -> None:
        """Take them."""
        self._gathering.take(items)

    def steps(self) -> list[_Step]:
        """Return the ancestors, the nearest first.

        Raises:
            MissingItemsError: Something is not there.
            IntegrityError: Something is damaged.
        """
        self._gathering.finish()
        resolver = Resolver(self._codec, self._gathering.stored, is_shared=False)
        return [self._decode(it, resolver) for it in self._open]

    def _step(self, row: CheckpointRow, writes: Sequence[WriteRow]) -> _OpenStep:
        name, add = f"checkpoint {row.id!r}", self._gathering.add
        refs = open_header(self._seal, self._codec, row).refs
        mine = [it for it in sorted_writes(writes) if it.channel in self.remaining]
        return _OpenStep(
            row.id,
            [(it, add(self._seal.open_write(it), name)) for it in mine],
            {channel: add(refs[channel], name) for channel in self.remaining if channel in refs},
        )

    def _decode(self, step: _OpenStep, resolver: Resolver) -> _Step:
        try:
            writes = [
                (row.task_id, row.channel, resolver.of_channel(row.channel, ref, row.task_id))
                for row, ref in step.writes
            ]
            return _Step(writes, {channel: resolver.of_channel(channel, ref) for channel, ref in step.seeds.items()})
        except ValueError as error:
            raise unread(self._seal, f"checkpoint {step.id!r}", error) from error
