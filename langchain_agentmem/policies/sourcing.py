"""Facts beside the turns of conversations they were taken from: both are found, and they say the same.

A fact is what was made of a turn: shorter, judged, and kept up to date. So the best of the facts that a turn has to do
with stands just above it; and a turn whose fact was replaced is marked as superseded, whatever else it says, whether
what replaced it was found or not. What is in force stands above both: what it replaced, and the turn that says so. A
message is known by its id and its conversation: ids are unique in one only.
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
    """Return hits, best first: a turn below the best fact it has to do with.

    Args:
        hits: What passed the rules.
        replaced: Memories that hits supersede, and what these superseded, by id, as far as they are still there.
    """
    turns = _turns_in(hit.memory for hit in hits)
    scores = {hit.memory.id: hit.score for hit in hits}
    best: dict[str, Hit] = {}
    for hit in hits:
        if hit.memory.kind == "episode":
            continue
        for turn in _of(hit.memory, turns).union(*(_of(it, turns) for it in _before(hit.memory, replaced))):
            if turn not in best or hit.score > best[turn].score:
                best[turn] = hit
    raised = dict(scores)
    for turn, hit in best.items():
        raised[hit.memory.id] = max(raised[hit.memory.id], scores[turn])
    ordered = [_raised(hit, raised[hit.memory.id]) for hit in hits]
    return sorted(ordered, key=lambda hit: (-hit.score, hit.memory.kind == "episode", hit.memory.id))


def above_stale(
    hits: Sequence[Hit], stale: Mapping[str, str], current: Mapping[str, Memory], allowed: Mapping[str, Memory]
) -> list[Hit]:
    """Return hits, best first: what is in force just above what it replaced and the turns that say this, found or not.

    A turn of which another fact was found, that still holds, is there for that.

    Args:
        hits: What passed the rules.
        stale: By the id of each fact that was replaced, and of each turn that says it, the id of the fact in force.
        current: Those facts.
        allowed: Those of them that may be returned; in the place of another stands the turn that it is of.
    """
    turns = _turns_in(hit.memory for hit in hits)
    holding = [hit.memory for hit in hits if hit.memory.kind != "episode" and hit.memory.id not in stale]
    meant = {turn for memory in holding for turn in _of(memory, turns)}
    least: dict[str, float] = {}
    for hit in hits:
        by = None if hit.memory.id in meant else current.get(stale.get(hit.memory.id, ""))
        for new_id in () if by is None else {by.id} if by.id in allowed else _of(by, turns) - stale.keys():
            least[new_id] = max(least.get(new_id, 0.0), hit.score)
    here = {hit.memory.id: hit for hit in hits}
    brought = [Hit(memory=allowed[it], score=0.0) for it in least if it not in here]
    raised = [_raised(hit, least.get(hit.memory.id, 0.0)) for hit in (*hits, *brought)]
    return sorted(raised, key=lambda it: (-it.score, it.memory.id in stale, it.memory.kind == "episode", it.memory.id))


def superseded_by(hits: Iterable[Hit]) -> list[str]:
    """Return the ids of what the facts among hits replaced, if there are turns that may have said it."""
    hits = list(hits)
    if not any(hit.memory.kind == "episode" for hit in hits):
        return []
    facts = (hit.memory for hit in hits if hit.memory.kind != "episode")
    return list(dict.fromkeys(it for memory in facts for it in memory.supersedes))


def taken_from(turns: Iterable[Memory], memories: Iterable[Memory]) -> list[Memory]:
    """Return the memories that were taken from any of some turns."""
    said = _turns_in(turns)
    return [it for it in memories if _of(it, said)]


def stale_turns(turns: Iterable[Memory], replaced: Iterable[tuple[Memory, Memory]]) -> dict[str, str]:
    """Return, by the id of each turn that says what was replaced, the id of the fact that is in force now.

    A turn that says the old and the new has corrected itself.

    Args:
        turns: In the form of memories.
        replaced: Facts, each with the last of those that took its place, one after the other.
    """
    said = _turns_in(turns)
    stale: dict[str, str] = {}
    for old, new in replaced:
        for turn in _of(old, said) - _of(new, said):
            stale.setdefault(turn, new.id)
    return stale


def marked(memory: Memory, stale: Mapping[str, str]) -> Memory:
    """Return a turn as superseded, where it is stale, with a link to what is in force."""
    by = stale.get(memory.id)
    if by is None or memory.status != "active":
        return memory
    return replace(memory, status="superseded", links=(*memory.links, by))


def _turns_in(memories: Iterable[Memory]) -> Turns:
    turns: dict[tuple[str | None, str], set[str]] = defaultdict(set)
    for memory in memories:
        if memory.kind == "episode":
            for message_id in memory.provenance.message_ids:
                turns[memory.scope.session_id, message_id].add(memory.id)
    return turns


def _of(memory: Memory, turns: Turns) -> set[str]:
    """Return the turns from which a memory was taken."""
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


def _raised(hit: Hit, score: float) -> Hit:
    return hit if score <= hit.score else replace(hit, score=score, parts={**hit.parts, "turn": score})
