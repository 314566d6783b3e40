from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from datetime import timedelta
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate

from langchain_agentmem._patience import REST_RATIO
from langchain_agentmem.checkpoint.redis import RedisSaver
from langchain_agentmem.errors import StorageError
from tests import servers
from tests.conftest import Call
from tests.proxy import proxy

SLOW_S = 0.5
CONFIG: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}


@pytest.mark.parametrize("settings", [{}, {"ttl": timedelta(hours=1), "refresh_on_read": True}], ids=["", "ttl"])
async def test_every_capability_conforms(redis_url: str, settings: dict[str, Any]) -> None:
    """LangGraph's suite detects all of them and passes; with an expiry, no key is left without."""

    @checkpointer_test(name="RedisSaver")
    async def saver() -> AsyncGenerator[RedisSaver, None]:
        made = RedisSaver.from_url(redis_url, **settings)
        yield made
        await made.aclose()

    report = await validate(saver)
    assert report.passed_all_base()
    assert all(result.detected and result.passed for result in report.results.values())
    left = servers.redis_keys(redis_url)
    assert left
    assert (min(left.values()) >= 0) == bool(settings)


async def test_a_prefix_keeps_applications_apart(redis_url: str, call: Call) -> None:
    """All keys begin with it, and another prefix sees nothing of them."""
    with RedisSaver.from_url(redis_url, prefix="one") as one, RedisSaver.from_url(redis_url, prefix="two") as two:
        await call(one, "put", CONFIG, empty_checkpoint(), {}, {})
        assert await call(one, "get_tuple", CONFIG) is not None
        assert await call(two, "get_tuple", CONFIG) is None
        assert all(key.startswith(b"one:") for key in servers.redis_keys(redis_url))


@pytest.mark.usefixtures("valkey_url")
@pytest.mark.parametrize("trouble", ["refuse", "pause"])
async def test_a_checkpointer_outlives_trouble(valkey_server: servers.Server, call: Call, trouble: str) -> None:
    """While Redis is away or slow, calls fail and may be repeated; after its rest the same object works."""
    with proxy(valkey_server.port) as line:
        saver = RedisSaver.from_url(f"redis://{servers.HOST}:{line.port}?socket_timeout={SLOW_S}")
        await call(saver, "put", CONFIG, empty_checkpoint(), {}, {})
        make_trouble: Callable[[], None] = getattr(line, trouble)
        make_trouble()
        with pytest.raises(StorageError) as failed:
            await call(saver, "get_tuple", CONFIG)
        assert failed.value.is_retryable
        line.heal()
        await asyncio.sleep(REST_RATIO * 2 * SLOW_S if trouble == "pause" else 0)
        assert await call(saver, "get_tuple", CONFIG) is not None
        await call(saver, "close")
