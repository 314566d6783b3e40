"""No turn of a chat history is left out of search, on SQLite."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory
from tests.contracts.noted_turns_contract import NotedTurnsContract, Open


class TestNotedTurns(NotedTurnsContract):
    """Conversations and turns in one file."""

    @pytest.fixture
    def opened(self, tmp_path: Path) -> Open:
        return partial(AgentMemory.embedded, tmp_path / "memory.db")
