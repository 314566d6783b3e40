"""No turn of a chat history is left out of search, on PostgreSQL and on Redis, and none outlives its conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig

from langchain_agentmem import AgentMemory, create_memory_graph
from langchain_agentmem.errors import StorageError
from langchain_agentmem.long_term.turns.episode_flows import EpisodeFlows
from langchain_agentmem.sql.url import sqlite_url
from tests.conftest import Call
from tests.contracts.long_term_contract import Clock
from tests.contracts.noted_turns_contract import NotedTurnsContract, Open
from tests.fake_chat_model import ScriptedChatModel
from tests.ledgers import ALICE
from tests.talks import OTHER_TALK, TALK, turn
from tests.whole import ByTurns

BRIEF = timedelta(milliseconds=300)
"""Redis ends keys by its own clock, which no test moves."""

LOOKED = timedelta(hours=1)
"""Later than a look at a conversation that lives so briefly."""


class TestPostgres(NotedTurnsContract):
    """Conversations and turns in one database."""

    by_turns: ClassVar[ByTurns] = (NotedTurnsContract, 0)

    @pytest.fixture
    def opened(self, prepared_postgres_url: str) -> Open:
        return partial(AgentMemory.connect, sql=prepared_postgres_url)


class TestRedis(NotedTurnsContract):
    """Conversations apart from their turns."""

    by_turns: ClassVar[ByTurns] = (NotedTurnsContract, 1)

    @pytest.fixture
    def opened(self, tmp_path: Path, valkey_url: str) -> Open:
        return partial(AgentMemory.connect, sql=sqlite_url(tmp_path / "memory.db"), redis=valkey_url)


class TestCopies:
    """What is copied of conversations on Redis ends with them, and with their messages, as it does in one database."""

    @pytest.fixture
    def clock(self) -> Clock:
        clock = Clock()
        clock.now = datetime.now(UTC)
        return clock

    @pytest.fixture
    def opened(self, tmp_path: Path, valkey_url: str, clock: Clock) -> Iterator[Callable[..., AgentMemory]]:
        made: list[AgentMemory] = []

        def opened(**sessions: object) -> AgentMemory:
            path = sqlite_url(tmp_path / "memory.db")
            kept: dict[str, Any] = {"embeddings": None, "consent": "assumed", "clock": clock, "sessions": sessions}
            made.append(AgentMemory.connect(sql=path, redis=valkey_url, **kept))
            return made[-1]

        yield opened
        for memory in made:
            memory.close()

    @staticmethod
    def told(memory: AgentMemory) -> list[str]:
        return [it.text for it in memory.episodes.list(scope=ALICE)]

    async def test_turns_end_with_a_conversation_that_expires(
        self, opened: Callable[..., AgentMemory], clock: Clock, call: Call
    ) -> None:
        """By the next look at it; another one that lives keeps its own, however long it does."""
        memory = opened(ttl=BRIEF)
        await call(memory.history(TALK), "add_messages", turn(1, "Nora moved to Lisbon", "Oh!"))
        lasting = opened()
        await call(lasting.history(OTHER_TALK), "add_messages", turn(2, "It rains"))
        await asyncio.sleep(2 * BRIEF.total_seconds())
        clock.now += LOOKED
        await call(memory.jobs, "run")
        assert self.told(memory) == ["It rains"]
        clock.now += timedelta(days=10)  # by the memory's clock; Redis has it still
        await call(lasting.jobs, "run")
        assert self.told(memory) == ["It rains"]
        assert [it.kind for it in memory.jobs.list()] == ["conversation"]

    async def test_a_conversation_that_begins_anew_brings_nothing_back(
        self, opened: Callable[..., AgentMemory], call: Call
    ) -> None:
        """It has the name of one that has expired, and nobody has looked yet."""
        memory = opened(ttl=BRIEF)
        await call(memory.history(TALK), "add_messages", turn(1, "Nora moved to Lisbon", "Oh!"))
        await asyncio.sleep(2 * BRIEF.total_seconds())
        await call(memory.history(TALK), "add_messages", turn(2, "It rains"))
        assert self.told(memory) == ["It rains"]

    async def test_what_was_ingested_before_a_conversation_began_stays(
        self, opened: Callable[..., AgentMemory], call: Call
    ) -> None:
        """As when an old conversation is brought in, and then goes on."""
        memory = opened()
        await call(memory.episodes, "ingest", turn(1, "Nora moved to Lisbon"), scope=TALK)
        await call(memory.history(TALK), "add_messages", turn(2, "It rains"))
        assert self.told(memory) == ["Nora moved to Lisbon", "It rains"]

    async def test_what_made_room_is_gone_from_search(self, opened: Callable[..., AgentMemory], call: Call) -> None:
        """A turn ends with the first of its messages, at once."""
        memory = opened(max_messages=4)
        history = memory.history(TALK)
        for number, said in enumerate(("one", "two", "three")):
            await call(history, "add_messages", turn(number, said, f"You said {said}"))
        assert self.told(memory) == ["two", "three"]
        await call(history, "add_messages", turn(9, "four"))
        assert self.told(memory) == ["three", "four"]

    def test_while_a_thread_of_that_name_lives_nothing_ends(
        self, opened: Callable[..., AgentMemory], clock: Clock
    ) -> None:
        """A conversation that went on in a graph keeps its turns, though the history that it began with expires."""
        memory = opened(ttl=BRIEF)
        memory.history(TALK).add_messages(turn(1, "Nora moved to Lisbon", "Oh!"))
        graph = create_memory_graph(
            ScriptedChatModel(script=["Noted."]), memory=memory, checkpointer=memory.checkpointer
        )
        config: RunnableConfig = {"configurable": {"user_id": "alice", "thread_id": "talk"}}
        graph.invoke({"messages": [HumanMessage("It rains")]}, config)
        clock.now += LOOKED
        memory.jobs.run()
        assert self.told(memory) == ["Nora moved to Lisbon", "It rains"]
        memory.checkpointer.delete_thread("talk")
        assert self.told(memory) == []

    def test_storing_a_message_is_not_held_up_by_what_ends(
        self, opened: Callable[..., AgentMemory], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The database is away as messages make room: the conversation goes on."""
        memory = opened(max_messages=2)
        memory.history(TALK).add_messages(turn(1, "one", "You said one"))

        def away(*_: object) -> None:
            msg = "the server is away"
            raise StorageError(msg)

        monkeypatch.setattr(EpisodeFlows, "end_copies", away)
        memory.history(TALK).add_messages([HumanMessage("two", id="h2"), AIMessage("You said two", id="a2")])
        assert [it.text for it in memory.history(TALK).messages] == ["two", "You said two"]
