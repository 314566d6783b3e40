"""A memory out of a configuration file on real servers, and the command line beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage
from typer.testing import CliRunner

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.cli import app

ALICE = Scope("alice", session_id="talk")


@pytest.fixture
def file(tmp_path: Path, postgres_url: str, valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENTMEM_SQL", postgres_url)
    monkeypatch.setenv("AGENTMEM_REDIS", valkey_url)
    path = tmp_path / "agentmem.yaml"
    path.write_text(
        "sql: ${AGENTMEM_SQL}\nredis: ${AGENTMEM_REDIS}\nembeddings: null\nconsent: assumed\nworking: {ttl: 7 days}\n",
        encoding="utf-8",
    )
    return path


def test_a_scaled_out_memory_works_from_a_file(file: Path) -> None:
    """PostgreSQL keeps what is remembered, Redis the conversation, and one call gives the prompt of a turn."""
    with AgentMemory.from_config(file) as memory:
        memory.long_term.remember("Alice prefers tea", scope=ALICE, kind="preference")
        memory.history(ALICE).add_messages([HumanMessage("Good morning")])
        memory.working.update(ALICE, goal="Book a flight")
        context = memory.assemble("What does Alice prefer to drink?", scope=ALICE, system="Be kind.")
    prompt = "\n".join(message.text for message in context.messages)
    assert [words in prompt for words in ("Alice prefers tea", "Good morning", "Book a flight")] == [True] * 3
    assert context.status == "ok"


def test_doctor_reaches_the_servers(file: Path) -> None:
    """Each with its version; a schema that is not there yet is made with the first use, or by `migrate`."""
    before = json.loads(CliRunner().invoke(app, ["doctor", str(file), "--json"]).output)
    assert "none yet" in next(it["found"] for it in before if it["name"] == "database")
    assert CliRunner().invoke(app, ["migrate", str(file)]).exit_code == 0
    result = CliRunner().invoke(app, ["doctor", str(file), "--json"])
    looks = {it["name"]: it for it in json.loads(result.output)}
    assert (result.exit_code, looks["database"]["state"], looks["redis"]["state"]) == (0, "ok", "ok")
    assert looks["database"]["found"].startswith("PostgreSQL 1")
    assert looks["redis"]["found"].startswith(("Valkey ", "Redis 7", "Redis 8"))
