"""The whole demonstration: four sessions in four processes, then what can be checked from outside."""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from langchain_agentmem.demo.layers import applied
from langchain_agentmem.demo.models import chat_model, name_of
from langchain_agentmem.demo.options import DemoOptions, procedures_of
from langchain_agentmem.demo.processes import OTHERWISE, play_apart
from langchain_agentmem.demo.record import LEGEND
from langchain_agentmem.demo.render import Screen, describe
from langchain_agentmem.demo.story import CARD, SESSIONS
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Scope

USERS: Final = tuple(dict.fromkeys(session.user for session in SESSIONS))


def perform(options: DemoOptions, screen: Screen) -> bool:
    """Play the story, print it, and return whether it came as it should.

    Raises:
        ConfigurationError: The chat model cannot be had, or a session cannot be played.
    """
    model = chat_model(options.model)  # a missing key shows here, before anything is played
    started = time.perf_counter()
    with database_for(options.keep) as database:
        _try(database)  # … as does a path that cannot be written, and what is not installed
        _introduce(screen, database, options)
        is_good = _play(database, options)
        is_good = _check(screen, database) and is_good
        screen.note(f"{time.perf_counter() - started:.0f} s in all; answers by: {name_of(model)}")
        _point_onwards(screen, options.keep)
    return is_good


def _try(database: Path) -> None:
    procedures = {"path": procedures_of(database), "create": True}
    with AgentMemory.embedded(database, procedural=procedures) as memory:
        memory.procedural.policies()


@contextlib.contextmanager
def database_for(keep: Path | None) -> Iterator[Path]:
    """Yield a path for a new database: the one to keep, or one in a folder that is removed afterwards."""
    if keep is not None:
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="agentmem-demo-") as folder:
        yield Path(folder) / "agent.db"


def _introduce(screen: Screen, database: Path, options: DemoOptions) -> None:
    screen.title("langchain-agentmem: an agent that remembers, and says why")
    screen.note(f"Four sessions of two users, each in a process of its own, on one SQLite file: {database.name}")
    screen.note(LEGEND)
    if options.model is None:
        screen.note(
            "Answers come from an offline responder: it only quotes what memory recalled, and calls tools by rules."
            " For a real one: --model provider:name"
        )


def _play(database: Path, options: DemoOptions) -> bool:
    """Play all sessions, and return whether each came as the story says.

    Raises:
        ConfigurationError: A session could not be played at all; its process has said why.
    """
    codes = []
    for number in range(1, len(SESSIONS) + 1):
        codes.append(play_apart(number, database, options))
        if codes[-1] not in {0, OTHERWISE}:
            msg = f"session {number} could not be played (exit code {codes[-1]}); the reason stands above"
            raise ConfigurationError(msg)
    return not any(codes)


# -------------------------------------------------------------------------------------------------------- from outside
def _check(screen: Screen, database: Path) -> bool:
    screen.title("What can be checked from outside")
    results = []
    with AgentMemory.embedded(database, embeddings=None, procedural=procedures_of(database)) as memory:
        _explain(screen, memory)
        for user in USERS:
            found = memory.long_term.verify(scope=Scope(user_id=user))
            results.append(found.is_intact)
            screen.verdict(found.is_intact, f"the log of {user}: {describe(found)}")
    results.append(_has_no_card(database))
    screen.verdict(results[-1], "the card number stands nowhere in the database file")
    finding = tampering(database)
    results.append(finding is not None)
    screen.verdict(results[-1], f"a copy with one flipped bit: {finding or 'not noticed'}")
    return all(results)


def _explain(screen: Screen, memory: AgentMemory) -> None:
    """Show why the newest memory of the first user is there: the question every user may ask."""
    scope = Scope(user_id=USERS[0])
    for kept in memory.long_term.list(scope=scope, kinds=("fact",), limit=1):
        reasons = memory.long_term.why(kept.id, scope=scope).reasons
        screen.note(f"why does it know “{kept.content}”? {'; '.join(reasons)}")
    for user in USERS:
        for event in reversed(memory.procedural.events(scope=Scope(user_id=user))):
            screen.note(f"what did policies do for {user}? {applied(event)}")


def _has_no_card(database: Path) -> bool:
    files = [database, *database.parent.glob(f"{database.name}-*")]
    kept = b"".join(file.read_bytes() for file in files)
    return CARD.encode() not in kept and CARD.replace(" ", "").encode() not in kept


def tampering(database: Path) -> str | None:
    """Flip one bit of one payload in a copy of the database, and return what `verify` says; `None`: nothing."""
    with tempfile.TemporaryDirectory(prefix="agentmem-demo-") as folder:
        copy = Path(folder) / "copy.db"
        with (
            contextlib.closing(sqlite3.connect(database)) as source,
            contextlib.closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
            _flip_a_bit(target)
        with AgentMemory.embedded(str(copy), embeddings=None) as memory:
            found = memory.long_term.verify(scope=Scope(user_id=USERS[0]))
    return None if found.is_intact else describe(found)


def _flip_a_bit(connection: sqlite3.Connection) -> None:
    last = "SELECT rowid, sealed FROM agentmem_payloads WHERE subject_id = 1 ORDER BY seq DESC LIMIT 1"
    row, sealed = connection.execute(last).fetchone()
    flipped = bytes([*sealed[:-1], sealed[-1] ^ 1])
    connection.execute("UPDATE agentmem_payloads SET sealed = ? WHERE rowid = ?", (flipped, row))
    connection.commit()


def _point_onwards(screen: Screen, keep: Path | None) -> None:
    shown = keep or "agent.db"
    prefix = "" if keep else "with --keep agent.db: "
    screen.title("Where next")
    screen.note(f"{prefix}python -m langchain_agentmem list {shown} --user {USERS[0]}, and verify in place of list")
    screen.note("in your own code: README.md, and step by step notebooks/01_a_memory_that_lasts.ipynb")
