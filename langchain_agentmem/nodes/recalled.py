"""Recalled memories on their way into the state and into the model's request."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from typing import cast

from langchain_agentmem._flow import Flow
from langchain_agentmem.long_term.flows import LongTermFlows
from langchain_agentmem.long_term.recall.prompt_form import to_prompt, to_standing_prompt
from langchain_agentmem.nodes.state import MemoryText, RecalledMemory
from langchain_agentmem.nodes.turn import Turn
from langchain_agentmem.types import Hit, Recall
from langchain_agentmem.types.fitting import tokens_of
from langchain_agentmem.types.memories import LIVE_STATUSES


def without(recall: Recall, memory_ids: Iterable[str]) -> Recall:
    """Return a recall without some of its memories."""
    gone = set(memory_ids)
    return Recall(
        hits=tuple(hit for hit in recall.hits if hit.memory.id not in gone),
        constraints=tuple(hit for hit in recall.constraints if hit.memory.id not in gone),
        receipt_id=recall.receipt_id,
        status=recall.status,
    )


def entries(recall: Recall, receipts: dict[str, str | None], *, action: str | None = None) -> list[RecalledMemory]:
    """Return what the report says of a recall: ids and numbers; `receipts` tells which recall found which id."""
    in_force = {hit.memory.id for hit in recall.constraints}
    found = [(hit, True) for hit in recall.constraints]
    found += [(hit, False) for hit in recall.hits if hit.memory.id not in in_force]
    return [
        {
            "id": hit.memory.id,
            "kind": hit.memory.kind,
            "status": hit.memory.status,
            "score": float(hit.score),
            "parts": {name: float(value) for name, value in hit.parts.items()},
            "receipt_id": receipts.get(hit.memory.id),
            "is_constraint": is_constraint,
            "action": action,
        }
        for hit, is_constraint in found
    ]


def words(recall: Recall, known: MemoryText | None = None) -> MemoryText:
    """Return the words of a recall beside those known already."""
    known = known or {}
    contents = {hit.memory.id: hit.memory.content for hit in (*recall.constraints, *recall.hits)}
    blocks = (known.get("prompt", ""), to_prompt(recall))
    told = {"contents": {**known.get("contents", {}), **contents}, "prompt": "\n".join(filter(None, blocks))}
    return cast("MemoryText", {**known, **told})


def tokens_told(recall: Recall) -> int:
    """Return about how many tokens a recall takes in a prompt."""
    return tokens_of(to_prompt(recall))


def words_apart(recall: Recall, profile: str = "") -> MemoryText:
    """Return the words of a recall, and apart from them what stays the same from turn to turn: profile, constraints."""
    rest = without(Recall(hits=recall.hits), [hit.memory.id for hit in recall.constraints])
    standing = "\n\n".join(filter(None, [profile, to_standing_prompt(recall)]))
    return {**words(recall), "prompt": to_prompt(rest), "standing": standing}


def reread_recall(long_term: LongTermFlows, turn: Turn, known: Container[str] = ()) -> Flow[Recall]:
    """Return what was recalled in this turn, as it stands now, but for what is known.

    A run that was interrupted comes back with ids only; what was forgotten in the meantime stays away.
    """
    found: list[tuple[RecalledMemory, Hit]] = []
    wanted = [entry for entry in turn.report["recalled"] if entry["id"] not in known]
    memories = yield from long_term.get_each([entry["id"] for entry in wanted], turn.scope, turn.text)
    for entry in wanted:
        memory = memories.get(entry["id"])
        if memory is not None and memory.status in LIVE_STATUSES:
            status = entry.get("status", memory.status) if memory.kind == "episode" else memory.status
            shown = replace(memory, status=status)
            found.append((entry, Hit(memory=shown, score=entry["score"], parts=entry["parts"])))
    return Recall(
        hits=tuple(hit for entry, hit in found if not entry["is_constraint"]),
        constraints=tuple(hit for entry, hit in found if entry["is_constraint"]),
    )
