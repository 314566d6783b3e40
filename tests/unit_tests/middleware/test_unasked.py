"""A request to forget is carried out in a turn whose model memory never sees: others answer it, or end it first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from langchain.agents.middleware import AgentMiddleware, ModelCallLimitMiddleware, ModelResponse, hook_config
from langchain_core.messages import AIMessage

from langchain_agentmem import AgentMemory
from langchain_agentmem.english.requests.intent import Intent
from tests.unit_tests.faces.conftest import ALICE, contents, remember
from tests.unit_tests.middleware.conftest import MakeAgent

OSLO: Final = "Alice lives in Oslo"
TEA: Final = "Alice prefers tea"


class Guard(AgentMiddleware[Any, Any, Any]):
    """Ends every turn before the model is asked."""

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: Any, runtime: Any) -> dict[str, Any]:  # noqa: ANN401  (a state of any agent's)
        return {"messages": [AIMessage("Off topic.")], "jump_to": "end"}


class Gate(AgentMiddleware[Any, Any, Any]):
    """Ends every turn before the agent begins."""

    @hook_config(can_jump_to=["end"])
    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any]:  # noqa: ANN401  (a state of any agent's)
        return {"messages": [AIMessage("Closed.")], "jump_to": "end"}


class Cache(AgentMiddleware[Any, Any, Any]):
    """Answers in the place of the model."""

    def wrap_model_call(self, request: Any, handler: Any) -> ModelResponse[Any]:  # noqa: ANN401  (of a model)
        return ModelResponse(result=[AIMessage("As before.")])

    async def awrap_model_call(self, request: Any, handler: Any) -> ModelResponse[Any]:  # noqa: ANN401  (of a model)
        return ModelResponse(result=[AIMessage("As before.")])


Around = Callable[[Any], list[Any]]

ORDERS: dict[str, Around] = {
    "a guard behind memory": lambda it: [it, Guard()],
    "a guard before memory": lambda it: [Guard(), it],
    "a gate behind memory": lambda it: [it, Gate()],
    "a gate before memory": lambda it: [Gate(), it],
    "a cache before memory": lambda it: [Cache(), it],
    "a limit": lambda it: [it, ModelCallLimitMiddleware(thread_limit=1)],
}


def first(memory: AgentMemory) -> None:
    """Put two things in place."""
    remember(memory, OSLO, kind="fact")
    remember(memory, TEA)


@pytest.mark.parametrize("writes", ["inline", "background"])
@pytest.mark.parametrize("order", ORDERS)
async def test_what_is_asked_is_forgotten_whoever_answers(
    memory: AgentMemory, agent: MakeAgent, order: str, writes: str
) -> None:
    """In every turn of a thread, and nothing else goes with it; what the turn says besides is kept."""
    first(memory)
    made = agent(["Hello."], around=ORDERS[order], writes=writes)
    await made.say("Hello!")
    state = await made.say("Forget where I live. I own a boat.", user_name="Alice")
    assert ([it["kind"] for it in state["memory"]["forgotten"]], state["memory"]["left"]) == (["fact"], [])
    memory.jobs.run()
    assert sorted(contents(memory)) == ["Alice owns a boat", TEA]


@pytest.mark.parametrize("order", ORDERS)
async def test_all_is_forgotten_or_nothing(memory: AgentMemory, agent: MakeAgent, order: str) -> None:
    """Facts go with the turns of conversations."""
    first(memory)
    made = agent(["Hello."], around=ORDERS[order])
    await made.say("I live in Bergen.", user_name="Alice")
    await made.say("Please forget everything about me.", user_name="Alice")
    assert (contents(memory), [*memory.episodes.list(scope=ALICE)]) == ([], [])


async def test_what_asks_for_nothing_looks_for_nothing(memory: AgentMemory, agent: MakeAgent) -> None:
    """A turn that looks alike leaves everything where it is."""
    first(memory)
    made = agent([], around=ORDERS["a guard behind memory"])
    state = await made.say("Don't forget where I live. I never forget a birthday.", user_name="Alice")
    assert (state["memory"]["forgotten"], {OSLO, TEA} <= {*contents(memory)}) == ([], True)


async def test_the_detector_is_asked_at_the_end(memory: AgentMemory, agent: MakeAgent) -> None:
    """As it is before a model: the rules alone would hear nothing here."""

    def detector(_text: str) -> Intent:
        return Intent(needs_memory=True, reason="so", is_forget_request=True, forget_what="Oslo")

    first(memory)
    await agent([], around=ORDERS["a guard behind memory"], detector=detector).say("Vergiss Oslo.", user_name="Alice")
    assert contents(memory) == [TEA]
