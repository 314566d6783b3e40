"""What a legal hold leaves of a request to forget, on SQLite and on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory
from tests.contracts.held_requests_contract import ALICE, HOME, SAID, TALK, HeldRequestsContract
from tests.unit_tests.cli.commands import refusal


class TestHeldRequests(HeldRequestsContract):
    """The whole contract, on SQLite."""

    @pytest.fixture
    def sql_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'agent.db'}"

    def test_the_command_line_says_so_before_it_changes_anything(
        self, memory: AgentMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """As a graph and an agent: the whole request is refused, with the way to end the hold."""
        memory.episodes.ingest([HumanMessage(SAID, id="m")], scope=TALK)
        memory.privacy.hold(ALICE, reason="case")
        before = memory.timeline.events(ALICE).items[-1].seq
        asked = ("--user", "alice", "--about", "my address", "--yes")
        told = refusal(monkeypatch, capsys, "forget", tmp_path / "agent.db", *asked)
        assert "a legal hold stands" in told
        assert "agentmem hold PLACE --user USER --reason WHY --release" in " ".join(told.split())
        assert [it.content for it in memory.long_term.list(scope=ALICE)] == [HOME]
        assert memory.timeline.events(ALICE).items[-1].seq == before
