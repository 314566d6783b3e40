"""Long-term memory as callers see it: every method takes a scope and has an awaitable twin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args

from langchain_agentmem._checks import check_choice, check_flag, check_instance, check_wanted_kinds, given
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.ledger.episodes import PREFIX
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.long_term.asking import Asking
from langchain_agentmem.long_term.changing import Changing
from langchain_agentmem.long_term.correcting import Corrected, Correcting
from langchain_agentmem.long_term.ending import Ending
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.reading import checked_id, checked_ids, checked_reason
from langchain_agentmem.long_term.recalling import Recalling
from langchain_agentmem.long_term.room import is_full
from langchain_agentmem.long_term.searching import Searching
from langchain_agentmem.long_term.writing import Writing
from langchain_agentmem.policies.confidence import Signal
from langchain_agentmem.policies.querying import Dialogue
from langchain_agentmem.types import (
    KINDS,
    Candidate,
    Decision,
    Kind,
    Kinds,
    Memory,
    MemoryMode,
    Outcome,
    Recall,
    RecallQuery,
    RecallStatus,
    Scope,
    Source,
)
from langchain_agentmem.types.scope import check_scope, known_user


class LongTermMemory(Corrected):
    """Facts, preferences, outcomes, constraints and goals of each user, for years.

    Made by `AgentMemory`, which chooses the parts. Each call is one user's; nothing of another user is returned,
    counted or changed, and nothing of another user moves a score. A write is one transaction: acknowledged, it is kept.

    Raises (every method): `ScopeError` for anything but a `Scope`, `StorageError` when the database fails.
    """

    def __init__(self, parts: Parts, searching: Searching, models: SQLModels) -> None:
        """Compose."""
        super().__init__(parts, searching, models)
        self._parts = parts
        self._watch = parts.watch
        self._writing = Writing(parts, searching)
        self._recalling = Recalling(parts, searching)
        self._asking = Asking(parts)
        self._changing = Changing(parts, searching, self._writing)
        self._correcting = Correcting(parts, self._writing)
        self._ending = Ending(parts, searching)

    # ------------------------------------------------------------------------------------------------------- remember
    def remember(
        self,
        content: str | Candidate,
        *,
        scope: Scope,
        kind: Kind = "fact",
        source: Source = "explicit",
        confidence: float = 0.9,
        mode: MemoryMode | None = None,
    ) -> Decision:
        """Keep a statement, unless a rule of the write policy objects.

        Held against what is known already: the same statement is confirmed, one that contradicts it supersedes it (or
        waits, where it is less trusted), a near one is linked. All of it is one transaction and one event or more.

        Args:
            content: The statement, in words that stand alone; or a `Candidate` for more fields (the other arguments
                are then taken from it).
            scope: Whose memory it is.
            kind: See `Kind`.
            source: `explicit` where the user said so, `inferred` where something concluded it.
            confidence: In [0, 1]; below 0.7 it is refused by default.
            mode: Stricter than the memory's own mode for this call: `frozen` or `off` refuse.

        Returns:
            What was decided, by which rule, and the memory.

        Raises:
            ConfigurationError: A field is outside its range, or the embedding model is not the database's.
            NotFoundError: The candidate supersedes an id that does not exist.
        """
        return run(self.remember_flow(_candidate(content, kind, source, confidence), scope, mode))

    async def aremember(
        self,
        content: str | Candidate,
        *,
        scope: Scope,
        kind: Kind = "fact",
        source: Source = "explicit",
        confidence: float = 0.9,
        mode: MemoryMode | None = None,
    ) -> Decision:
        """Keep a statement; see `remember`."""
        return await arun(self.remember_flow(_candidate(content, kind, source, confidence), scope, mode))

    def remember_flow(self, candidate: Candidate, scope: Scope, mode: MemoryMode | None = None) -> Flow[Decision]:
        """Keep a candidate as part of another flow; see `remember`."""
        return self._watch.write("remember", self._writing.remember(candidate, check_scope(scope), mode), scope)

    def is_full_flow(self, scope: Scope) -> Flow[bool]:
        """Whether a conversation has written as many memories as the write policy lets it, as part of another flow."""
        return is_full(self._parts, check_scope(scope))

    # --------------------------------------------------------------------------------------------------------- recall
    def recall(
        self,
        query: str | RecallQuery,
        *,
        scope: Scope,
        limit: int = 5,
        kinds: Kinds | None = None,
        mode: MemoryMode | None = None,
    ) -> Recall:
        """Find what is relevant. Nothing relevant is a normal answer.

        An index proposes, the ledger's rules dispose (status, validity, purpose, confidence, consent), relevance ranks,
        and a receipt says why. Constraints come complete beside the hits.

        Args:
            query: A question, or a `RecallQuery` for more conditions (the other arguments are then taken from it).
            scope: Whose memory to search.
            limit: Hits at most.
            kinds: Kinds to draw from, one alone or several; `None`: all.
            mode: `off` recalls nothing.

        Raises:
            ConfigurationError: A condition is outside its range, or the embedding model is not the database's.
        """
        return run(self.recall_flow(_query(query, limit, kinds), scope, mode))

    async def arecall(
        self,
        query: str | RecallQuery,
        *,
        scope: Scope,
        limit: int = 5,
        kinds: Kinds | None = None,
        mode: MemoryMode | None = None,
    ) -> Recall:
        """Find what is relevant; see `recall`."""
        return await arun(self.recall_flow(_query(query, limit, kinds), scope, mode))

    def recall_flow(
        self,
        query: RecallQuery,
        scope: Scope,
        mode: MemoryMode | None = None,
        *,
        without: frozenset[str] = frozenset(),
    ) -> Flow[Recall]:
        """Find what is relevant as part of another flow; see `recall`.

        Args:
            query: What to look for.
            scope: Whose memory to search.
            mode: `off` recalls nothing.
            without: Ids of turns of conversations that the asker has before them already.
        """
        return self._watch.recall(self._recalling.recall(query, check_scope(scope), mode, without), scope)

    def recall_each_flow(
        self,
        dialogue: Dialogue,
        base: RecallQuery,
        scope: Scope,
        mode: MemoryMode | None = None,
        *,
        without: frozenset[str] = frozenset(),
    ) -> Flow[tuple[Recall, ...]]:
        """Find what is relevant to each question of a message, planned apart, as part of another flow.

        Args:
            dialogue: What is said, and what was said before.
            base: What every question is asked with; the fields it sets are never planned.
            scope: Whose memory to search.
            mode: `off` recalls nothing.
            without: Ids of turns of conversations that the asker has before them already.
        """
        recalls: list[Recall] = []
        for query in (yield from self._asking.plan(dialogue, base, check_scope(scope), mode)):
            recall = yield from self.recall_flow(query, scope, mode, without=without)
            recalls.append(recall)
        return tuple(recalls)

    def decline_flow(self, query: RecallQuery, scope: Scope, status: RecallStatus, reason: str) -> Flow[Recall]:
        """Search nothing on purpose, constraints apart, and leave a receipt with the reason."""
        return self._watch.recall(self._recalling.decline(query, check_scope(scope), status, reason), scope)

    # ------------------------------------------------------------------------------------------------------ change
    def revise(self, memory_id: str, *, scope: Scope, reason: str = "revised", **changes: Any) -> Decision:
        """Change fields of a memory (`content`, `kind`, `confidence`, `tags`, `valid_at`, …), keeping its history.

        New content passes the write policy like a new memory, and sets confidence to 0.95 unless that is given. `trust`
        can be lowered, not raised: it is that of the source.

        Raises:
            NotFoundError: The id does not exist in this scope.
            ConfigurationError: A field cannot be changed, or its value is outside its range or what it may become.
        """
        return run(self._revise(memory_id, scope, reason, changes))

    async def arevise(self, memory_id: str, *, scope: Scope, reason: str = "revised", **changes: Any) -> Decision:
        """Change fields of a memory; see `revise`."""
        return await arun(self._revise(memory_id, scope, reason, changes))

    def merge(self, memory_ids: Sequence[str], content: str, *, scope: Scope, reason: str = "merged") -> Decision:
        """Replace several memories by one. It is trusted as little as the least trusted of them.

        Raises:
            NotFoundError: An id does not exist in this scope.
            ConfigurationError: Fewer than two ids, or memories kept for purposes that have nothing in common.
        """
        return run(self._merge(memory_ids, content, scope, reason))

    async def amerge(
        self, memory_ids: Sequence[str], content: str, *, scope: Scope, reason: str = "merged"
    ) -> Decision:
        """Replace several memories by one; see `merge`."""
        return await arun(self._merge(memory_ids, content, scope, reason))

    def feedback(self, memory_id: str, signal: Signal, *, scope: Scope, reason: str = "feedback") -> Memory:
        """Move a memory's confidence by what became of its use; below 0.3 it is forgotten.

        Raises:
            NotFoundError: The id does not exist in this scope.
            GovernanceError: Memory is frozen or off.
            ConfigurationError: The signal is unknown.
        """
        return run(self._feedback(memory_id, signal, scope, reason))

    async def afeedback(self, memory_id: str, signal: Signal, *, scope: Scope, reason: str = "feedback") -> Memory:
        """Move a memory's confidence; see `feedback`."""
        return await arun(self._feedback(memory_id, signal, scope, reason))

    def learn(self, outcome: Outcome, *, scope: Scope, mode: MemoryMode | None = None) -> Sequence[Decision]:
        """Remember how an action ended, and let the memories that guided it follow.

        Returns:
            The decision on the outcome, then one for each memory whose confidence moved.
        """
        return run(self.learn_flow(outcome, scope, mode))

    async def alearn(self, outcome: Outcome, *, scope: Scope, mode: MemoryMode | None = None) -> Sequence[Decision]:
        """Remember how an action ended; see `learn`."""
        return await arun(self.learn_flow(outcome, scope, mode))

    def learn_flow(self, outcome: Outcome, scope: Scope, mode: MemoryMode | None = None) -> Flow[Sequence[Decision]]:
        """Remember how an action ended as part of another flow; see `learn`."""
        check_instance("outcome", outcome, Outcome, "Outcome(action='deploy', succeeded=True)")
        return (yield from self._watch.write("learn", self._changing.learn(outcome, check_scope(scope), mode), scope))

    # ------------------------------------------------------------------------------------------------ forget and erase
    def forget(self, memory_id: str, *, scope: Scope, reason: str = "user asked") -> Memory:
        """Stop recalling a memory. Reversible with `restore`; `erase` deletes. A turn of a conversation is erased.

        Raises:
            NotFoundError: The id does not exist in this scope.
        """
        return run(self.forget_flow(memory_id, scope, reason))

    async def aforget(self, memory_id: str, *, scope: Scope, reason: str = "user asked") -> Memory:
        """Stop recalling a memory; see `forget`."""
        return await arun(self.forget_flow(memory_id, scope, reason))

    def forget_flow(self, memory_id: str, scope: Scope, reason: str) -> Flow[Memory]:
        """Forget as part of another flow; see `forget`."""
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason))
        return (yield from self._watch.write("forget", self._forget(*given), scope))

    def forget_part_flow(
        self, memory_id: str, scope: Scope, reason: str, left: Callable[[Memory], Sequence[str]]
    ) -> Flow[tuple[Memory, list[Decision]]]:
        """Forget a memory as part of another flow, and keep what is left of it, in words, as memories of their own."""
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason), left)
        return (yield from self._watch.write("forget", self._changing.forget_part(*given), scope, about=memory_id))

    def _forget(self, memory_id: str, scope: Scope, reason: str) -> Flow[Memory]:
        turn = (yield from self._ending.forget_one(memory_id, scope, reason)) if memory_id.startswith(PREFIX) else None
        return turn or (yield from self._changing.forget(memory_id, scope, reason))

    def restore(self, memory_id: str, *, scope: Scope, reason: str = "restored") -> Memory:
        """Take a forgotten memory back; of one that only ended an instruction, that instruction, which is returned.

        Raises:
            NotFoundError: The id does not exist in this scope.
            ConfigurationError: The memory is not forgotten, or never was in force.
        """
        return run(self._restore(memory_id, scope, reason))

    async def arestore(self, memory_id: str, *, scope: Scope, reason: str = "restored") -> Memory:
        """Take a forgotten memory back; see `restore`."""
        return await arun(self._restore(memory_id, scope, reason))

    def erase(
        self, memory_id: str, *, scope: Scope, reason: str = "user asked", with_sources: bool = False
    ) -> tuple[str, ...]:
        """Delete a memory for good: content, vector, terms, statistics, and every payload of its events.

        What it was merged from goes with it; what it was merged into goes too, and gives its other sources back. So do
        the words of every question in the user's receipts. Headers and commitments stay, so that the log still verifies
        and proves that an erasure took place. With SQLite no page of the file or its write-ahead log holds the text any
        more; where another connection is reading at that moment, a durable job sees to the log's end afterwards.
        A turn of a conversation goes as `memory.episodes.forget` lets it go. A turn that waits in `memory.jobs` and
        may be the evidence of what is erased is not followed up, and the states of tasks lose what may be.

        Args:
            memory_id: Of a memory, or of a turn.
            scope: Whose.
            reason: For the log, where it stays as the record of the erasure: no personal data belongs into it.
            with_sources: Let the turns of conversations go that it was taken from, whole and first. Messages in chat
                histories and threads are the application's.

        Returns:
            The ids that were erased.

        Raises:
            NotFoundError: The id does not exist in this scope.
        """
        return run(self._erase(memory_id, scope, reason, with_sources=with_sources))

    async def aerase(
        self, memory_id: str, *, scope: Scope, reason: str = "user asked", with_sources: bool = False
    ) -> tuple[str, ...]:
        """Delete a memory for good; see `erase`."""
        return await arun(self._erase(memory_id, scope, reason, with_sources=with_sources))

    # ---------------------------------------------------------------------------------------------------------- flows
    def _revise(self, memory_id: str, scope: Scope, reason: str, changes: dict[str, Any]) -> Flow[Decision]:
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason))
        return self._watch.write("revise", self._changing.revise(*given, changes), scope)

    def _merge(self, memory_ids: Sequence[str], content: str, scope: Scope, reason: str) -> Flow[Decision]:
        merging = self._changing.merge(checked_ids(memory_ids), content, known_user(scope), checked_reason(reason))
        return self._watch.write("merge", merging, scope)

    def _feedback(self, memory_id: str, signal: Signal, scope: Scope, reason: str) -> Flow[Memory]:
        check_choice("signal", signal, get_args(Signal))
        given = (checked_id(memory_id), signal, known_user(scope), checked_reason(reason))
        return self._watch.write("feedback", self._changing.feedback(*given), scope, rule=signal)

    def _restore(self, memory_id: str, scope: Scope, reason: str) -> Flow[Memory]:
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason))
        return self._watch.write("restore", self._changing.restore(*given), scope)

    def _erase(self, memory_id: str, scope: Scope, reason: str, *, with_sources: bool) -> Flow[tuple[str, ...]]:
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason))
        erasing = self._erase_any(*given, with_sources=check_flag("with_sources", with_sources))
        return self._watch.write("erase", erasing, scope, about=memory_id)

    def _erase_any(self, memory_id: str, scope: Scope, reason: str, *, with_sources: bool) -> Flow[tuple[str, ...]]:
        if with_sources:
            yield from self._ending.forget_sources(memory_id, scope, reason)
        if memory_id.startswith(PREFIX) and (yield from self._ending.forget([memory_id], scope, reason)):
            return (memory_id,)
        return (yield from self._changing.erase(memory_id, scope, reason))


def _candidate(content: str | Candidate, kind: Kind, source: Source, confidence: float) -> Candidate:
    if isinstance(content, Candidate):
        return content
    return Candidate(content=content, kind=kind, source=source, confidence=confidence)


def _query(query: str | RecallQuery, limit: int, kinds: Kinds | None) -> RecallQuery:
    if isinstance(query, RecallQuery):
        return query
    if not isinstance(query, str):
        msg = f"query must be a str or a RecallQuery, got {given(query)}; for example 'where does Alice live?'"
        raise ConfigurationError(msg)
    return RecallQuery(text=query, limit=limit, kinds=check_wanted_kinds(kinds, KINDS))
