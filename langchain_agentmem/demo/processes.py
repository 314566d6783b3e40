"""A process for each session, so that nothing but the database can carry a memory over.

Where the system can, they are forked from a server that has imported what all of them need, and nothing else:
embeddings take seconds to import. It has opened no database and seen no session.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console

from langchain_agentmem._storing import hush_plain
from langchain_agentmem.demo.models import chat_model
from langchain_agentmem.demo.options import DemoOptions, procedures_of
from langchain_agentmem.demo.render import Screen, complain
from langchain_agentmem.demo.session import Stage, play
from langchain_agentmem.demo.story import SESSIONS
from langchain_agentmem.errors import AgentMemError
from langchain_agentmem.memory import AgentMemory

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

OTHERWISE: Final = 3
"""Exit code of a process whose session came otherwise than told; 1 is that of a process that crashed."""

UNPLAYED: Final = 2
"""Exit code of a process that could not play its session, and has said why."""

QUIET: Final = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_VERBOSITY": "error",
}
"""Settings by which the libraries under the embeddings keep to themselves."""

_PRELOADED: Final = ("langchain_agentmem.demo.session", "sentence_transformers")


def play_apart(number: int, database: Path, options: DemoOptions) -> int | None:
    """Play one session in a process of its own, and return its exit code."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)  # before the server begins, which hands them on
    process = _context().Process(target=play_session, args=(number, database, options))
    process.start()
    process.join()
    return process.exitcode


def play_session(number: int, database: Path, options: DemoOptions) -> None:
    """Play one session of the story, as all that a process does; it ends with an exit code."""
    hush_plain()  # the story is played without keys, on purpose
    try:
        is_good = _played(number, database, options)
    except AgentMemError as error:
        complain(error)
        sys.exit(UNPLAYED)
    if not is_good:
        sys.exit(OTHERWISE)


def _played(number: int, database: Path, options: DemoOptions) -> bool:
    answering = chat_model(options.model)
    extracting = answering if options.extract_with_model else None
    procedures = {"path": procedures_of(database), "create": True}
    with AgentMemory.embedded(database, model=extracting, procedural=procedures) as memory:
        stage = Stage(memory=memory, model=answering, screen=Screen(Console(highlight=False)))
        return not play(SESSIONS[number - 1], number, stage)


def _context() -> ForkServerContext | SpawnContext:
    """Return how processes begin here; with a plain fork they would share what this process has in memory."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(list(_PRELOADED))
    return server
