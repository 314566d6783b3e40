from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.contracts.sweep_contract import DAY, HOUR, ROUNDS, SharedSweepContract, SweepContract, Time, opened, use


class TestSweeps(SweepContract):
    """The contract on a SQLite file and in memory."""


class TestSharedSweeps(SharedSweepContract):
    """The contract of several processes on SQLite."""

    @pytest.fixture
    def shared_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'agent.db'}"


def test_a_round_that_could_not_tidy_up_is_made_up_for(tmp_path: Path) -> None:
    """What expired is in no file once nobody reads, though nothing is left to delete, whoever takes the next turn."""
    path, clock = tmp_path / "agent.db", Time()
    with opened(f"sqlite:///{path}", clock) as memory:
        use(memory, "xyzzy", HOUR)
        clock.now += DAY
        with closing(sqlite3.connect(path)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM agentmem_threads").fetchall()
            assert memory.jobs.run().failed > 0
        clock.now += HOUR
        with opened(f"sqlite:///{path}", clock) as other:
            assert other.jobs.run().failed == 0
            assert not [file for file in tmp_path.iterdir() if b"in xyzzy" in file.read_bytes()]


def test_who_has_no_conversations_loads_nothing_for_them() -> None:
    """Neither a checkpointer nor a store of conversations is imported to find that nothing has expired."""
    script = """
import sys
from langchain_agentmem import AgentMemory
print(AgentMemory.in_memory(embeddings=None).jobs.run().done)
parts = ("checkpoint", "checkpoints", "sessions.sql")
print(*(name for name in parts if f"langchain_agentmem.{name}" in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == f"{ROUNDS}\n\n"
