"""What a legal hold leaves of a request to forget: all of it is done, or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.graph import create_memory_graph
from langchain_agentmem.long_term.remove.ending import TURN_JOB
from tests.conftest import Call
from tests.unit_tests.faces.scripted import ScriptedModel

ALICE: Final = Scope("alice")
TALK: Final = Scope("alice", session_id="monday")
HOME: Final = "The user lives in Lille"
SAID: Final = "I live in Lille."
RUN: Final = {"configurable": {"user_id": "alice", "thread_id": "tuesday"}}


class HeldRequestsContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def memory(self, sql_url: str) -> Iterator[AgentMemory]:
        with AgentMemory.connect(sql=sql_url, embeddings=None, consent="assumed") as memory:
            memory.long_term.remember(HOME, scope=ALICE)
            yield memory

    @pytest.fixture(params=["graph", "agent"])
    def agent(self, memory: AgentMemory, request: pytest.FixtureRequest) -> Any:  # noqa: ANN401  (of either type)
        model = ScriptedModel(script=["Fine."])
        if request.param == "graph":
            return create_memory_graph(model, tools=[], memory=memory), model
        return create_agent(model, tools=[], middleware=[memory.middleware()]), model

    @pytest.mark.parametrize("words", ["Delete my address.", "Forget that I live in Lille.", "Forget everything."])
    async def test_a_held_turn_keeps_all_that_is_asked_of(
        self,
        memory: AgentMemory,
        agent: Any,  # noqa: ANN401
        call: Call,
        words: str,
    ) -> None:
        """Nothing is archived, dropped or noted; the report and the model are told why."""
        memory.episodes.ingest([HumanMessage(SAID, id="m"), AIMessage("Noted.", id="a")], scope=TALK)
        memory.privacy.hold(ALICE, reason="case")
        before = memory.timeline.events(ALICE).items[-1].seq
        graph, model = agent
        report = (await call(graph, "invoke", {"messages": [("user", words)]}, RUN))["memory"]
        assert (report["forgetting"], report["forgotten"], report["status"]) == ([], [], "ok")
        assert (report["refused"][0]["kind"], report["refused"][0]["rule"]) == ("forget_request", "legal_hold")
        assert "a legal hold stands" in "\n".join(it.text for it in model.requests[-1])
        assert [it.content for it in memory.long_term.list(scope=ALICE)] == [HOME]
        assert [it.text for it in memory.episodes.list(scope=TALK)] == [SAID]
        assert memory.timeline.events(ALICE).items[-1].seq == before

    @pytest.mark.parametrize("words", ["Delete my address.", "Forget everything."])
    async def test_a_hold_that_comes_in_the_middle_of_a_turn_refuses_it_as_well(
        self,
        memory: AgentMemory,
        call: Call,
        agent: Any,  # noqa: ANN401
        words: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Listed as refused, and no job tries it again: it would fail until the hold ends, and then surprise."""
        memory.episodes.ingest([HumanMessage(SAID, id="m"), AIMessage("Noted.", id="a")], scope=TALK)
        graph, model = agent
        answer = model._next

        def held(_model: ScriptedModel, messages: list[BaseMessage]) -> AIMessage:
            memory.privacy.hold(ALICE, reason="case")
            said: AIMessage = answer(messages)
            return said

        monkeypatch.setattr(ScriptedModel, "_next", held)
        report = (await call(graph, "invoke", {"messages": [("user", words)]}, RUN))["memory"]
        assert [(it["kind"], it["rule"]) for it in report["refused"]] == [("forget_request", "legal_hold")]
        assert (report["forgotten"], report["left"], report["status"]) == ([], [], "ok")
        assert [it.kind for it in memory.jobs.list() if it.kind == TURN_JOB] == []
        memory.jobs.run()
        assert [it.content for it in memory.long_term.list(scope=ALICE)] == [HOME]
        assert [it.text for it in memory.episodes.list(scope=TALK)] == [SAID]

    async def test_what_deletes_nothing_stays_possible(self, memory: AgentMemory, agent: Any, call: Call) -> None:  # noqa: ANN401
        """A memory goes to the archive, from which it can be restored, where no turn says the same."""
        memory.privacy.hold(ALICE, reason="case")
        graph, _ = agent
        report = (await call(graph, "invoke", {"messages": [("user", "Delete my address.")]}, RUN))["memory"]
        assert (len(report["forgotten"]), report["refused"]) == (1, [])
        assert len(memory.long_term.list(scope=ALICE)) == 0
