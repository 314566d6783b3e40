"""Two processes that write to one thread at once: how many of the messages that were accepted are still there?"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from typing import Any, Final, TypeAlias

from _kit import UnavailableError, Workshop
from _savers import FORKING, IN_MEMORY, KINDS, Graph, Kind, Saver, graph, thread
from langchain_core.messages import HumanMessage

from langchain_agentmem.errors import ConflictError

INVOKES: Final = 30  # of each process
WAIT_S: Final = 120.0
THREAD: Final = "contested"
KINDS_HERE: Final[Mapping[str, Kind]] = {row: kind for row, kind in KINDS.items() if row != IN_MEMORY} | dict(FORKING)

Place: TypeAlias = tuple[str, str]


@dataclass(slots=True)
class Tally:
    """What became of the messages of both writers.

    Attributes:
        accepted: Ids of the messages whose invoke returned.
        refused: How many were refused with `ConflictError`.
        failed: Other errors, by the name of their class.
        in_head: Accepted messages in the thread's latest state. `anywhere`: in any checkpoint of it.
    """

    accepted: set[str] = field(default_factory=set)
    refused: int = 0
    failed: dict[str, int] = field(default_factory=dict)
    in_head: int = 0
    anywhere: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the counts as JSON-like values."""
        counts = {"accepted": len(self.accepted), "in_head": self.in_head, "anywhere": self.anywhere}
        return {**counts, "refused": self.refused, "failed": self.failed}


def contest(rows: Iterable[str], bench: Workshop, left_out: dict[str, str]) -> dict[str, Tally]:
    """Let two processes write to one thread of each checkpointer at once, and count."""
    places: dict[str, str] = {}
    for row in rows:
        try:
            places[row] = _make_place(row, bench)
        except UnavailableError as error:
            left_out[row] = str(error)
        except Exception as error:  # noqa: BLE001  (whatever ails another package)
            left_out[row] = f"{type(error).__name__}: {error}"
    tallies = {row: Tally() for row in places}
    for row, accepted, refused, failed in _write_twice(list(places.items())):
        tally = tallies[row]
        tally.accepted |= accepted
        tally.refused += refused
        for name in failed:
            tally.failed[name] = tally.failed.get(name, 0) + 1
    for row, url in places.items():
        _look(row, url, tallies[row])
    return tallies


def _make_place(row: str, bench: Workshop) -> str:
    kind = KINDS_HERE[row]
    url = kind.place(bench, f"contest-{list(KINDS_HERE).index(row)}")
    with ExitStack() as stack:
        kind.open(url, stack)  # makes the tables and indexes
    return url


def _write_twice(places: list[Place]) -> list[tuple[str, set[str], int, list[str]]]:
    """Run both writers in fresh processes; they meet before each checkpointer."""
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(2), context.Queue()
    writers = [context.Process(target=_write_all, args=(name, places, barrier, results)) for name in ("a", "b")]
    for writer in writers:
        writer.start()
    found = [results.get(timeout=WAIT_S) for _ in range(2 * len(places))]
    for writer in writers:
        writer.join(WAIT_S)
    return found


def _write_all(name: str, places: list[Place], barrier: Barrier, results: Queue[Any]) -> None:
    for row, url in places:
        with ExitStack() as stack:
            compiled = graph(KINDS_HERE[row].open(url, stack), KINDS_HERE[row].state)
            barrier.wait(WAIT_S)
            results.put((row, *_write(compiled, name)))


def _write(compiled: Graph, name: str) -> tuple[set[str], int, list[str]]:
    accepted: set[str] = set()
    refused, failed = 0, []
    for number in range(INVOKES):
        id = f"{name}-{number}"
        try:
            compiled.invoke({"messages": [HumanMessage(f"said by {id}", id=id)]}, thread(THREAD), durability="sync")
        except ConflictError:
            refused += 1
        except Exception as error:  # noqa: BLE001  (counted by its name)
            failed.append(type(error).__name__)
        else:
            accepted.add(id)
    return accepted, refused, failed


def _look(row: str, url: str, tally: Tally) -> None:
    kind = KINDS_HERE[row]
    with ExitStack() as stack:
        saver = kind.open(url, stack)
        compiled = graph(saver, kind.state)
        latest = _ids(compiled.get_state(thread(THREAD)).values)
        tally.in_head = len(tally.accepted & latest)
        tally.anywhere = len(tally.accepted & (latest | _every_id(compiled, saver)))


def _every_id(compiled: Graph, saver: Saver) -> set[str]:
    configs = [found.config for found in saver.list(thread(THREAD))]  # all first: while it lists, a peer holds its lock
    return set().union(*(_ids(compiled.get_state(config).values) for config in configs))


def _ids(values: Mapping[str, Any]) -> set[str]:
    return {message.id for message in values.get("messages", [])}
