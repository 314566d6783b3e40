"""What a statement claims besides: "I moved to York, and Clara and I broke up", "I live in Rome with my wife Anna"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.several import MAX_CHARS, several_in
from langchain_agentmem.english.text.sentences import split_sentences
from langchain_agentmem.extraction.words.cues import is_hedged, is_reported, is_unreal, opens_fiction
from langchain_agentmem.types import Candidate

_CUT: Final = lazy_pattern(r"[,;]? (?:and|but) |[,;] ")
_END: Final = lazy_pattern(r"[.!]+$")
_MAX_CUTS: Final = 5
"""In one sentence; one with more lists something."""

_DEPENDS: Final = lazy_pattern(
    r"n['\u2019]t\b|\b(?:not|never|nor|neither|no|that|whether|if|unless|until|like|as|think|thought|believe[ds]?|hope[ds]?"
    r"|wish|wonder|fear|doubt|feel|guess|suppose|say|says|said|tell|told|heard?|dream(?:ed|t)?|imagine[ds]?|pretend(?:ed)?)\b",
    re.IGNORECASE,
)
"""Before a clause: it is not told as something that is so."""

_NOT_MEANT: Final = (is_hedged, is_unreal, is_reported, opens_fiction)


def further_claims(candidate: Candidate) -> list[Candidate]:
    """Return each claim of a statement by itself, where it has several and all are meant, whichever is told first.

    Not every one is a whole sentence: what is none contradicts nothing.
    """
    text = " ".join(candidate.content.split())
    if len(text) > MAX_CHARS or "?" in text or any(it(text) for it in _NOT_MEANT):
        return []
    several = several_in(text)
    told = _clauses(text) if several is None else several.parts if several.can_stand else ()
    return [replace(candidate, content=it, relation=None, object=None, corrects=None) for it in dict.fromkeys(told)]


def _clauses(text: str) -> Iterator[str]:
    for sentence in split_sentences(text):
        said = _END.sub("", sentence)
        cuts = [it.span() for it in _CUT.finditer(said)]
        if len(cuts) > _MAX_CUTS:
            continue
        starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(said)]
        for place, start in enumerate(starts):
            if not _DEPENDS.search(said, 0, start):
                yield from (said[start:end] for end in ends[place:] if said[start:end] != text)
