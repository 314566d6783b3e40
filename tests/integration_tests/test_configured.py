"""A memory out of a configuration file on real servers, and the command line beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from typer.testing import CliRunner

from langchain_agentmem import AgentMemory, Policy, Scope
from langchain_agentmem.cli import app
from langchain_agentmem.config import building
from tests import servers
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings

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


@pytest.fixture(params=["redis", "pgvector"])
def whole(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Name PostgreSQL, Redis, a vector store and a git repository in one file."""
    monkeypatch.setenv("AGENTMEM_SQL", request.getfixturevalue("prepared_postgres_url"))
    monkeypatch.setenv("AGENTMEM_REDIS", request.getfixturevalue("valkey_url"))
    url = "${AGENTMEM_SQL}" if request.param == "pgvector" else request.getfixturevalue("redis_search_url")
    path = tmp_path / "agentmem.yaml"
    path.write_text(
        "sql: ${AGENTMEM_SQL}\nredis: ${AGENTMEM_REDIS}\nconsent: assumed\n"
        f"index: {request.param}\nindex_options: {{url: '{url}', dim: 64}}\n"
        "procedural: {path: procedures, create: true}\n",
        encoding="utf-8",
    )
    return path


async def test_the_whole_stack_works_from_one_file(whole: Path, call: Call) -> None:
    """PostgreSQL, Redis, a vector store and git: remembered, recalled, erased; the second opening finds all there."""
    with AgentMemory.from_config(whole, embeddings=WordEmbeddings(dim=64)) as memory:
        kept = await call(memory.long_term, "remember", "Alice prefers tea", scope=ALICE, kind="preference")
        await call(memory.long_term, "remember", "Bob prefers tea", scope=Scope("bob"), kind="preference")
        await call(memory.jobs, "run")
        memory.history(ALICE).add_messages([HumanMessage("Good morning")])
        rule: Any = {"name": "no-rm", "description": "Nothing is deleted", "rule": {"tool": "delete"}}
        memory.procedural.save(Policy.model_validate(rule))
    with AgentMemory.from_config(whole, embeddings=WordEmbeddings(dim=64)) as again:
        found = await call(again.long_term, "recall", "tea", scope=ALICE)
        assert [(hit.memory.content, "vector" in hit.parts) for hit in found] == [("Alice prefers tea", True)]
        context = await call(again, "assemble", "What does Alice drink?", scope=ALICE)
        assert (context.status, context.layers["messages"].status) == ("ok", "ok")
        assert "no-rm" in {it.name for it in again.procedural.policies()}
        await call(again.long_term, "erase", kept.memory.id, scope=ALICE, reason="asked")
        await call(again.jobs, "run")
        assert list(await call(again.long_term, "recall", "tea", scope=ALICE)) == []
        assert again.long_term.repair_index(dry_run=True).damaged == 0
        await again.aclose()


def test_doctor_looks_at_the_vector_store(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its version, and what is in it; before the first use nothing is there, and looking makes nothing."""
    monkeypatch.setattr(building, "_embeddings", lambda _: WordEmbeddings(dim=64))

    def look() -> tuple[str, str]:
        found = json.loads(CliRunner().invoke(app, ["doctor", str(whole), "--json"]).output)
        return next((it["state"], it["found"]) for it in found if it["name"] == "index")

    assert [look()[0], look()[0]] == ["note", "note"]
    with AgentMemory.from_config(whole) as memory:
        memory.long_term.remember("Alice prefers tea", scope=ALICE)
        memory.jobs.run()
    state, found = look()
    assert (state, found.startswith(("Redis ", "PostgreSQL ")), "1 rows, filters work" in found) == ("ok", True, True)


def test_doctor_finds_a_database_that_cannot_be_written(file: Path, prepared_postgres_url: str) -> None:
    """As a replica, or for a user who may only read; where the memory is frozen on purpose, nothing is wrong."""
    url = f"{prepared_postgres_url}?options=-c%20default_transaction_read_only%3Don"
    for mode, state in (("'on'", "failed"), ("frozen", "ok")):
        file.write_text(f"sql: {url}\nembeddings: null\nmode: {mode}\n", encoding="utf-8")
        looks = json.loads(CliRunner().invoke(app, ["doctor", str(file), "--json"]).output)
        [database] = [it for it in looks if it["name"] == "database"]
        assert (database["state"], "name the primary" in database["remedy"]) == (state, state == "failed")
        assert ("connections" in database["found"], "pgvector" in database["found"]) == (True, True)


def test_a_redis_without_a_query_engine_is_told_so(file: Path) -> None:
    """It is another server than the one that conversations are on."""
    with file.open("a", encoding="utf-8") as opened:
        opened.write("index: redis\nindex_options: {url: '${AGENTMEM_REDIS}', dim: 64}\n")
    result = CliRunner().invoke(app, ["doctor", str(file)], env={"COLUMNS": "250"})
    assert (result.exit_code, "no query engine" in result.output) == (1, True)


def test_doctor_warns_of_a_redis_that_evicts(tmp_path: Path) -> None:
    """A bound on memory with a policy that takes keys drops conversations; without a bound it takes none."""
    file = tmp_path / "agentmem.yaml"
    for bound, state in (("64mb", "note"), ("0", "ok")):
        with servers.valkey("--maxmemory", bound, "--maxmemory-policy", "allkeys-lru") as server:
            file.write_text(f"sql: sqlite://\nredis: redis://127.0.0.1:{server.port}/0\nembeddings: null\n")
            looks = json.loads(CliRunner().invoke(app, ["doctor", str(file), "--json"]).output)
        [look] = [it for it in looks if it["name"] == "redis"]
        told = ("allkeys-lru" in look["found"], "noeviction" in (look["remedy"] or ""))
        assert (look["state"], *told) == (state, state == "note", state == "note")


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
