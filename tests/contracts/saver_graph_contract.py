"""What our checkpointers promise to LangGraph's graphs, wherever they store and in both colours."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from operator import add
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, Durability, Send, interrupt

from langchain_agentmem import transfer
from langchain_agentmem.checkpoint import SQLSaver
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.checkpoints.drafts import CONFLICT_KEY
from langchain_agentmem.errors import ConflictError, ScopeError
from langchain_agentmem.testing.savers import config_of
from tests.conftest import Call, Colour
from tests.savers import Graph, Open, PlainState, answering, delta_graph, invoke, listed, state_of, texts

CONFIG: Any = {"configurable": {"thread_id": "t"}}
DURABILITIES: list[Durability] = ["sync", "async", "exit"]


class Asked(TypedDict, total=False):
    """Who runs."""

    user_id: str


def said(text: str) -> dict[str, Any]:
    return {"messages": [HumanMessage(text, id=text)]}


class Logged(TypedDict):
    """A list that is rebuilt from what was written."""

    log: Annotated[
        list[str], DeltaChannel(lambda state, writes: [*(state or []), *(it for some in writes for it in some)])
    ]


def asking_graph(saver: Any) -> Graph:  # noqa: ANN401  (any saver will do)
    """Two nodes at once, of which one asks a question."""
    builder: Any = StateGraph(Logged)
    builder.add_node("ask", lambda _: {"log": [interrupt("?")]})
    builder.add_node("work", lambda _: {"log": ["work"]})
    builder.add_edge(START, "ask")
    builder.add_edge(START, "work")
    graph: Graph = builder.compile(checkpointer=saver)
    return graph


class SaverGraphContract:
    """Laws of graphs over every checkpointer."""

    @pytest.fixture
    def saver(self, open_saver: Open) -> StoredSaver:
        return open_saver()

    # ---------------------------------------------------------------------------------------------------- conversations
    @pytest.mark.parametrize("durability", DURABILITIES)
    async def test_a_conversation_goes_on(self, saver: StoredSaver, colour: Colour, durability: Durability) -> None:
        """Each turn continues the one before, as with LangGraph's own checkpointer."""
        ours, theirs = answering(saver), answering(InMemorySaver())  # type: ignore[arg-type]  # any saver will do
        for turn in range(12):
            for graph in (ours, theirs):
                await invoke(colour, graph, said(str(turn)), CONFIG, durability=durability)
        found, expected = [await state_of(colour, graph, CONFIG) for graph in (ours, theirs)]
        assert texts(found.values["messages"]) == texts(expected.values["messages"])
        assert (found.next, found.metadata) == (expected.next, expected.metadata)
        assert len(await listed(colour, saver, CONFIG)) == (12 if durability == "exit" else 36)

    async def test_what_was_removed_stays_removed(self, saver: StoredSaver, colour: Colour) -> None:
        """A state that shrinks, grows and changes in the middle is as it was left, at every step of its history."""
        graph = answering(saver)
        for turn in range(4):
            await invoke(colour, graph, said(str(turn)), CONFIG)
        await invoke(colour, graph, {"messages": [RemoveMessage("1"), HumanMessage("changed", id="2")]}, CONFIG)
        found = texts((await state_of(colour, graph, CONFIG)).values["messages"])
        assert found == ["0", "seen 1", "seen 3", "changed", "seen 5", "3", "seen 7", "seen 7"]
        history = [len(it.values.get("messages", ())) for it in graph.get_state_history(CONFIG)]
        assert history == [8, 7, 8, 8, 7, 6, 6, 5, 4, 4, 3, 2, 2, 1, 0]

    async def test_time_travel_branches_off(self, saver: StoredSaver, colour: Colour) -> None:
        """A run from an old checkpoint is the latest afterwards, and the other branch is still there."""
        graph = answering(saver)
        for turn in ("a", "b"):
            await invoke(colour, graph, said(turn), CONFIG)
        old = next(it for it in graph.get_state_history(CONFIG) if len(it.values.get("messages", ())) == 2)
        await invoke(colour, graph, said("c"), old.config)
        await invoke(colour, graph, said("d"), CONFIG)
        found = texts((await state_of(colour, graph, CONFIG)).values["messages"])
        assert found == ["a", "seen 1", "c", "seen 3", "d", "seen 5"]
        assert sum("b" in texts(it.values.get("messages", [])) for it in graph.get_state_history(CONFIG)) == 2

    async def test_a_state_can_be_updated(self, saver: StoredSaver, colour: Colour) -> None:
        """From outside, at the latest or at an old checkpoint, again and again, and the next run goes on from it."""
        graph = answering(saver)
        await invoke(colour, graph, said("a"), CONFIG)
        old = (await state_of(colour, graph, CONFIG)).config
        for text in ("b", "c"):
            graph.update_state(CONFIG, said(text))
        graph.update_state(old, said("d"))
        graph.update_state(old, None, as_node="__copy__")
        graph.update_state(CONFIG, said("e"))
        await invoke(colour, graph, said("f"), CONFIG)
        assert texts((await state_of(colour, graph, CONFIG)).values["messages"])[-3:] == ["e", "f", "seen 4"]

    async def test_a_list_without_ids_is_whole(self, saver: StoredSaver, colour: Colour) -> None:
        """Equal messages without ids, which an ordinary reducer keeps side by side, all come back."""

        class State(TypedDict):
            notes: Annotated[list[Any], add]

        builder = StateGraph(State)
        builder.add_node("note", lambda _: {"notes": [HumanMessage("same")]})
        builder.add_edge(START, "note")
        graph = builder.compile(checkpointer=saver)
        for _ in range(3):
            await invoke(colour, graph, {"notes": [AIMessage("in")]}, CONFIG)
        assert texts((await state_of(colour, graph, CONFIG)).values["notes"]) == ["in", "same"] * 3

    # -------------------------------------------------------------------------------------------- interrupts, subgraphs
    async def test_a_resumed_run_repeats_no_finished_call(self, saver: StoredSaver, colour: Colour) -> None:
        """What was done before an interrupt is not done again after it, also by another process."""
        calls: list[str] = []

        def work(state: PlainState) -> dict[str, Any]:
            calls.append(state["note"])
            return said(state["note"])

        def ask(state: PlainState) -> dict[str, Any]:
            return {"note": interrupt("really?" if state["messages"] else "")}

        builder = StateGraph(PlainState)
        builder.add_node("work", work)
        builder.add_node("ask", ask)
        builder.add_conditional_edges(
            START, lambda _: [Send("work", {"note": "one"}), Send("work", {"note": "two"}), "ask"]
        )
        graph = builder.compile(checkpointer=saver)
        await invoke(colour, graph, said("go"), CONFIG)
        assert (await state_of(colour, graph, CONFIG)).interrupts[0].value == "really?"
        saver._setting.cache.forget("t")
        done = await invoke(colour, graph, Command(resume="yes"), CONFIG)
        assert (sorted(calls), done["note"]) == (["one", "two"], "yes")
        assert len(done["messages"]) == 3

    @pytest.mark.parametrize("durability", DURABILITIES)
    async def test_a_failed_run_goes_on_where_it_failed(
        self, saver: StoredSaver, colour: Colour, durability: Durability
    ) -> None:
        """The task that finished is not repeated; the one that failed is."""
        calls: list[str] = []

        def good(state: PlainState) -> dict[str, Any]:
            calls.append("good" if state["messages"] else "")
            return {"note": "done"}

        def bad(state: PlainState) -> dict[str, Any]:
            calls.append("bad" if state["messages"] else "")
            if calls.count("bad") == 1:
                while "good" not in calls:
                    time.sleep(0.001)
                time.sleep(0.05)  # the other one finishes first
                raise ZeroDivisionError
            return said("saved")

        builder = StateGraph(PlainState)
        for node in (good, bad):
            builder.add_node(node)
            builder.add_edge(START, node.__name__)
        graph = builder.compile(checkpointer=saver)
        with pytest.raises(ZeroDivisionError):
            await invoke(colour, graph, said("go"), CONFIG, durability=durability)
        done = await invoke(colour, graph, None, CONFIG, durability=durability)
        assert (done["note"], texts(done["messages"])) == ("done", ["go", "saved"])
        assert sorted(calls) == ["bad", "bad", "good"]

    @pytest.mark.parametrize("keeps", [None, True], ids=["per run", "with a memory"])
    async def test_a_subgraph_is_resumed_inside_its_parent(
        self,
        saver: StoredSaver,
        colour: Colour,
        keeps: bool | None,  # noqa: FBT001  (LangGraph's own switch)
    ) -> None:
        """Its own namespace is read and written under the guard, run after run."""
        inner = StateGraph(PlainState)
        inner.add_node("ask", lambda _: {"note": interrupt("?")})
        inner.add_edge(START, "ask")
        outer = StateGraph(PlainState)
        outer.add_node("inner", inner.compile(checkpointer=keeps))
        outer.add_edge(START, "inner")
        graph = outer.compile(checkpointer=saver)
        for turn in ("one", "two"):
            await invoke(colour, graph, said(turn), CONFIG)
            done = await invoke(colour, graph, Command(resume=turn), CONFIG)
            assert done["note"] == turn
        assert len({it.config["configurable"]["checkpoint_ns"] for it in await listed(colour, saver, CONFIG)}) > 1
        old = next(it for it in graph.get_state_history(CONFIG) if it.next == ("inner",))
        await invoke(colour, graph, None, old.config)
        assert (await invoke(colour, graph, Command(resume="again"), CONFIG))["note"] == "again"

    @pytest.mark.parametrize("durability", DURABILITIES)
    async def test_a_subgraph_with_a_memory_is_replayed_from_before_it_began(
        self, saver: StoredSaver, colour: Colour, durability: Durability
    ) -> None:
        """It begins anew though it has a later history: a branch on purpose, and no conflict."""
        outer = StateGraph(PlainState)
        outer.add_node("inner", answering(saver=True))  # type: ignore[arg-type]  # a memory of its own
        outer.add_edge(START, "inner")
        graph = outer.compile(checkpointer=saver)
        await invoke(colour, graph, said("one"), CONFIG, durability="sync")
        old = next(it for it in graph.get_state_history(CONFIG) if it.next == ("inner",))
        for _ in range(2):
            again = await invoke(colour, graph, None, old.config, durability=durability)
            assert texts(again["messages"]) == ["one", "seen 1"]
        after = await invoke(colour, graph, said("two"), CONFIG, durability=durability)
        assert texts(after["messages"]) == ["one", "seen 1", "two", "seen 3"]

    # ----------------------------------------------------------------------------------------------------- DeltaChannel
    @pytest.mark.parametrize("is_file", [True, False], ids=["file", "copy"])
    async def test_a_thread_moved_at_an_interrupt_goes_on_in_the_same_order(
        self,
        saver: StoredSaver,
        call: Call,
        colour: Colour,
        tmp_path: Path,
        is_file: bool,  # noqa: FBT001  (a parameter)
    ) -> None:
        """What the task writes that is run again comes where it belongs among what the others had written before."""
        graph, target = asking_graph(saver), SQLSaver.from_url("sqlite://")
        await invoke(colour, graph, {"log": ["go"]}, CONFIG)
        if is_file:
            await call(transfer, "export_thread", saver, "t", tmp_path / "t.jsonl")
            await call(transfer, "import_thread", saver, tmp_path / "t.jsonl", thread_id="u")
        else:
            await call(transfer, "copy_checkpoints", saver, target)
        moved: Any = {"configurable": {"thread_id": "u"}} if is_file else CONFIG
        graphs = [(graph, CONFIG), (asking_graph(saver if is_file else target), moved)]
        ends = []
        for each, config in graphs:
            await invoke(colour, each, Command(resume="yes"), config)
            ends.append((await state_of(colour, each, config)).values["log"])
        target.close()
        assert ends == [["go", "yes", "work"]] * 2

    @pytest.mark.parametrize("durability", DURABILITIES)
    async def test_a_delta_channel_is_rebuilt(self, saver: StoredSaver, colour: Colour, durability: Durability) -> None:
        """Also after pruning, in a copy, after a rollback, and on a branch, at every step."""
        graph = delta_graph(saver)
        for turn in range(6):
            await invoke(colour, graph, {"items": [f"i{turn}"]}, CONFIG, durability=durability)
        whole = (await state_of(colour, graph, CONFIG)).values["items"]
        assert len(whole) == 12
        saver.copy_thread("t", "u")
        saver.prune(["t"])
        for thread in ("t", "u"):
            assert (await state_of(colour, graph, config_of(thread))).values["items"] == whole
            await invoke(colour, graph, {"items": ["more"]}, config_of(thread), durability=durability)
        old = list(graph.get_state_history(config_of("u")))[-1 if durability == "exit" else -4]
        saver.rollback("u", old.config["configurable"]["checkpoint_id"])
        assert (await state_of(colour, graph, config_of("u"))).values.get("items") == old.values.get("items")

    # ------------------------------------------------------------------------------------------------------ two writers
    @pytest.mark.parametrize("durability", DURABILITIES)
    @pytest.mark.parametrize("is_new", [True, False], ids=["new", "old"])
    async def test_the_second_of_two_runs_gets_an_error(
        self,
        saver: StoredSaver,
        colour: Colour,
        durability: Durability,
        is_new: bool,  # noqa: FBT001  (a parameter)
    ) -> None:
        """Whoever goes on from what is not the latest any more is told so, and what the first wrote is kept."""
        plain = answering(saver)
        if not is_new:
            await invoke(colour, plain, said("before"), CONFIG)
        graph = answering(saver, lambda _: _meanwhile(plain, saver, durability))
        with pytest.raises(ConflictError, match="lease"):
            await invoke(colour, graph, said("slow"), CONFIG, durability=durability)
        found = texts((await state_of(colour, plain, CONFIG)).values["messages"])
        assert "quick" in found
        await invoke(colour, plain, said("after"), CONFIG)
        assert "after" in texts((await state_of(colour, plain, CONFIG)).values["messages"])

    @pytest.mark.parametrize("durability", DURABILITIES)
    async def test_two_runs_can_both_be_kept(self, open_saver: Open, colour: Colour, durability: Durability) -> None:
        """As branches: the later checkpoint is the head, and the metadata of its branch says what it passed over."""
        saver = open_saver(on_conflict="fork")
        plain = answering(saver)
        await invoke(colour, plain, said("before"), CONFIG)
        graph = answering(saver, lambda _: _meanwhile(plain, saver, durability))
        await invoke(colour, graph, said("slow"), CONFIG, durability=durability)
        found = await listed(colour, saver, CONFIG)
        held = [texts(it.checkpoint["channel_values"].get("messages", [])) for it in found]
        assert any("quick" in it for it in held)
        assert any("slow" in it for it in held)
        assert any(CONFLICT_KEY in it.metadata for it in found)
        assert "slow" in texts((await state_of(colour, plain, CONFIG)).values["messages"])

    @pytest.mark.parametrize("on_conflict", ["raise", "fork"])
    @pytest.mark.parametrize("is_new", [True, False], ids=["new", "old"])
    async def test_a_run_on_a_thread_that_was_deleted_gets_an_error(
        self,
        open_saver: Open,
        colour: Colour,
        is_new: bool,  # noqa: FBT001  (a parameter)
        on_conflict: str,
    ) -> None:
        """Who deletes a thread finds no checkpoint of it afterwards, though a run, even the first, was on its way."""
        saver = open_saver(on_conflict=on_conflict)
        if not is_new:
            await invoke(colour, answering(saver), said("before"), CONFIG)
        graph = answering(saver, lambda _: _elsewhere(lambda: saver.delete_thread("t")))
        with pytest.raises(ConflictError, match="deleted"):
            await invoke(colour, graph, said("slow"), CONFIG, durability="sync" if is_new else "exit")
        assert await listed(colour, saver, CONFIG) == []

    # ----------------------------------------------------------------------------------------------------------- owners
    async def test_a_run_sees_only_its_users_threads(self, saver: StoredSaver, colour: Colour) -> None:
        """The user of the context binds the thread with the first run; another's run is refused before it begins."""
        seen: list[int] = []

        def answer(state: MessagesState) -> dict[str, Any]:
            seen.append(len(state["messages"]))
            return said("answer")

        builder = StateGraph(MessagesState, context_schema=Asked)
        builder.add_node("answer", answer)
        builder.add_edge(START, "answer")
        graph: Graph = builder.compile(checkpointer=saver)
        await invoke(colour, graph, said("a"), CONFIG, context={"user_id": "alice"})
        with pytest.raises(ScopeError, match="another user"):
            await invoke(colour, graph, said("b"), CONFIG, context={"user_id": "bob"})
        await invoke(colour, graph, said("c"), CONFIG, context={"user_id": "alice"})
        assert seen == [1, 3]
        assert [(it.thread_id, it.user_id) for it in saver.threads()] == [("t", "alice")]


def _meanwhile(graph: Graph, saver: StoredSaver, durability: Durability) -> None:
    """Let another run come and go on the same thread while a node runs."""
    deadline = time.monotonic() + 60
    while durability == "async" and not _has_stored_its_input(saver):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    _elsewhere(lambda: graph.invoke(said("quick"), CONFIG, durability="sync"))


def _has_stored_its_input(saver: StoredSaver) -> bool:
    """Whether what a run puts before its first node is there: what comes later is put only after the node."""
    heads = [it for it in saver.history("t") if it.is_head]
    return bool(heads) and heads[0].source == "loop" and (heads[0].step or 0) % 3 == 0


def _elsewhere(act: Any) -> None:  # noqa: ANN401  (a function whose result nobody needs)
    """Do something in a thread that knows nothing of the run around this call."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(act).result()
