"""Memory beside LangChain's own middleware, in every order that makes sense."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    ClearToolUsesEdit,
    ContextEditingMiddleware,
    HumanInTheLoopMiddleware,
    ModelCallLimitMiddleware,
    PIIMiddleware,
    SummarizationMiddleware,
    ToolRetryMiddleware,
)
from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from langchain_agentmem import AgentMemory, SummaryBuffer
from langchain_agentmem.extraction import is_injected
from tests.spelled import spelled
from tests.unit_tests.faces.conftest import ALICE, World, contents, remember
from tests.unit_tests.faces.scripted import ScriptedModel, call
from tests.unit_tests.faces.test_acting import failed_before
from tests.unit_tests.middleware.conftest import MakeAgent

Around: TypeAlias = Callable[[Any], list[AgentMiddleware[Any, Any, Any]]]
OSLO = "Alice lives in Oslo"
RULE = "Always deploy to staging first"


def summarizing(**settings: Any) -> SummarizationMiddleware:
    """Compress after two messages, by our own summariser, and keep the last."""
    own = SummaryBuffer().summarizer
    settings = {"trigger": ("messages", 3), "keep": ("messages", 1), **settings}
    return SummarizationMiddleware(ScriptedModel(script=[]), summarizer=own, **settings)


def is_valid(request: Sequence[BaseMessage]) -> bool:
    """Whether a provider takes a request: every call has its answer right behind it, in one row."""
    open_calls: set[str] = set()
    for message in request:
        if message.type == "tool":
            if message.tool_call_id not in open_calls:  # type: ignore[attr-defined]  # of a tool's message
                return False
            open_calls.discard(message.tool_call_id)  # type: ignore[attr-defined]  # likewise
        elif open_calls:
            return False
        open_calls |= {it["id"] for it in getattr(message, "tool_calls", [])}
    return not open_calls


ORDERS: dict[str, Around] = {
    "memory first": lambda it: [it, PIIMiddleware("email", strategy="redact"), summarizing(), editing(), asking()],
    "memory last": lambda it: [PIIMiddleware("email", strategy="redact"), summarizing(), editing(), asking(), it],
    "memory amid": lambda it: [asking(), summarizing(), it, editing(), PIIMiddleware("email", strategy="redact")],
}


def editing() -> ContextEditingMiddleware:
    """Clear what tools answered, as soon as there is any."""
    return ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=1, keep=0)])


def asking(**settings: Any) -> HumanInTheLoopMiddleware:
    """Ask a person before a deployment."""
    return HumanInTheLoopMiddleware(interrupt_on={"deploy": True}, **settings)


APPROVED = {"decisions": [{"type": "approve"}]}
REJECTED = {"decisions": [{"type": "reject", "message": "Not today."}]}


# --------------------------------------------------------------------------------------------------------- all of them
@pytest.mark.parametrize("order", ORDERS)
async def test_all_of_them_work_in_one_agent(memory: AgentMemory, world: World, agent: MakeAgent, order: str) -> None:
    """Redacted, summarised, asked about, cleared and remembered: requests stay valid, and memory knows the user."""
    remember(memory, RULE, kind="constraint")
    script = ["Noted.", call("deploy", target="staging"), "Staged.", "In Oslo."]
    made = agent(script, world.deploy, around=ORDERS[order])
    await made.say("I live in Oslo. Write to alice@example.com.", user_name="Alice")
    state = await made.say("Deploy it.", user_name="Alice")
    assert "__interrupt__" in state
    await made.resume(APPROVED)
    state = await made.say("Where do I live?", user_name="Alice")
    assert (world.deployed, state["memory"]["status"]) == (["staging"], "ok")
    assert all(map(is_valid, made.model.requests))
    assert all(RULE in it[0].text for it in made.model.requests)
    assert OSLO in contents(memory)
    assert OSLO in made.told
    assert "alice@example.com" not in spelled(memory.episodes.list(scope=ALICE), contents(memory))


# ------------------------------------------------------------------------------------------------------- summarization
async def test_a_summary_that_covers_the_users_message_loses_no_memory(memory: AgentMemory, agent: MakeAgent) -> None:
    """Within one long turn the message is compressed away; it is still extracted, and the turn is still one."""

    @tool
    def look_up(name: str) -> str:
        """Look something up."""
        return f"found {name}"

    script = [call("look_up", str(n), name=str(n)) for n in range(3)]
    made = agent([*script, "Done."], look_up, around=lambda it: [summarizing(), it], writes="inline", profile=False)
    state = await made.say("I live in Oslo. Look it all up.", user_name="Alice")
    assert not [it for it in state["messages"] if isinstance(it, HumanMessage) and not is_injected(it)]
    assert (contents(memory), state["memory"]["iteration"]) == ([OSLO], 4)
    assert all(map(is_valid, made.model.requests))


async def test_a_summary_is_no_evidence(memory: AgentMemory, agent: MakeAgent) -> None:
    """What a summary says was said before: nothing is extracted from it, and no note is in it."""
    made = agent(["Noted.", "Hello.", "Hello."], around=lambda it: [it, summarizing()], writes="inline")
    await made.say("I live in Oslo.", user_name="Alice")
    memory.long_term.forget(memory.long_term.list(scope=ALICE)[0].id, scope=ALICE)
    for _ in range(2):
        state = await made.say("Hello!", user_name="Alice")
    assert any(is_injected(it) for it in state["messages"])
    assert (contents(memory), "<memories>" in repr(state["messages"])) == ([], False)


# ----------------------------------------------------------------------------------------------------------------- PII
@pytest.mark.parametrize("is_first", [True, False])
async def test_what_was_redacted_is_nowhere_in_memory(memory: AgentMemory, agent: MakeAgent, is_first: bool) -> None:  # noqa: FBT001  (a case)
    """Memory reads what the redaction left, wherever the two stand; its report is read after it too."""
    pii = PIIMiddleware("mac_address", strategy="redact", detector=r"secret-\d+")
    made = agent(["Noted."], around=lambda it: [it, pii] if is_first else [pii, it], writes="inline")
    state = await made.say("My project is called secret-42. Do you remember secret-42?", user_name="Alice")
    kept = repr(contents(memory)) + repr([*memory.episodes.list(scope=ALICE)])
    assert "secret-42" not in kept + repr(state["memory"]) + made.told


# -------------------------------------------------------------------------------------------------------------- people
async def test_a_rejected_call_is_not_run_and_the_turn_goes_on(
    memory: AgentMemory, world: World, agent: MakeAgent
) -> None:
    """After the interrupt the words of memory are there again, read by their ids."""
    remember(memory, RULE, kind="constraint")
    made = agent([call("deploy", target="production"), "Not today."], world.deploy, around=lambda it: [it, asking()])
    await made.say("Deploy to production.")
    state = await made.resume(REJECTED)
    assert (world.deployed, RULE in made.told) == ([], True)
    assert state["memory"]["iteration"] == 2


async def test_memory_may_look_before_a_person_is_asked(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """With interrupts per call and memory first, nobody approves what is then held."""
    failed_before(memory)
    gate = asking(interrupt_mode="per_call")
    script = [call("deploy", "1", target="production"), call("deploy", "2", target="production"), "Done."]
    made = agent(script, world.deploy, around=lambda it: [it, gate], profile=False)
    state = await made.say("Hello!")
    assert [it.text[:11] for it in state["messages"] if it.type == "tool"] == ["Not run yet"]
    assert len(state["__interrupt__"]) == 1
    await made.resume({"type": "approve"})
    assert world.deployed == ["production"]


async def test_an_edited_call_is_looked_at_as_it_runs(world: World, agent: MakeAgent) -> None:
    """Memory is asked about what is going to be done, not about what the model had in mind."""
    seen: list[str] = []
    made = agent(
        [call("deploy", target="production"), "Done."],
        world.deploy,
        around=lambda it: [asking(), it],
        before_action=lambda action, _recall: seen.append(action),
    )
    await made.say("Deploy.")
    edited = {"name": "deploy", "args": {"target": "staging"}}
    await made.resume({"decisions": [{"type": "edit", "edited_action": edited}]})
    assert (world.deployed, seen) == (["staging"], ['deploy(target="staging")'])


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("mode", ["all", "per_call"])
async def test_an_edited_call_led_to_what_the_tool_said(
    memory: AgentMemory,
    world: World,
    agent: MakeAgent,
    is_first: bool,  # noqa: FBT001  (a case)
    mode: str,
) -> None:
    """The reviewer's note stands before the answer, for the model; what is remembered is what the tool said."""
    gate = asking(**({"interrupt_mode": mode} if mode == "per_call" else {}))
    around: Around = lambda it: [it, gate] if is_first else [gate, it]  # noqa: E731
    made = agent([call("deploy", target="eu"), "Done."], world.deploy, around=around, writes="inline")
    await made.say("Deploy.")
    edit = {"type": "edit", "edited_action": {"name": "deploy", "args": {"target": "staging"}}}
    state = await made.resume(edit if mode == "per_call" else {"decisions": [edit]})
    assert "human reviewer" in state["messages"][-2].text
    assert [it["detail"] for it in state["memory"]["outcomes"]] == ["deployed to staging"]
    assert contents(memory) == ['deploy(target="staging") succeeded: deployed to staging']


class Cached(AgentMiddleware[Any, Any, Any]):
    """Answers every call by itself."""

    def wrap_tool_call(self, request: Any, handler: Any) -> ToolMessage:  # noqa: ANN401  (as LangChain has it)
        return ToolMessage("deployed, by the cache", tool_call_id=request.tool_call["id"], name="deploy")

    async def awrap_tool_call(self, request: Any, handler: Any) -> ToolMessage:  # noqa: ANN401  (as above)
        return self.wrap_tool_call(request, handler)


@pytest.mark.parametrize("writes", ["inline", "background"])
@pytest.mark.parametrize("is_first", [True, False])
async def test_what_a_cache_answers_is_nothing_done(
    memory: AgentMemory,
    world: World,
    agent: MakeAgent,
    is_first: bool,  # noqa: FBT001  (a case)
    writes: str,
) -> None:
    """Wherever it stands: what did not run is no outcome and no step of the task."""
    around: Around = lambda it: [it, Cached()] if is_first else [Cached(), it]  # noqa: E731
    script = [call("deploy", target="production"), "Done."]
    state = await agent(script, world.deploy, around=around, writes=writes, working=True).say("Please deploy it.")
    memory.jobs.run()
    assert (world.deployed, contents(memory), state["memory"]["outcomes"]) == ([], [], [])
    assert state["working"].get("completed_steps", []) == []


@pytest.mark.parametrize("is_first", [True, False])
async def test_what_is_tried_again_is_learned_from_once(
    memory: AgentMemory,
    world: World,
    agent: MakeAgent,
    is_first: bool,  # noqa: FBT001  (a case)
) -> None:
    """A tool that raises in the end has failed, whoever answers for it."""
    world.broken = True
    retry = ToolRetryMiddleware(max_retries=1, initial_delay=0, jitter=False, on_failure="continue")
    around: Around = lambda it: [it, retry] if is_first else [retry, it]  # noqa: E731
    script = [call("deploy", target="production"), "It failed."]
    state = await agent(script, world.deploy, around=around, writes="inline").say("Deploy it.")
    assert [it["succeeded"] for it in state["memory"]["outcomes"]] == [False]
    assert len(contents(memory)) == 1


async def test_a_person_may_be_asked_before_memory_changes(memory: AgentMemory, agent: MakeAgent) -> None:
    """Approval of memory's own tools comes for free."""
    create = call("manage_memory", action="create", content="Alice likes tea", evidence="I like tea")
    gate = HumanInTheLoopMiddleware(interrupt_on={"manage_memory": True})
    made = agent([create, "Noted."], around=lambda it: [it, gate])
    assert "__interrupt__" in await made.say("I like tea.")
    assert contents(memory) == []
    await made.resume(APPROVED)
    assert contents(memory) == ["Alice likes tea"]


# ------------------------------------------------------------------------------------------------------------- editing
async def test_cleared_results_are_learned_from_all_the_same(
    memory: AgentMemory, world: World, agent: MakeAgent
) -> None:
    """Editing changes a request, not the record: the outcome is what the tool said."""
    made = agent([call("deploy", target="eu"), "Done."], world.deploy, around=lambda it: [editing(), it])
    await made.say("Deploy.")
    memory.jobs.run()
    assert [it.kind for it in memory.long_term.list(scope=ALICE)] == ["outcome"]
    assert "deployed to eu" in contents(memory)[0]


# -------------------------------------------------------------------------------------------------------------- limits
async def test_a_run_that_another_middleware_ends_is_a_turn(memory: AgentMemory, agent: MakeAgent) -> None:
    """A limit ends the run before the model is asked: what the user said is kept, the answer is the limit's."""
    limit = ModelCallLimitMiddleware(run_limit=1, exit_behavior="end")

    @tool
    def look_up(name: str) -> str:
        """Look something up."""
        return f"found {name}"

    made = agent([call("look_up", name="it"), "never"], look_up, around=lambda it: [limit, it], writes="inline")
    state = await made.say("I live in Oslo. Look it up.", user_name="Alice")
    assert "limit" in state["messages"][-1].text
    assert contents(memory) == [OSLO]


def test_one_agent_has_one_memory(memory: AgentMemory) -> None:
    """Two would both report under one name; LangChain refuses the second."""
    with pytest.raises(AssertionError, match="duplicate"):
        create_agent(ScriptedModel(script=[]), middleware=[memory.middleware(), memory.middleware(agent_id="team")])
