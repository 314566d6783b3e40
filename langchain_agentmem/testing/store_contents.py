"""What a store keeps: values, batches, order, pages, namespaces and filters, through the plain methods of a store."""

from __future__ import annotations

from datetime import UTC
from typing import Any, Final

import pytest
from langgraph.store.base import BaseStore, GetOp, ListNamespacesOp, PutOp, SearchOp

from langchain_agentmem.testing.laws import Call, Laws, StillClock, keys, law

NS: Final = ("memories", "alice")


class StoreContents(Laws):
    """Laws of what is put, got, searched and listed. A subclass has a fixture `store`: empty, on the `clock`."""

    # ----------------------------------------------------------------------------------------------------------- values
    @law
    async def test_a_value_comes_back_as_it_was_put(self, store: BaseStore, call: Call) -> None:
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

    @law
    async def test_what_is_not_there_is_none(self, store: BaseStore, call: Call) -> None:
        """A key, a namespace, and the parent of a namespace that nobody put anything in have no item."""
        await call(store, "put", NS, "a", {"n": 1})
        for namespace, key in ((NS, "b"), (("memories",), "a"), (("other",), "a"), ((), "a")):
            assert await call(store, "get", namespace, key) is None

    @law
    async def test_an_update_keeps_the_time_of_creation(self, store: BaseStore, clock: StillClock, call: Call) -> None:
        """Times are aware, in UTC, exact to the microsecond; an update changes the value and the later one of them."""
        created = clock.now
        await call(store, "put", NS, "a", {"n": 1, "old": True})
        clock.forward(micros=1)
        await call(store, "put", NS, "a", {"n": 2})
        item = await call(store, "get", NS, "a")
        assert (item.value, item.created_at, item.updated_at) == ({"n": 2}, created, clock.now)
        assert item.created_at.tzinfo is UTC

    @law
    async def test_a_value_belongs_to_whoever_has_it(self, store: BaseStore, call: Call) -> None:
        """Changing what was put or what was read changes nothing that is stored."""
        value = {"list": [1]}
        await call(store, "put", NS, "a", value)
        value["list"].append(2)
        (await call(store, "get", NS, "a")).value["list"].append(3)
        (await call(store, "search", NS))[0].value["list"].append(4)
        assert (await call(store, "get", NS, "a")).value == {"list": [1]}

    @law
    async def test_what_was_deleted_is_gone(self, store: BaseStore, call: Call) -> None:
        """A deleted item is not got, listed or named, and put again it is a new one; deleting nothing is no error."""
        await call(store, "put", NS, "a", {"n": 1})
        for _ in range(2):
            await call(store, "delete", NS, "a")
        assert await call(store, "get", NS, "a") is None
        assert (await call(store, "search", ()), await call(store, "list_namespaces")) == ([], [])

    # ---------------------------------------------------------------------------------------------------------- batches
    @law
    async def test_a_batch_reads_before_it_writes(self, store: BaseStore, call: Call) -> None:
        """Reads of a batch see what was there before it, wherever its writes stand; results stand in their places."""
        await call(store, "put", NS, "a", {"n": 1})
        ops = [
            PutOp(NS, "a", {"n": 2}),
            GetOp(NS, "a"),
            PutOp(("new",), "b", {"n": 3}),
            SearchOp(("new",)),
            SearchOp(("new",), query="n"),
            ListNamespacesOp(),
            GetOp(NS, "none"),
        ]
        put, got, also_put, found, asked, names, none = await call(store, "batch", ops)
        assert (put, also_put, none, found, asked, names) == (None, None, None, [], [], [NS])
        assert got.value == {"n": 1}
        assert (await call(store, "get", NS, "a")).value == {"n": 2}

    @law
    async def test_the_last_of_several_writes_counts(self, store: BaseStore, call: Call) -> None:
        """Of writes to one key in one batch the last one counts, a deletion too."""
        await call(store, "put", NS, "gone", {"n": 0})
        ops = [PutOp(NS, "a", {"n": 1}), PutOp(NS, "a", None), PutOp(NS, "a", {"n": 2})]
        await call(
            store, "batch", [*ops, PutOp(NS, "gone", {"n": 1}), PutOp(NS, "gone", None), PutOp(NS, "never", None)]
        )
        assert [(item.key, item.value) for item in await call(store, "search", NS)] == [("a", {"n": 2})]

    @law
    async def test_a_batch_that_cannot_be_written_writes_nothing(self, store: BaseStore, call: Call) -> None:
        """One operation that cannot work keeps all of them from being done, with a `ValueError` or `TypeError`."""
        ops = [PutOp(NS, "a", {"n": 1}), PutOp(NS, "b", {"when": object()})]
        with pytest.raises((TypeError, ValueError)):
            await call(store, "batch", ops)
        assert await call(store, "search", ()) == []

    @law
    async def test_an_empty_batch_is_no_work(self, store: BaseStore, call: Call) -> None:
        """Nothing is answered to no question."""
        assert await call(store, "batch", []) == []

    @law
    async def test_a_large_batch_is_whole(self, store: BaseStore, call: Call) -> None:
        """A thousand items of several namespaces are put and deleted in one batch each."""
        places = [((f"n{number % 7}",), str(number)) for number in range(1_000)]
        await call(store, "batch", [PutOp(*place, {"n": 1}) for place in places])
        assert len(await call(store, "search", (), limit=10**6)) == 1_000
        await call(store, "batch", [PutOp(*place, None) for place in places])
        assert await call(store, "list_namespaces") == []

    # -------------------------------------------------------------------------------------------------- order and pages
    @law
    async def test_the_latest_comes_first(self, store: BaseStore, clock: StillClock, call: Call) -> None:
        """Without a query items come by their last change, the latest first, then by namespace and by key."""
        for namespace, key in ((("b",), "1"), (("a",), "2"), (("a",), "1"), (("a", "x"), "0")):
            await call(store, "put", namespace, key, {"n": 1})
        clock.forward(micros=1)
        await call(store, "put", ("c",), "9", {"n": 1})
        clock.forward(micros=1)
        await call(store, "put", ("a",), "2", {"n": 2})
        found = [(item.namespace, item.key) for item in await call(store, "search", ())]
        assert found == [(("a",), "2"), (("c",), "9"), (("a",), "1"), (("a", "x"), "0"), (("b",), "1")]

    @pytest.mark.parametrize("asked", [{}, {"filter": {"even": True}}, {"query": "even", "filter": {"even": True}}])
    @law
    async def test_pages_are_exact(self, store: BaseStore, call: Call, asked: dict[str, Any]) -> None:
        """Limit and offset count what filter and query leave, and nothing else; together the pages are the whole."""
        puts = [PutOp(NS, f"{n:02}", {"even": not n % 2, "text": "odd" if n % 2 else "even"}) for n in range(30)]
        await call(store, "batch", puts)
        whole = keys(await call(store, "search", NS, limit=100, **asked))
        assert len(whole) == (15 if asked else 30)
        pages = [keys(await call(store, "search", NS, limit=4, offset=at, **asked)) for at in range(0, 32, 4)]
        assert [key for page in pages for key in page] == whole
        assert await call(store, "search", NS, limit=0, **asked) == []
        assert await call(store, "search", NS, offset=10**9, **asked) == []

    @law
    async def test_a_filter_finds_what_many_others_hide(self, store: BaseStore, call: Call) -> None:
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
    @law
    async def test_any_limit_and_offset_will_do(
        self, store: BaseStore, call: Call, asked: dict[str, Any], limit: int
    ) -> None:
        """However many items are asked for, and however many passed over, the answer is what there is of them."""
        await call(store, "batch", [PutOp(NS, str(n), {"n": n, "even": True, "text": "even"}) for n in range(7)])
        there = 1 if "n" in asked.get("filter", {}) else 7
        assert len(await call(store, "search", NS, limit=limit, **asked)) == min(limit, there)
        assert await call(store, "search", NS, limit=limit, offset=10**6, **asked) == []
        assert await call(store, "search", NS, limit=limit, offset=10**12, **asked) == []

    # ---------------------------------------------------------------------------------------------------------- filters
    @law
    async def test_every_operator_compares(self, store: BaseStore, call: Call) -> None:
        """Values are equal as in JSON, numbers have an order, all conditions count, and what is missing is null."""
        await call(store, "batch", [PutOp(NS, str(n), {"n": n, "odd": n % 2 == 1, "in": {"n": n}}) for n in range(5)])
        asked: list[tuple[dict[str, Any], str]] = [
            ({"n": 3}, "3"),
            ({"n": {"$eq": 3.0}}, "3"),
            ({"n": {"$ne": 3}}, "0124"),
            ({"n": {"$gt": 3}}, "4"),
            ({"n": {"$gte": 3}}, "34"),
            ({"n": {"$lt": 1.5}}, "01"),
            ({"n": {"$lte": 1}}, "01"),
            ({"n": {"$gt": 1, "$lt": 4}}, "23"),
            ({"n": {"$gt": 1}, "odd": True}, "3"),
            ({"in": {"n": 2}}, "2"),
            ({"n": "3"}, ""),
            ({"missing": 3}, ""),
            ({"missing": None, "n": 0}, "0"),
            ({"missing": {"$ne": 3}, "n": {"$lt": 1}}, "0"),
        ]
        for wanted, found in asked:
            assert sorted(keys(await call(store, "search", NS, filter=wanted))) == list(found), wanted

    @pytest.mark.parametrize("key", ["n') OR 1=1 --", "$.n", "a.b", "n'] || '", "%", ""])
    @law
    async def test_a_filter_key_is_data(self, store: BaseStore, call: Call, key: str) -> None:
        """Whatever a filter's key says, it is compared with the keys of values and becomes part of nothing."""
        await call(store, "put", NS, "a", {"n": 1})
        assert await call(store, "search", NS, filter={key: 1}) == []
        await call(store, "put", NS, "b", {key: 1, "said": key})
        for wanted in ({key: 1}, {"said": key}, {"said": {"$eq": key}, key: {"$gte": 1}}):
            assert keys(await call(store, "search", NS, filter=wanted)) == ["b"]
        assert await call(store, "search", NS, filter={"said": f"{key} "}) == []

    # ------------------------------------------------------------------------------------------------------- namespaces
    @law
    async def test_a_prefix_is_made_of_whole_labels(self, store: BaseStore, call: Call) -> None:
        """A search sees the namespace it names and what is below it, and no other that begins with the same letters."""
        names = [("u1",), ("u1", "a"), ("u1", "a", "b"), ("u10",), ("u",), ("U1",), ("x", "u1"), ("u1\x01",), ("u1/",)]
        await call(store, "batch", [PutOp(name, "k", {"n": 1}) for name in names])
        seen = {item.namespace for item in await call(store, "search", ("u1",), limit=100)}
        assert seen == {("u1",), ("u1", "a"), ("u1", "a", "b")}
        assert len(await call(store, "search", (), limit=100)) == len(names)

    @law
    async def test_namespaces_are_listed_by_how_they_begin_and_end(self, store: BaseStore, call: Call) -> None:
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
