"""Revise, merge, learn from outcomes, forget, restore and erase: each an event with its reason."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import search_text
from langchain_agentmem._vectors import Vector
from langchain_agentmem.errors import ConfigurationError, ConflictError, ConsentError, GovernanceError, NotFoundError
from langchain_agentmem.ledger.base import Draft, Head, LedgerReader, LedgerWriter, ModelState
from langchain_agentmem.long_term.asked import note_request
from langchain_agentmem.long_term.embedder import check_model
from langchain_agentmem.long_term.ending import take_out
from langchain_agentmem.long_term.finding import FAILED
from langchain_agentmem.long_term.merges import concluded_from, merges_of, status_before, was_merged
from langchain_agentmem.long_term.parts import FORGET_BELOW, Parts
from langchain_agentmem.long_term.searching import Searching
from langchain_agentmem.long_term.similar import forget_statements
from langchain_agentmem.long_term.turns import PREFIX
from langchain_agentmem.long_term.writing import ENOUGH_SIGHTINGS, Then, Writing
from langchain_agentmem.policies.confidence import Signal, after
from langchain_agentmem.policies.consent import judge_consent
from langchain_agentmem.policies.forgotten import Asked
from langchain_agentmem.policies.write import Ruling, WriteContext
from langchain_agentmem.types import Candidate, Decision, Memory, MemoryMode, Outcome, Provenance, Scope

REVISABLE: Final = frozenset(it.name for it in fields(Candidate)) - {"is_correction", "supersedes", "began"}
"""Fields of a memory that `revise` may change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A change on its way into the transaction.

    Attributes:
        at: The revision that the change was made from; `None`: it holds whatever was changed meanwhile.
    """

    memory: Memory
    changes: Mapping[str, Any]
    reason: str
    vector: Vector | None = None
    refusal: Ruling | None = None
    tokens: Mapping[str, str] = field(default_factory=dict)
    at: int | None = None

    @property
    def candidate(self) -> Candidate:
        """The memory as it would be, which checks every value."""
        return _revised(self.memory, self.changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What a turn leaves: statements, how its actions ended, and what the user said of memories that were shown."""

    candidates: Sequence[Candidate] = ()
    outcomes: Sequence[Outcome] = ()
    signals: Sequence[tuple[str, Signal]] = ()


class Changing:
    """Changes what is remembered.

    In mode `frozen` or `off` nothing is revised, merged or learned; forgetting, restoring and erasing are the user's
    rights and always possible.
    """

    def __init__(self, parts: Parts, searching: Searching, writing: Writing) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching
        self._writing = writing

    # --------------------------------------------------------------------------------------------------------- revise
    def revise(
        self, memory_id: str, scope: Scope, reason: str, changes: Mapping[str, Any], at: int | None = None
    ) -> Flow[Decision]:
        """Change fields of a memory; new content passes the same rules as a new memory.

        Raises:
            ConflictError: The memory is at another revision than `at`.
        """
        memory, head, models = yield from self._parts.ledger.read(scope, lambda reader: _known(reader, memory_id))
        revision = self._ruled(
            Revision(memory=memory, changes=_with_meaning(memory, changes), reason=reason, at=at), scope, head
        )
        if revision.refusal is None and search_text(revision.candidate) != search_text(memory):
            revision = replace(revision, vector=(yield from self._vector(search_text(revision.candidate), models)))
        decision = yield from self._parts.ledger.append(scope, lambda writer: self._revise(writer, scope, revision))
        yield from self._searching.follow()
        return decision

    def _ruled(self, revision: Revision, scope: Scope, head: Head) -> Revision:
        """Hold a revision against the policy, and take over what a rule amends."""
        candidate = revision.candidate
        ruling = self._screen(candidate, scope, head)
        amended = ruling.candidate or candidate
        changed = {
            name: getattr(amended, name) for name in REVISABLE if getattr(amended, name) != getattr(candidate, name)
        }
        is_refused = ruling.verdict == "refuse" or (ruling.verdict == "hold" and revision.memory.status != "pending")
        told = {**revision.changes, **changed}
        return replace(revision, changes=told, refusal=ruling if is_refused else None, tokens=ruling.tokens)

    def _revise(self, writer: LedgerWriter, scope: Scope, revision: Revision) -> Decision:
        memory_id = revision.memory.id
        if revision.at not in {None, _must_have(writer, memory_id).revision}:
            msg = f"memory {memory_id!r} was changed meanwhile; read it and decide again"
            raise ConflictError(msg, is_retryable=True)
        refusal = revision.refusal or self._ruled(revision, scope, writer.head).refusal
        if refusal is not None:
            return self._refuse(writer, memory_id, refusal)
        note = {"reason": revision.reason}
        writer.append(Draft(type="revised", memory_id=memory_id, changes=revision.changes, note=note))
        writer.sensitive.put(memory_id, revision.tokens)
        self._writing.store_vector(writer, memory_id, revision.vector)
        return Decision(verdict="written", rule="revised", reason=revision.reason, memory=writer.memory(memory_id))

    # ---------------------------------------------------------------------------------------------------------- merge
    def merge(self, memory_ids: Sequence[str], content: str, scope: Scope, reason: str) -> Flow[Decision]:
        """Replace several memories by one that says what they said together."""
        if len(set(memory_ids)) < 2:  # noqa: PLR2004  (one memory is not a merge)
            msg = f"merge needs at least two different ids, got {list(memory_ids)!r}"
            raise ConfigurationError(msg)
        known = yield from self._parts.ledger.read(scope, lambda reader: _all_known(reader, memory_ids))
        first = known[0]
        candidate = Candidate(
            content=content,
            kind=first.kind,
            source="merged",
            confidence=max(memory.confidence for memory in known),
            importance=max(memory.importance for memory in known),
            trust=min(memory.trust for memory in known),
            tags=tuple(dict.fromkeys(tag for memory in known for tag in memory.tags)),
            purposes=_common_purposes(known),
            legal_basis=first.legal_basis,
            provenance=replace(
                first.provenance,
                message_ids=tuple(dict.fromkeys(id for memory in known for id in memory.provenance.message_ids))[:64],
                evidence=None,
            ),
            supersedes=tuple(memory_ids),
        )
        return (yield from self._writing.replace(candidate, scope, reason))

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
        ruling = judge_consent(writer.head.consent, self._parts.consent_mode)
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
            if not is_on or judge_consent(writer.head.consent, self._parts.consent_mode) is not None:
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
        memory = _must_have(writer, memory_id)
        changes = {"confidence": after(memory.confidence, signal)}
        note = {"signal": signal, "reason": reason}
        writer.append(Draft(type="feedback", memory_id=memory_id, changes=changes, note=note, rule=signal))
        if changes["confidence"] < FORGET_BELOW and not memory.pinned:
            self._forget(writer, memory_id, f"confidence fell below {FORGET_BELOW}", "low_confidence")
        self._searching.queue(writer, memory_id, self._parts.clock)
        return replace(memory, confidence=changes["confidence"])

    # ------------------------------------------------------------------------------------------------ forget and erase
    def forget(self, memory_id: str, scope: Scope, reason: str) -> Flow[Memory]:
        """Archive a memory: not recalled any more, restorable."""
        memory = yield from self._parts.ledger.append(scope, lambda writer: self._asked(writer, memory_id, reason))
        yield from self._searching.follow()
        return memory

    def restore(self, memory_id: str, scope: Scope, reason: str) -> Flow[Memory]:
        """Take a forgotten memory back."""
        memory = yield from self._parts.ledger.append(scope, lambda writer: self._restore(writer, memory_id, reason))
        yield from self._searching.follow()
        return memory

    def erase(self, memory_id: str, scope: Scope, reason: str) -> Flow[tuple[str, ...]]:
        """Delete a memory and what it was merged from, for good; return the ids."""
        erased = yield from self._parts.ledger.append(scope, lambda writer: self._erase(writer, memory_id, reason))
        yield from self._searching.drop(scope, erased)
        forget_statements()
        if self._parts.embedder is not None:
            self._parts.embedder.clear()
        return erased

    def _asked(self, writer: LedgerWriter, memory_id: str, reason: str) -> Memory:
        before = writer.head.seq
        memory = self._forget(writer, memory_id, reason, "asked")
        note_request(writer, Asked.memory(memory), reason, before)
        return memory

    def _forget(self, writer: LedgerWriter, memory_id: str, reason: str, rule: str) -> Memory:
        memory = _must_have(writer, memory_id)
        if memory.status == "archived":
            return memory
        changes = {"status": "archived", "expired_at": self._parts.clock()}
        note = {"reason": reason, "was": memory.status}
        writer.append(Draft(type="forgotten", memory_id=memory_id, changes=changes, note=note, rule=rule))
        self._searching.queue(writer, memory_id, self._parts.clock)
        return _must_have(writer, memory_id)

    def _restore(self, writer: LedgerWriter, memory_id: str, reason: str) -> Memory:
        memory = _must_have(writer, memory_id)
        if memory.status != "archived":
            msg = f"memory {memory_id!r} is {memory.status}, only a forgotten one can be restored"
            raise ConfigurationError(msg)
        notes = [(event.payload or {}).get("note", {}) for event in writer.events(memory_id=memory_id)]
        was = str(next((it["was"] for it in reversed(notes) if "was" in it), "active"))
        changes = {"status": was, "expired_at": None if was != "superseded" else memory.expired_at}
        writer.append(Draft(type="restored", memory_id=memory_id, changes=changes, note={"reason": reason}))
        self._searching.queue(writer, memory_id, self._parts.clock)
        return _must_have(writer, memory_id)

    def _erase(self, writer: LedgerWriter, memory_id: str, reason: str) -> tuple[str, ...]:
        erased: list[Memory] = []
        waiting = [memory_id]
        _must_have(writer, memory_id)
        merges = merges_of(writer, memory_id)
        for source_id, merged in merges:
            self._part(writer, merged, source_id, reason, is_in_force=merges[-1][1].status == "active")
            erased.append(merged)
        while waiting:
            memory = writer.memory(waiting.pop())
            if memory is None:
                continue
            waiting += memory.supersedes if was_merged(writer, memory.id) else ()
            waiting += (it.id for it in concluded_from(writer, memory))
            self._erase_one(writer, memory.id, reason)
            erased.append(memory)
        take_out(writer, erased)
        writer.requests.put(writer.head.seq, [*map(Asked.erased, erased)])
        writer.forget_questions()
        self._searching.queue_erased(writer, self._parts.clock)
        return tuple(memory.id for memory in erased)

    def _erase_one(self, writer: LedgerWriter, memory_id: str, reason: str) -> None:
        writer.erase(memory_id, {"reason": reason})
        self._searching.queue(writer, memory_id, self._parts.clock)

    def _part(self, writer: LedgerWriter, merged: Memory, source_id: str, reason: str, *, is_in_force: bool) -> None:
        """Erase a merged memory because of one source, and give the other sources back if it still held."""
        self._erase_one(writer, merged.id, reason)
        for memory_id in merged.supersedes if is_in_force else ():
            other = writer.memory(memory_id)
            if memory_id == source_id or other is None or other.status != "superseded":
                continue
            changes = {"status": status_before(writer, memory_id), "invalid_at": None, "expired_at": None}
            note = {"reason": "what it was merged into was erased"}
            writer.append(Draft(type="restored", memory_id=memory_id, changes=changes, note=note))
            self._searching.queue(writer, memory_id, self._parts.clock)

    # ---------------------------------------------------------------------------------------------------------- shared
    def _screen(self, candidate: Candidate, scope: Scope, head: Head) -> Ruling:
        context = WriteContext(
            scope=scope,
            now=self._parts.clock(),
            consent=head.consent,
            consent_mode=self._parts.consent_mode,
            mode=self._parts.effective_mode(scope, None),
            sightings=ENOUGH_SIGHTINGS,
        )
        return self._parts.policy.screen(candidate, context)

    def _refuse(self, writer: LedgerWriter, memory_id: str, ruling: Ruling) -> Decision:
        writer.append(Draft(type="refused", note={"revision_of": memory_id}, rule=ruling.rule))
        return Decision(verdict="refused", rule=ruling.rule, reason=ruling.reason)

    def _vector(self, text: str, models: Sequence[ModelState]) -> Flow[Vector | None]:
        embedder = self._parts.embedder
        if embedder is None:
            return None
        check_model(models, embedder.name)
        vectors = yield from embedder.documents([text])
        return vectors[0]


def _known(reader: LedgerReader, memory_id: str) -> tuple[Memory, Head, list[ModelState]]:
    return _must_have(reader, memory_id), reader.head, reader.models()


def _all_known(reader: LedgerReader, memory_ids: Sequence[str]) -> list[Memory]:
    return [_must_have(reader, memory_id) for memory_id in memory_ids]


def _must_have(reader: LedgerReader, memory_id: str) -> Memory:
    memory = reader.memory(memory_id)
    if memory is None and memory_id.startswith(PREFIX):
        msg = f"{memory_id!r} is no memory but a turn of a conversation, if it is there; memory.episodes.forget ends it"
        raise NotFoundError(msg)
    if memory is None:
        msg = f"memory {memory_id!r} does not exist in this scope; list() shows what does"
        raise NotFoundError(msg)
    return memory


def _revised(memory: Memory, changes: Mapping[str, Any]) -> Candidate:
    """Return a memory with changes as a candidate, which checks every value."""
    unknown = sorted(set(changes) - REVISABLE)
    if unknown:
        msg = f"revise cannot change {unknown[0]!r}; it can change {', '.join(sorted(REVISABLE))}"
        raise ConfigurationError(msg)
    if not changes:
        msg = "revise was given nothing to change; pass for example content='…'"
        raise ConfigurationError(msg)
    values = {name: getattr(memory, name) for name in REVISABLE}
    return Candidate(**{**values, **changes})


def _with_meaning(memory: Memory, changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return changes in which new content keeps nothing that was said of the old: its meaning, its evidence, its doubt.

    Who revises says so: unless told otherwise the new words are the application's, and certain as a correction is.
    """
    if changes.get("content", memory.content) == memory.content:
        return changes
    origin = Provenance(message_ids=memory.provenance.message_ids, run_id=memory.provenance.run_id)
    source = "explicit" if memory.source == "inferred" else memory.source
    told = {"subject": None, "relation": None, "object": None, "provenance": origin, "source": source}
    return {**told, "confidence": after(memory.confidence, "corrected"), **changes}


def _common_purposes(memories: Sequence[Memory]) -> tuple[str, ...]:
    """Return the purposes that all memories which name any allow: a merge must not widen them."""
    restricted = [set(memory.purposes) for memory in memories if memory.purposes]
    if not restricted:
        return ()
    common = set.intersection(*restricted)
    if not common:
        msg = "memories kept for different purposes cannot be merged; merge those with a purpose in common"
        raise ConfigurationError(msg)
    return tuple(sorted(common))


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
