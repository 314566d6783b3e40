"""What a scan found: where, of which type and what becomes of it; never a value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from langchain_agentmem.policies.protecting import Strategy
from langchain_agentmem.policies.sensitive import Layer, SensitivePolicy
from langchain_agentmem.types import Scope


class Found(NamedTuple):
    """One thing that holds sensitive data: its id, of a session's state the session's, and what was found in it."""

    id: str
    types: tuple[str, ...]
    scope: Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveFinding:
    """Sensitive data of one type in one layer.

    Attributes:
        strategy: What becomes of it; among facts `block` erases the memory, elsewhere it redacts.
        ids: Of the memories, episodes, messages, sessions (working states) or items that hold it.
    """

    layer: Layer
    type: str
    strategy: Strategy
    ids: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many things hold it."""
        return len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveReport:
    """What a scan found, and what it changed.

    Attributes:
        changed: How many things were changed, by layer; empty in a dry run.
        is_complete: Whether everything was looked at; else scan again.
    """

    findings: tuple[SensitiveFinding, ...] = ()
    changed: Mapping[str, int] = field(default_factory=dict)
    is_dry_run: bool = True
    is_complete: bool = True

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """How many things hold each type, by layer."""
        counted: dict[str, Counter[str]] = {}
        for it in self.findings:
            counted.setdefault(it.layer, Counter())[it.type] += it.count
        return {layer: dict(types) for layer, types in counted.items()}


def findings_of(layer: Layer, found: Iterable[Found], policy: SensitivePolicy) -> list[SensitiveFinding]:
    """Return what was found in a layer, by type."""
    ids: dict[str, dict[str, None]] = {}
    for it in found:
        for type_ in it.types:
            ids.setdefault(type_, {})[it.id] = None
    return [
        SensitiveFinding(layer=layer, type=type_, strategy=policy.strategy(layer, type_), ids=tuple(ids[type_]))
        for type_ in sorted(ids)
    ]
