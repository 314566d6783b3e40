"""When to compress: small functions of how much there is, which can be combined.

Any function from `Load` to bool is a trigger.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Final, TypeAlias

from langchain_agentmem._checks import check_count
from langchain_agentmem.errors import ConfigurationError

CONTEXT_WINDOW: Final = 100_000
"""Tokens of a context window, unless a model's own is given."""

MAX_MESSAGES: Final = 20
"""Messages that may stand in a view before the oldest are compressed."""


@dataclass(frozen=True)
class Load:
    """How much a view holds.

    Attributes:
        messages: Messages of the conversation in it, system messages and the summary apart.
        steps: Answers of the assistant since the last compression.
        count: Counts the tokens of the whole view; called once, when a trigger asks.
    """

    messages: int
    steps: int
    count: Callable[[], int] = field(repr=False)

    @cached_property
    def tokens(self) -> int:
        """Tokens of the whole view."""
        return self.count()


Trigger: TypeAlias = Callable[[Load], bool]
"""Whether it is time to compress."""


def after_messages(limit: int = MAX_MESSAGES) -> Trigger:
    """Return a trigger for more than `limit` messages.

    Raises:
        ConfigurationError: `limit` is no int of at least 1.

    Example:
        >>> after_messages(20)(Load(messages=21, steps=0, count=lambda: 0))
        True
    """
    check_count("limit", limit, hint=f"for example {MAX_MESSAGES}")
    return partial(_has_messages, limit)


def after_tokens(limit: int) -> Trigger:
    """Return a trigger for more than `limit` tokens.

    Raises:
        ConfigurationError: `limit` is no int of at least 1.
    """
    check_count("limit", limit, hint=f"for example {CONTEXT_WINDOW}")
    return partial(_has_tokens, limit)


def after_fraction(fraction: float, *, window: int = CONTEXT_WINDOW) -> Trigger:
    """Return a trigger for more than a part of a context window.

    Args:
        fraction: In (0, 1].
        window: Tokens of the whole window.

    Raises:
        ConfigurationError: `fraction` is not in (0, 1], or `window` is no int of at least 1.
    """
    check_count("window", window, hint=f"for example {CONTEXT_WINDOW}")
    if isinstance(fraction, bool) or not isinstance(fraction, (int, float)) or not 0 < fraction <= 1:
        msg = f"fraction must be above 0 and at most 1, got {fraction!r}; for example 0.8"
        raise ConfigurationError(msg)
    return partial(_has_tokens, fraction * window)


def every_steps(steps: int) -> Trigger:
    """Return a trigger for every `steps` answers of the assistant.

    Raises:
        ConfigurationError: `steps` is no int of at least 1.
    """
    check_count("steps", steps, hint="for example 10")
    return partial(_has_steps, steps)


def any_of(*triggers: Trigger) -> Trigger:
    """Return a trigger that fires when one of these does.

    Example:
        >>> trigger = any_of(after_messages(20), every_steps(5))
        >>> trigger(Load(messages=3, steps=5, count=lambda: 0))
        True
    """
    return partial(_is_any, triggers)


def all_of(*triggers: Trigger) -> Trigger:
    """Return a trigger that fires when all of these do, and never without any."""
    return partial(_is_all, triggers)


# What a trigger asks, as functions that another process finds by their names.
def _has_messages(limit: int, load: Load) -> bool:
    return load.messages > limit


def _has_tokens(limit: float, load: Load) -> bool:
    return load.tokens > limit


def _has_steps(steps: int, load: Load) -> bool:
    return load.steps >= steps


def _is_any(triggers: tuple[Trigger, ...], load: Load) -> bool:
    return any(trigger(load) for trigger in triggers)


def _is_all(triggers: tuple[Trigger, ...], load: Load) -> bool:
    return bool(triggers) and all(trigger(load) for trigger in triggers)
