from __future__ import annotations

import pytest

from langchain_agentmem.context import (
    Load,
    after_fraction,
    after_messages,
    after_tokens,
    all_of,
    any_of,
    every_steps,
)
from langchain_agentmem.errors import ConfigurationError


def load(messages: int = 0, steps: int = 0, tokens: int = 0) -> Load:
    return Load(messages=messages, steps=steps, count=lambda: tokens)


def test_sizes_fire_above_their_limit_and_steps_at_theirs() -> None:
    """Twenty messages may stand; the fifth step of five is due."""
    assert [after_messages(20)(load(messages=n)) for n in (20, 21)] == [False, True]
    assert [after_tokens(100)(load(tokens=n)) for n in (100, 101)] == [False, True]
    assert [after_fraction(0.8, window=1_000)(load(tokens=n)) for n in (800, 801)] == [False, True]
    assert [every_steps(5)(load(steps=n)) for n in (4, 5)] == [False, True]


def test_triggers_combine() -> None:
    """One of them, or all; none of none."""
    both = (after_messages(2), every_steps(2))
    assert any_of(*both)(load(messages=3))
    assert not all_of(*both)(load(messages=3))
    assert all_of(*both)(load(messages=3, steps=2))
    assert not any_of()(load())
    assert not all_of()(load())


def test_tokens_are_counted_only_when_asked_for_and_once() -> None:
    """A trigger by messages costs no count."""
    counted: list[int] = []

    def count() -> int:
        counted.append(1)
        return 5

    held = Load(messages=30, steps=0, count=count)
    assert any_of(after_messages(20), after_tokens(3))(held)
    assert counted == []
    assert all_of(after_tokens(3), after_tokens(4))(held)
    assert counted == [1]


@pytest.mark.parametrize("wrong", [0, 1.1, -0.5, True, "0.8"])
def test_a_senseless_fraction_is_refused(wrong: object) -> None:
    """A part of a window is above nothing and at most the whole."""
    with pytest.raises(ConfigurationError, match=r"fraction must be .* for example 0\.8"):
        after_fraction(wrong)  # type: ignore[arg-type]  # the wrong type is the point


@pytest.mark.parametrize("trigger", [after_messages, after_tokens, every_steps])
def test_a_senseless_number_is_refused(trigger: type) -> None:
    """Nothing fires at zero."""
    with pytest.raises(ConfigurationError, match="at least 1"):
        trigger(0)
