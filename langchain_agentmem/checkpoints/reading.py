"""Reading checkpoints: headers first, and then the items of those that are wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from langchain_agentmem.checkpoints.base import CheckpointRow, Key, Page, ThreadState, WriteRow
from langchain_agentmem.checkpoints.content import Codec, Resolver, UnreadableError
from langchain_agentmem.checkpoints.drafts import check_owner
from langchain_agentmem.checkpoints.gathering import Gathering
from langchain_agentmem.checkpoints.header import Header
from langchain_agentmem.checkpoints.headers_only import open_header
from langchain_agentmem.checkpoints.known import Outline, outline
from langchain_agentmem.checkpoints.refs import Ref
from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.types.scope import Owner


class Found(NamedTuple):
    """A checkpoint as it was stored.

    Attributes:
        writes: Task, channel and value of each pending write, in the order in which a run applies them.
    """

    row: CheckpointRow
    header: Header
    values: Mapping[str, Any]
    writes: Sequence[tuple[str, str, Any]]


class _Opened(NamedTuple):
    row: CheckpointRow
    header: Header
    refs: Sequence[tuple[str, Ref]]
    writes: Sequence[tuple[WriteRow, Ref]]


class CheckpointReader:
    """Reads checkpoints with their values and writes.

    Args:
        seal: Of the thread.
        codec: How contents are read.
        user: Who reads; `None`: the run does not say.
        is_wanted: Which checkpoints; nothing of the others is decoded.
        limit: How many at most.
        is_shared: Whether what several checkpoints have in common is decoded once.
    """

    def __init__(
        self,
        seal: Seal,
        codec: Codec,
        *,
        user: Owner | None = None,
        is_wanted: Callable[[Header], bool] | None = None,
        limit: int | None = None,
        is_shared: bool = False,
    ) -> None:
        self._seal = seal
        self._codec = codec
        self._user = user
        self._is_wanted = is_wanted
        self._limit = limit
        self._is_shared = is_shared
        self.state = ThreadState()
        self.last: Key | None = None
        self.row_count = 0

    def take_page(self, page: Page) -> None:
        """Open headers; refuse who is not the thread's owner, before anything else.

        Raises:
            ScopeError: The thread is another user's.
            IntegrityError: A header is damaged.
        """
        check_owner(self._seal.thread_id, page.state.owner, self._user or self._seal.owner)
        self._gathering = Gathering(self._seal)
        self._opened: list[_Opened] = []
        self.state = page.state
        self.row_count = len(page.rows)
        for row, writes in page.rows:
            if self._limit is not None and len(self._opened) >= self._limit:
                break
            self.last = (row.ns, row.id)
            header = open_header(self._seal, self._codec, row)
            if self._is_wanted is None or self._is_wanted(header):
                self._opened.append(self._open(row, header, writes))

    def wants(self) -> Sequence[range]:
        """Want what the references name."""
        return self._gathering.wants()

    def take_items(self, items: Sequence[tuple[int, bytes]]) -> None:
        """Take them."""
        self._gathering.take(items)

    def found(self) -> list[Found]:
        """Return the checkpoints.

        Raises:
            MissingItemsError: Something is not there (any more).
            IntegrityError: Something is damaged.
        """
        self._gathering.finish()
        resolver = Resolver(self._codec, self._gathering.stored, is_shared=self._is_shared)
        return [self._decode(it, resolver) for it in self._opened]

    def outlines(self) -> list[tuple[Key, Outline]]:
        """Return what a put on top of each checkpoint takes over."""
        return [((it.row.ns, it.row.id), outline(it.header, it.row.parent_id)) for it in self._opened]

    def _open(self, row: CheckpointRow, header: Header, writes: Sequence[WriteRow]) -> _Opened:
        add, name = self._gathering.add, f"checkpoint {row.id!r}"
        refs = [(channel, add(ref, name)) for channel, ref in header.refs.items()]
        return _Opened(row, header, refs, [(it, add(self._seal.open_write(it), name)) for it in sorted_writes(writes)])

    def _decode(self, it: _Opened, resolver: Resolver) -> Found:
        try:
            values = {channel: resolver.of_channel(channel, ref) for channel, ref in it.refs}
            writes = [
                (row.task_id, row.channel, resolver.of_channel(row.channel, ref, row.task_id)) for row, ref in it.writes
            ]
        except ValueError as error:
            raise unread(self._seal, f"checkpoint {it.row.id!r}", error) from error
        return Found(it.row, it.header, values, writes)


def unread(seal: Seal, what: str, error: ValueError) -> IntegrityError:
    """Return the error for values of a thread that cannot be read: they are damaged, or it is for their serializer."""
    return seal.unreadable(what, str(error)) if isinstance(error, UnreadableError) else seal.damaged(what)


def sorted_writes(writes: Sequence[WriteRow]) -> list[WriteRow]:
    """Return writes in the order in which a run applies them."""
    return sorted(writes, key=lambda it: (it.task_path, it.task_id, it.idx))
