"""What a LangGraph thread as a chat history promises, with every checkpointer and in both colours."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias, TypedDict

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    ToolMessage,
)
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Overwrite, interrupt

from langchain_agentmem._flow import arun, run
from langchain_agentmem.errors import ConfigurationError, ConflictError, ScopeError
from langchain_agentmem.thread_history import ThreadChatMessageHistory, ThreadSessions
from langchain_agentmem.types import Scope
from langchain_agentmem.wrapping import create_history_runnable
from tests.conftest import Call, Colour

Saver: TypeAlias = BaseCheckpointSaver[Any]
Graph: TypeAlias = CompiledStateGraph[Any, Any, Any, Any]
ALICE = Scope("alice", session_id="t")
CONFIG: RunnableConfig = {"configurable": {"thread_id": "t"}}
PROMPT = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{input}")])


def folded(state: list[AnyMessage], writes: Sequence[Any]) -> list[AnyMessage]:
    """A reducer for `DeltaChannel`: what `add_messages` does, over many writes."""
    for write in writes:
        state = add_messages(state, write)  # type: ignore[assignment, arg-type]  # its types are wider than a state's
    return state


class State(TypedDict, total=False):
    """The usual state of a conversation, and a channel beside it."""

    messages: Annotated[list[AnyMessage], add_messages]
    turns: int


class DeltaState(TypedDict, total=False):
    """The same with messages that are stored as deltas."""

    messages: Annotated[list[AnyMessage], DeltaChannel(folded, snapshot_frequency=3)]
    turns: int


def answer(state: dict[str, Any]) -> dict[str, Any]:
    said = [str(message.content) for message in state.get("messages", [])]
    return {"messages": [AIMessage(f"heard {len(said)}: {said[-1]}")], "turns": state.get("turns", 0) + 1}


def graph_of(saver: Saver, state: type = State, *, asks: bool = False) -> Graph:
    """A graph that answers, and asks a human first where it is told to."""
    builder: Any = StateGraph(state)  # of two schemas: its types are no help here
    builder.add_node("answer", answer)
    builder.add_node("ask", lambda _: {"messages": [HumanMessage(interrupt("really?"))]})
    builder.add_edge(START, "ask" if asks else "answer")
    builder.add_edge("ask", "answer")
    builder.add_edge("answer", END)
    graph: Graph = builder.compile(checkpointer=saver)
    return graph


def texts(messages: Sequence[BaseMessage]) -> list[object]:
    return [message.content for message in messages]


class ThreadHistoryContract:
    """Laws of `ThreadChatMessageHistory` and `ThreadSessions`; a fixture `saver` gives the checkpointer."""

    @pytest.fixture
    def history(self, saver: Saver) -> ThreadChatMessageHistory:
        return ThreadChatMessageHistory(saver, "t")

    async def test_an_empty_thread_is_an_empty_history(self, history: ThreadChatMessageHistory, call: Call) -> None:
        """A thread that nobody used has no messages."""
        assert await call(history, "get_messages") == []
        assert await call(history, "count") == 0

    async def test_what_is_added_comes_back_whole(self, history: ThreadChatMessageHistory, call: Call) -> None:
        """Ids, names, tool calls, blocks and artifacts are what they were, and chunks are whole messages."""
        said = [
            HumanMessage([{"type": "text", "text": "hi"}], id="1", name="ann"),
            AIMessage("", id="2", tool_calls=[{"name": "f", "args": {"x": 1}, "id": "c", "type": "tool_call"}]),
            ToolMessage("3", tool_call_id="c", id="3", artifact={"rows": [1, 2]}),
        ]
        await call(history, "add_messages", [*said, AIMessageChunk(content="done", id="4")])
        assert await call(history, "get_messages") == [*said, AIMessage("done", id="4")]

    async def test_a_retry_doubles_nothing(self, history: ThreadChatMessageHistory, call: Call, saver: Saver) -> None:
        """Messages get their ids before anything is written; what the thread holds already is left as it is."""
        said = [HumanMessage("a"), HumanMessage("b")]
        await call(history, "add_messages", said)
        await call(history, "add_messages", said)
        await call(history, "add_messages", [HumanMessage("changed", id=said[0].id), *said])
        assert texts(await call(history, "get_messages")) == ["a", "b"]

    async def test_of_one_id_in_a_call_the_first_message_counts(
        self, history: ThreadChatMessageHistory, call: Call
    ) -> None:
        """Order is that of the first occurrence."""
        said = [HumanMessage("a", id="1"), HumanMessage("b", id="2"), HumanMessage("c", id="1")]
        await call(history, "add_messages", said)
        assert texts(await call(history, "get_messages")) == ["a", "b"]

    async def test_the_end_can_be_read_alone(self, history: ThreadChatMessageHistory, call: Call) -> None:
        """`last`, `count`, `page` and `search` read the same messages as `messages`."""
        await call(history, "add_messages", [HumanMessage(f"number {number}") for number in range(5)])
        assert texts(await call(history, "last", 2)) == ["number 3", "number 4"]
        assert await call(history, "count") == 5
        first = await call(history, "page", limit=3)
        assert (len(first.messages), first.next_after) == (3, 3)
        rest = await call(history, "page", after=first.next_after, limit=3)
        assert (texts(rest.messages), rest.next_after) == (["number 3", "number 4"], None)
        assert texts(await call(history, "search", "NUMBER 4")) == ["number 4"]

    async def test_what_is_no_message_changes_nothing(self, history: ThreadChatMessageHistory, call: Call) -> None:
        """All of a call is added or nothing of it."""
        for wrong in ([HumanMessage("a"), "b"], [RemoveMessage(id="1")], "text"):
            with pytest.raises(ConfigurationError):
                await call(history, "add_messages", wrong)
        assert await call(history, "count") == 0

    @pytest.mark.parametrize("state", [State, DeltaState])
    async def test_a_graph_continues_what_a_history_began(
        self, history: ThreadChatMessageHistory, call: Call, saver: Saver, state: type
    ) -> None:
        """The next run of a graph sees the messages, and no node was due because of them."""
        graph = graph_of(saver, state)
        await call(history, "add_messages", [HumanMessage("one"), AIMessage("two")])
        assert (await self.state(graph, call)).next == ()
        await call(AsGraph(graph), "say", "three")
        assert texts(await call(history, "get_messages")) == ["one", "two", "three", "heard 3: three"]

    @pytest.mark.parametrize("state", [State, DeltaState])
    async def test_a_history_continues_what_a_graph_began(
        self, history: ThreadChatMessageHistory, call: Call, saver: Saver, state: type
    ) -> None:
        """Turns of graph and chain alternate as long as they like; other channels stay as they are."""
        graph = graph_of(saver, state)
        expected: list[object] = []
        for turn in range(4):
            await call(AsGraph(graph), "say", f"graph {turn}")
            expected += [f"graph {turn}", f"heard {len(expected) + 1}: graph {turn}"]
            await call(history, "add_messages", [HumanMessage(f"chain {turn}"), AIMessage("ok")])
            expected += [f"chain {turn}", "ok"]
        assert texts(await call(history, "get_messages")) == expected
        values = (await self.state(graph, call)).values
        assert (texts(values["messages"]), values["turns"]) == (expected, 4)

    async def test_deltas_are_replayed_as_the_graph_replays_them(
        self, history: ThreadChatMessageHistory, call: Call, saver: Saver
    ) -> None:
        """Removals, replacements and `Overwrite` of a `DeltaChannel` are seen."""
        graph = graph_of(saver, DeltaState)
        writes: list[Any] = [
            [HumanMessage("a", id="a"), HumanMessage("b", id="b")],
            HumanMessage("b2", id="b"),
            [RemoveMessage(id="a"), HumanMessage("c")],
            Overwrite([HumanMessage("d", id="d")]),
            [RemoveMessage(id=REMOVE_ALL_MESSAGES), HumanMessage("e", id="e")],
        ]
        for write in writes:
            await call(AsGraph(graph), "update", {"messages": write})
            assert await call(history, "get_messages") == (await self.state(graph, call)).values["messages"]

    async def test_a_thread_that_waits_for_a_human_takes_no_messages(
        self, history: ThreadChatMessageHistory, call: Call, saver: Saver
    ) -> None:
        """A run in its middle would lose what its tasks have done; once it has ended, the history goes on."""
        graph = graph_of(saver, asks=True)
        await call(AsGraph(graph), "say", "hi")
        with pytest.raises(ConflictError, match="in the middle of a run"):
            await call(history, "add_messages", [HumanMessage("too early")])
        await call(AsGraph(graph), "resume", "yes")
        await call(history, "add_messages", [HumanMessage("now")])
        assert texts(await call(history, "last", 3)) == ["yes", "heard 2: yes", "now"]

    async def test_a_wrapped_chain_and_a_graph_hold_one_conversation(
        self, saver: Saver, call: Call, colour: Colour
    ) -> None:
        """`ThreadSessions` is all that a wrapped chain needs."""
        chain = create_history_runnable(
            PROMPT | FakeListChatModel(responses=["chain"]),
            ThreadSessions(saver),
            input_messages_key="input",
            history_messages_key="history",
        )
        config: RunnableConfig = {"configurable": {"user_id": "alice", "session_id": "t"}}
        for text in ("one", "two"):
            if colour == "sync":
                chain.invoke({"input": text}, config)
            else:
                await chain.ainvoke({"input": text}, config)
        graph = graph_of(saver)
        await call(AsGraph(graph), "say", "three")
        messages = (await self.state(graph, call)).values["messages"]
        assert texts(messages) == ["one", "chain", "two", "chain", "three", "heard 5: three"]

    async def test_a_cleared_thread_is_gone(self, history: ThreadChatMessageHistory, call: Call, saver: Saver) -> None:
        """Its checkpoints are deleted, those of other threads are not; it can begin anew."""
        other = ThreadChatMessageHistory(saver, "other")
        for each in (history, other):
            await call(each, "add_messages", [HumanMessage("hi")])
        await call(history, "clear")
        assert await call(saver, "get_tuple", CONFIG) is None
        await call(history, "add_messages", [HumanMessage("again")])
        assert (await call(history, "count"), await call(other, "count")) == (1, 1)

    async def state(self, graph: Graph, call: Call) -> Any:  # noqa: ANN401  (LangGraph's snapshot)
        return await call(graph, "get_state", CONFIG)


class OwnerContract:
    """Laws about users, for checkpointers that keep what the configuration names."""

    async def test_a_thread_of_another_user_is_refused(self, saver: Saver, call: Call) -> None:
        """Two users whose sessions have one name do not read or change each other's thread."""
        sessions = ThreadSessions(saver)
        alice, bob = (AsSessions(sessions, Scope(user, session_id="t")) for user in ("alice", "bob"))
        await call(alice, "append", [HumanMessage("mine")])
        for name, *arguments in (("append", [HumanMessage("his")]), ("read",), ("clear",)):
            with pytest.raises(ScopeError):
                await call(bob, name, *arguments)
        assert texts(await call(alice, "read")) == ["mine"]


class SharedThreadContract:
    """Laws about several writers, for checkpointers that detect conflicts."""

    async def test_writers_at_once_lose_nothing(self, saver: Saver, call: Call, colour: Colour) -> None:
        """From the very first message on, which nobody has read a checkpoint before."""
        histories = [ThreadChatMessageHistory(saver, "t") for _ in range(4)]
        said = [[HumanMessage(f"{writer}-{turn}") for turn in range(3)] for writer in range(4)]

        def write(writer: int) -> None:
            for message in said[writer]:
                histories[writer].add_messages([message])

        async def awrite(writer: int) -> None:
            for message in said[writer]:
                await histories[writer].aadd_messages([message])

        each = (awrite(writer) if colour == "async" else asyncio.to_thread(write, writer) for writer in range(4))
        await asyncio.gather(*each)
        found = texts(await call(histories[0], "get_messages"))
        assert sorted(map(str, found)) == sorted(str(message.content) for turn in said for message in turn)
        assert [text for text in found if str(text).startswith("0")] == texts(said[0])


class AsSessions:
    """A port's flows as a pair of methods, for `call`."""

    def __init__(self, sessions: ThreadSessions, scope: Scope) -> None:
        self._sessions, self._scope = sessions, scope

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (any method)
        flow = getattr(self._sessions, name, None)
        if flow is not None:
            return lambda *arguments: run(flow(self._scope, *arguments))
        flow = getattr(self._sessions, name[1:])
        return lambda *arguments: arun(flow(self._scope, *arguments))


class AsGraph:
    """A graph's turn in both colours, for `call`."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def say(self, text: str) -> Any:  # noqa: ANN401  (a state)
        return self._graph.invoke({"messages": [("user", text)]}, CONFIG)

    async def asay(self, text: str) -> Any:  # noqa: ANN401
        return await self._graph.ainvoke({"messages": [("user", text)]}, CONFIG)

    def resume(self, value: object) -> Any:  # noqa: ANN401
        return self._graph.invoke(Command(resume=value), CONFIG)

    async def aresume(self, value: object) -> Any:  # noqa: ANN401
        return await self._graph.ainvoke(Command(resume=value), CONFIG)

    def update(self, values: dict[str, Any]) -> Any:  # noqa: ANN401
        return self._graph.update_state(CONFIG, values, as_node="answer")

    async def aupdate(self, values: dict[str, Any]) -> Any:  # noqa: ANN401
        return await self._graph.aupdate_state(CONFIG, values, as_node="answer")
