"""A question is answered by what tells it, in whatever words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.words import thesaurus
from langchain_agentmem.english.words.thesaurus import FAINT, reworded, standing_for
from langchain_agentmem.english.words.word_forms import forms_of

GIL = Scope("gil")
FACTS = (
    "Gil works as a nurse at the harbour clinic",
    "Gil lives in Rome",
    "Gil is married to Nora",
    "Gil has a son, Paul, who is 6",
    "Gil has a cat named Minka",
    "Gil drives a red Fiat Panda",
    "Gil is allergic to peanuts",
    "Gil prefers green tea over coffee",
    "Gil plays the violin in an orchestra",
    "Gil was born on 3 May 1990",
    "Gil reads historical novels",
    "Gil's boss is Mr. Tanaka",
    "Gil's brother Ben runs marathons",
)
ASKED = (
    ("What is my job?", 0),
    ("What do I do for a living?", 0),
    ("Who is my employer?", 0),
    ("What's my address?", 1),
    ("Which city am I in?", 1),
    ("Do I have a partner?", 2),
    ("What is my wife's name?", 2),
    ("Do I have children?", 3),
    ("Do I have pets?", 4),
    ("What car do I have?", 5),
    ("Do I have allergies?", 6),
    ("What's my favourite drink?", 7),
    ("Which instrument do I play?", 8),
    ("When is my birthday?", 9),
    ("Which books do I like?", 10),
    ("Who is my manager?", 11),
    ("Who do I report to?", 11),
    ("Do I have siblings?", 12),
)
UNANSWERED = ("What is my blood type?", "How is the weather in Oslo?", "What is two plus two?")


@pytest.mark.parametrize(("question", "answer"), ASKED)
def test_what_tells_it_answers_first_without_any_model(question: str, answer: int) -> None:
    """A question about oneself hardly ever has the word that its answer has."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for fact in FACTS:
            memory.long_term.remember(fact, scope=GIL)
        found = memory.long_term.recall(question, scope=GIL)
        assert found[0].memory.content == FACTS[answer]


@pytest.mark.parametrize(
    ("question", "answer"), [("What is my job?", "nurse"), ("Do I have pets?", "cat"), ("Where is my home?", "Rome")]
)
def test_turns_are_found_by_what_tells_it_too(question: str, answer: str) -> None:
    """What was said in a conversation is asked for in the same words."""
    lines = ("I work as a nurse", "I have a cat", "I live in Rome", "It rained all day", "The train was late")
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        talk = Scope("gil", session_id="talk")
        memory.episodes.ingest([HumanMessage(line, id=str(at)) for at, line in enumerate(lines)], scope=talk)
        found = memory.long_term.recall(question, scope=GIL)
        assert found[0].memory.content.endswith(answer)


@pytest.mark.parametrize("question", UNANSWERED)
def test_what_nothing_tells_finds_nothing(question: str) -> None:
    """A thesaurus of the whole language would find something in everything."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        for fact in FACTS:
            memory.long_term.remember(fact, scope=GIL)
        assert not memory.long_term.recall(question, scope=GIL)


def test_no_word_stands_for_itself_and_each_counts_less_than_the_word_asked_for() -> None:
    """Only another form of the very word counts as much."""
    for term in thesaurus._answers():
        others = standing_for(term)
        assert term not in others
        assert {it: share for it, share in others.items() if share == 1} == dict.fromkeys(forms_of(term), 1.0)
        assert all(0 < share <= 1 for share in others.values())


def test_every_line_of_the_table_asks_with_a_word_that_can_be_matched() -> None:
    """A stop word, or what is cut into several terms by mistake, would be dead weight."""
    lines = [line.split(":") for line in thesaurus._THESAURUS.splitlines() if line]
    for asked, answers in lines:
        assert tokenize(asked), asked
        assert tokenize(answers), answers
        assert len(tokenize(asked)) == len(asked.split()), asked


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("What do I do for a living?", "job"),
        ("Who do I report to?", "boss"),
        ("Where did I grow up?", "hometown"),
        ("Which foods must I stay away from?", "avoid"),
        ("Which operating system do I use?", "os"),
        ("How do I get to work?", "commute"),
    ],
)
def test_what_is_asked_in_several_words_is_asked_by_one(said: str, word: str) -> None:
    """Else "living" would ask for who lives where."""
    assert word in tokenize(reworded(said)) or tokenize(word)[0] in tokenize(reworded(said))


@given(st.text(max_size=60))
def test_rewording_twice_changes_no_more(question: str) -> None:
    """What stands for a phrase is no part of another phrase."""
    assert reworded(reworded(question)) == reworded(question)


def test_a_word_that_says_little_answers_alone_and_yields_to_any_other() -> None:
    """Whoever asks for a favourite film asks for a film first, and a favourite book is none."""
    assert {"favourit", "name"} <= FAINT
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        book = memory.long_term.remember("Gil's favourite book is Dune", scope=GIL).require()
        film = memory.long_term.remember("Gil watched the film Stalker", scope=GIL).require()
        first, second = memory.long_term.recall("What is my favourite film?", scope=GIL)
        assert [first.memory.id, second.memory.id] == [film.id, book.id]
        assert first.score > 2 * second.score
        assert memory.long_term.recall("Which favourites?", scope=GIL)[0].memory.id == book.id
