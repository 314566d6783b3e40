"""Erasing where every key is derived from one variable of the environment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, ConfigurationError, KeyEnvironment, Scope, SubjectVault
from langchain_agentmem._flow import run
from langchain_agentmem.errors import RetentionError
from langchain_agentmem.ledger.base import Draft, LedgerWriter
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.ledger.standing import ERASE_JOB
from tests.conftest import Call

ALICE: Final = Scope("alice")
SESSION: Final = Scope("alice", session_id="s")
REASON: Final = r"variable 'ONE'.*KeyFolder.*withdraw\(scope, erase=True\)"


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[AgentMemory]:
    """Give a memory of alice's, under keys of the environment alone."""
    monkeypatch.setenv("ONE", "5e" * 32)
    with AgentMemory.in_memory(embeddings=None, vault=SubjectVault(KeyEnvironment("ONE"))) as made:
        made.consent.grant(ALICE)
        made.long_term.remember("Alice owns a boat", scope=ALICE)
        made.history(SESSION).add_messages([HumanMessage("My sister Nora flew to Lisbon")])
        yield made


async def test_a_user_who_cannot_be_erased_whole_is_not_erased_in_part(memory: AgentMemory, call: Call) -> None:
    """Their key would open every backup: it is said before anything is deleted, and nothing is locked or queued."""
    before = await call(memory.privacy, "report", ALICE)
    with pytest.raises(ConfigurationError, match=REASON):
        await call(memory.privacy, "erase", ALICE)
    after = await call(memory.privacy, "report", ALICE)
    assert (after.status, after.counts) == (before.status, before.counts)
    assert not memory.jobs.list()
    assert len(memory.history(SESSION).messages) == 1
    assert (await call(memory.long_term, "remember", "Alice owns a bicycle", scope=ALICE)).verdict == "written"


async def test_an_erasure_that_was_begun_deletes_nothing_there(memory: AgentMemory, call: Call) -> None:
    """Its job refuses as well, and says why."""

    def begun(writer: LedgerWriter) -> None:
        writer.append(Draft(type="erasure_begun", note={"reason": "asked", "counts": {}}))
        writer.enqueue(ERASE_JOB, {}, None)

    run(SQLLedger(memory._database, vault=SubjectVault(KeyEnvironment("ONE"))).append(ALICE, begun))
    await call(memory.jobs, "run")
    assert len(memory.history(SESSION).messages) == 1
    [job] = memory.jobs.list()
    assert "'ONE'" in str(job.error)
    with pytest.raises(RetentionError):
        memory.consent.grant(ALICE)


async def test_memories_can_be_erased_there(memory: AgentMemory, call: Call) -> None:
    """That takes no key away: rows go."""
    await call(memory.consent, "withdraw", ALICE, erase=True)
    assert (await call(memory.privacy, "report", ALICE)).counts["memories"] == 0
    assert await call(memory.consent, "grant", ALICE)
    assert (await call(memory.long_term, "list", scope=ALICE)).items == ()
