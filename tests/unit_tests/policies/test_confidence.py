"""How confidence follows what is learned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.policies.confidence import AFTER_CORRECTION, Signal, after

SIGNALS: tuple[Signal, ...] = ("succeeded", "failed", "confirmed", "contradicted", "corrected")


@pytest.mark.parametrize(
    ("signal", "expected"),
    [("succeeded", 0.6), ("failed", 0.3), ("confirmed", 0.65), ("contradicted", 0.3), ("corrected", AFTER_CORRECTION)],
)
def test_each_signal_moves_confidence_by_its_step(signal: Signal, expected: float) -> None:
    """From one half every step is visible, exactly."""
    assert after(0.5, signal) == expected


@given(st.floats(0, 1), st.lists(st.sampled_from(SIGNALS)))
def test_confidence_stays_between_zero_and_one(confidence: float, signals: list[Signal]) -> None:
    """No sequence of signals leads out of [0, 1]."""
    for signal in signals:
        confidence = after(confidence, signal)
    assert 0 <= confidence <= 1


def test_steps_leave_no_dust() -> None:
    """Three times one tenth is three tenths."""
    assert after(after(after(0.0, "succeeded"), "succeeded"), "succeeded") == 0.3


def test_a_failure_weighs_more_than_a_success() -> None:
    """An action that fails once and succeeds once leaves doubt."""
    assert after(after(0.5, "succeeded"), "failed") < 0.5
