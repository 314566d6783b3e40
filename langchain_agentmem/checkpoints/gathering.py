"""Items that references need: first the segments of long lists, level by level, then what the lists name."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_agentmem.checkpoints.envelope import SEGMENT, content_of
from langchain_agentmem.checkpoints.ranges import Listed, Run, merged, to_numbers, unpack_runs
from langchain_agentmem.checkpoints.refs import Ref, lists_of, read_ref, runs_of
from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.errors import StorageError


class MissingItemsError(StorageError):
    """A reference names items that are not there: others removed them meanwhile, or somebody damaged the thread."""


class Gathering:
    """Gathers what references need.

    Args:
        seal: Of the thread.
        wants_content: Whether also the items that lists name are needed, and not only the segments to know them.
    """

    def __init__(self, seal: Seal, *, wants_content: bool = True) -> None:
        self.stored: dict[int, bytes] = {}
        self._seal = seal
        self._wants_content = wants_content
        self._refs: list[Ref] = []
        self._closed: list[Listed] = []
        self._segments: dict[int, list[Run]] = {}
        self._asked: set[int] = set()
        self._is_done = False

    def add(self, packed: bytes, what: str) -> Ref:
        """Take a reference in, and return its tree; `what` it is of, for the error.

        Raises:
            IntegrityError: It is damaged.
        """
        try:
            ref = read_ref(packed)
        except (ValueError, UnicodeDecodeError) as error:
            raise self._seal.damaged(what) from error
        self._refs.append(ref)
        self._is_done = False
        self._closed += [it for it in lists_of(ref) if not it.is_open]
        return ref

    def wants(self) -> list[range]:
        """Return the numbers of items that are needed next."""
        if self._is_done:
            return []
        self._expand()
        runs = {run for it in self._closed for run in it.runs}
        if not runs:
            self._is_done = True
            runs = self._runs() if self._wants_content else runs
        wanted = merged(runs)
        numbers = set().union(*wanted) - self._asked
        self._asked |= numbers
        return wanted if len(numbers) == sum(map(len, wanted)) else merged((no, 1) for no in numbers)

    def take(self, items: Sequence[tuple[int, bytes]]) -> None:
        """Take number and sealed bytes of items.

        Raises:
            IntegrityError: One of them is damaged.
        """
        self.stored.update(self._seal.open_items(items))

    def finish(self) -> None:
        """Raise if something that was asked for is not there.

        Raises:
            MissingItemsError: It is not.
        """
        missing = self._asked - self.stored.keys()
        if missing:
            msg = (
                f"item {min(missing)} of thread {self._seal.thread_id!r} is missing ({len(missing)} in all); restore "
                "the database from a backup, or delete the thread"
            )
            raise MissingItemsError(msg, is_retryable=True)

    def segments(self) -> list[Run]:
        """Return the numbers of all segments that were opened, as runs."""
        return [(no, 1) for no in self._segments]

    def runs(self) -> set[Run]:
        """Return the numbers that all references name, as runs."""
        return self._runs()

    def _runs(self) -> set[Run]:
        return {run for ref in self._refs for run in runs_of(ref)}

    def _expand(self) -> None:
        """Open lists as far as their segments are there."""
        for listed in self._closed:
            while not listed.is_open and all(no in self.stored for no in to_numbers(listed.runs)):
                listed.expand(self._segment)
        self._closed = [it for it in self._closed if not it.is_open]

    def _segment(self, no: int) -> list[Run]:
        if no not in self._segments:
            try:
                content = content_of(self.stored[no])
                self._segments[no] = unpack_runs(content[1:] if content[0] == SEGMENT else b"\x80")
            except ValueError as error:
                what = f"segment {no}"
                raise self._seal.damaged(what) from error
        return self._segments[no]
