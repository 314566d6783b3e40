"""No error of what is remembered quotes what it was given by mistake: it may be what somebody said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from langchain_agentmem import AgentMemory, Candidate, ConfigurationError, Provenance, RecallQuery, Scope

ALICE: Final = Scope("alice", session_id="talk")
ILL: Final[Any] = "HIV positive"
GIVEN: Final[dict[str, Callable[[AgentMemory], object]]] = {
    "tags": lambda _: Candidate(content="Alice is ill", tags=ILL),
    "purposes": lambda _: Candidate(content="Alice is ill", purposes=ILL),
    "message_ids": lambda _: Provenance(message_ids=ILL),
    "confidence": lambda _: Candidate(content="Alice is ill", confidence=ILL),
    "valid_at": lambda _: Candidate(content="Alice is ill", valid_at=ILL),
    "query": lambda _: RecallQuery(text="x", tags=ILL),
    "relate": lambda memory: memory.entities.relate(ILL, "is", ILL, scope=ALICE),
    "alias": lambda memory: memory.entities.alias(ILL, ILL, scope=ALICE),
    "distinguish": lambda memory: memory.entities.distinguish(ILL, ILL, scope=ALICE),
}


@pytest.mark.parametrize("what", GIVEN)
def test_no_error_quotes_what_it_was_given(what: str) -> None:
    """It names the argument and what it takes."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
    with memory, pytest.raises(ConfigurationError) as refused:
        GIVEN[what](memory)
    assert "hiv" not in str(refused.value).casefold()
