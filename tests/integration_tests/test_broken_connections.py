from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import make_url

from langchain_agentmem._flow import Flow, step
from langchain_agentmem.chat_history.stored import StoredChatMessageHistory
from langchain_agentmem.errors import StorageError
from tests import servers
from tests.conftest import Colour
from tests.integration_tests.by_hand import contents, steps
from tests.integration_tests.conversing import (
    SOAK,
    answering,
    asking,
    finish,
    open_history,
    open_saver,
    pair_of,
    question,
    said_in,
)
from tests.ledgers import Drive, drive_of
from tests.proxy import Proxy, proxy

HOUR = timedelta(hours=1)
CUTS = 8 * SOAK
PLENTY = 1_000_000
OVERHEAD = 1.3  # of connecting again


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A server behind a line that can be cut; `url` goes through the line, `direct` past it."""

    line: Proxy
    url: str
    direct: str


@pytest.fixture(params=["valkey", "postgresql"])
def broken(request: pytest.FixtureRequest) -> Iterator[Broken]:
    direct = request.getfixturevalue({"valkey": "valkey_url", "postgresql": "postgres_url"}[request.param])
    port = make_url(direct).port
    with proxy(port or 0) as line:
        yield Broken(line=line, url=direct.replace(f":{port}/", f":{line.port}/"), direct=direct)


@pytest.fixture
def drive(colour: Colour) -> Drive:
    return drive_of(colour)


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


async def attempt(drive: Drive, act: Callable[[], Flow[Any]]) -> bool:
    """Whether something was acknowledged; if not, it may be repeated."""
    try:
        await drive(act())
    except StorageError as error:
        assert error.is_retryable, repr(error)  # noqa: PT017  (either end is right)
        return False
    return True


def check_ends(url: str) -> None:
    """No key is without its end."""
    if url.startswith("redis"):
        assert min(servers.redis_keys(url).values(), default=1) > 0


async def swept(
    broken: Broken, direction: str, drive: Drive, act: Callable[[int], Flow[Any]]
) -> AsyncIterator[Callable[[], Flow[Any]]]:
    """Give acts, each with a line that breaks in another part of what such an act needs; the last is spared."""
    await drive(act(0))
    broken.line.cut_after(**{direction: PLENTY})
    await drive(act(1))
    needed = PLENTY - (broken.line._budget[direction] or 0)
    chance = random.Random(direction)
    places = [int((number + chance.random()) / CUTS * needed * OVERHEAD) for number in range(CUTS)]
    for number, place in enumerate([*places, PLENTY]):
        broken.line.cut_after(**{direction: place})
        yield partial(act, number + 2)
        check_ends(broken.direct)


# ----------------------------------------------------------------------------------------------------------------- cuts
@pytest.mark.parametrize("direction", ["requests", "replies"])
async def test_a_session_outlives_a_line_that_breaks_anywhere(
    broken: Broken, opened: ExitStack, drive: Drive, direction: str
) -> None:
    """An add is acknowledged or fails retryably, and repeating it with the same ids adds what is missing, if any."""
    history = opened.enter_context(open_history(broken.url))
    outcomes: list[bool] = []
    async for add in swept(broken, direction, drive, lambda number: adding(history, number)):
        outcomes.append(await attempt(drive, add))
        broken.line.heal()
        before = 2 * len(outcomes) + 2
        assert history.count() in ({before + 2} if outcomes[-1] else {before, before + 2})
        await drive(add())
        await drive(add())
        assert history.count() == before + 2
    assert history.messages == [it for number in range(len(outcomes) + 2) for it in pair_of(0, number)]
    assert set(outcomes) == {True, False}


def adding(history: StoredChatMessageHistory, number: int) -> Flow[Any]:
    return step(history.add_messages, history.aadd_messages, pair_of(0, number))


@pytest.mark.parametrize("direction", ["requests", "replies"])
async def test_a_thread_outlives_a_line_that_breaks_anywhere(
    broken: Broken, opened: ExitStack, drive: Drive, direction: str
) -> None:
    """What was repeated until it was acknowledged is, to the last item, what an unbroken line would have left."""
    saver = opened.enter_context(open_saver(broken.url, ttl=HOUR))
    clean = opened.enter_context(open_saver(broken.direct, ttl=HOUR))
    mine, others = list(steps("t", CUTS + 2)), list(steps("clean", CUTS + 2))
    outcomes: list[bool] = []
    async for put in swept(broken, direction, drive, lambda number: mine[number].on(saver)):
        outcomes.append(await attempt(drive, put))
        broken.line.heal()
        await drive(put())
    for other in others[: len(outcomes) + 2]:
        await drive(other.on(clean))
    assert contents(saver, "t") == contents(clean, "clean")
    assert set(outcomes) == {True, False}


@pytest.mark.parametrize("direction", ["requests", "replies"])
async def test_a_run_outlives_a_line_that_breaks_anywhere(
    broken: Broken, opened: ExitStack, drive: Drive, direction: str
) -> None:
    """A turn that failed is gone on with: every question is there once, with one answer."""
    saver = opened.enter_context(open_saver(broken.url, ttl=HOUR))
    graph, outcomes = answering(saver), list[bool]()
    async for ask in swept(broken, direction, drive, lambda number: asking(graph, question("one"), f"t{number}")):
        outcomes.append(await attempt(drive, ask))
        broken.line.heal()
        thread_id = f"t{len(outcomes) + 1}"
        assert said_in(graph, thread_id) == ["one", "re one"] or not outcomes[-1]
        for text in ("one", "two"):
            await drive(finish(graph, text, thread_id))
        assert said_in(graph, thread_id) == ["one", "re one", "two", "re two"]
    assert set(outcomes) == {True, False}
