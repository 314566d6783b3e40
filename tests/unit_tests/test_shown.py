"""What logs and tracebacks show of what is remembered: ids, kinds, times and counts, never a word of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import (
    AgentMemory,
    ApprovalDecision,
    Candidate,
    GoalProgress,
    Outcome,
    Provenance,
    RecallQuery,
    Scope,
    StateUpdate,
    ToolCallRecord,
    WorkingDecision,
    WorkingState,
)
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings

ALICE = Scope("alice", session_id="s")
WORD = "quokka"
CANDIDATE = Candidate(
    content=f"The {WORD} lives on an island",
    subject=WORD,
    relation=f"lives with {WORD}",
    object=f"{WORD} island",
    tags=(WORD,),
    provenance=Provenance(evidence=f"a {WORD} lives there"),
)
GIVEN: tuple[object, ...] = (
    CANDIDATE,
    Outcome(action=f"feed the {WORD}", succeeded=False, detail=f"the {WORD} was away"),
    RecallQuery(text=WORD, tags=(WORD,), action=WORD, task=WORD),
    GoalProgress(steps=(WORD,), completed=(WORD,), next_step=WORD),
    ApprovalDecision(id="m", verdict="edit", content=WORD, reason=WORD),
    WorkingState(goal=WORD, scratchpad=WORD, decisions=(WorkingDecision(question="who?", answer=WORD),)),
    ToolCallRecord(action=WORD, detail=WORD),
    StateUpdate(goal=WORD, note=WORD, add_completed=(WORD,), set_results={WORD: WORD}),
)


@pytest.mark.parametrize("given", GIVEN, ids=lambda it: type(it).__name__)
def test_what_is_given_shows_no_words(given: object) -> None:
    """Whatever field they stand in."""
    assert WORD not in repr(given)
    assert WORD not in str(given)


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=WordEmbeddings(dim=32), consent="assumed") as memory:
        yield memory


async def test_what_is_answered_shows_no_words(memory: AgentMemory, call: Call) -> None:
    """Of any layer; what tells one answer from another is there: ids, kinds, states, counts."""
    answers = [it async for it in answered(memory, call)]
    assert len(answers) == 20
    shown = {type(it).__name__: repr(it).lower() for it in answers}
    assert [name for name, text in shown.items() if WORD in text] == []
    [kept] = [it for it in answers if type(it).__name__ == "Memory"]
    assert f"id='{kept.id}'" in repr(kept)
    assert "kind='fact'" in repr(kept)
    assert WORD in kept.content


async def answered(memory: AgentMemory, call: Call) -> Any:  # noqa: ANN401  (answers of every sort)
    """Yield answers of every layer, each about the word."""
    decision = await call(memory.long_term, "remember", CANDIDATE, scope=ALICE)
    yield decision
    yield (kept := decision.require())
    yield await call(memory.long_term, "revise", kept.id, scope=ALICE, content=f"The {WORD} lives on Rottnest")
    found = await call(memory.long_term, "recall", f"where does the {WORD} live?", scope=ALICE)
    yield found
    yield found[0]
    yield await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
    yield await call(memory.long_term, "why", kept.id, scope=ALICE)
    yield await call(memory.long_term, "list", scope=ALICE)
    yield await call(memory.timeline, "events", scope=ALICE)
    yield await call(memory.timeline, "diff", 1, 2, scope=ALICE)
    name = Candidate(content=f"The user's name is {WORD.title()}", subject="user", relation="name", object=WORD.title())
    await call(memory.long_term, "remember", name, scope=ALICE)
    await call(memory.history(ALICE), "add_messages", [HumanMessage(f"a {WORD}"), AIMessage(f"{WORD}!")])
    yield (await call(memory, "conversations", ALICE))[0]
    yield memory.history(ALICE).page(after=0, limit=5)
    await call(memory.episodes, "index", scope=ALICE)
    yield (await call(memory.episodes, "list", scope=ALICE))[0]
    yield await call(memory.working, "update", ALICE, StateUpdate(goal=f"find the {WORD}"))
    yield (await call(memory.working, "sessions", ALICE))[0]
    yield (profile := await call(memory.profiles, "get", scope=ALICE))
    yield profile.fields["name"]
    yield await call(memory.profiles, "explain", "name", scope=ALICE)
    yield await call(memory.goals, "add", f"See a {WORD}", steps=[f"find the {WORD}"], scope=ALICE)
    yield await call(memory.entities, "graph", scope=ALICE)
