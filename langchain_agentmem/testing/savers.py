"""The saver suite: what whatever keeps LangGraph's checkpoints has to promise.

Subclass `SaverSuite` in a test module run by pytest, and give it a fixture `saver` with an empty checkpointer:

```python
import pytest

from langchain_agentmem import SQLSaver
from langchain_agentmem.testing import SaverSuite


class TestSaver(SaverSuite):
    @pytest.fixture
    def saver(self, tmp_path):
        with SQLSaver.from_url(f"sqlite:///{tmp_path / 'threads.db'}") as saver:
            yield saver
```

Every law is run through the blocking methods and through the awaited ones. Where `langgraph-checkpoint-conformance` is
installed, LangGraph's own suite is one of the laws, and judges both colours too: the blocking methods through a bridge.
Copies of threads and histories of delta channels are capabilities that LangGraph leaves to a checkpointer; one without
them leaves out their laws by name: `test_a_copy_is_whole_and_its_own = None`.
"""

from __future__ import annotations

import asyncio
import copy
import importlib.util
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint, CheckpointTuple, empty_checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.serde.types import ERROR, _DeltaSnapshot

from langchain_agentmem.testing.laws import Call, Laws, law
from langchain_agentmem.testing.leaks import FAMILIES

Saver: TypeAlias = BaseCheckpointSaver[Any]

METHODS: Final = (
    "put put_writes get_tuple delete_thread delete_for_runs copy_thread prune get_delta_channel_history".split()
)
CONFORMANCE: Final = "langgraph.checkpoint.conformance"


class _Bridge:
    """The awaitable methods run the blocking ones in a thread, so that a suite for one colour judges the other."""

    async def alist(self, *args: Any, **kwargs: Any) -> AsyncIterator[CheckpointTuple]:
        """List in a thread."""
        for found in await asyncio.to_thread(lambda: list(self.list(*args, **kwargs))):  # type: ignore[attr-defined]  # mixed in
            yield found


def _bridged(name: str) -> Callable[..., Any]:
    async def awaitable(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (any method of a saver)
        return await asyncio.to_thread(getattr(self, name), *args, **kwargs)

    return awaitable


for _name in METHODS:
    setattr(_Bridge, f"a{_name}", _bridged(_name))


def bridged(saver: Saver) -> Saver:
    """Let the awaitable methods of a checkpointer run its blocking ones; what it cannot do it still cannot."""
    base, own = BaseCheckpointSaver, type(saver)
    methods = {
        name: method
        for name, method in vars(_Bridge).items()
        if callable(method) and getattr(own, name[1:]) is not getattr(base, name[1:])
    }
    saver.__class__ = type("Bridged", (type(saver),), methods)
    return saver


def config_of(thread_id: str = "t", ns: str = "", checkpoint_id: str | None = None, **more: Any) -> RunnableConfig:
    """Return where a checkpoint is."""
    place: dict[str, Any] = {"thread_id": thread_id, "checkpoint_ns": ns, **more}
    return {"configurable": place | ({"checkpoint_id": checkpoint_id} if checkpoint_id else {})}


def made(values: dict[str, Any] | None = None, versions: dict[str, Any] | None = None) -> Checkpoint:
    """Return a new checkpoint with some values."""
    values = values or {}
    return {
        **empty_checkpoint(),
        "id": str(uuid6()),
        "channel_values": values,
        "channel_versions": versions if versions is not None else dict.fromkeys(values, "1"),
    }


async def listed(call: Call, saver: Saver, *args: Any, **kwargs: Any) -> list[CheckpointTuple]:
    """Return what a listing yields."""
    if call.colour == "sync":
        return list(saver.list(*args, **kwargs))
    return [found async for found in saver.alist(*args, **kwargs)]


async def conformance(make: Callable[[], Saver], call: Call) -> Any:  # noqa: ANN401  (a package that may not be there)
    """Hold checkpointers to LangGraph's own suite, and return its report.

    Raises:
        ImportError: `langgraph-checkpoint-conformance` is not installed.
    """
    suite = importlib.import_module(CONFORMANCE)

    async def saver() -> AsyncGenerator[Saver, None]:
        made = make()
        yield bridged(made) if call.colour == "sync" else made

    return await suite.validate(suite.checkpointer_test(name="tested")(saver))


def failures_of(report: Any) -> dict[str, Any]:  # noqa: ANN401  (as above)
    """Return what failed, by capability."""
    return {name: result.failures for name, result in report.results.items() if result.failures}


class SaverSuite(Laws):
    """Laws of a checkpointer; see the module's text for how to run them."""

    if importlib.util.find_spec(CONFORMANCE) is not None:

        @law
        async def test_langgraphs_suite_passes(self, saver: Saver, call: Call) -> None:
            """It finds everything that every checkpointer can, and of the rest whatever there is, right."""
            report = await conformance(lambda: saver, call)
            assert failures_of(report) == {}
            assert report.passed_all_base()

    # ------------------------------------------------------------------------------------------------------- isolation
    @law
    async def test_look_alike_threads_never_mix(self, saver: Saver, call: Call) -> None:
        """Prefixes, cases, wildcards, separators and look-alike letters are other threads, to read, list and delete."""
        names = [name for family in FAMILIES for name in family]
        for place, name in enumerate(names):
            config = await call(saver, "put", config_of(name), made({"a": place}), {"who": name}, {"a": "1"})
            await call(saver, "put_writes", config, [("x", place)], "task")
        for name in names[::2]:
            await call(saver, "delete_thread", name)
        for place, name in enumerate(names):
            found = await listed(call, saver, config_of(name))
            whole = [(it.checkpoint["channel_values"]["a"], it.pending_writes) for it in found]
            assert whole == ([(place, [("task", "x", place)])] if place % 2 else []), name
            assert (await call(saver, "get_tuple", config_of(name)) is None) == (not place % 2), name

    # ---------------------------------------------------------------------------------------------------------- content
    @law
    async def test_what_was_put_comes_back(self, saver: Saver, call: Call) -> None:
        """Values of any JSON-like kind, messages, and snapshots are equal when they are read."""
        values = {
            "messages": [HumanMessage("hi", id="1"), AIMessage("x" * 5_000, id="2", tool_calls=[])],
            "data": {"a": [1, 2.5, None, True, {"b": "é"}], "t": datetime(2026, 1, 1, tzinfo=UTC)},
            "big": "y" * 10_000,
            "raw": b"\xc1\x00",
            "none": None,
            "docs": [{"k": "v" * 100}, {}],
            "snapshot": _DeltaSnapshot([HumanMessage("s", id="3")]),
            "__start__": {"messages": [HumanMessage("no id")]},
        }
        stored = await call(saver, "put", config_of(), made(values), {"step": 1}, dict.fromkeys(values, "1"))
        found = await call(saver, "get_tuple", stored)
        assert found.checkpoint["channel_values"] == values

    @law
    async def test_what_the_caller_changes_stays_the_callers(self, saver: Saver, call: Call) -> None:
        """Neither what was put nor what was read is connected to what is stored."""
        values: dict[str, Any] = {"messages": [HumanMessage("hi", id="1")], "data": {"a": [1]}}
        kept = copy.deepcopy(values)
        await call(saver, "put", config_of(), made(values), {"parents": {}}, dict.fromkeys(values, "1"))
        values["data"]["a"].append(2)
        found = await call(saver, "get_tuple", config_of())
        found.checkpoint["channel_values"]["messages"][0].content = "changed"
        found.checkpoint["channel_versions"].clear()
        found.metadata["parents"]["x"] = "y"
        again = await call(saver, "get_tuple", config_of())
        assert (again.checkpoint["channel_values"], again.metadata["parents"]) == (kept, {})

    @law
    async def test_versions_are_those_of_the_put(self, saver: Saver, call: Call) -> None:
        """What the caller does with its own dict of versions afterwards keeps no old value for a new one."""
        checkpoint = made({"a": "x" * 100})
        config = await call(saver, "put", config_of(), checkpoint, {}, {"a": "1"})
        checkpoint["channel_versions"]["a"] = "2"
        again = {**made({"a": "y" * 100}), "channel_versions": {"a": "2"}}
        await call(saver, "put", config, again, {}, {"a": "2"})
        assert (await call(saver, "get_tuple", config_of())).checkpoint["channel_values"] == {"a": "y" * 100}

    @law
    async def test_a_channel_that_became_empty_is_empty(self, saver: Saver, call: Call) -> None:
        """A new version without a value is none, whatever the parent held."""
        first = await call(saver, "put", config_of(), made({"a": 1}), {}, {"a": "1"})
        second = await call(saver, "put", first, made({}, {"a": "2"}), {}, {"a": "2"})
        assert (await call(saver, "get_tuple", second)).checkpoint["channel_values"] == {}

    # ----------------------------------------------------------------------------------------------------------- writes
    @law
    async def test_writes_come_in_the_order_of_a_run(self, saver: Saver, call: Call) -> None:
        """By path, task and place in the task."""
        stored = await call(saver, "put", config_of(), made(), {}, {})
        for task, path in (("b", "~1"), ("a", "~2"), ("c", "")):
            await call(saver, "put_writes", stored, [("x", task), ("y", task)], task, path)
        found = await call(saver, "get_tuple", config_of())
        assert [write[0] for write in found.pending_writes] == ["c", "c", "b", "b", "a", "a"]

    @law
    async def test_a_write_is_kept_and_an_error_replaced(self, saver: Saver, call: Call) -> None:
        """A task that is repeated changes nothing it wrote, but what LangGraph notes of it."""
        stored = await call(saver, "put", config_of(), made(), {}, {})
        for value in ("first", "second"):
            await call(saver, "put_writes", stored, [("x", value)], "task")
            await call(saver, "put_writes", stored, [(ERROR, value)], "task")
        found = await call(saver, "get_tuple", config_of())
        assert {(channel, value) for _, channel, value in found.pending_writes} == {("x", "first"), (ERROR, "second")}

    @law
    async def test_writes_may_come_before_their_checkpoint(self, saver: Saver, call: Call) -> None:
        """They are there when the checkpoint is."""
        checkpoint = made()
        await call(saver, "put_writes", config_of(checkpoint_id=checkpoint["id"]), [("x", 1)], "task")
        assert await call(saver, "get_tuple", config_of()) is None
        await call(saver, "put", config_of(), checkpoint, {}, {})
        assert (await call(saver, "get_tuple", config_of())).pending_writes == [("task", "x", 1)]

    # ------------------------------------------------------------------------------------------------------------ lists
    @law
    async def test_a_listing_of_many_pages_is_whole(self, saver: Saver, call: Call) -> None:
        """Every checkpoint of every thread is listed once, newest first within its namespace."""
        for place in range(130):
            where, versions = config_of(f"t{place % 2}", "n" * (place % 3)), {"a": f"{place:03}"}
            await call(saver, "put", where, made({"a": place}, versions), {}, versions)
        found = await listed(call, saver, None)
        assert sorted(it.checkpoint["channel_values"]["a"] for it in found) == list(range(130))
        by_namespace: dict[tuple[str, str], list[str]] = {}
        for it in found:
            of = it.config["configurable"]
            by_namespace.setdefault((of["thread_id"], of["checkpoint_ns"]), []).append(it.checkpoint["id"])
        assert all(ids == sorted(ids, reverse=True) for ids in by_namespace.values())

    @law
    async def test_a_filter_is_exact(self, saver: Saver, call: Call) -> None:
        """Metadata is compared as values, nested ones too, and a key that is missing matches nothing."""
        for place, user in enumerate(["a", "ab", "a%", "A"]):
            await call(saver, "put", config_of(user), made(), {"who": user, "deep": {"n": [place]}}, {})
        for wanted in ({"who": "a"}, {"deep": {"n": [0]}}, {"who": "a", "deep": {"n": [0]}}):
            assert len(await listed(call, saver, None, filter=wanted)) == 1
        assert await listed(call, saver, None, filter={"nothing": "a"}) == []
        assert await listed(call, saver, None, filter={"who": "a' OR 1=1 --", "x') --": 1}) == []

    # ---------------------------------------------------------------------------------------------------- delta history
    @law
    async def test_a_history_collects_what_ancestors_wrote(self, saver: Saver, call: Call) -> None:
        """Oldest first from the nearest stored value on, of that branch alone, without the target's own writes."""
        config, stored = config_of(), []
        for place in range(9):
            values: dict[str, Any] = {"d": _DeltaSnapshot(["seed"])} if place == 2 else {}
            config = await call(saver, "put", config, made(values, {"d": str(place)}), {}, {"d": str(place)})
            await call(saver, "put_writes", config, [("d", place), ("other", place)], "task")
            stored.append(config)
        fork = await call(saver, "put", stored[4], made({}, {"d": "f"}), {}, {"d": "f"})
        found = await call(saver, "get_delta_channel_history", config=stored[-1], channels=["d", "never"])
        assert [value for *_, value in found["d"]["writes"]] == [2, 3, 4, 5, 6, 7]
        assert found["d"]["seed"] == _DeltaSnapshot(["seed"])
        assert "seed" not in found["never"]
        branch = await call(saver, "get_delta_channel_history", config=fork, channels=["d"])
        assert [value for *_, value in branch["d"]["writes"]] == [2, 3, 4]

    @law
    async def test_a_history_is_found_across_many_pages(self, saver: Saver, call: Call) -> None:
        """However far the root is, and though checkpoints of other branches stand between."""
        config = config_of()
        for place in range(120):
            config = await call(saver, "put", config, made({}, {"d": str(place)}), {}, {"d": str(place)})
            await call(saver, "put_writes", config, [("d", place)], "task")
            if place % 40 == 0:
                await call(saver, "put", config_of(), made(), {}, {})
        found = await call(saver, "get_delta_channel_history", config=config, channels=["d"])
        assert [value for *_, value in found["d"]["writes"]] == list(range(119))
        assert await call(saver, "get_delta_channel_history", config=config, channels=[]) == {}

    @law
    async def test_a_history_of_nothing_is_empty(self, saver: Saver, call: Call) -> None:
        """A thread that is not there wrote nothing."""
        assert await call(saver, "get_delta_channel_history", config=config_of(), channels=["d"]) == {
            "d": {"writes": []}
        }

    # -------------------------------------------------------------------------------------------------- whole threads
    @law
    async def test_a_copy_is_whole_and_its_own(self, saver: Saver, call: Call) -> None:
        """Checkpoints, parents and writes are the same, and what happens to one does not happen to the other."""
        config = config_of()
        for place in range(3):
            values = {"messages": [HumanMessage("x" * 100, id=str(n)) for n in range(place + 1)]}
            config = await call(saver, "put", config, made(values, {"messages": str(place)}), {}, {"messages": "n"})
            await call(saver, "put_writes", config, [("messages", values["messages"])], "task", "~path")
        await call(saver, "copy_thread", "t", "u")
        before, after = [await listed(call, saver, config_of(it)) for it in ("t", "u")]
        assert [it[1:3] + it[4:] for it in before] == [it[1:3] + it[4:] for it in after]
        await call(saver, "delete_thread", "t")
        assert await listed(call, saver, config_of("t")) == []
        assert await listed(call, saver, config_of("u")) == after
