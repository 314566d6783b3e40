"""Candidates of a recall held against the ledger's rows: what passes the rules, and what is dropped by which."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from langchain_agentmem._search import Proposal
from langchain_agentmem.english.requests.hearing import Question, hear
from langchain_agentmem.english.text.passages import shown_of
from langchain_agentmem.ledger.base import LedgerReader, Page
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.recall.finding import Found
from langchain_agentmem.long_term.recall.receipts import line_of
from langchain_agentmem.long_term.recall.replaced import replaced_among
from langchain_agentmem.long_term.said.words import FoundEpisodes
from langchain_agentmem.policies.admit import Admission
from langchain_agentmem.policies.own_facts import others_last
from langchain_agentmem.policies.rank import Usage, score
from langchain_agentmem.policies.sourcing import above_stale, beside_their_turns, marked, superseded_by
from langchain_agentmem.policies.updates import asks_for_past
from langchain_agentmem.types import Episode, Hit, Memory, RecallQuery, ReceiptLine

MAX_CONSTRAINTS: Final = 100
"""Constraints come complete, not ranked; this many at most."""

COMPLETE: Final = "complete"
"""The part that tells a constraint that came without being found."""


@dataclass(slots=True)
class Judged:
    """Candidates of a recall as they pass the rules.

    Attributes:
        hits: What passed, best first. `notes`: what the receipt's plan says of it besides.
        in_force: By the id of what was replaced, the id of what is in force.
    """

    hits: list[Hit] = field(default_factory=list)
    dropped: list[ReceiptLine] = field(default_factory=list)
    constraints: list[Hit] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    in_force: Mapping[str, str] = field(default_factory=dict)

    def drop(self, hit: Hit, rule: str, linked: tuple[str, ...] = ()) -> None:
        """Note that a candidate is not in the answer, and why."""
        line = line_of(hit, dropped_by=rule)
        self.dropped.append(replace(line, linked=(*linked, *line.linked)) if linked else line)


class Judging:
    """Applies the ledger's rules to what was proposed."""

    def __init__(self, parts: Parts) -> None:
        """Compose."""
        self._parts = parts

    def admission(self, reader: LedgerReader, query: RecallQuery) -> Admission:
        """Return the conditions of a recall, as of now."""
        return self._parts.admission(reader.head.consent, query)

    def judge(self, reader: LedgerReader, admission: Admission, found: Found) -> Judged:
        """Hold each proposal against its own row, and rank what is left."""
        judged = Judged()
        best = _best([*found.proposals, *found.of_action, *found.episodes])
        terms = () if found.plan is None else found.plan.terms
        turns = standing(reader, found.turns, found.episodes, found.episode_revision, terms)
        memories = reader.memories(best) | turns
        uses = reader.uses(best)
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
        self._hear(judged, Question(admission.query.text, terms), found.turns.episodes)
        judged.hits = others_last(judged.hits, admission.query.text)
        hits = beside_their_turns(judged.hits, _replaced(reader, superseded_by(judged.hits)))
        stale = replaced_among(reader, admission, [hit.memory for hit in hits])
        judged.in_force = stale
        judged.hits = _updated(reader, admission, hits, stale) if stale else hits
        here = {hit.memory.id for hit in judged.hits} if stale else frozenset()
        judged.dropped = [line for line in judged.dropped if line.memory_id not in here]
        return judged

    def constraints(self, reader: LedgerReader, admission: Admission, found: Found) -> list[Hit]:
        """Return every constraint in force: relevance may miss one, and a missed rule is a broken rule."""
        kinds = admission.query.kinds
        if kinds is not None and "constraint" not in kinds and not admission.query.action:
            return []
        page = Page(kinds=("constraint",), statuses=admission.statuses, order_by="importance", limit=MAX_CONSTRAINTS)
        relevance = {proposal.memory_id: proposal.relevance for proposal in found.proposals}
        hits = [
            Hit(memory=memory, score=relevance.get(memory.id, 0.0), parts={COMPLETE: 1.0})
            for memory in reader.page(page)
            if admission.objection(memory) in ({None, "kind"} if admission.query.action else {None})
        ]
        return sorted(hits, key=lambda hit: (-hit.score, -hit.memory.importance, hit.memory.id))

    def _objection(self, hit: Hit, proposal: Proposal, admission: Admission, *, is_failure: bool) -> str | None:
        rule = admission.objection(hit.memory)
        if rule == "kind" and is_failure:
            rule = None
        weights = self._parts.weights
        if rule is None and hit.memory.kind == "episode":
            is_likely = proposal.parts.get("likelihood", 1.0) >= weights.min_likelihood
            return None if is_likely else "likelihood"
        if rule is None and proposal.relevance < weights.min_relevance:
            return "relevance"
        return rule

    def _hear(self, judged: Judged, question: Question, turns: Mapping[str, Episode]) -> None:
        """Weigh turns by what they say themselves, and drop those that say nothing of what is asked."""
        heard, unheard = hear(question, judged.hits, turns, self._parts.weights.min_share)
        judged.hits = heard
        for hit, rule in unheard:
            judged.drop(hit, rule)

    def _hit(
        self, memory: Memory, proposal: Proposal, uses: Mapping[str, tuple[int, datetime]], admission: Admission
    ) -> Hit:
        if memory.kind == "episode":  # what was said stays said: neither age nor use makes it more or less so
            parts = {"relevance": proposal.relevance, **proposal.parts}
            return Hit(memory=memory, score=proposal.relevance, parts=parts)
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


def _replaced(reader: LedgerReader, memory_ids: Iterable[str]) -> dict[str, Memory]:
    """Return memories that were replaced, and what these had replaced, as far as they are still there."""
    found: dict[str, Memory] = {}
    wanted = set(memory_ids)
    while wanted:
        found |= (read := reader.memories(wanted))
        wanted = {it for memory in read.values() for it in memory.supersedes if it not in found}
    return found


def _updated(reader: LedgerReader, admission: Admission, hits: list[Hit], stale: Mapping[str, str]) -> list[Hit]:
    """Return hits, stale turns marked; unless the question is about the past, what is in force above what is stale."""
    shown = [replace(hit, memory=marked(hit.memory, stale)) for hit in hits]
    if asks_for_past(admission.query.text):
        return shown
    current = reader.memories(set(stale.values()))
    allowed = {it.id: it for it in current.values() if admission.objection(it) is None}
    return above_stale(shown, stale, current, allowed)


def standing(
    reader: LedgerReader,
    turns: FoundEpisodes,
    proposals: Iterable[Proposal],
    revision: int,
    terms: Collection[str] = (),
) -> dict[str, Memory]:
    """Return the episodes that are still there, in the form of memories, each with what updated it.

    Args:
        reader: Of the transaction.
        turns: What was read before it.
        proposals: What an index said of them.
        revision: Of the conversations, when it did.
        terms: What is asked for: of a long turn, the passages that say it are shown.
    """
    here, marks = turns.episodes, {it.memory_id: it for it in proposals}
    named = {name for it in marks.values() for name in (*it.updates, it.updated_by) if name is not None}
    if reader.episodes.revision != turns.revision or revision != turns.revision:
        stored = reader.episodes.get({*here, *named})
        here = {it: episode for it, episode in here.items() if it in stored}
        named &= stored.keys()
    shown = {it: shown_of(episode, terms) for it, episode in here.items()}
    return {it: _marked(episode, marks.get(it), named).as_memory(shown[it]) for it, episode in here.items()}


def _marked(episode: Episode, proposal: Proposal | None, named: set[str]) -> Episode:
    """Return an episode with what it updates, and what updated it, as far as that is still there."""
    if proposal is None:
        return episode
    by = proposal.updated_by if proposal.updated_by in named else None
    return replace(episode, superseded_by=by, updates=tuple(it for it in proposal.updates if it in named))


def _best(proposals: Iterable[Proposal]) -> dict[str, Proposal]:
    best: dict[str, Proposal] = {}
    for proposal in proposals:
        known = best.get(proposal.memory_id)
        if known is None or proposal.relevance > known.relevance:
            best[proposal.memory_id] = proposal
    return best


def _line(proposal: Proposal, rule: str) -> ReceiptLine:
    parts = {"relevance": proposal.relevance, **proposal.parts}
    return ReceiptLine(memory_id=proposal.memory_id, score=proposal.relevance, parts=parts, dropped_by=rule)
