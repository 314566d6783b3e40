"""Which scan looks through which layer of the rights: a layer that nobody looks through makes a test fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from langchain_agentmem.policies.sensitive import Layer

COVERED: Final[Mapping[str, Layer]] = {
    "memories": "facts",
    "events": "facts",
    "vectors": "facts",
    "snapshots": "facts",
    "index": "facts",
    "profiles_redis": "facts",
    "episodes": "episodes",
    "conversations": "histories",
    "conversations_redis": "histories",
    "working": "working",
    "working_redis": "working",
    "threads": "threads",
    "threads_redis": "threads",
    "store": "store",
    "receipts": "receipts",
    "run_steps": "runs",
    "jobs": "jobs",
}
"""By the name that a layer has in exports and reports; what is made of facts goes with them."""

WORDLESS: Final[Mapping[str, str]] = {
    "access": "it counts",
    "requests": "it keeps keyed digests of words",
    "tokens": "it keeps what tokens stand for, which is what they are for; it ends with what names them",
}
"""Layers that nobody has to look through, and why."""
