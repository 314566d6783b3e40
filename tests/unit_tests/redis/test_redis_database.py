from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis.connection import Connection

from langchain_agentmem._flow import Flow, Step, run
from langchain_agentmem.errors import ConfigurationError, StorageError
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.shared import release, shared
from langchain_agentmem.redis.wire import Argument, Wire, pack


def first_wait(flow: Flow[object]) -> Step:
    return next(flow)


def test_making_a_database_opens_nothing() -> None:
    """Sockets are blocked here, and nobody listens at that name."""
    with_everything = RedisDatabase("rediss+cluster://u:p@nowhere.invalid:1,nowhere.invalid:2", prefix="mine")
    assert with_everything.key("t{}", "x") == b"mine:{t%7B%7D}:x"
    with_everything.close()


def test_several_commands_are_one_transaction() -> None:
    """One command goes as it is, several between MULTI and EXEC, all at once."""
    database = RedisDatabase("redis://h")
    assert first_wait(database.write(("SET", b"k", 1))).args[1] == (("SET", b"k", 1),)
    sent = first_wait(database.write(("SET", b"k", 1), ("GET", b"k"))).args[1]
    assert [it[0] for it in sent] == ["MULTI", "SET", "GET", "EXEC"]


def test_no_command_is_no_round_trip() -> None:
    """Reading or writing nothing waits for nothing."""
    database = RedisDatabase("redis://h")
    assert (run(database.read()), run(database.write()), run(database.spread([]))) == ([], [], [])


def test_a_closed_database_says_so() -> None:
    """Every use after close is an error of ours; closing again does nothing."""
    database = RedisDatabase("redis://h")
    database.close()
    database.close()
    with pytest.raises(StorageError, match="closed"):
        run(database.read(("GET", b"k")))


def test_databases_of_one_url_and_prefix_are_one() -> None:
    """Until they are released; another prefix is another database."""
    first = shared("redis://shared.invalid")
    assert shared("redis://shared.invalid") is first
    assert shared("redis://shared.invalid", prefix="other") is not first
    assert release("redis://shared.invalid") is first
    assert release("redis://shared.invalid") is None
    again = shared("redis://shared.invalid")
    assert again is not first
    for prefix in ("agentmem", "other"):
        found = release("redis://shared.invalid", prefix=prefix)
        assert found is not None
        found.close()


def test_a_shared_database_is_released_with_the_last_who_uses_it() -> None:
    """Whoever is gone without a word counts no more, and one who never used it ends nobody's use."""

    class User:
        pass

    url, one, two = "redis://users.invalid", User(), User()
    database = shared(url, one)
    assert shared(url, two) is database
    assert release(url, User()) is None
    assert release(url, one) is None
    del two
    assert release(url, one) is database
    database.close()


def test_a_shared_database_that_cannot_be_is_refused() -> None:
    """And nothing is remembered of it."""
    with pytest.raises(ConfigurationError):
        shared("sqlite://")
    assert release("sqlite://") is None


ARGUMENTS: st.SearchStrategy[Argument] = st.one_of(
    st.binary(max_size=40),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.integers(),
    st.floats(allow_nan=False),
)


@given(st.lists(st.lists(ARGUMENTS, max_size=5), min_size=1, max_size=4))
def test_commands_are_packed_as_redis_py_packs_them(rests: list[list[Argument]]) -> None:
    """Bytes, any text and numbers, one command or several."""
    commands = [("SET", *rest) for rest in rests]
    packed: list[bytes] = Connection().pack_commands(commands)  # type: ignore[no-untyped-call]
    assert pack(commands) == b"".join(packed)


def test_who_waits_too_long_for_a_connection_is_told() -> None:
    """A retryable error that says what to change."""
    database = RedisDatabase("redis://h")
    wire = Wire(database.address, database.address.nodes[0], max_connections=1, wait_s=0.01)
    taken, done = threading.Event(), threading.Event()

    class Held:
        def connect(self) -> None:
            taken.set()
            done.wait(60)
            raise ConnectionError

        def disconnect(self) -> None:
            """Nothing is open."""

    wire._unmade.clear()
    wire._unmade.clear()
    wire._idle.put(Held())  # type: ignore[arg-type]  # as much of a connection as is used
    with ThreadPoolExecutor(1) as pool:
        holder = pool.submit(wire, [("PING",)])
        assert taken.wait(60)
        with pytest.raises(StorageError, match="max_connections") as full:
            wire([("PING",)])
        done.set()
        assert isinstance(holder.exception(), ConnectionError)
    assert full.value.is_retryable
