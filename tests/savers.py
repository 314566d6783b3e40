"""What tests of checkpointers share: graphs and colours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph

from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.testing import Call, savers
from tests.conftest import Colour

Graph: TypeAlias = CompiledStateGraph[Any, Any, Any, Any]
Open: TypeAlias = Callable[..., StoredSaver]


async def listed(colour: Colour, saver: StoredSaver, *args: Any, **kwargs: Any) -> list[CheckpointTuple]:
    return await savers.listed(Call(colour), saver, *args, **kwargs)


async def invoke(colour: Colour, graph: Graph, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (a state)
    return graph.invoke(*args, **kwargs) if colour == "sync" else await graph.ainvoke(*args, **kwargs)


async def state_of(colour: Colour, graph: Graph, config: RunnableConfig) -> Any:  # noqa: ANN401  (a StateSnapshot)
    return graph.get_state(config) if colour == "sync" else await graph.aget_state(config)


def answering(saver: StoredSaver, act: Callable[[MessagesState], Any] | None = None) -> Graph:
    """A graph of one node, which answers how many messages it has seen, after doing something."""

    def answer(state: MessagesState) -> dict[str, Any]:
        if act is not None:
            act(state)
        return {"messages": [AIMessage(f"seen {len(state['messages'])}")]}

    builder = StateGraph(MessagesState)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    return builder.compile(checkpointer=saver)


def folded(state: list[Any], writes: Any) -> list[Any]:  # noqa: ANN401  (a reducer takes what comes)
    """A reducer for `DeltaChannel` that tells the order of writes."""
    return [*state, *(it for write in writes for it in (write if isinstance(write, list) else [write]))]


class DeltaState(TypedDict, total=False):
    """A list that is stored as what changed, and a counter beside it."""

    items: Annotated[list[Any], DeltaChannel(folded, snapshot_frequency=4)]
    turns: int


class TwoDeltas(TypedDict, total=False):
    """Two such lists, which are never stored whole at the same checkpoint one after the other."""

    often: Annotated[list[Any], DeltaChannel(folded, snapshot_frequency=4)]
    seldom: Annotated[list[Any], DeltaChannel(folded, snapshot_frequency=7)]


class PlainState(TypedDict, total=False):
    """Messages and something beside them."""

    messages: Annotated[list[AnyMessage], add_messages]
    note: str


def delta_graph(saver: StoredSaver) -> Graph:
    """A graph whose state is rebuilt from what its ancestors wrote."""

    def work(state: DeltaState) -> dict[str, Any]:
        return {"items": [f"n{len(state.get('items', []))}"], "turns": state.get("turns", 0) + 1}

    builder = StateGraph(DeltaState)
    builder.add_node("work", work)
    builder.add_edge(START, "work")
    return builder.compile(checkpointer=saver)


def two_deltas(saver: StoredSaver) -> Graph:
    """A graph with two lists that are rebuilt, each from ancestors of its own."""

    def work(state: TwoDeltas) -> dict[str, Any]:
        return {name: [f"n{len(state.get(name, []))}"] for name in ("often", "seldom")}  # type: ignore[arg-type]

    builder = StateGraph(TwoDeltas)
    builder.add_node("work", work)
    builder.add_edge(START, "work")
    return builder.compile(checkpointer=saver)


def texts(messages: list[BaseMessage]) -> list[object]:
    return [message.content for message in messages]


def error_of(read: Callable[[bytes], object], data: bytes) -> Exception | None:
    """Return what reading raises, whatever it is."""
    try:
        read(data)
    except Exception as error:  # noqa: BLE001  (which one is what the test asks)
        return error
    return None
