"""What an import meets of memories that are here under other ids: the same again, and what says otherwise."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from langchain_agentmem._flow import Flow
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.reading.relations import Relations
from langchain_agentmem.english.text.folding import in_one_line
from langchain_agentmem.ledger.base import Draft, LedgerReader
from langchain_agentmem.ledger.codec import fields_of
from langchain_agentmem.ledger.sql.ending import EndingWriter
from langchain_agentmem.long_term.write.outdating import doubted
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
        relations: Of how many objects there may be one at a time.
        without: Ids of what came of the same file: that stood beside each other there.
        seq: The last event that it knows.

    Attributes:
        ids: Of all that it was told of, of every status.
    """

    def __init__(self, relations: Relations, without: Collection[str] = (), seq: int = 0) -> None:
        """None yet."""
        self.seq = seq
        self.ids: set[str] = set()
        self._relations = relations
        self._without = without
        self._said: dict[Hashable, str] = {}
        self._memories: dict[str, Memory] = {}
        self._by_word: defaultdict[str, list[str]] = defaultdict(list)

    def add(self, memory: Memory) -> None:
        """Add one, or what became of it."""
        if memory.id in self._without:
            return
        self.ids.add(memory.id)
        self._drop(memory.id)
        if memory.status == "active":
            self._said[_said(memory)] = memory.id
            self._memories[memory.id] = memory
            for word in _words(memory):
                self._by_word[word].append(memory.id)

    def twin(self, memory: Memory) -> str | None:
        """Return the id of another one that says the same, word for word, for the same agent and purposes."""
        found = self._said.get(_said(memory)) if memory.status == "active" else None
        return None if found == memory.id else found

    def rivals(self, memory: Memory) -> Sequence[Memory]:
        """Return those that one which comes in contradicts, as a write would find them."""
        if memory.status != "active" or not (near := self._near(memory)):
            return ()
        told = compare(candidate_of(memory, {}), near, {}, (), self._relations.functional)
        judged = {it.id for it in (*told.conflicts, *told.duplicates, *told.narrower)}
        return [*told.conflicts, *(it for it in near if it.id not in judged and self._is_in_doubt(memory, it))]

    def _is_in_doubt(self, memory: Memory, other: Memory) -> bool:
        """Whether what was said later of two likely leaves the other one out of date."""
        old, new = sorted((memory, other), key=lambda it: it.created_at)
        return bool(doubted(candidate_of(new, {}), [old], new.scope.user_id, self._relations.several))

    def catch_up(self, writer: EndingWriter, agents: Collection[str | None]) -> frozenset[str]:
        """Learn what was written since, in the transaction that writes beside it; return the words of that.

        Nobody else writes of the user until it ends, and mostly nothing was written: then nothing is read.
        """
        changed: dict[str, Memory] = {}
        for agent_id in agents if writer.head.seq > self.seq else ():
            with writer.seeing(agent_id):
                changed |= {it.id: it for it in writer.changed(self.seq) if it.id not in self._without}
        for memory in changed.values():
            self.add(memory)
        return frozenset(word for it in changed.values() for word in _words(it))

    def _drop(self, memory_id: str) -> None:
        known = self._memories.pop(memory_id, None)
        if known is None:
            return
        if self._said.get(_said(known)) == memory_id:
            del self._said[_said(known)]
        for word in _words(known):
            self._by_word[word].remove(memory_id)

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
        here: What stands here. `agents`: whose memories come in with the whole file.
        rivals: What each contradicts of that, as far as it was known before the transaction in which they come.
    """

    memories: Sequence[Memory]
    notes: Mapping[str, Mapping[str, Any]]
    questions: Mapping[str, AskedThen | None]
    here: Standing
    agents: Collection[str | None]
    rivals: Mapping[str, Sequence[Memory]]

    def untold(self, writer: EndingWriter) -> list[Memory]:
        """Return those that nothing says which stands here now."""
        return [it for it in self.memories if not self._is_told(it, writer)]

    def caught_up(self, writer: EndingWriter) -> Coming:
        """Return the same beside what was written since they were read: that is compared in the transaction."""
        words = self.here.catch_up(writer, self.agents)
        rivals = {it.id: self.here.rivals(it) for it in self.memories if not words.isdisjoint(_words(it))}
        return self._replace(rivals={**self.rivals, **rivals})

    def others(self, memory: Memory, reader: LedgerReader) -> list[Memory]:
        """Return what one contradicts, of what stands still."""
        rivals = self.rivals[memory.id] if memory.id in self.rivals else self.here.rivals(memory)
        found = (reader.memory(it.id) for it in rivals)
        return [it for it in found if it is not None and it.status == "active"]

    def remember(self, memory: Memory, writer: EndingWriter) -> list[str]:
        """Remember one, and mark it and what it contradicts; return the ids of those."""
        question, others = self.questions[memory.id], self.others(memory, writer)
        note = {**self.notes[memory.id], **({} if question is None else question.note(memory))}
        changes = {**fields_of(memory), **joined(memory.contradicts, *(it.id for it in others))}
        writer.append(Draft(type="remembered", memory_id=memory.id, rule="imported", changes=changes, note=note))
        for other in others:
            writer.append(contradiction(other, memory))
        return [it.id for it in others]

    def _is_told(self, memory: Memory, writer: EndingWriter) -> bool:
        twin = self.here.twin(memory)
        if twin is None:
            return False
        with writer.seeing(memory.scope.agent_id):
            found = writer.memory(twin)
        return found is not None and found.status == "active"


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


def standing(layer: Layer, owner: Scope, found: Standing) -> Flow[Standing]:
    """Return what stands here of a user, beside what is known of it.

    Args:
        layer: Of memories.
        owner: Whose they are.
        found: With none yet.
    """

    def take(records: Sequence[Record]) -> Flow[None]:
        yield from ()
        for record in records:
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
