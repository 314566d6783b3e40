from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from redis import Redis
from redis.exceptions import OutOfMemoryError

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.checkpoints.base import Change, CheckpointRow, Item, Query, Removal, ThreadState
from langchain_agentmem.checkpoints.redis import RedisThreads
from langchain_agentmem.errors import ConfigurationError, IntegrityError, StorageError
from langchain_agentmem.redis.database import RedisDatabase
from tests import servers
from tests.conftest import Colour
from tests.contracts.database_contract import comes_true
from tests.contracts.threads_contract import LATEST, changes_of, check_all_changes
from tests.ledgers import Drive, drive_of
from tests.proxy import Proxy, proxy
from tests.threads import ALICES, NOW, SECOND, Apply, Put, Removing, Taken, everything, load, put, remove, write

MOVED = CheckpointRow("", "001", None, b"")
HOUR = 36_000 * SECOND  # ten of them: longer than a test run, whose clock goes on
DURABLE = ("--appendonly", "yes", "--appendfsync", "always")
FULL = ("--maxmemory", "6mb", "--maxmemory-policy", "noeviction")


@pytest.fixture
def drive(colour: Colour) -> Drive:
    return drive_of(colour)


@pytest.fixture
def opened() -> Iterator[Callable[..., RedisThreads]]:
    made: list[RedisDatabase] = []

    def open_one(url: str, **options: str) -> RedisThreads:
        made.append(RedisDatabase(url, **options))  # type: ignore[arg-type]  # texts all
        return RedisThreads(made[-1])

    yield open_one
    for one in made:
        one.close()


@pytest.fixture
def threads(redis_url: str, opened: Callable[..., RedisThreads]) -> RedisThreads:
    return opened(redis_url)


def turn(number: int, **changes: object) -> Put:
    """A checkpoint, a write and two items; the second is in all of them."""
    id_ = f"{number:03}"
    return Put(id_, [id_.encode(), b"shared"], writes=[write(id_)], **changes)  # type: ignore[arg-type]  # of a Put


def round_trips(flow: Flow[object]) -> int:
    """Run a flow and count how often it waited."""
    count = 0
    with suppress(StopIteration):
        waiting = next(flow)
        while True:
            count += 1
            waiting = flow.send(waiting.blocking(*waiting.args))
    return count


def whole(found: Taken) -> set[str]:
    """Check that every item that a checkpoint names is there, once; return the ids."""
    by_number = dict(found.items)
    assert sorted(by_number) == list(range(1, found.page.state.next_no))
    for row, its in found.page.rows:
        assert [by_number[int(no)] for no in row.header.split()] == [row.id.encode(), b"shared"]
        assert list(its) == [write(row.id)]
    return {row.id for row, _ in found.page.rows}


# ---------------------------------------------------------------------------------------------------------------- ends
async def test_an_end_that_came_later_ends_the_registry_too(
    redis_url: str, threads: RedisThreads, drive: Drive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread without an end that is given one, by a change or a read, leaves no key behind that has none."""
    draft = {"labels": frozenset({b"l"}), "owner": ALICES}
    for name in "abc":
        await drive(put(threads, turn(1, **draft), name))
    await drive(put(threads, turn(2), "a", expires_at=NOW + HOUR))
    assert any(ms < 0 for ms in servers.redis_keys(redis_url).values())
    monkeypatch.setattr("langchain_agentmem.checkpoints.redis.relaxing.GRACE_MS", 0)
    await drive(put(threads, turn(3), "a", expires_at=NOW + HOUR))
    await drive(threads.load("b", Query(), Taken(), expires_at=NOW + HOUR))
    assert any(ms < 0 for ms in servers.redis_keys(redis_url).values())
    await drive(put(threads, turn(2), "c", expires_at=NOW + HOUR))
    assert [key for key, ms in servers.redis_keys(redis_url).items() if ms < 0] == []
    await drive(put(threads, turn(3), "b"))
    assert any(ms < 0 for ms in servers.redis_keys(redis_url).values())
    assert [it.thread_id for it in await drive(threads.threads(owner=ALICES, labels=frozenset({b"l"})))] == list("abc")


# ----------------------------------------------------------------------------------------------------------------- cost
def test_a_hot_change_is_one_round_trip(threads: RedisThreads) -> None:
    """With items, writes, a label, an owner and an expiry, once the thread is known; after reading it, too."""
    draft = [turn(it, labels=frozenset({b"l"}), owner=ALICES, low=99) for it in range(4)]
    counts = [round_trips(put(threads, it, expires_at=NOW + HOUR + place)) for place, it in enumerate(draft)]
    assert counts[1:] == [1, 1, 1]
    run(load(threads, LATEST))  # the server knows all scripts now
    other = RedisThreads(threads.database)
    assert round_trips(load(other, LATEST)) == 1
    assert round_trips(put(other, turn(9, low=99), expires_at=NOW + HOUR)) == 1


# --------------------------------------------------------------------------------------------------------------- expiry
async def test_no_key_is_without_its_expiry(redis_url: str, threads: RedisThreads, drive: Drive) -> None:
    """After whatever was done to a thread that has one, every key has one, and none ends before the thread."""
    ends = NOW + HOUR
    steps: list[Callable[[], Flow[object]]] = [
        lambda: put(threads, turn(1, labels=frozenset({b"l"}), owner=ALICES), expires_at=ends),
        lambda: put(threads, Apply(Change(writes=[write("2")])), expires_at=ends),
        lambda: threads.load("t", Query(), Taken(), expires_at=ends + HOUR),
        lambda: threads.lease("t", "holder", at=NOW, until=NOW + HOUR),
        lambda: remove(threads, Removing(Removal(replaced={("", "001"): MOVED}, items=[range(1, 2)]))),
        lambda: put(threads, turn(3, labels=frozenset({b"m"})), "other", expires_at=ends + 9 * HOUR),
        lambda: remove(threads, Removing(everything)),
        lambda: put(threads, turn(4, labels=frozenset({b"n"})), expires_at=ends + 30 * HOUR),
        lambda: threads.threads(owner=ALICES),
        lambda: threads.delete("other"),
    ]
    for step in steps:
        await drive(step())
        left = servers.redis_keys(redis_url)
        assert [key for key, ms in left.items() if ms < 0] == []
        meta = max(ms for key, ms in left.items() if key.endswith(b"thread:meta"))
        assert left[threads.database.key("threads", "ids")] >= meta - 1_000


async def test_a_label_is_kept_as_long_as_its_thread(threads: RedisThreads, redis_url: str, drive: Drive) -> None:
    """Also where the thread lives on long after it got the label, by changes and by reads."""
    await drive(put(threads, turn(1, labels=frozenset({b"l"})), expires_at=NOW + HOUR))
    await drive(put(threads, turn(2), expires_at=NOW + 100 * HOUR))
    await drive(threads.load("t", Query(), Taken(), expires_at=NOW + 900 * HOUR))
    left = servers.redis_keys(redis_url)
    assert all(ms >= 899 * HOUR // 1_000 for key, ms in left.items())


async def test_redis_removes_what_has_expired(threads: RedisThreads, redis_url: str, drive: Drive) -> None:
    """Without anybody's help; the registry forgets it when it is listed next."""
    now = time.time_ns() // 1_000
    await drive(threads.change("t", turn(1, owner=ALICES), at=now, expires_at=now + SECOND // 2))
    assert comes_true(lambda: not [it for it in servers.redis_keys(redis_url) if b":thread:" in it])
    assert await drive(threads.threads(owner=ALICES)) == []
    assert await drive(threads.threads()) == []
    assert servers.redis_keys(redis_url) == {}


# ------------------------------------------------------------------------------------------------------------- registry
async def test_a_thread_is_registered_before_it_begins(threads: RedisThreads) -> None:
    """Who lists in between sees nothing, and does not spoil it for the thread that is just beginning."""
    flow = put(threads, turn(1, labels=frozenset({b"l"}), owner=ALICES))
    waiting = next(flow)
    while not run(threads.database.scan(b"*}:*")):
        waiting = flow.send(waiting.blocking(*waiting.args))
    for options in ({}, {"owner": ALICES}, {"labels": frozenset({b"l"})}):
        assert run(threads.threads(**options)) == []
    with suppress(StopIteration):
        while True:
            waiting = flow.send(waiting.blocking(*waiting.args))
    for options in ({}, {"owner": ALICES}, {"labels": frozenset({b"l"})}):
        assert [it.thread_id for it in run(threads.threads(**options))] == ["t"]


async def test_a_listing_forgets_what_is_gone(threads: RedisThreads, drive: Drive) -> None:
    """A thread that lost its keys, say by eviction, is not listed, and its entries go."""
    await drive(put(threads, turn(1, owner=ALICES)))
    for key in run(threads.database.scan(b"*:thread:*")):
        await drive(threads.database.write(("DEL", key)))
    assert await drive(threads.threads(owner=ALICES)) == []
    assert await drive(threads.expired(at=NOW)) == []
    assert await drive(threads.database.scan(b"*}:*")) == []


@pytest.mark.parametrize("leave", ["delete", "evict"])
async def test_an_index_ends_with_the_last_thread_that_does(
    threads: RedisThreads, redis_url: str, drive: Drive, leave: str
) -> None:
    """A thread without an end keeps it without one, until that thread goes: then it ends with those that are left."""
    await drive(put(threads, turn(1, owner=ALICES), "kept"))
    await drive(put(threads, turn(1, owner=ALICES), "ends", expires_at=NOW + HOUR))
    indexes = [threads.database.key("threads", "ids"), threads.database.key("threads", "marks")]
    assert [servers.redis_keys(redis_url)[it] for it in indexes] == [-1, -1]
    if leave == "delete":
        await drive(threads.delete("kept"))
    else:
        await drive(threads.database.write(("DEL", *threads._backend.keys("kept"))))
        await drive(threads.threads())
        await drive(threads.threads(owner=ALICES))
    left_ms = (NOW + HOUR) // 1_000 - time.time_ns() // 1_000_000
    assert min(servers.redis_keys(redis_url).values()) >= left_ms - SECOND // 1_000
    assert [it.thread_id for it in await drive(threads.threads())] == ["ends"]


async def test_prefixes_are_apart(redis_url: str, opened: Callable[..., RedisThreads], drive: Drive) -> None:
    """Two applications may share a Redis, also where one prefix begins with the other."""
    one, other = opened(redis_url, prefix="app"), opened(redis_url, prefix="app:2")
    await drive(put(one, turn(1)))
    assert await drive(other.threads()) == []
    assert (await drive(load(other))).keys == []
    await drive(put(other, turn(2)))
    await drive(one.delete("t"))
    assert whole(await drive(load(other, None, [range(1, 9)]))) == {"002"}


# --------------------------------------------------------------------------------------------------------------- damage
async def test_damage_of_one_thread_is_named_and_leaves_others_alone(threads: RedisThreads, drive: Drive) -> None:
    """A row that cannot be read is an error with the row in it."""
    await drive(put(threads, turn(1), "damaged"))
    await drive(put(threads, turn(1)))
    key = threads.database.key("damaged", "thread", "checkpoints")
    await drive(threads.database.write(("ZADD", key, 0, b"\x00002\x00 no more")))
    with pytest.raises(IntegrityError, match="002"):
        await drive(load(threads, thread_id="damaged"))
    assert whole(await drive(load(threads, None, [range(1, 9)]))) == {"001"}


@pytest.mark.parametrize("field", ["g", "n", "o", "r", "x", "z", "c", "u"])
async def test_a_thread_whose_own_numbers_are_damaged_stops_no_other(
    threads: RedisThreads, drive: Drive, field: str
) -> None:
    """All are listed; who reads what is damaged is told which thread it is; deleting it leaves nothing of it."""
    for thread_id in ("damaged", "t"):
        await drive(put(threads, turn(1), thread_id))
    await drive(threads.database.write(("HSET", threads._backend.keys("damaged")[0], field, b"\xff")))
    if field not in {"c", "u"}:  # times that only a listing reads
        with pytest.raises(IntegrityError, match="'damaged'"):
            await drive(load(threads, thread_id="damaged"))
    assert [it.thread_id for it in await drive(threads.threads())] == ["damaged", "t"]
    assert await drive(threads.expired(at=NOW)) == []
    await drive(threads.delete("damaged"))
    assert [it.thread_id for it in await drive(threads.threads())] == ["t"]
    assert whole(await drive(load(threads, None, [range(1, 9)]))) == {"001"}


async def test_a_digest_of_another_length_is_refused(threads: RedisThreads, drive: Drive) -> None:
    """Numbers are found by the place of their digest, so each has its 16 bytes."""
    with pytest.raises(ConfigurationError, match="item 1 has 3 bytes"):
        await drive(put(threads, Apply(Change(items=[Item(1, b"abc", b"x")]))))


# ------------------------------------------------------------------------------------------------------------- failures
@pytest.mark.usefixtures("valkey_url")
@pytest.mark.parametrize("direction", ["requests", "replies"])
async def test_a_cut_connection_leaves_a_thread_whole(
    valkey_server: servers.Server, opened: Callable[..., RedisThreads], drive: Drive, direction: str
) -> None:
    """Wherever it is cut: what was acknowledged is there, nothing is half there, and every key has its expiry."""
    with proxy(valkey_server.port) as line:
        threads = opened(f"redis://{servers.HOST}:{line.port}")
        acknowledged: set[str] = set()
        for number in range(45):
            line.cut_after(**{direction: number * (40 if direction == "requests" else 15)})
            try:
                await drive(put(threads, turn(number, labels=frozenset({b"%d" % number})), expires_at=NOW + HOUR))
                acknowledged.add(f"{number:03}")
            except StorageError as error:
                assert error.is_retryable  # noqa: PT017  (either end is right)
            line.heal()
            assert min(servers.redis_keys(f"redis://{servers.HOST}:{valkey_server.port}").values(), default=0) >= 0
        assert whole(await drive(load(threads, None, [range(1, 999)]))) >= acknowledged
        assert 0 < len(acknowledged) < 45


@pytest.mark.usefixtures("valkey_url")
async def test_a_change_whose_answer_was_lost_is_done_once(
    valkey_server: servers.Server, opened: Callable[..., RedisThreads], drive: Drive
) -> None:
    """It is repeated on another connection, and Redis knows it by its token."""
    with proxy(valkey_server.port) as line:
        threads = opened(f"redis://{servers.HOST}:{line.port}")
        await drive(put(threads, turn(1)))
        builds: list[ThreadState] = []

        def build(state: ThreadState) -> Change:
            line.cut_after(replies=0)
            builds.append(state)
            return turn(2).build(state, [(2, b"")])

        healer = ThreadPoolExecutor(1)
        before = line.connections
        healed = healer.submit(heal_after, line, before)
        with suppress(StorageError):
            await drive(put(threads, Apply(build)))
        healed.result()
        healer.shutdown()
        line.heal()
        found = await drive(load(threads))
        assert [row.id for row, _ in found.page.rows] == ["002", "001"]
        assert len(builds) == 1


def heal_after(line: Proxy, connections: int) -> None:
    """Let everything pass once another connection was tried."""
    comes_true(lambda: line.connections > connections)
    line.heal()


@pytest.mark.parametrize("server_of", [servers.valkey, servers.redis])
async def test_a_full_server_leaves_a_thread_whole(
    server_of: Callable[..., object], opened: Callable[..., RedisThreads], drive: Drive
) -> None:
    """A change writes all or nothing, reading goes on, and removing makes room."""
    with server_of(*FULL) as server, Redis(port=server.port) as admin:  # type: ignore[attr-defined]  # a manager
        threads = opened(f"redis://{servers.HOST}:{server.port}")
        for number in range(20):
            await drive(put(threads, turn(number, labels=frozenset({b"l"})), expires_at=NOW + HOUR))
        with suppress(OutOfMemoryError):
            for _ in range(100):
                admin.append("filler", b"x" * 100_000)
        before = servers.redis_keys(f"redis://{servers.HOST}:{server.port}").keys()
        for name in ("t", "new"):
            with pytest.raises(StorageError, match="out of memory") as full:
                await drive(put(threads, turn(99), name, expires_at=NOW + HOUR))
            assert full.value.is_retryable
        assert servers.redis_keys(f"redis://{servers.HOST}:{server.port}").keys() == before
        assert len(whole(await drive(load(threads, None, [range(1, 99)])))) == 20
        assert await drive(remove(threads, Removing(everything)))
        admin.delete("filler")
        await drive(put(threads, turn(100), expires_at=NOW + HOUR))
        assert (await drive(load(threads, LATEST))).keys == [("", "100")]


async def test_a_replica_is_read_but_not_written(
    valkey_server: servers.Server, valkey_url: str, opened: Callable[..., RedisThreads], drive: Drive
) -> None:
    """A read that wants to refresh the expiry is a write, and is refused."""
    await drive(put(opened(valkey_url), turn(1), expires_at=NOW + HOUR))
    with servers.valkey("--replicaof", f"{servers.HOST} {valkey_server.port}") as server:
        threads = opened(f"redis://{servers.HOST}:{server.port}")
        assert comes_true(lambda: run(load(threads)).keys == [("", "001")])
        for flow in (put(threads, turn(2)), threads.load("t", Query(), Taken(), expires_at=NOW + HOUR)):
            with pytest.raises(StorageError, match="read-only replica"):
                await drive(flow)


async def test_a_killed_server_loses_nothing_that_was_acknowledged(opened: Callable[..., RedisThreads]) -> None:
    """With `appendfsync always`: after kill -9 and a restart every acknowledged change is there, each thread whole."""
    with servers.own_folder("agentmem-redis-") as folder:
        acknowledged: list[set[str]] = [set() for _ in range(4)]
        with servers.valkey(*DURABLE, folder=folder) as server:
            threads = opened(f"redis://{servers.HOST}:{server.port}")
            with ThreadPoolExecutor(5) as pool:
                working = [pool.submit(put_until_it_fails, threads, f"t{it}", acknowledged[it]) for it in range(4)]
                assert comes_true(lambda: all(len(it) > 10 for it in acknowledged))
                servers.kill(server)
                assert all(it.result().is_retryable for it in working)
        with servers.valkey(*DURABLE, folder=folder, port=server.port):
            for number, ids in enumerate(acknowledged):
                found = await arun(load(threads, None, [range(1, 9_999)], thread_id=f"t{number}"))
                assert ids <= whole(found)
                assert len(found.page.rows) <= len(ids) + 1
            await arun(put(threads, turn(0), "t0"))
            assert len(await arun(threads.threads())) == 4


def put_until_it_fails(threads: RedisThreads, thread_id: str, acknowledged: set[str]) -> StorageError:
    for number in range(100_000):
        try:
            run(put(threads, turn(number, labels=frozenset({b"l"})), thread_id, expires_at=NOW + HOUR))
        except StorageError as error:
            return error
        acknowledged.add(f"{number:03}")
    raise AssertionError


def test_changes_from_processes_lose_and_double_nothing(redis_url: str, threads: RedisThreads) -> None:
    """Four processes on one thread."""
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=work, args=(redis_url, number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    check_all_changes(run(load(threads, None, [range(1, 999)])))


def work(url: str, worker: int) -> None:
    database = RedisDatabase(url)
    for flow in changes_of(RedisThreads(database), worker):
        run(flow)
    database.close()
