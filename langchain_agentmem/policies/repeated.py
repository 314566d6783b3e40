"""What failed again and again: several outcomes of one action, and what they say together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from langchain_agentmem.types import Memory

FAILED: Final = "failed"
"""Tag of an outcome that was a failure; of a success it is `succeeded`."""

REPEATED: Final = "repeated"
"""Tag of what was concluded from several failures."""

MIN_FAILURES: Final = 3
"""As many as an inferred preference needs sightings: twice may be chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """An action that failed often and has not succeeded since.

    Attributes:
        action: As it was done.
        detail: What was observed the last time; empty where nothing was.
        outcomes: The failures, the first one first.
    """

    action: str = field(repr=False)
    detail: str = field(repr=False)
    outcomes: tuple[Memory, ...]

    @property
    def statement(self) -> str:
        """What they say together."""
        last = f"; the last time: {self.detail}" if self.detail else ""
        return f"{self.action} keeps failing{last}"


def find_failures(outcomes: Sequence[Memory]) -> Iterator[Failures]:
    """Yield the actions that failed so often, may be told together, and were not told so before.

    Args:
        outcomes: Of any status; only active ones count. What was concluded before stands, also where the user has
            forgotten it: it is not concluded again.
    """
    conclusions = [it for it in outcomes if REPEATED in it.tags]
    told = {_action(it, "keeps failing") for it in conclusions}
    linked = {it for memory in conclusions for it in memory.links}
    for (action, _purposes, _basis), failures in _by_action(outcomes).items():
        count = sum(it.sightings for it in failures)
        is_told = action in told or any(it.id in linked for it in failures)
        if not is_told and count >= MIN_FAILURES and not _has_succeeded(action, failures, outcomes):
            last = max(failures, key=lambda it: it.revision)
            detail = last.content.partition(f"{FAILED}: ")[2]
            yield Failures(action=_action(last, FAILED), detail=detail, outcomes=tuple(failures))


def _by_action(outcomes: Iterable[Memory]) -> dict[tuple[str, frozenset[str], str | None], list[Memory]]:
    """Return the failures in force by their action, and by what they may be used for; the oldest first."""
    found: dict[tuple[str, frozenset[str], str | None], list[Memory]] = defaultdict(list)
    for it in sorted(outcomes, key=lambda memory: (memory.created_at, memory.id)):
        is_failure = FAILED in it.tags and REPEATED not in it.tags and it.status == "active" and not it.contradicts
        if is_failure and (action := _action(it, FAILED)):
            found[action, frozenset(it.purposes), it.legal_basis].append(it)
    return found


def _has_succeeded(action: str, failures: Sequence[Memory], outcomes: Iterable[Memory]) -> bool:
    """Whether the action worked since, as far as is remembered."""
    last = max(it.revision for it in failures)
    return any(it.revision > last and _action(it, "succeeded") == action for it in outcomes)


def _action(outcome: Memory, ending: str) -> str:
    """Return the action of an outcome that ended so; empty where it did not."""
    action, said, _ = f"{outcome.content}:".partition(f" {ending}:")
    if not said:
        action, said, _ = outcome.content.partition(f" {ending}; ")
    return action if said else ""
