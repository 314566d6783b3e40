from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory
from tests.contracts.dialogue_contract import DialogueContract


class TestSQLite(DialogueContract):
    """Threads in an SQLite file."""

    @pytest.fixture
    def memory(self, tmp_path: Path) -> Iterator[AgentMemory]:
        """Memory in a file."""
        with AgentMemory.embedded(tmp_path / "m.db", embeddings=None, consent="assumed") as memory:
            yield memory
