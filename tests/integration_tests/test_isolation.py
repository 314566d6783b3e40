"""A PostgreSQL whose own default is another isolation than writers need."""

from __future__ import annotations

import threading
from typing import Any

import psycopg
import pytest

from langchain_agentmem import AgentMemory, Scope
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE

SESSION = Scope("alice", session_id="monday")


def begins_with(url: str, level: str) -> None:
    """Make it the default of a database; connections that are open keep theirs."""
    root, _, name = url.replace("+psycopg", "").rpartition("/")
    with psycopg.connect(f"{root}/postgres", autocommit=True) as admin:
        admin.execute(f"ALTER DATABASE \"{name}\" SET default_transaction_isolation = '{level}'".encode())


@pytest.mark.parametrize("level", ["serializable", "repeatable read"])
async def test_writes_at_the_same_time_all_succeed(prepared_postgres_url: str, level: str, call: Call) -> None:
    """Memories, recalls and conversations of one user, by four threads, and awaited."""
    begins_with(prepared_postgres_url, level)
    memory = AgentMemory.connect(sql=prepared_postgres_url, embeddings=WordEmbeddings(), consent="assumed")
    errors: list[Exception] = []

    def write(number: int) -> None:
        try:
            for turn in range(4):
                memory.long_term.remember(f"Alice keeps item {number}-{turn} in box {number * 100 + turn}", scope=ALICE)
                memory.long_term.recall(f"box {turn}", scope=ALICE)
                memory.history(SESSION).add_user_message(f"note {number} {turn}")
        except Exception as error:  # noqa: BLE001  (what it is does not matter: there may be none)
            errors.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert memory.history(SESSION).count() == 16
    found: Any = await call(memory.long_term, "remember", "Alice keeps the key in box 7", scope=ALICE)
    assert found.memory is not None
    assert (await call(memory.long_term, "verify", scope=ALICE)).problems == ()
    await memory.aclose()
