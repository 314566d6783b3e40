"""Calls that end: in time with their answer, or with an error that says so."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, Final

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError, StorageError
from langchain_agentmem._flow import run
from langchain_agentmem._patience import step_within
from langchain_agentmem._vectors import CachedEmbeddings
from tests.conftest import Colour
from tests.fake_embeddings import WordEmbeddings
from tests.faulty import NEVER_S, SLOW_S
from tests.ledgers import drive_of

WHO: Final = ContextVar("WHO", default="nobody")


@pytest.fixture
def never() -> Iterator[threading.Event]:
    """What is waited for in vain, until the test is over."""
    event = threading.Event()
    yield event
    event.set()


async def asleep() -> None:
    await asyncio.sleep(NEVER_S)


@pytest.mark.parametrize("timeout_s", [NEVER_S, None])
async def test_a_call_in_time_is_as_if_it_had_been_called_here(colour: Colour, timeout_s: float | None) -> None:
    """Its answer, its error and the caller's context variables are the same."""
    drive = drive_of(colour)
    WHO.set("alice")

    async def awaited(text: str) -> str:
        return blocking(text)

    def blocking(text: str) -> str:
        if not text:
            raise LookupError(text)
        return f"{WHO.get()}: {text}"

    assert await drive(step_within(timeout_s, blocking, awaited, "tea")) == "alice: tea"
    with pytest.raises(LookupError):
        await drive(step_within(timeout_s, blocking, awaited, ""))


async def test_a_call_that_never_ends_is_left_alone(colour: Colour, never: threading.Event) -> None:
    """Whoever waits goes on; the thread that was left keeps nothing from ending."""
    with pytest.raises(TimeoutError):
        await drive_of(colour)(step_within(SLOW_S, never.wait, asleep))
    assert all(it.daemon for it in threading.enumerate() if it.name == "agentmem-call")


async def test_embeddings_that_cannot_be_awaited_take_no_thread_of_the_pool(never: threading.Event) -> None:
    """A pool is shared with databases: forty calls that hang leave it free."""
    wrapped = WordEmbeddings()
    wrapped.before = never.wait
    embeddings = CachedEmbeddings(wrapped, timeout_s=SLOW_S)
    asked = [embeddings.aembed_query(f"tea {number}") for number in range(40)]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(it) for it in answers} == {TimeoutError}
    assert await asyncio.to_thread(lambda: "free") == "free"


def test_a_long_list_of_texts_has_more_time() -> None:
    """So much for each 32 of them, as they are sent to a model."""
    embeddings = CachedEmbeddings(WordEmbeddings(), timeout_s=5)
    assert [embeddings._allowed_s(given) for given in ("tea", ["tea"] * 31, ["tea"] * 64)] == [5, 5, 15]
    assert CachedEmbeddings(WordEmbeddings())._allowed_s("tea") is None


def test_the_error_says_what_to_do(never: threading.Event) -> None:
    """It names the option, and holds no word of the question."""
    wrapped = WordEmbeddings()
    wrapped.before = never.wait
    with AgentMemory.in_memory(embeddings=wrapped, consent="assumed", embedding_timeout_s=SLOW_S) as memory:
        embedder: Any = memory._embedder
        with pytest.raises(StorageError, match="embedding_timeout_s") as failed:
            run(embedder.query("my secret"))
    assert failed.value.is_retryable
    assert "secret" not in str(failed.value)


@pytest.mark.parametrize("given", [0, -1, True, "30", float("nan"), float("inf")])
def test_a_time_that_cannot_be_is_refused(given: Any) -> None:  # noqa: ANN401  (bad input)
    """Before anything is opened."""
    with pytest.raises(ConfigurationError, match="embedding_timeout_s"):
        AgentMemory.in_memory(embedding_timeout_s=given)
