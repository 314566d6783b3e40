"""What a memory says of others than whom the user asked to forget: kept by itself, where it can be put into words."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from langchain_agentmem._flow import Flow
from langchain_agentmem.long_term import LongTermMemory
from langchain_agentmem.long_term.revising import candidate_of
from langchain_agentmem.policies.forget_request import Wanted
from langchain_agentmem.policies.forgotten import names_in
from langchain_agentmem.policies.several import several_in
from langchain_agentmem.types import Candidate, Decision, Memory


def rest_flow(long_term: LongTermMemory, memory: Memory, what: str, called: Collection[str]) -> Flow[list[Decision]]:
    """Remember what is left of a memory that was forgotten, if anything is; return what became of it.

    Of what was over already nothing is left to hold on: who lived in Leeds, and moved, lives there no more.

    Args:
        long_term: Where memories are.
        memory: It, as it is forgotten.
        what: The user asked to forget.
        called: What the user may be called, besides what the memory tells.
    """
    decisions: list[Decision] = []
    for text in left_of(memory, what, called) if _held_until_forgotten(memory) else ():
        decisions += [(yield from long_term.remember_flow(_alone(memory, text), memory.scope, "on"))]
    return decisions


def _held_until_forgotten(memory: Memory) -> bool:
    ended, forgotten = memory.invalid_at, memory.expired_at
    return ended is None or (forgotten is not None and ended > forgotten)


def left_of(memory: Memory, what: str, called: Collection[str] = ()) -> tuple[str, ...]:
    """Return what a memory says of others than a request to forget names; nothing where that is not sure.

    Nothing is left either where no part is named by itself: then all of it is what was meant.
    """
    several = several_in(memory.content)
    if several is None or not several.can_stand:
        return ()
    wanted, names = Wanted.of(what), names_in(memory).union(called)
    left = tuple(it for it in several.parts if not wanted.means(it, names))
    return left if len(left) < len(several.parts) else ()


def _alone(memory: Memory, text: str) -> Candidate:
    """Return a part of a memory; the words that tell of the other part are no evidence for it any more."""
    origin = replace(memory.provenance, evidence=None)
    return candidate_of(memory, {"content": text, "relation": None, "object": None, "provenance": origin})
