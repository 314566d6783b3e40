"""Commands about time: timeline, rollback, undo, run."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope
from tests.fake_chat_model import ScriptedChatModel
from tests.unit_tests.cli.commands import answer, refusal, run

LATER = datetime(2099, 2, 1, 10, tzinfo=UTC)

ALICE = Scope("alice")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "agent.db"
    with AgentMemory.embedded(path, embeddings=None) as memory:
        memory.consent.grant(ALICE)
        boat = memory.long_term.remember("Alice owns a boat", scope=ALICE).require()
        memory.long_term.revise(boat.id, scope=ALICE, content="Alice owns two boats")
        agent = create_agent(ScriptedChatModel(script=["Hi.", RuntimeError("no more")]), [])
        for _ in range(2):
            with suppress(RuntimeError):
                agent.invoke({"messages": [HumanMessage("hello")]}, {"callbacks": [memory.runs.recorder(ALICE)]})
    return path


def test_a_timeline_shows_events_and_no_words(database: Path) -> None:
    """Number, time, type and reason of each; what was remembered stays unsaid, and pages go on."""
    output = run("timeline", database, "--user", "alice").output
    assert ("remembered" in output, "revised" in output, "boat" in output) == (True, True, False)
    assert "--since 1" in run("timeline", database, "--user", "alice", "--limit", "1").output
    assert [it["seq"] for it in answer("timeline", database, "--user", "alice", "--since", "1")["events"]] == [2, 3]


def test_what_was_believed_and_what_changed_are_shown(database: Path) -> None:
    """By the number of an event, or by a time."""
    then = answer("timeline", database, "--user", "alice", "--as-of", "2")
    assert [it["content"] for it in then["memories"]] == ["Alice owns a boat"]
    assert answer("timeline", database, "--user", "alice", "--as-of", "2020-01-01")["memories"] == []
    told = run("timeline", database, "--user", "alice", "--diff", "--since", "2").output
    assert "Alice owns a boat → Alice owns two boats" in told
    assert "1 memories were believed" in run("timeline", database, "--user", "alice", "--as-of", "2").output


def test_a_rollback_is_shown_before_it_is_done(database: Path) -> None:
    """A dry run and a no change nothing; a yes does, and an undo reverses it."""
    for given in (["--dry-run"], []):
        output = run("rollback", database, "2", "--user", "alice", *given, input="n\n").output
        assert "events (3,): content" in output
    assert len(answer("timeline", database, "--user", "alice")["events"]) == 3
    run("rollback", database, "2", "--user", "alice", "--yes")
    assert answer("timeline", database, "--user", "alice", "--as-of", "4")["memories"][0]["content"].endswith("a boat")
    run("undo", database, "4", "--user", "alice", "--yes")
    assert answer("timeline", database, "--user", "alice", "--as-of", "5")["memories"][0]["content"].endswith("boats")


def test_a_run_is_read_step_by_step(database: Path) -> None:
    """The failed one says where, with exit code 1."""
    failed, ended = answer("run", database, "--user", "alice")
    assert (failed["status"], ended["status"]) == ("failed", "ended")
    output = run("run", database, ended["id"], "--user", "alice")
    assert (output.exit_code, "Hi." in output.output) == (0, True)
    output = run("run", database, failed["id"], "--user", "alice")
    assert (output.exit_code, "RuntimeError: no more" in output.output) == (1, True)
    assert failed["id"] in run("run", database, "--user", "alice").output


@pytest.mark.parametrize(
    "given", [("timeline", "--as-of", "soon"), ("undo", "soon"), ("rollback", "no-run"), ("run", "x")]
)
def test_what_cannot_be_is_one_line(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], given: tuple[str, ...]
) -> None:
    """A wrong moment, event or run is named."""
    command, *rest = given
    assert rest[-1] in refusal(monkeypatch, capsys, command, database, *rest, "--user", "alice")


@pytest.mark.parametrize(
    "given",
    [
        ("rollback", "2026-13-01"),
        ("rollback", "2026-01-01T25:00"),
        ("hold", "--reason", "court", "--until", "yesterday"),
        ("hold", "--reason", "court", "--until", "2026-13-01"),
        ("consent", "grant", "--until", "tomorrow"),
    ],
)
def test_a_time_that_is_none_is_told_in_our_words(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], given: tuple[str, ...]
) -> None:
    """Every command says the same: what was given, and how a time is written; no run of that name is looked for."""
    at = 2 if given[0] == "consent" else 1
    told = refusal(monkeypatch, capsys, *given[:at], database, *given[at:], "--user", "alice")
    assert f"must be a date or a time, got {given[-1]!r}; for example 2027-01-31" in told


def test_a_hold_ends_at_the_time_that_is_said(database: Path) -> None:
    """A day, or a time, in UTC unless it says otherwise."""
    for said, until in (("2099-01-31", datetime(2099, 1, 31, tzinfo=UTC)), ("2099-02-01T12:00+02:00", LATER)):
        told = answer("hold", database, "--user", "alice", "--reason", "court", "--until", said)
        assert datetime.fromisoformat(told["until"]) == until
