"""The same, said again for more purposes than it was kept for."""

from __future__ import annotations

from dataclasses import replace

from langchain_agentmem.long_term.write.similar import Similar
from langchain_agentmem.long_term.write.weighing import joined, trust_of
from langchain_agentmem.policies.terms import end_together, restated_terms
from langchain_agentmem.policies.trust import is_own_word
from langchain_agentmem.types import Candidate


def widened(candidate: Candidate, similar: Similar) -> Candidate:
    """Return a candidate that takes the place of the same said for fewer purposes, where it is believed as much.

    Its terms are those of what is said again: only by the user's or the application's own word it ends otherwise.
    """
    trust, is_own = trust_of(candidate), is_own_word(candidate)
    believed = [it for it in similar.narrower if it.status == "active" and it.trust <= trust]
    fewer = [it for it in believed if is_own or end_together((candidate, it))]
    for it in fewer:
        candidate = replace(candidate, **restated_terms(candidate, it))
    return replace(candidate, supersedes=joined(candidate.supersedes, tuple(it.id for it in fewer)))
