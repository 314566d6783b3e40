"""What a turn means of what was said in other conversations: "her name is Hannah, not Anna"."""

from __future__ import annotations

import re
from typing import Final

from langchain_core.messages import HumanMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem.extraction.conversation import kept_passages
from langchain_agentmem.extraction.corrections import names_taken_back
from langchain_agentmem.long_term import LongTermMemory
from langchain_agentmem.long_term.listing import ListQuery
from langchain_agentmem.nodes.turn import Turn
from langchain_agentmem.policies.statements import named_so
from langchain_agentmem.types import Memory

_LOOKED_AT: Final = 1_000
"""Facts among which a name is looked for, the newest first; few turns put a name right."""


def known_before(long_term: LongTermMemory, turn: Turn) -> Flow[list[HumanMessage]]:
    """Return what the user said before of whom a turn renames, in their words; nothing where it may be several."""
    wrong = names_taken_back(kept_passages(turn.messages[turn.new_from :]))
    if not wrong or not turn.may_write:
        return []
    page = yield from long_term.select_flow(ListQuery(kinds=("fact",), limit=_LOOKED_AT, usable=True), turn.scope)
    found = [[it for it in page if _names(it, name)] for name in sorted(wrong)]
    return [HumanMessage(it[0].provenance.evidence or "") for it in found if len(it) == 1]


def _names(memory: Memory, name: str) -> bool:
    """Whether the user said in so many words that somebody of theirs is called so."""
    origin = memory.provenance
    is_told = origin.speaker == "user" and origin.evidence is not None
    return (
        is_told
        and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", origin.evidence or "") is not None
        and named_so(memory.content, name)
    )
