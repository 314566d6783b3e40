"""Words that are listed have one list: what reads them asks it, so that no two lists disagree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

import pytest

from langchain_agentmem.english.words.calendar_words import MONTH_NUMBERS, SEASONS, WEEKDAYS
from langchain_agentmem.english.words.kin_words import KIN
from langchain_agentmem.english.words.number_words import NUMBER_WORDS
from langchain_agentmem.english.words.people_words import ACQUAINTANCES
from tests.meta_tests.package import nodes

CALENDAR: Final = "english/words/calendar_words.py"
NUMBERS: Final = "english/words/number_words.py"
KIN_LIST: Final = "english/words/kin_words.py"
LISTED: Final = 3
"""So many words beside each other are a list."""

MIN_CHARS: Final = 3 * 3

PEOPLE_LIST: Final = "english/words/people_words.py"
PEOPLE_STILL_LISTED: Final = frozenset(
    """
    english/endings/by_now.py english/words/comments.py english/endings/ending_words.py english/endings/leaving.py
    english/endings/over_otherwise.py english/endings/theirs_by_now.py english/words/thesaurus.py
    extraction/books/circumstances.py extraction/words/cues.py extraction/books/facts.py
    extraction/books/figurative.py extraction/books/general.py extraction/words/grounds.py
    extraction/words/lexicon.py extraction/sentences/ordered_behind.py extraction/books/outcomes.py
    extraction/dialogue/referring.py extraction/dialogue/replacing.py extraction/books/theirs.py policies/stated.py
    """.split()
)
"""Modules with words for people of their own, beside other words; none is to be added, and each is to derive them."""

OTHER_LISTS: Final = {
    "english/words/lexicon.py": "pairs of which one excludes the other, line by line",
    "english/words/thesaurus.py": "words that answer a question for others, in rows of their own",
    "policies/detect_secrets.py": "words that are beside a phrase of a wallet in a sentence, some of which are numbers",
}


def texts(inside: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the strings of a module but its docstrings, those that are composed with a mark for each value."""
    docs = {id(node.value) for node in inside if isinstance(node, ast.Expr)}
    composed = [node for node in inside if isinstance(node, ast.JoinedStr)]
    parts = {id(it) for node in composed for it in node.values}
    for each in composed:
        yield "".join(str(it.value) if isinstance(it, ast.Constant) else " _ " for it in each.values)
    for node in inside:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not {id(node)} & (docs | parts):
            yield node.value


@cache
def words_of_texts() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the words of each string by its module, without the plural's s."""
    return tuple(
        (path, tuple(re.findall(r"[a-z_-]+?(?=s?(?![a-z_-]))", text.casefold())))
        for path, inside in nodes().items()
        for text in texts(inside)
        if len(text) >= MIN_CHARS
    )


def lists(words: frozenset[str]) -> set[str]:
    """Return the modules in which three of some words stand beside each other in one string."""
    return {
        path
        for path, said in words_of_texts()
        if any(words.issuperset(said[at : at + LISTED]) for at in range(len(said) - LISTED + 1))
    }


@pytest.mark.parametrize(
    ("words", "home"),
    [
        (MONTH_NUMBERS, CALENDAR),
        (WEEKDAYS, CALENDAR),
        ([name.removesuffix("day") for name in WEEKDAYS], CALENDAR),
        (SEASONS, CALENDAR),
        (NUMBER_WORDS, NUMBERS),
        (KIN, KIN_LIST),
    ],
    ids=["months", "weekdays", "weekdays in short", "seasons", "numbers", "kin"],
)
def test_a_vocabulary_is_listed_in_one_module(words: Iterable[str], home: str) -> None:
    """Three of its words beside each other are a list, in words or in a pattern."""
    assert lists(frozenset(words)) - OTHER_LISTS.keys() <= {home}


def test_no_further_module_lists_what_somebody_is_to_the_user() -> None:
    """Those that do not list it yet ask the one list; those that no longer do are struck out."""
    assert lists(ACQUAINTANCES) - {PEOPLE_LIST} == PEOPLE_STILL_LISTED
