"""Who the people are of whom a user speaks by name: "I have a daughter named Ruby", "my kids are Ethan and Ruby"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.kin_words import RELATIVES, any_of, kin_of
from langchain_agentmem.english.words.number_words import TWO_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITALIZED
from langchain_agentmem.extraction.books.people import NAME, NO_NAMES, ROLE, WHICH, named_first, tells
from langchain_agentmem.extraction.books.theirs import owner_told_of
from langchain_agentmem.extraction.record.conversation import Passage
from langchain_agentmem.extraction.sentences.clauses import clauses
from langchain_agentmem.extraction.words.leads import without_lead
from langchain_agentmem.extraction.words.lexicon import BY_NOW

_ACQUAINTED: Final = lazy_pattern(
    rf"\b(?:my|our|{CAPITALIZED}'s) {WHICH}{ROLE}(?:(?:'s name)? is{BY_NOW}(?: called| named)?|,| called| named)? "
    rf"(?P<name>{NAME})|\b(?P<is>{NAME}) is (?:now )?(?:my|our) {WHICH}{ROLE}\b"
    rf"|\b(?:dating|seeing (?:someone|somebody),? (?:named|called|(?:and )?(?:his|her|their) name(?:'s| is))"
    rf"|(?:I'm|I am|I got) (?:(?:now|happily|just) )?(?:engaged|married) to) (?P<partner>{NAME})"
    rf"|\b(?P<both>{NAME}) and I (?:(?:just|recently|finally) )?(?:got|are getting|are) (?:married|engaged)\b",
    re.IGNORECASE,
)
_BY_NAME: Final = lazy_pattern(rf"(?P<name>{NAME}) (?P<beside>and I\b)?")
_COUNT: Final = rf"(?:{TWO_OR_MORE}|\d|several|some|a few)"
_ALL: Final = r"(?:(?:both|all|just|grown-up|adult|small|young|teenage|beautiful|wonderful|lovely) ){0,2}"
_MANY: Final = (
    rf"(?:{RELATIVES}|boys|girls|friends|flatmates|roommates|housemates"
    r"|colleagues|co-?workers)"
)
_CALLED: Final = r"(?: who (?:is|are))?,?(?: called| named| - | \u2013 |:)? "
_PARENT: Final = rf"(?:{any_of(kin_of('parent', 'grandparent'))}|nan|carer)"
_HAVE: Final = r"(?:I|we)(?:'ve| have| have got|'ve got| also have| now have| only have| got| had)"
_HAD: Final = lazy_pattern(
    rf"\b{_HAVE} (?:(?:an?|one|another) {WHICH}{ROLE}|{_COUNT} {WHICH}{_ALL}{_MANY}){_CALLED}"
    rf"|\b(?:my|our) (?:{_COUNT} )?{WHICH}{_ALL}{_MANY}(?:'s?)?(?: names)? are(?: called| named)? "
    rf"|\b(?:I'm|I am) (?:{NAME},? )?(?:\d\d,? )?(?:an?|the)? ?(?:(?:proud|busy|single|full-time|foster|working) )?"
    rf"{_PARENT} (?:to|of) (?:(?:an?|{_COUNT}) {_MANY},? )?",
    re.IGNORECASE,
)
"""What stands before the names of those whom somebody has."""

_ONE_OF: Final = lazy_pattern(
    rf"(?P<name>{NAME})(?:(?: is|'s|,)? \(?(?:aged )?\d{{1,2}}\b(?: (?:months?|weeks?|years?)(?: old)?)?\)?)?"
)
_AND: Final = lazy_pattern(r",? (?:and|&) |, ")


def acquainted(texts: Iterable[str]) -> frozenset[str]:
    """Return the names of people whom a user introduced: "my sister Nora", "Nora is our boss"."""
    said = list(texts)
    found = (it for text in said for it in _ACQUAINTED.finditer(text))
    names = {without_lead(str(it[it.lastgroup or 0])).casefold() for it in found}
    return frozenset(names.union(*(_had(it) for it in said)))


def _had(text: str) -> Iterator[str]:
    """Yield the names of those whom the user has, in small letters, one by one: "two kids, Ethan (9) and Ruby (6)"."""
    for had in _HAD.finditer(text):
        one = _ONE_OF.match(text, had.end())
        while one is not None and (name := one["name"].casefold()) not in NO_NAMES:
            yield name
            joint = _AND.match(text, one.end())
            one = None if joint is None else _ONE_OF.match(text, joint.end())


def names_told_of(passages: Iterable[Passage]) -> frozenset[str]:
    """Return the names of whom a user tells something that lasts without saying who they are, in small letters.

    Who they are was perhaps said in another conversation.
    """
    said = [it for it in passages if it.speaker == "user"]
    texts = [named_first(clause.text) for it in said for clause in clauses(it)]
    found = [it for it in map(_BY_NAME.match, texts) if it is not None]
    named = {it["name"].casefold() for it in found if it["beside"] or tells(it.string[it.end() :])}
    named |= {name.casefold() for name in map(owner_told_of, texts) if name is not None}
    return frozenset(named - acquainted(it.text for it in said) - NO_NAMES)
