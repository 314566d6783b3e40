"""What a store keeps: times to live, exact to the microsecond and whether or not anything swept."""

from __future__ import annotations

from typing import Any, Final

import pytest
from langgraph.store.base import BaseStore, GetOp, PutOp, SearchOp

from langchain_agentmem.testing.laws import Call, Laws, StillClock, law

NS: Final = ("memories", "alice")


class StoreLifetimes(Laws):
    """Laws of expiry. A subclass has a fixture `store`: empty, and with the fixture `clock` for its clock."""

    @law
    async def test_an_item_expires_exactly(self, store: BaseStore, clock: StillClock, call: Call) -> None:
        """Until its time is over an item is there, from then on nobody sees anything of it, swept or not."""
        await call(store, "put", NS, "a", {"text": "tea"}, ttl=1.5)
        clock.forward(minutes=1.5, micros=-1)
        assert await call(store, "get", NS, "a", refresh_ttl=False)
        clock.forward(micros=1)
        for asked in ({}, {"query": "tea"}, {"filter": {"text": "tea"}}):
            assert await call(store, "search", NS, **asked) == []
        assert await call(store, "get", NS, "a") is None
        assert await call(store, "list_namespaces") == []

    @pytest.mark.parametrize("asked", [None, {}, {"query": "tea"}, {"filter": {"text": "tea"}}])
    @law
    async def test_a_read_lets_an_item_live_on(
        self, store: BaseStore, clock: StillClock, call: Call, asked: dict[str, Any] | None
    ) -> None:
        """Whoever gets or finds an item gives it another time to live, unless told not to."""

        async def read(*, refresh: bool) -> int:
            if asked is None:
                return int(await call(store, "get", NS, "a", refresh_ttl=refresh) is not None)
            return len(await call(store, "search", NS, refresh_ttl=refresh, **asked))

        await call(store, "put", NS, "a", {"text": "tea"}, ttl=10)
        for refresh in (True, True, False):
            clock.forward(minutes=9)
            assert await read(refresh=refresh) == 1
        clock.forward(minutes=1)
        assert await read(refresh=True) == 0

    @law
    async def test_a_batch_that_writes_refreshes_too(self, store: BaseStore, clock: StillClock, call: Call) -> None:
        """What a batch reads lives on, whatever else the batch writes, and what it puts has a time of its own."""
        await call(store, "batch", [PutOp((name,), "k", {"n": 1}, ttl=10) for name in "abc"])
        clock.forward(minutes=9)
        ops = [
            GetOp(("a",), "k"),
            SearchOp(("b",)),
            GetOp(("c",), "k", refresh_ttl=False),
            PutOp(("d",), "k", {"n": 1}),
        ]
        await call(store, "batch", [*ops, PutOp(("b",), "k", {"n": 2}, ttl=1)])
        clock.forward(minutes=1)
        assert await call(store, "list_namespaces") == [("a",), ("d",)]
        clock.forward(minutes=9)
        assert await call(store, "list_namespaces") == [("d",)]

    @law
    async def test_an_expired_item_is_put_anew(self, store: BaseStore, clock: StillClock, call: Call) -> None:
        """What is put where something has expired was created now; without a time to live it stays."""
        await call(store, "put", NS, "a", {"n": 1}, ttl=1)
        clock.forward(minutes=2)
        await call(store, "put", NS, "a", {"n": 2})
        clock.forward(minutes=10_000)
        item = await call(store, "get", NS, "a")
        assert (item.value, item.created_at) == ({"n": 2}, item.updated_at)
