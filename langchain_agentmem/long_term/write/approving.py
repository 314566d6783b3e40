"""A person's word on what waits: approved, approved in other words, or rejected, each an event that tells who and why.

All decisions of a call are one transaction. What was decided or erased meanwhile, or says something else by now, stops
all of them; what a rule objects to, or what is too late, is the result of that one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import search_text
from langchain_agentmem._vectors import Vector
from langchain_agentmem.english.people.own_words import embedded_text
from langchain_agentmem.english.text.folding import fold_case
from langchain_agentmem.errors import ConflictError, NotFoundError
from langchain_agentmem.jobs import Handler
from langchain_agentmem.ledger.base import Draft, Head, LedgerReader, LedgerWriter, ModelState
from langchain_agentmem.ledger.sql.jobs import Job
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.recall.listing import ListQuery, meant
from langchain_agentmem.long_term.remove.asked import forgotten_meanwhile
from langchain_agentmem.long_term.write.approval_questions import (
    EXPIRY_JOB,
    Question,
    approval_of,
    question_of,
    to_be_replaced,
)
from langchain_agentmem.long_term.write.draughts import Draughted
from langchain_agentmem.long_term.write.lifting import LIFTED, beginning, ended_by, ends_nothing
from langchain_agentmem.long_term.write.neighbours import without
from langchain_agentmem.long_term.write.remaining import Taken, committed
from langchain_agentmem.long_term.write.revising import REVISABLE, candidate_of, with_meaning
from langchain_agentmem.long_term.write.similar import NONE_WAITING, Waiting
from langchain_agentmem.long_term.write.writing import Writing
from langchain_agentmem.policies.approve import APPROVAL, SELF_APPROVAL, is_decidable
from langchain_agentmem.policies.redact import redact
from langchain_agentmem.policies.write import Ruling, refuse
from langchain_agentmem.types import (
    Approval,
    ApprovalDecision,
    ApprovalOutcome,
    Candidate,
    Memory,
    MemoryMode,
    Scope,
)
from langchain_agentmem.types.paging import Order, Page, Place

_SELF = refuse(SELF_APPROVAL, "The agent that proposed it cannot approve it; a person, or another agent, has to.")
_ACCEPTED = Ruling(verdict="accept", rule=APPROVAL, reason="A person approved it.")
_LATE = "It was not decided in time."

_WAITING: Final = Order("approvals.list", (float, str))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What is decided, by whom, and what the turn allows.

    Attributes:
        draughts: The other words that memories are approved in, by id.
        vectors: Of what remains of memories that one ends a part of, by its words; `None`: nothing is embedded.
        agent_id: In whose scope it is decided.
    """

    decisions: Sequence[ApprovalDecision]
    decided_by: str
    mode: MemoryMode
    draughts: Mapping[str, Draughted]
    vectors: dict[str, Vector] | None
    agent_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One decision in its transaction."""

    decision: ApprovalDecision
    memory: Memory
    question: Question
    ask: Ask

    @property
    def changes(self) -> Mapping[str, Any]:
        """What the decider changes of the memory."""
        content = self.decision.content
        return {} if content is None else with_meaning(self.memory, {"content": content})

    @property
    def candidate(self) -> Candidate:
        """The memory as the decider wants it."""
        return candidate_of(self.memory, self.changes)

    def note(self, reason: str) -> dict[str, Any]:
        """Return what the log keeps: who decided, who had proposed it, and why."""
        given = "" if self.decision.reason is None else f": {redact(self.decision.reason)}"
        who = self.ask.decided_by
        return {"reason": f"{reason} by {who}{given}", "by": who, "proposed_by": self.question.proposed_by.agent_id}

    def outcome(self, verdict: Any, rule: str, reason: str, **more: Any) -> ApprovalOutcome:  # noqa: ANN401  (a verdict)
        """Return what became of it."""
        return ApprovalOutcome(id=self.memory.id, verdict=verdict, rule=rule, reason=reason, **more)


class Meant(NamedTuple):
    """What a memory that is approved takes the place of, and what it stands beside.

    Attributes:
        ended: What it ends. `parted`: those of it of which it may end only a part, and what is `left` of them.
        beside: What it contradicts, ended or not.
    """

    ended: Sequence[Memory]
    parted: Sequence[Memory]
    left: Mapping[str, Sequence[str]]
    beside: Sequence[Memory]
    waiting: Waiting = NONE_WAITING


class Approving:
    """Lists what waits for a person, and writes what they decide."""

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching
        self._writing = Writing(parts, searching)

    @property
    def handlers(self) -> dict[str, Handler]:
        """Return what a process needs to end what was never decided."""
        return {EXPIRY_JOB: self._expire_job}

    def page(self, scope: Scope, limit: int, cursor: str | None) -> Flow[Page[Approval]]:
        """Return what waits for a person and can be decided, the latest first."""
        query = ListQuery(statuses=("pending",), limit=limit)
        start = _WAITING.start(cursor)
        return (yield from self._parts.ledger.read(scope, lambda reader: self._page(reader, query, start)))

    def waiting(self, memory_ids: Sequence[str], scope: Scope) -> Flow[dict[str, Approval]]:
        """Return those of some memories that wait and can be decided, by id."""
        if not memory_ids:
            return {}
        found = yield from self._parts.ledger.read(scope, lambda reader: self._waiting(reader, memory_ids))
        return {it.id: it for it in found}

    def decide(
        self, decisions: Sequence[ApprovalDecision], scope: Scope, decided_by: str, turn: MemoryMode | None
    ) -> Flow[list[ApprovalOutcome]]:
        """Write decisions, all or none of them."""
        mode = self._parts.effective_mode(scope, turn)
        ask = Ask(
            decisions=decisions,
            decided_by=decided_by,
            mode=mode,
            draughts=(yield from self._draughts(decisions, scope, mode)),
            vectors=None if self._parts.embedder is None else {},
            agent_id=scope.agent_id,
        )

        def write(writer: LedgerWriter) -> list[ApprovalOutcome]:
            return [self._settle(writer, self._case(writer, it, ask)) for it in decisions]

        outcomes = yield from committed(self._parts, scope, write)
        yield from self._searching.follow()
        return outcomes

    # ------------------------------------------------------------------------------------------------------------ read
    def _page(self, reader: LedgerReader, query: ListQuery, start: Place | None) -> Page[Approval]:
        questions: dict[str, Question] = {}
        is_usable = self._parts.usable(reader.head.consent)

        def is_open(memory: Memory) -> bool:
            if not is_decidable(memory) or not is_usable(memory):
                return False
            questions[memory.id] = question_of(reader, memory)
            return not questions[memory.id].is_over(self._parts.clock())

        after = None if start is None else (start[0], start[1])
        found = meant(reader, query, self._parts.clock(), is_open, after)
        page = _WAITING.page(found, query.limit, query.place)
        return page.each(lambda it: approval_of(reader, it, questions[it.id]))

    def _waiting(self, reader: LedgerReader, memory_ids: Sequence[str]) -> list[Approval]:
        known = [it for it in reader.memories(memory_ids).values() if is_decidable(it)]
        asked = [(it, question_of(reader, it)) for it in known]
        now = self._parts.clock()
        return [approval_of(reader, it, question) for it, question in asked if not question.is_over(now)]

    def _draughts(
        self, decisions: Sequence[ApprovalDecision], scope: Scope, mode: MemoryMode
    ) -> Flow[dict[str, Draughted]]:
        """Draught the words that memories are approved in, where no rule refuses them, as a write of them would."""
        edited = {it.id: it.content for it in decisions if it.content is not None}
        if not edited:
            return {}

        def read(reader: LedgerReader) -> tuple[dict[str, Memory], Head, list[ModelState]]:
            return reader.memories(edited), reader.head, reader.models()

        known, head, models = yield from self._parts.ledger.read(scope, read)
        each = [(it, candidate_of(it, with_meaning(it, {"content": edited[it.id]}))) for it in known.values()]
        told = [(it, told) for it, told in each if self._writing.demand(told, scope, mode, head).verdict != "refuse"]
        if told and self._parts.embedder is not None:  # in one call; each by itself is known then
            yield from self._parts.embedder.documents([embedded_text(wanted, scope.user_id) for _, wanted in told])
        found: dict[str, Draughted] = {}
        for it, wanted in told:
            draught = yield from self._writing.draught(wanted, it.scope, mode, head, models)
            found[it.id] = yield from self._writing.judged(draught)
        return found

    # ----------------------------------------------------------------------------------------- inside the transaction
    def _case(self, writer: LedgerWriter, decision: ApprovalDecision, ask: Ask) -> _Case:
        """Return what is decided on, if it is still that.

        Raises:
            NotFoundError: It is unknown here, or erased.
            ConflictError: It was decided already, or says something else by now.
        """
        memory = writer.memory(decision.id)
        if memory is None:
            msg = f"approval {decision.id!r} does not exist in this scope, or is erased; `list` shows what does"
            raise NotFoundError(msg)
        if not is_decidable(memory):
            msg = f"memory {memory.id!r} is {memory.status} and waits for nobody; it may have been decided meanwhile"
            raise ConflictError(msg)
        question = question_of(writer, memory)
        if decision.version is not None and decision.version < question.version:
            msg = f"memory {memory.id!r} was changed since it was shown; list() it again and decide on what it says now"
            raise ConflictError(msg)
        return _Case(decision=decision, memory=memory, question=question, ask=ask)

    def _settle(self, writer: LedgerWriter, case: _Case) -> ApprovalOutcome:
        if case.question.is_over(self._parts.clock()):
            self._expire(writer, case.memory)
            return case.outcome("expired", APPROVAL, _LATE)
        if case.decision.verdict == "reject":
            return self._reject(writer, case)
        scope = case.memory.scope
        ruling = _objection_to(case) or self._writing.demand(case.candidate, scope, case.ask.mode, writer.head)
        told = replace(ruling.candidate or case.candidate, began=case.question.seq)
        refusal = ruling if ruling.verdict == "refuse" else forgotten_meanwhile(writer, told, scope)
        if refusal is None:
            draughted = _draughted(case, told, writer.head.seq)
            meant = self._meant(writer, case, draughted)
            refusal = None if meant.ended else ends_nothing(writer, told, case.memory.id)
            if refusal is None:
                return self._approve(writer, case, draughted, meant)
        note = {"approval_of": case.memory.id, "by": case.ask.decided_by}  # it stands on when the memory is erased
        writer.append(Draft(type="refused", note=note, rule=refusal.rule))
        return case.outcome("refused", refusal.rule, refusal.reason, memory=case.memory)

    def _meant(self, writer: LedgerWriter, case: _Case, draughted: Draughted) -> Meant:
        """Return what ends once it is approved: what it is to replace, and what it contradicts in those words."""
        memory, told = case.memory, draughted.candidate
        shown = to_be_replaced(writer, memory)
        if case.decision.content is None:
            parted = [it for it in shown if it.id in memory.contradicts]
            still = tuple(it for it in writer.memories(memory.contradicts).values() if it.status == "active")
            return Meant(ended_by(told, shown), parted, self._writing.neighbours.left_of(told, parted), still)
        similar = without(self._writing.neighbours.of(writer, draughted), {memory.id})
        named = [it for it in shown if it.id not in memory.contradicts]
        against = [it for it in similar.conflicts if it.status == "active"]
        same = [it for it in similar.duplicates if it.status == "active"]
        ended = ended_by(told, [*{it.id: it for it in (*named, *against, *same)}.values()])
        others = (*similar.conflicts, *similar.disputed)
        return Meant(ended, against, similar.left, others, similar.waiting)

    def _reject(self, writer: LedgerWriter, case: _Case) -> ApprovalOutcome:
        self._end(writer, Draft(type="rejected", memory_id=case.memory.id, note=case.note("rejected"), rule=APPROVAL))
        reason = f"Rejected by {case.ask.decided_by}."
        return case.outcome("rejected", APPROVAL, reason, memory=writer.memory(case.memory.id))

    def _approve(self, writer: LedgerWriter, case: _Case, draughted: Draughted, meant: Meant) -> ApprovalOutcome:
        """Put a memory in force, and end what it takes the place of."""
        memory, told, now = case.memory, draughted.candidate, self._parts.clock()
        replaced = tuple(it.id for it in meant.ended)
        ruling, begun = beginning(told, meant.ended, _ACCEPTED, now)
        plain = candidate_of(memory, {})
        fields: dict[str, Any] = {
            name: getattr(told, name) for name in REVISABLE if getattr(told, name) != getattr(plain, name)
        }
        wanted = replace(memory, content=told.content, valid_at=told.valid_at)
        beside = [it for it in meant.beside if it.id not in replaced]
        changes = {
            **fields,
            **begun,
            "held_by": None,
            "supersedes": replaced,
            "contradicts": tuple(it.id for it in beside),
        }
        note = case.note("approved" if case.decision.content is None else "approved in other words")
        note |= {"reason": f"{note['reason']}. {LIFTED.reason}"} if ruling is LIFTED else {}
        draft = Draft(type="approved", memory_id=memory.id, changes=changes, note=note, rule=APPROVAL)
        taken = Taken(replaced, now, wanted, [it for it in meant.parted if it.id in replaced], meant.left, beside)
        approved = self._writing.begin(writer, draughted, draft, taken)
        self._writing.meet_waiting(writer, approved, meant.waiting)
        if draughted.vector is not None and search_text(told) != search_text(memory):
            self._writing.store_vector(writer, memory.id, draughted.vector)
        self._searching.queue(writer, memory.id)
        reason = f"Approved by {case.ask.decided_by}.{_said_of_end(told.invalid_at, now)}"
        return case.outcome("approved", APPROVAL, reason, memory=writer.memory(memory.id), superseded=replaced)

    def _end(self, writer: LedgerWriter, draft: Draft) -> None:
        """Put away what is not to be remembered."""
        changes = {"status": "archived", "expired_at": self._parts.clock()}
        writer.append(replace(draft, changes=changes))
        self._searching.queue(writer, str(draft.memory_id))

    # ---------------------------------------------------------------------------------------------------------- expiry
    def _expire(self, writer: LedgerWriter, memory: Memory) -> None:
        self._end(writer, Draft(type="approval_expired", memory_id=memory.id, note={"reason": _LATE}, rule=APPROVAL))

    def _expire_job(self, job: Job) -> Flow[None]:
        """End what was asked and never decided; done twice, or too early, it changes nothing."""
        if job.scope is None:
            return

        def end(writer: LedgerWriter) -> None:
            memory = writer.memory(job.payload["memory"])
            if memory is not None and is_decidable(memory) and self._is_over(writer, memory):
                self._expire(writer, memory)

        yield from self._parts.ledger.append(replace(job.scope, agent_id=job.payload["agent"]), end)
        yield from self._searching.follow()

    def _is_over(self, reader: LedgerReader, memory: Memory) -> bool:
        question = question_of(reader, memory)
        return question.is_over(self._parts.clock()) or not question.is_told  # the job itself came when it was due


def _said_of_end(end: datetime | None, now: datetime) -> str:
    """Return what whoever approves is told of a memory that is over already; nothing of one that is not."""
    if end is None or end > now:
        return ""
    return f" It held until {end.isoformat()}, and is recalled for no later time; revise(…, invalid_at=…) changes that."


def _draughted(case: _Case, told: Candidate, seen: int) -> Draughted:
    """Return what is approved as what a write of it would be, in the words that are approved."""
    plain = Draughted(candidate=told, scope=case.memory.scope, mode=case.ask.mode, seen=seen)
    known = case.ask.draughts.get(case.memory.id, plain if case.decision.content is None else replace(plain, seen=0))
    return replace(known, candidate=told, vectors=case.ask.vectors)


def _objection_to(case: _Case) -> Ruling | None:
    """Return why a decider may not approve; where nobody knows who proposed it, an agent may not for itself."""
    question = case.question
    proposer = question.proposed_by.agent_id if question.is_told else case.ask.agent_id
    return _SELF if proposer is not None and _read_alike(case.ask.decided_by, proposer) else None


def _read_alike(one: str, other: str) -> bool:
    """Whether a reader cannot tell two ids apart: by case, width, blanks or invisible characters."""
    return fold_case(one).split() == fold_case(other).split()
