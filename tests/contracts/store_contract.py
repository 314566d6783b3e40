"""What a store of LangGraph's promises without a query: values, batches, order, namespaces, filters, times to live."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, PutOp, SearchOp

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.store.sql import SQLStore
from tests.conftest import Call
from tests.stores import Open, StillClock, keys

NS = ("memories", "alice")


class StoreContract:
    """A subclass has a fixture `open_store`."""

    @pytest.fixture
    def clock(self) -> StillClock:
        return StillClock()

    @pytest.fixture
    def store(self, open_store: Open, clock: StillClock) -> SQLStore:
        return open_store(clock=clock)

    # -------------------------------------------------------------------------------------------------------- values
    async def test_a_value_comes_back_as_it_was_put(self, store: SQLStore, call: Call) -> None:
        """Whatever JSON can say comes back equal, with its key and namespace."""
        value = {
            "text": "naïve \U0001f375 \x00\ud800",
            "n": 1,
            "x": 1.5,
            "b": True,
            "none": None,
            "deep": [{"a": [1, "2"]}],
        }
        await call(store, "put", NS, "a key\n'; --", value)
        item = await call(store, "get", NS, "a key\n'; --")
        assert (item.value, item.key, item.namespace) == (value, "a key\n'; --", NS)

    async def test_what_is_not_there_is_none(self, store: SQLStore, call: Call) -> None:
        """A key, a namespace, and the parent of a namespace that nobody put anything in have no item."""
        await call(store, "put", NS, "a", {"n": 1})
        for namespace, key in ((NS, "b"), (("memories",), "a"), (("other",), "a"), ((), "a")):
            assert await call(store, "get", namespace, key) is None

    async def test_an_update_keeps_the_time_of_creation(self, store: SQLStore, clock: StillClock, call: Call) -> None:
        """Times are aware, in UTC, exact to the microsecond; an update changes the value and the later one of them."""
        created = clock.now
        await call(store, "put", NS, "a", {"n": 1, "old": True})
        clock.forward(micros=1)
        await call(store, "put", NS, "a", {"n": 2})
        item = await call(store, "get", NS, "a")
        assert (item.value, item.created_at, item.updated_at) == ({"n": 2}, created, clock.now)
        assert item.created_at.tzinfo is UTC

    async def test_a_value_belongs_to_whoever_has_it(self, store: SQLStore, call: Call) -> None:
        """Changing what was put or what was read changes nothing that is stored."""
        value = {"list": [1]}
        await call(store, "put", NS, "a", value)
        value["list"].append(2)
        (await call(store, "get", NS, "a")).value["list"].append(3)
        (await call(store, "search", NS))[0].value["list"].append(4)
        assert (await call(store, "get", NS, "a")).value == {"list": [1]}

    async def test_what_was_deleted_is_gone(self, store: SQLStore, call: Call) -> None:
        """A deleted item is not got, listed or named, and put again it is a new one; deleting nothing is no error."""
        await call(store, "put", NS, "a", {"n": 1})
        for _ in range(2):
            await call(store, "delete", NS, "a")
        assert await call(store, "get", NS, "a") is None
        assert (await call(store, "search", ()), await call(store, "list_namespaces")) == ([], [])

    # -------------------------------------------------------------------------------------------------------- batches
    async def test_a_batch_reads_before_it_writes(self, store: SQLStore, call: Call) -> None:
        """Reads of a batch see what was there before it, wherever its writes stand; results stand in their places."""
        await call(store, "put", NS, "a", {"n": 1})
        ops = [
            PutOp(NS, "a", {"n": 2}),
            GetOp(NS, "a"),
            PutOp(("new",), "b", {"n": 3}),
            SearchOp(("new",)),
            SearchOp((), query="n"),
            ListNamespacesOp(),
            GetOp(NS, "none"),
        ]
        put, got, also_put, found, asked, names, none = await call(store, "batch", ops)
        assert (put, also_put, none, found, asked, names) == (None, None, None, [], [], [NS])
        assert got.value == {"n": 1}
        assert (await call(store, "get", NS, "a")).value == {"n": 2}

    async def test_the_last_of_several_writes_counts(self, store: SQLStore, call: Call) -> None:
        """Of writes to one key in one batch the last one counts, a deletion too."""
        await call(store, "put", NS, "gone", {"n": 0})
        ops = [PutOp(NS, "a", {"n": 1}), PutOp(NS, "a", None), PutOp(NS, "a", {"n": 2})]
        await call(
            store, "batch", [*ops, PutOp(NS, "gone", {"n": 1}), PutOp(NS, "gone", None), PutOp(NS, "never", None)]
        )
        assert [(item.key, item.value) for item in await call(store, "search", NS)] == [("a", {"n": 2})]

    async def test_a_batch_that_cannot_be_written_writes_nothing(self, store: SQLStore, call: Call) -> None:
        """One operation that cannot work keeps all of them from being done."""
        ops = [PutOp(NS, "a", {"n": 1}), PutOp(NS, "b", {"when": object()})]
        with pytest.raises(ConfigurationError, match="object"):
            await call(store, "batch", ops)
        assert await call(store, "search", ()) == []

    async def test_an_empty_batch_is_no_work(self, store: SQLStore, call: Call) -> None:
        """Nothing is answered to no question."""
        assert await call(store, "batch", []) == []

    async def test_a_large_batch_is_whole(self, store: SQLStore, call: Call) -> None:
        """A thousand items of several namespaces are put and deleted in one batch each."""
        places = [((f"n{number % 7}",), str(number)) for number in range(1_000)]
        await call(store, "batch", [PutOp(*place, {"n": 1}) for place in places])
        assert len(await call(store, "search", (), limit=10**6)) == 1_000
        await call(store, "batch", [PutOp(*place, None) for place in places])
        assert await call(store, "list_namespaces") == []

    # ------------------------------------------------------------------------------------------------ order and pages
    async def test_the_latest_comes_first(self, store: SQLStore, clock: StillClock, call: Call) -> None:
        """Without a query items come by their last change, the latest first, then by namespace and by key."""
        for namespace, key in ((("b",), "1"), (("a",), "2"), (("a",), "1"), (("a", "x"), "0")):
            await call(store, "put", namespace, key, {"n": 1})
        clock.forward(micros=1)
        await call(store, "put", ("c",), "9", {"n": 1})
        clock.forward(micros=1)
        await call(store, "put", ("a",), "2", {"n": 2})
        found = [(item.namespace, item.key) for item in await call(store, "search", ())]
        assert found == [(("a",), "2"), (("c",), "9"), (("a",), "1"), (("a", "x"), "0"), (("b",), "1")]

    @pytest.mark.parametrize("asked", [{}, {"filter": {"even": True}}, {"query": "even"}])
    async def test_pages_are_exact(self, store: SQLStore, call: Call, asked: dict[str, Any]) -> None:
        """Limit and offset count what filter and query leave, and nothing else; together the pages are the whole."""
        puts = [PutOp(NS, f"{n:02}", {"even": not n % 2, "text": "odd" if n % 2 else "even"}) for n in range(30)]
        await call(store, "batch", puts)
        whole = keys(await call(store, "search", NS, limit=100, **asked))
        assert len(whole) == (15 if asked else 30)
        pages = [keys(await call(store, "search", NS, limit=4, offset=at, **asked)) for at in range(0, 32, 4)]
        assert [key for page in pages for key in page] == whole
        assert await call(store, "search", NS, limit=0, **asked) == []
        assert await call(store, "search", NS, offset=10**9, **asked) == []

    async def test_a_filter_finds_what_many_others_hide(self, store: SQLStore, call: Call) -> None:
        """The limit is laid on after the filter, however rare what it lets through is."""
        await call(store, "batch", [PutOp((f"n{n % 2}",), str(n), {"n": n}) for n in range(700)])
        for namespace in ((), ("n1",)):
            found = await call(store, "search", namespace, filter={"n": {"$lt": 2}, "m": None}, limit=3)
            assert {item.value["n"] for item in found} == ({0, 1} if namespace == () else {1})
            for number in (1, 1.0):
                (item,) = await call(store, "search", namespace, filter={"n": number}, limit=3)
                assert item.value == {"n": 1}

    @pytest.mark.parametrize("asked", [{}, {"filter": {"even": True}}, {"filter": {"n": 5}}, {"query": "even"}])
    @pytest.mark.parametrize("limit", [0, 1, 10**6, 10**12])
    async def test_any_limit_and_offset_will_do(
        self, store: SQLStore, call: Call, asked: dict[str, Any], limit: int
    ) -> None:
        """However many items are asked for, and however many passed over, the answer is what there is of them."""
        await call(store, "batch", [PutOp(NS, str(n), {"n": n, "even": True, "text": "even"}) for n in range(7)])
        there = 1 if "n" in asked.get("filter", {}) else 7
        assert len(await call(store, "search", NS, limit=limit, **asked)) == min(limit, there)
        assert await call(store, "search", NS, limit=limit, offset=10**6, **asked) == []
        assert await call(store, "search", NS, limit=limit, offset=10**12, **asked) == []

    # ------------------------------------------------------------------------------------------------------ namespaces
    async def test_a_prefix_is_made_of_whole_labels(self, store: SQLStore, call: Call) -> None:
        """A search sees the namespace it names and what is below it, and no other that begins with the same letters."""
        names = [("u1",), ("u1", "a"), ("u1", "a", "b"), ("u10",), ("u",), ("U1",), ("x", "u1"), ("u1\x01",), ("u1/",)]
        await call(store, "batch", [PutOp(name, "k", {"n": 1}) for name in names])
        seen = {item.namespace for item in await call(store, "search", ("u1",), limit=100)}
        assert seen == {("u1",), ("u1", "a"), ("u1", "a", "b")}
        assert len(await call(store, "search", (), limit=100)) == len(names)

    async def test_namespaces_are_listed_by_how_they_begin_and_end(self, store: SQLStore, call: Call) -> None:
        """Prefix, suffix and wildcards choose, the depth cuts, each name comes once, in order, page by page."""
        names = [("a", "b", "c"), ("a", "b", "d"), ("a", "x", "c"), ("b", "c"), ("c",)]
        await call(store, "batch", [PutOp(name, "k", {"n": 1}) for name in reversed(names)])
        asked: list[tuple[dict[str, Any], list[tuple[str, ...]]]] = [
            ({}, names),
            ({"prefix": ("a",)}, names[:3]),
            ({"prefix": ("a", "*", "c")}, [names[0], names[2]]),
            ({"prefix": ("*", "c")}, [names[3]]),
            ({"suffix": ("c",)}, [names[0], names[2], names[3], names[4]]),
            ({"suffix": ("*", "c")}, [names[0], names[2], names[3]]),
            ({"prefix": ("a",), "suffix": ("d",)}, [names[1]]),
            ({"max_depth": 2}, [("a", "b"), ("a", "x"), ("b", "c"), ("c",)]),
            ({"max_depth": 1, "limit": 1, "offset": 1}, [("b",)]),
            ({"prefix": ("a", "b", "c", "d")}, []),
            ({"limit": 0}, []),
        ]
        for kwargs, wanted in asked:
            assert await call(store, "list_namespaces", **kwargs) == wanted, kwargs

    # ---------------------------------------------------------------------------------------------------- time to live
    async def test_an_item_expires_exactly(self, store: SQLStore, clock: StillClock, call: Call) -> None:
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
    async def test_a_read_lets_an_item_live_on(
        self, store: SQLStore, clock: StillClock, call: Call, asked: dict[str, Any] | None
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

    async def test_a_batch_that_writes_refreshes_too(self, store: SQLStore, clock: StillClock, call: Call) -> None:
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

    async def test_an_expired_item_is_put_anew(self, store: SQLStore, clock: StillClock, call: Call) -> None:
        """What is put where something has expired was created now; without a time to live it stays."""
        await call(store, "put", NS, "a", {"n": 1}, ttl=1)
        clock.forward(minutes=2)
        await call(store, "put", NS, "a", {"n": 2})
        clock.forward(minutes=10_000)
        assert await call(store, "sweep") == 0
        item = await call(store, "get", NS, "a")
        assert (item.value, item.created_at) == ({"n": 2}, item.updated_at)

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

    @pytest.mark.parametrize("key", ["n') OR 1=1 --", "$.n", "a.b", "n'] || '", "%", ""])
    async def test_a_filter_key_is_data(self, store: SQLStore, call: Call, key: str) -> None:
        """Whatever a filter's key says, it is compared with the keys of values and becomes part of nothing."""
        await call(store, "put", NS, "a", {"n": 1})
        assert await call(store, "search", NS, filter={key: 1}) == []
        await call(store, "put", NS, "b", {key: 1, "said": key})
        for wanted in ({key: 1}, {"said": key}, {"said": {"$eq": key}, key: {"$gte": 1}}):
            assert keys(await call(store, "search", NS, filter=wanted)) == ["b"]
            assert keys(await call(store, "search", NS, filter=wanted, query="1")) == ["b"]
        assert await call(store, "search", NS, filter={"said": f"{key} "}) == []
