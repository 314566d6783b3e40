"""Forget, restore and erase: each an event with its reason."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.ledger.base import Draft, LedgerReader, LedgerWriter
from langchain_agentmem.ledger.lives import Life, read_life
from langchain_agentmem.ledger.presence import must_have
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.remove.asked import note_request
from langchain_agentmem.long_term.remove.ending import take_out
from langchain_agentmem.long_term.remove.tasks import end_in_tasks, evidence_of, has_tasks
from langchain_agentmem.long_term.write.approval_questions import check_restorable, queue_end_again
from langchain_agentmem.long_term.write.goals_left import carried_over, goals_left_of
from langchain_agentmem.long_term.write.lifting import is_lift, still_ended
from langchain_agentmem.long_term.write.merges import concluded_from, left_of, made_of, merges_of
from langchain_agentmem.long_term.write.returning import Met, Rules, meet, risen, went
from langchain_agentmem.long_term.write.taking_back import ended_again, held_before
from langchain_agentmem.policies.approve import APPROVAL
from langchain_agentmem.policies.forgotten import Asked
from langchain_agentmem.policies.terms import said_of_expired
from langchain_agentmem.types import GoalProgress, Memory, Scope
from langchain_agentmem.types.memories import LIVE_STATUSES

DERIVED: Final = "derived"
"""Rule under which goes, and comes back, what stands on a memory that does."""

MERGED: Final = "what it was merged from was forgotten"
CONCLUDED: Final = "what it was concluded from was forgotten"
LEFT: Final = "what it remained of was forgotten"
RESTORED: Final = "what it rests on was restored"


class Removing:
    """Takes away what is remembered, and gives it back while it can: always possible, in every mode."""

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching

    def forget(self, memory_id: str, scope: Scope, reason: str, *, is_taken_back: bool = False) -> Flow[Memory]:
        """Archive a memory: not recalled any more, restorable; what states of tasks tell of it is not.

        Where it is taken back, what it had ended holds again.
        """
        yield from has_tasks(self._parts, scope)  # they can be reached
        memory = yield from self._parts.ledger.append(
            scope, lambda writer: self._asked(writer, memory_id, reason, is_taken_back=is_taken_back)
        )
        yield from self._searching.follow()
        yield from end_in_tasks(self._parts, scope, evidence_of([memory]))
        return memory

    def restore(self, memory_id: str, scope: Scope, reason: str) -> Flow[Memory]:
        """Take a forgotten memory back."""
        yield from self._parts.ledger.read(scope, lambda reader: self._read_ahead(reader, memory_id))
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

    def _asked(
        self, writer: LedgerWriter, memory_id: str, reason: str, *, in_part: bool = False, is_taken_back: bool = False
    ) -> Memory:
        before, held = writer.head.seq, must_have(writer, memory_id).status == "active"
        memory = self.archive(writer, memory_id, reason, "asked", in_part=in_part)
        for draft in held_before(writer, memory, self._parts.clock()) if is_taken_back and held else ():
            self.change(writer, draft)
        note_request(writer, [Asked.memory(memory)], reason, before)
        return memory

    # ---------------------------------------------------------------------------------------------- archive, restore
    def archive(self, writer: LedgerWriter, memory_id: str, reason: str, rule: str, *, in_part: bool = False) -> Memory:
        """Archive a memory, and what stands on it: what it was merged into, was concluded from it, or remained of it.

        Where only a part of it is to be forgotten, what remained of it stays.
        """
        memory = must_have(writer, memory_id)
        if memory.status == "archived":
            return memory
        archived = self.archive_one(writer, memory, reason, rule, {"in_part": True} if in_part else None)
        if memory.status == "superseded":
            self._archive_merges(writer, memory)
            self._archive_rests(writer, memory.id)
        for conclusion in concluded_from(writer, memory):
            if conclusion.status in LIVE_STATUSES:
                self.archive_one(writer, conclusion, CONCLUDED, DERIVED, {"with": memory_id})
        return archived

    def archive_one(
        self, writer: LedgerWriter, memory: Memory, reason: str, rule: str, told: Mapping[str, Any] | None = None
    ) -> Memory:
        """Archive a memory alone; `told`: further for the log."""
        note = {"reason": reason, "was": memory.status, **(told or {})}
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
            self.archive_one(writer, merged, MERGED, DERIVED, {"with": source.id})
            for other in writer.memories(it for it in merged.supersedes if it != source_id).values():
                if other.status == "superseded":
                    self._give_back(writer, other, "what it was merged into was forgotten", because_of=source.id)

    def _archive_rests(self, writer: LedgerWriter, memory_id: str) -> None:
        """Archive what remained of a memory, and what that was merged into."""
        for rest in left_of(writer, memory_id):
            if rest.status != "archived":
                self.archive_one(writer, rest, LEFT, DERIVED, {"with": memory_id})
                self._archive_merges(writer, rest)

    def _give_back(self, writer: LedgerWriter, memory: Memory, reason: str, **note: str) -> None:
        said = {"reason": reason, **({"with": note["because_of"]} if note else {})}
        self._bring_back(writer, memory, read_life(writer, memory.id).again, said)

    def _bring_back(
        self, writer: LedgerWriter, memory: Memory, changes: Mapping[str, Any], note: Mapping[str, str]
    ) -> None:
        """Give a memory back; in force it meets what was said since it went, and both are judged."""
        met, at = self._met(writer, replace(memory, **changes)), self._parts.clock()
        reason = "; ".join(filter(None, [note["reason"], met.why()]))
        told = {**note, "reason": reason, **({} if met.by is None else {"by": met.by.id})}
        changed = {**changes, **met.changes(at)}
        self.change(writer, Draft(type="restored", memory_id=memory.id, changes=changed, note=told))
        for other, change in met.others(at):
            is_over = "status" in change
            rule, does = (DERIVED, "says the same") if other in met.sources else ("conflict", "says otherwise")
            told = {"reason": f"memory {memory.id}, which was restored, {does}", "by": memory.id}
            draft = Draft(type="superseded" if is_over else "contradicted", memory_id=other.id, changes=change)
            self.change(writer, replace(draft, note={**told, "with": note.get("with", memory.id)}, rule=rule))

    def _met(self, reader: LedgerReader, back: Memory) -> Met:
        """Return what a memory meets that comes back, but for what held only as long as it was away."""
        since = went(reader.events(memory_id=back.id)) if back.status == "active" else reader.head.seq
        gave = [it for it in back.supersedes if read_life(reader, it).back_with == back.id]
        others = [it for it in risen(reader, since) if it.id not in gave]
        return meet(reader, Rules.of(self._parts), back, others, self._parts.clock())

    def _read_ahead(self, reader: LedgerReader, memory_id: str) -> None:
        """Read what a memory may meet, and remember what it says: nobody has to wait for that as it comes back."""
        memory = reader.memory(memory_id)
        if memory is not None and memory.status == "archived":
            self._met(reader, replace(memory, status="active"))

    def _restore(self, writer: LedgerWriter, memory_id: str, reason: str) -> Memory:
        memory = must_have(writer, memory_id)
        if memory.status != "archived":
            msg = f"memory {memory_id!r} is {memory.status}, only a forgotten one can be restored"
            raise ConfigurationError(msg)
        life = read_life(writer, memory_id)
        check_restorable(memory_id, life)
        self._check_lasts(memory)
        _check_grounded(writer, memory, life)
        if is_lift(writer, memory, life):
            return self._take_back(writer, memory, reason)
        left = goals_left_of(writer, memory)
        self._restore_one(writer, memory, life, reason, progress=carried_over(writer, memory, left))
        for it in left:  # as it was, it takes the place of what was left of it
            self.archive_one(writer, it, RESTORED, DERIVED, {"with": memory_id})
        for draft in ended_again(writer, memory, self._parts.clock()):
            self.change(writer, draft)
        self._restore_merges(writer, memory_id)
        for it in made_of(writer, memory):
            told = read_life(writer, it.id)
            if it.status == "archived" and told.went_with == memory_id:
                self._restore_one(writer, it, told, RESTORED, because_of=memory_id)
                self._restore_merges(writer, it.id)
        return must_have(writer, memory_id)

    def _has_expired(self, memory: Memory) -> bool:
        return memory.expires_at is not None and memory.expires_at <= self._parts.clock()

    def _check_lasts(self, memory: Memory) -> None:
        if self._has_expired(memory):
            raise ConfigurationError(said_of_expired(memory.id))

    def _take_back(self, writer: LedgerWriter, lift: Memory, reason: str) -> Memory:
        """Put what a memory lifted in force again; its own words never were."""
        ended = still_ended(writer, lift)
        if not ended:
            msg = f"memory {lift.id!r} only ended an instruction, and none is left to be restored; say it anew"
            raise ConfigurationError(msg)
        for it in ended:
            self._give_back(writer, it, reason)
        return must_have(writer, ended[0].id)

    def _restore_one(
        self,
        writer: LedgerWriter,
        memory: Memory,
        life: Life,
        reason: str,
        *,
        because_of: str | None = None,
        progress: GoalProgress | None = None,
    ) -> None:
        """Restore a memory alone, to what it was; what replaced it may be gone, and it stands for itself."""
        was = life.was or ("pending" if memory.held_by == APPROVAL else "active")
        changes = {
            "status": was,
            "expired_at": None if was != "superseded" else memory.expired_at,
            **({} if memory.faded_at is None else {"faded_at": None}),
            **({} if progress in {None, memory.goal} else {"goal": progress}),
        }
        if was == "superseded" and not self._may_stand(writer, memory, life):
            changes |= life.again
        told = {"reason": reason, **({"with": because_of} if because_of else {})}
        self._bring_back(writer, memory, changes, told)

    def _may_stand(self, reader: LedgerReader, source: Memory, life: Life) -> bool:
        """Whether what replaced a memory is there; what it was merged into comes back with it if it went with it."""
        if life.ended_by is None:
            return not life.was_merged_into
        by, told = reader.memory(life.ended_by), read_life(reader, life.ended_by)
        if by is None or not life.was_merged_into:
            return told.status not in {None, "erased"}
        return told.went_with != source.id or not self._has_expired(by)

    def _restore_merges(self, writer: LedgerWriter, memory_id: str) -> None:
        for _, merged in merges_of(writer, memory_id):
            self._restore_merge(writer, merged, memory_id)

    def _restore_merge(self, writer: LedgerWriter, merged: Memory, source_id: str) -> None:
        """Restore what went because of one source, in the place of the other sources again."""
        life = read_life(writer, merged.id)
        if merged.status != "archived" or life.went_with != source_id or self._has_expired(merged):
            return
        self._restore_one(writer, merged, life, RESTORED, because_of=source_id)

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
        while waiting:
            memory = writer.memory(waiting.pop())
            if memory is None:
                continue
            merges = merges_of(writer, memory.id)
            for source_id, merged in merges:
                self._part(writer, merged, source_id, reason, is_in_force=merges[-1][1].status == "active")
                erased.append(merged)
            waiting += memory.supersedes if read_life(writer, memory.id).was_merged else ()
            waiting += (it.id for it in made_of(writer, memory))
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


def _check_grounded(reader: LedgerReader, memory: Memory, life: Life) -> None:
    """Refuse to restore what went because something else was forgotten, and would say it again.

    Raises:
        ConfigurationError: That is forgotten still.
    """
    ground = None if life.went_with is None else reader.memory(life.went_with)
    if ground is not None and ground.status == "archived":
        msg = f"memory {memory.id!r} went because memory {ground.id!r} was forgotten; restore that, and both are back"
        raise ConfigurationError(msg)
