"""A process that runs the jobs of a database until none is due, or dies: `python -m tests.integration_tests.worker`.

Told to die, it is killed (kill -9, by its own hand) while it embeds for its so-and-so-many-th time. Told to come later,
its clock is ahead: leases of workers that died have ended for it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Final

from langchain_agentmem import AgentMemory
from tests.fake_embeddings import WordEmbeddings

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


def work(url: str, dies_at: int, late_s: float) -> None:
    """Do what is due, once told to; say how much that was."""
    with opened(url, dies_at, late_s) as memory:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        report = memory.jobs.run()
        sys.stdout.write(f"{report.done} {report.failed}\n")


def started(url: str, dies_at: int = NEVER, late_s: float = 0.0) -> subprocess.Popen[str]:
    """Start a worker and wait until it is ready."""
    command = [sys.executable, "-m", "tests.integration_tests.worker", url, str(dies_at), str(late_s)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for a worker that was told to go; return how it ended, and what it said."""
    said, _ = process.communicate(timeout=240)
    return process.returncode, said


if __name__ == "__main__":
    work(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
