"""On which terms a memory is kept that several statements stand behind: purposes, legal basis, tags, pin, and ends.

What is put together of several memories has every protection of theirs, and is permitted no more than each of them: it
is pinned where one is, serves the purposes and stands on the legal basis that they share, and ends when they do. What
ends at different times is not put together: the one would outlast its end, or the other one lose what it has left. All
that they say holds since the last of them began; until then each of them held by itself. Its tags are all of theirs.

What is said again is a statement of its own. Where the user or the application says it, its terms are theirs: an end
that they tell counts from now on, and where they tell none it is for good, whatever end it had or a claim that waited
for them. A pin, tags and a legal basis that stand already stay beside that. What anybody else says again changes no
terms of what is in force; where it makes something count that waited, that is put together of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.trust import is_own_word
from langchain_agentmem.types import Candidate, Memory

ENDS: Final = ("expires_at", "invalid_at")
_MAX_TAGS: Final = 64
"""As many as a memory may have."""


def merged_terms(memories: Sequence[Memory], now: datetime) -> dict[str, Any]:
    """Return the terms of what says what memories said together, as fields of a candidate.

    Raises:
        ConfigurationError: They are kept for purposes that have nothing in common, or on different legal bases; or one
            has expired, they end at different times, or one is yet to begin and another one not then.
    """
    _check_times(memories, now)
    return {
        "purposes": merged_purposes(memories),
        "legal_basis": _merged_basis(memories),
        "tags": tuple(dict.fromkeys(tag for it in memories for tag in it.tags))[:_MAX_TAGS],
        "pinned": any(it.pinned for it in memories),
        **first_ends(memories),
        "valid_at": max((it.valid_at for it in memories if it.valid_at is not None), default=None),
    }


def merged_purposes(memories: Sequence[Memory]) -> tuple[str, ...]:
    """Return the purposes that all memories which name any allow: a merge must not widen them.

    Raises:
        ConfigurationError: They allow none together.
    """
    restricted = [set(memory.purposes) for memory in memories if memory.purposes]
    if not restricted:
        return ()
    common = set.intersection(*restricted)
    if not common:
        msg = "memories kept for different purposes cannot be merged; merge those with a purpose in common"
        raise ConfigurationError(msg)
    return tuple(sorted(common))


def first_ends(records: Sequence[Candidate | Memory]) -> dict[str, Any]:
    """Return when the first of some records ends, by name of the field; `None` where none does."""
    return {name: min((getattr(it, name) for it in records if getattr(it, name)), default=None) for name in ENDS}


def end_together(records: Sequence[Candidate | Memory]) -> bool:
    """Whether some records are to be kept, and hold, until the same times."""
    return len({(it.expires_at, it.invalid_at) for it in records}) == 1


def restated_terms(candidate: Candidate, known: Memory, *, is_news: bool = True) -> dict[str, Any]:
    """Return the terms of a memory once a candidate has said it again that makes it count, as fields of either.

    Args:
        candidate: Says what is known, for as many purposes or others.
        known: In force, or waits and counts from now on.
        is_news: It is not the same message again, which lifts no end.
    """
    is_own, waited = is_own_word(candidate), known.status == "pending"
    ends = {name: getattr(candidate, name) for name in ENDS} if is_own else first_ends((candidate, known))
    if is_own and not waited and not is_news:
        ends = {name: told or getattr(known, name) for name, told in ends.items()}
    return {
        "tags": tuple(dict.fromkeys((*known.tags, *candidate.tags)))[:_MAX_TAGS],
        "pinned": known.pinned or candidate.pinned,
        "legal_basis": candidate.legal_basis or (None if is_own and waited else known.legal_basis),
        **ends,
    }


def untaken(candidate: Candidate, memory: Memory) -> tuple[str, ...]:
    """Return the terms that a candidate told and that do not hold of the memory that says the same."""
    told = ("legal_basis", *ENDS)
    found = [name for name in told if getattr(candidate, name) not in {None, getattr(memory, name)}]
    found += ["pinned"] if candidate.pinned and not memory.pinned else []
    return (*found, *(["tags"] if not {*candidate.tags} <= {*memory.tags} else []))


def said_of_untaken(names: Sequence[str]) -> str:
    """Return, for the reason of a decision, that terms were not taken over; nothing where all were."""
    if not names:
        return ""
    return f" Not taken over: {', '.join(names)}; only the user's or the application's own word sets that, or `revise`."


def said_of_expired(memory_id: str) -> str:
    """Return why what has expired does not come back, and what has to be done first."""
    return (
        f"memory {memory_id!r} expired, and nothing would recall it; give it another end first:"
        f" revise({memory_id!r}, expires_at=…), or None for good"
    )


def _merged_basis(memories: Sequence[Memory]) -> str | None:
    named = dict.fromkeys(it.legal_basis for it in memories if it.legal_basis is not None)
    if len(named) > 1:
        msg = "memories kept on different legal bases cannot be merged; merge those of one legal_basis, or revise it"
        raise ConfigurationError(msg)
    return next(iter(named), None)


def _check_times(memories: Sequence[Memory], now: datetime) -> None:
    for it in memories:
        if it.expires_at is not None and it.expires_at <= now:
            msg = f"memory {it.id!r} has expired; merge without it, or revise its expires_at first"
            raise ConfigurationError(msg)
    if not end_together(memories):
        named = " and ".join(name for name in ENDS if len({getattr(it, name) for it in memories}) > 1)
        msg = (
            f"memories that differ in {named} cannot be merged: one would outlast its end, or another lose what it has "
            "left; merge those that end together, or revise their ends first"
        )
        raise ConfigurationError(msg)
    begins = {it.valid_at for it in memories}
    if len(begins) > 1 and any(it is not None and it > now for it in begins):
        msg = "what is yet to begin cannot be merged with what holds before; wait, or revise its valid_at first"
        raise ConfigurationError(msg)
