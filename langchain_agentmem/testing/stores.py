"""The store suite: what whatever keeps namespaces for LangGraph has to promise.

Subclass `StoreSuite` in a test module run by pytest, and give it a fixture `store` with an empty store, whose clock is
the fixture `clock` that the suite has:

```python
import pytest

from langchain_agentmem import SQLStore
from langchain_agentmem.testing import StoreSuite


class TestStore(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path, clock):
        with SQLStore.from_url(f"sqlite:///{tmp_path / 'store.db'}", clock=clock) as store:
            yield store
```

`StoreContents` has the laws of values, batches, order, pages, namespaces and filters, `StoreLifetimes` those of expiry,
which a store without times to live does not inherit, and `StoreIsolation` those of who sees what.

For the last, a crowd of namespaces whose labels are prefixes, case variants, wildcards, look-alikes or other spellings
of each other shares the store, and the label stands at the beginning, in the middle and at the end of a namespace. One
more law is about users of several tenants who share a template, such as `("memories", "{user_id}")`; for a store that
fills no templates, set `runs = ()`. Every law is run through the blocking methods and through the awaited ones.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Literal, TypeAlias, get_args

from langchain_core.runnables import RunnableLambda
from langgraph.store.base import BaseStore

from langchain_agentmem.testing.laws import Colour, Laws, parametrize
from langchain_agentmem.testing.leaks import FAMILIES
from langchain_agentmem.testing.store_contents import StoreContents
from langchain_agentmem.testing.store_lifetimes import StoreLifetimes

Place: TypeAlias = Literal["first", "middle", "last"]
Namespace: TypeAlias = tuple[str, ...]

PLACES: Final[tuple[Place, ...]] = get_args(Place)
RUNS: Final[tuple[Mapping[str, str], ...]] = (
    {"user_id": "alice", "thread_id": "b-c"},
    {"user_id": "alice", "thread_id": "b-c", "tenant_id": "acme"},
    {"user_id": "alice", "thread_id": "b-c", "tenant_id": "globex"},
    {"user_id": "alice-b", "thread_id": "c", "tenant_id": "globex"},
)
"""What `configurable` says in runs that fill the label of a shared template alike."""

_SHARED_LABEL: Final = "{user_id}-{thread_id}"
_DOT: Final = "."  # no label of LangGraph holds one
_ALL: Final = 1_000


class _Crowd:
    """Namespaces that must not see each other, each with one item of its own under the same key.

    Args:
        store: What is tested.
        colour: Whether its methods are called or awaited.
        place: Where the labels differ.
    """

    def __init__(self, store: BaseStore, colour: Colour, place: Place) -> None:
        """Nothing is put yet."""
        self._store = store
        self._colour = colour
        self.shared = _namespace(place, _SHARED_LABEL)
        labels = [label for family in FAMILIES for label in family if _DOT not in label]
        self.namespaces: list[Namespace] = [_namespace(place, label) for label in labels]

    async def call(self, name: str, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (what the method returns)
        """Call a method in this crowd's colour."""
        if self._colour == "sync":
            return getattr(self._store, name)(*args, **kwargs)
        return await getattr(self._store, f"a{name}")(*args, **kwargs)

    async def call_as(self, configurable: Mapping[str, str], name: str, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (as above)
        """Call a method inside a run."""

        async def call(_: None) -> Any:  # noqa: ANN401  (as above)
            return await self.call(name, *args, **kwargs)

        return await RunnableLambda(call).ainvoke(None, {"configurable": dict(configurable)})

    async def gather(self) -> None:
        """Put the same words everywhere, and whose they are."""
        for number, namespace in enumerate(self.namespaces):
            value = {"content": "The rehearsal is in the hall", "number": number}
            await self.call("put", namespace, "rehearsal", value)

    async def numbers(self, namespace: Namespace, **asked: Any) -> list[int]:
        """Return whose items a search finds."""
        found = await self.call("search", namespace, limit=_ALL, **asked)
        return [item.value["number"] for item in found]


class StoreIsolation(Laws):
    """Laws of isolation and non-interference of a store; see the module's text for how to run them.

    Attributes:
        places: Where in a namespace labels differ.
        runs: What `configurable` says in runs that share a template; none for a store that fills no templates.
    """

    places: tuple[Place, ...] = PLACES
    runs: tuple[Mapping[str, str], ...] = RUNS

    def pytest_generate_tests(self, metafunc: Any) -> None:  # noqa: ANN401  (pytest's own class; it is not imported)
        """Run each law in both colours, and for labels in every place."""
        super().pytest_generate_tests(metafunc)
        parametrize(metafunc, "place", metafunc.cls.places)

    def test_reads_stay_inside(self, store: BaseStore, colour: Colour, place: Place) -> None:
        """A namespace gets, lists and finds its own item and no other's."""
        _run(store, colour, place, self._reads)

    async def _reads(self, crowd: _Crowd) -> None:
        for number, namespace in enumerate(crowd.namespaces):
            item = await crowd.call("get", namespace, "rehearsal")
            assert item.value["number"] == number, f"get() of {namespace!r}"
            assert await crowd.numbers(namespace) == [number], f"search() of {namespace!r}"
            assert await crowd.numbers(namespace, query="rehearsal hall") == [number], f"a query of {namespace!r}"
            mine = await crowd.numbers(namespace, filter={"number": number})
            assert mine == [number], f"a filter of {namespace!r}"
            mine = await crowd.numbers(namespace, query="rehearsal hall", filter={"number": number})
            assert mine == [number], f"a query with a filter of {namespace!r}"
            others = await crowd.numbers(namespace, filter={"number": {"$ne": number}})
            assert others == [], f"a filter of {namespace!r} for others' items"

    def test_names_stay_inside(self, store: BaseStore, colour: Colour, place: Place) -> None:
        """Namespaces are listed as they were named, and below a prefix only those that begin with its labels."""
        _run(store, colour, place, self._names)

    async def _names(self, crowd: _Crowd) -> None:
        everything = await crowd.call("list_namespaces", limit=_ALL)
        assert sorted(everything) == sorted(crowd.namespaces), "all namespaces"
        for namespace in crowd.namespaces:
            if "*" not in namespace:  # there, it stands for any label
                found = await crowd.call("list_namespaces", prefix=namespace, limit=_ALL)
                assert found == [namespace], f"namespaces that begin with {namespace!r}"

    def test_deletes_stay_inside(self, store: BaseStore, colour: Colour, place: Place) -> None:
        """What one namespace deletes, the others keep."""
        _run(store, colour, place, self._deletes)

    async def _deletes(self, crowd: _Crowd) -> None:
        for namespace in crowd.namespaces[::2]:
            await crowd.call("delete", namespace, "rehearsal")
        for number, namespace in enumerate(crowd.namespaces):
            wanted = [number] if number % 2 else []
            assert await crowd.numbers(namespace) == wanted, f"search() of {namespace!r} after others deleted"
            found = await crowd.numbers(namespace, query="rehearsal hall")
            assert found == wanted, f"a query of {namespace!r} after others deleted"

    def test_scores_stay_inside(self, store: BaseStore, colour: Colour, place: Place) -> None:
        """What others put moves neither order nor scores, not in the last digit."""
        _run(store, colour, place, self._scores)

    async def _scores(self, crowd: _Crowd) -> None:
        own = crowd.namespaces[0]
        for number, hall in enumerate(("the amber hall", "the hall of the park", "a rehearsal hall", "the park")):
            await crowd.call("put", own, f"place {number}", {"content": f"It is in {hall}", "number": number})
        before = await _ranking(crowd, own)
        for namespace in crowd.namespaces[1:]:
            for number in range(3):
                value = {"content": "hall amber park rehearsal " * number, "number": number}
                await crowd.call("put", namespace, f"noise {number}", value)
        assert await _ranking(crowd, own) == before, f"ranking of {own!r} after others put"

    def test_runs_stay_inside(self, store: BaseStore, colour: Colour, place: Place) -> None:
        """What one run keeps under a template, no run of another user or tenant gets, finds, lists or deletes."""
        _run(store, colour, place, self._shared_templates)

    async def _shared_templates(self, crowd: _Crowd) -> None:
        shared = crowd.shared
        asked: list[tuple[str, tuple[Any, ...], dict[str, Any], Any]] = [
            ("get", (shared, "rehearsal"), {}, None),
            ("search", (shared,), {}, []),
            ("search", (shared,), {"query": "rehearsal hall"}, []),
            ("search", (shared,), {"filter": {"number": 0}}, []),
            ("list_namespaces", (), {"prefix": shared}, []),
            ("delete", (shared, "rehearsal"), {}, None),
        ]
        for own in self.runs:
            value = {"content": "The rehearsal is in the hall", "number": 0}
            await crowd.call_as(own, "put", shared, "rehearsal", value)
            for other in self.runs:
                for name, args, named, wanted in asked if other != own else ():
                    found = await crowd.call_as(other, name, *args, **named)
                    assert found == wanted, f"{name}() of {shared!r} in the run {other!r}, where {own!r} put"
            item = await crowd.call_as(own, "get", shared, "rehearsal")
            assert (item and item.value) == value, f"get() of {shared!r} in the run {own!r} after others deleted"
            await crowd.call_as(own, "delete", shared, "rehearsal")
        await self._all_at_once(crowd)

    async def _all_at_once(self, crowd: _Crowd) -> None:
        """Let all runs keep something under the template, whose name is then several users'."""
        for number, own in enumerate(self.runs):
            value = {"content": "The rehearsal is in the hall", "number": number}
            await crowd.call_as(own, "put", crowd.shared, "rehearsal", value)
        for number, own in enumerate(self.runs):
            item = await crowd.call_as(own, "get", crowd.shared, "rehearsal")
            assert item.value["number"] == number, f"get() in the run {own!r}"
            for asked in ({}, {"query": "rehearsal hall"}, {"filter": {"content": "The rehearsal is in the hall"}}):
                found = await crowd.call_as(own, "search", crowd.shared, **asked)
                assert [it.value["number"] for it in found] == [number], f"search() with {asked!r} in the run {own!r}"
        for own in self.runs[::2]:
            await crowd.call_as(own, "delete", crowd.shared, "rehearsal")
        for number, own in enumerate(self.runs):
            item = await crowd.call_as(own, "get", crowd.shared, "rehearsal")
            wanted = number if number % 2 else None
            assert (item and item.value["number"]) == wanted, f"get() in the run {own!r} after others deleted"


class StoreSuite(StoreIsolation, StoreContents, StoreLifetimes):
    """Everything a LangGraph store promises; see the module's text for how to run it."""


def _namespace(place: Place, label: str) -> Namespace:
    if place == "first":
        return (label, "memories")
    return ("memories", label, "facts") if place == "middle" else ("memories", label)


def _run(store: BaseStore, colour: Colour, place: Place, law: Callable[[_Crowd], Awaitable[None]]) -> None:
    async def gather_and_judge() -> None:
        crowd = _Crowd(store, colour, place)
        await crowd.gather()
        await law(crowd)

    asyncio.run(gather_and_judge())


async def _ranking(crowd: _Crowd, namespace: Namespace) -> list[list[tuple[str, float | None]]]:
    found = [await crowd.call("search", namespace, query=text, limit=_ALL) for text in ("amber hall", "rehearsal")]
    return [[(item.key, item.score) for item in items] for items in found]
