"""A graph's turn waits for a person's word on what it would have remembered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from langchain_agentmem import AgentMemory, ApprovalPolicy, ConfigurationError
from langchain_agentmem.graph import GraphOptions, create_memory_graph
from langchain_agentmem.nodes.approving import read_decisions
from langchain_agentmem.policies.approve import ByKind, BySpeaker
from tests.conftest import Call
from tests.unit_tests.faces.conftest import ALICE, MakeAgent, contents, remember
from tests.unit_tests.faces.scripted import ScriptedModel

PARIS, CAT = "I live in Paris.", "My cat is called Tom."
POLICY = ApprovalPolicy(rules=[BySpeaker({"user": "ask"})])


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed", approval=POLICY) as memory:
        yield memory


def asked_in(state: dict[str, Any]) -> dict[str, Any]:
    """What a run waits with: all of it in one interrupt."""
    [waiting] = state["__interrupt__"]
    value: dict[str, Any] = waiting.value
    return value


def requests_in(state: dict[str, Any]) -> list[dict[str, Any]]:
    """What a person is asked about."""
    found: list[dict[str, Any]] = asked_in(state)["action_requests"]
    return found


async def test_a_turn_waits_once_for_all_that_it_would_have_remembered(agent: MakeAgent, memory: AgentMemory) -> None:
    """In the shape of LangChain's human in the loop; decided, it is written once, by the user of the run."""
    made = agent(["Noted."], approvals="turn")
    state = await made.say(f"{PARIS} {CAT}")
    requests = requests_in(state)
    assert (len(requests), {it["name"] for it in requests}, contents(memory)) == (2, {"remember"}, [])
    assert asked_in(state)["review_configs"][0]["allowed_decisions"] == ["approve", "edit", "reject"]
    answer = [{"type": "approve"} if "Paris" in it["args"]["content"] else {"type": "reject"} for it in requests]
    report = (await made.resume({"decisions": answer}))["memory"]
    assert sorted(it["verdict"] for it in report["decided"]) == ["approved", "rejected"]
    [kept] = memory.long_term.list(scope=ALICE)
    life = memory.long_term.why(kept.id, scope=ALICE)
    assert [it.type for it in life.events] == ["remembered", "approval_asked", "approved"]
    assert ("Paris" in kept.content, "approved by alice" in life.reasons[-1]) == (True, True)


async def test_a_person_sees_what_would_give_way(agent: MakeAgent, memory: AgentMemory) -> None:
    """The candidate, its evidence, who proposed it, and what it takes the place of."""
    old = remember(memory, "The user lives in Rome", kind="fact")
    made = agent(["Noted."], approvals="turn")
    [request] = requests_in(await made.say(PARIS))
    told = request["approval"]
    assert [it["id"] for it in told["would_supersede"]] == [old.id]
    assert (told["evidence"], told["proposed_by"]["speaker"]) == ("I live in Paris", "user")
    edit = {"type": "edit", "edited_action": {"name": "remember", "args": {"content": "The user lives in Lyon"}}}
    await made.resume({"decisions": [edit]})
    assert contents(memory) == ["The user lives in Lyon"]


async def test_an_answer_that_cannot_be_read_is_asked_for_again(agent: MakeAgent, memory: AgentMemory) -> None:
    """With what is wrong; nothing is decided by it, and nothing is written twice."""
    made = agent(["Noted."], approvals="turn")
    await made.say(PARIS)
    state = await made.resume({"decisions": []})
    assert "there are 1 requests and 0 decisions" in asked_in(state)["error"]
    await made.resume([{"type": "approve"}])
    assert len(contents(memory)) == 1


async def test_what_is_decided_elsewhere_is_left_alone(agent: MakeAgent, memory: AgentMemory) -> None:
    """The run goes on, and says that nothing was left to decide of it."""
    made = agent(["Noted."], approvals="turn")
    await made.say(f"{PARIS} {CAT}")
    one, other = memory.approvals.list(scope=ALICE)
    memory.approvals.decide(one.reject(), scope=ALICE, decided_by="carol")
    report = (await made.resume([{"type": "approve"}, {"type": "approve"}]))["memory"]
    assert {it["id"]: it["verdict"] for it in report["decided"]} == {one.id: "changed", other.id: "approved"}


async def test_the_next_turn_asks_about_what_a_job_left_waiting(
    agent: MakeAgent, memory: AgentMemory, call: Call
) -> None:
    """A job cannot wait for anybody; a turn with `approvals="user"` asks about all that does."""
    made = agent(["Noted.", "Sunny."], writes="background", approvals="user")
    assert "__interrupt__" not in await made.say(PARIS)
    await call(memory.jobs, "run")
    [request] = requests_in(await made.say("How is the weather?", thread="other"))
    await made.resume([{"type": "approve", "id": request["approval"]["id"]}], thread="other")
    assert len(contents(memory)) == 1


async def test_a_turn_that_asks_about_nothing_goes_on(agent: MakeAgent, memory: AgentMemory) -> None:
    """No interrupt without a question, nor where somebody decides later."""
    made = agent(["Sunny.", "Noted."], approvals="turn")
    assert "__interrupt__" not in await made.say("How is the weather?")
    later = agent(["Noted."])
    assert "__interrupt__" not in await later.say(PARIS)
    assert len(memory.approvals.list(scope=ALICE)) == 1


def test_a_run_goes_on_in_another_process(tmp_path: Path) -> None:
    """The thread, the question and the memory are in the database: nothing is kept in between."""
    config: RunnableConfig = {"configurable": {"thread_id": "t", "user_id": "alice"}}
    told: list[Any] = [{"messages": [("user", PARIS)]}, Command(resume=[{"type": "approve"}])]
    for given in told:
        with AgentMemory.embedded(tmp_path / "a.db", embeddings=None, consent="assumed", approval=POLICY) as memory:
            options = GraphOptions(writes="inline", approvals="turn")
            model = ScriptedModel(script=["Noted."])
            graph = create_memory_graph(model, [], memory, checkpointer=memory.checkpointer, options=options)
            graph.invoke(given, config)
    with AgentMemory.embedded(tmp_path / "a.db", embeddings=None, consent="assumed") as memory:
        assert len(contents(memory)) == 1


def test_only_one_tier_of_kinds_is_asked_about() -> None:
    """A limit is asked about; what is of another kind is remembered at once."""
    policy = ApprovalPolicy(rules=[ByKind({"constraint": "ask"})])
    with AgentMemory.in_memory(embeddings=None, consent="assumed", approval=policy) as memory:
        assert memory.long_term.remember("Alice lives in Rome", scope=ALICE).verdict == "written"
        never = memory.long_term.remember("Never book flights before noon", scope=ALICE)
        assert (never.verdict, never.rule) == ("pending", "approval")
        assert len(memory.long_term.recall("flights", scope=ALICE).constraints) == 0


ASKED: Any = [{"id": "a", "version": 3}, {"id": "b", "version": 3}]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "approve",
        {"decisions": "approve"},
        [{"type": "approve"}],
        [{"type": "approve"}, "approve"],
        [{"type": "approve"}, {"type": "respond"}],
        [{"type": "approve"}, {"type": "edit"}],
        [{"type": "approve", "id": "a"}, {"type": "approve"}],
        [{"type": "approve", "id": "a"}, {"type": "reject", "id": "a"}],
        [{"type": "approve", "id": "other"}],
    ],
)
def test_an_answer_says_of_each_what_is_decided(answer: object) -> None:
    """By place or by id, never half of both: what is not clear is refused, and not quoted."""
    with pytest.raises(ConfigurationError):
        read_decisions(answer, ASKED)


def test_an_answer_by_ids_may_leave_some_open() -> None:
    """What is not named goes on waiting."""
    [decided] = read_decisions([{"type": "reject", "id": "b", "message": "no"}], ASKED)
    assert (decided.id, decided.verdict, decided.reason, decided.version) == ("b", "reject", "no", 3)
