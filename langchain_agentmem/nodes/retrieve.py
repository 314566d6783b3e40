"""Recall for a turn, and the plan of what is to be forgotten by it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.english.requests.intent import Intent
from langchain_agentmem.english.requests.standing_bans import bans_memory
from langchain_agentmem.long_term import ListQuery
from langchain_agentmem.long_term.recall.asking import united
from langchain_agentmem.long_term.said.turns import episode_ids
from langchain_agentmem.nodes.beside import BesideMemories
from langchain_agentmem.nodes.intent import intent_of
from langchain_agentmem.nodes.objections import NOT_HELD
from langchain_agentmem.nodes.pointing import pointed_flow
from langchain_agentmem.nodes.pursuing import Pursuing
from langchain_agentmem.nodes.recalled import entries, tokens_told, without, words, words_apart
from langchain_agentmem.nodes.seeking import MAX_TOLD, Doomed, Seeking, catch_up_flow
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.standing import Profiled, Standing, is_of_profile
from langchain_agentmem.nodes.state import RecalledMemory
from langchain_agentmem.nodes.tracing import traced
from langchain_agentmem.nodes.turn import Failure, MemoryNode, MemoryParts, Turn, attempt, began_flow
from langchain_agentmem.planning.dialogue import said_in
from langchain_agentmem.policies.querying import Dialogue
from langchain_agentmem.types import Hit, Recall, RecallQuery

UNINDEXED: Final = "degraded: an index could not be used, the ledger was searched; the receipt tells why"
UNRECORDED: Final = "degraded: no receipt of what was recalled could be written; memory is only read here"

_NOT_ALLOWED: Final = frozenset({"off", "no_consent"})
"""Statuses of a recall that say that there may be none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What memory has for a turn; `receipts` lists every receipt, `found_by` the one of each memory.

    `cut` has the ids of what was found by several questions, or listed, and had no room.
    """

    recall: Recall
    receipts: tuple[str, ...] = ()
    found_by: dict[str, str | None]
    cut: tuple[str, ...] = ()


class Retrieve(MemoryNode):
    """Recalls what the turn needs: each question of the message apart, and every constraint in force.

    What still waits of the user's earlier turns is done first. Turns of conversations are recalled beside facts, but
    for those of this conversation that the model sees anyway. The user's profile, the goal they pursue, the state of
    the task and skills for what is asked stand beside them, where the settings say so, within one budget; the report's
    `cut` names what had no room. Who asks for their goals, constraints or preferences is told all of them.

    Where the intent asks for nothing, nothing is recalled, and a receipt says why. A request to forget is held against
    memory here, so that the answer can be truthful; `Forget` carries it out when the answer is given. The words of
    memories go to `memory_text`, which no checkpoint keeps: `standing` for what seldom changes, `prompt` for the turn.

    Args:
        memory: An `AgentMemory`.
        settings: For whom, in which mode, and what every question is asked with.
    """

    name = "retrieve"

    def __init__(self, memory: MemoryParts, *, settings: NodeSettings | None = None) -> None:
        super().__init__(settings)
        self._memory: Any = memory
        self._long_term = flows_of(memory.long_term)
        self._beside = BesideMemories(memory, self._settings)
        self._pursuing = Pursuing(memory, self._settings)
        self._profiled = Profiled(memory, self._settings)
        self._seeking = Seeking(memory, self._settings)

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        turn = turn.after(turn.update(**(yield from began_flow(self._memory, turn))))
        late = yield from catch_up_flow(self._memory, self._settings, turn)
        is_known = turn.may_write and late is None  # else memory was away a moment ago
        full = is_known and (yield from attempt(self._long_term.is_full, turn.scope)) is True
        turn = yield from pointed_flow(self._memory, turn)
        beside = yield from self._beside.read_flow(turn)
        done: dict[str, Any] | Failure = turn.update(status=turn.status, recalled=[])
        if turn.may_read:
            done = yield from attempt(self._retrieve, turn, beside.tokens)
        update = turn.update(status=done.status) if isinstance(done, Failure) else done
        beside = beside.lent(self._settings.budget - beside.tokens - update.pop("used", 0))
        report = {
            **update["memory"],
            "intent": turn.report["intent"],
            "full": full,
            **beside.noted,
            "cut": _named({**beside.cut, **update["memory"].get("cut", {})}),
        }
        if late is not None and report["status"] == turn.status and intent_of(turn).needs_memory:
            report["status"] = late
        if beside.status is not None:
            report["status"] = beside.status
        return {**update, "memory": report, "memory_text": {**beside.text, **update.get("memory_text", {})}}

    def _retrieve(self, turn: Turn, taken: int) -> Flow[dict[str, Any]]:
        intent = intent_of(turn)
        doomed = yield from self._seeking.doomed_flow(turn, intent)
        pursued = yield from self._pursuing.read_flow(turn)
        left = max(1, self._settings.budget - taken - pursued.tokens)
        got = yield from self._recall(turn, intent, replace(self._settings.query, max_tokens=left))
        is_allowed = got.recall.status not in _NOT_ALLOWED
        profile = (yield from self._profiled.read_flow(turn)) if is_allowed else Standing()
        recall = without(got.recall, [memory.id for memory in doomed.memories])
        status = turn.status if is_allowed else recall.status
        noted, banned = doomed.noted(turn), [NOT_HELD] if turn.may_write and bans_memory(turn.text) else []
        update = turn.update(
            status=profile.status or pursued.status or (_trouble(recall) or status),
            recalled=_shown([*pursued.joined(entries(recall, got.found_by)), *profile.shown], doomed),
            receipt_ids=[*turn.report["receipt_ids"], *got.receipts],
            **{**noted, "refused": [*noted["refused"], *banned]},
            cut={"memories": got.cut, "profile": profile.cut, "goal": pursued.cut},
        )
        plan = words(Recall(hits=tuple(Hit(memory=memory, score=1.0) for memory in doomed.shown)))
        told = words_apart(recall, profile.text)
        contents = {**profile.contents, **plan["contents"], **pursued.contents, **told["contents"]}
        text = {**told, "contents": contents, "forgetting": plan["prompt"], "goal": pursued.text}
        return {**update, "memory_text": text, "used": pursued.tokens + tokens_told(recall)}

    # --------------------------------------------------------------------------------------------------------- recall
    def _recall(self, turn: Turn, intent: Intent, query: RecallQuery) -> Flow[Retrieved]:
        if intent.is_about_me:
            return (yield from self._everything(turn, query))
        if not intent.needs_memory:
            return (yield from self._decline(turn, replace(query, text=turn.text), intent.reason))
        seen = episode_ids(turn.messages, turn.scope)  # the model has them before it
        recalling = self._long_term.recall_each(
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
        if not kinds or {it.status for it in recalls} & _NOT_ALLOWED:
            return ()
        wanted = ListQuery(kinds=kinds, limit=MAX_TOLD, admitted=query)
        page = yield from self._long_term.select(wanted, turn.scope)
        kept = [it for it in page if not (it.goal and it.goal.is_over)]
        hits = tuple(Hit(memory=memory, score=1.0, parts={"listed": 1.0}) for memory in kept)
        receipt_id = recalls[0].receipt_id if recalls else None
        return [Recall(hits=hits, receipt_id=receipt_id, status="ok")] if hits else []

    def _decline(self, turn: Turn, query: RecallQuery, reason: str) -> Flow[Retrieved]:
        recall = yield from self._long_term.decline(query, turn.scope, "skipped", reason)
        return _retrieved([recall])

    def _everything(self, turn: Turn, query: RecallQuery) -> Flow[Retrieved]:
        """Return what is remembered without searching: the user asked for all of it."""
        allowed = yield from self._long_term.recall(replace(query, text=""), turn.scope, turn.mode)
        if allowed.status in _NOT_ALLOWED:
            return _retrieved([allowed])
        usable = RecallQuery(purpose=query.purpose, min_confidence=0.0)
        page = yield from self._long_term.select(ListQuery(limit=MAX_TOLD, admitted=usable), turn.scope)
        in_force = {hit.memory.id for hit in allowed.constraints}
        rest = (memory for memory in page if memory.id not in in_force)
        hits = tuple(Hit(memory=memory, score=1.0, parts={"listed": 1.0}) for memory in rest)
        listed = Recall(hits=hits, receipt_id=allowed.receipt_id, status="ok")
        return _retrieved([replace(allowed, hits=()), listed], query.max_tokens)


def _dialogue(turn: Turn, intent: Intent) -> Dialogue:
    """Return what a planner reads of a turn: what was read of it already, and the turns before."""
    return Dialogue(
        text=turn.text,
        before=said_in(turn.messages[: turn.new_from]),
        questions=intent.questions,
        action=intent.planned_action,
    )


def _trouble(recall: Recall) -> str:
    """Return the status of what was recalled with something missing; nothing was, where it is empty."""
    if recall.status != "degraded":
        return ""
    return UNRECORDED if recall.receipt_id is None else UNINDEXED


def _retrieved(recalls: Sequence[Recall], max_tokens: int | None = None) -> Retrieved:
    found_by: dict[str, str | None] = {}
    for recall in recalls:
        for hit in (*recall.constraints, *recall.hits):
            found_by.setdefault(hit.memory.id, recall.receipt_id)
    receipts = dict.fromkeys(recall.receipt_id for recall in recalls if recall.receipt_id is not None)
    kept = united(recalls, max_tokens=max_tokens)
    stay = {hit.memory.id for hit in (*kept.constraints, *kept.hits)}
    cut = tuple(memory_id for memory_id in found_by if memory_id not in stay)
    return Retrieved(recall=kept, receipts=tuple(receipts), found_by=found_by, cut=cut)


def _shown(found: Iterable[RecalledMemory], doomed: Doomed) -> list[RecalledMemory]:
    """Return what is shown, each once; of the profile, what is to be forgotten is not noted as such."""
    gone = {memory.id for memory in doomed.memories}
    unique: dict[str, RecalledMemory] = {}
    for entry in found:
        if entry["id"] not in gone or not is_of_profile(entry):
            unique.setdefault(entry["id"], entry)
    return [*unique.values()]


def _named(cut: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return what had no room, layers of which all had it left out."""
    return {name: list(names) for name, names in cut.items() if names}
