"""A change of a working state: what is set, what is added, what is taken out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, Self, TypedDict

from langchain_agentmem._checks import check_count, check_key
from langchain_agentmem.types.working import (
    MAX_COUNT,
    MAX_GOAL_CHARS,
    MAX_SCRATCHPAD_CHARS,
    MAX_STEP_CHARS,
    ToolCallRecord,
    WorkingDecision,
    as_plain,
    check_mapping,
    check_optional,
    check_records,
    check_results,
    check_steps,
)


class StateChanges(TypedDict, total=False):
    """The fields of `StateUpdate` as keyword arguments; records may be dicts of their fields."""

    goal: str | None
    phase: str | None
    current_step: str | None
    iteration: int | None
    scratchpad: str | None
    note: str
    add_completed: Any
    pending: Any
    add_pending: Any
    drop_pending: Any
    add_decisions: Any
    add_constraints: Any
    drop_constraints: Any
    add_tool_calls: Any
    set_results: Mapping[str, Any]
    drop_results: Any
    seen: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StateUpdate:
    """A partial change; what it does not name stays as it is. Applying it twice adds nothing twice, but for `note`.

    Args:
        goal: Set, like `phase`, `current_step`, `iteration` and `scratchpad`; `None` leaves it, an empty text empties.
        note: A line added to the scratchpad, whose beginning makes room for it.
        add_completed: Steps that are done; they are pending no longer.
        pending: Replaces what is pending.
        drop_pending: What is not to be done after all.
        add_decisions: A later answer to the same question takes the place of the earlier.
        add_tool_calls: A record with the id of an earlier one takes its place.
        set_results: JSON values by name; the same name is overwritten.
        seen: Key of the last message that was taken in.

    Raises:
        ConfigurationError: A field is of another type, or a text is too long.

    Example:
        >>> StateUpdate(phase="acting", add_completed=["read the changelog"]).add_completed
        ('read the changelog',)
    """

    goal: str | None = field(default=None, repr=False)
    phase: str | None = field(default=None, repr=False)
    current_step: str | None = field(default=None, repr=False)
    iteration: int | None = None
    scratchpad: str | None = field(default=None, repr=False)
    note: str = field(default="", repr=False)
    add_completed: Sequence[str] = field(default=(), repr=False)
    pending: Sequence[str] | None = field(default=None, repr=False)
    add_pending: Sequence[str] = field(default=(), repr=False)
    drop_pending: Sequence[str] = field(default=(), repr=False)
    add_decisions: Sequence[WorkingDecision] = field(default=(), repr=False)
    add_constraints: Sequence[str] = field(default=(), repr=False)
    drop_constraints: Sequence[str] = field(default=(), repr=False)
    add_tool_calls: Sequence[ToolCallRecord] = field(default=(), repr=False)
    set_results: Mapping[str, Any] = field(default_factory=dict, repr=False)
    drop_results: Sequence[str] = field(default=(), repr=False)
    seen: str | None = None

    def __post_init__(self) -> None:
        """Check every field before any I/O."""
        for name, most in _TEXTS.items():
            if not self._is_left(name):
                object.__setattr__(self, name, check_optional(name, getattr(self, name), most))
        for name in _STEPS:
            if not self._is_left(name):
                object.__setattr__(self, name, check_steps(name, getattr(self, name)))
        object.__setattr__(self, "add_decisions", check_records("add_decisions", self.add_decisions, WorkingDecision))
        object.__setattr__(self, "add_tool_calls", check_records("add_tool_calls", self.add_tool_calls, ToolCallRecord))
        object.__setattr__(self, "set_results", check_results(self.set_results))
        if self.iteration is not None:
            check_count("iteration", self.iteration, 0, MAX_COUNT)
        if self.seen is not None:
            check_key("seen", self.seen)

    def _is_left(self, name: str) -> bool:
        """Whether the field stays as it is: `None` is a value of those alone whose default it is."""
        return getattr(self, name) is None and name in _MAY_BE_LEFT

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Return the update with these fields.

        Raises:
            ConfigurationError: It has no such field, or a field has a value that cannot be.
        """
        return cls(**check_mapping("a change of a working state", data, FIELDS))

    def to_dict(self) -> dict[str, Any]:
        """Return what it changes, as JSON knows it: what a node of a graph may return for the channel."""
        changed = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: as_plain(value) for name, value in changed.items() if value != _DEFAULTS[name]}


_TEXTS: Final = {
    "goal": MAX_GOAL_CHARS,
    "phase": MAX_STEP_CHARS,
    "current_step": MAX_STEP_CHARS,
    "scratchpad": MAX_SCRATCHPAD_CHARS,
    "note": MAX_SCRATCHPAD_CHARS,
}
_STEPS: Final = (
    "add_completed",
    "pending",
    "add_pending",
    "drop_pending",
    "add_constraints",
    "drop_constraints",
    "drop_results",
)
_MAY_BE_LEFT: Final = frozenset(each.name for each in fields(StateUpdate) if each.default is None)
FIELDS: Final = frozenset(each.name for each in fields(StateUpdate))
_DEFAULTS: Final = {name: getattr(StateUpdate(), name) for name in FIELDS}
