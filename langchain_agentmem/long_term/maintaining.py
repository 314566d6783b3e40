"""What keeps the index of long-term memory whole, and lets the embedding model change."""

from __future__ import annotations

from collections.abc import Callable

from langchain_agentmem._checks import check_flag
from langchain_agentmem._flow import arun, run
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.reading import Reading
from langchain_agentmem.long_term.reindexing import IndexReport, Reindexing, ReindexReport
from langchain_agentmem.long_term.searching import Searching


class Maintained(Reading):
    """What is read, over an index that can be computed anew, rebuilt and repaired."""

    def __init__(self, parts: Parts, searching: Searching, models: SQLModels) -> None:
        """Compose."""
        super().__init__(parts, searching)
        self._reindexing = Reindexing(parts, searching, models)

    def reindex(self, *, progress: Callable[[int], None] | None = None) -> ReindexReport:
        """Compute vectors of the embedding model in use for all users, then drop those of the model before.

        Reads go on meanwhile. Killed, the next call goes on where it stood.

        Args:
            progress: Called with the number of memories embedded so far.
        """
        return run(self._reindexing.reindex(progress))

    async def areindex(self, *, progress: Callable[[int], None] | None = None) -> ReindexReport:
        """Compute vectors of the embedding model in use; see `reindex`."""
        return await arun(self._reindexing.reindex(progress))

    def rebuild_index(self) -> None:
        """Empty an external index and fill it anew from the ledger: it was lost, or restored from an older copy.

        Reads go on meanwhile. An index that is gone is made again, where its class is known.
        """
        run(self._reindexing.rebuild())

    async def arebuild_index(self) -> None:
        """Fill an external index anew; see `rebuild_index`."""
        await arun(self._reindexing.rebuild())

    def repair_index(self, *, dry_run: bool = False) -> IndexReport:
        """Hold what an external index has of every memory against the ledger; bring again what it lost or altered.

        What it still has of memories that are erased is taken out. Reads go on meanwhile. What the index has and the
        ledger never had, as a restored copy may, is not looked for: `rebuild_index` ends it.

        Args:
            dry_run: Count only.

        Raises:
            ConfigurationError: The index waits to be rebuilt, or holds the vectors of another embedding model.
            StorageError: The index is gone or out of reach; see `rebuild_index`.
        """
        return run(self._reindexing.repair(dry_run=check_flag("dry_run", dry_run)))

    async def arepair_index(self, *, dry_run: bool = False) -> IndexReport:
        """Hold what an external index has of every memory against the ledger; see `repair_index`."""
        return await arun(self._reindexing.repair(dry_run=check_flag("dry_run", dry_run)))
