"""What our checkpointers promise beside the public suite, wherever they store and in both colours."""

from __future__ import annotations

import asyncio
from collections import deque
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import Checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot

from langchain_agentmem._flow import Flow, run
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.checkpoints import keeping
from langchain_agentmem.checkpoints.strict import MAX_NESTED
from langchain_agentmem.errors import ConfigurationError, ConflictError, NotFoundError, ScopeError
from langchain_agentmem.testing.savers import config_of, conformance, failures_of, made
from langchain_agentmem.types import Scope
from tests.conftest import Call, Colour
from tests.paged import walked
from tests.savers import Open, listed

ALICE, BOB = Scope("alice"), Scope("bob")
SETTINGS: list[dict[str, Any]] = [{"ttl": timedelta(days=1), "refresh_on_read": True}, {"on_conflict": "fork"}]
BAD_THREADS = ["", "x" * 10_240, "a\0b", "\ud800", None, 1.5, b"t"]


class Opaque:
    """No serializer knows it."""


class SaverContract:
    """Laws of every checkpointer."""

    @pytest.fixture
    def saver(self, open_saver: Open) -> StoredSaver:
        return open_saver()

    # ----------------------------------------------------------------------------------------------------- conformance
    @pytest.mark.parametrize("settings", SETTINGS, ids=["ttl", "fork"])
    async def test_every_capability_conforms(self, open_saver: Open, call: Call, settings: dict[str, Any]) -> None:
        """LangGraph's suite detects every capability and passes it, whatever the settings."""
        report = await conformance(lambda: open_saver(**settings), call)
        assert failures_of(report) == {}
        assert all(result.passed and result.detected for result in report.results.values())

    # ---------------------------------------------------------------------------------------------------------- content
    async def test_an_unchanged_channel_keeps_its_value(self, saver: StoredSaver, call: Call) -> None:
        """A channel that is in no new version is taken over from the parent, also by another process."""
        first = await call(saver, "put", config_of(), made({"a": "x" * 100}), {}, {"a": "1"})
        saver._setting.cache.forget("t")
        child = {**made({}, {"a": "1", "b": "1"}), "channel_values": {"b": 1}}
        second = await call(saver, "put", first, child, {}, {"b": "1"})
        found = await call(saver, "get_tuple", second)
        assert found.checkpoint["channel_values"] == {"a": "x" * 100, "b": 1}

    async def test_versions_that_their_caller_changed_hide_no_value(self, saver: StoredSaver, call: Call) -> None:
        """Also where the next put does not say that it is new: a value that comes with another version is."""
        checkpoint = made({"a": "x" * 100})
        config = await call(saver, "put", config_of(), checkpoint, {}, {"a": "1"})
        checkpoint["channel_versions"]["a"] = "2"
        await call(saver, "put", config, {**made({"a": "y" * 100}), "channel_versions": {"a": "2"}}, {}, {})
        found = await call(saver, "get_tuple", config_of())
        assert found.checkpoint["channel_values"] == {"a": "y" * 100}

    async def test_a_thread_is_listed_newest_first_whatever_the_namespace(self, saver: StoredSaver, call: Call) -> None:
        """A graph and its subgraphs in the order in which they ran."""
        for place in range(9):
            await call(saver, "put", config_of("t", "n" * (place % 3)), made(), {}, {})
        ids = [it.checkpoint["id"] for it in await listed(call.colour, saver, None)]
        assert ids == sorted(ids, reverse=True)

    async def test_content_is_stored_once(self, saver: StoredSaver, call: Call) -> None:
        """A conversation that grows by one message grows by one item, whatever was stored of it before."""
        config, messages = config_of(), [HumanMessage("x" * 200, id=str(place)) for place in range(60)]
        for count in range(1, 61):
            values = {"messages": messages[:count]}
            config = await call(saver, "put", config, made(values, {"messages": str(count)}), {}, {"messages": "n"})
        known = saver._setting.cache.of("t")
        assert known.next_no == 61
        assert (await call(saver, "get_tuple", config)).checkpoint["channel_values"] == {"messages": messages}

    async def test_a_class_that_would_come_back_as_data_is_refused(self, saver: StoredSaver, call: Call) -> None:
        """The error names the channel, the class and the remedy, and nothing is stored."""
        for value in (ALICE, [{"deep": ALICE}], {"long": ["x" * 2_000, ALICE]}, _DeltaSnapshot([ALICE])):
            with pytest.raises(ConfigurationError, match=r"'a'.*types\.scope\.Scope.*allowed_types=\[Scope\]"):
                await call(saver, "put", config_of(), made({"a": value}), {}, {"a": "1"})
            with pytest.raises(ConfigurationError, match="Scope"):
                await call(saver, "put_writes", config_of(checkpoint_id=str(uuid6())), [("a", value)], "task")
        assert await call(saver, "get_tuple", config_of()) is None

    async def test_an_allowed_class_comes_back(self, open_saver: Open, call: Call) -> None:
        """A class that the application names is stored as itself."""
        saver = open_saver(allowed_types=[Scope])
        await call(saver, "put", config_of(), made({"a": ALICE}), {}, {"a": "1"})
        assert (await call(saver, "get_tuple", config_of())).checkpoint["channel_values"] == {"a": ALICE}

    async def test_what_has_no_form_in_bytes_is_refused(self, saver: StoredSaver, call: Call) -> None:
        """An object that no serializer knows, or a number too large, is an error that names the channel.

        So are arrays that would come back as nothing, or without the names of their fields.
        """
        arrays = (np.array([None, 1]), [{"deep": np.array([ALICE])}], np.zeros(2, dtype=[("field", "i4")]))
        for value in (Opaque(), 2**70, *arrays):
            with pytest.raises(ConfigurationError, match="'a'"):
                await call(saver, "put", config_of(), made({"a": value}), {}, {"a": "1"})

    async def test_objects_nested_too_deeply_are_refused(self, saver: StoredSaver, call: Call) -> None:
        """What could be read back only where the stack has room for it is refused; what is stored comes back."""
        value: Any = "x" * 100
        for _ in range(MAX_NESTED):
            value = deque([value])
        await call(saver, "put", config_of(), made({"a": value}), {}, {"a": "1"})
        assert (await call(saver, "get_tuple", config_of())).checkpoint["channel_values"] == {"a": value}
        with pytest.raises(ConfigurationError, match=f"'a'.*more than {MAX_NESTED} deep"):
            await call(saver, "put", config_of(), made({"a": deque([value])}), {}, {"a": "1"})

    async def test_a_name_that_is_no_text_is_stored_as_the_serializer_writes_text(
        self, saver: StoredSaver, call: Call
    ) -> None:
        """A lone surrogate becomes a question mark, in the keys of messages too, and nothing fails in the database."""
        value = {"\ud800": [HumanMessage("kept", id="1")]}
        await call(saver, "put", config_of(), made({"a": value}), {}, {"a": "1"})
        found = (await call(saver, "get_tuple", config_of())).checkpoint["channel_values"]["a"]
        assert found == {"?": [HumanMessage("kept", id="1")]}

    async def test_more_classes_can_be_allowed_later(self, saver: StoredSaver, call: Call) -> None:
        """LangGraph's derived checkpointer knows them; the one it was derived from does not."""
        derived: Any = saver.with_allowlist([(Scope.__module__, Scope.__name__)])
        await call(derived, "put", config_of(), made({"a": ALICE}), {}, {"a": "1"})
        assert (await call(derived, "get_tuple", config_of())).checkpoint["channel_values"] == {"a": ALICE}
        with pytest.raises(ConfigurationError):
            await call(saver, "put", config_of(), made({"a": ALICE}), {}, {"a": "1"})

    async def test_a_page_shares_what_is_the_same(self, saver: StoredSaver, call: Call, colour: Colour) -> None:
        """A message that several listed checkpoints hold is one object; another listing has its own."""
        messages = {"messages": [HumanMessage("hi", id="1")]}
        for _ in range(2):
            await call(saver, "put", config_of(), made(messages), {}, {"messages": "1"})
        one, two = (it.checkpoint["channel_values"]["messages"] for it in await listed(colour, saver, config_of()))
        other = (await listed(colour, saver, config_of()))[0].checkpoint["channel_values"]["messages"]
        assert one is not two
        assert one[0] is two[0]
        assert one[0] is not other[0]

    # -------------------------------------------------------------------------------------------------- whole threads
    async def test_pruning_keeps_what_was_asked_for(self, saver: StoredSaver, call: Call, colour: Colour) -> None:
        """The newest of each namespace and whatever is younger stay readable; a kept one whose parent went has none."""
        for ns in ("", "sub"):
            config = config_of(ns=ns)
            for place in range(5):
                values = {"messages": [HumanMessage("x" * 100, id=str(n)) for n in range(place + 1)]}
                config = await call(saver, "put", config, made(values, {"messages": str(place)}), {}, {"messages": "n"})
        await call(saver, "prune", ["t", "nobody"], keep_last=2)
        found = await listed(colour, saver, config_of())
        assert [len(it.checkpoint["channel_values"]["messages"]) for it in found] == [5, 4]
        assert [it.parent_config is None for it in found] == [False, True]
        await call(saver, "prune", ["t"], older_than=timedelta(hours=1))
        assert len(await listed(colour, saver, {"configurable": {"thread_id": "t"}})) == 4

    async def test_pruning_keeps_what_carries_a_tag(self, saver: StoredSaver, call: Call, colour: Colour) -> None:
        """What `list(filter=)` finds by it stays with its values and pending writes; so does what its task stored."""
        tag, config = {"label": "release", "step": 2}, config_of()
        for place in range(4):
            metadata = {"label": "release" if place != 0 else "draft", "step": 2 if place == 1 else 0}
            config = await call(saver, "put", config, made({"a": place}), metadata, {"a": "1"})
            await call(saver, "put_writes", config, [("a", place)], "task")
            parents = {"parents": {"": config["configurable"]["checkpoint_id"]}}
            await call(saver, "put", config_of(ns=f"node:{place}"), made(), metadata | parents, {})
        everywhere = {"configurable": {"thread_id": "t"}}
        before = await listed(colour, saver, everywhere, filter=tag)
        await call(saver, "prune", ["t"], keep_tagged=tag)
        assert [it.checkpoint["channel_values"]["a"] for it in await listed(colour, saver, config_of())] == [3, 1]
        kept = await listed(colour, saver, everywhere, filter=tag)
        assert [it._replace(parent_config=None) for it in before] == kept
        assert sorted(it.config["configurable"]["checkpoint_ns"] for it in kept) == ["", "node:1"]
        await call(saver, "prune", ["t"])
        assert await listed(colour, saver, everywhere, filter=tag) == []

    async def test_pruning_a_task_away_takes_its_namespace(
        self, saver: StoredSaver, call: Call, colour: Colour
    ) -> None:
        """What a subgraph's task stored goes with the checkpoint it ran on; a subgraph with a memory keeps its own."""
        old = await call(saver, "put", config_of(), made(), {}, {})
        parents = {"parents": {"": old["configurable"]["checkpoint_id"]}}
        for ns in ("node:task", "agent"):
            await call(saver, "put", config_of(ns=ns), made(), parents, {})
        await call(saver, "put", old, made(), {}, {})
        await call(saver, "prune", ["t"])
        found = await listed(colour, saver, {"configurable": {"thread_id": "t"}})
        assert sorted(it.config["configurable"]["checkpoint_ns"] for it in found) == ["", "agent"]

    async def test_pruning_leaves_what_waits_for_its_parent(
        self, saver: StoredSaver, call: Call, colour: Colour
    ) -> None:
        """A subgraph may be stored before the checkpoint its task runs on; an old one would wait for ever, and goes."""
        await call(saver, "put", config_of(), made(), {}, {})
        for ns, checkpoint_id in (("new:task", str(uuid6())), ("old:task", "1e000000-0000-6000-8000-000000000000")):
            checkpoint: Checkpoint = {**made(), "id": checkpoint_id}
            await call(saver, "put", config_of(ns=ns), checkpoint, {"parents": {"": str(uuid6())}}, {})
        await call(saver, "prune", ["t"])
        found = await listed(colour, saver, {"configurable": {"thread_id": "t"}})
        assert sorted(it.config["configurable"]["checkpoint_ns"] for it in found) == ["", "new:task"]

    async def test_deleting_a_run_joins_what_is_around_it(self, saver: StoredSaver, call: Call) -> None:
        """Its checkpoints go in every thread; the next one stands on the one before, and a head on the newest left."""
        first = await call(saver, "put", config_of(), made({"a": 1}), {"run_id": "r1"}, {"a": "1"})
        second = await call(saver, "put", first, made({"a": 2}), {"run_id": "r2"}, {"a": "1"})
        third = await call(saver, "put", second, made({"a": 3}), {"run_id": "r3"}, {"a": "1"})
        await call(saver, "delete_for_runs", ["r2"])
        assert (await call(saver, "get_tuple", third)).parent_config == first
        await call(saver, "delete_for_runs", ["r3", "none"])
        assert (await call(saver, "get_tuple", config_of())).checkpoint["channel_values"] == {"a": 1}

    async def test_a_run_that_is_taken_back_takes_no_other_along(self, saver: StoredSaver, call: Call) -> None:
        """Of two branches the one that stays is the thread's state, as it was before, and no pruning takes it."""
        first = await call(saver, "put", config_of(), made({"a": 1}), {"run_id": "r1"}, {"a": "1"})
        await call(saver, "put", first, made({"a": 2}), {"run_id": "r2"}, {"a": "1"})
        await call(saver, "put", first, made({"a": 3}), {"run_id": "r3"}, {"a": "1"})
        await call(saver, "delete_for_runs", ["r3"])
        await call(saver, "prune", ["t"])
        assert (await call(saver, "get_tuple", config_of())).checkpoint["channel_values"] == {"a": 2}

    async def test_a_copy_is_whole_and_its_own(self, saver: StoredSaver, call: Call, colour: Colour) -> None:
        """Checkpoints, parents, writes and heads are the same, and what happens to one does not happen to the other."""
        config = config_of()
        for place in range(3):
            values = {"messages": [HumanMessage("x" * 100, id=str(n)) for n in range(place + 1)]}
            config = await call(saver, "put", config, made(values, {"messages": str(place)}), {}, {"messages": "n"})
            await call(saver, "put_writes", config, [("messages", values["messages"])], "task", "~path")
        await call(saver, "prune", ["t"], keep_last=2)
        await call(saver, "copy_thread", "t", "u")
        before, after = [await listed(colour, saver, config_of(it)) for it in ("t", "u")]
        assert [it[1:3] + it[4:] for it in before] == [it[1:3] + it[4:] for it in after]
        await call(saver, "delete_thread", "t")
        assert await listed(colour, saver, config_of("u")) == after
        with pytest.raises(ConfigurationError, match="there already"):
            await call(saver, "copy_thread", "u", "u")

    async def test_a_rollback_loses_nothing(self, saver: StoredSaver, call: Call) -> None:
        """The next run goes on from the old state; what came after is still in the history."""
        first = await call(saver, "put", config_of(), made({"a": 1}), {"source": "loop", "step": 1}, {"a": "1"})
        second = await call(saver, "put", first, made({"a": 2}), {"source": "loop", "step": 2}, {"a": "1"})
        head = await call(saver, "rollback", "t", first["configurable"]["checkpoint_id"])
        found = await call(saver, "get_tuple", config_of())
        assert found.config["configurable"]["checkpoint_id"] == head["configurable"]["checkpoint_id"]
        assert (found.checkpoint["channel_values"], found.metadata["source"]) == ({"a": 1}, "fork")
        history = await call(saver, "history", "t")
        assert [it.is_head for it in history] == [True, False, False]
        assert history[1].id == second["configurable"]["checkpoint_id"]
        with pytest.raises(NotFoundError, match="history"):
            await call(saver, "rollback", "t", "nothing")

    async def test_a_history_says_what_each_checkpoint_is(self, saver: StoredSaver, call: Call) -> None:
        """Newest first, page by page, of one namespace or of all."""
        config = config_of()
        for place in range(3):
            metadata = {"source": "loop", "step": place, "run_id": "r", "extra": place}
            config = await call(saver, "put", config, made(), metadata, {})
        await call(saver, "put", config_of(ns="sub"), made(), {}, {})
        newest, *older = await call(saver, "history", "t")
        assert (newest.step, newest.source, newest.run_id, newest.metadata["extra"]) == (2, "loop", "r", 2)
        assert newest.parent_id == older[0].id
        assert newest.made_at.tzinfo is not None
        assert await walked(call, saver, "history", "t", limit=2) == [newest, *older]
        assert len(await walked(call, saver, "history", "t", ns=None, limit=1)) == 4
        with pytest.raises(ConfigurationError, match=r"another checkpointer\.history"):
            await call(saver, "history", "u", cursor=(await call(saver, "history", "t", limit=1)).cursor)

    async def test_a_sweep_removes_what_nobody_can_reach(self, saver: StoredSaver, call: Call) -> None:
        """Old writes whose checkpoint never came go with their content; young ones may still be waited for."""
        old = "1e000000-0000-6000-8000-000000000000"
        await call(saver, "put", config_of(), made({"a": "x" * 100}), {}, {"a": "1"})
        for checkpoint_id in (old, str(uuid6())):
            await call(saver, "put_writes", config_of(checkpoint_id=checkpoint_id), [("x", checkpoint_id * 9)], "task")
        assert (await call(saver, "sweep")).items == 1
        assert (await call(saver, "sweep")).items == 0
        assert (await call(saver, "get_tuple", config_of())).checkpoint["channel_values"] == {"a": "x" * 100}

    async def test_a_lease_keeps_others_waiting(self, saver: StoredSaver, colour: Colour) -> None:
        """Who comes second waits, and gets an error that says retry when it takes too long."""
        short = timedelta(milliseconds=20)
        if colour == "sync":
            with (
                saver.lease("t"),
                pytest.raises(ConflictError, match="leased") as caught,
                saver.lease("t", timeout=short),
            ):
                pass
            with saver.lease("t", timeout=short):
                pass
        else:
            async with saver.alease("t"):
                with pytest.raises(ConflictError, match="leased") as caught:
                    await saver.alease("t", timeout=short).__aenter__()
            async with saver.alease("t", timeout=short):
                pass
        assert caught.value.is_retryable

    def test_a_thread_deleted_under_its_lease_is_leased_still(self, saver: StoredSaver) -> None:
        """A thread is begun anew under one lease, and nobody runs in it meanwhile."""
        with saver.lease("t"):
            saver.bind("t", scope=ALICE)
            saver.delete_thread("t")
            with pytest.raises(ConflictError, match="leased"):
                saver.lease("t", timeout=timedelta()).__enter__()
        with saver.lease("t", timeout=timedelta()):
            pass

    # ----------------------------------------------------------------------------------------------------------- owners
    @pytest.mark.parametrize("at", range(4))
    @pytest.mark.parametrize("state", ["take", "take-undone", "give", "give-undone"])
    def test_a_lease_that_was_given_up_is_nobodys(self, saver: StoredSaver, at: int, state: str) -> None:
        """Who is cancelled as it is taken, or given back, leaves none behind, whatever had been done by then."""
        request = keeping.lease_request("t", timedelta(hours=1), timedelta())
        is_held, is_done = state.startswith("give"), not state.endswith("undone")
        if is_held:
            run(keeping.take_lease(saver._setting, request))
        flow = keeping.end_lease if is_held else keeping.take_lease
        if not _cancelled(flow(saver._setting, request), at, is_done=is_done) and not is_held:
            run(keeping.end_lease(saver._setting, request))
        is_taken = False
        with saver.lease("t", timeout=timedelta()):
            is_taken = True
        assert is_taken

    async def test_a_thread_is_its_users(self, saver: StoredSaver, call: Call, colour: Colour) -> None:
        """Bound by hand or by the first run that names a user, it is refused to runs that name another."""
        await call(saver, "bind", "mine", scope=ALICE)
        await call(saver, "put", config_of("mine"), made({"a": 1}), {}, {"a": "1"})
        await call(saver, "put", config_of("ours", user_id="alice"), made(), {}, {})
        for thread in ("mine", "ours"):
            bobs = config_of(thread, user_id="bob")
            on_top = config_of(thread, checkpoint_id="c", user_id="bob")
            calls: list[tuple[Any, ...]] = [("get_tuple", bobs), ("put", bobs, made(), {}, {})]
            for name, *args in [*calls, ("put_writes", on_top, [("x", 1)], "task")]:
                with pytest.raises(ScopeError, match="another user"):
                    await call(saver, name, *args)
            with pytest.raises(ScopeError, match="another user"):
                await listed(colour, saver, bobs)
            with pytest.raises(ScopeError, match="another user"):
                await call(saver, "bind", thread, scope=BOB)
        assert await call(saver, "get_tuple", config_of("mine", user_id="alice")) is not None

    async def test_a_users_threads_are_listed(self, saver: StoredSaver, call: Call) -> None:
        """Page by page in the order of their ids, and those of nobody where nobody is asked for."""
        for place, scope in enumerate([ALICE, BOB, ALICE, Scope("alice", tenant_id="other")]):
            await call(saver, "bind", f"t{place}", scope=scope)
        await call(saver, "put", config_of("t9"), made(), {}, {})
        assert [it.thread_id for it in await call(saver, "threads", ALICE)] == ["t0", "t2"]
        assert [it.thread_id for it in await walked(call, saver, "threads", ALICE, limit=1)] == ["t0", "t2"]
        assert [it.user_id for it in await call(saver, "threads", limit=9)] == ["alice", "bob", "alice", "alice", None]

    # -------------------------------------------------------------------------------------------------------- bad input
    @pytest.mark.parametrize("thread_id", BAD_THREADS, ids=repr)
    async def test_a_malformed_thread_is_refused(self, saver: StoredSaver, call: Call, thread_id: Any) -> None:  # noqa: ANN401
        """By every method, before anything is read or written."""
        config = config_of(thread_id)
        calls: list[tuple[Any, ...]] = [
            ("get_tuple", config),
            ("put", config, made(), {}, {}),
            ("put_writes", config, [], "task"),
        ]
        calls += [("delete_thread", thread_id), ("prune", [thread_id]), ("copy_thread", "t", thread_id)]
        calls += [("history", thread_id), ("rollback", thread_id, "c")]
        for name, *args in calls:
            with pytest.raises(ScopeError, match="thread_id"):
                await call(saver, name, *args)
        with pytest.raises(ScopeError, match="thread_id"):
            await call(saver, "bind", thread_id, scope=ALICE)

    async def test_an_argument_that_cannot_be_meant_is_refused(
        self, saver: StoredSaver, call: Call, colour: Colour
    ) -> None:
        """A str for a list, an unknown strategy, a negative number: the error names what works."""
        wrong: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
            ("prune", ("t",), {}),
            ("delete_for_runs", ("r",), {}),
            ("prune", (["t"],), {"strategy": "keep_all"}),
            ("prune", (["t"],), {"keep_last": 0}),
            ("prune", (["t"],), {"strategy": "delete", "keep_last": 2}),
            ("prune", (["t"],), {"strategy": "delete", "keep_tagged": {"label": "release"}}),
            ("prune", (["t"],), {"keep_tagged": "release"}),
            ("prune", (["t"],), {"keep_tagged": {}}),
            ("prune", (["t"],), {"older_than": datetime(2026, 1, 1)}),  # noqa: DTZ001  (that is the point)
            ("history", ("t",), {"limit": -1}),
            ("threads", ("alice",), {}),
            ("threads", (), {"cursor": "t0"}),
            ("put_writes", (config_of(), [("x", 1)], "task"), {}),
            ("put_writes", (config_of(checkpoint_id="c"), [("x\0", 1)], "task"), {}),
            ("put", (config_of(ns="\ud800"), made(), {}, {}), {}),
            ("rollback", ("t", ""), {}),
            ("get_delta_channel_history", (), {"config": config_of(), "channels": "messages"}),
        ]
        for name, args, kwargs in wrong:
            with pytest.raises(ConfigurationError):
                await call(saver, name, *args, **kwargs)
        for more in ({"limit": -1}, {"limit": "2"}, {"filter": ["source"]}):
            with pytest.raises(ConfigurationError):
                await listed(colour, saver, config_of(), **more)

    @pytest.mark.parametrize(
        "settings",
        [
            {"serde": JsonPlusSerializer()},
            {"serde": JsonPlusSerializer(pickle_fallback=True, allowed_msgpack_modules=None)},
            {"on_conflict": "ignore"},
            {"serde": "x"},
            {"ttl": timedelta(0)},
            {"ttl": 60},
            {"allowed_types": Scope},
            {"allowed_types": ["Scope"]},
            {"allowed_types": None},
            {"unknown": 1},
        ],
        ids=lambda settings: next(iter(settings)),
    )
    def test_a_setting_that_cannot_work_is_refused(self, open_saver: Open, settings: dict[str, Any]) -> None:
        """Before anything is opened."""
        with pytest.raises(ConfigurationError):
            open_saver(**settings)

    def test_an_encrypting_serde_is_refused_with_the_reason(self, open_saver: Open) -> None:
        """No two ciphertexts are equal, so that nothing would be stored once: encryption is the vault's."""

        class Salted(JsonPlusSerializer):
            salt = 0

            def dumps_typed(self, obj: Any) -> tuple[str, bytes]:  # noqa: ANN401  (as its base)
                Salted.salt += 1
                kind, data = super().dumps_typed(obj)
                return kind, data + bytes((Salted.salt,))

        with pytest.raises(ConfigurationError, match=r"no two ciphertexts are equal.*vault="):
            open_saver(serde=Salted(allowed_msgpack_modules=None))


def _cancelled(flow: Flow[None], at: int, *, is_done: bool) -> bool:
    """Drive a flow, and cancel it where an answer does not come any more, if the step was done or not.

    Return whether it came to that.
    """
    try:
        waiting = next(flow)
        for _ in range(at):
            waiting = flow.send(waiting.blocking(*waiting.args))
        if is_done:
            waiting.blocking(*waiting.args)
        waiting = flow.throw(asyncio.CancelledError())
        while True:
            waiting = flow.send(waiting.blocking(*waiting.args))
    except StopIteration:
        return False
    except asyncio.CancelledError:
        return True
