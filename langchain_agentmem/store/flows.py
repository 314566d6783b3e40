"""The flows behind `SQLStore`: what the rest of the package asks of stored items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from langgraph.store.base import Op

from langchain_agentmem._flow import Flow
from langchain_agentmem.items.base import MAX_ROWS, Erased
from langchain_agentmem.store.answering import StoredItems
from langchain_agentmem.store.options import owner_of
from langchain_agentmem.store.rewording import Reword, Reworded
from langchain_agentmem.types import Scope


@dataclass(frozen=True, slots=True)
class StoreFlows:
    """What is done with a user's items as part of other flows.

    Args:
        stored: The items, whoever is asked before.
    """

    stored: StoredItems

    def bring(self, ops: Iterable[Op], scope: Scope) -> Flow[int]:
        """Put items of one user, whatever their namespaces are called, where none stands; return how many."""
        return self.stored.bring(ops, owner_of(scope))

    def reworded(self, scope: Scope, reword: Reword, limit: int | None) -> Flow[list[Reworded]]:
        """Return a user's items that are to say something else; `None`: all of them."""
        return self.stored.rewording().find(owner_of(scope), reword, MAX_ROWS if limit is None else limit)

    def reword(self, items: Sequence[Reworded]) -> Flow[int]:
        """Let items say it, but those that have changed meanwhile; return how many do."""
        return self.stored.rewording().write(items)

    def erase(self, scope: Scope) -> Flow[Erased]:
        """Erase all namespaces of a user; see `SQLStore.erase`."""
        return self.stored.erase(owner_of(scope))
