"""Episodes on SQLite, in a file and in memory."""

from __future__ import annotations

from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory
from langchain_agentmem.long_term.said.turns import BATCH
from langchain_agentmem.types import IngestReport
from tests.conftest import Call
from tests.contracts.episodes_contract import EpisodesContract
from tests.contracts.pointers_contract import PointersContract, TrimmedPointersContract
from tests.ledgers import ALICE
from tests.talks import TALK


class TestEpisodes(EpisodesContract):
    """The whole contract."""


class TestPointers(PointersContract):
    """Conversations in the same file."""


class TestTrimmedPointers(TrimmedPointersContract):
    """Conversations of limited length."""


async def test_who_is_erased_meanwhile_has_no_turn_left(call: Call) -> None:
    """Between two batches of one call: what was read before the erasure is not kept after it, even without consent."""
    messages = [HumanMessage(f"number {it}", id=str(it)) for it in range(BATCH + 5)]
    kept: list[int] = []
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:

        def erase_once(report: IngestReport) -> None:
            kept.append(report.kept)
            if len(kept) == 1:
                memory.privacy.erase(ALICE, reason="asked for")

        await call(memory.episodes, "ingest", iter(messages), scope=TALK, progress=erase_once)
        assert (kept, [*memory.episodes.list(scope=ALICE)]) == ([BATCH, BATCH], [])
