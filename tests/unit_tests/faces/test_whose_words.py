"""Only what came with the input of a run are the user's words; what tools and other agents say is theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolRuntime
from langgraph.types import Command, interrupt

from langchain_agentmem.errors import ScopeError
from langchain_agentmem.extraction.record.attribution import Origin, attributed
from langchain_agentmem.extraction.record.conversation import is_injected
from langchain_agentmem.graph import GraphOptions, create_memory_graph
from langchain_agentmem.memory import AgentMemory
from tests.conftest import Call
from tests.spelled import spelled
from tests.unit_tests.faces.conftest import ALICE, BOB, contents, remember
from tests.unit_tests.faces.scripted import ScriptedModel
from tests.unit_tests.faces.scripted import call as called

PARIS = "I live in Paris."
USER: dict[str, Any] = {"configurable": {"user_id": "alice", "thread_id": "t"}}

MakeAny: TypeAlias = Callable[..., Any]


@pytest.fixture(params=["graph", "agent"])
def make(memory: AgentMemory, request: pytest.FixtureRequest) -> MakeAny:
    """Make a graph or an agent out of a script."""

    def made(script: list[Any], *tools: BaseTool) -> Any:  # noqa: ANN401  (of either type)
        model, saver = ScriptedModel(script=script), InMemorySaver()
        if request.param == "graph":
            options = GraphOptions(writes="inline")
            return create_memory_graph(model, tools, memory, checkpointer=saver, options=options)
        middleware = memory.middleware(tools=False, writes="inline")
        return create_agent(model, tools=list(tools), middleware=[middleware], checkpointer=saver)

    return made


@tool
def look(runtime: ToolRuntime[Any, Any]) -> Command[Any]:
    """Look, and show what was seen as a message of its own, as tools that take screenshots do."""
    answer = ToolMessage("seen", tool_call_id=runtime.tool_call_id or "")
    return Command(update={"messages": [answer, HumanMessage(PARIS)]})


async def test_what_a_tool_adds_is_not_the_users_word(memory: AgentMemory, make: MakeAny, call: Call) -> None:
    """Neither is it remembered, nor kept as something that the user said."""
    state = await call(make([called("look"), "So."], look), "invoke", {"messages": [("user", "Look!")]}, USER)
    assert (contents(memory), state["memory"]["status"]) == ([], "ok")
    assert not [it for it in memory.episodes.list(scope=ALICE) if "Paris" in it.content]


async def test_a_tool_that_adds_a_message_does_not_end_the_users_turn(
    memory: AgentMemory, make: MakeAny, call: Call
) -> None:
    """What the user said before is remembered, and what they asked to forget is gone."""
    remember(memory, "Alice owns a red car")
    said = "I prefer Rust. Please forget my red car."
    await call(make([called("look"), "Done."], look), "invoke", {"messages": [("user", said)]}, USER)
    assert not [it for it in contents(memory) if "car" in it]


async def test_the_next_turn_is_the_users_again(memory: AgentMemory, make: MakeAny, call: Call) -> None:
    """Also after a turn in which a tool spoke, and after one that a failing model broke off."""
    made = make([called("look"), RuntimeError("down"), "Noted."], look)
    with pytest.raises(RuntimeError, match="down"):
        await call(made, "invoke", {"messages": [("user", "Look!")]}, USER)
    await call(made, "invoke", {"messages": [("user", "I prefer tea over coffee.")]}, USER)
    assert len(contents(memory)) == 1
    assert "tea" in contents(memory)[0]


async def test_an_agents_message_is_not_the_users_word(memory: AgentMemory, make: MakeAny, call: Call) -> None:
    """A message with another name than the user's was handed over by an agent."""
    messages = [HumanMessage("Find it."), AIMessage("Right."), HumanMessage(PARIS, name="researcher")]
    await call(make(["Fine."]), "invoke", {"messages": messages}, USER)
    assert contents(memory) == []


async def test_a_client_may_name_its_user(memory: AgentMemory, make: MakeAny, call: Call) -> None:
    """By the name that the run gives them, or by one that all their messages bear."""
    config = {"configurable": {**USER["configurable"], "user_name": "Alice"}}
    messages = [HumanMessage("Hello"), AIMessage("Hello."), HumanMessage(PARIS, name="Alice")]
    await call(make(["Fine."]), "invoke", {"messages": messages}, config)
    assert contents(memory) == ["Alice lives in Paris"]


async def test_an_agent_within_a_tool_is_delegated_whatever_its_config(
    memory: AgentMemory, make: MakeAny, call: Call
) -> None:
    """Its "user" is the model that called the tool: by default nothing is learned there."""
    inner = make(["Noted."])

    @tool
    def ask_expert(question: str) -> str:
        """Ask another agent."""
        config: Any = {"configurable": {"user_id": "alice", "thread_id": "sub"}}
        state = inner.invoke({"messages": [("user", question)]}, config)
        return str(state["memory"]["status"])

    outer = make([called("ask_expert", question=PARIS), "So."], ask_expert)
    state = await call(outer, "invoke", {"messages": [("user", "Ask!")]}, USER)
    assert [it.text for it in state["messages"] if it.type == "tool"] == ["frozen"]
    assert not [it for it in contents(memory) if "lives" in it]


@pytest.mark.parametrize("is_nested", [False, True], ids=["an agent", "an agent within a graph"])
async def test_a_tool_of_an_agent_without_memory_is_known_by_its_place(
    memory: AgentMemory,
    make: MakeAny,
    call: Call,
    is_nested: bool,  # noqa: FBT001  (a case)
) -> None:
    """Also where it names user and thread itself: what LangChain hands on says that a graph is around."""
    inner = make(["Noted."])
    config: Any = {"configurable": {"user_id": "alice", "thread_id": "sub"}}

    def ask(question: str) -> str:
        return str(inner.invoke({"messages": [("user", question)]}, config)["memory"]["status"])

    async def aask(question: str) -> str:
        return str((await inner.ainvoke({"messages": [("user", question)]}, config))["memory"]["status"])

    expert = StructuredTool.from_function(ask, coroutine=aask, name="expert", description="Ask.")
    outer: Any = create_agent(ScriptedModel(script=[called("expert", question=PARIS), "So."]), [expert])
    if is_nested:
        outer = StateGraph(MessagesState).add_node("researcher", outer).add_edge(START, "researcher").compile()
    state = await call(outer, "invoke", {"messages": [("user", "Ask!")]}, USER)
    assert [it.text for it in state["messages"] if it.type == "tool"] == ["frozen"]
    assert contents(memory) == []


async def test_an_agent_that_a_graph_calls_with_its_own_thread_hears_the_user(
    memory: AgentMemory, make: MakeAny, call: Call
) -> None:
    """A node that hands the conversation on is no tool, whatever thread it names."""
    inner, config = make(["Noted."]), {"configurable": {"user_id": "alice", "thread_id": "sub"}}
    outer: Any = StateGraph(MessagesState).add_node("chat", lambda state: inner.invoke(state, config))
    await call(outer.add_edge(START, "chat").compile(), "invoke", {"messages": [("user", PARIS)]}, USER)
    assert contents(memory) == ["The user lives in Paris"]


async def test_nobody_goes_on_with_the_turn_of_another(memory: AgentMemory, make: MakeAny, call: Call) -> None:
    """Whose turn it is stands in its report: resumed as another user it is refused, and nothing is written."""

    @tool
    def ask() -> str:
        """Ask the user."""
        return str(interrupt("Really?"))

    made = make([called("ask"), "Done."], ask)
    await call(made, "invoke", {"messages": [("user", PARIS)]}, USER)
    bob = {"configurable": {"user_id": "bob", "thread_id": "t"}}
    with pytest.raises(ScopeError, match="another user"):
        await call(made, "invoke", Command(resume="yes"), bob)
    assert contents(memory, BOB) == []
    await call(made, "invoke", Command(resume="yes"), USER)
    assert "The user lives in Paris" in contents(memory)


@pytest.mark.parametrize("mode", ["values", "updates", "tasks", "debug", "checkpoints"])
def test_no_stream_of_the_graph_has_words_of_memory(memory: AgentMemory, mode: Any) -> None:  # noqa: ANN401
    """Whoever streams the state sees ids; the words are read where they are shown, by name."""
    kept = remember(memory, "Alice likes sushi")
    config: Any = USER
    graph = create_memory_graph(ScriptedModel(script=["Of course."]), (), memory, checkpointer=InMemorySaver())
    given: Any = {"messages": [("user", "Which food do I like?")]}
    assert "sushi" not in spelled(list(graph.stream(given, config, stream_mode=mode)))
    other: Any = {"configurable": {"user_id": "alice", "thread_id": "other"}}
    shown = create_memory_graph(ScriptedModel(script=["Of course."]), (), memory).invoke(given, other)
    assert shown["memory_text"]["contents"][kept.id] == kept.content


message = st.one_of(
    st.builds(HumanMessage, st.just("h"), name=st.sampled_from([None, "bob"])),
    st.builds(AIMessage, st.just("a"), tool_calls=st.lists(st.just({"name": "x", "args": {}, "id": "1"}), max_size=1)),
    st.just(ToolMessage("t", tool_call_id="1")),
)


@given(st.lists(message, max_size=8), st.booleans())
def test_attribution_only_marks_human_messages(messages: list[BaseMessage], is_opening: bool) -> None:  # noqa: FBT001  (a case)
    """It keeps every message in its place, and doing it twice is doing it once."""
    once = attributed(messages, Origin(is_opening=is_opening))
    changed = [old for old, new in zip(messages, once, strict=True) if old is not new]
    assert all(isinstance(it, HumanMessage) and not is_injected(it) for it in changed)
    assert [it.content for it in once] == [it.content for it in messages]
