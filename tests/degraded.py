"""A memory whose every part can fail, and the places where agents use it, each as one call: a turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.graph import END, START, StateGraph

from langchain_agentmem import (
    AgentMemory,
    AnsweringGraph,
    GraphOptions,
    Scope,
    ScopeError,
    StorageError,
    UpdateWorkingMemory,
    WorkingGraphState,
    create_memory_graph,
)
from tests.conftest import Colour
from tests.faulty import AHEAD, SLOW_S, AnsweringModel, FaultyEmbeddings, Switch


class Who(NamedTuple):
    """Whose turn it is, as far as the run says so."""

    user: str | None
    thread: str | None

    @property
    def config(self) -> RunnableConfig:
        """The run's configuration; a thread is a session."""
        given = {"user_id": self.user, "thread_id": self.thread, "session_id": self.thread}
        return {"configurable": {name: value for name, value in given.items() if value is not None}}

    @property
    def in_thread(self) -> RunnableConfig:
        """The same, with a thread that is the user's own: a checkpointer knows threads by their ids."""
        named = self.config["configurable"]
        own = {} if self.thread is None else {"thread_id": f"{self.user} {self.thread}"}
        return {"configurable": {**named, **own}}

    @property
    def scope(self) -> Scope:
        """Whose memory it is: a visitor's, where nobody is named."""
        if self.user is None:
            return Scope.anonymous(self.thread or "anonymous")
        return Scope(self.user, session_id=self.thread)


class Told(NamedTuple):
    """What the user is answered, and what the state says of memory's part: its status, and the report where it has one.

    A chain has no state, and its status is "".
    """

    answer: str
    status: str
    report: Mapping[str, Any] = {}


@tool
def deploy(target: str) -> str:
    """Deploy the service to a target."""
    return f"deployed to {target}"


@dataclass
class World:
    """A memory with its switches.

    Attributes:
        break_: By name, what throws a switch. `heal_`: what ends all of it.
    """

    memory: AgentMemory
    colour: Colour
    break_: Mapping[str, Callable[[], object]]
    heal_: Callable[[], object]
    embeddings: FaultyEmbeddings = field(default_factory=FaultyEmbeddings)
    brain: Switch = field(default_factory=Switch)
    model: AnsweringModel = field(default_factory=AnsweringModel)
    acting: AnsweringModel = field(default_factory=lambda: AnsweringModel(calls_tool=True))

    def __post_init__(self) -> None:
        """Make an agent of each kind, once."""
        memory, model, acting = self.memory, self.model, self.acting
        options = GraphOptions(writes="inline")
        self._graph: Any = create_memory_graph(acting, [deploy], memory, options=options)
        middleware = memory.middleware(tools=False, writes="inline")
        self._agent: Any = create_agent(acting, tools=[deploy], middleware=[middleware])
        queueing = memory.middleware(tools=False, wait_s=SLOW_S)
        self._queueing: Any = create_agent(acting, tools=[deploy], middleware=[queueing])
        agent: Any = create_agent(acting, tools=[deploy], middleware=[middleware], checkpointer=memory.checkpointer)
        self._kept = AnsweringGraph(agent)
        self._working: Any = _working(memory, model)
        prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("history", optional=True), ("human", "{input}")])
        bare = prompt | model
        keys = {"input_messages_key": "input", "history_messages_key": "history", "context": memory.context()}
        self._chain: Any = memory.wrap(bare, **keys).with_fallbacks(
            [bare], exceptions_to_handle=(StorageError, ScopeError), exception_key="error"
        )
        self._assembly = memory.assembly()

    def shown(self) -> str:
        """All that the agents' models were asked since it was looked at last."""
        seen = [message.text for model in (self.model, self.acting) for request in model.seen for message in request]
        self.model.seen.clear()
        self.acting.seen.clear()
        return "\n".join(seen)

    def heal(self) -> None:
        """End every fault, and the rest that follows."""
        self.embeddings.fault = self.brain.fault = None
        self.embeddings.answer.set()
        self.brain.answer.set()
        self.heal_()
        AHEAD.rest()

    async def take(self, layer: str, who: Who, said: Any) -> Told:  # noqa: ANN401  (text, or a list of messages)
        """Take a turn in a layer."""
        told: Told = await getattr(self, layer)(who, said)
        return told

    async def graph(self, who: Who, said: Any) -> Told:  # noqa: ANN401  (text, or a list of messages)
        """A turn of `create_memory_graph`, with a tool that acts."""
        return _of_memory(await self._call(self._graph, "invoke", {"messages": _messages(said)}, who.config))

    async def middleware(self, who: Who, said: Any) -> Told:  # noqa: ANN401  (as above)
        """A turn of `create_agent`, with a tool that acts, and writes before it ends."""
        return _of_memory(await self._call(self._agent, "invoke", {"messages": _messages(said)}, who.config))

    async def queueing(self, who: Who, said: Any) -> Told:  # noqa: ANN401  (as above)
        """The same with writes as jobs."""
        return _of_memory(await self._call(self._queueing, "invoke", {"messages": _messages(said)}, who.config))

    async def thread(self, who: Who, said: Any) -> Told:  # noqa: ANN401  (as above)
        """A turn of `create_agent` in a thread, which a checkpointer keeps."""
        return _of_memory(await self._call(self._kept, "invoke", {"messages": _messages(said)}, who.in_thread))

    def kept(self, who: Who) -> list[str]:
        """The kinds of the messages that the thread has."""
        state = self._kept.graph.get_state(who.in_thread)
        return [message.type for message in state.values.get("messages", ())]

    async def working(self, who: Who, said: Any) -> Told:  # noqa: ANN401  (as above)
        """A turn of a graph that answers, and updates its working memory."""
        state = await self._call(self._working, "invoke", {"messages": _messages(said)}, who.config)
        return Told(state["messages"][-1].text, state["working_report"]["status"])

    async def chain(self, who: Who, said: Any) -> Told:  # noqa: ANN401  (as above)
        """A call of a wrapped chain, with the chain itself to fall back on."""
        answer: AIMessage = await self._call(self._chain, "invoke", {"input": _messages(said)[0].text}, who.config)
        return Told(answer.text, "")

    async def assembly(self, who: Who, said: Any) -> Told:  # noqa: ANN401  (as above)
        """A prompt of every layer, profile and all, given to a model."""
        context = await self._call(self._assembly, "assemble", _messages(said), scope=who.scope)
        answer: AIMessage = await self._call(self.model, "invoke", context.messages)
        return Told(answer.text, context.status)

    async def _call(self, thing: object, name: str, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        if self.colour == "sync":
            return getattr(thing, name)(*args, **kwargs)
        return await getattr(thing, f"a{name}")(*args, **kwargs)


LAYERS: Final = ("graph", "middleware", "queueing", "thread", "working", "chain", "assembly")


def _messages(said: Any) -> list[BaseMessage]:  # noqa: ANN401  (as above)
    return [HumanMessage(said)] if isinstance(said, str) else list(said)


def _of_memory(state: Mapping[str, Any]) -> Told:
    return Told(state["messages"][-1].text, state["memory"]["status"], state["memory"])


def _working(memory: AgentMemory, model: AnsweringModel) -> Any:  # noqa: ANN401  (a compiled graph)
    def answer(state: WorkingGraphState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    builder = StateGraph(WorkingGraphState)
    builder.add_node("answer", answer)
    builder.add_node("working", UpdateWorkingMemory(memory.working))
    builder.add_edge(START, "answer")
    builder.add_edge("answer", "working")
    builder.add_edge("working", END)
    return builder.compile()
