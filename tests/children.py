"""What processes do that open a database together with others, or fork while they have one open."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import warnings
from pathlib import Path

from langchain_agentmem import AgentMemory, StorageError
from langchain_agentmem._flow import arun, run
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.sql.engine import Database
from tests.ledgers import ALICE, length_of, memory, put
from tests.processes import Say


def write_one(_say: Say, url: str, name: str) -> None:
    """Open a database and keep one memory."""
    ledger = SQLLedger(Database(url))
    run(put(ledger, memory(name)))
    ledger.database.close()


def recall_at_limit(say: Say, path: str) -> None:
    """Let no file grow; say what a write is told, and how a recall answers."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with AgentMemory.embedded(path, embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Alice owns a boat", scope=ALICE)
        limit = Path(f"{path}-wal").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        try:
            memory.long_term.remember("Alice owns a bike", scope=ALICE)
        except StorageError as error:
            say(str(error))
        found = memory.long_term.recall("Who owns a boat?", scope=ALICE)
        say(found.status)
        say(len(found))


def fork_while_open(say: Say, url: str) -> None:
    """Write before and after each of two children, one of which writes; say how long the log is."""
    warnings.simplefilter("ignore", DeprecationWarning)  # Python's, about threads of a process that forks

    async def work() -> None:
        ledger = SQLLedger(Database(url))
        await arun(put(ledger, memory("first")))
        for number, is_used in enumerate((True, False)):
            if (child := os.fork()) == 0:
                if is_used:
                    run(put(ledger, memory("child")))
                ledger.database.close()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0  # noqa: ASYNC222  (nothing else runs)
            await arun(put(ledger, memory(f"parent-{number}")))
        say(await arun(length_of(ledger)))
        await ledger.database.aclose()

    asyncio.run(work())
