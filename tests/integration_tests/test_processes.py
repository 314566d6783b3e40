from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory, Scope
from tests.integration_tests.writer import TENANT, statement, write
from tests.processes import Process, together

PROCESSES = 3
WRITES = 14
ERASED = {4, 9}  # every fifth


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of a database that processes share."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'agent.db'}"
    found: str = request.getfixturevalue("prepared_postgres_url")
    return found


@pytest.mark.parametrize("users", [("alice",) * PROCESSES, ("alice", "bob", "carol")], ids=["one", "three"])
def test_processes_that_write_at_once_lose_nothing(url: str, users: tuple[str, ...]) -> None:
    """Three processes write one user, or three: nothing is lost, doubled or crossed, and every chain is intact."""
    wanted = written(url, users)
    with AgentMemory.connect(sql=url, embeddings=None, consent="assumed", audit_key=b"0123456789abcdef") as memory:
        for user, contents in wanted.items():
            scope = Scope(user, tenant_id=TENANT)
            found = memory.long_term.list(scope=scope, limit=1_000)
            assert Counter(it.content for it in found) == contents
            verification = memory.long_term.verify(scope=scope)
            events = users.count(user) * (WRITES + len(ERASED))
            assert (verification.events, verification.problems) == (events, ())


def written(url: str, users: tuple[str, ...]) -> dict[str, Counter[str]]:
    """Let a process write for each user at the same time; return what has to be there, by user."""
    processes = [Process(write, url, user, f"seed-{number}", WRITES) for number, user in enumerate(users)]
    wanted: dict[str, Counter[str]] = {user: Counter() for user in users}
    for number, (user, said) in enumerate(zip(users, together(processes), strict=True)):
        assert [it.what for it in said].count("kept") == WRITES
        wanted[user] += Counter(statement(f"seed-{number}", it) for it in range(WRITES) if it not in ERASED)
    return wanted
