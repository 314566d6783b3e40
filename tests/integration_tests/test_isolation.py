"""A PostgreSQL whose own default is another isolation than writers need."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from langchain_agentmem import AgentMemory, Scope
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE

SESSION = Scope("alice", session_id="monday")


@pytest.fixture(params=["serializable", "repeatable read"])
def strict_url(prepared_postgres_url: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database whose connections begin with this level, unless they name another one."""
    root, _, name = prepared_postgres_url.replace("+psycopg", "").rpartition("/")
    with psycopg.connect(f"{root}/postgres", autocommit=True) as admin:
        changed = f'ALTER DATABASE "{name}"'
        admin.execute(f"{changed} SET default_transaction_isolation = '{request.param}'".encode())
        yield prepared_postgres_url
        admin.execute(f"{changed} RESET default_transaction_isolation".encode())


async def test_writes_at_the_same_time_all_succeed(strict_url: str, call: Call) -> None:
    """Memories, recalls and conversations of one user, by four threads, and awaited."""
    memory = AgentMemory.connect(sql=strict_url, embeddings=WordEmbeddings(), consent="assumed")
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
