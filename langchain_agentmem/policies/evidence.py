"""Whether the words a memory was taken from say what it says.

An extractor may invent: numbers, names, or the whole statement. Everything checkable in the content must stand in the
evidence; a paraphrase of ordinary words is allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.contractions import as_read
from langchain_agentmem.english.text.folding import fold
from langchain_agentmem.english.words.number_words import NUMBER_WORDS

_Words: TypeAlias = Mapping[str, AbstractSet[str]]

# A third: "Alice prefers Python for backend services" from "my backend stuff is all Python" shares two of three.
MIN_SHARED: Final = 1 / 3
_WORD: Final = lazy_pattern(r"\d++(?:[.,:/-]\d++)*+|[^\W\d_]++(?:['_-][^\W\d_]++)*+|[.,;:!?\n]")
_BREAKS: Final = frozenset(".,;:!?\n") | {"but"}
_NEGATIONS: Final = frozenset("not no never cannot without neither nor none nobody nothing hardly".split())
_NEGATIVE: Final = _NEGATIONS | frozenset(
    "avoid avoids dislike dislikes hate hates refuse refuses stop stopped stops lack lacks free".split()
)
_REACH: Final = 2  # words a negation reaches over to the one it negates ("not really allergic")
_MIN_STEM: Final = 4
_KEPT: Final = 256  # answers: each is asked for before a write, and again within it
# "One" is more often a pronoun: as a number it is believed only where the evidence has it.
_NUMBER_WORDS: Final = {word: str(number) for word, number in NUMBER_WORDS.items() if number != 1}
# Words of reports and of grammar: that they are shared or missing says nothing.
_EMPTY: Final = frozenset(
    "a an the and or of to in on at for with by from as is are was were be been am has have had do does did will"
    " would can could"
    " should i me my mine we us our you your he him his she her it its they them their this that these those there"
    " here who which"
    " what when where why how user users prefer prefers preferred like likes liked love loves want wants wanted need"
    " needs use uses"
    " used using say says said tell told think thinks ask asked always never not no n't very really also just only"
    " more most than now"
    " then so if about into over after before during because while up out off own get gets got make makes made one"
    " someone person"
    " name called named favourite favorite usually often assistant don't doesn't didn't isn't aren't".split()
)


@of_texts(_KEPT)
def is_supported(content: str, evidence: str, *, subject: str | None = None) -> bool:
    """Whether `evidence` shares the numbers, names and enough key words of `content`, and does not deny them.

    Args:
        content: The statement.
        evidence: The words it was taken from.
        subject: Whom it is about; need not be named by someone who speaks of themselves.
    """
    said, shown = _tokens(content), _tokens(as_read(evidence))
    known = _by_beginning(shown)
    about = {_lower(word) for word in _tokens(subject or "")} | {_lower(word) for word in said[:1] if word[0].isupper()}
    numbers = _numbers(shown) | {"1" for word in shown if word.casefold() == "one"}
    if not _numbers(said) <= numbers or any(not _is_in(name, known) for name in _names(said) - about):
        return False
    keys = {word for word in map(_lower, said) if word[0].isalpha() and word not in _EMPTY and word not in about}
    shared = {word for word in keys if _is_in(word, known)}
    return len(shared) >= MIN_SHARED * len(keys) and not _denies(said, shown, shared)


def _tokens(text: str) -> list[str]:
    return _WORD.findall(fold(text).text)


def _lower(word: str) -> str:
    return word.casefold().removesuffix("'s")


def _numbers(tokens: list[str]) -> set[str]:
    plain = (_NUMBER_WORDS.get(_lower(each), each) for each in tokens)
    return {each for each in plain if each[0].isdigit()}


def _names(tokens: list[str]) -> set[str]:
    """Return the words with a capital that no beginning of a sentence explains."""
    starts = {0} | {place + 1 for place, each in enumerate(tokens) if each in ".!?:\n"}
    names = (each for place, each in enumerate(tokens) if place not in starts and each[0].isupper())
    return {_lower(name) for name in names} - _EMPTY


def _is_in(word: str, known: _Words) -> bool:
    return any(word == other or _is_same_stem(word, other) for other in known.get(word[:_MIN_STEM], ()))


def _by_beginning(words: Iterable[str]) -> _Words:
    """Return the words by their first letters, so that each is compared with few."""
    known: dict[str, set[str]] = {}
    for word in map(_lower, words):
        known.setdefault(word[:_MIN_STEM], set()).add(word)
    return known


def _is_same_stem(word: str, other: str) -> bool:
    """Whether two words differ in their ending only ("service", "services"): a long common beginning, short rests."""
    short, long = sorted((word, other), key=len)
    common = max(_MIN_STEM, len(short) - 2)
    return short[:common] == long[:common] and len(short) >= _MIN_STEM and len(long) - common <= _MIN_STEM


def _denies(said: list[str], shown: list[str], shared: set[str]) -> bool:
    """Whether the evidence negates, wherever it stands, a key word that the content asserts."""
    is_any = any(_is_negation(word, _NEGATIONS) for word in shown)
    if not is_any or any(_is_negation(word, _NEGATIVE) for word in said):
        return False
    places = {place for place in range(len(shown)) if _is_negated(place, shown)}
    negated = _by_beginning(word for place, word in enumerate(shown) if place in places)
    plain = _by_beginning(word for place, word in enumerate(shown) if place not in places)
    return any(_is_in(word, negated) and not _is_in(word, plain) for word in shared)


def _is_negation(word: str, words: frozenset[str]) -> bool:
    lowered = word.casefold()
    return lowered in words or lowered.endswith("n't")


def _is_negated(place: int, shown: list[str]) -> bool:
    for before in reversed(shown[max(0, place - _REACH) : place]):
        if before.casefold() in _BREAKS or before.casefold() == "only":
            return False
        if _is_negation(before, _NEGATIONS):
            return True
    return False
