"""Labels: fingerprints of metadata, by which threads are found that may have what a filter asks for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

_UNLABELLED: Final = frozenset({"source", "step"})
"""Nearly every thread has all of their values."""


def labels_of(metadata: Mapping[str, Any], fingerprint: Callable[[bytes], bytes]) -> frozenset[bytes]:
    """Return the labels of a checkpoint's metadata: one for each plain value."""
    return frozenset(
        fingerprint(json.dumps([key, _plain(value)]).encode())
        for key, value in metadata.items()
        if isinstance(value, (str, int, float)) and key not in _UNLABELLED
    )


def label_of_writes(mark: bytes, fingerprint: Callable[[bytes], bytes]) -> bytes:
    """Return the label of what a run wrote, by the mark that it leaves."""
    return fingerprint(b"writes" + mark)


def matches(metadata: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether metadata has all that is wanted, exactly."""
    return all(metadata.get(key) == value for key, value in wanted.items())


def _plain(value: str | float) -> str | float:
    """Return equal values for what Python calls equal: 1, 1.0 and True."""
    if isinstance(value, str):
        return value
    return int(value) if value == value // 1 else float(value)
