"""Conversations with agents, which are threads and no chat histories."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from langchain_agentmem import AgentMemory
from langchain_agentmem.types import Scope
from tests.conftest import Call
from tests.unit_tests.faces.scripted import ScriptedModel

ANA = Scope("ana", session_id="t")
TURNS = 14


def topics(context: Any) -> str:  # noqa: ANN401  (a TurnContext)
    """All that a prompt says."""
    return "\n".join(message.text for message in context.messages)


class DialogueContract:
    """Wherever threads are: what looks at conversations as a whole reads them, for their user alone."""

    @pytest.fixture
    def memory(self) -> AgentMemory:
        """Of the backend."""
        raise NotImplementedError

    @pytest.fixture
    def talk(self, memory: AgentMemory) -> AgentMemory:
        """Memory of a user who talked to an agent; nothing but its checkpointer holds the words."""
        model = ScriptedModel(script=[f"Noted, topic {number}." for number in range(TURNS)])
        agent = create_agent(model, checkpointer=memory.checkpointer)
        for number in range(TURNS):
            said = HumanMessage(f"Let us talk about topic number {number} for a while.")
            agent.invoke({"messages": [said]}, {"configurable": {"thread_id": "t", "user_id": "ana"}})
        return memory

    async def test_a_turn_goes_on_from_the_thread(self, talk: AgentMemory, call: Call) -> None:
        """What was said to the agent stands in the prompt that is put together for the session."""
        context = await call(talk, "assemble", "And now?", scope=ANA)
        assert context.layers["messages"].status == "ok"
        assert "topic number 13" in topics(context)

    async def test_a_thread_is_summarised_once_it_rests(self, talk: AgentMemory, call: Call) -> None:
        """The summary is kept with the thread; run again there is nothing new, and the next turn goes on from it."""
        first = (await call(talk.consolidation, "run", ANA)).summary
        again = (await call(talk.consolidation, "run", ANA)).summary
        assert (first.is_new, first.version, again.is_new, again.version) == (True, 1, False, 1)
        context = await call(talk, "assemble", "And now?", scope=ANA)
        assert context.layers["summary"].status == "ok"
        assert "topic number 13" in topics(context)

    async def test_a_job_summarises_it(self, talk: AgentMemory, call: Call) -> None:
        """So does whichever process runs the jobs, once the conversation is quiet."""
        assert await call(talk.consolidation, "schedule", ANA, after=timedelta())
        await call(talk.jobs, "run")
        context = await call(talk, "assemble", "And now?", scope=ANA)
        assert context.layers["summary"].status == "ok"

    @pytest.mark.parametrize(
        "scope",
        [Scope("bob", session_id="t"), Scope("ana", tenant_id="other", session_id="t"), Scope.anonymous("t")],
        ids=["user", "tenant", "visitor"],
    )
    async def test_another_users_thread_is_no_conversation(self, talk: AgentMemory, call: Call, scope: Scope) -> None:
        """Whoever names the id of a thread that is not theirs finds nothing there."""
        await call(talk.consolidation, "run", ANA)
        context = await call(talk, "assemble", "And now?", scope=scope)
        assert (context.layers["messages"].status, context.layers["summary"].status) == ("empty", "empty")
        report = await call(talk.consolidation, "run", scope)
        assert report.summary is None or report.summary.version is None

    async def test_a_summary_goes_with_its_thread(self, talk: AgentMemory, call: Call) -> None:
        """A thread that is deleted leaves no summary, and one of the same id begins anew."""
        await call(talk.consolidation, "run", ANA)
        talk.checkpointer.delete_thread("t")
        context = await call(talk, "assemble", "And now?", scope=ANA)
        assert (context.layers["messages"].status, context.layers["summary"].status) == ("empty", "empty")
        talk.checkpointer.bind("t", scope=ANA)
        assert (await call(talk.consolidation, "run", ANA)).summary.version is None

    async def test_what_is_removed_from_the_thread_leaves_its_summary(self, talk: AgentMemory, call: Call) -> None:
        """A summary of messages of which one was removed is made anew without it."""
        await call(talk.consolidation, "run", ANA)
        config: Any = {"configurable": {"thread_id": "t", "user_id": "ana"}}
        agent = create_agent(ScriptedModel(script=[]), checkpointer=talk.checkpointer)
        first = agent.get_state(config).values["messages"][0]
        agent.update_state(config, {"messages": [RemoveMessage(first.id)]})
        again = (await call(talk.consolidation, "run", ANA)).summary
        assert again.is_new
        assert "topic number 0 " not in topics(await call(talk, "assemble", "And now?", scope=ANA))
        agent.update_state(config, {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES)]})
        context = await call(talk, "assemble", "And now?", scope=ANA)
        assert (context.layers["messages"].status, context.layers["summary"].status) == ("empty", "empty")

    async def test_a_chat_history_comes_first(self, talk: AgentMemory, call: Call) -> None:
        """A session that has one is read there."""
        talk.history(ANA).add_user_message("This is a chat.")
        context = await call(talk, "assemble", "And now?", scope=ANA)
        assert "This is a chat." in topics(context)
        assert "topic number" not in topics(context)

    async def test_the_agent_sees_nothing_of_the_summary(self, talk: AgentMemory, call: Call) -> None:
        """Its own state, and the history of its thread, are what they were."""
        before = list(talk.checkpointer.list({"configurable": {"thread_id": "t", "checkpoint_ns": ""}}))
        await call(talk.consolidation, "run", ANA)
        after = list(talk.checkpointer.list({"configurable": {"thread_id": "t", "checkpoint_ns": ""}}))
        assert [it.checkpoint["id"] for it in after] == [it.checkpoint["id"] for it in before]
        model = ScriptedModel(script=["Fine."])
        agent = create_agent(model, checkpointer=talk.checkpointer)
        config: Any = {"configurable": {"thread_id": "t", "user_id": "ana"}}
        assert len(agent.invoke({"messages": [HumanMessage("Go on.")]}, config)["messages"]) == 2 * TURNS + 2
