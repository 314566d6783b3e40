"""Reading headers alone: for a child that takes over from its parent, for histories, and to follow ancestors."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_agentmem.checkpoints.base import CheckpointRow, Page, ThreadState, WriteRow
from langchain_agentmem.checkpoints.content import Codec
from langchain_agentmem.checkpoints.drafts import check_owner
from langchain_agentmem.checkpoints.header import Header, unpack_header
from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.types.scope import Owner


def open_header(seal: Seal, codec: Codec, row: CheckpointRow) -> Header:
    """Return the header of a checkpoint.

    Raises:
        IntegrityError: It is damaged.
    """
    try:
        return unpack_header(seal.open_header(row), codec)
    except ValueError as error:
        what = f"checkpoint {row.id!r}"
        raise seal.damaged(what) from error


class HeaderReader:
    """Reads checkpoints without their values.

    Args:
        seal: Of the thread.
        codec: How contents are read.
        user: Who reads; `None`: the run does not say.
    """

    def __init__(self, seal: Seal, codec: Codec, user: Owner | None = None) -> None:
        self._seal = seal
        self._user = user
        self._codec = codec
        self.state = ThreadState()
        self.found: list[tuple[CheckpointRow, Header, Sequence[WriteRow]]] = []

    def take_page(self, page: Page) -> None:
        """Read the headers; refuse who is not the thread's owner, before anything else.

        Raises:
            ScopeError: The thread is another user's.
            IntegrityError: One of them is damaged.
        """
        check_owner(self._seal.thread_id, page.state.owner, self._user or self._seal.owner)
        self.state = page.state
        self.found = [(row, open_header(self._seal, self._codec, row), writes) for row, writes in page.rows]

    def wants(self) -> Sequence[range]:
        """Want no items."""
        return ()

    def take_items(self, items: Sequence[tuple[int, bytes]]) -> None:
        """Take none."""
