"""What an import meets of memories that are here under other ids: the same again, and what says otherwise."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from langchain_agentmem._flow import Flow
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.text.folding import in_one_line
from langchain_agentmem.ledger.base import Draft, LedgerReader
from langchain_agentmem.long_term.write.revising import candidate_of
from langchain_agentmem.long_term.write.similar import compare
from langchain_agentmem.privacy import restoring
from langchain_agentmem.privacy.asked import AskedThen
from langchain_agentmem.privacy.layers import Layer, Record
from langchain_agentmem.types import Memory, Scope

NEAR: Final = 10
"""Memories that one which comes in is held against, those that share most words with it: some milliseconds of rules."""


class Standing:
    """The memories of a user that count here, of every agent.

    Args:
        functional: Relations that have one object at a time.
    """

    def __init__(self, functional: frozenset[str]) -> None:
        """None yet."""
        self._functional = functional
        self._said: dict[Hashable, str] = {}
        self._memories: dict[str, Memory] = {}
        self._by_word: defaultdict[str, list[str]] = defaultdict(list)

    def add(self, memory: Memory) -> None:
        """Add one."""
        if memory.status == "active":
            self._said[_said(memory)] = memory.id
            self._memories[memory.id] = memory
            for word in _words(memory):
                self._by_word[word].append(memory.id)

    def says(self, memory: Memory) -> bool:
        """Whether one of another id says the same, word for word, for the same agent and purposes."""
        return memory.status == "active" and self._said.get(_said(memory), memory.id) != memory.id

    def rivals(self, memory: Memory) -> Sequence[Memory]:
        """Return those that one which comes in contradicts, as a write would find them."""
        if memory.status != "active" or not (near := self._near(memory)):
            return ()
        return compare(candidate_of(memory, {}), near, {}, (), self._functional).conflicts

    def _near(self, memory: Memory) -> list[Memory]:
        shared: Counter[str] = Counter()
        for word in _words(memory):
            found = self._by_word.get(word, ())
            if len(found) <= max(NEAR, len(self._memories) // 2):  # a word of most of them tells nothing
                shared.update(found)
        near = (self._memories[it] for it, _ in shared.most_common(NEAR))
        return [it for it in near if it.scope.agent_id == memory.scope.agent_id and it.id != memory.id]


class Coming(NamedTuple):
    """Memories that come in.

    Attributes:
        notes: What the log says of each, by its id. `questions`: what is asked of it.
        rivals: What it contradicts of what stood here.
    """

    memories: Sequence[Memory]
    notes: Mapping[str, Mapping[str, Any]]
    questions: Mapping[str, AskedThen | None]
    rivals: Mapping[str, Sequence[Memory]]

    def others(self, memory: Memory, reader: LedgerReader) -> list[Memory]:
        """Return what one contradicts, of what stands still."""
        found = (reader.memory(it.id) for it in self.rivals.get(memory.id, ()))
        return [it for it in found if it is not None and it.status == "active"]


def joined(contradicts: tuple[str, ...], *ids: str) -> dict[str, tuple[str, ...]]:
    """Return the change of a memory that contradicts others as well."""
    return {"contradicts": tuple(dict.fromkeys((*contradicts, *ids)))}


def contradiction(other: Memory, by: Memory) -> Draft:
    """Return the event that tells a memory of one that was imported and contradicts it."""
    reason = f"memory {by.id} was imported and says otherwise, and neither replaces the other"
    note = {"reason": reason, "by": by.id}
    return Draft(
        type="contradicted", memory_id=other.id, changes=joined(other.contradicts, by.id), note=note, rule="conflict"
    )


def standing(layer: Layer, owner: Scope, without: Collection[str], functional: frozenset[str]) -> Flow[Standing]:
    """Return what stands here of a user.

    Args:
        layer: Of memories.
        owner: Whose they are.
        without: Ids of what came of the same file: that stood beside each other there.
        functional: See `Standing`.
    """
    found = Standing(functional)

    def take(records: Sequence[Record]) -> Flow[None]:
        yield from ()
        for record in records:
            if record.id not in without:
                found.add(restoring.memory(record, owner))

    yield from layer.export(owner, take)
    return found


def _said(memory: Memory) -> Hashable:
    """Return what two memories share that say the same."""
    told = in_one_line(memory.content).rstrip(".")
    place = (memory.scope.agent_id, memory.kind, memory.purposes, memory.expires_at)
    return told, memory.subject, memory.relation, memory.object, *place


def _words(memory: Memory) -> set[str]:
    relation = () if memory.relation is None else (f"\0{memory.relation}",)
    return {*tokenize(memory.content), *relation}
