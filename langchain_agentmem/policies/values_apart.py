"""Whether two sentences of one speaker give the same thing another value, with no word that it changed.

What is a conflict between two facts is one between two turns that say just that: `conflict.judge` reads both. It is
asked of whole sentences that give a value to what somebody has, is or does as a rule ("my budget for the trip is 300
euros", "I live in Paris", "I weigh 70 kg"), and only where nothing else explains the difference: no word of change, no
range, no time, no condition. Which of them holds, only the speaker knows.

Measured on the ten conversations of BEAM's first half and LoCoMo's five: no pair, for there everybody says that
something changed. With the words around a value instead (`updates.update_between` without a word of change) 3,910
pairs: different tests, drafts and appointments. So a date, a bare number, and what one may have several of are none.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.reading.claims import says_change
from langchain_agentmem.english.reading.counts import role_of
from langchain_agentmem.english.reading.denials import OWNED
from langchain_agentmem.english.reading.facts import Fact
from langchain_agentmem.english.reading.statements import Statement
from langchain_agentmem.english.text.quantities import dimension, is_quantity
from langchain_agentmem.english.text.sentences import is_full_stop
from langchain_agentmem.english.words.lexicon import LONE_ROLES
from langchain_agentmem.english.words.number_words import ONE_OR_MORE
from langchain_agentmem.english.words.patterns import TITLES
from langchain_agentmem.policies.conflict import judge

__all__ = ["Said", "are_apart", "may_be_apart", "said_values"]

MAX_CHARS: Final = 1_000
"""Of a turn, from its beginning: what stands beyond is mostly pasted, and every candidate of a recall is read."""

MAX_SENTENCE_CHARS: Final = 120
_BEGINS: Final = lazy_pattern(r"[.!?\n]\s*(?=(?:[Mm]y|[Oo]ur|[Tt]he|[Ii](?:['\u2019]m)?) )")  # twice as fast with case
_SENTENCE: Final = lazy_pattern(r"[^.!?\n]+(?:[.]\w[^.!?\n]*)*[.!?]*")
"""More begins and ends so than sentences do: whoever uses one asks `split_sentences`, ten times as dear, whether it is.
"""

_WORD: Final = r"[^\W_][\w'\u2019-]*"
_OF_MINE: Final = rf"(?:my|our|the (?:{_WORD} ){{1,2}}(?:of|for) (?:my|our))"
_NUMBER: Final = rf"(?:[$\u20ac\u00a3]?\d[\d.,]*|{ONE_OR_MORE}\b)"
_SAID: Final = lazy_pattern(
    rf"(?P<own>{_OF_MINE} (?:{_WORD} ){{0,6}}?{_WORD}) (?:is|are) (?!not\b|n't)\S"
    rf"|I(?: am|['\u2019]m|) ?(?P<state>live in|from|work (?:at|for)"
    r"|married to|was born (?:in|on)) \S"
    rf"|(?P<number>I(?: am|['\u2019]m|)(?: {_WORD})? {_NUMBER})",
    re.IGNORECASE,
)
_DIGITS: Final = lazy_pattern(_NUMBER, re.IGNORECASE)
_LIGHT: Final = frozenset("my our the of for to in on a an current".split())
"""Words of what has a value that say nothing of what it is: "my budget for the trip" is "my trip budget"."""

_LASTING: Final = frozenset(
    """
    lives_in works_at name birthday birthplace origin partner height weight hometown nickname surname nationality salary
    gender employer
    """.split()
).union(LONE_ROLES)
"""Of what somebody has one at a time, whenever they speak of it."""

_OF_SOMETHING: Final = frozenset("favourite budget limit target quota".split())
"""Of what there is one for each thing: which it is must be said."""

_TITLES: Final = frozenset(tokenize(" ".join(TITLES)))
_IS: Final = "is"
_DAY: Final = len("05-09")
_OPEN: Final = lazy_pattern(
    r"[~?\U0001f300-\U0001faff]|\b(?:lol|lmao|haha|hehe)|\d[^.!]{0,12}?(?:-| to )[^a-z]?\d"
    r"|\b(?:at least|at most|more|less|fewer|over|under|about|around|roughly|approximately|approx|nearly|almost"
    r"|some|between|range|minimum|maximum|max|min|or|per (?:person|head|item|piece|night)|each|apiece"
    r"|if|when|whenever|unless|until|till|while|during|for now|today|tonight|tomorrow|yesterday|this|last|next"
    r"|sometimes|often|usually|normally|mostly|weekdays?|weekends?|temporar\w+|originally|initially|first|second"
    r"|also|too|another|other|was(?! born)|were|had|used|joined|started|began|became|got|quit|left|retired|once|one of"
    r"|think|guess|believe|maybe|perhaps|probably|estimated?|expected|planned|ideal|dream|old|former|previous|ex)\b",
    re.IGNORECASE,
)
"""What leaves room for the other value: a range, a time, a part, a doubt, a laugh, or what is no more."""

_OF_ANY: Final = lazy_pattern(rf"\b(?:for|of) (?!(?:the|my|our)\b){_WORD}", re.IGNORECASE)
_COUNTED: Final = lazy_pattern(rf"I have {_NUMBER} (?P<what>[a-z]+?)s?[.! ]*", re.IGNORECASE)
_RATE: Final = lazy_pattern(
    r"\b(?:an?|per|each|every) (?:hour|day|week|month|year)\b|\b(?:hourly|daily|weekly|monthly|yearly)\b", re.IGNORECASE
)


class Said(NamedTuple):
    """A sentence that gives something a value.

    Attributes:
        of: What has the value, in a form in which two that are the same are equal.
    """

    of: Hashable
    sentence: str


def said_values(text: str) -> Iterator[Said]:
    """Yield the sentences of a turn that may give something a value; 1,000 characters take some ten microseconds."""
    lines = f"\n{text[:MAX_CHARS]}"
    for begin in _BEGINS.finditer(lines):
        said = _SAID.match(lines, begin.end())
        sentence = _sentence(lines, begin.end()).rstrip() if said is not None else ""
        if said is not None and 0 < len(sentence) <= MAX_SENTENCE_CHARS:
            yield Said(_of(said, sentence), sentence)


def _sentence(text: str, start: int) -> str:
    """Return the sentence that begins at a place; at the full stop of "Dr." it goes on."""
    end = start
    while (part := _SENTENCE.match(text, end)) is not None:
        end = part.end()
        if text[end - 1] != "." or is_full_stop(text, end - 1) or end - start > MAX_SENTENCE_CHARS:
            break
    return text[start:end]


def _of(said: re.Match[str], sentence: str) -> Hashable:
    if said["own"] is not None:
        return frozenset(said["own"].casefold().split()) - _LIGHT
    if said["state"] is not None:
        return said["state"].casefold().partition(" ")[0]
    return _DIGITS.sub("#", sentence.casefold().rstrip(".!"))


def may_be_apart(sentence: str) -> bool:
    """Whether a sentence leaves no room for another value, and says of no change."""
    return _OPEN.search(sentence) is None and not says_change(sentence)


def are_apart(old: Statement, new: Statement) -> bool:
    """Whether of two sentences that leave no room one surely gives the same thing another value than the other.

    Example:
        >>> from langchain_agentmem.english.reading.statements import parse_statement
        >>> said = (f"My budget for the trip is {it}." for it in ("300 euros", "500 euros"))
        >>> are_apart(*map(parse_statement, said))
        True
    """
    if any(it.negated or it.correction != "none" for it in (old, new)):
        return False
    judged = judge(new, old, similarity=None, functional=_LASTING | _OF_SOMETHING | {_IS})
    if judged.rule == "functional_conflict":
        return _is_of_one(old, new)
    return judged.rule == "other_number" and _lasts(old, new)


def _is_of_one(old: Statement, new: Statement) -> bool:
    """Whether all that both tell of the same are values of which there is one, of one kind, and for the same."""
    told = [
        (one, other) for one in old.facts for other in new.facts if one.key == other.key and one.words != other.words
    ]
    return all(_is_one(one, old.text) and _is_one(other, new.text) and _is_alike(one, other) for one, other in told)


def _is_one(fact: Fact, text: str) -> bool:
    if fact.relation == _IS:
        return _RATE.search(text) is not None
    return not fact.rest and (fact.relation in _LASTING or (bool(fact.qualifier) and _OF_ANY.search(text) is None))


def _is_alike(old: Fact, new: Fact) -> bool:
    """Whether beside the numbers both are told in the same words: 300 a person is no other than 600 a night.

    A name with another title, or fewer words, may be of the same: Dr. Ames is Mr. Ames, and Tom Ames.
    """
    if not old.object_type.startswith("number"):
        return not (old.words - _TITLES <= new.words or new.words - _TITLES <= old.words)
    if old.object_type == "number:date":  # with its year in the one, and without in the other
        return old.object[-_DAY:] != new.object[-_DAY:]
    frames = [frozenset(term for term in it.words if not is_quantity(term)) for it in (old, new)]
    return old.object_type == new.object_type and frames[0] == frames[1]


def _lasts(old: Statement, new: Statement) -> bool:
    """Whether the numbers in which two sentences differ say how somebody is or lives, or what is named is of something.

    Age is none: it grows by itself. Of what somebody has only kin, pets and the like are counted.
    """
    if any(it.relation == "age" for it in (*old.facts, *new.facts)):
        return False
    differing = [(it.text, number) for it, other in ((old, new), (new, old)) for number in _alone(it, other)]
    roles = {role_of(text, number) for text, number in differing}
    if roles == {"count"}:
        counted = _COUNTED.fullmatch(new.text)
        return counted is not None and counted["what"].casefold() in OWNED
    is_dated = any(dimension(number) in {"date", "time"} for _, number in differing)
    return roles <= {"measure", "habit"} or (roles == {None} and not is_dated and _is_of_something(new.text))


def _alone(statement: Statement, other: Statement) -> list[str]:
    return [number for number in statement.numbers if number not in other.numbers]


def _is_of_something(text: str) -> bool:
    said = _SAID.match(text)
    of = (said["own"] or "").casefold().split() if said else []
    return _OF_ANY.search(text) is None and not _OF_SOMETHING.isdisjoint(of) and len(frozenset(of) - _LIGHT) > 1
