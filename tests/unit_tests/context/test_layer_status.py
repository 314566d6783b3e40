"""What a layer of a prompt says where it may not be read: why, as its neighbours do, and not that it is empty."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from langchain_agentmem import AgentMemory, Candidate, RecallQuery, Scope
from tests.conftest import Call

ANA = Scope("ana", session_id="talk")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "agent.db"
    with AgentMemory.embedded(path, embeddings=None, consent="assumed") as memory:
        memory.goals.add("Ana wants to ski", scope=ANA, steps=["buy skis"])
        memory.working.update(ANA, goal="book a hotel")
    return path


@pytest.fixture
def memory(place: Path, request: pytest.FixtureRequest) -> Iterator[AgentMemory]:
    with AgentMemory.embedded(place, embeddings=None, **request.param) as memory:
        yield memory


@pytest.mark.parametrize(
    ("memory", "scope", "said"),
    [
        ({"consent": "assumed"}, ANA, ("empty", "ok", "ok")),
        ({"consent": "assumed"}, Scope("bob", session_id="talk"), ("empty", "empty", "empty")),
        ({"consent": "assumed"}, Scope.anonymous("talk"), ("anonymous", "anonymous", "empty")),
        ({"consent": "required"}, ANA, ("no_consent", "no_consent", "ok")),
        ({"consent": "assumed", "mode": "off"}, ANA, ("off", "off", "off")),
    ],
    indirect=["memory"],
)
async def test_a_layer_says_why_it_is_not_read(
    memory: AgentMemory, call: Call, scope: Scope, said: tuple[str, ...]
) -> None:
    """The state of a task needs no consent, and a visitor has one; memory that is off has nothing."""
    context: Any = await call(memory, "assemble", "What should I do next?", scope=scope)
    assert tuple(context.layers[it].status for it in ("profile", "goal", "working")) == said


@pytest.mark.parametrize("memory", [{"consent": "assumed"}], indirect=True)
async def test_a_goal_is_shown_for_its_purposes_only(memory: AgentMemory, call: Call) -> None:
    """As everything else that is remembered."""
    bob = Scope("bob", session_id="talk")
    memory.long_term.remember(Candidate(content="Bob wants to heal", kind="goal", purposes=("care",)), scope=bob)
    for purpose, status in (("care", "ok"), ("ads", "empty")):
        query = RecallQuery(purpose=purpose)
        context: Any = await call(memory.assembly(), "assemble", "What next?", scope=bob, query=query)
        assert context.layers["goal"].status == status
