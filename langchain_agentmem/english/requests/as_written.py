"""How words are written in a request, and in what it is held against: "Bill" is no bill, and York not New York.

A name in a request, with a capital and no beginning before it, means words with a capital; where whoever said it writes
without any, case tells nothing. A plain noun ("the turkey", "apples") means no name that is written otherwise. One that
the user has ("my dog") is not meant by the word for all of them ("likes dogs"), unless these are had as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.people.beings import ANIMALS
from langchain_agentmem.english.words.lexicon import COMMON_FIRST_WORDS, ROLES

_WORD: Final = lazy_pattern(r"[^\W\d_][\w-]*")
_LONGER: Final = frozenset("new north south east west san santa los las el saint fort port upper lower mount".split())
"""Begin a name of two words that is another one than its second."""

_BEINGS: Final = frozenset(tokenize(" ".join(sorted(ROLES | ANIMALS))))
_TITLED: Final = lazy_pattern(r"\b(?:The|My|Our|About|That|All|What|Where|Everything)\b")
_NOUN: Final = lazy_pattern(r"\b(?:the|an?|some) (?P<noun>[a-z][\w-]*)[\s.,!?]*$")
_MANY: Final = lazy_pattern(r"\b(?P<noun>[a-z][\w-]+(?<![su])s)[\s.,!?]*$")
_MINE: Final = lazy_pattern(
    r"(?:about )?(?:my|our) (?:[a-z][\w-]* ){0,2}(?P<noun>[a-z][a-z-]*(?<!s))[\s.,!?]*", re.IGNORECASE
)
_HAD: Final = lazy_pattern(
    r"\b(?:has|have|had|owns?|keeps?|got|adopted|bought)\b|\b(?:my|our|\w+['\u2019]s) ", re.IGNORECASE
)
_BEFORE_FIRST: Final = '.!?:\n"(\u201c'


class AsWritten(NamedTuple):
    """What a request tells of how its words are written, in words or digests of them.

    Attributes:
        names: Terms of names. `nouns`: of plain nouns. `ones`: of one that is had.
    """

    names: frozenset[Hashable] = frozenset()
    nouns: frozenset[Hashable] = frozenset()
    ones: frozenset[Hashable] = frozenset()

    @classmethod
    def of(cls, what: str, spelling: Callable[[str], Hashable], *, is_topic: bool) -> AsWritten:
        """Return how a request is written; `is_topic`: it names something, and begins no sentence."""
        names = () if _TITLED.search(what) else _names(what, is_topic=is_topic)
        nouns = (it["noun"] for it in (_NOUN.search(what), _MANY.search(what)) if is_topic and it is not None)
        terms = (term for it in nouns for term in tokenize(it))
        mine = _MINE.fullmatch(what)
        ones = tokenize(mine["noun"]) if mine is not None else ()
        return cls(*(frozenset(map(spelling, each)) for each in (names, terms, ones)))

    def fits(
        self, content: str, words: frozenset[Hashable], spelling: Callable[[str], Hashable], *, is_cased: bool
    ) -> bool:
        """Whether each of the words of a request stands in a text so that it can be meant.

        Args:
            content: The text, which has all of them.
            words: Of the request.
            spelling: What stands for a word there.
            is_cased: Whoever said it writes capitals.
        """
        meant: set[Hashable] = set()
        missed: set[Hashable] = set()
        ones = self.ones if _HAD.search(content) is None else frozenset[Hashable]()
        for it in _occurrences(content):
            for term in map(spelling, tokenize(it.word)):
                if term in words:
                    is_any = term in ones and it.is_many
                    is_meant = not is_any and self._means(it, term, words, spelling, is_cased=is_cased)
                    (meant if is_meant else missed).add(term)
        return missed <= meant

    def _means(
        self,
        it: _Occurrence,
        term: Hashable,
        words: frozenset[Hashable],
        spelling: Callable[[str], Hashable],
        *,
        is_cased: bool,
    ) -> bool:
        is_longer = it.is_capital and it.before[:1].isupper() and it.before.casefold() in _LONGER
        if is_longer and not words & set(map(spelling, tokenize(it.before))):
            return False
        if term in self.names and is_cased and not it.is_capital:
            return False
        return not (term in self.nouns and it.is_name)


class _Occurrence(NamedTuple):
    word: str
    before: str
    after: str
    is_first: bool

    @property
    def is_capital(self) -> bool:
        return self.word[0].isupper()

    @property
    def is_many(self) -> bool:
        """Whether it is a word for several: "dogs"."""
        return self.word.casefold().endswith("s") and not self.word.casefold().endswith(("ss", "us", "is"))

    @property
    def is_name(self) -> bool:
        """Whether it is a name of one word: "Apple", and neither "the Beatles" nor "Project Titan"."""
        if self.is_first or not self.is_capital or self.word.isupper() or self.word.endswith("s"):
            return False
        return not (self.before.casefold() == "the" or self.before[:1].isupper() or self.after[:1].isupper())


def _names(what: str, *, is_topic: bool) -> Iterator[str]:
    for it in _occurrences(what):
        is_plain = it.word.isupper() or it.word.casefold() in COMMON_FIRST_WORDS
        if it.is_capital and not is_plain and (is_topic or not it.is_first):
            yield from (term for term in tokenize(it.word) if term not in _BEINGS)


def _occurrences(text: str) -> Iterator[_Occurrence]:
    found = [*_WORD.finditer(text)]
    for place, it in enumerate(found):
        before = found[place - 1] if place else None
        after = found[place + 1] if place + 1 < len(found) else None
        between = text[before.end() if before else 0 : it.start()]
        is_first = before is None or any(mark in between for mark in _BEFORE_FIRST)
        is_next = after is not None and text[it.end() : after.start()] == " "
        yield _Occurrence(
            it[0],
            before[0] if before is not None and between == " " else "",
            after[0] if after is not None and is_next else "",
            is_first,
        )
