"""Answers that are made anew: search finds the one that the conversation has."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.graph.state import CompiledStateGraph

from langchain_agentmem import AgentMemory
from langchain_agentmem._flow import flows_of, run
from langchain_agentmem.long_term.turns.ingesting import Manner
from langchain_agentmem.types import Scope
from tests.conftest import Call
from tests.unit_tests.faces.either import USER, Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)

ASKED = "How much is the deposit for the flat in Porto?"
CHAT = Scope("alice", session_id="t")
LATEST = Manner(is_asked_for=False, is_latest=True)


def replies(memory: AgentMemory) -> list[str]:
    return [it.reply for it in memory.episodes.list(scope=Scope("alice"))]


def before_the_answer(graph: CompiledStateGraph[Any, Any, Any, Any]) -> dict[str, Any]:
    """The run that begins where the question stands and no answer yet."""
    found = [it for it in graph.get_state_history(USER) if len(it.values.get("messages", [])) == 1]  # type: ignore[arg-type]  # a config
    return {"configurable": {**USER["configurable"], **(found[-1].config.get("configurable") or {})}}


def answered(reply: str) -> list[BaseMessage]:
    return [HumanMessage(ASKED, id="q"), AIMessage(reply, id=reply)]


@pytest.mark.parametrize("writes", ["inline", "background"])
async def test_an_answer_that_is_made_anew_takes_the_place_of_the_rejected_one(
    memory: AgentMemory, make: Make, call: Call, writes: str
) -> None:
    """Whoever goes on from the checkpoint before an answer has rejected it."""
    made = make(["100 euros.", "200 euros.", "300 euros."], writes=writes)
    await made.say(ASKED)
    for _ in range(2):
        memory.jobs.run()
        await call(made.graph, "invoke", None, before_the_answer(made.graph))
    memory.jobs.run()
    assert replies(memory) == ["300 euros."]


def test_what_was_answered_earlier_and_comes_later_is_no_news(memory: AgentMemory) -> None:
    """Turns may be kept out of their order: the reply that was told last stands."""
    now = memory.long_term.now()
    for reply, minutes in (("100 euros.", 0), ("300 euros.", 2), ("200 euros.", 1)):
        run(flows_of(memory.episodes).keep(answered(reply), CHAT, LATEST, now + timedelta(minutes=minutes)))
    assert replies(memory) == ["300 euros."]


def test_an_old_branch_that_is_read_again_replaces_nothing(memory: AgentMemory) -> None:
    """Only what was just said in a conversation is where it stands: what is handed over may be any branch of it."""
    run(flows_of(memory.episodes).keep(answered("200 euros."), CHAT, LATEST))
    memory.episodes.ingest(answered("100 euros."), scope=CHAT)
    assert replies(memory) == ["200 euros."]


def test_another_question_under_the_same_id_replaces_nothing(memory: AgentMemory) -> None:
    """A reply is made anew to what was asked, word for word."""
    run(flows_of(memory.episodes).keep(answered("200 euros."), CHAT, LATEST))
    other = [HumanMessage("How much is the rent of the flat in Porto?", id="q"), AIMessage("900 euros.", id="9")]
    run(flows_of(memory.episodes).keep(other, CHAT, LATEST))
    assert replies(memory) == ["200 euros."]
