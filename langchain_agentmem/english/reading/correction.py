"""Corrections: what is taken back, and what stands in its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.facts import CLAUSE_VERBS
from langchain_agentmem.english.reading.order import rank_by_context
from langchain_agentmem.english.reading.reading import OWNS, USER, Token
from langchain_agentmem.english.words.caseless import caseless_words
from langchain_agentmem.english.words.lexicon import AUXILIARIES, LIGHT, NEGATORS, PRONOUN_SUBJECTS, STOP

Correction: TypeAlias = Literal["none", "implied", "marked"]

CORRECTING: Final = frozenset({"actually", "correction", "sorry", "oops", "wait", "meant", "mean"})
_MARKED: Final = lazy_pattern(
    r"^(?:no|nope|wait|sorry|oops|correction)\b[ ,.:]|\bi (?:meant|mean)\b|\bcorrection:|\bto correct\b"
    r"|\bcorrect that\b|\b(?:that|this|it) (?:is|was|'s)(?: not|n't) (?:right|correct|true)\b|\bi was wrong\b"
    r"|\bmake that\b|\bscratch that\b"
    r"|\bchanged my mind\b",
    re.IGNORECASE,
)
_LOOSELY_MARKED: Final = lazy_pattern(r"\bactually\b|\binstead(?! of)\b", re.IGNORECASE)
_SUBCLAUSE: Final = lazy_pattern(
    r"(?<=\w)[\s,]+(?:which|who|whom|whose|where|because|since|while|whereas|although|though|when|whenever|if|unless"
    r"|so that|(?:\w+ )that (?:was|were|is|are|had|has|have))\b",
    re.IGNORECASE,
)
"""What stands behind it is said of something else: "lives in a house that was actually built by a friend"."""

_IMPLIED: Final = lazy_pattern(
    r"\bmoved (?:from .{1,60} )?to\b|\bno longer\b|\bany ?(?:more|longer)\b|\b(?:is|are|'s|am|'m) now\b"
    r"|\bnow (?:is|are|uses?|prefers?|lives?|works?)\b|\bnow[.!]?$"
    r"|\bfrom now on\b|\bused to\b|\b(?:switched|changed|migrated)\b|\binstead of\b",
    re.IGNORECASE,
)
_ACCUSTOMED: Final = lazy_pattern(r"\b(?:is|are|get|gets|got) used to\b.*\binstead\b")
_TELLING: Final = frozenset(
    "no nope wait sorry oops correction meant mean correct right true wrong make scratch mind actually instead"
    " moved longer anylonger more anymore now used switched changed migrated".split()
)
"""Words of which a sentence that tells of a correction has one at least."""

_CHANGE_VERBS: Final = frozenset("changed switched moved migrated change switch relocated went".split())
_REVISING: Final = frozenset("revised reversed reconsidered changed overturned overruled switched went".split())
"""Who prefers one thing rather than another takes nothing back; who revised a decision does."""

_UNDOING: Final = NEGATORS | {"almost", "nearly", "barely"}
_EDGES: Final = STOP | LIGHT | CORRECTING | frozenset(PRONOUN_SUBJECTS)
_OBJECT_ENDS: Final = frozenset("for in on at with since because as when while by during".split())


def correction_of(text: str, tokens: Sequence[Token], wrong: str | None) -> Correction:
    """Return what a sentence takes back, and what it puts in its place."""
    told = _told(text.strip().replace("’", "'"))
    if told == "none" and (wrong is not None or any(token.norm == "formerly" for token in tokens)):
        return "implied"
    return told


def _told(plain: str) -> Correction:
    """Return whether the words of a sentence say that it corrects something."""
    if _TELLING.isdisjoint(caseless_words(plain)):
        return "none"
    subclause = _SUBCLAUSE.search(plain)
    head = plain if subclause is None else plain[: subclause.start()]
    is_marked = _MARKED.search(plain) or _LOOSELY_MARKED.search(head)
    if is_marked and not _ACCUSTOMED.search(plain):
        return "marked"
    return "implied" if _IMPLIED.search(head) else "none"


def corrected(tokens: Sequence[Token]) -> tuple[str | None, str | None]:
    """Return what is taken back and what stands in its place, as terms, where the sentence names them."""
    for index, token in enumerate(tokens):
        if token.norm in {"not", "to", "instead-of", "rather-than"}:
            found = _replaced(tokens, index)
            if found is not None:
                return found
    return None, None


def _replaced(tokens: Sequence[Token], index: int) -> tuple[str | None, str | None] | None:
    word, before, after = tokens[index].norm, tokens[:index], tokens[index + 1 :]
    cut = next((place for place, token in enumerate(after) if token.norm == "but"), None)
    if word == "not" and cut is not None and not _begins_clause(after[cut + 1 :]):
        return _phrase(after[:cut]), _phrase(after[cut + 1 :])
    order = rank_by_context(tokens, 0, index)
    is_revised = word == "rather-than" and any(token.norm in _REVISING for token in before)
    is_contrast = word == "not" and order and not _begins_clause(after)  # "tea, not coffee"; but "no longer drinks tea"
    if word == "instead-of" or is_revised or is_contrast:
        return _phrase(after), _last_phrase(before)
    if order == "path" and any(token.norm in _CHANGE_VERBS for token in before) and not _is_undone(before):
        start = max(place for place, token in enumerate(before) if token.norm == "from")
        return _phrase(before[start + 1 :]), _phrase(after)
    return None


def _is_undone(before: Sequence[Token]) -> bool:
    """Whether a change was not made: "never switched from Vim to Emacs"."""
    clause = list(before)[max((place + 1 for place, it in enumerate(before) if it.kind == "mark"), default=0) :]
    return any(token.norm in _UNDOING for token in clause)


def _begins_clause(tokens: Sequence[Token]) -> bool:
    return not tokens or tokens[0].norm in CLAUSE_VERBS | AUXILIARIES | {USER} or tokens[0].norm in PRONOUN_SUBJECTS


def _phrase(tokens: Sequence[Token]) -> str | None:
    """Return the terms up to the first comma or preposition."""
    found: list[str] = []
    for token in tokens:
        if found and (token.kind == "mark" or token.norm in _OBJECT_ENDS or token.norm in {OWNS, "but"}):
            break
        if token.is_content and token.norm not in LIGHT and token.norm not in CORRECTING:
            found.append(token.term)
    return " ".join(found) or None


def _last_phrase(tokens: Sequence[Token]) -> str | None:
    """Return the terms of the last noun phrase: what follows the last small word."""
    found: list[str] = []
    for token in reversed(tokens):
        is_edge = token.kind == "mark" or token.norm in _EDGES
        if found and (is_edge or token.norm == USER):
            break
        if token.is_content and not is_edge:
            found.append(token.term)
    return " ".join(reversed(found)) or None
