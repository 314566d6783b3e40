"""What policies and skills did is in the user's log, wherever it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import tool

from langchain_agentmem import ActionContext, AgentMemory, Scope
from langchain_agentmem.errors import ScopeError
from tests.conftest import Call
from tests.paged import walked
from tests.unit_tests.procedural.conftest import ALICE, Open, policy, skill

RUN: dict[str, Any] = {"configurable": {"user_id": "alice", "thread_id": "t"}}
ACTION = {"name": "deploy", "args": {"target": "eu"}}


@pytest.fixture
def memory(opened: Open, tmp_path: Path) -> AgentMemory:
    return opened(tmp_path / "procedures", create=True)


@tool
def deploy(target: str) -> str:
    """Deploy."""
    return "Error: no disk" if target == "broken" else f"deployed to {target}"


def noted(memory: AgentMemory, *names: str) -> list[tuple[Any, ...]]:
    """What the log says, the oldest first."""
    found = [(it.payload or {})["note"] for it in memory.procedural.events(scope=ALICE)]
    return [tuple(note[name] for name in names) for note in reversed(found)]


async def test_a_check_for_somebody_is_logged_for_them(memory: AgentMemory, call: Call) -> None:
    """With the version, and what was decided; a check for nobody, or of what no policy meets, leaves nothing."""
    memory.procedural.save(policy("slow", rule={"tool": "deploy"}, enforcement="soft"))
    memory.procedural.save(policy("ask", rule={"tool": "deploy"}, approval=True))
    await call(memory.procedural, "check_action", ACTION)
    assert noted(memory, "policy") == []
    await call(memory.procedural, "check_action", {"name": "read"}, scope=ALICE)
    assert not (await call(memory.procedural, "check_action", ACTION, scope=ALICE)).allowed
    agreed = ActionContext(approved=frozenset({"ask"}))
    assert (await call(memory.procedural, "check_action", ACTION, agreed, scope=ALICE)).allowed
    blocked = [("ask", 1, "deploy", "blocked"), ("slow", 1, "deploy", "blocked")]
    assert noted(memory, "policy", "version", "tool", "ending") == [
        *blocked,
        ("ask", 1, "deploy", "approved"),
        ("slow", 1, "deploy", "warned"),
    ]


async def test_what_policies_did_is_told_page_by_page(memory: AgentMemory, call: Call) -> None:
    """The newest first, each once, also where something is added between two pages."""
    memory.procedural.save(policy("slow", rule={"tool": "deploy"}, enforcement="soft"))
    for _ in range(3):
        await call(memory.procedural, "check_action", ACTION, scope=ALICE)
    whole = await call(memory.procedural, "events", scope=ALICE)
    assert [it.seq for it in whole] == sorted((it.seq for it in whole), reverse=True)
    assert await walked(call, memory.procedural, "events", scope=ALICE, limit=1) == [*whole]
    first = await call(memory.procedural, "events", scope=ALICE, limit=1)
    await call(memory.procedural, "check_action", ACTION, scope=ALICE)
    rest = await call(memory.procedural, "events", scope=ALICE, cursor=first.cursor)
    assert rest.items == whole[1:]


async def test_a_check_binds_whom_its_scope_names(memory: AgentMemory, call: Call) -> None:
    """What holds for one user alone is found without saying again who acts."""
    memory.procedural.save(policy("alice-only", rule={"tool": "deploy"}, applies_to=["user:alice"]))
    assert not (await call(memory.procedural, "check_action", ACTION, scope=ALICE)).allowed
    assert (await call(memory.procedural, "check_action", ACTION, scope=Scope("bob"))).allowed


@pytest.mark.parametrize(("mode", "logged"), [("frozen", 1), ("off", 0)])
def test_a_log_is_no_memory(tmp_path: Path, mode: Any, logged: int) -> None:  # noqa: ANN401  (one of its modes)
    """It is written where memory is frozen, and silent where it is off; of a visitor there is none."""
    settings = {"path": tmp_path / "p", "create": True}
    with AgentMemory.in_memory(embeddings=None, consent="assumed", mode=mode, procedural=settings) as memory:
        memory.procedural.save(policy("slow", rule={"tool": "deploy"}))
        for scope in (ALICE, Scope.anonymous("s")):
            assert not memory.procedural.check_action(ACTION, scope=scope).allowed
        assert len(noted(memory, "policy")) == logged
        with pytest.raises(ScopeError):
            memory.procedural.check_action(ACTION, scope="alice")  # type: ignore[arg-type]  # what is none is refused


async def test_a_run_of_a_skill_is_logged_with_its_version(memory: AgentMemory, call: Call) -> None:
    """When it begins and how it ends, without its inputs."""
    step = {"name": "ship", "instruction": "Ship", "tool": "deploy", "args": {"target": "{inputs.target}"}}
    memory.procedural.save(skill(steps=[step]))
    saved = memory.procedural.save(skill(description="Again", steps=[step], version=1))
    graph = memory.procedural.skill_graph(saved, [deploy])  # type: ignore[arg-type]  # it is a skill
    for target in ("eu", "broken"):
        await call(graph, "invoke", {"inputs": {"target": target}}, RUN)
    known: list[tuple[Any, ...]] = [("release", 2, "started", None), ("release", 2, "completed", None)]
    known += [("release", 2, "started", None), ("release", 2, "failed", "ship")]
    assert noted(memory, "skill", "version", "status", "failed_at") == known
    events = memory.procedural.events(scope=ALICE)
    assert {it.type for it in events} == {"skill_applied"}
    assert "broken" not in repr([it.payload for it in events])
    assert all((it.payload or {})["note"]["revision"] for it in events)
    assert memory.long_term.verify(scope=ALICE).is_intact


@pytest.mark.parametrize("run", [{}, {"user_id": "alice", "memory_mode": "off"}])
def test_a_run_of_nobody_or_with_memory_off_leaves_no_trace(memory: AgentMemory, run: dict[str, str]) -> None:
    """It runs all the same."""
    step = {"name": "ship", "instruction": "Ship", "tool": "deploy", "args": {"target": "eu"}}
    graph = memory.procedural.skill_graph(skill(steps=[step]), [deploy])
    assert graph.invoke({"inputs": {}}, {"configurable": run})["status"] == "completed"
    assert noted(memory, "skill") == []
