"""Agents as they run: interrupted and resumed, streamed, within other graphs, and one called by another."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from langchain_agentmem import AgentMemory, ConfigurationError, Scope, ScopeError, create_memory_graph
from langchain_agentmem._flow import flows_of
from tests.conftest import Colour
from tests.spelled import spelled
from tests.unit_tests.faces.conftest import ALICE, World, contents, remember
from tests.unit_tests.faces.scripted import ScriptedModel, call
from tests.unit_tests.middleware.conftest import MakeAgent

PYTHON = "Alice prefers Python for backend services"
ASKED = "Which language do I prefer for backend services?"
CONFIG: RunnableConfig = {"configurable": {"thread_id": "t", "user_id": "alice", "user_name": "Alice"}}


class Killed(BaseException):
    """The end of a process, as far as a test can be its own."""


def said(text: str) -> dict[str, Any]:
    """A state that begins a turn."""
    return {"messages": [("user", text)]}


async def invoke(graph: Any, given: Any, colour: Colour, **settings: Any) -> Any:  # noqa: ANN401  (any runnable)
    """Run a graph in this test's colour."""
    return (
        graph.invoke(given, CONFIG, **settings) if colour == "sync" else await graph.ainvoke(given, CONFIG, **settings)
    )


async def stream(graph: Any, given: Any, colour: Colour, mode: str, **settings: Any) -> list[Any]:  # noqa: ANN401  (as above)
    """Stream a graph in this test's colour."""
    if colour == "sync":
        return list(graph.stream(given, CONFIG, stream_mode=mode, **settings))
    return [it async for it in graph.astream(given, CONFIG, stream_mode=mode, **settings)]


def asking_tool(done: list[str]) -> BaseTool:
    """A tool that waits for somebody."""

    @tool
    def release(target: str) -> str:
        """Release, if somebody agrees."""
        done.append(f"{target}: {interrupt('Release?')}")
        return "released"

    return release


# --------------------------------------------------------------------------------------------------------- interrupted
@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
async def test_a_run_is_resumed_by_another_process(
    memory: AgentMemory, colour: Colour, durability: Literal["sync", "async", "exit"]
) -> None:
    """A new agent on the same checkpoints goes on: the report is there, the words are read again, the turn is kept."""
    kept = remember(memory, PYTHON)
    done: list[str] = []

    def made(*script: Any) -> tuple[Any, ScriptedModel]:
        model = ScriptedModel(script=list(script))
        middleware = [memory.middleware(profile=False)]
        saver = memory.checkpointer
        return create_agent(model, [asking_tool(done)], middleware=middleware, checkpointer=saver), model

    first, _ = made(call("release", target="eu"))
    state = await invoke(first, said(f"I live in Oslo. {ASKED}"), colour, durability=durability)
    assert state["__interrupt__"]
    second, model = made("Python.")
    state = await invoke(second, Command(resume="yes"), colour, durability=durability)
    assert (done, state["memory"]["iteration"]) == (["eu: yes"], 2)
    assert PYTHON in "".join(it.text for it in model.requests[0])
    assert [it["id"] for it in state["memory"]["recalled"]] == [kept.id]
    memory.jobs.run()
    assert "Alice lives in Oslo" in contents(memory)


async def test_a_stop_before_the_model_loses_nothing(memory: AgentMemory, colour: Colour) -> None:
    """Recall comes with the model's call, so that it is as fresh as the answer."""
    model = ScriptedModel(script=["Python."])
    middleware = [memory.middleware(profile=False)]
    graph = create_agent(model, middleware=middleware, checkpointer=memory.checkpointer, interrupt_before=["model"])
    await invoke(graph, said(ASKED), colour)
    kept = remember(memory, PYTHON)
    state = await invoke(graph, None, colour)
    assert [it["id"] for it in state["memory"]["recalled"]] == [kept.id]
    assert PYTHON in "".join(it.text for it in model.requests[0])


async def test_a_run_that_died_after_the_answer_is_settled_when_it_goes_on(
    memory: AgentMemory, colour: Colour, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is in the checkpoint, the turn was not queued: going on queues it, and asks no model again."""

    def dies(*_args: object) -> Any:  # noqa: ANN401  (never returns)
        raise Killed

    model = ScriptedModel(script=["Noted."])
    graph = create_agent(model, middleware=[memory.middleware()], checkpointer=memory.checkpointer)
    with monkeypatch.context() as patch:
        patch.setattr(flows_of(memory.turns), "put", dies)
        with pytest.raises(Killed):
            await invoke(graph, said("I live in Oslo."), colour)
    state = await invoke(graph, None, colour)
    assert (state["memory"]["queued"], len(model.requests)) == (True, 1)
    memory.jobs.run()
    assert contents(memory) == ["Alice lives in Oslo"]


async def test_what_was_forgotten_meanwhile_stays_away(memory: AgentMemory, agent: MakeAgent) -> None:
    """Between an interrupt and its answer a memory was forgotten: its words do not come back."""
    kept = remember(memory, PYTHON)
    made = agent([call("release", target="eu"), "So."], asking_tool([]), profile=False)
    await made.say(ASKED)
    memory.long_term.forget(kept.id, scope=ALICE)
    await made.resume("yes")
    assert "Python" not in made.told


async def test_a_thread_is_its_users(memory: AgentMemory, colour: Colour) -> None:
    """With the memory's own checkpointer, a run of another user in a thread is refused before the model is asked."""
    model = ScriptedModel(script=["Noted."])
    graph = create_agent(model, middleware=[memory.middleware()], checkpointer=memory.checkpointer)
    await invoke(graph, said("I prefer Python."), colour)
    given: Any = said("What did she say?")
    with pytest.raises(ScopeError):
        graph.invoke(given, {"configurable": {"thread_id": "t", "user_id": "bob"}})
    assert len(model.requests) == 1


# ------------------------------------------------------------------------------------------------------------ streamed
async def test_no_stream_shows_the_words_of_a_memory(memory: AgentMemory, world: World, colour: Colour) -> None:
    """Updates, values, tokens and tasks hold what was said and the report; the words are the model's to see."""
    remember(memory, "Alice deploys marzipan before nougat")
    for mode in ("updates", "values", "messages", "custom", "debug"):
        model = ScriptedModel(script=[call("deploy", target="eu"), "Done."])
        graph = create_agent(model, [world.deploy], middleware=[memory.middleware()])
        chunks = await stream(graph, said("Which sweet do I deploy first, nougat?"), colour, mode)
        assert "marzipan" in "".join(it.text for it in model.requests[0])
        assert "marzipan" not in spelled(chunks)


async def test_tokens_are_those_of_the_answer(memory: AgentMemory, colour: Colour) -> None:
    """Neither the note nor the system message is streamed."""
    remember(memory, PYTHON)
    graph = create_agent(ScriptedModel(script=["Python it is."]), middleware=[memory.middleware()])
    chunks = await stream(graph, said(ASKED), colour, "messages")
    assert [it.text for it, _ in chunks if it.text] == ["Python", "it", "is."]


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol")
def test_the_newest_stream_hears_the_answer_only() -> None:
    """LangChain's event stream takes memory's own calls of a model for internal ones."""
    own = ScriptedModel(script=["internal"] * 9)
    with AgentMemory.in_memory(embeddings=None, consent="assumed", model=own) as memory:
        graph = create_agent(ScriptedModel(script=["Noted."]), middleware=[memory.middleware(writes="inline")])
        given: Any = said("I live in Oslo.")
        events: Any = graph.stream_events(given, CONFIG, version="v3")
        assert [str(it.text) for it in events.messages] == ["Noted."]
    assert own.requests


async def test_values_end_with_the_report(memory: AgentMemory, colour: Colour) -> None:
    """Whoever watches the state sees what memory did."""
    graph = create_agent(ScriptedModel(script=["Hello."]), middleware=[memory.middleware(writes="inline")])
    last = (await stream(graph, said("I live in Oslo."), colour, "values"))[-1]
    assert [it["kind"] for it in last["memory"]["written"]] == ["fact"]


# ------------------------------------------------------------------------------------------------------- within others
class Both(MessagesState, total=False):
    """A state that hears of memory."""

    memory: dict[str, Any]


async def test_an_agent_may_be_a_node_of_a_graph(memory: AgentMemory, colour: Colour) -> None:
    """User and thread come from the run around it, and its report goes where there is a place for it."""
    kept = remember(memory, PYTHON)
    model = ScriptedModel(script=["Python."])
    inner = create_agent(model, middleware=[memory.middleware()], name="inner")
    graph: Any = StateGraph(Both).add_node("agent", inner).add_edge(START, "agent").add_edge("agent", END).compile()
    state = await invoke(graph, said(f"I live in Oslo. {ASKED}"), colour)
    assert [it["id"] for it in state["memory"]["recalled"]] == [kept.id]
    memory.jobs.run()
    assert memory.long_term.list(scope=ALICE)[0].scope == Scope("alice", session_id="t")
    assert "Alice lives in Oslo" in contents(memory)


def delegate(graph: Any, name: str) -> BaseTool:  # noqa: ANN401  (an agent)
    """A tool by which one agent asks another, in both colours."""

    def ask(request: str) -> str:
        return str(graph.invoke(said(request))["messages"][-1].text)

    async def aask(request: str) -> str:
        return str((await graph.ainvoke(said(request)))["messages"][-1].text)

    return StructuredTool.from_function(ask, coroutine=aask, name=name, description=f"Ask {name}.")


async def test_a_supervisor_and_its_agents_share_what_they_may(memory: AgentMemory, colour: Colour) -> None:
    """Two agents work for one: each reads what is shared, and what the supervisor tells them is no word of the user."""
    remember(memory, PYTHON)
    models = {name: ScriptedModel(script=[f"{name} done."]) for name in ("planner", "builder")}
    tools = [
        delegate(create_agent(model, middleware=[memory.middleware(agent_id=name)], name=name), name)
        for name, model in models.items()
    ]
    plan = call("planner", "1", request="I live in Ghent. Plan for my preferred language for backend services.")
    build = call("builder", "2", request="I prefer Rust. Build in my preferred language for backend services.")
    model = ScriptedModel(script=[plan, build, "All done."])
    supervisor = create_agent(model, tools, middleware=[memory.middleware()], checkpointer=memory.checkpointer)
    state = await invoke(supervisor, said("I live in Oslo. Get it planned and built."), colour)
    assert [it.text for it in state["messages"] if it.type == "tool"] == ["planner done.", "builder done."]
    for each in models.values():
        assert PYTHON in "".join(it.text for it in each.requests[0])
        assert "read-only" in "".join(it.text for it in each.requests[0])
    memory.jobs.run()
    assert "Alice lives in Oslo" in contents(memory)
    assert not [it for it in contents(memory) if "Ghent" in it or "Rust" in it]


async def test_a_delegated_agent_may_be_trusted(memory: AgentMemory, colour: Colour) -> None:
    """Where a tool passes on the user's own words, the application says so."""
    inner = create_agent(ScriptedModel(script=["Noted."]), middleware=[memory.middleware(delegated="on")])
    script = [call("scribe", request="I live in Ghent."), "Done."]
    graph = create_agent(ScriptedModel(script=script), [delegate(inner, "scribe")], checkpointer=memory.checkpointer)
    await invoke(graph, said("Hello!"), colour)
    memory.jobs.run()
    assert contents(memory) == ["Alice lives in Ghent"]


async def test_a_memory_graph_called_by_a_tool_is_read_only_too(memory: AgentMemory, colour: Colour) -> None:
    """Both kinds of agent know when a model speaks to them, whichever of them calls."""
    inner = create_memory_graph(ScriptedModel(script=["Noted."]), memory=memory)
    outer_model = ScriptedModel(script=[call("scribe", request="I live in Ghent."), "Done."])
    outer = create_memory_graph(outer_model, [delegate(inner, "scribe")], memory)
    state = await invoke(outer, said("I live in Oslo. Pass it on."), colour)
    memory.jobs.run()
    assert state["messages"][-1].text == "Done."
    assert contents(memory) == ["Alice lives in Oslo"]


async def test_agents_that_hand_over_hear_the_user_once(memory: AgentMemory, colour: Colour) -> None:
    """Nodes of one graph with one conversation: the same message is one sighting, whoever heard it."""
    first = create_agent(ScriptedModel(script=["To the second."]), middleware=[memory.middleware()], name="first")
    second = create_agent(ScriptedModel(script=["Noted."]), middleware=[memory.middleware()], name="second")
    builder = StateGraph(MessagesState).add_node("first", first).add_node("second", second)
    graph = builder.add_edge(START, "first").add_edge("first", "second").compile()
    await invoke(graph, {"messages": [HumanMessage("I live in Oslo.", id="one")]}, colour)
    memory.jobs.run()
    [fact] = memory.long_term.list(scope=ALICE)
    assert (fact.content, fact.sightings, fact.confidence) == ("Alice lives in Oslo", 1, 0.9)


async def test_a_structured_answer_is_an_answer(memory: AgentMemory, colour: Colour) -> None:
    """`response_format` and memory in one agent."""
    remember(memory, PYTHON)
    schema: dict[str, Any] = {
        "title": "Language",
        "description": "a language",
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    }
    model = ScriptedModel(script=[call("Language", name="Python")])
    graph = create_agent(model, middleware=[memory.middleware()], response_format=schema)
    state = await invoke(graph, said(ASKED), colour)
    assert state["structured_response"] == {"name": "Python"}
    assert state["memory"]["status"] == "ok"


@pytest.mark.parametrize("writes", ["inline", "background"])
async def test_an_answer_in_a_form_is_no_action(memory: AgentMemory, colour: Colour, writes: str) -> None:
    """Neither one that fits the form nor one that does not is an outcome, a step of the task or an action done."""
    schema: dict[str, Any] = {
        "title": "Language",
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    }
    strategy: Any = ToolStrategy(schema)
    script = [
        AIMessage("", tool_calls=[*call("Language", "1", name="a").tool_calls, *call("Language", "2").tool_calls])
    ]
    model = ScriptedModel(script=[*script, call("Language", "3", name="Python")])
    middleware = memory.middleware(writes=writes, working=True)
    graph = create_agent(model, middleware=[middleware], response_format=strategy)
    state = await invoke(graph, {"messages": [HumanMessage("I'm allergic to nuts. Which language?")]}, colour)
    memory.jobs.run()
    assert state["structured_response"] == {"name": "Python"}
    assert [it.kind for it in memory.long_term.list(scope=ALICE)] == ["fact"]
    assert not state["working"]["tool_calls"]
    assert not state["working"]["completed_steps"]
    assert state["memory"]["outcomes"] == []


def test_a_model_that_takes_no_tools_is_told_how_to_go_without(memory: AgentMemory) -> None:
    """LangChain says no more of it than that something is not implemented."""
    model = FakeListChatModel(responses=["So."])
    config: RunnableConfig = {"configurable": {"user_id": "alice", "thread_id": "t"}}
    said = HumanMessage("I live in Oslo.")
    with pytest.raises(ConfigurationError, match="tools=False"):
        create_agent(model, middleware=[memory.middleware()]).invoke({"messages": [said]}, config)
    answer = create_agent(model, middleware=[memory.middleware(tools=False)]).invoke({"messages": [said]}, config)
    assert answer["messages"][-1].text == "So."
