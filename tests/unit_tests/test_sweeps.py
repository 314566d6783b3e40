from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.contracts.sweep_contract import ROUNDS, SharedSweepContract, SweepContract


class TestSweeps(SweepContract):
    """The contract on a SQLite file and in memory."""


class TestSharedSweeps(SharedSweepContract):
    """The contract of several processes on SQLite."""

    @pytest.fixture
    def shared_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'agent.db'}"


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
