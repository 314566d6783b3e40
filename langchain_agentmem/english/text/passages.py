"""What is shown of a turn that is too long to be shown whole: how it begins, and where it says what was asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from string import punctuation
from typing import Final

from langchain_agentmem._checks import MAX_CONTENT_CHARS
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.types import Episode

GAP: Final = "\n[…]\n"
"""Stands where something was left out."""

_STEP: Final = 500
"""Characters that are shown or left out together, some eighty words; around what matches, as many on either side."""

_CUT_WORD: Final = 40
"""Characters of a word that a step cuts in two, at most: longer ones are data, and are cut."""

_MARKS: Final = punctuation.replace("+", "").replace("#", "")
"""What may stand around a word; the others are part of some (C++, C#)."""

_WORD: Final = lazy_pattern(r"\S{1,80}")
_START: Final = lazy_pattern(rf"\S{{0,{_CUT_WORD}}}\s+")
_END: Final = lazy_pattern(rf"\s\S{{0,{_CUT_WORD}}}$")
_SIDE: Final = "\nassistant: "


def shown_of(episode: Episode, terms: Collection[str], most: int = MAX_CONTENT_CHARS) -> str:
    """Return both sides of a turn as lines, each with its speaker; of a long one the passages that a question is about.

    A side that is short enough is whole, and the other has the rest; of two long ones each has half.

    Args:
        episode: The turn.
        terms: What is asked for, as `tokenize` gives it; none: a long turn is cut at its end.
        most: Characters at most.
    """
    if len(episode.content) <= most:
        return episode.content
    speaker = f"{episode.speaker}: "[: most // 4]
    room = most - len(speaker) - (len(_SIDE) if episode.reply else 0)
    half = room // 2
    of_reply = min(len(episode.reply), max(half, room - len(episode.text)))
    said = passages(episode.text, terms, room - of_reply)
    return speaker + said + (_SIDE + passages(episode.reply, terms, of_reply) if episode.reply else "")


def passages(text: str, terms: Collection[str], most: int) -> str:
    """Return as much of a text as there is room for: first what surrounds rare terms, then how it begins.

    Args:
        text: Any length; a text of 200,000 characters takes about 20 ms.
        terms: What is asked for, as `tokenize` gives it.
        most: Characters at most.
    """
    if len(text) <= most:
        return text
    found = _steps_with(text, frozenset(terms))
    room, last = most // (_STEP + len(GAP)), (len(text) - 1) // _STEP
    if not found or not room:
        return text[:most]
    chosen: set[int] = set()
    for step in _best_first(found):
        beside = {it for it in (step - 1, step, step + 1) if 0 <= it <= last}
        if len(chosen | beside) <= room:
            chosen |= beside
    chosen = chosen or set(_best_first(found)[:room])
    beginning = (it for it in range(last + 1) if it not in chosen)
    chosen.update(it for it, _ in zip(beginning, range(room - len(chosen)), strict=False))
    return GAP.join(_cut(text, first * _STEP, end * _STEP) for first, end in _runs(sorted(chosen)))


def _steps_with(text: str, terms: frozenset[str]) -> dict[str, set[int]]:
    """Return, for each term, the steps of a text that hold it; each different word is analysed once."""
    known: dict[str, frozenset[str]] = {}
    found: dict[str, set[int]] = defaultdict(set)
    starts = {_start(term) for term in terms}
    for match in _WORD.finditer(text) if terms else ():
        word = match.group()
        if word not in known:
            known[word] = terms.intersection(tokenize(word)) if _may_hold(word, starts) else frozenset()
        for term in known[word]:
            found[term].add(match.start() // _STEP)
    return found


def _may_hold(word: str, starts: Collection[str]) -> bool:
    """Whether a word may have a term that starts so: of plain words, stems begin as the words do, but for y and i."""
    bare = word.strip(_MARKS)
    return not (bare.isascii() and bare.isalnum()) or _start(bare.lower()) in starts


def _start(term: str) -> str:
    return term[:2].replace("y", "i")


def _best_first(found: dict[str, set[int]]) -> list[int]:
    """Return steps by what they hold: a term counts the more, the fewer steps have it."""
    weights: dict[int, float] = defaultdict(float)
    for steps in found.values():
        for step in steps:
            weights[step] += 1 / len(steps)
    return sorted(weights, key=lambda step: (-weights[step], step))


def _runs(steps: list[int]) -> list[tuple[int, int]]:
    """Return the first of each unbroken run of steps, and the one after its last."""
    firsts = [it for it in steps if it - 1 not in steps]
    ends = [it + 1 for it in steps if it + 1 not in steps]
    return list(zip(firsts, ends, strict=True))


def _cut(text: str, start: int, end: int) -> str:
    """Return a part of a text without the words that its ends cut in two."""
    part = text[start:end]
    if start and (cut := _START.match(part)):
        part = part[cut.end() :]
    if end < len(text) and (cut := _END.search(part)):
        part = part[: cut.start()]
    return part
