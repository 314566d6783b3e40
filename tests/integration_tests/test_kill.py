from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import MEMORIES
from tests.integration_tests.writer import TENANT, statement, write
from tests.ledgers import dump
from tests.processes import Process

ROUNDS = 5
ALICE = Scope("alice", tenant_id=TENANT)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of a database that processes share."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'agent.db'}"
    found: str = request.getfixturevalue("prepared_postgres_url")
    return found


def killed_writer(url: str, seed: str, chance: random.Random) -> tuple[dict[str, str], set[str]]:
    """Let a writer write, kill it at a random point, and return what it acknowledged: kept with text, and erased."""
    process = Process(write, url, "alice", seed)
    process.go()
    said = process.hear(chance.randrange(1, 25))
    time.sleep(chance.random() * 0.02)
    said += process.kill()
    kept = {it.memory_id: statement(seed, it.number) for it in said if it.what == "kept"}
    return kept, {it.memory_id for it in said if it.what == "erased"}


def stored(memory: AgentMemory) -> dict[str, str]:
    """Return all of alice's memories by id."""
    return {it.id: it.content for it in memory.long_term.list(scope=ALICE, limit=1_000)}


def test_a_killed_writer_loses_nothing_it_acknowledged(url: str) -> None:
    """After kill -9 at a random point, five times: all is there, nothing is half done, and the log is intact."""
    chance = random.Random(20_260_301)
    kept: dict[str, str] = {}
    erased: set[str] = set()
    with AgentMemory.connect(sql=url, embeddings=None, consent="assumed", audit_key=b"0123456789abcdef") as memory:
        for number in range(1, ROUNDS + 1):
            said, gone = killed_writer(url, f"round-{number}", chance)
            kept, erased = kept | said, erased | gone
            after = stored(memory)
            assert erased.isdisjoint(after)
            assert {it: text for it, text in kept.items() if after.get(it, text) != text} == {}
            assert len(kept.keys() - after.keys() - erased) <= number  # erased in the moment of the kill, and not said
            assert len(after.keys() - kept.keys()) <= number  # written in the moment of the kill, and not said
            check(memory, url)
    assert len(kept) > ROUNDS


def check(memory: AgentMemory, url: str) -> None:
    """The log is intact, and says what the table of memories says."""
    verification = memory.long_term.verify(scope=ALICE)
    assert (verification.problems, verification.is_authenticated) == ((), True)
    database = Database(url)
    rows, said = dump(database, MEMORIES), stored(memory)
    memory.long_term.replay(scope=ALICE)
    assert stored(memory) == said
    assert memory._options.vault is not None or dump(database, MEMORIES) == rows  # a ciphertext is another each time
    assert memory.long_term.verify(scope=ALICE).problems == ()
    database.close()
