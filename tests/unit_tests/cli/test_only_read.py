"""Commands that look, on a file that this process may not write: a backup in an auditor's hands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory, Scope
from tests.unit_tests.cli.commands import answer, refusal, run
from tests.unit_tests.test_only_read import may_only_read

OF_ALICE = ("list", "verify", "inspect", "timeline", "consent status", "approvals list", "run")


@pytest.fixture
def backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "agent.db"
    with AgentMemory.embedded(path, embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Alice lives in Paris", scope=Scope("alice"))
    there = sorted(tmp_path.iterdir())
    monkeypatch.setattr(os, "access", may_only_read)
    yield path
    assert sorted(tmp_path.iterdir()) == there


@pytest.mark.parametrize("command", [*(f"{it} --user alice" for it in OF_ALICE), "stats", "jobs", "vault status"])
def test_what_only_looks_needs_no_permission_to_write(backup: Path, command: str) -> None:
    """Each command that writes nothing shows what is there, and makes nothing beside the file."""
    words, _, user = command.partition(" --user ")
    done = run(*words.split(), backup, *(("--user", user) if user else ()))
    assert done.exit_code == 0, done.output


def test_doctor_says_that_a_file_is_only_read_and_looks_on(backup: Path) -> None:
    """The agent that this file belongs to could not write; what is stored is told all the same."""
    looks = {it["name"]: it for it in answer("doctor", backup)}
    assert looks["database"]["state"] == "failed"
    assert "read-only" in looks["database"]["found"]
    assert (looks["stored"]["state"], looks["jobs"]["state"]) == ("ok", "ok")


def test_what_writes_says_that_nothing_can_be_written(
    backup: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A legal hold is an event of the log: refused in one line, with what to look at."""
    told = refusal(monkeypatch, capsys, "hold", backup, "--user", "alice", "--reason", "a lawsuit")
    assert "cannot be written" in told
