"""What the user asked to forget, noted for turns that are open, and asked for when these end."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_agentmem.english.people.whose import names_in
from langchain_agentmem.ledger.base import Draft, LedgerWriter
from langchain_agentmem.ledger.episodes import EpisodeDraft
from langchain_agentmem.policies.forgotten import (
    FORGOTTEN_MEANWHILE,
    Asked,
    Request,
    is_forgotten,
    is_turn_forgotten,
)
from langchain_agentmem.policies.rulings import Ruling
from langchain_agentmem.types import Candidate, Scope


def note_request(writer: LedgerWriter, asked: Sequence[Asked], reason: str, before: int | None = None) -> int:
    """Note a request by the last event of the log, and return its number.

    Args:
        writer: Of the user.
        asked: What is to be forgotten.
        reason: For the log.
        before: Where the log stood before what was asked was done. Where nothing had to be, and where it is `None`, the
            request is an event of its own.
    """
    if before in {None, writer.head.seq}:
        writer.append(Draft(type="forget_asked", note={"reason": reason}, rule="asked"))
    writer.requests.put(writer.head.seq, asked)
    return writer.head.seq


def requests_since(writer: LedgerWriter, began: int | None) -> Sequence[Request]:
    """Return what was asked since a turn began; nothing where that is not known, or nothing happened since."""
    return () if began is None or began >= writer.head.seq else writer.requests.since(began)


def forgotten_meanwhile(
    writer: LedgerWriter, candidate: Candidate, scope: Scope, seen: int | None = None
) -> Ruling | None:
    """Return what speaks against a candidate that the user asked to forget since its turn began.

    So does an erasure of the user since their log was `seen`, by the call that keeps it: it was given before.
    """
    if seen is not None and writer.requests.is_ended_since(seen):
        return FORGOTTEN_MEANWHILE
    asked, names = requests_since(writer, candidate.began), names_in(candidate, scope.user_id)
    return FORGOTTEN_MEANWHILE if is_forgotten(asked, candidate, scope, names) else None


def forgotten_turns(
    writer: LedgerWriter, drafts: Sequence[EpisodeDraft], began: int | None, seen: int
) -> list[EpisodeDraft]:
    """Return those of a conversation's turns that the user asked to forget since it was handed over.

    An erasure of the user asks for all of them, also where it is only known where the log was `seen`.
    """
    if writer.requests.is_ended_since(seen):
        return [*drafts]
    asked = requests_since(writer, began)
    return [it for it in drafts if is_turn_forgotten(asked, it.episode.content, it.episode.scope)]
