"""What the user wants forgotten does not come back from what the assistant once answered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import AgentMemory, Scope, create_memory_graph
from tests.conftest import Colour
from tests.unit_tests.cli.commands import run
from tests.unit_tests.faces.scripted import ScriptedModel

ANA: Final = Scope("ana")
MakeFace = Callable[[AgentMemory, ScriptedModel], Any]


def graph(memory: AgentMemory, model: ScriptedModel) -> Any:  # noqa: ANN401  (a compiled graph)
    return create_memory_graph(model, memory=memory, checkpointer=memory.checkpointer)


def agent(memory: AgentMemory, model: ScriptedModel) -> Any:  # noqa: ANN401  (likewise)
    return create_agent(model, middleware=[memory.middleware()], checkpointer=memory.checkpointer)


@pytest.mark.parametrize("face", [graph, agent])
async def test_an_answer_goes_with_what_it_says(face: MakeFace, colour: Colour) -> None:
    """Neither the statement nor the exchange about it is recalled in another conversation; the rest is there."""
    turns = {
        "I prefer dark mode.": "Noted.",
        "What theme do I prefer?": "Dark mode.",
        "Which city has the opera with the white roof?": "Oslo.",
        "Forget that I prefer dark mode.": "Done.",
        "Which theme do I like?": "I do not know.",
    }
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        model = ScriptedModel(script=list(turns.values()))
        made = face(memory, model)
        for number, text in enumerate(turns):
            given, config = {"messages": [("user", text)]}, {"configurable": {"thread_id": f"t{number}"}}
            context = {"user_id": "ana"}
            if colour == "sync":
                made.invoke(given, config, context=context)
            else:
                await made.ainvoke(given, config, context=context)
        assert "dark" not in " ".join(it.text for it in model.requests[-1]).casefold()
        assert [it.reply for it in memory.episodes.list(scope=ANA) if "opera" in it.text] == ["Oslo."]


def test_the_command_line_forgets_the_answer_too(tmp_path: Path) -> None:
    """`forget --about` means the same turns as the request in a conversation."""
    path = tmp_path / "agent.db"
    asked = [HumanMessage("What theme do I prefer?", id="q"), AIMessage("Dark mode.", id="a")]
    with AgentMemory.embedded(path, embeddings=None, consent="assumed") as memory:
        memory.episodes.ingest(asked, scope=Scope("ana", session_id="talk"))
    assert run("forget", path, "--user", "ana", "--about", "that I prefer dark mode", "--yes").exit_code == 0
    with AgentMemory.embedded(path, embeddings=None, consent="assumed") as memory:
        assert not memory.episodes.list(scope=ANA)
