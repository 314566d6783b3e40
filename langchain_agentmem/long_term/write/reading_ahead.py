"""What can be read of a candidate before anybody has to wait for it."""

from __future__ import annotations

from langchain_agentmem.english.endings.undone import undone_in
from langchain_agentmem.english.people.own_words import speaker_of
from langchain_agentmem.long_term.write.similar import endings_of
from langchain_agentmem.types import Candidate


def read_ahead(candidate: Candidate) -> None:
    """Read what a candidate ends or takes back, as it will be read while a write transaction is open.

    What is found is remembered by those who find it, and the patterns are compiled: the first one of a process would
    keep every other writer of a SQLite file, or of the user's row, waiting for half a second.
    """
    endings_of(candidate)
    undone_in(candidate.content, speaker_of(candidate))
