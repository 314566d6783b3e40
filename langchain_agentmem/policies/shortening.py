"""A text made shorter without a cut through sensitive data: half a card number is one still, and nothing finds it."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.policies.redact import find_sensitive
from langchain_agentmem.policies.sensitive import ALL_DETECTORS

_AHEAD: Final = 300
"""Characters looked at beyond the cut: an e-mail address has 254 at most; the beginning of a key is found as one."""


def beginning(text: str, limit: int) -> str:
    """Return at most the first `limit` characters of a text, and of what is sensitive all of it or nothing."""
    if len(text) <= limit:
        return text
    end = limit
    for match in reversed(find_sensitive(text[: limit + _AHEAD], ALL_DETECTORS)):
        if match.start < end < match.end:
            end = match.start
    return text[:end]


def shortened(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters, which says so where it is not all of it."""
    return text if len(text) <= limit else beginning(text, limit - 1).rstrip() + "…"
