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
        (["I live in Leeds. I have a cat.", "that was a joke lol"], []),
        (["I like tea.", "I live in Leeds. I have a cat.", "haha it was just a joke"], ["The user likes tea"]),
        (["I live in Leeds. I have a cat.", "I was only messing with you"], []),
        (["I live in Leeds. I have a cat.", "I was being sarcastic"], []),
        (["I live in Leeds. I have a cat.", "It was meant as a joke."], []),
        (["I live in Leeds.", "that was a joke"], []),
        (["I'm vegan. Tell me a joke.", "That was a joke!"], ["The user is vegan"]),
        (["I'm vegan.", "Tell me a joke.", "that was a joke"], ["The user is vegan"]),
        (["I live in Leeds.", "That was a joke?"], ["The user lives in Leeds"]),
        (["I live in Leeds.", "that was a good joke"], ["The user lives in Leeds"]),
        (["I live in Leeds.", "my old job was a joke"], ["The user lives in Leeds"]),
        (["I live in Leeds.", "that was a lie"], ["The user lives in Leeds"]),
        (["I live in Leeds.", "that's no joke"], ["The user lives in Leeds"]),
    ],
)
async def test_nothing_of_a_jest_stays(memory: AgentMemory, say: Say, turns: list[str], kept: list[str]) -> None:
    """All that was learned of the message before it goes, and nothing else does."""
    for turn in turns:
        await say(turn)
    assert sorted(it.content for it in memory.long_term.list(scope=ANA)) == kept
