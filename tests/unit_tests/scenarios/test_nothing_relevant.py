"""What nobody said, and what somebody else said, is no answer; and a recall says how likely it holds one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Recall, Scope, Weights
from langchain_agentmem.long_term.recall.asking import united
from tests.conftest import Call

ANN = Scope("ann")
SAID = (
    ("Ann", "I bought a green bicycle in Lisbon"),
    ("Ben", "My daughter plays the cello in the school orchestra"),
    ("Ann", "The bicycle has a flat tyre already"),
    ("Ben", "I planted tomatoes behind the garage"),
)


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    """A conversation of two friends, searched by words, whose answers must be rather likely."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", weights=Weights(min_likelihood=0.4)) as memory:
        messages = [HumanMessage(words, name=name, id=str(place)) for place, (name, words) in enumerate(SAID)]
        memory.episodes.ingest(messages, scope=Scope("ann", session_id="talk"), at=datetime(2026, 5, 1, tzinfo=UTC))
        yield memory


def likelihood(memory: AgentMemory, question: str) -> float:
    """How likely the recall of a question found that anything answers it."""
    recall = memory.long_term.recall(question, scope=ANN)
    receipt = memory.long_term.receipt(str(recall.receipt_id), scope=ANN)
    assert receipt is not None
    return float(receipt.plan["conversations"]["likelihood"])


@pytest.mark.parametrize(
    ("answered", "unanswered"),
    [
        ("Whose daughter plays the cello?", "Whose daughter plays the trombone?"),
        ("Where was the bicycle that Ann bought?", "Where was the bicycle that Ben bought?"),
        ("What did Ben plant behind the garage?", "What did Ann plant behind the garage?"),
    ],
)
def test_what_was_not_said_so_is_less_likely_to_have_an_answer(
    memory: AgentMemory, answered: str, unanswered: str
) -> None:
    """Of something that was talked about: a telling word is missing, or somebody else said it."""
    assert likelihood(memory, answered) > 0.9 > likelihood(memory, unanswered)


@pytest.mark.parametrize(
    "asked",
    ["How much rent do I pay currently?", "How high is my rent at the moment?", "What rent do I pay now?"],
)
def test_words_that_ask_for_a_number_or_for_now_need_not_have_been_said(memory: AgentMemory, asked: str) -> None:
    """Who says that the rent is 900 euros answers how much it is now; who never spoke of taxes does not."""
    messages = [HumanMessage("My rent is 900 euros", name="Ann", id="rent")]
    memory.episodes.ingest(messages, scope=Scope("ann", session_id="rent"), at=datetime(2026, 5, 2, tzinfo=UTC))
    assert likelihood(memory, asked) > 0.9
    assert likelihood(memory, asked.replace("rent", "tax")) < 0.1


def test_below_the_threshold_a_recall_is_empty(memory: AgentMemory) -> None:
    """And not above it."""
    assert memory.long_term.recall("Where was the bicycle that Ann bought?", scope=ANN).status == "ok"
    assert memory.long_term.recall("Which boiling point has neon?", scope=ANN).status == "empty"


async def test_a_recall_tells_how_likely_it_holds_an_answer(memory: AgentMemory, call: Call) -> None:
    """As its receipt does, so that an application can be stricter than the memory; where no turn is asked, nothing."""
    question = "Where was the bicycle that Ben bought?"
    found = await call(memory.long_term, "recall", question, scope=ANN)
    assert found.likelihood == likelihood(memory, question)
    facts = await call(memory.long_term, "recall", question, scope=ANN, kinds=["fact"])
    assert facts.likelihood is None


async def test_an_empty_recall_says_what_it_would_have_taken(memory: AgentMemory, call: Call) -> None:
    """The reason names how likely an answer is, and from when on it counts as one."""
    found = await call(memory.long_term, "recall", "Which boiling point has neon?", scope=ANN)
    receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ANN)
    assert (found.likelihood is not None, found.status) == (True, "empty")
    assert f"likely to {found.likelihood:.3f}, and less than 0.4 gives no answer" in receipt.reason


def test_of_several_questions_the_best_is_told() -> None:
    """What is answered at all is answered."""
    recalls = [Recall(likelihood=0.2), Recall(), Recall(likelihood=0.7)]
    assert united(recalls).likelihood == 0.7
    assert united([Recall(), Recall()]).likelihood is None
