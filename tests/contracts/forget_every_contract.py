"""What is promised of a request to forget where much of what is kept says the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import AgentMemory, MemoryOptions, Scope, create_memory_graph
from langchain_agentmem._flow import flows_of, run
from langchain_agentmem.long_term.forget_requests import Named, Naming
from langchain_agentmem.nodes.seeking import MAX_TOLD
from langchain_agentmem.sql.engine import Database
from tests.conftest import Colour
from tests.unit_tests.faces.scripted import ScriptedModel

ANA: Final = Scope("ana")
BEN: Final = Scope("ben")
OWN: Final = "I have a cat named Minka."
FACT: Final = "Ana has a cat named Minka"
ASKED: Final = "What's my cat called?"
ANSWER: Final = "Your cat is called Minka."
MANY: Final = 60
"""More than a recall returns, in each of two conversations: more than a request shows."""

REQUESTS: Final = (
    "Forget my cat.",
    "Forget that I have a cat named Minka.",
    "Forget that my cat is called Minka.",
    "Please forget everything about Minka.",
)

MakeFace = Callable[[AgentMemory, ScriptedModel], Any]


def graph(memory: AgentMemory, model: ScriptedModel) -> Any:  # noqa: ANN401  (a compiled graph)
    """The graph of this package."""
    return create_memory_graph(model, memory=memory, checkpointer=memory.checkpointer)


def agent(memory: AgentMemory, model: ScriptedModel) -> Any:  # noqa: ANN401  (likewise)
    """An agent of LangChain, with its middleware."""
    return create_agent(model, middleware=[memory.middleware()], checkpointer=memory.checkpointer)


async def say(made: Any, text: str, thread: str, colour: Colour) -> Any:  # noqa: ANN401  (its state)
    """Say something as Ana."""
    given, config = {"messages": [("user", text)]}, {"configurable": {"thread_id": thread, "user_id": "ana"}}
    return made.invoke(given, config) if colour == "sync" else await made.ainvoke(given, config)


def ingest(memory: AgentMemory, scope: Scope, *turns: tuple[str, str]) -> None:
    """Keep turns of a conversation."""
    messages = [it for said, reply in turns for it in (HumanMessage(said), AIMessage(reply))]
    memory.episodes.ingest(messages, scope=scope)


def texts(memory: AgentMemory, scope: Scope) -> list[str]:
    """Everything that is kept of a user, in words."""
    turns = [it.content for it in memory.episodes.list(scope=scope, limit=1_000)]
    return [*(it.content for it in memory.long_term.list(scope=scope)), *turns]


class ForgetEveryContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def memory(self, sql_url: str) -> Iterator[AgentMemory]:
        """What one process has."""
        database = Database(sql_url)
        with AgentMemory(database, embeddings=None, options=MemoryOptions(consent="assumed")) as memory:
            yield memory
        database.close()

    @pytest.mark.parametrize("face", [graph, agent])
    @pytest.mark.parametrize("request_", REQUESTS)
    async def test_every_turn_and_fact_that_says_it_goes(
        self, face: MakeFace, request_: str, memory: AgentMemory, colour: Colour
    ) -> None:
        """Whichever way it is asked: equal turns of several threads go together, the rest and others' stay."""
        ingest(memory, Scope("ben", session_id="b"), (ASKED, ANSWER))
        turns = {"1": OWN, "2": ASKED, "3": ASKED, "4": ASKED, "5": "I work at Fiat.", "6": request_}
        replies = {OWN: "Noted.", ASKED: ANSWER}
        made = face(memory, ScriptedModel(script=[replies.get(it, "Fine.") for it in turns.values()]))
        for thread, text in turns.items():
            await say(made, text, thread, colour)
            memory.jobs.run()
        left = texts(memory, ANA)
        assert not [it for it in left if "cat" in it.casefold()]
        assert any("Fiat" in it for it in left)
        assert [it.reply for it in memory.episodes.list(scope=BEN)] == [ANSWER]

    @pytest.mark.parametrize("face", [graph, agent])
    async def test_no_number_of_them_is_too_great(self, face: MakeFace, memory: AgentMemory, colour: Colour) -> None:
        """A request ends at no limit; what is told of it to the model does, and tells the same once."""
        memory.long_term.remember(FACT, scope=ANA)
        for talk in ("one", "two"):
            each = ((ASKED, ANSWER) if it % 2 else (f"My cat sees {talk} {it}.", "Oh.") for it in range(MANY * 2))
            ingest(memory, Scope("ana", session_id=talk), *each, ("How far is the moon?", "Far."))
        model = ScriptedModel(script=["Done."])
        state = await say(face(memory, model), "Forget my cat.", "ask", colour)
        assert len(state["memory"]["forgotten"]) == MANY * 4 + 1
        shown = "\n".join(it.text for it in model.requests[-1])
        assert shown.count(ANSWER) == 1
        assert 0 < shown.count("My cat sees") < MAX_TOLD
        assert texts(memory, ANA) == ["user: How far is the moon?\nassistant: Far."] * 2

    async def test_an_agent_and_a_command_mean_the_same(self, memory: AgentMemory, colour: Colour) -> None:
        """What the agent forgets is what is named to whoever asks for it by other means."""
        memory.long_term.remember(FACT, scope=ANA)
        for talk in ("one", "two", "three"):
            ingest(memory, Scope("ana", session_id=talk), (ASKED, ANSWER), ("Where is Rome?", "In Italy."))
        naming = Naming(flows_of(memory.long_term), flows_of(memory.episodes))
        named = {it.id for it in run(naming.named_flow(Named(what="my cat"), Scope("ana", session_id="one")))}
        state = await say(agent(memory, ScriptedModel(script=["Done."])), "Forget my cat.", "ask", colour)
        assert {it["id"] for it in state["memory"]["forgotten"]} == named
        assert len(named) == 4
