from __future__ import annotations

import asyncio
import itertools
import random
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from langchain_agentmem._flow import Flow, arun, run, step
from langchain_agentmem.errors import StorageError
from tests import servers
from tests.contracts.database_contract import comes_true
from tests.integration_tests.conversing import (
    SOAK,
    TOOLS,
    Durability,
    Turns,
    answering,
    asking,
    completed_in,
    converse,
    finish,
    open_history,
    open_saver,
    pair_of,
    put_in,
    question,
    said_in,
    take_turns,
    use_tools,
    work_on,
    working,
)
from tests.processes import Process

ROUNDS = 6 * SOAK
DURABLE = ("--appendonly", "yes", "--appendfsync", "always")


def killed(process: Process, chance: random.Random, most: int) -> list[Any]:
    """Let a process work, kill it at a random point, and return all it has said."""
    process.go()
    said = process.hear(chance.randrange(1, most))
    time.sleep(chance.random() * 0.008)
    return said + process.kill()


# ------------------------------------------------------------------------------------------------------------- sessions
def test_a_killed_writer_loses_and_doubles_nothing_of_a_session(store_url: str) -> None:
    """After kill -9 at a random point: what was acknowledged is there, no pair is half there, a repeat adds none."""
    chance, expected = random.Random(20_260_302), list[str]()
    with open_history(store_url) as history:
        for writer in range(ROUNDS):
            acknowledged = killed(Process(converse, store_url, writer), chance, 25)
            assert acknowledged == list(range(len(acknowledged)))
            said = [str(it.content) for number in acknowledged for it in pair_of(writer, number)]
            unsaid = [str(it.content) for it in pair_of(writer, len(acknowledged))]
            found = [str(it.content) for it in history.messages]
            assert found in (expected + said, expected + said + unsaid)
            history.add_messages(pair_of(writer, len(acknowledged)))
            expected += said + unsaid
            assert [str(it.content) for it in history.messages] == expected
        assert history.count() == len(expected) > 2 * ROUNDS


# --------------------------------------------------------------------------------------------------------------- graphs
@pytest.mark.parametrize("durability", ["sync", "async"])
def test_a_killed_run_loses_and_doubles_no_turn(store_url: str, durability: Durability) -> None:
    """After kill -9 every turn that was taken is there; the one it broke off is gone on with, and is there once."""
    chance, expected = random.Random(20_260_303), list[str]()
    with open_saver(store_url) as saver:
        graph = answering(saver)
        for number in range(ROUNDS // 2):
            plan = Turns(str(number), 10_000, durability=durability, is_awaited=bool(number % 2))
            taken = killed(Process(take_turns, store_url, plan), chance, 12)
            expected += [text for turn in taken for text in (turn.text, f"re {turn.text}")]
            assert said_in(graph)[: len(expected)] == expected
            run(finish(graph, f"{number} {len(taken)}"))
            expected += [f"{number} {len(taken)}", f"re {number} {len(taken)}"]
            assert said_in(graph) == expected


@pytest.mark.parametrize("durability", ["sync", "async"])
def test_a_run_that_is_resumed_repeats_no_completed_tool_call(
    store_url: str, tmp_path: Path, durability: Durability
) -> None:
    """Killed twice in a thread's life: a tool whose result was acknowledged never runs again, no result is doubled."""
    chance, spared = random.Random(20_260_304), 0
    for number in range(ROUNDS // 3):
        tools = Tools(store_url, tmp_path / f"{number}.log", f"thread {number}", durability)
        for is_awaited in (False, True):
            tools.work_until_killed(chance, is_awaited=is_awaited)
        spared += len(tools.completed)
        tools.work_to_the_end()
    assert spared > ROUNDS // 3


class Tools:
    """A thread whose graph uses nine tools, and what is known of them."""

    def __init__(self, url: str, log: Path, thread_id: str, durability: Durability) -> None:
        self.url, self.log, self.thread_id, self.durability = url, log, thread_id, durability
        self.said: list[Any] = []
        self.log.touch()

    @property
    def completed(self) -> set[str]:
        return completed_in(self.said)

    def runs(self) -> Counter[str]:
        return Counter(self.log.read_text().split())

    def work_until_killed(self, chance: random.Random, *, is_awaited: bool) -> None:
        completed, before = self.completed, self.runs()
        process = Process(use_tools, self.url, (self.thread_id, self.log, self.durability, is_awaited))
        self.said += killed(process, chance, 9)
        assert completed.isdisjoint(self.runs() - before)

    def work_to_the_end(self) -> None:
        completed, before = self.completed, self.runs()
        with open_saver(self.url) as saver:
            assert put_in(self.said) <= {it.id for it in saver.history(self.thread_id)}
            state = run(work_on(working(saver, self.log), self.thread_id, self.durability))
        assert completed.isdisjoint(self.runs() - before)
        assert sorted(state["done"]) == sorted(TOOLS)
        assert max(self.runs().values()) <= 3  # once, and once more for each kill that came before its result was kept


# -------------------------------------------------------------------------------------------------------------- servers
@pytest.mark.parametrize("server_of", [servers.valkey, servers.redis])
def test_a_killed_server_loses_nothing_it_acknowledged(server_of: Callable[..., Any]) -> None:
    """With `appendfsync always`, killed under six writers: they are told, and after a restart the objects go on."""
    with servers.own_folder("agentmem-killed-") as folder, ThreadPoolExecutor(6) as pool:
        with server_of(*DURABLE, folder=folder) as server:
            place = Place(f"redis://{server.host}:{server.port}/0")
            jobs = [*(Adding(place, it) for it in range(4)), *(Asking(place, it) for it in range(4, 6))]
            ended = [pool.submit(it.until_it_fails) for it in jobs]
            assert comes_true(lambda: all(len(it.acknowledged) > 9 for it in jobs))
            servers.kill(server)
            assert all(it.result().is_retryable for it in ended)
        for job in jobs:
            with pytest.raises(StorageError, match="no answer") as away:
                run(job.act(len(job.acknowledged)))
            assert away.value.is_retryable
        with server_of(*DURABLE, folder=folder, port=server.port):
            for job in jobs:
                job.check()
            assert min(servers.redis_keys(place.url).values()) > 0
        place.close()


class Place:
    """One session, and threads, through one object each."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.history = open_history(url)
        self.saver = open_saver(url, ttl=timedelta(hours=1))
        self.graph = answering(self.saver)

    def close(self) -> None:
        self.history.close()
        self.saver.close()


class Job(ABC):
    """One writer among several; every other one works in an event loop."""

    def __init__(self, place: Place, number: int) -> None:
        self.place, self.number = place, number
        self.acknowledged: list[int] = []

    @abstractmethod
    def act(self, turn: int) -> Flow[Any]: ...

    @abstractmethod
    def check(self) -> None: ...

    def until_it_fails(self) -> StorageError:
        return asyncio.run(arun(self._until_it_fails())) if self.number % 2 else run(self._until_it_fails())

    def _until_it_fails(self) -> Flow[StorageError]:
        for turn in itertools.count():
            try:
                yield from self.act(turn)
            except StorageError as error:
                return error
            self.acknowledged.append(turn)
        raise AssertionError


class Adding(Job):
    """Adds pairs to the session that all of them use."""

    def act(self, turn: int) -> Flow[Any]:
        history = self.place.history
        return step(history.add_messages, history.aadd_messages, pair_of(self.number, turn))

    def check(self) -> None:
        count = len(self.acknowledged)
        assert self.acknowledged == list(range(count))
        pairs = [str(it.content) for turn in range(count + 1) for it in pair_of(self.number, turn)]
        assert self.found() in (pairs[:-2], pairs)
        run(self.act(count))
        assert self.found() == pairs

    def found(self) -> list[str]:
        return [str(it.content) for it in self.place.history.messages if str(it.content).startswith(f"{self.number} ")]


class Asking(Job):
    """Takes turns on a thread of its own."""

    @property
    def thread_id(self) -> str:
        return f"thread {self.number}"

    def act(self, turn: int) -> Flow[Any]:
        return asking(self.place.graph, question(f"{self.number} {turn}"), self.thread_id)

    def check(self) -> None:
        expected = [text for it in self.acknowledged for text in (f"{self.number} {it}", f"re {self.number} {it}")]
        assert said_in(self.place.graph, self.thread_id)[: len(expected)] == expected
        unsaid = f"{self.number} {len(self.acknowledged)}"
        run(finish(self.place.graph, unsaid, self.thread_id))
        assert said_in(self.place.graph, self.thread_id) == [*expected, unsaid, f"re {unsaid}"]
