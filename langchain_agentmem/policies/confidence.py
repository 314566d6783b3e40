"""How sure a memory is after something was learned about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

Signal: TypeAlias = Literal["succeeded", "failed", "confirmed", "contradicted", "corrected"]

# What each signal adds. A wrong memory does more harm than a right one does good, so doubt weighs more than success.
STEPS: Final[Mapping[str, float]] = {"succeeded": 0.1, "failed": -0.2, "confirmed": 0.15, "contradicted": -0.2}
# An explicit correction is the strongest evidence there is, whatever was believed before.
AFTER_CORRECTION: Final = 0.95
# Digits kept, so that ten small steps add up to what a reader expects.
_DIGITS: Final = 4


def after(confidence: float, signal: Signal) -> float:
    """Return the confidence after a signal, in [0, 1].

    Args:
        confidence: What it was, in [0, 1].
        signal: An action it guided `succeeded` or `failed`; the user `confirmed` it; something `contradicted` it; or
            it is what the user `corrected` an older memory to.

    Example:
        >>> after(0.7, "confirmed")
        0.85
    """
    if signal == "corrected":
        return AFTER_CORRECTION
    return round(min(1.0, max(0.0, confidence + STEPS[signal])), _DIGITS)
