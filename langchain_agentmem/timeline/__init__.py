"""Time travel: what happened, what was believed when, and the way back."""

from langchain_agentmem.timeline.records import (
    Appeared,
    Difference,
    FieldChange,
    Reversal,
    Reverted,
    Snapshot,
    Vanished,
)
from langchain_agentmem.timeline.service import Timeline

__all__ = [
    "Appeared",
    "Difference",
    "FieldChange",
    "Reversal",
    "Reverted",
    "Snapshot",
    "Timeline",
    "Vanished",
]
