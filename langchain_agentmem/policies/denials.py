"""Statements that contradict each other across a conversation: "I have never used Zotero", "I just downloaded Zotero".

A denial of the speaker's own is held against what they say they did. Neither says that something changed, so neither
replaces the other: which of them holds, only the speaker knows. English; no words of a language model are needed, and
none are trusted: a pair is marked and shown, nothing is left out for it.

Measured on the ten conversations of BEAM's first half: 46 turns with a denial, 27 pairs, about three in four of them
right by eye; in LoCoMo's five, none. Values that differ ("100 KB", "150 KB") are no contradiction unless something says
that they are of the same thing: of 12 such pairs, found by the words around them, none was right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from langchain_agentmem._terms import tokenize

MIN_SHARED: Final = 2
"""Telling words that a denial and what it denies must have in common, what was done among them."""

MIN_SHARE: Final = 0.4
"""Those words, as a share of what is denied."""

MAX_CLAUSE_CHARS: Final = 160
"""Of what is denied, or said to be done: a clause is shorter."""

_DENIAL: Final = re.compile(r"\b(?:i|we)(?:['\u2019]ve| have)? never\b(?P<what>[^.!?;\n]{1,400})", re.IGNORECASE)
_DONE: Final = re.compile(
    r"\b(?:i|we)(?:['\u2019]ve| have)?(?: (?:just|already|recently|also|even|finally|had to|managed to))?"
    r" (?P<what>[^.!?;\n]{1,400})",
    re.IGNORECASE,
)
_CLAUSE_END: Final = re.compile(
    r",? \b(?:so|but|because|considering|although|which|and (?:i|we)\b|can you|could you|should i|what|how|it seems)\b",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"```.*?(?:```|$)", re.DOTALL)
_DENIED: Final = re.compile(r"^(?:never|not|no|without|cannot)\b|n['\u2019]t\b", re.IGNORECASE)
_FRAME_WORDS: Final = """
actually really before ever any anything anyone other project work do done did make made have had related problem
problems thing things something help want try trying way lot new own
"""
_FRAME: Final = frozenset(tokenize(_FRAME_WORDS))


class Denial(NamedTuple):
    """What a speaker says they never did: the verb's stem, and all telling words, that among them."""

    verb: str
    words: frozenset[str]


def denials_in(text: str) -> tuple[Denial, ...]:
    """Return what a speaker says they never did."""
    return tuple(_deeds(_DENIAL, text)) if "never" in text.casefold() else ()


def is_contradicted(denials: Iterable[Denial], text: str) -> bool:
    """Whether who denies something says in another text that they did it."""
    folded = text.casefold()
    near = [denial for denial in denials if _may_be_about(denial, folded)]
    done = list(_deeds(_DONE, text)) if near else []
    return any(_is_about(denial, deed) for denial in near for deed in done)


def _deeds(pattern: re.Pattern[str], text: str) -> Iterator[Denial]:
    for found in _found(pattern, text):
        words = [word for word in tokenize(found) if word not in _FRAME]
        if len(words) >= MIN_SHARED:
            yield Denial(words[0], frozenset(words))


def _found(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """Return the clauses behind what is said of oneself; a later one may begin inside of an earlier one."""
    spoken, place = _CODE.sub(" ", text), 0
    while (found := pattern.search(spoken, place)) is not None:
        if not _DENIED.search(found["what"][:12]):
            yield _CLAUSE_END.split(found["what"][:MAX_CLAUSE_CHARS], maxsplit=1)[0]
        place = found.start("what")


def _may_be_about(denial: Denial, folded: str) -> bool:
    """Whether a text has enough of the words at all: reading its clauses costs a hundred times more."""
    if _root(denial.verb) not in folded:
        return False
    return sum(_root(word) in folded for word in denial.words) >= max(MIN_SHARED, MIN_SHARE * len(denial.words))


def _root(stem: str) -> str:
    """Return what every form of a word begins with: "studi" stands for "study" as well."""
    return stem.removesuffix("i")


def _is_about(denial: Denial, deed: Denial) -> bool:
    shared = len(denial.words & deed.words)
    return denial.verb == deed.verb and shared >= max(MIN_SHARED, MIN_SHARE * len(denial.words))
