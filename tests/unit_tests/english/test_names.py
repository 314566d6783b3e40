"""A name is a name to every reader: with a capital of whatever alphabet, a mark, a hyphen, or what stands between."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.english.endings.endings import ended_by
from langchain_agentmem.english.people.beings import being_of
from langchain_agentmem.english.people.whose import clauses_of
from langchain_agentmem.english.reading.triples import triples_of
from langchain_agentmem.english.requests.asked_apart import named_apart
from langchain_agentmem.english.requests.forget_request import is_meant
from langchain_agentmem.english.words import patterns
from langchain_agentmem.extraction.rules import RuleExtractor
from langchain_agentmem.types import Candidate

NAMES: Final = (
    "Nora",
    "Nora Mae Field",
    "J. R. Smith",
    "Élodie",
    "Łukasz",
    "Şule",
    "Øystein",
    "Ünal",
    "Çelik",
    "Ирина",
    "O'Brien",
    "D'Angelo",
    "Siobhan O'Brien",
    "Anne-Marie",
    "Ludwig van Dyke",
    "Maria de la Cruz",
    "Yusuf al-Amin",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_clause_is_about_whom_it_names(name: str) -> None:
    """What is said of somebody by name is not told of the user, and is none of what "forget where I live" means."""
    assert clauses_of(f"{name} lives in York", ["Kim"])[-1].people
    assert not is_meant("where I live", f"{name} lives in York", ["Kim"])
    assert not is_meant("my allergies", f"The user's sister {name} is allergic to nuts", ["Kim"])


@pytest.mark.parametrize("name", NAMES)
def test_what_is_told_of_somebody_is_kept_under_the_whole_name(name: str) -> None:
    """Rules extract who it is and what they do."""
    told = RuleExtractor().extract([HumanMessage(f"My sister {name} lives in York.", id="1")])
    assert [it.content for it in told] == [f"The user's sister is {name}", f"{name} lives in York"]
    (called,) = RuleExtractor().extract([HumanMessage(f"My name is {name}.", id="1")])
    assert called.object == name


@pytest.mark.parametrize("name", NAMES)
def test_what_ends_is_found_by_name(name: str) -> None:
    """A death, a retirement, and another holder end what is known."""
    being = being_of(f"The user's sister {name} lives in York")
    assert being is not None
    assert being.name == name
    assert ended_by(f"The user's dog {name} died", [f"The user has a dog called {name}"])
    assert ended_by(f"{name} has retired", [f"The user's manager is {name}"])
    assert ended_by(f"The user's dentist is {name} now", ["The user's dentist is Tom Reed"])
    assert ended_by("The user's dentist is Tom Reed now", [f"The user's dentist is {name}"])


@pytest.mark.parametrize("name", NAMES)
def test_somebody_is_asked_for_by_name(name: str) -> None:
    """A request to forget reads the name as one, beside another too; what is said of them forms a triple."""
    assert named_apart(f"{name} and my address") == (name, "my address")
    assert is_meant(f"where {name} lives", f"{name} lives in York", ["Kim"])
    assert any(it.subject == name for it in triples_of(Candidate(content=f"{name} lives in York")))


def test_what_was_told_of_somebody_is_replaced_by_what_is_told_later() -> None:
    """A memory supersedes what it had of the same person."""
    with AgentMemory.in_memory(embeddings=None) as memory:
        for number, name in enumerate(NAMES):
            scope = Scope(f"user-{number}")
            memory.consent.grant(scope)
            kept = [
                memory.long_term.remember(f"{name} lives in {city}", scope=scope, source="explicit", confidence=0.9)
                for city in ("York", "Leeds")
            ]
            found = [memory.long_term.get(it.memory.id, scope=scope) for it in kept if it.memory]
            statuses = [it.status for it in found if it]
            assert statuses == ["superseded", "active"], name


def test_a_letter_is_a_capital_as_unicode_says() -> None:
    """No capital is overlooked in any alphabet; small ones of Latin-1, Greek and Russian are told from them."""
    capital = re.compile(patterns.CAPITAL, re.IGNORECASE)
    small = re.compile(patterns.SMALL, re.IGNORECASE)
    for letter in map(chr, range(0x530)):  # up to Cyrillic
        category = unicodedata.category(letter)
        if category == "Lu":
            assert capital.fullmatch(letter), letter
        if category == "Ll":
            assert small.fullmatch(letter), letter
        if letter <= "ÿ" or ("Ά" <= letter <= "ώ" and letter != "ΐ") or "Ѐ" <= letter <= "џ":
            assert bool(capital.fullmatch(letter)) == (category == "Lu"), letter
            assert bool(small.fullmatch(letter)) == (category in {"Ll", "Lo"}), letter


@pytest.mark.parametrize("text", ["Nora's", "I'M", "nora", "O'", "élodie"])
def test_what_stands_behind_a_name_is_no_part_of_it(text: str) -> None:
    """Neither the 's of an owner nor a verb that is drawn together with a word in capitals."""
    assert re.fullmatch(patterns.FULL_NAME, text) is None


@pytest.mark.parametrize("name", ["Иван", "Ёлка", "Łukasz", "Γιάννης", "李明", "محمد", "דוד", "김민수", "ไทย"])
def test_a_word_with_a_capital_or_of_a_script_without_them_is_a_name(name: str) -> None:
    """Whatever the alphabet: where a name stands, a word of a script without capitals is one."""
    (told,) = RuleExtractor().extract([HumanMessage(f"{name} is my friend.", id="1")])
    assert told.content == f"The user's friend is {name}"


@pytest.mark.parametrize("word", ["друг", "привет", "іван", "ёлка", "γιάννης", "ώρα", "我", "他", "و", "ו", "김"])
def test_a_word_in_small_letters_or_one_letter_without_a_capital_is_no_name(word: str) -> None:
    """As in English a word in small letters is none, and a letter that is no capital stands for no name."""
    assert RuleExtractor().extract([HumanMessage(f"{word} is my friend.", id="1")]) == []
    assert re.fullmatch(patterns.FULL_NAME, word) is None
