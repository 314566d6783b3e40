"""Commands that ask a memory, tell why it answered so, and do what waits."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig

from langchain_agentmem import AgentMemory, ApprovalPolicy, Scope, create_memory_graph
from langchain_agentmem.policies.approve import ByKind
from tests.unit_tests.cli.commands import answer, refusal, run

ALICE = Scope("alice")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A memory with two facts, and a turn that waits."""
    path = tmp_path / "agent.db"
    with AgentMemory.embedded(path, embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Alice prefers [bold] tea", scope=ALICE, kind="preference")
        memory.long_term.remember("Alice lives in Paris", scope=ALICE)
        graph = create_memory_graph(FakeListChatModel(responses=["Noted."]), [], memory)
        config: RunnableConfig = {"configurable": {"user_id": "alice", "thread_id": "t"}}
        graph.invoke({"messages": [HumanMessage("I work at Acme.")]}, config)
    return path


def test_a_question_is_answered_with_its_reasons(database: Path) -> None:
    """Hits in their order, how their scores come about, and the receipt."""
    output = run("recall", database, "What tea does Alice prefer?", "--user", "alice", "--words-only").output
    first = output.splitlines()[0]
    assert ("Alice prefers [bold] tea" in output, "preference" in first, "relevance" in output) == (True, True, True)
    found = answer("recall", database, "What tea does Alice prefer?", "--user", "alice", "--words-only")
    assert (found["status"], "tea" in str(found)) == ("ok", False)


def test_a_receipt_says_why_and_why_not(database: Path) -> None:
    """Of the candidates, and of a memory that is not in the answer."""
    found = answer("recall", database, "Which tea?", "--user", "alice", "--words-only")
    output = run("receipt", database, found["receipt"], "--user", "alice").output
    assert found["hits"][0]["id"] in output
    [paris] = [it["id"] for it in answer("list", database, "--user", "alice") if "Paris" in it["content"]]
    told = answer("receipt", database, found["receipt"], "--user", "alice", "--why-not", paris)
    assert (told["why_not"] != "", "tea" in str(told)) == (True, False)


def test_a_receipt_is_its_users(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of another user there is none of that id."""
    found = answer("recall", database, "Which tea?", "--user", "alice", "--words-only")
    assert found["receipt"] in refusal(monkeypatch, capsys, "receipt", database, found["receipt"], "--user", "bob")


def test_what_waits_is_shown_and_done(database: Path) -> None:
    """A list says what waits, and by which command it is done; the command does it."""
    told = f"waiting: jobs of alice (1 turn); `agentmem jobs {database} --run` does"
    assert told in run("list", database, "--user", "alice").output.replace("\n", " ")
    assert [it["user"] for it in answer("jobs", database, "--words-only")["jobs"]] == ["alice"]
    done = answer("jobs", database, "--run", "--words-only")
    assert (done["done"] > 0, done["failed"], done["jobs"]) == (True, 0, [])
    [taken] = done["taken_in"]
    assert (taken["user"], len(taken["written"]), taken["refused"]) == ("alice", 1, [])
    assert "The user works at Acme" in run("list", database, "--user", "alice").output


def test_what_has_time_is_not_told_as_waiting(tmp_path: Path) -> None:
    """A question that ends in a week needs nobody today, though the queue has a job for that."""
    policy = ApprovalPolicy(rules=[ByKind({"fact": "ask"})])
    path = tmp_path / "agent.db"
    with AgentMemory.embedded(path, embeddings=None, consent="assumed", approval=policy) as memory:
        memory.long_term.remember("Alice lives in Paris", scope=ALICE)
    assert [it["kind"] for it in answer("jobs", path, "--words-only")["jobs"]] == ["approval_expiry"]
    assert "waiting" not in run("list", path, "--user", "alice").output


def test_why_tells_who_said_it(database: Path) -> None:
    """In the words of the conversation; for programs without them."""
    run("jobs", database, "--run", "--words-only")
    [job] = [it["id"] for it in answer("list", database, "--user", "alice") if "Acme" in it["content"]]
    output = run("why", database, job, "--user", "alice").output
    assert ("said by the user" in output, "I work at Acme" in output) == (True, True)
    assert answer("why", database, job, "--user", "alice")["said_by"] == "user"


def test_a_memory_that_is_not_there_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever asks at the wrong place is told so."""
    missing = tmp_path / "missing.db"
    assert "missing.db" in refusal(monkeypatch, capsys, "recall", missing, "Which tea?", "--user", "alice")
    assert not missing.exists()
