"""One user's cycle of forgetting: what it takes to foresee it and to carry it out, and how long others wait meanwhile.

    python benchmarks/forgetting.py [--memories N] [--quick] [--json]

Half of the memories are new, half were not used for 250 days and fade. Meanwhile one thread reads a memory again and
again, and another one recalls, which finds nothing and leaves a receipt. A second cycle must find nothing to do, and
the log must verify: else the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import median

from langchain_agentmem import AgentMemory, Memory, MemoryOptions, Scope
from langchain_agentmem._flow import run
from langchain_agentmem.ledger.base import Draft, LedgerWriter
from langchain_agentmem.ledger.codec import fields_of
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sql.engine import Database

ALICE = Scope("alice")
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
LATER = BEGAN + timedelta(days=250)
FULL, QUICK = 10_000, 1_000
NOTHING = "a xylophone of Zanzibar"
PAUSE_S = 0.005


class Clock:
    """A clock that stands where it is put."""

    now = BEGAN

    def __call__(self) -> datetime:
        """Return it."""
        return self.now


def fill(database: Database, clock: Clock, numbers: range) -> None:
    """Write memories as `remember` does, past the write policy."""
    ledger = SQLLedger(database, clock=clock)

    def write(writer: LedgerWriter) -> None:
        for number in numbers:
            told = Memory(
                id=f"m{number}",
                scope=ALICE,
                kind="fact",
                content=f"Item {number} is in shelf {number % 97} of room {number % 13}",
                confidence=0.9,
                importance=0.5,
                source="explicit",
                created_at=clock(),
            )
            writer.append(Draft(type="remembered", memory_id=told.id, changes=fields_of(told)))

    run(ledger.append(ALICE, write))


def asking(ask: Callable[[], object], waits: list[float], is_over: threading.Event) -> None:
    """Ask again and again, and note how long each took."""
    while not is_over.is_set():
        began = time.perf_counter()
        ask()
        waits.append(time.perf_counter() - began)
        time.sleep(PAUSE_S)


def measure(count: int, folder: Path) -> dict[str, float]:
    """Return seconds of each part."""
    clock, is_over = Clock(), threading.Event()
    waits: dict[str, list[float]] = {"get": [], "recall": []}
    database, options = Database(f"sqlite:///{folder / 'agent.db'}"), MemoryOptions(consent="assumed", clock=clock)
    with AgentMemory(database, embeddings=None, options=options) as memory:
        fill(database, clock, range(count // 2))
        clock.now = LATER
        fill(database, clock, range(count // 2, count))
        calls = (lambda: memory.long_term.get("m0", scope=ALICE), lambda: memory.long_term.recall(NOTHING, scope=ALICE))
        others = [
            threading.Thread(target=asking, args=(call, taken, is_over))
            for call, taken in zip(calls, waits.values(), strict=True)
        ]
        times, reports = [time.perf_counter()], []
        for dry_run in (True, False, False):
            if not dry_run and len(times) == 2:
                for it in others:
                    it.start()
            reports.append(memory.forgetting.forget_cycle(ALICE, dry_run=dry_run))
            times.append(time.perf_counter())
        is_over.set()
        for it in others:
            it.join()
        is_right = [len(it.moves) for it in reports] == [count // 2, count // 2, 0]
        if not is_right or not memory.long_term.verify(scope=ALICE).is_intact:
            sys.exit(1)
    steps = [after - before for before, after in pairwise(times)]
    return {
        "memories": count,
        "dry_run_s": steps[0],
        "cycle_s": steps[1],
        "second_cycle_s": steps[2],
        **{f"{name}_median_ms": median(taken) * 1e3 for name, taken in waits.items()},
        **{f"{name}_longest_ms": max(taken) * 1e3 for name, taken in waits.items()},
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(given.memories or (QUICK if given.quick else FULL), Path(folder))
    if given.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:20} {value:10,.3f}")


if __name__ == "__main__":
    main()
