"""Remember: from a candidate to a decision, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from langchain_agentmem._flow import Flow
from langchain_agentmem._vectors import Vector, pack_vector
from langchain_agentmem.english.people.own_words import embedded_text
from langchain_agentmem.ledger.base import Draft, Head, LedgerWriter, ModelState, state_of
from langchain_agentmem.ledger.codec import fields_of
from langchain_agentmem.ledger.presence import must_be_at, must_have
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.remove.asked import forgotten_meanwhile
from langchain_agentmem.long_term.write.approval_questions import ask
from langchain_agentmem.long_term.write.completing import as_meant, cannot_stand
from langchain_agentmem.long_term.write.contradicting import with_rivals
from langchain_agentmem.long_term.write.draughts import (
    Demanded,
    Draughted,
    Follow,
    Then,
    begun_as,
    check_exist,
    note_of,
    refusal_of,
    refuse,
)
from langchain_agentmem.long_term.write.lifting import LIFTED, beginning, ends_nothing
from langchain_agentmem.long_term.write.neighbours import Neighbours
from langchain_agentmem.long_term.write.reading_ahead import read_ahead
from langchain_agentmem.long_term.write.remaining import Parted, Rest, Taken, committed, rests
from langchain_agentmem.long_term.write.room import room_taken
from langchain_agentmem.long_term.write.similar import (
    NOTHING_BESIDE,
    Beside,
    Similar,
    Waiting,
    carried_goal,
)
from langchain_agentmem.long_term.write.superseding import contradicted
from langchain_agentmem.long_term.write.weighing import (
    UNTRUSTED,
    confirmed_by,
    is_growth,
    is_independent,
    joined,
    named_by,
    outranked,
    settle,
    still_live,
    trust_together,
    undecided,
)
from langchain_agentmem.long_term.write.widening import widened
from langchain_agentmem.policies.approve import APPROVAL, awaits
from langchain_agentmem.policies.terms import said_of_untaken, untaken
from langchain_agentmem.policies.write import Ruling, WriteContext
from langchain_agentmem.types import Candidate, Decision, Memory, MemoryMode, Scope, Verdict

ENOUGH_SIGHTINGS = 1_000_000
"""Sightings of what a caller demands: rules that ask for more evidence are content."""


class Writing:
    """The one path by which memories come into the ledger, whatever their source."""

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching
        self.neighbours = Neighbours(parts, searching)

    def remember(
        self, candidate: Candidate, scope: Scope, turn: MemoryMode | None, beside: Beside = NOTHING_BESIDE
    ) -> Flow[Decision]:
        """Decide on a candidate and keep it if nothing objects."""
        mode = self._parts.effective_mode(scope, turn)
        if scope.is_anonymous:
            return refusal_of(self._parts.policy.screen(candidate, self.context(scope, mode, Head())))
        head, models = yield from self._parts.ledger.read_prepared(scope, state_of)
        told = yield from as_meant(self._parts, [candidate], scope)
        if len(told) > 1:
            return (yield from self.remember_all(told, scope, turn, lambda _writer: None))[0]
        candidate = self._parts.trust.settled(told[0])
        ruling = self._parts.policy.screen(candidate, self.context(scope, mode, head))
        if ruling.verdict == "refuse":
            return (yield from self._parts.ledger.append(scope, lambda writer: refuse(writer, candidate, ruling)))
        kept = ruling.candidate or candidate
        draughted = yield from self.draught(kept, scope, mode, head, models)
        draughted = yield from self.judged(replace(draughted, beside=beside, tokens=ruling.tokens))
        decision = yield from committed(self._parts, scope, lambda writer: self._decide(writer, draughted))
        yield from self._searching.follow()
        return decision

    def remember_all(
        self,
        candidates: Sequence[Candidate],
        scope: Scope,
        turn: MemoryMode | None,
        then: Then,
        follow: Follow = lambda _writer, _decisions: (),
    ) -> Flow[list[Decision]]:
        """Do `then`, decide on candidates, each as if those before it were there, and `follow`, in one transaction."""
        mode = self._parts.effective_mode(scope, turn)
        head, models = yield from self._parts.ledger.read_prepared(scope, state_of)
        told = yield from as_meant(self._parts, candidates, scope)
        settled = [self._parts.trust.settled(it) for it in told]
        screened = [(it, self._parts.policy.screen(it, self.context(scope, mode, head))) for it in settled]
        kept = [(ruling.candidate or it, ruling.tokens) for it, ruling in screened if ruling.verdict != "refuse"]
        if self._parts.embedder is not None and kept:  # in one call; each by itself is known then
            yield from self._parts.embedder.documents([embedded_text(it, scope.user_id) for it, _ in kept])
        draughted: list[Draughted] = []
        for candidate, tokens in kept:
            plain = yield from self.draught(candidate, scope, mode, head, models)
            draughted.append((yield from self.judged(replace(plain, tokens=tokens))))

        def decide(writer: LedgerWriter) -> list[Decision]:
            then(writer)
            left = iter(draughted)
            decisions = [
                refuse(writer, it, ruling) if ruling.verdict == "refuse" else self._decide(writer, next(left))
                for it, ruling in screened
            ]
            return [*(asked := decisions[: len(candidates)]), *follow(writer, asked)]

        decisions = yield from committed(self._parts, scope, decide)
        yield from self._searching.follow()
        return decisions

    def replace(self, demanded: Demanded, scope: Scope, reason: str) -> Flow[Decision]:
        """Put a candidate in the place of the memories it supersedes; what else says otherwise stays, and is told."""
        mode = self._parts.effective_mode(scope, None)
        head, models = yield from self._parts.ledger.read_prepared(scope, state_of)
        candidate = self._parts.trust.settled(demanded.candidate)
        ruling = self.demand(candidate, scope, mode, head)
        if ruling.verdict == "refuse":
            return (yield from self._parts.ledger.append(scope, lambda writer: refuse(writer, candidate, ruling)))
        draught = yield from self.draught(ruling.candidate or candidate, scope, mode, head, models)
        draughted = replace(draught, tokens=ruling.tokens, reasons=demanded.why, ends=demanded.ends)
        draughted = replace(draughted, answered=demanded.answered)

        def insert(writer: LedgerWriter) -> Decision:
            for it in demanded.made_of:
                must_be_at(writer, it.id, it.revision)
            return self._insert_demanded(writer, draughted, reason)

        decision = yield from committed(self._parts, scope, insert)
        yield from self._searching.follow()
        return decision

    def demand(self, candidate: Candidate, scope: Scope, mode: MemoryMode, head: Head) -> Ruling:
        """Return what the policy says of what a caller demands."""
        context = replace(self.context(scope, mode, head), sightings=ENOUGH_SIGHTINGS)
        return self._parts.policy.screen(candidate, context)

    def vector(self, candidate: Candidate, scope: Scope, models: Sequence[ModelState]) -> Flow[Vector | None]:
        """Return the vector to keep beside a candidate; `None` where nothing embeds."""
        if self._parts.embedder is None:
            return None
        return (yield from self._parts.embedder.for_write([embedded_text(candidate, scope.user_id)], models))[0]

    def draught(
        self, candidate: Candidate, scope: Scope, mode: MemoryMode, head: Head, models: list[ModelState]
    ) -> Flow[Draughted]:
        """Embed the candidate, find its neighbours and read it, before the transaction."""
        vector = yield from self.vector(candidate, scope, models)
        if vector is not None and self._parts.embedder is not None:
            self._parts.embedder.check(models, vector)
        proposals = yield from self.neighbours.near(candidate, scope, vector)
        told = Draughted(candidate=candidate, scope=scope, mode=mode, seen=head.seq, vector=vector, proposals=proposals)
        read_ahead(candidate)
        return replace(told, vectors=None if vector is None else {})

    def judged(self, draughted: Draughted) -> Flow[Draughted]:
        """Ask the judge, where there is one, what the candidate contradicts; before the transaction."""
        given = (draughted.candidate, draughted.scope, draughted.proposals, draughted.beside)
        return replace(draughted, beside=(yield from with_rivals(self._parts, *given)))

    # ----------------------------------------------------------------------------------------- inside the transaction
    def _insert_demanded(self, writer: LedgerWriter, draughted: Draughted, reason: str) -> Decision:
        """Insert what the caller demands, if it is still allowed: consent may have been withdrawn meanwhile."""
        told = draughted.candidate, draughted.scope
        ruling = forgotten_meanwhile(writer, *told, draughted.seen) or self.demand(*told, draughted.mode, writer.head)
        if ruling.verdict == "refuse":
            return refuse(writer, draughted.candidate, ruling)
        demanded = Ruling(verdict="accept", rule="demanded", reason=reason)
        is_held = ruling.rule in {APPROVAL, UNTRUSTED}
        similar = self.neighbours.of_demanded(writer, draughted)
        return self.insert(writer, draughted, similar, ruling if is_held else demanded)

    def begin(self, writer: LedgerWriter, draughted: Draughted, draft: Draft, taken: Taken) -> Memory:
        """Write that a memory begins, what it ends and contradicts, and what remains of that of which it ends a part.

        Nothing else puts a memory in force.
        """
        for memory_id in taken.ended:
            why = draughted.reasons.get(memory_id, "")
            self.supersede(writer, draughted.ends(writer, memory_id, taken.by, taken.at, why))
        writer.append(draft)
        memory = must_have(writer, taken.by.id)
        if not awaits(memory):
            self.note_contradiction(writer, memory, taken.beside)
        self.keep_rests(writer, draughted, Parted(taken.parted, taken.left, taken.by))
        return memory

    def keep_rests(self, writer: LedgerWriter, draughted: Draughted, parted: Parted) -> list[Decision]:
        """Insert what remains of memories of which a part is over or forgotten, however much was written already."""
        return self.put_rests(writer, rests(writer, draughted, parted, self.demand))

    def put_rests(self, writer: LedgerWriter, kept: Iterable[Rest]) -> list[Decision]:
        """Insert what remains, but for what a rule refuses."""
        return [
            refuse(writer, rest.draughted.candidate, rest.ruling)
            if rest.ruling.verdict == "refuse"
            else self.insert(writer, *rest)
            for rest in kept
        ]

    def _decide(self, writer: LedgerWriter, draughted: Draughted) -> Decision:
        candidate, session = draughted.candidate, draughted.scope.session_id
        half_said = cannot_stand(writer, candidate, self._parts.clock())
        if half_said is not None:
            return refuse(writer, candidate, half_said)
        check_exist(writer, candidate.supersedes)
        candidate = widened(candidate, similar := self.neighbours.of(writer, draughted))
        duplicate = similar.duplicates[0] if similar.duplicates else None
        sightings = duplicate.sightings if duplicate and is_independent(candidate, draughted.scope, duplicate) else 0
        written = room_taken(writer, session, self._parts.policy.max_writes, candidate) if session else 0
        growth = is_growth(candidate, similar, self._parts.settling, writer)
        context = self.context(draughted.scope, draughted.mode, writer.head)
        context = replace(context, writes_in_session=written, sightings=sightings, is_growth=growth)
        ruling = forgotten_meanwhile(writer, candidate, draughted.scope, draughted.seen)
        ruling = ruling or self._parts.policy.decide(candidate, context)
        meets = similar.waiting.other if ruling.rule == APPROVAL else ()
        if ruling.verdict != "refuse" and not (similar.conflicts or meets):
            ruling = ends_nothing(writer, candidate) or ruling
        if ruling.verdict == "refuse":
            return refuse(writer, candidate, ruling)
        ruling = outranked(candidate, candidate.supersedes, writer, ruling)
        ruled = replace(draughted, candidate=ruling.candidate or candidate)
        known = duplicate or next((it for it in similar.waiting.same if ruling.rule == APPROVAL), None)
        if known is not None:
            return self._confirm(writer, ruled, replace(similar, duplicates=[known]), ruling)
        return self.insert(writer, ruled, similar, ruling)

    def _confirm(self, writer: LedgerWriter, draughted: Draughted, similar: Similar, ruling: Ruling) -> Decision:
        """Count another sighting of a memory that is there already; a pending one may become active by it.

        One that waits for approval never comes here but with a candidate that has to wait as well.
        """
        candidate, known = draughted.candidate, similar.duplicates[0]
        waiting = still_live(writer, known) if known.status == "pending" else ()
        ruling = outranked(candidate, waiting, writer, ruling)
        ruling, losers, _ = settle(candidate, similar.conflicts, ruling, self._parts.settling)
        is_accepted = ruling.verdict != "hold"
        changes = confirmed_by(candidate, draughted.scope, known, ruling)
        activates = known.status == "pending" and is_accepted
        replaced = joined(tuple(memory.id for memory in losers), waiting) if activates else ()
        if is_accepted and (activates or known.status == "active"):
            replaced = joined(replaced, named_by(candidate, known, writer))
        now = self._parts.clock()
        taken = Taken(replaced, now, replace(known, valid_at=candidate.valid_at))
        if activates:
            meant = [it for it in writer.memories(waiting).values() if it.id in known.contradicts]
            parted = [*{it.id: it for it in (*losers, *meant)}.values()]
            taken = taken._replace(parted=parted, left=self.neighbours.left_of(candidate, parted))
            ruling, begun = beginning(candidate, losers, ruling, now)
            changes |= begun
            changes |= {"source": candidate.source, "trust": trust_together(candidate, known)}
            changes |= {"held_by": None}
        if activates or replaced:
            changes |= {"supersedes": joined(known.supersedes, replaced)}
            changes |= {"contradicts": tuple(it for it in known.contradicts if it not in replaced)}
        is_asked = ruling.rule == APPROVAL and known.status == "pending" and not awaits(known)
        changes |= {"held_by": APPROVAL} if is_asked else {}
        draft = Draft(type="activated" if activates else "confirmed", memory_id=known.id, changes=changes)
        noted = replace(draft, rule=ruling.rule, note={"reason": ruling.reason})
        memory = self.begin(writer, draughted, noted, taken)
        if is_asked:
            self._ask(writer, known, ruling, draughted.scope)
        self._searching.queue(writer, known.id)
        verdict: Verdict = "written" if activates else "merged" if known.status == "active" else "pending"
        reason = ruling.reason if verdict != "merged" else "the same is known already; it was confirmed"
        reason += said_of_untaken(untaken(candidate, memory))
        rule = ruling.rule if verdict != "merged" else "duplicate"
        return Decision(verdict=verdict, rule=rule, reason=reason, memory=memory, superseded=replaced)

    def insert(self, writer: LedgerWriter, draughted: Draughted, similar: Similar, ruling: Ruling) -> Decision:
        """Insert what was ruled on, in the place of what it contradicts."""
        candidate = draughted.candidate
        ruling, losers, asked = settle(candidate, similar.conflicts, ruling, self._parts.settling)
        is_held = ruling.verdict == "hold"
        replaced = [] if is_held else [*dict.fromkeys([*(memory.id for memory in losers), *candidate.supersedes])]
        linked = [memory.id for memory in (*similar.conflicts, *similar.related) if memory.id not in replaced]
        waits_for = joined(candidate.supersedes, tuple(memory.id for memory in asked))
        meant = waits_for if is_held else replaced  # what waits replaces nothing yet
        ruling, begun = beginning(candidate, losers, ruling, self._parts.clock())
        memory = replace(
            begun_as(draughted, self._parts.new_id(), self._parts.clock()),
            supersedes=tuple(meant),
            links=tuple(linked),
            contradicts=undecided(similar, replaced, is_asked=ruling.rule == APPROVAL),
            goal=carried_goal(candidate, losers),
            held_by=ruling.rule if is_held else None,
            **begun,
        )
        is_new = bool(losers) and ruling is not LIFTED
        note = note_of(memory, ruling, replaces=is_new, left_of=draughted.left_of)
        draft = Draft(type="remembered", memory_id=memory.id, changes=fields_of(memory), note=note, rule=ruling.rule)
        others = (*similar.conflicts, *similar.disputed)
        self.begin(writer, draughted, draft, Taken(replaced, memory.created_at, memory, losers, similar.left, others))
        self.meet_waiting(writer, memory, similar.waiting)
        if awaits(memory):
            self._ask(writer, memory, ruling, draughted.proposer or draughted.scope)
        writer.sensitive.put(memory.id, draughted.tokens)
        self.store_vector(writer, memory.id, draughted.vector)
        return Decision(
            verdict="pending" if is_held else "written",
            rule=ruling.rule,
            reason=ruling.reason,
            memory=writer.memory(memory.id),
            superseded=tuple(replaced),
            linked=tuple(linked),
        )

    def store_vector(self, writer: LedgerWriter, memory_id: str, vector: Vector | None) -> None:
        """Store a vector beside its memory and queue the index's update, in the same transaction."""
        if vector is not None and self._parts.embedder is not None:
            models = writer.models()
            known = self._parts.embedder.check(models, vector)
            fresh = ModelState(name=self._parts.embedder.name, dimension=len(vector), is_current=True)
            writer.put_vector(memory_id, known or fresh, pack_vector(vector))
        self._searching.queue(writer, memory_id)

    def supersede(self, writer: LedgerWriter, drafts: Iterable[Draft]) -> None:
        """Append how a memory ends, and bring a fed index along."""
        for draft in drafts:
            writer.append(draft)
            self._searching.queue(writer, str(draft.memory_id))

    def _ask(self, writer: LedgerWriter, memory: Memory, ruling: Ruling, proposer: Scope) -> None:
        policy = self._parts.approval
        expires_at = None if policy is None else policy.expiry(self._parts.clock())
        ask(writer, memory, ruling.reason, proposer, expires_at)

    def meet_waiting(self, writer: LedgerWriter, memory: Memory, waiting: Waiting) -> None:
        """Tell what waits for approval that something else was said; what is in force now need not be decided."""
        note = {"reason": f"memory {memory.id} says otherwise", "by": memory.id}
        for other in waiting.other:
            changes = {"contradicts": joined(other.contradicts, (memory.id,))}
            writer.append(Draft(type="contradicted", memory_id=other.id, changes=changes, note=note, rule="conflict"))
        for same in waiting.same if memory.status == "active" else ():
            self.supersede(writer, contradicted(writer, same.id, memory, memory.created_at))

    def note_contradiction(self, writer: LedgerWriter, memory: Memory, others: Sequence[Memory]) -> None:
        """Tell those that a memory contradicts and does not replace; what others share learns nothing of an agent's."""
        note = {"reason": f"memory {memory.id} seems to say otherwise; neither replaces the other", "by": memory.id}
        seen = (it for it in others if it.scope.agent_id == memory.scope.agent_id)
        for other in (it for it in seen if it.id in memory.contradicts):
            changes = {"contradicts": joined(other.contradicts, (memory.id,))}
            writer.append(Draft(type="contradicted", memory_id=other.id, changes=changes, note=note, rule="conflict"))
            self._searching.queue(writer, other.id)

    def context(self, scope: Scope, mode: MemoryMode, head: Head) -> WriteContext:
        """Return what the write policy is told beside a candidate."""
        return WriteContext(
            scope=scope,
            now=self._parts.clock(),
            consent=head.consent,
            consent_mode=self._parts.consent_mode,
            mode=mode,
            trust=self._parts.trust,
        )
