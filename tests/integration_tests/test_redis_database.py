from __future__ import annotations

import asyncio
import gc
import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from redis import Redis, RedisCluster
from redis.exceptions import OutOfMemoryError, ResponseError

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.errors import IntegrityError, StorageError
from langchain_agentmem.redis.database import RedisDatabase, until
from langchain_agentmem.redis.scripts import Script
from langchain_agentmem.redis.slots import slot_of
from tests import servers
from tests.conftest import Colour
from tests.contracts.database_contract import comes_true
from tests.faulty import AHEAD, impatient
from tests.ledgers import Drive, drive_of
from tests.proxy import proxy
from tests.tls import make_certificate, tls_before

APPEND = Script("redis.call('RPUSH', KEYS[1], ARGV[1]) return redis.call('LRANGE', KEYS[1], 0, -1)")
ENDLESS = Script("while true do redis.call('EXISTS', KEYS[1]) end")
FULL = ("--maxmemory", "6mb", "--maxmemory-policy", "noeviction")


@pytest.fixture
def drive(colour: Colour) -> Drive:
    return drive_of(colour)


@pytest.fixture
def database(redis_url: str) -> Iterator[RedisDatabase]:
    found = RedisDatabase(redis_url)
    yield found
    found.close()


@pytest.fixture
def opened() -> Iterator[Callable[..., RedisDatabase]]:
    made: list[RedisDatabase] = []

    def open_one(url: str, **options: float) -> RedisDatabase:
        made.append(RedisDatabase(url, **options))  # type: ignore[arg-type]  # numbers all
        return made[-1]

    yield open_one
    for one in made:
        one.close()


def bump(database: RedisDatabase) -> Flow[list[int]]:
    """Count one more; done twice, it counts twice."""
    return database.write(("INCR", database.key("count", "n")))


# ----------------------------------------------------------------------------------------------------------- operations
async def test_commands_of_one_slot_run_together(database: RedisDatabase, drive: Drive) -> None:
    """Bytes come back as they are, and a reading of several commands answers each."""
    key, other = database.key("t", "a"), database.key("t", "b")
    assert await drive(database.write(("SET", key, b"\x00\xff"), ("RPUSH", other, "ä", 2, b""))) == [b"OK", 3]
    found = await drive(database.read(("GET", key), ("LRANGE", other, 0, -1), ("GET", database.key("t", "c"))))
    assert found == [b"\x00\xff", ["ä".encode(), b"2", b""], None]


async def test_an_expiry_is_part_of_the_write(database: RedisDatabase, drive: Drive, redis_url: str) -> None:
    """No key is seen without it; without an expiry keys stay."""
    keys = [database.key("t", part) for part in "ab"]
    ends = 4_000_000_000_000_000
    await drive(database.write(*(("SET", key, 1) for key in keys), *until(ends, *keys)))
    assert all(left > 0 for left in servers.redis_keys(redis_url).values())
    await drive(database.write(("SET", keys[0], 2, "KEEPTTL"), *until(None, *keys)))
    assert set(servers.redis_keys(redis_url).values()) == {-1}


async def test_a_script_is_known_or_sent(database: RedisDatabase, drive: Drive) -> None:
    """The first call of a server sends it, the next ones name it; binary arguments and nothing come back."""
    key = database.key("t", "list")
    assert await drive(database.call(APPEND, [key], [b"\x00\xff"])) == [b"\x00\xff"]
    assert await drive(database.call(APPEND, [key], ["ä"])) == [b"\x00\xff", "ä".encode()]
    nothing = Script("return {1, false, 'x'}")
    assert await drive(database.call(nothing, [key])) == [1, None, b"x"]


async def test_a_script_runs_on_many_slots(database: RedisDatabase, drive: Drive) -> None:
    """Each call on the server of its keys, whether that knows the script or not."""
    keys = [database.key(f"tag {number}", "list") for number in range(40)]
    for times in (1, 2):
        replies = await drive(database.call_each(APPEND, [([key], [key]) for key in keys]))
        assert replies == [[key] * times for key in keys]


async def test_commands_are_spread_over_the_servers(database: RedisDatabase, drive: Drive) -> None:
    """Replies come in the order of the commands, wherever the keys live."""
    keys = [database.key(f"tag {number}", "x") for number in range(100)]
    await drive(database.spread([("SET", key, number) for number, key in enumerate(keys)]))
    found = await drive(database.spread([("GET", key) for key in keys]))
    assert found == [str(number).encode() for number in range(100)]


async def test_a_scan_finds_keys_of_its_pattern_on_all_servers(database: RedisDatabase, drive: Drive) -> None:
    """Each once, and no other."""
    keys = {database.key(f"tag {number}", "x") for number in range(300)}
    await drive(database.spread([("SET", key, 1) for key in keys]))
    await drive(database.write(("SET", b"other:{x}", 1)))
    found = await drive(database.scan(b"agentmem:*"))
    assert (set(found), len(found)) == (keys, len(keys))


async def test_a_key_of_another_type_is_damage(database: RedisDatabase, drive: Drive) -> None:
    """In a command, in a transaction and in a script."""
    key = database.key("t", "x")
    await drive(database.write(("SET", key, 1)))
    for flow in (
        database.read(("LRANGE", key, 0, -1)),
        database.write(("PERSIST", key), ("RPUSH", key, 1)),
        database.call(APPEND, [key], [1]),
    ):
        with pytest.raises(IntegrityError, match="another type"):
            await drive(flow)
    assert await drive(database.read(("GET", key))) == [b"1"]


async def test_a_script_that_cannot_read_what_is_stored_says_it_is_damaged(
    database: RedisDatabase, drive: Drive
) -> None:
    """Where it reads a number, say, there is none."""
    key = database.key("t", "x")
    await drive(database.write(("SET", key, "no number")))
    with pytest.raises(IntegrityError, match="damaged"):
        await drive(database.call(Script("return tonumber(redis.call('GET', KEYS[1])) + 1"), [key]))


@pytest.mark.parametrize("query", ["?protocol=2", "?protocol=3"])
async def test_both_protocols_do(
    valkey_url: str, drive: Drive, opened: Callable[..., RedisDatabase], query: str
) -> None:
    """RESP2 and RESP3."""
    database = opened(valkey_url + query)
    key = database.key("t", "list")
    assert await drive(database.call(APPEND, [key], [1])) == [b"1"]
    assert await drive(database.write(("RPUSH", key, 2), ("LRANGE", key, 0, -1))) == [2, [b"1", b"2"]]


async def test_a_unix_socket_does(
    valkey_server: servers.Server, drive: Drive, opened: Callable[..., RedisDatabase]
) -> None:
    """With a database of its own number."""
    database = opened(f"unix://{valkey_server.folder}/redis.sock?db=7")
    key = database.key("unix", "x")
    assert await drive(database.write(("SET", key, 1), ("GET", key), ("DEL", key))) == [b"OK", b"1", 1]


@pytest.mark.usefixtures("valkey_url", "old_kept")
def test_tls_does(valkey_server: servers.Server, tmp_path: Path, opened: Callable[..., RedisDatabase]) -> None:
    """Sync, and from one loop after the other, none of which leaves a connection behind; a stranger is refused."""
    certificate = make_certificate(tmp_path)
    others = connections(valkey_server)
    with tls_before(valkey_server.port, certificate) as port:
        database = opened(f"rediss://{servers.HOST}:{port}?ssl_ca_certs={certificate}")
        for number in range(3):
            assert run(bump(database)) == [2 * number + 1]
            assert asyncio.run(arun(bump(database))) == [2 * number + 2]
            gc.collect()
        assert comes_true(lambda: connections(valkey_server) == others + 2)
        stranger = opened(f"rediss://{servers.HOST}:{port}")
        with pytest.raises(StorageError, match="certificate"):
            run(bump(stranger))
        database.close()
        assert comes_true(lambda: connections(valkey_server) == others)


# -------------------------------------------------------------------------------------------------------------- cluster
async def test_keys_are_followed_where_they_move(
    redis_cluster: tuple[servers.Server, ...],
    redis_cluster_url: str,
    drive: Drive,
    opened: Callable[..., RedisDatabase],
) -> None:
    """While a slot moves, and after it has moved, everything is found; also by a client that knew the old place."""
    database = opened(redis_cluster_url)
    key = database.key("mover", "list")
    await drive(database.call(APPEND, [key], [1]))
    with RedisCluster(host=redis_cluster[0].host, port=redis_cluster[0].port) as admin:
        moving = Moving(admin, key)
        moving.begin()
        assert await drive(database.call(APPEND, [key], [2])) == [b"1", b"2"]
        moving.move()
        assert await drive(database.write(("RPUSH", key, 3), ("LRANGE", key, 0, -1))) == [3, [b"1", b"2", b"3"]]
        assert await drive(database.call(APPEND, [key], [4])) == [b"1", b"2", b"3", b"4"]
        moving.end()
        assert await drive(database.spread([("LLEN", key)])) == [4]
        assert await drive(database.call(APPEND, [key], [5])) == [b"1", b"2", b"3", b"4", b"5"]


class Moving:
    """One slot on its way from one server to another."""

    def __init__(self, admin: RedisCluster, key: bytes) -> None:
        self.key = key
        self.slot = slot_of(key)
        source = admin.get_node_from_key(key)  # type: ignore[no-untyped-call]  # redis-py's
        target = next(it for it in admin.get_primaries() if it != source)  # type: ignore[no-untyped-call]
        self.target_port = target.port
        self.source, self.target = admin.get_redis_connection(source), admin.get_redis_connection(target)
        self.others = [admin.get_redis_connection(it) for it in admin.get_primaries()]  # type: ignore[no-untyped-call]
        self.ids = [it.execute_command("CLUSTER", "MYID").decode() for it in (self.source, self.target)]  # type: ignore[no-untyped-call]

    def begin(self) -> None:
        self.target.execute_command("CLUSTER", "SETSLOT", self.slot, "IMPORTING", self.ids[0])  # type: ignore[no-untyped-call]
        self.source.execute_command("CLUSTER", "SETSLOT", self.slot, "MIGRATING", self.ids[1])  # type: ignore[no-untyped-call]

    def move(self) -> None:
        self.source.execute_command("MIGRATE", servers.HOST, self.target_port, self.key, 0, 5_000)  # type: ignore[no-untyped-call]

    def end(self) -> None:
        for client in (self.target, self.source, *self.others):
            client.execute_command("CLUSTER", "SETSLOT", self.slot, "NODE", self.ids[1])  # type: ignore[no-untyped-call]


async def test_a_cluster_that_was_not_named_as_one_is_told(
    redis_cluster: tuple[servers.Server, ...], drive: Drive, opened: Callable[..., RedisDatabase]
) -> None:
    """The message says which URL to use."""
    database = opened(f"redis://{servers.HOST}:{redis_cluster[0].port}")
    elsewhere = [("GET", database.key(str(number), "x")) for number in range(20)]
    with pytest.raises(StorageError, match=r"redis\+cluster://"):
        await drive(database.spread(elsewhere))


async def test_one_server_of_those_named_is_enough(
    redis_cluster: tuple[servers.Server, ...], drive: Drive, opened: Callable[..., RedisDatabase]
) -> None:
    """The others may be away when the cluster is asked for its slots."""
    database = opened(f"redis+cluster://{servers.HOST}:1,{servers.HOST}:{redis_cluster[2].port}")
    assert await drive(database.read(("GET", database.key("t", "x")))) == [None]


# ------------------------------------------------------------------------------------------------------------- failures
async def test_a_server_that_is_away_is_a_retryable_error(drive: Drive, opened: Callable[..., RedisDatabase]) -> None:
    """Nobody listens at port 1; the message holds no password."""
    for scheme in ("redis", "redis+cluster", "rediss"):
        database = opened(f"{scheme}://user:secret@{servers.HOST}:1")
        for flow in (bump(database), database.read(("GET", b"k")), database.scan(b"*")):
            with pytest.raises(StorageError, match="no answer") as away:
                await drive(flow)
            assert away.value.is_retryable
            assert "secret" not in str(away.value)


@pytest.mark.usefixtures("valkey_url")
async def test_a_slow_server_is_a_retryable_error(
    valkey_server: servers.Server, drive: Drive, opened: Callable[..., RedisDatabase]
) -> None:
    """After the timeout the caller knows, and its connection is not used again: the next answer is its own.

    Until the server has had its rest, nobody waits for it.
    """
    with impatient(), proxy(valkey_server.port) as line:
        database = opened(f"redis://{servers.HOST}:{line.port}", timeout_s=1.0)
        key = database.key("t", "x")
        await drive(database.write(("SET", key, "late")))
        line.pause()
        with pytest.raises(StorageError, match="no answer") as slow:
            await drive(database.read(("GET", key)))
        assert slow.value.is_retryable
        line.heal()
        with pytest.raises(StorageError, match="no answer"):
            await drive(database.read(("EXISTS", key)))
        AHEAD.rest()
        assert await drive(database.read(("EXISTS", key))) == [1]


@pytest.mark.usefixtures("valkey_url")
@pytest.mark.parametrize("direction", ["requests", "replies"])
async def test_a_cut_connection_loses_and_doubles_nothing(
    valkey_server: servers.Server, drive: Drive, opened: Callable[..., RedisDatabase], direction: str
) -> None:
    """Wherever it is cut: what was acknowledged is there once, what was not is there once or not at all."""
    with proxy(valkey_server.port) as line:
        database = opened(f"redis://{servers.HOST}:{line.port}")
        acknowledged = doubtful = 0
        for count in range(0, 400, 9):
            line.cut_after(**{direction: count})
            try:
                await drive(bump(database))
                acknowledged += 1
            except StorageError as error:
                assert error.is_retryable  # noqa: PT017  (either end is right)
                doubtful += 1
            line.heal()
        [counted] = await drive(database.read(("GET", database.key("count", "n"))))
        assert acknowledged <= int(counted) <= acknowledged + doubtful
        assert acknowledged
        assert doubtful


@pytest.mark.usefixtures("valkey_url")
async def test_reading_goes_on_after_a_cut(
    valkey_server: servers.Server, drive: Drive, opened: Callable[..., RedisDatabase]
) -> None:
    """A server that ended the connections, or was restarted, is no error for who reads, or writes afterwards."""
    with proxy(valkey_server.port) as line:
        database = opened(f"redis://{servers.HOST}:{line.port}")
        await drive(bump(database))
        line.cut()
        assert await drive(bump(database)) == [2]
        line.cut_after(replies=1)
        with suppress(StorageError):  # it is asked twice, and the second connection is cut as well
            await drive(database.read(("GET", database.key("count", "n"))))
        line.heal()
        assert await drive(database.read(("GET", database.key("count", "n")))) == [b"2"]


async def test_a_full_server_refuses_and_writes_nothing(drive: Drive, opened: Callable[..., RedisDatabase]) -> None:
    """A command, a transaction and a script: none of it is there; reading and removing still work."""
    with servers.valkey(*FULL) as server:
        database = opened(f"redis://{servers.HOST}:{server.port}")
        key, other = database.key("t", "big"), database.key("t", "other")
        with Redis(port=server.port) as admin, suppress(OutOfMemoryError):
            for _ in range(100):
                admin.append(key, b"x" * 100_000)
        for flow in (
            database.write(("SET", other, 1)),
            database.write(("SET", other, 1), ("RPUSH", other + b"2", 1)),
            database.call(APPEND, [other], [1]),
        ):
            with pytest.raises(StorageError, match="out of memory") as full:
                await drive(flow)
            assert full.value.is_retryable
        assert await drive(database.read(("EXISTS", other, other + b"2"))) == [0]
        assert await drive(database.write(("DEL", key))) == [1]
        assert await drive(database.write(("SET", other, 1))) == [b"OK"]


@pytest.mark.usefixtures("valkey_url")
async def test_a_replica_refuses_writes_only(
    valkey_server: servers.Server, drive: Drive, opened: Callable[..., RedisDatabase]
) -> None:
    """The message names it, and a failover may make it right."""
    with servers.valkey("--replicaof", f"{servers.HOST} {valkey_server.port}") as server:
        database = opened(f"redis://{servers.HOST}:{server.port}")
        assert await drive(database.read(("GET", database.key("t", "x")))) == [None]
        for flow in (bump(database), database.call(APPEND, [database.key("t", "x")], [1])):
            with pytest.raises(StorageError, match="read-only replica") as replica:
                await drive(flow)
            assert replica.value.is_retryable


@pytest.mark.usefixtures("valkey_url")
async def test_a_failover_behind_one_name_is_followed(
    valkey_server: servers.Server, drive: Drive, opened: Callable[..., RedisDatabase]
) -> None:
    """A primary that became a replica is told once; the next call goes where the name leads now."""
    with servers.valkey() as old, Redis(port=old.port) as admin, proxy(old.port) as line:
        database = opened(f"redis://{servers.HOST}:{line.port}")
        await drive(bump(database))
        line.target = valkey_server.port
        admin.replicaof(servers.HOST, valkey_server.port)
        with pytest.raises(StorageError, match="read-only replica"):
            await drive(database.write(("SET", database.key("t", "a"), 1), ("SET", database.key("t", "b"), 1)))
        assert await drive(bump(database)) == [1]


async def test_a_refused_password_is_final(drive: Drive, opened: Callable[..., RedisDatabase]) -> None:
    """Missing or wrong, repeating it does not help; the right one works."""
    with servers.valkey("--requirepass", "right") as server:
        place = f"{servers.HOST}:{server.port}"
        for url in (f"redis://{place}", f"redis://:wrong@{place}"):
            with pytest.raises(StorageError, match="password") as refused:
                await drive(bump(opened(url)))
            assert not refused.value.is_retryable
            assert "wrong" not in str(refused.value)
        assert await drive(bump(opened(f"redis://:right@{place}"))) == [1]


async def test_a_busy_server_is_a_retryable_error(drive: Drive, opened: Callable[..., RedisDatabase]) -> None:
    """While a script runs away, others are told; once it is killed, everything works."""
    with servers.valkey("--busy-reply-threshold", "50") as server, Redis(port=server.port) as admin:
        url = f"redis://{servers.HOST}:{server.port}"
        hanging = opened(url, timeout_s=1.0)
        with pytest.raises(StorageError):
            await drive(hanging.call(ENDLESS, [b"{x}"]))
        with pytest.raises(StorageError, match="busy with a long script") as busy:
            await drive(bump(opened(url)))
        assert busy.value.is_retryable
        admin.script_kill()
        wait_until_free(admin)
        assert await drive(bump(opened(url))) == [1]


def wait_until_free(admin: Redis) -> None:
    """Wait for the end of a script that was told to end: the server answers before it does."""
    for _ in range(1_000):
        with suppress(ResponseError):
            admin.ping()
            return
        time.sleep(0.01)
    pytest.fail("the script did not end")


# ------------------------------------------------------------------------------------------------------ loops and forks
def connections(server: servers.Server) -> int:
    """Count those of others."""
    with Redis(host=server.host, port=server.port) as admin:
        return len(admin.client_list()) - 1


@pytest.mark.usefixtures("old_kept")
def test_a_loop_that_ended_leaves_no_connection_behind(
    valkey_server: servers.Server, valkey_url: str, opened: Callable[..., RedisDatabase]
) -> None:
    """However many loops came and went, only the connections of the last one are open."""
    database = opened(valkey_url)
    others = connections(valkey_server)
    for number in range(4):
        assert asyncio.run(arun(bump(database))) == [number + 1]
        gc.collect()
    assert comes_true(lambda: connections(valkey_server) == others + 1)
    database.close()
    assert comes_true(lambda: connections(valkey_server) == others)


def test_two_loops_and_a_thread_use_one_database(redis_url: str, opened: Callable[..., RedisDatabase]) -> None:
    """Each with connections of its own, at the same time."""
    database = opened(redis_url)

    async def both() -> None:
        inner = asyncio.to_thread(asyncio.run, arun(bump(database)))
        await asyncio.gather(inner, arun(bump(database)), asyncio.to_thread(run, bump(database)))

    asyncio.run(both())
    assert run(bump(database)) == [4]


async def test_closing_politely_closes_everything(
    valkey_server: servers.Server, valkey_url: str, opened: Callable[..., RedisDatabase]
) -> None:
    """Connections of this loop and of threads; afterwards the database says that it is closed."""
    database = opened(valkey_url)
    others = connections(valkey_server)
    await arun(bump(database))
    await asyncio.to_thread(run, bump(database))
    await database.aclose()
    assert comes_true(lambda: connections(valkey_server) == others)
    with pytest.raises(StorageError, match="closed"):
        await arun(bump(database))


@pytest.mark.parametrize("where", ["in the loop", "in a thread"])
async def test_closing_at_once_leaves_the_running_loop_nothing_to_complain_of(
    valkey_server: servers.Server, valkey_url: str, opened: Callable[..., RedisDatabase], where: str
) -> None:
    """`close` in asynchronous code, or in another thread beside it, ends the connections without an error in a log."""
    complaints: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    database = opened(valkey_url)
    others = connections(valkey_server)
    await arun(bump(database))
    if where == "in the loop":
        database.close()
    else:
        await asyncio.to_thread(database.close)
    await asyncio.sleep(0.01)
    assert await asyncio.to_thread(comes_true, lambda: connections(valkey_server) == others)
    assert complaints == []


async def test_a_cancelled_call_leaves_no_half_read_answer(
    redis_url: str, opened: Callable[..., RedisDatabase]
) -> None:
    """Wherever it is cancelled, the next call gets its own answer."""
    database = opened(redis_url)
    key = database.key("t", "x")
    await arun(database.write(("SET", key, b"x" * 2_000_000)))
    for turns in range(30):
        task = asyncio.ensure_future(arun(database.read(("GET", key))))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert await arun(database.read(("EXISTS", key))) == [1]


async def test_many_tasks_wait_for_few_connections(
    valkey_server: servers.Server, valkey_url: str, opened: Callable[..., RedisDatabase]
) -> None:
    """They take turns, also where some of them are cancelled while they wait."""
    database = opened(valkey_url, max_connections=2)
    before = connections(valkey_server)
    tasks = [asyncio.ensure_future(arun(bump(database))) for _ in range(100)]
    await asyncio.sleep(0)
    for task in tasks[::3]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (await arun(bump(database)))[0] >= 67
    assert connections(valkey_server) <= before + 2


def test_a_forked_child_leaves_its_parents_connections_alone(
    redis_url: str, opened: Callable[..., RedisDatabase]
) -> None:
    """A child writes and closes with connections of its own; the parent goes on with its."""
    database = opened(redis_url)
    run(bump(database))
    child = multiprocessing.get_context("fork").Process(target=bump_and_close, args=(database,))
    child.start()
    child.join()
    assert child.exitcode == 0
    assert run(bump(database)) == [3]


def bump_and_close(database: RedisDatabase) -> None:
    assert run(bump(database)) == [2]
    database.close()
