"""A process that is killed between the ledger's commit and the index's write.

It remembers what it is told to, text by text, and dies (kill -9, by its own hand) when the last of them is about to
enter the vector store, before or after the store has taken it.
"""

from __future__ import annotations

import os
import signal
from typing import Any, Final, Literal, TypeAlias

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem._flow import Flow
from langchain_agentmem.index.vector_store import VectorStoreIndex
from tests.fake_embeddings import WordEmbeddings
from tests.processes import Say
from tests.vector_stores import Place, opened

Moment: TypeAlias = Literal["before", "after"]

ALICE: Final = Scope("alice")


def remember_and_die(_say: Say, url: str, place: Place, moment: Moment, texts: list[str]) -> None:
    """Remember texts, and be killed at that moment of the last one's way into the store."""
    with opened(place) as build:
        memory = AgentMemory.connect(sql=url, embeddings=WordEmbeddings(dim=place.dim), index=build, consent="assumed")
        for text in texts[:-1]:
            memory.long_term.remember(text, scope=ALICE)
        write = VectorStoreIndex._write

        def dying(self: VectorStoreIndex, *args: Any) -> Flow[None]:
            if moment == "after":
                yield from write(self, *args)
            os.kill(os.getpid(), signal.SIGKILL)
            yield from ()

        VectorStoreIndex._write = dying  # type: ignore[assignment,method-assign]  # this process has a few milliseconds left
        memory.long_term.remember(texts[-1], scope=ALICE)
