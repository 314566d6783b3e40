"""Several kinds of copies of what the ledger holds, as one."""

from __future__ import annotations

from langchain_agentmem._flow import Flow
from langchain_agentmem.long_term.index.searching import Copies
from langchain_agentmem.types import Scope


class EveryCopy:
    """All copies: what is erased goes from each of them.

    Attributes:
        are_remote: Whether any is kept on a server.
    """

    def __init__(self, *copies: Copies) -> None:
        """Compose."""
        self.are_remote = any(it.are_remote for it in copies)
        self._copies = copies

    def forget(self, scope: Scope) -> None:
        """Drop what this process holds of the scope's (tenant, user)."""
        for it in self._copies:
            it.forget(scope)

    def drop(self, scope: Scope) -> Flow[None]:
        """Drop what servers hold of the scope's (tenant, user)."""
        for it in self._copies:
            yield from it.drop(scope)
