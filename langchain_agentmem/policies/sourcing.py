"""Facts beside the turns of conversations they were taken from: both are found, and they say the same.

A fact is what was made of a turn: shorter, judged, and kept up to date. So the best of the facts that a turn has to do
with stands just above it; and a turn whose fact was replaced is marked as superseded, whatever else it says. A message
is known by its id and its conversation: ids are unique in one only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from langchain_agentmem.types import Hit, Memory

Turns: TypeAlias = Mapping[tuple[str | None, str], set[str]]
"""Ids of turns, by the conversation and the id of each of their messages."""


def beside_their_turns(hits: Sequence[Hit], replaced: Mapping[str, Memory]) -> list[Hit]:
    """Return hits, best first: a turn below the best fact it has to do with, and marked if a fact of it was replaced.

    Args:
        hits: What passed the rules.
        replaced: Memories that hits supersede, and what these superseded, by id, as far as they are still there.
    """
    turns = _turns_in(hits)
    scores = {hit.memory.id: hit.score for hit in hits}
    best: dict[str, Hit] = {}
    stale: dict[str, str] = {}
    for hit in hits:
        if hit.memory.kind == "episode":
            continue
        now = _of(hit.memory, turns)
        before = {turn for it in _before(hit.memory, replaced) for turn in _of(it, turns)}
        for turn in now | before:
            if turn not in best or hit.score > best[turn].score:
                best[turn] = hit
        stale.update({turn: hit.memory.id for turn in before - now if turn not in stale})
    raised = dict(scores)
    for turn, hit in best.items():
        raised[hit.memory.id] = max(raised[hit.memory.id], scores[turn])
    ordered = [_raised(_marked(hit, stale), raised[hit.memory.id]) for hit in hits]
    return sorted(ordered, key=lambda hit: (-hit.score, hit.memory.kind == "episode", hit.memory.id))


def superseded_by(hits: Iterable[Hit]) -> list[str]:
    """Return the ids of what the facts among hits replaced, if there are turns that may have said it."""
    hits = list(hits)
    if not any(hit.memory.kind == "episode" for hit in hits):
        return []
    facts = (hit.memory for hit in hits if hit.memory.kind != "episode")
    return list(dict.fromkeys(it for memory in facts for it in memory.supersedes))


def _turns_in(hits: Iterable[Hit]) -> Turns:
    turns: dict[tuple[str | None, str], set[str]] = defaultdict(set)
    for hit in hits:
        if hit.memory.kind == "episode":
            for message_id in hit.memory.provenance.message_ids:
                turns[hit.memory.scope.session_id, message_id].add(hit.memory.id)
    return turns


def _of(memory: Memory, turns: Turns) -> set[str]:
    """Return the turns among hits from which a memory was taken."""
    keys = ((memory.scope.session_id, message_id) for message_id in memory.provenance.message_ids)
    return {turn for key in keys if key in turns for turn in turns[key]}


def _before(memory: Memory, replaced: Mapping[str, Memory]) -> list[Memory]:
    """Return what a memory replaced, and what that had replaced."""
    found: dict[str, Memory] = {}
    waiting = list(memory.supersedes)
    while waiting:
        memory_id = waiting.pop()
        if memory_id in replaced and memory_id not in found:
            found[memory_id] = replaced[memory_id]
            waiting.extend(replaced[memory_id].supersedes)
    return list(found.values())


def _marked(hit: Hit, stale: Mapping[str, str]) -> Hit:
    by = stale.get(hit.memory.id)
    if by is None or hit.memory.status != "active":
        return hit
    return replace(hit, memory=replace(hit.memory, status="superseded", links=(*hit.memory.links, by)))


def _raised(hit: Hit, score: float) -> Hit:
    return hit if score <= hit.score else replace(hit, score=score, parts={**hit.parts, "turn": score})
