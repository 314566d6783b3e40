"""Episodes on PostgreSQL."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import ClassVar, Final

import pytest
from langchain_core.messages import HumanMessage
from redis import Redis

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.testing import DIMENSIONS, Dimension
from tests.contracts.episode_leaks import EpisodeLeakContract
from tests.contracts.episode_ledger_contract import EpisodeLedgerContract
from tests.contracts.episodes_contract import EpisodesContract
from tests.contracts.pointers_contract import PointersContract, TrimmedPointersContract
from tests.ledgers import ALICE, Clock
from tests.talks import TALK, remains, talk, turn
from tests.whole import ByTurns, few

MINUTE: Final = timedelta(minutes=1)


class TestEpisodeLedger(EpisodeLedgerContract):
    """What the ledger promises."""


class TestEpisodes(EpisodesContract):
    """What the service promises."""

    by_turns: ClassVar[ByTurns] = (EpisodesContract, 1)


class TestPointers(PointersContract):
    """Conversations in the same database."""

    by_turns: ClassVar[ByTurns] = (PointersContract, 1)


class TestTrimmedPointers(TrimmedPointersContract):
    """Conversations of limited length."""


class TestEpisodeLeaks(EpisodeLeakContract):
    """Ids that read the same when joined."""

    by_turns: ClassVar[ByTurns] = (EpisodeLeakContract, 1)

    dimensions: tuple[Dimension, ...] = few(("joined",), of=DIMENSIONS)

    @pytest.fixture
    def memory(self, prepared_postgres_url: str) -> Iterator[AgentMemory]:
        with AgentMemory.connect(sql=prepared_postgres_url, embeddings=None, clock=Clock()) as memory:
            yield memory


class TestRedisConversations:
    """Where conversations are in Redis, episodes are copies that end with them all the same."""

    @pytest.fixture
    def memory(self, prepared_postgres_url: str, valkey_url: str) -> Iterator[AgentMemory]:
        with AgentMemory.connect(
            sql=prepared_postgres_url, redis=valkey_url, embeddings=None, consent="assumed"
        ) as memory:
            yield memory

    def test_a_copy_is_kept_of_what_is_stored(self, memory: AgentMemory) -> None:
        """With its words, beside the facts; what was left out is taken later, and nothing twice."""
        memory.history(TALK).add_messages(talk("Nora moved to Lisbon"))
        found = memory.long_term.recall("Where did Nora move?", scope=ALICE)
        assert [hit.memory.content[:26] for hit in found] == ["user: Nora moved to Lisbon"]
        assert memory.episodes.index(scope=ALICE).known == 1

    def test_clearing_the_conversation_ends_its_copies(self, memory: AgentMemory) -> None:
        """Of whichever agent; another conversation stays."""
        helper = Scope("alice", agent_id="helper", session_id="talk")
        memory.history(TALK).add_messages(talk("Nora moved to Lisbon"))
        memory.episodes.ingest(turn(5, "of the helper"), scope=helper)
        memory.episodes.ingest(talk("stays"), scope=Scope("alice", session_id="other"))
        memory.history(TALK).clear()
        assert [it.text for it in memory.episodes.list(scope=helper)] == []
        assert [it.text for it in memory.episodes.list(scope=ALICE)] == ["stays"]

    def test_what_redis_has_lost_ends_with_its_conversation_too(self, memory: AgentMemory, valkey_url: str) -> None:
        """A failover may cost messages whose turns are kept: these are recalled until the conversation is cleared."""
        memory.history(TALK).add_messages(talk("Nora moved to Lisbon"))
        with Redis.from_url(valkey_url) as server:
            server.flushdb()
        assert memory.history(TALK).messages == []
        assert [it.text for it in memory.episodes.list(scope=ALICE)] == ["Nora moved to Lisbon"]
        memory.history(TALK).clear()
        assert not memory.episodes.list(scope=ALICE)


def test_writers_of_one_conversation_and_its_end_never_leave_a_word_behind(prepared_postgres_url: str) -> None:
    """Turns that are kept while their conversation is cleared end with it, and nobody waits for ever."""
    database = Database(prepared_postgres_url)
    memory = AgentMemory(database, embeddings=None, options=MemoryOptions(consent="assumed"))

    def add(name: int) -> None:
        for number in range(15):
            memory.history(TALK).add_messages([HumanMessage(f"turn {name}/{number}", id=f"{name}/{number}")])

    def clear() -> None:
        for _ in range(15):
            memory.history(TALK).clear()

    threads = [threading.Thread(target=add, args=(it,)) for it in range(3)] + [threading.Thread(target=clear)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert not any(thread.is_alive() for thread in threads)
    kept = {it for episode in memory.episodes.list(scope=ALICE) for it in episode.message_ids}
    assert kept <= {message.id for message in memory.history(TALK).messages}
    memory.history(TALK).clear()
    assert ([*memory.episodes.list(scope=ALICE)], remains(database)) == ([], [])
    assert memory.long_term.verify(scope=ALICE).is_intact
    memory.close()


async def test_sweeps_of_two_processes_do_not_wait_for_each_other(prepared_postgres_url: str) -> None:
    """Each takes what the other has not."""
    clock = Clock()
    options = MemoryOptions(consent="assumed", clock=clock, sessions={"ttl": MINUTE})
    memory = AgentMemory(Database(prepared_postgres_url), embeddings=None, options=options)
    for number in range(60):
        scope = Scope(f"user {number % 7}", session_id=f"s{number}")
        await memory.history(scope).aadd_messages([HumanMessage(f"turn {number}")])
    clock.now += 10 * MINUTE
    history = memory.history(TALK)
    swept = await asyncio.wait_for(asyncio.gather(history.asweep(), history.asweep()), 300)
    assert (sum(swept), remains(memory._database)) == (60, [])
    await memory.aclose()
