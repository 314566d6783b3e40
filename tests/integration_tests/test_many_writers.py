from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple, empty_checkpoint

from langchain_agentmem._flow import arun, run
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.testing.history import check_writers
from tests.conftest import Colour
from tests.integration_tests.conversing import (
    SOAK,
    Durability,
    History,
    Turn,
    Turns,
    answering,
    converse,
    on,
    open_history,
    open_saver,
    pair_of,
    said_in,
    take_turns,
    turns,
    write_on,
    write_pairs,
)
from tests.processes import Process, Say, together
from tests.threads import Removing, remove

THREADS = 8
PROCESSES = 4
PAIRS = 10 * SOAK
TURNS = 12 * SOAK


# ------------------------------------------------------------------------------------------------------------- sessions
def test_threads_and_processes_on_one_session_lose_and_double_nothing(store_url: str) -> None:
    """Eight threads and four processes: all is there once, each writer's in its order, one order for every reader."""
    processes = [Process(converse, store_url, writer, PAIRS) for writer in range(THREADS, THREADS + PROCESSES)]
    with open_history(store_url) as history, ThreadPoolExecutor(THREADS + 2) as pool:
        is_over = threading.Event()
        readers = [pool.submit(lambda: list(watched(history, is_over))) for _ in range(2)]
        try:
            writers = [pool.submit(add_pairs, history, writer) for writer in range(THREADS)]
            acknowledged = together(processes)
            assert [it.result() for it in writers] == [None] * THREADS
        finally:
            is_over.set()
        found = history.messages
    assert acknowledged == [list(range(PAIRS))] * PROCESSES
    check_writers(found, writers=THREADS + PROCESSES, each=2 * PAIRS)
    assert all(seen == found[: len(seen)] for reader in readers for seen in reader.result())


def add_pairs(history: History, writer: int) -> None:
    for number in range(PAIRS):
        history.add_messages(pair_of(writer, number))


def watched(history: History, is_over: threading.Event) -> Iterator[list[BaseMessage]]:
    """Read a session again and again: whole, by its end and by pages, which have to agree."""
    while not is_over.wait(0.01):
        seen = history.messages
        yield seen
        if seen:
            page = history.page(after=0, limit=len(seen))
            assert list(page.messages) == seen
    yield history.last(10_000)


def test_two_event_loops_and_threads_share_one_history(store_url: str) -> None:
    """Two loops with three tasks each, and two threads, all through one object: the same law."""

    async def add(writer: int) -> None:
        for number in range(PAIRS):
            await history.aadd_messages(pair_of(writer, number))
            assert await history.acount() >= 2 * number + 2

    async def tasks(writers: Sequence[int]) -> None:
        await asyncio.gather(*map(add, writers))
        assert len(await history.aget_messages()) >= len(writers) * 2 * PAIRS

    with open_history(store_url) as history, ThreadPoolExecutor(4) as pool:
        working = [
            pool.submit(lambda: asyncio.run(tasks(range(3)))),
            pool.submit(lambda: asyncio.run(tasks((3, 4, 5)))),
        ]
        working += [pool.submit(add_pairs, history, writer) for writer in (6, 7)]
        for each in working:
            each.result()
        check_writers(history.messages, writers=8, each=2 * PAIRS)


def test_two_event_loops_and_threads_share_one_saver(store_url: str) -> None:
    """Two loops with two tasks each, and two threads, on threads of their own and on one that is leased by turns."""
    plans = [Turns(str(writer), 4 * SOAK, thread_id=f"own {writer}") for writer in range(6)]
    shared = [plan._replace(thread_id="t", manner="lease", size=2) for plan in plans]
    said: list[Turn] = []

    async def tasks(saver: StoredSaver, numbers: Sequence[int]) -> None:
        for these in (plans, shared):
            await asyncio.gather(*(arun(turns(said.append, saver, these[it])) for it in numbers))

    with open_saver(store_url) as saver, ThreadPoolExecutor(4) as pool:
        working = [pool.submit(asyncio.run, tasks(saver, numbers)) for numbers in ((0, 1), (2, 3))]
        working += [pool.submit(take_both, said.append, saver, plans[it], shared[it]) for it in (4, 5)]
        assert [it.result() for it in working] == [None] * 4
        assert {(turn.is_taken, turn.refusals) for turn in said} == {(True, 0)}
        graph = answering(saver)
        for plan in plans:
            assert said_in(graph, plan.thread_id) == dialogue(plan)
        assert sorted(said_in(graph)) == sorted(text for plan in shared for text in dialogue(plan))


def take_both(say: Say, saver: StoredSaver, *plans: Turns) -> None:
    for plan in plans:
        run(turns(say, saver, plan))


def dialogue(plan: Turns) -> list[str]:
    texts = [f"{plan.writer} {number}" for number in range(plan.size)]
    return [it for text in texts for it in (text, f"re {text}")]


# -------------------------------------------------------------------------------------------------------------- threads
def test_threads_and_processes_on_one_checkpoint_lose_and_double_nothing(store_url: str) -> None:
    """Tasks of eight threads and four processes write on one: each write is there, each message is kept once."""
    count, writers = 4 * SOAK, range(THREADS + PROCESSES)
    processes = [Process(write_on, store_url, writer, count) for writer in writers[THREADS:]]
    with open_saver(store_url) as saver, ThreadPoolExecutor(THREADS) as pool:
        saver.put(on("t"), {**empty_checkpoint(), "id": "1"}, {}, {})
        said: list[int] = []
        working = [pool.submit(write_pairs, said.append, saver, writer, count) for writer in writers[:THREADS]]
        assert together(processes) == [list(range(count))] * PROCESSES
        assert [it.result() for it in working] == [None] * THREADS
        latest, plan = saver.get_tuple(on("t")), Removing()
        run(remove(saver._setting.threads, plan))
    expected = [(f"{it} {number}", "messages", pair_of(it, number)) for it in writers for number in range(count)]
    expected += [(task, "shared", pair_of("all", 0)) for task, _, _ in expected]
    assert latest is not None
    assert sorted(latest.pending_writes or [], key=repr) == sorted(expected, key=repr)
    assert list(plan.inventory.numbers) == list(range(1, 2 * len(writers) * count + 3))


@pytest.mark.parametrize("durability", ["sync", "async"])
def test_two_processes_on_one_thread_keep_every_turn_that_was_taken(store_url: str, durability: Durability) -> None:
    """Of two runs at once one is taken, the other told so: what was taken is in the head, once and in order."""
    said = contested(store_url, Turns("", TURNS, durability=durability))
    taken = [[turn.text for turn in turns if turn.is_taken] for turns in said]
    refused = [turn for turns in said for turn in turns if turn.refusals]
    assert len(taken[0]) + len(taken[1]) + len(refused) == 2 * TURNS
    check_head(store_url, taken)


@pytest.mark.parametrize("durability", ["sync", "async"])
def test_two_processes_that_try_again_keep_every_turn(store_url: str, durability: Durability) -> None:
    """The caller of a refused turn repeats it with the same message: all turns get there, each once."""
    said = contested(store_url, Turns("", TURNS, manner="retry", durability=durability))
    taken = [[turn.text for turn in turns if turn.is_taken] for turns in said]
    assert list(map(len, taken)) == [TURNS, TURNS]
    check_head(store_url, taken)


@pytest.mark.parametrize("durability", ["sync", "async"])
def test_two_processes_that_fork_lose_no_turn(store_url: str, durability: Durability) -> None:
    """Nobody is refused, and every turn is in a branch, with all that its run had read."""
    said = contested(store_url, Turns("", TURNS, durability=durability, on_conflict="fork"))
    assert [turn.is_taken for turns in said for turn in turns] == [True] * 2 * TURNS
    with open_saver(store_url) as saver:
        every = list(saver.list(on("t")))
    answers = {text for it in every for text in texts_of(it) if text.startswith("re ")}
    assert answers == {f"re {turn.text}" for turns in said for turn in turns}
    check_branches(every)


def test_a_lease_keeps_runs_from_conflicting(store_url: str) -> None:
    """Who takes it first is never refused: all turns are taken at once, from the first one on."""
    said = contested(store_url, Turns("", 8 * SOAK, manner="lease", durability="async"))
    assert [(turn.is_taken, turn.refusals) for turns in said for turn in turns] == [(True, 0)] * 16 * SOAK
    check_head(store_url, [[turn.text for turn in turns] for turns in said])


@pytest.mark.parametrize("durability", ["sync", "async"])
def test_of_two_first_runs_one_begins_the_thread(store_url: str, colour: Colour, durability: Durability) -> None:
    """Both have read that there is nothing: who puts first begins it, the other is told so and has left no trace."""
    barrier = threading.Barrier(2)
    plans = [Turns(it, 1, durability=durability, is_awaited=colour == "async") for it in ("one", "two")]
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda plan: begun(store_url, plan, barrier), plans))
    assert [it.is_taken for it in outcomes].count(True) == 1
    [winner] = [it.text for it in outcomes if it.is_taken]
    with open_saver(store_url) as saver:
        assert said_in(answering(saver)) == [winner, f"re {winner}"]
        assert len(saver.history("t")) == 3
        assert saver.sweep().items == 0


def begun(url: str, plan: Turns, barrier: threading.Barrier) -> Turn:
    """Take the first turn of a thread; every run has read before one goes on."""
    said: list[Turn] = []
    with open_saver(url) as saver:
        read, aread = saver.get_tuple, saver.aget_tuple

        def get_tuple(config: RunnableConfig) -> CheckpointTuple | None:
            found = read(config)
            barrier.wait(60)
            return found

        async def aget_tuple(config: RunnableConfig) -> CheckpointTuple | None:
            found = await aread(config)
            await asyncio.to_thread(barrier.wait, 60)
            return found

        saver.get_tuple, saver.aget_tuple = get_tuple, aget_tuple  # type: ignore[method-assign]
        taking = turns(said.append, saver, plan)
        asyncio.run(arun(taking)) if plan.is_awaited else run(taking)
    return said[0]


def contested(url: str, plan: Turns) -> list[list[Turn]]:
    """Let two processes take turns on one new thread, one of them in an event loop; return what each said."""
    plans = [plan._replace(writer="one"), plan._replace(writer="two", is_awaited=True)]
    return together([Process(take_turns, url, it) for it in plans])


def check_head(url: str, taken: Sequence[Sequence[str]]) -> None:
    """The head holds exactly the answers to the turns that were taken, each after its question, each writer's in order.

    Of a turn that was refused the question may be there: the run that came in between went on from it.
    """
    with open_saver(url) as saver:
        found = said_in(answering(saver))
    assert len(set(found)) == len(found)
    assert all(found.index(it.removeprefix("re ")) < place for place, it in enumerate(found) if it.startswith("re "))
    for writer, texts in zip(("one", "two"), taken, strict=True):
        assert [it.removeprefix("re ") for it in found if it.startswith(f"re {writer}")] == list(texts)


def texts_of(it: CheckpointTuple) -> list[str]:
    return [str(message.content) for message in it.checkpoint["channel_values"].get("messages", [])]


def check_branches(every: Sequence[CheckpointTuple]) -> None:
    """Every checkpoint holds what its parent holds, and those that were put too late say on top of what."""
    by_id = {it.checkpoint["id"]: it for it in every}
    for it in every:
        if it.parent_config is not None:
            before = texts_of(by_id[it.parent_config["configurable"]["checkpoint_id"]])
            assert texts_of(it)[: len(before)] == before
        assert str(it.metadata.get("agentmem_conflict", next(iter(by_id)))) in by_id
