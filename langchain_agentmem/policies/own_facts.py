"""What is told of others alone, where the user asks about themselves: "where do I live?" is not about Jan's home."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.people.own_words import names_of_id
from langchain_agentmem.english.people.whose import asks_of_oneself, clauses_of, names_in
from langchain_agentmem.types import Hit, Memory

OTHERS: Final = "others"
"""Part of a score: the share that is left of it where a fact tells of somebody else."""

OTHERS_SHARE: Final = 0.5
KIN_SHARE: Final = 0.9
"""Where that is somebody of the user's: "do I have siblings?" is answered by "the user's brother is Ben"."""

_BEGINS: Final = lazy_pattern(r"(?:I|we|the user|user)\b(?!['\u2019])", re.IGNORECASE)
_THEMSELVES: Final = lazy_pattern(r"\b(?:I|me|my|mine|myself|we|us|our|ours|user|users)\b", re.IGNORECASE)


def others_last(hits: Sequence[Hit], question: str) -> list[Hit]:
    """Return hits; what tells of others has less of its score, where the user asks about themselves and has an answer.

    Args:
        hits: Facts and turns; of turns, who speaks tells more than a rule could. Where no fact tells of the user,
            nobody knows what they are called, and all stay as they are.
        question: In the asker's words. It is about somebody else as soon as it names them.
    """
    if not asks_of_oneself(question) or any(clause.people for clause in clauses_of(question, ())):
        return list(hits)
    asked = frozenset(tokenize(question))
    shares = [_share(hit.memory, asked) for hit in hits]
    if all(share == OTHERS_SHARE for share, hit in zip(shares, hits, strict=True) if hit.memory.kind != "episode"):
        return list(hits)
    return [hit if share == 1 else _lowered(hit, share) for share, hit in zip(shares, hits, strict=True)]


def _share(memory: Memory, asked: frozenset[str]) -> float:
    """Return what is left of the score of a fact that is about somebody whom nobody asked for."""
    said = memory.content
    known = names_of_id(memory.scope.user_id)
    if memory.kind == "episode" or _BEGINS.match(said) or said.casefold().startswith(tuple(f"{it} " for it in known)):
        return 1.0
    names = {*names_in(memory), *known}
    if not all(clause.people and not clause.people & asked for clause in clauses_of(said, names)):
        return 1.0
    told = frozenset(tokenize(said))
    is_kin = _THEMSELVES.search(said) or any(told.issuperset(tokenize(name)) for name in names)
    return KIN_SHARE if is_kin else OTHERS_SHARE


def _lowered(hit: Hit, share: float) -> Hit:
    return replace(hit, score=hit.score * share, parts={**hit.parts, OTHERS: share})
