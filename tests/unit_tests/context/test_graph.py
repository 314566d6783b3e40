from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Final

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel

from langchain_agentmem.context import (
    ContextAssembly,
    ContextRunnable,
    ContextState,
    HybridMemory,
    HybridParts,
    MessageBuffer,
    RunningSummary,
    StateKeys,
    SummaryBuffer,
    SummaryLimits,
    TokenBuffer,
)
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.extraction import is_injected
from langchain_agentmem.summarize import ModelSummarizer
from tests.conftest import Call
from tests.fake_chat_model import ScriptedChatModel

SMALL: Final = SummaryLimits(max_messages=4, keep_messages=2, keep_turns=1)
REPLACING: Final = StateKeys(view="messages")
SECRET: Final = "internal summary words"


def graph(compress: ContextRunnable, model: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:  # noqa: ANN401
    def reply(state: ContextState) -> dict[str, Any]:
        seen: list[AnyMessage] = state.get("view") or state["messages"]
        return {"messages": [model.invoke(seen) if model else AIMessage(f"saw {len(seen)}")]}

    builder = StateGraph(ContextState)
    builder.add_node("compress", compress)
    builder.add_node("reply", reply)
    builder.add_edge(START, "compress")
    builder.add_edge("compress", "reply")
    builder.add_edge("reply", END)
    saver = InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=None))
    return builder.compile(checkpointer=saver)


def on(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


async def talk(call: Call, agent: CompiledStateGraph[Any, Any, Any, Any], turns: int) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for n in range(turns):
        state = await call(agent, "invoke", {"messages": [HumanMessage(f"question {n}")]}, on("t"))
    return state


async def test_a_node_keeps_the_record_and_writes_a_view(call: Call) -> None:
    """All messages stay in the state; the model reads few, and the summary is updated from checkpoint to checkpoint."""
    agent = graph(SummaryBuffer(limits=SMALL))
    state = await talk(call, agent, 8)
    assert len(state["messages"]) == 16
    assert state["messages"][-1].text in {"saw 3", "saw 4", "saw 5"}
    assert isinstance(state["summary"], dict)
    assert state["summary"]["version"] > 1
    covered = RunningSummary.from_dict(state["summary"]).covered(state["messages"])
    assert covered == [message.id for message in state["messages"][: len(covered)]]


async def test_no_checkpoint_keeps_the_view(call: Call) -> None:
    """The view can be made again, and may hold what is to be forgotten later."""
    agent = graph(SummaryBuffer(limits=SMALL))
    await talk(call, agent, 8)
    assert all("view" not in snapshot.values for snapshot in agent.get_state_history(on("t")))


async def test_a_node_may_rewrite_the_record(call: Call) -> None:
    """With one key for both, the state itself gets short, and the summary in it is continued."""
    agent = graph(SummaryBuffer(limits=SMALL, keys=REPLACING))
    state = await talk(call, agent, 8)
    assert len(state["messages"]) <= 6
    assert is_injected(state["messages"][0])
    carried = state["messages"][0].additional_kwargs["lc_data"]["summary"]
    assert carried["version"] > 1
    assert carried["count"] + len(state["messages"]) - 1 == 16


@pytest.mark.parametrize(
    "buffer", [MessageBuffer(max_messages=3, keys=REPLACING), TokenBuffer(max_tokens=25, keys=REPLACING)]
)
async def test_a_buffer_is_a_node(buffer: ContextRunnable, call: Call) -> None:
    """It trims the state, and leaves it alone where there is nothing to trim."""
    state = await talk(call, graph(buffer), 6)
    assert len(state["messages"]) <= 5
    assert await call(buffer, "invoke", {"messages": [HumanMessage("hi", id="1")]}) == {}


async def test_no_token_of_a_summary_reaches_the_stream(colour: str) -> None:
    """A consumer of `stream_mode="messages"` sees the answer's tokens and no others."""
    words = iter([AIMessage("the answer")] * 9)
    silent = GenericFakeChatModel(messages=iter([AIMessage(SECRET)] * 9))
    agent = graph(SummaryBuffer(ModelSummarizer(silent), limits=SMALL), GenericFakeChatModel(messages=words))
    streamed: list[Any] = []
    for n in range(4):
        given = {"messages": [HumanMessage(f"question {n}")]}
        if colour == "sync":
            streamed += [message for message, _ in agent.stream(given, on("t"), stream_mode="messages")]
        else:
            streamed += [message async for message, _ in agent.astream(given, on("t"), stream_mode="messages")]
    tokens = [message for message in streamed if isinstance(message, AIMessageChunk | AIMessage)]
    assert agent.get_state(on("t")).values["summary"]["text"] == SECRET
    assert "".join(message.text for message in tokens) == "the answer" * 4
    assert all(is_injected(message) for message in streamed if SECRET in message.text)


# ----------------------------------------------------------------------------------------------------------- middleware
RUNNABLES: Final = [
    MessageBuffer(),
    TokenBuffer(),
    SummaryBuffer(ModelSummarizer(ScriptedChatModel(script=["question 0 was asked"] * 20))),
    HybridMemory(HybridParts()),
]


@pytest.mark.parametrize("runnable", RUNNABLES, ids=lambda it: type(it).__name__)
async def test_each_serves_as_the_summarizer_of_langchains_middleware(runnable: ContextRunnable, call: Call) -> None:
    """`SummarizationMiddleware` decides when; what is said of the old messages is ours, also in the second pass."""
    model = ScriptedChatModel(script=[f"answer {n}" for n in range(6)])
    middleware: SummarizationMiddleware[Any, Any] = SummarizationMiddleware(
        model,
        trigger=("messages", 4),
        keep=("messages", 2),
        summarizer=runnable.summarizer,
        trim_tokens_to_summarize=None,
    )
    agent = create_agent(model, middleware=[middleware], checkpointer=InMemorySaver())
    for n in range(6):
        state = await call(agent, "invoke", {"messages": [HumanMessage(f"question {n}")]}, on("t"))
    assert "question 0" in state["messages"][0].text
    assert state["messages"][0].additional_kwargs == {"lc_source": "summarization"}
    assert len(model.requests) == 6


async def test_an_internal_call_wears_the_marks_of_langchain_too() -> None:
    """Where its agents are loaded, their filter of internal calls knows ours."""
    model = ScriptedChatModel(script=["short"])
    await ModelSummarizer(model).ainvoke([HumanMessage("hi")])
    assert model.call_tags == [["nostream"]]
    assert model.call_metadata[0]["lc_source"] == "agentmem"
    assert "lc_internal_call" in model.call_metadata[0]


def test_a_state_without_a_conversation_is_refused() -> None:
    """The error names the key and where to change it."""
    with pytest.raises(ConfigurationError, match=r"has no 'chat'.*StateKeys"):
        MessageBuffer(keys=StateKeys(messages="chat")).invoke({"messages": []})


# --------------------------------------------------------------------------------------------------- a state's own keys
class WithView(MessagesState):
    view: list[AnyMessage]


def of_one_node(state: type[Any], node: Any) -> CompiledStateGraph[Any, Any, Any, Any]:  # noqa: ANN401
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(state)
    builder.add_node("compress", node)
    builder.add_edge(START, "compress")
    return builder.compile()


@pytest.mark.parametrize(
    ("state", "node", "missing"),
    [
        (MessagesState, SummaryBuffer(), "no 'view' and no 'summary'"),
        (MessagesState, HybridMemory(HybridParts()), "no 'view' and no 'summary'"),
        (WithView, SummaryBuffer(), "no 'summary'"),
        (MessagesState, MessageBuffer(), "no 'view'"),
        (MessagesState, ContextAssembly(), "no 'view'"),
        (ContextState, SummaryBuffer(keys=StateKeys(summary="gist")), "no 'gist'"),
    ],
)
async def test_a_node_whose_result_would_be_lost_is_refused(
    state: type[Any], node: ContextRunnable, missing: str, call: Call
) -> None:
    """LangGraph drops what a state does not declare; the error names the keys and each way out, at the first call."""
    with pytest.raises(ConfigurationError, match=rf"state has {missing}, .*declare it.*StateKeys"):
        await call(of_one_node(state, node), "invoke", {"messages": [HumanMessage("hi")]})


@pytest.mark.parametrize(
    ("state", "node"),
    [(WithView, MessageBuffer()), (ContextState, SummaryBuffer()), (MessagesState, SummaryBuffer(keys=REPLACING))],
)
async def test_a_state_that_declares_what_is_written_is_taken(
    state: type[Any], node: ContextRunnable, call: Call
) -> None:
    """A buffer makes no summary and needs no key for one; who rewrites the record needs no key at all."""
    done = await call(of_one_node(state, node), "invoke", {"messages": [HumanMessage("hi")]})
    assert [message.text for message in done["messages"]] == ["hi"]


@pytest.mark.parametrize("state", [MessagesState, ContextState])
async def test_a_node_of_ones_own_may_use_a_view(state: type[Any], call: Call) -> None:
    """What it does with the messages, or with the update, is its own affair."""

    def answer(given: dict[str, Any]) -> dict[str, Any]:
        of_list = SummaryBuffer(limits=SMALL).invoke(given["messages"])
        assert SummaryBuffer(limits=SMALL).invoke(given)["view"] == of_list
        return {"messages": [AIMessage(f"saw {len(of_list)}")]}

    done = await call(of_one_node(state, answer), "invoke", {"messages": [HumanMessage(str(n)) for n in range(9)]})
    assert done["messages"][-1].text == "saw 3"


class Modelled(BaseModel):
    """A state that pydantic checks."""

    messages: Annotated[list[AnyMessage], add_messages] = []
    view: list[AnyMessage] = []
    summary: dict[str, Any] = {}


@dataclass
class Classed:
    """A state that is a class."""

    messages: Annotated[list[AnyMessage], add_messages] = field(default_factory=list)
    view: list[AnyMessage] = field(default_factory=list)
    summary: dict[str, Any] = field(default_factory=dict)


@pytest.mark.parametrize("schema", [Modelled, Classed])
@pytest.mark.parametrize(
    "compress",
    [MessageBuffer(max_messages=4), SummaryBuffer(limits=SMALL), ContextAssembly(max_tokens=900)],
    ids=lambda it: type(it).__name__,
)
async def test_a_state_is_whatever_a_graph_takes(call: Call, compress: ContextRunnable, schema: type) -> None:
    """Of a model or a dataclass the node reads and writes what it does of a dictionary."""

    def seen(state: Any) -> dict[str, Any]:  # noqa: ANN401  (a dictionary or an object)
        return {"summary": {"seen": state["view"] if isinstance(state, dict) else state.view}}

    said = [HumanMessage(f"I sail boat {n}.", id=f"h{n}") for n in range(6)]
    views = []
    for each in (schema, ContextState):
        builder: Any = StateGraph(each)
        builder.add_node("compress", compress)
        builder.add_node("look", seen)
        builder.add_edge(START, "compress")
        builder.add_edge("compress", "look")
        views.append((await call(builder.compile(), "invoke", {"messages": said}))["summary"]["seen"])
    assert views[0] == views[1]
    assert views[0]


def test_what_is_neither_messages_nor_a_state_is_refused() -> None:
    """The error names all that is taken."""
    with pytest.raises(ConfigurationError, match=r"state of a graph .*dataclass, a pydantic model.*got int"):
        MessageBuffer(max_messages=2).invoke(3)


def trimming(keep: int) -> CompiledStateGraph[Any, Any, Any, Any]:
    """A graph whose next node takes the oldest messages out of the record."""

    def trim(state: ContextState) -> dict[str, Any]:
        return {"messages": [RemoveMessage(id=str(it.id)) for it in state["messages"][:-keep]]}

    builder = StateGraph(ContextState)
    builder.add_node("compress", SummaryBuffer(limits=SMALL))
    builder.add_node("reply", lambda _: {"messages": [AIMessage("Noted.")]})
    builder.add_node("trim", trim)
    builder.add_edge(START, "compress")
    builder.add_edge("compress", "reply")
    builder.add_edge("reply", "trim")
    return builder.compile(checkpointer=InMemorySaver())


@pytest.mark.parametrize("keep", [1, 2, 3])
async def test_a_summary_goes_on_where_the_record_is_trimmed(call: Call, keep: int) -> None:
    """What it covers is out of the record: its version grows, its text stays, and nothing is in it twice."""
    agent = trimming(keep)
    for n in range(6):
        said = [HumanMessage(f"I sail boat {n}-{place}.") for place in range(5)]
        state = await call(agent, "invoke", {"messages": said}, on("t"))
    summary = state["summary"]
    assert summary["version"] > 2
    assert [summary["text"].count(f"boat {n}-0.") for n in range(4)] == [1] * 4


async def test_a_summary_that_loses_its_last_message_covers_what_is_left(call: Call) -> None:
    """One message is taken out of the middle; what was before it is not summed up again."""
    agent = graph(SummaryBuffer(limits=SMALL))
    state = await talk(call, agent, 5)
    last = state["summary"]["last_id"]
    state = await call(agent, "invoke", {"messages": [RemoveMessage(id=last), HumanMessage("more")]}, on("t"))
    assert state["summary"]["version"] >= 2
    assert state["summary"]["text"].count("question 0") == 1
    assert state["summary"]["last_id"] in {message.id for message in state["messages"]}


async def test_a_record_begun_anew_has_no_summary_of_the_old_one(call: Call) -> None:
    """Whoever takes everything out of the record, and asks anew, does not meet it again."""
    agent = graph(SummaryBuffer(limits=SMALL))
    assert (await talk(call, agent, 5))["summary"]["text"]
    anew = [RemoveMessage(id=REMOVE_ALL_MESSAGES), HumanMessage("Hello.")]
    assert not (await call(agent, "invoke", {"messages": anew}, on("t"))).get("summary")
