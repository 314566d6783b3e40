"""Sensitive data in what LangGraph keeps: threads with all their checkpoints, and the items of its store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.policies.sensitive import Layer, SensitivePolicy
from langchain_agentmem.policies.sensitive_records import Protector, holder_of
from langchain_agentmem.sensitive.contents import wording_of
from langchain_agentmem.sensitive.report import Found
from langchain_agentmem.store.sql import SQLStore
from langchain_agentmem.types import Scope

PAGE: Final = 100
"""Threads listed at a time."""


class ThreadScan:
    """Looks through the threads of a user, or the one that the scope's session names: every checkpoint and write."""

    layer: Layer = "threads"

    def __init__(self, parts: Parts, saver: StoredSaver) -> None:
        """Compose; the saver asks nobody."""
        self._parts = parts
        self._saver = saver

    def find(self, scope: Scope, policy: SensitivePolicy, limit: int) -> Flow[list[Found]]:
        """Return threads that hold what they may not."""
        found: list[Found] = []
        after: str | None = None
        while len(found) < limit and (page := (yield from flows_of(self._saver).ids(owner_of(scope), after, PAGE))):
            for thread_id in page:
                if scope.session_id in {None, thread_id} and len(found) < limit:
                    session = replace(scope, session_id=thread_id)
                    protector = Protector(policy, "threads", session)
                    yield from flows_of(self._saver).reword(thread_id, wording_of(protector), is_dry=True)
                    found += [Found(thread_id, tuple(protector.found), session)] if protector.found else []
            after = page[-1]
        return found

    def clean(self, scope: Scope, policy: SensitivePolicy, found: Sequence[Found]) -> Flow[int]:
        """Change each thread in one step, in every checkpoint that holds what was found."""
        changed = 0
        for it in found:
            if policy.tokenises("threads"):
                yield from self._keep_values(it, policy)
            wording = wording_of(Protector(policy, "threads", it.scope))
            changed += yield from flows_of(self._saver).reword(it.id, wording)
        yield from self._parts.ledger.scrub()
        return changed

    def _keep_values(self, it: Found, policy: SensitivePolicy) -> Flow[None]:
        """Keep what tokens will stand for, before anything names them."""
        seen = Protector(policy, "threads", it.scope)
        yield from flows_of(self._saver).reword(it.id, wording_of(seen), is_dry=True)
        held, tokens = holder_of(it.scope, "threads"), seen.tokens
        yield from self._parts.ledger.append(it.scope, lambda writer: writer.sensitive.put(held, tokens))


class StoreScan:
    """Looks through the items of a user's namespaces in LangGraph's store."""

    layer: Layer = "store"

    def __init__(self, parts: Parts, store: Callable[[], SQLStore]) -> None:
        """Compose; the store asks nobody, and embeds as the one in use."""
        self._parts = parts
        self._store = store

    def find(self, scope: Scope, policy: SensitivePolicy, limit: int) -> Flow[list[Found]]:
        """Return items that hold what they may not, by namespace and key."""
        found: list[Found] = []

        def look(value: Mapping[str, Any]) -> Mapping[str, Any]:
            protector = Protector(policy, "store", None)
            made: Mapping[str, Any] = protector.value(value)
            if protector.found:
                found.append(Found("", tuple(protector.found), scope))
            return made

        items = yield from flows_of(self._store()).reworded(scope, look, limit)
        return [it._replace(id=item.name) for it, item in zip(found, items, strict=False)]

    def clean(self, scope: Scope, policy: SensitivePolicy, found: Sequence[Found]) -> Flow[int]:
        """Write each anew where it stands, but those that somebody changed meanwhile."""
        store, wanted = self._store(), {it.id for it in found}
        items = yield from flows_of(store).reworded(
            scope, lambda value: Protector(policy, "store", None).value(value), None
        )
        changed = yield from flows_of(store).reword([it for it in items if it.name in wanted])
        yield from self._parts.ledger.scrub()
        return changed
