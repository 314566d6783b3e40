"""One user's conversations: what recall costs warm, after a new turn and cold, from 1,000 turns to 100,000.

    python benchmarks/turns.py [--sizes N …] [--folder FOLDER] [--quick] [--json FILE]

Conversations of fifty turns, each with its reply, twenty words a side, in a SQLite file per size. With `--folder` the
files stay there: a run that was interrupted goes on, and the next one only asks. `README.md` says more.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

import numpy as np
from _common import WIDTH, machine, pin_threads
from _population import DIM, MODEL, NOW, WordDirections
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from rich.console import Console
from rich.table import Table

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem._flow import run
from langchain_agentmem.index.episode_index import EpisodeIndex
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.long_term.recall.finding import load_episodes_from
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.url import sqlite_url

SIZES: Final = (1_000, 10_000, 40_000, 100_000)
QUICK: Final = (1_000, 10_000)
PER_SESSION: Final = 50
SESSIONS_AT_ONCE: Final = 20  # in one call, after which is noted how far it is
WORDS_PER_SIDE: Final = 20
VOCABULARY: Final = tuple(f"word{number}" for number in range(5_000))
ALICE: Final = Scope("alice")
NOBODY: Final = Scope("nobody")  # asked first: opening a connection is no part of a recall
KINDS: Final = ("cold", "warm", "after_turn", "after_reply")
SAMPLES: Final = 15
COLD_SAMPLES: Final = 3
LOCOMO: Final = (27, 22)  # sessions of a conversation there, and turns in each: about the mean of ten


@dataclass(slots=True)
class Filled:
    """How far a file is, and how long that took."""

    turns: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What was found at one size; of each kind of recall the milliseconds on the clock, and of this process' core."""

    turns: int
    ingested_s: float
    floor_ms: float
    view_mb: float
    file_mb: float
    times: dict[str, tuple[float, float]]


# ---------------------------------------------------------------------------------------------------------------- fill
def words(seed: str) -> str:
    """Return one side of a turn; common words are as common as in language."""
    rng = random.Random(seed)  # noqa: S311  (words, not a secret)
    return " ".join(VOCABULARY[int(len(VOCABULARY) ** rng.random()) - 1] for _ in range(WORDS_PER_SIDE))


def turn(name: str) -> list[BaseMessage]:
    """Return what was said and replied."""
    return [HumanMessage(words(f"{name}/said"), id=f"{name}h"), AIMessage(words(f"{name}/reply"), id=f"{name}a")]


def fill(memory: AgentMemory, path: Path, turns: int) -> Filled:
    """Ingest what is missing of so many turns, session by session, and note how far it is."""
    note = path.with_suffix(".json")
    done = Filled(**json.loads(note.read_text())) if note.exists() else Filled()
    while done.turns < turns:
        began, end = time.perf_counter(), min(turns, done.turns + SESSIONS_AT_ONCE * PER_SESSION)
        for first in range(done.turns, end, PER_SESSION):
            messages = [it for number in range(first, min(end, first + PER_SESSION)) for it in turn(str(number))]
            scope, at = Scope("alice", session_id=f"s{first}"), NOW - timedelta(minutes=turns - first)
            memory.episodes.ingest(messages, scope=scope, at=at)
        done.turns, done.seconds = end, done.seconds + time.perf_counter() - began
        note.write_text(json.dumps(asdict(done)))
    return done


def locomo_like() -> float:
    """Return the seconds that a conversation of LoCoMo's size takes, from messages of two people to turns."""
    sessions, turns = LOCOMO
    with AgentMemory.in_memory(embeddings=WordDirections(), consent="assumed") as memory:
        began = time.perf_counter()
        for session in range(sessions):
            said = [
                HumanMessage(words(f"{session}/{it}"), id=f"{session}-{it}", name=("Ann", "Ben")[it % 2])
                for it in range(turns)
            ]
            memory.episodes.ingest(said, scope=Scope("ann", session_id=str(session)), at=NOW)
        return time.perf_counter() - began


# ------------------------------------------------------------------------------------------------------------- measure
class Samples:
    """Milliseconds of one kind of call, on the clock and of this process' core."""

    def __init__(self) -> None:
        self._clock: list[float] = []
        self._core: list[float] = []

    def add(self, call: Callable[[], object]) -> None:
        """Time one call."""
        clock, core = time.perf_counter(), time.process_time()
        call()
        self._clock.append((time.perf_counter() - clock) * 1e3)
        self._core.append((time.process_time() - core) * 1e3)

    @property
    def medians(self) -> tuple[float, float]:
        """Return the medians."""
        return statistics.median(self._clock), statistics.median(self._core)


def measure(path: Path, turns: int) -> Figures:
    """Ask of a file of so many turns."""
    with opened(path) as memory:
        ingested_s = fill(memory, path, turns).seconds
    kinds = {name: Samples() for name in KINDS}
    for _ in range(COLD_SAMPLES):
        with opened(path) as memory:
            kinds["cold"].add(lambda: ask(memory, 0))
    with opened(path) as memory:
        ask(memory, 0)
        for number in range(SAMPLES):
            kinds["warm"].add(lambda: ask(memory, number))  # noqa: B023  (called at once)
            said = turn(f"later{random.getrandbits(64)}")
            for name, messages in (("after_turn", said[:1]), ("after_reply", said)):
                memory.episodes.ingest(messages, scope=Scope("alice", session_id="later"), at=NOW)
                kinds[name].add(lambda: ask(memory, number))  # noqa: B023  (called at once)
    return Figures(
        turns=turns,
        ingested_s=ingested_s,
        floor_ms=floor(turns),
        view_mb=view_bytes(path) / 1e6,
        file_mb=path.stat().st_size / 1e6,
        times={name: samples.medians for name, samples in kinds.items()},
    )


def opened(path: Path) -> AgentMemory:
    """Return the memory in a file, with nothing in its views."""
    memory = AgentMemory.embedded(path, embeddings=WordDirections(), consent="assumed", clock=lambda: NOW)
    memory.long_term.recall("anything", scope=NOBODY)
    return memory


def ask(memory: AgentMemory, number: int) -> None:
    """Recall the best five turns."""
    rng = random.Random(number)  # noqa: S311  (likewise)
    memory.long_term.recall(" ".join(rng.choices(VOCABULARY[:500], k=5)), scope=ALICE, limit=5)


def floor(turns: int) -> float:
    """Return the milliseconds of one numpy product over so many vectors."""
    matrix, samples = np.ones((turns, DIM), np.float32), Samples()
    for _ in range(SAMPLES):
        samples.add(lambda: np.argpartition(matrix @ matrix[0], -5)[-5:])
    return samples.medians[0]


def view_bytes(path: Path) -> int:
    """Return the bytes of what is held in memory to search a file's conversations."""
    database = Database(sqlite_url(path))
    index = EpisodeIndex(load_episodes_from(SQLLedger(database, clock=lambda: NOW)), model=MODEL.name)
    run(index.open(ALICE))
    database.close()
    return index.views.nbytes


# ----------------------------------------------------------------------------------------------------------------- tell
def table(found: Sequence[Figures]) -> Table:
    """Return the figures as a table."""
    drawn = Table(title="recall of the best five turns, in ms: on the clock (of one core)", title_justify="left")
    kinds = (it.replace("_", " ") for it in KINDS)
    for head in ("turns", *kinds, "after / warm", "floor", "view MB", "file MB", "ingested s"):
        drawn.add_column(head, justify="right")
    for it in found:
        times = [f"{clock:,.1f} ({core:,.1f})" for clock, core in it.times.values()]
        ratio = f"x{it.times['after_turn'][1] / it.times['warm'][1]:.2f}"
        sizes = (f"{it.floor_ms:,.2f}", f"{it.view_mb:,.1f}", f"{it.file_mb:,.0f}", f"{it.ingested_s:,.1f}")
        drawn.add_row(f"{it.turns:,}", *times, ratio, *sizes)
    return drawn


def main() -> None:
    """Measure each size, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", help=f"numbers of turns; {', '.join(map(str, SIZES))}")
    parser.add_argument("--folder", type=Path, help="where the databases stay, to go on or to ask again")
    parser.add_argument("--quick", action="store_true", help=f"{', '.join(map(str, QUICK))} turns")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    chosen = parser.parse_args()
    found: list[Figures] = []
    with ExitStack() as stack:
        folder = chosen.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="agentmem-bench-")))
        folder.mkdir(parents=True, exist_ok=True)
        seconds, (sessions, turns) = locomo_like(), LOCOMO
        for size in chosen.sizes or (QUICK if chosen.quick else SIZES):
            print(f"{size:,} turns …", file=sys.stderr, flush=True)
            found.append(measure(folder / f"turns-{size}.db", size))
    console = Console(width=WIDTH)
    console.print(table(found))
    console.print(
        f"{sessions * turns} turns of two people in {sessions} sessions: {seconds:.2f} s, without a model's time"
    )
    console.print(machine())
    if chosen.json is not None:
        sizes = [asdict(it) for it in found]
        chosen.json.write_text(json.dumps({**machine(), "locomo_like_s": seconds, "sizes": sizes}))


if __name__ == "__main__":
    pin_threads()
    main()
