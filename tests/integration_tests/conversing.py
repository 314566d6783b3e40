"""What processes do that converse until they are done, or killed, and say what was acknowledged to them."""

from __future__ import annotations

import asyncio
import itertools
import operator
import os
import random
import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, TypedDict

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph

from langchain_agentmem._flow import Flow, arun, run, step
from langchain_agentmem.chat_history.redis import RedisChatMessageHistory
from langchain_agentmem.chat_history.sql import SQLChatMessageHistory
from langchain_agentmem.checkpoint.redis import RedisSaver
from langchain_agentmem.checkpoint.sql import SQLSaver
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.errors import ConflictError
from tests.processes import Say

SOAK: Final = int(os.environ.get("AGENTMEM_TEST_SOAK", "1"))
"""How many times as many rounds to run, each at other random points: `make soak`."""

Durability: TypeAlias = Literal["sync", "async", "exit"]
Graph: TypeAlias = CompiledStateGraph[Any, Any, Any, Any]
History: TypeAlias = SQLChatMessageHistory | RedisChatMessageHistory

THINKING_S: Final = 0.003
"""A node that takes no time at all would hardly ever meet another run."""
TOOLS: Final = tuple(f"{stage}{number}" for stage in "abc" for number in range(3))


# -------------------------------------------------------------------------------------------------------- conversations
def open_history(url: str, session_id: str = "s", **settings: Any) -> History:
    """Return a session of whatever the URL names."""
    history_class = RedisChatMessageHistory if url.startswith("redis") else SQLChatMessageHistory
    return history_class(session_id, url=url, **settings)


def pair_of(writer: int | str, number: int) -> list[BaseMessage]:
    """Return a question and an answer; the same ones whenever they are asked for."""
    texts = [f"{writer} {2 * number + part}" for part in range(2)]
    return [HumanMessage(texts[0], id=f"id of {texts[0]}"), AIMessage(texts[1], id=f"id of {texts[1]}")]


def converse(say: Say, url: str, writer: int | str, count: int | None = None) -> None:
    """Add pairs to the session, and say the number of each once it was acknowledged."""
    with open_history(url) as history:
        for number in itertools.count() if count is None else range(count):
            history.add_messages(pair_of(writer, number))
            say(number)


# --------------------------------------------------------------------------------------------------------------- graphs
def open_saver(url: str, **settings: Any) -> StoredSaver:
    """Return a checkpointer on whatever the URL names."""
    return (RedisSaver if url.startswith("redis") else SQLSaver).from_url(url, **settings)


def on(thread_id: str) -> RunnableConfig:
    """Return the config of a thread."""
    return {"configurable": {"thread_id": thread_id}}


class Talk(MessagesState):
    """A conversation, and what was asked in it last."""

    asked: str


def answering(saver: BaseCheckpointSaver[Any]) -> Graph:
    """Return a graph of one node, which answers what was asked; two answers to one question are two messages."""
    builder = StateGraph(Talk)
    builder.add_node("answer", _answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    return builder.compile(checkpointer=saver)


def _answer(state: Talk) -> dict[str, Any]:
    assert any(message.content == state["asked"] for message in state["messages"])
    time.sleep(THINKING_S)
    return {"messages": [AIMessage(f"re {state['asked']}")]}


def question(text: str) -> dict[str, Any]:
    """Return the input of a turn; a question that is asked again is the same message."""
    return {"messages": [HumanMessage(text, id=f"id of {text}")], "asked": text}


def said_in(graph: Graph, thread_id: str = "t") -> list[str]:
    """Return the texts of a thread's messages."""
    return [str(message.content) for message in graph.get_state(on(thread_id)).values.get("messages", [])]


def asking(graph: Graph, asked: object, thread_id: str, durability: Durability = "async") -> Flow[Any]:
    """Let a graph run; return the state at its end."""
    ways = partial(graph.invoke, durability=durability), partial(graph.ainvoke, durability=durability)
    return (yield from step(ways[0], ways[1], asked, on(thread_id)))


def finish(graph: Graph, text: str, thread_id: str = "t") -> Flow[None]:
    """Do what a caller does who does not know whether a turn was taken: look, and go on with it, or begin it.

    Going on does nothing where all is done. A state that looks complete may yet consist of writes that wait for their
    checkpoint: LangGraph drops them if something new is asked instead.
    """
    state = yield from step(graph.get_state, graph.aget_state, on(thread_id))
    goes_on = state.values.get("asked") == text
    yield from asking(graph, None if goes_on else question(text), thread_id)


class Turns(NamedTuple):
    """What one process does with a thread that others use as well.

    Attributes:
        manner: Try each turn `once`, `retry` it until it is taken, or take the `lease` first.
    """

    writer: str
    size: int
    manner: Literal["once", "retry", "lease"] = "once"
    durability: Durability = "sync"
    on_conflict: Literal["raise", "fork"] = "raise"
    is_awaited: bool = False
    thread_id: str = "t"


class Turn(NamedTuple):
    """What came of a turn, and how often it was refused."""

    text: str
    is_taken: bool
    refusals: int


def take_turns(say: Say, url: str, plan: Turns) -> None:
    """Take turns, and say what came of each."""
    with open_saver(url, on_conflict=plan.on_conflict) as saver:
        taking = turns(say, saver, plan)
        asyncio.run(arun(taking)) if plan.is_awaited else run(taking)


def turns(say: Say, saver: StoredSaver, plan: Turns) -> Flow[None]:
    """Take turns with a checkpointer that is open."""
    graph, chance = answering(saver), random.Random(plan.writer)
    for number in range(plan.size):
        text = f"{plan.writer} {number}"
        refusals, is_taken = 0, False
        while not is_taken and (plan.manner == "retry" or not refusals):
            is_taken = yield from _once(saver, graph, plan, text)
            refusals += not is_taken
            if refusals:
                yield from step(time.sleep, asyncio.sleep, chance.random() * 0.01)
        say(Turn(text, is_taken, refusals))


def _once(saver: StoredSaver, graph: Graph, plan: Turns, text: str) -> Flow[bool]:
    """Try a turn; return whether it was taken."""
    turn = asking(graph, question(text), plan.thread_id, plan.durability)
    try:
        yield from _leased(saver, plan, turn) if plan.manner == "lease" else turn
    except ConflictError:
        return False
    return True


def _leased(saver: StoredSaver, plan: Turns, turn: Flow[Any]) -> Flow[None]:
    lease, alease, nothing = saver.lease(plan.thread_id), saver.alease(plan.thread_id), (None, None, None)
    yield from step(lease.__enter__, alease.__aenter__)
    try:
        yield from turn
    finally:
        yield from step(lease.__exit__, alease.__aexit__, *nothing)


def write_on(say: Say, url: str, writer: int, count: int) -> None:
    """Write pairs for tasks of one checkpoint, beside some messages that all of them write, and say which."""
    with open_saver(url) as saver:
        write_pairs(say, saver, writer, count)


def write_pairs(say: Say, saver: StoredSaver, writer: int, count: int) -> None:
    """Write with a checkpointer that is open."""
    place: RunnableConfig = {"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "1"}}
    for number in range(count):
        writes = [("messages", pair_of(writer, number)), ("shared", pair_of("all", 0))]
        saver.put_writes(place, writes, f"{writer} {number}")
        say(number)


# ---------------------------------------------------------------------------------------------------------------- tools
class _Telling(StoredSaver):
    """Says what it has acknowledged to a graph."""

    say: Say

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        found = super().put(config, checkpoint, metadata, new_versions)
        self.say(("put", checkpoint["id"], []))
        return found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        found = await super().aput(config, checkpoint, metadata, new_versions)
        self.say(("put", checkpoint["id"], []))
        return found

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        super().put_writes(config, writes, task_id, task_path)
        self.say(_writes(config, writes))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        await super().aput_writes(config, writes, task_id, task_path)
        self.say(_writes(config, writes))


def _writes(config: RunnableConfig, writes: Sequence[tuple[str, Any]]) -> tuple[str, str, list[str]]:
    done = [name for channel, value in writes if channel == "done" for name in value]
    return "writes", config["configurable"]["checkpoint_id"], done


class _TellingSQL(_Telling, SQLSaver):
    pass


class _TellingRedis(_Telling, RedisSaver):
    pass


class Work(TypedDict):
    """The tools whose results the graph has."""

    done: Annotated[list[str], operator.add]


def working(saver: BaseCheckpointSaver[Any], log: Path) -> Graph:
    """Return a graph that uses nine tools, three at a time; each writes its name to a file whenever it runs."""
    builder = StateGraph(Work)
    for place, name in enumerate(TOOLS):
        builder.add_node(name, partial(_use, name, log, (0.001, 0.003, 0.006)[place % 3]))
    for before, stage in zip(([START], TOOLS[:3], TOOLS[3:6]), (TOOLS[:3], TOOLS[3:6], TOOLS[6:]), strict=True):
        for name in stage:
            builder.add_edge(before[0] if before == [START] else list(before), name)
    return builder.compile(checkpointer=saver)


def _use(name: str, log: Path, pause_s: float, _state: Work) -> dict[str, Any]:
    with log.open("ab", buffering=0) as file:
        file.write(f"{name}\n".encode())
    time.sleep(pause_s)
    return {"done": [name]}


def work_on(graph: Graph, thread_id: str, durability: Durability) -> Flow[Any]:
    """Begin the work, or go on with it; return the state at its end."""
    state = yield from step(graph.get_state, graph.aget_state, on(thread_id))
    begins = not state.next and not state.values
    return (yield from asking(graph, {"done": []} if begins else None, thread_id, durability))


def use_tools(say: Say, url: str, job: tuple[str, Path, Durability, bool]) -> None:
    """Work to the end, and say what the checkpointer has acknowledged."""
    thread_id, log, durability, is_awaited = job
    with (_TellingRedis if url.startswith("redis") else _TellingSQL).from_url(url) as saver:
        saver.say = say
        working_on = work_on(working(saver, log), thread_id, durability)
        asyncio.run(arun(working_on)) if is_awaited else run(working_on)


def put_in(said: Iterable[tuple[str, str, list[str]]]) -> set[str]:
    """Return the ids of the checkpoints that were acknowledged."""
    return {checkpoint_id for kind, checkpoint_id, _ in said if kind == "put"}


def completed_in(said: Sequence[tuple[str, str, list[str]]]) -> set[str]:
    """Return the tools whose result and the checkpoint it belongs to were both acknowledged."""
    put = put_in(said)
    return {name for _, checkpoint_id, names in said if checkpoint_id in put for name in names}
