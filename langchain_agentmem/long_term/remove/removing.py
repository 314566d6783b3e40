"""Forget, restore and erase: each an event with its reason."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.ledger.base import Draft, LedgerWriter
from langchain_agentmem.ledger.lives import Life, read_life
from langchain_agentmem.ledger.presence import must_have
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.remove.asked import note_request
from langchain_agentmem.long_term.remove.ending import take_out
from langchain_agentmem.long_term.remove.tasks import end_in_tasks, evidence_of, has_tasks
from langchain_agentmem.long_term.write.approval_questions import check_restorable, queue_end_again
from langchain_agentmem.long_term.write.lifting import is_lift, still_ended
from langchain_agentmem.long_term.write.merges import concluded_from, merges_of
from langchain_agentmem.long_term.write.remaining import goals_left_of
from langchain_agentmem.policies.approve import APPROVAL
from langchain_agentmem.policies.forgotten import Asked
from langchain_agentmem.types import Memory, Scope
from langchain_agentmem.types.memories import LIVE_STATUSES

DERIVED: Final = "derived"
"""Rule under which goes, and comes back, what stands on a memory that does."""

MERGED: Final = "what it was merged from was forgotten"
CONCLUDED: Final = "what it was concluded from was forgotten"
RESTORED: Final = "what it rests on was restored"


class Removing:
    """Takes away what is remembered, and gives it back while it can: always possible, in every mode."""

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching

    def forget(self, memory_id: str, scope: Scope, reason: str) -> Flow[Memory]:
        """Archive a memory: not recalled any more, restorable; what states of tasks tell of it is not."""
        yield from has_tasks(self._parts, scope)  # they can be reached
        memory = yield from self._parts.ledger.append(scope, lambda writer: self._asked(writer, memory_id, reason))
        yield from self._searching.follow()
        yield from end_in_tasks(self._parts, scope, evidence_of([memory]))
        return memory

    def restore(self, memory_id: str, scope: Scope, reason: str) -> Flow[Memory]:
        """Take a forgotten memory back."""
        memory = yield from self._parts.ledger.append(scope, lambda writer: self._restore(writer, memory_id, reason))
        yield from self._searching.follow()
        return memory

    def erase(self, memory_id: str, scope: Scope, reason: str) -> Flow[tuple[str, ...]]:
        """Delete a memory and what it was merged from, for good; return the ids."""
        erasing = self._parts.ledger.append(scope, lambda writer: self.erase_in(writer, memory_id, reason))
        return (yield from self.end(scope, erasing))

    def erase_each(self, memory_ids: Sequence[str], scope: Scope, reason: str) -> Flow[tuple[str, ...]]:
        """Delete those of several memories that are there, in one transaction; see `erase`."""

        def erase(writer: LedgerWriter) -> tuple[Memory, ...]:
            each = (self.erase_in(writer, it, reason) for it in memory_ids if writer.memory(it) is not None)
            return tuple(chain.from_iterable(each))

        return (yield from self.end(scope, self._parts.ledger.append(scope, erase)))

    def end(self, scope: Scope, erasing: Flow[tuple[Memory, ...]]) -> Flow[tuple[str, ...]]:
        """Carry out what erases memories, and have nothing left of them elsewhere; return their ids."""
        yield from has_tasks(self._parts, scope)  # they can be reached
        erased = yield from erasing
        ids = tuple(it.id for it in erased)
        yield from self.forget_erased(scope, ids)
        yield from end_in_tasks(self._parts, scope, evidence_of(erased))
        return ids

    def _asked(self, writer: LedgerWriter, memory_id: str, reason: str) -> Memory:
        before = writer.head.seq
        memory = self.archive(writer, memory_id, reason, "asked")
        note_request(writer, [Asked.memory(memory)], reason, before)
        return memory

    # ---------------------------------------------------------------------------------------------- archive, restore
    def archive(self, writer: LedgerWriter, memory_id: str, reason: str, rule: str) -> Memory:
        """Archive a memory, and what stands on it: what it was merged into, and what was concluded from it."""
        memory = must_have(writer, memory_id)
        if memory.status == "archived":
            return memory
        archived = self.archive_one(writer, memory, reason, rule)
        if memory.status == "superseded":
            self._archive_merges(writer, memory)
        for conclusion in concluded_from(writer, memory):
            if conclusion.status in LIVE_STATUSES:
                self.archive_one(writer, conclusion, CONCLUDED, DERIVED, because_of=memory_id)
        return archived

    def archive_one(
        self, writer: LedgerWriter, memory: Memory, reason: str, rule: str, *, because_of: str | None = None
    ) -> Memory:
        """Archive a memory alone."""
        note = {"reason": reason, "was": memory.status, **({"with": because_of} if because_of else {})}
        changes = {"status": "archived", "expired_at": self._parts.clock()}
        return self.change(writer, Draft(type="forgotten", memory_id=memory.id, changes=changes, note=note, rule=rule))

    def change(self, writer: LedgerWriter, draft: Draft) -> Memory:
        """Append what happens to a memory, and bring a fed index along."""
        memory_id = str(draft.memory_id)
        writer.append(draft)
        self._searching.queue(writer, memory_id)
        memory = must_have(writer, memory_id)
        queue_end_again(writer, memory)
        return memory

    def _archive_merges(self, writer: LedgerWriter, source: Memory) -> None:
        """Archive what a memory was merged into, and give the other sources back if it still held."""
        merges = merges_of(writer, source.id)
        is_in_force = bool(merges) and merges[-1][1].status in LIVE_STATUSES
        for source_id, merged in merges if is_in_force else ():
            self.archive_one(writer, merged, MERGED, DERIVED, because_of=source.id)
            for other in writer.memories(it for it in merged.supersedes if it != source_id).values():
                if other.status == "superseded":
                    self._give_back(writer, other, "what it was merged into was forgotten", because_of=source.id)

    def _give_back(self, writer: LedgerWriter, memory: Memory, reason: str, **note: str) -> None:
        changes = {"status": read_life(writer, memory.id).before, "invalid_at": None, "expired_at": None}
        said = {"reason": reason, **({"with": note["because_of"]} if note else {})}
        self.change(writer, Draft(type="restored", memory_id=memory.id, changes=changes, note=said))

    def _restore(self, writer: LedgerWriter, memory_id: str, reason: str) -> Memory:
        memory = must_have(writer, memory_id)
        if memory.status != "archived":
            msg = f"memory {memory_id!r} is {memory.status}, only a forgotten one can be restored"
            raise ConfigurationError(msg)
        life = read_life(writer, memory_id)
        check_restorable(memory_id, life)
        self._check_lasts(memory)
        if is_lift(writer, memory, life):
            return self._take_back(writer, memory, reason)
        for it in goals_left_of(writer, memory):  # as it was, it takes the place of what was left of it
            self.archive_one(writer, it, RESTORED, DERIVED, because_of=memory_id)
        self._restore_one(writer, memory, life, reason)
        for _, merged in merges_of(writer, memory_id):
            self._restore_merge(writer, merged, memory_id)
        for conclusion in concluded_from(writer, memory):
            told = read_life(writer, conclusion.id)
            if conclusion.status == "archived" and told.went_with == memory_id:
                self._restore_one(writer, conclusion, told, RESTORED)
        return must_have(writer, memory_id)

    def _has_expired(self, memory: Memory) -> bool:
        return memory.expires_at is not None and memory.expires_at <= self._parts.clock()

    def _check_lasts(self, memory: Memory) -> None:
        if self._has_expired(memory):
            msg = (
                f"memory {memory.id!r} expired, and nothing would recall it; give it another end first:"
                f" revise({memory.id!r}, expires_at=…), or None for good"
            )
            raise ConfigurationError(msg)

    def _take_back(self, writer: LedgerWriter, lift: Memory, reason: str) -> Memory:
        """Put what a memory lifted in force again; its own words never were."""
        ended = still_ended(writer, lift)
        if not ended:
            msg = f"memory {lift.id!r} only ended an instruction, and none is left to be restored; say it anew"
            raise ConfigurationError(msg)
        for it in ended:
            self._give_back(writer, it, reason)
        return must_have(writer, ended[0].id)

    def _restore_one(self, writer: LedgerWriter, memory: Memory, life: Life, reason: str) -> None:
        was = life.was or ("pending" if memory.held_by == APPROVAL else "active")
        changes = {
            "status": was,
            "expired_at": None if was != "superseded" else memory.expired_at,
            **({} if memory.faded_at is None else {"faded_at": None}),
        }
        self.change(writer, Draft(type="restored", memory_id=memory.id, changes=changes, note={"reason": reason}))

    def _restore_merge(self, writer: LedgerWriter, merged: Memory, source_id: str) -> None:
        """Restore what went because of one source, in the place of the other sources again."""
        life = read_life(writer, merged.id)
        if merged.status != "archived" or life.went_with != source_id or self._has_expired(merged):
            return
        self._restore_one(writer, merged, life, RESTORED)
        for other in writer.memories(merged.supersedes).values():
            if read_life(writer, other.id).back_with != source_id:
                continue  # something happened to it since, which stands
            now = self._parts.clock()
            changes = {"status": "superseded", "invalid_at": now, "expired_at": now}
            note = {"reason": RESTORED, "by": merged.id}
            self.change(writer, Draft(type="superseded", memory_id=other.id, changes=changes, note=note, rule=DERIVED))

    # ---------------------------------------------------------------------------------------------------------- erase
    def expire(self, writer: LedgerWriter, memory_id: str, reason: str, rule: str) -> tuple[str, ...]:
        """Erase what was kept long enough, and what is left of what it was merged from or led to; return the ids.

        What stands in its place stays, and what is pinned: nobody asked that it be unsaid.
        """
        erased: list[str] = []
        waiting = [memory_id]
        while waiting:
            memory = writer.memory(waiting.pop())
            if memory is None or (erased and (memory.status in LIVE_STATUSES or memory.pinned)):
                continue
            waiting += memory.supersedes if read_life(writer, memory.id).was_merged else ()
            waiting += (it.id for it in concluded_from(writer, memory) if it.status == "archived")
            writer.erase(memory.id, {"reason": reason, "rule": rule, "agent_id": memory.scope.agent_id})
            self._searching.queue(writer, memory.id)
            erased.append(memory.id)
        return tuple(erased)

    def forget_erased(self, scope: Scope, erased: Collection[str]) -> Flow[None]:
        """Drop what was erased from what this process holds, and from files that only the database writes."""
        yield from self._searching.drop(scope, tuple(erased))
        self._parts.forget_words()

    def erase_in(self, writer: LedgerWriter, memory_id: str, reason: str) -> tuple[Memory, ...]:
        """Delete a memory in a transaction, and what tells of it; return all of them as they were."""
        erased: list[Memory] = []
        waiting = [memory_id]
        must_have(writer, memory_id)
        merges = merges_of(writer, memory_id)
        for source_id, merged in merges:
            self._part(writer, merged, source_id, reason, is_in_force=merges[-1][1].status == "active")
            erased.append(merged)
        while waiting:
            memory = writer.memory(waiting.pop())
            if memory is None:
                continue
            waiting += memory.supersedes if read_life(writer, memory.id).was_merged else ()
            waiting += (it.id for it in concluded_from(writer, memory))
            self._erase_one(writer, memory, reason)
            erased.append(memory)
        take_out(writer, erased)
        writer.requests.put(writer.head.seq, [*map(Asked.erased, erased)])
        writer.forget_questions()
        self._searching.queue_erased(writer)
        return tuple(erased)

    def _erase_one(self, writer: LedgerWriter, memory: Memory, reason: str) -> None:
        writer.erase(memory.id, {"reason": reason, "agent_id": memory.scope.agent_id})
        self._searching.queue(writer, memory.id)

    def _part(self, writer: LedgerWriter, merged: Memory, source_id: str, reason: str, *, is_in_force: bool) -> None:
        """Erase a merged memory because of one source, and give the other sources back if it still held."""
        self._erase_one(writer, merged, reason)
        for memory_id in merged.supersedes if is_in_force else ():
            other = writer.memory(memory_id)
            if memory_id == source_id or other is None or other.status != "superseded":
                continue
            self._give_back(writer, other, "what it was merged into was erased")
