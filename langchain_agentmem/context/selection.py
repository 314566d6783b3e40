"""Which groups of a conversation fit into a budget: the newest ones, and what must never leave."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from langchain_core.messages import BaseMessage

from langchain_agentmem.context.groups import Group, flat, is_own_system
from langchain_agentmem.errors import ConfigurationError

Cost: TypeAlias = Callable[[Sequence[BaseMessage]], int]
"""What messages cost: their number, or their tokens by any counter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a list of messages may cost.

    Attributes:
        limit: At most this much.
        unit: What is counted, for error messages.
        remedy: The argument that sets the limit.
    """

    limit: int
    cost: Cost
    unit: str
    remedy: str


def pinned(groups: Sequence[Group], late: int = 0) -> dict[int, str]:
    """Return the places of what never leaves a view, each with its name.

    System messages and summaries say what the rest rests on; the user's last message is what is to be answered; and
    the last group is what the model has to read next, without which it would do the same again. The `late` last
    messages come after the view, so they stay, and a call that they answer with them.
    """
    names = {place: "a summary" for place, group in enumerate(groups) if group.is_summary}
    said = [place for place, group in enumerate(groups) if not group.is_system]
    if said:
        names[said[-1]] = "the last message, or tool calls with their results"
    asked = [place for place, group in enumerate(groups) if group.is_of_user]
    if asked:
        names[asked[-1]] = "the user's last message"
    names |= {place: "a system message" for place, group in enumerate(groups) if group.is_system}
    return names | dict.fromkeys(late_places(groups, late), "the new input")


def late_places(groups: Sequence[Group], late: int) -> range:
    """Return the places of the groups that hold one of the `late` last messages."""
    start, left = len(groups), late
    while left > 0:
        start -= 1
        left -= len(groups[start].messages)
    return range(start, len(groups))


def newest(groups: Sequence[Group], budget: Budget, late: int = 0) -> list[Group]:
    """Return what never leaves and, of the rest, the newest groups within the budget, in their order.

    Where something was left out, the rest begins with a human message if there is one: many models want that. The
    `late` last messages are among what never leaves.

    Raises:
        ConfigurationError: What never leaves exceeds the budget on its own.
    """
    if budget.cost(flat(groups)) <= budget.limit:
        return list(groups)
    fixed = pinned(groups, late)
    left = budget.limit - budget.cost(flat(groups[place] for place in sorted(fixed)))
    if left < 0:
        raise ConfigurationError(too_much(groups, fixed, budget))
    kept = set(fixed)
    for place in reversed(range(len(groups))):
        if place not in kept:
            left -= budget.cost(groups[place].messages)
            if left < 0:
                break
            kept.add(place)
    return _within(groups, _from_human(groups, kept, fixed), fixed, budget)


def _within(groups: Sequence[Group], kept: set[int], fixed: Collection[int], budget: Budget) -> list[Group]:
    """Drop the oldest until the whole fits too: a counter need not add up."""
    while budget.cost(flat(groups[place] for place in sorted(kept))) > budget.limit and kept > set(fixed):
        kept.remove(min(kept - set(fixed)))
    return [groups[place] for place in sorted(kept)]


def _from_human(groups: Sequence[Group], kept: set[int], fixed: Collection[int]) -> set[int]:
    """Drop what stands before the first human message of the kept part."""
    said = [place for place in sorted(kept) if not groups[place].is_system]
    first = next((place for place in said if groups[place].starts_with_human), None)
    early = {place for place in said if first is not None and place < first and place not in fixed}
    return kept - early


def too_much(
    groups: Sequence[Group], fixed: dict[int, str], budget: Budget, *, summary: Sequence[BaseMessage] = ()
) -> str:
    """Return the error message that names what alone exceeds a budget."""
    by_name: dict[str, list[BaseMessage]] = {}
    for place, name in sorted(fixed.items()):
        by_name.setdefault(name, []).extend(groups[place].messages)
    if summary:
        by_name["the summary"] = list(summary)
    parts = ", ".join(f"{name}: {budget.cost(messages)}" for name, messages in by_name.items())
    return (
        f"what must stay is over the budget of {budget.limit} {budget.unit} on its own ({parts}); "
        f"raise {budget.remedy} or shorten it"
    )


def systems_first(messages: Sequence[BaseMessage]) -> int:
    """Return how many system messages lead a list."""
    return next((place for place, message in enumerate(messages) if not is_own_system(message)), len(messages))
