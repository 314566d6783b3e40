"""Few turns: each is found by its own words, with a model and without, and an update stands above what it replaced."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, RecallQuery, Scope
from tests.fake_embeddings import WordEmbeddings

ALICE: Final = Scope("alice")
START: Final = datetime(2026, 3, 1, tzinfo=UTC)
TURNS: Final = {
    "The plumber comes on Friday at nine.": "When does the plumber come?",
    "I baked bread.": "bread",
    "My sister called.": "Did the sister call?",
    "We watched a film with Ben and two of our oldest friends from the choir, and it was late.": "Which film?",
    "I went running.": "running",
    "I bought a lamp.": "Where is the lamp from?",
    "My printer broke, so I am writing all of this by hand until our neighbour has looked at it.": "printer",
    "The kitchen wall is green.": "What colour is the kitchen wall?",
    "Zebra crossings flood in winter.": "zebra crossings",
    "I like my new bike.": "How is the bike?",
    "The train leaves from platform four.": "Where does the train leave?",
    "Nice weather here.": "How is the weather?",
    "My cat is Buddy, and I feed him at seven.": "cat Buddy",
    "I moved from Lisbon to Porto.": "Porto",
    "We eat pancakes.": "Who eats pancakes?",
}
BESIDE: Final = ["I like the bakery.", "We watched a film with Ben.", "I baked bread.", "My printer broke.", "I ran."]
UPDATES: Final = [
    (
        "My rent in Lisbon is 700 euros.",
        "My rent in Lisbon went up, it is now 850 euros.",
        ["How much is my rent?", "rent", "Tell me about the rent in Lisbon."],
    ),
    (
        "The budget for the kitchen renovation is 9000 dollars.",
        "The budget for the kitchen renovation was raised to 12000 dollars.",
        ["What is my renovation budget?", "How much is the budget?", "kitchen"],
    ),
    (
        "My dentist appointment with Dr Lee is on 5 May.",
        "My dentist appointment with Dr Lee was moved to 12 May.",
        ["When is my dentist appointment?", "When do I see Dr Lee?", "dentist"],
    ),
]
MODELS: Final = [None, WordEmbeddings()]


def told(embeddings: Embeddings | None, sessions: list[list[str]]) -> AgentMemory:
    memory = AgentMemory.in_memory(embeddings=embeddings, consent="assumed")
    for number, texts in enumerate(sessions):
        scope, at = Scope("alice", session_id=f"s{number}"), START + timedelta(days=7 * number)
        memory.episodes.ingest([HumanMessage(text) for text in texts], scope=scope, at=at)
    return memory


def asked(memory: AgentMemory, question: str, limit: int = 5) -> list[tuple[str, str, float]]:
    """Return the words, status and score of what is found a month later."""
    query = RecallQuery(text=question, asked_at=START + timedelta(days=50), limit=limit)
    found = memory.long_term.recall(query, scope=ALICE)
    return [(hit.memory.content.removeprefix("user: "), hit.memory.status, hit.score) for hit in found]


@pytest.mark.parametrize("embeddings", MODELS, ids=["words", "model"])
@pytest.mark.parametrize("size", [3, 5, 7, 15])
@pytest.mark.parametrize("sessions", [1, 2])
def test_each_turn_is_found_first_by_its_own_words(embeddings: Embeddings | None, size: int, sessions: int) -> None:
    """However few there are, in one conversation or two: whoever says "I" elsewhere does not come before it."""
    said = list(TURNS)[:size]
    with told(embeddings, [said[it::sessions] for it in range(sessions)]) as memory:
        first = {text: asked(memory, TURNS[text])[0][0] for text in said}
    assert first == {text: text for text in said}


@pytest.mark.parametrize("embeddings", MODELS, ids=["words", "model"])
def test_what_has_no_word_of_the_question_is_hardly_likely(embeddings: Embeddings | None) -> None:
    """Seven turns, one of which answers: the others have less than half of its score."""
    with told(embeddings, [list(TURNS)[:7]]) as memory:
        (_, _, best), *others = asked(memory, "When does the plumber come?")
    assert max(score for _, _, score in others) < best / 2


@pytest.mark.parametrize("embeddings", MODELS, ids=["words", "model"])
@pytest.mark.parametrize(("old", "new", "questions"), UPDATES)
def test_an_update_stands_right_above_what_it_surely_replaced(
    embeddings: Embeddings | None, old: str, new: str, questions: list[str]
) -> None:
    """However few words of the question tell what it is about; and where one place is left, the update has it."""
    with told(embeddings, [[old, *BESIDE[:3]], [new, *BESIDE[3:]]]) as memory:
        for question in questions:
            found = asked(memory, question)
            assert [(text, status) for text, status, _ in found[:2]] == [(new, "active"), (old, "superseded")]
            assert asked(memory, question, limit=1)[0][0] == new


def test_updates_of_updates_stand_in_the_order_of_time() -> None:
    """The last value comes first, though the question has more words of the first."""
    rents = [
        "My rent in Lisbon is 700 euros, paid on Mondays.",
        "My rent in Lisbon is now 850 euros.",
        "My rent in Lisbon is now 900 euros.",
    ]
    with told(None, [[rent, beside] for rent, beside in zip(rents, BESIDE, strict=False)]) as memory:
        found = asked(memory, "Mondays")
    assert [text for text, _, _ in found if text in rents] == rents[::-1]


def test_whoever_asks_for_what_was_finds_it_first() -> None:
    """The earlier statement has more of the words, and no update is put above it."""
    (old, new, _), *_ = UPDATES
    with told(None, [[old, *BESIDE[:3]], [new, *BESIDE[3:]]]) as memory:
        assert asked(memory, "How much was my rent originally?")[0][0] == old


def test_like_sentences_answer_a_question_with_a_word_that_none_has() -> None:
    """Without a model: facts, by more than half of the question's words, and turns by any; nothing by none."""
    said = [f"Ann likes tea {number}" for number in range(40)]
    memory = told(None, [said])
    for text in said:
        memory.long_term.remember(text, scope=Scope("beth"))
    found = {
        question: tuple(
            memory.long_term.recall(question, scope=scope, limit=5).status for scope in (ALICE, Scope("beth"))
        )
        for question in ("What does Ann like to drink?", "Does Ann own a boat?", "Where is the key?")
    }
    assert [*found.values()] == [("ok", "ok"), ("ok", "empty"), ("empty", "empty")]
