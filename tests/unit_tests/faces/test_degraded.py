from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.errors import StorageError
from langchain_agentmem.extraction import ModelExtractor
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Recall
from tests.unit_tests.faces.conftest import MakeAgent, World, contents, remember
from tests.unit_tests.faces.scripted import ScriptedModel, call


class BrokenExtractor:
    """Raises whatever a provider might."""

    def extract_flow(
        self, messages: Sequence[BaseMessage], *, user_name: str | None = None, new_from: int = 0
    ) -> Flow[Any]:
        msg = "the provider hung up on: my secret"
        raise ConnectionError(msg)


@dataclass
class Parts:
    """Memory with some of its parts replaced."""

    long_term: Any
    episodes: Any
    extractor: Any
    evaluator: Any
    turns: Any = None


def break_(memory: AgentMemory, monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let methods of long-term memory fail as with a database that is gone."""

    def broken(*_args: object, **_kwargs: object) -> Any:  # noqa: ANN401
        msg = "the database is gone; start it"
        raise StorageError(msg)

    for name in names:
        monkeypatch.setattr(flows_of(memory.long_term), name, broken)


async def test_memory_down_is_said_and_the_turn_answered(
    memory: AgentMemory, agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is told that memory is unavailable, and answers."""
    break_(memory, monkeypatch, "recall", "remember", "decline")
    made = agent(["I cannot look it up now."])
    state = await made.say("What do I prefer? I prefer tea.")
    assert state["messages"][-1].text == "I cannot look it up now."
    assert state["memory"]["status"].startswith("degraded: StorageError")
    assert "memory is unavailable" in made.model.told


async def test_a_write_that_fails_is_in_the_status(
    memory: AgentMemory, agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is given already; the report says that nothing was kept."""
    break_(memory, monkeypatch, "remember")
    state = await agent(["Noted."]).say("I prefer tea over coffee.")
    assert state["memory"]["status"].startswith("degraded")
    assert (state["memory"]["written"], contents(memory)) == ([], [])


async def test_forgetting_that_fails_is_in_the_status(
    memory: AgentMemory, agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing claims to be forgotten that is not."""
    remember(memory, "Alice likes sushi")
    break_(memory, monkeypatch, "forget_part")
    state = await agent(["Forgotten."]).say("Please forget that I like sushi.")
    assert state["memory"]["status"].startswith("degraded")
    assert state["memory"]["forgotten"] == []


async def test_a_failing_extractor_costs_the_memory_and_not_the_turn(memory: AgentMemory, agent: MakeAgent) -> None:
    """A foreign error is named by its type: its text may quote the user."""
    parts = Parts(memory.long_term, memory.episodes, BrokenExtractor(), memory.evaluator, memory.turns)
    state = await agent(["Noted."], parts=parts).say("I prefer tea.")
    assert state["messages"][-1].text == "Noted."
    assert state["memory"]["status"] == "degraded: ConnectionError"


async def test_a_failing_detector_leaves_the_decision_to_the_rules(memory: AgentMemory, agent: MakeAgent) -> None:
    """Intent by a model that is down is intent by rules."""
    remember(memory, "Alice likes sushi")

    def broken(_text: str) -> Any:  # noqa: ANN401
        raise TimeoutError

    state = await agent(["Sushi."], detector=broken).say("Which food do I like, sushi?")
    assert len(state["memory"]["recalled"]) == 1


async def test_tools_run_when_memory_cannot_be_asked(
    memory: AgentMemory, world: World, agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turn goes on, and says that it went on without memory."""
    break_(memory, monkeypatch, "recall", "decline")
    state = await agent([call("deploy", target="eu"), "Done."], world.deploy).say("Hello!")
    assert (world.deployed, state["memory"]["status"][:8]) == (["eu"], "degraded")


async def test_a_hook_can_be_stricter_when_memory_cannot_be_asked(
    memory: AgentMemory, world: World, agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sees the recall's status, and may forbid what it cannot judge."""
    break_(memory, monkeypatch, "recall", "decline")

    def strict(_action: str, recall: Recall) -> str | None:
        return "Rules are unknown." if recall.status == "degraded" else None

    await agent([call("deploy", target="eu"), "No."], world.deploy, before_action=strict).say("Hello!")
    assert world.deployed == []


async def test_a_model_that_fails_is_not_hidden(agent: MakeAgent) -> None:
    """The answer itself is not memory's to save: the error reaches the application, its retries and its fallbacks."""
    with pytest.raises(TimeoutError):
        await agent([TimeoutError()]).say("Hello!")


async def test_a_failing_extraction_model_is_counted_and_rules_extract(memory: AgentMemory, agent: MakeAgent) -> None:
    """A model proposes; where it cannot, the turn is remembered all the same."""
    extractor = ModelExtractor(ScriptedModel(script=[TimeoutError()]))
    state = await agent(["Noted."], parts=Parts(memory.long_term, memory.episodes, extractor, memory.evaluator)).say(
        "I prefer tea."
    )
    assert (state["memory"]["failures"], state["memory"]["status"]) == (1, "ok")
    assert len(contents(memory)) == 1


async def test_the_memorys_own_model_calls_do_not_stream(memory: AgentMemory, agent: MakeAgent) -> None:
    """Whoever watches the answer's tokens sees the answer only."""
    extractor = ModelExtractor(ScriptedModel(script=["internal", "internal"]))
    made = agent(["Noted."], parts=Parts(memory.long_term, memory.episodes, extractor, memory.evaluator))
    config: Any = {"configurable": {"thread_id": "t", "user_id": "alice"}}
    stream: Any = made.graph.astream({"messages": [("user", "I prefer tea.")]}, config, stream_mode="messages")
    assert [token.text async for token, _ in stream if token.text] == ["Noted."]


@pytest.mark.parametrize("text", ["", "   ", "\n", "\u200b"])
async def test_a_message_without_words_is_no_failure(agent: MakeAgent, text: str) -> None:
    """There is nothing to look for, and memory is not to blame for it."""
    state = await agent(["Yes?"]).say(text)
    assert (state["messages"][-1].text, state["memory"]["status"]) == ("Yes?", "ok")
