"""A process that is killed between the ledger's commit and the index's write.

Run as `python -m tests.integration_tests.feeder`, it remembers what it is told to, text by text, and dies (kill -9, by
its own hand) when the last of them is about to enter the vector store, before or after the store has taken it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any, Final, Literal, TypeAlias

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem._flow import Flow
from langchain_agentmem.index.vector_store import VectorStoreIndex
from tests.fake_embeddings import WordEmbeddings
from tests.vector_stores import Place, StoreName, opened

Moment: TypeAlias = Literal["before", "after"]

ALICE: Final = Scope("alice")


def remember_and_die(url: str, place: Place, moment: Moment, texts: list[str]) -> None:
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


def killed(url: str, place: Place, moment: Moment, *texts: str) -> int:
    """Run such a process, and return how it ended."""
    what = [url, place.store, place.where, str(place.dim), place.name, moment, *texts]
    command = [sys.executable, "-m", "tests.integration_tests.feeder", *what]
    return subprocess.run(command, check=False, timeout=120).returncode


if __name__ == "__main__":
    _, sql, named, address, size, called, when, *said = sys.argv
    store: StoreName = named  # type: ignore[assignment]  # what `killed` passes
    at: Moment = when  # type: ignore[assignment]  # likewise
    remember_and_die(sql, Place(store=store, where=address, dim=int(size), name=called), at, said)
