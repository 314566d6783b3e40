"""Going back: compensating events that make memories what they were, and leave the log as it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import search_text
from langchain_agentmem._vectors import Vector, pack_vector
from langchain_agentmem.english.people.own_words import embedded_text
from langchain_agentmem.errors import ConfigurationError, ConflictError, ConsentError, GovernanceError
from langchain_agentmem.ledger.base import Draft, LedgerReader, LedgerWriter, ModelState
from langchain_agentmem.ledger.lives import Life, read_life
from langchain_agentmem.long_term.embedder import check_model
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.approval_questions import queue_end_again
from langchain_agentmem.policies.reverting import back_to
from langchain_agentmem.policies.sensitive_records import found_in
from langchain_agentmem.timeline.elsewhere import Elsewhere, said_of
from langchain_agentmem.timeline.records import Moment, Reversal, Reverted
from langchain_agentmem.timeline.telling import Telling, before_run, seq_of, told
from langchain_agentmem.types import Event, Memory, Scope

Rule: TypeAlias = Literal["rollback", "undo"]
Planning: TypeAlias = Callable[[LedgerReader], "Plan"]
Vectors: TypeAlias = Mapping[str, Vector]

_OVER: Final = frozenset({"superseded", "archived"})
"""Statuses of a memory that may have been replaced; what is in the archive comes back replaced."""

MEANWHILE: Final = "what is to be taken back was changed meanwhile; look again, and repeat the call"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a reversal is going to do.

    Attributes:
        to: See `Reversal`.
        seq: Where the log stood when it was made.
        texts: What memories say that get another text by it.
        models: Whose vectors the ledger holds.
        elsewhere: Ids of memories that go as what another agent's word stands for.
    """

    to: int
    seq: int
    steps: tuple[Reverted, ...] = ()
    erased: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    texts: tuple[str, ...] = field(default=(), repr=False)
    models: tuple[ModelState, ...] = ()
    elsewhere: frozenset[str] = frozenset()

    def told(self, reason: str, steps: Sequence[Reverted], *, is_dry_run: bool) -> Reversal:
        """Return what was done."""
        return Reversal(
            to=self.to,
            reason=reason,
            reverted=tuple(steps),
            erased=self.erased,
            notes=self.notes,
            is_dry_run=is_dry_run,
        )


class Reverting:
    """Carries a plan out, in one transaction: all of it is done, or nothing."""

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching

    def foresee(self, planning: Planning, scope: Scope, reason: str) -> Flow[Reversal]:
        """Return what would be done; nothing is."""
        plan = yield from self._parts.ledger.read(scope, self._judged(planning))
        return plan.told(reason, plan.steps, is_dry_run=True)

    def revert(self, planning: Planning, scope: Scope, reason: str, rule: Rule) -> Flow[Reversal]:
        """Do it."""
        if self._parts.effective_mode(scope, None) != "on":
            msg = "memory is read-only for this scope; open it with mode='on' to take anything back, or pass dry_run"
            raise GovernanceError(msg, rule="memory_mode")
        planning = self._judged(planning)
        plan = yield from self._parts.ledger.read(scope, planning)
        vectors = yield from self._vectors(plan)

        def write(writer: LedgerWriter) -> Reversal:
            self._check_consent(writer)
            current = plan if writer.head.seq == plan.seq else planning(writer)
            if not self._has_vectors(current, vectors):
                raise ConflictError(MEANWHILE, is_retryable=True)
            note = {"reason": reason, "batch": writer.head.seq + 1}
            noted = ((it, {**note, **_put_away(writer, it, current.elsewhere)}) for it in current.steps)
            steps = [self._step(writer, it, told, rule, vectors) for it, told in noted]
            return current.told(reason, steps, is_dry_run=False)

        done = yield from self._parts.ledger.append(scope, write)
        yield from self._searching.follow()
        return done

    def _judged(self, planning: Planning) -> Planning:
        """Return a plan without the words that the policy for sensitive data takes out of what is written now."""

        def judged(reader: LedgerReader) -> Plan:
            plan = planning(reader)
            kept = tuple(it for it in plan.steps if not self._brings_back(reader, it))
            if len(kept) == len(plan.steps):
                return plan
            left = f"{len(plan.steps) - len(kept)} memories held sensitive data that may not be kept now: they stay"
            return finished(reader, replace(plan, steps=kept, notes=(*plan.notes, f"{left} as they are")))

        return judged

    def _brings_back(self, reader: LedgerReader, step: Reverted) -> bool:
        now = reader.memory(step.memory_id)
        if now is None:
            return False
        policy, then = self._parts.sensitive, replace(now, **{name: it.after for name, it in step.changes.items()})
        found = found_in(policy, then)
        return bool(found) and not found <= found_in(policy, now)

    def _check_consent(self, writer: LedgerWriter) -> None:
        ruling = self._parts.refusal(writer.head.consent)
        if ruling is not None:
            raise ConsentError(ruling.reason, rule=ruling.rule)

    def _vectors(self, plan: Plan) -> Flow[Vectors]:
        """Return vectors of the texts that come back, computed before the transaction."""
        embedder = self._parts.embedder
        if embedder is None or not plan.texts:
            return {}
        check_model(plan.models, embedder.name)
        vectors = yield from embedder.documents(plan.texts)
        return dict(zip(plan.texts, vectors, strict=True))

    def _has_vectors(self, plan: Plan, vectors: Vectors) -> bool:
        return self._parts.embedder is None or set(plan.texts) <= vectors.keys()

    def _step(
        self, writer: LedgerWriter, step: Reverted, note: Mapping[str, Any], rule: Rule, vectors: Vectors
    ) -> Reverted:
        before = writer.memory(step.memory_id)
        changes = {name: it.after for name, it in step.changes.items()}
        told = {
            **note,
            "undoes": list(step.undoes),
            **(_stands_for(writer, step.by, str(note["reason"])) if step.by else {}),
        }
        event = writer.append(Draft(type="reverted", memory_id=step.memory_id, changes=changes, note=told, rule=rule))
        after = writer.memory(step.memory_id)
        if before is not None and after is not None and search_text(before) != search_text(after):
            self._store(writer, after, vectors)
        if after is not None and "status" in changes:
            queue_end_again(writer, after)
        self._searching.queue(writer, step.memory_id)
        return replace(step, event=event.seq)

    def _store(self, writer: LedgerWriter, memory: Memory, vectors: Vectors) -> None:
        embedder, vector = self._parts.embedder, vectors.get(_embedded(memory))
        if embedder is None or vector is None:
            return
        known = embedder.check(writer.models(), vector)
        fresh = ModelState(name=embedder.name, dimension=len(vector), is_current=True)
        writer.put_vector(memory.id, known or fresh, pack_vector(vector))


def _stands_for(reader: LedgerReader, by: str, reason: str) -> dict[str, Any]:
    """Return what is told of what another memory stands for then."""
    return {"reason": f"{reason}; memory {by} stands for it", "by": by, "merged": read_life(reader, by).was_merged}


def _put_away(reader: LedgerReader, step: Reverted, elsewhere: Collection[str]) -> Mapping[str, Any]:
    """Return what is told of what a memory was: as it was told when it was archived before, or what it was in force.

    What is over by a word that stands is over still.
    """
    memory = reader.memory(step.memory_id)
    if memory is None or not step.is_forgotten:
        return {"was": memory.status} if memory is not None and "status" in step.changes else {}
    events, since = reader.events(memory_id=memory.id), min(step.undoes, default=0)
    then = Life.of(it for it in events if it.seq < since)
    if then.status == "archived":
        return {"was": then.was or then.before, "ending": then.ending}
    return {"was": memory.status if memory.id in elsewhere else Life.of(events).before, "ending": None}


def finished(reader: LedgerReader, plan: Plan) -> Plan:
    """Return a plan with what has to be embedded for it, and what goes as what is over."""
    texts: dict[str, None] = {}
    elsewhere, over = Elsewhere(reader), set[str]()
    for step in plan.steps:
        memory = reader.memory(step.memory_id)
        if memory is not None:
            said = {name: it.after for name, it in step.changes.items()}
            told = replace(memory, **said)
            if search_text(told) != search_text(memory):
                texts[_embedded(told)] = None
            if step.is_forgotten and memory.status == "superseded" and elsewhere.has(memory.id):
                over.add(memory.id)
    return replace(plan, texts=tuple(texts), models=tuple(reader.models()), elsewhere=frozenset(over))


def replaced_by(events: Sequence[Event], since: int, before: Memory | None) -> str | None:
    """Return by what a memory was replaced before an event of its life; `None`: by nothing, or by what it is now."""
    by = Life.of(it for it in events if it.seq < since).ended_by if before and before.status in _OVER else None
    return None if by == Life.of(events).ended_by else by


def _embedded(memory: Memory) -> str:
    return embedded_text(memory, memory.scope.user_id)


# ------------------------------------------------------------------------------------------------------------- rollback
@dataclass(frozen=True, slots=True, kw_only=True)
class Rollback:
    """Takes everything back that happened to what a scope sees after a moment, or since a run began to write."""

    to: Moment | str
    scope: Scope
    clock: Callable[[], datetime]

    def __call__(self, reader: LedgerReader) -> Plan:
        """Return the plan."""
        cut = before_run(reader, self.to) if isinstance(self.to, str) else self._cut(reader, self.to)
        telling = Telling(self.scope)
        then: dict[str, Memory] = {}
        unknown: frozenset[str] = frozenset()
        later: dict[str | None, list[Event]] = {}
        for event in told(reader):
            if event.seq == cut + 1:
                then, unknown = telling.memories(), telling.wordless()
            telling.hear(event)
            if event.seq > cut:
                later.setdefault(event.memory_id, []).append(event)
        notes = _notes(later.pop(None, []))
        lives = {id_: events for id_, events in later.items() if id_ is not None and id_ not in unknown}
        erased = tuple(id_ for id_ in later if id_ is not None and telling.is_erased(id_))
        if erased:
            notes = (f"{len(erased)} erased memories stay erased: nothing of them is left to bring back", *notes)
        notes = (*_left([it for id_, it in later.items() if id_ in unknown and telling.memory(id_)]), *notes)
        elsewhere = Elsewhere(reader)
        wanted = [*self._steps(reader, elsewhere, telling, then, lives)]
        barred = [it.memory_id for it in wanted if elsewhere.bars(it)]
        steps = tuple(it for it in wanted if it.memory_id not in barred)
        notes = (*map(said_of, barred), *notes)
        notes = (*notes, *_wished([lives[it.memory_id] for it in steps if "status" in it.changes]))
        return finished(reader, Plan(to=cut, seq=reader.head.seq, steps=steps, erased=erased, notes=notes))

    def _cut(self, reader: LedgerReader, to: Moment) -> int:
        """Return the last event whose effect is to stay; a time to come, back to which nobody can go, is refused."""
        cut, head = seq_of(reader, to, "to"), reader.head.seq
        if isinstance(to, datetime) and cut == head and to > self.clock():
            msg = f"to={to.isoformat()} is yet to come; the log of this user ends at event {head}; `timeline` shows it"
            raise ConfigurationError(msg)
        return cut

    def _steps(
        self,
        reader: LedgerReader,
        elsewhere: Elsewhere,
        telling: Telling,
        then: Mapping[str, Memory],
        later: Mapping[str, list[Event]],
    ) -> Iterator[Reverted]:
        at = self.clock()
        for memory_id, events in later.items():
            now = telling.memory(memory_id)
            before = then.get(memory_id)
            changes = {} if now is None else back_to(now, before, at)
            if now is not None and before is None and changes:
                changes = {**elsewhere.own_times(now), **changes}
            by = replaced_by(reader.events(memory_id=memory_id), events[0].seq, before)
            if changes or by:
                yield Reverted(memory_id=memory_id, changes=changes, undoes=tuple(it.seq for it in events), by=by)


def _wished(lives: Sequence[Sequence[Event]]) -> Iterator[str]:
    """Yield what is said of memories that come back although the user asked to forget them."""
    asked = sum(any(it.type == "forgotten" and it.rule == "asked" for it in events) for events in lives)
    if asked:
        yield f"{asked} memories come back that were forgotten by request since; forget them again, if that was meant"


def _left(lives: Sequence[Sequence[Event]]) -> Iterator[str]:
    """Yield what is said of memories that are there, were there then, and of which no word from then is left."""
    cleaned = sum(any(it.type == "cleaned" for it in events) for events in lives)
    if cleaned:
        yield f"{cleaned} memories were cleaned of sensitive data since, and stay as they are"
    if len(lives) > cleaned:
        yield f"{len(lives) - cleaned} memories were erased and imported again since, and stay as they are"


def _notes(others: Sequence[Event]) -> tuple[str, ...]:
    """Return what is said of events that are about no memory, and stay."""
    notes = []
    ends = ", ".join(str(it.seq) for it in others if it.type == "subject_erased")
    if ends:
        notes.append(f"everything of the user was erased since (event {ends}): nothing from before it can come back")
    consents = ", ".join(str(it.seq) for it in others if it.type.startswith("consent_"))
    if consents:
        notes.append(f"consent was changed since (event {consents}) and stays as it is now; memory.consent changes it")
    asked = ", ".join(str(it.seq) for it in others if it.type == "forget_asked")
    if asked:
        notes.append(f"the user asked to forget something since (event {asked}); the request stands")
    return tuple(notes)
