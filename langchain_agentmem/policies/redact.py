"""Sensitive data in text: find it, mask it, or hand the detectors to LangChain.

A detector is any function from a text to its matches; ours return `SensitiveMatch`, LangChain's dictionaries are
accepted as well. Offsets always refer to the text as given, however it is written (full-width digits, typographic
dashes, invisible characters).

Example:
    ```python
    from langchain_agentmem.policies.redact import find_sensitive, redact

    redact("card 4111 1111 1111 1111, thanks")  # 'card [card], thanks'
    find_sensitive("invoice INV-2024-00123")  # []
    ```
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from langchain_agentmem.policies.detect_contacts import PhoneDetector, find_emails, find_phones
from langchain_agentmem.policies.detect_identity import find_passports
from langchain_agentmem.policies.detect_numbers import find_cards, find_ibans, find_ssns
from langchain_agentmem.policies.detect_secrets import find_secrets
from langchain_agentmem.policies.matches import Detector, PIIDetector, PIIMatch, SensitiveMatch

__all__ = [
    "DEFAULT_DETECTORS",
    "Detector",
    "PIIDetector",
    "PIIMatch",
    "PhoneDetector",
    "SensitiveMatch",
    "as_pii_detector",
    "find_cards",
    "find_emails",
    "find_ibans",
    "find_phones",
    "find_secrets",
    "find_sensitive",
    "find_ssns",
    "redact",
]

DEFAULT_DETECTORS: Final[tuple[Detector, ...]] = (
    find_emails,
    find_cards,
    find_ibans,
    find_ssns,
    find_secrets,
    find_passports,
    find_phones,
)


def find_sensitive(text: str, detectors: Sequence[Detector] = DEFAULT_DETECTORS) -> list[SensitiveMatch]:
    """Return every match of every detector, ordered by place; matches of different detectors may overlap.

    Raises:
        ConfigurationError: A detector returned an empty or negative span.
    """
    return sorted({_as_match(found) for detector in detectors for found in detector(text)})


def redact(text: str, detectors: Sequence[Detector] = DEFAULT_DETECTORS) -> str:
    """Return `text` with every match replaced by its type in brackets; overlapping matches become one."""
    parts: list[str] = []
    place = 0
    for match in _merged(find_sensitive(text, detectors)):
        parts += [text[place : match.start], f"[{match.type}]"]
        place = match.end
    return "".join([*parts, text[place:]])


def as_pii_detector(detector: Detector) -> PIIDetector:
    """Return `detector` in the shape of LangChain's `PIIMiddleware(detector=…)`, with the value in each match."""

    def detect(text: str) -> list[PIIMatch]:
        found = find_sensitive(text, (detector,))
        return [
            PIIMatch(type=match.type, value=text[match.start : match.end], start=match.start, end=match.end)
            for match in found
        ]

    return detect


def _as_match(found: SensitiveMatch | PIIMatch) -> SensitiveMatch:
    if isinstance(found, Mapping):
        return SensitiveMatch(found["start"], found["end"], found["type"])
    return found


def _merged(matches: Iterable[SensitiveMatch]) -> list[SensitiveMatch]:
    """Join overlapping matches (ordered by start) into one of the longest one's type."""
    merged: list[SensitiveMatch] = []
    for match in matches:
        if merged and match.start < merged[-1].end:
            last = merged.pop()
            longest = max(last, match, key=lambda each: each.end - each.start)
            match = SensitiveMatch(last.start, max(last.end, match.end), longest.type)  # noqa: PLW2901 - the joined match
        merged.append(match)
    return merged
