"""What a step of a plan says, as a request to forget is held against it."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern

_OWN: Final = lazy_pattern(r"\b(?:my|our) ", re.IGNORECASE)


def said_of_step(step: str) -> tuple[str, ...]:
    """Return a step, and what it says is the user's: "find a therapist for my knee" is about their knee.

    Example:
        >>> said_of_step("find a therapist for my knee")
        ('find a therapist for my knee', 'my knee')
    """
    own = _OWN.search(step)
    return (step,) if own is None else (step, step[own.start() :])
