from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import textwrap
import time

import chromadb
import psutil
import psycopg
import pytest
from redis import Redis

from langchain_agentmem._flow import run
from langchain_agentmem.redis.database import RedisDatabase
from tests import servers


def dsn(url: str) -> str:
    return url.replace("+psycopg", "")


def test_every_test_gets_an_empty_postgresql_database_of_its_own(postgres_url: str) -> None:
    """The database holds no table before a test writes one."""
    with psycopg.connect(dsn(postgres_url)) as connection:
        found = connection.execute("select count(*) from pg_tables where schemaname = 'public'").fetchone()
    assert found == (0,)


def test_the_postgresql_that_answers_is_the_one_started_here(
    postgres_url: str, postgres_server: servers.Server
) -> None:
    """The process behind the URL is a child of the one this run started."""
    with psycopg.connect(dsn(postgres_url)) as connection:
        backend = connection.info.backend_pid
        assert psutil.Process(backend).ppid() == postgres_server.pid


def test_a_chroma_collection_keeps_what_is_put_into_it(chroma_server: servers.Server) -> None:
    """A vector put into the server is found again by a second client."""
    settings = chromadb.Settings(anonymized_telemetry=False)
    writer, reader = (chromadb.HttpClient(chroma_server.host, chroma_server.port, settings=settings) for _ in range(2))
    writer.create_collection("kept").add(ids=["1"], embeddings=[[1.0, 0.0]])
    assert reader.get_collection("kept").get()["ids"] == ["1"]


def test_every_test_gets_an_empty_redis_of_its_own_turn(redis_url: str) -> None:
    """Valkey, Redis 8 or a cluster: no key is there before a test writes one."""
    assert servers.redis_keys(redis_url) == {}
    database = RedisDatabase(redis_url)
    run(database.spread([("SET", f"left behind {number}", 1) for number in range(9)]))
    database.close()
    assert set(servers.redis_keys(redis_url).values()) == {-1}


def test_a_redis_server_starts_again_with_what_it_left() -> None:
    """With an append-only file: the same folder and port, after kill -9."""
    durable = ("--appendonly", "yes", "--appendfsync", "always")
    with servers.own_folder("agentmem-redis-") as folder:
        with servers.valkey(*durable, folder=folder) as server, Redis(port=server.port) as client:
            client.set("kept", 1)
            servers.kill(server)
        with servers.valkey(*durable, folder=folder, port=server.port) as again, Redis(port=again.port) as client:
            assert (again.port, client.get("kept")) == (server.port, b"1")


@pytest.mark.parametrize("kind", ["postgres", "chroma", "valkey", "redis", "redis_search"])
def test_a_server_ends_with_its_test_run_however_that_ends(kind: str) -> None:
    """After SIGKILL of the process that started it, no server is left."""
    script = textwrap.dedent(f"""
        import time
        from tests import servers
        with servers.{kind}() as server:
            print(server.pid, server.folder, flush=True)
            time.sleep(600)
    """)
    starter = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert starter.stdout is not None
    with starter.stdout as out:
        pid, folder = out.readline().split()
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    assert not is_running_after(int(pid), seconds=60)
    shutil.rmtree(folder)


def is_running_after(pid: int, *, seconds: float) -> bool:
    """Whether the process still runs when the time is up."""
    deadline = time.monotonic() + seconds
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > deadline:
            return True
        time.sleep(0.05)
    return False
