"""What our store promises beside the public suite, without a query: sweeps, defaults, and what is refused, and how."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, PutOp, SearchOp

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.store.sql import SQLStore
from langchain_agentmem.testing.laws import StillClock, keys
from tests.conftest import Call
from tests.stores import Open

NS = ("memories", "alice")


class StoreContract:
    """A subclass has a fixture `open_store`."""

    @pytest.fixture
    def clock(self) -> StillClock:
        return StillClock()

    @pytest.fixture
    def store(self, open_store: Open, clock: StillClock) -> SQLStore:
        return open_store(clock=clock)

    # ---------------------------------------------------------------------------------------------------- time to live
    async def test_a_sweep_removes_what_has_expired(self, store: SQLStore, clock: StillClock, call: Call) -> None:
        """It counts what it removed, and leaves what still lives."""
        await call(store, "batch", [PutOp((f"n{n}",), "k", {"n": n}, ttl=n + 1) for n in range(5)])
        clock.forward(minutes=3)
        assert (await call(store, "sweep"), await call(store, "sweep")) == (3, 0)
        assert await call(store, "list_namespaces") == [("n3",), ("n4",)]

    async def test_the_configuration_gives_defaults(self, open_store: Open, clock: StillClock, call: Call) -> None:
        """`default_ttl` counts where a put names none, and reads refresh only if `refresh_on_read` says so."""
        store = open_store(clock=clock, ttl={"default_ttl": 5, "refresh_on_read": False, "sweep_interval_minutes": 7})
        await call(store, "put", NS, "a", {"n": 1})
        await call(store, "put", NS, "b", {"n": 1}, ttl=None)
        clock.forward(minutes=4)
        assert await call(store, "get", NS, "a")
        clock.forward(minutes=3)
        assert keys(await call(store, "search", NS)) == ["b"]
        assert await call(store, "sweep") == 0  # the search has swept before

    # ------------------------------------------------------------------------------------------------------- bad input
    @pytest.mark.parametrize(
        "op",
        [
            PutOp((), "a", {"n": 1}),
            PutOp(("langgraph",), "a", {"n": 1}),
            PutOp(("a", ""), "a", {"n": 1}),
            PutOp(("a.b",), "a", {"n": 1}),
            PutOp(("a\x00",), "a", {"n": 1}),
            GetOp(("a.b",), "a"),
            SearchOp(("a", "")),
            SearchOp(("a", 5)),  # type: ignore[arg-type]
            ListNamespacesOp((MatchCondition("prefix", ("a.b",)),)),
        ],
    )
    async def test_a_malformed_namespace_is_refused(self, store: SQLStore, call: Call, op: Any) -> None:  # noqa: ANN401
        """A batch refuses what the methods refuse, with LangGraph's own error."""
        with pytest.raises(InvalidNamespaceError):
            await call(store, "batch", [op])

    @pytest.mark.parametrize(
        "op",
        [
            PutOp("memories", "a", {"n": 1}),  # type: ignore[arg-type]
            PutOp(("\ud800",), "a", {"n": 1}),
            PutOp(("x" * 3_000,), "a", {"n": 1}),
            PutOp(NS, "\x00", {"n": 1}),
            PutOp(NS, "\ud800", {"n": 1}),
            PutOp(NS, "x" * 3_000, {"n": 1}),
            PutOp(NS, 5, {"n": 1}),  # type: ignore[arg-type]
            PutOp(NS, "a", [1]),  # type: ignore[arg-type]
            PutOp(NS, "a", {1: 1}),  # type: ignore[dict-item]
            PutOp(NS, "a", {"x": {1, 2}}),
            PutOp(NS, "a", {"when": object()}),
            PutOp(NS, "a", {"x": b"1"}),
            PutOp(NS, "a", {"x": float("nan")}),
            PutOp(NS, "a", {"x": 10**5_000}),
            PutOp(NS, "a", {"n": 1}, index=True),  # type: ignore[arg-type]
            PutOp(NS, "a", {"n": 1}, index=[5]),  # type: ignore[list-item]
            PutOp(NS, "a", {"n": 1}, ttl=0),
            PutOp(NS, "a", {"n": 1}, ttl=float("inf")),
            PutOp(NS, "a", {"n": 1}, ttl=True),
            SearchOp(NS, limit=-1),
            SearchOp(NS, limit=None),  # type: ignore[arg-type]
            SearchOp(NS, offset=-1),
            SearchOp(NS, query=5),  # type: ignore[arg-type]
            SearchOp(NS, query="x" * 1_000_000),
            SearchOp(NS, query="tea\x00"),
            SearchOp(NS, filter="n"),  # type: ignore[arg-type]
            SearchOp(NS, filter={"n": {"$in": [1]}}),
            SearchOp(NS, filter={"$or": [{"n": 1}]}),
            SearchOp(NS, filter={"n": {"$gt": 1, "m": 2}}),
            SearchOp(NS, filter={5: 1}),  # type: ignore[dict-item]
            ListNamespacesOp(max_depth=0),
            ListNamespacesOp(limit=-1),
            ListNamespacesOp((MatchCondition("infix", ("a",)),)),  # type: ignore[arg-type]
            "put",
        ],
    )
    async def test_what_cannot_work_is_refused(self, store: SQLStore, call: Call, op: Any) -> None:  # noqa: ANN401
        """Bad input is an error of ours that is a `ValueError`, and nothing of its batch is written."""
        with pytest.raises(ConfigurationError):
            await call(store, "batch", [PutOp(NS, "b", {"n": 1}), op])
        assert await call(store, "search", ()) == []

    @pytest.mark.parametrize(
        "query", ["the and of", '"" OR ( NEAR', "'; DROP TABLE agentmem_store_items; --", "漢字かな", "a" * 90_000]
    )
    async def test_any_words_can_be_asked(self, store: SQLStore, call: Call, query: str) -> None:
        """A query is words and nothing else, in any script; what has none of them in common is not found."""
        await call(store, "put", NS, "tea", {"text": "green tea"})
        await call(store, "put", NS, "kanji", {"text": "漢字を書く"})
        assert keys(await call(store, "search", NS, query=query)) == (["kanji"] if query == "漢字かな" else [])

    @pytest.mark.parametrize("key", ["n') OR 1=1 --", "$.n", "n'] || '", "%", ""])
    async def test_a_filter_key_is_data_beside_a_query(self, store: SQLStore, call: Call, key: str) -> None:
        """What a filter's key says becomes part of no statement that looks for words."""
        await call(store, "put", NS, "a", {"n": 1})
        await call(store, "put", NS, "b", {key: 1, "said": key})
        for wanted in ({key: 1}, {"said": key}, {"said": {"$eq": key}, key: {"$gte": 1}}):
            assert keys(await call(store, "search", NS, filter=wanted, query="1")) == ["b"]
