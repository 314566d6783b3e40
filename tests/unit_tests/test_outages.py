"""What is said while something is away, and what is erased then: it waits, and is done when that is back."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_agentmem import AgentMemory, StorageError, create_memory_graph
from langchain_agentmem._away import FAILS_FOR, IS_AWAY_FOR, NOT, is_passing, patience_with
from langchain_agentmem.errors import ConfigurationError, ConflictError
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE, START


class Answered(Exception):  # noqa: N818  (as providers name theirs)
    """What a provider raises for an answer of HTTP."""

    def __init__(self, status_code: int) -> None:
        super().__init__()
        self.status_code = status_code


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "patience"),
    [
        (ConnectionError(), IS_AWAY_FOR),
        (TimeoutError(), IS_AWAY_FOR),
        (Answered(429), IS_AWAY_FOR),
        (Answered(401), IS_AWAY_FOR),
        (caused(StorageError("away", is_retryable=True), ConnectionError()), IS_AWAY_FOR),
        (StorageError("failed", is_retryable=True), FAILS_FOR),
        (StorageError("broken"), NOT),
        (caused(ConfigurationError("wrong"), ConnectionError()), NOT),
        (ConflictError("taken", is_retryable=True), NOT),
        (ValueError("wrong"), NOT),
        (FileNotFoundError(2, "gone", "a file"), NOT),
        (Answered(400), NOT),
        (Answered(500), NOT),
    ],
)
def test_what_is_away_is_told_from_what_is_wrong(error: Exception, patience: timedelta) -> None:
    """By its own kind, its number, or what it came from."""
    assert patience_with(error) == patience


@pytest.mark.parametrize(
    ("error", "passes"), [(RuntimeError(), True), (Answered(500), True), (Answered(422), False), (KeyError(), False)]
)
def test_what_is_wrong_with_a_text_does_not_pass(error: Exception, passes: bool) -> None:  # noqa: FBT001
    """What another one's code raises for its arguments it raises again."""
    assert is_passing(error) is passes


async def test_what_is_said_while_embeddings_are_away_is_remembered(call: Call) -> None:
    """However long it takes; until then the user's turns say that earlier ones are not all remembered."""
    now, embeddings = START, WordEmbeddings()

    def clock() -> datetime:
        return now

    memory = AgentMemory.in_memory(embeddings=embeddings, consent="assumed", clock=clock)
    graph = create_memory_graph(FakeListChatModel(responses=["Sure."]), memory=memory)

    async def say(text: str) -> Any:  # noqa: ANN401  (a state)
        return await call(graph, "invoke", {"messages": [("user", text)]}, context={"user_id": "alice"})

    embeddings.fails_with = ConnectionError("away")
    await say("I am allergic to peanuts.")
    for wait_s in (5,) * 120 + (3_600,) * 24:
        await call(memory.jobs, "run")
        now += timedelta(seconds=wait_s)
    assert "not all remembered yet" in (await say("What am I allergic to?"))["memory"]["status"]
    assert memory.jobs.counts()["waiting"] >= 1
    embeddings.fails_with = None
    now += timedelta(seconds=10)
    state = await say("What am I allergic to?")
    assert (state["memory"]["status"], len(state["memory"]["recalled"])) == ("ok", 1)
    await call(memory.jobs, "run")
    assert memory.jobs.counts() == {}
    memory.close()


class Store(InMemoryVectorStore):
    """A vector store that can be away."""

    is_away = False

    def delete(self, ids: Any = None, **_: Any) -> None:  # noqa: ANN401  (as of LangChain)
        if self.is_away:
            raise ConnectionError
        super().delete(ids)

    async def adelete(self, ids: Any = None, **_: Any) -> None:  # noqa: ANN401  (likewise)
        self.delete(ids)


async def test_an_erasure_asked_for_again_is_tried_at_once(tmp_path: Path, call: Call) -> None:
    """What it says to do helps as soon as the store is back, whatever the clock says."""
    made: list[Store] = []

    def build(embeddings: Any) -> Store:  # noqa: ANN401  (of LangChain)
        made.append(Store(embeddings))
        return made[0]

    memory = AgentMemory.embedded(
        tmp_path / "agent.db", embeddings=WordEmbeddings(), index=build, clock=lambda: START, consent="assumed"
    )
    await call(memory.long_term, "remember", "Alice owns a kayak", scope=ALICE)
    made[0].is_away = True
    for _ in range(10):
        with pytest.raises(StorageError, match="call erase again"):
            await call(memory.privacy, "erase", ALICE, reason="asked")
    made[0].is_away = False
    report = await call(memory.privacy, "erase", ALICE, reason="asked")
    assert (report.is_empty, made[0].store, memory.jobs.counts()) == (True, {}, {})
    memory.close()
