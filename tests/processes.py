"""Processes that work for a test until they are done, or killed, and say through a pipe what was acknowledged to them.

They are forked from a server that has imported everything once, so that starting one takes milliseconds, and none of
them inherits a connection. Where a test is run under a vault, they are too, with the same keys.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
import warnings
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, TypeAlias

from tests import vaults

Say: TypeAlias = Callable[[Any], None]

_CONTEXT: Final = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.integration_tests.conversing", "tests.integration_tests.warm"])


class Process:
    """A process that works for a test, once it is told to go; what it says can be lost, but is never made up."""

    def __init__(self, work: Callable[..., None], *arguments: Any) -> None:
        """Start it and wait until it is ready."""
        self._pipe, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(
            target=_work, args=(work, theirs, vaults.folder_in_use(), *arguments), daemon=True
        )
        self._process.start()
        theirs.close()
        assert self._pipe.recv() == "ready"

    def go(self) -> None:
        """Let it begin."""
        self._pipe.send("go")

    def is_alive(self) -> bool:
        """Whether it has neither ended nor been killed."""
        return self._process.is_alive()

    def hear(self, count: int | None = None) -> list[Any]:
        """Return what it says next, so many times or to its end."""
        said: list[Any] = []
        with contextlib.suppress(EOFError, OSError):  # half a message was not said
            while count is None or len(said) < count:
                said.append(self._pipe.recv())
        return said

    def kill(self) -> list[Any]:
        """End it at once, and return what it had said that was not heard yet."""
        self._process.kill()
        return self.end(is_killed=True)

    def end(self, *, is_killed: bool = False) -> list[Any]:
        """Wait for its end, and return what it had said that was not heard yet."""
        said = self.hear()
        self._process.join()
        assert is_killed or self._process.exitcode == 0
        self._process.close()
        self._pipe.close()
        return said


def together(processes: Sequence[Process]) -> list[list[Any]]:
    """Let processes work at the same time, and return what each said."""
    for process in processes:
        process.go()
    return [process.end() for process in processes]


def _work(work: Callable[..., None], pipe: Connection[Any, Any], keys: Path | None, *arguments: Any) -> None:
    warnings.simplefilter("error")
    lock = threading.Lock()

    def say(what: object) -> None:
        with lock:
            pipe.send(what)

    say("ready")
    pipe.recv()
    with vaults.sealing_in(keys):
        work(say, *arguments)
