"""Recalled memories as text for a prompt: delimited data, never an instruction.

Each memory is an element with its kind, confidence, source and last use as attributes and its content escaped, so that
no content can close the element, open another one or pose as the system's words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from langchain_agentmem.types import Hit, Memory, Recall

CHARS_PER_TOKEN: Final = 4.0
"""The same estimate as `langchain_core.messages.utils.count_tokens_approximately`."""


def to_prompt(recall: Recall) -> str:
    """Return the constraints in force and the hits as delimited text; empty where there is nothing to say."""
    in_force = {hit.memory.id for hit in recall.constraints}
    hits = [hit for hit in recall.hits if hit.memory.id not in in_force]
    lines = [_element(hit) for hit in (*recall.constraints, *hits)]
    return "\n".join(["<memories>", *lines, "</memories>"]) if lines else ""


def tokens_of(hit: Hit) -> int:
    """Return about how many tokens a memory takes in a prompt."""
    return math.ceil(len(_element(hit)) / CHARS_PER_TOKEN)


def describe(memories: Sequence[Memory]) -> str:
    """Return memories as a list for the user they are about; the ids are for whoever is asked to change one."""
    return "\n".join(
        f"- {memory.content} ({memory.kind}, {memory.confidence:.0%} sure, id {memory.id})" for memory in memories
    )


def _element(hit: Hit) -> str:
    memory = hit.memory
    attributes = {
        "id": memory.id,
        "kind": memory.kind,
        "confidence": f"{memory.confidence:.0%}",
        "source": memory.source,
        "last_used": _day(hit.last_used_at),
    }
    if memory.status != "active":
        attributes["status"] = memory.status
    written = " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items())
    return f"<memory {written}>{escape(memory.content)}</memory>"


def _day(moment: datetime | None) -> str:
    return "never" if moment is None else moment.date().isoformat()
