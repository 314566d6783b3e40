"""What becomes of the turns of LangGraph's threads when these, or messages of them, go: on every checkpointer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeAlias

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.graph.state import CompiledStateGraph

from langchain_agentmem import AgentMemory, GraphOptions, Scope, create_memory_graph
from langchain_agentmem._flow import flows_of
from langchain_agentmem.errors import StorageError
from langchain_agentmem.long_term.turns.kept_threads import LOOK_AGAIN
from tests.conftest import Call
from tests.contracts.long_term_contract import Clock
from tests.fake_chat_model import ScriptedChatModel
from tests.spelled import spelled

Open: TypeAlias = Callable[..., AgentMemory]
ALICE = Scope("alice")
TTL = timedelta(days=7)
Graph: TypeAlias = CompiledStateGraph[Any, Any, Any, Any]
ASKED = "Where does uncle Ed live?"


def config(thread: str) -> RunnableConfig:
    return {"configurable": {"user_id": "alice", "thread_id": thread}}


def goals(memory: AgentMemory) -> list[str | None]:
    states = (memory.working.get(Scope("alice", session_id=it)) for it in ("t", "other"))
    return [None if it is None else it.goal for it in states]


class KeptThreadsContract:
    """Subclass it beside a fixture `opened` that gives a memory, made with the options it is called with."""

    histories_are_pointed_at = True
    """Whether turns of chat histories are told from copies: where these are in the same database."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def memory(self, opened: Open, clock: Clock) -> Iterator[AgentMemory]:
        memory = opened(embeddings=None, consent="assumed", clock=clock, threads={"ttl": TTL})
        yield memory
        memory.close()

    @pytest.fixture
    def graph(self, memory: AgentMemory) -> Graph:
        model = ScriptedChatModel(script=["Noted."] * 9)
        return create_memory_graph(
            model, memory=memory, checkpointer=memory.checkpointer, options=GraphOptions(writes="inline")
        )

    @pytest.fixture(params=["graph", "agent"])
    def kind(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture
    def wish(self) -> str:
        return "Please book a clinic for my operation."

    @staticmethod
    def say(graph: Graph, text: str, thread: str = "t", **keys: str) -> None:
        graph.invoke({"messages": [HumanMessage(text, **keys)]}, config(thread))

    @staticmethod
    def told(memory: AgentMemory) -> list[str]:
        return [it.text for it in memory.episodes.list(scope=ALICE)]

    async def test_turns_end_with_their_thread(self, memory: AgentMemory, graph: Graph, call: Call) -> None:
        """What was said in a thread that is deleted is not recalled; other threads, sessions and users keep theirs."""
        self.say(graph, "My uncle Ed moved to Faro", "t")
        self.say(graph, "I bought a kite", "other")
        bob = Scope("bob", session_id="t")
        memory.episodes.ingest([HumanMessage("Ed is mine")], scope=bob)
        history = [HumanMessage("A history of the same name")] if self.histories_are_pointed_at else []
        memory.history(Scope("alice", session_id="t")).add_messages(history)
        await call(memory.checkpointer, "delete_thread", "t")
        assert sorted(self.told(memory)) == [*(it.text for it in history), "I bought a kite"]
        assert not [
            hit for hit in memory.long_term.recall(ASKED, scope=ALICE, kinds=["episode"]) if "Ed" in spelled(hit)
        ]
        assert len(memory.episodes.list(scope=bob)) == 1

    async def test_a_copy_of_a_thread_goes_with_its_owners_erasure(
        self, memory: AgentMemory, graph: Graph, call: Call
    ) -> None:
        """Whoever copied it: what a user said is in no thread after her erasure, and nobody else's goes."""
        self.say(graph, "My uncle Ed moved to Faro")
        graph.invoke({"messages": [HumanMessage("Hello")]}, {"configurable": {"user_id": "bob", "thread_id": "bobs"}})
        await call(memory.checkpointer, "copy_thread", "t", "copied")
        await call(memory.checkpointer, "copy_thread", "bobs", "bobs-copy")
        assert (await call(memory.privacy, "erase", ALICE)).is_empty
        left = [list(memory.checkpointer.list({"configurable": {"thread_id": it}})) for it in ("t", "copied")]
        assert left == [[], []]
        assert {it.thread_id for it in memory.checkpointer.threads()} == {"bobs", "bobs-copy"}

    async def test_the_state_of_a_task_ends_with_its_thread(
        self, memory: AgentMemory, call: Call, kind: str, wish: str
    ) -> None:
        """A new thread of that name begins with a new task; other threads keep theirs, and a pruned one does, too."""
        model, working = ScriptedChatModel(script=["Noted."] * 9), GraphOptions(working=True, writes="inline")
        agent: Graph = (
            create_memory_graph(model, memory=memory, checkpointer=memory.checkpointer, options=working)
            if kind == "graph"
            else create_agent(
                model, middleware=[memory.middleware(working=True, tools=False)], checkpointer=memory.checkpointer
            )
        )
        self.say(agent, wish)
        self.say(agent, "Please plan my holiday in Faro.", "other")
        await call(memory.checkpointer, "prune", ["t"])
        assert goals(memory) == [wish, "Please plan my holiday in Faro."]
        await call(memory.checkpointer, "delete_thread", "t")
        assert goals(memory) == [None, "Please plan my holiday in Faro."]
        state = agent.invoke({"messages": [HumanMessage("Hello, let us begin.")]}, config("t"))
        assert "clinic" not in repr(state["working"])

    async def test_the_state_of_a_task_ends_with_its_thread_where_nothing_else_is_kept(
        self, memory: AgentMemory, call: Call, wish: str
    ) -> None:
        """It is let go of for a user of whom there is no turn, too; of a thread that expires, by the look at it."""
        model = ScriptedChatModel(script=["Noted."])
        agent = create_agent(model, checkpointer=memory.checkpointer)
        memory.working.update(Scope("alice", session_id="t"), goal=wish)
        self.say(agent, "Hello!")
        await call(memory.checkpointer, "delete_thread", "t")
        assert goals(memory)[0] is None

    async def test_the_state_of_a_task_ends_with_a_cleared_history(
        self, memory: AgentMemory, call: Call, wish: str
    ) -> None:
        """A conversation that is cleared has no task left, of whoever it was; that of another one stays."""
        for scope in (Scope("alice", session_id="t"), Scope.anonymous("t")):
            other = replace(scope, session_id="other")
            memory.working.update(scope, goal=wish)
            memory.working.update(other, goal=wish)
            memory.history(scope).add_messages([HumanMessage(wish)])
            await call(memory.history(scope), "clear")
            assert memory.working.get(scope) is None
            assert memory.working.get(other) is not None

    async def test_turns_of_agents_end_with_their_thread(self, memory: AgentMemory, call: Call) -> None:
        """Those that were taken in behind the answer, those that still wait, and those of a named agent."""
        model = ScriptedChatModel(script=["Noted."] * 3)
        middleware = [memory.middleware(agent_id="planner")]
        agent = create_agent(model, middleware=middleware, checkpointer=memory.checkpointer)
        self.say(agent, "My brother Tom moved to Porto")
        await call(memory.jobs, "run")
        self.say(agent, "He likes it there")
        planner = Scope("alice", agent_id="planner")
        assert len(memory.episodes.list(scope=planner)) == 1
        await call(memory.checkpointer, "prune", ["t"], strategy="delete")
        await call(memory.jobs, "run")
        assert not memory.episodes.list(scope=planner)

    async def test_turns_end_with_messages_that_the_application_takes_out(
        self,
        memory: AgentMemory,
        graph: Graph,
        call: Call,
    ) -> None:
        """Only those turns, also where a message is rewritten."""
        for number, text in enumerate(("Ed moved to Faro", "I bought a kite", "I sold my car")):
            self.say(graph, text, id=str(number))
        await call(graph, "update_state", config("t"), {"messages": [RemoveMessage(id="0")]})
        assert self.told(memory) == ["I bought a kite", "I sold my car"]
        await call(graph, "update_state", config("t"), {"messages": [HumanMessage("I bought a boat", id="1")]})
        assert self.told(memory) == ["I sold my car"]
        await call(graph, "update_state", config("t"), {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES)]})
        assert self.told(memory) == []

    async def test_turns_stay_where_the_state_is_only_added_to(
        self,
        memory: AgentMemory,
        graph: Graph,
        call: Call,
    ) -> None:
        """An update, a rollback, and the history that one leaves take no turn."""
        self.say(graph, "Ed moved to Faro")
        self.say(graph, "I bought a kite")
        await call(graph, "update_state", config("t"), {"messages": [AIMessage("By the way.")]})
        first = memory.checkpointer.history("t")[-1]
        await call(memory.checkpointer, "rollback", "t", first.id)
        assert len(self.told(memory)) == 2

    async def test_what_a_run_takes_out_of_its_state_can_be_recalled(self, memory: AgentMemory, graph: Graph) -> None:
        """A conversation that is trimmed or summed up is out of the model's sight, and not gone."""
        self.say(graph, "Ed moved to Faro", id="0")
        graph.invoke({"messages": [RemoveMessage(id="0"), HumanMessage("I bought a kite")]}, config("t"))
        assert [it.text for it in graph.get_state(config("t")).values["messages"]][1:2] == ["I bought a kite"]
        assert self.told(memory) == ["Ed moved to Faro", "I bought a kite"]

    async def test_a_thread_that_was_bound_takes_its_turns_along(self, memory: AgentMemory, call: Call) -> None:
        """Where the graph has its user from elsewhere, and no run names one."""
        model = ScriptedChatModel(script=["Noted."])
        options = GraphOptions(scope=ALICE, writes="inline")
        graph = create_memory_graph(model, memory=memory, checkpointer=memory.checkpointer, options=options)
        await call(memory.checkpointer, "bind", "t", scope=ALICE)
        graph.invoke({"messages": [HumanMessage("Ed moved to Faro")]}, {"configurable": {"thread_id": "t"}})
        assert self.told(memory) == ["Ed moved to Faro"]
        await call(memory.checkpointer, "delete_thread", "t")
        assert self.told(memory) == []

    async def test_turns_end_with_the_last_checkpoint_that_holds_them(
        self,
        memory: AgentMemory,
        graph: Graph,
        call: Call,
    ) -> None:
        """A rollback leaves messages in the history alone, and a pruning takes them out of that."""
        self.say(graph, "Ed moved to Faro")
        before = memory.checkpointer.history("t")[0]
        self.say(graph, "I bought a kite")
        await call(memory.checkpointer, "prune", ["t"], keep_last=99)
        assert len(self.told(memory)) == 2
        await call(memory.checkpointer, "rollback", "t", before.id)
        await call(memory.checkpointer, "prune", ["t"])
        assert self.told(memory) == ["Ed moved to Faro"]

    async def test_turns_end_with_the_run_that_is_deleted(self, memory: AgentMemory, graph: Graph, call: Call) -> None:
        """Those of other runs stay."""
        self.say(graph, "Ed moved to Faro")
        named: RunnableConfig = {**config("t"), "metadata": {"run_id": "second"}}
        graph.invoke({"messages": [HumanMessage("I bought a kite")]}, named)
        await call(memory.checkpointer, "delete_for_runs", ["second"])
        assert self.told(memory) == ["Ed moved to Faro"]

    async def test_turns_end_with_a_thread_that_expires(
        self,
        memory: AgentMemory,
        graph: Graph,
        clock: Clock,
        call: Call,
    ) -> None:
        """Whoever runs the jobs; a thread that is used meanwhile keeps its turns."""
        self.say(graph, "Ed moved to Faro", "rests")
        self.say(graph, "I bought a kite", "goes on")
        clock.now += TTL / 2
        self.say(graph, "It is red", "goes on")
        clock.now += TTL * 0.9
        await call(memory.jobs, "run")
        assert self.told(memory) == ["I bought a kite", "It is red"]
        clock.now += TTL
        await call(memory.jobs, "run")
        assert self.told(memory) == []

    async def test_what_a_run_on_its_way_leaves_ends_after_its_thread(
        self,
        memory: AgentMemory,
        graph: Graph,
        clock: Clock,
        call: Call,
    ) -> None:
        """A turn that is kept as its thread is deleted goes with the next jobs."""
        self.say(graph, "Ed moved to Faro")
        await call(memory.checkpointer, "delete_thread", "t")
        memory.episodes.ingest([HumanMessage("He likes it there")], scope=Scope("alice", session_id="t"))
        clock.now += 2 * LOOK_AGAIN
        await call(memory.jobs, "run")
        assert self.told(memory) == []

    async def test_turns_end_though_nobody_came_to_say_so(
        self,
        memory: AgentMemory,
        graph: Graph,
        clock: Clock,
        monkeypatch: pytest.MonkeyPatch,
        call: Call,
    ) -> None:
        """Where a process ends right after a pruning, another one's jobs find which messages are gone."""
        self.say(graph, "Ed moved to Faro")
        before = memory.checkpointer.history("t")[0]
        self.say(graph, "I bought a kite")
        memory.checkpointer.rollback("t", before.id)
        with monkeypatch.context() as killed:
            killed.setattr(memory._following.threads, "end_messages", lambda *_: iter(()))
            await call(memory.checkpointer, "prune", ["t"])
        assert len(self.told(memory)) == 2
        clock.now += 2 * LOOK_AGAIN
        await call(memory.jobs, "run")
        assert self.told(memory) == ["Ed moved to Faro"]

    async def test_a_thread_stays_where_its_turns_cannot_end(
        self,
        memory: AgentMemory,
        graph: Graph,
        monkeypatch: pytest.MonkeyPatch,
        call: Call,
    ) -> None:
        """Whoever is told of an error deletes it once more; no word outlives its thread."""
        self.say(graph, "Ed moved to Faro")

        def fail(*_: object, **__: object) -> Iterator[None]:
            msg = "down"
            raise StorageError(msg)

        with monkeypatch.context() as broken:
            broken.setattr(flows_of(memory.episodes), "end_copies", fail)
            with pytest.raises(StorageError):
                await call(memory.checkpointer, "delete_thread", "t")
        assert graph.get_state(config("t")).values["messages"]
        await call(memory.checkpointer, "delete_thread", "t")
        assert self.told(memory) == []
