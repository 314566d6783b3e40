"""How what is kept for different purposes meets.

A statement meets what may be used for one of its purposes: what some recall could show beside it. It replaces that for
every purpose, as what is not so is so for none, and is itself shown only to its own. What serves none of its purposes
is another record: only what ends something ("I sold the bike", "you may call me Al again") reaches it, as nothing is
told by that. The same said for more purposes takes the place of what served fewer; on another legal basis it is kept
beside.
"""

from __future__ import annotations

from langchain_agentmem.types import Candidate, Memory


def are_apart(candidate: Candidate, memory: Memory) -> bool:
    """Whether no recall could show both; what names no purpose serves every one."""
    return bool(candidate.purposes and memory.purposes) and set(candidate.purposes).isdisjoint(memory.purposes)


def said_again(candidate: Candidate, memory: Memory) -> str:
    """Return what a memory that says the same is to a candidate: a duplicate only where it serves all that that does.

    Else it is `narrower`, where the candidate serves all that it does, or merely related, as on another legal basis.
    """
    if memory.legal_basis is not None and candidate.legal_basis not in {None, memory.legal_basis}:
        return "related"
    if _serves(memory.purposes, candidate.purposes):
        return "duplicate"
    return "narrower" if _serves(candidate.purposes, memory.purposes) else "related"


def _serves(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether the first purposes are all of the second, and maybe more."""
    return not one or (bool(other) and set(other) <= set(one))
