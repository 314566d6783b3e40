"""What stands in the place of a value that middleware took out of a message: it says nothing of the user."""

from __future__ import annotations

from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.types import Candidate

_MARK: Final = r"(?:\[REDACTED(?:_[A-Z]+){0,4}\]|<\w{1,40}_hash:[0-9a-f]{4,64}>)"
"""As LangChain's `PIIMiddleware` writes it; a mask (`****1234`) shows a part of the value, and is one."""

_WHOLE: Final = lazy_pattern(_MARK)
_VALUE: Final = lazy_pattern(rf"\b(?P<verb>is|are|was|were)? ?(?P<mark>{_MARK})[.!]?\Z")


def is_redaction(candidate: Candidate) -> bool:
    """Whether all that a candidate tells is that something was redacted."""
    found = _VALUE.search(candidate.content)
    if found is None:
        return False
    return found["verb"] is not None or _WHOLE.fullmatch(candidate.object or "") is not None
