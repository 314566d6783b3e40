"""What a question leaves unsaid because it was said just before: "and when was that?".

Names and words of the turns before are added to such a question, so that it can be searched for on its own. English; a
question in which nothing points back, or that names what it points at itself, stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile
from typing import Final, Literal, NamedTuple, TypeAlias

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.text.questions import meant
from langchain_agentmem.english.words.patterns import CAPITAL, LETTER

__all__ = ["MAX_CARRIED", "Said", "carried"]

MAX_CARRIED: Final = 8
"""Words added to a question at most: as many as a question has of its own."""

MAX_BACK: Final = 6
"""Turns before that are looked at, the last ones first: three questions and their answers."""

MAX_TURN_CHARS: Final = 2_000
"""Of a turn before; what is long is an answer or a document, and what it is about stands first."""

MAX_NAMES: Final = 4
"""Names taken from one turn: the first ones are what it is about."""

ASSISTANT: Final = "assistant"

_MAX_FRAGMENT_TERMS: Final = 3
"""A follow-up that has more words of its own says what it is about."""

_MAX_TERMS: Final = 12
"""A text that is longer says what it is about."""

_POINTER: Final = lazy_pattern(
    r"\b(?:it(?! (?:that|true|possible|ok|okay|rain\w*|snow\w*)\b)|its|they|them|their|theirs)\b"
    r"|\b(?:he|him|his|she|her|hers)\b"
    r"|\b(?:that|this|those|these|there|then)\b(?=\s*(?:[?.!,]|$)|\s+(?:was|is|were|are|one|again|too|be|cost|happen\w*"
    r"|work\w*|go|end|mean)\b)"
    r"|\b(?:that|this|those|these) (?:place|person|trip|day|time|one|ones|thing|event|people|guy|woman|man)\b"
    r"|\bthe (?:same|other|others|latter|former|first one|second one|last one)\b",
    re.IGNORECASE,
)
_INSIDE: Final = lazy_pattern(
    r"\b(?:my|our|your|the|an?|this|that|these|those|every|any|some)\s+(?!same\b|other|latter\b|former\b|first one"
    r"|second one|last one)[\w-]{2,}|\w's\s+\w",
    re.IGNORECASE,
)
_FRAGMENT: Final = lazy_pattern(
    r"\W*(?:(?:and|but|or|so|then|also) )?(?:what|how) about\b|\W*(?:and|or|but|also)\b", re.IGNORECASE
)
_STANDS_ALONE: Final = lazy_pattern(r"\b(?:do|am|are|have) (?:i|we|you)\b|\bwhat's\b|\bwhat is\b", re.IGNORECASE)
"""A question of how things are, which is seldom about what was said before."""

_ASKING: Final = lazy_pattern(
    r"\b(?:do|does|did|is|are|am|was|were|can|could|should|would|will|has|have|had|where|when|who|whose|which|why)\b",
    re.IGNORECASE,
)
_NAME: Final = lazy_pattern(rf"(?<![\w']){CAPITAL}[\w'-]*+(?:\s++{CAPITAL}[\w'-]*+)*+")
_BEFORE_SENTENCE: Final = (".", "!", "?", ":", "\n", "-", "*", "\u2022")
_QUOTED: Final = lazy_pattern(r"[\"\u201c]([^\"\u201c\u201d\n]{2,60})[\"\u201d]")
_CODE: Final = lazy_pattern(rf"\b(?=[\w-]*\d)(?=[\w-]*{LETTER})[\w-]{{4,40}}\b")
_WORD: Final = lazy_pattern(r"[^\W_]++(?:[-'][^\W_]++)*+")

_Leaves: TypeAlias = Literal["nothing", "topic", "all"]
"""What a question leaves to the turns before it: nothing, all of it, or what is asked, now of something else."""


class Said(NamedTuple):
    """A turn before: `user`, `assistant`, or somebody's name, and what they said."""

    speaker: str
    text: str


def carried(question: str, before: Sequence[Said]) -> tuple[str, ...]:
    """Return words of the turns before that a question is about without saying so.

    Args:
        question: What is asked now.
        before: The turns before it, oldest first.

    Example:
        >>> talk = [Said("user", "Where did I go on holiday?"), Said("assistant", "You went to Lisbon with Ada.")]
        >>> carried("And when was that?", talk)
        ('Lisbon', 'Ada', 'go', 'holiday')
        >>> carried("When did I move?", talk)
        ()
    """
    leaves = _leaves(question)
    if leaves == "nothing":
        return ()
    own = set(tokenize(question))
    found: list[str] = []
    for word in _offered(before, with_names=leaves == "all"):
        terms = set(tokenize(word))
        if terms and not terms <= own:
            own |= terms
            found.append(word)
        if len(found) == MAX_CARRIED:
            break
    return tuple(found)


def _leaves(question: str) -> _Leaves:
    terms = meant(question)
    if len(terms) > _MAX_TERMS or _WORD.search(question) is None:
        return "nothing"
    if not terms:
        return "all"
    pointer = _POINTER.search(question)
    if pointer is not None:
        return "nothing" if _names_before(question, pointer.start()) else "all"
    if len(terms) > _MAX_FRAGMENT_TERMS or _FRAGMENT.match(question) is None:
        return "nothing"
    if _ASKING.search(question) is None:
        return "topic"  # "and in June?"
    is_whole = _STANDS_ALONE.search(question) is not None or _names_before(question, len(question))
    return "nothing" if is_whole else "all"  # "and who paid?"


def _names_before(question: str, end: int) -> bool:
    """Whether a question itself names what it points at: "did Ada like her room?"."""
    head = question[:end]
    return _INSIDE.search(head) is not None or next(_names(head), None) is not None


def _offered(before: Sequence[Said], *, with_names: bool) -> Iterator[str]:
    """Yield what the turns before are about: names first, then the words of the last question that stands alone."""
    words: list[str] = []
    for said in reversed(before[-MAX_BACK:]):
        text = said.text[:MAX_TURN_CHARS].replace("\u2019", "'")
        names = list(_names(text))[:MAX_NAMES]
        if with_names:
            yield from names
        if said.speaker == ASSISTANT:
            continue
        words += [word for word in _WORD.findall(text) if meant(word) and not any(word in name for name in names)]
        if words and _leaves(text) == "nothing":
            break
    yield from words


def _names(text: str) -> Iterator[str]:
    """Yield names, quoted titles and codes; the first word of a sentence is capital whatever it is."""
    size = len(text.split())
    for match in _NAME.finditer(text):
        words = match.group().split()
        head = text[: match.start()].rstrip(" ")
        if (not head or head.endswith(_BEFORE_SENTENCE)) and size > len(words):
            words = words[1:]
        said = dropwhile(lambda word: not tokenize(word), words)  # "In Lisbon"
        name = " ".join(word.removesuffix("'s") for word in said)
        if tokenize(name) and not name.startswith("I'"):
            yield name
    for match in _QUOTED.finditer(text):
        yield match.group(1)
    yield from _CODE.findall(text)
