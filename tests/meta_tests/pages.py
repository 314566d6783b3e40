"""A process that has imported other people's libraries, and none of ours, and runs each page in a copy of itself.

A page imports this package as a newcomer does, and does not wait for PyTorch and LangChain again.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import traceback
from collections.abc import Sequence
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

SAID: Final = ".said"


def serve() -> None:
    """Answer each line of `[page, folder, parts]` with the exit code of a process that ran the parts in that folder."""
    sys.path[0] = ""  # as it is for somebody who types
    for name in LIBRARIES:
        importlib.import_module(name)
    assert "langchain_agentmem" not in sys.modules
    gc.freeze()  # what is never looked at again is never copied
    for line in sys.stdin:
        if (child := os.fork()) == 0:
            read(*json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)  # noqa: T201  (this is the answer)


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
