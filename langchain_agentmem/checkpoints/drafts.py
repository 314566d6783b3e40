"""Changes of a thread, finished on the very state they are applied to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, Final, NamedTuple

from langchain_agentmem.checkpoints.base import (
    MAX_DATABASE_INT,
    Change,
    CheckpointRow,
    Item,
    Key,
    ThreadState,
    WriteRow,
)
from langchain_agentmem.checkpoints.content import Codec
from langchain_agentmem.checkpoints.envelope import segment
from langchain_agentmem.checkpoints.guard import Move, conflict, deleted, is_conflict, next_head
from langchain_agentmem.checkpoints.header import header_of, pack_header
from langchain_agentmem.checkpoints.known import Cache, Known, Lesson, Outline, outline
from langchain_agentmem.checkpoints.refs import Pieces, Shape, sign, write_ref
from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.checkpoints.setting import Address
from langchain_agentmem.errors import ConflictError, ScopeError
from langchain_agentmem.types.scope import Owner

CONFLICT_KEY: Final = "agentmem_conflict"
"""Key of the metadata of a branch that a conflict made: the head there was."""


_UNKNOWN: Final = MAX_DATABASE_INT
"""Stands for a number that has yet to be given: larger than all that have been."""


class OutdatedError(ConflictError):
    """What the draft took over from the parent is of another generation: read it again, and draft anew."""


class Numbers:
    """Numbers of pieces in one state: those the thread holds, and new ones in the order of asking."""

    def __init__(self, seal: Seal, known: Known, state: ThreadState, digests: Sequence[tuple[int, bytes]]) -> None:
        self._seal = seal
        self._known = known.numbers if known.generation == state.generation else {}
        self._limit = state.next_no
        self.learned = {digest: no for no, digest in digests} if digests else {}
        self.items: list[Item] = []

    @property
    def next_no(self) -> int:
        """The number of the next new piece."""
        return self._limit + len(self.items)

    def numbers(self, pieces: Pieces) -> Sequence[int]:
        """Return the numbers of pieces."""
        found = list(map(self._known.get, pieces.digests, repeat(_UNKNOWN)))
        if max(found, default=0) < self._limit:
            return found
        return [self._number(no, pieces, place) for place, no in enumerate(found)]

    def segment(self, runs: bytes) -> int:
        """Return the number of a segment."""
        content = segment(runs)
        [no] = self.numbers(Pieces([self._seal.cipher.fingerprint(content)], [content].__getitem__))
        return no

    def _number(self, known: int, pieces: Pieces, place: int) -> int:
        if known < self._limit:
            return known
        digest = pieces.digests[place]
        return self.learned.get(digest) or self._add(digest, pieces.content(place))

    def _add(self, digest: bytes, content: bytes) -> int:
        no = self.learned[digest] = self.next_no
        self.items.append(Item(no, digest, self._seal.item(no, content)))
        return no


@dataclass(kw_only=True)
class ThreadDraft:
    """What all changes have in common: whose thread it is, and which pieces it holds.

    Attributes:
        known: What this process knows of the thread.
        user: Who the change is for; `None`: it does not say.
        address: What whoever puts it has said; `None`: it is no put.
        cache: Tells whether the thread was there before.
        lesson: What there is to learn once the change was applied.
    """

    seal: Seal
    known: Known
    user: Owner | None = None
    address: Address | None = None
    cache: Cache | None = None
    lesson: Lesson = field(default_factory=Lesson, init=False)

    def namespaces(self) -> Sequence[str]:
        """Return the namespaces whose heads it has to know."""
        return ()

    def since(self, state: ThreadState) -> int:
        """Return the first number whose digest is not known."""
        return min(self.known.next_no, state.next_no) if self.known.generation == state.generation else 1

    def build(self, state: ThreadState, digests: Sequence[tuple[int, bytes]]) -> Change:
        """Return the change for a state.

        Raises:
            ScopeError: The thread is someone else's.
            ConflictError: The thread was deleted while this run was on its way.
        """
        check_owner(self.seal.thread_id, state.owner, self.user or self.seal.owner)
        if state.is_new and self._is_late():
            raise deleted(self.seal.thread_id)
        numbers = Numbers(self.seal, self.known, state, digests)
        change, outlines = self.rows(state, numbers)
        fresh = change.labels - (self.known.labels if self.known.generation == state.generation else set())
        self.lesson = Lesson(outlines, numbers.learned, self.since(state), numbers.next_no, change.labels)
        owner = None if state.owner else self.user
        return change._replace(items=numbers.items, labels=frozenset(fresh), owner=owner)

    def _is_late(self) -> bool:
        """Whether a thread that is not there was there when this run read or put something."""
        if self.address is None or self.cache is None:
            return False
        read_ns, ns, on = self.address.read_ns, self.address.place, self.address.id
        has_read = read_ns is not None and (on is not None or read_ns != ns)  # a copy has read, and begins a namespace
        return has_read or (self.address.is_run and self.cache.was_begun(self.seal.thread_id))

    def rows(self, state: ThreadState, numbers: Numbers) -> tuple[Change, Sequence[tuple[Key, Outline]]]:
        """Return what to add beside items, and what the next put will want to know."""
        return Change(), ()


class Parent(NamedTuple):
    """What a checkpoint takes over from the one before."""

    generation: int
    outline: Outline


@dataclass(kw_only=True)
class PutDraft(ThreadDraft):
    """One checkpoint.

    Attributes:
        checkpoint: As LangGraph made it.
        shapes: Values to store, by channel.
        kept: References taken over from the parent, by channel.
        generation: Of which generation those are.
        guards: Whether a conflict is an error; else it makes a branch.
    """

    move: Move
    codec: Codec
    checkpoint: Mapping[str, Any]
    metadata: Mapping[str, Any]
    shapes: Mapping[str, Shape]
    kept: Mapping[str, bytes]
    generation: int | None
    guards: bool
    labels: frozenset[bytes]

    def namespaces(self) -> Sequence[str]:
        """Return the one it is in."""
        return (self.move.ns,)

    def rows(self, state: ThreadState, numbers: Numbers) -> tuple[Change, Sequence[tuple[Key, Outline]]]:
        """Return the checkpoint and the head after it.

        Raises:
            ConflictError: Someone else wrote first.
        """
        head = state.heads.get(self.move.ns)
        is_late = is_conflict(self.move, head)
        if is_late and (self.guards or head is None):  # without a head there is nothing to branch off from
            raise conflict(self.seal.thread_id, self.move, head)
        if self.kept and state.generation != self.generation:
            msg = f"thread {self.seal.thread_id!r} was pruned while this was drafted; retry"
            raise OutdatedError(msg, is_retryable=True)
        metadata = {**self.metadata, CONFLICT_KEY: head} if is_late else self.metadata
        header = header_of(self.checkpoint, metadata, {**self.kept, **self._refs(numbers)})
        ns, checkpoint_id = self.move.ns, self.move.id
        row = CheckpointRow(ns, checkpoint_id, self.move.parent_id, pack_header(header, self.codec))
        change = Change(
            checkpoints=[self.seal.checkpoint(row)],
            heads={ns: next_head(self.move, head, is_in_conflict=is_late)},
            labels=self.labels,
        )
        return change, [((ns, checkpoint_id), outline(header, self.move.parent_id))]

    def _refs(self, numbers: Numbers) -> dict[str, bytes]:
        return {channel: write_ref(shape, numbers) for channel, shape in self.shapes.items()}


class Written(NamedTuple):
    """One write of a task."""

    idx: int
    channel: str
    shape: Shape


@dataclass(kw_only=True)
class WritesDraft(ThreadDraft):
    """What one task wrote.

    Attributes:
        place: The row of a write, but for its number, channel and value.
        replaces: Whether writes replace what stands at their place.
        mark: Of the run, if it has an id.
        labels: By which its writes are found.
    """

    place: WriteRow
    writes: Sequence[Written]
    replaces: bool
    mark: bytes = b""
    labels: frozenset[bytes] = frozenset()

    def namespaces(self) -> Sequence[str]:
        """Return the one it is in."""
        return (self.place.ns,)

    def rows(self, state: ThreadState, numbers: Numbers) -> tuple[Change, Sequence[tuple[Key, Outline]]]:
        """Return the writes."""
        (ns, checkpoint_id, task_id, _, task_path, *_), mark = self.place, self.mark
        rows = [
            WriteRow(
                ns, checkpoint_id, task_id, it.idx, task_path, it.channel, sign(write_ref(it.shape, numbers), mark)
            )
            for it in self.writes
        ]
        return Change(writes=list(map(self.seal.write, rows)), replaces=self.replaces, labels=self.labels), ()


def check_owner(thread_id: str, owner: Owner | None, user: Owner | None) -> None:
    """Refuse a run that names another user than the thread's.

    Raises:
        ScopeError: The thread is someone else's.
    """
    if owner is not None and user is not None and owner != user:
        msg = f"thread {thread_id!r} is another user's than {user.user_id!r}; choose thread ids that no two users share"
        raise ScopeError(msg)
