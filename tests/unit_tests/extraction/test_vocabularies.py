"""What one list of words has, every reader knows: counts and kin are read alike wherever they stand."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.reading.relations import canonical_role
from langchain_agentmem.english.requests.withheld import is_withheld
from langchain_agentmem.english.words.kin_words import KIN, KIN_WORDS, PARTNERS, plurals
from langchain_agentmem.english.words.number_words import counts
from langchain_agentmem.extraction import RuleExtractor


def contents(text: str) -> list[str]:
    return [it.content for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize("count", counts(2, 12))
def test_a_count_is_read_alike_however_large_it_is(count: str) -> None:
    """A list that ends at three, five or ten knows no more of what is counted than one that ends at twelve."""
    assert contents(f"We look after {count} foster kids") == [f"The user's family looks after {count} foster kids"]
    assert contents(f"I'm having {count} cats, named Tom and others") == [
        f"The user has {count} cats, named Tom and others"
    ]
    order = f"In {count} months, forget my job"
    assert is_withheld(order, order.index("forget"))


@pytest.mark.parametrize("word", sorted(KIN))
def test_kin_are_read_alike_whoever_they_are(word: str) -> None:
    """A stepson is somebody's son, and a grandad their grandfather, to every rule that knows a brother."""
    found = {it.content: it.relation for it in RuleExtractor().extract([HumanMessage(f"My {word} Tom works at Acme")])}
    assert found == {f"The user's {word} is Tom": canonical_role(word), "Tom works at Acme": "works_at"}
    assert contents(f"Never tell my {word} about it") == []
    assert contents(f"I lost my {word}") == [f"The user lost their {word}"]


@pytest.mark.parametrize("words", sorted(plurals(KIN - PARTNERS)))
def test_what_several_kin_have_is_kept_whoever_they_are(words: str) -> None:
    """Of nephews as of brothers."""
    assert contents(f"My {words} are allergic to nuts") == [f"The user's {words} are allergic to nuts"]


def test_one_name_stands_for_all_words_for_the_same() -> None:
    """By it a relation is judged: of a mother and of a mum."""
    for word, said in KIN_WORDS.items():
        assert canonical_role(word) == ("partner" if said.kind == "partner" else said.name)
        assert KIN_WORDS[said.name].name == said.name
