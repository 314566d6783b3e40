"""The history of a field: every value it had, from which memory, and what became of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from langchain_agentmem.english.reading.profile_fields import decoded
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.long_term.recall.explaining import Explanation, life_of
from langchain_agentmem.types import Memory, Scope, Status

MAX_VALUES: Final = 100
"""Values told of one field, the latest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldValue:
    """A value that a field has or had.

    Attributes:
        value: As it was said; of a memory that says it in other words, its sentence.
        since: From when it was true, as far as is known. `until`: until when; `None`: it still is.
        life: All that happened to the memory, with reasons.
    """

    memory_id: str
    value: Any = field(repr=False)
    status: Status
    confidence: float
    since: datetime
    until: datetime | None
    life: Explanation


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldHistory:
    """Why a field is as it is.

    Attributes:
        values: The latest first; what was erased is gone from here too.
    """

    field: str
    values: tuple[FieldValue, ...] = ()

    @property
    def current(self) -> FieldValue | None:
        """The value in force, if there is one."""
        return next((it for it in self.values if it.status == "active"), None)


class Show(NamedTuple):
    """How what is told is shown, and what may not be, because the user withdrew the consent that it needs."""

    is_usable: Callable[[Memory], bool]
    memory: Callable[[Memory], Memory]
    life: Callable[[Explanation], Explanation]


def history_of(reader: LedgerReader, field: str, memory_ids: list[str], scope: Scope, show: Show) -> FieldHistory:
    """Return what memories say of a field, and what those said that they replaced, and so on, each as it is shown."""
    found: dict[str, Memory] = {}
    wanted = set(memory_ids)
    while wanted and len(found) < MAX_VALUES:
        found |= (read := reader.memories(wanted))
        wanted = {it for memory in read.values() for it in memory.supersedes if it not in found}
    ordered = sorted(found.values(), key=lambda it: (it.created_at, it.id), reverse=True)[:MAX_VALUES]
    told = ((show.memory(it), show.life(life_of(reader, it.id, scope))) for it in ordered if show.is_usable(it))
    return FieldHistory(field=field, values=tuple(_value(memory, life) for memory, life in told))


def _value(memory: Memory, life: Explanation) -> FieldValue:
    return FieldValue(
        memory_id=memory.id,
        value=decoded(memory.object or memory.content),
        status=memory.status,
        confidence=memory.confidence,
        since=memory.valid_at or memory.created_at,
        until=memory.invalid_at,
        life=life,
    )
