"""Whether consent covers a use."""

from __future__ import annotations

import pytest

from langchain_agentmem.policies.consent import common_purposes, judge_consent
from langchain_agentmem.policies.rulings import ConsentMode
from langchain_agentmem.types import ConsentState


@pytest.mark.parametrize("mode", ["required", "assumed"])
def test_a_withdrawal_counts_in_either_mode(mode: ConsentMode) -> None:
    """Assumed consent does not outlive a no."""
    ruling = judge_consent(ConsentState(status="withdrawn"), mode)
    assert ruling is not None
    assert "grant(scope)" in ruling.reason


def test_a_grant_without_purposes_covers_all() -> None:
    """Unrestricted consent covers whatever is asked."""
    assert judge_consent(ConsentState(status="granted"), "required", ("support", "research")) is None


def test_a_restricted_grant_covers_its_purposes_only() -> None:
    """Each purpose must be among those granted."""
    state = ConsentState(status="granted", purposes=("support",))
    assert judge_consent(state, "required", ("support",)) is None
    assert judge_consent(state, "required", ()) is None
    assert judge_consent(state, "assumed", ("support", "ads")) is not None


def test_unknown_consent_is_enough_only_where_it_is_assumed() -> None:
    """The default asks first."""
    assert judge_consent(ConsentState(), "assumed") is None
    assert judge_consent(ConsentState(), "required") is not None


@pytest.mark.parametrize(
    ("first", "second", "common"),
    [
        ((), (), ()),
        (("support",), (), ("support",)),
        ((), ("ads",), ("ads",)),
        (("ads", "support"), ("support", "tax"), ("support",)),
        (("ads",), ("support",), None),
    ],
)
def test_two_restrictions_allow_what_both_do(
    first: tuple[str, ...], second: tuple[str, ...], common: tuple[str, ...] | None
) -> None:
    """Where one allows all, the other counts; where nothing is common, nothing is allowed."""
    assert common_purposes(first, second) == common
