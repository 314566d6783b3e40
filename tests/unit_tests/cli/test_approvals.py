"""`agentmem approvals`: what waits, and a person's word on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory, ApprovalPolicy, Scope
from langchain_agentmem.policies.approve import ByKind
from tests.unit_tests.cli.commands import answer, refusal, run

ALICE = Scope("alice")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "agent.db"
    policy = ApprovalPolicy(rules=[ByKind({"fact": "ask"})])
    with AgentMemory.embedded(path, embeddings=None, consent="assumed", approval=policy) as memory:
        memory.consent.grant(ALICE)
        for content in ("Alice lives in Paris", "Alice has a cat", "Alice plays chess"):
            memory.long_term.remember(content, scope=ALICE)
    return path


def kept(database: Path) -> set[str]:
    with AgentMemory.embedded(database, embeddings=None, consent="assumed") as memory:
        return {it.content for it in memory.long_term.list(scope=ALICE)}


def test_what_waits_is_listed_and_decided(database: Path) -> None:
    """Approved, approved in other words, and rejected; then nothing is left to decide."""
    ids = {it["content"]: it["id"] for it in answer("approvals", "list", database, "--user", "alice")}
    assert "Alice has a cat" in run("approvals", "list", database, "--user", "alice").output
    who = ("--user", "alice", "--by", "carol")
    assert run("approvals", "approve", database, ids["Alice lives in Paris"], *who).exit_code == 0
    edit = (ids["Alice has a cat"], "--content", "Alice has a dog")
    assert [it["verdict"] for it in answer("approvals", "edit", database, *edit, *who)] == ["approved"]
    [rejected] = answer("approvals", "reject", database, *who, "--all", "--reason", "not so")
    assert (rejected["verdict"], kept(database)) == ("rejected", {"Alice lives in Paris", "Alice has a dog"})
    assert "nothing of alice waits" in run("approvals", "list", database, "--user", "alice").output


def test_what_a_rule_refuses_ends_with_an_exit_code(database: Path) -> None:
    """It waits on, and the command says why."""
    [waiting, *_] = answer("approvals", "list", database, "--user", "alice")
    words = (waiting["id"], "--content", "Alice pays with 4111 1111 1111 1111")
    done = run("approvals", "edit", database, "--user", "alice", "--by", "carol", *words)
    assert (done.exit_code, "refused" in done.output) == (1, True)


def test_what_is_not_clear_is_refused(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which are meant has to be said, and an unknown one is named."""
    who = ("approve", database, "--user", "alice", "--by", "carol")
    assert "say which are meant" in refusal(monkeypatch, capsys, "approvals", *who)
    assert "'nothing' does not wait" in refusal(monkeypatch, capsys, "approvals", *who, "nothing")
