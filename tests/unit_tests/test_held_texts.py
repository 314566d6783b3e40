"""What a process remembers of texts goes when somebody else erases them, and not when anything else is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope, _held_texts
from langchain_agentmem.types import Kind
from tests.conftest import Call

ALICE, BOB = Scope("alice", session_id="s"), Scope("bob", session_id="s")
KINDS: Final[tuple[Kind, ...]] = ("preference", "episode")
TEA: Final = "I prefer tea in the evening"

_probe: Final[Any] = _held_texts.of_texts(8)(str)
"""Remembers a text as any function of texts does."""


def forgets(of: AgentMemory, scope: Scope = ALICE, kind: Kind = "preference") -> bool:
    """Whether a question makes the process forget what it remembers of texts."""
    _probe(TEA)
    of.long_term.recall("which tea?", scope=scope, kinds=kind)
    return bool(_probe.cache_info().currsize == 0)


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[AgentMemory, AgentMemory]]:
    """One database, as two processes have it; both know of two users, and the first has answered questions."""
    with ExitStack() as stack:
        path = tmp_path / "memory.db"
        here, there = (
            stack.enter_context(AgentMemory.embedded(path, embeddings=None, consent="assumed")) for _ in range(2)
        )
        for scope in (ALICE, BOB):
            here.long_term.remember(TEA, scope=scope)
            here.history(scope).add_messages([HumanMessage("I drink tea.", id="1")])
            here.episodes.index(scope=scope)
            for kind in KINDS:
                assert not forgets(here, scope, kind)
        yield here, there


@pytest.mark.parametrize("kind", KINDS)
async def test_a_question_after_an_erasure_elsewhere_forgets_texts_once(
    both: tuple[AgentMemory, AgentMemory], call: Call, kind: Kind
) -> None:
    """Of a user, asked for memories or for turns; a question about another one does not."""
    here, there = both
    await call(there.privacy, "erase", ALICE)
    assert [forgets(here, it, kind) for it in (BOB, ALICE, ALICE)] == [False, True, False]


async def test_a_memory_that_was_erased_elsewhere_takes_texts_along(
    both: tuple[AgentMemory, AgentMemory], call: Call
) -> None:
    """Also one that was written since the view was asked last, and read without it."""
    here, there = both
    decision = await call(there.long_term, "remember", "I live in Bath", scope=ALICE)
    assert not forgets(here)
    await call(there.long_term, "erase", decision.memory.id, scope=ALICE)
    assert [forgets(here), forgets(here)] == [True, False]
    decision = await call(there.long_term, "remember", "I live in Graz", scope=ALICE)
    assert len(here.long_term.list(scope=ALICE)) == 2
    await call(there.long_term, "erase", decision.memory.id, scope=ALICE)
    assert forgets(here)


async def test_what_is_written_elsewhere_takes_no_text_along(both: tuple[AgentMemory, AgentMemory], call: Call) -> None:
    """New memories and turns, replaced and forgotten ones: those caches are all users'."""
    here, there = both
    decision = await call(there.long_term, "remember", "I live in Bath", scope=ALICE)
    await call(there.long_term, "remember", "I live in Graz", scope=ALICE)
    await call(there.long_term, "forget", decision.memory.id, scope=ALICE)
    await call(there.history(ALICE), "add_messages", [HumanMessage("I sleep.", id="2")])
    await call(there.episodes, "index", scope=ALICE)
    assert [forgets(here, kind=kind) for kind in KINDS] == [False, False]


async def test_texts_are_remembered_for_some_time_alone(
    both: tuple[AgentMemory, AgentMemory], call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is asked about: a process that is in use keeps no words of a user who never asks it again."""
    here, now = both[0], _held_texts._emptied_at
    monkeypatch.setattr(_held_texts, "_clock", lambda: now)
    assert not forgets(here, BOB)
    now += _held_texts.HELD_S + 1
    for name, arguments in {"recall": ("tea?",), "list": (), "verify": ()}.items():
        now += _held_texts.HELD_S + 1
        _probe(TEA)
        await call(here.long_term, name, *arguments, scope=BOB)
        assert _probe.cache_info().currsize == 0, name
