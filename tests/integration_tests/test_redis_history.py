from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from langchain_agentmem._flow import run
from langchain_agentmem.chat_history import RedisChatMessageHistory
from langchain_agentmem.errors import ConfigurationError, IntegrityError, StorageError
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sessions.redis.keys import session_keys
from langchain_agentmem.testing.history import HistorySuite, check_writers, texts
from langchain_agentmem.types import Scope
from tests import servers
from tests.conftest import Call
from tests.contracts.history_backends import ALICE, BOB
from tests.contracts.history_contract import EXAMPLES, HistoryContract, OfBackend
from tests.contracts.redis_backend import RedisBackend
from tests.contracts.retention_contract import HOUR, RetentionContract, calling, numbered
from tests.contracts.shared_history_contract import SharedHistoryContract
from tests.contracts.summary_contract import SummaryContract, kept
from tests.contracts.wrap_contract import WrapContract
from tests.paged import walked
from tests.proxy import proxy

WEEK = timedelta(days=7)
MS = timedelta(milliseconds=1)


@pytest.fixture
def backend(redis_url: str) -> Iterator[RedisBackend]:
    database = RedisDatabase(redis_url)
    yield RedisBackend(database)
    database.close()


@pytest.fixture
def valkey_backend(valkey_url: str) -> Iterator[RedisBackend]:
    database = RedisDatabase(valkey_url)
    yield RedisBackend(database)
    database.close()


class TestHistory(OfBackend, HistorySuite):
    """The public laws on Valkey, Redis and a cluster."""


class TestHistoryBeside(HistoryContract):
    """What is ours beside them."""


class TestRetention(RetentionContract):
    """The contract of what is kept, on Valkey, Redis and a cluster."""


class TestSummary(SummaryContract):
    """The contract of summaries on Valkey, Redis and a cluster."""


class TestWrap(WrapContract):
    """The contract of wrapped chains on Valkey, Redis and a cluster."""


class TestSharedHistory(SharedHistoryContract):
    """The contract of several processes on Valkey, Redis and a cluster."""

    name = "RedisChatMessageHistory"

    @pytest.fixture
    def shared_url(self, redis_url: str) -> str:
        return redis_url


# ------------------------------------------------------------------------------------------------------------- expiry
def lifetimes(backend: RedisBackend) -> set[int]:
    """What is left of every key's life in minutes, rounded up; -1 where there is no end."""
    left = [backend.ask("PTTL", key) for key in backend.names()]
    return {it if it < 0 else -(-it // 60_000) for it in left}


def wait_until_gone(backend: RedisBackend, *, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while (names := backend.names()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert names == []


async def test_every_key_lives_a_week_unless_told_otherwise(backend: RedisBackend, call: Call) -> None:
    """A user's, a visitor's and the index's keys have one end, which writing moves and reading does not."""
    for scope in (ALICE, BOB, None):
        await call(backend.history(scope=scope), "add_messages", numbered(2))
        await call(backend.history("t", scope, max_messages=1), "add_messages", numbered(2))
    assert lifetimes(backend) == {WEEK // timedelta(minutes=1)}
    backend.pass_time(HOUR)
    await call(backend.history(), "get_messages")
    assert lifetimes(backend) == {(WEEK - HOUR) // timedelta(minutes=1)}


OPERATIONS: dict[str, Callable[[RedisChatMessageHistory], object]] = {
    "add": lambda history: history.add_messages([HumanMessage("hi"), calling("a")]),
    "answer": lambda history: history.add_messages([ToolMessage("1", tool_call_id="a"), AIMessage("so")]),
    "again": lambda history: history.add_messages(numbered(3)),
    "read": lambda history: history.get_messages(),
    "last": lambda history: history.last(2),
    "page": lambda history: history.page(limit=1),
    "search": lambda history: history.search("h"),
    "count": lambda history: history.count(),
    "keep": lambda history: run(history._store().keep_summary(history.scope, kept(9, "m1"))),
    "forget": lambda history: run(history._store().keep_summary(history.scope, None)),
    "clear": lambda history: history.clear(),
    "list": lambda history: history.conversations(ALICE, database=history._store().database),  # type: ignore[attr-defined]
}


@EXAMPLES
@given(st.lists(st.tuples(st.sampled_from(sorted(OPERATIONS)), st.sampled_from("stu"), st.booleans())))
def test_no_key_is_ever_without_its_end(valkey_backend: RedisBackend, done: list[tuple[str, str, bool]]) -> None:
    """Whatever is done, with and without a limit and refreshing, in three sessions that pass away meanwhile."""
    for name, session, is_special in done:
        special: dict[str, Any] = {"max_messages": 2, "refresh_on_read": True} if is_special else {}
        OPERATIONS[name](valkey_backend.history(session, ttl=HOUR, **special))  # type: ignore[arg-type]  # of this class
        assert lifetimes(valkey_backend) <= set(range(61))
        valkey_backend.pass_time(timedelta(minutes=25))
    valkey_backend.pass_time(2 * HOUR)
    assert valkey_backend.names() == []


@EXAMPLES
@given(st.lists(st.tuples(st.sampled_from(["add", "again", "clear", "list"]), st.sampled_from("s{tü"), st.booleans())))
def test_an_index_ends_with_the_last_session_that_does(
    valkey_backend: RedisBackend, done: list[tuple[str, str, bool]]
) -> None:
    """It is without an end only while a session is: whatever was kept, given an end, and cleared before."""
    for name, session, is_kept in done:
        history = valkey_backend.history(session, ttl=None if is_kept else HOUR)
        OPERATIONS[name](history)  # type: ignore[arg-type]  # of this class
        endless = [key for key in valkey_backend.names() if valkey_backend.ask("PTTL", key) == -1]
        assert not endless or any(key.endswith(b":meta") for key in endless)
        valkey_backend.pass_time(timedelta(minutes=25))
    for session in "s{tü":
        valkey_backend.history(session).clear()
    assert valkey_backend.names() == []


async def test_the_index_gets_the_end_of_the_longest_lived(backend: RedisBackend, call: Call) -> None:
    """When the one session that was kept is cleared, or given an end, or was taken by the server."""
    for leave in ("clear", "end", "evict"):
        await call(backend.history("p:1", ttl=None), "add_messages", numbered(1))
        await call(backend.history("q {2}", ttl=2 * HOUR), "add_messages", numbered(1))
        await call(backend.history("r", ttl=HOUR), "add_messages", numbered(1))
        assert lifetimes(backend) == {-1, 120, 60}
        if leave == "clear":
            await call(backend.history("p:1"), "clear")
        elif leave == "end":
            await call(backend.history("p:1", ttl=HOUR), "add_messages", numbered(2))
        else:
            for key in [name for name in backend.names() if b"p%3A1" in name]:
                backend.ask("DEL", key)
            await call(RedisChatMessageHistory, "conversations", ALICE, **backend.place)
        [index] = [name for name in backend.names() if name.endswith(b":sessions")]
        assert (lifetimes(backend), backend.ask("PTTL", index) > HOUR // MS) == ({120, 60}, True)
        backend.pass_time(3 * HOUR)
        assert backend.names() == []


async def test_the_server_ends_a_session_by_itself(backend: RedisBackend, call: Call) -> None:
    """When its lifetime is over nothing is left, of the index neither, and nobody had to sweep."""
    await call(backend.history(ttl=300 * MS), "add_messages", numbered(3))
    await call(backend.history(scope=None, ttl=300 * MS), "add_messages", numbered(3))
    wait_until_gone(backend, seconds=30)
    assert await call(backend.history(), "get_messages") == []


async def test_reading_prolongs_every_key(backend: RedisBackend, call: Call) -> None:
    """With `refresh_on_read` the index lives as long as the session that is read."""
    history = backend.history(ttl=HOUR, refresh_on_read=True)
    await call(history, "add_messages", numbered(3))
    for name, arguments in (("get_messages", ()), ("last", (1,)), ("page", ()), ("search", ("1",))):
        backend.pass_time(timedelta(minutes=30))
        await call(history, name, *arguments)
        assert lifetimes(backend) == {60}


async def test_the_index_forgets_sessions_that_expired(backend: RedisBackend, call: Call) -> None:
    """A listing takes them out, and so does the beginning of another session, for a user who never lists."""
    for number in range(5):
        await call(backend.history(f"old {number}", ttl=HOUR), "add_messages", numbered(1))
    await call(backend.history("young", ttl=3 * HOUR), "add_messages", numbered(1))
    backend.pass_time(2 * HOUR)
    listed = await call(RedisChatMessageHistory, "conversations", ALICE, **backend.place, limit=2)
    assert [it.session_id for it in listed] == ["young"]
    await call(backend.history("new", ttl=HOUR), "add_messages", numbered(1))
    assert "old" not in backend.stored()
    assert [it.session_id for it in run(backend.sessions().conversations(ALICE))] == ["new", "young"]


async def test_a_listing_pages_through_sessions_of_one_moment(backend: RedisBackend, call: Call) -> None:
    """Where times are equal the ids decide, and no session is shown twice or left out."""
    names = [f"{number:02}" for number in range(10)]
    for name in names:
        await call(backend.history(name, clock=lambda: backend.time), "add_messages", numbered(1))
    found = await walked(call, RedisChatMessageHistory, "conversations", ALICE, **backend.place, limit=3)
    assert [it.session_id for it in found] == names[::-1]


# ------------------------------------------------------------------------------------------------------- round trips
async def test_every_call_is_one_round_trip(valkey_url: str, call: Call) -> None:
    """Constructing asks nothing; adding, reading and counting ask once, by a script that is known or by commands."""
    database = RedisDatabase(valkey_url)
    backend = RedisBackend(database)
    await call(backend.history(), "add_messages", numbered(2))
    await call(backend.history(), "page")
    backend.ask("CONFIG", "RESETSTAT")
    history = backend.history()
    for name, arguments in (
        ("add_messages", (numbered(3),)),
        ("get_messages", ()),
        ("last", (2,)),
        ("page", ()),
        ("search", ("1",)),
    ):
        await call(history, name, *arguments)
    info = backend.ask("INFO", "commandstats").decode()
    calls = {line.split(":")[0][8:]: int(line.split("calls=")[1].split(",")[0]) for line in info.split() if "=" in line}
    assert calls["evalsha"] == 3
    assert calls["lrange"] == 2 + 2  # two of them inside scripts
    assert "eval" not in calls
    assert "multi" not in calls
    database.close()


# ----------------------------------------------------------------------------------------------------------- failure
async def test_a_server_that_is_away_is_retryable_and_the_next_call_works(
    valkey_server: servers.Server, valkey_url: str, call: Call
) -> None:
    """Nothing is half written meanwhile, and the same objects go on when it is back."""
    with proxy(valkey_server.port) as line:
        database = RedisDatabase(valkey_url.replace(str(valkey_server.port), str(line.port)), timeout_s=2)
        history = RedisChatMessageHistory("s", scope=ALICE, database=database)
        await call(history, "add_messages", numbered(1))
        line.refuse()
        for name, arguments in (("add_messages", (numbered(2),)), ("get_messages", ()), ("clear", ())):
            with pytest.raises(StorageError) as raised:
                await call(history, name, *arguments)
            assert raised.value.is_retryable
        line.heal()
        assert texts(await call(history, "get_messages")) == ["0"]
        await call(history, "add_messages", numbered(2))
        assert texts(await call(history, "get_messages")) == ["0", "1"]
        await call(database, "close")


@pytest.mark.parametrize("direction", ["requests", "replies"])
async def test_a_line_that_breaks_anywhere_loses_and_doubles_nothing(
    valkey_server: servers.Server, valkey_url: str, call: Call, direction: str
) -> None:
    """After any number of bytes: what was acknowledged is there, and what is repeated is there once."""
    with proxy(valkey_server.port) as line:
        database = RedisDatabase(valkey_url.replace(str(valkey_server.port), str(line.port)), timeout_s=2)
        history = RedisChatMessageHistory("s", scope=ALICE, database=database)
        for number in range(30):
            line.cut_after(**{direction: 37 * number % 900})
            with contextlib.suppress(StorageError):
                await call(history, "add_messages", numbered(2, 2 * number))
            line.heal()
            await call(history, "add_messages", numbered(2, 2 * number))
        assert texts(await call(history, "get_messages")) == [str(number) for number in range(60)]
        assert min(servers.redis_keys(valkey_url).values()) > 0
        await call(database, "close")


async def test_a_server_out_of_memory_leaves_nothing_half_written(call: Call) -> None:
    """The refused call is retryable, has changed nothing, and works when there is room."""
    with servers.valkey("--maxmemory-policy", "noeviction") as server:
        backend = RedisBackend(RedisDatabase(f"redis://{server.host}:{server.port}/0"))
        await call(backend.history(), "add_messages", numbered(1))
        before = backend.stored()
        backend.ask("CONFIG", "SET", "maxmemory", "1")
        with pytest.raises(StorageError, match="memory") as raised:
            await call(backend.history(), "add_messages", numbered(3))
        assert raised.value.is_retryable
        backend.ask("CONFIG", "SET", "maxmemory", "0")
        assert backend.stored() == before
        await call(backend.history(), "add_messages", numbered(3))
        assert await call(backend.history(), "count") == 3
        backend.database.close()


async def test_a_killed_server_loses_nothing_acknowledged(call: Call) -> None:
    """With every write on disk before its answer: whatever was acknowledged is there after a restart, with its end."""
    options = ("--appendonly", "yes", "--appendfsync", "always")
    with servers.own_folder("agentmem-killed-") as folder, servers.valkey(*options, folder=folder) as server:
        backend = RedisBackend(RedisDatabase(f"redis://{server.host}:{server.port}/0"))
        for number in range(20):
            await call(backend.history(max_messages=15), "add_messages", numbered(1, number))
        servers.kill(server)
        with servers.valkey(*options, folder=folder, port=server.port):
            assert texts(await call(backend.history(), "get_messages")) == [str(number) for number in range(5, 20)]
            assert min(servers.redis_keys(f"redis://{server.host}:{server.port}/0").values()) > 0
            await call(backend.history(max_messages=15), "add_messages", numbered(20))
            assert await call(backend.history(), "count") == 15
        backend.database.close()


def test_a_history_works_in_one_event_loop_after_another(redis_url: str) -> None:
    """What a loop that is gone left open hinders no other, nor the blocking colour."""
    history = RedisChatMessageHistory("s", url=redis_url)
    for number in range(3):
        asyncio.run(history.aadd_messages(numbered(1, number)))
        history.add_messages(numbered(1, 10 + number))
    assert texts(history.messages) == ["0", "10", "1", "11", "2", "12"]
    history.close()


@pytest.mark.parametrize("key", ["messages", "ids", "meta", "sessions"])
async def test_a_key_of_a_foreign_type_changes_no_other(backend: RedisBackend, call: Call, key: str) -> None:
    """Whoever wrote it: the call fails, and not one message is stored."""
    await call(backend.history(), "add_messages", numbered(3))
    [name] = [name for name in backend.names() if name.endswith(f":{key}".encode())]
    backend.ask("SET", name, "foreign")
    with pytest.raises(StorageError):
        await call(backend.history(max_messages=2), "add_messages", [HumanMessage("needle")])
    assert "needle" not in backend.stored()


@pytest.mark.parametrize("field", ["created", "used", "title", "holes"])
async def test_a_session_whose_own_fields_are_damaged_is_named_and_can_be_cleared(
    backend: RedisBackend, call: Call, field: str
) -> None:
    """The listing says which it is, and goes on once it is gone."""
    for session_id in ("s", "t"):
        await call(backend.history(session_id), "add_messages", numbered(2))
    backend.ask("HSET", session_keys(backend.database.prefix, ALICE, "s").meta, field, b"\xff")
    with pytest.raises(IntegrityError, match="session 's'"):
        run(backend.sessions().conversations(ALICE))
    await call(backend.history(), "clear")
    assert [it.session_id for it in run(backend.sessions().conversations(ALICE))] == ["t"]


@pytest.mark.parametrize("holes", ["0", "99", "-99"])
async def test_a_damaged_place_keeps_no_server_busy(backend: RedisBackend, call: Call, holes: str) -> None:
    """Making room comes to its end, whatever a session holds and says of its empty places."""
    await call(backend.history(), "add_messages", numbered(6))
    keys = session_keys(backend.database.prefix, ALICE, "s")
    backend.ask("LSET", keys.messages, 0, b"")
    backend.ask("HSET", keys.meta, "holes", holes)
    await call(backend.history(max_messages=3), "add_messages", numbered(1, 6))
    assert texts(await call(backend.history(), "get_messages"))[-3:] == ["4", "5", "6"]


async def test_what_is_no_message_of_ours_is_an_integrity_error(backend: RedisBackend, call: Call) -> None:
    """An element that somebody else pushed is never skipped, and never half read."""
    await call(backend.history(), "add_messages", numbered(1))
    [key] = [key for key in backend.names() if key.endswith(b":messages")]
    for foreign in (b"text", b"\0\0", b"\0\xff\0human\n{}", b'\0id\0{"content": "x"}'):
        backend.ask("RPUSH", key, foreign)
        for name, arguments in (("get_messages", ()), ("last", (1,)), ("page", ())):
            with pytest.raises(IntegrityError):
                await call(backend.history(), name, *arguments)
        backend.ask("RPOP", key)


# ------------------------------------------------------------------------------------------------------------- places
def test_prefixes_are_worlds_of_their_own(redis_url: str) -> None:
    """Histories of two prefixes on one server share nothing."""
    one, two = (RedisChatMessageHistory("s", url=redis_url, prefix=prefix) for prefix in ("app1", "app10"))
    one.add_messages(numbered(2))
    assert (one.count(), two.count()) == (2, 0)
    found = RedisChatMessageHistory.conversations(Scope.anonymous("s"), url=redis_url, prefix="app1")
    assert [it.message_count for it in found] == [2]
    assert all(key.startswith(b"app1:{") for key in servers.redis_keys(redis_url))
    one.close()
    two.close()


@pytest.mark.parametrize("places", [{}, {"url": "redis://", "database": object()}, {"url": "redis://", "prefix": "{"}])
def test_a_place_that_cannot_be_is_refused_at_once(places: dict[str, Any]) -> None:
    """Either a URL or a database, and a prefix that a key can begin with; nothing is asked."""
    with pytest.raises(ConfigurationError, match=r"url|prefix"):
        RedisChatMessageHistory("s", **places)


def test_constructing_asks_nothing() -> None:
    """A history of a server that nobody can reach can be made, but not used."""
    history = RedisChatMessageHistory("s", url=f"redis://127.0.0.1:{servers.free_port()}/0")
    with pytest.raises(StorageError) as raised:
        history.add_user_message("hi")
    assert raised.value.is_retryable


def test_many_sessions_of_one_user_at_once(backend: RedisBackend) -> None:
    """Writers of several sessions change one index and lose nothing in it."""

    def write(writer: int) -> None:
        for number in range(10):
            for session in "abc":
                backend.history(session).add_messages([HumanMessage(f"{writer} {number}")])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    for session in "abc":
        check_writers(backend.history(session).messages, writers=8, each=10)
    assert {it.message_count for it in run(backend.sessions().conversations(ALICE))} == {80}
