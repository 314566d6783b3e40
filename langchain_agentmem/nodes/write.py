"""What a turn leaves in memory: extraction over its new messages, and the policy's decision on each candidate."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.english.endings.denied_goals import is_given_up
from langchain_agentmem.english.people.since import dated
from langchain_agentmem.english.requests.forget_request import is_named, wanted_apart
from langchain_agentmem.extraction.contract import EXTRACTION_CONTEXT, Extraction
from langchain_agentmem.extraction.record.attribution import after_reading
from langchain_agentmem.extraction.record.conversation import with_context
from langchain_agentmem.identity import resolve_run_id, resolve_user_name
from langchain_agentmem.long_term.turns.ingesting import Manner
from langchain_agentmem.long_term.write.known import known_before
from langchain_agentmem.nodes.intent import intent_of
from langchain_agentmem.nodes.resting import rest_flow
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.state import FORGET_REQUEST, KeptMemory, MovedMemory, Refusal
from langchain_agentmem.nodes.turn import Failure, MemoryNode, MemoryParts, Turn, attempt
from langchain_agentmem.policies.approve import awaits
from langchain_agentmem.policies.write import OF_NOTHING
from langchain_agentmem.types import Candidate, Decision, Memory

ECHO: Final = "echo"
"""Rule for what the assistant says of the user in an answer that used memory: it would confirm itself."""


@dataclass(slots=True)
class Written:
    """What became of the candidates so far."""

    written: list[KeptMemory] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    superseded: list[str] = field(default_factory=list)
    updated: list[MovedMemory] = field(default_factory=list)
    contents: dict[str, str] = field(default_factory=dict)
    asking: list[Memory] = field(default_factory=list)

    def note(self, kind: str, decision: Decision) -> None:
        """Add one decision; of what was refused, only the rule and the reason, and of what only ends, what it ended."""
        memory = decision.memory
        if decision.rule in OF_NOTHING:
            return
        if memory is None:
            self.refused.append({"kind": kind, "rule": decision.rule, "reason": decision.reason})
            return
        self.superseded += decision.superseded
        if memory.status == "archived":
            return
        self.contents[memory.id] = memory.content
        self.asking += [memory] if awaits(memory) else []
        if decision.verdict == "merged":
            self.updated.append(moved_memory(memory, decision.reason))
        else:
            self.written.append(_kept(memory, decision))

    def update(self, turn: Turn, part: str, failure: Failure | None = None, **changes: Any) -> dict[str, Any]:
        """Return the state update that adds all of it to the report; `part` is the node, done or with a failure."""
        report, text = turn.report, turn.state.get("memory_text") or {}
        changed = {
            "written": [*report["written"], *self.written],
            "refused": [*report["refused"], *self.refused],
            "superseded": [*report["superseded"], *self.superseded],
            "updated": [*report["updated"], *self.updated],
            **self._asked(turn),
            **changes,
        }
        update = turn.did(part, **changed) if failure is None else turn.failed(part, failure, **changed)
        return {**update, "memory_text": {**text, "contents": {**text.get("contents", {}), **self.contents}}}

    def _asked(self, turn: Turn) -> dict[str, Any]:
        """Return what a person is asked about, as it stands behind the last of it."""
        if not self.asking:
            return {}
        version = max(it.revision for it in self.asking)
        ids = dict.fromkeys([*(it["id"] for it in turn.report["asking"]), *(it.id for it in self.asking)])
        return {"asking": [{"id": it, "version": version} for it in ids]}


class Write(MemoryNode):
    """Remembers what the turn's new messages say, after the answer, and keeps the turn for search.

    Nothing is taken from earlier messages, from system messages, or from what memory itself put before the model. What
    tools led to is left to `Update`. Every candidate, kept or refused, is in the report. A request to forget is not
    kept: it says once more what is to be forgotten.

    Args:
        memory: An `AgentMemory`.
        settings: For whom, and in which mode.
    """

    name = "write"

    def __init__(self, memory: MemoryParts, *, settings: NodeSettings | None = None) -> None:
        super().__init__(settings)
        self._memory = memory

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        done = Written()
        if not turn.may_write:
            return turn.update()
        kept = yield from attempt(self._keep, turn)
        count, failed = (0, kept) if isinstance(kept, Failure) else (kept, None)
        found = yield from attempt(propose, self._memory, turn, resolve_user_name(turn.config))
        if isinstance(found, Failure):
            return done.update(turn, self.name, found, episodes=count)
        failure = (yield from self._remember(turn, found, done)) or failed
        yield from rest_flow(self._memory, turn.scope)
        counted = {"failures": turn.report["failures"] + found.failures, "episodes": count}
        return done.update(turn, self.name, failure, **counted)

    def _keep(self, turn: Turn) -> Flow[int]:
        """Keep the turn as an episode, unless it is a request to forget."""
        if intent_of(turn).is_forget_request:
            return 0
        new = turn.messages[turn.new_from :]
        manner = Manner(mode=turn.mode, is_asked_for=False, began=turn.report.get("began"), is_latest=True)
        report = yield from flows_of(self._memory.episodes).keep(new, turn.scope, manner)
        return report.kept

    def _remember(self, turn: Turn, found: Extraction, done: Written) -> Flow[Failure | None]:
        for candidate in found.candidates:
            objection = objection_to(candidate, turn)
            if objection is not None:
                done.note(candidate.kind, objection)
                continue
            decision = yield from attempt(self._take, of_run(candidate, resolve_run_id()), turn)
            if isinstance(decision, Failure):
                return decision  # what is down stays down; the rest would only wait for it
            done.note(candidate.kind, decision)
        return None

    def _take(self, candidate: Candidate, turn: Turn) -> Flow[Decision]:
        """Keep a candidate as said now: what changed, has changed since then, if it names no other day."""
        told = replace(dated(candidate, flows_of(self._memory.long_term).now()), began=turn.report.get("began"))
        return (yield from flows_of(self._memory.long_term).remember(told, turn.scope, turn.mode))


def propose(memory: MemoryParts, turn: Turn, user_name: str | None) -> Flow[Extraction]:
    """Return what the turn's new messages say, but for outcomes of actions: those are learned from."""
    new = turn.messages[turn.new_from :] if turn.may_write else []
    known = yield from known_before(flows_of(memory.long_term).select, new, turn.scope)
    messages, new_from = with_context(turn.messages, turn.new_from, EXTRACTION_CONTEXT)
    heard, first = [*known, *messages], len(known) + new_from
    found = yield from memory.extractor.extract_flow(heard, user_name=user_name, new_from=first)
    said = [it for it in found.candidates if not (it.kind == "outcome" and it.source == "learned")]
    return replace(found, candidates=after_reading(said, turn.messages))


def moved_memory(memory: Memory, reason: str) -> MovedMemory:
    """Return what the report says of a memory that changed."""
    return {"id": memory.id, "kind": memory.kind, "confidence": memory.confidence, "reason": reason}


def _kept(memory: Memory, decision: Decision) -> KeptMemory:
    return {
        "id": memory.id,
        "kind": memory.kind,
        "verdict": decision.verdict,
        "rule": decision.rule,
        "reason": decision.reason,
    }


def _is_to_be_forgotten(candidate: Candidate, turn: Turn) -> bool:
    """Whether the candidate is what the user just asked to forget: the request names it, and so it looks like news."""
    intent = intent_of(turn)
    if not intent.is_forget_request:
        return False
    what, content = intent.forget_what or "", candidate.content
    is_set_aside = candidate.kind == "goal" and is_given_up(content)  # "forget about the marathon" reads so as well
    if intent.forget_all or any(it.means_told(candidate) for it in wanted_apart(what)):
        return True
    return is_set_aside and is_named(what, content)


def objection_to(candidate: Candidate, turn: Turn) -> Decision | None:
    """Return why the turn itself speaks against a candidate, before any rule of the policy is asked."""
    if _is_to_be_forgotten(candidate, turn):
        return Decision(verdict="refused", rule=FORGET_REQUEST, reason="The user asked to forget this.")
    if candidate.provenance.speaker == "assistant" and turn.report["used"]:
        return Decision(verdict="refused", rule=ECHO, reason="The assistant spoke from memory: no new evidence.")
    return None


def of_run(candidate: Candidate, run_id: str | None) -> Candidate:
    """Return a candidate that names the graph's run it comes from."""
    return replace(candidate, provenance=replace(candidate.provenance, run_id=run_id)) if run_id else candidate
