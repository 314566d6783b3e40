"""Recall: candidates, the ledger's rules, the rank, the budget, and a receipt for it all."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple

from langchain_agentmem._flow import Flow
from langchain_agentmem.access.flows import unasked_flow
from langchain_agentmem.english.requests.intent import is_small_talk, says_it
from langchain_agentmem.errors import StorageError
from langchain_agentmem.ledger.base import Head, LedgerReader, LedgerWriter, state_of
from langchain_agentmem.ledger.codec import without_words
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.recall.finding import Finding, Found
from langchain_agentmem.long_term.recall.judging import COMPLETE, Judged, Judging
from langchain_agentmem.long_term.recall.neighbouring import TurnsBeside, add_neighbours, read_beside
from langchain_agentmem.long_term.recall.ordering import arrange, cut
from langchain_agentmem.long_term.recall.prompt_form import fitting
from langchain_agentmem.long_term.recall.receipts import lines_of, plan_of
from langchain_agentmem.long_term.recall.reranking import Reranked, rerank
from langchain_agentmem.long_term.said.words import GONE
from langchain_agentmem.policies.admit import Admission
from langchain_agentmem.policies.sensitive_records import shown_memory
from langchain_agentmem.types import Hit, MemoryMode, Recall, RecallQuery, RecallStatus, Receipt, Scope
from langchain_agentmem.types.recall import SEARCHED

LOGGER: Final = logging.getLogger("langchain_agentmem")

_REASONS: Final[Mapping[RecallStatus, str]] = {
    "ok": "relevant memories were found",
    "empty": "nothing relevant is remembered",
    "skipped": "this turn needs no memory",
    "off": "memory is off for this scope or turn",
    "degraded": "the ledger was searched instead of the index",
    "no_consent": "the user has not consented to this use of long-term memory; memory.consent.grant(scope) records it",
}

_LEFT_OUT: Final[Mapping[str, str]] = {
    "budget": "nothing of what is relevant fits into max_tokens beside the constraints",
    "reranker": "the reranker left out all that was found",
}
"""By the rule that dropped what was relevant, why nothing is returned."""

SMALL_TALK: Final = "small_talk"
"""The rule that drops what merely resembles a greeting."""

GREETED: Final = "small talk"
"""Why a greeting recalls nothing, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """What takes longer than a transaction may: a reranker's opinion, and the words of turns beside the hits."""

    reranked: Reranked | None = None
    beside: TurnsBeside | None = None


class Answer(NamedTuple):
    """What a recall answers, and what it leaves behind.

    Attributes:
        gone: Turns that were found and point at nothing: they are taken out.
    """

    recall: Recall
    receipt: Receipt
    gone: Sequence[str] = ()


class Recalling:
    """Finds what is relevant and admissible."""

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching
        self._finding = Finding(parts, searching)
        self._judging = Judging(parts)

    def recall(
        self, query: RecallQuery, scope: Scope, turn: MemoryMode | None, without: frozenset[str] = frozenset()
    ) -> Flow[Recall]:
        """Answer a query, and leave a receipt; of turns, none of those that are named.

        Small talk is looked up by its words alone, and is answered by what has them: it may be somebody's name.
        """
        query = self._parts.asked(query)
        if scope.is_anonymous:
            return Recall(status="anonymous")
        if self._parts.effective_mode(scope, turn) == "off":
            return (yield from self.decline(query, scope, "off"))
        head, models = yield from self._parts.ledger.read_prepared(scope, state_of)
        if not self._parts.may_read(head.consent, query.purpose, query.kinds):
            return (yield from self.decline(query, scope, "no_consent"))
        query = self._narrowed(query, head)
        if _is_idle(query):
            models = []  # no vector: of whatever is said at greeting, something always is near
        found = yield from self._finding.find(query, scope, models, head.seq, without)
        ahead = yield from self._look_ahead(query, scope, found, without)
        return (
            yield from self._leave(
                scope,
                lambda reader: self._answer(reader, query, scope, found, ahead),
                is_frozen=self._parts.effective_mode(scope, turn) == "frozen",
            )
        )

    def decline(self, query: RecallQuery, scope: Scope, status: RecallStatus, reason: str = "") -> Flow[Recall]:
        """Search nothing on purpose, and leave a receipt that says why, of which no word is kept where none may be.

        A turn that needs no memory is still bound by the constraints in force: they come along.
        """
        return (
            yield from self._leave(
                scope,
                lambda reader: self._declined(reader, query, scope, status, reason),
                is_frozen=self._parts.effective_mode(scope, None) == "frozen",
            )
        )

    def _leave(self, scope: Scope, answer: Callable[[LedgerReader], Answer], *, is_frozen: bool) -> Flow[Recall]:
        """Answer, and leave a receipt: what only reads, because it is told to or can no more, answers without one.

        A recall of memory that is frozen waits for no writer in vain, and one of a database that is only read is none
        the worse: nothing is missing but its receipt, and its status says so.
        """
        try:
            leaving = self._parts.ledger.append(scope, lambda writer: _left(writer, answer(writer)))
            return (yield from unasked_flow(scope, leaving))
        except StorageError as error:
            if not (error.is_read_only or (is_frozen and type(error) is StorageError)):
                raise
            LOGGER.warning("a recall left no receipt: %s", error)
        told = (yield from self._parts.ledger.read(scope, answer)).recall
        return replace(told, receipt_id=None, status="degraded" if told.status in SEARCHED else told.status)

    def _declined(
        self, reader: LedgerReader, query: RecallQuery, scope: Scope, status: RecallStatus, reason: str
    ) -> Answer:
        judged = Judged()
        may_read = status == "skipped" and self._parts.may_read(reader.head.consent)
        if may_read:
            admission = self._judging.admission(reader, query)
            judged.constraints = self._judging.constraints(reader, admission, Found())
            _keep_to_budget(judged, query.max_tokens)
        receipt = self._receipt(query, scope, status, judged=judged, reason=reason)
        recall = Recall(constraints=self._shown(judged.constraints), status=status, receipt_id=receipt.id)
        return Answer(recall, receipt if may_read else replace(receipt, plan=without_words(receipt.plan)))

    # ------------------------------------------------------------------------------------------ between transactions
    def _look_ahead(self, query: RecallQuery, scope: Scope, found: Found, without: frozenset[str]) -> Flow[Ahead]:
        """Ask the reranker, and read what stands beside the hits, as they seem to be now; the ledger judges again."""
        reranked: Reranked | None = None
        if self._parts.reranker is not None:
            hits = yield from self._parts.ledger.read(scope, lambda reader: self._candidates(reader, query, found))
            reranked = yield from rerank(self._parts.reranker, query, hits)
        if not query.neighbours or not found.episodes:
            return Ahead(reranked=reranked)

        def expected(reader: LedgerReader) -> list[Hit]:
            admission = self._judging.admission(reader, query)
            return self._ordered(reader, admission, found, reranked).hits if self._may_read(reader, query) else []

        hits = yield from self._parts.ledger.read(scope, expected)
        beside = yield from read_beside(self._parts, query, scope, hits, without)
        return Ahead(reranked=reranked, beside=beside)

    def _candidates(self, reader: LedgerReader, query: RecallQuery, found: Found) -> list[Hit]:
        if not self._may_read(reader, query):
            return []
        return self._judged(reader, self._judging.admission(reader, query), found).hits

    def _may_read(self, reader: LedgerReader, query: RecallQuery) -> bool:
        return self._parts.may_read(reader.head.consent, query.purpose, query.kinds)

    def _narrowed(self, query: RecallQuery, head: Head) -> RecallQuery:
        """Return a query for the kinds that the user allows: what is forbidden takes no place among the candidates."""
        allowed = self._parts.consented(head.consent).kinds
        if allowed is None:
            return query
        asked = allowed if query.kinds is None else tuple(kind for kind in query.kinds if kind in allowed)
        return replace(query, kinds=asked) if asked else query

    def _judged(self, reader: LedgerReader, admission: Admission, found: Found) -> Judged:
        """Return what passes the rules; of small talk, what has its words."""
        judged = self._judging.judge(reader, admission, found)
        if _is_idle(admission.query):
            hits, judged.hits = judged.hits, []
            for hit in hits:
                if _is_meant(hit, admission.query):
                    judged.hits.append(hit)
                else:
                    judged.drop(hit, SMALL_TALK)
        return judged

    def _ordered(self, reader: LedgerReader, admission: Admission, found: Found, reranked: Reranked | None) -> Judged:
        """Return what passes the rules, in order, up to the limit."""
        judged = self._judged(reader, admission, found)
        arrange(judged, found, reranked, weight=self._parts.weights.diversity, places=admission.query.limit)
        cut(judged, reader, admission, found)
        return judged

    # ----------------------------------------------------------------------------------------- inside the transaction
    def _answer(self, reader: LedgerReader, query: RecallQuery, scope: Scope, found: Found, ahead: Ahead) -> Answer:
        if not self._may_read(reader, query):  # withdrawn while the question was embedded
            return self._declined(reader, query, scope, "no_consent", "")
        admission = self._judging.admission(reader, query)
        judged = self._ordered(reader, admission, found, ahead.reranked)
        if _is_idle(query) and not judged.hits:
            return self._declined(reader, query, scope, "skipped", GREETED)._replace(gone=found.turns.gone)
        judged.constraints = self._judging.constraints(reader, admission, found)
        if ahead.beside is not None:
            add_neighbours(judged, ahead.beside, found, reader, admission)
        _keep_to_budget(judged, query.max_tokens)
        status: RecallStatus = "degraded" if found.trouble else "ok" if judged.hits else "empty"
        receipt = self._receipt(query, scope, status, judged=judged, found=found)
        recall = Recall(
            hits=self._shown(judged.hits),
            constraints=self._shown(judged.constraints),
            receipt_id=receipt.id,
            status=status,
            is_reranked=ahead.reranked is not None and not ahead.reranked.has_failed,
            likelihood=found.likelihood,
        )
        return Answer(recall, receipt, found.turns.gone)

    def _shown(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        policy = self._parts.sensitive
        if policy.is_idle("shown"):
            return tuple(hits)
        return tuple(replace(hit, memory=shown_memory(policy, hit.memory)) for hit in hits)

    def _receipt(
        self,
        query: RecallQuery,
        scope: Scope,
        status: RecallStatus,
        *,
        judged: Judged | None = None,
        found: Found | None = None,
        reason: str = "",
    ) -> Receipt:
        judged = judged or Judged()
        embedder = self._parts.embedder
        found = found or Found()
        model = embedder.name if embedder else None
        plan = plan_of(query, found, model=model, policy=self._parts.sensitive)
        listed, unlisted = lines_of(judged.hits, judged.constraints, judged.dropped)
        return Receipt(
            id=self._parts.new_id(),
            scope=scope,
            at=self._parts.clock(),
            status=status,
            reason=reason or self._reason(status, found, judged),
            plan={**plan, **judged.notes},
            lines=listed,
            unlisted=unlisted,
        )

    def _reason(self, status: RecallStatus, found: Found, judged: Judged) -> str:
        """Return why a recall ended so; of one that found nothing, what it would have taken."""
        rules = {line.dropped_by for line in judged.dropped if COMPLETE not in line.parts}
        left_out = next((_LEFT_OUT[rule] for rule in _LEFT_OUT if rule in rules), None)
        if status == "empty" and left_out is not None:
            return left_out
        likelihood, least = found.likelihood, self._parts.weights.min_likelihood
        if status == "empty" and likelihood is not None and likelihood < least:
            return (
                f"{_REASONS[status]}: that anything in conversations answers it is likely to {likelihood:.3f}, and less"
                f" than {least:g} gives no answer"
            )
        return f"{_REASONS[status]}{': ' if found.trouble else ''}{found.trouble}"


def _left(writer: LedgerWriter, answer: Answer) -> Recall:
    """Write what a recall leaves behind: its receipt, that its hits were used, and no turn that points at nothing."""
    if answer.gone:
        writer.episodes.drop(answer.gone, GONE, may_return=True)
    writer.put_receipt(answer.receipt)
    writer.touch([hit.memory.id for hit in answer.recall.hits if hit.memory.kind != "episode"], answer.receipt.at)
    return answer.recall


def _is_idle(query: RecallQuery) -> bool:
    return not query.action and is_small_talk(query.text)


def _is_meant(hit: Hit, query: RecallQuery) -> bool:
    """Whether small talk means a memory: it is about something of that name, or says it; a turn, as a name."""
    is_turn = hit.memory.kind == "episode"
    return "entity" in hit.parts or says_it(hit.memory.content, query.text, as_name=is_turn)


def _keep_to_budget(judged: Judged, max_tokens: int | None) -> None:
    """Keep to the token budget: constraints are paid first, then hits, then the turns beside those that are kept."""
    if max_tokens is None:
        return
    leave = partial(judged.drop, rule="budget")
    judged.constraints, left = fitting(judged.constraints, max_tokens, leave)
    found, left = fitting([hit for hit in judged.hits if hit.neighbour_of is None], left, leave)
    kept = {hit.memory.id for hit in found}
    beside = [hit for hit in judged.hits if hit.neighbour_of is not None]
    for hit in beside:
        if hit.neighbour_of not in kept:
            judged.drop(hit, "budget")
    near, _ = fitting([hit for hit in beside if hit.neighbour_of in kept], left, leave)
    kept |= {hit.memory.id for hit in near}
    judged.hits = [hit for hit in judged.hits if hit.memory.id in kept]
