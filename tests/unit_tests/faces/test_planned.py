"""A user's message in the faces: planned, asked question by question, and put together again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_agentmem import AgentMemory, ConfigurationError, Dialogue, Hit, ModelPlanner, Recall, RecallQuery, Scope
from langchain_agentmem._flow import Flow
from langchain_agentmem.long_term.recall.asking import united
from langchain_agentmem.long_term.recall.prompt_form import tokens_of
from langchain_agentmem.nodes import NodeSettings, Retrieve
from langchain_agentmem.nodes.settings import MAX_TOKENS
from langchain_agentmem.planning.contract import FlowPlanner
from langchain_agentmem.planning.model import PlannedQuestion, PlannedQuestions
from tests.conftest import Call
from tests.fake_chat_model import ScriptedChatModel
from tests.unit_tests.faces.conftest import ALICE, BOB, remember

USER: dict[str, Any] = {"configurable": {"user_id": "alice", "session_id": "s"}}
TALK: list[BaseMessage] = [HumanMessage("Where did I meet Ada?"), AIMessage("In Lisbon.")]
TWO = "Where do I keep my boat, and which tea do I drink?"


class NotedPlanner(FlowPlanner):
    """Keeps what it is given, and plans what it is told."""

    def __init__(self, *plans: Any) -> None:
        self.plans = list(plans)
        self.heard: list[Dialogue] = []

    def plan_flow(self, dialogue: Dialogue, base: RecallQuery) -> Flow[Sequence[RecallQuery]]:
        yield from ()
        self.heard.append(dialogue)
        plan = self.plans.pop(0)
        if isinstance(plan, Exception):
            raise plan
        return list(plan)


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        remember(memory, "Alice keeps a boat in Kiel", kind="fact")
        remember(memory, "Alice drinks green tea", kind="preference")
        remember(memory, "Alice met Ada in Lisbon in 2024", kind="fact")
        remember(memory, "Bob met Ada in Lisbon in 2019", scope=BOB, kind="fact")
        yield memory


def planned_by(planner: Any, **options: Any) -> AgentMemory:  # noqa: ANN401
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed", planner=planner, **options)
    remember(memory, "Alice met Ada in Lisbon in 2024", kind="fact")
    remember(memory, "Bob met Ada in Paris in 2019", scope=BOB, kind="fact")
    return memory


async def retrieved(memory: AgentMemory, call: Call, text: str, before: Sequence[BaseMessage] = ()) -> list[Any]:
    """What the node found for a message: contents, and the plans of its receipts."""
    state = await call(Retrieve(memory), "invoke", {"messages": [*before, HumanMessage(text)]}, USER)
    words = state["memory_text"]["contents"]
    found = {words[it["id"]] for it in state["memory"]["recalled"] if "profile" not in it["parts"]}
    plans = [memory.long_term.receipt(it, scope=ALICE).plan for it in state["memory"]["receipt_ids"]]
    return [found, plans]


async def test_the_node_asks_a_follow_up_with_what_was_said(memory: AgentMemory, call: Call) -> None:
    """The receipt shows the question as it was asked, and who planned it."""
    found, [plan] = await retrieved(memory, call, "And when was that?", TALK)
    assert found == {"Alice met Ada in Lisbon in 2024"}
    assert (plan["planner"], plan["query"]["text"]) == ("rules", "And when was that? Lisbon Ada meet")
    assert "planned_by" not in plan["query"]


async def test_the_node_asks_each_question_with_a_receipt_of_its_own(memory: AgentMemory, call: Call) -> None:
    """Two questions, two plans, and what both found."""
    found, plans = await retrieved(memory, call, TWO)
    assert {"Alice keeps a boat in Kiel", "Alice drinks green tea"} <= found
    assert [plan["query"]["text"] for plan in plans] == ["Where do I keep my boat?", "which tea do I drink?"]


async def test_what_the_settings_say_stays_in_every_question(memory: AgentMemory, call: Call) -> None:
    """Kinds chosen for the graph are not planned away."""
    node = Retrieve(memory, settings=NodeSettings(query=RecallQuery(kinds=("preference",))))
    state = await call(node, "invoke", {"messages": [HumanMessage(f"{TWO} What are my goals?")]}, USER)
    assert set(state["memory_text"]["contents"].values()) == {"Alice drinks green tea"}


async def test_the_tool_keeps_to_its_limit_over_several_questions(memory: AgentMemory, call: Call) -> None:
    """The best of each question before the second of any."""
    search = memory.tools(scope=ALICE)[0]
    message: Any = {"type": "tool_call", "id": "1", "name": search.name, "args": {"query": TWO, "limit": 2}}
    answer = await call(search, "invoke", message)
    assert {it["content"] for it in answer.artifact} == {"Alice keeps a boat in Kiel", "Alice drinks green tea"}


async def test_a_hybrid_memory_reads_with_each_question(memory: AgentMemory, call: Call) -> None:
    """The prompt holds what every question found, and the reading names every receipt."""
    hybrid, scope = memory.context(), Scope("alice", session_id="s")
    await call(hybrid, "add", [*TALK, HumanMessage("And when was that?")], scope=scope)
    reading = await call(hybrid, "read", scope=scope)
    assert "Alice met Ada in Lisbon in 2024" in "".join(message.text for message in reading.messages)
    several = await call(hybrid, "read", TWO, scope=scope)
    assert (len(reading.receipt_ids), len(several.receipt_ids)) == (1, 2)


async def test_a_wrapped_chain_asks_what_a_follow_up_means(memory: AgentMemory, call: Call) -> None:
    """The conversation so far belongs to the question."""
    model = ScriptedChatModel(script=["In Lisbon.", "In 2024."])
    chain = memory.wrap(model, context=memory.context())
    await call(chain, "invoke", [HumanMessage("Where did I meet Ada?")], USER)
    await call(chain, "invoke", [HumanMessage("And when was that?")], USER)
    assert "Alice met Ada in Lisbon in 2024" in "".join(message.text for message in model.requests[-1])


async def test_a_model_plans_where_it_is_chosen(call: Call) -> None:
    """It is shown the conversation, nothing that is remembered, and nothing of anybody else."""
    plan = PlannedQuestions(questions=[PlannedQuestion(text="When did I meet Ada?")])
    model = ScriptedChatModel(script=[plan])
    found, [told] = await retrieved(planned_by("model", model=model), call, "And when was that?", TALK)
    assert found == {"Alice met Ada in Lisbon in 2024"}
    assert told["planner"] == "model"
    shown = "".join(message.text for message in model.requests[0])
    assert "2024" not in shown
    assert "Bob" not in shown


async def test_a_planner_that_fails_leaves_the_plan_to_rules(call: Call) -> None:
    """Whatever a planner of somebody else raises, or if it plans nothing."""
    planner = NotedPlanner(RuntimeError("a bug"), [])
    memory = planned_by(planner)
    for _ in range(2):
        found, [plan] = await retrieved(memory, call, "And when was that?", TALK)
        assert (found, plan["planner"]) == ({"Alice met Ada in Lisbon in 2024"}, "rules")


async def test_no_planner_asks_too_much(call: Call) -> None:
    """What a planner of one's own makes is held to the caller's fields and to five questions."""
    memory = planned_by(NotedPlanner([RecallQuery(text=f"Ada {n}", limit=100, purpose="x") for n in range(50)]))
    _, plans = await retrieved(memory, call, "Who is Ada?")
    assert [plan["query"] for plan in plans] == [{"text": f"Ada {n}", "max_tokens": MAX_TOKENS} for n in range(5)]
    assert {plan["planner"] for plan in plans} == {"NotedPlanner"}


async def test_without_consent_no_planner_hears_a_word(call: Call) -> None:
    """Nor where memory is off: there is nothing to plan for."""
    planner = NotedPlanner()
    for options in ({"consent": "required"}, {"consent": "assumed", "mode": "off"}):
        memory = AgentMemory.in_memory(embeddings=None, planner=planner, **options)
        hybrid, scope = memory.context(), Scope("alice", session_id="s")
        reading = await call(hybrid, "read", "Where did I meet Ada?", scope=scope)
        assert reading.recall.status in {"no_consent", "off"}
    assert planner.heard == []


async def test_without_a_planner_a_message_is_asked_as_it_stands(call: Call) -> None:
    """One question, whatever it holds, and no planner in the receipt."""
    _, [plan] = await retrieved(planned_by(None), call, TWO)
    assert plan["query"] == {"text": TWO, "max_tokens": MAX_TOKENS}
    assert "planner" not in plan


@pytest.mark.parametrize("planner", ["typo", 5, NotedPlanner, "model"])
def test_what_is_no_planner_is_refused_at_construction(planner: Any) -> None:  # noqa: ANN401
    """And a model's plan where there is no model."""
    with pytest.raises(ConfigurationError, match="planner"):
        AgentMemory.in_memory(embeddings=None, planner=planner)


async def test_any_planner_of_ours_is_taken(call: Call) -> None:
    """By name, or as an object: the receipt tells who planned, and a model that says nothing was asked before rules."""
    by_model = ModelPlanner(ScriptedChatModel(script=[]))
    told = []
    for planner in ("rules", None, by_model):
        _, [plan] = await retrieved(planned_by(planner), call, "Who is Ada?")
        told.append(plan.get("planner"))
    assert told == ["rules", None, "rules"]
    assert by_model.failures == 1


def test_recalls_of_several_questions_become_one(memory: AgentMemory) -> None:
    """Each memory once with its best score, best first, within the budget of all together."""
    recalls = [memory.long_term.recall(text, scope=ALICE) for text in ("boat in Kiel", "green tea", "boat tea")]
    both = united(recalls)
    assert [hit.score for hit in both] == sorted((hit.score for hit in both), reverse=True)
    assert len({hit.memory.id for hit in both}) == len(both)
    assert (both.receipt_id, both.status) == (recalls[0].receipt_id, "ok")
    assert len(united(recalls, max_tokens=tokens_of(both[0]))) == 1
    assert united([]) == Recall()


@pytest.mark.parametrize("scores", [(0.5, 0.4), (0.4, 0.5)])
def test_what_one_question_knows_to_be_superseded_is_so_in_the_answer(
    memory: AgentMemory, scores: tuple[float, float]
) -> None:
    """Whichever of them scores it higher."""
    first, second, _ = memory.long_term.list(scope=ALICE)
    stale = replace(first, status="superseded", links=(second.id,))
    asked = [Recall(hits=(Hit(memory=it, score=score),)) for it, score in zip((stale, first), scores, strict=True)]
    assert [(hit.memory, hit.score) for hit in united(asked)] == [(stale, 0.5)]


def test_what_came_along_with_a_hit_stays_behind_it(memory: AgentMemory) -> None:
    """A neighbour does not count, keeps its place, and gives way to the same turn as a hit of its own."""
    first, second, third = (hit for hit in memory.long_term.list(scope=ALICE))
    near = Recall(hits=(Hit(memory=first, score=0.5), Hit(memory=second, score=0.0, neighbour_of=first.id)))
    far = Recall(hits=(Hit(memory=third, score=0.4),))
    assert [hit.memory.id for hit in united([near, far])] == [first.id, second.id, third.id]
    assert [hit.memory.id for hit in united([near, far], limit=1)] == [first.id, second.id]
    own = Recall(hits=(Hit(memory=second, score=0.4),))
    assert [(hit.memory.id, hit.neighbour_of) for hit in united([near, own])] == [(first.id, None), (second.id, None)]
