"""What is `shown`: every reading of a memory, masked by the policy for it, while what is stored stays."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import BaseMessage, HumanMessage

from langchain_agentmem import (
    AgentMemory,
    ApprovalPolicy,
    Candidate,
    GraphOptions,
    MemoryOptions,
    Outcome,
    Provenance,
    Scope,
    SensitivePolicy,
    create_memory_graph,
)
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call
from tests.spelled import spelled

ALICE: Final = Scope("alice")
TALK: Final = Scope("alice", session_id="talk")
MAIL: Final = "zed@example.org"
OTHER: Final = "ana@example.org"
MASK: Final = "***@*******.***"
KEPT: Final = SensitivePolicy(rules={"email": "keep"}, layers={"shown": {"email": "mask"}})
ASKS: Final = ApprovalPolicy(rules=[lambda candidate, _: "ask" if "golf" in candidate.content else None])
Read: TypeAlias = Callable[[AgentMemory, Call], Any]


async def _explained(memory: AgentMemory, call: Call) -> Any:  # noqa: ANN401  (whatever is read)
    return await call(memory.profiles, "explain", "name", scope=ALICE)


async def _profile(memory: AgentMemory, call: Call) -> Any:  # noqa: ANN401  (likewise)
    profile = await call(memory.profiles, "get", scope=ALICE)
    return profile.model_dump(), profile.to_context(), profile.told, dict(profile.fields)


async def _goals(memory: AgentMemory, call: Call) -> Any:  # noqa: ANN401  (likewise)
    goal = await call(memory.goals, "resume", scope=ALICE)
    return await call(memory.goals, "open", scope=ALICE), goal.to_context()


async def _graph(memory: AgentMemory, call: Call) -> Any:  # noqa: ANN401  (likewise)
    graph = await call(memory.entities, "graph", scope=ALICE)
    return graph, graph.naming, graph.to_graphml(), graph.to_cypher(), graph.explain_alias("Nora")


async def _neighbours(memory: AgentMemory, call: Call) -> Any:  # noqa: ANN401  (likewise)
    return [await call(memory.entities, it, "Nora", scope=ALICE) for it in ("get", "about", "neighbours")]


async def _waiting(memory: AgentMemory, call: Call) -> Any:  # noqa: ANN401  (likewise)
    return list(await call(memory.approvals, "list", scope=ALICE))


async def _stopped(memory: AgentMemory, call: Call) -> Any:  # noqa: ANN401  (likewise)
    return await call(memory.quarantine, "list", ALICE)


async def _turns(memory: AgentMemory, call: Call) -> Any:  # noqa: ANN401  (likewise)
    every = await call(memory.episodes, "list", scope=ALICE)
    return every, await call(memory.episodes, "get", every[0].id, scope=ALICE)


async def _events(memory: AgentMemory, call: Call) -> Any:  # noqa: ANN401  (likewise)
    return [it.payload for it in await call(memory.timeline, "events", ALICE)]


async def _then(memory: AgentMemory, call: Call) -> Any:  # noqa: ANN401  (likewise)
    back = await call(memory.timeline, "rollback", ALICE, to=1, dry_run=True)
    changed = await call(memory.timeline, "diff", 1, scope=ALICE)
    return list(await call(memory.timeline, "as_of", memory.long_term.now(), scope=ALICE)), changed, list(back)


async def _why(memory: AgentMemory, call: Call) -> Any:  # noqa: ANN401  (likewise)
    [fact] = [it for it in await call(memory.long_term, "list", scope=ALICE) if it.relation == "writes_to"]
    return await call(memory.long_term, "why", fact.id, scope=ALICE)


READINGS: Final[Mapping[str, Read]] = {
    "profile": _profile,
    "explain": _explained,
    "goals": _goals,
    "graph": _graph,
    "neighbours": _neighbours,
    "approvals": _waiting,
    "quarantine": _stopped,
    "episodes": _turns,
    "events": _events,
    "as_of, diff, rollback": _then,
    "why": _why,
}


class Listening(FakeListChatModel):
    """A model that keeps what it was sent."""

    heard: list[str] = []  # noqa: RUF012  (a field of a pydantic model)

    def _call(self, messages: list[BaseMessage], *_args: Any, **_more: Any) -> str:
        self.heard.append("\n".join(str(it.content) for it in messages))
        return "ok"


class ShownContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    async def memory(self, sql_url: str, call: Call) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(consent="assumed", sensitive=KEPT, approval=ASKS)
        async with AgentMemory(Database(sql_url), embeddings=None, options=options) as memory:
            await self.tell(memory, call)
            yield memory

    async def tell(self, memory: AgentMemory, call: Call) -> None:
        """Say an address in whatever is made of memories."""
        await call(memory.profiles, "set", "name", MAIL, scope=ALICE)
        await call(memory.profiles, "update_preference", "contact", MAIL, scope=ALICE)
        await call(memory.goals, "add", f"Alice wants to mail {MAIL}", scope=ALICE, steps=[f"mail {MAIL}"])
        await call(memory.entities, "relate", "Nora", "writes to", MAIL, scope=ALICE)
        await call(memory.entities, "relate", "Nora", "reads", OTHER, scope=ALICE)
        await call(memory.long_term, "remember", f"Alice mails golf clubs at {MAIL}", scope=ALICE)
        doubted = Provenance(speaker="assistant", evidence=f"it is {MAIL}")
        waits = Candidate(content=f"Alice mails chess clubs at {MAIL}", source="inferred", provenance=doubted)
        await call(memory.long_term, "remember", waits, scope=ALICE)
        await call(memory.episodes, "ingest", [HumanMessage(f"mail me at {MAIL}", id="1")], scope=TALK)

    @pytest.mark.parametrize("what", READINGS)
    async def test_whatever_reads_memories_masks_what_is_shown(
        self, memory: AgentMemory, call: Call, what: str
    ) -> None:
        """Nothing of it says the address, and all of it says that there is one."""
        told = spelled(await READINGS[what](memory, call))
        assert (MAIL in told, OTHER in told) == (False, False)
        assert MASK in told

    @pytest.mark.parametrize("kind", ["graph", "agent"])
    async def test_no_model_is_shown_what_is_masked(self, memory: AgentMemory, call: Call, kind: str) -> None:
        """Neither by the profile, the goal nor what is recalled, in a graph and in an agent."""
        model = Listening(responses=["ok"], heard=[])
        agent: Any = create_memory_graph(model, (), memory, options=GraphOptions(writes="inline"))
        if kind == "agent":
            agent = create_agent(model, middleware=[memory.middleware(tools=False)])
        said = {"messages": [("user", "Who does Nora write to, and how am I called?")]}
        config = {"configurable": {"user_id": "alice", "thread_id": "t"}}
        await (agent.ainvoke(said, config) if call.colour == "async" else call(agent, "invoke", said, config))
        [heard] = model.heard
        assert ("<profile>" in heard, "<goal>" in heard, MASK in heard) == (True, True, True)
        assert MAIL not in heard

    async def test_a_tool_says_only_what_is_shown(self, memory: AgentMemory, call: Call) -> None:
        """Also of a memory that it comes upon by writing."""
        tools = {it.name: it for it in memory.tools(scope=ALICE, entities=True)}
        made = {"action": "create", "content": f"Alice wants to mail {MAIL}", "kind": "fact"}
        asked = {"manage_memory": made, "list_memories": {}, "search_entities": {"name": "Nora"}}
        for name, given in asked.items():
            tool = tools[name]
            told = str(await tool.ainvoke(given) if call.colour == "async" else tool.invoke(given))
            assert (MAIL in told, MASK in told) == (False, True), name

    async def test_what_is_told_an_id_returns_what_is_shown(self, memory: AgentMemory, call: Call) -> None:
        """Of a memory whose words the caller did not say it says no more than a reading."""
        owned = await call(memory.long_term, "list", scope=ALICE, kinds="fact", limit=100)
        known = next(it.id for it in owned if "writes to" in it.content)
        told: list[Any] = [await call(memory.long_term, "feedback", known, "confirmed", scope=ALICE)]
        told += [await call(memory.long_term, it, known, scope=ALICE) for it in ("forget", "restore")]
        told += [await call(memory.long_term, "revise", known, scope=ALICE, tags=("a",))]
        outcome = Outcome(action="mail", succeeded=True, memory_ids=(known,))
        told += (await call(memory.long_term, "learn", outcome, scope=ALICE))[1:]
        goal = await call(memory.goals, "resume", scope=ALICE)
        told += [await call(memory.goals, "progress", goal.id, scope=ALICE, next_step="mail")]
        told += [await call(memory.goals, "finish", goal.id, scope=ALICE)]
        waiting = await call(memory.approvals, "list", scope=ALICE)
        told += await call(memory.approvals, "decide", [it.approve() for it in waiting], scope=ALICE, decided_by="c")
        for it in told:
            assert (MAIL in spelled(it), MASK in spelled(it)) == (False, True), it

    async def test_what_a_caller_said_is_returned_as_it_was_said(self, memory: AgentMemory, call: Call) -> None:
        """They know it; but of what was known already, and says more, only what is shown."""
        said = f"Alice sails with {OTHER} on Sundays"
        made = await call(memory.long_term, "remember", said, scope=ALICE)
        assert made.memory.content == said
        again = await call(memory.long_term, "revise", made.memory.id, scope=ALICE, content=f"{said} in May")
        assert OTHER in again.memory.content
        origin = Provenance(speaker="user", evidence=f"Alice skis, tell {OTHER}")
        await call(memory.long_term, "remember", Candidate(content="Alice skis", provenance=origin), scope=ALICE)
        known = await call(memory.long_term, "remember", "Alice skis", scope=ALICE)
        assert known.verdict == "merged"
        assert OTHER not in spelled(known.memory)

    async def test_two_that_are_shown_alike_stay_two(self, memory: AgentMemory, call: Call) -> None:
        """What relates them is told of each; a masked name is none that can be asked for."""
        near = await call(memory.entities, "neighbours", "Nora", scope=ALICE)
        assert [it.entity.name for it in near] == [MASK, MASK]
        assert len({it.entity.id for it in near}) == 2
        assert await call(memory.entities, "get", MAIL, scope=ALICE) is None

    async def test_what_is_masked_is_compared_as_it_is(self, memory: AgentMemory, call: Call) -> None:
        """Another value replaces, the same one is the same, and what was told apart is known."""
        again = await call(memory.profiles, "set", "name", MAIL, scope=ALICE)
        other = await call(memory.profiles, "set", "name", OTHER, scope=ALICE)
        assert (again.verdict, other.verdict, len(other.superseded)) == ("merged", "written", 1)
        assert (await call(memory.profiles, "get", scope=ALICE)).name == MASK
        assert (await call(memory.entities, "alias", MAIL, "Zed", scope=ALICE)).verdict == "written"
        [change] = [it for it in await call(memory.approvals, "list", scope=ALICE) if "golf" in it.memory.content]
        [done] = await call(memory.approvals, "decide", change.approve(), scope=ALICE, decided_by="carol")
        assert done.verdict == "approved"

    async def test_what_consent_was_withdrawn_for_is_not_shown(self, memory: AgentMemory, call: Call) -> None:
        """Neither as a value of a field, nor as what waits, nor as what was stopped; given anew, it is."""
        for shown in (True, False, True):
            history = await call(memory.profiles, "explain", "name", scope=ALICE)
            waits = await call(memory.approvals, "list", scope=ALICE)
            stopped = [it for it in await call(memory.quarantine, "list", ALICE) if it.memory is not None]
            assert [bool(it) for it in (history.values, len(waits), stopped)] == [shown] * 3
            await call(memory.consent, "withdraw" if shown else "grant", ALICE)

    async def test_an_export_has_what_is_kept(self, memory: AgentMemory, call: Call, tmp_path: Path) -> None:
        """It is the user's own copy: memories, turns, the log and the profile say the address."""
        path = tmp_path / "alice.jsonl"
        await call(memory.privacy, "export", ALICE, path)
        lines = [json.loads(it) for it in path.read_text().splitlines()]
        told = {it["layer"] for it in lines if "layer" in it and MAIL in json.dumps(it)}
        assert {"memories", "episodes", "events", "profile"} <= told
        assert MASK not in path.read_text()
