"""What `doctor` finds of the index: whether it is reached, how much is in it, and whether it filters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from langchain_agentmem._flow import run
from langchain_agentmem._search import SearchFilter, SearchQuery
from langchain_agentmem.cli.looks import Look
from langchain_agentmem.composition import make_embedder
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.backends import chosen_index
from langchain_agentmem.index.base import Index
from langchain_agentmem.index.named import NAMED, named_options
from langchain_agentmem.index.vector_store import VectorStoreIndex
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.types import Scope

NAME: Final = "index"
_NOBODY: Final = Scope("agentmem doctor")
_QUESTION: Final = SearchFilter(now=1, at=1, kinds=("fact",), tags=("doctor",), agent_id="doctor", purposes=("doctor",))
"""Asks for every sort of clause that there is, and of nobody."""


def look_at_index(parts: Mapping[str, Any], remembered: int, *, deep: bool) -> Look:
    """Return what is found of the index of a memory with these parts; nothing is made.

    Args:
        parts: Arguments of an `AgentMemory`.
        remembered: How many memories the database has.
        deep: Open also what another package brings, which may make something.
    """
    index, options = parts.get("index"), parts["options"]
    if index is None:
        return Look(name=NAME, state="ok", found="a view of the database, exact; no vector store")
    is_known = isinstance(index, str) and index in NAMED
    if not is_known and not deep:
        return Look(name=NAME, state="ok", found=f"{index!r} of another package, not tried", remedy="--deep opens it")
    server = ""
    if is_known:
        reached = named_options(index, options.index_options).reach()
        server = f"{reached.server}; "
        if not reached.is_there:
            remedy = "it is made with the first use; memory.long_term.rebuild_index() fills it with what is remembered"
            return Look(name=NAME, state="note", found=f"{server}nothing is there yet", remedy=remedy)
    opened = _opened(index, parts["embeddings"], options)
    try:
        return _look(opened, server, remembered)
    finally:
        run(opened.close())


def _opened(index: Any, embeddings: Any, options: MemoryOptions) -> Index:  # noqa: ANN401  (as `AgentMemory` takes them)
    embedder = make_embedder(embeddings, options)
    name = None if embedder is None else embedder.name
    return chosen_index(index, name, options.index_options or {})  # nobody is named, so no key is begun


def _look(index: Index, server: str, remembered: int) -> Look:
    if not isinstance(index, VectorStoreIndex):
        return Look(name=NAME, state="ok", found=f"{type(index).__name__}, opened")
    count = run(index.count())
    vector = np.ones(index.dim or 1, np.float32) / np.sqrt(index.dim or 1, dtype=np.float32)
    if run(index.search(_NOBODY, SearchQuery(text="", filter=_QUESTION, vector=vector, limit=1))):
        msg = "the index gives rows to a user who has none; empty it, and fill it by memory.long_term.rebuild_index()"
        raise ConfigurationError(msg)
    found = f"{server}{'an unknown number of' if count is None else f'{count:,}'} rows, filters work"
    if count == 0 and remembered:
        remedy = "memory.long_term.rebuild_index() fills it with what is remembered"
        return Look(name=NAME, state="note", found=f"{found}; it is empty, and the database is not", remedy=remedy)
    if count is not None and count < remembered:
        remedy = "memory.long_term.repair_index() brings again what it lost, reindex() what has no vector yet"
        return Look(name=NAME, state="note", found=f"{found}; the database has {remembered:,} memories", remedy=remedy)
    return Look(name=NAME, state="ok", found=found)
