"""What replaces what, through a graph: in one thread, and in another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Candidate, GraphOptions, RecallQuery, Scope, create_memory_graph
from langchain_agentmem.long_term.recall.listing import ListQuery

ALICE = Scope("alice")


def told(turns: Sequence[str], *, in_one: bool) -> tuple[list[str], list[str]]:
    """Return what is in force after some turns, and what was replaced."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        options = GraphOptions(writes="inline")
        model = FakeListChatModel(responses=["Noted."])
        graph: Any = create_memory_graph(
            model, tools=[], memory=memory, checkpointer=memory.checkpointer, options=options
        )
        for number, text in enumerate(turns):
            run = {"configurable": {"user_id": "alice", "thread_id": "t" if in_one else f"t{number}"}}
            graph.invoke({"messages": [("human", text)]}, run)
        gone = memory.long_term.select(ListQuery(statuses=("superseded",)), scope=ALICE)
        return [it.content for it in memory.long_term.list(scope=ALICE)], [it.content for it in gone]


_OTHERS = [
    f"The user {it} now"
    for it in (
        *("runs", "swims", "cooks", "sings", "paints", "codes", "dances", "hikes", "skis", "rows", "bakes", "knits"),
        *("gardens", "fishes", "sails", "climbs", "writes", "draws", "surfs", "cycles", "juggles", "boxes"),
    )
]


@pytest.mark.parametrize(
    ("turns", "stands", "gone"),
    [
        (["I like tea.", "Sorry, I meant coffee."], "The user likes coffee", "The user likes tea"),
        (["I prefer tea.", "Actually no, coffee."], "The user prefers coffee", "The user prefers tea"),
        (["I prefer tea.", "Scratch that, coffee."], "The user prefers coffee", "The user prefers tea"),
        (["I prefer tea.", "Actually, I prefer coffee."], "The user prefers coffee", "The user prefers tea"),
        (["I like tea.", "Actually no, I like coffee."], "The user likes coffee", "The user likes tea"),
        (["I live in Paris.", "Actually no, Lyon."], "The user lives in Lyon", "The user lives in Paris"),
        (
            ["I have a dog called Rex.", "The dog is called Max, I mistyped."],
            "The user has a dog called Max",
            "The user has a dog called Rex",
        ),
    ],
)
def test_a_correction_takes_the_place_of_what_was_just_said(turns: list[str], stands: str, gone: str) -> None:
    """Also of what somebody may have several of, where nothing but the conversation says which is meant."""
    assert told(turns, in_one=True) == ([stands], [gone])


@pytest.mark.parametrize("in_one", [True, False])
@pytest.mark.parametrize(
    ("turns", "stands", "gone"),
    [
        (["I'm 34.", "I'm 35 now!"], "The user is 35 now", "The user is 34"),
        (["I'm a vegetarian.", "I'm vegan now."], "The user is vegan now", "The user is a vegetarian"),
        (["I'm single.", "I got married last week."], "The user got married last week", "The user is single"),
        (
            ["I'm allergic to cats.", "My cat allergy is gone."],
            "The user's cat allergy is gone",
            "The user is allergic to cats",
        ),
        (
            ["My boss is Dr. Ames.", "My boss is now Dr. Bell."],
            "The user's boss is now Dr. Bell",
            "The user's boss is Dr. Ames",
        ),
        (
            ["I live in St. Louis.", "I live in St. Petersburg now."],
            "The user lives in St. Petersburg now",
            "The user lives in St. Louis",
        ),
        (
            ["I was born in St. Louis.", "I was born in St. Paul."],
            "The user was born in St. Paul",
            "The user was born in St. Louis",
        ),
        (
            ["The meeting is on Friday.", "The meeting was moved to Monday."],
            "The meeting was moved to Monday",
            "The meeting is on Friday",
        ),
        (
            ["I live in Paris.", "I live in Lyon, not Paris."],
            "The user lives in Lyon, not Paris",
            "The user lives in Paris",
        ),
        (
            ["My sister is called Anna.", "Her name is Hannah, not Anna."],
            "The user's sister is called Hannah",
            "The user's sister is called Anna",
        ),
    ],
)
def test_a_newer_statement_replaces_the_old_one(turns: list[str], stands: str, gone: str, *, in_one: bool) -> None:
    """In the same thread and in another one."""
    assert told(turns, in_one=in_one) == ([stands], [gone])


@pytest.mark.parametrize("in_one", [True, False])
@pytest.mark.parametrize(
    "turns",
    [
        ["I'm 34.", "I'm 35 minutes late."],
        ["I'm 34.", "I'll be 35 in May."],
        ["I prefer tea.", "Actually no, thanks."],
        ["I prefer tea.", "Actually no, later."],
        ["I prefer tea.", "My wife prefers coffee."],
        ["I like tea.", "Sorry, I meant to ask about coffee."],
        ["I like tea.", "I like coffee."],
        ["I like tea.", "Actually, I like coffee too."],
        ["I like tea. I like cake.", "Sorry, I meant coffee."],
        ["I live in Paris.", "We went not to Paris but to Lyon for the trip."],
        ["I have a dog called Rex. I have a dog called Bello.", "The dog is called Max, I mistyped."],
        ["I have a dog called Rex.", "My neighbour's dog is called Max."],
        ["My sister is called Anna. My aunt is called Anna.", "Her name is Hannah, not Anna."],
        ["My brother is called Ben.", "Her name is Hannah, not Ben."],
        ["My sister is called Anna.", "Is her name Hannah, not Anna?"],
        ["The meeting with Ann is on Friday.", "The meeting with Bob was moved to Monday."],
        ["I'm single.", "My sister got married last week."],
    ],
)
def test_what_is_of_something_else_replaces_nothing(turns: list[str], *, in_one: bool) -> None:
    """Thanks, other people, other things, several that may be meant, and questions."""
    assert told(turns, in_one=in_one)[1] == []


def test_what_is_replaced_is_found_among_many() -> None:
    """By the words of both, for the new statement shares none of its own with the old one."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        home = memory.long_term.remember("Alice lives in Paris", scope=ALICE).require()
        for number in range(60):
            memory.long_term.remember(f"Alice likes topic{number}", scope=ALICE)
        assert memory.long_term.remember("Alice moved to Berlin", scope=ALICE).superseded == (home.id,)


def test_another_age_is_found_among_many_by_what_it_is() -> None:
    """It shares no word with the one before; every "now" is nearer. The age of somebody else stays."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for number, content in enumerate(["The user is 41, 68 kilos", "The user's sister is 41", *_OTHERS]):
            memory.long_term.remember(content, scope=Scope("alice", session_id=str(number)))
        memory.long_term.remember("The user is 42 now", scope=Scope("alice", session_id="last"))
        held = {it.content for it in memory.long_term.list(scope=ALICE, limit=100)}
    assert "The user is 41, 68 kilos" not in held
    assert {"The user's sister is 41", "The user is 42 now", *_OTHERS} <= held


def test_a_candidate_names_what_it_corrects() -> None:
    """A program that knows the words which were wrong says so, and they are replaced."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        tea = memory.long_term.remember("Alice likes tea", scope=ALICE).require()
        cake = memory.long_term.remember("Alice likes cake", scope=ALICE).require()
        right = Candidate(content="Alice likes coffee", is_correction=True, corrects="Alice likes tea")
        assert memory.long_term.remember(right, scope=ALICE).superseded == (tea.id,)
        assert [it.id for it in memory.long_term.list(scope=ALICE)][1:] == [cake.id]


# --------------------------------------------------------------------------------- asked for what was replaced as well
@pytest.mark.parametrize("in_turns", [False, True])
@pytest.mark.parametrize("limit", [1, 5])
@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("I drive a red Golf.", "I drive a blue Polo now.", "Do I drive a red Golf?"),
        ("I am a vegetarian.", "I am vegan now.", "Am I vegetarian?"),
    ],
)
def test_what_is_in_force_stands_above_what_was_replaced(
    old: str, new: str, question: str, limit: int, *, in_turns: bool
) -> None:
    """Also where what was replaced is asked for and has more of the question's words: a limit cuts that off first."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for number, text in enumerate((old, new)):
            memory.background.ingest([HumanMessage(text, id=str(number))], scope=Scope("alice", session_id=str(number)))
            memory.jobs.run()
        asked = RecallQuery(text=question, include_superseded=True, limit=limit)
        asked = asked if in_turns else replace(asked, kinds=("fact", "preference"))
        found = memory.long_term.recall(asked, scope=ALICE)
    told = [(hit.memory.kind != "episode", hit.memory.status) for hit in found]
    assert told[0] == (True, "active")
    assert limit == 1 or (True, "superseded") in told


@pytest.mark.parametrize(
    ("question", "statuses"),
    [
        ("Where does Alice live?", ["active", "superseded"]),
        ("Where did Alice live before?", ["superseded", "active"]),
    ],
)
def test_a_question_about_the_past_alone_has_what_was_replaced_first(question: str, statuses: list[str]) -> None:
    """Then it may be just what is asked for; else it is not, however well its words fit."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for text in ("Alice lives in Paris", "Alice moved to Berlin"):
            memory.long_term.remember(text, scope=ALICE)
        asked = RecallQuery(text=question, include_superseded=True)
        found = memory.long_term.recall(asked, scope=ALICE)
    assert [hit.memory.status for hit in found] == statuses
