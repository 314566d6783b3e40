"""The flows behind `LongTermMemory`: each is checked first, then done, then told to observers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

from langchain_agentmem._checks import check_choice, check_flag, check_instance
from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.episodes import PREFIX
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.ledger.verification import Anchor, Verification
from langchain_agentmem.long_term.checked import checked_anchor, checked_id, checked_ids, checked_reason, checked_use
from langchain_agentmem.long_term.index.reindexing import IndexReport, Reindexing, ReindexReport
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.recall.asking import Asking
from langchain_agentmem.long_term.recall.explaining import Explaining, Explanation
from langchain_agentmem.long_term.recall.finding import Finding
from langchain_agentmem.long_term.recall.listing import Listing, ListQuery
from langchain_agentmem.long_term.recall.recalling import Recalling
from langchain_agentmem.long_term.remove.ending import Ending
from langchain_agentmem.long_term.write.changing import Changing
from langchain_agentmem.long_term.write.correcting import Correcting
from langchain_agentmem.long_term.write.remaining import Part
from langchain_agentmem.long_term.write.room import is_full
from langchain_agentmem.long_term.write.writing import Writing
from langchain_agentmem.policies.confidence import Signal
from langchain_agentmem.policies.querying import Dialogue
from langchain_agentmem.policies.sensitive_records import shown_memory, shown_result
from langchain_agentmem.policies.support import Support
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
    Receipt,
    Scope,
)
from langchain_agentmem.types.paging import Page
from langchain_agentmem.types.scope import check_scope, known_user


class LongTermFlows:
    """What `LongTermMemory` promises, as flows.

    What a call returns of a memory whose words it did not say is as it may be shown.
    """

    def __init__(self, parts: Parts, searching: Searching, models: SQLModels) -> None:
        """Compose."""
        self._parts = parts
        self._watch = parts.watch
        self._writing = Writing(parts, searching)
        self._recalling = Recalling(parts, searching)
        self._asking = Asking(parts)
        self._changing = Changing(parts, searching, self._writing)
        self._correcting = Correcting(parts, self._writing)
        self._ending = Ending(parts, searching)
        self._listing = Listing(parts)
        self._explaining = Explaining(parts, Finding(parts, searching))
        self._reindexing = Reindexing(parts, searching, models)

    def now(self) -> datetime:
        """Return the time by this memory's clock."""
        return self._parts.clock()

    def shown(self, memory: Memory) -> Memory:
        """Return a memory as a recall or a listing shows it."""
        return shown_memory(self._parts.sensitive, memory)

    def _shown(self, decision: Decision) -> Decision:
        return shown_result(self._parts.sensitive, decision)

    # ---------------------------------------------------------------------------------------------- remember, recall
    def remember(self, candidate: Candidate, scope: Scope, mode: MemoryMode | None = None) -> Flow[Decision]:
        """Keep a candidate, unless a rule of the write policy objects."""
        remembering = self._writing.remember(candidate, check_scope(scope), mode)
        decision = yield from self._watch.write("remember", remembering, scope)
        return decision if _is_said(candidate, decision.memory) else self._shown(decision)

    def is_full(self, scope: Scope) -> Flow[bool]:
        """Whether a conversation has written as many memories as the write policy lets it."""
        return is_full(self._parts, check_scope(scope))

    def recall(
        self,
        query: RecallQuery,
        scope: Scope,
        mode: MemoryMode | None = None,
        *,
        without: frozenset[str] = frozenset(),
    ) -> Flow[Recall]:
        """Find what is relevant.

        Args:
            query: What to look for.
            scope: Whose memory to search.
            mode: `off` recalls nothing.
            without: Ids of turns of conversations that the asker has before them already.
        """
        return self._watch.recall(self._recalling.recall(query, check_scope(scope), mode, without), scope)

    def recall_each(
        self,
        dialogue: Dialogue,
        base: RecallQuery,
        scope: Scope,
        mode: MemoryMode | None = None,
        *,
        without: frozenset[str] = frozenset(),
    ) -> Flow[tuple[Recall, ...]]:
        """Recall for each question of a message, planned apart.

        Args:
            dialogue: What is said, and what was said before.
            base: What every question is asked with; the fields it sets are never planned.
            scope: Whose memory to search.
            mode: `off` recalls nothing.
            without: Ids of turns of conversations that the asker has before them already.
        """
        recalls: list[Recall] = []
        for query in (yield from self._asking.plan(dialogue, base, check_scope(scope), mode)):
            found = yield from self.recall(query, scope, mode, without=without)
            recalls.append(found)
        return tuple(recalls)

    def decline(self, query: RecallQuery, scope: Scope, status: RecallStatus, reason: str) -> Flow[Recall]:
        """Search nothing on purpose, constraints apart, and leave a receipt with the reason."""
        return self._watch.recall(self._recalling.decline(query, check_scope(scope), status, reason), scope)

    # -------------------------------------------------------------------------------------------------------- change
    def revise(self, memory_id: str, scope: Scope, reason: str, changes: dict[str, Any]) -> Flow[Decision]:
        """Change fields of a memory."""
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason))
        decision = yield from self._watch.write("revise", self._changing.revise(*given, changes), scope)
        return decision if "content" in changes else self._shown(decision)

    def merge(self, memory_ids: Sequence[str], content: str, scope: Scope, reason: str) -> Flow[Decision]:
        """Replace several memories by one."""
        merging = self._changing.merge(checked_ids(memory_ids), content, known_user(scope), checked_reason(reason))
        return self._watch.write("merge", merging, scope)

    def feedback(self, memory_id: str, signal: Signal, scope: Scope, reason: str) -> Flow[Memory]:
        """Move a memory's confidence."""
        check_choice("signal", signal, get_args(Signal))
        given = (checked_id(memory_id), signal, known_user(scope), checked_reason(reason))
        moving = self._watch.write("feedback", self._changing.feedback(*given), scope, rule=signal)
        return self.shown((yield from moving))

    def correct(
        self, memory_id: str, content: str, scope: Scope, provenance: Provenance | None, reason: str
    ) -> Flow[Decision]:
        """Put the user's own words in the place of a memory."""
        given = (checked_id(memory_id), content, known_user(scope), provenance, checked_reason(reason))
        return self._watch.write("revise", self._correcting.correct(*given), scope)

    def learn(self, outcome: Outcome, scope: Scope, mode: MemoryMode | None = None) -> Flow[Sequence[Decision]]:
        """Remember how an action ended, and let the memories that guided it follow."""
        check_instance("outcome", outcome, Outcome, "Outcome(action='deploy', succeeded=True)")
        learning = self._changing.learn(outcome, check_scope(scope), mode)
        told, *moved = yield from self._watch.write("learn", learning, scope)
        return [told, *map(self._shown, moved)]

    # ---------------------------------------------------------------------------------------------- forget and erase
    def forget(self, memory_id: str, scope: Scope, reason: str, *, is_taken_back: bool = False) -> Flow[Memory]:
        """Stop recalling a memory; a turn is erased. What one that is taken back had ended holds again."""
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason))
        forgetting = self._forget_any(*given, is_taken_back=is_taken_back)
        return self.shown((yield from self._watch.write("forget", forgetting, scope)))

    def forget_part(
        self,
        memory_id: str,
        scope: Scope,
        reason: str,
        left: Callable[[Memory], Sequence[Part]],
        *,
        is_taken_back: bool = False,
    ) -> Flow[tuple[Memory, list[Decision]]]:
        """Forget a memory, and keep what is left of it, in words, as memories of their own; see `forget`."""
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason), left)
        forgetting = self._changing.forget_part(*given, is_taken_back=is_taken_back)
        memory, kept = yield from self._watch.write("forget", forgetting, scope, about=memory_id)
        return self.shown(memory), list(map(self._shown, kept))

    def restore(self, memory_id: str, scope: Scope, reason: str) -> Flow[Memory]:
        """Take a forgotten memory back."""
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason))
        restoring = self._watch.write("restore", self._changing.restore(*given), scope)
        return self.shown((yield from restoring))

    def erase(self, memory_id: str, scope: Scope, reason: str, *, with_sources: bool) -> Flow[tuple[str, ...]]:
        """Delete a memory or turn for good."""
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason))
        erasing = self._erase_any(*given, with_sources=check_flag("with_sources", with_sources))
        return self._watch.write("erase", erasing, scope, about=memory_id)

    def erase_part(
        self, memory_id: str, scope: Scope, reason: str, left: Callable[[Memory], Sequence[Part]], *, with_sources: bool
    ) -> Flow[tuple[str, ...]]:
        """Delete a memory or turn for good, and keep what is left of a memory as one of its own."""
        given = (checked_id(memory_id), known_user(scope), checked_reason(reason))
        erasing = self._erase_any(*given, with_sources=with_sources, left=left)
        return self._watch.write("erase", erasing, scope, about=memory_id)

    # ---------------------------------------------------------------------------------------------------------- read
    def get(self, memory_id: str, scope: Scope) -> Flow[Memory | None]:
        """Return one memory of any status, or `None` where it is unknown here or erased."""
        return self._listing.get(checked_id(memory_id), known_user(scope))

    def allowed(self, memory_id: str, scope: Scope) -> Flow[Memory | None]:
        """Return one memory as `get` does; none that may not be used for this purpose."""
        return self._listing.allowed(checked_id(memory_id), known_user(scope))

    def get_each(
        self, memory_ids: Sequence[str], scope: Scope, about: str = "", *, admitted: RecallQuery | None = None
    ) -> Flow[dict[str, Memory]]:
        """Return those of several memories that are known here, by id.

        Args:
            memory_ids: In whatever order.
            scope: Whose they are.
            about: What was asked: of a long turn, the passages that say it are shown, as a recall shows them.
            admitted: Only what a recall with these conditions may use now.
        """
        ids = [checked_id(it) for it in dict.fromkeys(memory_ids)]
        return self._listing.get_each(ids, known_user(scope), about, admitted)

    def select(self, query: ListQuery, scope: Scope) -> Flow[Page[Memory]]:
        """Return memories by a whole `ListQuery`."""
        return self._listing.list(check_instance("query", query, ListQuery), known_user(scope))

    def why(self, memory_id: str, scope: Scope) -> Flow[Explanation]:
        """Return all that happened to a memory, with reasons."""
        return self._explaining.why(checked_id(memory_id), known_user(scope))

    def receipt(self, receipt_id: str, scope: Scope) -> Flow[Receipt]:
        """Return the receipt of a recall."""
        return self._explaining.receipt(checked_id(receipt_id, "receipt_id"), known_user(scope))

    def note_injected(
        self, receipt_id: str, call_id: str, scope: Scope, memory_ids: Sequence[str] | None
    ) -> Flow[Receipt]:
        """Note in a receipt into which model call its hits were put."""
        return self._explaining.note_injected(receipt_id, call_id, scope, memory_ids)

    def injected(
        self,
        receipt_id: str,
        into: Sequence[str],
        scope: Scope,
        shown: Mapping[str, Sequence[str]] | None = None,
    ) -> Flow[Receipt]:
        """Note in a receipt into which turns its hits were put, and which of them each model call was shown."""
        return self._explaining.injected(receipt_id, into, known_user(scope), shown or {})

    def note_used(
        self, receipt_id: str, used: Mapping[str, bool | None], scope: Scope, support: Support | None = None
    ) -> Flow[Receipt]:
        """Note what an answer used, and whether it was supported."""
        receipt_id, used = checked_id(receipt_id, "receipt_id"), checked_use(used)
        return self._explaining.note_used(receipt_id, used, known_user(scope), support or Support())

    def why_not(self, receipt_id: str, memory_id: str, scope: Scope) -> Flow[str]:
        """Return, in a sentence, why a recall did not return a memory, or a turn of a conversation."""
        given = (checked_id(receipt_id, "receipt_id"), checked_id(memory_id))
        return self._explaining.why_not(*given, known_user(scope))

    # ------------------------------------------------------------------------------------------------------ maintain
    def verify(self, scope: Scope, anchor: Anchor | None) -> Flow[Verification]:
        """Check the user's whole log."""
        return self._parts.ledger.verify(known_user(scope), checked_anchor(anchor))

    def replay(self, scope: Scope) -> Flow[int]:
        """Rebuild the user's table of memories from the log; return how many rows it has."""
        return self._parts.ledger.replay(known_user(scope))

    def reindex(self, progress: Callable[[int], None] | None) -> Flow[ReindexReport]:
        """Compute vectors of the embedding model in use for all users, then drop those of the model before."""
        return self._reindexing.reindex(progress)

    def rebuild_index(self) -> Flow[None]:
        """Empty an external index and fill it anew from the ledger."""
        return self._reindexing.rebuild()

    def repair_index(self, *, dry_run: bool) -> Flow[IndexReport]:
        """Hold what an external index has of every memory against the ledger; bring again what it lost or altered."""
        return self._reindexing.repair(dry_run=check_flag("dry_run", dry_run))

    def _forget_any(self, memory_id: str, scope: Scope, reason: str, *, is_taken_back: bool) -> Flow[Memory]:
        turn = (yield from self._ending.forget_one(memory_id, scope, reason)) if memory_id.startswith(PREFIX) else None
        return turn or (yield from self._changing.forget(memory_id, scope, reason, is_taken_back=is_taken_back))

    def _erase_any(
        self,
        memory_id: str,
        scope: Scope,
        reason: str,
        *,
        with_sources: bool,
        left: Callable[[Memory], Sequence[Part]] = lambda _: (),
    ) -> Flow[tuple[str, ...]]:
        if with_sources:
            yield from self._ending.forget_sources(memory_id, scope, reason)
        if memory_id.startswith(PREFIX) and (yield from self._ending.forget([memory_id], scope, reason)):
            return (memory_id,)
        return (yield from self._changing.erase_part(memory_id, scope, reason, left))


def _is_said(candidate: Candidate, memory: Memory | None) -> bool:
    """Whether a memory tells nothing that a candidate did not."""
    evidence = candidate.provenance.evidence
    return memory is not None and (memory.content, memory.provenance.evidence) == (candidate.content, evidence)
