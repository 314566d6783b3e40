"""Turns of one speaker that cannot both hold: a denial and what it denies, and two values of the same thing."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import combinations, islice
from typing import Final

from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.reading.denials import denials_in, is_contradicted
from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.english.text.only_shown import is_only_shown, is_task_on_text
from langchain_agentmem.english.text.sentences import split_sentences
from langchain_agentmem.extraction.words.cues import is_hedged, is_ironic, is_reported, is_unreal, opens_fiction
from langchain_agentmem.policies.values_apart import are_apart, may_be_apart, said_values
from langchain_agentmem.types import Episode

MAX_VALUES: Final = 6
"""Sentences that give the same thing a value and are compared: to read one takes 0.2 ms."""

_NOT_MEANT: Final = (is_task_on_text, is_unreal, opens_fiction, is_ironic)
"""Because of which nothing of a turn may be its speaker's own word."""


def contradicting(turns: Sequence[Episode]) -> Iterator[tuple[str, str]]:
    """Yield the ids of turns in which a speaker says one thing and in the other another, each pair once or twice."""
    yield from _denied(turns)
    yield from _valued_apart(turns)


def _denied(turns: Sequence[Episode]) -> Iterator[tuple[str, str]]:
    """Yield pairs of turns in one of which a speaker denies what they say in the other."""
    for turn in turns:
        denials = denials_in(turn.text)
        for other in turns if denials else ():
            if other.speaker == turn.speaker and other.id != turn.id and is_contradicted(denials, other.text):
                yield turn.id, other.id


def _valued_apart(turns: Sequence[Episode]) -> Iterator[tuple[str, str]]:
    """Yield pairs of turns in which a speaker gives the same thing different values, the earlier one first."""
    of_same: dict[tuple[str, Hashable], dict[str, list[Episode]]] = {}
    for turn in turns:
        for it in said_values(turn.text):
            of_same.setdefault((turn.speaker, it.of), {}).setdefault(it.sentence, []).append(turn)
    for said in of_same.values():
        if len(said) > 1:
            yield from _apart(said)


def _apart(said: Mapping[str, Sequence[Episode]]) -> Iterator[tuple[str, str]]:
    """Yield the pairs among turns that say something of the same, by the sentences that do."""
    clear = islice((it for it in said if may_be_apart(it)), MAX_VALUES)
    read = sorted(map(parse_statement, clear), key=lambda it: _when(said[it.text][0]))
    for old, new in combinations(read, 2):
        if are_apart(old, new):
            before = [it for it in said[old.text] if _means(it, old.text, new.text)]
            after = [it for it in said[new.text] if _means(it, new.text, old.text)]
            yield from ((one.id, other.id) for one in before for other in after)


def _when(turn: Episode) -> tuple[datetime, int]:
    return turn.at, turn.place


def _means(turn: Episode, sentence: str, other: str) -> bool:
    """Whether a turn says a sentence in earnest, as its own, and has nothing of what another says instead."""
    text = turn.text
    if sentence not in map(str.strip, split_sentences(text)) or is_only_shown(text, text.index(sentence)):
        return False
    if is_hedged(sentence) or is_reported(sentence) or any(is_other(text) for is_other in _NOT_MEANT):
        return False
    return set(tokenize(other)).difference(tokenize(sentence)).isdisjoint(tokenize(text))
