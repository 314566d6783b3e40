"""What was said in jest, and taken back with the next message: nothing of it stays."""

from __future__ import annotations

import pytest

from langchain_agentmem import AgentMemory, Scope
from tests.unit_tests.scenarios.conftest import Say

ANA = Scope("ana")


@pytest.mark.parametrize(
    ("turns", "kept"),
    [
        (["I live in Leeds. My sister is called Anna.", "jk"], []),
        (["I like tea.", "I live in Leeds and I have two dogs.", "haha just kidding"], ["The user likes tea"]),
        (["I'm allergic to nuts. What can I cook?", "jk"], []),
        (["I live in Leeds.", "Write me a poem about rain.", "jk"], ["The user lives in Leeds"]),
        (["I live in Leeds.", "No kidding!"], ["The user lives in Leeds"]),
    ],
)
async def test_nothing_of_a_jest_stays(memory: AgentMemory, say: Say, turns: list[str], kept: list[str]) -> None:
    """All that was learned of the message before it goes, and nothing else does."""
    for turn in turns:
        await say(turn)
    assert sorted(it.content for it in memory.long_term.list(scope=ANA)) == kept
