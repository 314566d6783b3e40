"""Ways of saying that something is no longer hard: "I finally understand recursion"."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.mastery import mastery_in
from langchain_agentmem.extraction.books.rulebook import Draft
from langchain_agentmem.extraction.sentences.clauses import Clause
from langchain_agentmem.extraction.sentences.voice import Voice

LEARNED: Final = "learned"
"""Tag of such a memory."""

_OWN: Final = lazy_pattern(
    r"(?:I|we)(?:'ve|'m|'re)? |.* (?:clicked|makes? sense)(?! (?:for|to) (?!me|us))|.* for (?:me|us)\b", re.IGNORECASE
)


def learned(clause: Clause, voice: Voice) -> Draft | None:
    """Return what a clause says the user has come to understand, or `None`; the conflict policy ends what it was."""
    if not mastery_in(clause.text) or _OWN.match(clause.text) is None:
        return None
    content = voice.retell(clause.whole)
    return Draft(kind="fact", content=content, tags=(LEARNED,), is_correction=clause.is_correction)
