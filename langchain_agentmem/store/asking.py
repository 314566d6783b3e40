"""Asks the application before somebody's items are read, written or removed, where it wants to be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from langgraph.store.base import Item

from langchain_agentmem._flow import Flow
from langchain_agentmem.items.base import Check, Items
from langchain_agentmem.items.paths import Namespace, namespace_of, path_of
from langchain_agentmem.store.operations import Batch, Reading, Writing
from langchain_agentmem.store.options import StoreOptions
from langchain_agentmem.types import Scope
from langchain_agentmem.types.scope import Owner

if TYPE_CHECKING:
    from langchain_agentmem.access.flows import AccessFlows
    from langchain_agentmem.types.asking import Action

T = TypeVar("T")


class _NotAskedError(Exception):
    """Nobody asked yet about some users (never leaves this module)."""

    def __init__(self, owners: set[Owner]) -> None:
        super().__init__(owners)
        self.owners = owners


class Asking:
    """Knows whose items a batch touches: what is nobody's is not asked about.

    Args:
        access: Asks; `None`: nobody does.
        items: Remember whose a namespace is.
        options: Their `subject` says it, too.
    """

    def __init__(self, access: AccessFlows | None, items: Items, options: StoreOptions) -> None:
        """Nothing is asked yet."""
        self._access = access
        self._items = items
        self._options = options

    def before(self, batch: Batch) -> Flow[None]:
        """Ask about what is named: nothing was read or written yet."""
        if self._access is None:
            return
        named: dict[Action, dict[str, Owner | None]] = {"read": {}, "write": {}, "erase": {}}
        named["read"] = {it.path: it.owner for it in batch.questions.values() if isinstance(it, Reading)}
        for (path, _), it in batch.writes.items():
            named["write" if isinstance(it, Writing) else "erase"][path] = it.owner
        for action, paths in named.items():
            known = {it for it in paths.values() if it is not None}
            unknown = [path for path, it in paths.items() if it is None]
            yield from self.ask(action, known | (yield from self._whose(unknown)))

    def after(self, batch: Batch, results: Iterable[Any]) -> Flow[None]:
        """Ask about what was found by searching, before anybody sees it."""
        if self._access is None or not batch.questions:
            return
        found: set[Namespace] = set()
        for result in results:
            for it in result if isinstance(result, list) else ():
                found.add(it.namespace if isinstance(it, Item) else it)
        yield from self.ask("read", (yield from self._whose([path_of(it) for it in found])))

    def about(self, action: Action, make: Callable[[Check], Flow[T]]) -> Flow[T]:
        """Make what tells whose namespaces it is about; where nobody was asked about one, it ends, and begins anew."""
        asked: set[Owner] = set()

        def check(namespaces: Mapping[str, Owner | None]) -> None:
            said = {self._said(namespace_of(path)) or owner for path, owner in namespaces.items()}
            if unasked := {owner for owner in said if owner is not None} - asked:
                raise _NotAskedError(unasked)

        while True:
            try:
                return (yield from make(_unchecked if self._access is None else check))
            except _NotAskedError as needed:
                owners = needed.owners
            yield from self.ask(action, owners)
            asked |= owners

    def ask(self, action: Action, owners: Iterable[Owner]) -> Flow[None]:
        """Ask about each of some users."""
        for owner in sorted(owners) if self._access is not None else ():
            scope = Scope(owner.user_id, tenant_id=owner.tenant_id)
            if self._access is not None:
                yield from self._access.check(action, scope)

    def _whose(self, paths: Iterable[str]) -> Flow[set[Owner]]:
        said = {path: self._said(namespace_of(path)) for path in paths}
        unknown = [path for path, owner in said.items() if owner is None]
        stored = (yield from self._items.owners(unknown)) if unknown else {}
        return {owner for owner in (*said.values(), *stored.values()) if owner is not None}

    def _said(self, namespace: Namespace) -> Owner | None:
        """Return whose a namespace is by `subject`; one that is cut short, as listed, may be none that it knows."""
        try:
            return self._options.owner(namespace)
        except (IndexError, KeyError):
            return None


def _unchecked(_: Mapping[str, Owner | None]) -> None:
    """Nobody wants to be asked."""
