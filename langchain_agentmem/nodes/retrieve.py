"""Recall for a turn, and the plan of what is to be forgotten by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from langchain_agentmem._flow import Flow, step
from langchain_agentmem.long_term import ListQuery, MemoryPage
from langchain_agentmem.long_term.asking import united
from langchain_agentmem.long_term.turns import episode_ids
from langchain_agentmem.nodes.beside import BesideMemories
from langchain_agentmem.nodes.intent import intent_of
from langchain_agentmem.nodes.pursuing import Pursuing
from langchain_agentmem.nodes.recalled import entries, without, words, words_apart
from langchain_agentmem.nodes.tracing import traced
from langchain_agentmem.nodes.turn import Failure, MemoryNode, MemoryParts, NodeSettings, Turn, attempt
from langchain_agentmem.planning.dialogue import said_in
from langchain_agentmem.policies.admit import Admission
from langchain_agentmem.policies.forget_request import is_meant, is_said_in
from langchain_agentmem.policies.intent import Intent
from langchain_agentmem.policies.querying import Dialogue
from langchain_agentmem.types import Hit, Memory, Recall, RecallQuery, Status

MAX_TOLD: Final = 100
"""Memories shown when the user asks what is remembered: as many as constraints are shown at most."""

MAX_NAMED: Final = 50
"""Memories that a request to forget is held against, the nearest first."""

UNINDEXED: Final = "degraded: an index could not be used, the ledger was searched; the receipt tells why"

_FORGETTABLE: Final[tuple[Status, ...]] = ("active", "pending", "superseded")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What memory has for a turn; `receipts` lists every receipt, `found_by` the one of each memory."""

    recall: Recall
    receipts: tuple[str, ...] = ()
    found_by: dict[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Doomed:
    """What the user asked to forget."""

    memories: Sequence[Memory] = ()
    receipts: tuple[str, ...] = ()


class Retrieve(MemoryNode):
    """Recalls what the turn needs: each question of the message apart, and every constraint in force.

    Turns of conversations are recalled beside facts, but for those of this conversation that the model sees anyway.
    The state of the task and skills for what is asked stand beside them, where the settings say so, within one budget;
    and the goal that the user pursues. Who asks for their goals, constraints or preferences is told all of them.
    Where the intent asks for nothing, nothing is recalled, and a receipt says why. A request to forget is held against
    memory here, so that the answer can be truthful; `Forget` carries it out when the answer is given. The words of
    memories go to `memory_text`, which no checkpoint keeps.

    Args:
        memory: An `AgentMemory`.
        standing_apart: Keep constraints apart in `memory_text`, for a place in the prompt that seldom changes.
        settings: For whom, in which mode, and what every question is asked with.
    """

    name = "retrieve"

    def __init__(
        self, memory: MemoryParts, *, standing_apart: bool = False, settings: NodeSettings | None = None
    ) -> None:
        super().__init__(settings)
        self._long_term = memory.long_term
        self._beside = BesideMemories(memory, self._settings)
        self._pursuing = Pursuing(memory, self._settings)
        self._words = words_apart if standing_apart else words

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        beside = yield from self._beside.read_flow(turn)
        done: dict[str, Any] | Failure = turn.update(status=turn.status, recalled=[])
        if turn.may_read:
            query = beside.left_of(self._settings.query)
            done = yield from attempt(self._retrieve, turn, intent_of(turn), query)
        update = turn.update(status=done.status) if isinstance(done, Failure) else done
        failed = {} if beside.status is None else {"status": beside.status}
        report = {**update["memory"], **beside.noted, **failed}
        return {**update, "memory": report, "memory_text": {**beside.text, **update.get("memory_text", {})}}

    def _retrieve(self, turn: Turn, intent: Intent, query: RecallQuery) -> Flow[dict[str, Any]]:
        doomed = yield from self._doomed(turn, intent)
        pursued = yield from self._pursuing.read_flow(turn)
        got = yield from self._recall(turn, intent, pursued.left_of(query))
        recall = without(got.recall, [memory.id for memory in doomed.memories])
        told = self._words(recall)
        plan = words(Recall(hits=tuple(Hit(memory=memory, score=1.0) for memory in doomed.memories)))
        status = recall.status if recall.status in {"off", "no_consent"} else turn.status
        status = pursued.status or (UNINDEXED if recall.status == "degraded" else status)
        update = turn.update(
            status=status,
            recalled=pursued.joined(entries(recall, got.found_by)),
            receipt_ids=[*turn.report["receipt_ids"], *doomed.receipts, *got.receipts],
            forgetting=[memory.id for memory in doomed.memories],
        )
        contents = {**plan["contents"], **pursued.contents, **told["contents"]}
        text = {**told, "contents": contents, "forgetting": plan["prompt"], "goal": pursued.text}
        return {**update, "memory_text": text}

    # --------------------------------------------------------------------------------------------------------- recall
    def _recall(self, turn: Turn, intent: Intent, query: RecallQuery) -> Flow[Retrieved]:
        if intent.is_about_me:
            return (yield from self._everything(turn))
        if not intent.needs_memory:
            return (yield from self._decline(turn, intent.reason))
        seen = episode_ids(turn.messages, turn.scope)  # the model has them before it
        recalling = self._long_term.recall_each_flow(
            _dialogue(turn, intent), replace(query, text=""), turn.scope, turn.mode, without=seen
        )
        recalls = yield from traced(turn.config, recalling)
        listed = yield from self._listed(turn, intent, query, recalls)
        return _retrieved([*recalls, *listed], query.max_tokens)

    def _listed(
        self, turn: Turn, intent: Intent, query: RecallQuery, recalls: Sequence[Recall]
    ) -> Flow[Sequence[Recall]]:
        """Return every memory of the kinds that are asked for as such: none is missing for want of the right words."""
        kinds = tuple(kind for kind in intent.kinds if query.kinds is None or kind in query.kinds)
        if not kinds or {it.status for it in recalls} & {"off", "no_consent"}:
            return ()
        page = yield from self._select(turn, ListQuery(kinds=kinds, limit=MAX_TOLD))
        admission = Admission(query=query, now=self._long_term.now())
        kept = [it for it in page if admission.objection(it) is None and not (it.goal and it.goal.is_over)]
        hits = tuple(Hit(memory=memory, score=1.0, parts={"listed": 1.0}) for memory in kept)
        receipt_id = recalls[0].receipt_id if recalls else None
        return [Recall(hits=hits, receipt_id=receipt_id, status="ok")] if hits else []

    def _decline(self, turn: Turn, reason: str) -> Flow[Retrieved]:
        query = replace(self._settings.query, text=turn.text)
        recall = yield from self._long_term.decline_flow(query, turn.scope, "skipped", reason)
        return _retrieved([recall])

    def _everything(self, turn: Turn) -> Flow[Retrieved]:
        """Return what is remembered without searching: the user asked for all of it."""
        allowed = yield from self._long_term.recall_flow(replace(self._settings.query, text=""), turn.scope, turn.mode)
        if allowed.status in {"off", "no_consent"}:
            return _retrieved([allowed])
        page = yield from self._select(turn, ListQuery(limit=MAX_TOLD))
        hits = tuple(Hit(memory=memory, score=1.0, parts={"listed": 1.0}) for memory in page)
        return _retrieved([replace(allowed, hits=hits)])

    # --------------------------------------------------------------------------------------------------------- forget
    def _doomed(self, turn: Turn, intent: Intent) -> Flow[Doomed]:
        """Return what the user asked to forget; nothing where the turn may not change memory."""
        what = intent.forget_what or ""
        if not intent.is_forget_request or not turn.may_write:
            return Doomed()
        if intent.forget_all:
            return Doomed(memories=(yield from self._all(turn)))
        if not what.strip():
            return Doomed()
        query = RecallQuery(
            text=what, limit=MAX_NAMED, min_confidence=0.0, include_pending=True, include_superseded=True
        )
        found = yield from self._long_term.recall_flow(query, turn.scope, turn.mode)
        meant = [hit.memory for hit in (*found.constraints, *found.hits) if says(hit.memory, what)]
        unique = {memory.id: memory for memory in meant}
        return Doomed(memories=tuple(unique.values()), receipts=tuple(filter(None, [found.receipt_id])))

    def _all(self, turn: Turn) -> Flow[Sequence[Memory]]:
        memories: list[Memory] = []
        cursor: str | None = None
        while True:
            page = yield from self._select(turn, ListQuery(statuses=_FORGETTABLE, cursor=cursor))
            memories += page
            cursor = page.cursor
            if cursor is None:
                return memories

    def _select(self, turn: Turn, query: ListQuery) -> Flow[MemoryPage]:
        long_term, scope = self._long_term, turn.scope
        return (
            yield from step(
                partial(long_term.select, query, scope=scope), partial(long_term.aselect, query, scope=scope)
            )
        )


def says(memory: Memory, what: str) -> bool:
    """Whether a memory says what is to be forgotten; a turn of a conversation, in one of its sentences."""
    return (is_said_in if memory.kind == "episode" else is_meant)(what, memory.content)


def _dialogue(turn: Turn, intent: Intent) -> Dialogue:
    """Return what a planner reads of a turn: what was read of it already, and the turns before."""
    return Dialogue(
        text=turn.text,
        before=said_in(turn.messages[: turn.new_from]),
        questions=intent.questions,
        action=intent.planned_action,
    )


def _retrieved(recalls: Sequence[Recall], max_tokens: int | None = None) -> Retrieved:
    found_by: dict[str, str | None] = {}
    for recall in recalls:
        for hit in (*recall.constraints, *recall.hits):
            found_by.setdefault(hit.memory.id, recall.receipt_id)
    receipts = tuple(recall.receipt_id for recall in recalls if recall.receipt_id is not None)
    return Retrieved(recall=united(recalls, max_tokens=max_tokens), receipts=receipts, found_by=found_by)
