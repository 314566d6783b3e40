"""Recalled memories as text for a prompt: delimited data, never an instruction.

Each memory is an element with its kind, confidence, source and last use as attributes and its content escaped, so that
no content can close the element, open another one or pose as the system's words. A turn of a conversation has its
speaker and its day instead; one that only stands `beside` another names that. Where turns came with their neighbours,
each conversation is shown in its own order. What `contradicts` another names it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from xml.sax.saxutils import escape, quoteattr

from langchain_agentmem.types import GoalProgress, Hit, Memory, Recall, Scope
from langchain_agentmem.types.fitting import CHARS_PER_TOKEN


def to_prompt(recall: Recall) -> str:
    """Return the constraints in force and the hits as delimited text; empty where there is nothing to say."""
    in_force = {hit.memory.id for hit in recall.constraints}
    hits = [hit for hit in recall.hits if hit.memory.id not in in_force]
    lines = [_element(hit) for hit in (*recall.constraints, *_as_said(hits))]
    return "\n".join(["<memories>", *lines, "</memories>"]) if lines else ""


def to_standing_prompt(recall: Recall) -> str:
    """Return the constraints in force as delimited text that changes with nothing but them; empty where there are none.

    The oldest come first, and their last use is left out: so a provider's cache keeps it from turn to turn.
    """
    ordered = sorted(recall.constraints, key=lambda hit: (hit.memory.created_at, hit.memory.id))
    lines = [_element(hit, shows_use=False) for hit in ordered]
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
            yield from sorted(talks.pop(hit.memory.scope, ()), key=_said_at)


def _said_at(hit: Hit) -> tuple[datetime, int]:
    return hit.memory.valid_at or hit.memory.created_at, hit.place or 0


def fitting(
    hits: Iterable[Hit], left: int | None, leave: Callable[[Hit], object] = lambda _: None
) -> tuple[list[Hit], int | None]:
    """Return the hits that fit a budget of tokens, in their order, and what is left of it; `None`: there is no budget.

    Args:
        hits: Each has its place while it fits, also behind one that did not.
        left: Tokens.
        leave: Called with each that does not fit.
    """
    kept: list[Hit] = []
    for hit in hits:
        cost = 0 if left is None else tokens_of(hit)
        if left is not None and cost > left:
            leave(hit)
            continue
        left = None if left is None else left - cost
        kept.append(hit)
    return kept, left


def tokens_of(hit: Hit) -> int:
    """Return about how many tokens a memory takes in a prompt."""
    return math.ceil(len(_element(hit)) / CHARS_PER_TOKEN)


def describe(memories: Sequence[Memory]) -> str:
    """Return memories as a list for the user they are about, a line each; the ids are for whoever is to change one."""
    return "\n".join(
        f"- {' '.join(memory.content.split())} ({_kind(memory)}, {memory.confidence:.0%} sure, id {memory.id})"
        for memory in memories
    )


def _element(hit: Hit, *, shows_use: bool = True) -> str:
    memory = hit.memory
    attributes = {"id": memory.id, "kind": memory.kind, **(_said(memory) if memory.kind == "episode" else _known(hit))}
    if not shows_use:
        attributes.pop("last_used", None)
    if memory.status != "active":
        attributes["status"] = memory.status
    if memory.goal is not None:
        attributes |= _pursued(memory.goal)
    if hit.contradicts:
        attributes["contradicts"] = " ".join(hit.contradicts)
    if hit.neighbour_of is not None:
        attributes["beside"] = hit.neighbour_of
    written = " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items())
    return f"<memory {written}>{escape(memory.content)}</memory>"


def _kind(memory: Memory) -> str:
    return memory.kind if memory.goal is None else f"{memory.kind}, {memory.goal.status}"


def _pursued(goal: GoalProgress) -> dict[str, str]:
    """Return how far a goal has come: what is reached must not be taken for something to do."""
    said = {"progress": goal.status, "steps_done": str(len(goal.completed))}
    return said if goal.next_step is None else {**said, "next_step": goal.next_step}


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
