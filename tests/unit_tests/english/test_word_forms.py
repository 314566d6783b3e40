"""Forms of a word that a stemmer leaves apart find each other."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, RecallQuery, Scope
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.words import word_forms
from langchain_agentmem.english.words.word_forms import forms_of

TALK = Scope("ana", session_id="talk")
LINES = ("I bought a red bike", "My brother repaired the red bike", "We ate soup", "The train was late", "It rained")


def test_every_form_has_all_the_others_and_stands_in_one_group_only() -> None:
    """So it makes no difference in which form something is asked and said."""
    table = word_forms._table()
    assert all(set(forms) | {one} == set(table[other]) | {other} for one, forms in table.items() for other in forms)
    words = [set(tokenize(line)) for line in word_forms._FORMS.split(",")]
    assert sum(map(len, words)) == len(set().union(*words)) == len(table)


@pytest.mark.parametrize("word", ["left", "bit", "rose", "lay", "go", "paint", "the", "lisbon"])
def test_what_usually_is_another_word_stands_for_itself_alone(word: str) -> None:
    """As does what the stemmer brings together itself."""
    assert [form for term in tokenize(word) for form in forms_of(term)] == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Did I buy a bike?", LINES[0]), ("What did we eat?", LINES[2]), ("Was I buying anything red?", LINES[0])],
)
def test_a_question_is_answered_in_whatever_form_it_was_said(question: str, answer: str) -> None:
    """Without any model: "buy" finds "bought", before what shares another word with the question."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.episodes.ingest([HumanMessage(line, id=str(at)) for at, line in enumerate(LINES)], scope=TALK)
        found = memory.long_term.recall(RecallQuery(text=question), scope=Scope("ana"))
        assert found[0].memory.content.endswith(answer)
