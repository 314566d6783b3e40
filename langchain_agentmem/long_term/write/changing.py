"""Revise, merge and learn from outcomes: each an event with its reason."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import search_text
from langchain_agentmem._vectors import Vector
from langchain_agentmem.errors import ConfigurationError, ConsentError, GovernanceError
from langchain_agentmem.ledger.base import Draft, Head, LedgerReader, LedgerWriter, ModelState
from langchain_agentmem.ledger.presence import must_be_at, must_have
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import FORGET_BELOW, Parts
from langchain_agentmem.long_term.recall.finding import FAILED
from langchain_agentmem.long_term.write.approval_questions import check_decided
from langchain_agentmem.long_term.write.draughts import Demanded, Draughted, Then, refusal_of
from langchain_agentmem.long_term.write.merges import merged_from
from langchain_agentmem.long_term.write.neighbours import without
from langchain_agentmem.long_term.write.remaining import Part, Parted, committed, rests
from langchain_agentmem.long_term.write.removing import Removing
from langchain_agentmem.long_term.write.revising import REVISABLE, candidate_of, revised, with_meaning
from langchain_agentmem.long_term.write.similar import Similar
from langchain_agentmem.long_term.write.superseding import stood_for
from langchain_agentmem.long_term.write.weighing import is_live, joined
from langchain_agentmem.long_term.write.writing import Writing
from langchain_agentmem.policies.approve import APPROVAL, awaits, says_nothing_new
from langchain_agentmem.policies.confidence import Signal, after
from langchain_agentmem.policies.write import Ruling
from langchain_agentmem.types import Candidate, Decision, Memory, MemoryMode, Outcome, Provenance, Scope
from langchain_agentmem.types.memories import LIVE_STATUSES


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A change on its way into the transaction.

    Attributes:
        draughted: What it says anew, or is asked about, as a write of that would be.
        question: A person has to approve it before it takes the place of what stands.
        at: The revision that the change was made from; `None`: it holds whatever was changed meanwhile.
    """

    memory: Memory
    changes: Mapping[str, Any] = field(repr=False)
    reason: str
    draughted: Draughted | None = None
    refusal: Ruling | None = None
    question: Ruling | None = None
    tokens: Mapping[str, str] = field(default_factory=dict, repr=False)
    at: int | None = None

    @property
    def candidate(self) -> Candidate:
        """The memory as it would be, which checks every value."""
        return revised(self.memory, self.changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What a turn leaves: statements, how its actions ended, and what the user said of memories that were shown."""

    candidates: Sequence[Candidate] = ()
    outcomes: Sequence[Outcome] = ()
    signals: Sequence[tuple[str, Signal]] = ()


class Changing(Removing):
    """Changes what is remembered.

    In mode `frozen` or `off` nothing is revised, merged or learned; forgetting, restoring and erasing are the user's
    rights and always possible.
    """

    def __init__(self, parts: Parts, searching: Searching, writing: Writing) -> None:
        """Compose."""
        super().__init__(parts, searching)
        self._writing = writing

    # --------------------------------------------------------------------------------------------------------- forget
    def forget_part(
        self,
        memory_id: str,
        scope: Scope,
        reason: str,
        left: Callable[[Memory], Sequence[Part]],
        *,
        is_taken_back: bool = False,
    ) -> Flow[tuple[Memory, list[Decision]]]:
        """Archive a memory and keep what is left of it by itself, in one transaction, in any mode.

        Of what was over already nothing is left to hold on: who lived in Leeds, and moved, lives there no more. What
        remained of it then stays. What may not be kept any more is refused.
        """
        vectors = self._no_vectors()

        def part(writer: LedgerWriter) -> tuple[Memory, list[Decision]]:
            said = left(must_have(writer, memory_id))
            parted, told = self._parted(writer, memory_id, said), self._as_told(writer, memory_id, scope, vectors)
            archived = self._asked(writer, memory_id, reason, in_part=bool(said), is_taken_back=is_taken_back)
            return archived, self._writing.keep_rests(writer, told, parted)

        parted = yield from committed(self._parts, scope, part)
        yield from self._searching.follow()
        return parted

    def erase_part(
        self, memory_id: str, scope: Scope, reason: str, left: Callable[[Memory], Sequence[Part]]
    ) -> Flow[tuple[str, ...]]:
        """Delete a memory for good, and keep what is left of it as `forget_part` does; return the ids of the erased."""
        vectors = self._no_vectors()

        def part(writer: LedgerWriter) -> tuple[Memory, ...]:
            said = left(must_have(writer, memory_id))
            parted, told = self._parted(writer, memory_id, said), self._as_told(writer, memory_id, scope, vectors)
            kept = [*rests(writer, told, parted, self._writing.demand)]  # what their tokens stand for ends with it
            erased = self.erase_in(writer, memory_id, reason)
            self._writing.put_rests(writer, (it._replace(similar=Similar()) for it in kept))
            return erased

        ids = yield from self.end(scope, committed(self._parts, scope, part))
        yield from self._searching.follow()
        return ids

    def _no_vectors(self) -> dict[str, Vector] | None:
        return None if self._parts.embedder is None else {}

    def _parted(self, reader: LedgerReader, memory_id: str, said: Sequence[Part]) -> Parted:
        whole = must_have(reader, memory_id)
        holds = is_live(whole, self._parts.clock()) and whole.invalid_at is None
        return Parted((whole,), {memory_id: said if holds else ()})

    def _as_told(
        self, writer: LedgerWriter, memory_id: str, scope: Scope, vectors: dict[str, Vector] | None
    ) -> Draughted:
        whole = must_have(writer, memory_id)
        return Draughted(
            candidate=candidate_of(whole, {}), scope=scope, mode="on", seen=writer.head.seq, vectors=vectors
        )

    # --------------------------------------------------------------------------------------------------------- revise
    def revise(
        self, memory_id: str, scope: Scope, reason: str, changes: Mapping[str, Any], at: int | None = None
    ) -> Flow[Decision]:
        """Change fields of a memory; new content passes the same rules as a new memory.

        Raises:
            ConflictError: The memory is at another revision than `at`.
        """
        memory, head, models = yield from self._parts.ledger.read(scope, lambda reader: _known(reader, memory_id))
        if isinstance(origin := changes.get("provenance"), Provenance):
            changes = {**changes, "provenance": self._parts.trust.classed(origin)}
        revision = self._ruled(
            Revision(memory=memory, changes=with_meaning(memory, changes), reason=reason, at=at), scope, head
        )
        is_new = revision.question is not None or search_text(revision.candidate) != search_text(memory)
        if revision.refusal is None and is_new:
            whose, mode = replace(scope, agent_id=memory.scope.agent_id), self._parts.effective_mode(scope, None)
            draughted = yield from self._writing.draught(revision.candidate, whose, mode, head, models)
            revision = replace(revision, draughted=draughted)
        decision = yield from self._parts.ledger.append(scope, lambda writer: self._revise(writer, scope, revision))
        yield from self._searching.follow()
        return decision

    def _ruled(self, revision: Revision, scope: Scope, head: Head) -> Revision:
        """Hold a revision against the policy, and take over what a rule amends."""
        candidate = revision.candidate
        ruling = self._writing.demand(candidate, scope, self._parts.effective_mode(scope, None), head)
        amended = ruling.candidate or candidate
        changed = {
            name: getattr(amended, name) for name in REVISABLE if getattr(amended, name) != getattr(candidate, name)
        }
        is_held = ruling.verdict == "hold" and revision.memory.status != "pending"
        is_asked = is_held and ruling.rule == APPROVAL and revision.memory.status == "active"
        is_known = is_asked and says_nothing_new(amended, revision.memory)
        return replace(
            revision,
            changes={**revision.changes, **changed},
            refusal=ruling if ruling.verdict == "refuse" or (is_held and not is_asked) else None,
            tokens=ruling.tokens,
            question=ruling if is_asked and not is_known else None,
        )

    def _revise(self, writer: LedgerWriter, scope: Scope, revision: Revision) -> Decision:
        memory_id = revision.memory.id
        if revision.at is not None:
            must_be_at(writer, memory_id, revision.at)
        ruled = self._ruled(revision, scope, writer.head)
        refusal = revision.refusal or ruled.refusal
        if refusal is not None:
            return self._refuse(writer, memory_id, refusal)
        if ruled.question is not None:
            return self._ask(writer, scope, revision, ruled.question)
        others = self._against(writer, revision)
        against = tuple(it.id for it in others)
        marked = {"contradicts": joined(must_have(writer, memory_id).contradicts, against)} if others else {}
        changes = {**revision.changes, **marked}
        writer.append(Draft(type="revised", memory_id=memory_id, changes=changes, note={"reason": revision.reason}))
        memory = must_have(writer, memory_id)
        if not awaits(memory):
            self._writing.note_contradiction(writer, memory, others)
        writer.sensitive.put(memory_id, revision.tokens)
        vector = None if revision.draughted is None else revision.draughted.vector
        self._writing.store_vector(writer, memory_id, vector)
        return Decision(
            verdict="written", rule="revised", reason=revision.reason, memory=writer.memory(memory_id), linked=against
        )

    def _against(self, writer: LedgerWriter, revision: Revision) -> Sequence[Memory]:
        """Return what contradicts what a memory says anew: it replaces none of that."""
        if revision.draughted is None or revision.memory.status not in LIVE_STATUSES:
            return ()
        similar = without(self._writing.neighbours.of(writer, revision.draughted), {revision.memory.id})
        return (*similar.conflicts, *similar.disputed)

    def _ask(self, writer: LedgerWriter, scope: Scope, revision: Revision, question: Ruling) -> Decision:
        """Let the changed memory wait beside the one in force, which it replaces once it is approved."""
        old, mode = revision.memory, self._parts.effective_mode(scope, None)
        plain = Draughted(candidate=revision.candidate, scope=scope, mode=mode, seen=writer.head.seq)
        draughted = replace(
            revision.draughted or plain,
            candidate=replace(revision.candidate, supersedes=(old.id,)),
            scope=replace(scope, agent_id=old.scope.agent_id),
            proposer=scope,
        )
        others = self._against(writer, revision)
        return self._writing.insert(writer, draughted, Similar(disputed=others, related=others), question)

    # ---------------------------------------------------------------------------------------------------------- merge
    def merge(self, memory_ids: Sequence[str], content: str, scope: Scope, reason: str) -> Flow[Decision]:
        """Replace several memories by one that says what they said together.

        Raises:
            ConflictError: Something happened to one of them between the reading and the writing.
        """
        if len(set(memory_ids)) < 2:  # noqa: PLR2004  (one memory is not a merge)
            msg = f"merge needs at least two different ids, got {list(memory_ids)!r}"
            raise ConfigurationError(msg)
        known = yield from self._parts.ledger.read(scope, lambda reader: _all_known(reader, memory_ids))
        check_decided(known)
        _check_live(known)
        candidate = merged_from(known, content, self._parts.clock())
        demanded = Demanded(candidate, ends=stood_for, made_of=known)
        return (yield from self._writing.replace(demanded, scope, reason))

    # ---------------------------------------------------------------------------------------------- feedback, outcomes
    def feedback(self, memory_id: str, signal: Signal, scope: Scope, reason: str) -> Flow[Memory]:
        """Move a memory's confidence; below 0.3 it is forgotten."""
        if self._parts.effective_mode(scope, None) != "on":
            msg = "memory is read-only for this scope; open it with mode='on' to change confidence"
            raise GovernanceError(msg, rule="memory_mode")
        memory = yield from self._parts.ledger.append(
            scope, lambda writer: self._asked_feedback(writer, memory_id, signal, reason)
        )
        yield from self._searching.follow()
        return memory

    def _asked_feedback(self, writer: LedgerWriter, memory_id: str, signal: Signal, reason: str) -> Memory:
        memory = must_have(writer, memory_id)
        ruling = self._parts.refusal(writer.head.consent, kind=memory.kind)
        if ruling is not None:
            raise ConsentError(ruling.reason, rule=ruling.rule)
        return self._feedback(writer, memory_id, signal, reason)

    def learn(self, outcome: Outcome, scope: Scope, turn: MemoryMode | None) -> Flow[list[Decision]]:
        """Let the memories that guided an action follow its outcome, and remember the outcome itself."""
        signal: Signal = "succeeded" if outcome.succeeded else "failed"
        decision = yield from self._writing.remember(_of_outcome(outcome), scope, turn)
        if decision.is_refused or not outcome.memory_ids:
            return [decision]
        moved = yield from self._parts.ledger.append(
            scope, lambda writer: self._follow_outcome(writer, outcome, signal)
        )
        yield from self._searching.follow()
        return [decision, *moved]

    def settle(self, left: Left, scope: Scope, turn: MemoryMode | None, then: Then) -> Flow[list[Decision]]:
        """Remember all that a turn leaves, and let the memories it used follow, in one transaction with `then`."""
        told = [*left.candidates, *map(_of_outcome, left.outcomes)]
        is_on = self._parts.effective_mode(scope, turn) == "on"

        def follow(writer: LedgerWriter, decisions: Sequence[Decision]) -> Iterator[Decision]:
            if not is_on or self._parts.refusal(writer.head.consent) is not None:
                return
            for outcome, decision in zip(left.outcomes, decisions[len(left.candidates) :], strict=True):
                if not decision.is_refused:
                    yield from self._follow_outcome(writer, outcome, "succeeded" if outcome.succeeded else "failed")
            yield from self._follow_words(writer, left, {it for done in decisions for it in done.superseded})

        return (yield from self._writing.remember_all(told, scope, turn, then, follow))

    def _follow_words(self, writer: LedgerWriter, left: Left, replaced: Collection[str]) -> Iterator[Decision]:
        """Let memories follow what the user said of them; one that was replaced has had its answer."""
        known = writer.memories([memory_id for memory_id, _ in left.signals])
        for memory_id, signal in left.signals:
            if memory_id in known and memory_id not in replaced:
                reason = f"the user {signal} it"
                memory = self._feedback(writer, memory_id, signal, reason)
                yield Decision(verdict="merged", rule=signal, reason=reason, memory=memory)

    def _follow_outcome(self, writer: LedgerWriter, outcome: Outcome, signal: Signal) -> list[Decision]:
        reason = f"an action that it guided {signal}"
        known = writer.memories(outcome.memory_ids)
        moved = [self._feedback(writer, memory_id, signal, reason) for memory_id in known]
        return [Decision(verdict="merged", rule=f"outcome_{signal}", reason=reason, memory=memory) for memory in moved]

    def _feedback(self, writer: LedgerWriter, memory_id: str, signal: Signal, reason: str) -> Memory:
        memory = must_have(writer, memory_id)
        changes = {"confidence": after(memory.confidence, signal)}
        note = {"signal": signal, "reason": reason}
        writer.append(Draft(type="feedback", memory_id=memory_id, changes=changes, note=note, rule=signal))
        if changes["confidence"] < FORGET_BELOW and not (memory.pinned or writer.head.is_held):
            self.archive(writer, memory_id, f"confidence fell below {FORGET_BELOW}", "low_confidence")
        self._searching.queue(writer, memory_id)
        return replace(memory, confidence=changes["confidence"])

    # ---------------------------------------------------------------------------------------------------------- shared
    def _refuse(self, writer: LedgerWriter, memory_id: str, ruling: Ruling) -> Decision:
        writer.append(Draft(type="refused", note={"revision_of": memory_id}, rule=ruling.rule))
        return refusal_of(ruling)


def _known(reader: LedgerReader, memory_id: str) -> tuple[Memory, Head, list[ModelState]]:
    return must_have(reader, memory_id), reader.head, reader.models()


def _all_known(reader: LedgerReader, memory_ids: Sequence[str]) -> list[Memory]:
    return [must_have(reader, memory_id) for memory_id in memory_ids]


def _check_live(memories: Sequence[Memory]) -> None:
    """Refuse to merge what is over: what stands in its place would say otherwise, or the same once more.

    Raises:
        ConfigurationError: One of them is.
    """
    for it in memories:
        if it.status not in LIVE_STATUSES:
            msg = f"memory {it.id!r} is {it.status}; merge what took its place, or restore it first"
            raise ConfigurationError(msg)


def _of_outcome(outcome: Outcome) -> Candidate:
    ending = "succeeded" if outcome.succeeded else "failed"
    detail = f": {outcome.detail}" if outcome.detail else ""
    return Candidate(
        content=f"{outcome.action} {ending}{detail}",
        kind="outcome",
        source="learned",
        tags=("succeeded" if outcome.succeeded else FAILED,),
        provenance=outcome.provenance,
        began=outcome.began,
    )
