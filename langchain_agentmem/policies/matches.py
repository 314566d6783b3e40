"""What a detector of sensitive data is and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypedDict

from langchain_agentmem.errors import ConfigurationError


@dataclass(frozen=True, slots=True, order=True)
class SensitiveMatch:
    """Where something sensitive stands in a text; the value itself is never kept.

    Args:
        start: Index of the first character. `end`: index behind the last.
        type: What it is: `email`, `phone`, `card`, `iban`, `ssn`, `secret`, or a detector's own word.

    Raises:
        ConfigurationError: The span is empty or negative.
    """

    start: int
    end: int
    type: str

    def __post_init__(self) -> None:
        """Refuse a span that cannot be masked."""
        if not 0 <= self.start < self.end:
            msg = f"a match of type {self.type!r} spans [{self.start}, {self.end}); it must hold at least one character"
            raise ConfigurationError(msg)


class PIIMatch(TypedDict):
    """The shape LangChain's `PIIMiddleware` expects of a detector's matches."""

    type: str
    value: str
    start: int
    end: int


PIIDetector: TypeAlias = Callable[[str], list[PIIMatch]]
Detector: TypeAlias = Callable[[str], Sequence[SensitiveMatch | PIIMatch]]
