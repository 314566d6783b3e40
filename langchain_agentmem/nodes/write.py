"""What a turn leaves in memory: extraction over its new messages, and the policy's decision on each candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_agentmem._flow import Flow
from langchain_agentmem.extraction.contract import Extraction
from langchain_agentmem.identity import resolve_run_id, resolve_user_name
from langchain_agentmem.nodes.state import KeptMemory, MemoryReport, Refusal
from langchain_agentmem.nodes.turn import Failure, MemoryNode, MemoryParts, NodeSettings, Turn, attempt
from langchain_agentmem.types import Candidate, Decision


@dataclass(slots=True)
class Written:
    """What became of the candidates so far."""

    written: list[KeptMemory] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    superseded: list[str] = field(default_factory=list)
    contents: dict[str, str] = field(default_factory=dict)

    def note(self, candidate: Candidate, decision: Decision) -> None:
        """Add one decision; of what was refused, only the rule and the reason."""
        memory = decision.memory
        if memory is None:
            self.refused.append({"kind": candidate.kind, "rule": decision.rule, "reason": decision.reason})
            return
        kept: KeptMemory = {
            "id": memory.id,
            "kind": memory.kind,
            "verdict": decision.verdict,
            "rule": decision.rule,
            "reason": decision.reason,
        }
        self.written.append(kept)
        self.superseded += decision.superseded
        self.contents[memory.id] = memory.content


class Write(MemoryNode):
    """Remembers what the turn's new messages say, after the answer.

    Nothing is taken from earlier messages, from system messages, or from what memory itself put before the model. What
    tools led to is left to `Update`. Every candidate, kept or refused, is in the report.

    Args:
        memory: An `AgentMemory`.
        settings: For whom, and in which mode.
    """

    name = "write"

    def __init__(self, memory: MemoryParts, *, settings: NodeSettings | None = None) -> None:
        super().__init__(settings)
        self._memory = memory

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        if not turn.may_write:
            return turn.update(written=[], refused=[], superseded=[])
        user_name = resolve_user_name(turn.config)
        found = yield from attempt(
            self._memory.extractor.extract_flow(turn.messages, user_name=user_name, new_from=turn.new_from)
        )
        if isinstance(found, Failure):
            return turn.update(status=found.status, written=[], refused=[], superseded=[])
        done = Written()
        failure = yield from self._remember(turn, _said(found), done)
        return _update(turn, done, found, failure)

    def _remember(self, turn: Turn, candidates: Sequence[Candidate], done: Written) -> Flow[Failure | None]:
        for candidate in candidates:
            decision = yield from attempt(
                self._memory.long_term.remember_flow(_of_run(candidate), turn.scope, turn.mode)
            )
            if isinstance(decision, Failure):
                return decision  # what is down stays down; the rest would only wait for it
            done.note(candidate, decision)
        return None


def _said(found: Extraction) -> list[Candidate]:
    return [each for each in found.candidates if not (each.kind == "outcome" and each.source == "learned")]


def _of_run(candidate: Candidate) -> Candidate:
    run_id = resolve_run_id()
    return replace(candidate, provenance=replace(candidate.provenance, run_id=run_id)) if run_id else candidate


def _update(turn: Turn, done: Written, found: Extraction, failure: Failure | None) -> dict[str, Any]:
    report: MemoryReport = turn.report
    update = turn.update(
        written=done.written,
        refused=done.refused,
        superseded=done.superseded,
        failures=report["failures"] + found.failures,
        status=failure.status if failure else report["status"],
    )
    text = turn.state.get("memory_text") or {}
    return {**update, "memory_text": {**text, "contents": {**text.get("contents", {}), **done.contents}}}
