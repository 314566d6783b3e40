"""Commands about what a user allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory, Scope
from tests.unit_tests.cli.commands import answer, refusal, run

ALICE = Scope("alice")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "agent.db"
    with AgentMemory.embedded(path, embeddings=None) as memory:
        memory.consent.grant(ALICE, source="form")
        memory.long_term.remember("Alice lives in Paris", scope=ALICE)
    return path


def test_what_a_user_allows_is_shown_with_every_answer(database: Path) -> None:
    """For people and for programs."""
    run("consent", "withdraw", database, "--user", "alice", "--kind", "goal", "--reason", "by phone")
    told = run("consent", "status", database, "--user", "alice").output
    assert ("goal: withdrawn" in told, "(form)" in told, "by phone" in told) == (True, True, True)
    found = answer("consent", "status", database, "--user", "alice")
    assert (found["status"], found["kinds"]["goal"]["status"], len(found["answers"])) == ("granted", "withdrawn", 2)


def test_a_list_says_what_the_user_does_not_allow_any_more(database: Path) -> None:
    """It is kept, and can be erased by its id; nothing uses it, and no line lets one think that something does."""
    with AgentMemory.embedded(database, embeddings=None) as memory:
        memory.long_term.remember("Alice prefers tea", scope=ALICE, kind="preference")
    run("consent", "withdraw", database, "--user", "alice", "--kind", "fact")
    told = run("list", database, "--user", "alice").output
    lines = [line for line in told.splitlines() if "sure" in line]
    assert [("preference" in line, "not allowed" in line) for line in lines] == [(True, False), (False, True)]
    assert "not allowed: 1 that nothing uses" in told
    found = answer("list", database, "--user", "alice")
    assert {it["content"]: it["is_allowed"] for it in found} == {
        "Alice prefers tea": True,
        "Alice lives in Paris": False,
    }
    run("consent", "grant", database, "--user", "alice")
    assert "not allowed" not in run("list", database, "--user", "alice").output


def test_a_grant_names_kinds_purposes_and_an_end(database: Path) -> None:
    """As the user said it."""
    given = ("--kind", "fact", "--purpose", "support", "--until", "2999-01-31")
    found = answer("consent", "grant", database, "--user", "alice", *given)
    fact = found["kinds"]["fact"]
    assert (fact["purposes"], fact["expires_at"], fact["source"]) == (
        ["support"],
        "2999-01-31T00:00:00+00:00",
        "command line",
    )


def test_a_withdrawal_erases_only_after_a_yes(database: Path) -> None:
    """Asked before; a no changes nothing, not even the consent."""
    assert run("consent", "withdraw", database, "--user", "alice", "--erase", input="n\n").exit_code == 1
    with AgentMemory.embedded(database, embeddings=None) as memory:
        assert memory.consent.status(ALICE).status == "granted"
    run("consent", "withdraw", database, "--user", "alice", "--erase", "--yes")
    with AgentMemory.embedded(database, embeddings=None, consent="assumed") as memory:
        memory.consent.grant(ALICE)
        assert memory.long_term.list(scope=ALICE).items == ()


@pytest.mark.parametrize(
    "given",
    [
        ("grant", "--kind", "dream"),
        ("grant", "--until", "soon"),
        ("grant", "--until", "1999-01-01"),
        ("withdraw", "--erase", "--json"),
    ],
)
def test_what_cannot_be_recorded_is_said_in_a_line(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], given: tuple[str, ...]
) -> None:
    """And nothing is."""
    command, *rest = given
    assert refusal(monkeypatch, capsys, "consent", command, database, "--user", "alice", *rest)
