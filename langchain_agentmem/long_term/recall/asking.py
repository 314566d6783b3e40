"""From a conversation to recalls: planned, asked one by one, and put together again."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import ScopeError
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.recall.prompt_form import fitting
from langchain_agentmem.planning.contract import RULES, Planner
from langchain_agentmem.planning.rules import RulePlanner
from langchain_agentmem.policies.querying import MAX_QUESTIONS, Dialogue, as_it_stands, bound, plan_queries
from langchain_agentmem.types import Hit, MemoryMode, Recall, RecallQuery, RecallStatus, Scope

__all__ = ["Asking", "united"]

_FIRST: Final[tuple[RecallStatus, ...]] = ("degraded", "ok")
"""What the recalls of one message are together if one of them is."""

LOGGER: Final = logging.getLogger("langchain_agentmem")


class Asking:
    """Plans what a conversation asks of memory."""

    def __init__(self, parts: Parts) -> None:
        """Compose."""
        self._parts = parts

    def plan(
        self, dialogue: Dialogue, base: RecallQuery, scope: Scope, mode: MemoryMode | None
    ) -> Flow[tuple[RecallQuery, ...]]:
        """Return the queries of a dialogue: at least one, within what the caller set.

        Where memory may not be read nothing is planned, and no model sees the words. A planner that fails costs its
        plan, never the turn: rules plan instead.
        """
        planner = self._parts.planner
        heard = replace(dialogue, at=dialogue.at or base.asked_at or self._parts.clock())
        if planner is None or not (yield from self._may_plan(planner, base, scope, mode)):
            return as_it_stands(heard, base)
        try:
            planned = yield from planner.plan_flow(heard, base)
            queries = tuple(bound(query, base) for query in planned)[:MAX_QUESTIONS]
            if queries:
                named = zip(queries, planned, strict=False)
                return tuple(replace(query, planned_by=it.planned_by or _name(planner)) for query, it in named)
        except ScopeError:
            raise
        except Exception as error:
            if _is_of_a_graph(error):
                raise
            LOGGER.warning("a planner failed: %s in %s", type(error).__name__, _name(planner))
        return tuple(replace(query, planned_by=RULES) for query in plan_queries(heard, base))

    def _may_plan(self, planner: Planner, base: RecallQuery, scope: Scope, mode: MemoryMode | None) -> Flow[bool]:
        if isinstance(planner, RulePlanner):
            return True  # nobody else reads the words
        if scope.is_anonymous or self._parts.effective_mode(scope, mode) == "off":
            return False
        head = yield from self._parts.ledger.read(scope, lambda reader: reader.head)
        return self._parts.may_read(head.consent, base.purpose)


def united(recalls: Sequence[Recall], *, limit: int | None = None, max_tokens: int | None = None) -> Recall:
    """Return the recalls of several questions as one: each memory once, with its best score, best first.

    Where a reranker gave an order it stays: the first of each question comes before the second of any, since scores do
    not tell which of them is better. What one question knows to be superseded is so in the answer, whatever the others
    say of it.

    Args:
        recalls: In the order of the questions. The receipt is that of the first; each has its own.
        limit: Hits at most, the first of each question before the second of any; `None`: all of them.
        max_tokens: Budget of all together: constraints are paid first.
    """
    if len(recalls) == 1 and limit is None:
        return recalls[0]
    is_reranked = any(recall.is_reranked for recall in recalls)
    best: dict[str, list[Hit]] = {}
    for group in _in_turns(map(_groups, (recall.hits for recall in recalls)), limit):
        known = best.get(group[0].memory.id)
        if known is None or group[0].score > known[0].score:
            best[group[0].memory.id] = group
    ordered = best.values() if is_reranked else sorted(best.values(), key=lambda group: -group[0].score)
    constraints = {hit.memory.id: hit for recall in reversed(recalls) for hit in recall.constraints}
    in_force = sorted(constraints.values(), key=lambda hit: -hit.score)
    kept, left = fitting(in_force, max_tokens)
    asked = {recall.status for recall in recalls}
    replaced = {it.memory.id: it.memory for recall in recalls for it in recall.hits if it.memory.status == "superseded"}
    hits = (replace(hit, memory=replaced.get(hit.memory.id, hit.memory)) for hit in chain.from_iterable(ordered))
    return Recall(
        hits=tuple(fitting(_once(hits), left)[0]),
        constraints=tuple(kept),
        receipt_id=next((recall.receipt_id for recall in recalls if recall.receipt_id is not None), None),
        status=next((it for it in _FIRST if it in asked), recalls[0].status if recalls else "empty"),
        is_reranked=is_reranked,
        likelihood=max((it.likelihood for it in recalls if it.likelihood is not None), default=None),
    )


def _groups(hits: Iterable[Hit]) -> list[list[Hit]]:
    """Return each hit with what came along with it: its neighbours, and what contradicts it."""
    groups: list[list[Hit]] = []
    for hit in hits:
        if groups and (hit.neighbour_of is not None or hit.memory.id in groups[-1][0].contradicts):
            groups[-1].append(hit)
        else:
            groups.append([hit])
    return groups


def _in_turns(each: Iterable[list[list[Hit]]], limit: int | None) -> Iterator[list[Hit]]:
    """Yield the groups of several recalls, by rank, until there are so many different ones."""
    seen: set[str] = set()
    for group in chain.from_iterable(zip_longest(*each)):
        if group is None:
            continue
        seen.add(group[0].memory.id)
        if limit is not None and len(seen) > limit:
            return
        yield group


def _once(hits: Iterable[Hit]) -> Iterator[Hit]:
    """Yield each memory once: as a hit of its own, where it is one, rather than as a neighbour of another."""
    every = list(hits)
    own = {hit.memory.id for hit in every if hit.neighbour_of is None}
    seen: set[str] = set()
    for hit in every:
        if hit.memory.id in seen or (hit.neighbour_of is not None and hit.memory.id in own):
            continue
        seen.add(hit.memory.id)
        yield hit


def _is_of_a_graph(error: Exception) -> bool:
    """Whether LangGraph stops a run by it, such as an interrupt; where nobody imported LangGraph, nothing is."""
    errors = sys.modules.get("langgraph.errors")
    return errors is not None and isinstance(error, errors.GraphBubbleUp)


def _name(planner: object) -> str:
    return type(planner).__name__
