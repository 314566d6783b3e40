"""The port of snapshots: views of a user's memories as a process had built them, for the next that needs one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

from langchain_agentmem.types.asking import Asks

ASKS: Final[Asks] = {"get": "read", "put": "read"}
"""What each method of `Snapshots` asks the application about; a view is kept as what a read leaves."""


class Snapshots(ABC):
    """One per embedding model. Each is a copy, whole at the revision it names, of what stands in the rows.

    It goes in the transaction that takes words or labels out of any of those rows: nothing of what was erased or
    revised stands on here.
    """

    @abstractmethod
    def get(self, model: str | None) -> bytes | None:
        """Return what was kept last, `None` where nothing is.

        Raises:
            IntegrityError: It was changed, moved, or sealed with another key.
        """

    @abstractmethod
    def put(self, model: str | None, revision: int, data: bytes) -> bool:
        """Keep a view, in place of what was kept before; only in a write transaction.

        Return whether it was kept: not where the user's log stands elsewhere by now, or the model is not the current
        one, since nobody could say any more what of it may still be there.
        """
