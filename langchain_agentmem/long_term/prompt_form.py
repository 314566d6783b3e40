"""Recalled memories as text for a prompt: delimited data, never an instruction.

Each memory is an element with its kind, confidence, source and last use as attributes and its content escaped, so that
no content can close the element, open another one or pose as the system's words. A turn of a conversation has its
speaker and its day instead; one that only stands `beside` another names that. Where turns came with their neighbours,
each conversation is shown in its own order. What `contradicts` another names it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from langchain_agentmem.types import Hit, Memory, Recall, Scope

CHARS_PER_TOKEN: Final = 4.0
"""The same estimate as `langchain_core.messages.utils.count_tokens_approximately`."""


def to_prompt(recall: Recall) -> str:
    """Return the constraints in force and the hits as delimited text; empty where there is nothing to say."""
    in_force = {hit.memory.id for hit in recall.constraints}
    hits = [hit for hit in recall.hits if hit.memory.id not in in_force]
    lines = [_element(hit) for hit in (*recall.constraints, *_as_said(hits))]
    return "\n".join(["<memories>", *lines, "</memories>"]) if lines else ""


def _as_said(hits: Sequence[Hit]) -> Iterator[Hit]:
    """Yield hits as they come, but the turns of one conversation together, in its order, where that is known."""
    talks: dict[Scope, list[Hit]] = {}
    for hit in hits:
        if hit.place is not None:
            talks.setdefault(hit.memory.scope, []).append(hit)
    for hit in hits:
        if hit.place is None:
            yield hit
        else:
            yield from sorted(talks.pop(hit.memory.scope, ()), key=lambda it: it.place or 0)


def tokens_of(hit: Hit) -> int:
    """Return about how many tokens a memory takes in a prompt."""
    return math.ceil(len(_element(hit)) / CHARS_PER_TOKEN)


def describe(memories: Sequence[Memory]) -> str:
    """Return memories as a list for the user they are about, a line each; the ids are for whoever is to change one."""
    return "\n".join(
        f"- {' '.join(memory.content.split())} ({memory.kind}, {memory.confidence:.0%} sure, id {memory.id})"
        for memory in memories
    )


def _element(hit: Hit) -> str:
    memory = hit.memory
    attributes = {"id": memory.id, "kind": memory.kind, **(_said(memory) if memory.kind == "episode" else _known(hit))}
    if memory.status != "active":
        attributes["status"] = memory.status
    if hit.contradicts:
        attributes["contradicts"] = " ".join(hit.contradicts)
    if hit.neighbour_of is not None:
        attributes["beside"] = hit.neighbour_of
    written = " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items())
    return f"<memory {written}>{escape(memory.content)}</memory>"


def _known(hit: Hit) -> dict[str, str]:
    memory = hit.memory
    return {
        "confidence": f"{memory.confidence:.0%}",
        "source": memory.source,
        "last_used": _day(hit.last_used_at),
    }


def _said(memory: Memory) -> dict[str, str]:
    """Return who said it and when: what was said once may be otherwise now."""
    return {"speaker": memory.subject or "", "said": _day(memory.valid_at or memory.created_at)}


def _day(moment: datetime | None) -> str:
    return "never" if moment is None else moment.date().isoformat()
