"""What a turn means of what was said in other conversations: "her name is Hannah, not Anna", "Amy moved to London"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from langchain_core.messages import BaseMessage, HumanMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem.english.reading.statements import named_so
from langchain_agentmem.extraction.books.acquaintances import acquainted, names_told_of
from langchain_agentmem.extraction.dialogue.corrections import names_taken_back
from langchain_agentmem.extraction.record.conversation import kept_passages
from langchain_agentmem.long_term.recall.listing import ListQuery
from langchain_agentmem.types import Memory, Scope
from langchain_agentmem.types.paging import Page

_LOOKED_AT: Final = 1_000
"""Facts among which a name is looked for, the newest first; few turns put a name right, or tell of a bare name."""


def known_before(
    select: Callable[[ListQuery, Scope], Flow[Page[Memory]]], messages: Sequence[BaseMessage], scope: Scope
) -> Flow[list[HumanMessage]]:
    """Return what the user said before of whom new messages rename or tell by name alone, in their words.

    Of a name that is put right nothing is returned where it may be several people's.
    """
    passages = kept_passages(messages)
    wrong, bare = names_taken_back(passages), names_told_of(passages)
    if not wrong and not bare:
        return []
    page = yield from select(ListQuery(kinds=("fact",), limit=_LOOKED_AT, usable=True), scope)
    renamed = [[it for it in page if _names(it, name)] for name in sorted(wrong)]
    introduced = [[it for it in page if _introduces(it, name)][:1] for name in sorted(bare)]
    return [HumanMessage(_words(it[0])) for it in (*introduced, *renamed) if len(it) == 1]


def _introduces(memory: Memory, name: str) -> bool:
    """Whether the user said of a memory who somebody of that name is."""
    words = _words(memory)
    return name in words.casefold() and name in acquainted([words])


def _names(memory: Memory, name: str) -> bool:
    """Whether the user said in so many words that somebody of theirs is called so."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", _words(memory)) is not None and named_so(memory.content, name)


def _words(memory: Memory) -> str:
    """Return in which words the user told a memory; nothing where somebody else did."""
    return (memory.provenance.evidence or "") if memory.provenance.speaker == "user" else ""
