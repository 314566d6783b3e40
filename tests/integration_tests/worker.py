"""Processes that run the jobs of a database until none is due, or die.

Told to die, one is killed (kill -9, by its own hand) while it embeds for its so-and-so-many-th time. Told to come late,
its clock is ahead: leases of workers that died have ended for it.
"""

from __future__ import annotations

import os
import signal
from datetime import UTC, datetime, timedelta
from typing import Final

from langchain_agentmem import AgentMemory, Scope
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE
from tests.processes import Say
from tests.talks import talk

NEVER: Final = 0


class DyingEmbeddings(WordEmbeddings):
    """Embeddings that take their process with them."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self._left = calls

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed_documents(texts)


def opened(url: str, dies_at: int = NEVER, late_s: float = 0.0) -> AgentMemory:
    """Open a memory as a worker does."""

    def clock() -> datetime:
        return datetime.now(UTC) + timedelta(seconds=late_s)

    return AgentMemory.connect(sql=url, embeddings=DyingEmbeddings(dies_at), consent="assumed", clock=clock)


def run_jobs(say: Say, url: str, dies_at: int = NEVER, late_s: float = 0.0) -> None:
    """Do what is due, and say how much failed."""
    with opened(url, dies_at, late_s) as memory:
        say(memory.jobs.run().failed)


def warm_up() -> None:
    """Import all that a worker needs, once, in the process from which workers are forked; nothing stays open."""
    with AgentMemory.in_memory(embeddings=WordEmbeddings(), consent="assumed") as memory:
        memory.background.ingest(talk("I live in Rome."), scope=Scope(ALICE.user_id, session_id="s"))
        memory.jobs.run()
