"""What moving threads promises, from any checkpointer to any other: a fixture `source`, a fixture `target`."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypedDict

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt

from langchain_agentmem import transfer
from langchain_agentmem.errors import ConfigurationError, IntegrityError, NotFoundError
from langchain_agentmem.transfer import Transfer
from tests.conftest import Call
from tests.contracts.thread_contract import AsGraph, Graph, folded, graph_of

Saver: TypeAlias = BaseCheckpointSaver[Any]
CONFIG: RunnableConfig = {"configurable": {"thread_id": "t"}}


class State(TypedDict, total=False):
    """Every kind of channel."""

    messages: Annotated[list[AnyMessage], add_messages]
    log: Annotated[list[str], DeltaChannel(lambda state, writes: [*state, *(line for it in writes for line in it)])]
    notes: Annotated[list[AnyMessage], DeltaChannel(folded, snapshot_frequency=2)]
    facts: dict[str, Any]
    total: Annotated[int, operator.add]
    pair: tuple[int, str]


class Inner(TypedDict, total=False):
    """The state of the subgraph."""

    messages: Annotated[list[AnyMessage], add_messages]
    pair: tuple[int, str]


def first(state: dict[str, Any]) -> dict[str, Any]:
    said = len(state["messages"])
    return {"messages": [AIMessage(f"first {said}")], "log": ["first"], "total": 1, "facts": {"ä": [1, None, 2.5]}}


def second(_: dict[str, Any]) -> dict[str, Any]:
    return {"log": ["second"], "notes": [HumanMessage("n")]}


def third(_: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [AIMessage("third")], "pair": (1, "x")}


def asking(_: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [HumanMessage(interrupt("really?"))], "log": ["asked"]}


def rich_graph(saver: Saver) -> Graph:
    """A graph with parallel nodes, a subgraph, deltas, and a question to a human."""
    inner: Any = StateGraph(Inner)
    inner.add_node("third", third)
    inner.add_edge(START, "third")
    builder: Any = StateGraph(State)
    builder.add_node("first", first)
    builder.add_node("second", second)
    builder.add_node("inner", inner.compile(checkpointer=True))
    builder.add_node("asking", asking)
    builder.add_edge(START, "first")
    builder.add_edge(START, "second")
    builder.add_edge(START, "inner")
    builder.add_edge(["first", "second", "inner"], "asking")
    builder.add_edge("asking", END)
    graph: Graph = builder.compile(checkpointer=saver)
    return graph


async def rich_thread(saver: Saver, call: Call) -> Graph:
    """A thread of two turns, a fork, an update by hand, and a question that is still open."""
    graph = rich_graph(saver)
    await call(AsGraph(graph), "say", "one")
    await call(AsGraph(graph), "resume", "yes")
    early = await call(graph, "get_state", CONFIG)
    await call(graph, "update_state", CONFIG, {"messages": [HumanMessage("by hand")], "log": ["hand"]}, as_node="first")
    await call(graph, "update_state", early.config, {"total": 5}, as_node="asking")
    await call(AsGraph(graph), "say", "two")
    return graph


async def tuples(saver: Saver, call: Call, thread_id: str = "t") -> dict[tuple[str, str], CheckpointTuple]:
    """Everything of a thread, by namespace and id."""
    config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
    listed = await call(Listed(saver), "all", config)
    return {(it.config["configurable"]["checkpoint_ns"], it.checkpoint["id"]): it for it in listed}


class Listed:
    """A listing in both colours, for `call`."""

    def __init__(self, saver: Saver) -> None:
        self._saver = saver

    def all(self, config: RunnableConfig) -> list[CheckpointTuple]:
        return list(self._saver.list(config))

    async def aall(self, config: RunnableConfig) -> list[CheckpointTuple]:
        return [it async for it in self._saver.alist(config)]


def content(found: CheckpointTuple) -> Any:  # noqa: ANN401
    """What must be equal of two checkpoints: JSON has no tuples, so metadata are compared as JSON."""
    parent = found.parent_config["configurable"]["checkpoint_id"] if found.parent_config else None
    names = ("v", "id", "ts", "channel_versions", "versions_seen", "updated_channels")
    checkpoint = {name: found.checkpoint.get(name) for name in names}
    return checkpoint, parent, found.pending_writes, json.loads(json.dumps(found.metadata))


class TransferContract:
    """Laws of `copy_checkpoints`, `export_thread` and `import_thread`."""

    @pytest.fixture(params=["copy", "file"])
    def move(self, request: pytest.FixtureRequest, call: Call, tmp_path: Path) -> Callable[..., Any]:
        async def by_copy(source: Saver, target: Saver) -> Transfer:
            done: Transfer = await call(transfer, "copy_checkpoints", source, target, ["t"])
            return done

        async def by_file(source: Saver, target: Saver) -> Transfer:
            await call(transfer, "export_thread", source, "t", tmp_path / "t.jsonl")
            done: Transfer = await call(transfer, "import_thread", target, tmp_path / "t.jsonl")
            return done

        return by_copy if request.param == "copy" else by_file

    async def test_a_thread_is_moved_whole(
        self, source: Saver, target: Saver, move: Callable[..., Any], call: Call
    ) -> None:
        """Every checkpoint of every namespace, with parent, metadata, and writes in their order."""
        await rich_thread(source, call)
        done = await move(source, target)
        there, here = await tuples(source, call), await tuples(target, call)
        assert (done.threads, done.found, done.added, done.present) == (1, len(there), len(there), 0)
        assert len({ns for ns, _ in there}) > 1
        assert here.keys() == there.keys()
        for key, found in there.items():
            assert content(here[key]) == content(found)

    async def test_every_state_of_the_history_is_the_same(
        self, source: Saver, target: Saver, move: Callable[..., Any], call: Call
    ) -> None:
        """Also those of delta channels, which are replayed from writes and snapshots."""
        graph = await rich_thread(source, call)
        await move(source, target)
        copied = rich_graph(target)
        for config in [it.config for it in (await tuples(source, call)).values()]:
            if config["configurable"]["checkpoint_ns"] == "":
                place: RunnableConfig = {"configurable": {**CONFIG["configurable"], **_id_of(config)}}
                there, here = [await call(it, "get_state", place) for it in (graph, copied)]
                assert (here.values, here.next, here.interrupts) == (there.values, there.next, there.interrupts)

    async def test_a_moved_thread_goes_on(
        self, source: Saver, target: Saver, move: Callable[..., Any], call: Call
    ) -> None:
        """The open question is answered, and both threads end in the same way."""
        graph = await rich_thread(source, call)
        await move(source, target)
        copied = rich_graph(target)
        ends = []
        for each in (graph, copied):
            await call(AsGraph(each), "resume", "sure")
            values = (await call(each, "get_state", CONFIG)).values
            ends.append(([message.content for message in values["messages"]], values["log"], values["total"]))
        assert ends[0] == ends[1]
        assert ends[0][0][-1] == "sure"

    async def test_a_message_with_fields_that_do_not_fit_is_moved(
        self, source: Saver, target: Saver, move: Callable[..., Any], call: Call
    ) -> None:
        """A checkpointer stores what nodes return unchecked, as a copy with a usage that is none: all of it moves."""
        no_usage = AIMessage("pong", id="1").model_copy(update={"usage_metadata": {"total_cost": 0}})
        no_text = AIMessage("", id="2").model_copy(update={"content": None})
        await call(rich_graph(source), "update_state", CONFIG, {"messages": [no_usage, no_text]}, as_node="first")
        await move(source, target)
        found = (await call(rich_graph(target), "get_state", CONFIG)).values["messages"]
        assert [(type(message), message.content) for message in found] == [(AIMessage, "pong"), (AIMessage, None)]

    async def test_a_second_run_adds_nothing_and_a_later_one_what_came_since(
        self, source: Saver, target: Saver, move: Callable[..., Any], call: Call
    ) -> None:
        """It can be repeated, and continued."""
        graph = await rich_thread(source, call)
        first = await move(source, target)
        again = await move(source, target)
        assert (again.added, again.writes, again.present) == (0, 0, first.added)
        await call(AsGraph(graph), "resume", "sure")
        later = await move(source, target)
        assert (later.added > 0, later.present, later.found) == (True, first.added, first.added + later.added)
        there, here = await tuples(source, call), await tuples(target, call)
        assert {key: content(it)[0] for key, it in here.items()} == {key: content(it)[0] for key, it in there.items()}

    async def test_a_dry_run_counts_and_writes_nothing(self, source: Saver, target: Saver, call: Call) -> None:
        """The account is that of the run that follows."""
        await rich_thread(source, call)
        tried = await call(transfer, "copy_checkpoints", source, target, ["t"], dry_run=True)
        assert await tuples(target, call) == {}
        done = await call(transfer, "copy_checkpoints", source, target, ["t"])
        assert (tried.found, tried.added, tried.writes) == (done.found, done.added, done.writes)

    async def test_all_threads_are_copied_unless_some_are_named(self, source: Saver, target: Saver, call: Call) -> None:
        """Each under its own id, compared exactly."""
        names = ["a", "A", "b"]
        for name in names:
            config: RunnableConfig = {"configurable": {"thread_id": name}}
            await call(graph_of(source), "invoke", {"messages": [("user", f"of {name}")]}, config)
        some = await call(transfer, "copy_checkpoints", source, target, ["b", "unknown"])
        assert (some.threads, [refusal.thread_id for refusal in some.refused]) == (1, ["unknown"])
        every = await call(transfer, "copy_checkpoints", source, target)
        assert (every.threads, every.found, every.present) == (3, 3 * some.found, some.found)
        for name in names:
            config = {"configurable": {"thread_id": name}}
            assert (await call(graph_of(target), "get_state", config)).values["messages"][0].content == f"of {name}"

    async def test_two_histories_do_not_become_one(self, source: Saver, target: Saver, call: Call) -> None:
        """A thread that went its own way in the target is refused, and stays as it is."""
        for saver in (source, target):
            await call(AsGraph(graph_of(saver)), "say", "hi")
        before = await tuples(target, call)
        done = await call(transfer, "copy_checkpoints", source, target)
        assert (done.threads, done.added, [it.thread_id for it in done.refused]) == (0, 0, ["t"])
        assert (await tuples(target, call)).keys() == before.keys()

    async def test_a_damaged_file_is_imported_not_at_all(
        self, source: Saver, target: Saver, call: Call, tmp_path: Path
    ) -> None:
        """Cut off, changed, or with lines lost or swapped: the error names the line, and nothing is there."""
        await call(AsGraph(graph_of(source)), "say", "hi")
        file = tmp_path / "t.jsonl"
        await call(transfer, "export_thread", source, "t", file)
        lines = file.read_bytes().splitlines(keepends=True)
        damaged = {
            len(lines): b"".join(lines)[:-9],
            len(lines) - 1: b"".join([*lines[:-2], lines[-1]]),
            2: b"".join([lines[0], lines[1].replace(b'"parent":null', b'"parent":"x"'), *lines[2:]]),
            1: b"".join(lines[1:]),
        }
        for number, text in damaged.items():
            file.write_bytes(text)
            with pytest.raises(IntegrityError, match=rf"line {number} of"):
                await call(transfer, "import_thread", target, file)
        file.write_bytes(b"".join(lines[:-1]))
        with pytest.raises(IntegrityError, match="cut off"):
            await call(transfer, "import_thread", target, file)
        assert await tuples(target, call) == {}

    async def test_a_thread_can_be_imported_under_another_name(
        self, source: Saver, target: Saver, call: Call, tmp_path: Path
    ) -> None:
        """Beside the one it was exported from."""
        await call(AsGraph(graph_of(source)), "say", "hi")
        await call(transfer, "export_thread", source, "t", tmp_path / "t.jsonl")
        await call(transfer, "import_thread", target, tmp_path / "t.jsonl", thread_id="copy")
        assert len(await tuples(target, call, "copy")) == len(await tuples(source, call))
        assert await tuples(target, call) == {}

    async def test_what_is_not_there_is_named(self, source: Saver, target: Saver, call: Call, tmp_path: Path) -> None:
        """A thread to export; a str is no collection of threads, nor is a number."""
        with pytest.raises(NotFoundError, match="'nobody'"):
            await call(transfer, "export_thread", source, "nobody", tmp_path / "t.jsonl")
        for wrong in ("abc", 5):
            with pytest.raises(ConfigurationError, match=f"thread_ids .*{wrong!r}"):
                await call(transfer, "copy_checkpoints", source, target, wrong)


def _id_of(config: RunnableConfig) -> dict[str, str]:
    return {"checkpoint_id": config["configurable"]["checkpoint_id"]}
