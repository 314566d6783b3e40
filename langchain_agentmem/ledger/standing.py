"""What the events of a chain leave its user's standing as: consent, legal hold, and an erasure that is going on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from langchain_agentmem.errors import LostKeysError, RetentionError
from langchain_agentmem.ledger.base import Head
from langchain_agentmem.policies.consent import consent_after
from langchain_agentmem.types import ConsentState

CONSENTS: Final = frozenset({"consent_granted", "consent_withdrawn"})
ENDS_CONTENT: Final = frozenset({"cleaned", "erased", "episodes_dropped", "erasure_begun"})
"""Events after which something is gone for good; none of them comes under a legal hold."""

ERASING: Final = (
    "this user is being erased, and nothing is written until that is done; memory.privacy.erase(scope) ends it"
)

KEYS_LOST: Final = "keys_lost"
"""The rule of an event of which the log has nothing but its header: no key was there that could seal the rest."""

STANDING_EVENTS: Final = frozenset({*CONSENTS, "hold_placed", "hold_released", "erasure_begun", "subject_erased"})


def moved(head: Head, seq: int, digest: bytes) -> Head:
    """Return a head at the next event; its standing stays."""
    return Head(seq=seq, digest=digest, stated=head.stated, is_held=head.is_held, is_erasing=head.is_erasing)


def head_after(head: Head, event_type: str, note: Mapping[str, Any], at: datetime) -> Head:
    """Return a head with the standing that one more event leaves; its place and digest stay."""
    if event_type in CONSENTS:
        return replace(head, stated=consent_after(head.consent, event_type, note, at))
    if event_type in {"hold_placed", "hold_released"}:
        return replace(head, is_held=event_type == "hold_placed")
    if event_type == "erasure_begun":
        return replace(head, is_erasing=True)
    if event_type == "subject_erased":
        return replace(head, stated=ConsentState(), is_held=False, is_erasing=False)
    return head


def check_not_held(head: Head) -> None:
    """See that what is about to be deleted for good may be.

    Raises:
        RetentionError: A legal hold stands.
    """
    if head.is_held:
        msg = (
            "a legal hold stands for this user: nothing is deleted for good; memory.privacy.release(scope, reason=…) "
            "ends it, in the shell `agentmem hold PLACE --user USER --reason WHY --release`"
        )
        raise RetentionError(msg, rule="legal_hold")


def check_not_erasing(head: Head) -> None:
    """See that something may be written.

    Raises:
        RetentionError: All of the user's is being erased.
    """
    if head.is_erasing:
        raise RetentionError(ERASING, rule="subject_erasing")


@contextmanager
def opening(head: Head) -> Iterator[None]:
    """Open what is sealed of a user: where their key is gone because they are being erased, that is what is told.

    Raises:
        RetentionError: All of the user's is being erased, and the key is gone already.
    """
    try:
        yield
    except LostKeysError:
        check_not_erasing(head)
        raise


ERASE_JOB: Final = "erase_subject"
"""Erases all of a user's; goes on where it was broken off."""

EMBED_JOB: Final = "embed"
"""Gives vectors to memories and turns of one user that have none."""


def erase_job(*, has_index: bool, has_redis: bool) -> str:
    """Return the kind of job that erases a user from the database and from what a process was opened with beside it."""
    beside = {"index": has_index, "redis": has_redis}
    return "+".join([ERASE_JOB, *(name for name, has in beside.items() if has)])


ERASE_JOBS: Final = tuple(
    erase_job(has_index=index, has_redis=redis) for index in (False, True) for redis in (False, True)
)
"""All kinds of it."""


def erase_jobs_within(kind: str) -> tuple[str, ...]:
    """Return the kinds that a process can do whose own is this one: those that ask for nothing beyond its reach."""
    reached = {*kind.split("+")}
    return tuple(it for it in ERASE_JOBS if reached.issuperset(it.split("+")))


CONSENT_JOB: Final = "consent_erase"
"""Erases what was covered, where the process that recorded the withdrawal did not come to its end."""

UNENDING_JOBS: Final = frozenset({*ERASE_JOBS, CONSENT_JOB})
"""What a user asked to have deleted: it is tried until it is done, whatever it fails with, and whatever it ends."""

RELEASE_JOB: Final = "release_hold"
"""Ends a legal hold whose time has come."""
