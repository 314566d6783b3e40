"""What observers of long-term memory are told of: each is checked first, then done, then told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args

from langchain_agentmem._checks import check_choice, check_flag, check_instance
from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.episodes import PREFIX
from langchain_agentmem.long_term.checked import checked_id, checked_ids, checked_reason
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.recall.asking import Asking
from langchain_agentmem.long_term.recall.recalling import Recalling
from langchain_agentmem.long_term.remove.ending import Ending
from langchain_agentmem.long_term.write.changing import Changing
from langchain_agentmem.long_term.write.correcting import Correcting
from langchain_agentmem.long_term.write.writing import Writing
from langchain_agentmem.policies.confidence import Signal
from langchain_agentmem.policies.querying import Dialogue
from langchain_agentmem.policies.sensitive_records import shown_memory, shown_result
from langchain_agentmem.types import (
    Candidate,
    Decision,
    Memory,
    MemoryMode,
    Outcome,
    Provenance,
    Recall,
    RecallQuery,
    RecallStatus,
    Scope,
)
from langchain_agentmem.types.scope import check_scope, known_user


class Watched:
    """Recalls and writes as `LongTermMemory` promises them, as flows.

    What a call returns of a memory whose words it did not say is as it may be shown.
    """

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._watch = parts.watch
        self._sensitive = parts.sensitive
        self._writing = Writing(parts, searching)
        self._recalling = Recalling(parts, searching)
        self._asking = Asking(parts)
        self._changing = Changing(parts, searching, self._writing)
        self._correcting = Correcting(parts, self._writing)
        self._ending = Ending(parts, searching)

    # ---------------------------------------------------------------------------------------------- remember, recall
    def remember(self, candidate: Candidate, scope: Scope, mode: MemoryMode | None) -> Flow[Decision]:
        """Keep a candidate, unless a rule of the write policy objects."""
        remembering = self._writing.remember(candidate, check_scope(scope), mode)
        decision = yield from self._watch.write("remember", remembering, scope)
        return decision if _is_said(candidate, decision.memory) else shown_result(self._sensitive, decision)

    def recall(
        self, query: RecallQuery, scope: Scope, mode: MemoryMode | None, without: frozenset[str]
    ) -> Flow[Recall]:
        """Find what is relevant."""
        return self._watch.recall(self._recalling.recall(query, check_scope(scope), mode, without), scope)

    def recall_each(
        self,
        dialogue: Dialogue,
        base: RecallQuery,
        scope: Scope,
        mode: MemoryMode | None,
        recall: Callable[[RecallQuery], Flow[Recall]],
    ) -> Flow[tuple[Recall, ...]]:
        """Recall for each question of a message, planned apart."""
        recalls: list[Recall] = []
        for query in (yield from self._asking.plan(dialogue, base, check_scope(scope), mode)):
            found = yield from recall(query)
            recalls.append(found)
        return tuple(recalls)

    def decline(self, query: RecallQuery, scope: Scope, status: RecallStatus, reason: str) -> Flow[Recall]:
        """Search nothing on purpose, constraints apart."""
        return self._watch.recall(self._recalling.decline(query, check_scope(scope), status, reason), scope)

    # -------------------------------------------------------------------------------------------------------- change
    def revise(self, memory_id: str, scope: Scope, reason: str, changes: dict[str, Any]) -> Flow[Decision]:
        """Change fields of a memory."""
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason))
        decision = yield from self._watch.write("revise", self._changing.revise(*given, changes), scope)
        return decision if "content" in changes else shown_result(self._sensitive, decision)

    def merge(self, memory_ids: Sequence[str], content: str, scope: Scope, reason: str) -> Flow[Decision]:
        """Replace several memories by one."""
        merging = self._changing.merge(checked_ids(memory_ids), content, known_user(scope), checked_reason(reason))
        return self._watch.write("merge", merging, scope)

    def feedback(self, memory_id: str, signal: Signal, scope: Scope, reason: str) -> Flow[Memory]:
        """Move a memory's confidence."""
        check_choice("signal", signal, get_args(Signal))
        given = (checked_id(memory_id), signal, known_user(scope), checked_reason(reason))
        moving = self._watch.write("feedback", self._changing.feedback(*given), scope, rule=signal)
        return shown_memory(self._sensitive, (yield from moving))

    def correct(
        self, memory_id: str, content: str, scope: Scope, provenance: Provenance | None, reason: str
    ) -> Flow[Decision]:
        """Put the user's own words in the place of a memory."""
        given = (checked_id(memory_id), content, known_user(scope), provenance, checked_reason(reason))
        return self._watch.write("revise", self._correcting.correct(*given), scope)

    def learn(self, outcome: Outcome, scope: Scope, mode: MemoryMode | None) -> Flow[Sequence[Decision]]:
        """Remember how an action ended, and let the memories that guided it follow."""
        check_instance("outcome", outcome, Outcome, "Outcome(action='deploy', succeeded=True)")
        learning = self._changing.learn(outcome, check_scope(scope), mode)
        told, *moved = yield from self._watch.write("learn", learning, scope)
        return [told, *(shown_result(self._sensitive, it) for it in moved)]

    # ---------------------------------------------------------------------------------------------- forget and erase
    def forget(self, memory_id: str, scope: Scope, reason: str) -> Flow[Memory]:
        """Stop recalling a memory; a turn of a conversation is erased."""
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason))
        memory = yield from self._watch.write("forget", self._forget_any(*given), scope)
        return shown_memory(self._sensitive, memory)

    def forget_part(
        self, memory_id: str, scope: Scope, reason: str, left: Callable[[Memory], Sequence[str]]
    ) -> Flow[tuple[Memory, list[Decision]]]:
        """Forget a memory, and keep what is left of it, in words, as memories of their own."""
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason), left)
        forgetting = self._watch.write("forget", self._changing.forget_part(*given), scope, about=memory_id)
        memory, kept = yield from forgetting
        return shown_memory(self._sensitive, memory), [shown_result(self._sensitive, it) for it in kept]

    def restore(self, memory_id: str, scope: Scope, reason: str) -> Flow[Memory]:
        """Take a forgotten memory back."""
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason))
        restoring = self._watch.write("restore", self._changing.restore(*given), scope)
        return shown_memory(self._sensitive, (yield from restoring))

    def erase(self, memory_id: str, scope: Scope, reason: str, *, with_sources: bool) -> Flow[tuple[str, ...]]:
        """Delete a memory or turn for good."""
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason))
        erasing = self._erase_any(*given, with_sources=check_flag("with_sources", with_sources))
        return self._watch.write("erase", erasing, scope, about=memory_id)

    def _forget_any(self, memory_id: str, scope: Scope, reason: str) -> Flow[Memory]:
        turn = (yield from self._ending.forget_one(memory_id, scope, reason)) if memory_id.startswith(PREFIX) else None
        return turn or (yield from self._changing.forget(memory_id, scope, reason))

    def _erase_any(self, memory_id: str, scope: Scope, reason: str, *, with_sources: bool) -> Flow[tuple[str, ...]]:
        if with_sources:
            yield from self._ending.forget_sources(memory_id, scope, reason)
        if memory_id.startswith(PREFIX) and (yield from self._ending.forget([memory_id], scope, reason)):
            return (memory_id,)
        return (yield from self._changing.erase(memory_id, scope, reason))


def _is_said(candidate: Candidate, memory: Memory | None) -> bool:
    """Whether a memory tells nothing that a candidate did not."""
    evidence = candidate.provenance.evidence
    return memory is not None and (memory.content, memory.provenance.evidence) == (candidate.content, evidence)
