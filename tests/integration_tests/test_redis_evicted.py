"""What Redis evicted in part, or somebody deleted, is told: nothing of it is begun anew, or forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.graph import START, MessagesState, StateGraph
from redis import Redis

from langchain_agentmem._flow import run
from langchain_agentmem.chat_history import RedisChatMessageHistory
from langchain_agentmem.checkpoint.redis import RedisSaver
from langchain_agentmem.checkpoints.redis import RedisThreads
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sessions.redis.keys import index_key, session_keys
from langchain_agentmem.testing.history import texts
from langchain_agentmem.types import Scope
from tests import servers
from tests.conftest import Call, Colour
from tests.contracts.history_backends import ALICE
from tests.contracts.redis_backend import RedisBackend
from tests.contracts.retention_contract import calling, numbered
from tests.ledgers import Drive, drive_of
from tests.threads import ALICES, NOW, SECOND, Put, Removing, everything, load, put, remove, write

SESSION: Final = {"messages": 0, "ids": 1, "meta": 2}
THREAD: Final = {"meta": 0, "items": 1, "digests": 2, "checkpoints": 3, "writes": 4}
CONFIG: Any = {"configurable": {"thread_id": "t"}}
LIVES: Final = [None, timedelta(hours=1)]


@pytest.fixture
def drive(colour: Colour) -> Drive:
    return drive_of(colour)


@pytest.fixture
def backend(redis_url: str) -> Iterator[RedisBackend]:
    database = RedisDatabase(redis_url)
    yield RedisBackend(database)
    database.close()


@pytest.fixture
def threads(backend: RedisBackend) -> RedisThreads:
    return RedisThreads(backend.database)


def evict_of_session(backend: RedisBackend, part: str, session: str = "s") -> None:
    keys = session_keys(backend.database.prefix, ALICE, session)
    assert backend.ask("DEL", keys.own[SESSION[part]]) == 1


def evict_of_thread(threads: RedisThreads, part: str) -> None:
    assert run(threads.database.write(("DEL", threads._backend.keys("t")[THREAD[part]]))) == [1]


def turn(number: int, **changes: object) -> Put:
    id_ = f"{number:03}"
    return Put(id_, [id_.encode()], writes=[write(id_)], owner=ALICES, **changes)  # type: ignore[arg-type]  # of a Put


def chatting(saver: RedisSaver) -> Any:  # noqa: ANN401  (LangGraph's own)
    builder = StateGraph(MessagesState)
    builder.add_node("answer", lambda _: {"messages": [AIMessage("so")]})
    builder.add_edge(START, "answer")
    return builder.compile(checkpointer=saver)


# ------------------------------------------------------------------------------------------------------ conversations
@pytest.mark.parametrize("ttl", LIVES, ids=["kept", "ends"])
@pytest.mark.parametrize("part", SESSION)
async def test_nothing_is_added_to_what_is_left_of_a_conversation(
    backend: RedisBackend, call: Call, part: str, ttl: timedelta | None
) -> None:
    """The error names the session and the remedy, not one key is changed, and once it is cleared it begins anew."""
    history = backend.history(ttl=ttl)
    await call(history, "add_messages", numbered(3))
    evict_of_session(backend, part)
    left = backend.stored()
    with pytest.raises(IntegrityError, match=r"session 's'.*noeviction"):
        await call(history, "add_messages", numbered(2, 2))
    assert backend.stored() == left
    await call(history, "clear")
    await call(history, "add_messages", numbered(2, 2))
    assert texts(await call(history, "get_messages")) == ["2", "3"]


@pytest.mark.parametrize(
    ("part", "broken"), [("messages", "get_messages last page search count"), ("meta", "page search count")]
)
async def test_what_is_left_of_a_conversation_is_not_read_as_all(
    backend: RedisBackend, call: Call, part: str, broken: str
) -> None:
    """Who reads is told as well, but for messages that are whole without what is known of them."""
    history = backend.history()
    await call(history, "add_messages", numbered(3))
    evict_of_session(backend, part)
    for name, arguments in {"get_messages": (), "last": (2,), "page": (), "search": ("1",), "count": ()}.items():
        if name in broken.split():
            with pytest.raises(IntegrityError, match="session 's'"):
                await call(history, name, *arguments)
        else:
            assert texts(await call(history, name, *arguments))[-2:] == ["1", "2"]
    with pytest.raises(IntegrityError, match="session 's'"):
        await call(RedisChatMessageHistory, "conversations", ALICE, **backend.place)


async def test_what_is_left_of_a_conversation_stays_findable(backend: RedisBackend, call: Call) -> None:
    """The user's index does not forget it while a key of it is there: by it an erasure finds what to delete."""
    await call(backend.history(), "add_messages", numbered(3))
    evict_of_session(backend, "meta")
    for session in "tuv":
        await call(backend.history(session), "add_messages", numbered(1))
    index = index_key(backend.database.prefix, ALICE)
    assert b"s" in backend.ask("ZRANGE", index, 0, -1)
    evict_of_session(backend, "messages")
    evict_of_session(backend, "ids")
    await call(RedisChatMessageHistory, "conversations", ALICE, **backend.place)
    assert backend.ask("ZRANGE", index, 0, -1) == [b"t", b"u", b"v"]


async def test_a_conversation_of_which_all_made_room_is_whole(backend: RedisBackend, call: Call) -> None:
    """Results go with their call: without a message it goes on, under the ids and the places that it knew."""
    history = backend.history(max_messages=1)
    done = [calling("a", "b"), *(ToolMessage("done", tool_call_id=it, id=it) for it in "ab")]
    await call(history, "add_messages", done)
    assert (await call(history, "get_messages"), await call(history, "count")) == ([], 0)
    for number in range(3):
        await call(history, "add_messages", [done[1], *numbered(1, number)])
        assert texts(await call(history, "get_messages")) == [str(number)]
    page = await call(history, "page", after=5)
    assert texts(page.messages) == ["2"]


async def test_a_conversation_at_its_end_is_over(backend: RedisBackend, call: Call) -> None:
    """Keys that are moved to another server may end some milliseconds apart: that is no eviction."""
    await call(backend.history(), "add_messages", numbered(3))
    keys = session_keys(backend.database.prefix, ALICE, "s")
    for key in keys.own:
        backend.ask("PEXPIRE", key, 900)
    evict_of_session(backend, "meta")
    await call(backend.history(), "add_messages", numbered(1, 7))
    assert texts(await call(backend.history(), "get_messages")) == ["7"]


# ------------------------------------------------------------------------------------------------------------ threads
@pytest.mark.parametrize("expires_at", [None, NOW + 36_000 * SECOND], ids=["kept", "ends"])
@pytest.mark.parametrize("part", THREAD)
async def test_nothing_is_added_to_what_is_left_of_a_thread(
    backend: RedisBackend, threads: RedisThreads, drive: Drive, part: str, expires_at: int | None
) -> None:
    """Neither read nor changed nor pruned, by whoever knows it already and by who does not; deleted, it begins anew."""
    await drive(put(threads, turn(1), expires_at=expires_at))
    evict_of_thread(threads, part)
    left = backend.stored()
    for some in (threads, RedisThreads(threads.database)):
        for flow in (put(some, turn(2), expires_at=expires_at), load(some), remove(some, Removing())):
            with pytest.raises(IntegrityError, match=r"thread 't'.*noeviction"):
                await drive(flow)
    assert backend.stored() == left
    await drive(threads.delete("t"))
    await drive(put(threads, turn(3), expires_at=expires_at))
    assert (await drive(load(threads))).keys == [("", "003")]


@pytest.mark.parametrize("part", THREAD)
async def test_what_is_left_of_a_thread_stays_findable(threads: RedisThreads, drive: Drive, part: str) -> None:
    """A listing of its owner's threads has it, and so an erasure; only the last key takes its entry along."""
    await drive(put(threads, turn(1)))
    evict_of_thread(threads, part)
    for _ in range(2):
        assert [(it.thread_id, it.owner) for it in await drive(threads.threads(owner=ALICES))] == [("t", ALICES)]
    await drive(threads.delete("t"))
    assert await drive(threads.threads(owner=ALICES)) == []


async def test_half_of_an_index_goes_on(threads: RedisThreads, drive: Drive) -> None:
    """Where the marks of an index were lost, deleting what came later takes no other entry along, and leaves none."""
    for name in ("t", "u"):
        await drive(put(threads, turn(1), name))
    for tag in (("threads",), ("\x00".join(ALICES), "owner")):
        await drive(threads.database.write(("DEL", threads.database.key(*tag, "marks"))))
    await drive(put(threads, turn(1), "v"))
    for gone, left in (("v", ["t", "u"]), ("t", ["u"]), ("u", [])):
        await drive(threads.delete(gone))
        assert [it.thread_id for it in await drive(threads.threads(owner=ALICES))] == left
    assert await drive(threads.database.scan(b"*}:*")) == []


async def test_what_was_removed_from_a_thread_is_not_missed(threads: RedisThreads, drive: Drive) -> None:
    """A plan may empty a key, and the next change may fill it again: both times the thread is whole."""
    await drive(put(threads, turn(1)))
    await drive(remove(threads, Removing(everything)))
    assert (await drive(load(threads))).keys == []
    await drive(put(threads, turn(2)))
    assert (await drive(load(threads))).keys == [("", "002")]
    evict_of_thread(threads, "writes")
    with pytest.raises(IntegrityError, match="thread 't'"):
        await drive(load(threads))


async def test_a_thread_that_counted_no_keys_goes_on(threads: RedisThreads, drive: Drive) -> None:
    """As an earlier release left it: it is read, and the next change counts them."""
    await drive(put(threads, turn(1)))
    await drive(threads.database.write(("HDEL", threads._backend.keys("t")[0], "k")))
    assert (await drive(load(threads))).keys == [("", "001")]
    await drive(put(threads, turn(2)))
    evict_of_thread(threads, "checkpoints")
    with pytest.raises(IntegrityError, match="thread 't'"):
        await drive(load(threads))


@pytest.mark.parametrize("part", ["meta", "items", "digests", "checkpoints"])
async def test_a_graph_does_not_begin_anew(redis_url: str, threads: RedisThreads, call: Call, part: str) -> None:
    """A run on a thread that was evicted in part fails, and names it; where it is deleted, the next begins."""
    with RedisSaver.from_url(redis_url) as saver:
        graph = chatting(saver)
        await call(graph, "invoke", {"messages": ["hi"]}, CONFIG)
        evict_of_thread(threads, part)
        for name, arguments in {"invoke": ({"messages": ["and"]},), "get_state": ()}.items():
            with pytest.raises(IntegrityError, match="thread 't'"):
                await call(graph, name, *arguments, CONFIG)
        await call(saver, "delete_thread", "t")
        state = await call(graph, "invoke", {"messages": ["anew"]}, CONFIG)
        assert texts(state["messages"]) == ["anew", "so"]


# ------------------------------------------------------------------------------------------------------- a real server
@contextmanager
def full(server: servers.Server) -> Iterator[None]:
    """What is written meanwhile evicts, as memory is bounded by what is taken at its beginning, and a megabyte."""
    with Redis(host=server.host, port=server.port) as admin:
        admin.config_set("maxmemory", admin.info("memory")["used_memory"] + 1_000_000)
        yield
        admin.config_set("maxmemory", 0)


def test_a_server_that_evicts_loses_nothing_silently() -> None:
    """A conversation is there as it was acknowledged, or gone whole, or an error: never a part of it for all."""
    told = 0
    with servers.redis("--maxmemory-policy", "volatile-random") as server:
        database = RedisDatabase(f"redis://{server.host}:{server.port}/0")
        histories = [RedisChatMessageHistory("s", scope=Scope(f"u{it}"), database=database) for it in range(300)]
        with full(server):
            for history in histories:
                history.add_messages([HumanMessage("x" * 1_000, id=str(it)) for it in range(5)])
        for history in histories:
            try:
                found = [it.id for it in history.messages]
                history.add_messages([HumanMessage("y", id="5")])
            except IntegrityError:
                told += 1
            else:
                assert found in ([], list("01234"))
                assert [it.id for it in history.messages] == [*found, "5"]
        database.close()
    assert told > 0
