"""Calls that end: in time with their answer, or with an error that says so."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from functools import partial
from typing import Any, Final

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError, StorageError, _patience
from langchain_agentmem._flow import Flow, run, step
from langchain_agentmem._patience import (
    LEFT_REST_S,
    MANY_LEFT,
    MAX_REST_S,
    MOST_LEFT,
    Breaker,
    athread_within,
    breaker_of,
    step_within,
    within,
)
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


class Thing:
    """What is asked."""


async def asleep() -> None:
    await asyncio.sleep(NEVER_S)


@pytest.mark.parametrize("timeout_s", [NEVER_S, None])
async def test_a_call_in_time_is_as_if_it_had_been_called_here(colour: Colour, timeout_s: float | None) -> None:
    """Its answer, its error and the caller's context variables are the same."""
    drive, here = drive_of(colour), Thing()
    WHO.set("alice")

    async def awaited(text: str) -> str:
        return blocking(text)

    def blocking(text: str) -> str:
        if not text:
            raise LookupError(text)
        return f"{WHO.get()}: {text}"

    assert await drive(step_within(timeout_s, blocking, awaited, "tea", of=here)) == "alice: tea"
    with pytest.raises(LookupError):
        await drive(step_within(timeout_s, blocking, awaited, "", of=here))


async def test_a_call_that_never_ends_is_left_alone(colour: Colour, never: threading.Event) -> None:
    """Whoever waits goes on; the thread that was left keeps nothing from ending."""
    with pytest.raises(TimeoutError):
        await drive_of(colour)(step_within(SLOW_S, never.wait, asleep, of=never))
    assert all(it.daemon for it in threading.enumerate() if it.name == "agentmem-call")


async def test_a_call_that_is_cancelled_before_it_began_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for its answer any more: the thread ends without asking, and without an error."""
    threads, asked = list[threading.Thread](), list[int]()
    monkeypatch.setattr(threading.Thread, "start", lambda it: threads.append(it))  # noqa: PLW0108  (a built-in is no method)
    waiting = asyncio.ensure_future(athread_within(NEVER_S, asked.append, 1))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    threads[0].run()
    assert (len(threads), asked) == (1, [])


async def test_embeddings_that_cannot_be_awaited_take_no_thread_of_the_pool(never: threading.Event) -> None:
    """A pool is shared with databases: forty calls that hang leave it free."""
    wrapped = WordEmbeddings()
    wrapped.before = never.wait
    embeddings = CachedEmbeddings(wrapped, timeout_s=SLOW_S)
    asked = [embeddings.aembed_query(f"tea {number}") for number in range(40)]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(it) for it in answers} == {TimeoutError}
    assert await asyncio.to_thread(lambda: "free") == "free"


async def test_calls_that_hang_are_hardly_joined_by_others(
    never: threading.Event, colour: Colour, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often a model that hangs is asked, few threads wait for it; when one has ended, it is asked again."""
    now = 0.0
    monkeypatch.setattr(_patience, "monotonic", lambda: now)
    drive, begun, here, answered = drive_of(colour), list[int](), Thing(), threading.Event()

    def hang() -> None:
        begun.append(len(begun))
        (answered if len(begun) == 1 else never).wait()

    async def ask(steps: int, wait_s: float) -> int:
        nonlocal now
        for _ in range(steps):
            now += wait_s
            with pytest.raises((TimeoutError, StorageError)):
                await drive(_hanging(hang, here))
            now += 1  # so long it was waited for
        return len(begun)

    def _hanging(call: Any, of: object) -> Flow[None]:  # noqa: ANN401  (a callable)
        nonlocal now
        watched = breaker_of(of).watched()
        with watched:
            now += 1
            yield from step(partial(within, SLOW_S, call), partial(athread_within, SLOW_S, call))

    assert await ask(40, MAX_REST_S) == MANY_LEFT
    assert await ask(2, LEFT_REST_S) == MANY_LEFT + 2
    assert await ask(60, LEFT_REST_S) == MOST_LEFT
    answered.set()
    for thread in [it for it in threading.enumerate() if it.name == "agentmem-call"]:
        thread.join(SLOW_S)
    assert await ask(1, LEFT_REST_S) == MOST_LEFT + 1


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


# ------------------------------------------------------------------------------------------------------- a rest for all
class Line:
    """Something that is asked through a breaker, in a colour; it has a clock of its own."""

    def __init__(self, colour: Colour, patch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.asked = 0
        self.breaker = Breaker("the line")
        self._drive = drive_of(colour)
        patch.setattr(_patience, "monotonic", lambda: self.now)

    async def ask(self, error: BaseException | None = None, takes_s: float = 0.0) -> None:
        await self._drive(self._ask(error, takes_s))

    def _ask(self, error: BaseException | None, takes_s: float) -> Flow[None]:
        with self.breaker.watched():
            yield from step(self._answer, self._aanswer, error, takes_s)

    def _answer(self, error: BaseException | None, takes_s: float) -> None:
        self.asked += 1
        self.now += takes_s
        if error is not None:
            raise error

    async def _aanswer(self, error: BaseException | None, takes_s: float) -> None:
        self._answer(error, takes_s)


@pytest.fixture
def line(colour: Colour, monkeypatch: pytest.MonkeyPatch) -> Line:
    return Line(colour, monkeypatch)


def silence() -> StorageError:
    """An error of ours that comes from a wait."""
    error = StorageError("no answer", is_retryable=True)
    error.__cause__ = TimeoutError()
    return error


async def test_what_did_not_answer_is_left_alone_for_ten_times_as_long(line: Line) -> None:
    """Whoever asks meanwhile is told the same, and nothing is asked; then one asks, and all is well."""
    with pytest.raises(StorageError):
        await line.ask(silence(), takes_s=2)
    for _ in range(5):
        with pytest.raises(StorageError, match="no answer") as told:
            await line.ask()
        assert told.value.is_retryable
    assert line.asked == 1
    line.now += 20
    await line.ask()
    await line.ask()
    assert line.asked == 3


async def test_a_rest_ends(line: Line) -> None:
    """After a minute, however long it was waited for."""
    with pytest.raises(TimeoutError):
        await line.ask(TimeoutError(), takes_s=120)
    line.now += MAX_REST_S
    await line.ask()


async def test_one_finds_out_for_all(line: Line) -> None:
    """While the first one after a rest waits, others do not; if it waits in vain, the rest begins anew."""
    with pytest.raises(StorageError):
        await line.ask(silence(), takes_s=1)
    line.now += 10
    began_at, manner = line.now, line.breaker.begin(line.now)
    for _ in range(2):
        with pytest.raises(StorageError):
            await line.ask()
        line.now += 1
    line.breaker.end(silence(), began_at, manner)
    with pytest.raises(StorageError):
        await line.ask()
    assert line.asked == 1


async def test_who_is_cancelled_has_found_out_nothing(line: Line) -> None:
    """The next one does."""
    with pytest.raises(StorageError):
        await line.ask(silence(), takes_s=1)
    line.now += 10
    with pytest.raises(asyncio.CancelledError):
        await line.ask(asyncio.CancelledError())
    await line.ask()


@pytest.mark.parametrize("error", [StorageError("refused", is_retryable=True), LookupError("unknown")])
async def test_an_error_is_an_answer(line: Line, error: Exception) -> None:
    """A server that refuses at once costs no waiting, and is asked as often as anybody likes."""
    for _ in range(3):
        with pytest.raises(type(error)):
            await line.ask(error, takes_s=5)
    assert line.asked == 3


async def test_a_wait_in_vain_is_of_one_call_where_others_were_answered(line: Line) -> None:
    """One row is locked, or one text is too long: the server is well."""
    began_at, manner = line.now, line.breaker.begin(line.now)
    line.now += 1
    await line.ask()
    line.breaker.end(silence(), began_at, manner)
    await line.ask()
    assert (line.asked, line.breaker.is_resting) == (2, False)


def test_what_ends_takes_its_breaker_with_it() -> None:
    """Each thing has one of its own."""
    one, other = Thing(), Thing()
    assert breaker_of(one) is breaker_of(one) is not breaker_of(other)
    before = len(_patience._breakers)
    del one
    assert len(_patience._breakers) == before - 1
