"""Consent and access in graphs and agents: asked for with `interrupt()`, and held to in every turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from langchain_agentmem import (
    AgentMemory,
    ApprovalMiddleware,
    ApprovalPolicy,
    Candidate,
    ConfigurationError,
    ConsentRequest,
    Scope,
    create_consent_node,
)
from langchain_agentmem.graph import GraphOptions, create_memory_graph
from langchain_agentmem.identity import resolve_actor
from langchain_agentmem.long_term import ListQuery
from langchain_agentmem.nodes import AgentOptions, MemoryState
from langchain_agentmem.policies.approve import BySpeaker
from tests.conftest import Call, Colour
from tests.unit_tests.faces.conftest import ALICE, Agent
from tests.unit_tests.faces.scripted import ScriptedModel

SAID, ASKED = "I prefer Python for backend services.", "Which language do I prefer?"
Make = Callable[..., Agent]


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    """Memory of users whom nobody has asked yet."""
    with AgentMemory.in_memory(embeddings=None) as memory:
        yield memory


@pytest.fixture(params=["graph", "middleware"])
def agent(memory: AgentMemory, colour: Colour, request: pytest.FixtureRequest) -> Make:
    """Make an agent of either kind, which asks for consent and writes before a turn ends."""

    def make(*script: Any, **options: Any) -> Agent:
        return make_agent(memory, request.param, colour, script, {"writes": "inline", "ask_consent": True, **options})

    return make


def make_agent(memory: AgentMemory, face: str, colour: Colour, script: Sequence[Any], options: Any) -> Agent:  # noqa: ANN401  (of either kind)
    """Return an agent of either kind that says what a script has."""
    model, saver = ScriptedModel(script=list(script), requests=[]), InMemorySaver()
    if face == "graph":
        graph = create_memory_graph(model, memory=memory, checkpointer=saver, options=GraphOptions(**options))
        return Agent(graph, model, saver, colour)
    asking = [ApprovalMiddleware(memory)] if memory._options.approval else []
    middleware = [*asking, memory.middleware(tools=False, **options)]
    built: Any = create_agent(model, middleware=middleware, checkpointer=saver)
    return Agent(built, model, saver, colour)


def asked(state: dict[str, Any]) -> Any:  # noqa: ANN401  (what an interrupt asks)
    """Return what a person is asked; `None`: nothing."""
    found = state.get("__interrupt__")
    return found[0].value if found else None


def answers(memory: AgentMemory, scope: Scope = ALICE) -> list[dict[str, Any]]:
    """Return what is recorded of a user's answers, the first one first."""
    return [dict((it.payload or {})["note"]) for it in memory.consent.history(scope)]


# ------------------------------------------------------------------------------------------------------------- asking
async def test_who_is_unknown_is_asked_before_anything_else(memory: AgentMemory, agent: Make) -> None:
    """The model hears nothing before the answer; a yes is recorded with its source, run and thread, and then counts."""
    made = agent("Noted.", "Python.")
    question = asked(await made.say(SAID))
    assert (question["type"], question["answers"]) == ("consent", ["allow", "some", "refuse"])
    assert made.model.requests == []
    state = await made.resume("allow")
    assert [it["kind"] for it in state["memory"]["written"]] == ["preference"]
    [note] = answers(memory)
    assert (note["source"], note["thread_id"], "kinds" in note) == ("interrupt", "t", False)
    assert asked(await made.say(ASKED)) is None


async def test_a_refusal_is_asked_about_never_again(memory: AgentMemory, agent: Make) -> None:
    """The turn goes on without memory, and so does every later one, in this thread and in others."""
    made = agent("Noted.", "I do not know.", "No.")
    assert asked(await made.say(SAID))
    await made.resume({"decision": "refuse"})
    assert asked(await made.say(ASKED)) is None
    assert asked(await made.say(ASKED, thread="other")) is None
    assert memory.consent.status(ALICE).status == "withdrawn"
    assert memory.long_term.list(scope=ALICE).items == ()


async def test_some_of_it_can_be_allowed(memory: AgentMemory, agent: Make) -> None:
    """What is allowed is granted, the rest of what was asked is refused; an answer beyond the question is none."""
    made = agent("Noted.", ask_consent=ConsentRequest(kinds=["fact", "preference"], purposes=["support", "ads"]))
    assert asked(await made.say(SAID))["kinds"] == ["fact", "preference"]
    for unclear in ("perhaps", {"decision": "some", "kinds": ["goal"]}, {"decision": "allow", "kinds": ["fact"]}):
        assert "note" in asked(await made.resume(unclear))
    await made.resume({"decision": "some", "kinds": ["preference"], "purposes": ["support"]})
    state = memory.consent.status(ALICE)
    assert (state.of("preference").purposes, state.of("preference").without) == (("support",), ("ads",))
    assert (state.of("fact").status, state.of("goal").status) == ("withdrawn", "unknown")
    assert asked(await made.say(ASKED) if made.model.script else {}) is None


async def test_a_new_purpose_is_asked_about_alone(memory: AgentMemory, agent: Make) -> None:
    """What was allowed before stays allowed, whatever is said to more."""
    memory.consent.grant(ALICE, purposes=["support"])
    made = agent("Noted.", "Fine.", ask_consent=ConsentRequest(purposes=["support", "ads"]))
    assert asked(await made.say("Hello there, my friend"))["purposes"] == ["ads"]
    await made.resume("refuse")
    state = memory.consent.status(ALICE)
    assert (state.status, state.purposes, state.without) == ("granted", ("support",), ("ads",))
    assert asked(await made.say("Hello again, my friend")) is None


async def test_where_nobody_can_be_asked_the_turn_goes_on(memory: AgentMemory, colour: Colour) -> None:
    """Without a checkpointer, for a visitor, and where memory is off, nobody is asked."""
    for user, options in (("alice", {}), ("alice", {"mode": "off"}), (None, {})):
        model = ScriptedModel(script=["Hello."], requests=[])
        saver = InMemorySaver() if options or user is None else None
        chosen = GraphOptions(ask_consent=True, **options)  # type: ignore[arg-type]  # any of the options
        made = Agent(create_memory_graph(model, memory=memory, checkpointer=saver, options=chosen), model, None, colour)
        assert asked(await made.say("Hello", user=user)) is None
    assert answers(memory) == []


async def test_the_node_stands_alone_in_any_graph(memory: AgentMemory, colour: Colour) -> None:
    """Whatever the state is."""
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(MemoryState)
    builder.add_node("ask", create_consent_node(memory, kinds=["goal"], question="May I?"))
    builder.add_edge(START, "ask")
    builder.add_edge("ask", END)
    made = Agent(builder.compile(checkpointer=InMemorySaver()), ScriptedModel(script=[]), None, colour)
    assert asked(await made.say("Hello"))["question"] == "May I?"
    await made.resume(True)  # noqa: FBT003  (an answer)
    assert memory.consent.status(ALICE).of("goal").status == "granted"


@pytest.mark.parametrize("given", [{"kinds": []}, {"kinds": ["dream"]}, {"purposes": "ads"}, {"question": ""}])
def test_a_request_that_asks_for_nothing_is_refused(memory: AgentMemory, given: dict[str, Any]) -> None:
    """Before a graph is built."""
    with pytest.raises(ConfigurationError):
        create_consent_node(memory, **given)
    with pytest.raises(ConfigurationError):
        AgentOptions(ask_consent="yes")  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ConfigurationError):
        create_consent_node(object())


# ------------------------------------------------------------------------------------------------------ during a turn
async def test_consent_withdrawn_during_a_turn_keeps_it_from_writing(memory: AgentMemory, agent: Make) -> None:
    """What the model was shown was allowed then; what the turn leaves is not kept, and nothing is recalled later."""
    memory.consent.grant(ALICE)
    memory.long_term.remember("Alice prefers Python", scope=ALICE, kind="preference")
    made = agent("Python.", "I do not know.")
    answer = made.model._generate

    def withdrawing(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (as the model's own)
        memory.consent.withdraw(ALICE)
        return answer(*args, **kwargs)

    object.__setattr__(made.model, "_generate", withdrawing)
    state = await made.say("Which language do I prefer? And I live in Rome.")
    assert "Alice prefers Python" in made.model.told
    assert state["memory"]["written"] == []
    memory.consent.grant(ALICE, kinds=["fact"])
    found = memory.long_term.recall("where does Alice live", scope=ALICE)
    assert [hit.memory.content for hit in found] == []


BOTH = "I prefer Python over Go. My cat is called Tom."


def kinds_kept(memory: AgentMemory) -> list[str]:
    """Return the kinds of what there is of the user, whatever its status."""
    every = ListQuery(statuses=("active", "pending", "superseded", "archived"))
    return sorted(it.kind for it in memory.long_term.select(every, scope=ALICE))


@pytest.mark.parametrize("writes", ["inline", "background"])
async def test_a_kind_withdrawn_during_a_turn_is_not_written_by_it(
    memory: AgentMemory, agent: Make, call: Call, writes: str
) -> None:
    """While the model answers, and while the turn waits as a job; the other kind is, and the log says so."""
    memory.consent.grant(ALICE)
    made = agent("Noted.", writes=writes)
    answer = made.model._generate

    def withdrawing(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (as the model's own)
        if writes == "inline":
            memory.consent.withdraw(ALICE, kinds=["preference"])
        return answer(*args, **kwargs)

    object.__setattr__(made.model, "_generate", withdrawing)
    state = await made.say(BOTH)
    memory.consent.withdraw(ALICE, kinds=["preference"])
    await call(memory.jobs, "run")
    assert kinds_kept(memory) == ["fact"]
    refused = [it for it in memory.timeline.events(ALICE).items if it.type == "refused"]
    assert [it.rule for it in refused] == ["consent"]
    if writes == "inline":
        assert [(it["kind"], it["rule"]) for it in state["memory"]["refused"]] == [("preference", "consent")]


@pytest.mark.parametrize("face", ["graph", "middleware"])
async def test_a_kind_withdrawn_while_a_person_is_asked_is_not_remembered(face: str, colour: Colour) -> None:
    """A turn waits with an interrupt; an approval after the withdrawal keeps nothing, and the report says so."""
    policy = ApprovalPolicy(rules=[BySpeaker({"user": "ask"})])
    with AgentMemory.in_memory(embeddings=None, approval=policy) as memory:
        memory.consent.grant(ALICE)
        options = {"writes": "inline", **({"approvals": "turn"} if face == "graph" else {})}
        made = make_agent(memory, face, colour, ["Noted."], options)
        requests = asked(await made.say(BOTH))["action_requests"]
        memory.consent.withdraw(ALICE, kinds=["preference"])
        report = (await made.resume([{"type": "approve"}] * len(requests)))["memory"]
        assert [it.kind for it in memory.long_term.list(scope=ALICE)] == ["fact"]
        assert sorted(it["verdict"] for it in report["decided"]) == ["approved", "refused"]
        assert not memory.long_term.recall("which language?", scope=ALICE)


async def test_a_kind_withdrawn_during_a_consolidation_is_not_concluded(
    memory: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Withdrawn between what is read and what is written: nothing is, whatever was found before."""
    memory.consent.grant(ALICE)
    ledger = memory._parts[0].ledger
    for said in ("Alice prefers Python", "Alice strongly prefers Python"):
        memory.long_term.remember(Candidate(content=said, kind="preference"), scope=ALICE)
    assert memory.consolidation.run(ALICE, dry_run=True).merged
    append, calls = ledger.append, list[int]()

    def withdrawing(scope: Scope, body: Any) -> Any:  # noqa: ANN401  (as the ledger's own)
        calls.append(1)
        if len(calls) == 1:
            memory.consent.withdraw(ALICE, kinds=["preference"])
        return append(scope, body)

    monkeypatch.setattr(ledger, "append", withdrawing)
    report = await call(memory.consolidation, "run", ALICE)
    assert (len(calls) > 1, report.merged) == (True, ())
    assert kinds_kept(memory) == ["preference", "preference"]


async def test_an_agent_recalls_for_its_purpose(memory: AgentMemory, agent: Make) -> None:
    """The option names it for every turn."""
    memory.consent.grant(ALICE, purposes=["support"])
    memory.long_term.remember("Alice prefers Python", scope=ALICE, kind="preference")
    made = agent("Python.", purpose="support", ask_consent=False)
    await made.say(ASKED)
    assert "Alice prefers Python" in made.model.told
    other = agent("No.", purpose="ads", ask_consent=False)
    await other.say(ASKED)
    assert "Alice prefers Python" not in other.model.told


# ------------------------------------------------------------------------------------------------------------- access
async def test_an_actor_who_may_not_costs_the_memory_never_the_turn(colour: Colour) -> None:
    """The run names who acts; the model answers without memory, and the report says so."""

    def authorize(actor: str, _action: str, scope: Scope) -> bool | str:
        return True if actor == scope.user_id else "support has no access"

    with AgentMemory.in_memory(embeddings=None, consent="assumed", authorize=authorize) as memory:
        memory.long_term.remember("Alice prefers Python", scope=ALICE, kind="preference")
        model = ScriptedModel(script=["Python.", "I do not know."], requests=[])
        made = Agent(create_memory_graph(model, memory=memory), model, None, colour)
        await made.say(ASKED)
        assert "Alice prefers Python" in model.told
        state = await made.say(ASKED, actor="support-7")
        assert "Alice prefers Python" not in model.told
        assert state["memory"]["status"].startswith("degraded: GovernanceError")


def test_an_authenticated_user_is_who_acts() -> None:
    """A client of a server cannot say that somebody else does."""
    seen: list[str | None] = []
    told = {"langgraph_auth_user_id": "alice"}
    runnable: RunnableLambda[None, None] = RunnableLambda(lambda _: seen.append(resolve_actor()))
    runnable.invoke(None, {"configurable": told})
    with pytest.raises(ValueError, match="authenticated"):
        runnable.invoke(None, {"configurable": {**told, "actor": "admin"}})
    runnable.invoke(None, {"configurable": {"actor": "support-7"}})
    assert seen == ["alice", "support-7"]
    assert resolve_actor() is None
