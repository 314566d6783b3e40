"""What our checkpointers promise about threads that end, begin again, go back, or lose a run."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import Checkpoint, empty_checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, Durability, interrupt

from langchain_agentmem._flow import run
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.checkpoints.header import PRUNED_KEY
from langchain_agentmem.checkpoints.setting import SEES_PRUNED
from langchain_agentmem.errors import ConflictError, NotFoundError
from langchain_agentmem.testing.savers import config_of
from langchain_agentmem.transfer import export_thread, import_thread
from tests.conftest import Call, Colour
from tests.savers import Graph, Open, PlainState, answering, invoke, listed, state_of, texts, two_deltas

CONFIG: Any = {"configurable": {"thread_id": "t"}}
HOUR = timedelta(hours=1)
WHOLE = {SEES_PRUNED: True}
DURABILITIES: list[Durability] = ["sync", "async", "exit"]
STORING = [(True, "sync"), (True, "async"), (False, "sync"), (False, "async"), (False, "exit")]
"""Runs that have read or stored something before they end: all but the first of a thread that stores at its end."""


def said(text: str) -> dict[str, Any]:
    return {"messages": [HumanMessage(text, id=text)]}


def made() -> Checkpoint:
    return {**empty_checkpoint(), "id": str(uuid6())}


class SaverLifeContract:
    """Laws of every checkpointer about what becomes of threads."""

    @pytest.fixture
    def saver(self, open_saver: Open) -> StoredSaver:
        return open_saver()

    # ---------------------------------------------------------------------------------------------- deleted under a run
    @pytest.mark.parametrize(("is_new", "durability"), STORING)
    async def test_a_thread_that_was_deleted_under_a_run_stays_deleted(
        self,
        saver: StoredSaver,
        colour: Colour,
        is_new: bool,  # noqa: FBT001  (a parameter)
        durability: Durability,
    ) -> None:
        """Neither checkpoints nor writes of the run, even the first, begin it anew; the next run does."""
        if not is_new:
            await invoke(colour, answering(saver), said("before"), CONFIG)

        def delete(_: MessagesState) -> None:
            _until(lambda: saver._setting.cache.was_begun("t"))
            _elsewhere(lambda: saver.delete_thread("t"))

        with pytest.raises(ConflictError, match="deleted"):
            await invoke(colour, answering(saver, delete), said("slow"), CONFIG, durability=durability)
        assert not saver.threads()
        after = await invoke(colour, answering(saver), said("after"), CONFIG, durability=durability)
        assert texts(after["messages"]) == ["after", "seen 1"]

    @pytest.mark.parametrize("durability", ["sync", "async"])
    async def test_a_thread_that_another_process_deleted_stays_deleted(
        self, saver: StoredSaver, colour: Colour, durability: Durability
    ) -> None:
        """A run, even the first, that has stored something here puts nothing more."""

        def delete(_: MessagesState) -> None:
            _until(lambda: saver._setting.cache.was_begun("t"))
            _elsewhere(lambda: run(saver._setting.threads.delete("t")))

        with pytest.raises(ConflictError, match="deleted"):
            await invoke(colour, answering(saver, delete), said("slow"), CONFIG, durability=durability)
        assert not saver.threads()

    @pytest.mark.parametrize("is_new", [True, False], ids=["new", "old"])
    async def test_a_subgraph_begins_no_thread_that_was_deleted(
        self,
        saver: StoredSaver,
        colour: Colour,
        is_new: bool,  # noqa: FBT001  (a parameter)
    ) -> None:
        """Its first checkpoint has no parent, and yet the run around it has read or stored something."""

        def delete(_: MessagesState) -> None:
            _until(lambda: saver._setting.cache.was_begun("t"))
            _elsewhere(lambda: saver.delete_thread("t"))

        own: Any = True
        inner = answering(own, delete)
        whole = StateGraph(MessagesState).add_node("inner", inner).add_edge(START, "inner").compile(checkpointer=saver)
        if not is_new:
            await invoke(colour, answering(saver), said("before"), CONFIG)
        with pytest.raises(ConflictError, match="deleted"):
            await invoke(colour, whole, said("slow"), CONFIG)
        assert not saver.threads()

    async def test_a_thread_that_expired_under_a_run_stays_gone(
        self, open_saver: Open, colour: Colour, call: Call
    ) -> None:
        """As if it had been deleted; what was put before a thread begins is put by whoever uses no run."""
        clock = Clock()
        saver = open_saver(ttl=HOUR, clock=clock)
        graph = answering(saver, lambda _: clock.pass_by(2 * HOUR))
        with pytest.raises(ConflictError, match="expired"):
            await invoke(colour, graph, said("slow"), CONFIG, durability="sync")
        assert await listed(colour, saver, CONFIG) == []
        await invoke(colour, answering(saver), said("after"), CONFIG)
        await call(saver, "delete_thread", "t")
        await call(saver, "put_writes", config_of(checkpoint_id=made()["id"]), [("x", 1)], "task")
        assert [it.thread_id for it in saver.threads()] == ["t"]

    async def test_a_deleted_thread_can_be_updated_into_being(self, saver: StoredSaver, colour: Colour) -> None:
        """By whoever has read that it is not there, also with a config of another thread at hand."""
        graph = answering(saver)
        await invoke(colour, graph, said("a"), CONFIG)
        marked = (await state_of(colour, graph, CONFIG)).config["configurable"]
        saver.delete_thread("t")
        graph.update_state(CONFIG, said("b"))
        assert texts((await state_of(colour, graph, CONFIG)).values["messages"]) == ["b"]
        other: Any = {"configurable": {**marked, "thread_id": "u", "checkpoint_id": None}}
        await invoke(colour, graph, said("c"), other, durability="async")
        assert texts((await state_of(colour, graph, config_of("u"))).values["messages"]) == ["c", "seen 1"]

    # ----------------------------------------------------------------------------------------------------- rolling back
    @pytest.mark.parametrize("depth", [1, 2])
    @pytest.mark.parametrize("durability", DURABILITIES)
    async def test_a_rollback_takes_the_memory_of_subgraphs_along(
        self, saver: StoredSaver, colour: Colour, call: Call, durability: Durability, depth: int
    ) -> None:
        """Back, back to before they had run, and forth again, each remembers what it did then; nothing is lost."""
        graph, heads = remembering(saver, depth), [""]
        for text in "abc":
            await invoke(colour, graph, said(text), CONFIG, durability=durability)
            heads.append((await call(saver, "history", "t", limit=1))[0].id)
        begun = (await call(saver, "history", "t"))[-1]
        heads[0] = begun.id if begun.source == "input" else ""
        before = {(it.ns, it.id) for it in await call(saver, "history", "t", ns=None)}
        for turns in (1, 3, 0, 2) if heads[0] else (1, 3, 2):
            await call(saver, "rollback", "t", heads[turns])
            found = await invoke(colour, graph, said("again"), CONFIG, durability=durability)
            assert texts(found["messages"])[-1] == f"seen {2 * turns + 1}"
        assert before <= {(it.ns, it.id) for it in await call(saver, "history", "t", ns=None)}

    async def test_a_rollback_to_before_a_task_undoes_what_it_remembered(
        self, saver: StoredSaver, colour: Colour, call: Call
    ) -> None:
        """Where the subgraph is yet to run, it remembers what it did before, also on a branch."""
        graph = remembering(saver)
        for text in "ab":
            await invoke(colour, graph, said(text), CONFIG)
        waiting = [it for it in graph.get_state_history(CONFIG) if it.next == ("agent",)]
        for old, expected in ((waiting[0], "seen 3"), (waiting[1], "seen 1")):
            await invoke(colour, graph, None, old.config)
            branch = next(it for it in await call(saver, "history", "t") if it.source == "fork")
            for checkpoint_id in (old.config["configurable"]["checkpoint_id"], branch.id):
                await call(saver, "rollback", "t", checkpoint_id)
                found = await invoke(colour, graph, said("again"), CONFIG)
                assert texts(found["messages"])[-1] == expected

    async def test_a_rollback_after_pruning_goes_by_age(self, saver: StoredSaver, colour: Colour, call: Call) -> None:
        """Where nobody knows any more on what a subgraph's task ran, what is older than the checkpoint counts."""
        graph = remembering(saver)
        for text in "ab":
            await invoke(colour, graph, said(text), CONFIG)
        await call(saver, "prune", ["t"])
        [head] = await call(saver, "history", "t")
        await call(saver, "rollback", "t", head.id)
        assert len(await call(saver, "history", "t", ns="agent")) == 1
        found = await invoke(colour, graph, said("again"), CONFIG)
        assert texts(found["messages"])[-1] == "seen 5"

    # ----------------------------------------------------------------------------------------------------- deleted runs
    async def test_what_is_kept_for_others_is_not_there_for_anybody_else(
        self, saver: StoredSaver, colour: Colour, call: Call, tmp_path: Path
    ) -> None:
        """Of two lists that are rebuilt from what changed, an older checkpoint may have one and lack the other."""
        graph = two_deltas(saver)
        for turn in range(12):
            await invoke(colour, graph, {"often": [f"o{turn}"], "seldom": [f"s{turn}"]}, CONFIG, durability="sync")
        before = await states_of(colour, graph, "t")
        await call(saver, "prune", ["t"], keep_last=3)
        gone = [it for it, _ in before[3:]]
        stored = [it.id for it in await call(saver, "history", "t", limit=2)]
        assert stored == [it for it, _ in before[:2]]
        for thread_id in ("t", *(await copies_of(call, saver, tmp_path))):
            assert await states_of(colour, graph, thread_id) == before[:3]
            assert [it.id for it in await call(saver, "history", thread_id)] == [it for it, _ in before[:3]]
            assert not any([await call(saver, "get_tuple", config_of(thread_id, checkpoint_id=it)) for it in gone])
            with pytest.raises(NotFoundError, match="history"):
                await call(saver, "rollback", thread_id, gone[0])

    async def test_what_carries_a_tag_can_be_rebuilt_after_any_pruning(
        self, saver: StoredSaver, colour: Colour, call: Call
    ) -> None:
        """Its lists that keep only what changed are whole, hidden ancestors stay for them, and go with them."""
        graph = two_deltas(saver)
        for turn in range(12):
            config = {**CONFIG, "metadata": {"label": "release"}} if turn == 4 else CONFIG
            await invoke(colour, graph, {"often": [f"o{turn}"], "seldom": [f"s{turn}"]}, config, durability="sync")
        before = await states_of(colour, graph, "t")
        tagged = [it.id for it in await call(saver, "history", "t") if it.metadata.get("label") == "release"]
        for _ in range(2):
            await call(saver, "prune", ["t"], keep_tagged={"label": "release"})
            assert len(tagged) > 1
            expected = [before[0], *((it, state) for it, state in before if it in tagged)]
            assert await states_of(colour, graph, "t") == expected
        await call(saver, "prune", ["t"])
        assert await states_of(colour, graph, "t") == before[:1]

    async def test_nobody_hides_a_checkpoint_but_who_copies_one(
        self, saver: StoredSaver, colour: Colour, call: Call
    ) -> None:
        """A run that says so by its metadata does not; a copy that is not whole yet is not there, and is no damage."""
        graph = answering(saver)
        await invoke(colour, graph, said("one"), {**CONFIG, "metadata": {PRUNED_KEY: True}}, durability="sync")
        assert texts((await state_of(colour, graph, CONFIG)).values["messages"]) == ["one", "seen 1"]
        await call(saver, "put", config_of("copy"), made(), {PRUNED_KEY: True}, {})
        assert await call(saver, "get_tuple", config_of("copy")) is None

    async def test_what_was_kept_for_others_goes_when_they_need_it_no_more(
        self, saver: StoredSaver, colour: Colour, call: Call
    ) -> None:
        """However often a thread is pruned, little is left; of a deleted run no head stays that nobody can read."""
        graph, most = two_deltas(saver), 0
        for turn in range(30):
            await invoke(colour, graph, {"often": [turn], "seldom": [turn]}, of_run(f"r{turn}"), durability="sync")
            await call(saver, "prune", ["t"], keep_last=1 if turn != 28 else 2)
            most = max(most, len(await listed(colour, saver, {"configurable": {**CONFIG["configurable"], **WHOLE}})))
        assert len((await state_of(colour, graph, CONFIG)).values["seldom"]) == 60
        assert 8 <= most <= 16
        await call(saver, "delete_for_runs", ["r29"])
        assert await listed(colour, saver, {"configurable": {**CONFIG["configurable"], **WHOLE}}) == []
        assert not (await state_of(colour, graph, CONFIG)).values

    async def test_what_was_kept_for_a_deleted_run_goes_with_it(
        self, saver: StoredSaver, colour: Colour, call: Call
    ) -> None:
        """Where something else of the thread stays, nothing does that only the deleted run was rebuilt from."""
        graph = two_deltas(saver)
        for turn in range(6):
            await invoke(colour, graph, {"often": [turn], "seldom": [turn]}, of_run(f"r{turn}"), durability="sync")
        await call(saver, "prune", ["t"])
        await call(saver, "put", config_of("t", "other"), made(), {}, {})
        whole = {"configurable": {**CONFIG["configurable"], **WHOLE}}
        assert len(await listed(colour, saver, whole)) > 1
        await call(saver, "delete_for_runs", ["r5"])
        assert [it.config["configurable"]["checkpoint_ns"] for it in await listed(colour, saver, whole)] == ["other"]

    async def test_a_deleted_run_leaves_no_write_behind(self, saver: StoredSaver, colour: Colour, call: Call) -> None:
        """What it answered to an interrupt of another run is gone, and the question is open again."""

        def ask(state: PlainState) -> dict[str, Any]:
            return {"note": interrupt("which?" if state["messages"] else "")}

        graph: Graph = StateGraph(PlainState).add_node("ask", ask).add_edge(START, "ask").compile(checkpointer=saver)
        await invoke(colour, graph, said("go"), of_run("r1"))
        await invoke(colour, graph, Command(resume="secret"), of_run("r2"))
        await call(saver, "delete_for_runs", ["r2"])
        assert "secret" not in repr(await listed(colour, saver, CONFIG))
        assert (await state_of(colour, graph, CONFIG)).interrupts[0].value == "which?"
        done = await invoke(colour, graph, Command(resume="open"), of_run("r3"))
        assert done["note"] == "open"

    async def test_a_run_that_only_wrote_is_deleted_too(self, saver: StoredSaver, call: Call) -> None:
        """Also in a copy of the thread, and with the content that nothing else holds; what others wrote stays."""
        config = await call(saver, "put", config_of(), made(), {}, {})
        for task, more in (("a", {"metadata": {"run_id": "r"}}), ("b", {}), ("c", {"metadata": {"run_id": "s"}})):
            await call(saver, "put_writes", {**config, **more}, [("x", task * 100), ("y", task)], task)
        await call(saver, "copy_thread", "t", "u")
        await call(saver, "delete_for_runs", ["r"])
        for thread in "tu":
            found = await call(saver, "get_tuple", config_of(thread))
            assert [it[0] for it in found.pending_writes] == ["b", "b", "c", "c"]
        assert (await call(saver, "sweep")).items == 0


def of_run(run_id: str) -> Any:  # noqa: ANN401  (a config)
    return {**CONFIG, "metadata": {"run_id": run_id}}


async def states_of(colour: Colour, graph: Graph, thread_id: str) -> list[tuple[str, Any]]:
    """Return the id and the values of each checkpoint that can be read."""
    config = config_of(thread_id)
    history = graph.get_state_history(config)
    states = list(history) if colour == "sync" else [it async for it in graph.aget_state_history(config)]
    return [(it.config["configurable"]["checkpoint_id"], it.values) for it in states]


async def copies_of(call: Call, saver: StoredSaver, folder: Path) -> tuple[str, ...]:
    """Copy a thread, once inside the store and once by a file."""
    await call(saver, "copy_thread", "t", "copied")
    export_thread(saver, "t", folder / "thread.jsonl")
    import_thread(saver, folder / "thread.jsonl", thread_id="imported")
    return "copied", "imported"


def remembering(saver: StoredSaver, depth: int = 1) -> Graph:
    """A graph that asks a subgraph, which remembers all it was asked (and may ask one itself), and passes it on."""
    own: Any = True
    inner = answering(own) if depth == 1 else remembering(own, depth - 1)

    def ask(state: MessagesState) -> dict[str, Any]:
        answer: list[Any] = inner.invoke({"messages": state["messages"][-1:]})["messages"]
        return {"messages": answer[-1:]}

    return StateGraph(MessagesState).add_node("agent", ask).add_edge(START, "agent").compile(checkpointer=saver)


class Clock:
    """A clock that passes when it is told to."""

    def __init__(self) -> None:
        self._past = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self._past

    def pass_by(self, time: timedelta) -> None:
        self._past += time


def _until(is_so: Callable[[], bool]) -> None:
    """Wait for what another thread of execution does."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def _elsewhere(act: Any) -> None:  # noqa: ANN401  (a function whose result nobody needs)
    """Do something in a thread that knows nothing of the run around this call."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(act).result()
