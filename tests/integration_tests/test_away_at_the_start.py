"""Servers that are away when a memory is opened: vector stores by name, Redis, and the embeddings' own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from langchain_core.language_models import FakeListChatModel
from sqlalchemy import make_url

from langchain_agentmem import AgentMemory, Scope, create_memory_graph
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.faulty import FaultyEmbeddings
from tests.ledgers import Clock
from tests.proxy import Proxy, proxy
from tests.servers import HOST, Server

ALICE = Scope("alice", session_id="today")
DIM = 64


class Named(NamedTuple):
    """A vector store by name, and the line to it."""

    name: str
    options: dict[str, Any]
    line: Proxy


@contextmanager
def chroma(request: pytest.FixtureRequest) -> Iterator[Named]:
    server: Server = request.getfixturevalue("chroma_server")
    with proxy(server.port) as line:
        yield Named("chroma", {"host": HOST, "port": line.port, "collection": f"c{uuid4().hex}"}, line)


@contextmanager
def redis(request: pytest.FixtureRequest) -> Iterator[Named]:
    with proxy(make_url(request.getfixturevalue("redis_search_url")).port or 0) as line:
        yield Named("redis", {"url": f"redis://{HOST}:{line.port}", "dim": DIM}, line)


@contextmanager
def pgvector(request: pytest.FixtureRequest) -> Iterator[Named]:
    url = make_url(request.getfixturevalue("prepared_postgres_url"))
    with proxy(url.port or 0) as line:
        there = url.set(host=HOST, port=line.port).render_as_string(hide_password=False)
        yield Named("pgvector", {"url": there, "dim": DIM}, line)


@pytest.mark.parametrize("store", [chroma, redis, pgvector], ids=lambda it: it.__name__)
async def test_a_vector_store_that_is_away_is_used_when_it_is_back(
    store: Callable[..., Any], request: pytest.FixtureRequest, call: Call
) -> None:
    """The memory opens, keeps and answers; then the store is opened, filled, and asked."""
    clock = Clock()
    with store(request) as named:
        named.line.refuse()
        given: dict[str, Any] = {"index": named.name, "index_options": named.options, "index_above": 0, "clock": clock}
        memory = AgentMemory.connect(sql="sqlite://", embeddings=WordEmbeddings(dim=DIM), consent="assumed", **given)
        with memory:
            await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)
            without = await call(memory.long_term, "recall", "cat", scope=ALICE)
            named.line.heal()
            clock.now += timedelta(hours=1)
            await call(memory.jobs, "run")
            found = await call(memory.long_term, "recall", "cat", scope=ALICE)
            receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
            assert [(len(it), it.status) for it in (without, found)] == [(1, "degraded"), (1, "ok")]
            assert receipt.plan["index"] == "vector_store"
            await call(memory.long_term, "rebuild_index")


async def test_all_that_is_away_costs_no_turn(request: pytest.FixtureRequest, call: Call) -> None:
    """Vector store, Redis and embeddings, all of them from the start: the agent answers, and is whole when they are."""
    embeddings, model = FaultyEmbeddings(), FakeListChatModel(responses=["Noted."])
    embeddings.break_("raises")
    port = make_url(request.getfixturevalue("valkey_url")).port or 0
    with chroma(request) as named, proxy(port) as line:
        for each in (named.line, line):
            each.refuse()
        clock = Clock()
        given: dict[str, Any] = {"index": named.name, "index_options": named.options, "index_above": 0, "clock": clock}
        url = f"redis://{HOST}:{line.port}/0"
        memory = AgentMemory.connect(sql="sqlite://", redis=url, embeddings=embeddings, consent="assumed", **given)
        with memory:
            graph = create_memory_graph(model, memory=memory)
            before = [await say(graph, call, it) for it in ("I prefer tea.", "Which tea do I prefer?")]
            for each in (named.line, line):
                each.heal()
            embeddings.fault = None
            clock.now += timedelta(hours=1)  # what failed is due again
            await call(memory.jobs, "run")
            after = [await say(graph, call, it) for it in ("I prefer coffee at work.", "What do I prefer at work?")]
            assert [turn["messages"][-1].text for turn in (*before, *after)] == ["Noted."] * 4
            assert [turn["memory"]["status"] for turn in after] == ["ok", "ok"]
            found = await call(memory.long_term, "recall", "coffee at work", scope=ALICE, kinds=["preference"])
            assert "coffee" in found[0].memory.content


async def say(graph: Any, call: Call, words: str) -> dict[str, Any]:  # noqa: ANN401  (a compiled graph)
    turn: dict[str, Any] = await call(
        graph, "invoke", {"messages": [("user", words)]}, context={"user_id": ALICE.user_id}
    )
    return turn
