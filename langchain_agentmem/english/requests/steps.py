"""What a step of a plan says, as a request to forget is held against it."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern

_OWN: Final = lazy_pattern(r"\b(?:my|our) ", re.IGNORECASE)


MAX_OWN: Final = 4
"""Things of the user's that a step names; it is a sentence or two."""


def said_of_step(step: str) -> tuple[str, ...]:
    """Return a step, and what it says is the user's: "ask my doctor about my knee" is about their knee.

    Example:
        >>> said_of_step("ask my doctor about my knee")
        ('ask my doctor about my knee', 'my doctor about my knee', 'my knee')
    """
    return (step, *(step[own.start() :] for own in islice(_OWN.finditer(step), MAX_OWN)))
