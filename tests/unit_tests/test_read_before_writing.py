"""What takes long to read is read before the transaction in which others wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem._held_texts import forget_texts
from langchain_agentmem.english.endings import outdating
from langchain_agentmem.english.reading import statements
from langchain_agentmem.long_term.write.writing import Writing
from tests.conftest import Call

ALICE = Scope("alice")
KNOWN = [
    f"The {team} team keeps the invoices of its service in {city}" for team, city in (("red", "Oslo"), ("blue", "Rome"))
]


@pytest.fixture
def read_inside(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the sentences that are read for the first time while a candidate is decided."""
    found: list[str] = []
    decide = Writing._decide

    def deciding(*args: Any) -> Any:  # noqa: ANN401  (whatever is decided)
        with monkeypatch.context() as patched:
            patched.setattr(statements, "_parsed_once", noting(statements._parsed_once))
            return decide(*args)

    def noting(once: Callable[..., Any]) -> Callable[..., Any]:
        def read(text: str, *rest: Any) -> Any:  # noqa: ANN401  (a statement)
            before = once.cache_info().misses  # type: ignore[attr-defined]  # of an lru_cache
            statement = once(text, *rest)
            if once.cache_info().misses > before:  # type: ignore[attr-defined]  # likewise
                found.append(text)
            return statement

        return read

    monkeypatch.setattr(Writing, "_decide", deciding)
    return found


async def test_neighbours_are_read_before_the_transaction_that_decides(call: Call, read_inside: list[str]) -> None:
    """However long it took to read them, the write lock is not held for it."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for text in KNOWN:
            await call(memory.long_term, "remember", text, scope=ALICE)
        forget_texts()
        read_inside.clear()
        await call(
            memory.long_term, "remember", "The green team keeps the invoices of its service in Bonn", scope=ALICE
        )
        assert read_inside == []


async def test_what_is_in_doubt_is_weighed_before_the_transaction(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is decided under the lock is looked up: nothing is weighed there for the first time."""
    weighed: list[int] = []
    decide = Writing._decide

    def deciding(*args: Any) -> Any:  # noqa: ANN401  (whatever is decided)
        before = outdating.chance_outdated.cache_info().misses  # type: ignore[attr-defined]  # of an lru_cache
        decision = decide(*args)
        weighed.append(outdating.chance_outdated.cache_info().misses - before)  # type: ignore[attr-defined]  # likewise
        return decision

    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for text in KNOWN:
            await call(memory.long_term, "remember", text, scope=ALICE)
        forget_texts()
        monkeypatch.setattr(Writing, "_decide", deciding)
        await call(memory.long_term, "remember", "The red team moved its invoices from Oslo to Bonn", scope=ALICE)
    assert weighed == [0]
