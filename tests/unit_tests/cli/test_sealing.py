"""Commands about the vault."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.cli.program import UNMET
from tests.unit_tests.cli.commands import answer, refusal, run

ALICE = Scope("alice")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Give the configuration of a database that was written before it named a vault."""
    with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Alice lives in Paris", scope=ALICE)
    file = tmp_path / "agentmem.yaml"
    file.write_text("path: agent.db\nembeddings: null\nvault: keys\n")
    return file


def test_a_database_is_sealed_and_its_keys_are_rotated(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Said for programs: what is sealed, how much was, and that the earlier key stays for a while."""
    assert answer("vault", "status", place)["ledger"] == "not sealed"
    assert "seal_database" in refusal(monkeypatch, capsys, "list", place, "--user", "alice")
    assert run("vault", "seal", place, input="n\n").exit_code == 1
    assert answer("vault", "seal", place, "--yes")["values"] > 0
    assert set(answer("vault", "status", place).values()) == {"sealed"}
    assert "vault=" in refusal(monkeypatch, capsys, "list", place.with_name("agent.db"), "--user", "alice")
    checked = answer("vault", "check", place, "--user", "alice")
    assert checked["values"] > 0
    assert checked["unreadable"] == []
    with closing(sqlite3.connect(place.with_name("agent.db"), isolation_level=None)) as attacked:
        [kept] = attacked.execute("SELECT terms FROM agentmem_memories").fetchall()
        attacked.execute("UPDATE agentmem_memories SET terms = 'planted'")
        found = run("vault", "check", place, "--user", "alice")
        attacked.execute("UPDATE agentmem_memories SET terms = ?", kept)
    assert found.exit_code == UNMET
    assert "agentmem_memories" in found.output
    assert "not sealed" in found.output
    assert answer("vault", "rotate", place, "--user", "alice")["is_done"] is False
    assert answer("vault", "rotate-master", place) == {"wrapped": 1}
    assert "Paris" in run("list", place, "--user", "alice").output
