"""Marks of memories that contradict each other, as far as both are there.

A mark stays while the other one is forgotten or replaced, for it may come back. Till then it tells nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from langchain_agentmem.types import Memory


def marked_among(ids: Collection[str], memories: Iterable[Memory]) -> list[Memory]:
    """Return memories that name of what contradicts them only some."""
    return [
        it if not it.contradicts else replace(it, contradicts=tuple(other for other in it.contradicts if other in ids))
        for it in memories
    ]
