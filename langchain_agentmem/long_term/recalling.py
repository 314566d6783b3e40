"""Recall: candidates, the ledger's rules, the rank, the budget, and a receipt for it all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import Proposal, SearchFilter, SearchQuery
from langchain_agentmem._vectors import Vector
from langchain_agentmem.ledger.base import Head, LedgerReader, LedgerWriter, ModelState, Page
from langchain_agentmem.ledger.codec import to_micros, without_words
from langchain_agentmem.long_term.embedder import check_model
from langchain_agentmem.long_term.parts import OVER_FETCH, Parts
from langchain_agentmem.long_term.prompt_form import tokens_of
from langchain_agentmem.long_term.searching import Searching
from langchain_agentmem.policies.admit import Admission
from langchain_agentmem.policies.rank import Usage, score
from langchain_agentmem.policies.redact import redact
from langchain_agentmem.types import (
    Hit,
    Memory,
    MemoryMode,
    Recall,
    RecallQuery,
    RecallStatus,
    Receipt,
    ReceiptLine,
    Scope,
)

MAX_CONSTRAINTS: Final = 100
"""Constraints come complete, not ranked; this many at most."""

FAILED: Final = "failed"
"""Tag of an outcome that was a failure."""

_TEXTS: Final = ("text", "action", "task", "purpose")

_REASONS: Final[Mapping[RecallStatus, str]] = {
    "ok": "relevant memories were found",
    "empty": "nothing relevant is remembered",
    "skipped": "this turn needs no memory",
    "off": "memory is off for this scope or turn",
    "no_consent": "the user has not consented to this use of long-term memory; memory.consent.grant(scope) records it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the index proposed, before the ledger was asked."""

    proposals: Sequence[Proposal] = ()
    of_action: Sequence[Proposal] = ()
    seen: int = 0


@dataclass(slots=True)
class Judged:
    """Candidates of a recall as they pass the rules."""

    hits: list[Hit] = field(default_factory=list)
    dropped: list[ReceiptLine] = field(default_factory=list)
    constraints: list[Hit] = field(default_factory=list)

    def drop(self, hit: Hit, rule: str) -> None:
        """Note that a candidate is not in the answer, and why."""
        self.dropped.append(ReceiptLine(memory_id=hit.memory.id, score=hit.score, parts=hit.parts, dropped_by=rule))


class Recalling:
    """Finds what is relevant and admissible."""

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching

    def recall(self, query: RecallQuery, scope: Scope, turn: MemoryMode | None) -> Flow[Recall]:
        """Answer a query, and leave a receipt."""
        if scope.is_anonymous:
            return Recall(status="anonymous")
        if self._parts.effective_mode(scope, turn) == "off":
            return (yield from self.decline(query, scope, "off"))
        head, models = yield from self._parts.ledger.read(scope, _state)
        if not self._parts.may_read(head.consent, query.purpose):
            return (yield from self.decline(query, scope, "no_consent"))
        found = yield from self._find(query, scope, models, head.seq)
        return (yield from self._parts.ledger.append(scope, lambda writer: self._answer(writer, query, scope, found)))

    def decline(self, query: RecallQuery, scope: Scope, status: RecallStatus, reason: str = "") -> Flow[Recall]:
        """Search nothing on purpose, and leave a receipt that says why, of which no word is kept where none may be.

        A turn that needs no memory is still bound by the constraints in force: they come along.
        """
        return (
            yield from self._parts.ledger.append(
                scope, lambda writer: self._declined(writer, query, scope, status, reason)
            )
        )

    def _declined(
        self, writer: LedgerWriter, query: RecallQuery, scope: Scope, status: RecallStatus, reason: str
    ) -> Recall:
        judged = Judged()
        may_read = status == "skipped" and self._parts.may_read(writer.head.consent)
        if may_read:
            admission = self._admission(writer, query)
            judged.constraints = self._constraints(writer, admission, Found())
            self._cut(judged, query)
        receipt = self._receipt(query, scope, status, judged=judged, reason=reason)
        writer.put_receipt(receipt if may_read else replace(receipt, plan=without_words(receipt.plan)))
        return Recall(constraints=tuple(judged.constraints), status=status, receipt_id=receipt.id)

    # ------------------------------------------------------------------------------------------------------ proposals
    def _find(self, query: RecallQuery, scope: Scope, models: list[ModelState], seen: int) -> Flow[Found]:
        admission = Admission(query=query, now=self._parts.clock())
        proposals = yield from self._propose(query.text, scope, _filter(admission, scope, query.kinds), models, query)
        about_action: Sequence[Proposal] = ()
        if query.action:
            failures = _filter(admission, scope, ("outcome",), (*query.tags, FAILED))
            about_action = yield from self._propose(query.action, scope, failures, models, query)
        return Found(proposals=proposals, of_action=about_action, seen=seen)

    def _propose(
        self, text: str, scope: Scope, wanted: SearchFilter, models: list[ModelState], query: RecallQuery
    ) -> Flow[Sequence[Proposal]]:
        if not text.strip():
            return ()
        vector = yield from self._vector(text, models)
        search = SearchQuery(text=text, vector=vector, filter=wanted, limit=query.limit * OVER_FETCH)
        return (yield from self._searching.search(scope, search))

    def _vector(self, text: str, models: list[ModelState]) -> Flow[Vector | None]:
        embedder = self._parts.embedder
        if embedder is None or check_model(models, embedder.name) is None:
            return None
        vector = yield from embedder.query(text)
        check_model(models, embedder.name, len(vector))
        return vector

    # ----------------------------------------------------------------------------------------- inside the transaction
    def _answer(self, writer: LedgerWriter, query: RecallQuery, scope: Scope, found: Found) -> Recall:
        if not self._parts.may_read(writer.head.consent, query.purpose):  # withdrawn while the question was embedded
            return self._declined(writer, query, scope, "no_consent", "")
        admission = self._admission(writer, query)
        judged = self._judge(writer, admission, found)
        judged.constraints = self._constraints(writer, admission, found)
        self._cut(judged, query)
        status: RecallStatus = "ok" if judged.hits else "empty"
        receipt = self._receipt(query, scope, status, judged=judged, seen=found.seen)
        writer.put_receipt(receipt)
        writer.touch([hit.memory.id for hit in judged.hits], receipt.at)
        return Recall(
            hits=tuple(judged.hits), constraints=tuple(judged.constraints), receipt_id=receipt.id, status=status
        )

    def _admission(self, writer: LedgerReader, query: RecallQuery) -> Admission:
        return Admission(query=query, now=self._parts.clock(), granted=writer.head.consent.purposes)

    def _judge(self, writer: LedgerReader, admission: Admission, found: Found) -> Judged:
        """Hold each proposal against its own row, and rank what is left."""
        judged = Judged()
        best = _best([*found.proposals, *found.of_action])
        memories = writer.memories(best)
        uses = writer.uses(best)
        failures = {proposal.memory_id for proposal in found.of_action}
        for memory_id, proposal in best.items():
            memory = memories.get(memory_id)
            if memory is None:
                judged.dropped.append(_line(proposal, "gone"))
                continue
            hit = self._hit(memory, proposal, uses, admission)
            rule = self._objection(hit, proposal, admission, is_failure=memory_id in failures)
            if rule is None:
                judged.hits.append(hit)
            else:
                judged.drop(hit, rule)
        judged.hits.sort(key=lambda hit: (-hit.score, hit.memory.id))
        return judged

    def _objection(self, hit: Hit, proposal: Proposal, admission: Admission, *, is_failure: bool) -> str | None:
        rule = admission.objection(hit.memory)
        if rule == "kind" and is_failure:
            rule = None
        if rule is None and proposal.relevance < self._parts.weights.min_relevance:
            return "relevance"
        return rule

    def _hit(
        self, memory: Memory, proposal: Proposal, uses: Mapping[str, tuple[int, datetime]], admission: Admission
    ) -> Hit:
        count, last = uses.get(memory.id, (0, None))
        usage = Usage(uses=count, last_used_at=last)
        value, parts = score(
            memory,
            proposal.relevance,
            usage,
            now=admission.now,
            task=admission.query.task,
            weights=self._parts.weights,
        )
        whole = {"relevance": proposal.relevance, **proposal.parts, **parts}
        return Hit(memory=memory, score=value, parts=whole, last_used_at=last)

    def _constraints(self, writer: LedgerReader, admission: Admission, found: Found) -> list[Hit]:
        """Return every constraint in force: relevance may miss one, and a missed rule is a broken rule."""
        kinds = admission.query.kinds
        if kinds is not None and "constraint" not in kinds and not admission.query.action:
            return []
        page = Page(kinds=("constraint",), statuses=admission.statuses, order_by="importance", limit=MAX_CONSTRAINTS)
        relevance = {proposal.memory_id: proposal.relevance for proposal in found.proposals}
        hits = [
            Hit(memory=memory, score=relevance.get(memory.id, 0.0), parts={"complete": 1.0})
            for memory in writer.page(page)
            if admission.objection(memory) in ({None, "kind"} if admission.query.action else {None})
        ]
        return sorted(hits, key=lambda hit: (-hit.score, -hit.memory.importance, hit.memory.id))

    def _cut(self, judged: Judged, query: RecallQuery) -> None:
        """Keep to the limit, and to the token budget; constraints are paid first."""
        for hit in judged.hits[query.limit :]:
            judged.drop(hit, "limit")
        del judged.hits[query.limit :]
        if query.max_tokens is None:
            return
        left = query.max_tokens
        judged.constraints, left = _within(judged.constraints, left, judged)
        judged.hits, _ = _within(judged.hits, left, judged)

    def _receipt(
        self,
        query: RecallQuery,
        scope: Scope,
        status: RecallStatus,
        *,
        judged: Judged | None = None,
        seen: int = 0,
        reason: str = "",
    ) -> Receipt:
        judged = judged or Judged()
        chosen = [
            ReceiptLine(memory_id=hit.memory.id, score=hit.score, parts=hit.parts, rank=rank)
            for rank, hit in enumerate(judged.hits, 1)
        ]
        complete = [
            ReceiptLine(memory_id=hit.memory.id, score=hit.score, parts=hit.parts, rank=0) for hit in judged.constraints
        ]
        embedder = self._parts.embedder
        plan = {
            "query": _plain(query),
            "index": self._searching.index.name,
            "model": embedder.name if embedder else None,
            "revision": seen,
        }
        return Receipt(
            id=self._parts.new_id(),
            scope=scope,
            at=self._parts.clock(),
            status=status,
            reason=reason or _REASONS[status],
            plan=plan,
            lines=(*chosen, *complete, *judged.dropped),
        )


def _state(reader: LedgerReader) -> tuple[Head, list[ModelState]]:
    return reader.head, reader.models()


def _filter(
    admission: Admission, scope: Scope, kinds: tuple[Any, ...] | None, tags: tuple[str, ...] | None = None
) -> SearchFilter:
    query = admission.query
    return SearchFilter(
        now=to_micros(admission.now) or 0,
        at=to_micros(admission.at) or 0,
        ended=admission.sees_ended,
        agent_id=scope.agent_id,
        kinds=kinds,
        statuses=admission.statuses,
        tags=query.tags if tags is None else tags,
        purpose=query.purpose,
        min_confidence=query.min_confidence,
        since=to_micros(query.since),
        until=to_micros(query.until),
    )


def _best(proposals: Iterable[Proposal]) -> dict[str, Proposal]:
    best: dict[str, Proposal] = {}
    for proposal in proposals:
        known = best.get(proposal.memory_id)
        if known is None or proposal.relevance > known.relevance:
            best[proposal.memory_id] = proposal
    return best


def _within(hits: list[Hit], left: int, judged: Judged) -> tuple[list[Hit], int]:
    kept: list[Hit] = []
    for hit in hits:
        cost = tokens_of(hit)
        if cost > left:
            judged.drop(hit, "budget")
            continue
        left -= cost
        kept.append(hit)
    return kept, left


def _line(proposal: Proposal, rule: str) -> ReceiptLine:
    parts = {"relevance": proposal.relevance, **proposal.parts}
    return ReceiptLine(memory_id=proposal.memory_id, score=proposal.relevance, parts=parts, dropped_by=rule)


def _plain(query: RecallQuery) -> dict[str, Any]:
    """Return the query as JSON-like values, without what was left at its default.

    A receipt is stored: what the write policy would not keep as a memory does not stay as a question either.
    """
    default = asdict(RecallQuery())
    given = {name: value for name, value in asdict(query).items() if value != default[name]}
    masked: dict[str, Any] = {name: redact(given[name]) for name in _TEXTS if given.get(name)}
    if "tags" in given:
        masked["tags"] = tuple(map(redact, given["tags"]))
    plain = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in given.items()}
    return {**plain, **masked}
