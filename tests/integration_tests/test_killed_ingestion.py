"""A large conversation is ingested by a process that is killed again and again."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Final

from langchain_agentmem import AgentMemory, Scope, every
from langchain_agentmem.cli import main
from tests.processes import Process, Say

TURNS: Final = 1_500
SESSIONS: Final = 3
KILLS: Final = 3
ALICE: Final = Scope("alice")


def file_of(folder: Path) -> Path:
    """Write a file with one message per line, without ids."""
    path = folder / "talk.jsonl"
    said = [
        {"session": f"s{number * SESSIONS // TURNS}", "role": "user", "content": f"this is turn {number} of many"}
        for number in range(TURNS)
    ]
    path.write_text("\n".join(json.dumps(it) for it in said), "utf-8")
    return path


def ingest(say: Say, file: Path, database: Path) -> None:
    """Run the command, and say how it ended; what it shows is not looked at."""
    options = ["--into", str(database), "--user", "alice", "--jsonl", "--words-only", "--consented"]
    sys.argv = ["agentmem", "ingest", str(file), *options]
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    try:
        main()
    except SystemExit as ended:
        say(ended.code)


def ingestion(file: Path, database: Path) -> Process:
    """Start the command."""
    process = Process(ingest, file, database)
    process.go()
    return process


def count(memory: AgentMemory) -> int:
    """Return how many turns are kept, in whole batches of each session."""
    return sum(1 for _ in every(memory.episodes.list, scope=ALICE, limit=1_000))


def test_an_ingestion_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    """After kill -9, three times: what was kept stays, nothing is kept twice, and the last run ends it."""
    file, database = file_of(tmp_path), tmp_path / "agent.db"
    with AgentMemory.embedded(database, embeddings=None) as memory:
        memory.consent.grant(ALICE)
        before = 0
        for _ in range(KILLS):
            process = ingestion(file, database)
            while process.is_alive() and count(memory) == before:
                time.sleep(0.01)
            said = process.kill()
            assert before < count(memory) or said == [0]
            before = count(memory)
        assert ingestion(file, database).end() == [0]
        assert count(memory) == TURNS
        assert memory.long_term.verify(scope=ALICE).is_intact
        listed = memory.episodes.list(scope=Scope("alice", session_id="s1"), limit=1_000)
        assert [it.place for it in listed] == list(range(TURNS // SESSIONS))
        assert [it.text for it in listed[:2]] == ["this is turn 500 of many", "this is turn 501 of many"]
