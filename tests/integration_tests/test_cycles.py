"""Cycles of forgetting beside others on PostgreSQL, and in processes that are killed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.forgetting.flows import BATCH
from tests.contracts.cycle_contract import OPTIONS, CycleContract, fill
from tests.ledgers import ALICE
from tests.processes import Process, Say

BATCHES: Final = 6
BEGUN: Final = 4


class TestCycles(CycleContract):
    """The whole contract."""


def forget(say: Say, url: str) -> None:
    """Run a cycle, and stop in the middle of the fourth transaction, with all of its statements done."""
    with AgentMemory.connect(sql=url, embeddings=None, **OPTIONS) as memory:
        move_all, begun = memory.forgetting._flows._move_all, list[int]()

        def stopping(writer: Any, batch: Any, **given: Any) -> list[str]:  # noqa: ANN401  (as the cycle calls it)
            erased = move_all(writer, batch, **given)
            begun.append(len(batch))
            if len(begun) == BEGUN:
                writer.flush()
                say("in the middle")
                time.sleep(60)
            return erased

        memory.forgetting._flows._move_all = stopping  # type: ignore[method-assign, assignment]  # seen from another process
        memory.forgetting.forget_cycle(ALICE)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of a database that processes share."""
    found: str = request.getfixturevalue("prepared_postgres_url") if request.param == "postgresql" else ""
    return found or f"sqlite:///{tmp_path / 'agent.db'}"


def test_a_killed_cycle_is_gone_on_with(url: str) -> None:
    """After kill -9 in the middle of a transaction, whole ones are there; every memory moves once, and the log fits."""
    with AgentMemory.connect(sql=url, embeddings=None, **OPTIONS) as memory:
        fill(memory, BATCHES * BATCH)
        process = Process(forget, url)
        process.go()
        process.hear(1)
        process.kill()
        assert len(memory.timeline.events(ALICE, types=("faded",), limit=1_000)) == (BEGUN - 1) * BATCH
        assert len(memory.forgetting.forget_cycle(ALICE).moves) == (BATCHES - BEGUN + 1) * BATCH
        faded = memory.timeline.events(ALICE, types=("faded",), limit=1_000)
        assert len({it.memory_id for it in faded}) == len(faded) == BATCHES * BATCH
        assert memory.long_term.verify(scope=ALICE).is_intact
