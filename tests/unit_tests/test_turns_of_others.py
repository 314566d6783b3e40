"""Who asks about themselves is not answered by a turn that tells of somebody else."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem._flow import run
from langchain_agentmem.long_term.ingesting import Manner

ALICE = Scope("alice", session_id="t")


@pytest.mark.parametrize(
    ("said", "question", "first"),
    [
        (["My brother's job is in finance.", "I work as a nurse."], "What is my job?", "I work as a nurse."),
        (["Nora's job is at Acme.", "I work as a nurse."], "What is my job?", "I work as a nurse."),
        (["Nora's job is at Acme.", "I work as a nurse."], "What is Nora's job?", "Nora's job is at Acme."),
        (
            ["My job, like Nora's, is at Acme.", "I like my work."],
            "What is my job?",
            "My job, like Nora's, is at Acme.",
        ),
    ],
)
def test_a_turn_of_the_user_comes_first(said: list[str], question: str, first: str) -> None:
    """Unless they ask for whom the other one tells of, or it tells of both."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
    manner = Manner(mode="on", is_asked_for=False, began=None)
    for number, text in enumerate(said):
        run(memory.episodes.keep_flow([HumanMessage(text, id=f"{number}")], ALICE, manner))
    memory.long_term.remember("The user works as a nurse", scope=ALICE)
    turns = [it.memory.content for it in memory.long_term.recall(question, scope=ALICE) if it.memory.kind == "episode"]
    assert turns[0].partition("user: ")[2] == first
