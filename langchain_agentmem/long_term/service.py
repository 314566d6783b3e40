"""Long-term memory as callers see it: every method takes a scope and has an awaitable twin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from langchain_agentmem._flow import arun, run
from langchain_agentmem.ledger.base import OrderBy
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.ledger.verification import Anchor, Verification
from langchain_agentmem.long_term.checked import candidate_from, query_from
from langchain_agentmem.long_term.flows import LongTermFlows
from langchain_agentmem.long_term.index.reindexing import IndexReport, ReindexReport
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.recall.explaining import Explanation
from langchain_agentmem.long_term.recall.listing import ListQuery, list_query
from langchain_agentmem.policies.confidence import Signal
from langchain_agentmem.types import (
    Candidate,
    Decision,
    Kind,
    Kinds,
    Memory,
    MemoryMode,
    Outcome,
    Provenance,
    Recall,
    RecallQuery,
    Receipt,
    Scope,
    Source,
)
from langchain_agentmem.types.paging import DEFAULT_LIMIT, Page


class LongTermMemory:
    """Facts, preferences, outcomes, constraints and goals of each user, for years.

    Made by `AgentMemory`, which chooses the parts. Each call is one user's; nothing of another user is returned,
    counted or changed, and nothing of another user moves a score. A write is one transaction: acknowledged, it is kept.

    Raises (every method): `ScopeError` for anything but a `Scope`, `StorageError` when the database fails.
    """

    def __init__(self, parts: Parts, searching: Searching, models: SQLModels) -> None:
        """Compose."""
        self._flows = LongTermFlows(parts, searching, models)

    def now(self) -> datetime:
        """Return the time by this memory's clock: when something was said that is told now."""
        return self._flows.now()

    def shown(self, memory: Memory) -> Memory:
        """Return a memory as a recall or a listing shows it: sensitive data as the policy for what is `shown` says."""
        return self._flows.shown(memory)

    # ------------------------------------------------------------------------------------------------------- remember
    def remember(
        self,
        content: str | Candidate,
        *,
        scope: Scope,
        kind: Kind | None = None,
        source: Source | None = None,
        confidence: float | None = None,
        mode: MemoryMode | None = None,
    ) -> Decision:
        """Keep a statement, unless a rule of the write policy objects.

        Held against what is known already: the same statement is confirmed, one that contradicts it supersedes it (or
        waits, where it is less trusted), a near one is linked. All of it is one transaction and one event or more.

        Args:
            content: The statement, in words that stand alone; or a `Candidate` for more fields, which then says kind,
                source and confidence, too.
            scope: Whose memory it is.
            kind: See `Kind`; `None`: `fact`.
            source: `explicit` where the user said so, `inferred` where something concluded it; `None`: `explicit`.
            confidence: In [0, 1]; below 0.7 it is refused by default. `None`: 0.9.
            mode: Stricter than the memory's own mode for this call: `frozen` or `off` refuse.

        Returns:
            What was decided, by which rule, and the memory.

        Raises:
            ConfigurationError: A field is outside its range, or given beside a `Candidate`, or the embedding model is
                not the database's.
            NotFoundError: The candidate supersedes an id that does not exist.
        """
        return run(self._flows.remember(candidate_from(content, kind, source, confidence), scope, mode))

    async def aremember(
        self,
        content: str | Candidate,
        *,
        scope: Scope,
        kind: Kind | None = None,
        source: Source | None = None,
        confidence: float | None = None,
        mode: MemoryMode | None = None,
    ) -> Decision:
        """Keep a statement; see `remember`."""
        return await arun(self._flows.remember(candidate_from(content, kind, source, confidence), scope, mode))

    # --------------------------------------------------------------------------------------------------------- recall
    def recall(
        self,
        query: str | RecallQuery,
        *,
        scope: Scope,
        limit: int | None = None,
        kinds: Kinds | None = None,
        mode: MemoryMode | None = None,
    ) -> Recall:
        """Find what is relevant. Nothing relevant is a normal answer.

        An index proposes, the ledger's rules dispose (status, validity, purpose, confidence, consent), relevance ranks,
        and a receipt says why. Constraints come complete beside the hits.

        Args:
            query: A question, or a `RecallQuery` for more conditions, which then says limit and kinds, too.
            scope: Whose memory to search.
            limit: Hits at most; `None`: 5.
            kinds: Kinds to draw from, one alone or several; `None`: all.
            mode: `off` recalls nothing.

        Raises:
            ConfigurationError: A condition is outside its range, or given beside a `RecallQuery`, or the embedding
                model is not the database's.
        """
        return run(self._flows.recall(query_from(query, limit, kinds), scope, mode))

    async def arecall(
        self,
        query: str | RecallQuery,
        *,
        scope: Scope,
        limit: int | None = None,
        kinds: Kinds | None = None,
        mode: MemoryMode | None = None,
    ) -> Recall:
        """Find what is relevant; see `recall`."""
        return await arun(self._flows.recall(query_from(query, limit, kinds), scope, mode))

    # ------------------------------------------------------------------------------------------------------ change
    def revise(self, memory_id: str, *, scope: Scope, reason: str = "revised", **changes: Any) -> Decision:
        """Change fields of a memory (`content`, `kind`, `confidence`, `tags`, `valid_at`, …), keeping its history.

        New content passes the write policy like a new memory, and sets confidence to 0.95 unless that is given. `trust`
        can be lowered, not raised: it is that of the source.

        Raises:
            NotFoundError: The id does not exist in this scope.
            ConfigurationError: A field cannot be changed, or its value is outside its range or what it may become.
        """
        return run(self._flows.revise(memory_id, scope, reason, changes))

    async def arevise(self, memory_id: str, *, scope: Scope, reason: str = "revised", **changes: Any) -> Decision:
        """Change fields of a memory; see `revise`."""
        return await arun(self._flows.revise(memory_id, scope, reason, changes))

    def correct(
        self,
        memory_id: str,
        content: str,
        *,
        scope: Scope,
        provenance: Provenance | None = None,
        reason: str = "user corrected",
    ) -> Decision:
        """Put the user's own words in the place of a memory, which is superseded; `why` explains either.

        The new memory has source `explicit`, confidence 0.95, and the tags, purposes and pin of the old one. It passes
        the write policy like any other. In the place of one that waits, it ends what that contradicts as well.

        Args:
            memory_id: What the user corrects.
            content: What they say instead, in words that stand alone.
            scope: Whose memory it is.
            provenance: Which message said so, and its words; none: the user, somewhere.
            reason: For `why` of what is corrected, with which it is erased.

        Raises:
            NotFoundError: The id does not exist in this scope.
            ConfigurationError: The memory is not in force, or neither the user nor the application speaks.
        """
        return run(self._flows.correct(memory_id, content, scope, provenance, reason))

    async def acorrect(
        self,
        memory_id: str,
        content: str,
        *,
        scope: Scope,
        provenance: Provenance | None = None,
        reason: str = "user corrected",
    ) -> Decision:
        """Put the user's own words in the place of a memory; see `correct`."""
        return await arun(self._flows.correct(memory_id, content, scope, provenance, reason))

    def merge(self, memory_ids: Sequence[str], content: str, *, scope: Scope, reason: str = "merged") -> Decision:
        """Replace several memories by one. It is trusted as little as the least trusted of them.

        Raises:
            NotFoundError: An id does not exist in this scope.
            ConfigurationError: Fewer than two ids, memories that are over, or such as are kept for purposes that have
                nothing in common or on different legal bases, end at different times, have expired, or begin later
                than others hold.
            ConflictError: One of them was changed while it was merged; read it and decide again.
        """
        return run(self._flows.merge(memory_ids, content, scope, reason))

    async def amerge(
        self, memory_ids: Sequence[str], content: str, *, scope: Scope, reason: str = "merged"
    ) -> Decision:
        """Replace several memories by one; see `merge`."""
        return await arun(self._flows.merge(memory_ids, content, scope, reason))

    def feedback(self, memory_id: str, signal: Signal, *, scope: Scope, reason: str = "feedback") -> Memory:
        """Move a memory's confidence by what became of its use; below 0.3 it is forgotten.

        `succeeded` and `failed` tell of an action that it guided, `confirmed` and `contradicted` of its words.
        `corrected` is of the words that the user corrected an older memory to; `correct` replaces those that are wrong.

        Raises:
            NotFoundError: The id does not exist in this scope.
            GovernanceError: Memory is frozen or off.
            ConfigurationError: The signal is unknown.
        """
        return run(self._flows.feedback(memory_id, signal, scope, reason))

    async def afeedback(self, memory_id: str, signal: Signal, *, scope: Scope, reason: str = "feedback") -> Memory:
        """Move a memory's confidence; see `feedback`."""
        return await arun(self._flows.feedback(memory_id, signal, scope, reason))

    def learn(self, outcome: Outcome, *, scope: Scope, mode: MemoryMode | None = None) -> Sequence[Decision]:
        """Remember how an action ended, and let the memories that guided it follow.

        Returns:
            The decision on the outcome, then one for each memory whose confidence moved.
        """
        return run(self._flows.learn(outcome, scope, mode))

    async def alearn(self, outcome: Outcome, *, scope: Scope, mode: MemoryMode | None = None) -> Sequence[Decision]:
        """Remember how an action ended; see `learn`."""
        return await arun(self._flows.learn(outcome, scope, mode))

    # ------------------------------------------------------------------------------------------------ forget and erase
    def forget(self, memory_id: str, *, scope: Scope, reason: str = "user asked") -> Memory:
        """Stop recalling a memory. Reversible with `restore`; `erase` deletes. A turn of a conversation is erased.

        Raises:
            NotFoundError: The id does not exist in this scope.
        """
        return run(self._flows.forget(memory_id, scope, reason))

    async def aforget(self, memory_id: str, *, scope: Scope, reason: str = "user asked") -> Memory:
        """Stop recalling a memory; see `forget`."""
        return await arun(self._flows.forget(memory_id, scope, reason))

    def restore(self, memory_id: str, *, scope: Scope, reason: str = "restored") -> Memory:
        """Take a forgotten memory back; of one that only ended an instruction, that instruction, which is returned.

        What was said since and contradicts it is judged as if it had been there: it comes back `superseded`, or both
        name each other in `contradicts`.

        Raises:
            NotFoundError: The id does not exist in this scope.
            ConfigurationError: The memory is not forgotten, never was in force, or expired: `revise` its `expires_at`.
        """
        return run(self._flows.restore(memory_id, scope, reason))

    async def arestore(self, memory_id: str, *, scope: Scope, reason: str = "restored") -> Memory:
        """Take a forgotten memory back; see `restore`."""
        return await arun(self._flows.restore(memory_id, scope, reason))

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
        return run(self._flows.erase(memory_id, scope, reason, with_sources=with_sources))

    async def aerase(
        self, memory_id: str, *, scope: Scope, reason: str = "user asked", with_sources: bool = False
    ) -> tuple[str, ...]:
        """Delete a memory for good; see `erase`."""
        return await arun(self._flows.erase(memory_id, scope, reason, with_sources=with_sources))

    # ------------------------------------------------------------------------------------------------------------- read
    def get(self, memory_id: str, *, scope: Scope) -> Memory | None:
        """Return one memory of any status, or `None` where it is unknown here or erased."""
        return run(self._flows.get(memory_id, scope))

    async def aget(self, memory_id: str, *, scope: Scope) -> Memory | None:
        """Return one memory; see `get`."""
        return await arun(self._flows.get(memory_id, scope))

    def list(
        self,
        scope: Scope,
        *,
        kinds: Kinds | None = None,
        tags: Sequence[str] = (),
        order_by: OrderBy = "created_at",
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
    ) -> Page[Memory]:
        """Return active memories without a query, the greatest `order_by` first; a page's `cursor` continues behind it.

        What the user has withdrawn consent to is not listed; `select` shows it.

        Raises:
            ConfigurationError: An unknown kind or order, a limit outside 1…1,000, or a foreign cursor.
        """
        query = list_query(kinds, tags, order_by, limit, cursor)
        return run(self._flows.select(query, scope))

    async def alist(
        self,
        scope: Scope,
        *,
        kinds: Kinds | None = None,
        tags: Sequence[str] = (),
        order_by: OrderBy = "created_at",
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
    ) -> Page[Memory]:
        """Return memories without a query; see `list`."""
        query = list_query(kinds, tags, order_by, limit, cursor)
        return await arun(self._flows.select(query, scope))

    def select(self, query: ListQuery, *, scope: Scope) -> Page[Memory]:
        """Return memories by a whole `ListQuery`: also what is pending, superseded, forgotten, or may not be used."""
        return run(self._flows.select(query, scope))

    async def aselect(self, query: ListQuery, *, scope: Scope) -> Page[Memory]:
        """Return memories by a whole `ListQuery`; see `select`."""
        return await arun(self._flows.select(query, scope))

    def why(self, memory_id: str, *, scope: Scope) -> Explanation:
        """Return all that happened to a memory, with reasons.

        Raises:
            NotFoundError: It never existed in this scope.
        """
        return run(self._flows.why(memory_id, scope))

    async def awhy(self, memory_id: str, *, scope: Scope) -> Explanation:
        """Return all that happened to a memory; see `why`."""
        return await arun(self._flows.why(memory_id, scope))

    def receipt(self, receipt_id: str, *, scope: Scope) -> Receipt:
        """Return the receipt of a recall.

        Raises:
            NotFoundError: There is none of this id in this scope.
        """
        return run(self._flows.receipt(receipt_id, scope))

    async def areceipt(self, receipt_id: str, *, scope: Scope) -> Receipt:
        """Return the receipt of a recall; see `receipt`."""
        return await arun(self._flows.receipt(receipt_id, scope))

    def note_injected(
        self, receipt_id: str, call_id: str, *, scope: Scope, memory_ids: Sequence[str] | None = None
    ) -> Receipt:
        """Note in a receipt into which model call its hits were put; the graph's `reason` does it by itself.

        Args:
            receipt_id: Of the recall.
            call_id: What the call is known by: the id of the answer's message, or of the run. Sensitive data in it is
                masked, as in any text of a receipt.
            scope: Whose.
            memory_ids: Which of them, where not all had room; what the recall did not return is not noted.

        Raises:
            NotFoundError: There is no receipt of this id in this scope.
        """
        return run(self._flows.note_injected(receipt_id, call_id, scope, memory_ids))

    async def anote_injected(
        self, receipt_id: str, call_id: str, *, scope: Scope, memory_ids: Sequence[str] | None = None
    ) -> Receipt:
        """Note in a receipt into which model call its hits were put; see `note_injected`."""
        return await arun(self._flows.note_injected(receipt_id, call_id, scope, memory_ids))

    def note_used(self, receipt_id: str, used: Mapping[str, bool | None], *, scope: Scope) -> Receipt:
        """Note in a receipt which of its memories the answer used; the graph's `evaluate` does it by itself.

        Args:
            receipt_id: Of the recall.
            used: By memory id; `None` where it cannot be told. Of what the recall did not return nothing is noted, and
                what is noted already is replaced.
            scope: Whose.

        Raises:
            NotFoundError: There is no receipt of this id in this scope.
            ConfigurationError: `used` is no mapping of ids to `True`, `False` or `None`.
        """
        return run(self._flows.note_used(receipt_id, used, scope))

    async def anote_used(self, receipt_id: str, used: Mapping[str, bool | None], *, scope: Scope) -> Receipt:
        """Note in a receipt which of its memories the answer used; see `note_used`."""
        return await arun(self._flows.note_used(receipt_id, used, scope))

    def why_not(self, receipt_id: str, memory_id: str, *, scope: Scope) -> str:
        """Return, in a sentence, why a recall did not return a memory, or a turn of a conversation.

        Where it was no candidate, the question is asked again, as far as its words are still there, to say at which
        place it would stand now.

        Raises:
            NotFoundError: The receipt or the memory does not exist in this scope.
        """
        return run(self._flows.why_not(receipt_id, memory_id, scope))

    async def awhy_not(self, receipt_id: str, memory_id: str, *, scope: Scope) -> str:
        """Return why a recall did not return a memory; see `why_not`."""
        return await arun(self._flows.why_not(receipt_id, memory_id, scope))

    # --------------------------------------------------------------------------------------------------------- maintain
    def verify(self, scope: Scope, *, anchor: Anchor | None = None) -> Verification:
        """Check the user's whole log: changed, removed, reordered or truncated events, payloads, and the projection.

        While the user is being erased, what is gone already is no problem: `is_erasing` says so.

        Args:
            scope: Whose log.
            anchor: A head exported earlier (`verify(...).anchor`); with it, rewritten history is found even by a
                caller without the head's key.
        """
        return run(self._flows.verify(scope, anchor))

    async def averify(self, scope: Scope, *, anchor: Anchor | None = None) -> Verification:
        """Check the user's whole log; see `verify`."""
        return await arun(self._flows.verify(scope, anchor))

    def replay(self, scope: Scope) -> int:
        """Rebuild the user's table of memories from the log; return how many rows it has.

        Raises:
            RetentionError: All of the user's is being erased, the table too.
        """
        return run(self._flows.replay(scope))

    async def areplay(self, scope: Scope) -> int:
        """Rebuild the user's table of memories; see `replay`."""
        return await arun(self._flows.replay(scope))

    def reindex(self, *, progress: Callable[[int], None] | None = None) -> ReindexReport:
        """Compute vectors of the embedding model in use for all users, then drop those of the model before.

        What has a vector that cannot be compared, of another size or not of length 1, is embedded anew. Reads go on
        meanwhile. Killed, the next call goes on where it stood.

        Args:
            progress: Called with the number of memories embedded so far.
        """
        return run(self._flows.reindex(progress))

    async def areindex(self, *, progress: Callable[[int], None] | None = None) -> ReindexReport:
        """Compute vectors of the embedding model in use; see `reindex`."""
        return await arun(self._flows.reindex(progress))

    def rebuild_index(self) -> None:
        """Empty an external index and fill it anew from the ledger: it was lost, or restored from an older copy.

        Reads go on meanwhile. An index that is gone is made again, where its class is known.
        """
        run(self._flows.rebuild_index())

    async def arebuild_index(self) -> None:
        """Fill an external index anew; see `rebuild_index`."""
        await arun(self._flows.rebuild_index())

    def repair_index(self, *, dry_run: bool = False) -> IndexReport:
        """Hold what an external index has of every memory against the ledger; bring again what it lost or altered.

        What it still has of memories that are erased is taken out. Reads go on meanwhile. What the index has and the
        ledger never had, as a restored copy may, is not looked for: `rebuild_index` ends it.

        Args:
            dry_run: Count only.

        Raises:
            ConfigurationError: The index waits to be rebuilt, or holds the vectors of another embedding model.
            StorageError: The index is gone or out of reach; see `rebuild_index`.
        """
        return run(self._flows.repair_index(dry_run=dry_run))

    async def arepair_index(self, *, dry_run: bool = False) -> IndexReport:
        """Hold what an external index has of every memory against the ledger; see `repair_index`."""
        return await arun(self._flows.repair_index(dry_run=dry_run))
