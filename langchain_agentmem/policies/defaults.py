"""Importance and trust of a memory where nobody stated them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from langchain_agentmem.english.text.utterances import is_instruction
from langchain_agentmem.types import Candidate, Kind, Source, TrustClass

# The order is the rule (explicit instruction > constraint > outcome > preference > fact); the steps between are even.
INSTRUCTION_IMPORTANCE: Final = 0.9
IMPORTANCE: Final[Mapping[Kind, float]] = {
    "constraint": 0.8,
    "outcome": 0.7,
    "goal": 0.7,  # as long as it is pursued it weighs like what was learned on the way
    "preference": 0.6,
    "fact": 0.5,
    "episode": 0.3,  # a pointer into a conversation, not a statement
}
# Who says a thing bounds how far it is believed: what the user or the program states stands, what a tool returns may
# carry another's text, a document was at least chosen by somebody, what the assistant or another agent claims may be
# invented, and a web page is anybody's.
CLASS_TRUST: Final[Mapping[TrustClass, float]] = {
    "user": 1.0,
    "application": 1.0,
    "system": 0.9,
    "tool": 0.8,
    "document": 0.6,
    "agent": 0.5,
    "assistant": 0.5,
    "web": 0.3,
}
# How it was come by bounds it too; the trust of a derived memory is the minimum over its sources.
SOURCE_TRUST: Final[Mapping[Source, float]] = {"explicit": 1.0, "merged": 1.0, "learned": 0.8, "inferred": 0.7}

SAID: Final = 0.9
"""Confidence in what the user says outright."""


def default_importance(candidate: Candidate) -> float:
    """Return the candidate's own importance, else that of its kind; a constraint told as an instruction weighs most."""
    if candidate.importance is not None:
        return candidate.importance
    if candidate.kind == "constraint" and candidate.source == "explicit" and is_instruction(candidate.content):
        return INSTRUCTION_IMPORTANCE
    return IMPORTANCE[candidate.kind]


def default_trust(candidate: Candidate) -> float:
    """Return the candidate's own trust, else the lowest of what its speaker, its source and their class deserve."""
    if candidate.trust is not None:
        return candidate.trust
    origin = candidate.provenance
    named = CLASS_TRUST[origin.trust_class or origin.speaker]
    return min(CLASS_TRUST[origin.speaker], named, SOURCE_TRUST[candidate.source])
