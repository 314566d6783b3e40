"""A process that has imported other people's libraries, and runs each page in a copy of itself.

The first page imports this package as a newcomer does; the others do not wait for it again, nor for PyTorch, nor until
the rules that read language are compiled.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import traceback
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NoReturn

LIBRARIES: Final = (
    "alembic.command",
    "alembic.runtime.migration",
    "cryptography.hazmat.primitives.ciphers.aead",
    "dulwich.porcelain",
    "langchain.agents.middleware",
    "langchain_chroma",
    "langchain_core.prompts",
    "langchain_core.retrievers",
    "langgraph.graph",
    "langgraph.prebuilt",
    "networkx",
    "phonenumbers",
    "sentence_transformers",
    "sqlalchemy.dialects.sqlite.aiosqlite",
    "sqlalchemy.ext.asyncio",
    "yaml",
)

OURS: Final = (
    "langchain_agentmem.consolidation",
    "langchain_agentmem.entities",
    "langchain_agentmem.graph",
    "langchain_agentmem.memory",
    "langchain_agentmem.metrics",
    "langchain_agentmem.middleware",
    "langchain_agentmem.sweeps",
)

FIRST: Final = "README.md"
SAID: Final = ".said"


def serve() -> None:
    """Answer each line of `[page, folder, parts]` with the exit code of a process that ran the parts in that folder."""
    sys.path[0] = ""  # as it is for somebody who types
    load(LIBRARIES)
    assert "langchain_agentmem" not in sys.modules
    for line in sys.stdin:
        page, folder, parts = json.loads(line)
        if page != FIRST:
            load(OURS)
            warm_up()
        assert page != FIRST or "langchain_agentmem" not in sys.modules, f"{FIRST} comes first"
        if (child := os.fork()) == 0:
            read(page, folder, parts)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)  # noqa: T201  (this is the answer)


def load(names: Sequence[str]) -> None:
    """Import what is not imported yet."""
    for name in names:
        importlib.import_module(name)
    gc.freeze()  # what is never looked at again is never copied


@cache
def warm_up() -> None:
    """Learn and recall something, so that most patterns are compiled; no model is used, whose threads no copy has."""
    ours, core = sys.modules["langchain_agentmem"], importlib.import_module("langchain_core.messages")
    with ours.AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        messages = [core.HumanMessage("I moved to Rome, and my sister Nora is a nurse."), core.AIMessage("I see.")]
        memory.background.ingest(messages, scope=ours.Scope("alice", session_id="talk"))
        memory.jobs.run()
        memory.long_term.remember("Alice lives in Paris", scope=ours.Scope("alice"))
        memory.long_term.recall("Where does she live?", scope=ours.Scope("alice"))
    gc.freeze()


def read(page: str, folder: str, parts: Sequence[str]) -> NoReturn:
    """Run the parts one after the other; what they say is in a file beside the folder."""
    code = 0
    os.chdir(folder)
    with Path(folder + SAID).open("w") as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
    shared: dict[str, object] = {}
    try:
        for part in parts:
            exec(compile(part, page, "exec", dont_inherit=True), shared)  # noqa: S102  (our own pages)
    except BaseException:  # noqa: BLE001  (whatever it is, it is the page's)
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    os._exit(code)  # to take apart what it shares with its parent would take seconds


if __name__ == "__main__":
    serve()
