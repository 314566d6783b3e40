"""Sensitive data among facts, also in what the log still says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from langchain_agentmem._flow import Flow, work
from langchain_agentmem._vectors import Vector
from langchain_agentmem.english.people.own_words import embedded_text
from langchain_agentmem.ledger.base import LedgerWriter
from langchain_agentmem.ledger.lives import reasons_of
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.changing import Changing
from langchain_agentmem.long_term.write.writing import Writing
from langchain_agentmem.policies.sensitive import Layer, SensitivePolicy
from langchain_agentmem.policies.sensitive_records import Protector
from langchain_agentmem.sensitive.report import Found
from langchain_agentmem.types import Event, Memory, Scope

PAGE: Final = 500
"""Events read at a time."""

BATCH: Final = 50
"""Memories changed in one transaction, so that writers need not wait long for it."""

REASON: Final = "sensitive data was found in it"
_TEXTS: Final = ("content", "subject", "relation", "object", "legal_basis", "tags", "purposes")


class _Cleaned(NamedTuple):
    """A memory on its way into the transaction that cleans it."""

    memory: Memory
    changes: Mapping[str, Any]
    words: Protector
    vector: Vector | None


class FactScan:
    """Looks through the events of a user's memories, and cleans those that hold what they may not."""

    layer: Layer = "facts"

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching
        self._writing = Writing(parts, searching)
        self._changing = Changing(parts, searching, self._writing)

    def find(self, scope: Scope, policy: SensitivePolicy, limit: int) -> Flow[list[Found]]:
        """Return visible memories of which any event says what it may not."""
        types: dict[str, dict[str, None]] = {}
        after, is_more = 0, True
        while is_more and len(types) < limit:
            events = yield from self._events(scope, after)
            for memory_id, found in (yield from work(_sifted, events, policy, scope)):
                types.setdefault(memory_id, {}).update(found)
            after, is_more = (events[-1].seq if events else after), len(events) == PAGE
        known = yield from self._parts.ledger.read(scope, lambda reader: reader.memories(types))
        return [Found(id, tuple(types[id]), scope) for id in types if id in known][:limit]

    def clean(self, scope: Scope, policy: SensitivePolicy, found: Sequence[Found]) -> Flow[int]:
        """Change each, or erase it where it may not be kept; what was changed meanwhile waits for the next scan."""
        changed = 0
        for start in range(0, len(found), BATCH):
            changed += yield from self._clean_batch(scope, policy, [it.id for it in found[start : start + BATCH]])
        return changed

    def _events(self, scope: Scope, after: int) -> Flow[list[Event]]:
        return (yield from self._parts.ledger.read(scope, lambda reader: reader.events(after=after, limit=PAGE)))

    def _clean_batch(self, scope: Scope, policy: SensitivePolicy, ids: list[str]) -> Flow[int]:
        memories = yield from self._parts.ledger.read(scope, lambda reader: reader.memories(ids))
        waiting: list[_Cleaned] = []
        erased: set[str] = set()
        for memory in memories.values():
            protector = Protector(policy, "facts", scope)
            changes = protector.fields(memory)
            if memory.id in erased:
                continue
            if protector.blocked:
                erased |= {*(yield from self._changing.erase(memory.id, scope, REASON))}
            else:
                vector = yield from self._vector(memory, changes)
                waiting.append(_Cleaned(memory, changes, protector, vector))
        left = [it for it in waiting if it.memory.id not in erased]
        cleaned = (
            yield from self._parts.ledger.append(scope, lambda writer: self._write(writer, left)) if left else _none()
        )
        yield from self._searching.drop(scope, cleaned)
        self._parts.forget_words()
        return len(cleaned) + len(erased)

    def _vector(self, memory: Memory, changes: Mapping[str, Any]) -> Flow[Vector | None]:
        if self._parts.embedder is None:
            return None
        text = embedded_text(replace(memory, **changes), memory.scope.user_id)
        return (yield from self._parts.embedder.documents([text]))[0]

    def _write(self, writer: LedgerWriter, waiting: Sequence[_Cleaned]) -> list[str]:
        cleaned: list[str] = []
        for it in waiting:
            current = writer.memory(it.memory.id)
            if current is None or current.revision != it.memory.revision:
                continue
            writer.sensitive.clean(current.id, it.changes, REASON, it.words.text)
            writer.sensitive.put(current.id, it.words.tokens)
            self._writing.store_vector(writer, current.id, it.vector)
            cleaned.append(current.id)
        writer.forget_questions()
        self._searching.queue_erased(writer)
        return cleaned


def _none() -> Flow[list[str]]:
    yield from ()
    return []


def _sifted(events: Sequence[Event], policy: SensitivePolicy, scope: Scope) -> list[tuple[str, dict[str, None]]]:
    """Return of which memories events say what they may not, and of which types that is."""
    found: list[tuple[str, dict[str, None]]] = []
    for event in events:
        if event.memory_id is not None and event.payload:
            protector = Protector(policy, "facts", scope)
            for text in (*_texts(event.payload), *reasons_of(event)):
                protector.value(text)
            if protector.found:
                found.append((event.memory_id, protector.found))
    return found


def _texts(payload: Mapping[str, Any]) -> Iterator[Any]:
    """Give what an event says in words of the user's or of a program."""
    yield from (payload[name] for name in _TEXTS if payload.get(name))
    yield (payload.get("provenance") or {}).get("evidence")
    yield {name: it for name, it in (payload.get("goal") or {}).items() if name != "status"}
